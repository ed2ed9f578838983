//! Lexicons in detail, and a document as a method weighs it.

use std::collections::BTreeMap;
use std::sync::Arc;

use axum::Json;
use axum::extract::State;
use lookalike::{Id, Recipe};
use lookalike_core::hash;
use lookalike_core::lexicon::stability::survival;
use lookalike_core::lexicon::window::histogram;
use lookalike_core::lexicon::{Assets, Lexicon, WORDS, Window};
use lookalike_core::text::{Scratch, words};
use lookalike_engine::lexicon::AssetFiles;
use lookalike_engine::profile::{Profile, profile};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;

use super::extract::{PathName, QueryParams};
use super::route::Route;
use crate::access::Role;
use crate::body::JsonBody;
use crate::document::id_of;
use crate::error::{ApiError, ApiResult};
use crate::guard::Authenticated;
use crate::jobs::NamedAssets;
use crate::openapi::Operation;
use crate::state::App;

const BARS: usize = 50;
/// What I-Match uses unless told otherwise, and how much its further lexicons lack (K04 §6).
const WINDOW: (f64, f64) = (0.2, 0.8);
const DROPPED: f64 = 0.33;
const LEXICONS: [u32; 5] = [0, 1, 2, 5, 10];
const CHANGES: u32 = 20;

pub fn routes() -> Vec<Route> {
    vec![
        Route::get(
            "/api/lexicons/{name}",
            show,
            Operation::new("getLexicon", "A lexicon: its words by how rare they are")
                .may_be_missing()
                .conflicts(),
        ),
        Route::get(
            "/api/lexicons/{name}/word",
            look_up,
            Operation::new("lookUpWord", "What a lexicon knows of a word").may_be_missing().conflicts(),
        ),
        Route::get(
            "/api/stability",
            stability,
            Operation::new(
                "stability",
                "How likely one of several I-Match signatures survives changed words",
            ),
        ),
        Route::post(
            "/api/profile",
            weigh,
            Operation::new("profile", "The features of a document and their weights")
                .may_be_ambiguous()
                .may_be_missing()
                .conflicts(),
        )
        .needs(Role::Read),
    ]
}

#[derive(Serialize, JsonSchema)]
#[schemars(rename = "Lexicon")]
struct LexiconView {
    name: String,
    documents: u64,
    terms: usize,
    counted: String,
    /// Terms by normalised inverse document frequency, from 0 to 1.
    histogram: LexiconHistogram,
    /// What I-Match uses unless told otherwise.
    window: LexiconWindow,
}

#[derive(Serialize, JsonSchema)]
struct LexiconHistogram {
    #[schemars(range(min = 0, max = 1))]
    step: f64,
    terms: Vec<u64>,
}

#[derive(Serialize, JsonSchema)]
struct LexiconWindow {
    #[schemars(range(min = 0, max = 1))]
    low: f64,
    #[schemars(range(min = 0, max = 1))]
    high: f64,
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct WordQuery {
    /// One word
    word: Option<String>,
}

#[derive(Serialize, JsonSchema)]
struct KnownWord {
    word: String,
    df: u32,
    nidf: f64,
    /// Terms that occur in more documents, and one; null for a word that the lexicon does not have.
    rank: Option<usize>,
    in_window: bool,
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct StabilityQuery {
    /// The part of the words that each further lexicon lacks [0.33]
    #[schemars(range(min = 0, max = 1))]
    dropped: Option<f64>,
}

#[derive(Serialize, JsonSchema)]
struct Stability {
    /// The part of the words that each further lexicon lacks.
    #[schemars(range(min = 0, max = 1))]
    dropped: f64,
    /// Words that were added to or removed from the document.
    changes: Vec<u32>,
    curves: Vec<StabilityCurve>,
}

#[derive(Serialize, JsonSchema)]
struct StabilityCurve {
    /// Further lexicons, each with a signature of its own.
    lexicons: u32,
    /// For each of the changes.
    #[schemars(inner(range(min = 0, max = 1)))]
    survive: Vec<f64>,
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct NewProfile {
    #[schemars(with = "Option<Id>")]
    id: Option<Box<RawValue>>,
    /// All access labels of the document that is meant, where several have the id
    labels: Option<Vec<String>>,
    /// A text, instead of a document
    text: Option<String>,
    /// A method by name; the index's own recipe if left out
    method: Option<String>,
    /// Recipe keys, such as `features.shingle`
    #[serde(default)]
    set: BTreeMap<String, String>,
}

fn load(app: &App, name: &str) -> ApiResult<Arc<Lexicon>> {
    if name == "english" {
        return Ok(AssetFiles::default().load(name)?);
    }
    let none = || ApiError::new(axum::http::StatusCode::NOT_FOUND, "not-found", "there is no such lexicon");
    let assets = NamedAssets::new(&app.config.data);
    let known = assets.lexicons()?;
    let (_, path) = known.iter().find(|(known, _)| known == name).ok_or_else(none)?;
    let opened = lookalike::lexicon::open(path).map_err(|error| {
        tracing::warn!(%error, "a lexicon cannot be used");
        assets.shown(error)
    });
    Ok(Arc::new(opened?))
}

async fn show(State(app): State<App>, PathName(name): PathName<String>) -> ApiResult<Json<LexiconView>> {
    let ours = app.clone();
    let work = move || -> ApiResult<LexiconView> {
        let lexicon = load(&ours, &name)?;
        Ok(LexiconView {
            documents: lexicon.documents(),
            terms: lexicon.len(),
            counted: lexicon.about().counted.clone(),
            histogram: LexiconHistogram {
                step: 1.0 / BARS as f64,
                terms: histogram(&lexicon, BARS).iter().map(|bar| bar.terms).collect(),
            },
            window: LexiconWindow { low: WINDOW.0, high: WINDOW.1 },
            name,
        })
    };
    Ok(Json(app.work.run(work).await??))
}

async fn look_up(
    State(app): State<App>,
    PathName(name): PathName<String>,
    QueryParams(asked): QueryParams<WordQuery>,
) -> ApiResult<Json<KnownWord>> {
    let ours = app.clone();
    let work = move || -> ApiResult<KnownWord> {
        let lexicon = load(&ours, &name)?;
        if lexicon.about().counted != WORDS {
            return Err(ApiError::unusable("this lexicon does not count words, so it knows nothing of any"));
        }
        let parts = words(asked.word.as_deref().unwrap_or_default(), &mut Scratch::default());
        let [word] = &parts[..] else { return Err(ApiError::bad_request("`word` must be one word")) };
        let df = lexicon.df(hash::bytes(word.as_bytes()));
        let nidf = lexicon.nidf(df);
        let window = Window::new(WINDOW.0, WINDOW.1)?;
        let rank = (df > 0).then(|| lexicon.terms().filter(|term| term.1 > df).count() + 1);
        Ok(KnownWord { word: word.clone(), df, nidf, rank, in_window: window.contains(nidf) })
    };
    Ok(Json(app.work.run(work).await??))
}

async fn stability(QueryParams(asked): QueryParams<StabilityQuery>) -> ApiResult<Json<Stability>> {
    let dropped = asked.dropped.unwrap_or(DROPPED);
    if !(0.0..=1.0).contains(&dropped) {
        return Err(ApiError::bad_request("`dropped` must be from 0 to 1"));
    }
    let changes: Vec<u32> = (0..=CHANGES).collect();
    let curve = |lexicons: u32| StabilityCurve {
        lexicons,
        survive: changes.iter().map(|&changes| survival(dropped, changes, lexicons)).collect(),
    };
    let curves = LEXICONS.map(curve).into();
    Ok(Json(Stability { dropped, changes, curves }))
}

async fn weigh(
    State(app): State<App>,
    Authenticated(caller): Authenticated,
    body: JsonBody<NewProfile>,
) -> ApiResult<Json<Profile>> {
    let (new, _held) = body.read(&app).await?;
    let NewProfile { id, labels, text, method, set } = new;
    let id = id.as_deref().map(id_of).transpose()?;
    let ours = app.clone();
    let work = move || -> ApiResult<Profile> {
        let text = match (id, text) {
            (None, Some(text)) => text,
            (Some(id), None) => {
                let stored = ours.index.reader().get((&id, labels.as_deref()), &caller.view)?;
                let stored = stored.ok_or_else(ApiError::not_found)?;
                super::pairs::text_of(&stored)?
            }
            _ => return Err(ApiError::unusable("give either `id` or `text`")),
        };
        let recipe = match &method {
            Some(method) => format!("method = {}", toml::Value::from(method.as_str())),
            None => ours.index.recipe(),
        };
        let mut recipe = Recipe::from_toml(&recipe, &ours.registry)?;
        recipe.set_all(&set)?;
        let lexicons = ours.index.assets();
        // Lexicons and models are named, never given by path.
        let recipe = match method {
            Some(_) => {
                let assets = NamedAssets::new(&ours.config.data);
                let build = |recipe: &Recipe| recipe.build_with(&ours.registry, &lexicons).map(drop);
                assets.changed_recipe(&recipe.to_toml(), &recipe, &ours.registry, build)?
            }
            None if set.is_empty() => recipe,
            None => return Err(ApiError::unusable("`set` needs a `method`")),
        };
        Ok(profile(&recipe, &text, &ours.registry, &lexicons)?)
    };
    Ok(Json(app.work.run(work).await??))
}
