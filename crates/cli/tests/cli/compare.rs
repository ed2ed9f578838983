//! `lookalike compare`: two documents side by side.

use serde_json::Value;

use super::support::{Place, document, nearly, words};

const ORIGINAL: &str = "The committee met on Tuesday. It decided to postpone the vote until all members had \
                        read the long report about the harbour. Nobody objected.";
const COPY: &str = "The committee met on Monday. It decided to postpone the vote until all members had read \
                    the long report about the harbour. One member objected.";

fn two() -> Place {
    let place = Place::new();
    place.write("a.txt", ORIGINAL);
    place.write("b.txt", COPY);
    place
}

fn measure<'a>(comparison: &'a Value, features: &str, measure: &str) -> &'a Value {
    let measures = comparison["measures"].as_array().unwrap();
    &measures.iter().find(|row| row["features"] == features && row["measure"] == measure).unwrap()["similarity"]
}

#[test]
fn everything_about_a_pair_is_told() {
    let shown = two().run("compare a.txt b.txt").ok().out;
    for word in [
        "MEASURE", "jaccard", "cosine", "METHOD", "minhash", "simhash", "lsbs", "SHARED", "monday", "tuesday",
    ] {
        assert!(shown.contains(word), "{word}: {shown}");
    }
}

#[test]
fn the_json_holds_every_measure_verdict_passage_and_word() {
    let comparison = two().run("compare a.txt b.txt --json").ok().json();
    // 21 distinct words and 22, of which 19 are shared, counted by hand.
    let near = |value: &Value, expected: f64| (value.as_f64().unwrap() - expected).abs() < 1e-9;
    assert!(near(measure(&comparison, "words", "jaccard"), 19.0 / 24.0), "{}", comparison["measures"]);
    assert!(near(measure(&comparison, "words", "containment"), 19.0 / 21.0));
    let methods = comparison["methods"].as_array().unwrap();
    let known = Place::new().run("methods --json").ok().json();
    // A classifier needs a model of the user's.
    assert_eq!(
        methods.len() + 1,
        known["methods"].as_array().unwrap().len(),
        "every other method has its say"
    );
    let minhash = methods.iter().find(|row| row["method"] == "minhash").unwrap();
    assert!(minhash["signatures"][0]["a"].as_str().unwrap().len() == 2 * 4 * 128);
    let passage = &comparison["passages"][0];
    let part = |text: &'static str, side: &str| {
        let range = |at: usize| passage[side][at].as_u64().unwrap() as usize;
        &text[range(0)..range(1)]
    };
    assert_eq!(part(ORIGINAL, "a"), part(COPY, "b"));
    assert!(part(ORIGINAL, "a").starts_with("It decided") && part(ORIGINAL, "a").ends_with("harbour"));
    assert_eq!(comparison["only_in_a"], serde_json::json!([["nobody", 1], ["tuesday", 1]]));
    assert_eq!(comparison["only_in_b"], serde_json::json!([["member", 1], ["monday", 1], ["one", 1]]));
}

#[test]
fn a_text_is_a_duplicate_of_itself_by_every_method() {
    let place = two();
    place.write("long.txt", words("sea", 200).repeat(2));
    let comparison = place.run("compare long.txt long.txt --json").ok().json();
    for row in comparison["methods"].as_array().unwrap() {
        // Also by spots, which need stop words: the same words are the same words.
        assert_eq!(row["verdict"], "duplicate", "{row}");
    }
    assert_eq!(comparison["identical"], true);
}

#[test]
fn one_method_can_be_asked_with_its_settings() {
    let place = Place::with_corpus(&[document("x", &words("sea", 60)), document("y", &nearly("sea", 60))]);
    let comparison = place
        .run("compare corpus.jsonl#x corpus.jsonl#y --method minhash --set features.shingle=1 --json")
        .ok()
        .json();
    let methods = comparison["methods"].as_array().unwrap();
    assert_eq!(methods.len(), 1);
    assert_eq!(methods[0]["verdict"], "near-duplicate");
    let strict =
        place.run("compare corpus.jsonl#x corpus.jsonl#y --method minhash --threshold 1 --json").ok();
    assert_eq!(strict.json()["methods"][0]["verdict"], "different");
}

#[test]
fn mistakes_are_told_in_one_sentence() {
    let place = Place::with_corpus(&[document("x", &words("sea", 60))]);
    place.write("empty.txt", "");
    place.write("binary.pdf", b"%PDF-1.4 \xff\xfe");
    for (arguments, expected) in [
        ("compare corpus.jsonl#x corpus.jsonl#z", "no document `z`"),
        ("compare corpus.jsonl#x corpus.jsonl", "#ID"),
        ("compare corpus.jsonl#x none.txt", "none.txt"),
        ("compare corpus.jsonl#x binary.pdf", "binary.pdf: damaged"),
        ("compare corpus.jsonl#x empty.txt --method nosuch", "unknown method"),
    ] {
        let error = place.run(arguments).error();
        assert!(error.contains(expected), "{arguments}: {error}");
    }
    // Empty documents are like no other, and that is no error.
    let comparison = place.run("compare empty.txt corpus.jsonl#x --json").ok().json();
    assert!(comparison["methods"].as_array().unwrap().iter().all(|row| row["verdict"] == "empty"));
    assert_eq!(
        comparison["measures"].as_array().unwrap().iter().filter(|row| row["similarity"] != 0.0).count(),
        0
    );
}
