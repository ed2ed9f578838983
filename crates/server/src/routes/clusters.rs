//! Clusters, as the caller may see them.

use axum::Json;
use axum::extract::State;
use lookalike::core::document::Id;
use lookalike::index::{ClusterMap, ClusterView};
use serde::{Deserialize, Serialize};

use super::Route;
use super::extract::{Named, Params, first, limit};
use crate::access::By;
use crate::document::id_of;
use crate::error::{ApiError, ApiResult};
use crate::openapi::Operation;
use crate::state::App;

pub fn routes() -> Vec<Route> {
    vec![
        Route::get(
            "/api/clusters",
            list,
            Operation::new("listClusters", "Clusters of two documents or more, a page at a time")
                .query("after", "string", "`next` of the page before")
                .query("limit", "integer", "Clusters on a page, at most 1000 [100]")
                .answer("Clusters"),
        ),
        Route::get(
            "/api/clusters/{id}",
            one,
            Operation::new("getCluster", "The cluster of a document").answer("Cluster").may_miss(),
        ),
        Route::get(
            "/api/clusters/{id}/map",
            map,
            Operation::new("mapCluster", "The cluster of a document from near, and what lies just outside")
                .query("limit", "integer", "Members to tell, at most 1000 [200]")
                .answer("ClusterMap")
                .may_miss(),
        ),
    ]
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Page {
    after: Option<String>,
    limit: Option<usize>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Part {
    limit: Option<usize>,
}

#[derive(Serialize)]
struct Clusters {
    clusters: Vec<ClusterView>,
    /// For `after`, to get the next page; absent on the last.
    next: Option<String>,
}

async fn list(
    State(app): State<App>,
    By(caller): By,
    Params(page): Params<Page>,
) -> ApiResult<Json<Clusters>> {
    let limit = limit(page.limit, 100)?;
    let after = page.after.as_deref().map(after).transpose()?;
    let index = app.index.clone();
    let mut clusters =
        app.gate.run(move || index.clusters(&caller.view, after.as_ref(), limit + 1)).await??;
    let more = clusters.len() > limit;
    clusters.truncate(limit);
    let next = clusters.last().filter(|_| more).map(|last| last.master.json().to_owned());
    Ok(Json(Clusters { clusters, next }))
}

/// An id as `next` gives it: its JSON text, since 17 and "17" are two ids.
fn after(json: &str) -> ApiResult<Id> {
    let raw = serde_json::from_str::<&serde_json::value::RawValue>(json).ok();
    let id = raw.and_then(|raw| id_of(raw).ok());
    id.ok_or_else(|| ApiError::bad_request("`after` must be the value of `next` in the page before"))
}

async fn one(
    State(app): State<App>,
    By(caller): By,
    Named(name): Named<String>,
) -> ApiResult<Json<ClusterView>> {
    let index = app.index.clone();
    Ok(Json(app.gate.run(move || first(&name, |id| index.cluster(id, &caller.view))).await??))
}

async fn map(
    State(app): State<App>,
    By(caller): By,
    Named(name): Named<String>,
    Params(part): Params<Part>,
) -> ApiResult<Json<ClusterMap>> {
    let limit = limit(part.limit, 200)?;
    let index = app.index.clone();
    let find = move || first(&name, |id| index.cluster_map(id, &caller.view, limit));
    Ok(Json(app.gate.run(find).await??))
}
