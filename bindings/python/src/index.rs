//! The persistent index.

use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use lookalike::index::survey::{Attributes, MirrorQuery};
use lookalike::index::{
    Answer, Index as Inner, Policy, QueryOptions, Refresh, Repository, Retention, SnapshotInfo, View,
};
use lookalike::{Error, Id};
use pyo3::prelude::*;
use pyo3::types::PyBytes;
use serde::Serialize;

use crate::errors::{config, exception, input};
use crate::objects::object;
use crate::recipe::Recipe;
use crate::session::Session;
use crate::table::Table;

/// Documents that are remembered, in a folder that one process has open.
#[pyclass(frozen, module = "lookalike._lookalike")]
pub struct Index {
    open: Mutex<Option<Arc<Inner>>>,
    session: Session,
    /// The process that opened it: in a child that was forked, memory and files would go different ways.
    process: u32,
}

#[pymethods]
impl Index {
    #[staticmethod]
    #[pyo3(signature = (folder, recipe, refresh_after=None, refresh_unknown=None))]
    fn create(
        py: Python<'_>,
        folder: PathBuf,
        recipe: PyRef<'_, Recipe>,
        refresh_after: Option<&str>,
        refresh_unknown: Option<&str>,
    ) -> PyResult<Index> {
        let refresh = Refresh::default().changed(refresh_after, refresh_unknown).map_err(exception)?;
        let (session, recipe) = (recipe.session.clone(), &recipe.inner);
        let made = py.detach(|| session.inner.create_refreshed_index(&folder, recipe, refresh));
        Ok(Index::of(made.map_err(exception)?, session))
    }

    #[staticmethod]
    #[pyo3(signature = (folder, session=None))]
    fn open(py: Python<'_>, folder: PathBuf, session: Option<PyRef<'_, Session>>) -> PyResult<Index> {
        let session = Session::of(py, session);
        let opened = py.detach(|| session.inner.open_index(&folder)).map_err(exception)?;
        Ok(Index::of(opened, session))
    }

    fn close(&self, py: Python<'_>) -> PyResult<()> {
        let taken = self.open.lock().unwrap_or_else(PoisonError::into_inner).take();
        let Some(index) = taken else { return Ok(()) };
        if self.process != std::process::id() {
            // The other process has it open, and closes it.
            std::mem::forget(index);
            return Ok(());
        }
        self.session.detached(py, || match Arc::try_unwrap(index) {
            Ok(index) => index.close(),
            // Somebody is asking just now; it is closed when they are done.
            Err(_) => Ok(()),
        })
    }

    #[getter]
    fn closed(&self) -> bool {
        self.open.lock().unwrap_or_else(PoisonError::into_inner).is_none()
    }

    #[getter]
    fn folder(&self) -> PyResult<PathBuf> {
        Ok(self.inner()?.folder().to_owned())
    }

    #[getter]
    fn scheme(&self) -> PyResult<String> {
        Ok(self.inner()?.scheme())
    }

    #[getter]
    fn recipe(&self) -> PyResult<Recipe> {
        let inner = self.session.inner.recipe_of(&*self.inner()?).map_err(exception)?;
        Ok(Recipe { inner, session: self.session.clone() })
    }

    /// What is known about a text.
    #[pyo3(signature = (text, limit, passages, labels))]
    fn check_text<'py>(
        &self,
        py: Python<'py>,
        text: &str,
        limit: usize,
        passages: bool,
        labels: Option<Vec<String>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        self.answer(py, |index| index.reader().check_text(text, &options(limit, passages, labels)))
    }

    /// What is known about a document that is given as JSON.
    #[pyo3(signature = (document, limit, passages, labels))]
    fn check<'py>(
        &self,
        py: Python<'py>,
        document: &[u8],
        limit: usize,
        passages: bool,
        labels: Option<Vec<String>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        self.answer(py, |index| index.reader().check(document, &options(limit, passages, labels)))
    }

    /// Adds documents that are given as lines of JSON, and returns an answer for each.
    fn add<'py>(
        &self,
        py: Python<'py>,
        lines: &[u8],
        policy: &str,
        ttl: Option<u64>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let policy = Policy::from_name(policy).map_err(exception)?;
        let time_to_live = ttl.map(Duration::from_secs);
        self.answer(py, |index| {
            let documents: Vec<&[u8]> =
                lines.split(|&byte| byte == b'\n').filter(|line| !line.is_empty()).collect();
            let options = QueryOptions { time_to_live, ..QueryOptions::default() };
            if self.session.has_own_parts() {
                // What a function raises must be known before anything is written.
                for document in &documents {
                    let _ = index.reader().check(document, &options);
                }
                if self.session.failure.is_there() {
                    return Ok(Vec::new());
                }
            }
            let answers = index.writer().add_many(&documents, policy, &options)?;
            Ok(answers.into_iter().map(Added::from).collect::<Vec<Added>>())
        })
    }

    /// Counts the lexicon again if that is due.
    fn refresh(&self, py: Python<'_>) -> PyResult<bool> {
        let index = self.inner()?;
        let threads = std::thread::available_parallelism().map_or(1, std::num::NonZero::get);
        py.detach(|| index.writer().refresh(threads)).map(|reason| reason.is_some()).map_err(exception)
    }

    /// Removes documents by their ids, which are given as JSON.
    fn remove(&self, py: Python<'_>, ids: Vec<String>, labels: Option<Vec<String>>) -> PyResult<u64> {
        let index = self.inner()?;
        let ids: Vec<Id> = ids.into_iter().map(Id::from_json).collect();
        self.session.detached(py, || {
            index.writer().remove_many(ids.iter().map(|id| (id, labels.as_deref())), &View::All)
        })
    }

    /// A document with what is known of it.
    fn get<'py>(
        &self,
        py: Python<'py>,
        id: String,
        labels: Option<Vec<String>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let id = Id::from_json(id);
        self.answer(py, |index| index.reader().get((&id, labels.as_deref()), &View::All))
    }

    /// The cluster of a document.
    fn cluster<'py>(
        &self,
        py: Python<'py>,
        id: String,
        labels: Option<Vec<String>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let id = Id::from_json(id);
        self.answer(py, |index| index.reader().cluster((&id, labels.as_deref()), &View::All))
    }

    /// The versions of a document.
    fn history<'py>(
        &self,
        py: Python<'py>,
        id: String,
        labels: Option<Vec<String>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let id = Id::from_json(id);
        self.answer(py, |index| index.reader().history((&id, labels.as_deref()), &View::All))
    }

    /// Clusters of two or more documents after that of a document.
    fn clusters<'py>(
        &self,
        py: Python<'py>,
        after: Option<String>,
        limit: usize,
    ) -> PyResult<Bound<'py, PyAny>> {
        let after = after.map(Id::from_json);
        self.answer(py, |index| index.reader().clusters(&View::All, after.as_ref().map(Into::into), limit))
    }

    /// Figures about the index.
    fn stats<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        self.answer(py, |index| index.reader().stats(&View::All))
    }

    /// What is due to be crawled again.
    fn due<'py>(&self, py: Python<'py>, at: Option<u64>, limit: usize) -> PyResult<Bound<'py, PyAny>> {
        let now = at.unwrap_or(QueryOptions::default().now);
        self.answer(py, |index| index.reader().due(&View::All, now, limit))
    }

    /// Hosts that mirror each other.
    fn mirrors<'py>(
        &self,
        py: Python<'py>,
        clusters: Option<u64>,
        share: Option<f64>,
        limit: usize,
    ) -> PyResult<Bound<'py, PyAny>> {
        self.answer(py, |index| {
            let query = MirrorQuery::new(clusters, share, limit)?;
            let mut attributes = Attributes::default();
            index.surveyor().read_attributes(&mut attributes, &|| false)?;
            let survey = index.surveyor().survey(&View::All, &attributes)?;
            Ok(index.surveyor().mirrors(&survey, &attributes, &query))
        })
    }

    /// Records that two documents are duplicates, are not, or that the recipe decides.
    fn decide(
        &self,
        py: Python<'_>,
        a: String,
        b: String,
        duplicate: Option<bool>,
        by: &str,
    ) -> PyResult<bool> {
        let (index, a, b) = (self.inner()?, Id::from_json(a), Id::from_json(b));
        self.session.detached(py, || index.writer().decide(&a, &b, duplicate, by, &View::All))
    }

    /// All decisions, as lines of JSON.
    fn decisions(&self, py: Python<'_>) -> PyResult<String> {
        let index = self.inner()?;
        self.session.detached(py, || Ok(index.reader().all_decisions()?.to_string()))
    }

    /// Frees what removed documents take.
    fn compact(&self, py: Python<'_>) -> PyResult<()> {
        let index = self.inner()?;
        self.session.detached(py, || index.writer().compact())
    }

    /// Signs all documents by another recipe.
    fn resign(&self, py: Python<'_>, recipe: PyRef<'_, Recipe>) -> PyResult<()> {
        let index = self.inner()?;
        let recipe = &recipe.inner;
        self.session.detached(py, || index.writer().resign(recipe))
    }

    /// Takes a snapshot to a folder or an address, and tells of it.
    fn snapshot<'py>(
        &self,
        py: Python<'py>,
        to: &str,
        keep: Option<usize>,
        keep_for: Option<u64>,
    ) -> PyResult<Bound<'py, PyAny>> {
        self.answer(py, |index| {
            let to = Repository::open(to)?;
            let taken = to.take(&index.pin()?, |_| Ok(()))?;
            let retention = Retention { newest: keep, seconds: keep_for };
            let removed = if retention == Retention::default() { Vec::new() } else { to.prune(retention)? };
            Ok(TakenSnapshot {
                snapshot: SnapshotInfo::from(&taken.snapshot),
                new_bytes: taken.new_bytes,
                removed,
            })
        })
    }

    /// Writes all documents to a file of JSON lines.
    fn export(&self, py: Python<'_>, path: PathBuf) -> PyResult<()> {
        let index = self.inner()?;
        self.session.detached(py, || index.reader().export(&path))
    }
}

impl Index {
    /// Asks without the interpreter's lock, and makes objects of the answer with it.
    fn answer<'py, T: Serialize + Send>(
        &self,
        py: Python<'py>,
        ask: impl FnOnce(&Inner) -> lookalike::Result<T> + Send,
    ) -> PyResult<Bound<'py, PyAny>> {
        let index = self.inner()?;
        object(py, &self.session.detached(py, || ask(&index))?)
    }

    fn of(index: Inner, session: Session) -> Index {
        Index { open: Mutex::new(Some(Arc::new(index))), session, process: std::process::id() }
    }

    fn inner(&self) -> PyResult<Arc<Inner>> {
        if self.process != std::process::id() {
            return Err(input(
                "this index was opened before the process was forked: open it in one process only",
            ));
        }
        let open = self.open.lock().unwrap_or_else(PoisonError::into_inner);
        open.clone().ok_or_else(|| config("the index is closed"))
    }
}

/// The documents of a table as lines of JSON, some at a time.
#[pyclass(frozen, module = "lookalike._lookalike")]
pub struct Documents {
    lines: Mutex<lookalike::arrow::Lines>,
}

#[pymethods]
impl Documents {
    #[new]
    fn new(table: PyRef<'_, Table>, id: &str, text: &str) -> PyResult<Documents> {
        Ok(Documents { lines: Mutex::new(table.rows.documents(id, text).map_err(exception)?) })
    }

    fn __iter__(this: PyRef<'_, Self>) -> PyRef<'_, Self> {
        this
    }

    fn __next__<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyBytes>>> {
        let next = py.detach(|| self.lines.lock().unwrap_or_else(PoisonError::into_inner).next());
        next.transpose().map(|lines| lines.map(|lines| PyBytes::new(py, &lines))).map_err(exception)
    }
}

fn options(limit: usize, passages: bool, labels: Option<Vec<String>>) -> QueryOptions {
    let view = labels.map_or(View::All, |labels| View::Labels(labels.into_iter().collect()));
    QueryOptions { view, limit, passages, ..QueryOptions::default() }
}

/// A snapshot, as `lookalike index snapshot --json` tells of it.
#[derive(Serialize)]
struct TakenSnapshot {
    #[serde(flatten)]
    snapshot: SnapshotInfo,
    new_bytes: u64,
    removed: Vec<String>,
}

/// What became of a document that was to be added.
#[derive(Serialize)]
#[serde(untagged)]
enum Added {
    Answer(Box<Answer>),
    /// Why it was not taken, as the service tells it.
    Refused {
        error: Told,
    },
}

#[derive(Serialize)]
struct Told {
    code: &'static str,
    message: String,
}

impl From<lookalike::Result<Answer>> for Added {
    fn from(added: lookalike::Result<Answer>) -> Added {
        match added {
            Ok(answer) => Added::Answer(Box::new(answer)),
            Err(error) => {
                let code = if matches!(error, Error::Input(_)) { "bad-document" } else { "failed" };
                Added::Refused { error: Told { code, message: error.to_string() } }
            }
        }
    }
}
