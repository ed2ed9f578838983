//! Batches: pairs that some people are to decide of.

use axum::Json;
use axum::extract::State;
use axum::response::NoContent;
use lookalike::index::{ReviewPair, Waiting};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::extract::PathName;
use super::review::{of_clusters, order, parse_filter};
use super::route::Route;
use crate::access::Caller;
use crate::body::JsonBody;
use crate::error::{ApiError, ApiResult};
use crate::guard::Authenticated;
use crate::openapi::Operation;
use crate::review::{Batch, PairName};
use crate::review_queue::Among;
use crate::state::App;

/// The most pairs of a batch.
const MOST_PAIRS: usize = 10_000;
const PAIRS: usize = 100;

pub fn routes() -> Vec<Route> {
    vec![
        Route::get(
            "/api/review/batches",
            list,
            Operation::new("listBatches", "Pairs that people are to decide of, and how far they got"),
        ),
        Route::post(
            "/api/review/batches",
            add,
            Operation::new("addBatch", "Give people the next pairs of the queue that are in no other batch"),
        ),
        Route::delete(
            "/api/review/batches/{id}",
            remove,
            Operation::new("dropBatch", "Forget a batch; what was decided stays").may_be_missing(),
        ),
    ]
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct NewBatch {
    name: String,
    /// Names of tokens. Each of them decides of all pairs.
    assignees: Vec<String>,
    /// Which clusters, as in /api/survey/clusters
    #[serde(default)]
    filter: String,
    /// Which pairs come first [uncertain]
    #[schemars(with = "Option<lookalike::index::ReviewOrder>")]
    order: Option<String>,
    /// The most pairs, at most 10000 [100]
    #[schemars(range(min = 1, max = 10000))]
    limit: Option<usize>,
}

#[derive(Serialize, JsonSchema)]
struct Batches {
    batches: Vec<BatchProgress>,
}

#[derive(Serialize, JsonSchema)]
struct BatchProgress {
    batch: u64,
    name: String,
    /// Who made it.
    by: String,
    /// Seconds since 1970.
    time: u64,
    /// Pairs of which both documents are still there.
    pairs: usize,
    assignees: Vec<Assignee>,
}

#[derive(Serialize, JsonSchema)]
struct Assignee {
    name: String,
    /// Pairs of which this person decided.
    decided: usize,
}

fn described(app: &App, caller: &Caller, batch: Batch) -> ApiResult<BatchProgress> {
    let Batch { batch, name, assignees, by, time, pairs } = batch;
    let pairs = Among::Batch(pairs).pairs(app, &caller.view)?;
    let assignee = |name: String| {
        let waits = app.index.reader().waiting(&pairs, Waiting::For(&name), &caller.view);
        Assignee { decided: waits.into_iter().filter(|waits| !waits).count(), name }
    };
    let assignees = assignees.into_iter().map(assignee).collect();
    Ok(BatchProgress { batch, name, by, time, pairs: pairs.len(), assignees })
}

async fn list(State(app): State<App>, Authenticated(caller): Authenticated) -> ApiResult<Json<Batches>> {
    let ours = app.clone();
    let list = move || -> ApiResult<Batches> {
        let batches = ours.review.batches(&caller.view).into_iter();
        Ok(Batches {
            batches: batches.map(|batch| described(&ours, &caller, batch)).collect::<ApiResult<_>>()?,
        })
    };
    Ok(Json(app.work.run(list).await??))
}

async fn add(
    State(app): State<App>,
    Authenticated(caller): Authenticated,
    body: JsonBody<NewBatch>,
) -> ApiResult<Json<BatchProgress>> {
    let (new, _held) = body.read(&app).await?;
    let (order, filter) = (order(new.order.as_deref())?, parse_filter(&new.filter)?);
    let most = new.limit.unwrap_or(PAIRS);
    if most == 0 || most > MOST_PAIRS {
        return Err(ApiError::bad_request(format!("`limit` must be from 1 to {MOST_PAIRS}")));
    }
    let ours = app.clone();
    let add = move || -> ApiResult<BatchProgress> {
        let view = &caller.view;
        let pairs = of_clusters(&ours, view, &filter, order)?.pairs(&ours, view)?;
        let waits = ours.index.reader().waiting(&pairs, Waiting::ForAnyone, view);
        let waiting: Vec<ReviewPair> =
            pairs.into_iter().zip(waits).filter(|(_, waits)| *waits).map(|(pair, _)| pair).collect();
        // Names are found as they are needed: most pairs of a large index are in no batch.
        let named = waiting.iter().filter_map(|pair| {
            let found = ours.index.reader().previews(&[pair.a, pair.b], view).ok()?;
            let [Some((a, of_a)), Some((b, of_b))] = &found[..] else { return None };
            Some(PairName::new((a, &of_a.labels), (b, &of_b.labels)))
        });
        let batch = ours.review.add_batch(&new.name, &new.assignees, &caller.name, named, most)?;
        described(&ours, &caller, batch)
    };
    Ok(Json(app.work.write(add).await??))
}

async fn remove(
    State(app): State<App>,
    Authenticated(caller): Authenticated,
    PathName(number): PathName<u64>,
) -> ApiResult<NoContent> {
    let ours = app.clone();
    let known = app.work.write(move || ours.review.drop_batch(number, &caller.view)).await??;
    let message = format!("there is no batch {number}");
    if known { Ok(NoContent) } else { Err(ApiError { message, ..ApiError::not_found() }) }
}
