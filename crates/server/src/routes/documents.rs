//! Documents: check, insert, read, remove, history.

use std::time::Duration;

use axum::Json;
use axum::extract::{Request, State};
use axum::response::NoContent;
use lookalike::Id;
use lookalike::index::{
    Answer, DocumentAction, DocumentVerdict, History, Policy, QueryOptions, StoredDocument,
};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};

use super::extract::{LabelsQuery, PathName, QueryParams, first, limit, possible_ids};
use super::route::Route;
use crate::access::{Caller, Role};
use crate::audit::id_value;
use crate::body::{self, JsonBody, content_type, require_type};
use crate::document::{DocumentFields, IncomingDocument, line_of_file};
use crate::error::{ApiError, ApiResult};
use crate::guard::Authenticated;
use crate::openapi::Operation;
use crate::reader::ReadOutcome;
use crate::state::App;

const MESSAGE: &str = "message/rfc822";

pub fn routes() -> Vec<Route> {
    vec![
        Route::post(
            "/api/documents",
            add_document,
            Operation::new("addDocument", "Check a document and insert it, in one atomic step"),
        ),
        Route::post(
            "/api/check",
            check_document,
            Operation::new("checkDocument", "Check a document without inserting it")
                .body::<DocumentFields<'_>>("application/json")
                .body_text(MESSAGE, "A mail message as RFC 822 has it"),
        )
        .needs(Role::Read),
        Route::get(
            "/api/documents/{id}",
            get_document,
            Operation::new("getDocument", "A stored document").may_be_ambiguous().may_be_missing(),
        ),
        Route::delete(
            "/api/documents/{id}",
            remove_document,
            Operation::new("removeDocument", "Remove a document").may_be_ambiguous().may_be_missing(),
        ),
        Route::get(
            "/api/documents/{id}/history",
            history,
            Operation::new("documentHistory", "Versions of a document, and when to fetch it again")
                .may_be_ambiguous()
                .may_be_missing(),
        ),
    ]
}

/// The options of an insertion.
#[derive(Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct AddQuery {
    /// What happens to a document that resembles a known one
    #[schemars(with = "Option<Policy>")]
    policy: Option<String>,
    /// Also list the shared passages and the titles of matches
    #[serde(default)]
    passages: bool,
    /// Count this query as a hit of each match and restart its time to live
    #[serde(default)]
    refresh: bool,
    /// How many matches to list at most; all are counted [100]
    #[schemars(range(min = 1, max = 1000))]
    limit: Option<usize>,
    /// Seconds until the document is forgotten
    #[schemars(range(min = 1))]
    ttl: Option<u64>,
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct CheckQuery {
    /// Also list the shared passages and the titles of matches
    #[serde(default)]
    passages: bool,
    /// Count this query as a hit of each match and restart its time to live
    #[serde(default)]
    refresh: bool,
    /// How many matches to list at most; all are counted [100]
    #[schemars(range(min = 1, max = 1000))]
    limit: Option<usize>,
}

impl AddQuery {
    pub fn policy(&self, app: &App) -> ApiResult<Policy> {
        match &self.policy {
            None => Ok(app.config.policy),
            Some(name) => Policy::from_name(name).map_err(|error| ApiError::bad_request(error.to_string())),
        }
    }

    pub fn options(&self, caller: &Caller) -> ApiResult<QueryOptions> {
        if self.ttl == Some(0) {
            return Err(ApiError::bad_request("`ttl` must be at least one second"));
        }
        Ok(QueryOptions {
            view: caller.view.clone(),
            limit: limit(self.limit, 100)?,
            passages: self.passages,
            refresh: self.refresh,
            time_to_live: self.ttl.map(Duration::from_secs),
            ..QueryOptions::default()
        })
    }
}

async fn add_document(
    State(app): State<App>,
    Authenticated(caller): Authenticated,
    QueryParams(query): QueryParams<AddQuery>,
    body: JsonBody<DocumentFields<'static>>,
) -> ApiResult<Json<Answer>> {
    let (policy, options) = (query.policy(&app)?, query.options(&caller)?);
    let held = body.bytes(&app).await?;
    let document = IncomingDocument::parse(&held.bytes)?;
    caller.may_label(&document.labels)?;
    if document.id.is_none() {
        return Err(ApiError::bad_document("`id` is missing"));
    }
    let line = match line_of(&app, &document, false).await? {
        Ok(line) => line,
        Err(reason) => return Ok(Json(unreadable(document.id, DocumentAction::Rejected, reason))),
    };
    // The memory of the body counts until the work is done: the line takes about as much.
    let (ours, room) = (app.clone(), held);
    let add = move || -> lookalike::Result<Answer> {
        let _room = room;
        let answer = ours.index.writer().add(&line, policy, &options)?;
        record_replaced(&ours, &caller, &answer);
        Ok(answer)
    };
    let answer = app.work.write(add).await??;
    app.metrics.count_verdict("/api/documents", answer.verdict);
    Ok(Json(answer))
}

async fn check_document(
    State(app): State<App>,
    Authenticated(caller): Authenticated,
    QueryParams(query): QueryParams<CheckQuery>,
    request: Request,
) -> ApiResult<Json<Answer>> {
    if query.refresh && caller.role < Role::Write {
        return Err(ApiError::forbidden("`refresh` needs a token with the role write"));
    }
    let CheckQuery { passages, refresh, limit } = query;
    let options = AddQuery { passages, refresh, limit, ..AddQuery::default() }.options(&caller)?;
    require_type(request.headers(), &["application/json", MESSAGE])?;
    let is_message = content_type(request.headers()) == MESSAGE;
    let mut held = body::whole(&app, request).await?;
    let (id, read) = if is_message {
        let read = app.reader.read(std::mem::take(&mut held.bytes), "message.eml", false).await?;
        (
            None,
            match read {
                ReadOutcome::Document(read) => Ok(line_of_file(&read)?),
                ReadOutcome::Unreadable(reason) => Err(reason),
            },
        )
    } else {
        let document = IncomingDocument::parse(&held.bytes)?;
        let read = line_of(&app, &document, false).await?;
        (document.id, read)
    };
    let line = match read {
        Ok(line) => line,
        Err(reason) => return Ok(Json(unreadable(id, DocumentAction::Checked, reason))),
    };
    let (index, room) = (app.index.clone(), held);
    let check = move || {
        let _room = room;
        index.reader().check(&line, &options)
    };
    let answer = app.work.run(check).await??;
    app.metrics.count_verdict("/api/check", answer.verdict);
    Ok(Json(answer))
}

/// Records the documents that went because another came.
pub fn record_replaced(app: &App, caller: &Caller, answer: &Answer) {
    if !answer.replaced.is_empty() {
        let ids: Vec<Value> = answer.replaced.iter().map(id_value).collect();
        let by = answer.id.as_ref().map(id_value);
        let what = json!({ "ids": ids, "labels": answer.replaced_labels, "by": by });
        app.record(caller, "replace-documents", what);
    }
}

/// The line for the index, or why the file in the document cannot be read.
pub async fn line_of(
    app: &App,
    document: &IncomingDocument<'_>,
    patient: bool,
) -> ApiResult<Result<Vec<u8>, String>> {
    match document.file()? {
        None => Ok(Ok(document.line(None)?)),
        Some(file) => match app.reader.read(file, "", patient).await? {
            ReadOutcome::Document(read) => Ok(Ok(document.line(Some(&read))?)),
            ReadOutcome::Unreadable(reason) => Ok(Err(reason)),
        },
    }
}

/// The answer for a file without text: never a match.
pub fn unreadable(id: Option<Id>, action: DocumentAction, reason: String) -> Answer {
    Answer {
        verdict: DocumentVerdict::Unreadable,
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
    Authenticated(caller): Authenticated,
    PathName(name): PathName<String>,
    QueryParams(which): QueryParams<LabelsQuery>,
) -> ApiResult<Json<StoredDocument>> {
    let (index, labels) = (app.index.clone(), which.labels()?);
    let get = move || first(&name, |id| index.reader().get((id, labels.as_deref()), &caller.view));
    Ok(Json(app.work.run(get).await??))
}

async fn history(
    State(app): State<App>,
    Authenticated(caller): Authenticated,
    PathName(name): PathName<String>,
    QueryParams(which): QueryParams<LabelsQuery>,
) -> ApiResult<Json<History>> {
    let (index, labels) = (app.index.clone(), which.labels()?);
    let history = move || first(&name, |id| index.reader().history((id, labels.as_deref()), &caller.view));
    Ok(Json(app.work.run(history).await??))
}

async fn remove_document(
    State(app): State<App>,
    Authenticated(caller): Authenticated,
    PathName(name): PathName<String>,
    QueryParams(which): QueryParams<LabelsQuery>,
) -> ApiResult<NoContent> {
    let (ours, labels) = (app.clone(), which.labels()?);
    let ids = possible_ids(&name)?;
    let removed = app.work.write(move || -> lookalike::Result<bool> {
        for id in &ids {
            if ours.index.writer().remove((id, labels.as_deref()), &caller.view)? {
                ours.record(&caller, "remove-document", json!({ "id": id_value(id), "labels": labels }));
                return Ok(true);
            }
        }
        Ok(false)
    });
    if removed.await?? { Ok(NoContent) } else { Err(ApiError::not_found()) }
}
