//! `index` and `check` from a user's point of view.

use super::support::{Place, document, each, joined, nearly, values, words};

fn place() -> Place {
    let place = Place::with_corpus(&[
        document("a", &words("alpha", 40)),
        document("b", &nearly("alpha", 40)),
        document("c", &words("gamma", 40)),
    ]);
    place.run("index create seen").ok();
    place
}

#[test]
fn documents_go_in_are_found_and_go_out() {
    let place = place();
    let answers = values(&place.run("index add seen corpus.jsonl --json").ok().out);
    assert_eq!(each(&answers, "verdict"), ["new", "near-duplicate", "new"]);
    assert_eq!(each(&answers, "action"), ["inserted"; 3]);
    assert_eq!(answers[1]["matches"][0]["id"], "a");
    assert_eq!(answers[1]["master"], "b", "the longer one is kept");
    let again = place.run("index add seen corpus.jsonl").ok().out;
    assert_eq!(again, "unchanged  3\n");
    place.write("new.jsonl", joined(&[document("x", &words("alpha", 40)), document("y", &words("new", 40))]));
    let told = place.run("index check seen new.jsonl").ok().out;
    let told: Vec<&str> = told.lines().collect();
    assert!(told[0].starts_with("x\tduplicate\ta 1.000\tb 0."), "{told:?}");
    assert_eq!(told[1], "y\tnew");
    assert_eq!(place.run("index check seen new.jsonl --check").code, Some(1));
    let stats = place.run("index stats seen --json").ok().json();
    assert_eq!((&stats["documents"], &stats["clusters"]), (&3.into(), &1.into()));
    assert_eq!(place.run_with_input("index remove seen - c", b"a\nb\n\n").ok().out, "3 removed\n");
    place.run("index compact seen").ok();
    assert_eq!(place.run("index check seen new.jsonl --check").code, Some(0));
}

#[test]
fn policies_and_kept_documents_of_a_run() {
    let place = place();
    place.run("dedup corpus.jsonl -o deduped").ok();
    assert_eq!(place.run("index add seen deduped").ok().out, "inserted  2\n");
    let answers = values(&place.run("index add seen corpus.jsonl --policy reject --json").ok().out);
    assert_eq!(each(&answers, "action"), ["rejected", "unchanged", "unchanged"]);
    // A batch run knows the documents of the index.
    place.write("new.jsonl", joined(&[document("x", &words("gamma", 40)), document("y", &words("new", 40))]));
    let report = place.run("dedup new.jsonl --against seen -o fresh --json").ok().json();
    assert_eq!((&report["kept"], &report["removed"], &report["against"]), (&1.into(), &1.into(), &2.into()));
    assert_eq!(place.lines("fresh/removed.jsonl")[0]["keeper"], "c");
}

#[test]
fn another_recipe_takes_over() {
    let place = place();
    place.run("index add seen corpus.jsonl").ok();
    let before = place.run("index stats seen --json").ok().json();
    let told = place.run("index resign seen --method imatch --threshold 0.5").ok().out;
    assert!(told.starts_with("3 documents are signed by scheme imatch-"), "{told}");
    let after = place.run("index stats seen --json").ok().json();
    assert_ne!(before["scheme"], after["scheme"]);
    assert_eq!((&after["documents"], &after["generation"]), (&3.into(), &2.into()));
}

#[test]
fn signing_again_changes_what_is_asked_for_and_nothing_else() {
    let place = place();
    place.run("index create near --method simhash --set decide.distance=5 --keep newest").ok();
    place.run("index add near corpus.jsonl").ok();
    let recipe = |place: &Place| -> toml::Table {
        place.json("near/index.json")["content"]["recipe"].as_str().unwrap().parse().unwrap()
    };
    let before = recipe(&place);
    let told = place.run("index resign near --threshold 0.9").ok().out;
    assert!(told.contains("by scheme simhash-"), "{told}");
    let mut expected = before.clone();
    expected["decide"].as_table_mut().unwrap().insert("threshold".to_owned(), 0.9.into());
    assert_eq!(recipe(&place), expected);
    place.run("index resign near").ok();
    assert_eq!(recipe(&place), expected, "nothing was asked for");
    // A file that names no method contains changes.
    place.write("changes.toml", "[decide]\ndistance = 4\n");
    place.run("index resign near --recipe changes.toml").ok();
    expected["decide"].as_table_mut().unwrap().insert("distance".to_owned(), 4.into());
    assert_eq!(recipe(&place), expected);
    place.run("index resign near --method minhash").ok();
    let after = recipe(&place);
    assert_eq!(after["method"].as_str(), Some("minhash"));
    assert_eq!(after["keep"], before["keep"], "what is kept is no matter of the method");
    assert!(after.get("decide").is_none_or(|decide| decide.get("distance").is_none()), "{after}");
    place.write("whole.toml", "method = 'simhash'\n");
    place.run("index resign near --recipe whole.toml").ok();
    assert!(recipe(&place).get("keep").is_none(), "a recipe of its own");
}

#[test]
fn a_mail_is_told_by_the_exit_code() {
    let place = Place::new();
    place.run("index create prototypes").ok();
    let mail = |body: &str| {
        format!("From: a@example.org\r\nSubject: offer\r\nContent-Type: text/plain\r\n\r\n{body}\r\n")
            .into_bytes()
    };
    let spam = serde_json::json!({ "id": "s", "text": words("cheap", 60), "set": "spam" }).to_string();
    let ham = serde_json::json!({ "id": "h", "text": words("minutes", 60), "set": "legitimate" }).to_string();
    place.write("known.jsonl", joined(&[spam, ham]));
    place.run("index add prototypes known.jsonl --ttl 30d").ok();
    let code = |body: &str| place.run_with_input("check --index prototypes --mail", &mail(body)).code;
    assert_eq!(code(&nearly("cheap", 60)), Some(0), "known spam");
    assert_eq!(code(&words("minutes", 60)), Some(1), "known to be legitimate");
    assert_eq!(code(&words("other", 60)), Some(1), "unknown");
    assert_eq!(code(""), Some(1), "nothing to compare");
    let answer = place.run_with_input("check --index prototypes --mail --json", &mail(&words("cheap", 60)));
    assert_eq!((&answer.json()["set"]["name"], &answer.json()["set"]["hits"]), (&"spam".into(), &2.into()));
    place.write("letter.txt", words("minutes", 60));
    assert_eq!(place.run("check letter.txt --index prototypes").code, Some(1), "something like it is known");
}

/// A recipe may name files from where it is given; the index finds them from anywhere.
#[test]
fn an_index_finds_its_files_from_any_folder() {
    let place = place();
    place.run("lexicon build corpus.jsonl -o own.lexicon").ok();
    place.run("index create by-words --method imatch --lexicon own.lexicon").ok();
    place.run("dedup corpus.jsonl -o offline --set features.type=terms --set candidates.type=clusters").ok();
    let clusters = "method = 'minhash'\n[features]\ntype = 'terms'\n[candidates]\ntype = 'clusters'\n\
                    clustering = { type = 'frozen', partition = 'offline/clusters.partition' }";
    place.write("clusters.toml", clusters);
    place.run("index create by-clusters --recipe clusters.toml").ok();
    let elsewhere = tempfile::tempdir().unwrap();
    for name in ["by-words", "by-clusters"] {
        let corpus = place.path("corpus.jsonl");
        let mut command = place.command("index add");
        let output =
            command.arg(place.path(name)).arg(corpus).current_dir(elsewhere.path()).output().unwrap();
        assert!(output.status.success(), "{name}: {}", String::from_utf8_lossy(&output.stderr));
        place.run(&format!("index resign {name} --keep first")).ok();
    }
}

#[test]
fn what_cannot_be_done_is_said_in_a_sentence() {
    let place = place();
    for (command, expected) in [
        ("index create seen", "is an index already"),
        ("index create other --set candidates.type=clusters", "one at a time"),
        ("index add nowhere corpus.jsonl", "is no index"),
        ("index add seen corpus.jsonl --policy best", "known: report, reject, replace"),
        ("index add seen corpus.jsonl --ttl soon", "is no time"),
        ("index add seen missing.jsonl", "missing.jsonl"),
        ("index get seen nobody", "no document has the id nobody"),
        ("check --server https://example.org", "must begin with http://"),
    ] {
        let told = place.run(command).error();
        assert!(told.contains(expected), "{command}: {told}");
    }
    assert!(!place.path("other").exists());
    // A document that is not JSON is counted, and the others are inserted.
    place.write("bad.jsonl", format!("no json\n{}\n", document("d", &words("delta", 40))));
    let told = place.run("index add seen bad.jsonl").ok().out;
    assert!(
        told.contains("bad       1\ninserted  1\nThe first bad line: bad.jsonl: line 1: not valid JSON"),
        "{told}"
    );
}
