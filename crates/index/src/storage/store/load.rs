//! Fills an empty store with everything at once.
//!
//! The journal is not used: a checkpoint at the end makes all of it durable, and a crash before that leaves the store
//! empty. What is done once here, after every document for which operations are committed: clusters are settled, keys
//! sorted, files synced.

use std::sync::atomic::Ordering;
use std::sync::{Arc, PoisonError, RwLockWriteGuard};

use lookalike_core::Result;

use super::write::StoreWriter;
use crate::storage::document::ContentNumber;
use crate::storage::keys::RunBuilder;
use crate::storage::operation::{Operation, Put};
use crate::storage::population::Population;
use crate::storage::state::State;
use crate::storage::texts::End;

/// A store that is being filled.
pub struct Load<'a> {
    writer: StoreWriter<'a>,
    state: RwLockWriteGuard<'a, State>,
}

/// Two contents, the one with the smaller number first, and their similarity.
pub type ContentPair = (ContentNumber, ContentNumber, f64);

impl<'a> StoreWriter<'a> {
    /// Begins to fill this store, which must be empty.
    pub fn load(self) -> Load<'a> {
        let state = self.store.state.write().unwrap_or_else(PoisonError::into_inner);
        Load { writer: self, state }
    }
}

impl Load<'_> {
    /// Adds a document; returns its content if that is new. Its keys and links are not looked at.
    pub fn put(&mut self, put: Put) -> Option<ContentNumber> {
        let next = self.state.population.contents.next_number();
        self.state.apply(self.writer.store.clusterer(), &Operation::Put(put));
        (self.state.population.contents.next_number() > next).then_some(next)
    }

    /// The documents and contents so far.
    pub fn population(&self) -> &Population {
        &self.state.population
    }

    /// Links contents. Each pair is given once, and they rise.
    pub fn link(&mut self, pairs: &[ContentPair]) {
        let State { clusters, population, .. } = &mut *self.state;
        pairs.iter().for_each(|&(a, b, similarity)| clusters.link_new(a, b, similarity));
        clusters.settle(
            population,
            self.writer.store.clusterer(),
            pairs.iter().flat_map(|&(a, b, _)| [a, b]),
        );
    }

    /// Writes keys to a run. Which of the contents with one of these keys are in a crowd is for the caller to say.
    pub fn keys(
        &mut self,
        keys: RunBuilder,
        content_of: impl Fn(u32) -> Option<ContentNumber>,
        crowd: impl Fn(&State, &[ContentNumber]) -> Vec<ContentNumber>,
    ) -> Result<()> {
        if keys.is_empty() {
            return Ok(());
        }
        let manifest = &mut self.writer.writing.manifest;
        let name = manifest.name("run");
        let mut members = Vec::new();
        let run = keys.write(&self.writer.store.folder.join(&name), content_of, |bucket| {
            members.extend(crowd(&self.state, bucket));
        })?;
        manifest.runs.push(name);
        members.into_iter().for_each(|content| self.state.crowds.add(content));
        self.state.keys.runs.push(Arc::new(run));
        Ok(())
    }

    /// Makes everything durable. The texts, which end here, must be so already.
    pub fn finish(self, end: End) -> Result<()> {
        let Load { mut writer, mut state } = self;
        state.keyed = state.population.contents.next_number();
        writer.writing.manifest.keyed = state.keyed.raw();
        drop(state);
        writer.writing.end = end;
        writer.store.segment.store(end.segment, Ordering::Release);
        writer.checkpoint()
    }
}
