//! What happens around every request: an id, a time limit, catching panics, security headers, a line in the log, a
//! count.

use std::sync::Arc;
use std::time::{Duration, Instant};

use axum::Router;
use axum::extract::{MatchedPath, Request, State};
use axum::http::{HeaderMap, HeaderName, HeaderValue, header};
use axum::middleware::{Next, from_fn_with_state};
use axum::response::{IntoResponse, Response};
use tower_http::catch_panic::CatchPanicLayer;
use tracing::Instrument;

use crate::access::Caller;
use crate::error::{ApiError, ErrorCode};
use crate::guard::RequestId;
use crate::state::App;
use crate::traces;

const REQUEST_ID: HeaderName = HeaderName::from_static("x-request-id");

/// Answers are data: browsers must not render, frame, sniff or cache them.
const SAFE: [(HeaderName, &str); 6] = [
    (header::X_CONTENT_TYPE_OPTIONS, "nosniff"),
    (header::X_FRAME_OPTIONS, "DENY"),
    (header::CONTENT_SECURITY_POLICY, "default-src 'none'; frame-ancestors 'none'"),
    (header::REFERRER_POLICY, "no-referrer"),
    (HeaderName::from_static("cross-origin-resource-policy"), "same-origin"),
    (header::CACHE_CONTROL, "no-store"),
];

pub fn wrap(router: Router<App>, app: &App) -> Router<App> {
    router
        .layer(CatchPanicLayer::custom(|_: Box<dyn std::any::Any + Send>| {
            tracing::error!("a handler panicked");
            ApiError::internal().into_response()
        }))
        .layer(from_fn_with_state(app.clone(), observe))
}

async fn observe(State(app): State<App>, mut request: Request, next: Next) -> Response {
    let started = Instant::now();
    let id = request_id(request.headers());
    let method = request.method().clone();
    // The route and not the path, because paths contain ids of documents.
    let route =
        request.extensions().get::<MatchedPath>().map_or("none".to_owned(), |path| path.as_str().to_owned());
    request.extensions_mut().insert(RequestId(id.clone()));
    // Twice the limit: once for the body, once for the answer.
    let span = tracing::info_span!("request", id, trace = tracing::field::Empty);
    let trace = app.traces.begin(request.headers());
    if let Some(trace) = &trace {
        span.record("trace", trace.id());
    }
    let answer = traces::within(trace.clone(), next.run(request).instrument(span.clone()));
    let answered = tokio::time::timeout(2 * app.config.request_time, answer).await;
    let mut response = answered.unwrap_or_else(|_| ApiError::timeout().into_response());
    if let Some(ErrorCode(code)) = response.extensions().get() {
        app.health.note(code);
    }
    let headers = response.headers_mut();
    for (name, value) in SAFE {
        headers.entry(name).or_insert(HeaderValue::from_static(value));
    }
    if let Ok(value) = HeaderValue::from_str(&id) {
        headers.insert(REQUEST_ID, value);
    }
    let (status, time) = (response.status().as_u16(), started.elapsed());
    // Unknown methods must not create more and more counters.
    let method = if KNOWN.contains(&method.as_str()) { method.as_str() } else { "other" };
    app.metrics.count(method, &route, status, time);
    let caller = response.extensions().get::<Arc<Caller>>().map_or("", |caller| &caller.name);
    if let Some(trace) = trace {
        app.traces.end(trace, method, &route, status, caller);
    }
    span.in_scope(|| log(method, &route, status, time, caller));
    response
}

const KNOWN: [&str; 7] = ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"];

fn log(method: &str, route: &str, status: u16, time: Duration, token: &str) {
    let milliseconds = (time.as_secs_f64() * 1e6).round() / 1e3;
    if status >= 500 {
        tracing::warn!(method, route, status, milliseconds, token, "answered");
    } else {
        tracing::info!(method, route, status, milliseconds, token, "answered");
    }
}

/// The caller's request id if it is safe to log, else a new one.
fn request_id(headers: &HeaderMap) -> String {
    let given = headers.get(&REQUEST_ID).and_then(|value| value.to_str().ok()).unwrap_or_default();
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_' | b'.');
    if (1..=64).contains(&given.len()) && given.bytes().all(plain) {
        return given.to_owned();
    }
    let mut random = [0; 8];
    // Without random numbers all ids are the same, which is no reason not to answer.
    let _ = getrandom::fill(&mut random);
    format!("{:016x}", u64::from_le_bytes(random))
}
