//! What the service can do, and figures about its contents.

use axum::Json;
use axum::extract::State;
use lookalike::index::{LexiconStats, Stats, View};
use lookalike::judge;
use lookalike_core::lexicon::{Assets, Lexicon};
use lookalike_core::method::Method;
use lookalike_core::registry::PartInfo;
use lookalike_engine::lexicon::AssetFiles;
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::{Map, Value, json};

use super::route::Route;
use crate::error::ApiResult;
use crate::guard::Authenticated;
use crate::jobs::NamedAssets;
use crate::openapi::Operation;
use crate::state::App;

pub fn routes() -> Vec<Route> {
    vec![
        Route::get(
            "/api/methods",
            methods,
            Operation::new("listMethods", "Every method, part and learner, with parameters and paper"),
        ),
        Route::get(
            "/api/lexicons",
            lexicons,
            Operation::new("listLexicons", "Lexicons that a recipe can name"),
        ),
        Route::get(
            "/api/stats",
            stats,
            Operation::new("stats", "Figures about the documents that the caller sees"),
        ),
    ]
}

#[derive(Serialize, JsonSchema)]
struct Methods {
    learners: Vec<Learner>,
    methods: Vec<MethodEntry>,
    parts: Vec<PartEntry>,
}

/// A learner for classifiers.
#[derive(Serialize, JsonSchema)]
struct Learner {
    about: &'static str,
    name: &'static str,
}

#[derive(Serialize, JsonSchema)]
struct MethodEntry {
    name: String,
    paper: String,
    #[schemars(with = "Map<String, Value>")]
    recipe: Value,
    summary: String,
}

/// A part that can do a stage of a recipe.
#[derive(Serialize, JsonSchema)]
struct PartEntry {
    name: &'static str,
    paper: &'static str,
    params: Vec<Param>,
    stage: &'static str,
    summary: &'static str,
}

#[derive(Serialize, JsonSchema)]
struct Param {
    default: &'static str,
    help: &'static str,
    name: &'static str,
}

#[derive(Serialize, JsonSchema)]
#[schemars(rename = "Lexicons")]
struct LexiconList {
    lexicons: Vec<LexiconEntry>,
}

#[derive(Serialize, JsonSchema)]
struct LexiconEntry {
    counted: String,
    documents: u64,
    id: String,
    name: String,
    rules: String,
    terms: usize,
}

/// Figures about the documents that the caller sees. Sizes and operations are those of the whole index and would
/// reveal hidden documents, so they are only given to callers who see everything.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "Stats")]
struct VisibleStats {
    /// Clusters of two documents or more.
    clusters: u64,
    /// Documents that differ from all others in some feature.
    contents: u64,
    /// Bytes of texts that `compact` would free.
    #[serde(skip_serializing_if = "Option::is_none")]
    dead_bytes: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    decisions: Option<u64>,
    documents: u64,
    /// Documents in clusters that are not the master.
    duplicates: u64,
    /// Fields that search counts and filters by
    facets: Vec<String>,
    generation: u64,
    /// Bytes on disk beside the stored texts.
    #[serde(skip_serializing_if = "Option::is_none")]
    index_bytes: Option<u64>,
    /// Operations since the last checkpoint: what opening after a crash replays.
    #[serde(skip_serializing_if = "Option::is_none")]
    log_operations: Option<u64>,
    /// The lexicons by which documents are signed.
    #[serde(skip_serializing_if = "Option::is_none")]
    lexicons: Option<Vec<LexiconStats>>,
    method: String,
    pairs: u64,
    /// How far a new generation is, while one is built.
    #[schemars(range(min = 0, max = 1))]
    #[serde(skip_serializing_if = "Option::is_none")]
    resigning: Option<f64>,
    scheme: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    text_bytes: Option<u64>,
    threshold: f64,
}

impl VisibleStats {
    fn new(stats: Stats, view: &View, facets: Vec<String>) -> VisibleStats {
        let whole = view.seen_labels().is_none();
        let Stats {
            scheme,
            method,
            threshold,
            generation,
            documents,
            contents,
            clusters,
            duplicates,
            pairs,
            decisions,
            text_bytes,
            index_bytes,
            dead_bytes,
            log_operations,
            resigning,
            lexicons,
        } = stats;
        VisibleStats {
            clusters,
            contents,
            dead_bytes: whole.then_some(dead_bytes),
            decisions: whole.then_some(decisions),
            documents,
            duplicates,
            facets,
            generation,
            index_bytes: whole.then_some(index_bytes),
            lexicons: whole.then_some(lexicons),
            log_operations: whole.then_some(log_operations),
            method,
            pairs,
            resigning: resigning.filter(|_| whole),
            scheme,
            text_bytes: whole.then_some(text_bytes),
            threshold,
        }
    }
}

async fn methods(State(app): State<App>) -> Json<Methods> {
    let method = |method: &Method| MethodEntry {
        name: method.name.clone(),
        paper: method.paper.clone(),
        recipe: json!(method.recipe),
        summary: method.summary.clone(),
    };
    let parts = app.registry.all_parts().into_iter();
    let parts = parts.flat_map(|(stage, infos)| infos.into_iter().map(move |info| (stage, info)));
    let part = |(stage, info): (&'static str, PartInfo)| PartEntry {
        name: info.name,
        paper: info.paper,
        params: info
            .params
            .iter()
            .map(|param| Param { default: param.default, help: param.help, name: param.name })
            .collect(),
        stage,
        summary: info.summary,
    };
    let learner = |(name, about)| Learner { about, name };
    Json(Methods {
        learners: judge::choices().into_iter().map(learner).collect(),
        methods: app.registry.methods().map(method).collect(),
        parts: parts.map(part).collect(),
    })
}

async fn lexicons(State(app): State<App>) -> ApiResult<Json<LexiconList>> {
    let ours = app.clone();
    let list = app.work.run(move || -> lookalike::Result<Vec<LexiconEntry>> {
        let english = AssetFiles::default().load("english")?;
        let mut list = vec![entry("english", &english)];
        for (name, path) in NamedAssets::new(&ours.config.data).lexicons()? {
            match lookalike::lexicon::open(&path) {
                Ok(found) => list.push(entry(&name, &found)),
                // The operator has to know, but the other lexicons are still useful.
                Err(error) => tracing::warn!(%error, "a lexicon cannot be used"),
            }
        }
        Ok(list)
    });
    Ok(Json(LexiconList { lexicons: list.await?? }))
}

fn entry(name: &str, lexicon: &Lexicon) -> LexiconEntry {
    let about = lexicon.about();
    LexiconEntry {
        counted: about.counted.clone(),
        documents: lexicon.documents(),
        id: lexicon.id(),
        name: name.to_owned(),
        rules: about.rules.clone(),
        terms: lexicon.len(),
    }
}

async fn stats(
    State(app): State<App>,
    Authenticated(caller): Authenticated,
) -> ApiResult<Json<VisibleStats>> {
    let index = app.index.clone();
    let view = caller.view.clone();
    let stats = app.work.run(move || index.reader().stats(&view)).await??;
    Ok(Json(VisibleStats::new(stats, &caller.view, app.config.facets.clone())))
}
