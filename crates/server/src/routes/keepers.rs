//! The documents that people prefer as masters, and who the caller is.

use axum::Json;
use axum::extract::State;
use axum::response::NoContent;
use lookalike::Id;
use lookalike::index::Preference;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::json;
use serde_json::value::RawValue;

use super::route::Route;
use crate::access::Role;
use crate::audit::id_value;
use crate::body::JsonBody;
use crate::document::id_of;
use crate::error::{ApiError, ApiResult};
use crate::guard::Authenticated;
use crate::openapi::Operation;
use crate::state::App;

pub fn routes() -> Vec<Route> {
    vec![
        Route::get(
            "/api/keepers",
            list,
            Operation::new("listKeepers", "Documents that people want to stand for their clusters"),
        ),
        Route::post(
            "/api/keepers",
            prefer,
            Operation::new(
                "keep",
                "Let a document stand for its cluster whatever the keep rules say, or no longer",
            )
            .may_be_ambiguous()
            .may_be_missing(),
        ),
        Route::get("/api/me", me, Operation::new("me", "Who the caller is and what it may do")),
    ]
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct NewKeeper {
    #[schemars(with = "Id")]
    id: Box<RawValue>,
    /// All access labels of the document that is meant, where several have the id
    labels: Option<Vec<String>>,
    /// False takes it back.
    keep: bool,
}

#[derive(Serialize, JsonSchema)]
struct Keepers {
    keepers: Vec<Preference>,
}

#[derive(Serialize, JsonSchema)]
struct Me {
    name: String,
    role: Role,
    /// Null for one that sees everything.
    labels: Option<Vec<String>>,
}

async fn prefer(
    State(app): State<App>,
    Authenticated(caller): Authenticated,
    body: JsonBody<NewKeeper>,
) -> ApiResult<NoContent> {
    let (new, _held) = body.read(&app).await?;
    let (id, labels, keep) = (id_of(&new.id)?, new.labels, new.keep);
    let ours = app.clone();
    let prefer = move || -> lookalike::Result<bool> {
        let writer = ours.index.writer();
        let known = writer.prefer((&id, labels.as_deref()), keep, &caller.name, &caller.view)?;
        if known {
            ours.record(&caller, "prefer", json!({ "id": id_value(&id), "labels": labels, "keep": keep }));
        }
        Ok(known)
    };
    let known = app.work.write(prefer).await??;
    if known { Ok(NoContent) } else { Err(ApiError::not_found()) }
}

async fn list(State(app): State<App>, Authenticated(caller): Authenticated) -> ApiResult<Json<Keepers>> {
    let index = app.index.clone();
    let keepers = app.work.run(move || index.reader().preferences(&caller.view)).await??;
    Ok(Json(Keepers { keepers }))
}

async fn me(Authenticated(caller): Authenticated) -> Json<Me> {
    let labels = caller.view.seen_labels().map(<[String]>::to_vec);
    Json(Me { name: caller.name.clone(), role: caller.role, labels })
}
