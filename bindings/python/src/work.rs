//! Long work: without the interpreter's lock, told of as it goes on, stopped by Ctrl-C.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::mpsc::{self, RecvTimeoutError};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use lookalike::{Error, Progress, Result};
use lookalike_cli::Host;
use pyo3::prelude::*;

use crate::errors::exception;
use crate::parts::Failure;
use crate::session::Session;

/// How often signals are looked for and progress is shown.
const PAUSE: Duration = Duration::from_millis(50);

/// What a long job tells, from many threads.
#[derive(Default)]
pub struct Teller {
    stopped: AtomicBool,
    stage: Mutex<(&'static str, u64)>,
    done: AtomicU64,
    messages: Mutex<Vec<String>>,
    failure: Failure,
}

impl Progress for Teller {
    fn stage(&self, name: &'static str, total: u64) {
        *self.stage.lock().unwrap_or_else(PoisonError::into_inner) = (name, total);
        self.done.store(0, Ordering::Relaxed);
    }

    fn advance(&self, units: u64, _documents: u64) -> Result<()> {
        self.done.fetch_add(units, Ordering::Relaxed);
        let is_over = self.stopped.load(Ordering::Relaxed) || self.failure.is_there();
        if is_over { Err(Error::Cancelled) } else { Ok(()) }
    }

    fn warn(&self, message: &str) {
        self.messages.lock().unwrap_or_else(PoisonError::into_inner).push(message.to_owned());
    }
}

impl Host for Teller {
    fn tell(&self, _message: &str) {
        // Where files were written and the like: callers have named the places themselves.
    }
}

/// Does work on another thread, while this one looks for signals and calls `show` with stage, done, total and
/// new warnings: only the main thread of Python gets signals.
pub fn run<T: Send>(
    py: Python<'_>,
    show: Option<&Bound<'_, PyAny>>,
    session: &Session,
    work: impl FnOnce(&Arc<Teller>) -> Result<T> + Send,
) -> PyResult<T> {
    let teller = Arc::new(Teller { failure: session.failure.clone(), ..Teller::default() });
    let mut interrupted = None;
    let done = std::thread::scope(|scope| {
        let (send, mut receive) = mpsc::channel();
        let own = &teller;
        scope.spawn(move || {
            let outcome = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| work(own)));
            // The receiver waits until this arrives.
            let _ =
                send.send(outcome.unwrap_or_else(|_| Err(Error::Internal("a thread panicked".to_owned()))));
        });
        loop {
            let received;
            (receive, received) = py.detach(move || {
                let received = receive.recv_timeout(PAUSE);
                (receive, received)
            });
            if interrupted.is_none() {
                interrupted = tell(py, show, &teller).err();
                if interrupted.is_some() {
                    teller.stopped.store(true, Ordering::Relaxed);
                }
            }
            match received {
                Ok(outcome) => return outcome,
                Err(RecvTimeoutError::Timeout) => {}
                Err(RecvTimeoutError::Disconnected) => {
                    return Err(Error::Internal("a thread ended without a result".to_owned()));
                }
            }
        }
    });
    session.failure.raise()?;
    match interrupted {
        Some(error) => Err(error),
        None => done.map_err(exception),
    }
}

fn tell(py: Python<'_>, show: Option<&Bound<'_, PyAny>>, teller: &Teller) -> PyResult<()> {
    py.check_signals()?;
    let Some(show) = show else { return Ok(()) };
    let (stage, total) = *teller.stage.lock().unwrap_or_else(PoisonError::into_inner);
    let messages = std::mem::take(&mut *teller.messages.lock().unwrap_or_else(PoisonError::into_inner));
    show.call1((stage, teller.done.load(Ordering::Relaxed), total, messages))?;
    Ok(())
}
