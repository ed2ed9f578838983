//! Several queries to one state of the index.
//!
//! Every method of [`IndexReader`] works on the index as it is when called, so two calls may see two states. A
//! search that collapses by one state and lists members by another would contradict itself.
//! [`IndexReader::transaction`] keeps one state for all its queries. Writers wait meanwhile; texts are on disk and
//! therefore only pinned in the transaction, and read after it.

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
use crate::query::visibility_now;

/// One state of the index, as seen in a view.
pub struct ReadTransaction<'a, 'c> {
    generation: &'a Generation,
    state: &'a State,
    visibility: &'a Visibility,
    clusters: RefCell<&'c mut ClusterLookup<'a>>,
}

/// A document of a transaction. Its text can be read later, even if the document has been removed since.
pub struct PinnedDocument {
    /// The id.
    pub id: Id,
    /// Its access labels, which belong to its name.
    pub labels: Vec<String>,
    text: Pinned,
}

/// A document beside the master of its cluster.
pub struct PinnedMember {
    /// The id.
    pub id: Id,
    /// Its access labels, which belong to its name.
    pub labels: Vec<String>,
    /// To the master; `None` if the two were never compared.
    pub similarity: Option<f64>,
    /// `None` for members whose texts were not requested.
    pub document: Option<PinnedDocument>,
}

impl PinnedDocument {
    /// Reads the JSON line.
    pub fn line(&self) -> Result<Vec<u8>> {
        let mut line = Vec::new();
        self.text.read(&mut line)?;
        Ok(line)
    }

    /// Reads the preview, without labels.
    pub fn preview(&self) -> Result<Preview> {
        Ok(Preview::of(&self.line()?))
    }
}

impl PinnedMember {
    /// Reads the title, if the text was requested.
    pub fn titled(self) -> Result<NearDuplicate> {
        let preview = self.document.as_ref().map(PinnedDocument::preview).transpose()?;
        let title = preview.and_then(|preview| preview.title);
        Ok(NearDuplicate { id: self.id, labels: self.labels, title, similarity: self.similarity })
    }
}

impl IndexReader<'_> {
    /// Runs queries on one state of the index. Writers wait meanwhile, so `work` must be quick, and it must not use
    /// the index by any other way than the transaction. If data is missing, `work` is run again from the beginning;
    /// its last result is returned.
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

    /// The other documents of the cluster whose master has this number, the most similar first. The first `titled`
    /// of them have titles.
    pub fn near_duplicates(&self, number: u32, view: &View, titled: usize) -> Result<Vec<NearDuplicate>> {
        let members = self.transaction(view, |transaction| transaction.members(number, titled))?;
        members.into_iter().map(PinnedMember::titled).collect()
    }
}

impl ReadTransaction<'_, '_> {
    /// As [`Index::numbering`](crate::Index::numbering).
    pub fn numbering(&self) -> u64 {
        self.state.lasting.since(self.generation.number)
    }

    /// Whether the clusters of the view are those that are stored. Otherwise they are found on demand, and known for the
    /// rest of the transaction.
    pub fn has_stored_clusters(&self) -> bool {
        self.clusters.borrow().is_stored()
    }

    /// The lasting number of a document that is visible in the view.
    pub fn number_of<'n>(&self, name: impl Into<DocumentName<'n>>) -> Result<Option<u32>> {
        let document = find_named(self.state, name.into(), self.visibility)?;
        Ok(document.map(|document| self.state.lasting.of(document).raw()))
    }

    /// For each document its master: the best visible member of its cluster, which may be itself. `None` for
    /// documents that are not visible.
    pub fn masters(&self, numbers: &[u32]) -> Vec<Option<u32>> {
        self.clusters.borrow_mut().masters(numbers)
    }

    /// The document with this number, if it is visible in the view.
    pub fn document(&self, number: u32) -> Result<Option<PinnedDocument>> {
        self.state.visible_document(self.visibility, number).map(|document| self.pinned(document)).transpose()
    }

    /// The other documents of the cluster whose master has this number, the most similar first. The texts of the
    /// first `read` of them can be read.
    pub fn members(&self, number: u32, read: usize) -> Result<Vec<PinnedMember>> {
        let document = self.state.visible_document(self.visibility, number);
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
