//! Lexicons by name.

use std::sync::Arc;

use lookalike_core::lexicon::{Lexicon, Lexicons};
use lookalike_core::{Error, Result};

/// Where a recipe's lexicons come from.
#[derive(Default)]
pub struct Shelf {}

impl Lexicons for Shelf {
    fn load(&self, name: &str) -> Result<Arc<Lexicon>> {
        Err(Error::config(format!("unknown lexicon `{name}`")))
    }
}
