//! Numbers that documents keep when they are signed anew.
//!
//! In a new generation documents move up to the places of those that are gone. Whoever keeps something about documents
//! elsewhere, as search does, knows them by lasting numbers, which have gaps instead.

use crate::storage::document::DocumentNumber;
use lookalike_core::numbers::Number;

/// The number by which a document is known outside.
pub type LastingNumber = Number<Lasting>;

/// From the numbers of one generation to lasting ones and back. Both rise together.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Lasting {
    /// The generation from which on documents kept their numbers; 0 for the one that they are in.
    pub(crate) since: u64,
    /// Those of the documents that were there when the generation began.
    pub(crate) kept: Vec<LastingNumber>,
    /// That of the first document after them.
    pub(crate) next: LastingNumber,
}

impl Default for Lasting {
    /// For a first generation: they are the numbers within it.
    fn default() -> Self {
        Lasting::new(0, LastingNumber::FIRST)
    }
}

impl Lasting {
    /// For a generation that takes documents over from the one before.
    pub fn new(since: u64, next: LastingNumber) -> Lasting {
        Lasting { since, kept: Vec::new(), next }
    }

    /// Tells the numbers of the next documents, which rise and are all below those that are free.
    pub fn keep(&mut self, numbers: impl IntoIterator<Item = LastingNumber>) {
        self.kept.extend(numbers);
    }

    /// The generation from which on documents kept their numbers, for one that has the number `own`.
    pub fn since(&self, own: u64) -> u64 {
        if self.since == 0 { own } else { self.since }
    }

    pub fn of(&self, number: DocumentNumber) -> LastingNumber {
        match self.kept.get(number.index()) {
            Some(&lasting) => lasting,
            None => LastingNumber::from_index(self.next.index() + (number.index() - self.kept.len())),
        }
    }

    /// The number of the first document with this lasting number or a greater one, be it there or still to come.
    pub fn first_from(&self, lasting: LastingNumber) -> DocumentNumber {
        DocumentNumber::from_index(match lasting.index().checked_sub(self.next.index()) {
            Some(after) => self.kept.len() + after,
            None => self.kept.partition_point(|&kept| kept < lasting),
        })
    }

    /// The document with this lasting number, be it there or still to come; `None` if none can have it any more.
    pub fn number(&self, lasting: LastingNumber) -> Option<DocumentNumber> {
        Some(self.first_from(lasting)).filter(|&number| self.of(number) == lasting)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn known(number: u32) -> LastingNumber {
        LastingNumber::from_index(number as usize)
    }

    #[test]
    fn a_first_generation_has_the_same_numbers() {
        let lasting = Lasting::default();
        assert_eq!(lasting.since(3), 3);
        for number in [0, 1, 77, u32::MAX - 1] {
            let document = DocumentNumber::from_raw(number).unwrap();
            assert_eq!((lasting.of(document).raw(), lasting.number(known(number))), (number, Some(document)));
        }
    }

    proptest! {
        #[test]
        fn numbers_lead_there_and_back(gone in prop::collection::btree_set(0u32..60, 0..60), next in 60u32..70) {
            let kept: Vec<LastingNumber> =
                (0..60).filter(|number| !gone.contains(number)).map(known).collect();
            let mut lasting = Lasting::new(2, known(next));
            lasting.keep(kept.iter().copied());
            let all: Vec<LastingNumber> = kept.into_iter().chain((next..next + 10).map(known)).collect();
            for (&expected, number) in all.iter().zip((0..).map(DocumentNumber::from_index)) {
                prop_assert_eq!(lasting.of(number), expected);
            }
            for asked in (0..next + 10).map(known) {
                let place = all.iter().position(|&each| each == asked).map(DocumentNumber::from_index);
                prop_assert_eq!(lasting.number(asked), place);
                let from = all.iter().position(|&each| each >= asked).map(DocumentNumber::from_index);
                prop_assert_eq!(Some(lasting.first_from(asked)), from);
            }
        }
    }
}
