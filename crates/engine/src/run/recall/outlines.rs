//! Outlines: a few bits of each document, by which most others are told from its partners without reading it again.
//!
//! Every feature sets one bit. A feature of one document whose bit is not set in the outline of another is not in the
//! other, so the bits that are missing tell how much two documents share at most. That never rules out a partner.
//! Outlines are made while documents are signed, since features are at hand then, and wait on disk.

use std::collections::HashMap;
use std::path::Path;
use std::sync::{Mutex, PoisonError};

use lookalike_core::decide::Decider;
use lookalike_core::features::{FeatureSet, Features};
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
fn place(hash: u64, words: usize) -> usize {
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

/// Collects the outlines of a chunk, on one thread.
pub struct OutlineWriter<'a> {
    outlines: &'a Outlines,
    frame: Vec<u8>,
    set: FeatureSet,
    outline: Vec<u64>,
}

impl<'a> OutlineWriter<'a> {
    pub fn new(outlines: &'a Outlines) -> Self {
        OutlineWriter { outlines, frame: vec![0; HEAD], set: FeatureSet::default(), outline: Vec::new() }
    }

    pub fn add(&mut self, features: &Features) {
        self.set.fill(features);
        self.frame.extend((self.set.len() as u32).to_le_bytes());
        self.outline.clear();
        append_outline(&self.set.hashes, self.outlines.size.words(self.set.len()), &mut self.outline);
        self.outline.iter().for_each(|word| self.frame.extend_from_slice(&word.to_le_bytes()));
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
    /// How many distinct features the document has.
    pub features: usize,
    pub words: &'a [[u8; 8]],
}

impl<'a> Outline<'a> {
    /// Takes the next outline of a chunk.
    pub fn take(bytes: &mut &'a [u8], size: &OutlineSize) -> Result<Outline<'a>> {
        let (features, rest) = bytes.split_first_chunk::<4>().ok_or_else(foreign)?;
        let features = u32::from_le_bytes(*features) as usize;
        let (words, rest) = rest.split_at_checked(8 * size.words(features)).ok_or_else(foreign)?;
        *bytes = rest;
        Ok(Outline { features, words: words.as_chunks().0 })
    }

    /// Whether the bit of a feature is set.
    pub fn has(&self, hash: u64) -> bool {
        let bit = place(hash, self.words.len());
        self.words[bit / 64][bit % 64 / 8] >> (bit % 8) & 1 != 0
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
