//! The queue of pairs that wait for a decision, what people note of pairs, how far they got, and their saved filters.

use axum::Json;
use axum::extract::State;
use axum::response::NoContent;
use lookalike::Id;
use lookalike::index::survey::{Filter, Sort};
use lookalike::index::{ReviewOrder, View, Waiting};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;

use super::extract::{PathName, QueryParams, limit};
use super::route::Route;
use super::survey::picked;
use crate::access::Role;
use crate::body::JsonBody;
use crate::document::id_of;
use crate::error::{ApiError, ApiResult};
use crate::guard::Authenticated;
use crate::openapi::Operation;
use crate::review::{PairName, Progress, Remarks, SavedFilter, agreement, people};
use crate::review_queue::{Among, Asked, Queue};
use crate::state::App;

pub fn routes() -> Vec<Route> {
    vec![
        Route::get(
            "/api/review/next",
            next,
            Operation::new("nextPairs", "Pairs that wait for a decision, across all clusters")
                .may_be_missing(),
        ),
        Route::get(
            "/api/review/progress",
            progress,
            Operation::new("reviewProgress", "Who decided how much, and whether they agree"),
        ),
        Route::post(
            "/api/review/remarks",
            remark,
            Operation::new("remark", "Note something of a pair, or give it tags")
                .may_be_ambiguous()
                .may_be_missing(),
        )
        .needs(Role::Reviewer),
        Route::get(
            "/api/review/filters",
            filters,
            Operation::new("listFilters", "The filters that the caller saved"),
        ),
        Route::post(
            "/api/review/filters",
            save_filter,
            Operation::new("saveFilter", "Save a filter under a name, for the caller alone"),
        )
        .needs(Role::Reviewer),
        Route::delete(
            "/api/review/filters/{name}",
            drop_filter,
            Operation::new("dropFilter", "Remove a saved filter").may_be_missing(),
        )
        .needs(Role::Reviewer),
    ]
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct NextQuery {
    /// Which pairs come first [uncertain]
    #[schemars(with = "Option<ReviewOrder>")]
    order: Option<String>,
    /// Which clusters, as in /api/survey/clusters
    #[serde(default)]
    filter: String,
    /// The number of a batch: its pairs that the caller has not decided of, in their order
    batch: Option<u64>,
    /// Pairs with this tag
    tag: Option<String>,
    /// Pairs whose last decision contradicts what others had said before, until somebody decides once more
    #[serde(default)]
    disputed: bool,
    /// `next` of the page before
    after: Option<String>,
    /// Pairs on a page, at most 1000 [20]
    #[schemars(range(min = 1, max = 1000))]
    limit: Option<usize>,
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct NewRemark {
    #[schemars(with = "Id")]
    a: Box<RawValue>,
    #[schemars(with = "Id")]
    b: Box<RawValue>,
    /// All access labels of the first, where several documents have the id
    a_labels: Option<Vec<String>>,
    /// All access labels of the second, where several documents have the id
    b_labels: Option<Vec<String>>,
    /// Replaces the caller's note; an empty one takes it away
    note: Option<String>,
    /// Replaces the tags of the pair
    tags: Option<Vec<String>>,
}

#[derive(Serialize, JsonSchema)]
struct SavedFilters {
    filters: Vec<SavedFilter>,
}

/// An order by its name.
pub fn order(name: Option<&str>) -> ApiResult<ReviewOrder> {
    let order = name.map_or(Ok(ReviewOrder::default()), ReviewOrder::from_name);
    order.map_err(|error| ApiError::bad_request(error.to_string()))
}

pub fn parse_filter(text: &str) -> ApiResult<Filter> {
    Filter::parse(text).map_err(|error| ApiError::bad_request(error.to_string()))
}

/// The pairs of the clusters that a filter selects.
pub fn of_clusters(app: &App, view: &View, filter: &Filter, order: ReviewOrder) -> ApiResult<Among> {
    let survey = app.surveys.of(view)?;
    let places = picked(app, &survey, view, filter, (Sort::Size, true))?;
    Ok(Among::Clusters { survey, places, order })
}

async fn next(
    State(app): State<App>,
    Authenticated(caller): Authenticated,
    QueryParams(asked): QueryParams<NextQuery>,
) -> ApiResult<Json<Queue>> {
    let (order, filter, limit) =
        (order(asked.order.as_deref())?, parse_filter(&asked.filter)?, limit(asked.limit, 20)?);
    let is_narrowed = asked.order.is_some() || !asked.filter.trim().is_empty();
    let chosen = [is_narrowed, asked.batch.is_some(), asked.tag.is_some(), asked.disputed];
    if chosen.into_iter().filter(|chosen| *chosen).count() > 1 {
        let message = "choose one of `batch`, `tag`, `disputed`, and `filter` with `order`: a batch has its own pairs \
                       and order";
        return Err(ApiError::bad_request(message));
    }
    let ours = app.clone();
    let find = move || -> ApiResult<Queue> {
        let view = &caller.view;
        let among = match (asked.batch, &asked.tag) {
            (Some(number), _) => {
                let missing =
                    || ApiError { message: format!("there is no batch {number}"), ..ApiError::not_found() };
                Among::Batch(ours.review.batch(number, view).ok_or_else(missing)?.pairs)
            }
            (None, Some(tag)) => Among::Tagged(ours.review.tagged(tag, view)),
            (None, None) if asked.disputed => Among::Disputed,
            (None, None) => of_clusters(&ours, view, &filter, order)?,
        };
        Asked { among, after: asked.after, limit }.answer(&ours, &caller)
    };
    Ok(Json(app.work.run(find).await??))
}

async fn progress(State(app): State<App>, Authenticated(caller): Authenticated) -> ApiResult<Json<Progress>> {
    let ours = app.clone();
    let count = move || -> ApiResult<Progress> {
        let view = &caller.view;
        let among = of_clusters(&ours, view, &Filter::default(), ReviewOrder::default())?;
        let pairs = among.pairs(&ours, view)?;
        let waits = ours.index.reader().waiting(&pairs, Waiting::ForAnyone, view);
        let judgements = ours.index.reader().judgements(view);
        Ok(Progress {
            total: pairs.len(),
            left: waits.into_iter().filter(|waits| *waits).count(),
            people: people(&judgements),
            agreement: agreement(&judgements),
            disputed: ours.index.reader().disputed(view)?.len(),
            tags: ours.review.tags(view),
        })
    };
    Ok(Json(app.work.run(count).await??))
}

async fn remark(
    State(app): State<App>,
    Authenticated(caller): Authenticated,
    body: JsonBody<NewRemark>,
) -> ApiResult<Json<Remarks>> {
    let (new, _held) = body.read(&app).await?;
    let (a, b) = (id_of(&new.a)?, id_of(&new.b)?);
    let ours = app.clone();
    let write = move || -> ApiResult<Remarks> {
        let known = |id: &Id, labels: Option<&[String]>| -> ApiResult<(Id, Vec<String>)> {
            let number = ours.index.reader().number_of((id, labels), &caller.view)?;
            let number = number.ok_or_else(ApiError::not_found)?;
            let found = ours.index.reader().previews(&[number], &caller.view)?.pop().flatten();
            found.map(|(id, preview)| (id, preview.labels)).ok_or_else(ApiError::not_found)
        };
        let ((a, a_labels), (b, b_labels)) =
            (known(&a, new.a_labels.as_deref())?, known(&b, new.b_labels.as_deref())?);
        if (&a, &a_labels) == (&b, &b_labels) {
            return Err(ApiError::unusable("`a` and `b` are the same document"));
        }
        let pair = PairName::new((&a, &a_labels), (&b, &b_labels));
        if let Some(tags) = &new.tags {
            ours.review.tag(pair.clone(), tags)?;
        }
        if let Some(note) = &new.note {
            ours.review.note(pair.clone(), &caller.name, note)?;
        }
        Ok(ours.review.remarks(&pair))
    };
    Ok(Json(app.work.write(write).await??))
}

async fn filters(State(app): State<App>, Authenticated(caller): Authenticated) -> Json<SavedFilters> {
    Json(SavedFilters { filters: app.review.filters(&caller.name) })
}

async fn save_filter(
    State(app): State<App>,
    Authenticated(caller): Authenticated,
    body: JsonBody<SavedFilter>,
) -> ApiResult<NoContent> {
    let (new, _held) = body.read(&app).await?;
    parse_filter(&new.filter)?;
    let ours = app.clone();
    app.work.write(move || ours.review.save_filter(&caller.name, new)).await??;
    Ok(NoContent)
}

async fn drop_filter(
    State(app): State<App>,
    Authenticated(caller): Authenticated,
    PathName(name): PathName<String>,
) -> ApiResult<NoContent> {
    let ours = app.clone();
    let message = format!("there is no filter `{name}`");
    let known = app.work.write(move || ours.review.drop_filter(&caller.name, &name)).await??;
    if known { Ok(NoContent) } else { Err(ApiError { message, ..ApiError::not_found() }) }
}
