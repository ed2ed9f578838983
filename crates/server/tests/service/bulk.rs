//! Streams of documents.

use std::io::{BufRead, BufReader, Read, Write};
use std::time::Duration;

use serde_json::{Value, json};

use crate::client::{connect, read_reply, send};
use crate::running::{start, start_with, text};

const KIND: [(&str, &str); 1] = [("content-type", "application/x-ndjson")];

#[test]
fn every_line_gets_its_verdict_in_order() {
    let service = start();
    let mut body = String::new();
    for number in 0..1500 {
        // Every third repeats the one before.
        let document = json!({ "id": number, "text": text(number - u64::from(number % 3 == 2), 0) });
        body += &format!("{document}\n");
    }
    let reply = send(service.address, "POST", "/api/documents/bulk", &KIND, body.as_bytes());
    assert_eq!(reply.status, 200);
    let lines = reply.lines();
    assert_eq!(lines.len(), 1500);
    for (number, line) in lines.iter().enumerate() {
        assert_eq!((&line["line"], &line["id"]), (&json!(number + 1), &json!(number)));
        assert_eq!(line["verdict"], if number % 3 == 2 { "duplicate" } else { "new" }, "{line}");
    }
    assert_eq!(service.get("/api/stats").json()["documents"], 1500);
}

#[test]
fn a_bad_line_is_answered_and_the_stream_goes_on() {
    let service = start_with(|config| config.max_body = 2000);
    let long = format!("{{\"id\":\"long\",\"text\":\"{}\"}}", "x".repeat(3000));
    let good = |id: &str| json!({ "id": id, "text": text(1, 0) }).to_string();
    let lines = [
        good("a"),
        "{broken".to_owned(),
        String::new(),
        long,
        "{\"text\":\"no id\"}".to_owned(),
        "[1]".to_owned(),
        good("b"),
    ];
    let reply = send(
        service.address,
        "POST",
        "/api/documents/bulk?policy=report",
        &KIND,
        lines.join("\n").as_bytes(),
    );
    let answers = reply.lines();
    let told: Vec<(u64, &str)> = answers
        .iter()
        .map(|line| {
            let what = line["error"]["code"].as_str().or(line["verdict"].as_str());
            (line["line"].as_u64().unwrap(), what.unwrap())
        })
        .collect();
    assert_eq!(
        told,
        [
            (1, "new"),
            (2, "bad-json"),
            (4, "too-large"),
            (5, "bad-document"),
            (6, "bad-document"),
            (7, "duplicate")
        ]
    );
}

#[test]
fn verdicts_come_while_the_sender_still_writes() {
    let service = start();
    let mut stream = connect(service.address);
    let head = format!(
        "POST /api/documents/bulk HTTP/1.1\r\nhost: {}\r\ncontent-type: application/x-ndjson\r\ntransfer-encoding: chunked\r\n\r\n",
        service.address
    );
    stream.write_all(head.as_bytes()).unwrap();
    let mut answers = BufReader::new(stream.try_clone().unwrap()).lines();
    for number in 0..3 {
        let line = format!("{}\n", json!({ "id": number, "text": text(number, 0) }));
        // In two pieces, neither of which is a line.
        for part in [&line[..20], &line[20..]] {
            stream.write_all(format!("{:x}\r\n{part}\r\n", part.len()).as_bytes()).unwrap();
        }
        let verdict = answers.by_ref().map(Result::unwrap).find(|line| line.starts_with('{')).unwrap();
        let verdict: Value = serde_json::from_str(&verdict).unwrap();
        assert_eq!((&verdict["line"], &verdict["verdict"]), (&json!(number + 1), &json!("new")));
    }
    // A stream that breaks off ends its own work only.
    drop((stream, answers));
    assert_eq!(service.get("/api/documents/2").status, 200);
}

/// Of a hundred bytes, with an answer as long, that cost the index nothing. Both ways that is more than the system holds for
/// two sides of which neither reads.
const UNUSABLE: usize = 400_000;

fn unusable() -> Vec<u8> {
    format!("[\"{}\"]\n", "x".repeat(95)).into_bytes().repeat(UNUSABLE)
}

fn numbered(answers: &[Value], expected: usize) {
    assert_eq!(answers.len(), expected);
    for (answer, number) in answers.iter().zip(1..) {
        assert_eq!(answer["line"], number, "{answer}");
    }
}

#[test]
fn a_client_may_send_everything_before_it_reads() {
    let service = start_with(|config| config.request_time = Duration::from_secs(3));
    let body = unusable();
    // This one writes all of the body before it reads a byte.
    let reply = send(service.address, "POST", "/api/documents/bulk", &KIND, &body);
    assert!(reply.body.len() > 30_000_000, "more than the system holds for us: {}", reply.body.len());
    numbered(&reply.lines(), UNUSABLE);
    let left = std::fs::read_dir(service.folder.path()).unwrap().flatten();
    let left: Vec<_> =
        left.map(|entry| entry.file_name()).filter(|name| name.to_string_lossy().contains("tmp")).collect();
    assert!(left.is_empty(), "{left:?}");
}

#[test]
fn who_sends_slowly_may_read_late() {
    let service = start_with(|config| config.request_time = Duration::from_secs(1));
    let mut stream = connect(service.address);
    let body = unusable();
    let head = format!(
        "POST /api/documents/bulk HTTP/1.1\r\nhost: {}\r\ncontent-type: application/x-ndjson\r\nconnection: close\r\ncontent-length: {}\r\n\r\n",
        service.address,
        body.len()
    );
    stream.write_all(head.as_bytes()).unwrap();
    // Sending takes much longer than an answer may stay unread by one who is idle.
    let (most, rest) = body.split_at(body.len() - 120);
    stream.write_all(most).unwrap();
    for piece in rest.chunks(12) {
        std::thread::sleep(Duration::from_millis(300));
        stream.write_all(piece).unwrap();
    }
    numbered(&read_reply(&mut stream).lines(), UNUSABLE);
}

#[test]
fn the_library_of_python_gets_its_answers() {
    let service = start_with(|config| config.request_time = Duration::from_secs(3));
    let script = format!(
        "import json, urllib.request\n\
         body = (b'[\"' + b'x' * 95 + b'\"]\\n') * {UNUSABLE}\n\
         request = urllib.request.Request('http://{}/api/documents/bulk', data=body, \
         headers={{'content-type': 'application/x-ndjson'}})\n\
         lines = [json.loads(line)['line'] for line in urllib.request.urlopen(request, timeout=60)]\n\
         assert lines == list(range(1, {UNUSABLE} + 1)), len(lines)\n",
        service.address
    );
    let mut python = std::process::Command::new("python3");
    // Loopback is nobody's proxy's business.
    match python.env("no_proxy", "*").args(["-c", &script]).output() {
        Ok(output) => assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr)),
        Err(error) => println!("skipped, there is no Python: {error}"),
    }
}

#[test]
fn only_so_many_streams_at_once() {
    let service = start_with(|config| config.bulk_streams = 1);
    let mut stream = connect(service.address);
    let head = format!(
        "POST /api/documents/bulk HTTP/1.1\r\nhost: {}\r\ncontent-type: application/x-ndjson\r\ntransfer-encoding: chunked\r\n\r\n",
        service.address
    );
    stream.write_all(head.as_bytes()).unwrap();
    let mut first = String::new();
    BufReader::new(stream.try_clone().unwrap()).read_line(&mut first).unwrap();
    assert!(first.contains("200"), "{first}");
    let line = json!({ "id": 1, "text": text(1, 0) }).to_string();
    let refused = send(service.address, "POST", "/api/documents/bulk", &KIND, line.as_bytes());
    assert_eq!((refused.status, refused.code().as_str()), (503, "busy"));
    assert!(refused.header("retry-after").is_some());
    drop(stream);
    crate::running::eventually("the place is free again", || {
        send(service.address, "POST", "/api/documents/bulk", &KIND, line.as_bytes()).status == 200
    });
    let json = [("content-type", "application/json")];
    assert_eq!(send(service.address, "POST", "/api/documents/bulk", &json, line.as_bytes()).status, 415);
}

#[test]
fn a_sender_that_asks_first_is_told_to_go_on_before_it_is_answered() {
    let service = start();
    let body = format!("{}\n", json!({ "id": "a", "text": text(1, 0) }));
    // Which of the two came first used to be a matter of luck.
    for round in 0..50 {
        let mut stream = connect(service.address);
        let head = format!(
            "POST /api/documents/bulk HTTP/1.1\r\nhost: {}\r\ncontent-type: application/x-ndjson\r\nexpect: 100-continue\r\n\
             connection: close\r\ncontent-length: {}\r\n\r\n",
            service.address,
            body.len()
        );
        stream.write_all(head.as_bytes()).unwrap();
        let mut told = [0; 25];
        stream.read_exact(&mut told).unwrap();
        assert_eq!(&told, b"HTTP/1.1 100 Continue\r\n\r\n", "round {round}");
        stream.write_all(body.as_bytes()).unwrap();
        let reply = read_reply(&mut stream);
        assert_eq!((reply.status, reply.lines().len()), (200, 1), "round {round}");
    }
}
