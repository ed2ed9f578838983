//! Help, listings, what goes to which stream, closed pipes.

use std::io::pipe;
use std::process::Stdio;

use serde_json::Value;

use super::support::{Place, document, nearly, words};

fn near_pair() -> Place {
    Place::with_corpus(&[document("a", &words("sea", 60)), document("b", &nearly("sea", 60))])
}

#[test]
fn help_names_the_verbs() {
    let help = Place::new().run("--help").ok().out;
    for verb in ["demo", "extract", "scan", "dedup", "compare", "lexicon", "methods"] {
        assert!(help.contains(verb), "{verb}: {help}");
    }
}

#[test]
fn help_of_dedup_names_every_option() {
    let help = Place::new().run("dedup --help").ok().out;
    let options = "--output --recipe --method --threshold --set --against --keep --verify --id-field \
                   --text-field --source-field --threads --memory --max-line --strict --resume --force \
                   --plan --json --quiet --lexicon --passages --decisions";
    for option in options.split_whitespace() {
        assert!(help.contains(option), "{option}: {help}");
    }
    for rule in ["longest", "newest", "first", "shortest-url", "max:FIELD", "min:FIELD", "source:a>b"] {
        assert!(help.contains(rule), "{rule}: {help}");
    }
}

#[test]
fn the_version_is_printed() {
    let printed = Place::new().run("--version").ok().out;
    assert_eq!(printed.trim(), format!("lookalike {}", env!("CARGO_PKG_VERSION")));
}

#[test]
fn methods_are_listed_and_explained() {
    let place = Place::new();
    let list = place.run("methods").ok().out;
    for name in ["minhash", "exact", "shingles", "bands", "jaccard", "star"] {
        assert!(list.contains(name), "{name}: {list}");
    }
    let shown = place.run("methods show minhash").ok().out;
    for word in ["Broder", "sign.hashes", "128", "features.shingle"] {
        assert!(shown.contains(word), "{word}: {shown}");
    }
    let error = place.run("methods show minhush").error();
    assert!(error.contains("minhush") && error.contains("minhash"), "{error}");
}

#[test]
fn methods_as_json_list_every_part_with_its_parameters() {
    let place = Place::new();
    let all = place.run("methods --json").ok().json();
    let names = |list: &Value| -> Vec<String> {
        list.as_array().unwrap().iter().map(|part| part["name"].as_str().unwrap().to_owned()).collect()
    };
    assert!(names(&all["methods"]).contains(&"minhash".to_owned()), "{all}");
    assert!(names(&all["parts"]).contains(&"shingles".to_owned()), "{all}");
    assert!(names(&all["learners"]).contains(&"forest".to_owned()), "{all}");
    let one = place.run("methods show shingles --json").ok().json();
    assert!(names(&one["parts"][0]["params"]).contains(&"shingle".to_owned()), "{one}");
}

#[test]
fn the_demo_writes_a_report_and_says_where() {
    let place = Place::new();
    let run = place.run("demo").ok();
    assert!(run.out.contains("lookalike-demo"), "{}", run.out);
    let report = place.json("lookalike-demo/report.json");
    assert!(report["removed"].as_u64() > Some(0), "the samples have duplicates: {report}");
    assert!(place.text("lookalike-demo/report.html").contains("<html"));
    // A second call works as well.
    assert_eq!(place.run("demo --json").ok().json()["removed"], report["removed"]);
}

#[test]
fn json_is_alone_on_stdout_and_is_the_report() {
    let place = near_pair();
    let printed = place.run("dedup corpus.jsonl -o out --json").ok().json();
    assert_eq!(printed, place.json("out/report.json"));
}

#[test]
fn the_table_names_what_was_kept_and_removed() {
    let out = near_pair().run("dedup corpus.jsonl -o out").ok().out;
    for word in ["documents", "kept", "removed", "pairs", "report.html", "out"] {
        assert!(out.contains(word), "{word}: {out}");
    }
}

#[test]
fn no_progress_is_shown_on_a_pipe() {
    assert_eq!(near_pair().run("dedup corpus.jsonl -o out").ok().err, "");
}

#[test]
fn no_colour_codes_are_written_to_a_pipe() {
    let place = near_pair();
    for arguments in ["--help", "dedup --help", "methods", "dedup corpus.jsonl -o out", "dedup none -o x"] {
        let run = place.run(arguments);
        assert!(!run.out.contains('\x1b') && !run.err.contains('\x1b'), "{arguments}");
    }
}

/// Runs with a standard output that nobody reads any more.
fn with_closed_stdout(place: &Place, arguments: &str) -> (Option<i32>, String) {
    let (reader, writer) = pipe().unwrap();
    drop(reader);
    let child = place.command(arguments).stdout(writer).stderr(Stdio::piped()).spawn().unwrap();
    let output = child.wait_with_output().unwrap();
    (output.status.code(), String::from_utf8(output.stderr).unwrap())
}

#[test]
fn a_closed_stdout_is_success() {
    let place = near_pair();
    for arguments in ["methods --json", "methods", "--help", "dedup corpus.jsonl -o out --json", "demo"] {
        assert_eq!(with_closed_stdout(&place, arguments), (Some(0), String::new()), "{arguments}");
    }
    assert_eq!(place.json("out/report.json")["documents"], 2, "the run itself is complete");
}

#[test]
fn a_closed_stderr_stops_neither_a_run_with_warnings_nor_an_error() {
    // Two documents of one id are worth a warning.
    let place = Place::with_corpus(&[document(1, &words("sea", 9)), document(1, &words("sky", 9))]);
    assert!(place.run("dedup corpus.jsonl -o heard").ok().err.contains("warning: "), "there is a warning");
    let code = |arguments: &str| {
        let (reader, writer) = pipe().unwrap();
        drop(reader);
        place.command(arguments).stdout(Stdio::null()).stderr(writer).status().unwrap().code()
    };
    assert_eq!(code("dedup corpus.jsonl -o unheard"), Some(0));
    assert_eq!(code("dedup none.jsonl -o never"), Some(2));
}
