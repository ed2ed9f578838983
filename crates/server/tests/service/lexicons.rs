//! The native lexicon of the index: counted on demand, by itself, and told.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use serde_json::{Value, json};

use crate::client::Reply;
use crate::running::{Running, eventually, start, start_in, text, token};

const NATIVE: &str =
    "method = 'imatch'\n[features]\nmin_length = 1\n[sign]\nlexicon = 'native'\nlow = 0\nhigh = 1";

fn add(service: &Running, id: u64, number: u64) -> Reply {
    service.post("/api/documents", &json!({ "id": format!("d{id}"), "text": text(number, 0) }))
}

fn resign(service: &Running, recipe: &str) -> Reply {
    service.post("/api/admin/resign", &json!({ "recipe": recipe }))
}

fn ended(service: &Running) -> Value {
    eventually("it ends", || service.get("/api/admin/task").json()["state"] != "running");
    service.get("/api/admin/task").json()
}

fn lexicon(service: &Running) -> Value {
    service.get("/api/stats").json()["lexicons"][0].clone()
}

#[test]
fn a_native_lexicon_is_counted_over_http_and_used_everywhere() {
    let service = start();
    let refused = resign(&service, NATIVE);
    assert_eq!((refused.status, refused.code().as_str()), (422, "unusable"), "there is nothing to count");
    (0..12).for_each(|id| assert_eq!(add(&service, id, id / 2).status, 200));
    assert_eq!(lexicon(&service), Value::Null, "minhash has none");
    assert_eq!(resign(&service, NATIVE).status, 202);
    assert_eq!(ended(&service)["state"], "done");
    let native = lexicon(&service);
    assert_eq!(
        (&native["name"], &native["kind"], &native["documents"], &native["documents_since"]),
        (&json!("native"), &json!("native"), &json!(12), &json!(0)),
        "{native}"
    );
    assert!(native["counted"].as_u64().is_some_and(|time| time > 1_700_000_000), "{native}");
    assert_eq!(native["refresh"], json!({ "refreshes": 0, "running": false, "due": false }));
    // Whatever builds the recipe of the index finds its lexicon.
    assert_eq!(service.get("/api/pairs/d0/d1").json()["methods"][0]["method"], "imatch");
    assert_eq!(service.post("/api/profile", &json!({ "id": "d0" })).status, 200);
    let set = json!({ "id": "d0", "method": "simhash", "set": { "features.lexicon": "native" } });
    assert_eq!(service.post("/api/profile", &set).status, 200);
    assert_eq!(service.post("/api/check", &json!({ "text": text(0, 0) })).json()["verdict"], "duplicate");
    add(&service, 20, 99);
    assert_eq!(lexicon(&service)["unknown_terms"], 1.0);
    assert_eq!(resign(&service, "").status, 202);
    assert_eq!(ended(&service)["state"], "done");
    let again = lexicon(&service);
    assert_eq!((&again["documents"], again.get("unknown_terms")), (&json!(13), None), "{again}");
    // After a restart all is as it was, in a folder of another name.
    let before = service.get("/api/stats").json();
    let service = start_in(service.stopped(), |_| {});
    assert_eq!(service.get("/api/stats").json()["lexicons"], before["lexicons"]);
    assert_eq!(resign(&service, "[sign]\nlexicon = 'none'").status, 422);
}

/// While the lexicon is counted again and all is signed again, documents come and are asked for.
#[test]
fn a_lexicon_is_counted_again_by_itself_under_load() {
    let service = start();
    (0..300).for_each(|id| assert_eq!(add(&service, id, id).status, 200));
    assert_eq!(resign(&service, NATIVE).status, 202);
    assert_eq!(ended(&service)["state"], "done");
    let service = start_in(service.stopped(), |config| config.set("refresh_after", "50").unwrap());
    assert_eq!(lexicon(&service)["refresh"]["documents_left"], 50);
    let (is_over, added) = (AtomicBool::new(false), AtomicU64::new(300));
    std::thread::scope(|scope| {
        scope.spawn(|| {
            while !is_over.load(Ordering::Relaxed) {
                let id = added.fetch_add(1, Ordering::Relaxed);
                assert_eq!(add(&service, id, id).status, 200);
                let found = service.post("/api/check", &json!({ "text": text(id, 0) }));
                assert_eq!(found.json()["matches"][0]["id"], format!("d{id}"), "{}", found.json());
                std::thread::sleep(std::time::Duration::from_millis(2));
            }
        });
        let refreshes = || lexicon(&service)["refresh"]["refreshes"].as_u64().unwrap_or_default();
        let outcome = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| {
            eventually("it is counted twice", || refreshes() >= 2);
        }));
        is_over.store(true, Ordering::Relaxed);
        outcome.unwrap();
    });
    let task = ended(&service);
    assert_eq!((&task["task"], &task["state"]), (&json!("refresh"), &json!("done")), "{task}");
    let (stats, added) = (service.get("/api/stats").json(), added.into_inner());
    let native = &stats["lexicons"][0];
    assert_eq!(stats["documents"], added);
    let told = native["documents"].as_u64().unwrap() + native["documents_since"].as_u64().unwrap();
    assert_eq!(told, added, "each document is counted or came since: {native}");
    assert!(native["documents"].as_u64().unwrap() > 350, "{native}");
}

#[test]
fn restricted_callers_see_nothing_of_the_lexicon() {
    let service = start();
    (0..4).for_each(|id| assert_eq!(add(&service, id, id).status, 200));
    assert_eq!(resign(&service, NATIVE).status, 202);
    assert_eq!(ended(&service)["state"], "done");
    let folder = service.stopped();
    let (all, red) =
        (token(folder.path(), "all", "read", None), token(folder.path(), "red", "read", Some(&["red"])));
    let service = start_in(folder, |_| {});
    let lexicons = |token: &str| service.by(token, "GET", "/api/stats", None).json().get("lexicons").cloned();
    assert_eq!(lexicons(&all).unwrap()[0]["documents"], 4);
    assert_eq!(lexicons(&red), None);
}

/// A job over the index's own documents hands over its lexicon as what it is: one that is counted from the index.
#[test]
fn the_native_lexicon_of_a_job_is_adopted_as_that_of_the_index() {
    let service = start();
    (0..6).for_each(|id| assert_eq!(add(&service, id, id / 2).status, 200));
    let lines = format!("{}\n", json!({ "id": 1, "text": text(1, 0) }));
    let kind = [("content-type", "application/x-ndjson")];
    crate::client::send(service.address, "POST", "/api/uploads?name=mine.jsonl", &kind, lines.as_bytes());
    for (testing, kind, name) in [
        (json!({ "index": true }), "native", "native"),
        (json!({ "uploads": ["mine.jsonl"] }), "file", "job-2"),
    ] {
        let wish = json!({ "kind": "dedup", "testing": testing, "recipe": NATIVE });
        let path = format!("/api/jobs/{}", service.post("/api/jobs", &wish).json()["id"]);
        eventually("the job ends", || service.get(&path).json()["finished"].is_number());
        let adopt = service.post(&format!("{path}/adopt"), &json!({}));
        assert_eq!(adopt.status, 202, "{}", adopt.json());
        assert_eq!(ended(&service)["state"], "done");
        assert_eq!(service.get(&path).json()["adopted"], true);
        let told = lexicon(&service);
        assert_eq!((&told["kind"], &told["name"]), (&json!(kind), &json!(name)), "{told}");
    }
}
