//! What the service knows beyond single documents: clusters, pairs, decisions, methods, itself.

use serde_json::json;

use crate::client::send;
use crate::running::{Running, eventually, start, text};

fn with_clusters() -> Running {
    let service = start();
    for (id, number, changed) in [("a1", 1, 0), ("a2", 1, 1), ("b1", 2, 0), ("b2", 2, 1), ("c", 3, 0)] {
        let reply = service.post("/api/documents", &json!({ "id": id, "text": text(number, changed) }));
        assert_eq!(reply.json()["action"], "inserted");
    }
    service
}

#[test]
fn clusters_come_by_pages() {
    let service = with_clusters();
    let first = service.get("/api/clusters?limit=1").json();
    assert_eq!(first["clusters"].as_array().unwrap().len(), 1);
    let next = first["next"].as_str().unwrap().replace('"', "%22");
    let second = service.get(&format!("/api/clusters?limit=1&after={next}")).json();
    assert_ne!(first["clusters"][0]["master"], second["clusters"][0]["master"]);
    assert_eq!(second["next"], json!(null));
    let all = service.get("/api/clusters").json();
    assert_eq!(all["clusters"].as_array().unwrap().len(), 2);
    let one = service.get("/api/clusters/a2").json();
    assert_eq!((&one["size"], one["members"].as_array().unwrap().len()), (&json!(2), 1));
    assert_eq!(service.get("/api/clusters/c").json()["size"], 1);
    assert_eq!(service.get("/api/clusters/none").code(), "not-found");
    for wrong in ["?after=x", "?after=%5B%5D", "?limit=1001"] {
        assert_eq!(service.get(&format!("/api/clusters{wrong}")).code(), "bad-request", "{wrong}");
    }
}

#[test]
fn a_pair_is_explained_with_what_people_decided() {
    let service = with_clusters();
    let pair = service.get("/api/pairs/a1/a2").json();
    assert_eq!(pair["identical"], false);
    assert_eq!(pair["methods"][0]["verdict"], "near-duplicate");
    assert!(!pair["measures"].as_array().unwrap().is_empty());
    assert_eq!(pair["passages"][0]["words"], 79);
    assert_eq!(pair["decision"], json!(null));
    let decide =
        |duplicate| service.post("/api/decisions", &json!({ "a": "a1", "b": "a2", "duplicate": duplicate }));
    assert_eq!(decide(json!(false)).status, 204);
    let decision = &service.get("/api/pairs/a2/a1").json()["decision"];
    assert_eq!((&decision["duplicate"], &decision["by"]), (&json!(false), &json!("local")));
    let listed = service.get("/api/decisions").json();
    assert_eq!(listed["decisions"].as_array().unwrap().len(), 1);
    assert_eq!(
        listed["decisions"][0]["a_text"], decision["b_text"],
        "the pair was asked for the other way round"
    );
    assert_ne!(listed["decisions"][0]["a_text"], listed["decisions"][0]["b_text"]);
    assert_eq!(decide(json!(null)).status, 204);
    assert_eq!(service.get("/api/decisions").json()["decisions"], json!([]));
    assert_eq!(decide(json!("yes")).status, 422);
    for (decision, status) in [
        (json!({ "a": "a1", "b": "none", "duplicate": true }), 404),
        (json!({ "a": "a1", "b": "a1", "duplicate": true }), 422),
        (json!({ "a": "a1", "b": "a2" }), 422),
        (json!({ "a": {}, "b": "a2", "duplicate": true }), 422),
    ] {
        assert_eq!(service.post("/api/decisions", &decision).status, status, "{decision}");
    }
    assert_eq!(service.get("/api/pairs/a1/none").code(), "not-found");
}

#[test]
fn a_decision_is_told_as_long_as_somebody_has_the_text() {
    let service = with_clusters();
    let add = |id: &str, number, changed| {
        let document = json!({ "id": id, "text": text(number, changed) });
        assert_eq!(service.post("/api/documents", &document).status, 200);
    };
    let decision = json!({ "a": "a1", "b": "a2", "duplicate": false });
    assert_eq!(service.post("/api/decisions", &decision).status, 204);
    let told = || service.get("/api/decisions").json()["decisions"].clone();
    add("copy", 1, 1);
    add("a2", 4, 0);
    assert_eq!(told()[0]["b"], "copy", "it has the text that was decided of");
    assert_eq!(service.get("/api/pairs/a1/a2").json()["decision"], json!(null), "the text is another now");
    assert_eq!(service.get("/api/pairs/a1/copy").json()["decision"]["duplicate"], false);
    add("copy", 5, 0);
    assert_eq!(told(), json!([]));
    add("a2", 1, 1);
    assert_eq!(told()[0]["b"], "a2", "what was decided is remembered");
}

#[test]
fn the_service_tells_what_it_can_and_holds() {
    let service = with_clusters();
    let methods = service.get("/api/methods").json();
    assert!(methods["methods"].as_array().unwrap().iter().any(|method| method["name"] == "minhash"));
    assert!(methods["parts"].as_array().unwrap().iter().any(|part| part["stage"] == "sign"));
    let learners = methods["learners"].as_array().unwrap();
    assert_eq!((&learners[0]["name"], learners.len()), (&json!("best"), 8), "{learners:?}");
    for learner in learners {
        assert!(learner["about"].as_str().is_some_and(|about| !about.is_empty()), "{learner}");
        let truth = json!({ "cluster_field": "topic" });
        let wish = json!({ "kind": "train", "training": { "index": true }, "truth": truth, "classifier": learner["name"] });
        assert_eq!(service.post("/api/jobs", &wish).status, 202, "what is told can be asked for: {wish}");
    }
    assert_eq!(service.get("/api/lexicons").json()["lexicons"][0]["name"], "english");
    let stats = service.get("/api/stats").json();
    assert_eq!((&stats["documents"], &stats["method"]), (&json!(5), &json!("minhash")));
    assert_eq!(service.get("/healthz").json()["status"], "ok");
    eventually("it is ready", || service.get("/readyz").json()["status"] == "ok");
}

#[test]
fn metrics_count_what_happened() {
    let service = with_clusters();
    service.get("/api/documents/none");
    service.get("/no/such/path");
    let metrics = service.get("/metrics");
    assert!(metrics.header("content-type").unwrap().starts_with("text/plain"));
    let text = String::from_utf8(metrics.body).unwrap();
    for line in [
        "lookalike_requests_total{method=\"POST\",route=\"/api/documents\",status=\"200\"} 5",
        "lookalike_requests_total{method=\"GET\",route=\"/api/documents/{id}\",status=\"404\"} 1",
        "lookalike_requests_total{method=\"GET\",route=\"none\",status=\"404\"} 1",
        "lookalike_request_seconds_count{method=\"POST\",route=\"/api/documents\"} 5",
        "lookalike_documents 5",
        "lookalike_work_waiting 0",
    ] {
        assert!(text.lines().any(|told| told == line), "{line} in\n{text}");
    }
}

#[test]
fn maintenance_runs_in_the_background_one_at_a_time() {
    let service = with_clusters();
    assert_eq!(service.get("/api/admin/task").code(), "not-found");
    let done = |name: &str| {
        eventually("the task ends", || service.get("/api/admin/task").json()["state"] != "running");
        let task = service.get("/api/admin/task").json();
        assert_eq!((&task["task"], &task["state"]), (&json!(name), &json!("done")), "{task}");
    };
    assert_eq!(service.post("/api/admin/compact", &json!({})).status, 202);
    done("compact");
    let recipe = json!({ "recipe": "method = 'minhash'\n[decide]\nthreshold = 0.7" });
    let started = service.post("/api/admin/resign", &recipe);
    assert_eq!((started.status, &started.json()["task"]), (202, &json!("resign")));
    done("resign");
    assert_eq!(service.get("/api/pairs/a1/a2").json()["methods"][0]["threshold"], 0.7);
    for wrong in ["method = 'none'", "[sign]\nlexicon = '/etc/passwd'", "=", "[features]\nshingle = -1"] {
        let reply = service.post("/api/admin/resign", &json!({ "recipe": wrong }));
        assert_eq!((reply.status, reply.code().as_str()), (422, "unusable"), "{wrong}");
    }
    // A page of a stranger cannot set this type without asking first.
    for kind in ["text/plain", "application/x-www-form-urlencoded", ""] {
        let headers = [("content-type", kind)];
        assert_eq!(send(service.address, "POST", "/api/admin/compact", &headers, b"").status, 415, "{kind}");
    }
}
