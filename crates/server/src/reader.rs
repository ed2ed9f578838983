//! Reads files that come with requests, in child processes that can be killed.
//!
//! The bytes are passed in a temporary file: nothing of a request ever becomes a path. Each child belongs to a
//! thread that lives as long as the service, because the system ends a child with the thread that started it. Files
//! have a queue of their own, so that a slow one only delays other files.

use std::io::Write;
use std::sync::{Arc, Mutex, PoisonError};

use axum::http::StatusCode;
use lookalike::files::Extraction;
use lookalike::files::{ExtractOutcome, Extracted, Reason};
use lookalike::{Error, Result};
use lookalike_extract::worker::{Program, Worker};
use serde_json::{Map, Value, json};
use tokio::sync::{mpsc, oneshot};

use crate::error::{ApiError, ApiResult};

/// How many files may wait for each reader.
const QUEUE: usize = 16;

pub struct FileReader {
    jobs: mpsc::Sender<ReadRequest>,
}

struct ReadRequest {
    bytes: Vec<u8>,
    /// Only a hint for recognising the format.
    name: &'static str,
    answer: oneshot::Sender<ApiResult<ReadOutcome>>,
}

/// The text of a file, and further fields by name.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct FileText {
    pub text: String,
    pub fields: Vec<(String, Value)>,
}

/// The result of reading a file.
pub enum ReadOutcome {
    Document(FileText),
    /// There is nothing to compare, for this reason.
    Unreadable(String),
}

impl FileReader {
    /// Starts the threads; children are started with the first file.
    pub fn start(program: &Program, extraction: Extraction, threads: usize) -> Result<FileReader> {
        let (jobs, queue) = mpsc::channel(QUEUE * threads);
        let queue = Arc::new(Mutex::new(queue));
        for _ in 0..threads {
            let (program, extraction, queue) = (program.clone(), extraction.clone(), Arc::clone(&queue));
            let thread = std::thread::Builder::new().name("reader".to_owned());
            let started = thread.spawn(move || work(&program, &extraction, &queue));
            started.map_err(|error| Error::Internal(format!("cannot start a thread: {error}")))?;
        }
        Ok(FileReader { jobs })
    }

    /// Reads a file. If too many are waiting the answer is 503, unless the sender is `patient`.
    pub async fn read(&self, bytes: Vec<u8>, name: &'static str, patient: bool) -> ApiResult<ReadOutcome> {
        let (answer, answered) = oneshot::channel();
        let job = ReadRequest { bytes, name, answer };
        if patient {
            self.jobs.send(job).await.map_err(|_| ApiError::internal())?;
        } else {
            self.jobs.try_send(job).map_err(|error| match error {
                mpsc::error::TrySendError::Full(_) => ApiError::busy(),
                mpsc::error::TrySendError::Closed(_) => ApiError::internal(),
            })?;
        }
        answered.await.map_err(|_| ApiError::internal())?
    }
}

/// Reads files until the service ends.
fn work(program: &Program, extraction: &Extraction, queue: &Mutex<mpsc::Receiver<ReadRequest>>) {
    let mut worker = Worker::new(program);
    loop {
        let job = queue.lock().unwrap_or_else(PoisonError::into_inner).blocking_recv();
        let Some(job) = job else { return };
        // Callers that have disconnected need no answer.
        if !job.answer.is_closed() {
            let _ = job.answer.send(read(&mut worker, extraction, &job.bytes, job.name));
        }
    }
}

fn read(
    worker: &mut Worker<'_>,
    extraction: &Extraction,
    bytes: &[u8],
    name: &str,
) -> ApiResult<ReadOutcome> {
    let failed = |error: std::io::Error| {
        tracing::error!(%error, "a file could not be handed to its reader");
        ApiError::new(StatusCode::SERVICE_UNAVAILABLE, "reader", "files cannot be read at the moment")
            .retry(30)
    };
    let mut file = tempfile::NamedTempFile::new().map_err(failed)?;
    file.write_all(bytes).and_then(|()| file.flush()).map_err(failed)?;
    let mut found = Found::default();
    worker
        .read(file.path(), name, &extraction.options, &mut |outcome| found.take(outcome))
        .map_err(failed)?;
    found.choose(extraction.marked)
}

/// The documents of a file that matter here: at most two are kept.
#[derive(Default)]
struct Found {
    /// The document that is the file itself.
    own: Option<Box<Extracted>>,
    first_part: Option<Box<Extracted>>,
    parts: usize,
    reason: Option<Reason>,
}

impl Found {
    fn take(&mut self, outcome: ExtractOutcome) {
        match outcome {
            ExtractOutcome::Document(document) if document.part.is_none() => self.own = Some(document),
            ExtractOutcome::Document(document) => {
                self.parts += 1;
                self.first_part.get_or_insert(document);
            }
            ExtractOutcome::Unreadable { reason, .. } => {
                self.reason.get_or_insert(reason);
            }
        }
    }

    /// A message counts as one document, whatever is attached; an archive with one file counts as that file.
    fn choose(self, marked: bool) -> ApiResult<ReadOutcome> {
        let document = match (self.own, self.first_part) {
            (Some(own), _) => own,
            (None, Some(part)) if self.parts == 1 => part,
            (None, Some(_)) => {
                let message = format!("the file holds {} documents: send each by itself", self.parts);
                return Err(ApiError::unusable(message));
            }
            (None, None) => {
                return Ok(ReadOutcome::Unreadable(self.reason.unwrap_or(Reason::Empty).to_string()));
            }
        };
        if let Some(reason) = document.weakness() {
            return Ok(ReadOutcome::Unreadable(format!("too little could be read: {reason}")));
        }
        let mut fields: Vec<(String, Value)> =
            document.metadata().map(|(name, value)| (name.to_owned(), value.into())).collect();
        let metadata: Map<String, Value> = fields.iter().cloned().collect();
        fields.push(("type".to_owned(), document.kind.name().into()));
        let streams = [
            ("images", json!(document.images)),
            ("links", json!(document.links)),
            ("metadata", metadata.into()),
            ("structure", json!(document.structure)),
        ];
        let is_empty = |value: &Value| match value {
            Value::Array(items) => items.is_empty(),
            Value::Object(fields) => fields.is_empty(),
            _ => false,
        };
        let streams = streams.into_iter().filter(|(_, value)| !is_empty(value));
        fields.extend(streams.map(|(name, value)| (name.to_owned(), value)));
        let text = if marked { document.marked_up() } else { document.text };
        let single = document.fields.into_iter().map(|(name, value)| (name, Value::from(value)));
        let lists = document.lists.into_iter().map(|(name, values)| (name, Value::from(values)));
        for (name, value) in single.chain(lists) {
            // The file's own metadata never replaces what we know of it.
            if fields.iter().all(|(other, _)| *other != name) {
                fields.push((name, value));
            }
        }
        Ok(ReadOutcome::Document(FileText { text, fields }))
    }
}
