//! Work on several threads: the same work on each, or items shared among them with results in order. Also how work is
//! stopped, and what a panic becomes.
//!
//! The `try_` functions are for work that can fail. The first error is the result of the whole call, and the other
//! threads are told to [`Stop`]. A panic counts as an error, since it must not end a service. In the other functions
//! a panic continues in the caller.
//!
//! ```
//! use lookalike_core::threads::{available, try_spread};
//!
//! let lines = ["3", "1", "2"];
//! let read = |_: &mut (), line: &str| line.parse::<u32>().map_err(|_| lookalike_core::Error::input(line));
//! assert_eq!(try_spread(available(), lines, || (), read)?, [3, 1, 2]);
//! # Ok::<(), lookalike_core::Error>(())
//! ```

use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::Duration;

use crate::{Error, Result};

/// As many threads as the machine runs at once.
pub fn available() -> usize {
    thread::available_parallelism().map_or(1, |count| count.get())
}

/// Asks other threads to stop; a request cannot be withdrawn.
#[derive(Debug, Default)]
pub struct Stop {
    asked: Mutex<bool>,
    changed: Condvar,
}

impl Stop {
    /// Asks to stop, and ends all waiting.
    pub fn set(&self) {
        *lock(&self.asked) = true;
        self.changed.notify_all();
    }

    /// Whether somebody asked to stop.
    pub fn is_set(&self) -> bool {
        *lock(&self.asked)
    }

    /// Waits this long or until somebody asks to stop; returns whether somebody did.
    pub fn wait(&self, pause: Duration) -> bool {
        let asked = lock(&self.asked);
        let waited = self.changed.wait_timeout_while(asked, pause, |asked| !*asked);
        *waited.unwrap_or_else(PoisonError::into_inner).0
    }
}

/// Runs `work` and turns a panic into an error.
pub fn caught<T>(work: impl FnOnce() -> Result<T>) -> Result<T> {
    let panicked = |_| Err(Error::Internal("a thread panicked".to_owned()));
    catch_unwind(AssertUnwindSafe(work)).unwrap_or_else(panicked)
}

/// Runs `work` once on each thread, this one among them.
pub fn on_threads<T: Send>(threads: usize, work: impl Fn() -> T + Sync) -> Vec<T> {
    thread::scope(|scope| {
        let others: Vec<_> = (1..threads).map(|_| scope.spawn(&work)).collect();
        let mut results = vec![work()];
        results.extend(
            others.into_iter().map(|thread| thread.join().unwrap_or_else(|panic| resume_unwind(panic))),
        );
        results
    })
}

/// Runs `work` on each item, on several threads; the results are in the order of the items.
pub fn spread<I: Send, T: Send>(
    threads: usize,
    items: impl IntoIterator<Item = I, IntoIter: Send>,
    work: impl Fn(I) -> T + Sync,
) -> Vec<T> {
    let queue = Mutex::new(items.into_iter().enumerate());
    let next = || lock(&queue).next();
    let results = on_threads(threads, || {
        let mut results = Vec::new();
        while let Some((place, item)) = next() {
            results.push((place, work(item)));
        }
        results
    });
    ordered(results)
}

/// Runs the same work on several threads and collects what each returns, in no particular order. When one fails,
/// the others are asked to stop, and their results are dropped.
pub fn try_on_threads<T: Send>(threads: usize, work: impl Fn(&Stop) -> Result<T> + Sync) -> Result<Vec<T>> {
    let (stop, failure) = (Stop::default(), Mutex::new(None));
    let results = on_threads(threads, || match caught(|| work(&stop)) {
        Ok(result) => Some(result),
        Err(error) => {
            lock(&failure).get_or_insert(error);
            stop.set();
            None
        }
    });
    match failure.into_inner().unwrap_or_else(PoisonError::into_inner) {
        Some(error) => Err(error),
        None => Ok(results.into_iter().flatten().collect()),
    }
}

/// Runs `work` on each item, on several threads, each with a state of its own; the results are in the order of the
/// items. After a failure no item is begun.
pub fn try_spread<I: Send, S, T: Send>(
    threads: usize,
    items: impl IntoIterator<Item = I, IntoIter: Send>,
    state: impl Fn() -> S + Sync,
    work: impl Fn(&mut S, I) -> Result<T> + Sync,
) -> Result<Vec<T>> {
    let queue = Mutex::new(items.into_iter().enumerate());
    let next = || lock(&queue).next();
    let results = try_on_threads(threads, |stop| {
        let (mut state, mut results) = (state(), Vec::new());
        while let Some((place, item)) = next().filter(|_| !stop.is_set()) {
            results.push((place, work(&mut state, item)?));
        }
        Ok(results)
    })?;
    Ok(ordered(results))
}

/// Takes items one after the other, runs `work` on them on several threads, and `sink` on the results, one at a time
/// and in the order of the items. Holds no more of them than there are threads.
pub fn try_in_order<I, T>(
    threads: usize,
    next: impl FnMut() -> Result<Option<I>> + Send,
    work: impl Fn(I) -> Result<T> + Sync,
    sink: impl FnMut(T) -> Result<()> + Send,
) -> Result<()> {
    let feed = Mutex::new(Feed { next, number: 0, ended: false });
    let turn = Mutex::new(Turn { next: 0, sink, failure: None });
    let changed = Condvar::new();
    on_threads(threads, || {
        loop {
            let Some((number, item)) = lock(&feed).next() else { return };
            let result = item.and_then(|item| caught(|| work(item)));
            let waiting =
                changed.wait_while(lock(&turn), |turn| turn.next != number && turn.failure.is_none());
            let mut turn = waiting.unwrap_or_else(PoisonError::into_inner);
            if turn.failure.is_some() {
                return;
            }
            if let Err(error) = result.and_then(|result| caught(|| (turn.sink)(result))) {
                turn.failure = Some(error);
                changed.notify_all();
                drop(turn);
                lock(&feed).ended = true;
                return;
            }
            turn.next = number + 1;
            changed.notify_all();
        }
    });
    let turn = turn.into_inner().unwrap_or_else(PoisonError::into_inner);
    turn.failure.map_or(Ok(()), Err)
}

/// Numbers items as they are taken.
struct Feed<N> {
    next: N,
    number: usize,
    ended: bool,
}

impl<N> Feed<N> {
    /// The next item, or why there is none: the last thing that it gives.
    fn next<I>(&mut self) -> Option<(usize, Result<I>)>
    where
        N: FnMut() -> Result<Option<I>>,
    {
        if self.ended {
            return None;
        }
        let item = caught(&mut self.next).transpose();
        self.ended = !matches!(item, Some(Ok(_)));
        self.number += 1;
        item.map(|item| (self.number - 1, item))
    }
}

struct Turn<S> {
    next: usize,
    sink: S,
    failure: Option<Error>,
}

/// Does two things at once. If both fail, the error is that of the first.
pub fn try_both<A, B: Send>(
    first: impl FnOnce() -> Result<A>,
    second: impl FnOnce() -> Result<B> + Send,
) -> Result<(A, B)> {
    let (first, second) = thread::scope(|scope| {
        let second = scope.spawn(|| caught(second));
        let first = caught(first);
        (first, second.join().unwrap_or_else(|panic| resume_unwind(panic)))
    });
    Ok((first?, second?))
}

fn ordered<T>(parts: Vec<Vec<(usize, T)>>) -> Vec<T> {
    let mut results: Vec<(usize, T)> = parts.into_iter().flatten().collect();
    results.sort_unstable_by_key(|&(place, _)| place);
    results.into_iter().map(|(_, result)| result).collect()
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests;
