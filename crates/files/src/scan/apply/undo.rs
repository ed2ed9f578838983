//! Undoes the changes in a log, the last one first.
//!
//! The state of the disk decides what to do, not what the log says was done: a killed process may
//! have done more than it could log. So undo can itself be killed and repeated.

use std::collections::{BTreeMap, BTreeSet};
use std::io::ErrorKind;
use std::path::Path;

use lookalike_core::Result;
use serde::Serialize;

use super::check::{Seen, entry_of};
use super::disk::{self, Failure};
use super::log::{Event, Intent, Record};
use super::plan::SkippedFile;
use lookalike_io::names::name_of;

/// The result of an undo.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Undone {
    /// Files that are back in their place, unchanged.
    pub taken_back: u64,
    /// Steps that needed no undo: they failed, or were undone before.
    pub nothing_to_do: u64,
    /// Steps that could not be undone, and why.
    pub failed: Vec<SkippedFile>,
}

/// Undoes the changes in a log. Can be repeated.
pub fn undo(log: &Path) -> Result<Undone> {
    let mut record = Record::open(log)?;
    let mut undone = Undone::default();
    for number in &record.strange {
        let reason = format!("line {number} is not understood");
        undone.failed.push(SkippedFile { path: log.display().to_string(), reason });
    }
    let mut intents: BTreeMap<u64, Intent> = BTreeMap::new();
    let mut settled: BTreeSet<u64> = BTreeSet::new();
    for line in std::mem::take(&mut record.lines) {
        match line.event {
            Event::Intent(intent) => _ = intents.insert(line.step, intent),
            Event::Failed(_) | Event::Undone => _ = settled.insert(line.step),
            Event::Done => {}
        }
    }
    for (step, intent) in intents.into_iter().rev() {
        let is_file = !matches!(intent, Intent::Folder { .. });
        if settled.contains(&step) {
            undone.nothing_to_do += u64::from(is_file);
            continue;
        }
        match take_back(&intent) {
            Ok(changed) => {
                record.undone(step);
                undone.taken_back += u64::from(is_file && changed);
                undone.nothing_to_do += u64::from(is_file && !changed);
            }
            // A folder that is not empty stays, and may be empty the next time.
            Err(_) if !is_file => {}
            Err(failure) => {
                undone.failed.push(SkippedFile { path: subject(&intent), reason: failure.reason })
            }
        }
    }
    Ok(undone)
}

fn subject(intent: &Intent) -> String {
    let (Intent::Folder { path }
    | Intent::Link { path, .. }
    | Intent::Move { from: path, .. }
    | Intent::Trash { from: path, .. }) = intent;
    name_of(path)
}

/// Returns whether anything had to be undone.
fn take_back(intent: &Intent) -> Result<bool, Failure> {
    match intent {
        Intent::Folder { path } => match disk::remove_folder(path) {
            Err(error) if error.kind() == ErrorKind::NotFound => Ok(false),
            outcome => Ok(outcome.map(|()| true)?),
        },
        Intent::Move { from, to, temporary, seen } => move_back(from, to, temporary, seen),
        Intent::Trash { from, to, temporary, seen, info, about } => {
            let changed = move_back(from, to, temporary, seen)?;
            // Only if it is ours, complete or partly written.
            let ours = std::fs::read_to_string(info).is_ok_and(|text| about.starts_with(&text));
            if ours && !exists(to) {
                disk::remove_file(info)?;
            }
            Ok(changed)
        }
        Intent::Link { path, temporary, seen, master_seen, .. } => {
            separate(path, temporary, seen, master_seen)
        }
    }
}

fn move_back(from: &Path, to: &Path, temporary: &str, seen: &Seen) -> Result<bool, Failure> {
    // Unfinished copies of the change, and of an earlier undo.
    remove_temporary(&to.with_file_name(temporary))?;
    remove_temporary(&from.with_file_name(temporary))?;
    match (exists(from), exists(to)) {
        (true, false) => Ok(false),
        (false, false) => Err(format!("is neither there nor at {}", name_of(to)).into()),
        (false, true) => {
            if !Seen::at(to)?.alike(seen) {
                return Err(format!("was changed since; it stays at {}", name_of(to)).into());
            }
            if let Some(folder) = from.parent().filter(|folder| !folder.is_dir()) {
                std::fs::create_dir_all(folder)?;
            }
            disk::relocate(to, from, temporary, seen)?;
            Ok(true)
        }
        (true, true) => {
            // Either a change that was half done, or two unrelated files.
            let (Ok(original), Ok(copy)) = (Seen::at(from), Seen::at(to)) else {
                return Err(occupied(to));
            };
            // Two paths to one name lead to one file, which must stay.
            let one_name = original.same_file(&copy) && (copy.links < 2 || entry_of(from)? == entry_of(to)?);
            if one_name {
                return Err(occupied(to));
            }
            let copied = || {
                Ok::<_, Failure>(seen.alike(&original) && seen.alike(&copy) && disk::same_content(from, to)?)
            };
            if original.same_file(&copy) || copied()? {
                disk::remove_file(to)?;
                return Ok(true);
            }
            // It was never moved, and the file in the other place is not ours.
            if original.inode == seen.inode && seen.alike(&original) { Ok(false) } else { Err(occupied(to)) }
        }
    }
}

fn occupied(to: &Path) -> Failure {
    format!("something new is in its place; it stays at {}", name_of(to)).into()
}

/// Replaces a hard link by a separate file again, with its former time and permissions.
fn separate(path: &Path, temporary: &str, seen: &Seen, master_seen: &Seen) -> Result<bool, Failure> {
    let new = path.with_file_name(temporary);
    remove_temporary(&new)?;
    let now = Seen::at(path)?;
    let state = |seen: &Seen| (seen.bytes, seen.modified);
    // Device numbers change at every start of the machine, so only inodes are compared.
    if now.inode == master_seen.inode {
        if state(&now) != state(master_seen) {
            return Err("was changed since it became a link; it is left as it is".to_owned().into());
        }
    } else if state(&now) == state(seen) {
        return Ok(false);
    } else if state(&now) != state(master_seen) {
        return Err("was replaced since; it is left as it is".to_owned().into());
    }
    // A link, or the file that undoing a later step made of it: it has the master's time.
    disk::copy(path, &new, seen)?;
    disk::replace(&new, path).map_err(|error| disk::give_up(&new, error.into()))?;
    Ok(true)
}

/// The names of temporary files are unique to us, so a file with such a name is ours.
fn remove_temporary(path: &Path) -> Result<(), Failure> {
    if exists(path) { Ok(disk::remove_file(path)?) } else { Ok(()) }
}

fn exists(path: &Path) -> bool {
    std::fs::symlink_metadata(path).is_ok()
}
