//! Several questions to one state of the index.
//!
//! Each method of [`Index`] looks at the index as it is when it is called, so two calls may see two states: a search that
//! collapses by one and lists members by the other contradicts itself. [`Index::transaction`] keeps one state for as long as its
//! questions take. Writers wait meanwhile, so texts, which come from disk, are pinned there and read afterwards.

use crate::index::IndexReader;
use std::cell::RefCell;

use crate::storage::document::DocumentNumber;
use crate::storage::population::Visibility;
use crate::storage::state::State;
use crate::storage::texts::Pinned;
use lookalike_core::Result;
use lookalike_core::document::Id;

use super::answer::NearDuplicate;
use super::clusters::{ClusterLookup, RankedMember, with_clusters};
use super::generation::Generation;
use super::name::{DocumentName, find_named, labels_of};
use super::preview::Preview;
use super::query::View;
use super::read::visible_document;
use crate::query::visibility_now;

/// One state of the index, as a view sees it.
pub struct ReadTransaction<'a, 'c> {
    generation: &'a Generation,
    state: &'a State,
    visibility: &'a Visibility,
    clusters: RefCell<&'c mut ClusterLookup<'a>>,
}

/// A document of a held state, whose text is read when it is wanted.
pub struct PinnedDocument {
    pub id: Id,
    /// Its access labels, which belong to its name.
    pub labels: Vec<String>,
    text: Pinned,
}

/// A document beside the master of its cluster.
pub struct PinnedMember {
    pub id: Id,
    pub labels: Vec<String>,
    /// To the master; absent if the two were never compared.
    pub similarity: Option<f64>,
    /// Absent for those whose texts were not asked for.
    pub document: Option<PinnedDocument>,
}

impl PinnedDocument {
    /// The JSON line.
    pub fn line(&self) -> Result<Vec<u8>> {
        let mut line = Vec::new();
        self.text.read(&mut line)?;
        Ok(line)
    }

    pub fn preview(&self) -> Result<Preview> {
        Ok(Preview::of(&self.line()?))
    }
}

impl PinnedMember {
    /// With its title, if its text was asked for.
    pub fn titled(self) -> Result<NearDuplicate> {
        let preview = self.document.as_ref().map(PinnedDocument::preview).transpose()?;
        let title = preview.and_then(|preview| preview.title);
        Ok(NearDuplicate { id: self.id, labels: self.labels, title, similarity: self.similarity })
    }
}

impl IndexReader<'_> {
    /// Lets `work` put its questions to one state of the index. Nobody changes the index meanwhile, so it must be quick,
    /// and must not ask the index by another way than the one it is given. It may be called again, from its beginning;
    /// what it says last counts.
    pub fn transaction<T>(
        &self,
        view: &View,
        mut work: impl FnMut(&ReadTransaction<'_, '_>) -> Result<T>,
    ) -> Result<T> {
        let generation = self.index.generation();
        let visibility = visibility_now(&generation.store.state(), view);
        with_clusters(&generation, &visibility, |clusters| {
            let &mut ClusterLookup { generation, state, visibility, .. } = clusters;
            work(&ReadTransaction { generation, state, visibility, clusters: RefCell::new(clusters) })
        })
    }

    /// The other documents of the cluster whose master this is, the most similar first; `titled` of them have titles.
    pub fn near_duplicates(&self, number: u32, view: &View, titled: usize) -> Result<Vec<NearDuplicate>> {
        let members = self.transaction(view, |transaction| transaction.members(number, titled))?;
        members.into_iter().map(PinnedMember::titled).collect()
    }
}

impl ReadTransaction<'_, '_> {
    /// As [`Index::numbering`].
    pub fn numbering(&self) -> u64 {
        self.state.lasting.since(self.generation.number)
    }

    /// The number of a document that the view sees.
    pub fn number_of<'n>(&self, name: impl Into<DocumentName<'n>>) -> Result<Option<u32>> {
        let document = find_named(self.state, name.into(), self.visibility)?;
        Ok(document.map(|document| self.state.lasting.of(document).raw()))
    }

    /// For each number that of the best member of its cluster, as the view sees it; `None` for what it does not see.
    pub fn masters(&self, numbers: &[u32]) -> Vec<Option<u32>> {
        let mut clusters = self.clusters.borrow_mut();
        let master = |&number: &u32| {
            let document = visible_document(self.state, self.visibility, number)?;
            let best = match self.state.population.documents[document].content {
                None => document,
                Some(content) => {
                    let master = clusters.master(content);
                    clusters.best(master)?
                }
            };
            Some(self.state.lasting.of(best).raw())
        };
        numbers.iter().map(master).collect()
    }

    /// A document by number, if the view sees it.
    pub fn document(&self, number: u32) -> Result<Option<PinnedDocument>> {
        visible_document(self.state, self.visibility, number)
            .map(|document| self.pinned(document))
            .transpose()
    }

    /// The other documents of the cluster whose master this is, the most similar first; the texts of `read` of them can
    /// be read.
    pub fn members(&self, number: u32, read: usize) -> Result<Vec<PinnedMember>> {
        let document = visible_document(self.state, self.visibility, number);
        let content = document.and_then(|document| self.state.population.documents[document].content);
        let Some(content) = content else { return Ok(Vec::new()) };
        let found = self.clusters.borrow_mut().documents(content);
        let members = found.map_or_else(Vec::new, |(_, members)| members);
        let member = |(place, (similarity, copy)): (usize, RankedMember)| {
            let document = (place < read).then(|| self.pinned(copy)).transpose()?;
            let labels = labels_of(self.state, copy).to_vec();
            Ok(PinnedMember { id: self.id(copy), labels, similarity, document })
        };
        members.into_iter().enumerate().map(member).collect()
    }

    fn pinned(&self, document: DocumentNumber) -> Result<PinnedDocument> {
        let place = self.state.population.documents[document].place;
        let labels = labels_of(self.state, document).to_vec();
        Ok(PinnedDocument { id: self.id(document), labels, text: self.generation.store.texts.pin(place)? })
    }

    fn id(&self, document: DocumentNumber) -> Id {
        Id::from_json(self.state.population.ids.get(document))
    }
}
