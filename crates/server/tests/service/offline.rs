//! Offline runs over HTTP: submitted, watched, read and cancelled by administrators.

use serde_json::json;

use crate::client::send;
use crate::running::{eventually, start, text};

#[test]
fn a_run_over_the_index_gives_its_files() {
    let service = start();
    for (id, number, changed) in [("a1", 1, 0), ("a2", 1, 1), ("b", 2, 0)] {
        service.post("/api/documents", &json!({ "id": id, "text": text(number, changed) }));
    }
    let job = service.post("/api/jobs", &json!({ "kind": "dedup", "testing": { "index": true } }));
    assert_eq!(job.status, 202);
    let path = format!("/api/jobs/{}", job.json()["id"]);
    eventually("the job ends", || service.get(&path).json()["finished"].is_number());
    let done = service.get(&path).json();
    assert_eq!(
        (&done["state"], &done["summary"]["report"]["removed"]),
        (&json!("done"), &json!(1)),
        "{done}"
    );
    let files = service.get(&format!("{path}/files")).json();
    assert!(files["files"].as_array().unwrap().contains(&json!("deduped/removed.jsonl")), "{files}");
    let removed = service.get(&format!("{path}/file?name=deduped/removed.jsonl"));
    assert_eq!((removed.status, removed.lines().len()), (200, 1));
    for name in ["", "?name=../job.json", "?name=deduped", "?name=/etc/hostname"] {
        let reply = service.get(&format!("{path}/file{name}"));
        assert!(matches!(reply.status, 400 | 404), "{name}: {}", reply.status);
    }
    assert_eq!(service.get("/api/jobs").json()["jobs"].as_array().unwrap().len(), 1);
    assert_eq!(service.delete(&path).status, 204);
    assert_eq!(service.get(&path).code(), "not-found");
}

#[test]
fn an_uploaded_corpus_is_worked_on_and_wrong_wishes_are_told() {
    let service = start();
    let lines: String = (0..4)
        .map(|number| {
            format!("{}\n", json!({ "id": number, "text": text(number / 2, 0), "cluster": number / 2 }))
        })
        .collect();
    let kind = [("content-type", "application/x-ndjson")];
    let upload = send(service.address, "POST", "/api/uploads?name=mine.jsonl", &kind, lines.as_bytes());
    assert_eq!((upload.status, &upload.json()["bytes"]), (200, &json!(lines.len())));
    let wish = json!({ "kind": "evaluate", "testing": { "uploads": ["mine.jsonl"] }, "truth": { "cluster_field": "cluster" } });
    let job = service.post("/api/jobs", &wish);
    assert_eq!(job.status, 202);
    let path = format!("/api/jobs/{}", job.json()["id"]);
    eventually("the job ends", || service.get(&path).json()["finished"].is_number());
    let done = service.get(&path).json();
    assert_eq!(done["state"], "done", "{done}");
    assert_eq!(done["summary"]["evaluation"]["documents"], 4);
    for (wish, status) in [
        (json!({ "kind": "dedup" }), 422),
        (json!({ "kind": "dedup", "testing": { "index": true }, "method": "none" }), 422),
        (json!({ "kind": "cook" }), 422),
        (json!({ "kind": "dedup", "testing": { "index": true }, "more": 1 }), 422),
    ] {
        assert_eq!(service.post("/api/jobs", &wish).status, status, "{wish}");
    }
    assert_eq!(send(service.address, "POST", "/api/uploads?name=../x", &kind, b"").status, 422);
    assert_eq!(service.get("/api/jobs/none").code(), "not-found");
}
