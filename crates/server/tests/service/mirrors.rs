//! Hosts that mirror each other, among what the caller sees.

use serde_json::{Value, json};

use crate::running::{eventually, start_in, text, token};

#[test]
fn each_caller_is_told_of_the_hosts_that_it_sees() {
    let folder = tempfile::tempdir().unwrap();
    let admin = token(folder.path(), "admin", "admin", None);
    let [red, blue] = ["red", "blue"].map(|name| token(folder.path(), name, "read", Some(&[name])));
    let service = start_in(folder, |_| {});
    let add = |id: String, url: String, number: u64, labels: &[&str]| {
        let document = json!({ "id": id, "url": url, "text": text(number, 0), "labels": labels });
        assert_eq!(service.by(&admin, "POST", "/api/documents", Some(&document)).status, 200);
    };
    for page in 0..3 {
        add(format!("a{page}"), format!("http://Example.org:80/{page}"), page, &[]);
        add(format!("b{page}"), format!("https://www.example.org/{page}"), page, &[]);
        add(format!("c{page}"), format!("http://secret.example/{page}"), page, &["red"]);
    }
    // Seen by blue, but alone there: what it mirrors is red's.
    for page in 3..6 {
        add(format!("c{page}"), format!("http://secret.example/{page}"), page, &["red"]);
        add(format!("d{page}"), format!("http://blue.example/{page}"), page, &["blue"]);
    }
    let told = |token: &str, query: &str| -> Value {
        let reply = service.by(token, "GET", &format!("/api/mirrors{query}"), None);
        assert_eq!(reply.status, 200);
        reply.json()
    };
    // Addresses are read once someone asks.
    eventually("all addresses are read", || told(&admin, "")["unread"] == 0);
    eventually("red's too", || told(&red, "")["unread"] == 0);
    eventually("blue's too", || told(&blue, "")["unread"] == 0);
    let pairs = |told: &Value| -> Vec<String> {
        let pair = |pair: &Value| {
            [&pair["a"]["host"], &pair["b"]["host"]].map(|host| host.as_str().unwrap().to_owned())
        };
        told["pairs"].as_array().unwrap().iter().map(|one| pair(one).join(" ")).collect()
    };
    let (of_red, of_blue) = (told(&red, ""), told(&blue, ""));
    let both = "example.org www.example.org";
    assert_eq!(pairs(&of_blue), [both]);
    assert_eq!(
        (&of_blue["hosts"], &of_blue["found"], &of_blue["groups"]),
        (&json!(3), &json!(1), &json!([]))
    );
    assert!(!of_blue.to_string().contains("secret"), "{of_blue}");
    // All save as much, so they are in the order of names. Half of the secret host is on the others.
    assert_eq!(pairs(&of_red), ["example.org secret.example", both, "secret.example www.example.org"]);
    let pair = &of_red["pairs"][0];
    assert_eq!(
        (&pair["b"]["documents"], &pair["b"]["shared"], &pair["b"]["share"]),
        (&json!(6), &json!(3), &json!(0.5))
    );
    assert_eq!((&pair["clusters"], &pair["same_paths"], &pair["saved"]), (&json!(3), &json!(3), &json!(3)));
    assert_eq!((&pair["a"]["example"], &pair["b"]["example"]), (&json!("a0"), &json!("c0")));
    assert_eq!(of_red["groups"][0]["size"], 3);
    assert_eq!(pairs(&told(&red, "?share=0.6")), [both]);
    assert_eq!(told(&red, "?clusters=4")["found"], 0);
    let limited = told(&red, "?limit=1");
    assert_eq!((limited["pairs"].as_array().unwrap().len(), &limited["found"]), (1, &json!(3)));
    for wrong in ["?clusters=0", "?share=2", "?share=NaN", "?limit=0", "?hosts=1"] {
        let reply = service.by(&red, "GET", &format!("/api/mirrors{wrong}"), None);
        assert_eq!((reply.status, reply.code().as_str()), (400, "bad-request"), "{wrong}");
    }
}
