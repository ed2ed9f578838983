//! `lookalike view`: the page over the result of a run has the figures of the run.

use std::fs;

use serde_json::{Value, json};

use super::serving::Serving;
use super::support::{Place, document, each, joined, nearly, words};

/// Twelve topics, each with a near-duplicate and every third with a copy.
fn corpus() -> Vec<String> {
    let mut lines = Vec::new();
    for number in 0..12 {
        let topic = format!("topic{number}x");
        lines.push(document(format!("a{number}"), &words(&topic, 60)));
        lines.push(document(format!("b{number}"), &nearly(&topic, 60)));
        if number % 3 == 0 {
            lines.push(document(format!("c{number}"), &words(&topic, 60)));
        }
    }
    lines
}

fn view(place: &Place, arguments: &str) -> Serving {
    let mut command = place.command(&format!("view {arguments} --quiet --listen 127.0.0.1:0"));
    Serving::start(&mut command, |line| line.strip_prefix("open http://")?.split('/').next()?.parse().ok())
}

fn got(serving: &Serving, path: &str) -> Value {
    let (status, value) = serving.get(path);
    assert_eq!(status, 200, "{path}: {value}");
    value
}

/// Compares the page's figures with those of the run in `out`.
fn check_figures(place: &Place, serving: &Serving) {
    let report = place.json("out/report.json");
    assert!(report["removed"].as_u64() > Some(0), "nothing was found: {report}");
    for path in ["/api/stats", "/api/survey"] {
        let told = got(serving, path);
        for (key, expected) in
            [("documents", "documents"), ("clusters", "clusters"), ("duplicates", "removed")]
        {
            assert_eq!(told[key], report[expected], "{path}: {key}: {told}");
        }
    }
    assert_eq!(place.names("out/.lookalike-view").iter().filter(|name| name.starts_with("fill")).count(), 0);
}

fn refused(place: &Place, arguments: &str) -> String {
    place.run(&format!("view {arguments} --quiet --listen 127.0.0.1:0")).error()
}

#[test]
fn the_page_has_the_figures_of_the_run_and_is_filled_once() {
    let place = Place::new();
    place.write("corpus.jsonl", include_str!("../../samples/documents.jsonl"));
    place.run("dedup corpus.jsonl -o out --set features.shingle=3 --threshold 0.6").ok();
    let serving = view(&place, "out");
    check_figures(&place, &serving);
    assert_eq!(got(&serving, "/api/stats")["scheme"], place.json("out/report.json")["scheme"]);
    let cluster = &place.lines("out/clusters.jsonl")[0];
    let master = cluster["master"].as_str().unwrap();
    assert_eq!(got(&serving, &format!("/api/clusters/{master}"))["size"], cluster["size"]);
    serving.end();
    // The documents cannot be read again any more.
    fs::remove_file(place.path("corpus.jsonl")).unwrap();
    let serving = view(&place, "out");
    check_figures(&place, &serving);
    serving.end();
}

#[test]
fn ensembles_and_lexicons_counted_for_a_run_are_viewed() {
    let place = Place::with_corpus(&corpus());
    place.run("lexicon build corpus.jsonl -o mine.lexicon").ok();
    for settings in [
        "--method ensemble --set candidates.rule=vote --set candidates.votes=1 --set candidates.simhash={decide={distance=9}}",
        "--method ensemble --lexicon native",
        "--method imatch --lexicon mine.lexicon --set sign.low=0 --set sign.high=1 --set features.max_digits=9 --threshold 0.8",
        "--method simhash --set decide.distance=12 --set decide.verify=signature",
        "--set features.max_df=100",
    ] {
        place.run(&format!("dedup corpus.jsonl -o out --force {settings}")).ok();
        let serving = view(&place, "out");
        check_figures(&place, &serving);
        serving.end();
    }
}

#[test]
fn a_run_from_standard_input_needs_a_file_with_the_documents() {
    let place = Place::with_corpus(&corpus());
    place.run_with_input("dedup - -o out", joined(&corpus()).as_bytes()).ok();
    let told = refused(&place, "out");
    assert!(told.contains("standard input") && told.contains("name a file"), "{told}");
    assert!(!place.path("out/.lookalike-view").exists());
    let serving = view(&place, "out corpus.jsonl");
    check_figures(&place, &serving);
    serving.end();
}

#[test]
fn runs_of_methods_that_compare_all_at_once_are_viewed_with_their_pairs() {
    let place = Place::with_corpus(&corpus());
    for settings in [
        "--method cosine",
        "--method spotsigs --threshold 0.3",
        "--method cosine --set candidates.type=clusters",
    ] {
        place.run(&format!("dedup corpus.jsonl -o out --force {settings}")).ok();
        let serving = view(&place, "out");
        check_figures(&place, &serving);
        for cluster in place.lines("out/clusters.jsonl") {
            let told = got(&serving, &format!("/api/clusters/{}", cluster["master"].as_str().unwrap()));
            assert_eq!((&told["size"], &told["master"]), (&cluster["size"], &cluster["master"]), "{told}");
        }
        // More can be looked for, one document at a time; among clusters in those that the run left.
        let asked = document("new", &words("topic1x", 60));
        let (status, told) = serving.post("/api/check", "application/json", None, asked.as_bytes());
        assert_eq!(status, 200, "{told}");
        serving.end();
    }
}

#[test]
fn pairs_are_found_again_by_names_that_changed_with_the_folder() {
    let place = Place::new();
    let without_ids: Vec<String> =
        corpus().iter().map(|line| line.replacen("\"id\"", "\"name\"", 1)).collect();
    let (first, second) = without_ids.split_at(11);
    place.write("one.jsonl", joined(first));
    place.write("two.jsonl", joined(second));
    // Names as they were given; the report has absolute paths.
    place.run("dedup one.jsonl ./two.jsonl -o out").ok();
    let serving = view(&place, "out");
    check_figures(&place, &serving);
    assert!(!serving.told.contains("warning"), "{}", serving.told);
    serving.end();
}

#[test]
fn a_pair_is_shown_only_of_documents_that_it_is_about() {
    let place = Place::with_corpus(&corpus());
    // The known documents have the ids of others here.
    let known: Vec<String> =
        (0..12).map(|number| document(format!("a{number}"), &nearly("known", 60))).collect();
    place.write("known.jsonl", joined(&known));
    let mut lines = corpus();
    lines.push(document("late", &words("known", 60)));
    place.write("corpus.jsonl", joined(&lines));
    place.run("dedup corpus.jsonl -o out --against known.jsonl").ok();
    assert!(place.lines("out/pairs.jsonl").iter().any(|pair| pair["b"] == "late"));
    let serving = view(&place, "out");
    assert_eq!(got(&serving, "/api/clusters/late")["size"], 1, "what it resembles is not here");
    assert_eq!(got(&serving, "/api/clusters/a0")["size"], 3);
    // The figures differ from those of the report, and why is told.
    let (stats, report) = (got(&serving, "/api/stats"), place.json("out/report.json"));
    assert_ne!(stats["clusters"], report["clusters"]);
    let note = format!(
        "the page has {} clusters and {} duplicates, the report {} and {}: the documents that the run was compared",
        stats["clusters"], stats["duplicates"], report["clusters"], report["removed"]
    );
    assert!(serving.told.contains(&note), "{}", serving.told);
    serving.end();
}

#[test]
fn what_cannot_be_viewed_is_refused_and_nothing_is_made() {
    let place = Place::with_corpus(&corpus());
    place.run("dedup corpus.jsonl -o out").ok();
    let before = place.names("out");
    assert!(refused(&place, "out missing.jsonl").contains("missing.jsonl"));
    assert_eq!(place.names("out"), before, "an index that cannot be filled does not stay");
    for folder in [".", "none"] {
        let told = refused(&place, folder);
        assert!(told.contains("is not the output folder of `lookalike dedup`"), "{told}");
    }
}

#[test]
fn decisions_outlast_another_run_into_the_folder() {
    let place = Place::with_corpus(&corpus());
    place.run("dedup corpus.jsonl -o out").ok();
    let serving = view(&place, "out");
    for (a, b) in [("a1", "b1"), ("a2", "b2")] {
        let decision = json!({ "a": a, "b": b, "duplicate": false }).to_string();
        assert_eq!(serving.post("/api/decisions", "application/json", None, decision.as_bytes()).0, 204);
    }
    let keeper = json!({ "id": "a3", "keep": true }).to_string();
    assert_eq!(serving.post("/api/keepers", "application/json", None, keeper.as_bytes()).0, 204);
    serving.end();
    // Of the second pair one document becomes another, and an earlier attempt was interrupted.
    let mut lines = corpus();
    let changed = lines.iter().position(|line| line.contains("\"a2\"")).unwrap();
    lines[changed] = document("a2", &words("other", 60));
    place.write("corpus.jsonl", joined(&lines));
    place.run("dedup corpus.jsonl -o out --force --threshold 0.7").ok();
    fs::create_dir(place.path("out/.lookalike-view/filling")).unwrap();
    place.write("out/.lookalike-view/filling/index.json", "half of an index");
    let serving = view(&place, "out");
    // The first pair and the keeper.
    assert!(serving.told.contains("2 of 3 decisions"), "{}", serving.told);
    let decisions = got(&serving, "/api/decisions")["decisions"].as_array().unwrap().clone();
    assert_eq!((each(&decisions, "a"), each(&decisions, "b")), (vec![json!("a1")], vec![json!("b1")]));
    assert_eq!(decisions[0]["duplicate"], false);
    assert_eq!(each(got(&serving, "/api/keepers")["keepers"].as_array().unwrap(), "id"), ["a3"]);
    let stats = got(&serving, "/api/stats");
    assert_eq!((&stats["documents"], &stats["threshold"]), (&json!(28), &json!(0.7)), "{stats}");
    serving.end();
}

#[test]
fn files_of_several_formats_are_read_again() {
    let place = Place::new();
    fs::create_dir(place.path("docs")).unwrap();
    let essay = |topic: &str| -> String {
        let words = words(topic, 120);
        let words: Vec<&str> = words.split(' ').collect();
        words.chunks(12).map(|line| line.join(" ") + ".\n").collect()
    };
    let text = essay("harbour");
    let paragraphs: String = text.lines().map(|line| format!("<p>{line}</p>\n")).collect();
    place.write("docs/essay.txt", &text);
    place.write("docs/essay.html", format!("<html><body><article>{paragraphs}</article></body></html>"));
    place.write("docs/letter", format!("From: a@example.org\nTo: b@example.org\nSubject: essay\n\n{text}"));
    place.write("docs/other.txt", essay("mountain"));
    place.run("dedup docs -o out").ok();
    let serving = view(&place, "out");
    check_figures(&place, &serving);
    serving.end();
}
