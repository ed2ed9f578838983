//! One pass over a corpus: its chunks, taken by several threads.

use std::ops::ControlFlow;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, PoisonError};

use lookalike_core::{Error, Result};
use lookalike_io::read::{Chunk, Reader};

/// What becomes of the chunks on one thread.
pub trait ChunkWorker {
    /// What is left when there are no more chunks.
    type Left: Send;

    /// Whoever breaks or fails ends the pass; chunks in other threads' hands are finished.
    fn take(&mut self, chunk: &Chunk) -> Result<ControlFlow<()>>;

    /// Still on the thread, so that work at the end is done side by side, too.
    fn finish(self) -> Self::Left;
}

/// Hands every chunk that is not `done` already to one of the workers, and gives what they are left with, in no
/// particular order. The first error is the outcome of the pass.
pub fn for_each_chunk<W: ChunkWorker>(
    reader: &Reader,
    threads: usize,
    done: &(dyn Fn(usize, u64) -> bool + Sync),
    worker: impl Fn() -> W + Sync,
) -> Result<Vec<W::Left>> {
    let stop = AtomicBool::new(false);
    let found = Mutex::new((Vec::new(), None::<Error>));
    let work = |worker: &mut W| -> Result<()> {
        let mut chunk = Chunk::default();
        while !stop.load(Ordering::Relaxed) && reader.next(&mut chunk, done)? {
            if worker.take(&chunk)?.is_break() {
                stop.store(true, Ordering::Relaxed);
            }
        }
        Ok(())
    };
    std::thread::scope(|scope| {
        for _ in 0..threads {
            scope.spawn(|| {
                let mut worker = worker();
                let outcome = work(&mut worker);
                if outcome.is_err() {
                    stop.store(true, Ordering::Relaxed);
                }
                let left = worker.finish();
                let mut found = found.lock().unwrap_or_else(PoisonError::into_inner);
                found.0.push(left);
                if let Err(error) = outcome {
                    found.1.get_or_insert(error);
                }
            });
        }
    });
    let (left, error) = found.into_inner().unwrap_or_else(PoisonError::into_inner);
    error.map_or(Ok(left), Err)
}
