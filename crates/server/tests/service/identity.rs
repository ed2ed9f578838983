//! The same id under other labels is another document, in every route; removals and their undoing touch nothing else.

use serde_json::{Value, json};

use crate::running::{Running, eventually, start_in, text, token};

struct Shared {
    service: Running,
    admin: String,
    red: String,
    blue: String,
    both: String,
}

/// A service with the id `x` under two labels.
fn shared() -> Shared {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path();
    let admin = token(path, "admin", "admin", None);
    let (red, blue) =
        (token(path, "red", "write", Some(&["red"])), token(path, "blue", "write", Some(&["blue"])));
    let both = token(path, "both", "write", Some(&["red", "blue"]));
    let service = start_in(folder, |_| {});
    let shared = Shared { service, admin, red, blue, both };
    shared.put(&shared.red, "x", 1, 0, &["red"]);
    shared.put(&shared.blue, "x", 2, 0, &["blue"]);
    shared
}

impl Shared {
    fn put(&self, by: &str, id: &str, family: u64, changed: usize, labels: &[&str]) -> Value {
        let document = json!({ "id": id, "text": text(family, changed), "labels": labels });
        let reply = self.service.by(by, "POST", "/api/documents?ttl=900000", Some(&document));
        assert_eq!(reply.status, 200, "{}", reply.json());
        reply.json()
    }

    fn text_of(&self, by: &str, path: &str) -> String {
        let stored = self.service.by(by, "GET", path, None).json();
        stored["document"]["text"].as_str().unwrap_or_default().to_owned()
    }
}

#[test]
fn an_id_names_what_the_caller_sees_and_labels_tell_which() {
    let shared = shared();
    let Shared { service, admin, red, blue, both } = &shared;
    assert_eq!(shared.text_of(red, "/api/documents/x"), text(1, 0));
    assert_eq!(shared.text_of(blue, "/api/documents/x"), text(2, 0));
    shared.put(admin, "x", 3, 0, &["green"]);
    for (method, path) in [
        ("GET", "/api/documents/x"),
        ("GET", "/api/documents/x/history"),
        ("GET", "/api/clusters/x"),
        ("GET", "/api/clusters/x/map"),
        ("GET", "/api/pairs/x/x"),
        ("GET", "/api/search?cluster=x"),
        ("DELETE", "/api/documents/x"),
    ] {
        let reply = service.by(both, method, path, None);
        assert_eq!((reply.status, reply.code().as_str()), (409, "ambiguous"), "{method} {path}");
        let told = reply.json();
        let choices = json!([{ "id": "x", "labels": ["blue"] }, { "id": "x", "labels": ["red"] }]);
        assert_eq!(told["error"]["choices"], choices, "{told}");
        assert!(!told.to_string().contains("green"), "{told}");
    }
    assert_eq!(shared.text_of(both, "/api/documents/x?labels=blue"), text(2, 0));
    assert_eq!(shared.text_of(admin, "/api/documents/x?labels=%5B%22green%22%5D"), text(3, 0));
    assert_eq!(service.by(both, "GET", "/api/documents/x?labels=green", None).status, 404);
    assert_eq!(service.by(both, "GET", "/api/documents/x?labels=", None).status, 404);
    assert_eq!(service.by(both, "GET", "/api/pairs/x/x?a_labels=red&b_labels=blue", None).status, 200);
    let decision =
        json!({ "a": "x", "b": "x", "a_labels": ["red"], "b_labels": ["blue"], "duplicate": false });
    assert_eq!(service.by(both, "POST", "/api/decisions", Some(&decision)).status, 204);
    let heard = |by: &str| {
        service.by(by, "GET", "/api/decisions", None).json()["decisions"].as_array().unwrap().len()
    };
    assert_eq!((heard(both), heard(red), heard(admin)), (1, 0, 1));
    let keeper = json!({ "id": "x", "keep": true });
    assert_eq!(service.by(both, "POST", "/api/keepers", Some(&keeper)).status, 409);
    let keeper = json!({ "id": "x", "labels": ["red"], "keep": true });
    assert_eq!(service.by(both, "POST", "/api/keepers", Some(&keeper)).status, 204);
    // What others see, too, is not a caller's to remove.
    shared.put(both, "y", 4, 0, &["red", "blue"]);
    assert_eq!(service.by(red, "DELETE", "/api/documents/y", None).status, 403);
    assert_eq!(service.by(red, "DELETE", "/api/documents/x", None).status, 204);
    assert_eq!(shared.text_of(blue, "/api/documents/x"), text(2, 0));
}

#[test]
fn a_removal_takes_the_versions_of_its_plan_and_undo_brings_them_back_as_they_were() {
    let shared = shared();
    let Shared { service, admin, .. } = &shared;
    let by = |method: &str, path: &str, body: Option<&Value>| service.by(admin, method, path, body);
    // Near-duplicates of red's `x`, one of them under the id of blue's.
    for (id, changed) in [("k1", 0), ("k2", 1), ("k3", 2)] {
        shared.put(admin, id, 1, changed, &["red"]);
    }
    eventually("the survey has them", || {
        by("POST", "/api/removals/preview", Some(&json!({}))).json()["removed"] == 3
    });
    let before: Vec<Value> = ["x?labels=red", "k1", "k2", "k3", "x?labels=blue"]
        .map(|name| by("GET", &format!("/api/documents/{name}"), None).json())
        .into();
    let history = by("GET", "/api/documents/k2/history", None).json();
    let preview = by("POST", "/api/removals/preview", Some(&json!({ "keep": "first" }))).json();
    let plan = preview["plan"].as_str().unwrap();
    // One of the plan changes before it is carried out, and a new one comes.
    shared.put(admin, "k3", 1, 4, &["red"]);
    shared.put(admin, "k4", 1, 1, &["red"]);
    let wrong = by("POST", "/api/removals", Some(&json!({ "plan": plan, "keep": "newest" })));
    assert_eq!(wrong.status, 422, "{}", wrong.json());
    let done = by("POST", "/api/removals", Some(&json!({ "plan": plan }))).json();
    assert_eq!((&done["complete"], &done["documents"]), (&json!(true), &json!(2)), "{done}");
    let refused = done["refused"].as_array().unwrap();
    assert_eq!((refused.len(), &refused[0]["id"], &refused[0]["labels"]), (1, &json!("k3"), &json!(["red"])));
    assert_eq!(
        by("POST", "/api/removals", Some(&json!({ "plan": plan }))).code(),
        "unknown-plan",
        "it is done"
    );
    for (name, is_there) in [("k1", false), ("k2", false), ("k3", true), ("k4", true), ("x?labels=red", true)]
    {
        let status = by("GET", &format!("/api/documents/{name}"), None).status;
        assert_eq!(status == 200, is_there, "{name}");
    }
    assert_eq!(shared.text_of(admin, "/api/documents/x?labels=blue"), text(2, 0), "another's document stays");
    assert_eq!(shared.text_of(admin, "/api/documents/k3"), text(1, 4), "what changed since stays: {done}");
    let undone = by("POST", "/api/removals/1/undo", Some(&json!({}))).json();
    assert_eq!((&undone["undone"], &undone["not_restored"]), (&json!(true), &Value::Null), "{undone}");
    for (name, expected) in ["x?labels=red", "k1", "k2"].into_iter().zip(&before) {
        let mut now = by("GET", &format!("/api/documents/{name}"), None).json();
        // Who stands for the cluster has changed with k3 and k4.
        now["master"] = expected["master"].clone();
        assert_eq!(&now, expected, "{name}");
    }
    let now = by("GET", "/api/documents/k2/history", None).json();
    assert_eq!(now["versions"], history["versions"]);
}

#[test]
fn a_damaged_record_of_a_removal_is_told_and_never_written_over() {
    let shared = shared();
    let Shared { service, admin, .. } = &shared;
    let by = |method: &str, path: &str, body: Option<&Value>| service.by(admin, method, path, body);
    let nothing = json!({});
    let remove_one = |id: &str| {
        shared.put(admin, id, 1, 1, &["red"]);
        eventually("the survey has it", || {
            by("POST", "/api/removals/preview", Some(&nothing)).json()["removed"] == 1
        });
        by("POST", "/api/removals", Some(&nothing)).json()["removal"].clone()
    };
    assert_eq!(remove_one("k1"), 1);
    let about = service.folder.path().join("removals/1/about.json");
    let whole = std::fs::read(&about).unwrap();
    for cut in [0, whole.len() / 2] {
        std::fs::write(&about, &whole[..cut]).unwrap();
        for (method, path) in [("GET", "/api/removals"), ("POST", "/api/removals/1/undo")] {
            let reply = by(method, path, Some(&nothing));
            assert_eq!((reply.status, reply.code().as_str()), (500, "damaged"), "{method} {path}");
        }
    }
    assert_eq!(remove_one("k2"), 2);
    std::fs::write(&about, &whole).unwrap();
    for (number, id) in [(1, "k1"), (2, "k2")] {
        let undone = by("POST", &format!("/api/removals/{number}/undo"), Some(&nothing)).json();
        assert_eq!(undone["undone"], true, "{undone}");
        assert_eq!(shared.text_of(admin, &format!("/api/documents/{id}")), text(1, 1));
    }
}
