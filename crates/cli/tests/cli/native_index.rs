//! `index … --lexicon native`: the lexicon is counted from the index, on demand and by itself.

use std::process::Command;
use std::time::Duration;

use serde_json::{Value, json};

use super::support::{Place, document, joined, nearly, words};

/// Many words in few documents: the window is open, and no word is left out.
const SETTINGS: &str = "--method imatch --set features.min_length=1 --set features.max_digits=9 --set sign.low=0 --set sign.high=1 --threshold 0.8";

fn corpus(topics: std::ops::Range<u32>) -> Vec<String> {
    let pair = |n| {
        let topic = format!("topic{n}x");
        [document(format!("a{n}"), &words(&topic, 60)), document(format!("b{n}"), &nearly(&topic, 60))]
    };
    topics.flat_map(pair).collect()
}

fn stats(place: &Place, index: &str) -> Value {
    place.run(&format!("index stats {index} --json")).ok().json()
}

fn pairs(place: &Place, folder: &str) -> usize {
    place.lines(&format!("{folder}/pairs.jsonl")).len()
}

#[test]
fn counted_again_it_is_an_index_made_with_a_lexicon_of_its_documents_and_a_batch_run() {
    for method in [
        SETTINGS,
        "--method simhash --set decide.distance=12 --threshold 0.5",
        "--method ensemble",
        "--method cosine",
    ] {
        let place = Place::with_corpus(&corpus(0..12));
        place.run(&format!("index create seen {method}")).ok();
        place.write("gone.jsonl", joined(&corpus(30..34)));
        place.run("index add seen gone.jsonl corpus.jsonl").ok();
        place.run("index remove seen a30 b30 a31 b31 a32 b32 a33 b33").ok();
        let english = stats(&place, "seen");
        assert_eq!(english["lexicons"][0]["kind"], "built-in", "{english}");
        let told = place.run("index resign seen --lexicon native").ok().out;
        assert!(told.starts_with("24 documents are signed"), "{told}");
        let native = stats(&place, "seen");
        assert_ne!(native["scheme"], english["scheme"]);
        place.run("lexicon build corpus.jsonl -o own.lexicon").ok();
        place.run(&format!("index create anew {method} --lexicon own.lexicon")).ok();
        place.run("index add anew corpus.jsonl").ok();
        let anew = stats(&place, "anew");
        place.run(&format!("dedup corpus.jsonl -o batch {method} --lexicon native")).ok();
        let batch = place.json("batch/report.json");
        assert_eq!((&native["scheme"], &native["scheme"]), (&anew["scheme"], &batch["scheme"]), "{method}");
        for key in ["documents", "contents", "clusters", "duplicates", "pairs"] {
            assert_eq!(native[key], anew[key], "{method}: {key}");
        }
        assert_eq!(native["pairs"], pairs(&place, "batch"), "{method}");
        assert!(pairs(&place, "batch") >= 12, "{method}: {} pairs tell little", pairs(&place, "batch"));
        let lexicon = &native["lexicons"][0];
        assert_eq!((&lexicon["kind"], &lexicon["documents"]), (&json!("native"), &json!(24)), "{lexicon}");
        assert_eq!(lexicon["id"], anew["lexicons"][0]["id"]);
        // The folder may go anywhere.
        std::fs::rename(place.path("seen"), place.path("moved")).unwrap();
        assert_eq!(place.run("index check moved corpus.jsonl --check").code, Some(1));
        let copied = Command::new("cp").arg("-r").args([place.path("moved"), place.path("copy")]).status();
        assert!(copied.unwrap().success());
        std::fs::remove_dir_all(place.path("moved")).unwrap();
        assert_eq!(stats(&place, "copy")["scheme"], native["scheme"]);
        assert_eq!(place.run("index add copy corpus.jsonl").ok().out, "unchanged  24\n");
    }
}

#[test]
fn the_lexicon_is_counted_again_at_the_end_of_a_command_that_makes_it_due() {
    let place = Place::with_corpus(&corpus(0..10));
    place.run(&format!("index create seen {SETTINGS} --lexicon native --refresh-after 20")).ok();
    let first = place.run("index add seen corpus.jsonl").ok();
    assert!(
        first.err.contains("counted again over 20 documents") && first.err.contains("no documents"),
        "{}",
        first.err
    );
    assert_eq!(first.out, "inserted  20\n", "what scripts read is as ever");
    place.write("few.jsonl", joined(&corpus(10..19)));
    assert!(!place.run("index add seen few.jsonl").ok().err.contains("counted again"));
    let told = place.run("index stats seen").ok().out;
    for expected in [
        "native, counted from this index",
        "20 documents",
        "18 documents",
        "1 times by itself, next after 2 more documents",
    ] {
        assert!(told.contains(expected), "{expected}: {told}");
    }
    place.write("more.jsonl", joined(&corpus(19..20)));
    let more = place.run("index add seen more.jsonl").ok();
    assert!(
        more.err.contains("40 documents") && more.err.contains("20 documents were added"),
        "{}",
        more.err
    );
    let lexicon = stats(&place, "seen")["lexicons"][0].clone();
    assert_eq!(
        (&lexicon["documents"], &lexicon["refresh"]["refreshes"]),
        (&json!(40), &json!(2)),
        "{lexicon}"
    );
    // By unknown words, and not at all.
    let told = place.run("index resign seen --refresh-after off --refresh-unknown 0.2").ok().out;
    assert!(told.contains("nothing was to be signed"), "{told}");
    place.write("new.jsonl", joined(&corpus(40..49)));
    let told = place.run("index add seen new.jsonl").ok().err;
    assert!(told.contains("of the terms of new documents were unknown"), "{told}");
    place.run("index resign seen --refresh-unknown off").ok();
    place.write("last.jsonl", joined(&corpus(50..60)));
    assert!(!place.run("index add seen last.jsonl").ok().err.contains("counted again"));
    assert_eq!(stats(&place, "seen")["lexicons"][0]["documents_since"], 20);
    // The batch run over all that is there finds the same pairs.
    place.run("index resign seen").ok();
    place
        .run(&format!(
            "dedup corpus.jsonl few.jsonl more.jsonl new.jsonl last.jsonl -o all {SETTINGS} --lexicon native"
        ))
        .ok();
    let seen = stats(&place, "seen");
    assert_eq!(
        (&seen["scheme"], &seen["pairs"]),
        (&place.json("all/report.json")["scheme"], &json!(pairs(&place, "all")))
    );
}

#[test]
fn a_file_is_never_counted_again_but_what_it_lacks_is_told() {
    let place = Place::with_corpus(&corpus(0..5));
    place.run("lexicon build corpus.jsonl -o own.lexicon").ok();
    place.run(&format!("index create seen {SETTINGS} --lexicon own.lexicon")).ok();
    place.write("new.jsonl", joined(&corpus(60..65)));
    let added = place.run("index add seen corpus.jsonl new.jsonl").ok();
    assert!(!added.err.contains("counted again"), "{}", added.err);
    let lexicon = stats(&place, "seen")["lexicons"][0].clone();
    assert_eq!((&lexicon["name"], &lexicon["kind"]), (&json!("own"), &json!("file")));
    assert_eq!((&lexicon["documents_since"], lexicon.get("refresh")), (&json!(20), None));
    let share = lexicon["unknown_terms"].as_f64().unwrap();
    assert!((0.3..0.6).contains(&share), "{share}");
}

#[test]
fn what_makes_no_sense_is_said_in_a_sentence() {
    let place = Place::with_corpus(&corpus(0..3));
    place.run(&format!("index create seen {SETTINGS}")).ok();
    place.run("index create plain").ok();
    let native = "index create other --method imatch --lexicon native";
    for (command, expected) in [
        (native.to_owned(), "the index, which has none yet"),
        (format!("{native} --refresh-after 0"), "after 0 documents"),
        (format!("{native} --refresh-after -5"), "is no number of documents"),
        (format!("{native} --refresh-unknown NaN"), "from 0 to below 1"),
        (format!("{native} --refresh-unknown 2"), "from 0 to below 1"),
        (format!("{native} --refresh-unknown -1"), "from 0 to below 1"),
        ("index create other --refresh-after 5".to_owned(), "name the lexicon `native`"),
        ("index resign plain --refresh-after 5".to_owned(), "add --lexicon native"),
        ("index resign plain --lexicon native".to_owned(), "method `minhash` uses no lexicon"),
        ("index resign seen --lexicon native".to_owned(), "which has none yet"),
        ("serve --data data --refresh-after 0".to_owned(), "--refresh-after"),
        ("serve --data data --refresh-unknown 1".to_owned(), "--refresh-unknown"),
    ] {
        let told = place.run(&command).error();
        assert!(told.contains(expected), "{command}: {told}");
    }
    assert!(!place.path("other").exists());
    assert_eq!(stats(&place, "seen")["generation"], 1, "nothing happened");
}

/// A count that is killed leaves the index as it was, and the next one does the work.
#[test]
fn killed_at_any_moment_the_index_has_the_old_lexicon_or_the_new_one() {
    let place = Place::with_corpus(&corpus(0..150));
    place.run(&format!("index create seen {SETTINGS}")).ok();
    place.run("index add seen corpus.jsonl").ok();
    place.run("index resign seen --lexicon native").ok();
    let scheme = stats(&place, "seen")["scheme"].clone();
    let mut schemes = vec![scheme];
    let mut killed = 0;
    for round in 0..12u64 {
        // Another document, so that another lexicon is counted.
        place.write("one.jsonl", joined(&corpus(200 + round as u32..201 + round as u32)));
        place.run("index add seen one.jsonl").ok();
        let mut child = place
            .command("index resign seen --lexicon native")
            .stdout(std::process::Stdio::null())
            .spawn()
            .unwrap();
        std::thread::sleep(Duration::from_millis(5 + 23 * round));
        killed += u64::from(child.try_wait().unwrap().is_none());
        child.kill().unwrap();
        child.wait().unwrap();
        let now = stats(&place, "seen");
        assert_eq!(now["documents"], 300 + 2 * (round + 1), "{now}");
        let lexicon = &now["lexicons"][0];
        let told = lexicon["documents"].as_u64().unwrap() + lexicon["documents_since"].as_u64().unwrap();
        assert_eq!(told, 300 + 2 * (round + 1), "round {round}: {lexicon}");
        assert!(!place.path("seen/counting").exists(), "nothing is left of the count");
        schemes.push(now["scheme"].clone());
    }
    assert!(killed > 0, "it was always faster");
    place.run("index resign seen --lexicon native").ok();
    place.run("index stats seen").ok();
    let of_generations =
        place.names("seen").into_iter().filter(|name| name.starts_with("generation-")).count();
    assert_eq!(of_generations, 1, "{:?}", place.names("seen"));
}
