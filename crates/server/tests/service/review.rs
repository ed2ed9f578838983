//! The queue of pairs, notes, batches and agreement, as people meet them.

use std::collections::BTreeSet;

use serde_json::{Value, json};

use crate::running::{Running, eventually, start, start_in, text, token};

/// Families of documents: each has a first one and others that differ from it in 1 to `others` words, and a copy of
/// each.
fn fill(service: &Running, bearer: Option<&str>, families: u64, others: usize) {
    for family in 0..families {
        for changed in 0..=others {
            for copy in ["", "-copy"] {
                let document =
                    json!({ "id": format!("f{family}-{changed}{copy}"), "text": text(family, changed) });
                let reply = match bearer {
                    None => service.post("/api/documents", &document),
                    Some(token) => service.by(token, "POST", "/api/documents", Some(&document)),
                };
                assert_eq!(reply.status, 200);
            }
        }
    }
}

fn pairs(queue: &Value) -> Vec<(String, String)> {
    let id = |side: &Value| side["id"].as_str().unwrap().to_owned();
    queue["pairs"].as_array().unwrap().iter().map(|pair| (id(&pair["a"]), id(&pair["b"]))).collect()
}

fn decide(service: &Running, (a, b): &(String, String), duplicate: Option<bool>) {
    let reply = service.post("/api/decisions", &json!({ "a": a, "b": b, "duplicate": duplicate }));
    assert_eq!(reply.status, 204, "{a} {b}");
}

/// Page after page everything is met once, also while people decide.
#[test]
fn the_queue_is_gone_through_page_by_page() {
    let service = start();
    fill(&service, None, 5, 3);
    let all = service.get("/api/review/next?limit=1000").json();
    assert_eq!((&all["left"], &all["total"], &all["next"]), (&json!(15), &json!(15), &json!(null)));
    let first = &all["pairs"][0];
    assert_eq!((&first["a"]["copies"], &first["size"]), (&json!(2), &json!(8)), "{first}");
    let similarities: Vec<f64> =
        all["pairs"].as_array().unwrap().iter().map(|pair| pair["similarity"].as_f64().unwrap()).collect();
    assert!(similarities.is_sorted(), "the closest to the threshold first: {similarities:?}");
    let (mut met, mut after, mut pages) = (Vec::new(), String::new(), 0);
    loop {
        let path = format!("/api/review/next?limit=4{after}");
        let page = service.get(&path).json();
        let here = pairs(&page);
        // One of each page is decided, one the other way, the others are skipped.
        decide(&service, &here[0], Some(true));
        if let Some(second) = here.get(1) {
            decide(&service, second, Some(false));
        }
        met.extend(here);
        pages += 1;
        let Some(next) = page["next"].as_str() else { break };
        after = format!("&after={}", percent(next));
    }
    assert_eq!(pages, 4);
    let different: BTreeSet<_> = met.iter().cloned().collect();
    assert_eq!(different.len(), met.len(), "none twice");
    assert!(pairs(&all).iter().all(|pair| different.contains(pair)), "none left out");
    // What was decided is gone from the queue, and is there again when it is taken back.
    let left = pairs(&service.get("/api/review/next?limit=1000").json());
    assert!(!left.contains(&met[0]));
    decide(&service, &met[0], None);
    assert!(pairs(&service.get("/api/review/next?limit=1000").json()).contains(&met[0]));
    for (query, code) in [
        ("order=best", "bad-request"),
        ("filter=colour:red", "bad-request"),
        ("after=7", "bad-request"),
        ("limit=0", "bad-request"),
        ("batch=1&tag=x", "bad-request"),
        ("batch=1", "not-found"),
        ("more=1", "bad-request"),
    ] {
        assert_eq!(service.get(&format!("/api/review/next?{query}")).code(), code, "{query}");
    }
}

fn percent(text: &str) -> String {
    text.bytes().map(|byte| format!("%{byte:02x}")).collect()
}

#[test]
fn the_queue_is_ordered_by_size_and_narrowed_by_filters() {
    let service = start();
    fill(&service, None, 2, 2);
    service.post("/api/documents", &json!({ "id": "big", "text": text(1, 4), "type": "pdf" }));
    let by_size = service.get("/api/review/next?order=size&limit=1000").json();
    let sizes: Vec<u64> =
        by_size["pairs"].as_array().unwrap().iter().map(|pair| pair["size"].as_u64().unwrap()).collect();
    assert_eq!(sizes, [7, 7, 7, 6, 6]);
    let narrowed = service.get("/api/review/next?filter=size:%3C7").json();
    assert_eq!((pairs(&narrowed).len(), &narrowed["left"], &narrowed["total"]), (2, &json!(2), &json!(2)));
}

#[test]
fn notes_and_tags_stay_with_the_pair() {
    let mut service = start();
    fill(&service, None, 2, 1);
    let (a, b) = pairs(&service.get("/api/review/next").json()).swap_remove(0);
    let remark = |service: &Running, body: Value| {
        let mut whole = json!({ "a": a, "b": b });
        whole.as_object_mut().unwrap().extend(body.as_object().unwrap().clone());
        service.post("/api/review/remarks", &whole)
    };
    assert_eq!(remark(&service, json!({ "tags": ["legal", "ask"] })).status, 200);
    let told = remark(&service, json!({ "note": "the dates differ" })).json();
    assert_eq!(
        (&told["tags"], &told["notes"][0]["text"]),
        (&json!(["ask", "legal"]), &json!("the dates differ"))
    );
    assert_eq!(remark(&service, json!({ "tags": [""] })).code(), "unusable");
    let unknown = json!({ "a": a, "b": "nobody", "note": "x" });
    assert_eq!(service.post("/api/review/remarks", &unknown).code(), "not-found");
    // Whichever way round, and after the service was killed: nothing waits to be written.
    let folder = std::mem::replace(&mut service.folder, tempfile::tempdir().unwrap());
    drop(service);
    let service = start_in(folder, |_| {});
    let pair = service.get(&format!("/api/pairs/{b}/{a}")).json();
    assert_eq!(
        (&pair["notes"][0]["text"], &pair["notes"][0]["by"]),
        (&json!("the dates differ"), &json!("local"))
    );
    let tagged = service.get("/api/review/next?tag=legal").json();
    assert_eq!((pairs(&tagged).len(), &tagged["pairs"][0]["tags"]), (1, &json!(["ask", "legal"])));
    assert_eq!(service.get("/api/review/progress").json()["tags"], json!({ "ask": 1, "legal": 1 }));
    assert_eq!(service.get("/api/review/next?tag=other").json()["total"], 0);
}

#[test]
fn two_people_work_through_a_batch_and_their_agreement_is_told() {
    let folder = tempfile::tempdir().unwrap();
    let admin = token(folder.path(), "admin", "admin", None);
    let (ada, ben) =
        (token(folder.path(), "ada", "reviewer", None), token(folder.path(), "ben", "reviewer", None));
    let service = start_in(folder, |_| {});
    fill(&service, Some(&admin), 6, 1);
    let new = json!({ "name": "first", "assignees": ["ben", "ada"], "limit": 4 });
    let made = service.by(&admin, "POST", "/api/review/batches", Some(&new)).json();
    assert_eq!((&made["batch"], &made["pairs"]), (&json!(1), &json!(4)));
    let rest = json!({ "name": "rest", "assignees": ["ada"], "limit": 100 });
    assert_eq!(
        service.by(&admin, "POST", "/api/review/batches", Some(&rest)).json()["pairs"],
        2,
        "no pair twice"
    );
    let none = service.by(&admin, "POST", "/api/review/batches", Some(&rest));
    assert_eq!(none.code(), "unusable");
    let next = |token: &str| service.by(token, "GET", "/api/review/next?batch=1&limit=1", None).json();
    let say = |token: &str, (a, b): &(String, String), duplicate: Value| {
        let decision = json!({ "a": a, "b": b, "duplicate": duplicate });
        assert_eq!(service.by(token, "POST", "/api/decisions", Some(&decision)).status, 204);
    };
    // Ada finds three of four alike, Ben two: he is asked of each although she has decided.
    for (token, words) in [(&ada, [true, true, true, false]), (&ben, [true, true, false, false])] {
        for (done, word) in words.into_iter().enumerate() {
            let queue = next(token);
            assert_eq!((&queue["left"], &queue["total"]), (&json!(4 - done), &json!(4)));
            say(token, &pairs(&queue)[0], json!(word));
        }
        assert_eq!(next(token)["left"], 0);
    }
    let batches = service.by(&ada, "GET", "/api/review/batches", None).json();
    let people = json!([{ "name": "ada", "decided": 4 }, { "name": "ben", "decided": 4 }]);
    assert_eq!(batches["batches"][0]["assignees"], people);
    let progress = service.by(&ada, "GET", "/api/review/progress", None).json();
    let agreement = &progress["agreement"][0];
    assert_eq!(
        (&agreement["both"], &agreement["same"], &agreement["share"]),
        (&json!(4), &json!(3), &json!(0.75))
    );
    // Chance agrees on 3/4 · 1/2 + 1/4 · 1/2.
    assert!((agreement["kappa"].as_f64().unwrap() - 0.5).abs() < 1e-12, "{agreement}");
    assert_eq!(progress["people"][0]["duplicates"], 3);
    // What they see differently waits for whoever settles it: here Ben, who changes his mind.
    let disputed = |token: &str| service.by(token, "GET", "/api/review/next?disputed=true", None).json();
    let found = disputed(&admin);
    assert_eq!((&found["left"], &found["total"], &progress["disputed"]), (&json!(1), &json!(1), &json!(1)));
    let pair = pairs(&found).swap_remove(0);
    let both = service.by(&admin, "GET", "/api/review/next?disputed=true&batch=1", None);
    assert_eq!(both.code(), "bad-request");
    say(&ben, &pair, json!(true));
    assert_eq!(disputed(&admin)["total"], 0, "they agree");
    say(&ben, &pair, json!(false));
    assert_eq!(disputed(&ada)["total"], 1);
    say(&admin, &pair, json!(false));
    assert_eq!(disputed(&ada)["total"], 0, "a third person has settled it");
    say(&admin, &pair, json!(null));
    assert_eq!(disputed(&ada)["total"], 1, "it was taken back");
    // Figures of all clusters follow within a moment.
    eventually("two are no cluster any more", || {
        let progress = service.by(&ada, "GET", "/api/review/progress", None).json();
        (&progress["total"], &progress["left"]) == (&json!(6 - 2), &json!(2))
    });
    // Who takes an own decision back is asked again, and the other's is in force.
    let pair = pairs(&service.by(&ada, "GET", "/api/review/next?batch=2", None).json()).swap_remove(0);
    say(&ada, &pair, json!(true));
    say(&ben, &pair, json!(false));
    say(&ben, &pair, json!(null));
    let held = service.by(&ben, "GET", &format!("/api/pairs/{}/{}", pair.0, pair.1), None).json();
    assert_eq!((&held["decision"]["by"], &held["decision"]["duplicate"]), (&json!("ada"), &json!(true)));
    assert_eq!(service.by(&admin, "DELETE", "/api/review/batches/1", None).status, 204);
    assert_eq!(service.by(&admin, "DELETE", "/api/review/batches/1", None).code(), "not-found");
}

#[test]
fn saved_filters_are_those_of_who_saved_them() {
    let folder = tempfile::tempdir().unwrap();
    let (ada, ben) =
        (token(folder.path(), "ada", "reviewer", None), token(folder.path(), "ben", "reviewer", None));
    let service = start_in(folder, |_| {});
    let save = |filter: &str| {
        let body = json!({ "name": "large ones", "filter": filter });
        service.by(&ada, "POST", "/api/review/filters", Some(&body))
    };
    assert_eq!(save("size:>2").status, 204);
    assert_eq!(save("size:many").code(), "bad-request");
    let of = |token: &str| service.by(token, "GET", "/api/review/filters", None).json()["filters"].clone();
    assert_eq!(of(&ada), json!([{ "name": "large ones", "filter": "size:>2" }]));
    assert_eq!(of(&ben), json!([]));
    assert_eq!(service.by(&ben, "DELETE", "/api/review/filters/large%20ones", None).code(), "not-found");
    assert_eq!(service.by(&ada, "DELETE", "/api/review/filters/large%20ones", None).status, 204);
    assert_eq!(of(&ada), json!([]));
}

#[test]
fn many_pairs_are_decided_at_once_and_what_cannot_be_is_told() {
    let service = start();
    fill(&service, None, 1, 3);
    let master = service.get("/api/clusters/f0-1").json()["master"].as_str().unwrap().to_owned();
    let others: Vec<String> =
        (0..4).map(|changed| format!("f0-{changed}")).filter(|id| !master.starts_with(id.as_str())).collect();
    let mut asked: Vec<Value> = others.iter().map(|id| json!({ "a": master, "b": id })).collect();
    asked.push(json!({ "a": master, "b": "nobody" }));
    asked.push(json!({ "a": others[0], "b": format!("{}-copy", others[0]) }));
    let decide = |duplicate: Value| {
        service.post("/api/decisions/bulk", &json!({ "pairs": asked, "duplicate": duplicate })).json()
    };
    let told = decide(json!(false));
    assert_eq!((&told["decided"], told["refused"].as_array().unwrap().len()), (&json!(3), 2), "{told}");
    assert_eq!(told["refused"][0]["reason"], "there is no such document");
    assert!(told["refused"][1]["reason"].as_str().unwrap().contains("exact copies"), "{told}");
    assert_eq!(service.get(&format!("/api/clusters/{master}")).json()["size"], 2, "only its copy is left");
    assert_eq!(decide(json!(null))["decided"], 3);
    assert_eq!(service.get(&format!("/api/clusters/{master}")).json()["size"], 8);
    let without = service.post("/api/decisions/bulk", &json!({ "pairs": [] }));
    assert_eq!(without.code(), "bad-document", "what is decided must be told");
}

/// Nobody learns of documents they do not see, by the queue or by what others said.
#[test]
fn the_queue_of_a_restricted_reviewer_is_that_of_what_they_see() {
    let folder = tempfile::tempdir().unwrap();
    let admin = token(folder.path(), "admin", "admin", None);
    let chief = token(folder.path(), "chief", "admin", None);
    let blue = token(folder.path(), "blue", "reviewer", Some(&["blue"]));
    let service = start_in(folder, |_| {});
    let add = |id: &str, changed: usize, labels: &[&str]| {
        let document = json!({ "id": id, "text": text(1, changed), "labels": labels });
        assert_eq!(service.by(&admin, "POST", "/api/documents", Some(&document)).status, 200);
    };
    let state = |token: &str| {
        let told = ["next?limit=9", "progress", "batches", "filters", "next?disputed=true"]
            .map(|path| service.by(token, "GET", &format!("/api/review/{path}"), None).json());
        Value::from_iter(told)
    };
    add("one", 0, &[]);
    add("two", 2, &["blue"]);
    let before = state(&blue);
    assert_eq!(before[0]["left"], 1);
    add("secret", 1, &["red"]);
    add("secret-copy", 2, &["red"]);
    let pair = |a: &str, b: &str| json!({ "a": a, "b": b, "note": "secret", "tags": ["secret"] });
    assert_eq!(service.by(&admin, "POST", "/api/review/remarks", Some(&pair("one", "secret"))).status, 200);
    let decision = json!({ "a": "one", "b": "secret", "duplicate": true });
    assert_eq!(service.by(&admin, "POST", "/api/decisions", Some(&decision)).status, 204);
    let contradicted = json!({ "a": "one", "b": "secret", "duplicate": false });
    assert_eq!(service.by(&chief, "POST", "/api/decisions", Some(&contradicted)).status, 204);
    assert_eq!(state(&admin)[4]["total"], 1);
    let secret = json!({ "name": "secret", "assignees": ["admin"], "filter": "", "limit": 9 });
    let made = service.by(&admin, "POST", "/api/review/batches", Some(&secret)).json();
    crate::running::eventually("the survey is made anew", || state(&blue)[0] == before[0]);
    let after = state(&blue);
    assert_eq!((&after[1], &after[3], &after[4]), (&before[1], &before[3], &before[4]));
    // Of the batch they are told at most of the one pair that they see.
    assert!(made["pairs"].as_u64() >= Some(1));
    assert!(after[2]["batches"].as_array().unwrap().iter().all(|batch| batch["pairs"] == 1), "{after}");
    assert_eq!(
        service.by(&blue, "POST", "/api/review/remarks", Some(&pair("one", "secret"))).code(),
        "not-found"
    );
}
