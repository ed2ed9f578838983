//! How a document is named.
//!
//! A document is identified by its id *and* its set of access labels: the same id with other labels is another
//! document, which nobody replaces, reads or removes by accident. So it makes no difference to a caller whether a
//! hidden document has the same id. If only one document with an id is visible, the id alone names it; if several
//! are, the labels are needed too.

use crate::storage::document::{Document, DocumentNumber};
use crate::storage::population::Visibility;
use crate::storage::state::State;
use lookalike_core::document::Id;
use lookalike_core::{Error, Result};

/// Names a document by its id, and by its access labels where the id alone is ambiguous.
#[derive(Clone, Copy, Debug)]
pub struct DocumentName<'a> {
    /// The id.
    pub id: &'a Id,
    /// All of its labels, in any order; `None`: any labels.
    pub labels: Option<&'a [String]>,
}

impl<'a> From<&'a Id> for DocumentName<'a> {
    fn from(id: &'a Id) -> Self {
        DocumentName { id, labels: None }
    }
}

impl<'a> From<(&'a Id, Option<&'a [String]>)> for DocumentName<'a> {
    fn from((id, labels): (&'a Id, Option<&'a [String]>)) -> Self {
        DocumentName { id, labels }
    }
}

/// The visible document with this name. An error if the name fits several.
pub fn find_named(
    state: &State,
    name: DocumentName<'_>,
    visibility: &Visibility,
) -> Result<Option<DocumentNumber>> {
    if let Some(labels) = name.labels {
        return Ok(with_same_name(state, name.id, labels, visibility).max());
    }
    let (mut found, mut sets) = (None, Vec::new());
    for number in visible_with_id(state, name.id, visibility) {
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

/// The visible documents with this id and exactly these labels: one, or several in an index written by an older
/// version.
pub fn with_same_name<'a>(
    state: &'a State,
    id: &'a Id,
    labels: &'a [String],
    visibility: &'a Visibility,
) -> impl Iterator<Item = DocumentNumber> + 'a {
    let mut labels: Vec<&String> = labels.iter().collect();
    labels.sort_unstable();
    labels.dedup();
    visible_with_id(state, id, visibility).filter(move |&number| {
        let set = state.labels.get(state.population.documents[number].labels);
        set.iter().eq(labels.iter().copied())
    })
}

/// All visible documents with this id.
pub fn visible_with_id<'a>(
    state: &'a State,
    id: &'a Id,
    visibility: &'a Visibility,
) -> impl Iterator<Item = DocumentNumber> + 'a {
    let documents = &state.population.documents;
    state.population.ids.find(id.json()).filter(|&number| visibility.includes(&documents[number]))
}

/// The access labels of a document.
pub fn labels_of(state: &State, number: DocumentNumber) -> &[String] {
    state.labels.get(state.population.documents[number].labels)
}

/// Whether everyone who can read the one document can read the other. Nothing is removed in favour of a document
/// that its readers cannot read.
pub fn readers_see(state: &State, readers_of: &Document, other: &Document) -> bool {
    labels_cover(state.labels.get(readers_of.labels), state.labels.get(other.labels))
}

/// The same for two sets of labels.
pub fn labels_cover(readers: &[String], other: &[String]) -> bool {
    other.is_empty() || !readers.is_empty() && readers.iter().all(|label| other.contains(label))
}
