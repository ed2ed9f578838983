//! The threads that talk to stores, and how others wait for them.
//!
//! The libraries of stores are asynchronous and the rest of this program is not. Work is handed to threads of their
//! own and waited for through a channel, so that a caller may be on any thread, one of a service too.

use std::future::Future;
use std::io;
use std::sync::OnceLock;
use std::sync::mpsc::{Receiver, channel};

use tokio::runtime::{Builder, Runtime};
use tokio::task::AbortHandle;

/// They mostly wait; two decrypt what a fast network brings.
const THREADS: usize = 2;

fn runtime() -> io::Result<&'static Runtime> {
    static RUNTIME: OnceLock<Result<Runtime, String>> = OnceLock::new();
    let made = RUNTIME.get_or_init(|| {
        let made =
            Builder::new_multi_thread().worker_threads(THREADS).thread_name("stores").enable_all().build();
        made.map_err(|error| error.to_string())
    });
    made.as_ref().map_err(|error| io::Error::other(format!("no threads for the network: {error}")))
}

/// Chooses who encrypts, before the first connection is made. That is done once for the process; if the program has chosen
/// already, that is as good.
pub fn choose_encryption() {
    if rustls::crypto::CryptoProvider::get_default().is_none() {
        let _ = rustls::crypto::ring::default_provider().install_default();
    }
}

/// Work that has begun elsewhere. Dropped before its end, it is given up.
#[derive(Debug)]
pub struct Pending<T> {
    receiver: Receiver<T>,
    task: AbortHandle,
}

impl<T: Send + 'static> Pending<T> {
    /// Begins some work.
    pub fn begin(work: impl Future<Output = T> + Send + 'static) -> io::Result<Pending<T>> {
        let (sender, receiver) = channel();
        let task = runtime()?.spawn(async move {
            // Nobody may be waiting any more.
            let _ = sender.send(work.await);
        });
        Ok(Pending { receiver, task: task.abort_handle() })
    }

    /// Waits for its end.
    pub fn wait(&self) -> io::Result<T> {
        self.receiver.recv().map_err(|_| io::Error::other("the transfer ended unexpectedly"))
    }
}

impl<T> Drop for Pending<T> {
    fn drop(&mut self) {
        self.task.abort();
    }
}

/// Does work elsewhere and waits for its end.
pub fn wait_for<T: Send + 'static>(work: impl Future<Output = T> + Send + 'static) -> io::Result<T> {
    Pending::begin(work)?.wait()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn work_is_waited_for_from_any_thread() {
        assert_eq!(wait_for(async { 7 }).unwrap(), 7);
        // Within a runtime waiting by `block_on` would panic.
        let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
        assert_eq!(runtime.block_on(async { wait_for(async { 8 }).unwrap() }), 8);
        assert!(wait_for(async { panic!("on purpose") }).is_err());
    }
}
