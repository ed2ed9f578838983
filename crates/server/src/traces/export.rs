//! Sends finished requests to a collector in batches, as JSON (OTLP over HTTP).

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use axum::http::{HeaderMap, HeaderName, HeaderValue};
use lookalike::{Error, Result};
use serde_json::{Value, json};
use tokio::sync::mpsc::Receiver;

use super::{Finished, Trace, hex};

/// Requests that are sent at once.
const BATCH: usize = 512;
/// How long the first of a batch waits for others.
const PAUSE: Duration = Duration::from_secs(1);
const PATIENCE: Duration = Duration::from_secs(10);
const TRIES: u32 = 4;
/// Headers for the collector, such as a key, as all exporters read them.
const HEADERS: &str = "OTEL_EXPORTER_OTLP_HEADERS";
/// Numbers of the protocol.
const SERVER: u8 = 2;
const INTERNAL: u8 = 1;
const FAILED: u8 = 2;

pub struct Exporter {
    client: reqwest::Client,
    url: String,
    dropped: Arc<AtomicU64>,
}

impl Exporter {
    pub fn new(url: &str, dropped: Arc<AtomicU64>) -> Result<Self> {
        // Another one may be there already.
        let _ = rustls::crypto::ring::default_provider().install_default();
        let headers = headers(&std::env::var(HEADERS).unwrap_or_default())?;
        let client = reqwest::Client::builder().timeout(PATIENCE).default_headers(headers).build();
        let client = client.map_err(|error| Error::config(format!("traces cannot be sent: {error}")))?;
        Ok(Exporter { client, url: url.to_owned(), dropped })
    }

    /// Sends until the queue is closed and empty.
    pub async fn run(self, mut queue: Receiver<Finished>) {
        let mut batch = Vec::with_capacity(BATCH);
        let mut is_well = true;
        while queue.recv_many(&mut batch, BATCH).await > 0 {
            let full = async {
                while batch.len() < BATCH {
                    let room = BATCH - batch.len();
                    if queue.recv_many(&mut batch, room).await == 0 {
                        break;
                    }
                }
            };
            let _ = tokio::time::timeout(PAUSE, full).await;
            let sent = self.send(&batch, queue.is_closed()).await;
            match &sent {
                Err(reason) if is_well => tracing::warn!(reason, "traces are not taken"),
                Ok(()) if !is_well => tracing::info!("traces are taken again"),
                _ => {}
            }
            is_well = sent.is_ok();
            if !is_well {
                self.dropped.fetch_add(batch.len() as u64, Ordering::Relaxed);
            }
            batch.clear();
        }
    }

    /// Sends a batch, again if the collector is busy or cannot be reached; a service that ends tries once.
    async fn send(&self, batch: &[Finished], is_last: bool) -> std::result::Result<(), String> {
        let body = serde_json::to_vec(&message(batch)).map_err(|error| error.to_string())?;
        for tried in 1.. {
            let request =
                self.client.post(&self.url).header("content-type", "application/json").body(body.clone());
            let (reason, may_help) = match request.send().await {
                Ok(answer) if answer.status().is_success() => return Ok(()),
                Ok(answer) => {
                    (answer.status().to_string(), matches!(answer.status().as_u16(), 429 | 502..=504))
                }
                Err(error) => (error.without_url().to_string(), true),
            };
            if !may_help || is_last || tried == TRIES {
                return Err(reason);
            }
            tokio::time::sleep(Duration::from_millis(250 << tried)).await;
        }
        Ok(())
    }
}

/// Reads `name=value,name=value`, values with `%20` for what cannot stand there.
fn headers(text: &str) -> Result<HeaderMap> {
    let mut headers = HeaderMap::new();
    for part in text.split(',').map(str::trim).filter(|part| !part.is_empty()) {
        // Without the value, which may be a secret.
        let wrong = || Error::config(format!("{HEADERS} must have the form name=value,name=value"));
        let (name, value) = part.split_once('=').ok_or_else(wrong)?;
        let name = HeaderName::from_bytes(name.trim().as_bytes()).map_err(|_| wrong())?;
        let mut value = HeaderValue::from_bytes(&unescaped(value.trim())).map_err(|_| wrong())?;
        value.set_sensitive(true);
        headers.insert(name, value);
    }
    Ok(headers)
}

fn unescaped(text: &str) -> Vec<u8> {
    let (bytes, mut out, mut at) = (text.as_bytes(), Vec::with_capacity(text.len()), 0);
    while at < bytes.len() {
        let escaped = text.get(at + 1..at + 3).and_then(|digits| u8::from_str_radix(digits, 16).ok());
        match (bytes[at], escaped) {
            (b'%', Some(byte)) => {
                out.push(byte);
                at += 3;
            }
            (byte, _) => {
                out.push(byte);
                at += 1;
            }
        }
    }
    out
}

/// The message of the protocol: ids in hexadecimal, large numbers as text.
fn message(batch: &[Finished]) -> Value {
    let spans: Vec<Value> = batch.iter().flat_map(spans).collect();
    json!({ "resourceSpans": [{
        "resource": { "attributes": [
            text("service.name", "lookalike"),
            text("service.version", env!("CARGO_PKG_VERSION")),
        ] },
        "scopeSpans": [{ "scope": { "name": "lookalike-server" }, "spans": spans }],
    }] })
}

fn spans(finished: &Finished) -> Vec<Value> {
    let Finished { trace, ended, method, route, status, caller } = finished;
    let mut attributes = vec![
        text("http.request.method", method),
        text("http.route", route),
        json!({ "key": "http.response.status_code", "value": { "intValue": status.to_string() } }),
    ];
    if !caller.is_empty() {
        attributes.push(text("enduser.id", caller));
    }
    let mut whole = span(trace, &format!("{method} {route}"), SERVER, trace.began, *ended);
    whole["spanId"] = json!(hex(&trace.span));
    whole["attributes"] = json!(attributes);
    if let Some(parent) = &trace.parent {
        whole["parentSpanId"] = json!(hex(parent));
    }
    if *status >= 500 {
        whole["status"] = json!({ "code": FAILED });
    }
    let mut spans = vec![whole];
    for step in &*trace.steps.lock().unwrap_or_else(std::sync::PoisonError::into_inner) {
        let mut below = span(trace, step.name, INTERNAL, step.began, step.ended);
        below["spanId"] = json!(hex(&step.span));
        below["parentSpanId"] = json!(hex(&trace.span));
        spans.push(below);
    }
    spans
}

fn span(trace: &Trace, name: &str, kind: u8, began: Instant, ended: Instant) -> Value {
    let at = |moment: Instant| {
        let since = moment.saturating_duration_since(trace.began).as_nanos();
        trace.began_at.saturating_add(u64::try_from(since).unwrap_or(u64::MAX)).to_string()
    };
    json!({
        "traceId": hex(&trace.id),
        "name": name,
        "kind": kind,
        "startTimeUnixNano": at(began),
        "endTimeUnixNano": at(ended),
    })
}

fn text(key: &str, value: &str) -> Value {
    json!({ "key": key, "value": { "stringValue": value } })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn headers_are_read_and_never_told() {
        let read = headers("authorization=Basic%20YTpi, X-Key=1%2C2%,").unwrap();
        assert_eq!(read["authorization"], "Basic YTpi");
        assert_eq!(read["x-key"], "1,2%");
        assert!(!format!("{read:?}").contains("YTpi"));
        assert!(headers("").unwrap().is_empty());
        for wrong in ["secret", "a b=secret", "a=secret%0A"] {
            assert!(!headers(wrong).unwrap_err().to_string().contains("secret"), "{wrong}");
        }
    }
}
