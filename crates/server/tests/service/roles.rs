//! What each role may do, of every route there is.

use serde_json::Value;

use crate::running::{start_in, token};

/// Routes that need no token.
const OPEN: [(&str, &str); 5] = [
    ("get", "/"),
    ("get", "/assets/{name}"),
    ("get", "/healthz"),
    ("get", "/readyz"),
    ("get", "/api/openapi.json"),
];
/// Routes that send something and change nothing.
const READ: [(&str, &str); 3] =
    [("post", "/api/check"), ("post", "/api/profile"), ("post", "/api/removals/preview")];
const REVIEWER: [(&str, &str); 5] = [
    ("post", "/api/decisions"),
    ("post", "/api/decisions/bulk"),
    ("post", "/api/review/remarks"),
    ("post", "/api/review/filters"),
    ("delete", "/api/review/filters/{name}"),
];
const WRITE: [(&str, &str); 8] = [
    ("post", "/api/documents"),
    ("post", "/api/documents/bulk"),
    ("delete", "/api/documents/{id}"),
    ("post", "/api/keepers"),
    ("post", "/api/removals"),
    ("post", "/api/removals/{id}/undo"),
    ("post", "/api/review/batches"),
    ("delete", "/api/review/batches/{id}"),
];
const ADMIN: [(&str, &str); 18] = [
    ("get", "/api/admin/audit"),
    ("post", "/api/admin/erase"),
    ("post", "/api/admin/snapshot"),
    ("get", "/api/admin/snapshots"),
    ("delete", "/api/uploads"),
    ("post", "/api/admin/compact"),
    ("post", "/api/admin/resign"),
    ("get", "/api/admin/task"),
    ("get", "/api/jobs"),
    ("post", "/api/jobs"),
    ("get", "/api/jobs/{id}"),
    ("delete", "/api/jobs/{id}"),
    ("post", "/api/jobs/{id}/adopt"),
    ("delete", "/api/jobs/{id}/adopt"),
    ("get", "/api/jobs/{id}/files"),
    ("get", "/api/jobs/{id}/file"),
    ("get", "/api/uploads"),
    ("post", "/api/uploads"),
];

/// The first role that may use a route, as its place in the list of roles; `None`: everybody.
fn needed(method: &str, path: &str) -> Option<usize> {
    let route = (method, path);
    let tables: [&[(&str, &str)]; 4] = [&READ, &REVIEWER, &WRITE, &ADMIN];
    if OPEN.contains(&route) {
        return None;
    }
    let place = tables.iter().position(|table| table.contains(&route));
    // What changes something is in a table; everything else only reads.
    assert!(place.is_some() || method == "get", "{method} {path} is in no table");
    Some(place.unwrap_or(0))
}

#[test]
fn each_role_may_do_what_the_table_says_and_no_more() {
    let folder = tempfile::tempdir().unwrap();
    let roles = ["read", "reviewer", "write", "admin"];
    let tokens = roles.map(|role| token(folder.path(), role, role, None));
    let service = start_in(folder, |_| {});
    let document = lookalike_server::openapi();
    let mut seen = Vec::new();
    for (path, methods) in document["paths"].as_object().unwrap() {
        for method in methods.as_object().unwrap().keys() {
            seen.push((method.clone(), path.clone()));
            let real =
                path.replace("{id}", "7").replace("{a}", "x").replace("{b}", "y").replace("{name}", "x");
            let needed = needed(method, path);
            for (role, token) in tokens.iter().enumerate() {
                // Without a body no request changes anything, and roles are looked at first.
                let reply = service.by(token, &method.to_uppercase(), &real, None);
                let is_forbidden = needed.is_some_and(|needed| role < needed);
                assert_eq!(
                    reply.status == 403,
                    is_forbidden,
                    "{} {method} {path}: {}",
                    roles[role],
                    reply.status
                );
            }
            let stranger = service.by("lk_unknown", &method.to_uppercase(), &real, None);
            assert_eq!(stranger.status == 401, needed.is_some(), "{method} {path}: {}", stranger.status);
        }
    }
    for (method, path) in [&OPEN[..], &READ, &REVIEWER, &WRITE, &ADMIN].concat() {
        let known = seen.iter().any(|(known, at)| (known.as_str(), at.as_str()) == (method, path));
        assert!(known, "there is no {method} {path}");
    }
}

#[test]
fn a_reviewer_is_told_who_they_are_and_counts_no_hits() {
    let folder = tempfile::tempdir().unwrap();
    let reviewer = token(folder.path(), "rita", "reviewer", Some(&["red"]));
    let service = start_in(folder, |_| {});
    let me = service.by(&reviewer, "GET", "/api/me", None).json();
    assert_eq!(me, serde_json::json!({ "name": "rita", "role": "reviewer", "labels": ["red"] }));
    let asked = Some(&Value::from_iter([("text", "some words that nobody wrote before")]));
    assert_eq!(service.by(&reviewer, "POST", "/api/check", asked).status, 200);
    assert_eq!(service.by(&reviewer, "POST", "/api/check?refresh=true", asked).code(), "forbidden");
}
