//! Candidate pairs, ordered so that each document has to be read again only once.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};

use lookalike_core::Result;
use lookalike_core::candidates::{Finder, pairs_in_bucket, pairs_with_pivots};
use lookalike_core::threads::{Stop, try_on_threads};
use lookalike_core::union_find::UnionFind;

use super::Progress;
use super::external::{Sorted, Sorter};
use super::group::{Bucket, KeyColumn, for_each_bucket, sharing};
use super::join;
use super::search::{Search, unpack_pair};
use crate::corpus::CorpusNumber;
use crate::pipeline::BranchPlaces;

/// Pairs that are linked by other candidates follow each other, so that verification gets the pairs
/// of a document together.
pub struct Candidates {
    pub pairs: Sorted<u128>,
    pub count: u64,
    /// Whether some document is in so many pairs that these stand with the others of the pairs.
    pub has_hubs: bool,
    /// How many each branch proposed.
    pub proposed: Vec<u64>,
}

/// A pair with its sort key and the branches that proposed it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Candidate {
    component: u32,
    /// By which it is sorted: the smaller one, or the one that is no hub.
    first: CorpusNumber,
    second: CorpusNumber,
    /// A bit for each branch that proposed it.
    pub found_by: u32,
}

impl Candidate {
    fn pack(self) -> u128 {
        let parts = [self.component, self.first.raw(), self.second.raw(), self.found_by];
        parts.iter().fold(0, |packed, &part| packed << 32 | u128::from(part))
    }

    pub fn unpack(packed: u128) -> Self {
        let part = |place: u32| (packed >> (96 - 32 * place)) as u32;
        let number = |place: u32| CorpusNumber::from_index(part(place) as usize);
        Candidate { component: part(0), first: number(1), second: number(2), found_by: part(3) }
    }

    /// The pair, the smaller number first.
    pub fn pair(&self) -> (CorpusNumber, CorpusNumber) {
        (self.first.min(self.second), self.first.max(self.second))
    }
}

/// After this many buckets, progress is reported, which may stop the run.
const WATCHED: u32 = 1 << 14;

impl Search<'_> {
    /// The pairs that enough branches propose. Pairs within the corpus compared against are left
    /// out.
    pub fn run(&self, progress: &dyn Progress) -> Result<Candidates> {
        let places = BranchPlaces::new(self.pipeline);
        let joins = self.pipeline.branches.iter().filter(|branch| branch.keyer().is_none()).count();
        progress.stage("pairing", (places.keys + joins) as u64);
        let branches = self.pipeline.branches.iter().zip(&places.starts).enumerate();
        let proposed = branches
            .map(|(number, (branch, &(first_key, first_byte)))| match &branch.finder {
                Finder::Keys(keyer) => self.by_keys(first_key..first_key + keyer.keys(), progress),
                Finder::Join(join) => {
                    let sorter = Mutex::new(Sorter::new(self.work, self.memory / 2));
                    join::run(self, number, &**join, first_byte, &|pairs| {
                        // Reporting progress may stop the run.
                        progress.advance(0, 0)?;
                        let mut sorter = sorter.lock().unwrap_or_else(PoisonError::into_inner);
                        pairs.iter().try_for_each(|&(a, b)| self.propose(&mut sorter, a, b))
                    })?;
                    progress.advance(1, 0)?;
                    Ok(Sorter::finish([sorter.into_inner().unwrap_or_else(PoisonError::into_inner)]))
                }
            })
            .collect::<Result<Vec<_>>>()?;
        self.gather(&proposed)
    }

    /// Pairs up documents that share one of these keys.
    fn by_keys(&self, keys: std::ops::Range<usize>, progress: &dyn Progress) -> Result<Sorted<u64>> {
        let limits = self.limits;
        let share = self.memory / 2 / self.threads as u64;
        let next = AtomicUsize::new(keys.start);
        let collect = |stop: &Stop| -> Result<Sorter<u64>> {
            let mut sorter = Sorter::new(self.work, share);
            loop {
                let key = next.fetch_add(1, Ordering::Relaxed);
                if key >= keys.end || stop.is_set() {
                    return Ok(sorter);
                }
                let keys = KeyColumn { catalog: self.catalog, key, skip: self.copies };
                let shared = sharing(&keys, self.work, share)?;
                let mut buckets = 0u32;
                for_each_bucket(&shared, limits.full, |bucket| {
                    buckets = buckets.wrapping_add(1);
                    if buckets.is_multiple_of(WATCHED) {
                        progress.advance(0, 0)?;
                    }
                    let mut outcome = Ok(());
                    let mut propose = |a, b| {
                        if outcome.is_ok() {
                            outcome = self.propose(&mut sorter, a, b);
                        }
                    };
                    match bucket {
                        Bucket::Small(documents) => pairs_in_bucket(limits, documents, &[], propose),
                        Bucket::Large(..) => {
                            let pivots = self.pivots(|see| bucket.for_each(see))?;
                            bucket.for_each(|document| {
                                pairs_with_pivots(document, &pivots, &mut propose);
                                Ok(())
                            })?;
                        }
                    }
                    outcome
                })?;
                progress.advance(1, 0)?;
            }
        };
        Ok(Sorter::finish(try_on_threads(self.threads, collect)?))
    }

    /// Merges what the branches proposed, and orders it.
    fn gather(&self, proposed: &[Sorted<u64>]) -> Result<Candidates> {
        let mut components = UnionFind::new(self.catalog.len() as usize);
        let mut hubs = Hubs::new(self.catalog.len());
        let mut count = 0;
        let mut by_branch = vec![0; proposed.len()];
        for_each_merged(proposed, |pair, found_by| {
            for (branch, count) in by_branch.iter_mut().enumerate() {
                *count += u64::from(found_by >> branch & 1);
            }
            if self.pipeline.has_votes(found_by) {
                let (a, b) = unpack_pair(pair);
                components.union(a.raw(), b.raw());
                hubs.count(a);
                hubs.count(b);
                count += 1;
            }
            Ok(())
        })?;
        let mut sorter = Sorter::new(self.work, self.memory / 2);
        for_each_merged(proposed, |pair, found_by| {
            if !self.pipeline.has_votes(found_by) {
                return Ok(());
            }
            let (a, b) = unpack_pair(pair);
            let (first, second) = if hubs.is_hub(a) && !hubs.is_hub(b) { (b, a) } else { (a, b) };
            sorter.push(Candidate { component: components.find(a.raw()), first, second, found_by }.pack())
        })?;
        Ok(Candidates { pairs: sorter.sorted(), count, has_hubs: hubs.any, proposed: by_branch })
    }
}

/// Documents that are in very many pairs: the pivots of crowds. If the pairs of a crowd came by pivot, every document
/// would be read again for every pivot; so they come by the other document, and only the few pivots are read often.
struct Hubs {
    /// Up to [`Hubs::FROM`].
    pairs: Vec<u8>,
    any: bool,
}

impl Hubs {
    /// In as many pairs a document is a hub.
    const FROM: u8 = u8::MAX;

    fn new(documents: u32) -> Self {
        Hubs { pairs: vec![0; documents as usize], any: false }
    }

    fn count(&mut self, document: CorpusNumber) {
        let pairs = &mut self.pairs[document.index()];
        *pairs = pairs.saturating_add(1);
        self.any |= *pairs == Self::FROM;
    }

    fn is_hub(&self, document: CorpusNumber) -> bool {
        self.pairs[document.index()] == Self::FROM
    }
}

/// Calls `visit` with every pair once, in order, and a bit for each list that has it.
fn for_each_merged(lists: &[Sorted<u64>], mut visit: impl FnMut(u64, u32) -> Result<()>) -> Result<()> {
    let mut lists = lists.iter().map(|list| Ok(list.iter()?.peekable())).collect::<Result<Vec<_>>>()?;
    loop {
        let mut least: Option<u64> = None;
        for list in &mut lists {
            match list.peek() {
                Some(Ok(pair)) => least = Some(least.map_or(*pair, |least| least.min(*pair))),
                Some(Err(_)) => return list.next().map_or(Ok(()), |error| error.map(|_| ())),
                None => {}
            }
        }
        let Some(pair) = least else { return Ok(()) };
        let mut found_by = 0;
        for (number, list) in lists.iter_mut().enumerate() {
            if list.next_if(|next| next.as_ref().is_ok_and(|next| *next == pair)).is_some() {
                found_by |= 1 << number;
            }
        }
        visit(pair, found_by)?;
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;

    #[test]
    fn packed_candidates_sort_by_component_and_come_back() {
        let number = CorpusNumber::from_index;
        let pair =
            |component, a, b| Candidate { component, first: number(a), second: number(b), found_by: 5 };
        assert_eq!(Candidate::unpack(pair(7, 8, 9).pack()), pair(7, 8, 9));
        assert!(pair(1, 900, 901).pack() < pair(2, 3, 4).pack());
        assert!(pair(1, 2, 901).pack() < pair(1, 3, 4).pack());
    }

    #[test]
    fn merged_lists_tell_who_has_a_pair() {
        let list = |pairs: &[u64]| {
            let mut sorter = Sorter::new(Path::new(""), 1 << 20);
            pairs.iter().for_each(|&pair| sorter.push(pair).unwrap());
            Sorter::finish([sorter])
        };
        let mut seen = Vec::new();
        for_each_merged(&[list(&[3, 1, 5]), list(&[]), list(&[5, 2])], |pair, found_by| {
            seen.push((pair, found_by));
            Ok(())
        })
        .unwrap();
        assert_eq!(seen, [(1, 0b001), (2, 0b100), (3, 0b001), (5, 0b101)]);
    }
}
