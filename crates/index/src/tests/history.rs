//! What the history of a document tells, against what its texts tell when each is at hand.

use lookalike_core::difference::Difference;
use lookalike_core::document::Document;
use lookalike_core::features::{FeatureExtractor, Features, Shingles, Unit};
use lookalike_core::hash::mix;

use super::super::answer::Version;
use super::super::{Index, PlannedRemoval, Policy, RemovedDocument, View};
use super::*;

const SIMHASH: &str =
    "method = 'simhash'\n[features]\ntype = 'shingles'\nshingle = 2\n[decide]\nmeasure = 'cosine'\n";
const SHORT: &str = "[features]\nshingle = 3\n[decide]\nthreshold = 0.4\n";

/// The simhash of 64 bits, bit by bit: of distinct runs of five words, or of all runs of two.
fn simhash(toml: &str, text: &str) -> String {
    let is_plain = !toml.starts_with(SIMHASH);
    let size = if is_plain { 5 } else { 2 };
    let mut features = Features::default();
    let shingles = Shingles::new(Unit::Word, size).unwrap();
    shingles.extract(&Document::from_text(text), &mut features);
    if is_plain {
        features.hashes.sort_unstable();
        features.hashes.dedup();
    }
    let votes = |bit: u32| features.hashes.iter().filter(|&hash| hash >> bit & 1 == 1).count();
    let is_set = |bit: u32| 2 * votes(bit) > features.hashes.len();
    let print = (0..64).fold(0u64, |print, bit| print | u64::from(is_set(bit)) << bit);
    format!("{print:016x}")
}

fn distance(a: &str, b: &str) -> u32 {
    let number = |hex: &str| u64::from_str_radix(hex, 16).unwrap();
    (number(a) ^ number(b)).count_ones()
}

/// From where on two texts are near-duplicates.
fn threshold(toml: &str) -> f64 {
    recipe(toml).build(&registry()).unwrap().decider.threshold()
}

fn add(index: &Index, text: &str, time: u64) -> Option<Version> {
    let made = Made { streams: String::new(), id: "a".to_owned(), text: text.to_owned(), labels: Vec::new() };
    index.writer().add(&made.line(), Policy::Report, &at(time)).unwrap().version
}

fn versions(index: &Index) -> Vec<Version> {
    index.reader().history(&id("a"), &View::All).unwrap().unwrap().versions
}

/// Texts of one document over time: a few words change, or all of them, and some versions come back.
fn texts() -> Vec<String> {
    let mut texts: Vec<String> = (0..8).map(|step| text(1 + step / 4, step, mix(step))).collect();
    texts.insert(3, texts[1].clone());
    texts.insert(6, texts[0].clone());
    texts.push(format!("{} more words at the end", texts[9]));
    texts
}

fn check(toml: &str, texts: &[String], told: &[Version]) {
    let prints: Vec<String> = texts.iter().map(|text| simhash(toml, text)).collect();
    assert_eq!(told.len(), texts.len());
    for (place, version) in told.iter().enumerate() {
        assert_eq!(version.fingerprint.as_deref(), Some(prints[place].as_str()), "{toml}: {place}");
        let before = place.checked_sub(1);
        assert_eq!(version.distance, before.map(|before| distance(&prints[before], &prints[place])));
        let difference = before.map(|before| Difference::between(&texts[before], &texts[place]));
        let is_near = version.similarity.is_none_or(|similarity| similarity >= threshold(toml));
        assert_eq!(version.difference, difference.filter(|_| is_near), "{toml}: {place}");
        let earlier = (0..place).rev().find(|&earlier| prints[earlier] == prints[place]);
        let earlier = earlier.filter(|&earlier| earlier + 1 < place);
        assert_eq!(version.came_back_to, earlier.map(|earlier| 10 * earlier as u64), "{toml}: {place}");
    }
}

#[test]
fn every_version_tells_its_fingerprint_and_what_changed() {
    for toml in ["", SHORT, "method = 'word-tuples'", SIMHASH] {
        let folder = TempDir::new().unwrap();
        let index = create(folder.path(), toml);
        let texts = texts();
        for (place, text) in texts.iter().enumerate() {
            let version = add(&index, text, 10 * place as u64);
            let told = versions(&index);
            check(toml, &texts[..=place], &told);
            assert_eq!(version.is_some(), place > 0);
            assert!(version.is_none_or(|version| Some(&version) == told.last()), "the answer tells the same");
        }
        let told = versions(&index);
        assert!(told.iter().filter(|version| version.came_back_to.is_some()).count() >= 2, "{toml}");
        assert!(told.iter().any(|version| version.distance.is_some_and(|distance| distance > 10)));
        assert!(told[1..].iter().any(|version| version.difference.is_some()), "{toml}");
        assert!(told[1..].iter().any(|version| version.difference.is_none()), "{toml}");
        drop(index);
        let index = Index::open(folder.path(), registry()).unwrap();
        assert_eq!(versions(&index), told, "from the journal");
        index.writer().compact().unwrap();
        drop(index);
        let index = Index::open(folder.path(), registry()).unwrap();
        assert_eq!(versions(&index), told, "from a snapshot");
        index.writer().resign(&recipe(toml)).unwrap();
        assert_eq!(versions(&index), told, "in another generation");
    }
}

#[test]
fn another_recipe_makes_other_fingerprints_and_compares_only_its_own() {
    let folder = TempDir::new().unwrap();
    let index = create(folder.path(), "");
    let (one, two) = (text(1, 0, 0), text(1, 5, 1));
    add(&index, &one, 0);
    add(&index, &two, 10);
    index.writer().resign(&recipe(SIMHASH)).unwrap();
    let told = versions(&index);
    let prints =
        |told: &[Version]| told.iter().map(|one| one.fingerprint.clone().unwrap()).collect::<Vec<_>>();
    assert_eq!(
        prints(&told),
        [simhash("", &one), simhash(SIMHASH, &two)],
        "its text is there, and is signed"
    );
    assert_eq!(told[1].distance, Some(distance(&simhash("", &one), &simhash("", &two))), "as it was then");
    let back = add(&index, &one, 20).unwrap();
    assert_eq!(back.distance, Some(distance(&simhash(SIMHASH, &one), &simhash(SIMHASH, &two))));
    assert_eq!(back.came_back_to, None, "the fingerprint of the first is another recipe's");
    assert_eq!(add(&index, &two, 30).unwrap().came_back_to, Some(10));
}

#[test]
fn what_has_no_words_has_no_fingerprint() {
    let folder = TempDir::new().unwrap();
    let index = create(folder.path(), "");
    for (time, text) in [(0, ""), (10, "some words of a text"), (20, "")] {
        add(&index, text, time);
    }
    let told = versions(&index);
    let prints: Vec<bool> = told.iter().map(|version| version.fingerprint.is_some()).collect();
    assert_eq!(prints, [false, true, false]);
    assert!(told.iter().all(|version| version.distance.is_none() && version.came_back_to.is_none()));
    let kinds = |version: &Version| version.difference.map(|difference| difference.to_string());
    assert_eq!([kinds(&told[1]).as_deref(), kinds(&told[2]).as_deref()], [Some("added"), Some("cut")]);
}

/// A version that is another document's next has that one's history.
#[test]
fn the_policy_version_goes_on_with_the_history_of_the_other() {
    let folder = TempDir::new().unwrap();
    let index = create(folder.path(), SHORT);
    let texts = [text(1, 0, 0), text(1, 1, 1)];
    for (place, text) in texts.iter().enumerate() {
        let made =
            Made { streams: String::new(), id: format!("d{place}"), text: text.clone(), labels: Vec::new() };
        index.writer().add(&made.line(), Policy::Version, &at(10 * place as u64)).unwrap();
    }
    let history = index.reader().history(&id("d1"), &View::All).unwrap().unwrap();
    check(SHORT, &texts, &history.versions);
}

#[test]
fn a_removed_document_comes_back_with_its_history() {
    let folder = TempDir::new().unwrap();
    let index = create(folder.path(), "");
    let other =
        Made { streams: String::new(), id: "keeper".to_owned(), text: text(9, 0, 0), labels: Vec::new() };
    index.writer().add(&other.line(), Policy::Report, &at(0)).unwrap();
    for (time, text) in (0..).zip(texts()) {
        add(&index, &text, 10 * time);
    }
    let told = versions(&index);
    let number = |name: &str| index.reader().number_of(&id(name), &View::All).unwrap().unwrap();
    let (gone, keeper) = (number("a"), number("keeper"));
    let backup = serde_json::to_value(index.reader().removal_backup(gone).unwrap().unwrap()).unwrap();
    let planned = [PlannedRemoval { number: gone, keeper }];
    let restore = |backup: serde_json::Value| {
        let removed: RemovedDocument = serde_json::from_value(backup).unwrap();
        let number = index.reader().number_of(&id("a"), &View::All).unwrap();
        let planned = number.map_or(planned[0], |number| PlannedRemoval { number, keeper });
        assert_eq!(index.writer().remove_planned(index.numbering(), &[planned]).unwrap(), []);
        assert_eq!(index.writer().restore(&[removed], &at(500)).unwrap(), []);
        versions(&index)
    };
    assert_eq!(restore(backup.clone()), told);
    // One that was removed before fingerprints were recorded.
    let mut old = backup;
    for version in old["versions"].as_array_mut().unwrap() {
        version.as_array_mut().unwrap().truncate(4);
    }
    let known = restore(old);
    let last = known.len() - 1;
    assert!(known[..last].iter().all(|version| version.fingerprint.is_none()), "not known");
    assert!(known.iter().all(|version| version.distance.is_none() && version.difference.is_none()));
    assert_eq!(known[last].fingerprint, told[last].fingerprint, "its text is there");
    let times = |versions: &[Version]| versions.iter().map(|version| version.time).collect::<Vec<_>>();
    assert_eq!(times(&known), times(&told));
}
