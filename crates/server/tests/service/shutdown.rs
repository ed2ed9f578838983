//! Ending the service loses nothing.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;

use serde_json::{Value, json};

use crate::client::{connect, read_reply};
use crate::running::{eventually, start, start_in, text};

#[test]
fn what_runs_is_finished_and_everything_is_there_afterwards() {
    let mut service = start();
    service.post("/api/documents", &json!({ "id": "before", "text": text(1, 0) }));
    // A request whose body is still on its way, and connections that say nothing.
    let body = json!({ "id": "during", "text": text(2, 0) }).to_string();
    let mut running = connect(service.address);
    let head = format!(
        "POST /api/documents HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\ncontent-length: {}\r\n\r\n{}",
        body.len(),
        &body[..10]
    );
    let mut idle = connect(service.address);
    let mut kept_alive = connect(service.address);
    kept_alive.write_all(b"GET /healthz HTTP/1.1\r\nhost: localhost\r\n\r\n").unwrap();
    let mut first = [0; 12];
    kept_alive.read_exact(&mut first).unwrap();
    running.write_all(head.as_bytes()).unwrap();
    eventually("the request is being read", || {
        metric(&service.get("/metrics").body, "lookalike_connections") >= 4
    });
    let address = service.address;
    service.tell_to_stop();
    let mut nothing = Vec::new();
    idle.read_to_end(&mut nothing).unwrap();
    assert!(nothing.is_empty(), "idle connections are closed at once");
    eventually("no new connection is taken", || TcpStream::connect(address).is_err());
    running.write_all(&body.as_bytes()[10..]).unwrap();
    let reply = read_reply(&mut running);
    assert_eq!((reply.status, &reply.json()["action"]), (200, &json!("inserted")));
    let again = start_in(service.stopped(), |_| {});
    for id in ["before", "during"] {
        assert_eq!(again.get(&format!("/api/documents/{id}")).status, 200, "{id}");
    }
}

#[test]
fn an_unfinished_resign_goes_on_by_itself() {
    let service = start();
    service.post("/api/documents", &json!({ "id": "a", "text": text(1, 0) }));
    let folder = service.stopped();
    // As versions before checksums left it: the note, and what the index wrote down when it began.
    let (note, begun) = (folder.path().join("resign.toml"), folder.path().join("index/generation-2"));
    std::fs::create_dir(&begun).unwrap();
    for path in [&note, &begun.join("recipe.toml")] {
        std::fs::write(path, "method = 'simhash'\n").unwrap();
    }
    let again = start_in(folder, |_| {});
    eventually("it ends", || again.get("/api/admin/task").json()["state"] == "done");
    assert_eq!(again.get("/api/stats").json()["method"], "simhash");
    assert_eq!(again.get("/api/documents/a").status, 200);
    assert!(!note.exists());
    let folder = again.stopped();
    // What nobody can go on with stops nobody.
    std::fs::write(&note, "method = ").unwrap();
    let again = start_in(folder, |_| {});
    assert_eq!(again.get("/api/documents/a").status, 200);
    let task = again.get("/api/admin/task").json();
    assert_eq!((&task["state"], &task["error"]["code"]), (&json!("failed"), &json!("damaged")));
}

#[test]
fn a_stream_ends_with_what_it_has() {
    let mut service = start();
    let mut stream = connect(service.address);
    let line = format!("{}\n", json!({ "id": 1, "text": text(1, 0) }));
    let head = "POST /api/documents/bulk HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/x-ndjson\r\ntransfer-encoding: chunked\r\n\r\n";
    stream.write_all(format!("{head}{:x}\r\n{line}\r\n", line.len()).as_bytes()).unwrap();
    let mut answers = BufReader::new(stream.try_clone().unwrap()).lines();
    let mut next = || -> Value {
        let line = answers.by_ref().map(Result::unwrap).find(|line| line.starts_with('{')).unwrap();
        serde_json::from_str(&line).unwrap()
    };
    assert_eq!(next()["verdict"], "new");
    service.tell_to_stop();
    let last = next();
    assert_eq!((&last["line"], &last["error"]["code"]), (&Value::Null, &json!("shutting-down")));
    drop(stream);
    let again = start_in(service.stopped(), |_| {});
    assert_eq!(again.get("/api/documents/1").status, 200);
}

#[test]
fn one_folder_belongs_to_one_service() {
    use lookalike_server::{Config, Server};
    let service = start();
    let config = Config {
        data: service.folder.path().to_owned(),
        listen: "127.0.0.1:0".parse().unwrap(),
        ..Config::default()
    };
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    let second = runtime.block_on(Server::start(&crate::running::session(), config, None));
    assert!(second.is_err(), "the index is in use");
}

/// A figure without labels.
pub fn metric(text: &[u8], name: &str) -> u64 {
    let text = String::from_utf8_lossy(text);
    let value = text.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(' '));
    value.and_then(|value| value.parse::<f64>().ok()).unwrap_or_else(|| panic!("{name} in {text}")) as u64
}
