//! Removals: previews, exports, applying and undoing them.

use std::io::{Seek, Write};

use axum::Json;
use axum::extract::{Path, State};
use axum::http::{StatusCode, header};
use axum::response::{IntoResponse, Response};
use lookalike::Id;
use lookalike::Registry;
use lookalike::index::survey::{Filter, Sort, SourceLoss, Survey};
use lookalike::index::{ClusterPlan, RemovalReportFormat, View};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::json;
use serde_json::value::RawValue;

use super::empty_body::EmptyBody;
use super::extract::QueryParams;
use super::route::Route;
use super::survey::{picked, raw};
use crate::access::Caller;
use crate::body::{JsonBody, send_file};
use crate::error::{ApiError, ApiResult};
use crate::guard::Authenticated;
use crate::openapi::Operation;
use crate::removals::{RemovalPlan, RemovalRecord, RemovalRequest};
use crate::state::App;

/// Clusters that a preview shows.
const EXAMPLES: usize = 50;
const SOURCES: usize = 20;

pub fn routes() -> Vec<Route> {
    vec![
        Route::post(
            "/api/removals/preview",
            preview,
            Operation::new("previewRemovals", "What would go if every cluster kept one document"),
        )
        .needs(crate::access::Role::Read),
        Route::get(
            "/api/removals/export",
            export,
            Operation::new("exportRemovals", "What would go, with the evidence, as a file")
                .answer_text("application/x-ndjson"),
        ),
        Route::get("/api/removals", list, Operation::new("listRemovals", "Removals that were carried out")),
        Route::post(
            "/api/removals",
            apply,
            Operation::new("applyRemovals", "Remove from the index all but one document of every cluster")
                .conflicts(),
        ),
        Route::post(
            "/api/removals/{id}/undo",
            undo,
            Operation::new("undoRemoval", "Put back what a removal took").may_be_missing(),
        ),
    ]
}

/// What is to be done: a plan that was shown, or what the rules say now.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct ApplyRemoval {
    /// Keep rules, such as longest,newest; those of the index if left out
    keep: Option<String>,
    /// Which clusters, as in /api/survey/clusters
    filter: Option<String>,
    /// `plan` of a preview: exactly the versions that it named go, but for those that changed since
    plan: Option<String>,
}

/// Which documents of clusters go.
#[derive(Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct NewRemoval {
    /// Keep rules, such as longest,newest; those of the index if left out
    keep: Option<String>,
    /// Which clusters, as in /api/survey/clusters
    #[serde(default)]
    filter: String,
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct ExportQuery {
    /// The format of the file [jsonl]
    #[schemars(with = "Option<RemovalReportFormat>")]
    format: Option<String>,
    /// Keep rules, such as longest,newest; those of the index if left out
    keep: Option<String>,
    /// Which clusters, as in /api/survey/clusters
    #[serde(default)]
    filter: String,
}

#[derive(Default, Serialize, JsonSchema)]
#[schemars(rename = "Preview")]
struct RemovalPreview {
    clusters: u64,
    removed: u64,
    /// Of the documents that go.
    bytes: u64,
    /// Clusters that would keep another document than the one that stands for them today.
    changed: u64,
    /// Documents that are not like the one that is kept, or whose readers may not see that, and stay.
    stay: u64,
    /// The name of this plan, for callers who may apply it.
    #[serde(skip_serializing_if = "Option::is_none")]
    plan: Option<String>,
    examples: Vec<RemovalExample>,
    sources: Vec<SourceLoss>,
}

#[derive(Serialize, JsonSchema)]
struct RemovalExample {
    /// The name of the cluster: the id in `kept_before`.
    #[schemars(with = "Id")]
    cluster: Box<RawValue>,
    title: Option<String>,
    #[schemars(with = "Id")]
    keeps: Box<RawValue>,
    #[schemars(with = "Id")]
    kept_before: Box<RawValue>,
    #[schemars(with = "Vec<Id>")]
    removes: Vec<Box<RawValue>>,
    /// Access labels of the one that is kept, which belong to its name; left out if it has none.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    keeps_labels: Vec<String>,
    /// Access labels of the one that was kept before; left out if it has none.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    kept_before_labels: Vec<String>,
    /// Access labels of each of those that go.
    removes_labels: Vec<Vec<String>>,
}

#[derive(Serialize, JsonSchema)]
struct Removals {
    removals: Vec<RemovalRecord>,
}

impl NewRemoval {
    /// Checks the rules before anything is done.
    fn check(&self, registry: &Registry) -> ApiResult<Filter> {
        if let Some(keep) = &self.keep {
            lookalike_core::cluster::KeepRules::parse(keep, registry)
                .map_err(|error| ApiError::unusable(error.to_string()))?;
        }
        Filter::parse(&self.filter).map_err(|error| ApiError::bad_request(error.to_string()))
    }
}

/// The selected clusters, the largest first.
fn places(app: &App, caller: &Caller, survey: &Survey, filter: &Filter) -> ApiResult<Vec<u32>> {
    picked(app, survey, &caller.view, filter, (Sort::Size, true))
}

async fn preview(
    State(app): State<App>,
    Authenticated(caller): Authenticated,
    body: JsonBody<NewRemoval>,
) -> ApiResult<Json<RemovalPreview>> {
    let (asked, _held) = body.read(&app).await?;
    let filter = asked.check(&app.registry)?;
    let ours = app.clone();
    let work = move || -> ApiResult<RemovalPreview> {
        let survey = ours.surveys.of(&caller.view)?;
        let places = places(&ours, &caller, &survey, &filter)?;
        let mut preview = RemovalPreview::default();
        let mut sources: std::collections::BTreeMap<String, u64> = std::collections::BTreeMap::new();
        let mut examples: Vec<ClusterPlan> = Vec::new();
        // The numbers of documents would reveal hidden ones, so only callers who see everything get a plan.
        let mut whole = (caller.view == View::All)
            .then(|| RemovalPlan::new(asked.keep.clone(), asked.filter.clone(), survey.numbering));
        ours.index.surveyor().plan_removals(&survey, &places, asked.keep.as_deref(), &mut |plan| {
            preview.clusters += 1;
            preview.removed += plan.removals.len() as u64;
            preview.bytes += plan.removals.iter().map(|removal| removal.bytes).sum::<u64>();
            preview.changed += u64::from(plan.keeper != plan.master);
            preview.stay += u64::from(plan.stay);
            if let Some(whole) = &mut whole {
                whole.add(&plan.removals, plan.keeper);
            }
            let attributes = ours.surveys.attributes();
            for source in plan.removals.iter().filter_map(|removal| attributes.source(removal.number)) {
                *sources.entry(source.to_owned()).or_default() += 1;
            }
            if examples.len() < EXAMPLES {
                examples.push(plan);
            }
            Ok(())
        })?;
        let numbers: Vec<u32> = examples.iter().flat_map(|plan| [plan.keeper, plan.master]).collect();
        let kept = ours.index.reader().previews(&numbers, &caller.view)?;
        for (plan, two) in examples.iter().zip(kept.as_chunks().0) {
            // One of them was removed meanwhile.
            let [Some((keeper, kept_preview)), Some((master, before))] = two else { continue };
            let removes = plan.removals.iter().map(|removal| raw(&removal.id)).collect::<ApiResult<_>>()?;
            preview.examples.push(RemovalExample {
                cluster: raw(master)?,
                title: kept_preview.title.clone(),
                keeps: raw(keeper)?,
                kept_before: raw(master)?,
                removes,
                keeps_labels: kept_preview.labels.clone(),
                kept_before_labels: before.labels.clone(),
                removes_labels: plan.removals.iter().map(|removal| removal.labels.clone()).collect(),
            });
        }
        let known = |source: &str| survey.sources.iter().find(|loss| loss.source == source);
        let mut losses: Vec<SourceLoss> = sources
            .into_iter()
            .map(|(source, removed)| SourceLoss {
                documents: known(&source).map_or(removed, |loss| loss.documents),
                source,
                removed,
            })
            .collect();
        losses.sort_by_key(|loss| std::cmp::Reverse(loss.removed));
        losses.truncate(SOURCES);
        preview.sources = losses;
        preview.plan = whole.map(|plan| ours.removals.remember(plan));
        Ok(preview)
    };
    Ok(Json(app.work.run(work).await??))
}

async fn export(
    State(app): State<App>,
    Authenticated(caller): Authenticated,
    QueryParams(asked): QueryParams<ExportQuery>,
) -> ApiResult<Response> {
    let name = asked.format.as_deref().unwrap_or("jsonl");
    let known = || {
        ApiError::bad_request(format!("`format` must be one of {}", RemovalReportFormat::NAMES.join(", ")))
    };
    let how = RemovalReportFormat::from_name(name).ok_or_else(known)?;
    let file_name = format!("attachment; filename=\"removed.{name}\"");
    let asked = NewRemoval { keep: asked.keep, filter: asked.filter };
    let filter = asked.check(&app.registry)?;
    let ours = app.clone();
    // Written to a file first, so that an error is answered as an error and not in the middle of the file.
    let work = move || -> ApiResult<std::fs::File> {
        let survey = ours.surveys.of(&caller.view)?;
        let places = places(&ours, &caller, &survey, &filter)?;
        let failed = lookalike::Error::io("a temporary file");
        let mut file = tempfile::tempfile().map_err(failed)?;
        let mut report =
            ours.index.surveyor().removal_report(how, &caller.view, std::io::BufWriter::new(&file))?;
        ours.index
            .surveyor()
            .plan_removals(&survey, &places, asked.keep.as_deref(), &mut |plan| report.add(&plan))?;
        report.finish()?;
        file.flush().and_then(|()| file.rewind()).map_err(lookalike::Error::io("a temporary file"))?;
        Ok(file)
    };
    let file = app.work.run(work).await??;
    let headers =
        [(header::CONTENT_TYPE, how.media_type().to_owned()), (header::CONTENT_DISPOSITION, file_name)];
    Ok((headers, send_file(file)).into_response())
}

async fn apply(
    State(app): State<App>,
    Authenticated(caller): Authenticated,
    body: JsonBody<ApplyRemoval>,
) -> ApiResult<Json<RemovalRecord>> {
    caller.must_see_all()?;
    let (ordered, _held) = body.read(&app).await?;
    let asked = NewRemoval { keep: ordered.keep, filter: ordered.filter.clone().unwrap_or_default() };
    asked.check(&app.registry)?;
    let ours = app.clone();
    let work = move || -> ApiResult<RemovalRecord> {
        let plan = match &ordered.plan {
            None => None,
            Some(name) => {
                let plan = ours.removals.planned(name, asked.keep.as_deref(), ordered.filter.as_deref())?;
                Some(plan.ok_or_else(unknown_plan)?)
            }
        };
        let asked = match &plan {
            None => asked,
            Some(plan) => NewRemoval { keep: plan.keep.clone(), filter: plan.filter.clone() },
        };
        let filter = asked.check(&ours.registry)?;
        let apply = || -> ApiResult<RemovalRecord> {
            let survey = ours.surveys.of(&caller.view)?;
            let places = places(&ours, &caller, &survey, &filter)?;
            let (keep, filter) = (asked.keep, asked.filter);
            let request = RemovalRequest { by: &caller.name, keep, filter, places, plan: plan.as_ref() };
            let applied = ours.removals.apply(&ours.index, &survey, request)?;
            let (removal, documents) = (applied.removal, applied.documents);
            ours.record(&caller, "remove-duplicates", json!({ "removal": removal, "documents": documents }));
            Ok(applied)
        };
        let applied = apply();
        if applied.is_err()
            && let Some(plan) = plan
        {
            ours.removals.give_back(plan);
        }
        applied
    };
    Ok(Json(app.work.write(work).await??))
}

fn unknown_plan() -> ApiError {
    let message = "this plan is not known any more: look at a new preview";
    ApiError::new(StatusCode::CONFLICT, "unknown-plan", message)
}

async fn list(State(app): State<App>, Authenticated(caller): Authenticated) -> ApiResult<Json<Removals>> {
    caller.must_see_all()?;
    let ours = app.clone();
    Ok(Json(Removals { removals: app.work.run(move || ours.removals.list()).await?? }))
}

async fn undo(
    State(app): State<App>,
    Authenticated(caller): Authenticated,
    Path(id): Path<String>,
    body: JsonBody<EmptyBody>,
) -> ApiResult<Json<RemovalRecord>> {
    caller.must_see_all()?;
    // Only the content type matters: a page of another site cannot set it without permission.
    body.bytes(&app).await?;
    let none = || ApiError::new(StatusCode::NOT_FOUND, "not-found", "there is no such removal");
    let number = id.parse().map_err(|_| none())?;
    let ours = app.clone();
    let undo = move || -> lookalike::Result<Option<RemovalRecord>> {
        let undone = ours.removals.undo(&ours.index, number)?;
        if undone.is_some() {
            ours.record(&caller, "undo-removal", json!({ "removal": number }));
        }
        Ok(undone)
    };
    let undone = app.work.write(undo).await??;
    undone.map(Json).ok_or_else(none)
}
