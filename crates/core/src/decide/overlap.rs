//! Counting what two feature sets share.

use crate::features::set::FeatureSet;

/// What one pass over two sorted sets finds out; every set measure follows from it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub struct Overlap {
    /// Features that both documents have.
    pub shared: u32,
    /// Features of the first and of the second document.
    pub a: u32,
    /// Features of the second document.
    pub b: u32,
}

impl Overlap {
    /// Counts the features that two documents share.
    pub fn count(a: &FeatureSet, b: &FeatureSet) -> Overlap {
        let shared = count_shared(&a.hashes, &b.hashes);
        Overlap { shared: shared as u32, a: a.len() as u32, b: b.len() as u32 }
    }

    /// Like [`Overlap::count`], but gives up when fewer than `least` features can be shared.
    pub fn count_at_least(a: &FeatureSet, b: &FeatureSet, least: usize) -> Option<Overlap> {
        if a.len().min(b.len()) < least {
            return None;
        }
        // One part in eight is checked first and exposes most hopeless pairs: features missing
        // there are missing for good, and no more than `allowance` may be missing.
        let allowance = a.len() - least;
        let part = a.len() / 8;
        let (head, tail) = a.hashes.split_at(part);
        let middle = tail.first().map_or(b.len(), |&first| b.hashes.partition_point(|&hash| hash < first));
        let (other_head, other_tail) = b.hashes.split_at(middle);
        let in_head = count_shared(head, other_head);
        if part - in_head > allowance {
            return None;
        }
        let shared = in_head + count_shared(tail, other_tail);
        let overlap = Overlap { shared: shared as u32, a: a.len() as u32, b: b.len() as u32 };
        (shared >= least).then_some(overlap)
    }

    /// The shared features over all features of both.
    pub fn jaccard(&self) -> f64 {
        ratio(self.shared, self.a + self.b - self.shared)
    }

    /// The part of the first document that is in the second.
    pub fn a_in_b(&self) -> f64 {
        ratio(self.shared, self.a)
    }

    /// The part of the second document that is in the first.
    pub fn b_in_a(&self) -> f64 {
        ratio(self.shared, self.b)
    }

    /// The same, with the documents the other way round.
    pub fn swapped(&self) -> Overlap {
        Overlap { shared: self.shared, a: self.b, b: self.a }
    }
}

fn ratio(part: u32, whole: u32) -> f64 {
    if whole == 0 { 0.0 } else { f64::from(part) / f64::from(whole) }
}

/// How many values two sorted lists share.
///
/// Each step of the merge waits for the one before, so four parts of the lists, cut at the same
/// values, are merged side by side.
fn count_shared(a: &[u64], b: &[u64]) -> usize {
    const LANES: usize = 4;
    if a.len() < 64 || b.len() < 64 {
        return Cursor::new(a, b).finish();
    }
    let mut rest = (a, b);
    let mut lanes: [Cursor<'_>; LANES] = std::array::from_fn(|lane| {
        let cut = if lane == LANES - 1 { rest.0.len() } else { a.len() / LANES };
        let (head, tail) = rest.0.split_at(cut);
        let middle =
            tail.first().map_or(rest.1.len(), |&first| rest.1.partition_point(|&value| value < first));
        let (other_head, other_tail) = rest.1.split_at(middle);
        rest = (tail, other_tail);
        Cursor::new(head, other_head)
    });
    while lanes.iter().all(Cursor::goes_on) {
        lanes.iter_mut().for_each(Cursor::step);
    }
    lanes.into_iter().map(Cursor::finish).sum()
}

struct Cursor<'a> {
    a: &'a [u64],
    b: &'a [u64],
    i: usize,
    j: usize,
    shared: usize,
}

impl<'a> Cursor<'a> {
    fn new(a: &'a [u64], b: &'a [u64]) -> Self {
        Cursor { a, b, i: 0, j: 0, shared: 0 }
    }

    #[inline(always)]
    fn goes_on(&self) -> bool {
        (self.i < self.a.len()) & (self.j < self.b.len())
    }

    /// Advances one or both places by comparison, without an unpredictable branch.
    #[inline(always)]
    fn step(&mut self) {
        let (x, y) = (self.a[self.i], self.b[self.j]);
        self.shared += usize::from(x == y);
        self.i += usize::from(x <= y);
        self.j += usize::from(y <= x);
    }

    fn finish(mut self) -> usize {
        while self.goes_on() {
            self.step();
        }
        self.shared
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use proptest::prelude::*;

    use super::*;

    fn set(values: &BTreeSet<u64>) -> FeatureSet {
        FeatureSet { hashes: values.iter().copied().collect(), ..FeatureSet::default() }
    }

    proptest! {
        #[test]
        fn counts_like_a_set_and_never_gives_up_a_good_pair(
            a in proptest::collection::btree_set(0u64..400, 1..300),
            b in proptest::collection::btree_set(0u64..400, 1..300),
            least in 0usize..300,
        ) {
            let expected = a.intersection(&b).count();
            let overlap = Overlap::count(&set(&a), &set(&b));
            prop_assert_eq!(overlap.shared as usize, expected);
            let found = Overlap::count_at_least(&set(&a), &set(&b), least);
            prop_assert_eq!(found, (expected >= least).then_some(overlap));
        }
    }

    #[test]
    fn containment_both_ways() {
        let overlap = Overlap { shared: 2, a: 2, b: 8 };
        assert_eq!((overlap.a_in_b(), overlap.b_in_a(), overlap.jaccard()), (1.0, 0.25, 0.25));
        assert_eq!(Overlap::default().jaccard(), 0.0);
    }
}
