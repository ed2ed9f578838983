//! Numbers that documents keep when they are signed anew.
//!
//! In a new generation documents move up to the places of those that are gone. Whoever keeps something about documents
//! elsewhere, as search does, knows them by lasting numbers, which have gaps instead.

/// From the numbers of one generation to lasting ones and back. Both rise together.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Lasting {
    /// The generation from which on documents kept their numbers; 0 for the one that they are in.
    pub(crate) since: u64,
    /// Those of the documents that were there when the generation began.
    pub(crate) kept: Vec<u32>,
    /// That of the first document after them.
    pub(crate) next: u32,
}

impl Lasting {
    /// For a generation that takes documents over from the one before.
    pub fn new(since: u64, next: u32) -> Lasting {
        Lasting { since, kept: Vec::new(), next }
    }

    /// Tells the numbers of the next documents, which rise and are all below those that are free.
    pub fn keep(&mut self, numbers: impl IntoIterator<Item = u32>) {
        self.kept.extend(numbers);
    }

    /// The generation from which on documents kept their numbers, for one that has the number `own`.
    pub fn since(&self, own: u64) -> u64 {
        if self.since == 0 { own } else { self.since }
    }

    pub fn of(&self, number: u32) -> u32 {
        match self.kept.get(number as usize) {
            Some(&lasting) => lasting,
            None => self.next.saturating_add(number - self.kept.len() as u32),
        }
    }

    /// The number of the first document with this lasting number or a greater one, be it there or still to come.
    pub fn first_from(&self, lasting: u32) -> u32 {
        match lasting.checked_sub(self.next) {
            Some(after) => self.kept.len() as u32 + after,
            None => self.kept.partition_point(|&kept| kept < lasting) as u32,
        }
    }

    /// The document with this lasting number, be it there or still to come; `None` if none can have it any more.
    pub fn number(&self, lasting: u32) -> Option<u32> {
        Some(self.first_from(lasting)).filter(|&number| self.of(number) == lasting)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn a_first_generation_has_the_same_numbers() {
        let lasting = Lasting::default();
        assert_eq!(lasting.since(3), 3);
        for number in [0, 1, 77, u32::MAX - 1] {
            assert_eq!((lasting.of(number), lasting.number(number)), (number, Some(number)));
        }
    }

    proptest! {
        #[test]
        fn numbers_lead_there_and_back(gone in prop::collection::btree_set(0u32..60, 0..60), next in 60u32..70) {
            let kept: Vec<u32> = (0..60).filter(|number| !gone.contains(number)).collect();
            let mut lasting = Lasting::new(2, next);
            lasting.keep(kept.iter().copied());
            let all: Vec<u32> = kept.into_iter().chain(next..next + 10).collect();
            for (&expected, number) in all.iter().zip(0u32..) {
                prop_assert_eq!(lasting.of(number), expected);
            }
            for asked in 0..next + 10 {
                let place = all.iter().position(|&each| each == asked).map(|place| place as u32);
                prop_assert_eq!(lasting.number(asked), place);
                let from = all.iter().position(|&each| each >= asked).map(|place| place as u32);
                prop_assert_eq!(Some(lasting.first_from(asked)), from);
            }
        }
    }
}
