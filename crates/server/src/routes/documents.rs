//! Documents: check, insert, read, remove, history.

use std::time::Duration;

use axum::Json;
use axum::extract::{Request, State};
use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};
use lookalike::core::document::Id;
use lookalike::index::{Action, Answer, Ask, History, Policy, Stored, Verdict};
use serde::Deserialize;

use super::Route;
use super::extract::{Named, Params, Which, first, limit, meanings};
use crate::access::{By, Caller, Role};
use crate::body::{self, content_type, demand};
use crate::document::{Incoming, line_of_file};
use crate::error::{ApiError, ApiResult};
use crate::openapi::Operation;
use crate::reader::Read;
use crate::state::App;

const MESSAGE: &str = "message/rfc822";

pub fn routes() -> Vec<Route> {
    let look = |about: Operation| {
        about
            .query("passages", "boolean", "Tell the shared passages and the titles of what matches, too")
            .query(
                "refresh",
                "boolean",
                "Count this as a hit of what matches and let its time to live begin anew",
            )
            .query("limit", "integer", "The most matches to tell; all are counted [100]")
    };
    let add = Operation::new("addDocument", "Check a document and insert it, in one atomic step")
        .query("policy", "policy", "What becomes of a document that resembles a known one")
        .query("ttl", "integer", "Seconds until the document is forgotten");
    let check = Operation::new("checkDocument", "Check a document without inserting it");
    vec![
        Route::post(
            "/api/documents",
            add_document,
            look(add).body("application/json", "Document").answer("Answer"),
        ),
        Route::post(
            "/api/check",
            check_document,
            look(check).body("application/json", "Document").body(MESSAGE, "Message").answer("Answer"),
        )
        .needs(Role::Read),
        Route::get(
            "/api/documents/{id}",
            get_document,
            Operation::new("getDocument", "A stored document").names_one().answer("Stored").may_miss(),
        ),
        Route::delete(
            "/api/documents/{id}",
            remove_document,
            Operation::new("removeDocument", "Remove a document").names_one().no_content().may_miss(),
        ),
        Route::get(
            "/api/documents/{id}/history",
            history,
            Operation::new("documentHistory", "Versions of a document, and when to fetch it again")
                .names_one()
                .answer("History")
                .may_miss(),
        ),
    ]
}

/// How to look, and what becomes of the document.
#[derive(Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct AddQuery {
    policy: Option<String>,
    #[serde(default)]
    passages: bool,
    #[serde(default)]
    refresh: bool,
    limit: Option<usize>,
    ttl: Option<u64>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct CheckQuery {
    #[serde(default)]
    passages: bool,
    #[serde(default)]
    refresh: bool,
    limit: Option<usize>,
}

impl AddQuery {
    pub fn policy(&self, app: &App) -> ApiResult<Policy> {
        match &self.policy {
            None => Ok(app.config.policy),
            Some(name) => Policy::from_name(name).map_err(|error| ApiError::bad_request(error.to_string())),
        }
    }

    pub fn ask(&self, caller: &Caller) -> ApiResult<Ask> {
        if self.ttl == Some(0) {
            return Err(ApiError::bad_request("`ttl` must be at least one second"));
        }
        Ok(Ask {
            view: caller.view.clone(),
            limit: limit(self.limit, 100)?,
            passages: self.passages,
            refresh: self.refresh,
            time_to_live: self.ttl.map(Duration::from_secs),
            ..Ask::default()
        })
    }
}

async fn add_document(
    State(app): State<App>,
    By(caller): By,
    Params(query): Params<AddQuery>,
    request: Request,
) -> ApiResult<Json<Answer>> {
    let (policy, ask) = (query.policy(&app)?, query.ask(&caller)?);
    let held = body::json(&app, request).await?;
    let document = Incoming::parse(&held.bytes)?;
    caller.may_label(&document.labels)?;
    if document.id.is_none() {
        return Err(ApiError::bad_document("`id` is missing"));
    }
    let line = match line_of(&app, &document, false).await? {
        Ok(line) => line,
        Err(reason) => return Ok(Json(unreadable(document.id, Action::Rejected, reason))),
    };
    // The room of the body counts until the work is done: its line is about as long.
    let (index, room) = (app.index.clone(), held);
    let add = move || {
        let _room = room;
        index.add(&line, policy, &ask)
    };
    Ok(Json(app.gate.write(add).await??))
}

async fn check_document(
    State(app): State<App>,
    By(caller): By,
    Params(query): Params<CheckQuery>,
    request: Request,
) -> ApiResult<Json<Answer>> {
    if query.refresh && caller.role < Role::Write {
        return Err(ApiError::forbidden("`refresh` needs a token with the role write"));
    }
    let CheckQuery { passages, refresh, limit } = query;
    let ask = AddQuery { passages, refresh, limit, ..AddQuery::default() }.ask(&caller)?;
    demand(request.headers(), &["application/json", MESSAGE])?;
    let is_message = content_type(request.headers()) == MESSAGE;
    let mut held = body::whole(&app, request).await?;
    let (id, read) = if is_message {
        let read = app.reader.read(std::mem::take(&mut held.bytes), "message.eml", false).await?;
        (
            None,
            match read {
                Read::Document(read) => Ok(line_of_file(&read)?),
                Read::Unreadable(reason) => Err(reason),
            },
        )
    } else {
        let document = Incoming::parse(&held.bytes)?;
        let read = line_of(&app, &document, false).await?;
        (document.id, read)
    };
    let line = match read {
        Ok(line) => line,
        Err(reason) => return Ok(Json(unreadable(id, Action::Checked, reason))),
    };
    let (index, room) = (app.index.clone(), held);
    let check = move || {
        let _room = room;
        index.check(&line, &ask)
    };
    Ok(Json(app.gate.run(check).await??))
}

/// The line for the index, or why the document's file cannot be read.
pub async fn line_of(
    app: &App,
    document: &Incoming<'_>,
    patient: bool,
) -> ApiResult<Result<Vec<u8>, String>> {
    match document.file()? {
        None => Ok(Ok(document.line(None)?)),
        Some(file) => match app.reader.read(file, "", patient).await? {
            Read::Document(read) => Ok(Ok(document.line(Some(&read))?)),
            Read::Unreadable(reason) => Ok(Err(reason)),
        },
    }
}

/// What is said of a file without a text: never a match.
pub fn unreadable(id: Option<Id>, action: Action, reason: String) -> Answer {
    Answer {
        verdict: Verdict::Unreadable,
        action,
        id,
        master: None,
        cluster: None,
        master_labels: Vec::new(),
        matches: Vec::new(),
        matching: 0,
        replaced: Vec::new(),
        replaced_labels: Vec::new(),
        set: None,
        version: None,
        reason: Some(reason),
        text: None,
    }
}

async fn get_document(
    State(app): State<App>,
    By(caller): By,
    Named(name): Named<String>,
    Params(which): Params<Which>,
) -> ApiResult<Json<Stored>> {
    let (index, labels) = (app.index.clone(), which.labels()?);
    let get = move || first(&name, |id| index.get((id, labels.as_deref()), &caller.view));
    Ok(Json(app.gate.run(get).await??))
}

async fn history(
    State(app): State<App>,
    By(caller): By,
    Named(name): Named<String>,
    Params(which): Params<Which>,
) -> ApiResult<Json<History>> {
    let (index, labels) = (app.index.clone(), which.labels()?);
    let history = move || first(&name, |id| index.history((id, labels.as_deref()), &caller.view));
    Ok(Json(app.gate.run(history).await??))
}

async fn remove_document(
    State(app): State<App>,
    By(caller): By,
    Named(name): Named<String>,
    Params(which): Params<Which>,
) -> ApiResult<Response> {
    let (index, labels) = (app.index.clone(), which.labels()?);
    let ids = meanings(&name)?;
    let removed = app.gate.write(move || -> lookalike::Result<bool> {
        for id in &ids {
            if index.remove((id, labels.as_deref()), &caller.view)? {
                return Ok(true);
            }
        }
        Ok(false)
    });
    if removed.await?? { Ok(StatusCode::NO_CONTENT.into_response()) } else { Err(ApiError::not_found()) }
}
