//! Clusters, limited to what the caller may see.

use axum::Json;
use axum::extract::State;
use lookalike::Id;
use lookalike::index::{ClusterMap, ClusterShape, DocumentName, Grouping, MemberPage, VisibleCluster};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;

use super::extract::{LabelsQuery, PathName, QueryParams, first, labels, limit};
use super::route::Route;
use crate::document::id_of;
use crate::error::{ApiError, ApiResult};
use crate::guard::Authenticated;
use crate::openapi::Operation;
use crate::state::App;

pub fn routes() -> Vec<Route> {
    vec![
        Route::get(
            "/api/clusters",
            list,
            Operation::new("listClusters", "Clusters of two documents or more, a page at a time"),
        ),
        Route::get(
            "/api/clusters/{id}",
            one,
            Operation::new("getCluster", "The cluster of a document").may_be_ambiguous().may_be_missing(),
        ),
        Route::get(
            "/api/clusters/{id}/map",
            map,
            Operation::new("mapCluster", "The cluster of a document from near, and what lies just outside")
                .may_be_ambiguous()
                .may_be_missing(),
        ),
        Route::get(
            "/api/clusters/{id}/members",
            members,
            Operation::new("listMembers", "The members of a document's cluster, a page at a time")
                .may_be_ambiguous()
                .may_be_missing(),
        ),
        Route::get(
            "/api/clusters/{id}/shape",
            shape,
            Operation::new("shapeCluster", "A cluster of any size in groups of documents that are alike")
                .may_be_ambiguous()
                .may_be_missing(),
        ),
    ]
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct ClustersQuery {
    /// `next` of the page before
    after: Option<String>,
    /// Clusters on a page, at most 1000 [100]
    #[schemars(range(min = 1, max = 1000))]
    limit: Option<usize>,
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct MapQuery {
    /// Members to tell, at most 1000 [200]
    #[schemars(range(min = 1, max = 1000))]
    limit: Option<usize>,
    /// All access labels of the document that is meant, parted by commas or as a JSON list, empty for none: needed
    /// where several documents that the caller sees have the id
    labels: Option<String>,
}

#[derive(Serialize, JsonSchema)]
struct Clusters {
    clusters: Vec<VisibleCluster>,
    /// For `after`, to get the next page; null on the last.
    next: Option<String>,
}

async fn list(
    State(app): State<App>,
    Authenticated(caller): Authenticated,
    QueryParams(page): QueryParams<ClustersQuery>,
) -> ApiResult<Json<Clusters>> {
    let limit = limit(page.limit, 100)?;
    let after = page.after.as_deref().map(after).transpose()?;
    let index = app.index.clone();
    let list = move || {
        let after = after.as_ref().map(|(id, labels)| DocumentName { id, labels: labels.as_deref() });
        index.reader().clusters(&caller.view, after, limit + 1)
    };
    let mut clusters = app.work.run(list).await??;
    let more = clusters.len() > limit;
    clusters.truncate(limit);
    let next = clusters.last().filter(|_| more).map(next).transpose()?;
    Ok(Json(Clusters { clusters, next }))
}

/// The name of a cluster as JSON (17 and "17" are two ids), with its labels.
fn next(last: &VisibleCluster) -> ApiResult<String> {
    let labels = serde_json::to_string(&last.labels).map_err(|_| ApiError::internal())?;
    Ok(format!("[{},{labels}]", last.master.json()))
}

fn after(json: &str) -> ApiResult<(Id, Option<Vec<String>>)> {
    let wrong = || ApiError::bad_request("`after` must be the value of `next` in the page before");
    if json.trim_start().starts_with('[') {
        let (id, labels): (&RawValue, Vec<String>) = serde_json::from_str(json).map_err(|_| wrong())?;
        return Ok((id_of(id).map_err(|_| wrong())?, Some(labels)));
    }
    let raw = serde_json::from_str::<&RawValue>(json).ok();
    raw.and_then(|raw| id_of(raw).ok()).map(|id| (id, None)).ok_or_else(wrong)
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct MembersQuery {
    /// Members that are passed over [0]
    #[serde(default)]
    offset: usize,
    /// Members on a page, at most 1000 [100]
    #[schemars(range(min = 1, max = 1000))]
    limit: Option<usize>,
    /// All access labels of the document that is meant, as in /map
    labels: Option<String>,
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct ShapeQuery {
    /// Groups, at most 1000 [160]
    #[schemars(range(min = 1, max = 1000))]
    limit: Option<usize>,
    /// How documents are put into groups where there are more [even]
    #[schemars(with = "Option<Grouping>")]
    by: Option<String>,
    /// All access labels of the document that is meant, as in /map
    labels: Option<String>,
}

async fn members(
    State(app): State<App>,
    Authenticated(caller): Authenticated,
    PathName(name): PathName<String>,
    QueryParams(page): QueryParams<MembersQuery>,
) -> ApiResult<Json<MemberPage>> {
    let (offset, limit) = (page.offset, limit(page.limit, 100)?);
    let (index, labels) = (app.index.clone(), labels(page.labels.as_deref())?);
    let find = move || {
        first(&name, |id| {
            index.reader().cluster_members((id, labels.as_deref()), &caller.view, offset, limit)
        })
    };
    Ok(Json(app.work.run(find).await??))
}

async fn shape(
    State(app): State<App>,
    Authenticated(caller): Authenticated,
    PathName(name): PathName<String>,
    QueryParams(asked): QueryParams<ShapeQuery>,
) -> ApiResult<Json<ClusterShape>> {
    let limit = limit(asked.limit, 160)?;
    let by = asked.by.as_deref().map_or(Ok(Grouping::default()), Grouping::from_name);
    let by = by.map_err(|error| ApiError::bad_request(error.to_string()))?;
    let (index, labels) = (app.index.clone(), labels(asked.labels.as_deref())?);
    let find = move || {
        first(&name, |id| index.reader().cluster_shape((id, labels.as_deref()), &caller.view, by, limit))
    };
    Ok(Json(app.work.run(find).await??))
}

async fn one(
    State(app): State<App>,
    Authenticated(caller): Authenticated,
    PathName(name): PathName<String>,
    QueryParams(which): QueryParams<LabelsQuery>,
) -> ApiResult<Json<VisibleCluster>> {
    let (index, labels) = (app.index.clone(), which.labels()?);
    let find = move || first(&name, |id| index.reader().cluster((id, labels.as_deref()), &caller.view));
    Ok(Json(app.work.run(find).await??))
}

async fn map(
    State(app): State<App>,
    Authenticated(caller): Authenticated,
    PathName(name): PathName<String>,
    QueryParams(part): QueryParams<MapQuery>,
) -> ApiResult<Json<ClusterMap>> {
    let limit = limit(part.limit, 200)?;
    let (index, labels) = (app.index.clone(), labels(part.labels.as_deref())?);
    let find =
        move || first(&name, |id| index.reader().cluster_map((id, labels.as_deref()), &caller.view, limit));
    Ok(Json(app.work.run(find).await??))
}
