//! The command line within the interpreter: as the program `lookalike`, and verb by verb for functions of the package.

use std::sync::Arc;

use pyo3::prelude::*;

use crate::session::Session;
use crate::work;

/// The command `lookalike`: does what the arguments say and returns the exit code.
#[pyfunction]
pub fn main(py: Python<'_>, arguments: Vec<String>) -> PyResult<u8> {
    let session = Session::of(py, None);
    Ok(py.detach(|| lookalike_cli::main_with(&session.inner, arguments)))
}

/// Does a verb of the command line in this process, and returns what it prints.
#[pyfunction]
#[pyo3(signature = (arguments, session, show))]
pub fn call(
    py: Python<'_>,
    arguments: Vec<String>,
    session: Option<PyRef<'_, Session>>,
    show: Option<&Bound<'_, PyAny>>,
) -> PyResult<String> {
    let session = Session::of(py, session);
    work::run(py, show, &session, |teller| {
        let host: Arc<dyn lookalike_cli::Host> = teller.clone();
        Ok(lookalike_cli::call(&session.inner, &arguments, host)?.output)
    })
}
