//! What documents have beside their texts, over HTTP.

use serde_json::{Value, json};

use crate::running::{Running, eventually, start, text};

fn page(id: &str, links: [&str; 3], images: [&str; 2]) -> Value {
    json!({ "id": id, "text": text(1, 0), "links": links, "images": images })
}

const LINKS: [[&str; 3]; 2] = [["/a", "/b", "/c"], ["/x", "/y", "/z"]];
const LOOKS: [[&str; 2]; 2] =
    [["00000000000000f1", "0f0f0f0f00000000"], ["ffff0000ffff0000", "123456789abcdef0"]];

#[test]
fn every_answer_tells_what_contradicts() {
    let service = start();
    assert_eq!(service.post("/api/documents", &page("a", LINKS[0], LOOKS[0])).status, 200);
    let apart = json!({ "images": 0.0, "links": 0.0, "contradict": ["images", "links"] });
    let checked = service.post("/api/check", &page("x", LINKS[1], LOOKS[1])).json();
    assert_eq!((&checked["verdict"], &checked["matches"][0]["streams"]), (&json!("duplicate"), &apart));
    let added = service.post("/api/documents", &page("b", LINKS[1], LOOKS[1])).json();
    assert_eq!(added["matches"][0]["streams"], apart);
    let near =
        service.post("/api/check", &page("x", LINKS[0], ["00000000000000f3", "0f0f0f0f00000000"])).json();
    let of = |id: &str| {
        near["matches"].as_array().unwrap().iter().find(|one| one["id"] == id).unwrap()["streams"].clone()
    };
    assert_eq!(
        of("a"),
        json!({ "images": 1.0, "links": 1.0 }),
        "an image that looks nearly the same is the same"
    );
    assert_eq!(of("b"), apart);
    assert_eq!(service.get("/api/pairs/a/b").json()["streams"], apart);
    assert_eq!(service.get("/api/clusters/a").json()["members"][0]["streams"], apart);
    let picked = |filter: &str| service.get(&format!("/api/survey/clusters?filter={filter}")).json();
    let all = picked("contradicts:images");
    assert_eq!(all["clusters"].as_array().map(Vec::len), Some(1), "{all}");
    let none = picked("contradicts:metadata");
    assert_eq!(none["clusters"].as_array().map(Vec::len), Some(0), "{none}");
    let stored = service.get("/api/documents/a").json();
    assert_eq!(stored["document"]["links"], json!(LINKS[0]), "as it was sent");
}

fn resign(service: &Running, recipe: &str) {
    assert_eq!(service.post("/api/admin/resign", &json!({ "recipe": recipe })).status, 202, "{recipe}");
    eventually("it is signed again", || service.get("/api/admin/task").json()["state"] == "done");
}

#[test]
fn rules_hold_for_documents_that_were_there_before() {
    let service = start();
    for (id, kind) in [("a", 0), ("b", 1)] {
        assert_eq!(service.post("/api/documents", &page(id, LINKS[kind], LOOKS[kind])).status, 200);
    }
    let size = || service.get("/api/clusters/a").json()["size"].clone();
    assert_eq!(size(), 2);
    resign(&service, "[decide]\nstreams = ['links']");
    assert_eq!(size(), 1);
    let verdict = service.get("/api/pairs/a/b").json()["methods"][0]["verdict"].clone();
    assert_eq!(verdict, "kept-apart");
}

#[test]
fn images_alone_are_a_document() {
    let service = start();
    let photo = |id: &str, looks: [&str; 2]| json!({ "id": id, "images": looks });
    let told = service.post("/api/check", &photo("x", LOOKS[0])).json();
    assert_eq!(told["verdict"], "unreadable");
    assert!(told["reason"].as_str().unwrap().contains("features.without_text"), "{told}");
    resign(&service, "[features]\nwithout_text = 'images'");
    for (id, kind) in [("a", 0), ("b", 1)] {
        assert_eq!(service.post("/api/documents", &photo(id, LOOKS[kind])).json()["verdict"], "new");
    }
    let found = service.post("/api/check", &photo("x", LOOKS[1])).json();
    assert_eq!((&found["verdict"], &found["matches"][0]["id"]), (&json!("duplicate"), &json!("b")));
}

#[test]
fn what_is_no_list_is_refused() {
    let service = start();
    for (name, wrong) in [("images", json!(5)), ("links", json!({ "a": 1 })), ("links", json!(true))] {
        let mut document = page("a", LINKS[0], LOOKS[0]);
        document[name] = wrong;
        let reply = service.post("/api/documents", &document);
        assert_eq!((reply.status, reply.code()), (422, "bad-document".to_owned()), "{name}");
    }
    let nothing = json!({ "id": "a", "links": ["/a"] });
    assert_eq!(service.post("/api/documents", &nothing).code(), "bad-document", "links alone are none");
    let mut odd = page("odd", LINKS[0], LOOKS[0]);
    odd["images"] = json!(["", null, {}, [1, [2]], 3, { "look": 4 }]);
    odd["links"] = json!((0..100_000).map(|link| format!("/{link}")).collect::<Vec<_>>());
    assert_eq!(service.post("/api/documents", &odd).status, 200);
    assert_eq!(service.post("/api/check", &odd).json()["verdict"], "duplicate");
}
