//! The example as a user runs it: its parts take a whole corpus from file to results.

use std::path::Path;
use std::process::{Command, Output};

fn example(arguments: &[&Path]) -> Output {
    let program = env!("CARGO_BIN_EXE_lookalike-plugin-example");
    Command::new(program).args(arguments).output().unwrap()
}

fn stdout(output: &Output) -> String {
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout.clone()).unwrap()
}

#[test]
fn the_samples_lose_the_copy_and_the_older_version() {
    let printed = stdout(&example(&[]));
    assert!(printed.starts_with("kept 2, removed 2 of 4 documents\nscheme one-permutation-"), "{printed}");
    assert!(printed.contains(r#"{"id":"stats.rs","keeper":"new/stats.rs""#), "{printed}");
    assert!(printed.contains(r#""method":"code""#), "{printed}");
}

#[test]
fn a_corpus_of_ones_own_is_deduplicated_into_a_folder() {
    let folder = tempfile::tempdir().unwrap();
    let corpus = folder.path().join("logs.jsonl");
    let lines = [
        r#"{"id":1,"text":"open the door\nlet the cat in\nclose the door"}"#,
        r#"{"id":2,"text":"open the  door\nlet the cat in\n\n  close the door\n"}"#,
        r#"{"id":3,"text":"open the door\nlet the dog out\nleave it open"}"#,
    ];
    std::fs::write(&corpus, lines.join("\n")).unwrap();
    let output = folder.path().join("deduped");
    let printed = stdout(&example(&[&corpus, &output]));
    assert!(printed.starts_with("kept 2, removed 1 of 3 documents"), "{printed}");
    let kept = std::fs::read_to_string(output.join("kept.jsonl")).unwrap();
    assert_eq!(kept, format!("{}\n{}\n", lines[1], lines[2]), "the longest of a cluster stays");
}

#[test]
fn a_missing_corpus_is_one_sentence() {
    let folder = tempfile::tempdir().unwrap();
    let output = example(&[&folder.path().join("none.jsonl"), &folder.path().join("deduped")]);
    assert_eq!(output.status.code(), Some(2));
    let message = String::from_utf8(output.stderr).unwrap();
    assert!(message.starts_with("error: ") && message.contains("none.jsonl"), "{message}");
    assert_eq!(message.lines().count(), 1, "{message}");
}
