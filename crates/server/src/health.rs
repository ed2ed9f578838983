//! The health of the service: what went wrong on disk since it started, for `/readyz` and `/metrics`.
//!
//! Damage lasts until somebody restores the data and restarts the service, so it is never cleared here. A full disk
//! may have space again, so failures to read or write are only counted.

use std::sync::atomic::{AtomicU64, Ordering};

use lookalike::Error;

use crate::error::ApiError;

#[derive(Default)]
pub struct Health {
    damages: AtomicU64,
    failures: AtomicU64,
}

impl Health {
    /// Counts an error by the code that a caller gets.
    pub fn note(&self, code: &str) {
        match code {
            ApiError::DAMAGED => self.damages.fetch_add(1, Ordering::Relaxed),
            ApiError::STORAGE => self.failures.fetch_add(1, Ordering::Relaxed),
            _ => return,
        };
    }

    /// Logs and counts an error that no caller gets.
    pub fn note_error(&self, error: &Error, what: &'static str) {
        tracing::error!(%error, "{what}");
        match error {
            Error::Damaged { .. } => self.note(ApiError::DAMAGED),
            Error::Io { .. } => self.note(ApiError::STORAGE),
            _ => {}
        }
    }

    /// How often damaged data was found.
    pub fn damages(&self) -> u64 {
        self.damages.load(Ordering::Relaxed)
    }

    /// How often the disk failed.
    pub fn failures(&self) -> u64 {
        self.failures.load(Ordering::Relaxed)
    }
}
