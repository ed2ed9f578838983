//! Progress on a terminal, or to the host of a call; warnings anywhere.

use std::io::IsTerminal;
use std::sync::{Arc, Mutex, PoisonError};

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use lookalike::{Error, Progress, Result};
use lookalike_report::text::printable;

use crate::host::{self, Host};
use crate::interrupt;
use crate::out::{seconds, tell};

pub struct Bars {
    /// Who gets all of it, in a call.
    host: Option<Arc<dyn Host>>,
    bar: Mutex<Option<ProgressBar>>,
    visible: bool,
    quiet: bool,
}

impl Bars {
    pub fn new(quiet: bool) -> Self {
        let host = host::current();
        let visible = !quiet && host.is_none() && std::io::stderr().is_terminal();
        Bars { host, bar: Mutex::new(None), visible, quiet }
    }

    pub fn finish(&self) {
        if let Some(bar) = self.bar.lock().unwrap_or_else(PoisonError::into_inner).take() {
            bar.finish_and_clear();
        }
    }
}

impl Progress for Bars {
    fn stage(&self, name: &'static str, total: u64) {
        self.finish();
        if let (Some(host), false) = (&self.host, self.quiet) {
            host.stage(name, total);
        }
        if !self.visible {
            return;
        }
        let numbers = match name {
            "signing" | "counting" => "{bytes}/{total_bytes}  {bytes_per_sec}",
            _ => "{human_pos}/{human_len}  {per_sec}",
        };
        let template = format!("{{prefix:10}} {{bar:30}} {numbers}  {{eta}} left");
        let bar = ProgressBar::with_draw_target(Some(total), ProgressDrawTarget::stderr());
        bar.set_style(
            ProgressStyle::with_template(&template).unwrap_or_else(|_| ProgressStyle::default_bar()),
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
        if self.visible
            && let Some(bar) = &*self.bar.lock().unwrap_or_else(PoisonError::into_inner)
        {
            bar.inc(units);
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
