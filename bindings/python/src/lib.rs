//! The native module of the Python package `lookalike`: thin on [`lookalike::Session`]. What needs no speed is Python.

mod arrow;
mod command;
mod dedup;
mod errors;
mod index;
mod job;
mod kernels;
mod objects;
mod parts;
mod recipe;
mod session;
mod table;
mod work;

use pyo3::prelude::*;

/// What `lookalike` is made of; import that.
#[pymodule(gil_used = false)]
mod _lookalike {
    #[pymodule_export]
    use super::command::{call, main};
    #[pymodule_export]
    use super::dedup::{TableDedup, dedup_files, dedup_table};
    #[pymodule_export]
    use super::index::{Documents, Index};
    #[pymodule_export]
    use super::job::{Plan, Step};
    #[pymodule_export]
    use super::kernels::{Kernels, compare_files, compare_texts};
    #[pymodule_export]
    use super::recipe::Recipe;
    #[pymodule_export]
    use super::session::Session;
    #[pymodule_export]
    use super::table::{Table, write_ipc};

    use super::*;

    #[pymodule_init]
    fn init(module: &Bound<'_, PyModule>) -> PyResult<()> {
        module.add("__version__", env!("CARGO_PKG_VERSION"))
    }
}
