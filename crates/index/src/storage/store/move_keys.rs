//! Moves keys from memory to a run, in the background.
//!
//! The head is frozen: new keys go to another one. What is frozen is merged with runs of similar size, and found in memory
//! until the manifest names the new run.

use std::sync::atomic::Ordering;
use std::sync::{Arc, PoisonError};

use lookalike_core::Result;
use lookalike_plumbing::files::sync_folder;

use super::background::Rest;
use super::new_file::NewFile;
use super::{Store, Ticket, empty_head, remove};
use crate::storage::keys;

impl Store {
    /// Writes the keys in memory to a run. What a failed attempt has frozen is moved first, and no more than that.
    pub(super) fn move_keys(self: &Arc<Self>, rest: &mut Rest<'_>) -> Result<()> {
        let empty = empty_head(&self.limits);
        let (named, mut file, ticket, (first, runs, frozen), unused) = {
            let mut writer = self.lock()?;
            let file = NewFile::begin(&mut writer, "run");
            let ticket = Ticket(self.written.load(Ordering::Acquire));
            let mut state = self.state.write().unwrap_or_else(PoisonError::into_inner);
            let end = state.population.contents.next_number();
            let unused = state.keys.freeze(empty, end);
            let Some(frozen) = state.keys.frozen.clone() else { return Ok(()) };
            let first = state.keys.runs.len() - state.keys.to_merge(frozen.head.entries());
            let runs = state.keys.runs[first..].to_vec();
            (writer.writing.manifest.runs.clone(), file, ticket, (first, runs, frozen), unused)
        };
        drop(unused);
        // If a power cut lost these contents, their numbers would be given to others, which would then have the
        // wrong keys.
        self.sync(ticket)?;
        let mut living = |entries: &mut Vec<(u64, u32)>| {
            rest.rest()?;
            let state = self.state();
            keys::living(|content| state.population.is_alive(content))(entries)
        };
        let run = keys::merge(&file.path, &runs, [&*frozen.head].into_iter(), &mut living)?;
        // What is on disk by now nobody waits for later.
        sync_folder(&self.folder)?;
        let mut writer = self.lock()?;
        let is_frozen =
            self.state().keys.frozen.as_ref().is_some_and(|now| Arc::ptr_eq(&now.head, &frozen.head));
        if !is_frozen || writer.writing.manifest.runs != named {
            // A writer has moved them meanwhile.
            return Ok(());
        }
        let mut manifest = writer.writing.manifest.clone();
        let old = manifest.runs.split_off(first);
        manifest.runs.push(file.name.clone());
        manifest.keyed = frozen.end.raw();
        NewFile::name([&mut file], &mut writer, manifest)?;
        let mut state = self.state.write().unwrap_or_else(PoisonError::into_inner);
        state.keys.runs.truncate(first);
        state.keys.runs.push(Arc::new(run));
        let moved = state.keys.frozen.take();
        state.keyed = frozen.end;
        drop((state, writer));
        drop((moved, frozen));
        old.iter().try_for_each(|name| remove(&self.folder.join(name)))
    }
}
