//! Carries out a plan: each file separately, checked once more and logged before it is changed.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use lookalike_core::Result;
use serde::Serialize;

use super::Action;
use super::check::Seen;
use super::disk::{self, Failure};
use super::log::{AttemptError, Intent, Log};
use super::plan::{ActionPlan, SkippedFile, Step};
use super::{spelling, trash};

/// The result of carrying out a plan.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Summary {
    /// Steps that were carried out.
    pub done: u64,
    /// Bytes of the files that were acted on.
    pub bytes: u64,
    /// Steps that could not be carried out, with the reasons.
    pub failed: Vec<SkippedFile>,
    /// For undo; absent if nothing was to be changed.
    #[serde(skip_serializing_if = "Option::is_none", serialize_with = "spelling::shown")]
    pub log: Option<PathBuf>,
}

/// Carries out a plan and logs it to a file that must not exist yet. A file that cannot be acted on
/// does not stop the rest; a log that cannot be written does.
pub fn apply(plan: &ActionPlan, log: &Path) -> Result<Summary> {
    if plan.action == Action::List || plan.steps.is_empty() {
        return Ok(Summary::default());
    }
    let mut executor = PlanExecutor::with_log(Log::create(log, plan.action)?);
    Ok(Summary { log: Some(log.to_owned()), ..executor.carry_out(plan) })
}

pub(super) struct PlanExecutor {
    log: Log,
    /// Folders that are known to exist.
    folders: BTreeSet<PathBuf>,
}

impl PlanExecutor {
    pub fn with_log(log: Log) -> Self {
        PlanExecutor { log, folders: BTreeSet::new() }
    }

    pub fn carry_out(&mut self, plan: &ActionPlan) -> Summary {
        let mut summary = Summary::default();
        let mut lost = None;
        for step in &plan.steps {
            let reason = match &lost {
                Some(reason) => format!("not tried: {reason}"),
                None => match self.act(plan.action, step) {
                    Ok(()) => {
                        summary.done += 1;
                        summary.bytes += step.bytes;
                        continue;
                    }
                    Err(AttemptError::Step(reason)) => reason,
                    Err(AttemptError::Log(reason)) => lost.insert(reason).clone(),
                },
            };
            summary.failed.push(SkippedFile { path: step.path.clone(), reason });
        }
        summary
    }

    fn act(&mut self, action: Action, step: &Step) -> Result<(), AttemptError> {
        check(step).map_err(AttemptError::Step)?;
        match (action, &step.to) {
            (Action::Move, Some(to)) => self.relocate(step, to),
            (Action::Trash, Some(basket)) => self.trash(step, basket),
            (Action::Link, _) => self.link(step),
            (Action::List, _) | (_, None) => Ok(()),
        }
    }

    fn relocate(&mut self, step: &Step, to: &Path) -> Result<(), AttemptError> {
        self.make_folders(to)?;
        let (from, seen, temporary) = (&step.duplicate.at, &step.duplicate.seen, self.log.temporary());
        let intent =
            Intent::Move { from: from.clone(), to: to.to_owned(), temporary: temporary.clone(), seen: *seen };
        self.log.attempt(intent, || {
            check(step)?;
            disk::relocate(from, to, &temporary, seen)
        })
    }

    /// Makes the folders that lead to a path, each logged, so that undo leaves none behind.
    fn make_folders(&mut self, to: &Path) -> Result<(), AttemptError> {
        let Some(folder) = to.parent() else { return Ok(()) };
        if self.folders.contains(folder) {
            return Ok(());
        }
        let missing: Vec<&Path> = folder.ancestors().take_while(|folder| !folder.is_dir()).collect();
        for path in missing.into_iter().rev() {
            self.log.attempt(Intent::Folder { path: path.to_owned() }, || {
                disk::make_folder(path).map_err(|error| format!("{}: {error}", path.display()).into())
            })?;
        }
        self.folders.insert(folder.to_owned());
        Ok(())
    }

    fn trash(&mut self, step: &Step, basket: &Path) -> Result<(), AttemptError> {
        let (from, seen, temporary) = (&step.duplicate.at, &step.duplicate.seen, self.log.temporary());
        trash::prepare(basket).map_err(AttemptError::Step)?;
        let name = from.file_name().unwrap_or_default();
        let slot = trash::free_slot(basket, name, &temporary).map_err(AttemptError::Step)?;
        let about = trash::about(from, basket, &jiff::Zoned::now());
        let intent = Intent::Trash {
            from: from.clone(),
            to: slot.file.clone(),
            temporary: temporary.clone(),
            seen: *seen,
            info: slot.info.clone(),
            about: about.clone(),
        };
        self.log.attempt(intent, || {
            check(step)?;
            // The specification wants the information file first: it reserves the name.
            disk::write_new(&slot.info, &about)?;
            disk::relocate(from, &slot.file, &temporary, seen)
                .map_err(|failure| disk::give_up(&slot.info, failure))
        })
    }

    fn link(&mut self, step: &Step) -> Result<(), AttemptError> {
        let temporary = self.log.temporary();
        let intent = Intent::Link {
            path: step.duplicate.at.clone(),
            master: step.kept.at.clone(),
            temporary: temporary.clone(),
            seen: step.duplicate.seen,
            master_seen: step.kept.seen,
        };
        self.log.attempt(intent, || link(step, &temporary))
    }
}

/// Fails if the file or its master has changed since the plan was made.
fn check(step: &Step) -> Result<(), String> {
    step.kept.check_again().map_err(|unfit| format!("its master: {}", String::from(unfit)))?;
    let now = step.duplicate.check_again()?;
    // The file may have lost its other names meanwhile.
    let only_name = step.kept.seen.same_file(&now) && now.links < 2;
    if only_name { Err("is its master under another path".to_owned()) } else { Ok(()) }
}

fn link(step: &Step, temporary: &str) -> Result<(), Failure> {
    let (path, master) = (&step.duplicate.at, &step.kept.at);
    if !disk::same_content(path, master)? {
        return Err("is not byte for byte the same as its master".to_owned().into());
    }
    let new = path.with_file_name(temporary);
    disk::hard_link(master, &new)?;
    let replace = || -> Result<(), Failure> {
        // The files that were compared must be those that are linked and replaced.
        check(step)?;
        if !Seen::at(&new)?.unchanged(&step.kept.seen) {
            return Err("its master was changed meanwhile".to_owned().into());
        }
        Ok(disk::replace(&new, path)?)
    };
    replace().map_err(|failure| disk::give_up(&new, failure))
}
