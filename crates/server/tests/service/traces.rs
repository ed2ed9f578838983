//! What a collector of traces is sent. `clients/traces` holds it against the protocol's own definition.

use std::io::{Read, Write};
use std::net::TcpListener;
use std::sync::mpsc::{Receiver, channel};
use std::time::Duration;

use serde_json::{Value, json};

use crate::client::{PATIENCE, send};
use crate::running::{eventually, start, start_with};

/// A collector that answers with these statuses, one after the other, the last one for ever; and what it was sent.
fn collector(statuses: &'static [u16]) -> (String, Receiver<Value>) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("http://{}/v1/traces", listener.local_addr().unwrap());
    let (tell, told) = channel();
    std::thread::spawn(move || {
        let mut statuses = statuses.iter().copied();
        let mut status = 200;
        for stream in listener.incoming() {
            let mut stream = stream.unwrap();
            let (mut bytes, mut buffer) = (Vec::new(), [0; 4096]);
            let body = loop {
                let read = stream.read(&mut buffer).unwrap();
                bytes.extend_from_slice(&buffer[..read]);
                let text = String::from_utf8_lossy(&bytes).to_ascii_lowercase();
                let Some(end) = text.find("\r\n\r\n") else { continue };
                let length = text.split("content-length: ").nth(1).unwrap();
                let length: usize = length.split("\r\n").next().unwrap().parse().unwrap();
                if bytes.len() >= end + 4 + length {
                    assert!(text.contains("content-type: application/json"));
                    break serde_json::from_slice(&bytes[end + 4..]).unwrap();
                }
            };
            status = statuses.next().unwrap_or(status);
            let answer =
                format!("HTTP/1.1 {status} Ok\r\nContent-Length: 2\r\nConnection: close\r\n\r\n{{}}");
            stream.write_all(answer.as_bytes()).unwrap();
            if status == 200 && tell.send(body).is_err() {
                return;
            }
        }
    });
    (url, told)
}

fn spans(message: &Value) -> Vec<Value> {
    message["resourceSpans"][0]["scopeSpans"][0]["spans"].as_array().unwrap().clone()
}

#[test]
fn a_request_is_a_span_and_its_work_is_below_it() {
    // Busy at first: it is sent again.
    let (url, told) = collector(&[503, 200]);
    let service = start_with(|config| config.set("traces", &url).unwrap());
    let parent = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01";
    let headers = [("content-type", "application/json"), ("traceparent", parent)];
    let body = serde_json::to_vec(&json!({ "text": "a secret text of several words" })).unwrap();
    assert_eq!(send(service.address, "POST", "/api/check", &headers, &body).status, 200);
    let message = told.recv_timeout(PATIENCE).unwrap();
    assert_eq!(message["resourceSpans"][0]["resource"]["attributes"][0]["value"]["stringValue"], "lookalike");
    let spans = spans(&message);
    let whole = spans.iter().find(|span| span["name"] == "POST /api/check").unwrap();
    assert_eq!(whole["traceId"], "0af7651916cd43dd8448eb211c80319c");
    assert_eq!((&whole["parentSpanId"], &whole["kind"]), (&json!("b7ad6b7169203331"), &json!(2)));
    let attributes: Vec<&Value> =
        whole["attributes"].as_array().unwrap().iter().map(|one| &one["value"]).collect();
    assert_eq!(
        json!(attributes),
        json!([
            { "stringValue": "POST" }, { "stringValue": "/api/check" }, { "intValue": "200" }, { "stringValue": "local" },
        ])
    );
    let work = spans.iter().find(|span| span["name"] == "work").unwrap();
    assert_eq!((&work["parentSpanId"], &work["traceId"]), (&whole["spanId"], &whole["traceId"]));
    let at = |span: &Value, name: &str| span[name].as_str().unwrap().parse::<u64>().unwrap();
    assert!(at(whole, "startTimeUnixNano") <= at(work, "startTimeUnixNano"));
    assert!(at(work, "startTimeUnixNano") <= at(work, "endTimeUnixNano"));
    assert!(at(work, "endTimeUnixNano") <= at(whole, "endTimeUnixNano"));
    assert!(!message.to_string().contains("secret"), "texts are nobody's business");
}

#[test]
fn what_the_caller_does_not_want_traced_is_not() {
    let (url, told) = collector(&[200]);
    let service = start_with(|config| config.set("traces", &url).unwrap());
    let parent = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-00";
    assert_eq!(send(service.address, "GET", "/api/stats", &[("traceparent", parent)], b"").status, 200);
    assert_eq!(service.get("/api/methods").status, 200);
    service.stopped();
    let names: Vec<Value> = told.try_iter().flat_map(|message| spans(&message)).collect();
    let whole: Vec<&Value> =
        names.iter().filter(|span| span["kind"] == 2).map(|span| &span["name"]).collect();
    assert_eq!(whole, ["GET /api/methods"], "the last ones are sent before the end");
}

#[test]
fn without_its_collector_the_service_answers_all_the_same() {
    let nowhere = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
    let (url, _told) = collector(&[400]);
    for url in [format!("http://{nowhere}/v1/traces"), url] {
        let service = start_with(|config| config.set("traces", &url).unwrap());
        assert_eq!(service.get("/api/stats").status, 200);
        eventually("what was not taken is counted", || {
            std::thread::sleep(Duration::from_millis(100));
            let metrics = String::from_utf8(service.get("/metrics").body).unwrap();
            let line =
                metrics.lines().find(|line| line.starts_with("lookalike_traces_dropped_total ")).unwrap();
            !line.ends_with(" 0")
        });
    }
    assert_eq!(start().get("/api/stats").status, 200);
}
