//! The page: files compiled into the program. They contain no data, so they are open to all; the page gets its data
//! from the other routes, with the token of its user.

use axum::extract::{Path, State};
use axum::http::{HeaderMap, HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use lookalike::index::View;
use lookalike_core::hash;

use super::route::Route;
use crate::access::Admission;
use crate::error::{ApiError, ApiResult};
use crate::openapi::Operation;
use crate::state::App;

/// A file of the page, as it is and compressed.
struct File {
    path: &'static str,
    plain: &'static [u8],
    packed: &'static [u8],
}

include!(concat!(env!("OUT_DIR"), "/page.rs"));

/// Only our own files run, nothing is loaded from elsewhere, and nobody frames the page.
const POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; \
                      base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

pub fn routes() -> Vec<Route> {
    let html = |about: Operation| about.answer_text("text/html").may_be_cached();
    vec![
        Route::get("/", index, html(Operation::new("page", "The page for people"))).open_to_all(),
        Route::get(
            "/assets/{name}",
            asset,
            Operation::new("asset", "A file of the page")
                .answer_text("text/javascript")
                .may_be_missing()
                .may_be_cached(),
        )
        .open_to_all(),
    ]
}

async fn index(State(app): State<App>, headers: HeaderMap) -> ApiResult<Response> {
    // The page will request this survey next. With tokens it is not known yet for which view.
    if app.tokens.admission() == Admission::Local {
        let ours = app.clone();
        tokio::spawn(async move { app.work.run(move || ours.surveys.of(&View::All).map(drop)).await });
    }
    send("index.html", &headers)
}

async fn asset(Path(name): Path<String>, headers: HeaderMap) -> ApiResult<Response> {
    send(&format!("assets/{name}"), &headers)
}

fn send(path: &str, asked: &HeaderMap) -> ApiResult<Response> {
    let none = || ApiError::new(StatusCode::NOT_FOUND, "not-found", "the page has no such file");
    let file = FILES.iter().find(|file| file.path == path).ok_or_else(none)?;
    let tag = format!("\"{:016x}\"", hash::bytes(file.plain));
    let has = |name, value: &str| {
        asked.get_all(name).iter().filter_map(|held| held.to_str().ok()).any(|held| held.contains(value))
    };
    let common = [
        (header::CONTENT_SECURITY_POLICY, POLICY.to_owned()),
        // Checked for changes each time, but only sent again if changed.
        (header::CACHE_CONTROL, "no-cache".to_owned()),
        (header::VARY, "accept-encoding".to_owned()),
        (header::ETAG, tag.clone()),
    ];
    if has(header::IF_NONE_MATCH, &tag) {
        return Ok((StatusCode::NOT_MODIFIED, common).into_response());
    }
    let kind = [(header::CONTENT_TYPE, media_type(path))];
    if !has(header::ACCEPT_ENCODING, "gzip") {
        return Ok((common, kind, file.plain).into_response());
    }
    let mut response = (common, kind, file.packed).into_response();
    response.headers_mut().insert(header::CONTENT_ENCODING, HeaderValue::from_static("gzip"));
    Ok(response)
}

fn media_type(path: &str) -> &'static str {
    match path.rsplit('.').next() {
        Some("html") => "text/html; charset=utf-8",
        Some("js") => "text/javascript; charset=utf-8",
        Some("css") => "text/css; charset=utf-8",
        Some("svg") => "image/svg+xml",
        Some("txt") => "text/plain; charset=utf-8",
        _ => "application/octet-stream",
    }
}
