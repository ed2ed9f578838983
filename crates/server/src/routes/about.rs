//! What the service can do and what it holds.

use axum::Json;
use axum::extract::State;
use lookalike::core::lexicon::{Lexicon, Lexicons};
use lookalike::index::{Stats, View};
use lookalike::learn;
use lookalike::lexicon::Shelf;
use serde_json::{Value, json};

use super::Route;
use crate::access::By;
use crate::error::{ApiError, ApiResult};
use crate::openapi::Operation;
use crate::shelf;
use crate::state::App;

pub fn routes() -> Vec<Route> {
    vec![
        Route::get(
            "/api/methods",
            methods,
            Operation::new("listMethods", "Every method, part and learner, with parameters and paper")
                .answer("Methods"),
        ),
        Route::get(
            "/api/lexicons",
            lexicons,
            Operation::new("listLexicons", "Lexicons that a recipe can name").answer("Lexicons"),
        ),
        Route::get(
            "/api/stats",
            stats,
            Operation::new("stats", "Figures about the documents that the caller sees").answer("Stats"),
        ),
    ]
}

async fn methods(State(app): State<App>) -> Json<Value> {
    let methods: Vec<Value> = app
        .registry
        .methods()
        .map(|method| {
            json!({ "name": method.name, "summary": method.summary, "paper": method.paper, "recipe": method.recipe })
        })
        .collect();
    let parts: Vec<Value> = app
        .registry
        .all_parts()
        .into_iter()
        .flat_map(|(stage, infos)| infos.into_iter().map(move |info| (stage, info)))
        .map(|(stage, info)| {
            let params = info.params.iter().map(|param| {
                json!({ "name": param.name, "default": param.default, "help": param.help })
            });
            let params: Vec<Value> = params.collect();
            json!({ "stage": stage, "name": info.name, "summary": info.summary, "paper": info.paper, "params": params })
        })
        .collect();
    let learners = learn::choices().into_iter().map(|(name, about)| json!({ "name": name, "about": about }));
    Json(json!({ "methods": methods, "parts": parts, "learners": learners.collect::<Vec<_>>() }))
}

async fn lexicons(State(app): State<App>) -> ApiResult<Json<Value>> {
    let ours = app.clone();
    let list = app.gate.run(move || -> lookalike::Result<Vec<Value>> {
        let english = Shelf::default().load("english")?;
        let mut list = vec![lexicon("english", &english)];
        for (name, path) in shelf::lexicons(&ours.config.data)? {
            match lookalike::lexicon::open(&path) {
                Ok(found) => list.push(lexicon(&name, &found)),
                // The operator has to know, and the others are still of use.
                Err(error) => tracing::warn!(%error, "a lexicon cannot be used"),
            }
        }
        Ok(list)
    });
    Ok(Json(json!({ "lexicons": list.await?? })))
}

fn lexicon(name: &str, lexicon: &Lexicon) -> Value {
    let about = lexicon.about();
    json!({
        "name": name,
        "id": lexicon.id(),
        "documents": lexicon.documents(),
        "terms": lexicon.len(),
        "rules": about.rules,
        "counted": about.counted,
    })
}

async fn stats(State(app): State<App>, By(caller): By) -> ApiResult<Json<Value>> {
    let index = app.index.clone();
    let view = caller.view.clone();
    let stats: Stats = app.gate.run(move || index.stats(&view)).await??;
    let mut stats = serde_json::to_value(stats).map_err(|_| ApiError::internal())?;
    stats["facets"] = json!(app.config.facets);
    // Sizes and the work done are those of the whole index: they would tell of hidden documents.
    if let (View::Labels(_), Value::Object(all)) = (&caller.view, &mut stats) {
        for name in ["decisions", "text_bytes", "index_bytes", "dead_bytes", "log_operations", "resigning"] {
            all.remove(name);
        }
    }
    Ok(Json(stats))
}
