//! A frozen partition as a file.

use std::path::Path;

use lookalike_core::partition::FrozenPartition;
use lookalike_core::{Error, Result};
use lookalike_plumbing::files::write_synced;

use crate::pipeline::{Branch, Pipeline};

/// Where a run with clusters leaves them.
pub const PARTITION_FILE: &str = "clusters.partition";

/// Reads a file. Anything that is not a partition of this format is refused.
pub fn read(path: &Path) -> Result<FrozenPartition> {
    if !path.exists() {
        return Err(Error::config(format!(
            "there is no partition `{}`; a run with clusters leaves one with its results, as {PARTITION_FILE}",
            path.display()
        )));
    }
    let bytes = std::fs::read(path).map_err(Error::io(path))?;
    FrozenPartition::read(&bytes).map_err(|error| match error {
        Error::Incompatible(reason) => Error::Incompatible(format!("{}: {reason}", path.display())),
        other => other,
    })
}

/// Leaves the clusters that a pipeline found with its results, so that later documents can find theirs. Members of an
/// ensemble have files of their own.
pub fn keep(pipeline: &Pipeline, output: &Path) -> Result<()> {
    for branch in &pipeline.branches {
        if let Some(partition) = branch.partition() {
            let bytes = partition.to_bytes();
            write_synced(&output.join(file_of(pipeline, branch)), |file| file.write(&bytes))?;
        }
    }
    Ok(())
}

fn file_of(pipeline: &Pipeline, branch: &Branch) -> String {
    match pipeline.branches.len() {
        1 => PARTITION_FILE.to_owned(),
        _ => format!("{}-{PARTITION_FILE}", branch.name),
    }
}
