//! What the service does when its own files are not what they were.

use serde_json::json;

use crate::running::{Running, eventually, start, start_in, text};

fn add(service: &Running, id: &str, number: u64) {
    let document = json!({ "id": id, "text": format!("{} ferry", text(number, 0)) });
    assert_eq!(service.post("/api/documents", &document).status, 200);
}

fn resign(service: &Running, recipe: &str) {
    assert_eq!(service.post("/api/admin/resign", &json!({ "recipe": recipe })).status, 202, "{recipe}");
    eventually("it ends", || service.get("/api/admin/task").json()["state"] != "running");
    let task = service.get("/api/admin/task").json();
    assert_eq!(task["state"], "done", "{task}");
}

fn recipe_of(service: &Running) -> toml::Table {
    let head = std::fs::read(service.folder.path().join("index/index.json")).unwrap();
    let head: serde_json::Value = serde_json::from_slice(&head).unwrap();
    head["content"]["recipe"].as_str().unwrap().parse().unwrap()
}

#[test]
fn damage_is_no_fault_of_the_caller_and_the_service_is_not_ready() {
    let service = start();
    add(&service, "a", 1);
    add(&service, "b", 2);
    eventually("both are indexed", || {
        let reply = service.get("/api/search?q=ferry");
        reply.status == 200 && reply.json()["total"] == 2
    });
    let segment = service.folder.path().join("index/texts/000000");
    let whole = std::fs::read(&segment).unwrap();
    let mut bytes = whole.clone();
    bytes[whole.len() - 10] ^= 1;
    std::fs::write(&segment, bytes).unwrap();
    assert_eq!(service.get("/readyz").status, 200, "nobody has met it yet");
    assert_eq!(service.get("/api/documents/a").status, 200, "it is elsewhere");
    let check = json!({ "text": format!("{} ferry", text(2, 3)) });
    for reply in [
        service.get("/api/documents/b"),
        service.post("/api/check", &check),
        service.get("/api/search?q=ferry"),
        service.get("/api/pairs/a/b"),
    ] {
        assert_eq!((reply.status, reply.code().as_str()), (500, "damaged"), "{}", reply.head);
        let told = String::from_utf8(reply.body).unwrap();
        assert!(
            !told.contains(service.folder.path().to_str().unwrap()) && !told.contains("000000"),
            "{told}"
        );
    }
    let ready = service.get("/readyz");
    assert_eq!((ready.status, ready.code().as_str()), (503, "damaged"));
    assert_eq!(service.get("/healthz").status, 200);
    let metrics = String::from_utf8(service.get("/metrics").body).unwrap();
    let counted = metrics.lines().find_map(|line| line.strip_prefix("lookalike_damage_total ")).unwrap();
    assert!(counted.parse::<u64>().unwrap() >= 4, "{counted}");
    let line = format!("{}\n", json!({ "id": "c", "text": format!("{} ferry", text(2, 2)) }));
    let kind = [("content-type", "application/x-ndjson")];
    let bulk = crate::client::send(service.address, "POST", "/api/documents/bulk", &kind, line.as_bytes());
    assert_eq!(bulk.lines()[0]["error"]["code"], "damaged");
    // Restored from a copy, all is well after the next start.
    std::fs::write(&segment, whole).unwrap();
    let service = start_in(service.stopped(), |_| {});
    eventually("it is ready", || service.get("/readyz").status == 200);
    assert_eq!(service.get("/api/documents/b").status, 200);
}

#[test]
fn signing_again_starts_from_the_recipe_that_is_there() {
    let service = start();
    add(&service, "a", 1);
    resign(&service, "method = 'simhash'\n[keep]\nrule = 'newest'");
    let mut expected = recipe_of(&service);
    resign(&service, "[decide]\nthreshold = 0.9");
    expected.entry("decide").or_insert_with(|| toml::Table::new().into());
    expected["decide"].as_table_mut().unwrap().insert("threshold".to_owned(), 0.9.into());
    assert_eq!(recipe_of(&service), expected);
    resign(&service, "");
    assert_eq!(recipe_of(&service), expected, "nothing was asked for");
    resign(&service, "method = 'minhash'");
    assert_eq!(recipe_of(&service)["method"].as_str(), Some("minhash"));
}

#[test]
fn what_is_left_of_an_unfinished_resign_is_taken_for_whole_only_if_it_is() {
    let mut service = start();
    add(&service, "a", 1);
    resign(&service, "method = 'simhash'");
    let before = recipe_of(&service);
    let content = "{\n    \"recipe\": \"method = \\\"minhash\\\"\\n\"\n  }";
    let checksum = lookalike_core::hash::bytes(content.as_bytes());
    let whole = format!("{{\n  \"checksum\": \"{checksum:016x}\",\n  \"content\": {content}\n}}\n");
    let lengths = [0, 1, whole.len() / 2, whole.len() - 3].map(|length| ("resign.json", &whole[..length]));
    // Earlier versions wrote the recipe alone.
    let before_that = ["", "method = 'minhash'\n", "method"].map(|text| ("resign.toml", text));
    for (name, text) in lengths.into_iter().chain(before_that) {
        let folder = service.stopped();
        std::fs::write(folder.path().join(name), text).unwrap();
        service = start_in(folder, |_| {});
        let task = service.get("/api/admin/task").json();
        assert_eq!(
            (&task["state"], &task["error"]["code"]),
            (&json!("failed"), &json!("damaged")),
            "{name}: {text}"
        );
        assert_eq!(recipe_of(&service), before, "{name}: {text}");
        eventually("it is ready", || service.get("/readyz").status == 200);
        std::fs::remove_file(service.folder.path().join(name)).unwrap();
    }
    let folder = service.stopped();
    std::fs::write(folder.path().join("resign.json"), &whole).unwrap();
    let service = start_in(folder, |_| {});
    eventually("a whole one goes on", || service.get("/api/admin/task").json()["state"] == "done");
    assert_eq!(recipe_of(&service)["method"].as_str(), Some("minhash"));
    assert!(!service.folder.path().join("resign.json").exists());
}
