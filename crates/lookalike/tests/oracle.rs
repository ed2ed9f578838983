//! The run against brute force, and against itself under other threads, orders and memory.

mod common;

use std::collections::{BTreeMap, BTreeSet};

use common::{Grams, corpus, dedup, grams, jaccard, same};
use lookalike_core::hash::mix;

/// One row a band: every pair near the threshold meets for all practical purposes.
const COMPLETE: &str =
    "[features]\nshingle = 3\n[candidates]\nbands = 128\nrows = 1\n[decide]\nthreshold = 0.6";

#[test]
fn pairs_are_exactly_those_of_brute_force() {
    let documents = corpus(300, 1);
    let outcome = dedup(&documents, COMPLETE, |_| {});
    let sets: BTreeMap<&str, Grams> =
        documents.iter().map(|(id, text)| (id.as_str(), grams(text, 3))).collect();
    let mut expected = BTreeSet::new();
    let mut copies = BTreeSet::new();
    for (a, set) in &sets {
        for (b, other) in sets.range::<str, _>((std::ops::Bound::Excluded(*a), std::ops::Bound::Unbounded)) {
            if set == other {
                copies.extend([*a, *b]);
            } else if jaccard(set, other) >= 0.6 {
                expected.insert((a.to_string(), b.to_string()));
            }
        }
    }
    // Copies stand for each other: only one of them is paired with others.
    let apart = |(a, b): &&(String, String)| !copies.contains(a.as_str()) && !copies.contains(b.as_str());
    let expected: Vec<_> = expected.iter().filter(apart).collect();
    assert!(expected.len() > 100, "{} pairs are too few to tell", expected.len());
    let found = outcome.pairs();
    assert_eq!(found.keys().filter(apart).collect::<Vec<_>>(), expected);
    for ((a, b), similarity) in &found {
        assert!(same(jaccard(&sets[a.as_str()], &sets[b.as_str()]), *similarity), "{a} {b}");
    }
}

#[test]
fn every_removal_has_a_kept_keeper_that_it_resembles() {
    let documents = corpus(600, 2);
    let sets: BTreeMap<&str, Grams> =
        documents.iter().map(|(id, text)| (id.as_str(), grams(text, 3))).collect();
    for cluster in ["star", "components"] {
        let outcome = dedup(&documents, &format!("{COMPLETE}\n[cluster]\ntype = '{cluster}'"), |_| {});
        let (kept, removed) = (outcome.ids("kept.jsonl"), outcome.lines("removed.jsonl"));
        assert_eq!(kept.len() + removed.len(), documents.len());
        assert!(removed.len() > 100);
        for removal in &removed {
            let (id, keeper) = (removal["id"].as_str().unwrap(), removal["keeper"].as_str().unwrap());
            assert!(kept.contains(keeper) && !kept.contains(id));
            let (a, b) = (&sets[id], &sets[keeper]);
            let near = |key: &str, value: f64| {
                assert!(same(removal[key].as_f64().unwrap(), value), "{cluster} {id} {keeper}: {key}");
            };
            near("similarity", jaccard(a, b));
            let shared = a.intersection(b).count() as f64;
            near("contained_in_keeper", shared / a.len() as f64);
            near("contains_keeper", shared / b.len() as f64);
            assert!(cluster == "components" || jaccard(a, b) >= 0.6, "nothing chains in a star");
        }
    }
}

#[test]
fn threads_order_and_memory_do_not_change_the_result() {
    let documents = corpus(4000, 3);
    let standard = dedup(&documents, "", |_| {});
    assert!(standard.report.removed > 500, "{} removed", standard.report.removed);
    let mut shuffled = documents.clone();
    shuffled.sort_by_key(|(id, _)| mix(id.bytes().fold(7, |state, byte| mix(state ^ u64::from(byte)))));
    let others = [
        ("one thread", dedup(&documents, "", |job| job.threads = 1)),
        ("five threads", dedup(&documents, "", |job| job.threads = 5)),
        ("least memory", dedup(&documents, "", |job| (job.threads, job.memory) = (1, 40_000_000))),
        ("another order", dedup(&shuffled, "", |_| {})),
    ];
    for (name, other) in &others {
        assert_eq!(standard.pairs(), other.pairs(), "{name}");
        assert_eq!(standard.clusters(), other.clusters(), "{name}");
        assert_eq!(standard.ids("kept.jsonl"), other.ids("kept.jsonl"), "{name}");
    }
    for (name, other) in &others[..3] {
        for file in ["kept.jsonl", "removed.jsonl", "clusters.jsonl", "pairs.jsonl"] {
            let bytes = |output: &std::path::Path| std::fs::read(output.join(file)).unwrap();
            assert_eq!(bytes(&standard.output), bytes(&other.output), "{name}: {file}");
        }
    }
}

/// 20 000 identical documents: one cluster, pairs in proportion, whatever the keep rule.
#[test]
fn identical_documents_cost_no_more_than_others() {
    let mut documents = corpus(200, 4);
    let text = documents[0].1.clone();
    documents.extend((0..20_000).map(|i| (format!("same{i}"), text.clone())));
    let outcome = dedup(&documents, "[keep]\nrule = 'first'", |_| {});
    assert!(outcome.report.candidates < 2000, "{} candidates", outcome.report.candidates);
    assert!(outcome.report.pairs < 25_000);
    let largest =
        outcome.lines("clusters.jsonl").iter().map(|cluster| cluster["size"].as_u64().unwrap()).max();
    assert!(largest >= Some(20_001));
    assert!(outcome.report.warnings.iter().any(|warning| warning.contains("giant cluster")));
}

/// Documents that share a long template and differ in a few words, all alike: the number of pairs
/// compared stays in proportion to the documents, and they still end in one cluster.
#[test]
fn a_shared_template_costs_in_proportion() {
    let template: Vec<String> = (0..200).map(|i| format!("t{i}")).collect();
    let documents: Vec<(String, String)> = (0..3000)
        .map(|i| (format!("d{i}"), format!("{} own{i}a own{i}b own{i}c", template.join(" "))))
        .collect();
    let outcome = dedup(&documents, "", |_| {});
    assert_eq!(outcome.report.clusters, 1);
    assert_eq!(outcome.report.kept, 1);
    let pairs_of_all = 3000 * 2999 / 2;
    assert!(outcome.report.candidates < pairs_of_all / 50, "{} candidates", outcome.report.candidates);
}

#[test]
fn the_measured_miss_rate_keeps_the_promise() {
    let documents = corpus(3000, 5);
    let complete = dedup(&documents, COMPLETE, |_| {}).pairs();
    let standard = dedup(&documents, "[features]\nshingle = 3\n[decide]\nthreshold = 0.6", |_| {});
    let found = standard.pairs();
    let missed = complete.keys().filter(|pair| !found.contains_key(pair)).count();
    assert!(complete.len() > 1000);
    let allowed = complete.len() as f64 * (1.0 - standard.report.expected_recall.unwrap());
    assert!(missed as f64 <= allowed, "{missed} of {} missed, {allowed:.0} allowed", complete.len());
    assert!(found.keys().all(|pair| complete.contains_key(pair)), "nothing false is added");
}

#[test]
fn estimates_are_close_but_marked() {
    let documents = corpus(1000, 6);
    let outcome = dedup(&documents, "[decide]\nverify = 'estimate'", |_| {});
    assert!(outcome.report.removed > 50);
    let removed = outcome.lines("removed.jsonl");
    let near = removed.iter().filter(|removal| removal["method"] == "minhash").collect::<Vec<_>>();
    // Five standard errors of 128 values at 0.8; the sketch varies less.
    let sets: BTreeMap<&str, Grams> =
        documents.iter().map(|(id, text)| (id.as_str(), grams(text, 5))).collect();
    for ((a, b), estimate) in outcome.pairs() {
        let error = (jaccard(&sets[a.as_str()], &sets[b.as_str()]) - estimate).abs();
        assert!(error < 5.0 * (0.8f64 * 0.2 / 128.0).sqrt(), "{a} {b}: off by {error:.3}");
    }
    assert!(near.iter().all(|removal| removal["contained_in_keeper"].is_null()));
}
