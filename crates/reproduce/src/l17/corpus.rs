//! Writes texts to a corpus file.

use lookalike_core::{Error, Result};
use serde_json::json;

use crate::Data;
use lookalike_engine::run::Job;

/// A job over a corpus of texts, with the settings of the model.
pub fn write_corpus<'t>(
    data: &Data,
    name: &str,
    texts: impl Iterator<Item = (String, &'t str)>,
    model: &Job,
) -> Result<Job> {
    let mut lines = Vec::new();
    for (id, text) in texts {
        lines.extend_from_slice(json!({ "id": id, "text": text }).to_string().as_bytes());
        lines.push(b'\n');
    }
    let file = data.scratch().join(format!("{name}.jsonl"));
    std::fs::write(&file, lines).map_err(Error::io(&file))?;
    Ok(Job { inputs: vec![file.to_string_lossy().into_owned()], ..model.clone() })
}
