//! What people decided of pairs.

use axum::Json;
use axum::extract::{Request, State};
use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};
use lookalike::index::Decision;
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;

use super::Route;
use crate::access::By;
use crate::body;
use crate::document::{id_of, parse_error};
use crate::error::{ApiError, ApiResult};
use crate::openapi::Operation;
use crate::state::App;

pub fn routes() -> Vec<Route> {
    vec![
        Route::get(
            "/api/decisions",
            list,
            Operation::new("listDecisions", "What people decided of pairs").answer("Decisions"),
        ),
        Route::post(
            "/api/decisions",
            decide,
            Operation::new(
                "decide",
                "Decide that two documents are duplicates or not, or take a decision back",
            )
            .body("application/json", "NewDecision")
            .no_content()
            .may_be_ambiguous()
            .may_miss(),
        ),
    ]
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct NewDecision<'a> {
    #[serde(borrow)]
    a: &'a RawValue,
    #[serde(borrow)]
    b: &'a RawValue,
    /// Null takes the decision back; it must be there, so that nobody does that by omission.
    #[serde(deserialize_with = "Option::deserialize")]
    duplicate: Option<bool>,
    /// The labels of the two, where their ids alone fit several documents.
    a_labels: Option<Vec<String>>,
    b_labels: Option<Vec<String>>,
}

#[derive(Serialize)]
struct Decisions {
    decisions: Vec<Decision>,
}

async fn decide(State(app): State<App>, By(caller): By, request: Request) -> ApiResult<Response> {
    let held = body::json(&app, request).await?;
    let new: NewDecision<'_> = serde_json::from_slice(&held.bytes).map_err(|error| parse_error(&error))?;
    let (a, b, duplicate) = (id_of(new.a)?, id_of(new.b)?, new.duplicate);
    let (of_a, of_b) = (new.a_labels, new.b_labels);
    if a == b && of_a == of_b {
        return Err(ApiError::unusable("`a` and `b` are the same document"));
    }
    let index = app.index.clone();
    let decide = move || {
        let (a, b) = ((&a, of_a.as_deref()), (&b, of_b.as_deref()));
        index.decide(a, b, duplicate, &caller.name, &caller.view)
    };
    let known = app.gate.write(decide).await??;
    if known { Ok(StatusCode::NO_CONTENT.into_response()) } else { Err(ApiError::not_found()) }
}

async fn list(State(app): State<App>, By(caller): By) -> ApiResult<Json<Decisions>> {
    let index = app.index.clone();
    let decisions = app.gate.run(move || index.decisions(&caller.view)).await??;
    Ok(Json(Decisions { decisions }))
}
