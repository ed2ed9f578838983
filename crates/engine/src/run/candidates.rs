//! Candidate pairs, ordered so that each document has to be read again only once.

use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};

use lookalike_core::candidates::{Buckets, pairs_in_bucket};
use lookalike_core::union_find::UnionFind;
use lookalike_core::{Error, Result};

use super::Progress;
use super::bits::Bits;
use super::catalog::Catalog;
use super::external::{Sorted, Sorter};
use super::group::{By, for_each_bucket};

/// Pairs as `component << 64 | a << 32 | b` with a < b: pairs that are linked by other candidates
/// follow each other, so whoever verifies them meets a document's pairs together.
pub struct Candidates {
    pub pairs: Sorted<u128>,
    pub count: u64,
}

/// Pairs up documents that share a key. Exact copies take part by their representative only; pairs
/// within the corpus compared against are nobody's business.
pub fn find(
    catalog: &Catalog,
    copies: &Bits,
    work: &Path,
    threads: usize,
    memory: u64,
    progress: &dyn Progress,
) -> Result<Candidates> {
    let limits = Buckets::default();
    let keys = catalog.layout.keys;
    progress.stage("pairing", keys as u64);
    let share = memory / 2 / threads as u64;
    let next = AtomicUsize::new(0);
    let collect = || -> Result<Sorter<u64>> {
        let mut sorter = Sorter::new(work, share);
        loop {
            let key = next.fetch_add(1, Ordering::Relaxed);
            if key >= keys {
                return Ok(sorter);
            }
            for_each_bucket(catalog, By::Key(key), copies, share, |bucket| {
                let pivots = if limits.needs_pivots(bucket.len()) {
                    pivots(catalog, bucket, limits)?
                } else {
                    Vec::new()
                };
                let mut outcome = Ok(());
                pairs_in_bucket(limits, bucket, &pivots, |a, b| {
                    if !catalog.is_reference(b) && outcome.is_ok() {
                        outcome = sorter.push(u64::from(a) << 32 | u64::from(b));
                    }
                });
                outcome
            })?;
            progress.advance(1, 0)?;
        }
    };
    let pairs = Sorter::finish(on_threads(threads, collect)?);
    let mut components = UnionFind::new(catalog.len() as usize);
    let mut count = 0;
    for pair in pairs.iter()? {
        let (a, b) = split(pair?);
        components.union(a, b);
        count += 1;
    }
    let mut by_component = Sorter::new(work, memory / 2);
    for pair in pairs.iter()? {
        let pair = pair?;
        let component = components.find(split(pair).0);
        by_component.push(u128::from(component) << 64 | u128::from(pair))?;
    }
    drop(pairs);
    Ok(Candidates { pairs: Sorter::finish([by_component]), count })
}

/// The best document of a bucket, and those with the smallest digests: both depend on the documents
/// alone, not on their order, and the same crowd under another key has mostly the same pivots.
fn pivots(catalog: &Catalog, bucket: &[u32], limits: Buckets) -> Result<Vec<u32>> {
    let mut pivots = vec![catalog.best(bucket)?];
    let digests = bucket.iter().map(|&document| Ok((catalog.digest(document)?, document)));
    let mut digests = digests.collect::<Result<Vec<_>>>()?;
    digests.sort_unstable();
    pivots.extend(
        digests
            .iter()
            .map(|&(_, document)| document)
            .filter(|&document| document != pivots[0])
            .take(limits.pivots - 1)
            .collect::<Vec<_>>(),
    );
    Ok(pivots)
}

fn split(pair: u64) -> (u32, u32) {
    ((pair >> 32) as u32, pair as u32)
}

/// Runs the same work on several threads and collects what each gives.
pub fn on_threads<T: Send>(threads: usize, work: impl Fn() -> Result<T> + Sync) -> Result<Vec<T>> {
    let results: Mutex<Vec<Result<T>>> = Mutex::new(Vec::new());
    std::thread::scope(|scope| {
        for _ in 0..threads.max(1) {
            scope.spawn(|| {
                let result = work();
                results.lock().unwrap_or_else(PoisonError::into_inner).push(result);
            });
        }
    });
    let results = results.into_inner().unwrap_or_else(PoisonError::into_inner);
    if results.len() < threads.max(1) {
        return Err(Error::Internal("a thread panicked".to_owned()));
    }
    results.into_iter().collect()
}
