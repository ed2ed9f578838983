//! `--lexicon`: named, counted from the corpus itself, or refused.

use serde_json::json;

use super::support::{Place, document, joined, nearly, words};

/// Near-duplicates among unlike documents.
fn corpus() -> Vec<String> {
    let mut lines: Vec<String> =
        (0..40).map(|n| document(format!("d{n}"), &words(&format!("topic{}x", n), 60))).collect();
    lines.push(document("a", &words("sea", 60)));
    lines.push(document("b", &nearly("sea", 60)));
    lines
}

#[test]
fn the_corpus_at_hand_is_counted_and_its_lexicon_stays_beside_the_results() {
    let place = Place::with_corpus(&corpus());
    let settings = "--method imatch --lexicon native --set features.min_length=1 --set features.max_digits=9 \
                    --set sign.low=0 --set sign.high=1 --threshold 0.8";
    place.run(&format!("dedup corpus.jsonl -o out {settings}")).ok();
    let shown = place.run("lexicon show out/native.lexicon --json").ok().json();
    assert_eq!(shown["documents"], json!(42));
    let report = place.json("out/report.json");
    let id = report["recipe"]["sign"]["lexicon"].as_str().unwrap();
    // Counted again, or named as a file, it is the same table and so the same scheme.
    place.run(&format!("dedup corpus.jsonl -o again --force {settings} --threads 1")).ok();
    assert_eq!(place.json("again/report.json")["scheme"], report["scheme"]);
    let named = settings.replace("native", "out/native.lexicon");
    place.run(&format!("dedup corpus.jsonl -o named {named}")).ok();
    let named = place.json("named/report.json");
    assert_eq!(
        (&named["scheme"], named["recipe"]["sign"]["lexicon"].as_str().unwrap()),
        (&report["scheme"], id)
    );
    assert_eq!(place.read("named/pairs.jsonl"), place.read("out/pairs.jsonl"));
    assert!(place.names(".").iter().all(|name| !name.starts_with(".lookalike")), "nothing is left behind");
}

#[test]
fn shingles_of_too_many_documents_can_be_dropped() {
    let footer = words("footer", 30);
    let lines: Vec<String> = (0..30)
        .map(|n| document(format!("d{n}"), &format!("{} {footer}", words(&format!("t{n}y"), 12))))
        .collect();
    let place = Place::with_corpus(&lines);
    let pairs = |folder: &str| place.lines(&format!("{folder}/pairs.jsonl")).len();
    place.run("dedup corpus.jsonl -o with --threshold 0.4").ok();
    place.run("dedup corpus.jsonl -o without --threshold 0.4 --set features.max_df=10").ok();
    assert!(pairs("with") > 100, "the footer alone makes them alike: {}", pairs("with"));
    assert_eq!(pairs("without"), 0);
}

#[test]
fn what_cannot_be_counted_or_used_is_told() {
    let place = Place::with_corpus(&corpus());
    let input = joined(&corpus());
    let stdin = place.run_with_input("dedup - -o out --method imatch --lexicon native", input.as_bytes());
    assert!(stdin.error().contains("read twice"));
    for (arguments, expected) in [
        ("dedup corpus.jsonl -o out --lexicon native", "method `minhash` uses no lexicon"),
        ("dedup corpus.jsonl -o out --method imatch --lexicon none.lexicon", "none.lexicon"),
        ("dedup corpus.jsonl -o out --method imatch --lexicon corpus.jsonl", "corpus.jsonl"),
        (
            "dedup corpus.jsonl -o out --set features.max_df=3 --lexicon english",
            "does not count these shingles",
        ),
        ("compare corpus.jsonl#a corpus.jsonl#b --method imatch --lexicon native", "native"),
    ] {
        let error = place.run(arguments).error();
        assert!(error.contains(expected), "{arguments}: {error}");
    }
}

#[test]
fn an_ensemble_passes_the_lexicon_on() {
    let place = Place::with_corpus(&corpus());
    place.run("dedup corpus.jsonl -o out --method ensemble --lexicon native").ok();
    let report = place.json("out/report.json");
    let english = place.run("lexicon show english --json").ok().json();
    let members = &report["recipe"]["candidates"];
    let used = [&members["imatch"]["sign"]["lexicon"], &members["simhash"]["features"]["lexicon"]];
    assert!(used.iter().all(|id| id.is_string() && **id != english["id"]), "{members}");
    assert_eq!(report["found_by"].as_array().unwrap().len(), 3);
    assert!(place.names("out").contains(&"native.lexicon".to_owned()));
}
