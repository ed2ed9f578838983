//! Decisions of people: where they are stored, and how they get into a run or another view.

use std::path::Path;

use anyhow::{Context, bail};
use lookalike::Session;
use lookalike::decisions::Decisions;
use lookalike::index::Index;

use crate::out::{count, tell};

/// The folder of `lookalike view` in the output folder of a run.
pub const VIEW: &str = ".lookalike-view";
/// Decisions from an earlier view of the folder about documents or texts that the current run does not have.
const WAITING: &str = ".lookalike-decisions.jsonl";

/// Reads a file of decisions; or those of an index, of a service's data folder, or of a run that was viewed.
pub fn read(session: &Session, path: &Path) -> anyhow::Result<Decisions> {
    if !path.is_dir() {
        return Ok(Decisions::read(path)?);
    }
    let within = [path.to_owned(), path.join("index")].into_iter().find(|folder| Index::is_in(folder));
    if let Some(folder) = within {
        return Ok(session.open_index(&folder)?.reader().all_decisions()?);
    }
    let has_view = Index::is_in(&path.join(VIEW).join("index")) || path.join(WAITING).exists();
    if !has_view {
        bail!(
            "{} holds no decisions: an index, the data of `lookalike serve`, or a result that was looked at with \
             `lookalike view`",
            path.display()
        );
    }
    of_view(session, path)
}

/// The decisions made in views of a run's folder.
pub fn of_view(session: &Session, folder: &Path) -> anyhow::Result<Decisions> {
    let mut decisions = Decisions::default();
    let waiting = folder.join(WAITING);
    if waiting.exists() {
        decisions = Decisions::read(&waiting)?;
    }
    let index = folder.join(VIEW).join("index");
    if Index::is_in(&index) {
        decisions.extend(session.open_index(&index)?.reader().all_decisions()?);
    }
    Ok(decisions)
}

/// Saves the decisions of a folder's views before its view is made again.
pub fn set_aside(session: &Session, folder: &Path) -> anyhow::Result<Decisions> {
    let decisions = of_view(session, folder).with_context(|| {
        let view = folder.join(VIEW);
        format!("what people decided in {} cannot be read; remove it to go on without", view.display())
    })?;
    if !decisions.is_empty() {
        decisions.write(&folder.join(WAITING))?;
    }
    Ok(decisions)
}

/// Brings the saved decisions into the new view. Those about other documents or texts wait for a run that has them.
pub fn import_into(decisions: &Decisions, folder: &Path, index: &Index) -> anyhow::Result<()> {
    if decisions.is_empty() {
        return Ok(());
    }
    let waiting = folder.join(WAITING);
    let rest = index.writer().import_decisions(decisions, "local")?;
    if rest.is_empty() {
        std::fs::remove_file(&waiting).with_context(|| waiting.display().to_string())?;
    } else {
        rest.write(&waiting)?;
    }
    tell(&format!(
        "{} of {} decisions made before are about documents of this run as they are, and hold",
        count((decisions.len() - rest.len()) as u64),
        count(decisions.len() as u64)
    ));
    Ok(())
}
