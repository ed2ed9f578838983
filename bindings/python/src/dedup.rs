//! `dedup`: of tables in memory, and of files.

use std::path::PathBuf;

use lookalike::arrow::{ResultKind, Rows};
use lookalike::{Job, RecallSample, TableResult};
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::types::PyDict;

use crate::errors::{config, exception};
use crate::recipe::Recipe;
use crate::table::Table;
use crate::work;

/// What was found in a table.
#[pyclass(frozen, module = "lookalike._lookalike")]
pub struct TableDedup {
    table: lookalike::arrow::Table,
    id: String,
    found: TableResult,
}

#[pymethods]
impl TableDedup {
    /// The report as JSON.
    #[getter]
    fn report(&self) -> PyResult<String> {
        serde_json::to_string(&self.found.report).map_err(|error| config(error.to_string()))
    }

    /// The report as a page.
    #[getter]
    fn page(&self) -> &str {
        &self.found.page
    }

    /// The rows that stay.
    #[getter]
    fn kept(&self) -> Table {
        Table { rows: Rows::Some(self.table.clone(), self.found.kept.clone()) }
    }

    /// Whether each row stays, a byte for each.
    #[getter]
    fn mask<'py>(&self, py: Python<'py>) -> Bound<'py, pyo3::types::PyBytes> {
        let bytes: Vec<u8> = self.found.kept.iter().map(|&kept| u8::from(kept)).collect();
        pyo3::types::PyBytes::new(py, &bytes)
    }

    /// Removals, clusters, pairs or rejected rows, by the name of the file that a run would write.
    fn result(&self, py: Python<'_>, file: &str) -> PyResult<Table> {
        let kind = ResultKind::ALL.into_iter().find(|kind| kind.file() == file);
        let kind = kind.ok_or_else(|| config(format!("{file} is no result of a run")))?;
        let id = self.table.schema().field_with_name(&self.id).ok().map(|field| field.data_type().clone());
        let read = || kind.table(&kind.lines(&self.found.evidence)?, id.as_ref());
        let table = py.detach(read).map_err(exception)?;
        Ok(Table { rows: Rows::All(table) })
    }
}

/// Finds near-duplicates among the rows of a table.
#[pyfunction]
#[pyo3(signature = (recipe, table, known, options, show))]
pub fn dedup_table(
    py: Python<'_>,
    recipe: PyRef<'_, Recipe>,
    table: PyRef<'_, Table>,
    known: Option<PyRef<'_, Table>>,
    options: &Bound<'_, PyDict>,
    show: Option<&Bound<'_, PyAny>>,
) -> PyResult<TableDedup> {
    let job = job(Vec::new(), PathBuf::new(), options)?;
    let (session, recipe) = (&recipe.session, &recipe.inner);
    let load = |table: &Table| table.rows.load().map_err(exception);
    let (table, known) = (load(&table)?, known.map(|known| load(&known)).transpose()?);
    let found = work::run(py, show, session, |progress| {
        session.inner.dedup_table(recipe, &job, &table, known.as_ref(), &**progress)
    })?;
    Ok(TableDedup { table, id: job.id_field, found })
}

/// Removes near-duplicates from files, and returns the report as JSON.
#[pyfunction]
#[pyo3(signature = (recipe, inputs, output, options, show))]
pub fn dedup_files(
    py: Python<'_>,
    recipe: PyRef<'_, Recipe>,
    inputs: Vec<String>,
    output: PathBuf,
    options: &Bound<'_, PyDict>,
    show: Option<&Bound<'_, PyAny>>,
) -> PyResult<String> {
    let mut job = job(inputs, output, options)?;
    let (session, recipe) = (&recipe.session, &recipe.inner);
    job.against = match options.get_item("against")? {
        Some(against) if !against.is_none() => against.extract()?,
        _ => Vec::new(),
    };
    let plan = matches!(options.get_item("plan")?, Some(plan) if plan.is_truthy()?);
    work::run(py, show, session, |progress| {
        let prepared = session.inner.dedup(recipe, job, &**progress)?;
        let told = match plan {
            true => serde_json::to_string(&prepared.plan()?),
            false => serde_json::to_string(&prepared.run(&**progress)?),
        };
        told.map_err(|error| lookalike::Error::Internal(error.to_string()))
    })
}

/// The options that are not about inputs and outputs.
pub fn job(inputs: Vec<String>, output: PathBuf, options: &Bound<'_, PyDict>) -> PyResult<Job> {
    let mut job = Job::new(inputs, output);
    for (name, value) in options {
        let name: String = name.extract()?;
        if value.is_none() {
            continue;
        }
        let size = |option: &str| -> PyResult<u64> {
            match value.extract::<u64>() {
                Ok(bytes) => Ok(bytes),
                Err(_) => lookalike::parse_bytes(&value.extract::<String>()?)
                    .map_err(|error| config(format!("{option}: {error}"))),
            }
        };
        match name.as_str() {
            "id" => job.id_field = value.extract()?,
            "text" => job.text_field = value.extract()?,
            "source" => job.source_field = value.extract()?,
            "threads" => job.threads = value.extract()?,
            "memory" => job.memory = size("memory")?,
            "max_line" => job.max_line = size("max_line")?,
            "strict" => job.strict = value.is_truthy()?,
            "passages" => job.passages = value.is_truthy()?,
            "resume" => job.resume = value.is_truthy()?,
            "force" => job.force = value.is_truthy()?,
            "measure_recall" => {
                if value.is_truthy()? {
                    job.measure_recall.get_or_insert_with(RecallSample::default);
                }
            }
            "recall_sample" => {
                let sample = job.measure_recall.get_or_insert_with(RecallSample::default);
                sample.documents = Some(value.extract()?);
            }
            "decisions" => {
                let path: PathBuf = value.extract()?;
                job.decisions = Some(lookalike::decisions::Decisions::read(&path).map_err(exception)?);
            }
            "said" => {
                let said: String = value.extract()?;
                job.decisions =
                    Some(lookalike::decisions::Decisions::from_text(&said, "decisions").map_err(exception)?);
            }
            "against" | "plan" => {}
            _ => return Err(PyTypeError::new_err(format!("dedup has no option `{name}`"))),
        }
    }
    Ok(job)
}
