//! Outlines: a few bits of each document, by which most others are told from its partners without reading it again.
//!
//! Every feature sets one bit. A feature of one document whose bit is not set in the outline of another is not in the
//! other, so the bits that are missing tell how much two documents share at most. That never rules out a partner.
//! Outlines are made while documents are signed, since features are at hand then, and wait on disk.
//!
//! How many distinct features a document has is not counted, which would take longer than all else: eight slots stand
//! behind each bit, and the slots that are filled are nearly as many as the features, and never more.

use std::collections::HashMap;
use std::path::Path;
use std::sync::{Mutex, PoisonError};

use lookalike_core::decide::Decider;
use lookalike_core::features::Features;
use lookalike_core::{Error, Result};
use lookalike_plumbing::log::{Framing, Log};

use crate::corpus::ChunkPlace;
use crate::corpus::block::Header;

/// How many bits outlines have.
#[derive(Clone, Copy, Debug)]
pub struct OutlineSize {
    bits_per_feature: f64,
}

/// If a decision may accept documents that share less than this, outlines would rule out hardly any pair.
const LEAST_SHARE: f64 = 0.05;

impl OutlineSize {
    /// Unrelated documents seem to share as many features as the larger one has bits set. The decision must ask for
    /// twice as much.
    pub fn new(decider: &dyn Decider) -> Result<OutlineSize> {
        const SIZE: usize = 1 << 12;
        let shared = decider.least_shared(SIZE, SIZE) as f64 / SIZE as f64;
        let covered = decider.least_cosine().map_or(0.0, |cosine| cosine * cosine);
        let least = shared.max(covered);
        if least < LEAST_SHARE {
            return Err(Error::config(format!(
                "--measure-recall needs a decision that tells how much two documents must share, and decide.type = \
                 \"{}\" with these settings does not: use decide.type = \"threshold\" with a measure of sets or with \
                 weighted-cosine, or judge by labels with `lookalike evaluate`",
                decider.spec().kind
            )));
        }
        let most_set = (least / 2.0).min(0.45);
        Ok(OutlineSize { bits_per_feature: -1.0 / (1.0 - most_set).ln() })
    }

    /// Words of 64 bits in the outline of a document; there are few different sizes.
    pub fn words(&self, features: usize) -> usize {
        let words = (features as f64 * self.bits_per_feature / 64.0).ceil() as usize;
        words.next_multiple_of(step(words))
    }

    /// The next larger size after this many words.
    pub fn larger(words: usize) -> usize {
        words + step(words)
    }
}

/// Four sizes each time that the size doubles.
fn step(words: usize) -> usize {
    1 << (words.max(4).ilog2() - 2)
}

/// The bit of a feature. Hashes are spread evenly, so bits are, too.
pub fn place(hash: u64, words: usize) -> usize {
    ((u128::from(hash) * (64 * words) as u128) >> 64) as usize
}

/// Appends the outline with this many words.
pub fn append_outline(hashes: &[u64], words: usize, out: &mut Vec<u64>) {
    let start = out.len();
    out.resize(start + words, 0);
    let outline = &mut out[start..];
    for &hash in hashes {
        let bit = place(hash, words);
        outline[bit / 64] |= 1 << (bit % 64);
    }
}

/// The outlines of all documents, on disk.
pub struct Outlines {
    pub size: OutlineSize,
    log: Log,
    /// Where those of each chunk are, and how many bytes.
    chunks: Mutex<HashMap<(u32, u64), (u64, usize)>>,
}

/// Before the outlines of a chunk: its input and its part.
const HEAD: usize = 12;

impl Outlines {
    pub fn open(work: &Path, size: OutlineSize) -> Result<Outlines> {
        let mut chunks = HashMap::new();
        let log = Log::open(&work.join("outlines"), Framing::Plain, |offset, frame| {
            let (input, rest) = frame.split_first_chunk::<4>().ok_or_else(foreign)?;
            let (part, outlines) = rest.split_first_chunk::<8>().ok_or_else(foreign)?;
            let chunk = (u32::from_le_bytes(*input), u64::from_le_bytes(*part));
            chunks.insert(chunk, (offset + HEAD as u64, outlines.len()));
            Ok(())
        })?;
        Ok(Outlines { size, log, chunks: Mutex::new(chunks) })
    }

    /// The outlines of a chunk's documents, end to end.
    pub fn read(&self, block: &Header) -> Result<Vec<u8>> {
        let chunks = self.chunks.lock().unwrap_or_else(PoisonError::into_inner);
        let &(offset, length) = chunks.get(&(block.input, block.part)).ok_or_else(foreign)?;
        drop(chunks);
        let mut bytes = vec![0; length];
        self.log.read(offset, &mut bytes)?;
        Ok(bytes)
    }
}

fn foreign() -> Error {
    Error::Incompatible(
        "the work folder lacks what --measure-recall needs; start over with --force".to_owned(),
    )
}

/// Slots that a bit of an outline stands for.
const SLOTS: usize = 8;

/// Makes outlines in memory that is reused.
#[derive(Default)]
pub struct Outliner {
    /// A bit for each slot.
    slots: Vec<u8>,
}

impl Outliner {
    /// Hands out the bits of an outline, eight at a time, and returns the least number of distinct features.
    fn outline(&mut self, hashes: &[u64], words: usize, mut eight_bits: impl FnMut(u8)) -> usize {
        self.slots.clear();
        self.slots.resize(64 * words, 0);
        for &hash in hashes {
            let slot = place(hash, words * SLOTS);
            self.slots[slot / SLOTS] |= 1 << (slot % SLOTS);
        }
        let mut filled = 0;
        for slots in self.slots.as_chunks::<SLOTS>().0 {
            const LOW: u64 = 0x7f7f_7f7f_7f7f_7f7f;
            let slots = u64::from_le_bytes(*slots);
            filled += slots.count_ones();
            // The top bit of every byte that is not 0, then all of them side by side.
            let some = (((slots & LOW) + LOW) | slots) & !LOW;
            eight_bits(((some >> 7).wrapping_mul(0x0102_0408_1020_4080) >> 56) as u8);
        }
        // One giant document must not keep its memory for the rest of the run.
        self.slots.shrink_to(1 << 20);
        filled as usize
    }

    /// The least number of distinct features, as the outline of a document with these tells it.
    pub fn least_features(&mut self, hashes: &[u64], size: &OutlineSize) -> usize {
        self.outline(hashes, size.words(hashes.len()), |_| {})
    }
}

/// Collects the outlines of a chunk, on one thread.
pub struct OutlineWriter<'a> {
    outlines: &'a Outlines,
    frame: Vec<u8>,
    outliner: Outliner,
}

impl<'a> OutlineWriter<'a> {
    pub fn new(outlines: &'a Outlines) -> Self {
        OutlineWriter { outlines, frame: vec![0; HEAD], outliner: Outliner::default() }
    }

    pub fn add(&mut self, features: &Features) {
        let words = self.outlines.size.words(features.hashes.len());
        let start = self.frame.len();
        self.frame.extend([0; 4]);
        self.frame.extend((words as u32).to_le_bytes());
        let frame = &mut self.frame;
        let least = self.outliner.outline(&features.hashes, words, |bits| frame.push(bits));
        self.frame[start..start + 4].copy_from_slice(&(least as u32).to_le_bytes());
    }

    /// The outlines since the last chunk.
    #[cfg(test)]
    pub fn written(&self) -> &[u8] {
        &self.frame[HEAD..]
    }

    pub fn end_chunk(&mut self, chunk: &ChunkPlace) -> Result<()> {
        let input = chunk.input as u32;
        self.frame[..4].copy_from_slice(&input.to_le_bytes());
        self.frame[4..HEAD].copy_from_slice(&chunk.part.to_le_bytes());
        let offset = self.outlines.log.append(&self.frame)?;
        let place = (offset + HEAD as u64, self.frame.len() - HEAD);
        let mut chunks = self.outlines.chunks.lock().unwrap_or_else(PoisonError::into_inner);
        chunks.insert((input, chunk.part), place);
        self.frame.truncate(HEAD);
        Ok(())
    }
}

/// A document's outline as it is stored.
pub struct Outline<'a> {
    /// The least number of distinct features that the document has.
    pub features: usize,
    pub words: &'a [[u8; 8]],
}

impl<'a> Outline<'a> {
    /// Takes the next outline of a chunk.
    pub fn take(bytes: &mut &'a [u8]) -> Result<Outline<'a>> {
        let (features, rest) = bytes.split_first_chunk::<4>().ok_or_else(foreign)?;
        let (words, rest) = rest.split_first_chunk::<4>().ok_or_else(foreign)?;
        let words = 8 * u32::from_le_bytes(*words) as usize;
        let (words, rest) = rest.split_at_checked(words).ok_or_else(foreign)?;
        *bytes = rest;
        Ok(Outline { features: u32::from_le_bytes(*features) as usize, words: words.as_chunks().0 })
    }

    /// Whether the bit of a feature is set.
    pub fn has(&self, hash: u64) -> bool {
        let bit = place(hash, self.words.len());
        self.words[bit / 64][bit % 64 / 8] >> (bit % 8) & 1 != 0
    }

    /// Whether bits that together weigh more than `allowed` are not set in this one, of outlines with as many words: one
    /// for each class of weights, the heaviest first, with the least weight of a bit in it.
    pub fn lacks_weight(&self, classes: &[u64], least: &[f64], allowed: f64) -> bool {
        let mut lacking = 0.0;
        classes.chunks_exact(self.words.len().max(1)).zip(least).any(|(class, least)| {
            let lacks = |(bits, own): (&u64, &[u8; 8])| (bits & !u64::from_le_bytes(*own)).count_ones();
            let count: u32 = class.iter().zip(self.words).map(lacks).sum();
            if count > 0 {
                lacking += f64::from(count) * least;
            }
            lacking > allowed
        })
    }

    /// Whether more bits than `most` of an outline with as many words are not set in this one. Between unrelated
    /// documents the first words mostly tell.
    pub fn lacks_more(&self, other: &[u64], most: usize) -> bool {
        const AT_ONCE: usize = 4;
        let lacking = |(other, own): (&u64, &[u8; 8])| (other & !u64::from_le_bytes(*own)).count_ones();
        let mut count = 0;
        other.chunks(AT_ONCE).zip(self.words.chunks(AT_ONCE)).any(|(other, own)| {
            count += other.iter().zip(own).map(lacking).sum::<u32>() as usize;
            count > most
        })
    }
}
