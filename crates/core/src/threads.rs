//! Work on several threads.

use std::panic::resume_unwind;
use std::sync::{Mutex, PoisonError};
use std::thread;

use crate::{Error, Result};

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

/// Runs the same work on several threads and collects what each gives, in no order. The first error is that of all; so
/// is a panic, which must not end a service.
pub fn try_on_threads<T: Send>(threads: usize, work: impl Fn() -> Result<T> + Sync) -> Result<Vec<T>> {
    thread::scope(|scope| {
        let threads: Vec<_> = (0..threads.max(1)).map(|_| scope.spawn(&work)).collect();
        // All are waited for before any error is told.
        let results: Vec<_> = threads.into_iter().map(|thread| thread.join()).collect();
        let panicked = |_| Err(Error::Internal("a thread panicked".to_owned()));
        results.into_iter().map(|result| result.unwrap_or_else(panicked)).collect()
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_error_or_a_panic_of_one_thread_is_an_error_of_all() {
        let next = Mutex::new(0..);
        let number = || next.lock().unwrap_or_else(PoisonError::into_inner).next().unwrap_or(0);
        let mut all = try_on_threads(3, || Ok(number())).unwrap();
        all.sort_unstable();
        assert_eq!(all, [0, 1, 2]);
        let failed = try_on_threads(3, || if number() == 4 { Err(Error::input("bad")) } else { Ok(()) });
        assert!(matches!(failed, Err(Error::Input(_))));
        let panicked = try_on_threads(2, || if number() == 7 { panic!("on purpose") } else { Ok(()) });
        assert!(matches!(panicked, Err(Error::Internal(_))));
    }
}
