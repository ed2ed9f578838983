//! Every pair of documents whose sizes allow it, compared chunk by chunk (LSBS).
//!
//! The paper compares each document with all others and skips those whose size differs too much for
//! the threshold. This join does the same and misses nothing: the similarity is the number of votes
//! over the chunks of the longer document, so no pair whose sizes are further apart than the
//! threshold allows can reach it. Documents are sorted by size, each is compared with those in its
//! window, and a comparison ends as soon as more chunks differ than the threshold allows.
//!
//! With the measure `bits` all bits are counted instead, as the paper does in another place: the
//! similarity is the share of the longer document's bits that are equal.
//!
//! The number of comparisons still grows with the square of the collection. Documents are compared
//! in blocks, so that what is read from memory is compared with a whole block.

mod compare;
mod neighbours;
mod record;
#[cfg(target_arch = "x86_64")]
mod simd;

use std::sync::atomic::{AtomicUsize, Ordering};

use super::join::{Emit, Join, JoinSource, Neighbours, Records};
use crate::decide::Bits;
use crate::error::{Error, Result};
use crate::features::Features;
use crate::part::{Param, Params, PartInfo, Spec};
use crate::registry::BuildContext;
use crate::threads::try_on_threads;
use neighbours::LikeSizes;
use record::Record;

/// After this many bytes it is checked whether a pair can still reach the threshold.
const CHECK_EVERY: usize = 256;

/// All pairs of chunked documents that reach a similarity, none missed: sizes that differ too much are skipped.
#[derive(Clone, Copy)]
pub struct SizeWindow {
    /// The least votes over chunks of the longer.
    threshold: f64,
    /// Bits in which chunks may differ and still agree.
    tolerance: u32,
    /// Whether bits are counted, not chunks that agree.
    by_bits: bool,
    /// The similarity, by the recipe's measure, from which every pair is found.
    complete_from: Option<f64>,
}

/// Documents that are compared together.
const BLOCK: usize = 64;
/// Pairs handed out at once.
const BATCH: usize = 4096;
const MAX_TOLERANCE: u64 = 31;

impl SizeWindow {
    /// The description of this part in the registry.
    pub const INFO: PartInfo = PartInfo {
        name: "size-window",
        summary: "All pairs of like size, chunk by chunk at the same place (LSBS); misses nothing",
        paper: "L17 §III",
        params: &[Param {
            name: "tolerance",
            default: "0",
            help: "bits in which two chunks may differ and still agree, 0 to 31 and fewer than a chunk has",
        }],
    };

    /// Finds pairs that share at least this part of the longer document's chunks.
    pub fn new(threshold: f64, tolerance: u64) -> Result<Self> {
        if !(threshold > 0.0 && threshold <= 1.0) {
            return Err(Error::config(format!(
                "the similarity is {threshold}, it must be above 0 and at most 1"
            )));
        }
        if tolerance > MAX_TOLERANCE {
            return Err(Error::config(format!(
                "candidates.tolerance is {tolerance}, it must be from 0 to {MAX_TOLERANCE}"
            )));
        }
        Ok(SizeWindow {
            threshold,
            tolerance: tolerance as u32,
            by_bits: false,
            complete_from: Some(threshold),
        })
    }

    /// Finds pairs of which at least this part of the longer document's bits are equal.
    pub fn by_bits(threshold: f64) -> Result<Self> {
        Ok(SizeWindow { by_bits: true, ..SizeWindow::new(threshold, 0)? })
    }

    /// Reads its parameters from a section of a recipe.
    pub fn from_params(params: &mut Params, context: &BuildContext<'_>) -> Result<Self> {
        let tolerance = params.integer("tolerance", 0)?;
        if context.measure == "longer" {
            return SizeWindow::new(context.similarity, tolerance);
        }
        if context.measure == Bits::INFO.name {
            if tolerance > 0 {
                return Err(Error::config(
                    "candidates.tolerance is for votes of chunks; decide.measure = \"bits\" counts every bit",
                ));
            }
            return SizeWindow::by_bits(context.similarity);
        }
        // A pair that shares a part of all chunks shares at least that part of the longer
        // document's.
        let measure = context.registry.measures.build_named(context.measure, context.registry);
        let bounded = measure.is_ok_and(|measure| measure.least_jaccard(context.similarity).is_some());
        let window = SizeWindow::new(context.threshold, tolerance)?;
        Ok(SizeWindow { complete_from: bounded.then_some(context.similarity), ..window })
    }

    /// Votes over the chunks of the longer, or equal bits over its bits, of two packed documents; 0 if they are of
    /// different classes or one has no chunks.
    pub fn similarity(&self, a: &[u8], b: &[u8]) -> f64 {
        match (Record::read(a), Record::read(b)) {
            (Some(a), Some(b)) if a.class == b.class && a.width == b.width => {
                let votes = self.votes(&a, &b, 0).unwrap_or(0);
                votes as f64 / self.size(&a).max(self.size(&b)) as f64
            }
            _ => 0.0,
        }
    }

    /// Calls `found` with the place and the similarity of every document that reaches the threshold.
    pub fn scan(&self, query: &[u8], records: &Records, mut found: impl FnMut(u32, f64)) {
        let Some(query) = Record::read(query) else { return };
        for place in 0..records.len() {
            let Some(other) = Record::read(records.get(place)) else { continue };
            if (other.class, other.width) != (query.class, query.width) {
                continue;
            }
            let longer = self.size(&query).max(self.size(&other));
            if let Some(votes) = self.votes(&query, &other, least_votes(longer, self.threshold)) {
                found(place as u32, votes as f64 / longer as f64);
            }
        }
    }

    /// Chunks of a document, or bits.
    fn size(&self, record: &Record<'_>) -> usize {
        record.chunks() * self.bits(record).unwrap_or(1)
    }

    /// Bits of each chunk, if bits are counted. Of wide chunks there are only hashes, which agree or do not.
    fn bits(&self, record: &Record<'_>) -> Option<usize> {
        record.bits().filter(|_| self.by_bits).map(|bits| bits as usize)
    }

    /// How many chunks or bits agree, or `None` if fewer than `least` do.
    fn votes(&self, a: &Record<'_>, b: &Record<'_>, least: usize) -> Option<usize> {
        let element = a.element();
        let text = a.text.len().min(b.text.len()) / element;
        let symbols = a.symbols.len().min(b.symbols.len()) / element;
        if let Some(bits) = self.bits(a) {
            let spare = (bits * (text + symbols)).checked_sub(least)?;
            let in_text = compare::differing_bits(a.text, b.text, spare)?;
            let in_symbols = compare::differing_bits(a.symbols, b.symbols, spare - in_text)?;
            return Some(bits * (text + symbols) - in_text - in_symbols);
        }
        let spare = (text + symbols).checked_sub(least)?;
        let in_text = compare::votes(a.text, b.text, element, self.tolerance, spare)?;
        let spare = spare - (text - in_text);
        Some(in_text + compare::votes(a.symbols, b.symbols, element, self.tolerance, spare)?)
    }

    /// Documents in the order of comparison: those of one class together, by rising size.
    fn in_order<'a>(&self, records: &'a Records) -> Result<Vec<Entry<'a>>> {
        let mut entries = Vec::with_capacity(records.len());
        for place in 0..records.len() {
            let bytes = records.get(place);
            if Record::is_foreign(bytes) {
                return Err(Error::config(
                    "candidates.type is `size-window`, which compares chunks at their places: \
                     it needs features.type = \"chunks\" with align = \"position\"",
                ));
            }
            let Some(record) = Record::read(bytes) else { continue };
            if self.tolerance > 0 && record.bits().is_none_or(|bits| self.tolerance >= bits) {
                return Err(Error::config(format!(
                    "candidates.tolerance is {}, it must be below features.chunk, which must be at most 32",
                    self.tolerance
                )));
            }
            let size = self.size(&record);
            let least = least_votes(size, self.threshold);
            entries.push(Entry { record, place: place as u32, size, least });
        }
        entries
            .sort_unstable_by_key(|entry| (entry.record.class, entry.record.width, entry.size, entry.place));
        Ok(entries)
    }

    /// The pairs of one block of documents with each other and with all larger ones.
    fn pairs_of_block(
        &self,
        entries: &[Entry<'_>],
        block: std::ops::Range<usize>,
        mut emit: impl FnMut(u32, u32) -> Result<()>,
    ) -> Result<()> {
        for later in block.start + 1..entries.len() {
            let long = &entries[later];
            let smaller = &entries[block.start..block.end.min(later)];
            // All that are of the same class and not too small, which are the last ones.
            let from = smaller.partition_point(|short| !short.is_like(long) || short.size < long.least);
            if from == smaller.len() && later >= block.end {
                break;
            }
            for short in &smaller[from..] {
                if self.votes(&short.record, &long.record, long.least).is_some() {
                    emit(short.place.min(long.place), short.place.max(long.place))?;
                }
            }
        }
        Ok(())
    }
}

struct Entry<'a> {
    record: Record<'a>,
    place: u32,
    /// Its chunks, or bits.
    size: usize,
    /// Votes needed in a comparison with a document that is not larger.
    least: usize,
}

impl Entry<'_> {
    fn is_like(&self, other: &Entry<'_>) -> bool {
        self.record.class == other.record.class && self.record.width == other.record.width
    }
}

/// The least votes that reach the threshold, computed with the same division that measures use.
fn least_votes(chunks: usize, threshold: f64) -> usize {
    let reaches = |votes: usize| votes as f64 / chunks as f64 >= threshold;
    let mut least = (chunks as f64 * threshold) as usize;
    while least > 0 && reaches(least - 1) {
        least -= 1;
    }
    while least < chunks && !reaches(least) {
        least += 1;
    }
    least
}

impl Join for SizeWindow {
    fn spec(&self) -> Spec {
        let spec = Spec::new(Self::INFO.name).with("tolerance", i64::from(self.tolerance));
        // Written only if it is so, so that older schemes stay the same.
        if self.by_bits { spec.with("by", "bits") } else { spec }
    }

    fn recall_at(&self, similarity: f64) -> Option<f64> {
        let from = self.complete_from?;
        if similarity >= from {
            return Some(1.0);
        }
        // Below this, tolerance and measures other than `longer` let some pairs through.
        (from == self.threshold && self.tolerance == 0).then_some(0.0)
    }

    fn source(&self) -> JoinSource {
        JoinSource::Features
    }

    fn pack(&self, features: &Features, out: &mut Vec<u8>) {
        record::pack(features, out);
    }

    fn pairs(&self, records: &Records, threads: usize, emit: &Emit<'_>) -> Result<()> {
        let entries = self.in_order(records)?;
        let next = AtomicUsize::new(0);
        try_on_threads(threads, |stop| {
            let mut batch = Vec::with_capacity(BATCH);
            while !stop.is_set() {
                let start = next.fetch_add(BLOCK, Ordering::Relaxed);
                if start >= entries.len() {
                    break;
                }
                let block = start..(start + BLOCK).min(entries.len());
                emit(&[])?;
                self.pairs_of_block(&entries, block, |a, b| {
                    batch.push((a, b));
                    if batch.len() < BATCH {
                        return Ok(());
                    }
                    let emitted = emit(&batch);
                    batch.clear();
                    emitted
                })?;
            }
            if batch.is_empty() || stop.is_set() { Ok(()) } else { emit(&batch) }
        })
        .map(drop)
    }

    fn neighbours(&self) -> Option<Box<dyn Neighbours>> {
        Some(Box::new(LikeSizes::new(*self)))
    }
}

#[cfg(test)]
mod tests;
