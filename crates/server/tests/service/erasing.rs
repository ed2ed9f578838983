//! Of documents that were erased no file tells any more.

use std::path::Path;

use serde_json::{Value, json};

use crate::client::send;
use crate::running::{Running, eventually, start_with, text};

/// The files below a folder in which some words are.
fn files_with(folder: &Path, words: &[&str]) -> Vec<String> {
    let mut found = Vec::new();
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            found.extend(files_with(&path, words));
        } else {
            let bytes = std::fs::read(&path).unwrap_or_default();
            let has = |word: &&str| bytes.windows(word.len()).any(|window| window == word.as_bytes());
            if words.iter().any(has) {
                found.push(path.display().to_string());
            }
        }
    }
    found
}

fn ended(service: &Running) -> Value {
    eventually("the task ends", || service.get("/api/admin/task").json()["state"] != "running");
    service.get("/api/admin/task").json()
}

fn erase(service: &Running, documents: &Value) -> Value {
    let begun = service.post("/api/admin/erase", &json!({ "documents": documents }));
    assert_eq!(begun.status, 202, "{}", begun.body_text());
    ended(service)
}

#[test]
fn no_file_tells_of_what_was_erased() {
    let kept = tempfile::tempdir().unwrap();
    let place = kept.path().join("snapshots");
    let service = start_with(|config| config.snapshots = Some(place.to_str().unwrap().to_owned()));
    let secret = |changed: usize| format!("zanzibarine {} quixotically", text(7, changed));
    let add = |id: &str, text: &str| service.post("/api/documents", &json!({ "id": id, "text": text }));
    for number in 0..30 {
        add(&format!("n{number}"), &text(100 + number, 0));
    }
    // One that changes, one that is removed as its duplicate, one that stays.
    add("witness-zanzibar", &secret(0));
    add("witness-zanzibar", &secret(1));
    add("copy-of-zanzibar", &secret(2));
    add("near", &text(7, 2));
    let decision = json!({ "a": "witness-zanzibar", "b": "near", "duplicate": true });
    assert_eq!(service.post("/api/decisions", &decision).status, 204);
    let remark =
        json!({ "a": "witness-zanzibar", "b": "near", "note": "quixotically put", "tags": ["zanzibarine"] });
    let noted = service.post("/api/review/remarks", &remark);
    assert!(noted.status < 300, "{}", noted.body_text());
    assert_eq!(service.post("/api/removals", &json!({ "filter": "" })).status, 200);
    assert_eq!(service.post("/api/admin/snapshot", &json!({})).status, 202);
    ended(&service);
    eventually("it is searched", || service.get("/api/search?q=quixotically").json()["total"] != json!(0));
    let words = ["zanzibarine", "quixotically", "witness-zanzibar", "copy-of-zanzibar"];
    let data = service.folder.path().to_owned();
    assert!(files_with(&data, &words).iter().any(|file| file.ends_with("review.log")), "noted");
    for part in ["index", "removals"] {
        assert!(!files_with(&data.join(part), &words).is_empty(), "{part} tells of them before");
    }
    assert!(!files_with(&place, &words).is_empty(), "and so does the snapshot");
    let task = erase(&service, &json!([{ "id": "witness-zanzibar" }, { "id": "copy-of-zanzibar" }]));
    assert_eq!((&task["task"], &task["state"]), (&json!("erase"), &json!("done")), "{task}");
    let found: Vec<String> = files_with(&data, &words);
    assert!(found.iter().all(|file| file.ends_with("audit.jsonl")), "{found:?}");
    assert!(!files_with(&data, &words[..2]).iter().any(|_| true), "no word of their texts");
    assert_eq!(files_with(&place, &words), Vec::<String>::new());
    assert_eq!(service.get("/api/search?q=quixotically").json()["total"], json!(0));
    assert_eq!(service.get("/api/documents/witness-zanzibar").status, 404);
    for number in 0..30 {
        assert_eq!(service.get(&format!("/api/documents/n{number}")).status, 200, "others stay");
    }
    eventually("others are found", || {
        let word = text(105, 0).split(' ').next().unwrap().to_owned();
        service.get(&format!("/api/search?q={word}")).json()["total"] == json!(1)
    });
}

#[test]
fn what_is_not_looked_into_has_to_go_first() {
    let service = start_with(|_| {});
    let kind = [("content-type", "application/x-ndjson")];
    let line = json!({ "id": "a", "text": text(1, 0) }).to_string();
    assert_eq!(
        send(service.address, "POST", "/api/uploads?name=c.jsonl", &kind, line.as_bytes()).status,
        200
    );
    let wish = json!({ "documents": [{ "id": "a" }] });
    assert_eq!(service.post("/api/admin/erase", &wish).code(), "held-by-jobs");
    assert_eq!(service.delete("/api/uploads?name=other").status, 404);
    assert_eq!(service.delete("/api/uploads?name=../tokens.json").status, 422);
    assert_eq!(service.delete("/api/uploads?name=c.jsonl").status, 204);
    assert_eq!(erase(&service, &json!([{ "id": "a" }]))["state"], "done", "nothing is fine, too");
    assert_eq!(service.post("/api/admin/erase", &json!({ "documents": [] })).status, 422);
}
