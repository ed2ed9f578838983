//! Which sets have a feature among their rarest.

use std::hint::black_box;
use std::ops::Range;

use super::bounds::Sizes;
use super::ranks::Ranked;

/// For every rank, the sets that have it in their prefix.
pub(super) struct Index {
    postings: Vec<Posting>,
    /// Where the postings of each rank end.
    ends: Vec<usize>,
    sets: usize,
}

#[derive(Clone, Copy, Default)]
pub(super) struct Posting {
    pub(super) set: u32,
    /// How many ranks follow in the set.
    pub(super) rest: u32,
}

impl Index {
    /// Two sets that share `least` features share one among the first `length - least + 1` of each,
    /// so only these are indexed.
    pub(super) fn new(sizes: &Sizes, ranked: &Ranked) -> Index {
        let prefixes = || {
            let sets = sizes.all().iter().flat_map(|size| size.sets.clone().map(move |set| (set, size)));
            sets.map(|(set, size)| {
                let ranks = ranked.set(set as usize);
                let length = (ranks.len() + 1).saturating_sub(size.least_with_larger as usize);
                (set, ranks.len(), &ranks[..length])
            })
        };
        // First the number of postings of each rank, then the place where they begin; filling moves
        // that place on to where they end.
        let mut ends = vec![0; ranked.terms];
        prefixes().flat_map(|(.., prefix)| prefix).for_each(|&rank| ends[rank as usize] += 1);
        let mut total = 0;
        for end in &mut ends {
            total += std::mem::replace(end, total);
        }
        let mut postings = vec![Posting::default(); total];
        for (set, length, prefix) in prefixes() {
            for (place, &rank) in prefix.iter().enumerate() {
                let end = &mut ends[rank as usize];
                postings[*end] = Posting { set, rest: (length - place - 1) as u32 };
                *end += 1;
            }
        }
        Index { postings, ends, sets: ranked.len() }
    }

    /// Finds the postings of some ranks that belong to sets within the range.
    ///
    /// All lists are searched at once, because reading from memory is slow: reads that do not
    /// depend on each other can run at the same time.
    pub(super) fn find(&self, wanted: impl Iterator<Item = (u32, Range<u32>)>, lists: &mut Vec<List>) {
        lists.clear();
        lists.extend(wanted.map(|(rank, sets)| {
            let rank = rank as usize;
            let start = if rank == 0 { 0 } else { self.ends[rank - 1] };
            List { start, end: self.ends[rank], guess: 0, sets }
        }));
        let mut touched = 0;
        for list in lists.iter_mut() {
            // Assumes that sets are spread evenly over a list.
            let length = list.end - list.start;
            list.guess = (length as u64 * u64::from(list.sets.start) / self.sets.max(1) as u64) as usize;
            touched ^= self.postings.get(list.start + list.guess).map_or(0, |posting| posting.set);
        }
        black_box(touched);
    }

    /// The postings of a list by rising number of the set.
    #[inline]
    pub(super) fn postings(&self, list: &List) -> impl Iterator<Item = &Posting> {
        let postings = &self.postings[list.start..list.end];
        let start = start_from(postings, list.sets.start, list.guess);
        postings[start..].iter().take_while(|posting| posting.set < list.sets.end)
    }
}

/// The postings of one rank.
pub(super) struct List {
    start: usize,
    end: usize,
    /// Near which place the wanted sets begin.
    guess: usize,
    sets: Range<u32>,
}

/// The place of the first posting of the set `first` or a later one, searched from the guess on.
#[inline]
fn start_from(postings: &[Posting], first: u32, guess: usize) -> usize {
    let mut step = 4;
    let before = |place: usize| postings.get(place).is_some_and(|posting| posting.set < first);
    let (low, high) = if before(guess) {
        let mut low = guess + 1;
        while before(low + step) {
            low += step + 1;
            step *= 2;
        }
        (low, postings.len().min(low + step))
    } else {
        let mut high = guess.min(postings.len());
        while high > step && !before(high - step) {
            high -= step;
            step *= 2;
        }
        (high.saturating_sub(step), high)
    };
    low + postings[low..high].partition_point(|posting| posting.set < first)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn any_guess_leads_to_the_right_place(
            sets in proptest::collection::btree_set(0u32..300, 0..200), first in 0u32..310, guess in 0usize..220
        ) {
            let postings: Vec<Posting> = sets.iter().map(|&set| Posting { set, rest: 0 }).collect();
            let expected = sets.range(..first).count();
            prop_assert_eq!(start_from(&postings, first, guess.min(postings.len())), expected);
        }
    }
}
