//! The ids of documents by number, and their numbers by id.

use hashbrown::HashTable;
use lookalike_core::hash;

use crate::storage::column::Appended;
use crate::storage::document::{Document, DocumentNumber};
use crate::storage::number_set::NumberSet;
use crate::storage::table::{RenewedTable, Table};

/// Ids as JSON text, end to end. Several living documents may have the same id, with different labels.
#[derive(Default)]
pub struct Ids {
    bytes: Appended<u8>,
    /// Where each id ends.
    ends: Appended<u64>,
    /// Documents that lived when the snapshot was written, and which of them are not to be found any more.
    old: Table<Document>,
    forgotten: NumberSet<Document>,
    /// Living documents that came later.
    new: HashTable<DocumentNumber>,
}

impl Ids {
    /// The ids of a snapshot.
    pub fn of(bytes: Appended<u8>, ends: Appended<u64>, old: Table<Document>) -> Ids {
        Ids { bytes, ends, old, ..Ids::default() }
    }

    /// Adds a document, to be found by its id.
    pub fn push(&mut self, id: &str) {
        let number = self.push_dead(id);
        let Ids { bytes, ends, new, .. } = self;
        new.insert_unique(hash::bytes(id.as_bytes()), number, |&number| {
            hash::bytes(slice(bytes, ends, number))
        });
    }

    /// Reserves memory for this many more documents.
    pub fn reserve(&mut self, more: usize) {
        self.ends.reserve_exact(more);
        let Ids { bytes, ends, new, .. } = self;
        new.reserve(more, |&number| hash::bytes(slice(bytes, ends, number)));
    }

    /// Adds a document that is not found by its id.
    pub fn push_dead(&mut self, id: &str) -> DocumentNumber {
        let number = DocumentNumber::from_index(self.ends.len());
        self.bytes.extend_from_slice(id.as_bytes());
        self.ends.push(self.bytes.len() as u64);
        number
    }

    /// Bytes in memory, about, the bits for all numbers aside.
    pub fn own_bytes(&self) -> usize {
        self.bytes.own_bytes() + self.ends.own_bytes() + self.new.capacity() * size_of::<DocumentNumber>()
    }

    pub fn get(&self, number: DocumentNumber) -> &str {
        std::str::from_utf8(self.bytes(number)).unwrap_or_default()
    }

    /// The same, as bytes.
    pub fn bytes(&self, number: DocumentNumber) -> &[u8] {
        slice(&self.bytes, &self.ends, number)
    }

    /// The table for a snapshot, in which the newer ones of these living documents are found, too.
    pub fn renewed_table(
        &self,
        new: impl Iterator<Item = DocumentNumber>,
    ) -> RenewedTable<'_, Document, impl Fn(DocumentNumber) -> bool> {
        let hashed = new.map(|number| (hash::bytes(self.bytes(number)), number));
        self.old.renewed(|number| !self.forgotten.has(number), hashed)
    }

    /// The living documents with this id, in no order.
    pub fn find<'a>(&'a self, id: &'a str) -> impl Iterator<Item = DocumentNumber> + 'a {
        let hash = hash::bytes(id.as_bytes());
        let old = self.old.find(hash).filter(|&number| !self.forgotten.has(number));
        let near = old.chain(self.new.iter_hash(hash).copied());
        near.filter(move |&number| self.get(number) == id)
    }

    /// From now on the document is no longer found by its id.
    pub fn forget(&mut self, number: DocumentNumber) {
        if number.index() < self.ends.old_len() {
            return self.forgotten.add(number);
        }
        let hash = hash::bytes(slice(&self.bytes, &self.ends, number));
        if let Ok(entry) = self.new.find_entry(hash, |&other| other == number) {
            entry.remove();
        }
    }
}

fn slice<'a>(bytes: &'a Appended<u8>, ends: &Appended<u64>, number: DocumentNumber) -> &'a [u8] {
    let end = |number: DocumentNumber| ends.get(number.index()).copied().unwrap_or(0) as usize;
    bytes.range(number.before().map_or(0, end)..end(number))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_are_found_until_forgotten() {
        let mut ids = Ids::default();
        for number in 0..1000 {
            ids.push(&format!("\"{}\"", number / 2));
        }
        let found = |ids: &Ids, id: &str| {
            let mut found: Vec<usize> = ids.find(id).map(DocumentNumber::index).collect();
            found.sort_unstable();
            found
        };
        assert_eq!(found(&ids, "\"7\""), [14, 15]);
        ids.forget(DocumentNumber::from_index(14));
        ids.forget(DocumentNumber::from_index(14));
        assert_eq!(found(&ids, "\"7\""), [15]);
        assert_eq!(ids.get(DocumentNumber::from_index(14)), "\"7\"");
        ids.push_dead("\"dead\"");
        assert!(found(&ids, "\"dead\"").is_empty() && found(&ids, "8").is_empty());
        assert_eq!(ids.get(DocumentNumber::from_index(1000)), "\"dead\"");
    }
}
