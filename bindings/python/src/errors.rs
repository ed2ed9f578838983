//! Errors as exceptions of `lookalike.errors`.

use lookalike::Error;
use pyo3::exceptions::PyKeyboardInterrupt;
use pyo3::prelude::*;

mod classes {
    pyo3::import_exception!(lookalike.errors, ConfigError);
    pyo3::import_exception!(lookalike.errors, InputError);
    pyo3::import_exception!(lookalike.errors, FileError);
    pyo3::import_exception!(lookalike.errors, IncompatibleError);
    pyo3::import_exception!(lookalike.errors, InternalError);
}

/// The exception for an error.
pub fn exception(error: Error) -> PyErr {
    let message = error.to_string();
    match error {
        Error::Config(_) => classes::ConfigError::new_err(message),
        Error::Io { source, path } => match source.raw_os_error() {
            // As Python does it: number, what it means, which file.
            Some(number) => {
                let shown = source.to_string();
                let meaning = shown.split(" (os error").next().unwrap_or(&shown).to_owned();
                classes::FileError::new_err((number, meaning, path.to_string_lossy().into_owned()))
            }
            None => classes::FileError::new_err(message),
        },
        Error::Incompatible(_) => classes::IncompatibleError::new_err(message),
        Error::Cancelled => PyKeyboardInterrupt::new_err(()),
        Error::Internal(_) => classes::InternalError::new_err(message),
        _ => classes::InputError::new_err(message),
    }
}

/// An argument that makes no sense.
pub fn config(message: impl Into<String>) -> PyErr {
    exception(Error::Config(message.into()))
}

/// Data that cannot be used.
pub fn input(message: impl Into<String>) -> PyErr {
    exception(Error::Input(message.into()))
}
