//! Hosts that mirror each other.

use axum::Json;
use axum::extract::State;
use lookalike::index::survey::{MirrorQuery, Mirrors};
use schemars::JsonSchema;
use serde::Deserialize;

use super::extract::{QueryParams, limit};
use super::route::Route;
use crate::error::{ApiError, ApiResult};
use crate::guard::Authenticated;
use crate::openapi::Operation;
use crate::state::App;

pub fn routes() -> Vec<Route> {
    let about = Operation::new("listMirrors", "Hosts whose documents are in clusters together");
    vec![Route::get("/api/mirrors", mirrors, about)]
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct MirrorsQuery {
    /// Pairs of hosts to list, at most 1000 [100]
    #[schemars(range(min = 1, max = 1000))]
    limit: Option<usize>,
    /// Least number of clusters with documents of both hosts [3]
    #[schemars(range(min = 1))]
    clusters: Option<u64>,
    /// Least share of the documents of each host that is in such clusters [0.5]
    #[schemars(range(min = 0, max = 1))]
    share: Option<f64>,
}

async fn mirrors(
    State(app): State<App>,
    Authenticated(caller): Authenticated,
    QueryParams(asked): QueryParams<MirrorsQuery>,
) -> ApiResult<Json<Mirrors>> {
    let query = MirrorQuery::new(asked.clusters, asked.share, limit(asked.limit, 100)?)
        .map_err(|error| ApiError::bad_request(error.to_string()))?;
    let ours = app.clone();
    let find = move || -> lookalike::Result<Mirrors> {
        let survey = ours.surveys.of(&caller.view)?;
        let attributes = ours.surveys.attributes();
        Ok(ours.index.surveyor().mirrors(&survey, &attributes, &query))
    };
    Ok(Json(app.work.run(find).await??))
}
