//! Routes for monitoring the service.

use std::sync::Arc;

use axum::extract::State;
use axum::http::{HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use axum::{Extension, Json};
use lookalike_engine::run::plan::free_bytes;
use schemars::JsonSchema;
use serde::Serialize;

use super::answer::SerializedJson;
use super::route::Route;
use crate::access::{Admission, Role};
use crate::error::{ApiError, ApiResult};
use crate::guard::Authenticated;
use crate::metrics::CurrentFigures;
use crate::openapi::{Document, Operation};
use crate::state::App;

pub fn routes() -> Vec<Route> {
    vec![
        Route::get("/healthz", healthy, Operation::new("health", "Whether the service runs")).open_to_all(),
        Route::get("/readyz", ready, Operation::new("ready", "Whether the service takes requests"))
            .open_to_all(),
        Route::get(
            "/metrics",
            metrics,
            Operation::new("metrics", "Figures for Prometheus; needs a token that sees all labels")
                .answer_text("text/plain; version=0.0.4"),
        )
        .needs(Role::Read),
        Route::get("/api/openapi.json", document, Operation::new("openapi", "This document")).open_to_all(),
    ]
}

#[derive(Serialize, JsonSchema)]
struct Health {
    status: &'static str,
}

const HEALTHY: Health = Health { status: "ok" };

async fn healthy() -> Json<Health> {
    Json(HEALTHY)
}

async fn ready(State(app): State<App>) -> ApiResult<Json<Health>> {
    if app.is_stopping() {
        return Err(ApiError::shutting_down());
    }
    let not_ready = |code, message| Err(ApiError::new(StatusCode::SERVICE_UNAVAILABLE, code, message));
    if app.tokens.admission() == Admission::Nobody {
        let message = "nobody is let in: tokens were asked for, and there is none or their file cannot be read; \
                       `lookalike serve token add` on the service's own machine makes one";
        return not_ready("no-tokens", message);
    }
    if app.health.damages() > 0 {
        return not_ready(ApiError::DAMAGED, "stored data is damaged; the log says where");
    }
    if !app.search.is_ready() {
        return not_ready(
            "search-not-ready",
            "the search index is being built; checks and inserts are answered",
        );
    }
    if free_bytes(&app.config.data).is_some_and(|free| free < app.config.min_free) {
        return not_ready(ApiError::STORAGE, "the disk of the data folder is nearly full");
    }
    Ok(Json(HEALTHY))
}

async fn metrics(State(app): State<App>, Authenticated(caller): Authenticated) -> ApiResult<Response> {
    caller.must_see_all()?;
    let index = app.index.clone();
    let (running, waiting) = (app.work.running(), app.work.waiting());
    let search = app.search.clone();
    let read = move || index.reader().stats(&caller.view).map(|stats| (stats, search.lag()));
    let (stats, search_lag) = app.work.run(read).await??;
    let (damages, failures) = (app.health.damages(), app.health.failures());
    let now = CurrentFigures {
        stats,
        waiting,
        running,
        damages,
        failures,
        search_lag,
        search_ready: app.search.is_ready(),
        disk_free: free_bytes(&app.config.data).unwrap_or(0),
        last_snapshot: app.snapshots.taken(),
        traces_dropped: app.traces.dropped(),
    };
    let mut response = app.metrics.text(&now).into_response();
    let kind = HeaderValue::from_static("text/plain; version=0.0.4");
    response.headers_mut().insert(header::CONTENT_TYPE, kind);
    Ok(response)
}

async fn document(Extension(document): Extension<Arc<Document>>) -> ApiResult<SerializedJson<Document>> {
    SerializedJson::new(&document)
}
