//! Offline runs over HTTP: submitted, watched, read and cancelled by administrators.

use std::time::{SystemTime, UNIX_EPOCH};

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
fn the_recipe_of_a_run_is_taken_over_and_given_back() {
    let service = start();
    for (id, number, changed) in [("a1", 1, 0), ("a2", 1, 1), ("b", 2, 0)] {
        service.post("/api/documents", &json!({ "id": id, "text": text(number, changed) }));
    }
    let before = service.get("/api/stats").json();
    let wish = json!({ "kind": "dedup", "testing": { "index": true }, "clustering": "k-means" });
    let path = format!("/api/jobs/{}", service.post("/api/jobs", &wish).json()["id"]);
    assert_eq!(service.delete(&format!("{path}/adopt")).status, 404, "it was not taken over");
    eventually("the job ends", || service.get(&path).json()["finished"].is_number());
    let adopt = format!("{path}/adopt");
    let ended = || service.get("/api/admin/task").json()["state"] == "done";
    assert_eq!(service.post(&adopt, &json!({})).status, 202);
    eventually("the index is built anew", ended);
    assert_eq!(service.get(&path).json()["adopted"], true);
    assert_ne!(service.get("/api/stats").json()["scheme"], before["scheme"]);
    let check = json!({ "text": text(1, 0) });
    let found = service.post("/api/check", &check).json();
    assert_eq!(found["matches"].as_array().unwrap().len(), 2, "{found}");
    assert_eq!(service.post(&adopt, &json!({})).status, 422, "it has been taken over");
    assert_eq!(service.post(&adopt, &json!({ "more": 1 })).status, 422);
    assert_eq!(service.delete(&adopt).status, 202);
    eventually("the index has its recipe back", || {
        service.get("/api/stats").json()["scheme"] == before["scheme"]
    });
    eventually("the task has ended", ended);
    assert!(service.get(&path).json().get("adopted").is_none());
    assert_eq!(service.post("/api/jobs/77/adopt", &json!({})).status, 404);
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

#[test]
fn uploads_are_listed_and_labels_among_them_are_the_truth() {
    let service = start();
    let upload = |name: &str, kind: &str, body: &str| {
        let path = format!("/api/uploads?name={name}");
        send(service.address, "POST", &path, &[("content-type", kind)], body.as_bytes())
    };
    assert_eq!(service.get("/api/uploads").json(), json!({ "uploads": [] }));
    let lines: String =
        (0..4).map(|number| format!("{}\n", json!({ "id": number, "text": text(number / 2, 0) }))).collect();
    let before = SystemTime::now().duration_since(UNIX_EPOCH).unwrap().as_secs();
    for (name, kind, body) in [
        ("corpus.jsonl", "application/x-ndjson", lines.as_str()),
        ("pairs.csv", "text/csv", "a,b,label\n0,1,duplicate\n0,2,different\n"),
        ("table", "application/vnd.apache.parquet", "PAR1"),
        ("other.parquet", "application/x-parquet; version=2", "PAR1"),
    ] {
        let stored = upload(name, kind, body);
        assert_eq!((stored.status, &stored.json()["bytes"]), (200, &json!(body.len())), "{name}");
    }
    assert_eq!(upload("page.html", "text/html", "").code(), "unsupported-media-type");
    let listed = service.get("/api/uploads").json();
    let listed = listed["uploads"].as_array().unwrap();
    let mut names: Vec<&str> = listed.iter().map(|upload| upload["name"].as_str().unwrap()).collect();
    names.sort_unstable();
    assert_eq!(names, ["corpus.jsonl", "other.parquet", "pairs.csv", "table"]);
    let times: Vec<u64> = listed.iter().map(|upload| upload["time"].as_u64().unwrap()).collect();
    assert!(
        times.is_sorted_by(|a, b| a >= b) && times[0] < before + 60 && times[3] + 1 >= before,
        "{times:?}"
    );
    let evaluate = |truth: serde_json::Value| {
        let wish = json!({ "kind": "evaluate", "testing": { "uploads": ["corpus.jsonl"] }, "truth": truth });
        let job = service.post("/api/jobs", &wish);
        assert_eq!(job.status, 202, "{wish}");
        let path = format!("/api/jobs/{}", job.json()["id"]);
        eventually("the job ends", || service.get(&path).json()["finished"].is_number());
        service.get(&path).json()
    };
    let done = evaluate(json!({ "pairs": { "upload": "pairs.csv" } }));
    let truth = done["summary"]["evaluation"]["truth"].as_str().unwrap_or_else(|| panic!("{done}"));
    assert!(truth.starts_with("2 labelled pairs in pairs.csv, 1 of them"), "{truth}");
    for name in ["none.csv", "../1/job.json", "/etc/hostname"] {
        let failed = evaluate(json!({ "pairs": { "upload": name } }));
        assert!(failed["error"].as_str().is_some_and(|told| told.contains("upload")), "{failed}");
        assert!(!failed.to_string().contains(service.folder.path().to_str().unwrap()), "{failed}");
    }
    let unknown =
        json!({ "kind": "evaluate", "testing": { "index": true }, "truth": { "pairs": { "file": "x" } } });
    assert_eq!(service.post("/api/jobs", &unknown).status, 422);
}
