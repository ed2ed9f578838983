//! What a hostile or clumsy caller meets.

use std::io::{Read, Write};
use std::net::TcpStream;
use std::time::Duration;

use serde_json::json;

use crate::client::{connect, parse, read_reply, send};
use crate::running::{start, start_with, text};

#[test]
fn every_error_is_json_with_headers_that_keep_browsers_quiet() {
    let service = start();
    let json = [("content-type", "application/json")];
    for (method, path, headers, status, code) in [
        ("GET", "/index.html", &[][..], 404, "no-such-route"),
        ("GET", "/api/nothing", &[], 404, "no-such-route"),
        ("GET", "/api/documents/", &[], 404, "no-such-route"),
        ("PUT", "/api/documents/a", &[], 405, "method-not-allowed"),
        ("GET", "/api/check", &[], 405, "method-not-allowed"),
        ("OPTIONS", "/api/documents", &[], 405, "method-not-allowed"),
        ("BREW", "/api/documents", &[], 405, "method-not-allowed"),
        ("POST", "/api/check", &[], 415, "unsupported-media-type"),
        ("POST", "/api/check", &[("content-type", "text/plain")], 415, "unsupported-media-type"),
        (
            "POST",
            "/api/check",
            &[("content-type", "application/json"), ("content-encoding", "gzip")],
            415,
            "unsupported-media-type",
        ),
        ("POST", "/api/check", &json, 400, "bad-json"),
        ("GET", "/api/clusters?limit=-1", &[], 400, "bad-request"),
    ] {
        let reply = send(service.address, method, path, headers, b"");
        assert_eq!((reply.status, reply.code().as_str()), (status, code), "{method} {path}");
        assert_eq!(reply.header("content-type"), Some("application/json"), "{method} {path}");
        assert_eq!(reply.header("x-content-type-options"), Some("nosniff"));
        assert!(reply.header("content-security-policy").unwrap().contains("default-src 'none'"));
        assert_eq!(reply.header("cache-control"), Some("no-store"));
        assert!(reply.header("x-request-id").is_some_and(|id| !id.is_empty()));
    }
    let with_id = |id: &str| send(service.address, "GET", "/healthz", &[("x-request-id", id)], b"");
    assert_eq!(with_id("trace-1.a_B").header("x-request-id"), Some("trace-1.a_B"));
    assert_ne!(with_id("a b\"").header("x-request-id"), Some("a b\""));
    let head = send(service.address, "HEAD", "/api/documents/none", &[], b"");
    assert_eq!((head.status, head.body.len()), (404, 0));
}

#[test]
fn a_body_has_its_limit_announced_or_not() {
    let service = start_with(|config| config.max_body = 10_000);
    let document = |bytes: usize| json!({ "text": "a".repeat(bytes) });
    assert_eq!(service.post("/api/check", &document(9_000)).status, 200);
    let reply = service.post("/api/check", &document(20_000));
    assert_eq!((reply.status, reply.code().as_str()), (413, "too-large"));
    let mut stream = connect(service.address);
    let head = format!(
        "POST /api/check HTTP/1.1\r\nhost: {}\r\nconnection: close\r\ncontent-type: application/json\r\ntransfer-encoding: chunked\r\n\r\n",
        service.address
    );
    stream.write_all(head.as_bytes()).unwrap();
    let chunk = format!("{:x}\r\n{}\r\n", 5000, "a".repeat(5000));
    for _ in 0..3 {
        let _ = stream.write_all(chunk.as_bytes());
    }
    assert_eq!(read_reply(&mut stream).status, 413);
}

#[test]
fn all_bodies_together_have_a_limit() {
    let service = start_with(|config| config.max_buffered = 50_000);
    let mut slow = connect(service.address);
    let begin = |stream: &mut TcpStream, sent: usize| {
        let head = format!(
            "POST /api/check HTTP/1.1\r\nhost: {}\r\nconnection: close\r\ncontent-type: application/json\r\ncontent-length: 60000\r\n\r\n",
            service.address
        );
        stream.write_all(head.as_bytes()).unwrap();
        stream.write_all("a".repeat(sent).as_bytes()).unwrap();
    };
    begin(&mut slow, 40_000);
    let document = json!({ "text": "b".repeat(20_000) });
    crate::running::eventually("the bytes have arrived", || {
        let reply = service.post("/api/check", &document);
        if reply.status == 200 {
            // Either its bytes are still on the way, or it was told the same, since ours were there first.
            slow = connect(service.address);
            begin(&mut slow, 40_000);
            return false;
        }
        reply.status == 503 && reply.code() == "busy" && reply.header("retry-after") == Some("1")
    });
    // What was announced and not sent takes no room: what they sent is a kilobyte each.
    let mut others: Vec<TcpStream> = (0..20).map(|_| connect(service.address)).collect();
    others.iter_mut().for_each(|stream| begin(stream, 10));
    drop(slow);
    crate::running::eventually("the room is free again", || {
        service.post("/api/check", &document).status == 200
    });
}

#[test]
fn slow_heads_and_slow_bodies_are_ended() {
    let service = start_with(|config| {
        config.header_time = Duration::from_secs(1);
        config.request_time = Duration::from_secs(1);
    });
    let mut idle = connect(service.address);
    let mut slow_head = connect(service.address);
    slow_head.write_all(b"GET /healthz HTTP/1.1\r\nhost: ").unwrap();
    let mut slow_body = connect(service.address);
    let head = "POST /api/check HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\ncontent-length: 9\r\n\r\n{";
    slow_body.write_all(head.as_bytes()).unwrap();
    let mut kept_alive = connect(service.address);
    kept_alive.write_all(b"GET /healthz HTTP/1.1\r\nhost: localhost\r\n\r\n").unwrap();
    let mut told = Vec::new();
    idle.read_to_end(&mut told).unwrap();
    assert_eq!(told, b"", "one that says nothing is told nothing");
    let _ = slow_head.read_to_end(&mut told);
    assert!(told.is_empty() || parse(&told).status == 408, "{}", String::from_utf8_lossy(&told));
    let reply = read_reply(&mut slow_body);
    assert_eq!((reply.status, reply.code().as_str()), (408, "slow-body"));
    assert_eq!(read_reply(&mut kept_alive).status, 200, "and is closed after a while");
}

#[test]
fn many_idle_and_slow_connections_do_not_stop_the_others() {
    let service = start_with(|config| config.header_time = Duration::from_secs(60));
    service.post("/api/documents", &json!({ "id": "a", "text": text(1, 0) }));
    let mut held = Vec::new();
    for number in 0..400 {
        let mut stream = connect(service.address);
        match number % 4 {
            0 => {}
            1 => stream.write_all(b"GET /api/st").unwrap(),
            2 => stream.write_all(b"POST /api/check HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\ncontent-length: 999\r\n\r\n{").unwrap(),
            _ => stream.write_all(b"POST /api/documents/bulk HTTP/1.1\r\nhost: localhost\r\ncontent-length: 999\r\n\r\n{").unwrap(),
        }
        held.push(stream);
    }
    assert_eq!(
        service.post("/api/check", &json!({ "text": text(1, 1) })).json()["verdict"],
        "near-duplicate"
    );
    drop(held);
}

#[test]
fn beyond_the_limit_a_connection_is_told_so() {
    let service = start_with(|config| config.connections = 3);
    let held: Vec<TcpStream> = (0..3).map(|_| connect(service.address)).collect();
    // The three may not all have been accepted yet.
    crate::running::eventually("a fourth is refused", || {
        let mut stream = connect(service.address);
        let mut told = Vec::new();
        stream.set_read_timeout(Some(Duration::from_millis(200))).unwrap();
        let _ = stream.read_to_end(&mut told);
        !told.is_empty() && parse(&told).status == 503 && parse(&told).code() == "busy"
    });
    drop(held);
    crate::running::eventually("others are let in again", || {
        let mut stream = connect(service.address);
        let _ = stream.write_all(b"GET /healthz HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n\r\n");
        let mut told = Vec::new();
        let _ = stream.read_to_end(&mut told);
        !told.is_empty() && parse(&told).status == 200
    });
}

#[test]
fn nonsense_on_the_wire_hurts_nobody() {
    let service = start();
    let long = format!("GET /{} HTTP/1.1\r\nhost: localhost\r\n\r\n", "a".repeat(200_000));
    for nonsense in [
        &b"\x16\x03\x01\x02\x00"[..],
        b"GET\r\n\r\n",
        b"\r\n\r\n\r\n",
        b"GET / HTTP/9.9\r\n\r\n",
        long.as_bytes(),
    ] {
        let mut stream = connect(service.address);
        let _ = stream.write_all(nonsense);
        let _ = stream.shutdown(std::net::Shutdown::Write);
        let _ = stream.read_to_end(&mut Vec::new());
    }
    assert_eq!(service.get("/healthz").status, 200);
}
