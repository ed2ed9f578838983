//! Work on several threads, and pairs handed out from them.

use std::ops::ControlFlow;
use std::panic::resume_unwind;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, PoisonError};
use std::thread;

use super::super::Emit;
use crate::error::{Error, Result};

/// Runs `work` once on each thread.
pub(super) fn on_threads<T: Send>(threads: usize, work: impl Fn() -> T + Sync) -> Vec<T> {
    thread::scope(|scope| {
        let others: Vec<_> = (1..threads).map(|_| scope.spawn(&work)).collect();
        let mut results = vec![work()];
        // A panic of a thread goes on in the caller.
        results.extend(
            others.into_iter().map(|thread| thread.join().unwrap_or_else(|panic| resume_unwind(panic))),
        );
        results
    })
}

/// Runs `work` on each item, on several threads; the results are in the order of the items.
pub(super) fn spread<I: Send, T: Send>(
    threads: usize,
    items: impl IntoIterator<Item = I, IntoIter: Send>,
    work: impl Fn(I) -> T + Sync,
) -> Vec<T> {
    let queue = Mutex::new(items.into_iter().enumerate());
    let next = || queue.lock().unwrap_or_else(PoisonError::into_inner).next();
    let results = on_threads(threads, || {
        let mut results = Vec::new();
        while let Some((place, item)) = next() {
            results.push((place, work(item)));
        }
        results
    });
    let mut results: Vec<(usize, T)> = results.into_iter().flatten().collect();
    results.sort_unstable_by_key(|&(place, _)| place);
    results.into_iter().map(|(_, result)| result).collect()
}

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

    pub(super) fn flush(&mut self) -> ControlFlow<()> {
        let sent =
            if self.pairs.is_empty() { ControlFlow::Continue(()) } else { self.outlet.send(&self.pairs) };
        self.pairs.clear();
        sent
    }
}
