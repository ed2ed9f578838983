//! Work on a store beside everything else that is done to it, on a thread of its own: one piece of work at a time.
//!
//! Nobody waits for it, so it leaves the disk and the processor to others for as long as it uses them itself. What fails
//! is told by the next `maintain` and tried again after a while; the store stays as it was.

use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use lookalike_core::threads::{Stop, caught};
use lookalike_core::{Error, Result};

use super::Store;
use super::upkeep::Due;

/// Before work that failed is tried again.
const PAUSE: Duration = Duration::from_secs(10);
/// Checkpoints, half of which is rest, may take one part in so many of the time, unless there are many operations.
const SHARE: u32 = 10;
/// Less than this is not worth a rest, more than this is too long for one.
const RESTS: [Duration; 2] = [Duration::from_millis(2), Duration::from_millis(200)];

#[derive(Default)]
pub struct Background {
    work: Mutex<Work>,
    ended: Condvar,
}

#[derive(Default)]
struct Work {
    /// What running work is stopped by.
    running: Option<Arc<Stop>>,
    /// How many callers want none to run.
    held: usize,
    /// Whether it is to take no rest, and whether writers are to wait for its end.
    is_urgent: bool,
    is_behind: bool,
    failure: Option<Error>,
    /// When work that failed may be tried again.
    not_before: Option<Instant>,
    /// When the last checkpoint ended, and how long it took.
    checkpoint: Option<(Instant, Duration)>,
}

/// While this lives, no work runs.
pub struct Held<'a>(&'a Background);

impl Drop for Held<'_> {
    fn drop(&mut self) {
        self.0.lock().held -= 1;
    }
}

impl Store {
    /// Begins what is due, unless something is being done already or failed just now.
    pub(super) fn begin_work(self: &Arc<Self>) {
        let stop = {
            let mut work = self.background.lock();
            let waits = work.not_before.is_some_and(|time| Instant::now() < time);
            if work.running.is_some() || work.held > 0 || waits {
                return;
            }
            Arc::clone(work.running.insert(Arc::default()))
        };
        let store = Arc::clone(self);
        let begun = std::thread::Builder::new().name("index-upkeep".to_owned()).spawn(move || {
            let done = caught(|| store.work(&stop));
            // Who stopped it may have removed the files that it used.
            store.background.end(if stop.is_set() { Ok(()) } else { done });
        });
        if let Err(error) = begun {
            self.background.end(Err(Error::io(&self.folder)(error)));
        }
    }

    fn work(self: &Arc<Self>, stop: &Stop) -> Result<()> {
        loop {
            let due = {
                let writer = self.lock()?;
                writer.due().filter(|&due| due == Due::Keys || writer.may_be_in_background())
            };
            match due {
                _ if stop.is_set() => return Ok(()),
                None => return Ok(()),
                Some(Due::Keys) => self.move_keys(&mut Rest::new(stop, &self.background))?,
                Some(Due::Checkpoint) => {
                    let start = Instant::now();
                    self.checkpoint_beside(&mut Rest::new(stop, &self.background))?;
                    self.background.lock().checkpoint = Some((Instant::now(), start.elapsed()));
                }
            }
        }
    }

    /// Ends the work that runs, and lets none begin as long as the result lives. Not to be called by who has a
    /// [`StoreWriter`](super::StoreWriter), for which the work may wait.
    pub fn hold_work(&self) -> Held<'_> {
        self.background.hold()
    }
}

impl Background {
    fn lock(&self) -> MutexGuard<'_, Work> {
        self.work.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn end(&self, done: Result<()>) {
        let mut work = self.lock();
        (work.running, work.is_urgent, work.is_behind) = (None, false, false);
        work.not_before = None;
        match done {
            Ok(()) => {}
            Err(error) => {
                work.not_before = Some(Instant::now() + PAUSE);
                work.failure = Some(error);
            }
        }
        drop(work);
        self.ended.notify_all();
    }

    fn hold(&self) -> Held<'_> {
        let mut work = self.lock();
        work.held += 1;
        if let Some(stop) = &work.running {
            stop.set();
        }
        let ended = self.ended.wait_while(work, |work| work.running.is_some());
        drop(ended.unwrap_or_else(PoisonError::into_inner));
        Held(self)
    }

    pub fn end_for_good(&self) {
        std::mem::forget(self.hold());
    }

    /// Asks the work that runs to end, because what it does is done otherwise.
    pub fn ask_to_end(&self) {
        if let Some(stop) = &self.lock().running {
            stop.set();
        }
    }

    /// Lets the work that runs take no rest.
    pub fn hurry(&self) {
        let mut work = self.lock();
        work.is_urgent = work.running.is_some();
    }

    /// Lets writers wait for the work that runs. Returns whether none may run, so that there is nothing to wait for.
    pub fn fall_behind(&self) -> bool {
        let mut work = self.lock();
        work.is_behind = work.running.is_some();
        work.held > 0 && !work.is_behind
    }

    pub fn wait_if_behind(&self) {
        let ended = self.ended.wait_while(self.lock(), |work| work.is_behind);
        drop(ended.unwrap_or_else(PoisonError::into_inner));
    }

    #[cfg(test)]
    pub fn wait(&self) {
        let ended = self.ended.wait_while(self.lock(), |work| work.running.is_some());
        drop(ended.unwrap_or_else(PoisonError::into_inner));
    }

    /// As if it had been long ago.
    #[cfg(test)]
    pub fn forget_failure(&self) {
        self.lock().not_before = None;
    }

    /// Why work failed, told once.
    pub fn take_failure(&self) -> Option<Error> {
        self.lock().failure.take()
    }

    /// Whether the last checkpoint was so long ago that another one would take a small part of the time only.
    pub fn is_time_for_checkpoint(&self) -> bool {
        self.lock().checkpoint.is_none_or(|(ended, took)| ended.elapsed() >= took * SHARE)
    }
}

/// Lets others have the disk and the processor for as long as the work used them, and ends it when that is asked for.
pub struct Rest<'a> {
    stop: &'a Stop,
    background: &'a Background,
    since: Instant,
}

impl<'a> Rest<'a> {
    pub fn new(stop: &'a Stop, background: &'a Background) -> Rest<'a> {
        Rest { stop, background, since: Instant::now() }
    }

    /// To be called often, holding no lock.
    pub fn rest(&mut self) -> Result<()> {
        let [least, most] = RESTS;
        let used = self.since.elapsed();
        if used < least {
            return Ok(());
        }
        let rest = if self.background.lock().is_urgent { Duration::ZERO } else { used.min(most) };
        if self.stop.wait(rest) {
            return Err(Error::Cancelled);
        }
        self.since = Instant::now();
        Ok(())
    }

    pub fn is_stopped(&self) -> bool {
        self.stop.is_set()
    }
}
