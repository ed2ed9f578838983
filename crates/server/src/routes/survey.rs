//! The whole index at a glance, and its clusters as a table.

use std::collections::{BTreeMap, HashSet};

use axum::Json;
use axum::extract::State;
use lookalike::core::document::Id;
use lookalike::index::View;
use lookalike::index::survey::{Filter, Row, Sort, Survey};
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;

use super::Route;
use super::extract::{Params, limit};
use crate::access::By;
use crate::error::{ApiError, ApiResult};
use crate::openapi::Operation;
use crate::state::App;

pub fn routes() -> Vec<Route> {
    vec![
        Route::get(
            "/api/survey",
            survey,
            Operation::new("survey", "The index at a glance, and what other thresholds would find")
                .answer("Survey"),
        ),
        Route::get(
            "/api/survey/clusters",
            clusters,
            Operation::new("surveyClusters", "Clusters as a table, filtered and sorted")
                .query(
                    "filter",
                    "string",
                    "size:>3 sim:<0.9 type:pdf source:x master:id after:2024-01-01 decided:yes, and words",
                )
                .query("sort", "sort", "What the clusters are sorted by [size]")
                .query("descending", "boolean", "The largest first [true]")
                .query("offset", "place", "Clusters that are passed over [0]")
                .query("limit", "integer", "Clusters on a page, at most 1000 [100]")
                .answer("ClusterTable"),
        ),
    ]
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Asked {
    #[serde(default)]
    filter: String,
    sort: Option<String>,
    descending: Option<bool>,
    #[serde(default)]
    offset: usize,
    limit: Option<usize>,
}

#[derive(Serialize)]
struct Table {
    /// Clusters that the filter leaves.
    total: usize,
    offset: usize,
    clusters: Vec<TableRow>,
}

#[derive(Serialize)]
struct TableRow {
    cluster: Box<RawValue>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    labels: Vec<String>,
    title: Option<String>,
    size: u32,
    weakest: f32,
    median: f32,
    /// Types of its documents, the most frequent first.
    types: Vec<(String, u32)>,
    /// Seconds since 1970 of the earliest and the latest document.
    first: u32,
    last: u32,
    decided: u32,
}

async fn survey(State(app): State<App>, By(caller): By) -> ApiResult<Json<Box<RawValue>>> {
    let ours = app.clone();
    let work = move || -> ApiResult<Box<RawValue>> {
        let survey = ours.surveys.of(&caller.view)?;
        serde_json::value::to_raw_value(&*survey).map_err(|_| ApiError::internal())
    };
    Ok(Json(app.gate.run(work).await??))
}

async fn clusters(
    State(app): State<App>,
    By(caller): By,
    Params(asked): Params<Asked>,
) -> ApiResult<Json<Table>> {
    let filter = Filter::parse(&asked.filter).map_err(|error| ApiError::bad_request(error.to_string()))?;
    let sort = asked.sort.as_deref().map_or(Ok(Sort::Size), Sort::from_name);
    let sort = sort.map_err(|error| ApiError::bad_request(error.to_string()))?;
    let order = (sort, asked.descending.unwrap_or(true));
    let (offset, limit) = (asked.offset, limit(asked.limit, 100)?);
    let ours = app.clone();
    Ok(Json(app.gate.run(move || table(&ours, &caller.view, &filter, order, offset, limit)).await??))
}

/// The clusters that a filter leaves, as places in the survey.
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
    Ok(app.index.pick(survey, filter, found.as_ref(), &app.surveys.attributes(), order))
}

fn table(
    app: &App,
    view: &View,
    filter: &Filter,
    order: (Sort, bool),
    offset: usize,
    limit: usize,
) -> ApiResult<Table> {
    let survey = app.surveys.of(view)?;
    let places = picked(app, &survey, view, filter, order)?;
    let page = places.iter().skip(offset).take(limit);
    let rows: Vec<Row> = page.map(|&place| survey.rows()[place as usize]).collect();
    let masters: Vec<u32> = rows.iter().map(|row| row.master).collect();
    let faces = app.index.faces(&masters, view)?;
    let attributes = app.surveys.attributes();
    let attributes = attributes.of(survey.numbering);
    // Where the master went since the survey, the next stands for the cluster while there is one.
    let next = |row: &Row| {
        let mut members = survey.documents_of(row).iter();
        members.find_map(|&member| app.index.faces(&[member], view).ok()?.pop()?)
    };
    let shown = rows.iter().zip(faces).filter_map(|(row, face)| Some((row, face.or_else(|| next(row))?)));
    let clusters = shown.map(|(row, (id, face))| {
        let documents = survey.documents_of(row);
        let mut types: BTreeMap<&str, u32> = BTreeMap::new();
        let kinds = documents.iter().filter_map(|&document| attributes?.kind(document));
        kinds.for_each(|kind| *types.entry(kind).or_default() += 1);
        let mut types: Vec<(String, u32)> =
            types.into_iter().map(|(name, count)| (name.to_owned(), count)).collect();
        types.sort_by_key(|kind| std::cmp::Reverse(kind.1));
        let times = || documents.iter().map(|&document| survey.time_of(document, attributes));
        Ok(TableRow {
            cluster: raw(&id)?,
            labels: face.labels,
            title: face.title,
            size: row.size,
            weakest: row.weakest,
            median: row.median,
            types,
            first: times().min().unwrap_or(0),
            last: times().max().unwrap_or(0),
            decided: survey.decided(row),
        })
    });
    Ok(Table { total: places.len(), offset, clusters: clusters.collect::<ApiResult<_>>()? })
}

/// An id as JSON has it.
pub fn raw(id: &Id) -> ApiResult<Box<RawValue>> {
    RawValue::from_string(id.json().to_owned()).map_err(|_| ApiError::internal())
}
