//! The ids of documents by number, and their numbers by id.

use hashbrown::HashTable;
use lookalike_core::hash;

use crate::storage::document::{Document, DocumentNumber};
use lookalike_core::numbers::Numbered;

/// Ids as JSON text, end to end. Several living documents may have the same id, with different labels.
#[derive(Default)]
pub struct Ids {
    bytes: Vec<u8>,
    /// Where each id ends.
    ends: Numbered<Document, u64>,
    /// Numbers of living documents.
    table: HashTable<DocumentNumber>,
}

impl Ids {
    /// Adds a document, to be found by its id.
    pub fn push(&mut self, id: &str) {
        let number = self.push_dead(id);
        let Ids { bytes, ends, table } = self;
        table.insert_unique(hash::bytes(id.as_bytes()), number, |&number| {
            hash::bytes(slice(bytes, ends, number))
        });
    }

    /// Reserves memory for this many more documents.
    pub fn reserve(&mut self, more: usize) {
        self.ends.reserve_exact(more);
        let Ids { bytes, ends, table } = self;
        table.reserve(more, |&number| hash::bytes(slice(bytes, ends, number)));
    }

    /// Adds a document that is not found by its id.
    pub fn push_dead(&mut self, id: &str) -> DocumentNumber {
        self.bytes.extend_from_slice(id.as_bytes());
        self.ends.push(self.bytes.len() as u64)
    }

    pub fn get(&self, number: DocumentNumber) -> &str {
        std::str::from_utf8(slice(&self.bytes, &self.ends, number)).unwrap_or_default()
    }

    /// The living documents with this id, in no order.
    pub fn find<'a>(&'a self, id: &'a str) -> impl Iterator<Item = DocumentNumber> + 'a {
        let near = self.table.iter_hash(hash::bytes(id.as_bytes())).copied();
        near.filter(move |&number| self.get(number) == id)
    }

    /// From now on the document is no longer found by its id.
    pub fn forget(&mut self, number: DocumentNumber) {
        let hash = hash::bytes(slice(&self.bytes, &self.ends, number));
        if let Ok(entry) = self.table.find_entry(hash, |&other| other == number) {
            entry.remove();
        }
    }
}

fn slice<'a>(bytes: &'a [u8], ends: &Numbered<Document, u64>, number: DocumentNumber) -> &'a [u8] {
    let start = number.before().map_or(0, |before| ends[before]);
    &bytes[start as usize..ends[number] as usize]
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
