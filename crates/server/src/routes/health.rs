//! For those who watch over the service.

use axum::Json;
use axum::extract::State;
use axum::http::{HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use serde_json::{Value, json};

use super::Route;
use crate::access::{Admission, By, Role};
use crate::error::{ApiError, ApiResult};
use crate::metrics::Now;
use crate::openapi::Operation;
use crate::state::App;

pub fn routes() -> Vec<Route> {
    vec![
        Route::get(
            "/healthz",
            healthy,
            Operation::new("health", "Whether the service runs").answer("Health"),
        )
        .open_to_all(),
        Route::get(
            "/readyz",
            ready,
            Operation::new("ready", "Whether the service takes requests").answer("Health"),
        )
        .open_to_all(),
        Route::get(
            "/metrics",
            metrics,
            Operation::new("metrics", "Figures for Prometheus; needs a token that sees all labels")
                .answer_text("text/plain; version=0.0.4"),
        )
        .needs(Role::Read),
        Route::get(
            "/api/openapi.json",
            document,
            Operation::new("openapi", "This document").answer("OpenApi"),
        )
        .open_to_all(),
    ]
}

async fn healthy() -> Json<Value> {
    Json(json!({ "status": "ok" }))
}

async fn ready(State(app): State<App>) -> ApiResult<Json<Value>> {
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
    Ok(Json(json!({ "status": "ok" })))
}

async fn metrics(State(app): State<App>, By(caller): By) -> ApiResult<Response> {
    caller.must_see_all()?;
    let index = app.index.clone();
    let (running, waiting) = (app.gate.running(), app.gate.waiting());
    let stats = app.gate.run(move || index.stats(&caller.view)).await??;
    let (damages, failures) = (app.health.damages(), app.health.failures());
    let now = Now { stats, waiting, running, damages, failures };
    let mut response = app.metrics.text(&now).into_response();
    let kind = HeaderValue::from_static("text/plain; version=0.0.4");
    response.headers_mut().insert(header::CONTENT_TYPE, kind);
    Ok(response)
}

async fn document() -> Json<Value> {
    Json(crate::openapi())
}
