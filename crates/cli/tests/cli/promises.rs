//! What the program promises about its results: exact similarity, no chains, no matches for lack of
//! text, and a plan that changes nothing.

use std::collections::BTreeSet;

use serde_json::{Value, json};

use super::support::{Place, document, each, joined, nearly, words};

/// Words number `from` up to `to` of a topic.
fn span(topic: &str, from: usize, to: usize) -> String {
    let words: Vec<String> = (from..to).map(|number| format!("{topic}{number}")).collect();
    words.join(" ")
}

/// Each word is a feature, so that similarities are easy to compute by hand.
const BY_WORD: &str = "--set features.shingle=1";

#[test]
fn empty_documents_never_match() {
    let texts = ["", "", " \n\t ", " \n\t ", "!!! …", "!!! …"];
    let lines: Vec<String> = texts.iter().zip(1..).map(|(text, id)| document(id, text)).collect();
    for method in ["minhash", "exact --set features.normalise=true"] {
        let place = Place::with_corpus(&lines);
        let report = place.run(&format!("dedup corpus.jsonl -o out --method {method} --json")).ok().json();
        for (key, expected) in [("kept", 6), ("removed", 0), ("pairs", 0), ("empty", 6)] {
            assert_eq!(report[key], expected, "{method}: {key}");
        }
    }
}

#[test]
fn a_document_of_one_word_matches_only_the_same_word() {
    let texts = ["hello", "Hello!", "world", "hello world", "hello hello"];
    let lines: Vec<String> = texts.iter().zip(1..).map(|(text, id)| document(id, text)).collect();
    let place = Place::with_corpus(&lines);
    place.run("dedup corpus.jsonl -o out --threshold 0.1").ok();
    let pairs = place.lines("out/pairs.jsonl");
    assert_eq!(pairs, [json!({ "a": 1, "b": 2, "similarity": 1.0, "difference": ["case"] })]);
}

#[test]
fn every_similarity_is_exact() {
    let mut lines = Vec::new();
    for topic in 0..30 {
        lines.push(document(format!("{topic}-a"), &span(&format!("t{topic}x"), 0, 100)));
        lines.push(document(format!("{topic}-b"), &span(&format!("t{topic}x"), topic, 100 + topic / 2)));
    }
    let place = Place::with_corpus(&lines);
    place.run(&format!("dedup corpus.jsonl -o out --threshold 0.6 {BY_WORD}")).ok();
    let pairs = place.lines("out/pairs.jsonl");
    assert!(pairs.len() > 25, "{}", pairs.len());
    for pair in pairs {
        let topic: u32 = pair["a"].as_str().unwrap().split('-').next().unwrap().parse().unwrap();
        let expected = f64::from(100 - topic) / f64::from(100 + topic / 2);
        // serde_json may be off by one in the last digit.
        assert!((pair["similarity"].as_f64().unwrap() - expected).abs() < 1e-12, "{pair}");
    }
}

#[test]
fn the_threshold_itself_is_enough_and_less_is_not() {
    let mut lines = Vec::new();
    for topic in 0..50 {
        // Four of five words: 0.8. Seven of nine: 0.778.
        for (name, count) in [("at", 5), ("at-less", 4), ("below", 9), ("below-less", 7)] {
            let words = words(&format!("{}{topic}x", &name[..2]), count);
            lines.push(document(format!("{name}-{topic}"), &words));
        }
    }
    let place = Place::with_corpus(&lines);
    place.run(&format!("dedup corpus.jsonl -o out --threshold 0.8 {BY_WORD}")).ok();
    let removed = place.lines("out/removed.jsonl");
    assert!(removed.len() >= 47, "99 % of 50 are expected, {} were found", removed.len());
    for removal in removed {
        assert!(removal["id"].as_str().unwrap().starts_with("at-less"), "{removal}");
        assert_eq!(removal["similarity"], 0.8);
    }
}

/// The run prints the chance to find a pair right at the threshold. Here are 200 such pairs for each
/// measure; if fewer are found than promised, beyond what chance explains, the promise is broken.
#[test]
fn the_expected_recall_is_kept_whatever_the_measure() {
    const PAIRS: usize = 200;
    for (measure, size, shared) in
        [("jaccard", 90, 80), ("dice", 100, 80), ("cosine", 100, 80), ("containment", 100, 80)]
    {
        let lines: Vec<String> = (0..PAIRS)
            .flat_map(|pair| {
                let topic = format!("p{pair}x");
                let (a, b) = (span(&topic, 0, size), span(&topic, size - shared, 2 * size - shared));
                [document(format!("{pair}-a"), &a), document(format!("{pair}-b"), &b)]
            })
            .collect();
        let place = Place::with_corpus(&lines);
        let settings = format!("--threshold 0.8 --set decide.measure={measure} {BY_WORD}");
        let report = place.run(&format!("dedup corpus.jsonl -o out {settings} --json")).ok().json();
        let found = report["pairs"].as_f64().unwrap() / PAIRS as f64;
        // A contained text may resemble the other arbitrarily little: nothing is promised.
        let expected = report["expected_recall"].as_f64();
        assert_eq!(expected.is_none(), measure == "containment");
        let expected = expected.unwrap_or(0.0);
        assert!(found >= expected - 0.03, "{measure}: {found} of the pairs were found, {expected} promised");
    }
}

/// 200 pairs of which supershingles find few: the measured share is the true one, in every place where it is told.
#[test]
fn recall_is_measured_where_asked() {
    let lines: Vec<String> = (0..200)
        .flat_map(|pair| {
            let topic = format!("p{pair}x");
            let (a, b) = (span(&topic, 0, 100), span(&topic, 5, 105));
            [document(format!("{pair}-a"), &a), document(format!("{pair}-b"), &b)]
        })
        .collect();
    let place = Place::with_corpus(&lines);
    let settings = format!("--method supershingle {BY_WORD}");
    let run = place.run(&format!("dedup corpus.jsonl -o out --measure-recall {settings}")).ok();
    let report = place.json("out/report.json");
    let measured = &report["measured_recall"];
    let found = report["pairs"].as_f64().unwrap() / 200.0;
    assert!(found > 0.0 && found < 0.9, "{found}");
    // All 400 documents are in the sample, so nothing is left to chance.
    for figure in ["recall", "low", "high"] {
        assert_eq!(measured[figure].as_f64(), Some(found), "{measured}");
    }
    assert_eq!((&measured["pairs"], &measured["sampled"]), (&200.into(), &400.into()));
    let sentence = format!("{:.1} % of the pairs were found", 100.0 * found);
    assert!(run.out.contains(&sentence), "{}", run.out);
    assert!(place.text("out/report.html").contains(&sentence));

    place.run(&format!("dedup corpus.jsonl -o few --measure-recall --recall-sample 50 {settings}")).ok();
    let report = place.json("few/report.json");
    let measured = &report["measured_recall"];
    assert_eq!(measured["sampled"], 50);
    let (low, high) = (measured["low"].as_f64().unwrap(), measured["high"].as_f64().unwrap());
    assert!(low < high && (low..=high).contains(&found), "{measured}");

    place.run(&format!("dedup corpus.jsonl -o none {settings}")).ok();
    assert!(place.json("none/report.json").get("measured_recall").is_none());
    let refused = place.run("dedup corpus.jsonl -o no --recall-sample 50");
    assert_eq!(refused.code, Some(2));
    assert!(refused.err.contains("--measure-recall"), "{}", refused.err);
}

/// Neighbours in the chain are alike, its ends are not.
fn chain() -> Place {
    let lines = [0, 10, 20].map(|from| document(from, &span("c", 100 + from, 200 + from)));
    Place::with_corpus(&lines)
}

#[test]
fn clusters_do_not_chain() {
    let place = chain();
    let run = place.run(&format!("dedup corpus.jsonl -o out --keep first {BY_WORD}")).ok();
    assert_eq!(place.lines("out/pairs.jsonl").len(), 2);
    assert_eq!(each(&place.lines("out/removed.jsonl"), "id"), [10]);
    assert_eq!(run.err, "");
}

#[test]
fn chains_are_a_choice_that_is_warned_of() {
    let place = chain();
    let settings = "--keep first --set cluster.type=components";
    let run = place.run(&format!("dedup corpus.jsonl -o out {settings} {BY_WORD}")).ok();
    let removed = place.lines("out/removed.jsonl");
    assert_eq!(each(&removed, "id"), [10, 20]);
    assert_eq!(removed[1]["similarity"], 80.0 / 120.0, "to the keeper, not to the next in the chain");
    assert!(run.err.starts_with("warning: ") && run.err.contains("loose cluster"), "{}", run.err);
    assert!(run.err.contains("0.667"), "names its weakest pair: {}", run.err);
}

/// Removed ids and pairs, in no order.
fn findings(lines: &[String], settings: &str) -> (BTreeSet<String>, BTreeSet<String>) {
    let place = Place::with_corpus(lines);
    place.run(&format!("dedup corpus.jsonl -o out {settings}")).ok();
    let set = |values: Vec<Value>| values.iter().map(Value::to_string).collect();
    (set(each(&place.lines("out/removed.jsonl"), "id")), set(place.lines("out/pairs.jsonl")))
}

#[test]
fn the_order_of_the_input_changes_nothing() {
    let mut lines: Vec<String> = (0..20)
        .flat_map(|topic| {
            let name = format!("t{topic}x");
            [0, 3, 6, 6].map(|from| document(format!("{topic}-{from}"), &span(&name, from, 60 + from)))
        })
        .collect();
    for (line, copy) in lines.iter_mut().skip(3).step_by(4).zip(0..) {
        *line = line.replacen("-6", &format!("-copy-{copy}"), 1);
    }
    let forward = findings(&lines, BY_WORD);
    lines.reverse();
    assert_eq!(forward, findings(&lines, BY_WORD));
    assert!(forward.0.len() >= 40);
}

#[test]
fn estimates_are_marked_by_missing_evidence() {
    let place = Place::with_corpus(&[document("a", &words("sea", 60)), document("b", &nearly("sea", 60))]);
    place.run("dedup corpus.jsonl -o out --verify estimate").ok();
    let removal = place.lines("out/removed.jsonl").remove(0);
    assert_eq!((&removal["contained_in_keeper"], &removal["contains_keeper"]), (&Value::Null, &Value::Null));
}

#[test]
fn exact_finds_copies_only_and_the_same_words_when_told() {
    let lines = [document(1, "The same text."), document(2, "the same text"), document(3, "The same text.")];
    let place = Place::with_corpus(&lines);
    place.run("dedup corpus.jsonl -o out --method exact").ok();
    assert_eq!(each(&place.lines("out/removed.jsonl"), "id"), [3]);
    place.run("dedup corpus.jsonl -o words --method exact --set features.normalise=true").ok();
    assert_eq!(each(&place.lines("words/removed.jsonl"), "id"), [2, 3]);
}

#[test]
fn a_plan_tells_the_recall_and_writes_nothing() {
    let place = Place::with_corpus(&[document("a", &words("sea", 60)), document("b", &nearly("sea", 60))]);
    let out = place.run("dedup corpus.jsonl -o out --plan").ok().out;
    for word in ["recall at 0.80", "recall at 0.90", "documents", "time", "memory", "disk"] {
        assert!(out.contains(word), "{word}: {out}");
    }
    let plan = place.run("dedup corpus.jsonl -o out --plan --json").ok().json();
    assert_eq!(plan["documents"], 2, "{plan}");
    assert!(plan["expected_recall"][0][1].as_f64() >= Some(0.99), "{plan}");
    assert_eq!(place.names("."), ["corpus.jsonl"]);
}

#[test]
fn a_plan_leaves_an_earlier_run_alone() {
    let place = Place::with_corpus(&[document("a", &words("sea", 60))]);
    place.run("dedup corpus.jsonl -o out").ok();
    let before = (place.names("out"), place.read("out/report.json"));
    place.run("dedup corpus.jsonl -o out --plan").ok();
    assert_eq!(before, (place.names("out"), place.read("out/report.json")));
}

#[test]
fn a_complete_run_has_nothing_to_resume() {
    let place = Place::new();
    place.write("corpus.jsonl", joined(&[document("a", &words("sea", 60))]));
    let first = place.run("dedup corpus.jsonl -o out --json").ok().json();
    let again = place.run("dedup corpus.jsonl -o out --resume --json").ok();
    assert_eq!(again.json(), first);
    assert!(again.err.contains("nothing is left"), "{}", again.err);
}
