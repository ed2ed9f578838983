//! Which documents people want to stand for their clusters, and who the caller is.

use axum::Json;
use axum::extract::{Request, State};
use axum::http::StatusCode;
use lookalike::index::{Preference, View};
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;

use super::Route;
use crate::access::{By, Role};
use crate::body;
use crate::document::{id_of, parse_error};
use crate::error::{ApiError, ApiResult};
use crate::openapi::Operation;
use crate::state::App;

pub fn routes() -> Vec<Route> {
    vec![
        Route::get(
            "/api/keepers",
            list,
            Operation::new("listKeepers", "Documents that people want to stand for their clusters")
                .answer("Keepers"),
        ),
        Route::post(
            "/api/keepers",
            prefer,
            Operation::new(
                "keep",
                "Let a document stand for its cluster whatever the keep rules say, or no longer",
            )
            .body("application/json", "NewKeeper")
            .no_content()
            .may_be_ambiguous()
            .may_miss(),
        ),
        Route::get("/api/me", me, Operation::new("me", "Who the caller is and what it may do").answer("Me")),
    ]
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct NewKeeper<'a> {
    #[serde(borrow)]
    id: &'a RawValue,
    /// Its labels, where the id alone fits several documents.
    labels: Option<Vec<String>>,
    /// False takes it back.
    keep: bool,
}

#[derive(Serialize)]
struct Keepers {
    keepers: Vec<Preference>,
}

#[derive(Serialize)]
struct Me {
    name: String,
    role: Role,
    /// Null for one that sees everything.
    labels: Option<Vec<String>>,
}

async fn prefer(State(app): State<App>, By(caller): By, request: Request) -> ApiResult<StatusCode> {
    let held = body::json(&app, request).await?;
    let new: NewKeeper<'_> = serde_json::from_slice(&held.bytes).map_err(|error| parse_error(&error))?;
    let (id, labels, keep) = (id_of(new.id)?, new.labels, new.keep);
    let index = app.index.clone();
    let prefer = move || index.prefer((&id, labels.as_deref()), keep, &caller.name, &caller.view);
    let known = app.gate.write(prefer).await??;
    if known { Ok(StatusCode::NO_CONTENT) } else { Err(ApiError::not_found()) }
}

async fn list(State(app): State<App>, By(caller): By) -> ApiResult<Json<Keepers>> {
    let index = app.index.clone();
    let keepers = app.gate.run(move || index.preferences(&caller.view)).await??;
    Ok(Json(Keepers { keepers }))
}

async fn me(By(caller): By) -> Json<Me> {
    let labels = match &caller.view {
        View::All => None,
        View::Labels(labels) => Some(labels.clone()),
    };
    Json(Me { name: caller.name.clone(), role: caller.role, labels })
}
