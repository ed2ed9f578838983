//! Which document is meant.
//!
//! A document is known by its id *and* its set of access labels: the same id under other labels is another document, which
//! nobody replaces, reads or removes by accident. So whether an id is taken by a document that the caller may not see makes no
//! difference to anything the caller does. Where one sees a single document with an id, the id names it; where one
//! sees several, the labels must be told, too.

use crate::storage::document::{Document, DocumentNumber};
use crate::storage::population::Sight;
use crate::storage::state::State;
use lookalike_core::document::Id;
use lookalike_core::{Error, Result};

/// A document by its id, and by its access labels where the id alone could mean several.
#[derive(Clone, Copy, Debug)]
pub struct Name<'a> {
    pub id: &'a Id,
    /// All of them, in any order; absent: whatever it has.
    pub labels: Option<&'a [String]>,
}

impl<'a> From<&'a Id> for Name<'a> {
    fn from(id: &'a Id) -> Self {
        Name { id, labels: None }
    }
}

impl<'a> From<(&'a Id, Option<&'a [String]>)> for Name<'a> {
    fn from((id, labels): (&'a Id, Option<&'a [String]>)) -> Self {
        Name { id, labels }
    }
}

/// The document of this name that is seen. An error if the name fits several.
pub fn known_as(state: &State, name: Name<'_>, sight: &Sight) -> Result<Option<DocumentNumber>> {
    if let Some(labels) = name.labels {
        return Ok(same(state, name.id, labels, sight).max());
    }
    let (mut found, mut sets) = (None, Vec::new());
    for number in seen(state, name.id, sight) {
        found = found.max(Some(number));
        let labels = state.population.documents[number].labels;
        if !sets.contains(&labels) {
            sets.push(labels);
        }
    }
    if sets.len() < 2 {
        return Ok(found);
    }
    let mut labels: Vec<Vec<String>> = sets.into_iter().map(|set| state.labels.get(set).to_vec()).collect();
    labels.sort_unstable();
    Err(Error::Ambiguous { id: name.id.json().to_owned(), labels })
}

/// The documents with this id and exactly these labels: one, but for what an older version left.
pub fn same<'a>(
    state: &'a State,
    id: &'a Id,
    labels: &'a [String],
    sight: &'a Sight,
) -> impl Iterator<Item = DocumentNumber> + 'a {
    let mut labels: Vec<&String> = labels.iter().collect();
    labels.sort_unstable();
    labels.dedup();
    seen(state, id, sight).filter(move |&number| {
        let set = state.labels.get(state.population.documents[number].labels);
        set.iter().eq(labels.iter().copied())
    })
}

/// All documents with this id that are seen.
pub fn seen<'a>(state: &'a State, id: &'a Id, sight: &'a Sight) -> impl Iterator<Item = DocumentNumber> + 'a {
    let documents = &state.population.documents;
    state.population.ids.find(id.json()).filter(|&number| sight.sees(&documents[number]))
}

/// The access labels of a document.
pub fn labels_of(state: &State, number: DocumentNumber) -> &[String] {
    state.labels.get(state.population.documents[number].labels)
}

/// Whether all who see the one document see the other, too. Nothing goes in favour of what its readers may not see.
pub fn all_see(state: &State, readers_of: &Document, other: &Document) -> bool {
    covers(state.labels.get(readers_of.labels), state.labels.get(other.labels))
}

/// The same by labels.
pub fn covers(readers: &[String], other: &[String]) -> bool {
    other.is_empty() || !readers.is_empty() && readers.iter().all(|label| other.contains(label))
}
