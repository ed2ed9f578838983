//! The parts that recipes may name, and the program that reads files.

use std::path::PathBuf;
use std::sync::OnceLock;

use lookalike::files::Program;
use lookalike::{Registry, Session as Inner};
use pyo3::prelude::*;
use pyo3::sync::OnceLockExt;
use pyo3::types::PyDict;

use crate::errors::exception;
use crate::parts::{self, Failure};

/// Parts by name, and what is done with them.
#[pyclass(frozen, from_py_object, module = "lookalike._lookalike")]
#[derive(Clone)]
pub struct Session {
    pub inner: Inner,
    own_parts: usize,
    /// What a part of its own raised.
    pub failure: Failure,
}

#[pymethods]
impl Session {
    #[new]
    #[pyo3(signature = (*, features=None, measures=None))]
    fn new(
        py: Python<'_>,
        features: Option<&Bound<'_, PyDict>>,
        measures: Option<&Bound<'_, PyDict>>,
    ) -> PyResult<Session> {
        let mut registry = Registry::with_built_ins();
        let failure = Failure::default();
        let own_parts = parts::register(&mut registry, features, measures, &failure)?;
        Ok(Session { inner: Inner::new(registry).reading_files_by(reader(py)?), own_parts, failure })
    }
}

impl Session {
    /// The given session, or the one that all share.
    pub fn of(py: Python<'_>, given: Option<PyRef<'_, Session>>) -> Session {
        static SHARED: OnceLock<Session> = OnceLock::new();
        if let Some(given) = given {
            return given.clone();
        }
        let make = || {
            let plain = Inner::new(Registry::with_built_ins());
            let inner = match reader(py) {
                Ok(program) => plain.reading_files_by(program),
                // An embedded interpreter has no program; all but files of other formats can be read without.
                Err(_) => plain,
            };
            Session { inner, own_parts: 0, failure: Failure::default() }
        };
        SHARED.get_or_init_py_attached(py, make).clone()
    }

    /// Calls something without the interpreter's lock, and raises what parts of this session raised meanwhile.
    pub fn detached<T: Send>(
        &self,
        py: Python<'_>,
        work: impl FnOnce() -> lookalike::Result<T> + Send,
    ) -> PyResult<T> {
        let done = py.detach(work);
        self.failure.raise()?;
        done.map_err(exception)
    }

    pub fn has_own_parts(&self) -> bool {
        self.own_parts > 0
    }
}

/// This interpreter, started again to read files.
fn reader(py: Python<'_>) -> PyResult<Program> {
    let path: PathBuf = py.import("sys")?.getattr("executable")?.extract()?;
    let arguments = ["-m", "lookalike", "extract-worker"].map(str::to_owned).to_vec();
    Ok(Program { path, arguments })
}
