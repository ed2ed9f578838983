//! Who may do what, and that nobody learns of what they may not see.

use std::time::Duration;

use lookalike_server::access::{NewToken, Role, TokenStore};
use lookalike_server::{Config, Server, TrustedProxies};
use serde_json::{Value, json};

use crate::client::{Reply, send};
use crate::running::{Running, eventually, session, start, start_in, text, token};

struct Guarded {
    service: Running,
    reader: String,
    writer: String,
    admin: String,
    /// Write, and only the label `red` or `blue`.
    red: String,
    blue: String,
}

fn guarded() -> Guarded {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path();
    let (reader, writer, admin) = (
        token(path, "reader", "read", None),
        token(path, "writer", "write", None),
        token(path, "admin", "admin", None),
    );
    let (red, blue) =
        (token(path, "red", "write", Some(&["red"])), token(path, "blue", "write", Some(&["blue"])));
    Guarded { service: start_in(folder, |_| {}), reader, writer, admin, red, blue }
}

fn document(id: &str, number: u64, changed: usize, labels: &[&str]) -> Value {
    json!({ "id": id, "text": text(number, changed), "labels": labels })
}

#[test]
fn a_role_allows_what_it_says_and_all_below() {
    let Guarded { service, reader, writer, admin, .. } = guarded();
    let asked = document("x", 1, 0, &[]);
    let resign = json!({ "recipe": "method = 'none'" });
    let native = json!({ "recipe": "method = 'imatch'\n[sign]\nlexicon = 'native'" });
    for (method, path, body, allowed) in [
        ("GET", "/api/stats", None, [true, true, true]),
        ("GET", "/api/documents/none", None, [true, true, true]),
        ("GET", "/metrics", None, [true, true, true]),
        ("POST", "/api/check", Some(&asked), [true, true, true]),
        ("POST", "/api/check?refresh=true", Some(&asked), [false, true, true]),
        ("POST", "/api/documents", Some(&asked), [false, true, true]),
        ("DELETE", "/api/documents/none", None, [false, true, true]),
        ("POST", "/api/decisions", Some(&asked), [false, true, true]),
        ("POST", "/api/documents/bulk", Some(&asked), [false, true, true]),
        ("GET", "/api/admin/task", None, [false, false, true]),
        ("GET", "/api/uploads", None, [false, false, true]),
        ("POST", "/api/admin/compact", Some(&asked), [false, false, true]),
        ("POST", "/api/admin/resign", Some(&resign), [false, false, true]),
        ("POST", "/api/admin/resign", Some(&native), [false, false, true]),
    ] {
        for (token, allowed) in [&reader, &writer, &admin].into_iter().zip(allowed) {
            let reply = service.by(token, method, path, body);
            assert_eq!(reply.status == 403, !allowed, "{method} {path}: {}", reply.status);
        }
        for token in ["", "lk_wrong", &reader[1..], &format!("{reader}x")] {
            let reply = service.by(token, method, path, body);
            assert_eq!((reply.status, reply.code().as_str()), (401, "unauthorized"), "{method} {path}");
            assert_eq!(reply.header("www-authenticate"), Some("Bearer"));
        }
    }
    assert_eq!(service.get("/api/stats").status, 401, "no token at all");
    eventually("it is ready", || service.get("/readyz").status == 200);
    for open in ["/healthz", "/api/openapi.json"] {
        assert_eq!(service.get(open).status, 200, "{open}");
    }
}

#[test]
fn hidden_is_unknown_byte_for_byte() {
    let Guarded { service, red, blue, writer, .. } = guarded();
    assert_eq!(
        service.by(&red, "POST", "/api/documents", Some(&document("secret", 7, 0, &["red"]))).status,
        200
    );
    service.by(&red, "POST", "/api/documents", Some(&document("secret-2", 7, 1, &["red"])));
    service.by(&writer, "POST", "/api/documents", Some(&document("public", 8, 0, &[])));
    let same = |hidden: Reply, unknown: Reply, what: &str| {
        assert_eq!((hidden.status, hidden.body), (unknown.status, unknown.body), "{what}");
    };
    for path in [
        "/api/documents/ID",
        "/api/documents/ID/history",
        "/api/clusters/ID",
        "/api/pairs/public/ID",
        "/api/pairs/ID/public",
    ] {
        let get = |id: &str| service.by(&blue, "GET", &path.replace("ID", id), None);
        same(get("secret"), get("unknown"), path);
        assert_eq!(get("secret").status, 404);
    }
    let remove = |id: &str| service.by(&blue, "DELETE", &format!("/api/documents/{id}"), None);
    same(remove("secret"), remove("unknown"), "DELETE");
    let decide = |id: &str| {
        let decision = json!({ "a": "public", "b": id, "duplicate": true });
        service.by(&blue, "POST", "/api/decisions", Some(&decision))
    };
    same(decide("secret"), decide("unknown"), "decide");
    let check = |number| {
        service.by(&blue, "POST", "/api/check?passages=true", Some(&json!({ "text": text(number, 0) })))
    };
    // The text that was asked about is in the answer, and is all that may differ.
    let mut unknown = check(9);
    let told = String::from_utf8(unknown.body).unwrap();
    assert_eq!(told.matches(&text(9, 0)).count(), 1);
    unknown.body = told.replace(&text(9, 0), &text(7, 0)).into_bytes();
    same(check(7), unknown, "check");
    assert_eq!(service.by(&blue, "GET", "/api/clusters", None).json()["clusters"], json!([]));
    let stats = service.by(&blue, "GET", "/api/stats", None).json();
    assert_eq!((&stats["documents"], &stats["clusters"]), (&json!(1), &json!(0)));
    for whole in ["text_bytes", "index_bytes", "dead_bytes", "log_operations"] {
        assert!(stats.get(whole).is_none(), "{whole} is of the whole index");
    }
    assert_eq!(service.by(&blue, "GET", "/metrics", None).code(), "forbidden");
    // The id is free for those who do not see whose it is.
    let own =
        service.by(&blue, "POST", "/api/documents?policy=reject", Some(&document("secret", 7, 0, &["blue"])));
    assert_eq!((&own.json()["verdict"], &own.json()["action"]), (&json!("new"), &json!("inserted")));
    let seen = service.by(&red, "GET", "/api/documents/secret", None).json();
    assert_eq!(seen["labels"], json!(["red"]), "and both exist");
}

#[test]
fn a_writer_gives_only_labels_it_has() {
    let Guarded { service, red, writer, admin, .. } = guarded();
    for (token, labels, status) in [
        (&red, &["red"][..], 200),
        (&red, &[], 403),
        (&red, &["blue"], 403),
        (&red, &["red", "blue"], 403),
        (&writer, &["blue", "anything"], 200),
        (&admin, &["green"], 200),
    ] {
        let reply = service.by(token, "POST", "/api/documents", Some(&document("x", 1, 0, labels)));
        assert_eq!(reply.status, status, "{labels:?}");
    }
    let bearer = format!("Bearer {red}");
    let headers = [("authorization", bearer.as_str()), ("content-type", "application/x-ndjson")];
    let line = serde_json::to_vec(&document("y", 1, 0, &["blue"])).unwrap();
    let reply = send(service.address, "POST", "/api/documents/bulk", &headers, &line);
    assert_eq!(reply.lines()[0]["error"]["code"], "forbidden");
}

#[test]
fn without_tokens_only_we_ourselves_are_let_in() {
    let service = start();
    assert_eq!(service.get("/api/stats").status, 200);
    let as_host = |host: &str| send(service.address, "GET", "/api/stats", &[("host", host)], b"");
    assert_eq!(as_host("localhost:8080").status, 200);
    // A stranger's name that leads to this machine.
    assert_eq!(as_host("evil.example").code(), "foreign-host");
    // Through a proxy that calls us by a local name.
    for (name, value) in
        [("x-forwarded-for", "192.0.2.1"), ("via", "1.1 proxy"), ("forwarded", "for=192.0.2.1")]
    {
        let headers = [("host", "localhost:8080"), (name, value)];
        assert_eq!(
            send(service.address, "GET", "/api/stats", &headers, b"").code(),
            "foreign-host",
            "{name}"
        );
    }
    // The page of another site, in a browser on this machine.
    let body = serde_json::to_vec(&document("x", 1, 0, &[])).unwrap();
    let from = |site: &str| {
        let headers = [("host", "localhost"), ("content-type", "application/json"), ("sec-fetch-site", site)];
        send(service.address, "POST", "/api/documents", &headers, &body)
    };
    assert_eq!((from("cross-site").code().as_str(), from("same-origin").status), ("foreign-site", 200));
    // A token ends that at once for those without one, or within a second.
    let token = token(service.folder.path(), "first", "read", None);
    crate::running::eventually("the token is noticed", || service.get("/api/stats").status == 401);
    assert_eq!(service.by(&token, "GET", "/api/stats", None).status, 200);
}

#[test]
fn an_address_for_others_needs_a_token() {
    let folder = tempfile::tempdir().unwrap();
    let start = || {
        let config = Config {
            data: folder.path().to_owned(),
            listen: "0.0.0.0:0".parse().unwrap(),
            ..Config::default()
        };
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        runtime.block_on(Server::start(&session(), config, None)).map(|server| server.address())
    };
    let told = start().unwrap_err().to_string();
    assert!(told.contains("needs a token"), "{told}");
    token(folder.path(), "a", "read", None);
    assert!(start().is_ok());
}

#[test]
fn a_token_has_its_rate() {
    let folder = tempfile::tempdir().unwrap();
    let (one, other) =
        (token(folder.path(), "one", "read", None), token(folder.path(), "other", "read", None));
    let service = start_in(folder, |config| config.rate = 1);
    let replies: Vec<Reply> = (0..30).map(|_| service.by(&one, "GET", "/api/methods", None)).collect();
    let limited = replies.iter().find(|reply| reply.status == 429).expect("thirty at once are too many");
    assert_eq!((limited.code().as_str(), limited.header("retry-after")), ("rate-limited", Some("1")));
    assert_eq!(service.by(&other, "GET", "/api/methods", None).status, 200, "others have their own");
}

/// A token with everything that one can have.
fn special(path: &std::path::Path, new: NewToken) -> String {
    TokenStore::open(path).unwrap().add(new).unwrap()
}

#[test]
fn a_token_is_for_its_routes_and_for_its_time() {
    let folder = tempfile::tempdir().unwrap();
    let new = |name: &str| NewToken {
        name: name.to_owned(),
        role: Role::Write,
        labels: None,
        writes: None,
        lives: None,
        routes: None,
    };
    let routes = Some(vec!["/api/check".to_owned(), "/api/documents/".to_owned()]);
    let mail = special(folder.path(), NewToken { routes, ..new("mail") });
    let brief = special(folder.path(), NewToken { lives: Some(Duration::from_secs(2)), ..new("brief") });
    let service = start_in(folder, |_| {});
    let asked = document("x", 1, 0, &[]);
    for (method, path, body, status) in [
        ("POST", "/api/check", Some(&asked), 200),
        ("GET", "/api/documents/none", None, 404),
        ("POST", "/api/documents", Some(&asked), 200),
        ("GET", "/api/stats", None, 403),
        ("POST", "/api/documents-of-others", Some(&asked), 404),
        ("GET", "/api/clusters", None, 403),
    ] {
        assert_eq!(service.by(&mail, method, path, body).status, status, "{method} {path}");
    }
    eventually("the token ends", || service.by(&brief, "GET", "/api/stats", None).status == 401);
}

#[test]
fn a_labelled_writer_does_not_touch_what_it_does_not_own() {
    let Guarded { service, writer, red, .. } = guarded();
    service.by(&writer, "POST", "/api/documents", Some(&document("public", 1, 0, &[])));
    service.by(&writer, "POST", "/api/documents", Some(&document("shared", 2, 0, &["red", "blue"])));
    for id in ["public", "shared"] {
        assert_eq!(
            service.by(&red, "GET", &format!("/api/documents/{id}"), None).status,
            200,
            "it sees {id}"
        );
        assert_eq!(service.by(&red, "DELETE", &format!("/api/documents/{id}"), None).status, 403, "{id}");
    }
    for (number, policy) in [(1, "replace"), (1, "keep-best"), (2, "replace"), (2, "keep-best")] {
        let path = format!("/api/documents?policy={policy}");
        let reply = service.by(&red, "POST", &path, Some(&document("own", number, 1, &["red"])));
        assert_eq!(reply.status, 200);
        assert!(reply.json().get("replaced").is_none(), "{policy}: {}", reply.json());
    }
    for id in ["public", "shared"] {
        assert_eq!(
            service.by(&writer, "GET", &format!("/api/documents/{id}"), None).status,
            200,
            "{id} is there"
        );
    }
}

#[test]
fn whoever_tries_tokens_out_is_slowed_down_and_others_are_not() {
    let Guarded { service, reader, .. } = guarded();
    let tried: Vec<u16> =
        (0..400).map(|_| service.by("lk_wrong", "GET", "/api/stats", None).status).collect();
    assert_eq!(tried[0], 401);
    assert!(tried.contains(&429), "{tried:?}");
    assert_eq!(service.by(&reader, "GET", "/api/stats", None).status, 200, "from the same address");
}

#[test]
fn an_address_has_its_rate_and_a_trusted_proxy_tells_it() {
    let folder = tempfile::tempdir().unwrap();
    let bearer = format!("Bearer {}", token(folder.path(), "a", "read", None));
    let service = start_in(folder, |config| {
        config.address_rate = 1;
        config.trusted_proxies = TrustedProxies::parse("127.0.0.1").unwrap();
    });
    let ask = |from: &str| {
        let headers = [("x-forwarded-for", from), ("authorization", bearer.as_str())];
        send(service.address, "GET", "/api/stats", &headers, b"").status
    };
    let first: Vec<u16> = (0..12).map(|_| ask("192.0.2.1")).collect();
    assert!(first[0] == 200 && first.contains(&429), "{first:?}");
    assert_eq!(ask("192.0.2.2"), 200, "another client of the same proxy");
}

#[test]
fn who_did_what_is_written_down() {
    let Guarded { service, writer, admin, reader, .. } = guarded();
    for (id, changed) in [("a", 0), ("b", 1), ("c", 2)] {
        service.by(&writer, "POST", "/api/documents", Some(&document(id, 1, changed, &[])));
    }
    let decision = json!({ "a": "a", "b": "b", "duplicate": false });
    assert_eq!(service.by(&writer, "POST", "/api/decisions", Some(&decision)).status, 204);
    assert_eq!(service.by(&reader, "POST", "/api/decisions", Some(&decision)).status, 403);
    let headers = [("authorization", format!("Bearer {writer}")), ("x-request-id", "r-1".to_owned())];
    let headers: Vec<(&str, &str)> = headers.iter().map(|(name, value)| (*name, value.as_str())).collect();
    assert_eq!(send(service.address, "DELETE", "/api/documents/a", &headers, b"").status, 204);
    service.by(&writer, "POST", "/api/documents?policy=replace", Some(&document("d", 1, 1, &[])));
    let told = service.by(&admin, "GET", "/api/admin/audit", None).json();
    let entries = told["entries"].as_array().unwrap();
    let actions: Vec<&str> = entries.iter().map(|entry| entry["action"].as_str().unwrap()).collect();
    assert_eq!(actions, ["replace-documents", "remove-document", "decide"], "{told}");
    assert!(entries.iter().all(|entry| entry["by"] == "writer" && entry["address"] == "127.0.0.1"), "{told}");
    assert_eq!(entries[1]["what"]["id"], "a");
    assert_eq!(entries[1]["request"], "r-1");
    assert_eq!((&entries[2]["what"]["b"], &entries[2]["what"]["duplicate"]), (&json!("b"), &json!(false)));
    assert_eq!(service.by(&writer, "GET", "/api/admin/audit", None).status, 403);
    let file = std::fs::read_to_string(service.folder.path().join("audit.jsonl")).unwrap();
    assert_eq!(file.lines().count(), 3, "what was refused is not in it");
    assert!(!file.contains(&text(1, 0)[..20]), "no text of a document");
}

#[test]
fn a_token_may_write_less_than_it_sees() {
    let folder = tempfile::tempdir().unwrap();
    let own = |labels: &[&str]| Some(labels.iter().map(|&label| label.to_owned()).collect::<Vec<_>>());
    let new = |name: &str, labels, writes| NewToken {
        name: name.to_owned(),
        role: Role::Write,
        labels,
        writes,
        lives: None,
        routes: None,
    };
    let desk = special(folder.path(), new("desk", own(&["news", "sport"]), own(&["sport"])));
    let crawler = special(folder.path(), new("crawler", None, own(&["web"])));
    let all = special(folder.path(), new("all", None, None));
    let store = TokenStore::open(folder.path()).unwrap();
    let told = store.add(new("blind", own(&["news"]), own(&["web"]))).unwrap_err().to_string();
    assert!(told.contains("`web` may be written and not seen"), "{told}");
    let service = start_in(folder, |_| {});
    for (id, labels) in [("news", &["news"][..]), ("web", &["web"]), ("sport", &["sport"]), ("plain", &[])] {
        let reply = service.by(&all, "POST", "/api/documents", Some(&document(id, 1, 0, labels)));
        assert_eq!(reply.status, 200);
    }
    // Sees, writes a document with these labels, removes the one above.
    for (token, labels, id, sees, writes, removes) in [
        (&desk, &["news"][..], "news", 200, 403, 403),
        (&desk, &["news", "sport"], "plain", 200, 403, 403),
        (&desk, &["sport"], "sport", 200, 200, 200),
        (&desk, &[], "web", 404, 403, 404),
        (&crawler, &["web", "news"], "news", 200, 403, 403),
        (&crawler, &[], "plain", 200, 403, 403),
        (&crawler, &["web"], "web", 200, 200, 200),
    ] {
        let path = format!("/api/documents/{id}");
        assert_eq!(service.by(token, "GET", &path, None).status, sees, "{id}");
        let new = document(&format!("new-{id}"), 2, 0, labels);
        assert_eq!(service.by(token, "POST", "/api/documents", Some(&new)).status, writes, "{labels:?}");
        let removed = service.by(token, "DELETE", &path, None).status;
        assert_eq!(if removed == 204 { 200 } else { removed }, removes, "{id}");
    }
    let whole = serde_json::json!({});
    assert_eq!(service.by(&crawler, "POST", "/api/removals", Some(&whole)).status, 403);
    assert_eq!(service.by(&all, "POST", "/api/removals", Some(&whole)).status, 200);
}

#[test]
fn a_proxy_that_is_trusted_names_people() {
    let folder = tempfile::tempdir().unwrap();
    let token = token(folder.path(), "robot", "read", None);
    let service = start_in(folder, |config| {
        for (key, value) in [
            ("trusted_proxies", "127.0.0.1"),
            ("user_header", "X-Forwarded-User"),
            ("groups_header", "X-Forwarded-Groups"),
            ("group_roles", "ops=admin, legal=reviewer, *=read"),
        ] {
            config.set(key, value).unwrap();
        }
    });
    let ask = |method: &str, path: &str, headers: &[(&str, &str)]| {
        let headers = [&[("content-type", "application/json")], headers].concat();
        send(service.address, method, path, &headers, b"{}")
    };
    let ada = [("x-forwarded-user", "ada"), ("x-forwarded-groups", "staff,legal")];
    let me = ask("GET", "/api/me", &ada).json();
    assert_eq!((me["name"].as_str(), me["role"].as_str()), (Some("ada"), Some("reviewer")));
    assert_eq!(ask("POST", "/api/admin/compact", &ada).status, 403);
    let eve = [("x-forwarded-user", "eve"), ("x-forwarded-groups", "ops")];
    assert_eq!(ask("POST", "/api/admin/compact", &eve).status / 100, 2);
    let audit = ask("GET", "/api/admin/audit", &eve).json();
    assert!(audit.to_string().contains("eve"), "{audit}");
    let elsewhere = [&eve[..], &[("sec-fetch-site", "cross-site")]].concat();
    assert_eq!(ask("POST", "/api/admin/compact", &elsewhere).code(), "foreign-site");
    assert_eq!(ask("GET", "/api/me", &elsewhere).status, 200, "reading is not refused");
    let twice = [&ada[..], &[("x-forwarded-user", "eve")]].concat();
    assert_eq!(ask("GET", "/api/me", &twice).status, 401);
    assert_eq!(ask("GET", "/api/me", &[]).status, 401, "nobody is named");
    let bearer = format!("Bearer {token}");
    assert_eq!(ask("GET", "/api/me", &[("authorization", &bearer)]).json()["name"], "robot");
}

#[test]
fn whom_the_proxy_does_not_name_is_nobody_even_without_tokens() {
    let service = start_in(tempfile::tempdir().unwrap(), |config| {
        config.set("trusted_proxies", "127.0.0.1").unwrap();
        config.set("user_header", "x-user").unwrap();
        config.set("group_roles", "*=read").unwrap();
    });
    let ask = |headers: &[(&str, &str)]| send(service.address, "GET", "/api/me", headers, b"").status;
    assert_eq!(ask(&[("host", "localhost"), ("x-user", "ada")]), 200);
    assert_eq!(ask(&[("host", "localhost")]), 401);
    assert_eq!(ask(&[("host", "localhost"), ("authorization", "Bearer lk_none")]), 401);
}

#[test]
fn people_are_not_believed_of_anybody_else() {
    let folder = tempfile::tempdir().unwrap();
    token(folder.path(), "robot", "read", None);
    let service = start_in(folder, |config| {
        config.set("trusted_proxies", "192.0.2.1").unwrap();
        config.set("user_header", "x-user").unwrap();
        config.set("group_roles", "*=admin").unwrap();
    });
    assert_eq!(send(service.address, "GET", "/api/me", &[("x-user", "eve")], b"").status, 401);
    let folder = tempfile::tempdir().unwrap();
    let mut config = Config { data: folder.path().to_owned(), ..Config::default() };
    config.set("user_header", "x-user").unwrap();
    config.set("group_roles", "*=admin").unwrap();
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    let told = runtime.block_on(Server::start(&session(), config, None)).map(|_| ()).unwrap_err().to_string();
    assert!(told.contains("trusted_proxies"), "{told}");
}
