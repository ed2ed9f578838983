//! The last commit, as queries see it: segments with the numbers of their documents.
//!
//! Every match needs the number of its document, and many numbers the place of theirs, so both directions are kept
//! in memory: four bytes a document, and four more for segments that merging has put out of order.

use std::collections::HashMap;
use std::sync::Arc;

use tantivy::index::SegmentId;
use tantivy::{Searcher, SegmentReader};

use crate::schema::NUMBER;

pub(crate) struct Snapshot {
    pub searcher: Searcher,
    /// One for each segment of the searcher.
    pub numbers: Vec<Arc<Numbers>>,
}

/// The place of a document in a snapshot.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Place {
    pub segment: u32,
    pub document: u32,
}

impl Snapshot {
    /// `before` is the previous snapshot, whose data about unchanged segments is reused.
    pub fn new(searcher: Searcher, before: Option<&Snapshot>) -> tantivy::Result<Snapshot> {
        let known: HashMap<SegmentId, &Arc<Numbers>> = before.map(Snapshot::by_segment).unwrap_or_default();
        let numbers = searcher.segment_readers().iter().map(|reader| match known.get(&reader.segment_id()) {
            Some(numbers) => Ok(Arc::clone(numbers)),
            None => Numbers::read(reader).map(Arc::new),
        });
        let numbers = numbers.collect::<tantivy::Result<_>>()?;
        Ok(Snapshot { searcher, numbers })
    }

    /// The place of the document with this number; `None` if it is not indexed or was dropped.
    pub fn locate(&self, number: u32) -> Option<Place> {
        let segments = self.numbers.iter().zip(self.searcher.segment_readers()).enumerate();
        segments.into_iter().find_map(|(segment, (numbers, reader))| {
            let document = numbers.locate(number)?;
            (!reader.is_deleted(document)).then_some(Place { segment: segment as u32, document })
        })
    }

    /// The numbers of all documents that were not dropped.
    pub fn living(&self) -> impl Iterator<Item = u32> + '_ {
        let segments = self.numbers.iter().zip(self.searcher.segment_readers());
        segments.flat_map(|(numbers, reader)| {
            reader.doc_ids_alive().map(|document| numbers.of_document[document as usize])
        })
    }

    fn by_segment(&self) -> HashMap<SegmentId, &Arc<Numbers>> {
        let ids = self.searcher.segment_readers().iter().map(SegmentReader::segment_id);
        ids.zip(&self.numbers).collect()
    }
}

/// The numbers of a segment's documents.
pub(crate) struct Numbers {
    pub of_document: Vec<u32>,
    /// Documents by rising number; `None` if they already are in that order.
    order: Option<Vec<u32>>,
}

impl Numbers {
    fn read(reader: &SegmentReader) -> tantivy::Result<Numbers> {
        let column = reader.fast_fields().u64(NUMBER)?;
        let of_document = (0..reader.max_doc()).map(|document| {
            let number = column.first(document).and_then(|number| u32::try_from(number).ok());
            number.unwrap_or(u32::MAX)
        });
        Ok(Numbers::new(of_document.collect()))
    }

    fn new(of_document: Vec<u32>) -> Numbers {
        let order = (!of_document.is_sorted()).then(|| {
            let mut order: Vec<u32> = (0..of_document.len() as u32).collect();
            order.sort_unstable_by_key(|&document| of_document[document as usize]);
            order
        });
        Numbers { of_document, order }
    }

    fn locate(&self, number: u32) -> Option<u32> {
        match &self.order {
            None => self.of_document.binary_search(&number).ok().map(|document| document as u32),
            Some(order) => {
                let key = |document: &u32| self.of_document[*document as usize];
                order.binary_search_by_key(&number, key).ok().map(|at| order[at])
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn documents_are_found_by_number_in_any_order() {
        for numbers in [vec![], vec![3], vec![1, 4, 9], vec![9, 1, 4], vec![7, 8, 1, 2]] {
            let table = Numbers::new(numbers.clone());
            for number in 0..12 {
                let expected = numbers.iter().position(|&each| each == number).map(|at| at as u32);
                assert_eq!(table.locate(number), expected, "{number} in {numbers:?}");
            }
        }
    }
}
