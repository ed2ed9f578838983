//! The arrays of a snapshot.

use lookalike_core::Result;

use super::sections::{SectionWriter, Sections};
use super::{HISTORY, MARKS};
use crate::storage::clusters::{Link, Links};
use crate::storage::column::{Appended, Column};
use crate::storage::document::{Content, ContentNumber, Document, DocumentNumber};
use crate::storage::history::{History, Written};
use crate::storage::ids::Ids;
use crate::storage::mapped::{Mapped, Record, bytes_of};
use crate::storage::population::{Population, Stored};
use crate::storage::state::{Layout, State};
use crate::storage::table::{Entry, Table};

const DOCUMENTS: u64 = 64;
const SCORES: u64 = 65;
const CONTENTS: u64 = 66;
const SIGNATURES: u64 = 67;
const IDS: u64 = 68;
const ID_ENDS: u64 = 69;
const ID_BUCKETS: u64 = 70;
const ID_ENTRIES: u64 = 71;
const DIGEST_BUCKETS: u64 = 72;
const DIGEST_ENTRIES: u64 = 73;
const LINKS: u64 = 74;
const LINK_ENDS: u64 = 75;
const MASTERS: u64 = 76;
const ORIGINS: u64 = 77;

pub fn write(out: &mut SectionWriter<'_>, state: &State) -> Result<()> {
    let Population { documents, contents, ids, .. } = &state.population;
    out.records(DOCUMENTS, documents.iter().copied())?;
    let scores = |number| bytes_of(state.population.scores(number));
    out.section(SCORES, |out| documents.numbers().try_for_each(|number| out.write(scores(number))))?;
    out.records(CONTENTS, contents.iter().copied())?;
    out.section(SIGNATURES, |out| contents.numbers().try_for_each(|number| out.write(state.stored(number))))?;
    // The ids of dead documents are never needed.
    let id = |number| if documents[number].is_alive() { ids.bytes(number) } else { &[] };
    out.section(IDS, |out| documents.numbers().try_for_each(|number| out.write(id(number))))?;
    out.records(ID_ENDS, ends(documents.numbers().map(|number| id(number).len())))?;
    let new = documents.iter_from(documents.first_new()).filter(|(_, document)| document.is_alive());
    let table = ids.renewed_table(new.map(|(number, _)| number));
    out.records(ID_BUCKETS, table.starts())?;
    out.records(ID_ENTRIES, table.entries())?;
    let table = state.population.renewed_digests();
    out.records(DIGEST_BUCKETS, table.starts())?;
    out.records(DIGEST_ENTRIES, table.entries())?;
    let links = |number| state.clusters.links(number);
    out.section(LINKS, |out| contents.numbers().try_for_each(|number| out.write(bytes_of(links(number)))))?;
    out.records(LINK_ENDS, ends(contents.numbers().map(|number| links(number).len())))?;
    let master = |number| state.clusters.masters.get(number).copied().flatten();
    out.records(MASTERS, contents.numbers().map(master))?;
    out.records(ORIGINS, state.origins.iter().copied())
}

fn ends(lengths: impl Iterator<Item = usize>) -> impl Iterator<Item = u64> {
    lengths.scan(0, |end, length| {
        *end += length as u64;
        Some(*end)
    })
}

/// What a state uses in the file of a snapshot.
pub struct Columns {
    documents: Mapped<Document>,
    scores: Mapped<u64>,
    contents: Mapped<Content>,
    signatures: Mapped<u8>,
    ids: Mapped<u8>,
    id_ends: Mapped<u64>,
    id_buckets: Mapped<u32>,
    id_entries: Mapped<Entry<Document>>,
    digest_buckets: Mapped<u32>,
    digest_entries: Mapped<Entry<Content>>,
    links: Mapped<Link>,
    link_ends: Mapped<u64>,
    masters: Mapped<Option<ContentNumber>>,
    origins: Mapped<Option<DocumentNumber>>,
    history: Written,
}

/// What a state had in memory before. Freeing it takes a while.
pub struct Replaced {
    _population: Population,
    _stored: Appended<u8>,
    _links: Links,
    _masters: Column<Content, Option<ContentNumber>>,
    _origins: Column<Document, Option<DocumentNumber>>,
    _history: History,
}

impl Columns {
    pub(super) fn map(sections: &Sections) -> Result<Columns> {
        Ok(Columns {
            documents: sections.map(DOCUMENTS)?,
            scores: sections.map(SCORES)?,
            contents: sections.map(CONTENTS)?,
            signatures: sections.map(SIGNATURES)?,
            ids: sections.map(IDS)?,
            id_ends: sections.map(ID_ENDS)?,
            id_buckets: sections.map(ID_BUCKETS)?,
            id_entries: sections.map(ID_ENTRIES)?,
            digest_buckets: sections.map(DIGEST_BUCKETS)?,
            digest_entries: sections.map(DIGEST_ENTRIES)?,
            links: sections.map(LINKS)?,
            link_ends: sections.map(LINK_ENDS)?,
            masters: sections.map(MASTERS)?,
            origins: sections.map(ORIGINS)?,
            history: Written::new(sections.map(HISTORY.into())?, sections.map(MARKS.into())?)
                .map_err(|_| sections.damaged())?,
        })
    }

    /// Whether there is as much of everything as there should be.
    pub(super) fn fit(&self, layout: Layout) -> bool {
        let (documents, contents) = (count(&self.documents), count(&self.contents));
        let last = |ends: &Mapped<u64>| ends.as_slice().last().copied().unwrap_or(0);
        documents < u32::MAX as usize
            && contents <= documents
            && [count(&self.id_ends), count(&self.scores)] == [documents, documents * layout.rules]
            && [count(&self.link_ends), count(&self.signatures)] == [contents, contents * layout.stored]
            && last(&self.id_ends) == count(&self.ids) as u64
            && last(&self.link_ends) == count(&self.links) as u64
            && count(&self.masters) == contents
            && count(&self.origins) <= documents
    }

    /// Lets a state of the same documents use these. What it had in memory is given back.
    pub fn replace(self, state: &mut State) -> Replaced {
        let old = Table { starts: self.id_buckets, entries: self.id_entries };
        let stored = Stored {
            documents: Column::of(self.documents),
            ids: Ids::of(Appended::of(self.ids), Appended::of(self.id_ends), old),
            scores: Appended::of(self.scores),
            contents: Column::of(self.contents),
            digests: Table { starts: self.digest_buckets, entries: self.digest_entries },
        };
        Replaced {
            _population: state.population.replace(stored),
            _stored: std::mem::replace(&mut state.stored, Appended::of(self.signatures)),
            _links: std::mem::replace(&mut state.clusters.links, Links::of(self.link_ends, self.links)),
            _masters: std::mem::replace(&mut state.clusters.masters, Column::of(self.masters)),
            _origins: std::mem::replace(&mut state.origins, Column::of(self.origins)),
            _history: std::mem::replace(&mut state.history, self.history.into()),
        }
    }
}

fn count<T: Record>(mapped: &Mapped<T>) -> usize {
    mapped.as_slice().len()
}
