//! Limits how much work on the index runs at once.
//!
//! Such work blocks, so it runs on threads of its own. A fixed number runs, a fixed number waits, and everything
//! beyond that is answered with 503, so that memory does not grow with the load.
//!
//! A place belongs to the work, not to the request: when a caller hangs up or its request times out, the place stays
//! taken until the work has ended.
//!
//! Only half of the places are open to work that changes the index. While such work waits for the disk, questions
//! are still answered.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Instant;

use tokio::sync::{OwnedSemaphorePermit, Semaphore};

use crate::error::{ApiError, ApiResult};
use crate::traces;

pub struct WorkLimiter {
    places: Arc<Semaphore>,
    /// Work that changes the index needs one of these and a place.
    writers: Arc<Semaphore>,
    workers: usize,
    queue: usize,
    waiting: AtomicUsize,
}

impl WorkLimiter {
    pub fn new(workers: usize, queue: usize) -> Self {
        let writers = Arc::new(Semaphore::new(workers.div_ceil(2)));
        let places = Arc::new(Semaphore::new(workers));
        WorkLimiter { places, writers, workers, queue, waiting: AtomicUsize::new(0) }
    }

    /// Does the work when there is a place; 503 if too many wait already.
    pub async fn run<T: Send + 'static>(&self, work: impl FnOnce() -> T + Send + 'static) -> ApiResult<T> {
        let place = match Arc::clone(&self.places).try_acquire_owned() {
            Ok(place) => place,
            Err(_) => {
                let _waiting = self.wait()?;
                traced("wait", place(&self.places)).await?
            }
        };
        perform(place, work).await
    }

    /// The same for work that changes the index.
    pub async fn write<T: Send + 'static>(&self, work: impl FnOnce() -> T + Send + 'static) -> ApiResult<T> {
        let [writers, places] = [&self.writers, &self.places].map(Arc::clone);
        let both = match (writers.try_acquire_owned(), places.try_acquire_owned()) {
            (Ok(writer), Ok(place)) => (writer, place),
            some => {
                drop(some);
                let _waiting = self.wait()?;
                traced("wait", self.writer()).await?
            }
        };
        perform(both, work).await
    }

    /// The same, but waits for a place however long it takes: for a stream, whose sender waits meanwhile.
    pub async fn write_patiently<T: Send + 'static>(
        &self,
        work: impl FnOnce() -> T + Send + 'static,
    ) -> ApiResult<T> {
        perform(traced("wait", self.writer()).await?, work).await
    }

    pub fn waiting(&self) -> usize {
        self.waiting.load(Ordering::Relaxed)
    }

    pub fn running(&self) -> usize {
        self.workers.saturating_sub(self.places.available_permits())
    }

    fn wait(&self) -> ApiResult<Waiting<'_>> {
        Waiting::enter(&self.waiting, self.queue).ok_or_else(ApiError::busy)
    }

    /// Takes the permit to write first, so that work that waits for it keeps no place from others.
    async fn writer(&self) -> ApiResult<(OwnedSemaphorePermit, OwnedSemaphorePermit)> {
        Ok((place(&self.writers).await?, place(&self.places).await?))
    }
}

async fn place(places: &Arc<Semaphore>) -> ApiResult<OwnedSemaphorePermit> {
    Arc::clone(places).acquire_owned().await.map_err(|_| ApiError::shutting_down())
}

async fn perform<T: Send + 'static>(
    place: impl Send + 'static,
    work: impl FnOnce() -> T + Send + 'static,
) -> ApiResult<T> {
    // Log lines of the work carry the id of the request.
    let request = tracing::Span::current();
    let task = tokio::task::spawn_blocking(move || {
        let _place = place;
        request.in_scope(work)
    });
    traced("work", task).await.map_err(|error| {
        tracing::error!(%error, "work on the index panicked");
        ApiError::internal()
    })
}

/// Notes in the trace of the request how long something took.
async fn traced<T>(name: &'static str, something: impl Future<Output = T>) -> T {
    let began = Instant::now();
    let done = something.await;
    traces::step(name, began, Instant::now());
    done
}

/// Counts one request as waiting until it is dropped, even if its caller has disconnected.
struct Waiting<'a>(&'a AtomicUsize);

impl<'a> Waiting<'a> {
    fn enter(count: &'a AtomicUsize, most: usize) -> Option<Self> {
        let enter = |waiting: usize| (waiting < most).then_some(waiting + 1);
        count.fetch_update(Ordering::Relaxed, Ordering::Relaxed, enter).ok().map(|_| Waiting(count))
    }
}

impl Drop for Waiting<'_> {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::Relaxed);
    }
}

#[cfg(test)]
mod tests {
    use std::sync::mpsc;

    use super::*;

    #[tokio::test]
    async fn beyond_the_queue_there_is_no_waiting() {
        let limiter = Arc::new(WorkLimiter::new(1, 1));
        let (release, released) = mpsc::channel::<()>();
        let (started, mut has_started) = tokio::sync::mpsc::unbounded_channel();
        let ours = Arc::clone(&limiter);
        let first = tokio::spawn(async move {
            ours.run(move || {
                let _ = started.send(());
                released.recv().is_ok()
            })
            .await
        });
        has_started.recv().await.unwrap();
        let ours = Arc::clone(&limiter);
        let second = tokio::spawn(async move { ours.run(|| 2).await });
        while limiter.waiting() == 0 {
            tokio::task::yield_now().await;
        }
        let refused = limiter.run(|| 3).await.unwrap_err();
        assert_eq!((refused.code, refused.retry_after), ("busy", Some(1)));
        release.send(()).unwrap();
        assert!(first.await.unwrap().unwrap());
        assert_eq!(second.await.unwrap().unwrap(), 2);
        assert_eq!((limiter.waiting(), limiter.running()), (0, 0));
    }

    #[tokio::test]
    async fn while_changes_wait_questions_are_answered() {
        let limiter = Arc::new(WorkLimiter::new(2, 8));
        let (release, released) = mpsc::channel::<()>();
        let released = Arc::new(std::sync::Mutex::new(released));
        let changes: Vec<_> = (0..4)
            .map(|_| {
                let (ours, released) = (Arc::clone(&limiter), Arc::clone(&released));
                tokio::spawn(async move { ours.write(move || released.lock().unwrap().recv().is_ok()).await })
            })
            .collect();
        while limiter.waiting() < 3 {
            tokio::task::yield_now().await;
        }
        assert_eq!((limiter.run(|| 7).await.unwrap(), limiter.running()), (7, 1));
        (0..4).for_each(|_| release.send(()).unwrap());
        for change in changes {
            assert!(change.await.unwrap().unwrap());
        }
        assert_eq!((limiter.waiting(), limiter.running()), (0, 0));
    }

    #[tokio::test]
    async fn a_caller_that_leaves_frees_no_place() {
        let limiter = Arc::new(WorkLimiter::new(1, 0));
        let (release, released) = mpsc::channel::<()>();
        let (started, mut has_started) = tokio::sync::mpsc::unbounded_channel();
        let ours = Arc::clone(&limiter);
        let caller = tokio::spawn(async move {
            ours.run(move || {
                let _ = started.send(());
                let _ = released.recv();
            })
            .await
        });
        has_started.recv().await.unwrap();
        caller.abort();
        let _ = caller.await;
        assert_eq!(limiter.run(|| ()).await.unwrap_err().code, "busy");
        release.send(()).unwrap();
        while limiter.running() > 0 {
            tokio::task::yield_now().await;
        }
        assert!(limiter.run(|| ()).await.is_ok());
        let panicked = limiter.run::<()>(|| panic!("as asked")).await.unwrap_err();
        assert_eq!(panicked.code, "internal");
        assert!(limiter.run(|| ()).await.is_ok(), "a panic keeps no place");
    }
}
