//! Two known documents side by side: every measure, the verdict of the index's recipe, what they
//! share and where they differ.

use axum::Json;
use axum::extract::State;
use lookalike::Recipe;
use lookalike::compare::Comparison;
use lookalike::index::{Decision, StoredDocument};
use lookalike_engine::compare::{NamedDocument, compare, fields_of};
use lookalike_io::record::{Fields, TextBuffer};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::extract::{PathName, QueryParams, first, labels};
use super::route::Route;
use crate::access::Caller;
use crate::error::{ApiError, ApiResult};
use crate::guard::Authenticated;
use crate::openapi::Operation;
use crate::review::{PairName, Remarks};
use crate::state::App;

pub fn routes() -> Vec<Route> {
    vec![Route::get(
        "/api/pairs/{a}/{b}",
        explain,
        Operation::new("explainPair", "Everything that can be said of two documents")
            .may_be_ambiguous()
            .may_be_missing(),
    )]
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct PairLabelsQuery {
    /// The labels of the first, as `labels` of /api/documents/{id}
    a_labels: Option<String>,
    /// The labels of the second
    b_labels: Option<String>,
}

#[derive(Serialize, JsonSchema)]
struct Pair {
    #[serde(flatten)]
    comparison: Comparison,
    /// What a person decided of the two; null if nobody did.
    decision: Option<Decision>,
    #[serde(flatten)]
    remarks: Remarks,
}

async fn explain(
    State(app): State<App>,
    Authenticated(caller): Authenticated,
    PathName((a, b)): PathName<(String, String)>,
    QueryParams(which): QueryParams<PairLabelsQuery>,
) -> ApiResult<Json<Pair>> {
    let ours = app.clone();
    let sides = ((a, labels(which.a_labels.as_deref())?), (b, labels(which.b_labels.as_deref())?));
    Ok(Json(app.work.run(move || pair(&ours, &caller, &sides.0, &sides.1)).await??))
}

/// A name in the path, and the labels in the query.
type Side = (String, Option<Vec<String>>);

fn pair(app: &App, caller: &Caller, a: &Side, b: &Side) -> ApiResult<Pair> {
    let known = |(name, labels): &Side| {
        first(name, |id| app.index.reader().get((id, labels.as_deref()), &caller.view))
    };
    let (a, b) = (known(a)?, known(b)?);
    let recipe = Recipe::from_toml(&app.index.recipe(), &app.registry)?;
    let assets = app.index.assets();
    let wanted = fields_of(&app.registry, &assets, Some(&recipe))?;
    let fields = Fields { id: "id".to_owned(), text: "text".to_owned(), wanted };
    let sides = (named(&a, &fields)?, named(&b, &fields)?);
    let comparison = compare(
        &app.registry,
        &assets,
        Some(&recipe),
        (&a.id.display(), &sides.0),
        (&b.id.display(), &sides.1),
    )?;
    let (of_a, of_b) = ((&a.id, Some(&*a.labels)), (&b.id, Some(&*b.labels)));
    let decision = app.index.reader().decision(of_a, of_b, &caller.view)?;
    let remarks = app.review.remarks(&PairName::new((&a.id, &a.labels), (&b.id, &b.labels)));
    Ok(Pair { comparison, decision, remarks })
}

/// A stored document with the fields that the recipe reads.
fn named(stored: &StoredDocument, fields: &Fields) -> ApiResult<NamedDocument> {
    let mut buffer = TextBuffer::default();
    let record = fields.parse(stored.document.get(), &mut buffer).map_err(|_| ApiError::internal())?;
    Ok(NamedDocument::new(record.document, &fields.wanted))
}

/// The text of a stored document.
pub fn text_of(stored: &StoredDocument) -> ApiResult<String> {
    #[derive(Deserialize)]
    struct Text {
        text: String,
    }
    let text = serde_json::from_str::<Text>(stored.document.get());
    text.map(|document| document.text).map_err(|_| ApiError::internal())
}
