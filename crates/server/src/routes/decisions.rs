//! Decisions of people about pairs.

use axum::Json;
use axum::extract::State;
use axum::response::NoContent;
use lookalike::Id;
use lookalike::index::{Decision, DocumentName};
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Serialize};
use serde_json::json;
use serde_json::value::RawValue;

use super::extract::QueryParams;
use super::route::Route;
use super::survey::raw;
use crate::access::Role;
use crate::audit::id_value;
use crate::body::JsonBody;
use crate::document::id_of;
use crate::error::{ApiError, ApiResult};
use crate::guard::Authenticated;
use crate::openapi::Operation;
use crate::state::App;

/// The most pairs that one request decides of.
const MOST_PAIRS: usize = 10_000;

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
        )
        .needs(Role::Reviewer),
        Route::post(
            "/api/decisions/bulk",
            decide_all,
            Operation::new("decideAll", "Decide the same of many pairs at once, or take such decisions back"),
        )
        .needs(Role::Reviewer),
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

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct NewDecisions {
    /// At most 10000
    pairs: Vec<TwoDocuments>,
    /// Of each of the pairs; null withdraws the decisions.
    #[serde(deserialize_with = "Option::deserialize")]
    #[schemars(schema_with = "boolean_or_null")]
    duplicate: Option<bool>,
}

/// Two documents by their names.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct TwoDocuments {
    #[schemars(with = "Id")]
    pub a: Box<RawValue>,
    #[schemars(with = "Id")]
    pub b: Box<RawValue>,
    /// All access labels of the first, where several documents have the id
    pub a_labels: Option<Vec<String>>,
    /// All access labels of the second, where several documents have the id
    pub b_labels: Option<Vec<String>>,
}

#[derive(Serialize, JsonSchema)]
struct BulkDecision {
    decided: u64,
    /// Pairs of which nothing was decided, with the reason.
    refused: Vec<RefusedPair>,
}

#[derive(Serialize, JsonSchema)]
struct RefusedPair {
    #[schemars(with = "Id")]
    a: Box<RawValue>,
    #[schemars(with = "Id")]
    b: Box<RawValue>,
    reason: String,
}

/// A schema of its own, because an optional value would be taken for one that may be left out.
fn boolean_or_null(_: &mut SchemaGenerator) -> Schema {
    json_schema!({ "type": ["boolean", "null"] })
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct DecisionsQuery {
    /// Also tell the titles of the documents [false]
    #[serde(default)]
    titles: bool,
}

#[derive(Serialize, JsonSchema)]
struct Decisions {
    decisions: Vec<TitledDecision>,
}

#[derive(Serialize, JsonSchema)]
struct TitledDecision {
    #[serde(flatten)]
    decision: Decision,
    /// The title of the first, or the beginning of its text; left out unless asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    a_title: Option<String>,
    /// The title of the second; left out unless asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    b_title: Option<String>,
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

async fn decide_all(
    State(app): State<App>,
    Authenticated(caller): Authenticated,
    body: JsonBody<NewDecisions>,
) -> ApiResult<Json<BulkDecision>> {
    let (new, _held) = body.read(&app).await?;
    if new.pairs.len() > MOST_PAIRS {
        return Err(ApiError::unusable(format!("at most {MOST_PAIRS} pairs are decided at once")));
    }
    let ids = |pair: &TwoDocuments| -> ApiResult<(Id, Id)> { Ok((id_of(&pair.a)?, id_of(&pair.b)?)) };
    let ids: Vec<(Id, Id)> = new.pairs.iter().map(ids).collect::<ApiResult<_>>()?;
    let ours = app.clone();
    let decide = move || -> ApiResult<BulkDecision> {
        let names: Vec<(DocumentName<'_>, DocumentName<'_>)> = ids
            .iter()
            .zip(&new.pairs)
            .map(|((a, b), pair)| {
                ((a, pair.a_labels.as_deref()).into(), (b, pair.b_labels.as_deref()).into())
            })
            .collect();
        let done = ours.index.writer().decide_all(&names, new.duplicate, &caller.name, &caller.view)?;
        let mut told = BulkDecision { decided: 0, refused: Vec::new() };
        let mut pairs = Vec::new();
        for (known, (a, b)) in done.into_iter().zip(&ids) {
            let reason = match known {
                Ok(true) => {
                    told.decided += 1;
                    pairs.push([id_value(a), id_value(b)]);
                    continue;
                }
                Ok(false) => ApiError::not_found().message,
                Err(error) => ApiError::from(error).message,
            };
            told.refused.push(RefusedPair { a: raw(a)?, b: raw(b)?, reason });
        }
        ours.record(&caller, "decide", json!({ "pairs": pairs, "duplicate": new.duplicate }));
        Ok(told)
    };
    Ok(Json(app.work.write(decide).await??))
}

async fn list(
    State(app): State<App>,
    Authenticated(caller): Authenticated,
    QueryParams(asked): QueryParams<DecisionsQuery>,
) -> ApiResult<Json<Decisions>> {
    let index = app.index.clone();
    let list = move || -> ApiResult<Vec<TitledDecision>> {
        let title = |id: &Id, labels: &[String]| -> ApiResult<Option<String>> {
            let number = index.reader().number_of((id, Some(labels)), &caller.view)?;
            let Some(number) = number.filter(|_| asked.titles) else { return Ok(None) };
            let preview = index.reader().previews(&[number], &caller.view)?.pop().flatten();
            Ok(preview.and_then(|(_, preview)| preview.title))
        };
        let titled = |decision: Decision| -> ApiResult<TitledDecision> {
            let a_title = title(&decision.a, &decision.a_labels)?;
            let b_title = title(&decision.b, &decision.b_labels)?;
            Ok(TitledDecision { decision, a_title, b_title })
        };
        index.reader().decisions(&caller.view)?.into_iter().map(titled).collect()
    };
    Ok(Json(Decisions { decisions: app.work.run(list).await?? }))
}
