//! Whether the service is well: what went wrong on disk since it started, for `/readyz` and `/metrics`.
//!
//! Damage stays until somebody restores what is damaged and starts the service again, so it is never forgotten here. A
//! disk that is full may have room again, so a failure to read or write is counted and no more.

use std::sync::atomic::{AtomicU64, Ordering};

use lookalike::Error;

use crate::error::ApiError;

#[derive(Default)]
pub struct Health {
    damages: AtomicU64,
    failures: AtomicU64,
}

impl Health {
    /// Takes note of what a caller is told.
    pub fn note(&self, code: &str) {
        match code {
            ApiError::DAMAGED => self.damages.fetch_add(1, Ordering::Relaxed),
            ApiError::STORAGE => self.failures.fetch_add(1, Ordering::Relaxed),
            _ => return,
        };
    }

    /// Takes note of what went wrong where nobody is told, and logs it.
    pub fn note_error(&self, error: &Error, what: &'static str) {
        tracing::error!(%error, "{what}");
        match error {
            Error::Damaged { .. } => self.note(ApiError::DAMAGED),
            Error::Io { .. } => self.note(ApiError::STORAGE),
            _ => {}
        }
    }

    /// How often damage was met.
    pub fn damages(&self) -> u64 {
        self.damages.load(Ordering::Relaxed)
    }

    /// How often the disk failed.
    pub fn failures(&self) -> u64 {
        self.failures.load(Ordering::Relaxed)
    }
}
