//! Search over HTTP: clusters collapsed, updates seen soon, nothing hidden told.

use serde_json::{Value, json};

use crate::running::{Running, eventually, start, start_with, text};

fn find(service: &Running, query: &str) -> Value {
    // Until the search index has caught up it says so.
    let path = format!("/api/search?{query}");
    eventually("search answers", || service.get(&path).status != 503);
    service.get(&path).json()
}

#[test]
fn hits_are_clusters_and_follow_what_comes_and_goes() {
    let service = start();
    for (id, number, changed) in [("a1", 1, 0), ("a2", 1, 1), ("b", 2, 0)] {
        let text = format!("{} ferry", text(number, changed));
        let document =
            json!({ "id": id, "text": text, "title": format!("Title {id}"), "fields": { "source": id } });
        assert_eq!(service.post("/api/documents", &document).status, 200);
    }
    eventually("all are indexed", || find(&service, "q=ferry")["total"] == 2);
    let found = find(&service, "q=ferry&facets=source");
    let hits = found["hits"].as_array().unwrap();
    let cluster = hits.iter().find(|hit| hit["id"] != "b").unwrap();
    assert_eq!((&cluster["matching"], cluster["near_duplicates"].as_array().unwrap().len()), (&json!(2), 1));
    let beside = &cluster["near_duplicates"][0];
    assert_eq!(beside["title"], format!("Title {}", beside["id"].as_str().unwrap()));
    assert!(
        cluster["snippet"].as_str().unwrap().contains("ferry")
            && !cluster["marks"].as_array().unwrap().is_empty()
    );
    assert_eq!(found["facets"]["source"].as_array().unwrap().len(), 2, "{found}");
    let one = find(&service, "cluster=a2");
    assert_eq!(one["total"], 1);
    assert_eq!(find(&service, "q=ferry&collapse=false")["total"], 3);
    assert_eq!(find(&service, "q=ferry&filter=source:b")["hits"][0]["id"], "b");
    service.delete("/api/documents/b");
    assert_eq!(find(&service, "q=ferry")["total"], 1, "what is gone is gone at once");
    assert_eq!(service.get("/api/search?cluster=b").code(), "not-found");
    let long = "word+".repeat(1000);
    for wrong in [
        "limit=0",
        "facets=colour",
        "filter=colour:red",
        "filter=source",
        "more=1",
        &format!("cluster=a1&q={long}"),
    ] {
        let query = if wrong.contains("q=") { wrong.to_owned() } else { format!("q=ferry&{wrong}") };
        let reply = service.get(&format!("/api/search?{query}"));
        assert_eq!((reply.status, reply.code().as_str()), (400, "bad-request"), "{wrong}");
    }
    assert_eq!(find(&service, "q=%22never%20closed")["total"], 0);
}

#[test]
fn search_goes_on_while_documents_are_signed_by_another_recipe() {
    let service = start();
    let add = |id: &str, number: u64| {
        let document = json!({ "id": id, "text": format!("{} ferry", text(number, 0)), "title": id });
        assert_eq!(service.post("/api/documents", &document).status, 200);
    };
    (0..60).for_each(|number| add(&format!("d{number}"), number));
    (0..60).step_by(4).for_each(|number| {
        service.delete(&format!("/api/documents/d{number}"));
    });
    eventually("all are indexed", || find(&service, "q=ferry")["total"] == 45);
    for (round, threshold) in (0..).zip([0.6, 0.9]) {
        let recipe = json!({ "recipe": format!("method = 'minhash'\n[decide]\nthreshold = {threshold}") });
        assert_eq!(service.post("/api/admin/resign", &recipe).status, 202);
        let mut running = true;
        while running {
            running = service.get("/api/admin/task").json()["state"] == "running";
            let reply = service.get("/api/search?q=ferry&limit=100");
            assert_eq!(reply.status, 200, "search never pauses");
            let found = reply.json();
            let hits = found["hits"].as_array().unwrap();
            assert_eq!((&found["total"], hits.len()), (&json!(45 + round), 45 + round));
            assert!(hits.iter().all(|hit| hit["id"] == hit["title"]), "{found}");
        }
        assert_eq!(service.get("/api/admin/task").json()["state"], "done");
        let gone = find(&service, "q=title:d4")["total"].clone();
        assert_eq!(gone, 0, "what was removed before stays so");
        add(&format!("new{round}"), 100 + round as u64);
        eventually("what is new is found", || find(&service, "q=ferry")["total"] == 46 + round);
    }
}

#[test]
fn an_answer_is_made_of_one_state_of_the_index() {
    const PAIRS: u64 = 40;
    let service = start();
    for number in 0..PAIRS {
        for (side, changed) in [("a", 0), ("b", 1)] {
            let text = format!("{} ferry", text(number, changed));
            let document = json!({ "id": format!("{side}{number}"), "text": text });
            assert_eq!(service.post("/api/documents", &document).status, 200);
        }
    }
    eventually("all are indexed", || find(&service, "q=ferry&collapse=false")["total"] == 2 * PAIRS);
    let stop = std::sync::atomic::AtomicBool::new(false);
    std::thread::scope(|scope| {
        // Clusters fall apart and come together again all the time.
        scope.spawn(|| {
            for round in 0.. {
                let number = round % PAIRS;
                let duplicate = if (round / PAIRS).is_multiple_of(2) { json!(false) } else { json!(null) };
                let decision =
                    json!({ "a": format!("a{number}"), "b": format!("b{number}"), "duplicate": duplicate });
                assert_eq!(service.post("/api/decisions", &decision).status, 204);
                if stop.load(std::sync::atomic::Ordering::Relaxed) {
                    return;
                }
            }
        });
        let (mut seen, began) = (std::collections::BTreeSet::new(), std::time::Instant::now());
        while began.elapsed() < std::time::Duration::from_secs(4) {
            let found = find(&service, "q=ferry&limit=100");
            let hits = found["hits"].as_array().unwrap();
            let torn = hits.iter().find(|hit| {
                hit["matching"].as_u64().unwrap() as usize
                    != 1 + hit["near_duplicates"].as_array().unwrap().len()
            });
            if torn.is_some() || found["total"] != hits.len() {
                stop.store(true, std::sync::atomic::Ordering::Relaxed);
                panic!("{} hits of {}: {torn:?}", hits.len(), found["total"]);
            }
            seen.insert(hits.len());
        }
        stop.store(true, std::sync::atomic::Ordering::Relaxed);
        assert!(seen.len() > 5, "clusters did change meanwhile: {seen:?}");
    });
}

#[test]
fn values_with_commas_can_be_filtered_by_and_facets_are_told() {
    let service = start_with(|config| config.facets = vec!["source".to_owned(), "town".to_owned()]);
    for (number, (id, town)) in (0..).zip([("a", "Paris, Texas"), ("b", "Paris"), ("c", "\"Paris\"")]) {
        let document =
            json!({ "id": id, "text": format!("{} ferry", text(number, 0)), "fields": { "town": town } });
        assert_eq!(service.post("/api/documents", &document).status, 200);
    }
    eventually("all are indexed", || find(&service, "q=ferry")["total"] == 3);
    for (filter, expected) in [
        ("town:%22Paris,%20Texas%22", json!(["a"])),
        ("town:Paris", json!(["b"])),
        ("town:%22%22%22Paris%22%22%22", json!(["c"])),
        ("town:%22Paris,%20Texas%22,town:Paris", json!(["a", "b"])),
    ] {
        let found = find(&service, &format!("q=ferry&filter={filter}"));
        let mut ids: Vec<&Value> = found["hits"].as_array().unwrap().iter().map(|hit| &hit["id"]).collect();
        ids.sort_by_key(|id| id.to_string());
        assert_eq!(json!(ids), expected, "{filter}");
    }
    let wrong = service.get("/api/search?q=ferry&filter=town:Paris,%20Texas");
    assert_eq!((wrong.status, wrong.code().as_str()), (400, "bad-request"));
    assert_eq!(service.get("/api/stats").json()["facets"], json!(["source", "town"]));
}
