//! What disturbs a verb from outside: Ctrl-C, a full disk, a cache that cannot be used, names that are no text.

use std::ffi::OsStr;
use std::fs;
use std::os::unix::ffi::OsStrExt;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use serde_json::Value;

use super::support::{Place, document, joined, words};

fn long_corpus(documents: usize) -> String {
    let text = |number: usize| words(&format!("t{}x", number / 2), 150 + number % 3);
    joined(&(0..documents).map(|number| document(number, &text(number))).collect::<Vec<_>>())
}

fn start(place: &Place, arguments: &str) -> Child {
    let mut command = place.command(arguments);
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap()
}

/// Sends Ctrl-C once something exists, and returns exit code and output.
fn interrupt(place: &Place, mut child: Child, once: &str) -> (Option<i32>, String) {
    let began = Instant::now();
    while !place.path(once).exists() {
        assert!(child.try_wait().unwrap().is_none(), "ended before it could be interrupted");
        assert!(began.elapsed() < Duration::from_secs(60));
        std::thread::sleep(Duration::from_millis(1));
    }
    let sent = Command::new("kill").args(["-INT", &child.id().to_string()]).status().unwrap();
    assert!(sent.success());
    let output = child.wait_with_output().unwrap();
    (output.status.code(), String::from_utf8(output.stderr).unwrap())
}

#[test]
fn an_interrupted_run_says_how_to_go_on_and_does() {
    let place = Place::new();
    place.write("c.jsonl", long_corpus(30_000));
    place.run("dedup c.jsonl -o whole").ok();
    let child = start(&place, "dedup c.jsonl -o out --threads 1");
    let (code, told) = interrupt(&place, child, "out/.lookalike-work/manifest.json");
    assert_eq!((code, told.lines().count()), (Some(130), 1), "{told}");
    assert!(told.contains("interrupted") && told.contains("--resume"), "{told}");
    let resumed = place.run("dedup c.jsonl -o out --resume --json").ok().json();
    assert_eq!(resumed["resumed"], true);
    for file in ["kept.jsonl", "removed.jsonl", "clusters.jsonl", "pairs.jsonl"] {
        assert_eq!(place.read(&format!("out/{file}")), place.read(&format!("whole/{file}")), "{file}");
    }
}

/// A verb that does not reach a point where it could stop is ended all the same.
#[test]
fn who_waits_for_input_is_interrupted_too() {
    let place = Place::new();
    let child = start(&place, "dedup - -o out");
    let (code, told) = interrupt(&place, child, "out/.lookalike-work/lock");
    assert_eq!(code, Some(130), "{told}");
    assert!(told.contains("--resume"), "{told}");
}

#[test]
fn an_interrupted_index_keeps_what_was_added() {
    let place = Place::new();
    place.write("c.jsonl", long_corpus(30_000));
    place.run("index create index").ok();
    let before = place.names("index");
    let child = start(&place, "index add index c.jsonl --threads 1");
    std::thread::sleep(Duration::from_millis(300));
    let (code, told) = interrupt(&place, child, "index");
    assert_eq!(code, Some(130), "{told}");
    assert!(told.contains("the same command goes on"), "{told}");
    assert!(!before.is_empty());
    place.run("index add index c.jsonl").ok();
    let stats = place.run("index stats index --json").ok().json();
    assert_eq!(stats["documents"], 30_000, "{stats}");
}

fn essays(place: &Place) {
    fs::create_dir_all(place.path("docs")).unwrap();
    for (name, topic) in [("a.txt", "sea"), ("b.txt", "sea"), ("c.txt", "sky")] {
        place.write(&format!("docs/{name}"), words(topic, 80));
    }
}

#[test]
fn a_cache_that_cannot_be_used_stops_no_scan() {
    let place = Place::new();
    essays(&place);
    let expected = place.run("scan docs --json --no-cache").ok().json();
    // A file where the folder should be.
    place.write("file", "");
    // And a disk that is full, from the first byte on.
    place.run("scan docs --json --cache full").ok();
    let folder = fs::read_dir(place.path("full/scan")).unwrap().next().unwrap().unwrap().path();
    fs::remove_file(folder.join("documents")).unwrap();
    fs::remove_file(folder.join("index")).unwrap();
    let results = fs::read_dir(&folder).unwrap().map(|entry| entry.unwrap().path());
    results
        .filter(|path| path.extension().is_some_and(|ending| ending == "json"))
        .for_each(|path| fs::remove_file(path).unwrap());
    std::os::unix::fs::symlink("/dev/full", folder.join("documents")).unwrap();
    for cache in ["file/below", "full"] {
        let run = place.run(&format!("scan docs --json --cache {cache}")).ok();
        assert_eq!(run.json()["clusters"], expected["clusters"], "{cache}");
        assert_eq!(run.err.matches("the cache cannot be written").count(), 1, "{cache}: {}", run.err);
    }
}

#[test]
fn a_plan_looks_at_the_disk() {
    let place = Place::new();
    place.write("c.jsonl", long_corpus(10));
    let plan = place.run("dedup c.jsonl -o out --plan --json").ok();
    assert!(plan.json()["disk_free_bytes"].as_u64().unwrap() > 0 && plan.err.is_empty(), "{}", plan.err);
    // Nothing can be written there.
    let run = place.run("dedup c.jsonl -o /proc/out --plan").ok();
    assert!(
        run.err.contains("warning: the run may need") && run.out.contains("ONLY 0 B"),
        "{}{}",
        run.err,
        run.out
    );
}

#[test]
fn names_that_are_no_text_are_acted_on_and_taken_back() {
    let place = Place::new();
    let odd = |bytes: &[u8]| place.path("docs").join(OsStr::from_bytes(bytes));
    for action in ["move --to moved", "trash", "link"] {
        let _ = fs::remove_dir_all(place.path("docs"));
        fs::create_dir_all(odd(b"d\xfe")).unwrap();
        let files = [&b"a.txt"[..], b"b\xff.txt", b"d\xfe/c\\xff.txt", b"b\\xff.txt"];
        files.iter().for_each(|name| fs::write(odd(name), words("sea", 80)).unwrap());
        let report = place.run("scan docs --json --no-cache").ok().json();
        let mut ids: Vec<&str> = report["clusters"][0]["members"]
            .as_array()
            .unwrap()
            .iter()
            .map(|member| member["id"].as_str().unwrap())
            .collect();
        ids.sort_unstable();
        assert_eq!(ids, ["docs/a.txt", "docs/b\\x5cxff.txt", "docs/b\\xff.txt", "docs/d\\xfe/c\\x5cxff.txt"]);
        let mut command = place.command(&format!(
            "scan docs --no-cache --apply {action} --keep min:bytes,first --undo-log log --json"
        ));
        command.env("XDG_DATA_HOME", place.path("data"));
        let output = command.output().unwrap();
        assert_eq!(output.status.code(), Some(0), "{action}: {}", String::from_utf8_lossy(&output.stderr));
        let done: Value = serde_json::from_slice(&output.stdout).unwrap();
        assert_eq!(
            (&done["summary"]["done"], &done["plan"]["passed_over"]),
            (&3.into(), &Value::Array(vec![])),
            "{done}"
        );
        if action != "link" {
            assert_eq!(files.iter().filter(|name| odd(name).exists()).count(), 1, "{action}");
        }
        place.run("scan --undo log").ok();
        for name in files {
            assert_eq!(fs::read_to_string(odd(name)).unwrap(), words("sea", 80), "{action}");
        }
        fs::remove_file(place.path("log")).unwrap();
    }
}
