//! Documents: in, found, read, changed, out.

use serde_json::{Value, json};

use crate::client::send;
use crate::running::{start, text};

#[test]
fn a_document_goes_in_is_found_and_goes_out() {
    let service = start();
    let document = json!({ "id": "a", "text": text(1, 0), "title": "One", "url": "http://x/1", "time": 5,
        "fields": { "site": "x", "big": 12345678901234567890u64 } });
    let added = service.post("/api/documents", &document);
    assert_eq!(added.status, 200);
    let answer = added.json();
    assert_eq!(
        (&answer["verdict"], &answer["action"], &answer["id"]),
        (&json!("new"), &json!("inserted"), &json!("a"))
    );
    let near = service.post("/api/check?passages=true", &json!({ "text": text(1, 2) })).json();
    assert_eq!((&near["verdict"], &near["action"]), (&json!("near-duplicate"), &json!("checked")));
    assert_eq!(near["matches"][0]["id"], "a");
    assert!(near["matches"][0]["similarity"].as_f64().unwrap() > 0.8);
    assert!(near["matches"][0]["passages"].is_array());
    assert_eq!((&near["text"], &near["matches"][0]["title"]), (&json!(text(1, 2)), &json!("One")));
    let same = service.post("/api/check", &json!({ "text": text(1, 0) })).json();
    assert_eq!(same["verdict"], "duplicate");
    assert!(same["matches"][0].get("passages").is_none(), "only when asked for");
    assert!(same.get("text").is_none() && same["matches"][0].get("title").is_none(), "{same}");
    let again =
        service.post("/api/documents?passages=true", &json!({ "id": "b", "text": text(1, 2) })).json();
    assert_eq!(again["matches"][0]["title"], "One");
    assert!(again.get("text").is_none(), "what was inserted can be read again");
    assert_eq!(service.delete("/api/documents/b").status, 204);
    let stored = service.get("/api/documents/a").json();
    assert_eq!(stored["document"]["text"], text(1, 0));
    assert_eq!(stored["document"]["site"], "x", "fields are laid beside the others");
    assert_eq!(stored["document"]["big"].to_string(), "12345678901234567890");
    assert_eq!(service.delete("/api/documents/a").status, 204);
    assert_eq!(service.get("/api/documents/a").code(), "not-found");
    assert_eq!(service.delete("/api/documents/a").status, 404);
    assert_eq!(service.post("/api/check", &json!({ "text": text(1, 0) })).json()["verdict"], "new");
}

#[test]
fn policies_decide_what_becomes_of_a_near_duplicate() {
    let service = start();
    let add = |query: &str, id: &str, changed| {
        service.post(&format!("/api/documents{query}"), &json!({ "id": id, "text": text(2, changed) })).json()
    };
    assert_eq!(add("", "a", 0)["action"], "inserted");
    assert_eq!(add("?policy=reject", "b", 1)["action"], "rejected");
    assert_eq!(service.get("/api/documents/b").status, 404);
    assert_eq!(add("?policy=report", "b", 1)["action"], "inserted");
    let limited = add("?policy=report&limit=1", "c", 2);
    assert_eq!((limited["matches"].as_array().unwrap().len(), &limited["matching"]), (1, &json!(2)));
    let with_ttl = add("?ttl=1000", "d", 3);
    assert_eq!(with_ttl["action"], "inserted");
    assert!(service.get("/api/documents/d").json()["expires"].as_u64().is_some());
    for wrong in ["?policy=burn", "?limit=0", "?limit=x", "?ttl=0", "?nonsense=1", "?passages=2"] {
        let reply = service.post(&format!("/api/documents{wrong}"), &json!({ "id": "e", "text": "x" }));
        assert_eq!((reply.status, reply.code().as_str()), (400, "bad-request"), "{wrong}");
    }
}

#[test]
fn a_known_id_is_a_new_version() {
    let service = start();
    for changed in [0, 2] {
        service.post("/api/documents", &json!({ "id": "page", "text": text(3, changed) }));
    }
    let history = service.get("/api/documents/page/history").json();
    let versions = history["versions"].as_array().unwrap();
    assert_eq!(versions.len(), 2);
    let print = |version: &Value| u64::from_str_radix(version["fingerprint"].as_str().unwrap(), 16).unwrap();
    let bits = (print(&versions[0]) ^ print(&versions[1])).count_ones();
    assert!(bits > 0);
    assert_eq!((&versions[0]["distance"], &versions[1]["distance"]), (&json!(null), &json!(bits)));
    assert_eq!(versions[0]["difference"], json!(null));
    assert!(versions[1]["difference"].as_array().is_some_and(|kinds| !kinds.is_empty()), "{history}");
    let back = service.post("/api/documents", &json!({ "id": "page", "text": text(3, 0) })).json();
    assert_eq!(back["version"]["fingerprint"], versions[0]["fingerprint"]);
    assert_eq!(back["version"]["came_back_to"], versions[0]["time"]);
    assert!(history["recrawl"]["interval"].as_u64().is_some());
    assert_eq!(service.get("/api/documents/none/history").code(), "not-found");
}

#[test]
fn a_name_in_a_path_is_text_first_and_a_number_second() {
    let service = start();
    service.post("/api/documents", &json!({ "id": 17, "text": text(4, 0) }));
    assert_eq!(service.get("/api/documents/17").json()["id"], 17);
    service.post("/api/documents", &json!({ "id": "17", "text": text(5, 0) }));
    assert_eq!(service.get("/api/documents/17").json()["id"], "17");
    assert_eq!(service.delete("/api/documents/17").status, 204);
    assert_eq!(service.get("/api/documents/17").json()["id"], 17, "the number is still there");
    let odd = "a/b c?d#é\"%";
    service.post("/api/documents", &json!({ "id": odd, "text": text(6, 0) }));
    assert_eq!(service.get("/api/documents/a%2Fb%20c%3Fd%23%C3%A9%22%25").json()["id"], odd);
    assert_eq!(service.get("/api/documents/%ff").code(), "bad-request");
    for outside in ["/api/documents/..%2f..%2ftokens.json", "/api/documents/../../tokens.json"] {
        assert_eq!(service.get(outside).status, 404, "{outside}");
    }
}

#[test]
fn a_line_of_a_corpus_is_a_document() {
    let service = start();
    let line = json!({ "id": "a", "text": "one two three", "site": "x", "size": 12345678901234567890u64,
        "labels": null, "fields": { "kind": "y" } });
    assert_eq!(service.post("/api/documents", &line).json()["action"], "inserted");
    let stored = service.get("/api/documents/a").json();
    assert_eq!(
        stored["document"],
        json!({ "id": "a", "text": "one two three", "site": "x", "size": 12345678901234567890u64, "kind": "y" })
    );
}

#[test]
fn what_is_no_document_is_told_in_one_sentence() {
    let service = start();
    for (document, expected) in [
        (json!({ "id": "a" }), "`text` or `content` is missing"),
        (json!({ "id": "a", "text": "x", "content": "eA==" }), "not both"),
        (json!({ "text": "x" }), "`id` is missing"),
        (json!({ "id": "", "text": "x" }), "`id` must be"),
        (json!({ "id": [1], "text": "x" }), "`id` must be"),
        (json!({ "id": "a".repeat(2000), "text": "x" }), "`id` must be"),
        (json!({ "id": "a", "text": 7 }), "`text` must be text"),
        (json!({ "id": "a", "text": "x", "time": [] }), "`time` must be"),
        (json!({ "id": "a", "text": "x", "labels": "x" }), "invalid type"),
        (json!({ "id": "a", "text": "x", "labels": [""] }), "`labels` must be"),
        (json!({ "id": "a", "text": "x", "fields": { "set": 1 } }), "must not have `set`"),
        (
            json!({ "id": "a", "text": "x", "colour": 1, "fields": { "colour": 2 } }),
            "`colour` stands there twice",
        ),
        (json!({ "id": "a", "content": "!" }), "not base64"),
        (json!([]), ""),
        (json!("text"), ""),
    ] {
        let reply = service.post("/api/documents", &document);
        assert_eq!((reply.status, reply.code().as_str()), (422, "bad-document"), "{document}");
        let message = reply.json()["error"]["message"].to_string();
        assert!(message.contains(expected), "{document}: {message}");
    }
    let kind = [("content-type", "application/json; charset=utf-8")];
    for broken in ["", "{", "{\"id\":1,}", "\u{0}", "{\"text\":\"\\ud800\"}"] {
        let reply = send(service.address, "POST", "/api/documents", &kind, broken.as_bytes());
        assert!(matches!(reply.status, 400 | 422), "{broken}: {}", reply.status);
        reply.code();
    }
    assert_eq!(service.get("/api/stats").json()["documents"], 0);
}

#[test]
fn a_file_that_cannot_be_read_is_never_a_match() {
    let service = start();
    let file = json!({ "id": "f", "content": "JVBERi0xLjQK" });
    let checked = service.post("/api/check", &file).json();
    assert_eq!(
        (&checked["verdict"], &checked["action"], &checked["id"]),
        (&json!("unreadable"), &json!("checked"), &json!("f"))
    );
    assert!(checked["reason"].as_str().unwrap().contains("failed"), "{checked}");
    assert_eq!(service.post("/api/documents", &file).json()["action"], "rejected");
    assert_eq!(service.get("/api/documents/f").status, 404);
    let message = b"From: a@example.org\r\nSubject: x\r\n\r\nhello\r\n";
    let reply = send(service.address, "POST", "/api/check", &[("content-type", "message/rfc822")], message);
    assert_eq!(reply.json()["verdict"], "unreadable");
}
