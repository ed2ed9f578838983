//! A trained model as a file: the meaning of its numbers, the function, and how it was made.

use std::path::Path;

use lookalike_core::decide::classifier::{Model, Schema, Trained};
use lookalike_core::hash;
use lookalike_core::{Error, Result};
use lookalike_plumbing::files::write_synced;
use serde::{Deserialize, Serialize};
use toml::Table;

use lookalike_learn::report::TrainingReport;

/// The format that this version writes; others are refused.
const FORMAT: u32 = 1;

/// A trained classifier with everything needed to use and judge it.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct ModelFile {
    /// What the file is, for people who open it.
    pub lookalike_model: u32,
    /// The version of the program that wrote it.
    pub version: String,
    /// The learner and its settings.
    pub learner: Table,
    /// What the numbers of a vector mean.
    pub schema: Schema,
    /// The function.
    pub model: Model,
    /// How it was made, and what to expect of it.
    pub report: TrainingReport,
}

impl ModelFile {
    /// A model of this version.
    pub fn new(learner: Table, schema: Schema, model: Model, report: TrainingReport) -> Self {
        let version = env!("CARGO_PKG_VERSION").to_owned();
        ModelFile { lookalike_model: FORMAT, version, learner, schema, model, report }
    }

    /// Reads a file. Anything that is not a model file of this format is refused.
    pub fn read(path: &Path) -> Result<ModelFile> {
        if !path.exists() {
            return Err(Error::config(format!(
                "there is no model `{}`; `lookalike train` makes one from labelled pairs",
                path.display()
            )));
        }
        let bytes = std::fs::read(path).map_err(Error::io(path))?;
        let broken = |error: &dyn std::fmt::Display| {
            Error::Incompatible(format!("{}: no model of this program: {error}", path.display()))
        };
        let file: ModelFile = serde_json::from_slice(&bytes).map_err(|error| broken(&error))?;
        if file.lookalike_model != FORMAT {
            return Err(broken(&format!("its format is {}, known: {FORMAT}", file.lookalike_model)));
        }
        file.model.check().map_err(|error| broken(&error))?;
        Ok(file)
    }

    /// Writes the file atomically.
    pub fn write(&self, path: &Path) -> Result<()> {
        let json = serde_json::to_string_pretty(self)
            .map_err(|error| Error::Internal(format!("{}: {error}", path.display())))?;
        write_synced(path, |file| {
            file.write(json.as_bytes())?;
            file.write(b"\n")
        })
    }

    /// The part that decides.
    pub fn trained(self) -> Trained {
        let bytes = serde_json::to_vec(&(&self.schema, &self.model)).unwrap_or_default();
        let words: Vec<u64> = bytes.chunks(8).map(hash::bytes).collect();
        let id = format!("{:032x}", hash::digest(&words));
        Trained { schema: self.schema, model: self.model, id }
    }
}
