//! Several questions to one state of the index.
//!
//! Each method of [`Index`] looks at the index as it is when it is called, so two calls may see two states: a search that
//! collapses by one and lists members by the other contradicts itself. [`Index::hold`] keeps one state for as long as its
//! questions take. Writers wait meanwhile, so texts, which come from disk, are pinned there and read afterwards.

use crate::index::Reader;
use std::cell::RefCell;

use crate::storage::document::DocumentNumber;
use crate::storage::population::Sight;
use crate::storage::state::State;
use crate::storage::texts::Pinned;
use lookalike_core::Result;
use lookalike_core::document::Id;

use super::answer::NearDuplicate;
use super::ask::View;
use super::clusters::{Clusters, Other, look};
use super::face::Face;
use super::generation::Generation;
use super::name::{Name, known_as, labels_of};
use super::see::seen;
use crate::ask::now_sight;

/// One state of the index, as a view sees it.
pub struct Held<'a, 'c> {
    generation: &'a Generation,
    state: &'a State,
    sight: &'a Sight,
    clusters: RefCell<&'c mut Clusters<'a>>,
}

/// A document of a held state, whose text is read when it is wanted.
pub struct HeldDocument {
    pub id: Id,
    /// Its access labels, which belong to its name.
    pub labels: Vec<String>,
    text: Pinned,
}

/// A document beside the master of its cluster.
pub struct HeldMember {
    pub id: Id,
    pub labels: Vec<String>,
    /// To the master; absent if the two were never compared.
    pub similarity: Option<f64>,
    /// Absent for those whose texts were not asked for.
    pub document: Option<HeldDocument>,
}

impl HeldDocument {
    /// The JSON line.
    pub fn line(&self) -> Result<Vec<u8>> {
        let mut line = Vec::new();
        self.text.read(&mut line)?;
        Ok(line)
    }

    pub fn face(&self) -> Result<Face> {
        Ok(Face::of(&self.line()?))
    }
}

impl HeldMember {
    /// With its title, if its text was asked for.
    pub fn titled(self) -> Result<NearDuplicate> {
        let face = self.document.as_ref().map(HeldDocument::face).transpose()?;
        let title = face.and_then(|face| face.title);
        Ok(NearDuplicate { id: self.id, labels: self.labels, title, similarity: self.similarity })
    }
}

impl Reader<'_> {
    /// Lets `ask` put its questions to one state of the index. Nobody changes the index meanwhile, so it must be quick,
    /// and must not ask the index by another way than the one it is given. It may be called again, from its beginning;
    /// what it says last counts.
    pub fn hold<T>(&self, view: &View, mut ask: impl FnMut(&Held<'_, '_>) -> Result<T>) -> Result<T> {
        let generation = self.index.generation();
        let sight = now_sight(&generation.store.state(), view);
        look(&generation, &sight, |clusters| {
            let &mut Clusters { generation, state, sight, .. } = clusters;
            ask(&Held { generation, state, sight, clusters: RefCell::new(clusters) })
        })
    }

    /// The other documents of the cluster whose master this is, the most similar first; `titled` of them have titles.
    pub fn near_duplicates(&self, number: u32, view: &View, titled: usize) -> Result<Vec<NearDuplicate>> {
        let members = self.hold(view, |held| held.members(number, titled))?;
        members.into_iter().map(HeldMember::titled).collect()
    }
}

impl Held<'_, '_> {
    /// As [`Index::numbering`].
    pub fn numbering(&self) -> u64 {
        self.state.lasting.since(self.generation.number)
    }

    /// The number of a document that the view sees.
    pub fn number_of<'n>(&self, name: impl Into<Name<'n>>) -> Result<Option<u32>> {
        let document = known_as(self.state, name.into(), self.sight)?;
        Ok(document.map(|document| self.state.lasting.of(document).raw()))
    }

    /// For each number that of the best member of its cluster, as the view sees it; `None` for what it does not see.
    pub fn masters(&self, numbers: &[u32]) -> Vec<Option<u32>> {
        let mut clusters = self.clusters.borrow_mut();
        let master = |&number: &u32| {
            let document = seen(self.state, self.sight, number)?;
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
    pub fn document(&self, number: u32) -> Result<Option<HeldDocument>> {
        seen(self.state, self.sight, number).map(|document| self.pinned(document)).transpose()
    }

    /// The other documents of the cluster whose master this is, the most similar first; the texts of `read` of them can
    /// be read.
    pub fn members(&self, number: u32, read: usize) -> Result<Vec<HeldMember>> {
        let document = seen(self.state, self.sight, number);
        let content = document.and_then(|document| self.state.population.documents[document].content);
        let Some(content) = content else { return Ok(Vec::new()) };
        let found = self.clusters.borrow_mut().documents(content);
        let members = found.map_or_else(Vec::new, |(_, members)| members);
        let member = |(place, (similarity, copy)): (usize, Other)| {
            let document = (place < read).then(|| self.pinned(copy)).transpose()?;
            let labels = labels_of(self.state, copy).to_vec();
            Ok(HeldMember { id: self.id(copy), labels, similarity, document })
        };
        members.into_iter().enumerate().map(member).collect()
    }

    fn pinned(&self, document: DocumentNumber) -> Result<HeldDocument> {
        let place = self.state.population.documents[document].place;
        let labels = labels_of(self.state, document).to_vec();
        Ok(HeldDocument { id: self.id(document), labels, text: self.generation.store.texts.pin(place)? })
    }

    fn id(&self, document: DocumentNumber) -> Id {
        Id::from_json(self.state.population.ids.get(document))
    }
}
