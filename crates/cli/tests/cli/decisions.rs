//! Decisions of people in runs of `dedup`.

use std::process::{Child, Stdio};
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use super::support::{Place, document, each, joined, nearly, words};

fn corpus() -> Vec<String> {
    vec![
        document("sea-1", &words("sea", 60)),
        document("sea-2", &nearly("sea", 60)),
        document("sky-1", &words("sky", 60)),
        document("sky-2", &words("sky", 60)),
        document("land", &words("land", 50)),
        document("empty", ""),
    ]
}

fn place() -> Place {
    Place::with_corpus(&corpus())
}

/// A folder with an index of the corpus, and the decisions made in it as a file.
fn decided(decisions: &[&str]) -> Place {
    let place = place();
    place.run("index create seen").ok();
    place.run("index add seen corpus.jsonl").ok();
    for decision in decisions {
        place.run(&format!("index decide seen {decision}")).ok();
    }
    place.write("decisions.jsonl", place.run("index decisions seen").ok().out);
    place
}

fn removed(place: &Place, folder: &str) -> Vec<(Value, Value)> {
    let lines = place.lines(&format!("{folder}/removed.jsonl"));
    lines.iter().map(|line| (line["id"].clone(), line["keeper"].clone())).collect()
}

fn pair(a: &str, b: &str) -> (Value, Value) {
    (a.into(), b.into())
}

fn counts(used: u64, stale: u64, unknown: u64, undecidable: u64) -> Value {
    json!({ "used": used, "stale": stale, "unknown": unknown, "undecidable": undecidable })
}

#[test]
fn what_was_decided_in_an_index_holds_in_a_run() {
    let place = decided(&["sea-1 sea-2 no", "land sky-1 yes"]);
    place.run("dedup corpus.jsonl -o before").ok();
    assert_eq!(removed(&place, "before"), [pair("sea-1", "sea-2"), pair("sky-2", "sky-1")]);
    let report = place.run("dedup corpus.jsonl -o after --decisions decisions.jsonl --json").ok().json();
    assert_eq!(report["decisions"], counts(2, 0, 0, 0));
    assert_eq!(removed(&place, "after"), [pair("sky-2", "sky-1"), pair("land", "sky-1")]);
    let land = &place.lines("after/removed.jsonl")[1];
    assert_eq!((&land["method"], &land["reason"]), (&json!("decision"), &json!("a person's decision")));
    assert_eq!(land["similarity"], 0.0, "measured, whatever the threshold");
    let pairs = place.lines("after/pairs.jsonl");
    assert_eq!(each(&pairs, "method"), [json!(null), json!("decision")], "{pairs:?}");
    assert_eq!(report["warnings"], json!([]), "a person's word needs no warning");
    // Taken back, nothing is left of it.
    place.run("index decide seen sea-2 sea-1 forget").ok();
    place.run("dedup corpus.jsonl -o again --decisions seen").ok();
    assert_eq!(
        removed(&place, "again"),
        [pair("sea-1", "sea-2"), pair("sky-2", "sky-1"), pair("land", "sky-1")]
    );
}

#[test]
fn the_summary_has_a_line_when_decisions_were_given() {
    let place = decided(&["sea-1 sea-2 no"]);
    place.write(
        "more.jsonl",
        place.text("decisions.jsonl") + "{\"a\":\"sea-1\",\"b\":\"nobody\",\"duplicate\":true}\n",
    );
    let told = place.run("dedup corpus.jsonl -o out --decisions more.jsonl").ok();
    let line = told.out.lines().find(|line| line.starts_with("decisions")).unwrap();
    assert!(line.contains("1  of people hold; 1 about unknown documents"), "{line}");
    assert_eq!(told.err, "");
    assert!(!place.run("dedup corpus.jsonl -o other").ok().out.contains("decisions"));
    assert!(place.json("other/report.json").get("decisions").is_none());
}

#[test]
fn a_decision_about_a_text_that_changed_is_not_used() {
    let place = decided(&["sea-1 sea-2 no", "land sky-1 yes"]);
    let mut lines = corpus();
    lines[0] = document("sea-1", &format!("{} again", words("sea", 60)));
    place.write("corpus.jsonl", joined(&lines));
    let report = place.run("dedup corpus.jsonl -o out --decisions decisions.jsonl --json").ok().json();
    assert_eq!(report["decisions"], counts(1, 1, 0, 0));
    assert_eq!(removed(&place, "out").len(), 3, "one of sea, one of sky, land");
    // Without a text, a decision is about whatever text the document has.
    place.write("loose.jsonl", "{\"a\":\"sea-1\",\"b\":\"sea-2\",\"duplicate\":false}\n");
    let report = place.run("dedup corpus.jsonl -o loose --decisions loose.jsonl --json").ok().json();
    assert_eq!(report["decisions"], counts(1, 0, 0, 0));
    assert_eq!(removed(&place, "loose"), [pair("sky-2", "sky-1")]);
}

#[test]
fn copies_and_documents_without_words_leave_nothing_to_decide() {
    let place = place();
    let line = |a: &str, b: &str| format!("{{\"a\":\"{a}\",\"b\":\"{b}\",\"duplicate\":false}}\n");
    let lines = [line("sky-1", "sky-2"), line("sky-1", "empty"), line("land", "land"), line("x", "y")];
    place.write("decisions.jsonl", lines.concat());
    let report = place.run("dedup corpus.jsonl -o out --decisions decisions.jsonl --json").ok().json();
    assert_eq!(report["decisions"], counts(0, 0, 1, 3));
    assert_eq!(removed(&place, "out"), [pair("sea-1", "sea-2"), pair("sky-2", "sky-1")]);
}

#[test]
fn a_word_about_a_copy_is_about_all_of_them_and_the_last_one_counts() {
    let place = place();
    place.write(
        "decisions.jsonl",
        "{\"a\":\"land\",\"b\":\"sky-1\",\"duplicate\":false}\n{\"a\":\"sky-2\",\"b\":\"land\",\"duplicate\":true}\n",
    );
    place.run("dedup corpus.jsonl -o out --decisions decisions.jsonl").ok();
    assert!(removed(&place, "out").contains(&pair("land", "sky-1")));
}

#[test]
fn a_document_to_keep_is_kept() {
    let place = place();
    place.write("keep.jsonl", "{\"keep\":\"sea-1\"}\n{\"keep\":\"sky-2\"}\n{\"keep\":\"nobody\"}\n");
    let report = place.run("dedup corpus.jsonl -o out --decisions keep.jsonl --json").ok().json();
    assert_eq!(report["decisions"], counts(2, 0, 1, 0));
    assert_eq!(removed(&place, "out"), [pair("sea-2", "sea-1"), pair("sky-1", "sky-2")]);
}

#[test]
fn documents_without_ids_are_named_by_their_place() {
    let texts = [words("sea", 60), nearly("sea", 60)];
    let lines = texts.map(|text| json!({ "text": text }).to_string());
    let place = Place::with_corpus(&lines);
    place.write("one.jsonl", "{\"a\":1,\"b\":2,\"duplicate\":false}\n");
    let report = place.run("dedup corpus.jsonl -o out --decisions one.jsonl --json").ok().json();
    assert_eq!((&report["removed"], &report["decisions"]["used"]), (&json!(0), &json!(1)));
    place.write("more.jsonl", joined(&[document("x", &words("sky", 60))]));
    place.write("two.jsonl", "{\"a\":\"corpus.jsonl:1\",\"b\":\"corpus.jsonl:2\",\"duplicate\":false}\n");
    let report = place.run("dedup corpus.jsonl more.jsonl -o both --decisions two.jsonl --json").ok().json();
    assert_eq!((&report["removed"], &report["decisions"]["used"]), (&json!(0), &json!(1)));
}

#[test]
fn known_documents_are_decided_of_but_not_among_themselves() {
    let place = place();
    place.write("known.jsonl", joined(&corpus()[..2]));
    place.write("new.jsonl", joined(&[document("new", &format!("{} indeed", words("sea", 60)))]));
    let line = |a: &str, b: &str| format!("{{\"a\":\"{a}\",\"b\":\"{b}\",\"duplicate\":false}}\n");
    place.write("no.jsonl", [line("sea-1", "sea-2"), line("new", "sea-1"), line("new", "sea-2")].concat());
    let run =
        |more: &str| place.run(&format!("dedup new.jsonl --against known.jsonl --json {more}")).ok().json();
    assert_eq!(run("-o without")["removed"], 1);
    let report = run("-o with --decisions no.jsonl");
    assert_eq!((&report["removed"], &report["decisions"]), (&json!(0), &counts(2, 0, 0, 1)));
}

#[test]
fn folders_stand_for_what_was_decided_in_them() {
    let place = decided(&["sea-1 sea-2 no"]);
    for index in ["service/index", "viewed/.lookalike-view/index"] {
        place.run(&format!("index create {index}")).ok();
        place.run(&format!("index add {index} corpus.jsonl")).ok();
        place.run(&format!("index decide {index} sea-1 sea-2 no")).ok();
    }
    let answer = json!({ "decisions": place.lines("decisions.jsonl") });
    place.write("answer.json", serde_json::to_string_pretty(&answer).unwrap());
    let forms = ["decisions.jsonl", "answer.json", "seen", "service", "viewed", "viewed/.lookalike-view"];
    for (number, form) in forms.iter().enumerate() {
        place.run(&format!("dedup corpus.jsonl -o out-{number} --decisions {form}")).ok();
        assert_eq!(removed(&place, &format!("out-{number}")), [pair("sky-2", "sky-1")], "{form}");
    }
}

#[test]
fn what_is_no_decision_is_said_in_a_sentence() {
    let place = place();
    std::fs::create_dir(place.path("nothing")).unwrap();
    place.write("broken.jsonl", "{\"keep\":\"land\"}\n{\"a\":\"sea-1\",\n");
    place.write("shape.jsonl", "\n{\"a\":\"sea-1\",\"b\":\"sea-2\"}\n");
    place.write("key.jsonl", "{\"a\":\"sea-1\",\"b\":\"sea-2\",\"duplicate\":true,\"txt\":\"x\"}\n");
    for (path, expected) in [
        ("broken.jsonl", &["broken.jsonl", "line 2"][..]),
        ("shape.jsonl", &["shape.jsonl", "line 2", "\"duplicate\":true or false"]),
        ("key.jsonl", &["key.jsonl", "line 1", "`txt`"]),
        ("nothing", &["nothing", "lookalike view"]),
        ("missing.jsonl", &["missing.jsonl", "No such file"]),
    ] {
        let told = place.run(&format!("dedup corpus.jsonl -o out --decisions {path}")).error();
        assert!(expected.iter().all(|part| told.contains(part)), "{told}");
        assert!(!place.path("out").exists(), "a mistake leaves no folder behind");
    }
    place.run("index create seen").ok();
    place.run("index add seen corpus.jsonl").ok();
    for (command, expected) in [
        ("index decide seen sea-1 sea-2 maybe", "known: yes, no, forget"),
        ("index decide seen sea-1 nobody no", "no document has the id nobody"),
        ("index decide seen sky-1 sky-2 no", "exact copies"),
        ("index decide seen sky-1 empty no", "without words"),
        ("index decisions nowhere", "is no index"),
    ] {
        let told = place.run(command).error();
        assert!(told.contains(expected), "{command}: {told}");
    }
}

#[test]
fn a_complete_run_is_that_of_its_decisions() {
    let place = decided(&["sea-1 sea-2 no"]);
    place.run("dedup corpus.jsonl -o out --decisions decisions.jsonl").ok();
    let again = place.run("dedup corpus.jsonl -o out --decisions seen --resume").ok();
    assert!(again.err.contains("complete already"), "the same decisions from elsewhere: {}", again.err);
    for other in ["", "--decisions other.jsonl"] {
        place.write("other.jsonl", "{\"keep\":\"sea-1\"}\n");
        let told = place.run(&format!("dedup corpus.jsonl -o out --resume {other}")).error();
        assert!(told.contains("--force"), "{told}");
    }
}

/// A view of a folder, once its documents are in.
fn view(place: &Place, folder: &str) -> Viewing {
    let mut command = place.command(&format!("view {folder} --listen 127.0.0.1:0"));
    let child = command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
    let mut viewing = Viewing(child);
    let run = place.json(&format!("{folder}/report.json"))["run"].as_str().unwrap().to_owned();
    let complete = place.path(&format!("{folder}/.lookalike-view/complete"));
    let began = Instant::now();
    while std::fs::read_to_string(&complete).ok().as_ref() != Some(&run) {
        assert!(viewing.0.try_wait().unwrap().is_none(), "the view ended");
        assert!(began.elapsed() < Duration::from_secs(60));
        std::thread::sleep(Duration::from_millis(5));
    }
    viewing
}

struct Viewing(Child);

impl Drop for Viewing {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

#[test]
fn what_was_decided_in_a_view_outlasts_the_run_that_was_viewed() {
    let place = place();
    let index = "out/.lookalike-view/index";
    place.run("dedup corpus.jsonl -o out").ok();
    drop(view(&place, "out"));
    place.run(&format!("index decide {index} sea-1 sea-2 no")).ok();
    place.run(&format!("index decide {index} land sky-1 yes")).ok();
    // Another run without land, which applies the decisions, and another view.
    let lines = corpus();
    place.write("corpus.jsonl", joined(&lines[..4]));
    let report = place.run("dedup corpus.jsonl -o out --force --decisions out --json").ok().json();
    assert_eq!(report["decisions"], counts(1, 0, 1, 0));
    assert_eq!(removed(&place, "out"), [pair("sky-2", "sky-1")]);
    drop(view(&place, "out"));
    let told = place.run(&format!("index decisions {index}")).ok().out;
    assert!(told.contains("sea-1") && told.contains("\"duplicate\":false"), "{told}");
    assert!(!told.contains("land"), "that document is not here");
    // The document comes back, and so do the decisions about it.
    place.write("corpus.jsonl", joined(&lines));
    place.run("dedup corpus.jsonl -o out --force --decisions out").ok();
    assert_eq!(removed(&place, "out"), [pair("sky-2", "sky-1"), pair("land", "sky-1")]);
    drop(view(&place, "out"));
    let told = place.run(&format!("index decisions {index}")).ok().out;
    assert!(told.contains("sea-1") && told.contains("land"), "{told}");
    assert!(!place.path("out/.lookalike-decisions.jsonl").exists(), "nothing waits any more");
}
