//! Progress on a terminal, or to the host of a call; warnings anywhere.

mod whole;

use std::io::IsTerminal;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Instant;

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use lookalike::{Error, Progress, Result};
use lookalike_report::text::printable;

use crate::host::{self, Host};
use crate::interrupt;
use crate::out::{seconds, tell};

use self::whole::{Standing, Whole};

/// The bar of a run has this length.
const PER_MILLE: u64 = 1000;

pub struct Bars {
    /// Who gets all of it, in a call.
    host: Option<Arc<dyn Host>>,
    bar: Mutex<Option<ProgressBar>>,
    /// A run, which has one bar for all its stages.
    whole: Mutex<Option<Whole>>,
    visible: bool,
    quiet: bool,
}

impl Bars {
    pub fn new(quiet: bool) -> Self {
        let host = host::current();
        let visible = !quiet && host.is_none() && std::io::stderr().is_terminal();
        Bars { host, bar: Mutex::new(None), whole: Mutex::new(None), visible, quiet }
    }

    pub fn finish(&self) {
        if let Some(bar) = self.bar.lock().unwrap_or_else(PoisonError::into_inner).take() {
            bar.finish_and_clear();
        }
    }
}

impl Progress for Bars {
    fn stage(&self, name: &'static str, total: u64) {
        if let (Some(host), false) = (&self.host, self.quiet) {
            host.stage(name, total);
        }
        if !self.visible {
            return;
        }
        let now = Instant::now();
        let mut whole = self.whole.lock().unwrap_or_else(PoisonError::into_inner);
        if whole.as_mut().is_some_and(|whole| whole.goes_on(name, total, now))
            && let Some(bar) = &*self.bar.lock().unwrap_or_else(PoisonError::into_inner)
        {
            return bar.set_prefix(name);
        }
        self.finish();
        *whole = Whole::begins(name, total, now);
        let numbers = match name {
            "counting" => "{bytes}/{total_bytes}  {bytes_per_sec}  {eta} left",
            _ if whole.is_some() => "{percent:>3} %  {msg}",
            _ => "{human_pos}/{human_len}  {per_sec}  {eta} left",
        };
        let total = if whole.is_some() { PER_MILLE } else { total };
        let bar = ProgressBar::with_draw_target(Some(total), ProgressDrawTarget::stderr());
        bar.set_style(
            ProgressStyle::with_template(&format!("{{prefix:10}} {{bar:30}} {numbers}"))
                .unwrap_or_else(|_| ProgressStyle::default_bar()),
        );
        bar.set_prefix(name);
        *self.bar.lock().unwrap_or_else(PoisonError::into_inner) = Some(bar);
    }

    fn advance(&self, units: u64, documents: u64) -> Result<()> {
        match &self.host {
            // It may want the verb to end also where it wants to see no progress.
            Some(host) if self.quiet => return host.advance(0, 0),
            Some(host) => return host.advance(units, documents),
            None => {}
        }
        if interrupt::is_requested() {
            return Err(Error::Cancelled);
        }
        if !self.visible {
            return Ok(());
        }
        let mut whole = self.whole.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(bar) = &*self.bar.lock().unwrap_or_else(PoisonError::into_inner) {
            match &mut *whole {
                None => bar.inc(units),
                Some(whole) => {
                    whole.advance(units, documents);
                    let Standing { share, left } = whole.standing(Instant::now());
                    bar.set_position((share * PER_MILLE as f64) as u64);
                    bar.set_message(left.map_or(String::new(), |left| format!("{} left", seconds(left))));
                }
            }
        }
        Ok(())
    }

    fn expect(&self, about: f64) {
        self.finish();
        match &self.host {
            _ if self.quiet => {}
            Some(host) => host.expect(about),
            None => tell(&format!("This takes about {}", seconds(about))),
        }
    }

    fn warn(&self, message: &str) {
        // It contains names of files and documents.
        let message = printable(message);
        if let Some(host) = &self.host {
            return host.warn(&message);
        }
        match &*self.bar.lock().unwrap_or_else(PoisonError::into_inner) {
            Some(bar) => bar.suspend(|| tell(&format!("warning: {message}"))),
            None => tell(&format!("warning: {message}")),
        }
    }
}
