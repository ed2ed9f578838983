//! Why a file, or a part of it, gives no document.

use std::fmt;

use serde::{Deserialize, Serialize};

/// Why a file, or a part of it, gives no document.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Reason {
    /// Nothing can be read without a password.
    Encrypted,
    /// The format is known but the file breaks its rules beyond repair; says how.
    Damaged(String),
    /// No reader for this; says what it seems to be.
    Unsupported(String),
    /// It was read, but has neither text nor an image.
    Empty,
    /// A limit was reached; says which.
    Limit(String),
    /// The file or folder could not be opened or read.
    Io(String),
    /// The reader failed in an unexpected way: a panic or a crash, contained in the child process.
    Crashed(String),
}

impl Reason {
    /// Says how it is damaged.
    pub fn damaged(what: impl fmt::Display) -> Self {
        Reason::Damaged(what.to_string())
    }
}

impl fmt::Display for Reason {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Reason::Encrypted => formatter.write_str("encrypted, not compared"),
            Reason::Damaged(how) => write!(formatter, "damaged: {how}"),
            Reason::Unsupported(what) => write!(formatter, "not a document this program reads: {what}"),
            Reason::Empty => formatter.write_str("no text and no image in it"),
            Reason::Limit(which) => write!(formatter, "over the limit: {which}"),
            Reason::Io(error) => write!(formatter, "cannot be read: {error}"),
            Reason::Crashed(how) => write!(formatter, "the reader failed: {how}"),
        }
    }
}
