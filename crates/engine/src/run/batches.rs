//! Cuts the stream of candidates into numbered batches, which are verified one by one.
//!
//! The pairs alone determine the batches, so a run that was interrupted finds the same ones again.

use std::collections::HashSet;
use std::hash::BuildHasherDefault;

use lookalike_core::Result;
use lookalike_core::numbers::MixHasher;

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

/// Numbers of batches from here on are of pairs in an order that earlier versions did not know. What these logged of
/// such pairs holds, but the rest of their batches may be in any other.
const BY_HUBS: u64 = 1 << 62;
/// As above, of the order by tiles.
const BY_TILES: u64 = 1 << 61;

/// As many pairs are put into the order of tiles at once.
const WINDOW: usize = 1 << 17;

/// Pairs that are verified together.
pub struct Batch {
    pub number: u64,
    pub pairs: Vec<Pair>,
    /// The window that the pairs were put into the order of tiles in, if they were.
    pub window: Option<u32>,
}

pub struct Batches<'a, I> {
    pairs: I,
    catalog: &'a Catalog,
    /// Pairs in the order in which they are handed out.
    window: std::vec::IntoIter<Pair>,
    ahead: Option<Pair>,
    number: u64,
    /// How often pairs were put into the order of tiles, and whether those at hand were.
    windows: u32,
    is_tiled: bool,
}

impl<'a, I: Iterator<Item = Result<u128>>> Batches<'a, I> {
    pub fn new(pairs: I, has_hubs: bool, catalog: &'a Catalog) -> Self {
        Batches {
            pairs,
            catalog,
            window: Vec::new().into_iter(),
            ahead: None,
            number: if has_hubs { BY_HUBS } else { 0 },
            windows: 0,
            is_tiled: false,
        }
    }

    /// The next batch.
    pub fn next(&mut self) -> Result<Option<Batch>> {
        let mut pairs: Vec<Pair> = Vec::new();
        // Asked for both documents of every pair.
        let mut documents: HashSet<CorpusNumber, BuildHasherDefault<MixHasher>> = HashSet::default();
        documents.reserve(BATCH_DOCUMENTS);
        let mut bytes = 0;
        while let Some(pair) = self.take()? {
            for document in [pair.a, pair.b] {
                if documents.insert(document) {
                    bytes += u64::from(self.catalog.length(document)?);
                }
            }
            let full = documents.len() > BATCH_DOCUMENTS || bytes > BATCH_BYTES;
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
        Ok(Some(Batch { number: self.number - 1, pairs, window: self.is_tiled.then_some(self.windows) }))
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
        let room = Room { documents: BATCH_DOCUMENTS, bytes: BATCH_BYTES };
        self.is_tiled = by_tiles(&mut window, room, |pair| [pair.a.raw(), pair.b.raw()], bytes)?;
        if self.is_tiled {
            self.windows += 1;
            self.number |= BY_TILES;
        }
        self.window = window.into_iter();
        Ok(self.window.next())
    }
}
