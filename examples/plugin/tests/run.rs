//! The example as a user runs it: its parts in a batch run, in an index and over HTTP, from the command line that every
//! user of Lookalike knows.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};

use serde_json::Value;

fn example(arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_lookalike-plugin-example"));
    command.args(arguments);
    command
}

fn stdout(output: &Output) -> String {
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout.clone()).unwrap()
}

fn run(arguments: &[&str]) -> String {
    stdout(&example(arguments).output().unwrap())
}

fn samples() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("samples.jsonl")
}

fn text(path: &Path) -> &str {
    path.to_str().unwrap()
}

#[test]
fn a_batch_run_loses_the_copy_and_the_older_version() {
    let folder = tempfile::tempdir().unwrap();
    let (samples, output) = (samples(), folder.path().join("deduped"));
    let arguments = ["dedup", text(&samples), "-o", text(&output), "--method", "code", "--json"];
    let printed = run(&[&arguments[..], &["--set", "features.shortest=3"]].concat());
    let report: Value = serde_json::from_str(&printed).unwrap();
    assert_eq!(
        (&report["documents"], &report["kept"], &report["removed"]),
        (&4.into(), &2.into(), &2.into())
    );
    assert!(report["scheme"].as_str().unwrap().starts_with("one-permutation-"), "{printed}");
    let removed = std::fs::read_to_string(output.join("removed.jsonl")).unwrap();
    assert!(removed.contains(r#"{"id":"stats.rs","keeper":"new/stats.rs""#), "{removed}");
    assert!(removed.contains(r#""method":"code""#), "{removed}");
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
    run(&["dedup", text(&corpus), "-o", text(&output), "--method", "code"]);
    let kept = std::fs::read_to_string(output.join("kept.jsonl")).unwrap();
    assert_eq!(kept, format!("{}\n{}\n", lines[1], lines[2]), "the longest of a cluster stays");
}

#[test]
fn a_missing_corpus_is_one_sentence() {
    let folder = tempfile::tempdir().unwrap();
    let (corpus, output) = (folder.path().join("none.jsonl"), folder.path().join("deduped"));
    let output =
        example(&["dedup", text(&corpus), "-o", text(&output), "--method", "code"]).output().unwrap();
    assert_eq!(output.status.code(), Some(2));
    let message = String::from_utf8(output.stderr).unwrap();
    assert!(message.starts_with("error: ") && message.contains("none.jsonl"), "{message}");
    assert_eq!(message.lines().count(), 1, "{message}");
}

#[test]
fn the_parts_are_among_those_that_are_listed() {
    let printed = run(&["methods"]);
    for name in ["code", "lines", "one-permutation", "sokal-sneath", "minhash"] {
        assert!(printed.contains(name), "{name}: {printed}");
    }
}

#[test]
fn an_index_checks_by_them_and_is_opened_again() {
    let folder = tempfile::tempdir().unwrap();
    let (index, samples) = (folder.path().join("seen"), samples());
    run(&["index", "create", text(&index), "--method", "code"]);
    run(&["index", "add", text(&index), text(&samples)]);
    let printed = run(&["index", "check", text(&index), text(&samples), "--json"]);
    let answers: Vec<Value> = printed.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!(answers.len(), 4, "{printed}");
    // Each finds itself; the versions of one file find each other, too.
    let matching: Vec<u64> = answers.iter().map(|answer| answer["matching"].as_u64().unwrap()).collect();
    assert_eq!(matching, [3, 3, 3, 1], "{printed}");
}

/// A service that ends with the test.
struct Service(Child);

impl Drop for Service {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

#[test]
fn the_service_answers_by_them() {
    let folder = tempfile::tempdir().unwrap();
    let data = folder.path().join("data");
    let arguments = ["serve", "--data", text(&data), "--method", "code", "--listen", "127.0.0.1:0"];
    let mut service = Service(example(&arguments).stderr(Stdio::piped()).spawn().unwrap());
    let log = BufReader::new(service.0.stderr.take().unwrap());
    let address = log.lines().map_while(Result::ok).find_map(|line| {
        let start = line.find("127.0.0.1:")?;
        let rest = &line[start..];
        let end = rest.find(|c: char| !(c.is_ascii_digit() || ".:".contains(c))).unwrap_or(rest.len());
        Some(rest[..end].to_owned())
    });
    let address = address.expect("the service tells its address");
    let lines: Vec<String> = std::fs::read_to_string(samples()).unwrap().lines().map(str::to_owned).collect();
    let (status, _) = post(&address, "/api/documents", &lines[0]);
    assert!(status.contains(" 201 ") || status.contains(" 200 "), "{status}");
    let (_, answer) = post(&address, "/api/check", &lines[2]);
    assert_eq!(answer["verdict"], "near-duplicate", "{answer}");
    assert_eq!(answer["matches"][0]["id"], "stats.rs", "{answer}");
    assert_eq!(answer["matches"][0]["method"], "code", "{answer}");
}

fn post(address: &str, path: &str, body: &str) -> (String, Value) {
    let mut stream = TcpStream::connect(address).unwrap();
    let head = format!(
        "POST {path} HTTP/1.1\r\nHost: {address}\r\nContent-Type: application/json\r\nConnection: close\r\nContent-Length: {}\r\n\r\n",
        body.len()
    );
    stream.write_all(head.as_bytes()).unwrap();
    stream.write_all(body.as_bytes()).unwrap();
    let mut reply = String::new();
    stream.read_to_string(&mut reply).unwrap();
    let (head, body) = reply.split_once("\r\n\r\n").unwrap();
    let json = body.find('{').map_or("null", |start| &body[start..=body.rfind('}').unwrap()]);
    (head.lines().next().unwrap().to_owned(), serde_json::from_str(json).unwrap())
}
