//! Decisions of people about pairs.

use axum::Json;
use axum::extract::State;
use axum::response::NoContent;
use lookalike::Id;
use lookalike::index::Decision;
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Serialize};
use serde_json::json;
use serde_json::value::RawValue;

use super::route::Route;
use crate::audit::id_value;
use crate::body::JsonBody;
use crate::document::id_of;
use crate::error::{ApiError, ApiResult};
use crate::guard::Authenticated;
use crate::openapi::Operation;
use crate::state::App;

pub fn routes() -> Vec<Route> {
    vec![
        Route::get("/api/decisions", list, Operation::new("listDecisions", "What people decided of pairs")),
        Route::post(
            "/api/decisions",
            decide,
            Operation::new(
                "decide",
                "Decide that two documents are duplicates or not, or take a decision back",
            )
            .may_be_ambiguous()
            .may_be_missing(),
        ),
    ]
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct NewDecision {
    #[schemars(with = "Id")]
    a: Box<RawValue>,
    #[schemars(with = "Id")]
    b: Box<RawValue>,
    /// Null withdraws a decision. The field is required, so that nobody does that by omission.
    #[serde(deserialize_with = "Option::deserialize")]
    #[schemars(schema_with = "boolean_or_null")]
    duplicate: Option<bool>,
    /// All access labels of the first, where several documents have the id
    a_labels: Option<Vec<String>>,
    /// All access labels of the second, where several documents have the id
    b_labels: Option<Vec<String>>,
}

/// A schema of its own, because an optional value would be taken for one that may be left out.
fn boolean_or_null(_: &mut SchemaGenerator) -> Schema {
    json_schema!({ "type": ["boolean", "null"] })
}

#[derive(Serialize, JsonSchema)]
struct Decisions {
    decisions: Vec<Decision>,
}

async fn decide(
    State(app): State<App>,
    Authenticated(caller): Authenticated,
    body: JsonBody<NewDecision>,
) -> ApiResult<NoContent> {
    let (new, _held) = body.read(&app).await?;
    let (a, b, duplicate) = (id_of(&new.a)?, id_of(&new.b)?, new.duplicate);
    let (of_a, of_b) = (new.a_labels, new.b_labels);
    if a == b && of_a == of_b {
        return Err(ApiError::unusable("`a` and `b` are the same document"));
    }
    let ours = app.clone();
    let decide = move || -> lookalike::Result<bool> {
        let pair = ((&a, of_a.as_deref()), (&b, of_b.as_deref()));
        let known = ours.index.writer().decide(pair.0, pair.1, duplicate, &caller.name, &caller.view)?;
        if known {
            let what = json!({
                "a": id_value(&a),
                "b": id_value(&b),
                "a_labels": of_a,
                "b_labels": of_b,
                "duplicate": duplicate,
            });
            ours.record(&caller, "decide", what);
        }
        Ok(known)
    };
    let known = app.work.write(decide).await??;
    if known { Ok(NoContent) } else { Err(ApiError::not_found()) }
}

async fn list(State(app): State<App>, Authenticated(caller): Authenticated) -> ApiResult<Json<Decisions>> {
    let index = app.index.clone();
    let decisions = app.work.run(move || index.reader().decisions(&caller.view)).await??;
    Ok(Json(Decisions { decisions }))
}
