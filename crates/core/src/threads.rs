//! Work on several threads.

use std::panic::resume_unwind;
use std::sync::{Mutex, PoisonError};
use std::thread;

/// Runs `work` once on each thread.
pub(crate) fn on_threads<T: Send>(threads: usize, work: impl Fn() -> T + Sync) -> Vec<T> {
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
pub(crate) fn spread<I: Send, T: Send>(
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
