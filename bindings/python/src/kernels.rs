//! Signing, pairing, comparing and clustering, from tables to tables; comparing two documents.

use std::path::PathBuf;
use std::sync::Arc;

use lookalike::arrow::{Rows, kernels};
use lookalike::files::Reference;
use lookalike::{Job, Pipeline};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyTuple};

use crate::dedup::job;
use crate::errors::exception;
use crate::recipe::Recipe;
use crate::session::Session;
use crate::table::Table;

/// A recipe, built: signs, compares and clusters without state.
#[pyclass(frozen, module = "lookalike._lookalike")]
pub struct Kernels {
    recipe: Py<Recipe>,
    pipeline: Arc<Pipeline>,
    job: Job,
}

#[pymethods]
impl Kernels {
    #[new]
    fn new(py: Python<'_>, recipe: Py<Recipe>, options: &Bound<'_, PyDict>) -> PyResult<Kernels> {
        let job = job(Vec::new(), PathBuf::new(), options)?;
        let given = recipe.get();
        let pipeline = py.detach(|| given.session.inner.build(&given.inner)).map_err(exception)?;
        Ok(Kernels { recipe, pipeline: Arc::new(pipeline), job })
    }

    #[getter]
    fn recipe(&self, py: Python<'_>) -> Py<Recipe> {
        self.recipe.clone_ref(py)
    }

    #[getter]
    fn scheme(&self) -> &str {
        &self.pipeline.scheme.id
    }

    /// What each row is found by.
    fn sign(&self, py: Python<'_>, table: PyRef<'_, Table>) -> PyResult<Table> {
        let rows = &table.rows;
        self.made(py, || kernels::sign(&self.pipeline, &self.job, &rows.load()?))
    }

    /// Pairs the members of buckets.
    #[staticmethod]
    fn candidates(py: Python<'_>, members: PyRef<'_, Table>) -> PyResult<Table> {
        let rows = &members.rows;
        let table = py.detach(|| kernels::candidates(&rows.load()?)).map_err(exception)?;
        Ok(Table { rows: Rows::All(table) })
    }

    /// Compares the rows of two tables one by one.
    fn compare(&self, py: Python<'_>, left: PyRef<'_, Table>, right: PyRef<'_, Table>) -> PyResult<Table> {
        let (left, right) = (&left.rows, &right.rows);
        self.made(py, || kernels::compare(&self.pipeline, &self.job, &left.load()?, &right.load()?))
    }

    /// Clusters documents by verified pairs.
    fn cluster(
        &self,
        py: Python<'_>,
        edges: PyRef<'_, Table>,
        documents: PyRef<'_, Table>,
    ) -> PyResult<Table> {
        let (edges, documents) = (&edges.rows, &documents.rows);
        self.made(py, || kernels::cluster(&self.pipeline, &edges.load()?, &documents.load()?))
    }

    fn __reduce__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyTuple>> {
        let options = PyDict::new(py);
        options.set_item("id", &self.job.id_field)?;
        options.set_item("text", &self.job.text_field)?;
        options.set_item("threads", self.job.threads)?;
        let arguments =
            PyTuple::new(py, [self.recipe.clone_ref(py).into_any().into_bound(py), options.into_any()])?;
        PyTuple::new(py, [py.get_type::<Kernels>().into_any(), arguments.into_any()])
    }
}

impl Kernels {
    fn made(
        &self,
        py: Python<'_>,
        work: impl FnOnce() -> lookalike::Result<lookalike::arrow::Table> + Send,
    ) -> PyResult<Table> {
        let table = self.recipe.get().session.detached(py, work)?;
        Ok(Table { rows: Rows::All(table) })
    }
}

/// Compares two texts by all methods or by one recipe; the result is JSON.
#[pyfunction]
#[pyo3(signature = (a, b, recipe, session))]
pub fn compare_texts(
    py: Python<'_>,
    a: &str,
    b: &str,
    recipe: Option<PyRef<'_, Recipe>>,
    session: Option<PyRef<'_, Session>>,
) -> PyResult<String> {
    let session = session_of(py, recipe.as_ref(), session);
    let recipe = recipe.as_ref().map(|recipe| &recipe.inner);
    session.detached(py, || told(&session.inner.compare_texts(recipe, a, b)?))
}

/// Compares two files, documents in files, or records of corpora.
#[pyfunction]
#[pyo3(signature = (names, fields, recipe, session))]
pub fn compare_files(
    py: Python<'_>,
    names: (String, String),
    fields: (String, String),
    recipe: Option<PyRef<'_, Recipe>>,
    session: Option<PyRef<'_, Session>>,
) -> PyResult<String> {
    let session = session_of(py, recipe.as_ref(), session);
    let recipe = recipe.as_ref().map(|recipe| &recipe.inner);
    let fields = Reference { id_field: fields.0, text_field: fields.1, fields: Vec::new() };
    session.detached(py, || told(&session.inner.compare(recipe, &names.0, &names.1, &fields)?))
}

/// A recipe brings its session along.
fn session_of(
    py: Python<'_>,
    recipe: Option<&PyRef<'_, Recipe>>,
    given: Option<PyRef<'_, Session>>,
) -> Session {
    recipe.map_or_else(|| Session::of(py, given), |recipe| recipe.session.clone())
}

fn told(comparison: &lookalike::compare::Comparison) -> lookalike::Result<String> {
    serde_json::to_string(comparison).map_err(|error| lookalike::Error::Internal(error.to_string()))
}
