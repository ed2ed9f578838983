//! `--against`: known documents are removed from the new corpus, and never from the old.

use serde_json::{Value, json};

use super::support::{Place, document, each, gzip, joined, nearly, words};

/// An old corpus, and a new one with a longer version of an old document and a fresh one.
fn place() -> Place {
    let place = Place::new();
    place.write(
        "old.jsonl",
        joined(&[document("old-sea", &words("sea", 60)), document("old-sky", &words("sky", 60))]),
    );
    place.write(
        "new.jsonl",
        joined(&[document("new-sea", &nearly("sea", 60)), document("new-land", &words("land", 60))]),
    );
    place
}

#[test]
fn the_new_loses_what_the_old_has_and_names_the_match() {
    let place = place();
    place.run("dedup new.jsonl -o out --against old.jsonl").ok();
    assert_eq!(each(&place.lines("out/kept.jsonl"), "id"), ["new-land"]);
    let removed = place.lines("out/removed.jsonl");
    assert_eq!(removed.len(), 1);
    assert_eq!((&removed[0]["id"], &removed[0]["keeper"]), (&json!("new-sea"), &json!("old-sea")));
    assert!(removed[0]["reason"].as_str().unwrap().contains("compared against"), "{}", removed[0]);
    assert_eq!(place.lines("out/clusters.jsonl")[0]["master"], "old-sea");
}

#[test]
fn only_the_new_is_counted() {
    let place = place();
    let report = place.run("dedup new.jsonl -o out --against old.jsonl --json").ok().json();
    for (key, expected) in [("documents", 2), ("kept", 1), ("removed", 1), ("against", 2)] {
        assert_eq!(report[key], expected, "{key}: {report}");
    }
}

#[test]
fn the_old_is_never_removed_even_if_the_keep_rule_likes_the_new_better() {
    for rule in ["longest", "newest", "first", "max:score"] {
        let place = Place::new();
        let line = |id: &str, text: &str, score: u32| {
            json!({ "id": id, "text": text, "score": score, "time": 1_000 + score }).to_string()
        };
        place.write("old.jsonl", joined(&[line("old", &words("sea", 60), 1)]));
        place.write("new.jsonl", joined(&[line("new", &nearly("sea", 60), 9)]));
        place.run(&format!("dedup new.jsonl -o out --against old.jsonl --keep {rule}")).ok();
        assert_eq!(each(&place.lines("out/removed.jsonl"), "id"), ["new"], "{rule}");
        assert_eq!(place.text("out/kept.jsonl"), "", "{rule}");
    }
}

#[test]
fn duplicates_within_the_old_are_nobody_s_business() {
    let place = Place::new();
    let old = [
        document("o1", &words("sea", 60)),
        document("o2", &nearly("sea", 60)),
        document("o3", &words("sea", 60)),
    ];
    place.write("old.jsonl", joined(&old));
    place.write("new.jsonl", joined(&[document("n1", &words("sky", 60))]));
    let before = place.read("old.jsonl");
    place.run("dedup new.jsonl -o out --against old.jsonl").ok();
    for name in ["out/removed.jsonl", "out/pairs.jsonl", "out/clusters.jsonl"] {
        assert_eq!(place.text(name), "", "{name}");
    }
    assert_eq!(place.read("old.jsonl"), before, "the old file is left alone");
}

#[test]
fn an_exact_copy_of_the_old_is_removed_as_such() {
    let place = Place::new();
    place.write("old.jsonl", joined(&[document("z", &words("sea", 60))]));
    place.write("new.jsonl", joined(&[document("a", &words("sea", 60)), document("b", &words("sea", 60))]));
    place.run("dedup new.jsonl -o out --against old.jsonl").ok();
    let removed = place.lines("out/removed.jsonl");
    assert_eq!(each(&removed, "id"), ["a", "b"]);
    assert_eq!(each(&removed, "keeper"), ["z", "z"]);
    assert!(removed[0]["reason"].as_str().unwrap().starts_with("all features are those"), "{}", removed[0]);
}

#[test]
fn duplicates_within_the_new_are_still_removed() {
    let place = place();
    place.write(
        "new.jsonl",
        joined(&[document("n1", &words("rain", 60)), document("n2", &nearly("rain", 60))]),
    );
    place.run("dedup new.jsonl -o out --against old.jsonl").ok();
    assert_eq!(each(&place.lines("out/removed.jsonl"), "id"), ["n1"]);
}

#[test]
fn the_folder_of_an_earlier_run_stands_for_what_it_kept() {
    let place = place();
    let april = [
        document("keeper", &format!("{} and more", words("sea", 60))),
        document("dropped", &words("sea", 60)),
    ];
    place.write("april.jsonl", joined(&april));
    place.run("dedup april.jsonl -o april").ok();
    assert_eq!(each(&place.lines("april/removed.jsonl"), "id"), ["dropped"]);
    let before = place.names("april");
    let report = place.run("dedup new.jsonl -o out --against april --json").ok().json();
    assert_eq!(report["against"], 1, "the other files of the folder are no corpora: {report}");
    assert_eq!(place.lines("out/removed.jsonl")[0]["keeper"], "keeper");
    assert_eq!(place.names("april"), before);
}

#[test]
fn several_corpora_of_any_format_may_be_given() {
    let place = place();
    place.write("more.jsonl.gz", gzip(joined(&[document("old-land", &words("land", 60))]).as_bytes()));
    place.run("dedup new.jsonl -o out --against old.jsonl --against more.jsonl.gz").ok();
    assert_eq!(each(&place.lines("out/removed.jsonl"), "keeper"), ["old-sea", "old-land"]);
    assert_eq!(place.text("out/kept.jsonl"), "");
    assert!(!place.path("out/kept.jsonl.gz").exists(), "the old is not written anywhere");
}

#[test]
fn old_documents_without_id_are_named_by_file_and_line() {
    let place = place();
    place.write("old.jsonl", format!("\n{}\n", json!({ "text": words("sea", 60) })));
    place.run("dedup new.jsonl -o out --against old.jsonl").ok();
    assert_eq!(place.lines("out/removed.jsonl")[0]["keeper"], "old.jsonl:2");
}

#[test]
fn bad_lines_of_the_old_are_reported_with_its_name() {
    let place = place();
    let old = place.text("old.jsonl");
    place.write("old.jsonl", format!("oops\n{old}"));
    place.run("dedup new.jsonl -o out --against old.jsonl").ok();
    let rejected = place.lines("out/rejected.jsonl");
    assert_eq!((&rejected[0]["file"], &rejected[0]["line"]), (&json!("old.jsonl"), &json!(1)));
    assert_eq!(each(&place.lines("out/removed.jsonl"), "keeper"), ["old-sea"]);
}

#[test]
fn empty_documents_of_old_and_new_never_match() {
    let place = Place::new();
    place.write("old.jsonl", joined(&[document("o", "")]));
    place.write("new.jsonl", joined(&[document("n", "")]));
    let report = place.run("dedup new.jsonl -o out --against old.jsonl --json").ok().json();
    assert_eq!(report["kept"], Value::from(1));
}
