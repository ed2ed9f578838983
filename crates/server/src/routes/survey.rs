//! An overview of the whole index, and its clusters as a table.

use std::collections::{BTreeMap, HashSet};

use axum::Json;
use axum::extract::State;
use lookalike::Id;
use lookalike::index::View;
use lookalike::index::survey::{Filter, Sort, Survey, SurveyRow};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;

use super::answer::SerializedJson;
use super::extract::{QueryParams, limit};
use super::route::Route;
use crate::error::{ApiError, ApiResult};
use crate::guard::Authenticated;
use crate::openapi::Operation;
use crate::state::App;

pub fn routes() -> Vec<Route> {
    vec![
        Route::get(
            "/api/survey",
            survey,
            Operation::new("survey", "The index at a glance, and what other thresholds would find"),
        ),
        Route::get(
            "/api/survey/clusters",
            clusters,
            Operation::new("surveyClusters", "Clusters as a table, filtered and sorted"),
        ),
    ]
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct TableQuery {
    /// size:>3 sim:<0.9 type:pdf source:x master:id after:2024-01-01 decided:yes, and words
    #[serde(default)]
    filter: String,
    /// What the clusters are sorted by [size]
    #[schemars(with = "Option<Sort>")]
    sort: Option<String>,
    /// The largest first [true]
    descending: Option<bool>,
    /// Clusters that are passed over [0]
    #[serde(default)]
    offset: usize,
    /// Clusters on a page, at most 1000 [100]
    #[schemars(range(min = 1, max = 1000))]
    limit: Option<usize>,
}

#[derive(Serialize, JsonSchema)]
struct ClusterTable {
    /// Clusters that the filter leaves.
    total: usize,
    offset: usize,
    clusters: Vec<ClusterRow>,
}

#[derive(Serialize, JsonSchema)]
struct ClusterRow {
    /// The name of the cluster, which is its master's.
    #[schemars(with = "Id")]
    cluster: Box<RawValue>,
    /// The access labels of the master, which belong to its name; left out if it has none.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    labels: Vec<String>,
    title: Option<String>,
    size: u32,
    #[schemars(range(min = 0, max = 1))]
    weakest: f32,
    #[schemars(range(min = 0, max = 1))]
    median: f32,
    /// Types of its documents with how many have each, the most frequent first.
    types: Vec<(String, u32)>,
    /// Seconds since 1970 of the earliest document.
    first: u32,
    /// Seconds since 1970 of the latest document.
    last: u32,
    /// Decisions about its documents.
    decided: u32,
}

async fn survey(
    State(app): State<App>,
    Authenticated(caller): Authenticated,
) -> ApiResult<SerializedJson<Survey>> {
    let ours = app.clone();
    app.work.run(move || SerializedJson::new(&*ours.surveys.of(&caller.view)?)).await?
}

async fn clusters(
    State(app): State<App>,
    Authenticated(caller): Authenticated,
    QueryParams(asked): QueryParams<TableQuery>,
) -> ApiResult<Json<ClusterTable>> {
    let filter = Filter::parse(&asked.filter).map_err(|error| ApiError::bad_request(error.to_string()))?;
    let sort = asked.sort.as_deref().map_or(Ok(Sort::Size), Sort::from_name);
    let sort = sort.map_err(|error| ApiError::bad_request(error.to_string()))?;
    let order = (sort, asked.descending.unwrap_or(true));
    let (offset, limit) = (asked.offset, limit(asked.limit, 100)?);
    let ours = app.clone();
    Ok(Json(app.work.run(move || table(&ours, &caller.view, &filter, order, offset, limit)).await??))
}

/// The clusters that a filter selects, by place in the survey.
pub fn picked(
    app: &App,
    survey: &Survey,
    view: &View,
    filter: &Filter,
    order: (Sort, bool),
) -> ApiResult<Vec<u32>> {
    let found: Option<HashSet<u32>> = match filter.words.as_str() {
        "" => None,
        words => Some(app.search.masters(words, view)?.ok_or_else(ApiError::search_not_ready)?),
    };
    Ok(app.index.surveyor().pick(survey, filter, found.as_ref(), &app.surveys.attributes(), order)?)
}

fn table(
    app: &App,
    view: &View,
    filter: &Filter,
    order: (Sort, bool),
    offset: usize,
    limit: usize,
) -> ApiResult<ClusterTable> {
    let survey = app.surveys.of(view)?;
    let places = picked(app, &survey, view, filter, order)?;
    let page = places.iter().skip(offset).take(limit);
    let rows: Vec<SurveyRow> = page.map(|&place| survey.rows()[place as usize]).collect();
    let masters: Vec<u32> = rows.iter().map(|row| row.master).collect();
    let previews = app.index.reader().previews(&masters, view)?;
    let attributes = app.surveys.attributes();
    let attributes = attributes.of(survey.numbering);
    // If the master was removed since the survey, the next remaining member represents the cluster.
    let next = |row: &SurveyRow| {
        let mut members = survey.documents_of(row).iter();
        members.find_map(|&member| app.index.reader().previews(&[member], view).ok()?.pop()?)
    };
    let shown =
        rows.iter().zip(previews).filter_map(|(row, preview)| Some((row, preview.or_else(|| next(row))?)));
    let clusters = shown.map(|(row, (id, preview))| {
        let documents = survey.documents_of(row);
        let mut types: BTreeMap<&str, u32> = BTreeMap::new();
        let kinds = documents.iter().filter_map(|&document| attributes?.kind(document));
        kinds.for_each(|kind| *types.entry(kind).or_default() += 1);
        let mut types: Vec<(String, u32)> =
            types.into_iter().map(|(name, count)| (name.to_owned(), count)).collect();
        types.sort_by_key(|kind| std::cmp::Reverse(kind.1));
        let times = || documents.iter().map(|&document| survey.time_of(document, attributes));
        Ok(ClusterRow {
            cluster: raw(&id)?,
            labels: preview.labels,
            title: preview.title,
            size: row.size,
            weakest: row.weakest,
            median: row.median,
            types,
            first: times().min().unwrap_or(0),
            last: times().max().unwrap_or(0),
            decided: survey.decided(row),
        })
    });
    Ok(ClusterTable { total: places.len(), offset, clusters: clusters.collect::<ApiResult<_>>()? })
}

/// An id as JSON.
pub fn raw(id: &Id) -> ApiResult<Box<RawValue>> {
    RawValue::from_string(id.json().to_owned()).map_err(|_| ApiError::internal())
}
