//! `lookalike serve` from an operator's point of view: flags, tokens, a signal; and files, which only
//! the real program can read.

use std::process::Command;

use serde_json::{Value, json};

use super::serving::Serving;

const BODY: &str = "The harbour board met on Tuesday evening to discuss the new breakwater, the state of the \
    lighthouse road and the fees for visiting boats, which have not changed since the year of the great storm; \
    after two hours of talk the members agreed to ask three builders for an offer and to meet again in spring.";

fn message(subject: &str, from: &str) -> Vec<u8> {
    format!(
        "From: {from}\r\nTo: b@example.org\r\nSubject: {subject}\r\nDate: Tue, 3 Nov 2026 10:00:00 +0000\r\n\
         MIME-Version: 1.0\r\nContent-Type: text/plain; charset=utf-8\r\n\r\n{BODY}\r\n"
    )
    .into_bytes()
}

#[test]
fn files_and_messages_are_read_and_survive_a_restart() {
    let folder = tempfile::tempdir().unwrap();
    let serving = Serving::service(folder.path(), &[]);
    let page = format!("<html><head><title>Minutes</title></head><body><p>{BODY}</p></body></html>");
    let document = json!({ "id": "page", "content": base64(page.as_bytes()), "set": "minutes" });
    let (status, added) =
        serving.post("/api/documents", "application/json", None, document.to_string().as_bytes());
    assert_eq!(
        (status, &added["verdict"], &added["action"]),
        (200, &json!("new"), &json!("inserted")),
        "{added}"
    );
    serving.end();
    let serving = Serving::service(folder.path(), &[]);
    for message in [message("hello", "a@example.org"), message("other words here", "c@example.net")] {
        let (_, checked) = serving.post("/api/check", "message/rfc822", None, &message);
        assert_eq!(checked["matches"][0]["id"], "page", "{checked}");
        assert_ne!(checked["verdict"], "new");
        let (_, checked) = serving.post("/api/check?passages=true", "message/rfc822", None, &message);
        assert_eq!(checked["matches"][0]["title"], "Minutes", "{checked}");
        // Places refer to the text extracted from the message, which is returned, too.
        let told = checked["text"].as_str().unwrap();
        let shared = &checked["matches"][0]["passages"][0]["asked"];
        let [start, end] = [0usize, 1].map(|place| shared[place].as_u64().unwrap() as usize);
        assert!(told[start..end].starts_with("The harbour board met"), "{checked}");
    }
    let broken = json!({ "content": base64(b"%PDF-1.4 nothing") });
    let (_, checked) = serving.post("/api/check", "application/json", None, broken.to_string().as_bytes());
    assert_eq!(checked["verdict"], "unreadable", "{checked}");
    serving.end();
}

#[test]
fn tokens_are_made_listed_and_revoked() {
    let folder = tempfile::tempdir().unwrap();
    let run = |arguments: &[&str]| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_lookalike"));
        let output = command
            .args(["serve", "token"])
            .args(arguments)
            .arg("--data")
            .arg(folder.path())
            .output()
            .unwrap();
        let told = String::from_utf8(output.stderr).unwrap();
        (output.status.code(), String::from_utf8(output.stdout).unwrap(), told)
    };
    let (code, token, _) = run(&["add", "crawler", "--role", "write", "--label", "news"]);
    assert_eq!(code, Some(0));
    assert_eq!(run(&["add", "crawler"]).0, Some(2), "a name is given once");
    let (_, list, _) = run(&["list", "--json"]);
    let list: Value = serde_json::from_str(&list).unwrap();
    assert_eq!((&list[0]["name"], &list[0]["labels"]), (&json!("crawler"), &json!(["news"])));
    assert!(list[0].get("hash").is_none());
    let serving = Serving::service(folder.path(), &["--policy", "reject"]);
    let document = json!({ "id": "a", "text": BODY, "labels": ["news"] }).to_string();
    let add = |token| serving.post("/api/documents", "application/json", token, document.as_bytes()).0;
    assert_eq!(add(None), 401);
    assert_eq!(add(Some(token.trim())), 200);
    serving.end();
    assert_eq!(run(&["revoke", "crawler"]).0, Some(0));
    let (code, _, told) = run(&["revoke", "crawler"]);
    assert!(code == Some(2) && told.contains("there is no token"), "{told}");
    assert_eq!(run(&["add", "x", "--role", "king"]).0, Some(2));
}

#[test]
fn what_cannot_be_served_is_told_in_one_sentence() {
    let folder = tempfile::tempdir().unwrap();
    let data = folder.path().to_str().unwrap();
    for (arguments, expected) in [
        (vec!["serve"], "--data DIR"),
        (vec!["serve", "--data", data, "--listen", "0.0.0.0:0"], "needs a token"),
        (vec!["serve", "--data", data, "--listen", "here"], "ADDRESS:PORT"),
        (vec!["serve", "--data", data, "--with", "speed=9"], "unknown key `speed`"),
        (vec!["serve", "--data", data, "--config", "none.toml"], "none.toml"),
        (vec!["serve", "--data", data, "--method", "none"], "unknown method"),
    ] {
        let output = Command::new(env!("CARGO_BIN_EXE_lookalike"))
            .args(&arguments)
            .current_dir(&folder)
            .output()
            .unwrap();
        let told = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(2), "{arguments:?}: {told}");
        assert!(told.contains(expected) && told.trim_end().lines().count() == 1, "{arguments:?}: {told}");
    }
}

fn base64(bytes: &[u8]) -> String {
    const LETTERS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut text = String::new();
    for three in bytes.chunks(3) {
        let value =
            three.iter().fold(0u32, |value, &byte| value << 8 | u32::from(byte)) << (8 * (3 - three.len()));
        for place in 0..4 {
            let letter = LETTERS[(value >> (18 - 6 * place)) as usize & 63];
            text.push(if place <= three.len() { char::from(letter) } else { '=' });
        }
    }
    text
}
