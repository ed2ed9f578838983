//! The fields of a document's line that the index itself reads.

use lookalike_core::{Error, Result};
use serde::Deserialize;

/// Why a document's text is weak, if it says so.
pub fn weak_reason(line: &str) -> Option<String> {
    #[derive(Deserialize)]
    struct Weak {
        weak: Option<String>,
    }
    serde_json::from_str::<Weak>(line).ok()?.weak
}

/// The fields that the index itself reads, besides those of the recipe.
#[derive(Default)]
pub struct Extras {
    pub labels: Vec<String>,
    pub set: String,
}

#[derive(Deserialize)]
struct RawExtras {
    labels: Option<Vec<String>>,
    set: Option<String>,
}

impl Extras {
    pub fn read(line: &str) -> Result<Extras> {
        // Most documents have neither field, and this scan is cheaper than parsing them again.
        let line_bytes = line.as_bytes();
        let may_be_own = |at: usize| {
            let rest = &line_bytes[at..];
            rest.starts_with(b"\"labels\"") || rest.starts_with(b"\"set\"") || rest.starts_with(b"\\u00")
        };
        if !memchr::memchr2_iter(b'"', b'\\', line_bytes).any(may_be_own) {
            return Ok(Extras::default());
        }
        let raw: RawExtras = serde_json::from_str(line).map_err(|error| {
            let message = error.to_string();
            let message = message.split(" at line ").next().unwrap_or_default();
            Error::input(format!("labels must be a list of texts and set a text: {message}"))
        })?;
        Ok(Extras { labels: raw.labels.unwrap_or_default(), set: raw.set.unwrap_or_default() })
    }
}
