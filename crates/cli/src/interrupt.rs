//! Ctrl-C: the verb ends as soon as it can, and the person learns how to continue.
//!
//! Whatever a verb has finished is on disk already and survives even a kill, so there is nothing to save here. But a
//! verb that ends by itself removes its temporary files; one that does not end within a moment is ended.

use std::sync::atomic::{AtomicU8, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use tokio::signal::unix::{Signal, SignalKind, signal};

use crate::host;
use crate::out::tell;

/// The signal that came, 0 for none.
static SIGNAL: AtomicU8 = AtomicU8::new(0);
static THEN: Mutex<Option<&str>> = Mutex::new(None);

/// How long a verb may take to end by itself.
const PATIENCE: Duration = Duration::from_secs(3);

const INTERRUPT: u8 = 2;
const TERMINATE: u8 = 15;

/// Waits for Ctrl-C or a request to end, in a thread of its own. Once this has returned, no signal is missed.
pub fn watch() {
    let (watching, is_watching) = std::sync::mpsc::channel::<()>();
    std::thread::spawn(move || {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
        // If that fails, a signal ends the program as usual.
        let Ok(runtime) = runtime else { return };
        let Some(mut signals) = runtime.block_on(async { Signals::new() }) else { return };
        drop(watching);
        let signal = runtime.block_on(signals.next());
        SIGNAL.store(signal, Ordering::Relaxed);
        let again = runtime.block_on(async { tokio::time::timeout(PATIENCE, signals.next()).await });
        drop(again);
        print_advice();
        std::process::exit(128 + i32::from(signal));
    });
    // Ends when the thread drops its end, for whatever reason.
    let _ = is_watching.recv();
}

struct Signals {
    interrupt: Signal,
    terminate: Signal,
}

impl Signals {
    fn new() -> Option<Signals> {
        let interrupt = signal(SignalKind::interrupt()).ok()?;
        let terminate = signal(SignalKind::terminate()).ok()?;
        Some(Signals { interrupt, terminate })
    }

    async fn next(&mut self) -> u8 {
        tokio::select! {
            _ = self.interrupt.recv() => INTERRUPT,
            _ = self.terminate.recv() => TERMINATE,
        }
    }
}

/// What to tell a person who interrupts from now on.
pub fn set_advice(advice: &'static str) {
    // It names the options of a program that nobody runs in a call.
    if host::is_called() {
        return;
    }
    *THEN.lock().unwrap_or_else(PoisonError::into_inner) = Some(advice);
}

/// Whether a person wants the verb to end.
pub fn is_requested() -> bool {
    SIGNAL.load(Ordering::Relaxed) != 0
}

/// Informs the person if the verb ended because of the signal, and returns the exit code.
pub fn exit() -> Option<u8> {
    let signal = SIGNAL.load(Ordering::Relaxed);
    (signal != 0).then(|| {
        print_advice();
        128 + signal
    })
}

fn print_advice() {
    // Only once, by whichever thread comes first.
    let advice = THEN.lock().unwrap_or_else(PoisonError::into_inner).replace("");
    match advice {
        Some("") => {}
        Some(advice) => tell(&format!("interrupted; {advice}")),
        None => tell("interrupted"),
    }
}
