//! The native lexicon: counted from the living documents, whatever happened before, and kept up to date.

use std::collections::HashSet;
use std::sync::atomic::{AtomicBool, Ordering};

use lookalike_core::Error;
use lookalike_core::hash::mix;
use lookalike_engine::lexicon::{CountJob, build};

use super::super::{
    Index, IndexLimits, LexiconKind, LexiconStats, Policy, Refresh, RefreshReason, RefreshStats, View,
};
use super::*;

const IMATCH: &str = "method = 'imatch'\n[features]\nmin_length = 1\nmax_digits = 9\n\
                      [sign]\nlexicon = 'native'\nlow = 0.1\nhigh = 1\n[decide]\nthreshold = 0.5";

/// Every way in which a recipe names a lexicon.
const NATIVE: [(&str, &str); 5] = [
    ("imatch", IMATCH),
    (
        "simhash",
        "method = 'simhash'\n[features]\nlexicon = 'native'\n[decide]\ndistance = 5\nthreshold = 0.5",
    ),
    ("cosine", "method = 'cosine'\n[candidates]\nlexicon = 'native'\n[decide]\nthreshold = 0.8"),
    ("frequent shingles", "[features]\nshingle = 2\nmax_df = 9\n[decide]\nthreshold = 0.5"),
    ("ensemble", "method = 'ensemble'\n[candidates]\nlexicon = 'native'\n[decide]\nthreshold = 0.5"),
];

/// The recipe with a file in place of the native lexicon, counted from these documents as a corpus.
fn with_file(toml: &str, documents: &[Made], folder: &TempDir) -> String {
    let corpus = folder.path().join("corpus.jsonl");
    let mut lines = documents.iter().map(Made::line).collect::<Vec<_>>().join(&b'\n');
    lines.push(b'\n');
    std::fs::write(&corpus, lines).unwrap();
    let file = folder.path().join("corpus.lexicon");
    let native = recipe(toml);
    let extractor = native.counted_features(&registry()).unwrap();
    build(&CountJob::new([corpus.to_string_lossy()], &file), extractor.as_deref(), &Quiet).unwrap();
    native.with_native_lexicon(&file).to_toml()
}

fn native_of(index: &Index) -> LexiconStats {
    let stats = index.reader().stats(&View::All).unwrap();
    stats.lexicons.into_iter().find(|lexicon| lexicon.kind == LexiconKind::Native).unwrap()
}

fn refresh_of(index: &Index) -> RefreshStats {
    native_of(index).refresh.unwrap()
}

fn words(made: &Made) -> impl Iterator<Item = String> + '_ {
    made.text.split_whitespace().map(str::to_owned)
}

fn add(index: &Index, made: &Made) {
    index.writer().add(&made.line(), Policy::Report, &at(1000)).unwrap();
}

/// An index of these documents, signed by their native lexicon.
fn counted(folder: &Path, toml: &str, documents: &[Made]) -> Index {
    let index = create(folder, "");
    documents.iter().for_each(|made| add(&index, made));
    index.writer().resign(&recipe(toml)).unwrap();
    index
}

fn refreshed(folder: &Path, refresh: Refresh) -> Index {
    Index::create_refreshed(folder, &recipe(IMATCH), registry(), IndexLimits::default(), refresh).unwrap()
}

fn after(documents: u64) -> Refresh {
    Refresh::new(Some(documents), None).unwrap()
}

/// Many documents of a few families.
fn families() -> Vec<Made> {
    let part = |seed: u64| {
        corpus(60, seed).into_iter().map(move |made| Made { id: format!("{}-{seed}", made.id), ..made })
    };
    (17..23).flat_map(part).collect()
}

/// Whatever was added, changed and removed before: counted again, the index is that of a batch run over its documents,
/// and of an index made with a lexicon that was built from them. Between two counts the figures are those of a naive count.
#[test]
fn counted_again_after_any_history_the_index_is_that_of_its_documents() {
    for (name, toml) in NATIVE {
        let folder = TempDir::new().unwrap();
        let mut index = create(folder.path(), "");
        let mut living: Vec<Made> = Vec::new();
        let documents = families();
        let mut fresh = documents.iter();
        let mut pairs = 0;
        let (mut known, mut since, mut is_native): (HashSet<String>, Vec<Made>, bool) = Default::default();
        for step in 0..240u64 {
            let random = mix(step ^ 0x1e41c0);
            let some = |living: &[Made]| (random >> 8) as usize % living.len().max(1);
            match random % 16 {
                9 | 10 if !living.is_empty() => {
                    let made = living.remove(some(&living));
                    assert!(index.writer().remove(&id(&made.id), &View::All).unwrap());
                }
                11 | 12 if !living.is_empty() => {
                    let mut made = living.remove(some(&living));
                    made.text = text(random % 10, random >> 9 & 3, random >> 20);
                    add(&index, &made);
                    living.push(made.clone());
                    since.push(made);
                }
                13 => index.writer().compact().unwrap(),
                14 => {
                    if random >> 30 & 1 == 0 {
                        index.close().unwrap()
                    } else {
                        drop(index)
                    }
                    index = Index::open(folder.path(), registry()).unwrap();
                }
                _ => {
                    let made = fresh.next().unwrap().clone();
                    add(&index, &made);
                    living.push(made.clone());
                    since.push(made);
                }
            }
            if is_native {
                let native = native_of(&index);
                assert_eq!(native.documents_since, since.len() as u64, "{name}, step {step}");
                // The features of other lexicons than of words are not as easily counted.
                if name != "frequent shingles" {
                    let unknown = since.iter().flat_map(words).filter(|word| !known.contains(word)).count();
                    let all = since.iter().flat_map(words).count();
                    let share = (all > 0).then(|| unknown as f64 / all as f64);
                    assert_eq!(native.unknown_terms, share, "{name}, step {step}");
                }
            }
            if step % 60 == 59 {
                index.writer().resign(&recipe(toml)).unwrap();
                let built = TempDir::new().unwrap();
                let by_file = with_file(toml, &living, &built);
                let expected = by_batch(&living, &by_file);
                pairs += expected.pairs.len();
                assert_eq!(by_index(&index, &living, &View::All), expected, "{name}, step {step}");
                let anew = create(&built.path().join("index"), &by_file);
                living.iter().for_each(|made| add(&anew, made));
                assert_eq!(index.scheme(), anew.scheme(), "{name}, step {step}");
                assert_eq!(native_of(&index).documents, living.len() as u64);
                known = living.iter().flat_map(words).collect();
                since.clear();
                is_native = true;
            }
        }
        assert!(pairs > 100, "{name}: {pairs} pairs tell little");
    }
}

#[test]
fn the_lexicon_moves_with_the_index_and_old_ones_are_removed() {
    let folder = TempDir::new().unwrap();
    let (first, second) = (folder.path().join("first"), folder.path().join("second"));
    let documents = corpus(60, 5);
    let index = counted(&first, IMATCH, &documents);
    index.writer().resign(&recipe(IMATCH)).unwrap();
    let (scheme, pairs) = (index.scheme(), by_index(&index, &documents, &View::All));
    assert!(!index.recipe().contains('/'), "no path in the recipe: {}", index.recipe());
    index.close().unwrap();
    std::fs::rename(&first, &second).unwrap();
    let index = Index::open(&second, registry()).unwrap();
    assert_eq!((index.scheme(), by_index(&index, &documents, &View::All)), (scheme, pairs));
    let lexicons = || {
        let mut found = Vec::new();
        let mut folders = vec![second.clone()];
        while let Some(folder) = folders.pop() {
            for entry in std::fs::read_dir(&folder).unwrap() {
                let path = entry.unwrap().path();
                let name = path.file_name().unwrap().to_string_lossy().into_owned();
                match path.is_dir() {
                    true => folders.push(path),
                    false if name.contains("lexicon") => found.push(name),
                    false => {}
                }
            }
        }
        found.sort();
        found
    };
    assert_eq!(lexicons(), ["lexicons.json", "native.lexicon"]);
    index.writer().resign(&recipe("")).unwrap();
    assert!(lexicons().is_empty(), "{:?}", lexicons());
    assert!(!second.join("counting").exists());
}

/// Compacting signs by the same lexicon, although the documents are others by now.
#[test]
fn compacting_keeps_the_lexicon_and_its_figures() {
    let folder = TempDir::new().unwrap();
    let documents = corpus(80, 5);
    let index = counted(folder.path(), IMATCH, &documents[..70]);
    documents[70..].iter().for_each(|made| add(&index, made));
    let ids: Vec<Id> = documents[..50].iter().map(|made| id(&made.id)).collect();
    index.writer().remove_many(&ids, &View::All).unwrap();
    let before = (index.scheme(), native_of(&index));
    let generation = index.generation_number();
    index.writer().compact().unwrap();
    assert!(index.generation_number() > generation, "it is compacted into a new generation");
    assert_eq!((index.scheme(), native_of(&index)), before);
    drop(index);
    let index = Index::open(folder.path(), registry()).unwrap();
    assert_eq!((index.scheme(), native_of(&index)), before);
}

#[test]
fn a_lexicon_is_counted_again_when_it_is_due() {
    let folder = TempDir::new().unwrap();
    let documents = corpus(100, 5);
    let index = refreshed(folder.path(), after(30));
    assert_eq!((native_of(&index).documents, index.refresh_due()), (0, None));
    assert_eq!(index.writer().refresh(2).unwrap(), None, "there is nothing to count");
    add(&index, &documents[0]);
    assert_eq!(index.refresh_due(), Some(RefreshReason::First));
    assert_eq!(index.writer().refresh(2).unwrap(), Some(RefreshReason::First));
    assert_eq!(index.writer().refresh(2).unwrap(), None, "it was done");
    documents[1..30].iter().for_each(|made| add(&index, made));
    let told = refresh_of(&index);
    assert_eq!((told.refreshes, told.due, told.after, told.documents_left), (1, false, Some(30), Some(1)));
    add(&index, &documents[29]);
    assert_eq!(index.refresh_due(), None, "unchanged documents do not count");
    // The figures and the setting survive a crash.
    drop(index);
    let index = Index::open(folder.path(), registry()).unwrap();
    assert_eq!((refresh_of(&index), index.refresh()), (told, after(30)));
    add(&index, &documents[30]);
    assert_eq!(index.writer().refresh(1).unwrap(), Some(RefreshReason::Documents(30)));
    let native = native_of(&index);
    assert_eq!((native.documents, native.documents_since, native.unknown_terms), (31, 0, None));
    assert_eq!(refresh_of(&index).refreshes, 2);
    let built = TempDir::new().unwrap();
    let expected = by_batch(&documents[..31], &with_file(IMATCH, &documents[..31], &built));
    assert_eq!(by_index(&index, &documents[..31], &View::All), expected);
    // By the share of unknown terms, of which there must be enough.
    index.writer().set_refresh(Refresh::new(None, Some(0.1)).unwrap()).unwrap();
    documents[31..].iter().for_each(|made| add(&index, made));
    let share = native_of(&index).unknown_terms.unwrap();
    assert!(share > 0.1, "{share}");
    assert_eq!(index.writer().refresh(2).unwrap(), Some(RefreshReason::Unknown(share)));
    index.writer().set_refresh(Refresh::default()).unwrap();
    (0..40).for_each(|number| add(&index, &Made { id: format!("e{number}"), ..documents[8].clone() }));
    assert_eq!(index.refresh_due(), None, "it is off");
}

/// Documents that come while the lexicon is counted again are neither lost nor counted twice.
#[test]
fn documents_come_while_the_lexicon_is_counted_again() {
    let folder = TempDir::new().unwrap();
    let documents = corpus(1200, 23);
    let index = counted(folder.path(), IMATCH, &documents[..600]);
    index.writer().set_refresh(after(1)).unwrap();
    add(&index, &documents[600]);
    let ended = AtomicBool::new(false);
    let (added, during) = std::thread::scope(|scope| {
        let adding = scope.spawn(|| {
            let (mut added, mut during) = (601, 0);
            for made in &documents[601..] {
                during += u64::from(index.resigning().is_some());
                add(&index, made);
                let answer = index.reader().check(&made.line(), &at(1000)).unwrap();
                assert!(answer.id.is_some());
                added += 1;
                if ended.load(Ordering::Relaxed) {
                    break;
                }
            }
            (added, during)
        });
        let second = scope.spawn(|| index.writer().refresh(1).unwrap());
        assert!(index.writer().refresh(1).unwrap().is_some());
        // The second waited for the first, and counted only what came meanwhile, if anything did.
        second.join().unwrap();
        ended.store(true, Ordering::Relaxed);
        adding.join().unwrap()
    });
    assert!(during > 0, "nothing came meanwhile");
    let living = &documents[..added];
    assert_eq!(index.reader().stats(&View::All).unwrap().documents, added as u64);
    let native = native_of(&index);
    assert_eq!(native.documents + native.documents_since, added as u64, "each is counted or told");
    drop(index);
    let index = Index::open(folder.path(), registry()).unwrap();
    assert_eq!(native_of(&index), native);
    for made in living {
        assert!(index.reader().get(&id(&made.id), &View::All).unwrap().is_some(), "{}", made.id);
    }
    // All are signed by the same lexicon.
    index.writer().set_refresh(Refresh::default()).unwrap();
    index.writer().resign(&recipe(IMATCH)).unwrap();
    let built = TempDir::new().unwrap();
    let expected = by_batch(living, &with_file(IMATCH, living, &built));
    assert_eq!(by_index(&index, living, &View::All), expected);
}

#[test]
fn what_cannot_be_counted_is_refused_before_anything_is_written() {
    let folder = TempDir::new().unwrap();
    let path = folder.path().join("index");
    let told = Index::create(&path, &recipe(IMATCH), registry()).err().unwrap().to_string();
    assert!(told.contains("has none yet") && told.contains("--refresh-after"), "{told}");
    let limits = IndexLimits::default();
    let told = Index::create_refreshed(&path, &recipe(""), registry(), limits, after(5)).err().unwrap();
    assert!(told.to_string().contains("name the lexicon `native`"), "{told}");
    assert!(!path.exists());
    let index = create(&path, "");
    let told = index.writer().resign(&recipe(IMATCH)).unwrap_err().to_string();
    assert!(told.contains("has none yet"), "{told}");
    assert_eq!((index.generation_number(), index.resigning()), (1, None));
    index.writer().set_refresh(after(5)).unwrap();
    index.writer().resign(&recipe(IMATCH)).unwrap();
    assert_eq!(native_of(&index).documents, 0);
    let texts = ["", "w1 w2", "w1 w2 w3 w4 w5 w6"];
    for (number, text) in texts.into_iter().enumerate() {
        let (text, streams, labels) = (text.to_owned(), String::new(), Vec::new());
        add(&index, &Made { id: format!("d{number}"), text, labels, streams });
    }
    assert_eq!(index.writer().refresh(0).unwrap(), Some(RefreshReason::First));
}

#[test]
fn a_lexicon_that_is_gone_cut_or_another_is_told() {
    let folder = TempDir::new().unwrap();
    let documents = corpus(60, 5);
    let index = counted(folder.path(), IMATCH, &documents);
    let own = crate::index::generation_folder(folder.path(), index.generation_number());
    index.close().unwrap();
    let file = own.join("native.lexicon");
    let whole = std::fs::read(&file).unwrap();
    let other = TempDir::new().unwrap();
    drop(counted(other.path(), IMATCH, &documents[1..]));
    let other = std::fs::read(other.path().join("generation-2/native.lexicon")).unwrap();
    let mut flipped = whole.clone();
    flipped[whole.len() / 2] ^= 4;
    for (bytes, expected) in [
        (None, "is missing"),
        (Some(&whole[..0]), "native.lexicon"),
        (Some(&whole[..whole.len() / 2]), "native.lexicon"),
        (Some(&flipped[..]), "native.lexicon"),
        (Some(&other[..]), "bring back the lexicon"),
    ] {
        std::fs::remove_file(&file).unwrap();
        if let Some(bytes) = bytes {
            std::fs::write(&file, bytes).unwrap();
        }
        let told = Index::open(folder.path(), registry()).err().unwrap();
        assert!(matches!(told, Error::Damaged { .. } | Error::Incompatible(_)), "{told}");
        assert!(told.to_string().contains(expected), "{told}");
        std::fs::write(&file, &whole).unwrap();
        assert!(Index::open(folder.path(), registry()).is_ok(), "brought back");
    }
    // Without the figures of a later version the index opens, and they begin again.
    std::fs::remove_file(own.join("lexicons.json")).unwrap();
    let index = Index::open(folder.path(), registry()).unwrap();
    let native = native_of(&index);
    assert_eq!((native.documents, native.counted, native.documents_since), (60, None, 0));
}

/// A fixed lexicon is never counted again, but how well it fits is told, to those who see everything.
#[test]
fn a_fixed_lexicon_tells_what_it_does_not_know() {
    let folder = TempDir::new().unwrap();
    let index = create(folder.path(), "method = 'imatch'");
    let made = |id: &str, text: &str| Made {
        id: id.to_owned(),
        text: text.to_owned(),
        labels: Vec::new(),
        streams: String::new(),
    };
    add(&index, &made("a", "the harvest of qzxvyw and the qzxvyw"));
    let stats = index.reader().stats(&View::All).unwrap();
    let [english] = &stats.lexicons[..] else { panic!("{stats:?}") };
    assert_eq!((english.name.as_str(), english.kind), ("english", LexiconKind::BuiltIn));
    assert_eq!((english.documents, english.documents_since), (73_300, 1));
    assert_eq!((english.unknown_terms, &english.refresh), (Some(2.0 / 7.0), &None));
    assert_eq!(index.refresh_due(), None);
    let restricted = index.reader().stats(&View::Labels(vec!["red".to_owned()])).unwrap();
    assert!(restricted.lexicons.is_empty(), "words of hidden documents are not told");
}

/// What people decided of texts that are gone is remembered when the lexicon is counted again.
#[test]
fn decisions_about_texts_that_are_gone_survive_a_new_count() {
    let folder = TempDir::new().unwrap();
    let documents = corpus(60, 5);
    let index = counted(folder.path(), IMATCH, &documents);
    let made =
        |name: &str, seed| Made { id: name.to_owned(), text: text(900, 2, seed), ..documents[6].clone() };
    let (a, b) = (made("a", 1), made("b", 2));
    let (like_a, like_b) =
        (Made { id: "c".to_owned(), ..a.clone() }, Made { id: "d".to_owned(), ..b.clone() });
    [&a, &b].into_iter().for_each(|made| add(&index, made));
    index.writer().decide(&id("a"), &id("b"), Some(false), "me", &View::All).unwrap();
    index.writer().remove_many(&[id("a"), id("b")], &View::All).unwrap();
    let scheme = index.scheme();
    add(&index, &made("e", 3));
    index.writer().resign(&recipe(IMATCH)).unwrap();
    assert_ne!(index.scheme(), scheme, "other words are known");
    [&like_a, &like_b].into_iter().for_each(|made| add(&index, made));
    let decided = index.reader().decision((&id("c"), None), (&id("d"), None), &View::All).unwrap();
    assert!(decided.is_some_and(|decision| !decision.duplicate));
}

/// What is written is read by later versions; an index without these settings is written as ever.
#[test]
fn the_figures_and_the_setting_have_their_form_on_disk() {
    let content = |path: &Path| -> serde_json::Value {
        let sealed: serde_json::Value = serde_json::from_slice(&std::fs::read(path).unwrap()).unwrap();
        sealed["content"].clone()
    };
    let folder = TempDir::new().unwrap();
    let both = Refresh::new(Some(30), Some(0.25)).unwrap();
    let index = refreshed(folder.path(), both);
    corpus(60, 5)[6..8].iter().for_each(|made| add(&index, made));
    let words: usize = corpus(60, 5)[6..8].iter().flat_map(words).count();
    index.close().unwrap();
    assert_eq!(
        content(&folder.path().join("generation-1/lexicons.json")).to_string(),
        format!(
            r#"{{"counted":null,"documents":2,"next":2,"refreshes":0,"terms":[{{"all":{words},"unknown":{words}}}]}}"#
        )
    );
    let head = content(&folder.path().join("index.json"));
    assert_eq!(head["refresh"].to_string(), r#"{"after":30,"unknown":0.25}"#);
    assert_eq!(Index::open(folder.path(), registry()).unwrap().refresh(), both);
    let plain = TempDir::new().unwrap();
    create(plain.path(), "").close().unwrap();
    let keys: Vec<String> =
        content(&plain.path().join("index.json")).as_object().unwrap().keys().cloned().collect();
    assert_eq!(keys, ["format", "generation", "recipe"]);
    assert!(!plain.path().join("generation-1/lexicons.json").exists());
}
