//! Sorts keys that come in any order into one run.
//!
//! The keys of a whole corpus may not fit into memory. They are sorted in parts, which wait on disk and are merged at
//! the end.

use std::path::Path;

use lookalike_core::threads::{available, spread};
use lookalike_core::{Error, Result};
use tempfile::TempDir;

use super::{Merged, Run, Source, write_run};
use crate::storage::document::ContentNumber;

/// How many entries are sorted in memory: 256 MiB of them.
const PART: usize = 1 << 24;

/// Collects the keys of things that have numbers, and become contents when all are known.
pub struct RunBuilder {
    entries: Vec<(u64, u32)>,
    /// How many entries make a part.
    most: usize,
    parts: Vec<Run>,
    folder: TempDir,
}

impl RunBuilder {
    /// `folder` is where parts wait.
    pub fn new(folder: &Path) -> Result<RunBuilder> {
        RunBuilder::with_parts_of(PART, folder)
    }

    fn with_parts_of(most: usize, folder: &Path) -> Result<RunBuilder> {
        let folder = tempfile::tempdir_in(folder).map_err(Error::io(folder))?;
        Ok(RunBuilder { entries: Vec::new(), most, parts: Vec::new(), folder })
    }

    pub fn is_empty(&self) -> bool {
        self.entries.is_empty() && self.parts.is_empty()
    }

    /// Numbers must not fall from one call to the next.
    pub fn push(&mut self, key: u64, number: u32) -> Result<()> {
        if self.entries.len() == self.most {
            let path = self.folder.path().join(self.parts.len().to_string());
            write_run(&path, Merged::new(sorted(&mut self.entries))?)?;
            self.parts.push(Run::open(&path)?);
            self.entries.clear();
        }
        self.entries.push((key, number));
        Ok(())
    }

    /// Writes the run. `content_of` gives the content that has become of a number, if any, rising with the numbers;
    /// `each` is called with the contents of every key.
    pub fn write(
        mut self,
        path: &Path,
        content_of: impl Fn(u32) -> Option<ContentNumber>,
        mut each: impl FnMut(&[ContentNumber]),
    ) -> Result<Run> {
        let mut sources = sorted(&mut self.entries);
        for part in &self.parts {
            sources.push(Box::new(part.iter()));
        }
        let mut entries = Merged::new(sources)?.peekable();
        let (mut key, mut bucket, mut place) = (0, Vec::new(), 0);
        let buckets = std::iter::from_fn(|| {
            loop {
                if let Some(content) = bucket.get(place) {
                    place += 1;
                    return Some(Ok((key, ContentNumber::raw(*content))));
                }
                (place, key) = match entries.peek()? {
                    Ok((next, _)) => (0, *next),
                    Err(_) => return entries.next(),
                };
                bucket.clear();
                while let Some(Ok((_, number))) =
                    entries.next_if(|next| matches!(next, Ok((of, _)) if *of == key))
                {
                    bucket.extend(content_of(number));
                }
                each(&bucket);
            }
        });
        write_run(path, buckets)?;
        Run::open(path)
    }
}

/// Sorts entries, on all threads: what each has sorted is a source of its own.
fn sorted(entries: &mut [(u64, u32)]) -> Vec<Source<'_>> {
    let share = entries.len().div_ceil(available()).max(1);
    spread(available(), entries.chunks_mut(share), |share| share.sort_unstable());
    let shares = entries.chunks(share);
    shares.map(|share| Box::new(share.iter().copied().map(Ok)) as Source<'_>).collect()
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use proptest::prelude::*;

    use super::*;

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(40))]

        /// However many parts there are, the run has every key of every number that has become a content.
        #[test]
        fn a_run_has_all_keys_in_order(
            all in proptest::collection::vec(proptest::collection::vec(0u64..40, 0..6), 0..60), most in 1usize..50,
        ) {
            let dir = tempfile::tempdir().unwrap();
            let mut builder = RunBuilder::with_parts_of(most, dir.path()).unwrap();
            prop_assert!(builder.is_empty());
            let content_of = |number: u32| (number % 3 != 1).then(|| ContentNumber::from_index(number as usize / 3));
            let mut expected = BTreeMap::<u64, Vec<ContentNumber>>::new();
            for (keys, number) in all.iter().zip(0..) {
                for &key in keys {
                    builder.push(key, number).unwrap();
                    expected.entry(key).or_default().extend(content_of(number));
                }
            }
            let mut buckets = Vec::new();
            let path = dir.path().join("run");
            let run = builder.write(&path, content_of, |bucket| buckets.push(bucket.to_vec())).unwrap();
            prop_assert_eq!(&buckets, &expected.values().cloned().collect::<Vec<_>>());
            let entries = run.iter().map(|entry| entry.unwrap());
            let expected = expected.iter().flat_map(|(&key, bucket)| bucket.iter().map(move |one| (key, one.raw())));
            prop_assert!(entries.eq(expected));
            let left = std::fs::read_dir(dir.path()).unwrap().count();
            prop_assert_eq!(left, 1, "nothing but the run is left");
        }
    }
}
