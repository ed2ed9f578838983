//! The steps of a run on many machines.

use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};

use lookalike::arrow::Rows;
use lookalike::arrow::job::{
    Assign, Bring, Filter, Hubs, Pair, Passing, Pivots, Plan as Inner, Route, RouteBy, Sign, Step as Steps,
    Tell, Texts, Told, Verify,
};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyTuple};

use crate::arrow;
use crate::dedup::job;
use crate::errors::{config, exception};
use crate::recipe::Recipe;
use crate::table::Table;

/// A recipe, and how documents are read. It can be sent to other machines.
#[pyclass(frozen, module = "lookalike._lookalike")]
pub struct Plan {
    recipe: Py<Recipe>,
    options: Py<PyDict>,
    lines: bool,
    inner: Arc<Inner>,
    report: String,
}

#[pymethods]
impl Plan {
    #[new]
    fn new(py: Python<'_>, recipe: Py<Recipe>, options: Py<PyDict>, lines: bool) -> PyResult<Plan> {
        let job = job(Vec::new(), PathBuf::new(), options.bind(py))?;
        let given = recipe.get();
        let pipeline = py.detach(|| given.session.inner.build(&given.inner)).map_err(exception)?;
        let report = lookalike::Report::of(&pipeline, &job);
        let report = serde_json::to_string(&report).map_err(|error| config(error.to_string()))?;
        let inner = Arc::new(Inner::new(Arc::new(pipeline), &job, lines).map_err(exception)?);
        Ok(Plan { recipe, options, lines, inner, report })
    }

    /// What a report says before anything is counted, as JSON.
    #[getter]
    fn report(&self) -> &str {
        &self.report
    }

    /// The fields that are read of a document.
    #[getter]
    fn columns(&self) -> Vec<String> {
        self.inner.columns()
    }

    /// A bit for each method of which many documents with the same signature are a crowd.
    #[getter]
    fn crowds_by_signature(&self) -> u32 {
        self.inner.crowds_by_signature()
    }

    /// The names of the methods that find candidates.
    #[getter]
    fn branches(&self) -> Vec<String> {
        self.inner.pipeline.branches.iter().map(|branch| branch.name.clone()).collect()
    }

    /// The name of the clustering.
    #[getter]
    fn clustering(&self) -> String {
        self.inner.pipeline.clusterer.spec().kind
    }

    /// The rules by which a document of a cluster is kept.
    #[getter]
    fn keep(&self) -> &str {
        &self.inner.pipeline.keep.text
    }

    /// For each pair that people decided about, whether they called the two duplicates; and how many keepers they named.
    #[getter]
    fn decisions(&self) -> Option<(Vec<bool>, usize)> {
        self.inner.decisions().map(|(pairs, keepers)| (pairs.to_vec(), keepers))
    }

    /// A step by its name.
    #[pyo3(signature = (name, **options))]
    fn step(&self, name: &str, options: Option<&Bound<'_, PyDict>>) -> PyResult<Step> {
        let get = |key: &str| -> PyResult<Bound<'_, PyAny>> {
            let value = options.map(|options| options.get_item(key)).transpose()?.flatten();
            value.ok_or_else(|| config(format!("step {name} needs `{key}`")))
        };
        let by = || -> PyResult<RouteBy> {
            let by: String = get("by")?.extract()?;
            match by.as_str() {
                "digest" => Ok(RouteBy::Digest),
                "signature" => Ok(RouteBy::Signature),
                "keys" => Ok(RouteBy::Keys),
                other => Err(config(format!("documents cannot be grouped by `{other}`"))),
            }
        };
        let plan = self.inner.clone();
        let step: Box<dyn Steps> = match name {
            "sign" => Box::new(Sign::new(plan, get("known")?.is_truthy()?)),
            "route" => Box::new(Route::new(plan, by()?, get("places")?.extract()?)),
            "pair" => Box::new(Pair::new(plan, by()?, get("full")?.extract()?)),
            "pivots" => Box::new(Pivots::new(get("last")?.is_truthy()?)),
            "hubs" => Box::new(Hubs::default()),
            "filter" => Box::new(Filter::new(get("bytes")?.extract()?)),
            "texts" => Box::new(Texts::new(plan, Passing::All)),
            "needed" => Box::new(Texts::new(plan, Passing::Filter(get("filter")?.extract()?))),
            "without" => {
                let keys = arrow::import(&get("keys")?)?.load()?;
                Box::new(Texts::new(plan, Passing::without(keys.batches()).map_err(exception)?))
            }
            "bring" => {
                let places = arrow::import(&get("places")?)?.load()?;
                Box::new(Bring::new(plan, places.batches()).map_err(exception)?)
            }
            "verify" => Box::new(Verify::new(plan)),
            "assign" => Box::new(Assign::new(plan)),
            "removed" => Box::new(Tell::new(plan, Told::Removed)),
            "pairs" => Box::new(Tell::new(plan, Told::Pairs)),
            "clusters" => Box::new(Tell::new(plan, Told::Clusters)),
            other => return Err(config(format!("there is no step `{other}`"))),
        };
        Ok(Step { inner: Mutex::new(step) })
    }

    fn __reduce__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyTuple>> {
        let arguments =
            (self.recipe.clone_ref(py), self.options.clone_ref(py), self.lines).into_pyobject(py)?;
        PyTuple::new(py, [py.get_type::<Plan>().into_any(), arguments.into_any()])
    }
}

/// From batches to batches.
#[pyclass(frozen, module = "lookalike._lookalike")]
pub struct Step {
    inner: Mutex<Box<dyn Steps>>,
}

#[pymethods]
impl Step {
    /// Takes a batch.
    fn push(&self, py: Python<'_>, batch: &Bound<'_, PyAny>) -> PyResult<()> {
        let batches = arrow::import(batch)?.load()?;
        py.detach(|| {
            let mut step = self.inner.lock().unwrap_or_else(PoisonError::into_inner);
            batches.batches().iter().try_for_each(|batch| step.push(batch))
        })
        .map_err(exception)
    }

    /// There are no more batches.
    fn end(&self, py: Python<'_>) -> PyResult<()> {
        py.detach(|| self.inner.lock().unwrap_or_else(PoisonError::into_inner).end()).map_err(exception)
    }

    /// The next batch that is ready, as a table.
    fn pull(&self, py: Python<'_>) -> PyResult<Option<Table>> {
        let batch = py.detach(|| self.inner.lock().unwrap_or_else(PoisonError::into_inner).pull());
        let Some(batch) = batch.map_err(exception)? else { return Ok(None) };
        let table = lookalike::arrow::Table::new(batch.schema(), vec![batch]).map_err(exception)?;
        Ok(Some(Table { rows: Rows::All(table) }))
    }
}
