//! Every method through the whole engine, against brute force and against the others.

mod common;

use std::collections::{BTreeMap, BTreeSet};
use std::sync::atomic::{AtomicBool, Ordering};

use common::{Outcome, corpus, dedup, same, usual_recipe, write};
use lookalike::{Error, Job, Progress, Quiet, Recipe, Registry, Report, Result, run};
use lookalike_core::lexicon::{Assets, Window};
use lookalike_engine::lexicon::AssetFiles;
use lookalike_engine::run::{prepare, stored_report};

type Words = BTreeSet<String>;

fn words(text: &str) -> Words {
    text.split_whitespace().map(str::to_lowercase).collect()
}

fn cosine(a: &Words, b: &Words) -> f64 {
    a.intersection(b).count() as f64 / ((a.len() * b.len()) as f64).sqrt()
}

/// The corpus with real words, of which the English lexicon knows.
fn prose(documents: u64, seed: u64) -> Vec<(String, String)> {
    let lexicon = AssetFiles::default().load("english").unwrap();
    let window = Window::parse("0.3:0.7").unwrap();
    let known = lexicon.terms().enumerate().filter(|(_, (_, df))| window.contains(lexicon.nidf(*df)));
    let known: Vec<&str> = known
        .filter_map(|(place, _)| lexicon.text(place))
        .filter(|word| word.len() > 3 && word.bytes().all(|byte| byte.is_ascii_lowercase()))
        .collect();
    let spell = |word: &str| known[word[1..].parse::<usize>().unwrap() % known.len()];
    let texts = corpus(documents, seed).into_iter();
    texts.map(|(id, text)| (id, text.split(' ').map(spell).collect::<Vec<_>>().join(" "))).collect()
}

/// Pairs of documents that are no copies of any other, since copies stand for each other.
fn apart(outcome: &Outcome, copies: &BTreeSet<&str>) -> BTreeMap<(String, String), f64> {
    let mut pairs = outcome.pairs();
    pairs.retain(|(a, b), _| !copies.contains(a.as_str()) && !copies.contains(b.as_str()));
    pairs
}

#[test]
fn cosine_finds_exactly_what_brute_force_finds() {
    let documents = prose(300, 3);
    let sets: BTreeMap<&str, Words> = documents.iter().map(|(id, text)| (id.as_str(), words(text))).collect();
    for threshold in [0.5, 0.9] {
        let outcome =
            dedup(&documents, &format!("method = 'cosine'\n[decide]\nthreshold = {threshold}"), |_| {});
        let (mut expected, mut copies) = (BTreeMap::new(), BTreeSet::new());
        for (a, set) in &sets {
            for (b, other) in sets.iter().filter(|(b, _)| a < *b) {
                let similarity = cosine(set, other);
                if set == other {
                    copies.extend([*a, *b]);
                }
                if similarity >= threshold {
                    expected.insert((a.to_string(), b.to_string()), similarity);
                }
            }
        }
        expected.retain(|(a, b), _| !copies.contains(a.as_str()) && !copies.contains(b.as_str()));
        let found = apart(&outcome, &copies);
        assert!(expected.len() > 100, "{} pairs are too few to tell", expected.len());
        assert_eq!(found.keys().collect::<Vec<_>>(), expected.keys().collect::<Vec<_>>());
        assert!(found.iter().all(|(pair, similarity)| same(*similarity, expected[pair])));
        assert_eq!(outcome.report.expected_recall, Some(1.0));
    }
}

/// Near-copies (five words in a hundred, at most, differ) are found by every method, and whatever a
/// method reports reaches its threshold.
/// Ends a run while pairs are looked for, whether any are found or not.
#[derive(Default)]
struct Impatient(AtomicBool);

impl Progress for Impatient {
    fn stage(&self, name: &'static str, _: u64) {
        self.0.store(name == "pairing", Ordering::Relaxed);
    }

    fn advance(&self, units: u64, _: u64) -> Result<()> {
        let is_asked = self.0.load(Ordering::Relaxed) && units == 0;
        if is_asked { Err(Error::Cancelled) } else { Ok(()) }
    }
}

#[test]
fn a_search_that_finds_nothing_can_be_ended() {
    let registry = Registry::with_built_ins();
    let folder = tempfile::tempdir().unwrap();
    let input = folder.path().join("corpus.jsonl");
    write(&input, &prose(40, 5).into_iter().step_by(20).collect::<Vec<_>>());
    for method in ["cosine", "simhash", "spotsigs", "sentences"] {
        let pipeline = Recipe::for_method(method, &registry).unwrap().build(&registry).unwrap();
        let job = Job::new([input.to_string_lossy()], folder.path().join(method));
        let outcome = run(&pipeline, &job, &Impatient::default());
        assert!(matches!(outcome, Err(Error::Cancelled)), "{method}: {outcome:?}");
    }
}

#[test]
fn every_method_finds_near_copies_and_nothing_below_its_threshold() {
    let documents = prose(400, 5);
    let sets: BTreeMap<&str, Words> = documents.iter().map(|(id, text)| (id.as_str(), words(text))).collect();
    for method in Registry::with_built_ins().methods() {
        // A distance of three bits is for near-identical texts; these differ by more.
        let recipe = match method.name.as_str() {
            "simhash" => "method = 'simhash'\n[decide]\ndistance = 12".to_owned(),
            name => usual_recipe(name, &documents),
        };
        let outcome = dedup(&documents, &recipe, |_| {});
        let pairs = outcome.pairs();
        let threshold = outcome.report.threshold;
        assert!(pairs.values().all(|&similarity| similarity >= threshold), "{}", method.name);
        assert_eq!(outcome.report.kept + outcome.report.removed, 400, "{}", method.name);
        // Unlike documents are never paired, whatever the method.
        for (a, b) in pairs.keys() {
            let similarity = cosine(&sets[a.as_str()], &sets[b.as_str()]);
            assert!(similarity > 0.2, "{}: {a} {b} {similarity}", method.name);
        }
        // There are no sentences and no stop words here, and hardly a byte stays in its place.
        let needs_prose = ["spotsigs", "sentences", "exact", "lsbs"].contains(&method.name.as_str());
        let least = if needs_prose { 5 } else { 60 };
        assert!(outcome.report.removed >= least, "{}: {} removed", method.name, outcome.report.removed);
    }
}

#[test]
fn results_of_every_method_do_not_depend_on_threads_order_or_memory() {
    let documents = prose(300, 9);
    let reversed: Vec<_> = documents.iter().rev().cloned().collect();
    for method in Registry::with_built_ins().methods() {
        let recipe = usual_recipe(&method.name, &documents);
        let first = dedup(&documents, &recipe, |job| job.threads = 1);
        let second = dedup(&reversed, &recipe, |job| {
            job.threads = 3;
            job.memory = 100_000_000;
        });
        assert_eq!(first.pairs(), second.pairs(), "{}", method.name);
        assert_eq!(first.clusters(), second.clusters(), "{}", method.name);
        assert_eq!(first.report.scheme, second.report.scheme);
    }
}

/// Little goes into the least memory: pairs, copies and clusters are sorted on disk, joins work in parts, and crowds
/// are read from disk.
#[test]
fn results_in_the_least_memory_are_the_same_bytes() {
    let mut documents = corpus(3000, 6);
    let shared = documents[0].1.repeat(3);
    documents.extend((0..400).map(|number| (format!("same{number:03}"), shared.clone())));
    documents.extend((0..1500).map(|number| (format!("form{number:04}"), format!("{shared} for w{number}"))));
    let components = "[cluster]\ntype = 'components'\n[decide]\nthreshold = 0.6";
    let methods =
        ["minhash", "simhash", "cosine", "lsbs", "ensemble"].map(|name| format!("method = '{name}'"));
    for recipe in methods.into_iter().chain([components.to_owned()]) {
        let standard = dedup(&documents, &recipe, |_| {});
        let least = dedup(&documents, &recipe, |job| (job.threads, job.memory) = (1, 40_000_000));
        assert!(standard.report.pairs > 5000, "{recipe}: {} pairs", standard.report.pairs);
        for file in ["kept.jsonl", "removed.jsonl", "clusters.jsonl", "pairs.jsonl"] {
            let bytes = |output: &std::path::Path| std::fs::read(output.join(file)).unwrap();
            assert!(bytes(&standard.output) == bytes(&least.output), "{recipe}: {file}");
        }
        let figures =
            |report: &Report| (report.candidates, report.pairs, report.clusters, report.warnings.clone());
        assert_eq!(figures(&standard.report), figures(&least.report), "{recipe}");
    }
}

/// Recipes with settings that a report spells in another way than a recipe does.
const SETTINGS: [&str; 4] = [
    "method = 'simhash'\n[sign]\nbits = 128\n[decide]\ndistance = 7\nverify = 'signature'",
    "method = 'ensemble'\n[candidates]\nmethods = ['minhash', 'simhash', 'imatch']\nrule = 'vote'\nvotes = 2\n\
     lexicon = 'english'\n[candidates.simhash.decide]\ndistance = 9\n[candidates.imatch.sign]\npreset = 'email'\n\
     [decide]\nthreshold = 0.6",
    "[features]\nunit = 'char'\nshingle = 6\n[decide]\ntype = 'overlap-and-length'\noverlap = 0.7\n\
     [cluster]\ntype = 'components'\n[keep]\nrule = 'newest,first'",
    "[features]\ntype = 'terms'\nweight = 'idf'\n[candidates]\ntype = 'clusters'\nclustering = 'k-means'\n\
     floor = 0.2\n[decide]\nmeasure = 'weighted-cosine'",
];

#[test]
fn the_recipe_of_a_report_is_that_of_the_run() {
    let registry = Registry::with_built_ins();
    let documents = prose(300, 7);
    let methods = registry.methods().map(|method| usual_recipe(&method.name, &documents));
    for recipe in methods.chain(SETTINGS.map(str::to_owned)) {
        let outcome = dedup(&documents, &recipe, |_| {});
        let report = stored_report(&outcome.output).unwrap();
        let read = Recipe::of_report(&report, &outcome.output, &registry)
            .unwrap_or_else(|error| panic!("{recipe}: {error}"));
        let pipeline = read.build(&registry).unwrap();
        assert_eq!(pipeline.scheme.id, outcome.report.scheme, "{recipe}");
        assert_eq!(pipeline.resolved(), report.recipe, "{recipe}");
    }
}

#[test]
fn a_lexicon_that_was_counted_for_a_run_is_found_beside_its_report() {
    let registry = Registry::with_built_ins();
    for recipe in [
        "method = 'imatch'\n[sign]\nlexicon = 'native'",
        "[features]\nmax_df = 20",
        "method = 'ensemble'\n[candidates]\nlexicon = 'native'",
    ] {
        let folder = tempfile::tempdir().unwrap();
        let (input, output) = (folder.path().join("in.jsonl"), folder.path().join("out"));
        write(&input, &prose(100, 7));
        let given = Recipe::from_toml(recipe, &registry).unwrap();
        let job = Job::new([input.to_str().unwrap()], &output);
        let prepared = prepare(&given, &registry, &job, &Quiet).unwrap();
        run(&given.build_with(&registry, &prepared.assets).unwrap(), &job, &Quiet).unwrap();
        prepared.keep(&output).unwrap();
        let report = stored_report(&output).unwrap();
        let read = Recipe::of_report(&report, &output, &registry)
            .unwrap_or_else(|error| panic!("{recipe}: {error}"));
        assert_eq!(read.build(&registry).unwrap().resolved(), report.recipe, "{recipe}");
    }
}

#[test]
fn a_report_whose_recipe_means_something_else_now_is_refused() {
    let registry = Registry::with_built_ins();
    let outcome = dedup(&prose(20, 7), "", |_| {});
    let told = |report: &Report| {
        Recipe::of_report(report, &outcome.output, &registry).err().map(|error| error.to_string())
    };
    assert_eq!(told(&outcome.report), None);
    let other = Report { scheme: "minhash-of-another-version".to_owned(), ..outcome.report.clone() };
    assert!(told(&other).is_some_and(|told| told.contains("minhash-of-another-version")));
    let older = Report { given: toml::Table::new(), ..outcome.report.clone() };
    assert!(told(&older).is_some_and(|told| told.contains("run `lookalike dedup` again")));
}

#[test]
fn the_papers_rule_reports_whatever_the_signatures_pair() {
    let documents = prose(300, 5);
    let verified = dedup(&documents, "method = 'imatch'", |_| {});
    let signed = dedup(&documents, "method = 'imatch'\n[decide]\nverify = 'signature'", |_| {});
    let (verified_pairs, signed_pairs) = (verified.pairs(), signed.pairs());
    assert!(verified_pairs.keys().all(|pair| signed_pairs.contains_key(pair)));
    // Each copy, a document of the same distinct words in the same order, is paired besides.
    let sequences: BTreeSet<Vec<&str>> = documents
        .iter()
        .map(|(_, text)| {
            let mut seen = BTreeSet::new();
            text.split(' ').filter(|word| seen.insert(*word)).collect()
        })
        .collect();
    let copies = (documents.len() - sequences.len()) as u64;
    assert_eq!(signed.report.pairs, signed.report.candidates + copies, "every candidate counts");
    // The similarity is measured all the same.
    for (pair, similarity) in &verified_pairs {
        assert!(same(signed_pairs[pair], *similarity));
    }
}

#[test]
fn super_and_megashingles_are_two_names_of_one_rule() {
    let documents = prose(1600, 11);
    let (supers, megas) = (
        dedup(&documents, "method = 'supershingle'", |_| {}),
        dedup(&documents, "method = 'megashingle'", |_| {}),
    );
    assert_eq!(supers.pairs(), megas.pairs());
    assert!(supers.report.candidates > 20);
}

#[test]
fn an_ensemble_says_who_found_what() {
    let documents = prose(400, 13);
    let recipe = |rule: &str| {
        format!(
            "method = 'ensemble'\n[candidates]\nmethods = ['minhash', 'imatch']\n{rule}\n[decide]\nthreshold = 0.6"
        )
    };
    let union = dedup(&documents, &recipe(""), |_| {});
    let vote = dedup(&documents, &recipe("rule = 'vote'\nvotes = 2"), |_| {});
    let (union_pairs, vote_pairs) = (union.pairs(), vote.pairs());
    assert!(vote_pairs.keys().all(|pair| union_pairs.contains_key(pair)));
    assert!(vote_pairs.len() < union_pairs.len());
    let found = &union.report.found_by;
    assert_eq!(found.iter().map(|found| found.method.as_str()).collect::<Vec<_>>(), ["minhash", "imatch"]);
    let verified = found[0].pairs + found[0].missed;
    for member in found {
        assert_eq!(member.pairs + member.missed, verified);
        assert!(member.only <= member.pairs && member.pairs <= member.candidates);
    }
    // With two members, what both found is what the vote kept.
    let both = found[0].pairs - found[0].only;
    assert_eq!(both, found[1].pairs - found[1].only);
    let voted = &vote.report.found_by[0];
    assert_eq!((both, voted.missed), (voted.pairs, 0));
    // Each removal names those that found it.
    let methods: BTreeSet<String> =
        union.lines("removed.jsonl").iter().map(|line| line["method"].as_str().unwrap().to_owned()).collect();
    let known = ["exact", "minhash", "imatch", "minhash+imatch"];
    assert!(methods.iter().all(|method| known.contains(&method.as_str())), "{methods:?}");
    assert!(methods.contains("minhash+imatch"));
}

#[test]
fn documents_without_a_signature_are_counted() {
    let mut documents = prose(40, 1);
    documents.push(("short".to_owned(), "only three words".to_owned()));
    documents.push(("tiny".to_owned(), "a b c".to_owned()));
    documents.push(("tiny copy".to_owned(), "A, b: c.".to_owned()));
    documents.push(("empty".to_owned(), "…".to_owned()));
    let outcome = dedup(&documents, "method = 'imatch'", |_| {});
    // Words too short for I-Match are no features; copies are found all the same.
    assert_eq!((outcome.report.unsigned, outcome.report.empty), (3, 1));
    assert!(outcome.pairs().contains_key(&("tiny".to_owned(), "tiny copy".to_owned())));
}

#[test]
fn sentences_say_which_were_taken_over_and_from_where() {
    let taken = "It rained all night. Nobody slept well, and the boat was gone.";
    let long = format!(
        "We arrived late in the evening. {taken} The harbour master laughed at us. So we walked home."
    );
    let documents =
        vec![("long".to_owned(), long.clone()), ("part".to_owned(), format!("A note on it: {taken}"))];
    let outcome = dedup(&documents, "method = 'sentences'", |job| job.passages = true);
    let removed = &outcome.lines("removed.jsonl")[0];
    assert_eq!((removed["id"].as_str(), removed["keeper"].as_str()), (Some("part"), Some("long")));
    let passages = removed["passages"].as_array().unwrap();
    let text = |passage: &serde_json::Value, side: &str, whole: &str| {
        let at = |end: usize| passage[side][end].as_u64().unwrap() as usize;
        whole[at(0)..at(1)].to_owned()
    };
    let found: Vec<String> = passages.iter().map(|passage| text(passage, "keeper", &long)).collect();
    assert_eq!(found, ["Nobody slept well, and the boat was gone."]);
    assert_eq!(found[0], text(&passages[0], "removed", &documents[1].1));
    assert_eq!(passages[0]["words"], 8);
}

#[test]
fn passages_are_given_on_request() {
    let documents = prose(60, 5);
    let outcome = dedup(&documents, "", |job| job.passages = true);
    let texts: BTreeMap<&str, &str> =
        documents.iter().map(|(id, text)| (id.as_str(), text.as_str())).collect();
    let removed = outcome.lines("removed.jsonl");
    assert!(removed.len() > 5);
    for removal in &removed {
        let passages = removal["passages"].as_array().unwrap();
        assert!(!passages.is_empty());
        for passage in passages {
            let part = |side: &str, id: &str| {
                let range = |at: usize| passage[side][at].as_u64().unwrap() as usize;
                texts[removal[id].as_str().unwrap()][range(0)..range(1)].to_owned()
            };
            assert_eq!(part("removed", "id"), part("keeper", "keeper"));
        }
    }
    assert!(dedup(&documents, "", |_| {}).lines("removed.jsonl")[0].get("passages").is_none());
}
