//! Hands out pairs from several threads, in batches, until the receiver has had enough.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, PoisonError};

use super::join::Emit;
use crate::error::{Error, Result};

/// Pairs handed out at a time.
const BATCH: usize = 8192;

/// The receiver refused a batch; its reason is in the [`Emitter`].
#[derive(Debug)]
pub struct Stopped;

/// Whether the receiver wants more.
pub type Emitted = Result<(), Stopped>;

/// The receiver, shared by all threads.
pub struct Emitter<'a> {
    emit: &'a Emit<'a>,
    stopped: AtomicBool,
    failure: Mutex<Option<Error>>,
}

impl<'a> Emitter<'a> {
    pub fn new(emit: &'a Emit<'a>) -> Self {
        Emitter { emit, stopped: AtomicBool::new(false), failure: Mutex::new(None) }
    }

    /// The first error of the receiver, if it had one.
    pub fn finish(self) -> Result<()> {
        self.failure.into_inner().unwrap_or_else(PoisonError::into_inner).map_or(Ok(()), Err)
    }

    /// Whether the receiver wants more. For threads that have found nothing to hand out for a
    /// while.
    pub fn check_receiver(&self) -> Emitted {
        self.send(&[])
    }

    fn send(&self, pairs: &[(u32, u32)]) -> Emitted {
        // Once a thread was refused, the others stop as well.
        if self.stopped.load(Ordering::Relaxed) {
            return Err(Stopped);
        }
        (self.emit)(pairs).map_err(|error| {
            self.stopped.store(true, Ordering::Relaxed);
            self.failure.lock().unwrap_or_else(PoisonError::into_inner).get_or_insert(error);
            Stopped
        })
    }
}

/// The pairs one thread has not handed out yet.
pub struct Batch<'a> {
    emitter: &'a Emitter<'a>,
    pairs: Vec<(u32, u32)>,
}

impl<'a> Batch<'a> {
    pub fn new(emitter: &'a Emitter<'a>) -> Self {
        Batch { emitter, pairs: Vec::with_capacity(BATCH) }
    }

    /// An error when the receiver wants no more.
    #[inline]
    pub fn push(&mut self, a: u32, b: u32) -> Emitted {
        self.pairs.push((a.min(b), a.max(b)));
        if self.pairs.len() < BATCH { Ok(()) } else { self.flush() }
    }

    /// Whether the receiver wants more. For threads that have found nothing to hand out for a
    /// while.
    pub fn check_receiver(&self) -> Emitted {
        self.emitter.check_receiver()
    }

    pub fn flush(&mut self) -> Emitted {
        let sent = if self.pairs.is_empty() { Ok(()) } else { self.emitter.send(&self.pairs) };
        self.pairs.clear();
        sent
    }
}
