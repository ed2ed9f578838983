//! Which contents share a key.
//!
//! New keys are in a [`Head`] in memory. When it is full, another one takes its place, and it becomes a sorted [`Run`]
//! on disk; runs of similar size are merged, so that a look-up reads few of them. Everything here can be recomputed from
//! the journal or the documents, so files are written in the background and named by the manifest when complete.

mod head;
mod run;
mod run_builder;

pub use head::Head;
pub use run::{Run, write_run};
pub use run_builder::RunBuilder;

use std::path::Path;
use std::sync::Arc;

use lookalike_core::Result;
use lookalike_core::candidates::{DETAIL_BITS, KeyRange};

use crate::storage::document::ContentNumber;

/// How many entries are sifted at once.
const SIFTED: usize = 1 << 12;

/// Keys in memory and on disk.
#[derive(Default)]
pub struct Keys {
    pub head: Head,
    /// What is being written to a run.
    pub frozen: Option<Frozen>,
    /// The oldest first: contents of a later run have greater numbers.
    pub runs: Vec<Arc<Run>>,
}

/// A head to which nothing is added any more.
#[derive(Clone)]
pub struct Frozen {
    pub head: Arc<Head>,
    /// The first content whose keys are not in it, but may be in the next one.
    pub end: ContentNumber,
}

/// The entries that go to a run are given to this, some at a time: it takes out what is not wanted, and may stop the work.
pub type Sift<'a> = &'a mut dyn FnMut(&mut Vec<(u64, u32)>) -> Result<()>;

/// Which contents are looked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Among {
    All,
    /// Those from this one on, whose keys are still in memory.
    Since(ContentNumber),
}

impl Keys {
    /// Calls `each` with the place of every key and the contents that have it, removed ones included, by rising
    /// number.
    pub fn find(
        &self,
        among: Among,
        keys: impl Iterator<Item = u64>,
        each: impl FnMut(usize, &mut Vec<ContentNumber>),
    ) -> Result<()> {
        let keys: Vec<KeyRange> = keys.map(KeyRange::of).collect();
        self.find_groups(among, &keys.chunks(1).collect::<Vec<_>>(), each)
    }

    /// Calls `each` with contents whose keys are in these rising ranges, removed ones included. A content comes once
    /// for every such key.
    pub fn find_ranges(
        &self,
        among: Among,
        ranges: &[KeyRange],
        mut each: impl FnMut(&mut Vec<ContentNumber>),
    ) -> Result<()> {
        let groups: Vec<&[KeyRange]> =
            ranges.chunk_by(|a, b| a.first >> DETAIL_BITS == b.first >> DETAIL_BITS).collect();
        self.find_groups(among, &groups, |_, contents| each(contents))
    }

    /// Looks up groups of ranges that lie side by side. Looking up one misses the memory caches several times; looking
    /// up all together overlaps these waits.
    fn find_groups(
        &self,
        among: Among,
        groups: &[&[KeyRange]],
        mut each: impl FnMut(usize, &mut Vec<ContentNumber>),
    ) -> Result<()> {
        let (runs, first) = match among {
            Among::All => (self.runs.as_slice(), ContentNumber::FIRST),
            Among::Since(first) => (&[][..], first),
        };
        let starts = || groups.iter().map(|group| group.first().map_or(0, |range| range.first));
        let mut places = Vec::with_capacity(groups.len() * runs.len());
        for run in runs {
            places.extend(starts().map(|key| run.guess(key)));
        }
        for (run, places) in runs.iter().zip(places.chunks_mut(groups.len().max(1))) {
            places.iter_mut().zip(starts()).for_each(|(place, key)| *place = run.refine_guess(key, *place));
            run.check(places);
        }
        for (run, places) in runs.iter().zip(places.chunks_mut(groups.len().max(1))) {
            let single = |group: &[KeyRange]| match group {
                [range] if range.first == range.last => Some(range.first),
                _ => None,
            };
            for (place, group) in places.iter_mut().zip(groups) {
                *place = single(group).map_or(*place, |key| run.locate(key, *place));
            }
        }
        let heads = self.heads().map(|head| (head, starts().map(|key| head.last_of(key)).collect()));
        let heads: Vec<(&Head, Vec<_>)> = heads.collect();
        let mut contents = Vec::new();
        for (number, group) in groups.iter().enumerate() {
            contents.clear();
            for (run, places) in runs.iter().zip(places.chunks(groups.len())) {
                run.find(group, places[number], &mut contents)?;
            }
            for (head, last) in &heads {
                head.find(group, last[number], first, &mut contents);
            }
            each(number, &mut contents);
        }
        Ok(())
    }

    /// The keys in memory, the older first.
    pub fn heads(&self) -> impl Iterator<Item = &Head> {
        self.frozen.iter().map(|frozen| &*frozen.head).chain([&self.head])
    }

    /// How many entries are in memory.
    pub fn entries_in_memory(&self) -> u64 {
        self.heads().map(Head::entries).sum()
    }

    /// Whether keys of contents before this one are in memory.
    pub fn has_before(&self, content: ContentNumber) -> bool {
        self.heads().filter_map(Head::first).any(|first| first < content)
    }

    /// Puts an empty head in the place of the present one, which has the keys of contents before `end`. If one is frozen
    /// already, that stays and the empty one is given back.
    pub fn freeze(&mut self, empty: Head, end: ContentNumber) -> Option<Head> {
        if self.frozen.is_some() {
            return Some(empty);
        }
        let head = Arc::new(std::mem::replace(&mut self.head, empty));
        self.frozen = Some(Frozen { head, end });
        None
    }

    /// How many of the last runs to merge with a new run of this many entries: those that are not much larger than
    /// what comes after them.
    pub fn to_merge(&self, entries: u64) -> usize {
        let mut sum = entries;
        let mut count = 0;
        for run in self.runs.iter().rev() {
            if run.entries() > 3 * sum {
                break;
            }
            sum += run.entries();
            count += 1;
        }
        count
    }
}

impl Keys {
    /// Calls `each` with the contents of every key.
    pub(crate) fn for_each_bucket(&self, mut each: impl FnMut(&[ContentNumber])) -> Result<()> {
        let mut sources: Vec<Source<'_>> = Vec::new();
        for run in &self.runs {
            sources.push(Box::new(run.iter()));
        }
        for head in self.heads() {
            sources.push(Box::new(head.sorted().into_iter().map(Ok)));
        }
        let (mut key, mut bucket) = (None, Vec::new());
        for entry in Merged::new(sources)? {
            let (next, content) = entry?;
            if key != Some(next) {
                each(&bucket);
                bucket.clear();
                key = Some(next);
            }
            bucket.extend(ContentNumber::from_raw(content));
        }
        each(&bucket);
        Ok(())
    }
}

/// Merges runs and heads into one new run, of what is left of their entries by `sift`.
pub fn merge<'h>(
    path: &Path,
    runs: &[Arc<Run>],
    heads: impl Iterator<Item = &'h Head>,
    sift: Sift<'_>,
) -> Result<Run> {
    let mut sources: Vec<Source<'_>> = Vec::new();
    for run in runs {
        sources.push(Box::new(run.iter()));
    }
    for head in heads {
        sources.push(Box::new(head.sorted().into_iter().map(Ok)));
    }
    let (mut merged, mut some, mut place) = (Merged::new(sources)?, Vec::with_capacity(SIFTED), 0);
    let sifted = std::iter::from_fn(|| {
        while place == some.len() {
            place = 0;
            some.clear();
            for entry in merged.by_ref().take(SIFTED) {
                match entry {
                    Ok(entry) => some.push(entry),
                    Err(error) => return Some(Err(error)),
                }
            }
            if some.is_empty() {
                return None;
            }
            if let Err(error) = sift(&mut some) {
                return Some(Err(error));
            }
        }
        place += 1;
        some.get(place - 1).copied().map(Ok)
    });
    write_run(path, sifted)?;
    Run::open(path)
}

/// Takes out the entries of contents that are gone. Asks about each content once: they lie far apart in memory, and each
/// has many keys.
#[derive(Default)]
pub struct Living(Vec<Option<bool>>);

impl Living {
    /// Leaves the entries of contents that are alive, as far as that is known from earlier entries or told now.
    pub fn retain(&mut self, entries: &mut Vec<(u64, u32)>, is_alive: impl Fn(ContentNumber) -> bool) {
        entries.retain(|&(_, content)| {
            let Some(content) = ContentNumber::from_raw(content) else { return false };
            if self.0.len() <= content.index() {
                self.0.resize(content.index() + 1, None);
            }
            *self.0[content.index()].get_or_insert_with(|| is_alive(content))
        });
    }
}

type Source<'a> = Box<dyn Iterator<Item = Result<(u64, u32)>> + 'a>;

/// The entries of several sorted sources in order. There are few sources, so a linear search for the smallest is
/// fast.
struct Merged<'a> {
    sources: Vec<Source<'a>>,
    ahead: Vec<Option<(u64, u32)>>,
}

impl<'a> Merged<'a> {
    fn new(mut sources: Vec<Source<'a>>) -> Result<Self> {
        let ahead = sources.iter_mut().map(|source| source.next().transpose()).collect::<Result<_>>()?;
        Ok(Merged { sources, ahead })
    }
}

impl Iterator for Merged<'_> {
    type Item = Result<(u64, u32)>;

    fn next(&mut self) -> Option<Self::Item> {
        let ahead = self.ahead.iter().enumerate().filter_map(|(place, entry)| Some((entry.as_ref()?, place)));
        let (&entry, place) = ahead.min()?;
        match self.sources[place].next().transpose() {
            Ok(next) => self.ahead[place] = next,
            Err(error) => return Some(Err(error)),
        }
        Some(Ok(entry))
    }
}

#[cfg(test)]
mod tests {
    use std::cell::RefCell;

    use proptest::prelude::*;

    use super::*;

    #[test]
    fn each_content_is_asked_about_once() {
        let asked = RefCell::new(Vec::new());
        let is_alive = |content: ContentNumber| {
            asked.borrow_mut().push(content.index());
            content.index() % 2 == 1
        };
        let entry = |place| (place as u64, ContentNumber::from_index(place).raw());
        let mut living = Living::default();
        let mut left = |places: &[usize]| {
            let mut entries = places.iter().map(|&place| entry(place)).collect();
            living.retain(&mut entries, is_alive);
            entries
        };
        assert_eq!(left(&[5, 2, 5]), [5, 5].map(entry));
        assert_eq!(left(&[9, 2, 2, 5]), [9, 5].map(entry));
        assert_eq!(asked.into_inner(), [5, 2, 9]);
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(40))]

        /// Wherever an entry is, in the head, in a run or in a merged one, it is found, and only it.
        #[test]
        fn keys_are_found_wherever_they_are(
            parts in proptest::collection::vec(proptest::collection::vec(0u64..60, 0..80), 1..6),
            dead in 0usize..20,
            later in 0usize..100,
        ) {
            let dir = tempfile::tempdir().unwrap();
            let mut keys = Keys::default();
            let mut all: Vec<(u64, ContentNumber)> = Vec::new();
            let keep = |content: ContentNumber| content.index() % 20 != dead;
            let spread = |key: u64| lookalike_core::hash::mix(key);
            let (mut content, mut named) = (ContentNumber::FIRST, 0);
            for part in &parts {
                for &key in part {
                    keys.head.insert(spread(key), content);
                    all.push((spread(key), content));
                    content = content.next();
                }
                named += 1;
                if named % 3 == 1 {
                    // What comes now is in the next head.
                    drop(keys.freeze(Head::default(), content));
                    continue;
                }
                let merged = keys.to_merge(keys.entries_in_memory());
                let path = dir.path().join(format!("run-{named}"));
                let from = keys.runs.len() - merged;
                let mut known = Living::default();
                let mut living = |entries: &mut Vec<(u64, u32)>| {
                    known.retain(entries, keep);
                    Ok(())
                };
                let run = merge(&path, &keys.runs[from..], keys.heads(), &mut living).unwrap();
                keys.runs.truncate(from);
                keys.runs.push(Arc::new(run));
                (keys.head, keys.frozen) = (Head::default(), None);
                all.retain(|&(_, content)| keep(content));
            }
            let mut all_found = Vec::new();
            keys.find(Among::All, (0..60u32).map(|key| spread(u64::from(key))), |_, found| all_found.push(found.clone())).unwrap();
            for (key, mut found) in (0..60).zip(all_found) {
                found.retain(|&content| keep(content));
                prop_assert!(found.is_sorted());
                let has_key = all.iter().filter(|&&(of, content)| of == spread(key) && keep(content));
                let expected: Vec<ContentNumber> = has_key.map(|entry| entry.1).collect();
                prop_assert_eq!(found, expected);
            }
            let oldest_in_memory = keys.heads().find_map(Head::first).unwrap_or(content);
            let since = ContentNumber::from_index(oldest_in_memory.index() + later);
            keys.find(Among::Since(since), (0..60u32).map(|key| spread(u64::from(key))), |key, found| {
                let has_key = all.iter().filter(|&&(of, content)| of == spread(key as u64) && content >= since);
                assert_eq!(*found, has_key.map(|entry| entry.1).collect::<Vec<_>>());
            })
            .unwrap();
        }
    }
}
