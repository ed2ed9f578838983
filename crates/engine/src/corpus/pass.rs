//! One pass over a corpus: its chunks, taken by several threads.

use std::ops::ControlFlow;

use lookalike_core::Result;
use lookalike_core::threads::try_on_threads;
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
    try_on_threads(threads, |stop| {
        let (mut worker, mut chunk) = (worker(), Chunk::default());
        while !stop.is_set() && reader.next(&mut chunk, done)? {
            if worker.take(&chunk)?.is_break() {
                stop.set();
            }
        }
        Ok(worker.finish())
    })
}
