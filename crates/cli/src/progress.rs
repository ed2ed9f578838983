//! Progress on a terminal; warnings anywhere.

use std::io::IsTerminal;
use std::sync::{Mutex, PoisonError};

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use lookalike::{Error, Progress, Result};
use lookalike_report::text::printable;

use crate::interrupt;
use crate::out::{seconds, tell};

pub struct Bars {
    bar: Mutex<Option<ProgressBar>>,
    visible: bool,
    quiet: bool,
}

impl Bars {
    pub fn new(quiet: bool) -> Self {
        Bars { bar: Mutex::new(None), visible: !quiet && std::io::stderr().is_terminal(), quiet }
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

    fn advance(&self, units: u64, _documents: u64) -> Result<()> {
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
        if !self.quiet {
            tell(&format!("This takes about {}", seconds(about)));
        }
    }

    fn warn(&self, message: &str) {
        // It contains names of files and documents.
        let message = printable(message);
        match &*self.bar.lock().unwrap_or_else(PoisonError::into_inner) {
            Some(bar) => bar.suspend(|| tell(&format!("warning: {message}"))),
            None => tell(&format!("warning: {message}")),
        }
    }
}
