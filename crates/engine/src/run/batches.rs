//! Cuts the stream of candidates into numbered batches, which are verified one by one.
//!
//! The pairs alone determine the batches, and the memory that they may take: so a run that was interrupted finds the same
//! ones again.

use std::collections::HashSet;

use lookalike_core::Result;

use super::candidates::Candidate;
use super::tiles::{Room, by_tiles};
use crate::corpus::CorpusNumber;
use crate::corpus::catalog::Catalog;

/// A pair to compare.
#[derive(Clone, Copy)]
pub struct Pair {
    pub a: CorpusNumber,
    pub b: CorpusNumber,
    pub found_by: u32,
}

/// A batch is full when it has this many documents or this many bytes of them.
pub const BATCH_DOCUMENTS: usize = 512;
const BATCH_BYTES: u64 = 4 << 20;
/// Of batches by tiles, if memory allows: the larger a tile, the less often a document is read again.
const TILE_BYTES: u64 = 16 << 20;
/// As much memory as the text of a tile takes its features at most.
const TILE_SHARE: u64 = 32;

/// Numbers of batches from here on are of pairs in an order that earlier versions did not know. What these logged of
/// such pairs holds, but the rest of their batches may be in any other.
const BY_HUBS: u64 = 1 << 62;
/// As above, of the order by tiles; the number of megabytes of a tile stands from `TILE_SIZE` on.
const BY_TILES: u64 = 1 << 61;
const TILE_SIZE: u32 = 48;

/// As many pairs are put into the order of tiles at once.
const WINDOW: usize = 1 << 17;

pub struct Batches<'a, I> {
    pairs: I,
    catalog: &'a Catalog,
    /// Pairs in the order in which they are handed out.
    window: std::vec::IntoIter<Pair>,
    ahead: Option<Pair>,
    tile: Room,
    bytes: u64,
    number: u64,
}

impl<'a, I: Iterator<Item = Result<u128>>> Batches<'a, I> {
    /// Batches for threads that have so much memory each.
    pub fn new(pairs: I, has_hubs: bool, catalog: &'a Catalog, memory: u64) -> Self {
        let fits = (memory / TILE_SHARE).clamp(BATCH_BYTES, TILE_BYTES);
        // A few sizes only: a run goes on where it was with a little more memory or less.
        let bytes = 1 << fits.ilog2();
        Batches {
            pairs,
            catalog,
            window: Vec::new().into_iter(),
            ahead: None,
            tile: Room { documents: BATCH_DOCUMENTS, bytes },
            bytes: BATCH_BYTES,
            number: if has_hubs { BY_HUBS } else { 0 },
        }
    }

    /// The next batch, with its number.
    pub fn next(&mut self) -> Result<Option<(u64, Vec<Pair>)>> {
        let mut pairs: Vec<Pair> = Vec::new();
        let mut documents = HashSet::new();
        let mut bytes = 0;
        while let Some(pair) = self.take()? {
            for document in [pair.a, pair.b] {
                if documents.insert(document) {
                    bytes += u64::from(self.catalog.length(document)?);
                }
            }
            let full = documents.len() > BATCH_DOCUMENTS || bytes > self.bytes;
            if full && !pairs.is_empty() {
                self.ahead = Some(pair);
                break;
            }
            pairs.push(pair);
        }
        if pairs.is_empty() {
            return Ok(None);
        }
        self.number += 1;
        Ok(Some((self.number - 1, pairs)))
    }

    fn take(&mut self) -> Result<Option<Pair>> {
        if let Some(pair) = self.ahead.take().or_else(|| self.window.next()) {
            return Ok(Some(pair));
        }
        let unpacked = self.pairs.by_ref().take(WINDOW).map(|packed| {
            let candidate = Candidate::unpack(packed?);
            let (a, b) = candidate.pair();
            Ok(Pair { a, b, found_by: candidate.found_by })
        });
        let mut window = unpacked.collect::<Result<Vec<Pair>>>()?;
        let bytes =
            |document: u32| Ok(u64::from(self.catalog.length(CorpusNumber::from_index(document as usize))?));
        if by_tiles(&mut window, self.tile, |pair| [pair.a.raw(), pair.b.raw()], bytes)? {
            self.bytes = self.tile.bytes;
            self.number |= BY_TILES | (self.tile.bytes >> 20) << TILE_SIZE;
        }
        self.window = window.into_iter();
        Ok(self.window.next())
    }
}
