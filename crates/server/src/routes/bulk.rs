//! Bulk insertion: a stream of documents in, a stream of verdicts out, one line each and in the same order.
//!
//! Lines are collected to batches, which the index writes with one sync. A batch ends when it is large or when no
//! further line has arrived yet, so a sender that waits for verdicts gets them. Verdicts that are not read yet wait
//! in a [`spool`](crate::spool), so a sender may also send everything first. While the index works nothing more is
//! read: memory is limited to two batches. A line that cannot be used gets an error of its own, and the stream
//! continues.

use std::sync::Arc;
use std::time::Duration;

use axum::body::{Body, Bytes};
use axum::extract::{Request, State};
use axum::http::header;
use axum::response::{IntoResponse, Response};
use lookalike::Error;
use lookalike::index::{Answer, DocumentAction, Policy, QueryOptions};
use schemars::JsonSchema;
use serde::Serialize;

use super::documents::{AddQuery, line_of, record_replaced, unreadable};
use super::extract::QueryParams;
use super::route::Route;
use crate::access::Caller;
use crate::body::{self, LINES, require_type};
use crate::document::{DocumentFields, IncomingDocument};
use crate::error::{ApiError, ApiResult, ErrorBody};
use crate::guard::Authenticated;
use crate::lines::{Line, Lines};
use crate::openapi::Operation;
use crate::spool::{SpoolWriter, spool};
use crate::state::App;

/// Documents and bytes after which a batch is written.
const BATCH: usize = 512;
const BATCH_BYTES: usize = 2_000_000;
/// How long a batch waits for a further line.
const PAUSE: Duration = Duration::from_millis(10);

pub fn routes() -> Vec<Route> {
    let about = Operation::new("addDocuments", "Insert a stream of documents, one JSON object a line");
    let about = LINES.iter().fold(about, |about, kind| about.body::<DocumentFields<'_>>(kind));
    vec![Route::post("/api/documents/bulk", bulk, about.answer_lines::<BulkAnswer<'_>>())]
}

async fn bulk(
    State(app): State<App>,
    Authenticated(caller): Authenticated,
    QueryParams(query): QueryParams<AddQuery>,
    request: Request,
) -> ApiResult<Response> {
    require_type(request.headers(), LINES)?;
    let (policy, options) = (query.policy(&app)?, query.options(&caller)?);
    let place = Arc::clone(&app.bulk_streams).try_acquire_owned().map_err(|_| ApiError::busy())?;
    // Shared by the writing task and the body that is still being read.
    let place = Arc::new(place);
    let (answers, body) = spool(&app.config.data, Arc::clone(&place));
    let lines = Lines::new(app.config.max_body);
    let mut request = request;
    let first = first_bytes(&mut request, app.config.request_time).await?;
    let stream = Stream { app, caller, policy, options, answers, lines, batch: Vec::new(), bytes: 0 };
    tokio::spawn(async move {
        stream.run(first, request.into_body()).await;
        drop(place);
    });
    let kind = [(header::CONTENT_TYPE, "application/x-ndjson")];
    Ok((kind, body).into_response())
}

/// The first bytes of a sender that waits to be told to go on. It is told when its body is first looked at; an answer that came
/// before that would mean that nobody wants the body, and proxies that pass on what their clients expect would not send it.
async fn first_bytes(request: &mut Request, time: Duration) -> ApiResult<Option<Bytes>> {
    if !request.headers().contains_key(header::EXPECT) {
        return Ok(None);
    }
    let first = tokio::time::timeout(time, body::next(request.body_mut())).await;
    first.map_err(|_| ApiError::slow_body())?
}

struct Stream {
    app: App,
    caller: Arc<Caller>,
    policy: Policy,
    options: QueryOptions,
    answers: SpoolWriter,
    lines: Lines,
    batch: Vec<Item>,
    bytes: usize,
}

/// A line of the request: the document for the index, or an answer that is already known.
struct Item {
    number: u64,
    document: Result<Vec<u8>, Settled>,
}

enum Settled {
    Answer(Box<Answer>),
    Error(ApiError),
}

/// A line for each document, in their order
#[derive(Serialize, JsonSchema)]
#[serde(untagged)]
enum BulkAnswer<'a> {
    Answered {
        line: u64,
        #[serde(flatten)]
        answer: &'a Answer,
    },
    Failed(BulkError),
}

#[derive(Serialize, JsonSchema)]
struct BulkError {
    /// Null for what ends the whole stream.
    line: Option<u64>,
    error: ErrorBody,
}

impl Stream {
    async fn run(mut self, mut first: Option<Bytes>, mut request: Body) {
        let mut stopping = self.app.stopping.subscribe();
        let ended = loop {
            let wait = if self.batch.is_empty() { self.app.config.request_time } else { PAUSE };
            let data = tokio::select! {
                data = async {
                    match first.take() {
                        Some(first) => Ok(Ok(Some(first))),
                        None => tokio::time::timeout(wait, body::next(&mut request)).await,
                    }
                } => data,
                _ = stopping.wait_for(|stopping| *stopping) => break Some(ApiError::shutting_down()),
            };
            match data {
                Ok(Ok(Some(data))) => match self.take(&data).await {
                    Ok(true) => {}
                    Ok(false) => return,
                    Err(error) => break Some(error),
                },
                Ok(Ok(None)) => {
                    if let Some(line) = self.lines.finish() {
                        self.push(line).await;
                    }
                    break None;
                }
                Ok(Err(error)) => break Some(error),
                Err(_) if self.batch.is_empty() => break Some(ApiError::slow_body()),
                Err(_) => match self.flush().await {
                    Ok(true) => {}
                    Ok(false) => return,
                    Err(error) => break Some(error),
                },
            }
        };
        let ended = match self.flush().await {
            Ok(true) => ended,
            Ok(false) => return,
            Err(error) => Some(error),
        };
        let last = ended.map(|error| failed(None, &error));
        self.answers.end(last.map(Bytes::from));
    }

    /// Takes the lines completed by these bytes; returns whether the caller is still connected.
    async fn take(&mut self, data: &[u8]) -> ApiResult<bool> {
        let mut rest = data;
        while let Some(line) = self.lines.next(&mut rest) {
            self.push(line).await;
            if (self.batch.len() >= BATCH || self.bytes >= BATCH_BYTES) && !self.flush().await? {
                return Ok(false);
            }
        }
        Ok(true)
    }

    async fn push(&mut self, line: Line) {
        let document = match &line.bytes {
            Ok(bytes) => self.document(bytes).await,
            Err(too_long) => Err(Settled::Error(too_long.clone())),
        };
        self.bytes += document.as_ref().map_or(0, Vec::len);
        self.batch.push(Item { number: line.number, document });
    }

    async fn document(&self, bytes: &[u8]) -> Result<Vec<u8>, Settled> {
        let refuse = Settled::Error;
        let document = IncomingDocument::parse(bytes).map_err(refuse)?;
        if document.id.is_none() {
            return Err(refuse(ApiError::bad_document("`id` is missing")));
        }
        self.caller.may_label(&document.labels).map_err(refuse)?;
        let reason = match line_of(&self.app, &document, true).await.map_err(refuse)? {
            Ok(line) => return Ok(line),
            Err(reason) => reason,
        };
        Err(Settled::Answer(Box::new(unreadable(document.id, DocumentAction::Rejected, reason))))
    }

    /// Writes the batch and sends its verdicts; returns whether the caller is still connected.
    async fn flush(&mut self) -> ApiResult<bool> {
        let batch = std::mem::take(&mut self.batch);
        self.bytes = 0;
        if batch.is_empty() {
            return Ok(true);
        }
        let (app, policy, options) = (self.app.clone(), self.policy, self.options.clone());
        let caller = Arc::clone(&self.caller);
        let numbers: Vec<u64> = batch.iter().map(|item| item.number).collect();
        let written =
            self.app.work.write_patiently(move || write(&app, &caller, batch, policy, &options)).await;
        let lines = written.unwrap_or_else(|error| {
            // The index failed on the batch as a whole: nothing of it is acknowledged.
            numbers.iter().map(|&line| failed(Some(line), &error)).collect()
        });
        let given = self.answers.write(Bytes::from(lines.concat())).await;
        given.map_err(|source| {
            let error = ApiError::from(Error::Io { path: self.app.config.data.clone(), source });
            self.app.health.note(error.code);
            error
        })
    }
}

fn write(
    app: &App,
    caller: &Caller,
    batch: Vec<Item>,
    policy: Policy,
    options: &QueryOptions,
) -> Vec<Vec<u8>> {
    let told = |error: Error| {
        let error = ApiError::from(error);
        app.health.note(error.code);
        error
    };
    let documents: Vec<&[u8]> =
        batch.iter().filter_map(|item| item.document.as_ref().ok().map(Vec::as_slice)).collect();
    let mut answers = match app.index.writer().add_many(&documents, policy, options) {
        Ok(answers) => Ok(answers.into_iter()),
        Err(error) => Err(told(error)),
    };
    let lines = batch.iter().map(|item| {
        let line = item.number;
        match (&item.document, &mut answers) {
            (Err(known), _) => match known {
                Settled::Answer(answer) => line_of_json(&BulkAnswer::Answered { line, answer }),
                Settled::Error(error) => failed(Some(line), error),
            },
            (Ok(_), Err(error)) => failed(Some(line), error),
            (Ok(_), Ok(answers)) => match answers.next() {
                Some(Ok(answer)) => {
                    app.metrics.count_verdict("/api/documents/bulk", answer.verdict);
                    record_replaced(app, caller, &answer);
                    line_of_json(&BulkAnswer::Answered { line, answer: &answer })
                }
                Some(Err(error)) => failed(Some(line), &told(error)),
                None => failed(Some(line), &ApiError::internal()),
            },
        }
    });
    lines.collect()
}

fn failed(line: Option<u64>, error: &ApiError) -> Vec<u8> {
    line_of_json(&BulkAnswer::Failed(BulkError { line, error: error.body() }))
}

fn line_of_json(value: &BulkAnswer<'_>) -> Vec<u8> {
    // Answers consist of strings and numbers, which can always be serialised.
    let mut line = serde_json::to_vec(value).unwrap_or_default();
    line.push(b'\n');
    line
}
