//! The parts that recipes may name, and the program that reads files.

use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::OnceLock;

use lookalike::files::Program;
use lookalike::{Registry, Session as Inner};
use pyo3::prelude::*;

/// Parts by name, and what is done with them.
#[pyclass(frozen, from_py_object, module = "lookalike._lookalike")]
#[derive(Clone)]
pub struct Session {
    pub inner: Inner,
    own_parts: usize,
}

#[pymethods]
impl Session {
    #[new]
    fn new(py: Python<'_>) -> PyResult<Session> {
        Ok(Session {
            inner: Inner::new(Registry::with_built_ins()).reading_files_by(reader(py)?),
            own_parts: 0,
        })
    }
}

impl Session {
    /// The given session, or the one that all share.
    pub fn of(given: Option<PyRef<'_, Session>>) -> Session {
        static SHARED: OnceLock<Session> = OnceLock::new();
        given.map_or_else(
            || {
                let make = || {
                    let plain = Inner::new(Registry::with_built_ins());
                    let inner = match Python::attach(reader) {
                        Ok(program) => plain.reading_files_by(program),
                        Err(_) => plain,
                    };
                    Session { inner, own_parts: 0 }
                };
                SHARED.get_or_init(make).clone()
            },
            |given| given.clone(),
        )
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

/// The command `lookalike`: does what the arguments say and returns the exit code.
#[pyfunction]
pub fn main(py: Python<'_>, arguments: Vec<String>) -> PyResult<u8> {
    let session = Session::of(None);
    let code = py.detach(|| lookalike_cli::main_with(&session.inner, arguments));
    // An exit code tells its number to nobody.
    Ok((0..=u8::MAX).find(|&number| ExitCode::from(number) == code).unwrap_or(u8::MAX))
}
