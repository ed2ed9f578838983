//! Numbers that documents keep when they are signed again.
//!
//! In a new generation documents move up to the places of removed ones. Whoever stores something about documents
//! elsewhere, as search does, uses lasting numbers instead, which do not move and may have gaps.

use crate::storage::document::DocumentNumber;
use lookalike_core::numbers::Number;

/// The number by which a document is known outside the index.
pub type LastingNumber = Number<LastingNumbers>;

/// Translates between the numbers of a generation and lasting numbers. Both rise together.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LastingNumbers {
    /// The generation since which documents have kept their numbers; 0: this one.
    pub(crate) since: u64,
    /// The lasting numbers of the documents that were there when the generation began.
    pub(crate) kept: Vec<LastingNumber>,
    /// The lasting number of the first document after them.
    pub(crate) next: LastingNumber,
}

impl Default for LastingNumbers {
    /// For a first generation: both numbers are the same.
    fn default() -> Self {
        LastingNumbers::new(0, LastingNumber::FIRST)
    }
}

impl LastingNumbers {
    /// For a generation that takes over documents from the one before.
    pub fn new(since: u64, next: LastingNumber) -> LastingNumbers {
        LastingNumbers { since, kept: Vec::new(), next }
    }

    /// Adds the numbers of the next documents, which rise and are all smaller than `next`.
    pub fn keep(&mut self, numbers: impl IntoIterator<Item = LastingNumber>) {
        self.kept.extend(numbers);
    }

    /// The generation since which documents have kept their numbers; `own` is the number of this generation.
    pub fn since(&self, own: u64) -> u64 {
        if self.since == 0 { own } else { self.since }
    }

    pub fn of(&self, number: DocumentNumber) -> LastingNumber {
        match self.kept.get(number.index()) {
            Some(&lasting) => lasting,
            None => LastingNumber::from_index(self.next.index() + (number.index() - self.kept.len())),
        }
    }

    /// The first document with this lasting number or a greater one, whether it exists or is still to come.
    pub fn first_from(&self, lasting: LastingNumber) -> DocumentNumber {
        DocumentNumber::from_index(match lasting.index().checked_sub(self.next.index()) {
            Some(after) => self.kept.len() + after,
            None => self.kept.partition_point(|&kept| kept < lasting),
        })
    }

    /// The document with this lasting number, whether it exists or is still to come; `None` if no document can have
    /// it any more.
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
        let lasting = LastingNumbers::default();
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
            let mut lasting = LastingNumbers::new(2, known(next));
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
