//! Where found pairs go: in batches, until the receiver has had enough.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, PoisonError};

use crate::candidates::Emit;
use crate::error::{Error, Result};

/// Pairs handed out at a time.
const BATCH: usize = 4096;

/// The receiver refused a batch; its reason is in the sink.
#[derive(Debug)]
pub struct Stopped;

pub type Outcome = Result<(), Stopped>;

/// The receiver, shared by all threads.
pub struct Sink<'a> {
    emit: &'a Emit<'a>,
    stopped: AtomicBool,
    failure: Mutex<Option<Error>>,
}

impl<'a> Sink<'a> {
    pub fn new(emit: &'a Emit<'a>) -> Self {
        Sink { emit, stopped: AtomicBool::new(false), failure: Mutex::new(None) }
    }

    /// The first error of the receiver, if it had one.
    pub fn finish(self) -> Result<()> {
        self.failure.into_inner().unwrap_or_else(PoisonError::into_inner).map_or(Ok(()), Err)
    }

    /// Whether the receiver wants any more, though nothing was found.
    pub fn go_on(&self) -> Outcome {
        self.send(&[])
    }

    fn send(&self, pairs: &[(u32, u32)]) -> Outcome {
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
    sink: &'a Sink<'a>,
    pairs: Vec<(u32, u32)>,
}

impl<'a> Batch<'a> {
    pub fn new(sink: &'a Sink<'a>) -> Self {
        Batch { sink, pairs: Vec::with_capacity(BATCH) }
    }

    #[inline]
    pub fn push(&mut self, a: u32, b: u32) -> Outcome {
        self.pairs.push((a.min(b), a.max(b)));
        if self.pairs.len() < BATCH { Ok(()) } else { self.flush() }
    }

    pub fn flush(&mut self) -> Outcome {
        let sent = if self.pairs.is_empty() { Ok(()) } else { self.sink.send(&self.pairs) };
        self.pairs.clear();
        sent
    }
}
