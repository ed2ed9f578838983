//! What the page is made of: the survey, the table of clusters, keepers, removals, and its own files.

use serde_json::{Value, json};

use crate::client::send;
use crate::running::{Running, eventually, start, start_in, start_with, text, token};

/// Two clusters and a document alone.
fn with_clusters() -> Running {
    let service = start();
    for (id, family, changes, more) in [
        ("a1", 1, 0, json!({ "type": "pdf", "source": "x" })),
        ("a2", 1, 1, json!({ "type": "html", "source": "x" })),
        ("a3", 1, 2, json!({ "type": "html", "source": "y" })),
        ("b1", 2, 0, json!({ "time": "2024-05-31" })),
        ("b2", 2, 0, json!({})),
        ("c1", 3, 0, json!({})),
    ] {
        let mut document = more;
        document["id"] = id.into();
        document["text"] = text(family, changes).into();
        assert_eq!(service.post("/api/documents", &document).status, 200);
    }
    service
}

fn clusters(service: &Running, query: &str) -> Vec<Value> {
    let table = service.get(&format!("/api/survey/clusters?{query}")).json();
    table["clusters"].as_array().unwrap().clone()
}

fn masters(service: &Running, query: &str) -> Vec<String> {
    let names = clusters(service, query).into_iter().map(|row| row["cluster"].as_str().unwrap().to_owned());
    names.collect()
}

#[test]
fn the_survey_follows_the_index() {
    let service = with_clusters();
    let survey = service.get("/api/survey").json();
    assert_eq!(
        (&survey["documents"], &survey["clusters"], &survey["duplicates"]),
        (&json!(6), &json!(2), &json!(3))
    );
    service.delete("/api/documents/b1");
    eventually("it is another", || service.get("/api/survey").json()["clusters"] == 1);
    assert_eq!(service.get("/api/survey").json()["documents"], 5);
}

#[test]
fn the_table_is_filtered_sorted_and_cut_into_pages() {
    let service = with_clusters();
    service.get("/api/survey");
    eventually("types are known", || masters(&service, "filter=type:pdf") == ["a1"]);
    assert_eq!(masters(&service, ""), ["a1", "b1"]);
    assert_eq!(masters(&service, "sort=weakest&descending=true"), ["b1", "a1"]);
    assert_eq!(masters(&service, "limit=1&offset=1"), ["b1"]);
    assert_eq!(masters(&service, "filter=size:3"), ["a1"]);
    assert_eq!(masters(&service, "filter=before:2024-06-01"), ["b1"]);
    assert_eq!(masters(&service, "filter=source:y%20size:%3E1"), ["a1"]);
    let row = &clusters(&service, "filter=type:pdf")[0];
    assert_eq!((&row["size"], &row["types"]), (&json!(3), &json!([["html", 2], ["pdf", 1]])));
    let word = text(2, 0).split(' ').next().unwrap().to_owned();
    eventually("words are searched", || service.get(&format!("/api/search?q={word}")).status == 200);
    eventually("and found", || masters(&service, &format!("filter={word}")) == ["b1"]);
    for wrong in ["filter=colour:red", "sort=beauty", "limit=0", "offset=-1", "sorted=size"] {
        let reply = service.get(&format!("/api/survey/clusters?{wrong}"));
        assert_eq!((reply.status, reply.code().as_str()), (400, "bad-request"), "{wrong}");
    }
}

#[test]
fn who_does_not_see_a_document_gets_a_survey_without_it() {
    let folder = tempfile::tempdir().unwrap();
    let chief = token(folder.path(), "chief", "admin", None);
    let clerk = token(folder.path(), "clerk", "read", Some(&["post"]));
    let service = start_in(folder, |_| {});
    for (id, changes, labels) in [("a", 0, json!([])), ("b", 1, json!(["board"])), ("c", 2, json!(["post"]))]
    {
        let document = json!({ "id": id, "text": text(1, changes), "labels": labels });
        assert_eq!(service.by(&chief, "POST", "/api/documents", Some(&document)).status, 200);
    }
    let survey = |who: &str| service.by(who, "GET", "/api/survey", None).json();
    assert_eq!(
        (survey(&chief)["documents"].clone(), survey(&chief)["duplicates"].clone()),
        (json!(3), json!(2))
    );
    assert_eq!(
        (survey(&clerk)["documents"].clone(), survey(&clerk)["duplicates"].clone()),
        (json!(2), json!(1))
    );
    let map = service.by(&clerk, "GET", "/api/clusters/c/map", None).json();
    assert_eq!(map["size"], 2);
    assert!(!map.to_string().contains("\"b\""), "{map}");
    assert_eq!(service.by(&clerk, "GET", "/api/clusters/b/map", None).status, 404);
    assert_eq!(service.by(&clerk, "GET", "/api/removals", None).status, 403);
    let keep = json!({ "id": "a", "keep": true });
    assert_eq!(service.by(&clerk, "POST", "/api/keepers", Some(&keep)).status, 403);
    let me = service.by(&clerk, "GET", "/api/me", None).json();
    assert_eq!(me, json!({ "name": "clerk", "role": "read", "labels": ["post"] }));
    let preview = service.by(&clerk, "POST", "/api/removals/preview", Some(&json!({}))).json();
    assert_eq!(preview["removed"], 1);
}

#[test]
fn a_preferred_document_stands_for_its_cluster() {
    let service = with_clusters();
    let master = || service.get("/api/clusters/a1").json()["master"].clone();
    assert_eq!(master(), "a1");
    assert_eq!(service.post("/api/keepers", &json!({ "id": "a3", "keep": true })).status, 204);
    assert_eq!(master(), "a3");
    assert_eq!(service.get("/api/keepers").json()["keepers"][0]["id"], "a3");
    let again = start_in(service.stopped(), |_| {});
    let master = || again.get("/api/clusters/a1").json()["master"].clone();
    assert_eq!(master(), "a3", "it is remembered");
    let recipe = json!({ "recipe": "method = 'minhash'\n[decide]\nthreshold = 0.7" });
    assert_eq!(again.post("/api/admin/resign", &recipe).status, 202);
    eventually("it is signed anew", || again.get("/api/admin/task").json()["state"] == "done");
    assert_eq!(master(), "a3", "by another recipe, too");
    assert_eq!(again.post("/api/keepers", &json!({ "id": "a3", "keep": false })).status, 204);
    assert_eq!(master(), "a1");
    assert_eq!(again.post("/api/keepers", &json!({ "id": "none", "keep": true })).status, 404);
}

#[test]
fn removals_are_previewed_exported_applied_and_undone() {
    let service = with_clusters();
    let preview = service.post("/api/removals/preview", &json!({ "filter": "size:>2" })).json();
    assert_eq!(
        (&preview["clusters"], &preview["removed"], &preview["changed"]),
        (&json!(1), &json!(2), &json!(0))
    );
    let other = service.post("/api/removals/preview", &json!({ "keep": "source:y>x" })).json();
    assert_eq!((&other["changed"], &other["examples"][0]["keeps"]), (&json!(1), &json!("a3")));
    let exported = service.get("/api/removals/export?format=jsonl");
    let lines = exported.lines();
    assert_eq!(lines.len(), 3);
    for line in &lines {
        assert!(line["similarity"].as_f64().unwrap() >= 0.8, "{line}");
        assert!(line["contained_in_keeper"].is_number() && line["reason"].is_string(), "{line}");
    }
    let csv = String::from_utf8(service.get("/api/removals/export?format=csv").body).unwrap();
    assert!(csv.starts_with("id,keeper,cluster,") && csv.lines().count() == 4, "{csv}");
    let html = service.get("/api/removals/export?format=html");
    assert!(String::from_utf8(html.body).unwrap().contains("<h1>3 documents to remove</h1>"));
    assert_eq!(service.get("/api/removals/export?format=pdf").status, 400);
    assert_eq!(service.post("/api/removals", &json!({ "keep": "prettiest" })).status, 422);
    let before: Vec<Value> =
        ["a1", "a2", "b2"].map(|id| service.get(&format!("/api/documents/{id}")).json()).into();
    let applied = service.post("/api/removals", &json!({ "keep": "source:y>x" })).json();
    assert_eq!((&applied["documents"], &applied["complete"]), (&json!(3), &json!(true)));
    assert_eq!(service.get("/api/documents/a1").status, 404);
    assert_eq!(service.get("/api/documents/a3").status, 200);
    let again = start_in(service.stopped(), |_| {});
    assert_eq!(again.get("/api/removals").json()["removals"][0]["undone"], false);
    // A page of a stranger cannot name this type without asking first.
    assert_eq!(send(again.address, "POST", "/api/removals/1/undo", &[], b"").status, 415);
    let undone = again.post("/api/removals/1/undo", &json!({}));
    assert_eq!((undone.status, &undone.json()["undone"]), (200, &json!(true)));
    for document in before {
        let id = document["id"].as_str().unwrap();
        assert_eq!(again.get(&format!("/api/documents/{id}")).json()["document"], document["document"]);
    }
    assert_eq!(again.get("/api/stats").json()["clusters"], 2);
    assert_eq!(again.post("/api/removals/7/undo", &json!({})).status, 404);
}

#[test]
fn the_map_of_a_cluster_tells_pairs_and_what_is_near() {
    let service = with_clusters();
    // Alike, but not enough.
    service.post("/api/documents", &json!({ "id": "a9", "text": text(1, 9) }));
    let map = service.get("/api/clusters/a2/map").json();
    let ids: Vec<&str> =
        map["members"].as_array().unwrap().iter().map(|member| member["id"].as_str().unwrap()).collect();
    assert_eq!((ids[0], ids.len()), ("a1", 3));
    assert_eq!(map["pairs"].as_array().unwrap().len(), 3, "{map}");
    assert_eq!(map["members"][0]["type"], "pdf");
    let cut = service.get("/api/clusters/a2/map?limit=2").json();
    assert_eq!((cut["members"].as_array().unwrap().len(), &cut["size"]), (2, &json!(3)));
}

#[test]
fn the_page_is_served_with_a_strict_policy() {
    let service = start_with(|_| {});
    let page = service.get("/");
    assert_eq!(page.status, 200);
    assert!(page.header("content-type").unwrap().starts_with("text/html"));
    let policy = page.header("content-security-policy").unwrap().to_owned();
    assert!(policy.contains("default-src 'none'") && !policy.contains("unsafe"), "{policy}");
    let html = String::from_utf8(page.body.clone()).unwrap();
    let files: Vec<&str> = html.split('"').filter(|part| part.contains("/assets/")).collect();
    assert_eq!(files.len(), 2, "{html}");
    for file in files {
        let path = file.strip_prefix('.').expect("it is beside the page, wherever that is");
        assert_eq!(service.get(path).status, 200, "{path}");
    }
    let tag = page.header("etag").unwrap().to_owned();
    let same = send(service.address, "GET", "/", &[("if-none-match", &tag)], b"");
    assert_eq!((same.status, same.body.len()), (304, 0));
    let packed = send(service.address, "GET", "/", &[("accept-encoding", "gzip")], b"");
    assert_eq!(packed.header("content-encoding"), Some("gzip"));
    for outside in ["/assets/..%2fCargo.toml", "/assets/none.js", "/index.html"] {
        assert_eq!(service.get(outside).status, 404, "{outside}");
    }
}

#[test]
fn below_a_prefix_is_what_is_at_the_root() {
    let service = start_with(|config| config.set("prefix", "/look/alike/").unwrap());
    let document = json!({ "id": "http://a/b", "text": text(1, 0) });
    assert_eq!(service.post("/look/alike/api/documents", &document).status, 200);
    eventually("search is ready", || service.get("/readyz").status == 200);
    for path in
        ["/", "/assets/app.js", "/readyz", "/api/documents/http%3A%2F%2Fa%2Fb", "/api/clusters?limit=1"]
    {
        let (root, below) = (service.get(path), service.get(&format!("/look/alike{path}")));
        assert_eq!((root.status, below.status), (200, 200), "{path}");
        assert_eq!(root.body, below.body, "{path}");
    }
    let page = service.get("/look/alike");
    assert_eq!((page.status, page.header("location")), (308, Some("/look/alike/")));
    assert!(page.header("x-request-id").is_some() && page.header("content-security-policy").is_some());
    for path in [
        "/look/api/me",
        "/look/alike/look/alike/api/me",
        "/look/alikeapi/me",
        "/look/alike/api/documents/http://a/b",
    ] {
        let reply = service.get(path);
        assert_eq!((reply.status, reply.code().as_str()), (404, "no-such-route"), "{path}");
    }
    let counted = String::from_utf8(service.get("/metrics").body).unwrap();
    assert!(
        counted.contains("route=\"/api/documents/{id}\"") && !counted.contains("/look/alike/"),
        "{counted}"
    );
    let told = start().get("/look/alike");
    assert_eq!(told.status, 404, "without the setting there is nothing");
}
