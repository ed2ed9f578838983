//! Pairs handed out from several threads, in batches.

use std::ops::ControlFlow;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, PoisonError};

use super::Emit;
use crate::error::{Error, Result};

/// Where all threads hand out pairs; closed by the first error.
pub(super) struct Outlet<'a> {
    emit: &'a Emit<'a>,
    closed: AtomicBool,
    error: Mutex<Option<Error>>,
}

impl<'a> Outlet<'a> {
    pub(super) fn new(emit: &'a Emit<'a>) -> Self {
        Outlet { emit, closed: AtomicBool::new(false), error: Mutex::new(None) }
    }

    pub(super) fn finish(self) -> Result<()> {
        let error = self.error.into_inner().unwrap_or_else(PoisonError::into_inner);
        error.map_or(Ok(()), Err)
    }

    fn send(&self, pairs: &[(u32, u32)]) -> ControlFlow<()> {
        if self.closed.load(Ordering::Relaxed) {
            return ControlFlow::Break(());
        }
        if let Err(error) = (self.emit)(pairs) {
            self.closed.store(true, Ordering::Relaxed);
            self.error.lock().unwrap_or_else(PoisonError::into_inner).get_or_insert(error);
            return ControlFlow::Break(());
        }
        ControlFlow::Continue(())
    }
}

/// The pairs of one thread on their way out.
pub(super) struct Batch<'a> {
    outlet: &'a Outlet<'a>,
    pairs: Vec<(u32, u32)>,
}

impl<'a> Batch<'a> {
    const PAIRS: usize = 8192;

    pub(super) fn new(outlet: &'a Outlet<'a>) -> Self {
        Batch { outlet, pairs: Vec::with_capacity(Batch::PAIRS) }
    }

    /// Breaks when nobody wants any more.
    #[inline]
    pub(super) fn push(&mut self, a: u32, b: u32) -> ControlFlow<()> {
        self.pairs.push((a.min(b), a.max(b)));
        if self.pairs.len() < Batch::PAIRS { ControlFlow::Continue(()) } else { self.flush() }
    }

    /// Breaks when nobody wants any more, though nothing was found.
    pub(super) fn go_on(&self) -> ControlFlow<()> {
        self.outlet.send(&[])
    }

    pub(super) fn flush(&mut self) -> ControlFlow<()> {
        let sent =
            if self.pairs.is_empty() { ControlFlow::Continue(()) } else { self.outlet.send(&self.pairs) };
        self.pairs.clear();
        sent
    }
}
