//! Results in a store: those of a run on disk, complete or without a report.

use std::process::{Child, Stdio};
use std::time::{Duration, Instant};

use super::server::{S3, answer, command, forwarded, run, serve};
use super::support::{Place, document, joined, words};

fn corpus(documents: usize) -> String {
    let text = |number: usize| words(&format!("t{}x", number / 2), 150 + number % 2);
    joined(&(0..documents).map(|number| document(number, &text(number))).collect::<Vec<_>>())
}

const RESULTS: [&str; 5] = ["kept.jsonl", "removed.jsonl", "clusters.jsonl", "pairs.jsonl", "rejected.jsonl"];

/// The results under a prefix are those of a run on disk.
fn assert_same(place: &Place, here: &str, s3: &S3, there: &str) {
    for name in RESULTS {
        let uploaded = s3.get(&format!("{there}/{name}")).unwrap_or_else(|| panic!("no {name}"));
        assert!(uploaded == place.read(&format!("{here}/{name}")), "{name}");
    }
    let report = |text: String| serde_json::from_str::<serde_json::Value>(&text).unwrap();
    let (a, b) = (
        report(place.text(&format!("{here}/report.json"))),
        report(s3.text(&format!("{there}/report.json"))),
    );
    for key in ["run", "documents", "kept", "removed", "clusters", "pairs", "inputs"] {
        assert_eq!(a[key], b[key], "{key}");
    }
    assert!(s3.get(&format!("{there}/report.html")).is_some());
    assert_eq!(place.names("tmp"), Vec::<String>::new(), "nothing stays here");
}

#[test]
fn results_are_uploaded_and_replaced_as_on_disk() {
    let (place, s3) = (Place::new(), S3::start());
    // Large enough that the kept documents go in several parts.
    place.write("corpus.jsonl", corpus(40_000));
    place.run("dedup corpus.jsonl -o here").ok();
    assert!(place.read("here/kept.jsonl").len() > 17 << 20);
    let told = run(&place, "dedup corpus.jsonl -o s3://bucket/a/run/", s3.port).ok();
    assert!(told.out.contains("s3://bucket/a/run"), "{}", told.out);
    assert_same(&place, "here", &s3, "a/run");

    let refused = run(&place, "dedup corpus.jsonl -o s3://bucket/a/run", s3.port).error();
    assert!(
        refused.contains("s3://bucket/a/run holds an earlier run") && refused.contains("--force"),
        "{refused}"
    );
    let again = run(&place, "dedup corpus.jsonl -o s3://bucket/a/run --resume", s3.port).ok();
    assert!(again.err.contains("complete already"), "{}", again.err);
    let other =
        run(&place, "dedup corpus.jsonl -o s3://bucket/a/run --resume --threshold 0.9", s3.port).error();
    assert!(other.contains("s3://bucket/a/run holds an earlier run"), "{other}");

    // What a new run does not have goes with the old one; what is not ours stays.
    s3.put("a/run/kept-2.parquet", b"old");
    s3.put("a/run/notes.txt", b"mine");
    place.write("small.jsonl", corpus(10));
    place.run("dedup small.jsonl -o small").ok();
    run(&place, "dedup small.jsonl -o s3://bucket/a/run --force", s3.port).ok();
    assert_same(&place, "small", &s3, "a/run");
    let keys = s3.keys();
    assert!(
        keys.contains(&"a/run/notes.txt".to_owned()) && !keys.contains(&"a/run/kept-2.parquet".to_owned()),
        "{keys:?}"
    );

    // A run over its own results, which would replace them.
    let circle =
        run(&place, "dedup s3://bucket/a/run/kept.jsonl -o s3://bucket/a/run --force", s3.port).error();
    assert!(circle.contains("would replace it"), "{circle}");
    assert_same(&place, "small", &s3, "a/run");
    // The results are in the folder that is read, and are no input.
    s3.put("a/corpus.jsonl", &place.read("small.jsonl"));
    let within = run(&place, "dedup s3://bucket/a -o s3://bucket/a/run --force --json", s3.port).ok().json();
    assert_eq!(within["documents"], 10);
}

fn wait_until(child: &mut Child, what: &str, mut is_so: impl FnMut() -> bool) {
    let began = Instant::now();
    while !is_so() {
        assert!(child.try_wait().unwrap().is_none(), "ended before {what}");
        assert!(began.elapsed() < Duration::from_secs(60), "{what}");
        std::thread::sleep(Duration::from_millis(2));
    }
}

#[test]
fn a_killed_run_leaves_no_report_and_is_resumed() {
    let (place, s3) = (Place::new(), S3::start());
    place.write("corpus.jsonl", corpus(30_000));
    place.run("dedup corpus.jsonl -o here").ok();
    let arguments = "dedup corpus.jsonl -o s3://bucket/run";

    // Killed while it computes.
    let mut child = command(&place, arguments, s3.port).stderr(Stdio::null()).spawn().unwrap();
    let begun = || {
        place
            .names("tmp")
            .iter()
            .any(|name| place.path(&format!("tmp/{name}/.lookalike-work/manifest.json")).exists())
    };
    wait_until(&mut child, "it began", begun);
    child.kill().unwrap();
    child.wait().unwrap();
    assert_eq!(s3.keys(), Vec::<String>::new());
    let refused = run(&place, arguments, s3.port).error();
    assert!(
        refused.contains("s3://bucket/run holds an interrupted run") && refused.contains("--resume"),
        "{refused}"
    );

    // Killed while it uploads: the server never answers when the pairs come.
    let port = s3.port;
    let hangs = serve(move |request| {
        if request.is("PUT") && request.path().contains("pairs.jsonl") {
            std::thread::sleep(Duration::from_secs(60));
        }
        forwarded(port, request)
    });
    let mut child =
        command(&place, &format!("{arguments} --resume"), hangs).stderr(Stdio::null()).spawn().unwrap();
    wait_until(&mut child, "it uploads", || s3.keys().contains(&"run/kept.jsonl".to_owned()));
    child.kill().unwrap();
    child.wait().unwrap();
    assert!(!s3.keys().contains(&"run/report.json".to_owned()), "{:?}", s3.keys());
    let refused = run(&place, arguments, s3.port).error();
    assert!(refused.contains("holds an interrupted run"), "{refused}");

    run(&place, &format!("{arguments} --resume"), s3.port).ok();
    assert_same(&place, "here", &s3, "run");
}

#[test]
fn an_upload_that_fails_is_told_and_can_go_on() {
    let (place, s3) = (Place::new(), S3::start());
    place.write("corpus.jsonl", corpus(200));
    place.run("dedup corpus.jsonl -o here").ok();
    let port = s3.port;
    let refuses = serve(move |request| {
        if request.is("PUT") {
            return answer("403 Forbidden", "<Error><Code>AccessDenied</Code></Error>");
        }
        forwarded(port, request)
    });
    let told = run(&place, "dedup corpus.jsonl -o s3://bucket/run", refuses).error();
    assert!(told.contains("s3://bucket/run/") && told.contains("access is denied"), "{told}");
    assert_eq!(s3.keys(), Vec::<String>::new());
    // The server stumbles twice at everything, and each time it is tried again.
    let stumbles = serve(move |request| match request.number % 3 {
        0 | 1 => answer("503 Slow Down", ""),
        _ => forwarded(port, request),
    });
    run(&place, "dedup corpus.jsonl -o s3://bucket/run --resume", stumbles).ok();
    assert_same(&place, "here", &s3, "run");
    let web = run(&place, "dedup corpus.jsonl -o https://host/run", s3.port).error();
    assert!(web.contains("cannot be written to a web server"), "{web}");
}

#[test]
fn snapshots_of_an_index_go_to_a_store_and_come_back() {
    let (place, s3) = (Place::new(), S3::start());
    // Large enough that the texts go in several parts.
    place.write("corpus.jsonl", corpus(25_000));
    place.run("index create seen").ok();
    place.run("index add seen corpus.jsonl --quiet").ok();
    let ask = |what: &str| run(&place, what, s3.port);
    let told = ask("index snapshot seen s3://bucket/backups/seen --json").ok().json();
    assert!(told["new_bytes"] == told["bytes"] && told["bytes"].as_u64() > Some(17 << 20), "{told}");
    place.run("index remove seen 7").ok();
    let told = ask("index snapshot seen s3://bucket/backups/seen --keep 1 --json").ok().json();
    assert!(told["removed"].as_array().unwrap().len() == 1, "{told}");
    assert!(told["new_bytes"].as_u64() < told["bytes"].as_u64(), "{told}");
    let listed = ask("index snapshots s3://bucket/backups/seen --json").ok().json();
    assert_eq!((listed.as_array().unwrap().len(), &listed[0]["documents"]), (1, &24_999.into()), "{listed}");
    ask("index restore s3://bucket/backups/seen back").ok();
    let stats = |index: &str| place.run(&format!("index stats {index} --json")).ok().json();
    for key in ["documents", "pairs", "clusters", "scheme"] {
        assert_eq!(stats("back")[key], stats("seen")[key], "{key}");
    }
    let refused = ask("index restore s3://bucket/none other").error();
    assert!(refused.contains("has no snapshot"), "{refused}");
}
