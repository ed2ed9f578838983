//! Snapshots of a service that goes on, restored to one that answers the same.

use std::path::Path;

use serde_json::{Value, json};

use crate::running::{Running, eventually, session, start_in, start_with, text, token};

fn snapshots(service: &Running) -> Vec<Value> {
    service.get("/api/admin/snapshots").json()["snapshots"].as_array().unwrap().clone()
}

fn ended(service: &Running) -> Value {
    eventually("the task ends", || service.get("/api/admin/task").json()["state"] != "running");
    service.get("/api/admin/task").json()
}

/// What a service says of all documents, pairs and decisions.
fn answers(service: &Running) -> Vec<String> {
    let paths = ["/api/decisions", "/api/clusters?limit=100", "/api/removals"];
    let mut all: Vec<String> = paths.iter().map(|path| service.get(path).body_text()).collect();
    for number in 0..60 {
        all.push(service.get(&format!("/api/documents/{number}")).body_text());
        let asked = json!({ "text": text(number / 2, 1) });
        all.push(service.post("/api/check?limit=50", &asked).body_text());
    }
    all
}

fn restore(place: &Path, name: Option<&str>, folder: &Path) {
    let repository = lookalike::index::Repository::open(place.to_str().unwrap()).unwrap();
    let snapshot = repository.find(name).unwrap();
    let found = session().restore_snapshot(&repository, &snapshot, folder, |_| Ok(())).unwrap();
    assert_eq!(found.damage, Vec::<String>::new());
}

#[test]
fn a_restored_service_answers_as_the_first_one_did() {
    let kept = tempfile::tempdir().unwrap();
    let place = kept.path().join("snapshots");
    let service = start_with(|config| {
        config.snapshots = Some(place.to_str().unwrap().to_owned());
        config.snapshot_keep = Some(2);
    });
    assert_eq!(snapshots(&service), Vec::<Value>::new());
    for number in 0..60 {
        let document = json!({ "id": number, "text": text(number / 2, number as usize % 2) });
        assert_eq!(service.post("/api/documents", &document).status, 200);
    }
    service.post("/api/decisions", &json!({ "a": 2, "b": 3, "verdict": "no" }));
    let removed = service.post("/api/removals", &json!({ "filter": "" }));
    assert_eq!(removed.status, 200, "{}", removed.body_text());
    assert!(removed.json()["documents"].as_u64().unwrap() > 0);
    let before = answers(&service);
    assert_eq!(service.post("/api/admin/snapshot", &json!({})).status, 202);
    let task = ended(&service);
    assert_eq!((&task["task"], &task["state"]), (&json!("snapshot"), &json!("done")), "{task}");
    let first = snapshots(&service)[0]["snapshot"].as_str().unwrap().to_owned();
    // What comes later is not in it.
    service.post("/api/documents", &json!({ "id": "late", "text": text(900, 0) }));
    for _ in 0..2 {
        assert_eq!(service.post("/api/admin/snapshot", &json!({})).status, 202);
        ended(&service);
    }
    assert_eq!(snapshots(&service).len(), 2, "so many are kept");
    assert!(snapshots(&service).iter().all(|one| one["snapshot"] != first.as_str()));
    service.delete("/api/documents/late");
    assert_eq!(service.post("/api/admin/snapshot", &json!({})).status, 202);
    ended(&service);
    let again = tempfile::tempdir().unwrap();
    restore(&place, None, again.path());
    let restored = start_in(again, |_| {});
    assert_eq!(answers(&restored), before);
    let number = &service.get("/api/removals").json()["removals"][0]["removal"].clone();
    let undo = format!("/api/removals/{number}/undo");
    assert_eq!(restored.post(&undo, &json!({})).json()["undone"], true, "removals can still be undone");
}

#[test]
fn snapshots_need_a_place_and_an_admin() {
    let service = start_with(|_| {});
    assert_eq!(service.post("/api/admin/snapshot", &json!({})).code(), "no-snapshots");
    assert_eq!(service.get("/api/admin/snapshots").code(), "no-snapshots");
    let folder = tempfile::tempdir().unwrap();
    let writer = token(folder.path(), "writer", "write", None);
    let service = start_in(folder, |_| {});
    let refused = service.by(&writer, "POST", "/api/admin/snapshot", Some(&json!({})));
    assert_eq!(refused.code(), "forbidden");
}

#[test]
fn one_is_taken_by_itself_and_not_again_after_a_restart() {
    let kept = tempfile::tempdir().unwrap();
    let place = kept.path().join("snapshots").to_str().unwrap().to_owned();
    let configure = |config: &mut lookalike_server::Config| {
        config.snapshots = Some(place.clone());
        config.snapshot_every = Some(std::time::Duration::from_secs(3600));
    };
    let service = start_with(configure);
    eventually("the first one is taken", || !snapshots(&service).is_empty());
    ended(&service);
    let service = start_in(service.stopped(), configure);
    eventually("it was looked whether one is due", || {
        service.get("/api/admin/task").json()["task"] == "snapshot"
    });
    ended(&service);
    assert_eq!(snapshots(&service).len(), 1);
}
