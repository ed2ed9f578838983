//! What can go wrong, sorted by who has to act on it.

use std::path::PathBuf;

/// A result with the error of this crate.
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// What can go wrong; see the module for who acts on what.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The user's recipe, option or argument is wrong: the message says what is known.
    #[error("{0}")]
    Config(String),
    /// One document or file cannot be used. Counted and reported; a run goes on.
    #[error("{0}")]
    Input(String),
    /// A file cannot be read or written.
    #[error("{path}: {source}")]
    Io {
        /// The file.
        path: PathBuf,
        /// What the operating system says.
        source: std::io::Error,
    },
    /// Data made by another scheme, another version or from another input.
    #[error("{0}")]
    Incompatible(String),
    /// Somebody asked to stop. What was finished before is kept.
    #[error("stopped before the end")]
    Cancelled,
    /// A file that this program wrote is damaged, cut off or missing: `what` says how, and what to do.
    #[error("{path} {what}")]
    Damaged {
        /// The file.
        path: PathBuf,
        /// What is wrong with it.
        what: String,
    },
    /// Several documents have the id that was asked for, each with other labels.
    #[error("{} documents have the id {id}: tell the labels of the one that is meant, which are one of {labels:?}", labels.len())]
    Ambiguous {
        /// The id.
        id: String,
        /// The labels of each of the documents.
        labels: Vec<Vec<String>>,
    },
    /// A document was removed while it was being read. Callers treat it as if it had never been
    /// there.
    #[error("the document was removed meanwhile")]
    Gone,
    /// The caller may not do this.
    #[error("{0}")]
    Forbidden(String),
    /// A bug of ours.
    #[error("internal error, please report it: {0}")]
    Internal(String),
}

impl Error {
    /// The user has to change a recipe, an option or an argument.
    pub fn config(message: impl Into<String>) -> Self {
        Error::Config(message.into())
    }

    /// One document or file cannot be used.
    pub fn input(message: impl Into<String>) -> Self {
        Error::Input(message.into())
    }

    /// A file that this program wrote is not as it was written.
    pub fn damaged(path: impl Into<PathBuf>, what: impl Into<String>) -> Self {
        Error::Damaged { path: path.into(), what: what.into() }
    }

    /// For `map_err`: names the file an I/O error belongs to.
    pub fn io(path: impl Into<PathBuf>) -> impl FnOnce(std::io::Error) -> Self {
        let path = path.into();
        move |source| Error::Io { path, source }
    }
}
