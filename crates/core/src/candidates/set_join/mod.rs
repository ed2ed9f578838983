//! The exact join: every pair of sets whose similarity reaches the threshold, and no other.
//!
//! Comparing all pairs is out of reach. But two sets can only be alike if they share one of their
//! rarest features (prefix filter), if their sizes are close (length filter), and if enough features
//! can follow the first shared one (positional filter); see Xiao, Wang, Lin, Yu: Efficient Similarity
//! Joins for Near-Duplicate Detection (PPJoin), WWW 2008. Sketches drop nearly all remaining pairs
//! before any sets are merged. The measure says how much must be shared, so this works with every
//! measure that follows from the overlap and the sizes.
//!
//! Memory: the hash of each feature of each document, 8 bytes, which the caller holds as [`Records`].
//! On top of that, while pairs are sought: for each feature of each different set 4 bytes, half a byte
//! of sketch (at least 32 bytes a set), and 8 bytes if it is in an indexed prefix, as a tenth of them is at
//! a cosine of 0.9; 8 bytes for each different feature that two sets share; about 60 bytes for each
//! document, and 4 to 24 more for each thread. While ranks are given there is no index yet, but tables of
//! 21 to 43 bytes for each different feature that two sets share. Pairs are never stored.
//!
//! The time grows with the number of pairs that exist. Equal sets are searched once, however many
//! there are; sets that are all alike but not equal cost a comparison for each pair handed out.

mod bounds;
mod groups;
mod index;
mod neighbours;
mod outlines;
mod parts;
mod prefixes;
mod ranks;
mod record;
mod search;
#[cfg(test)]
mod tests;

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use super::emitter::{Batch, Emitted, Emitter};
use super::join::{Emit, Join, JoinSource, Neighbours, Records};
use crate::error::{Error, Result};
use crate::features::Features;
use crate::lexicon::Lexicon;
use crate::part::{Param, Params, PartInfo, Spec};
use crate::registry::BuildContext;
use crate::threads::on_threads;

use bounds::Bounds;
use groups::Groups;
use neighbours::LikeSets;
use ranks::Ranked;
use search::Search;

/// All pairs of feature sets that reach a similarity, none missed.
pub struct SetJoin {
    bounds: Arc<Bounds>,
    /// By what words are ordered for the keys of an index, the rare ones first.
    lexicon: Option<Arc<Lexicon>>,
}

impl SetJoin {
    /// The description of this part in the registry.
    pub const INFO: PartInfo = PartInfo {
        name: "join",
        summary: "Exact join of feature sets: every pair that reaches the threshold, none missed",
        paper: "K04 §6.4; Xiao et al. 2008 (PPJoin)",
        params: &[Param {
            name: "lexicon",
            default: "none",
            help: "for an index: how rare words are, so that few documents share a key; english or a file",
        }],
    };

    /// Reads its parameters from a section of a recipe.
    pub fn from_params(params: &mut Params, context: &BuildContext<'_>) -> Result<Self> {
        let lexicon = params.optional_text("lexicon");
        let lexicon = lexicon.map(|name| context.word_lexicon(&name)).transpose()?;
        Ok(SetJoin { bounds: Arc::new(Bounds::new(context)?), lexicon })
    }
}

impl Join for SetJoin {
    fn spec(&self) -> Spec {
        let spec = Spec::new(Self::INFO.name);
        self.lexicon.iter().fold(spec, |spec, lexicon| spec.with("lexicon", lexicon.id()))
    }

    fn recall_at(&self, similarity: f64) -> Option<f64> {
        Some(if similarity >= self.bounds.similarity { 1.0 } else { 0.0 })
    }

    fn source(&self) -> JoinSource {
        JoinSource::Features
    }

    /// The distinct hashes, rising, little endian.
    fn pack(&self, features: &Features, out: &mut Vec<u8>) {
        // Sorted in place, so that no other memory is needed.
        let start = out.len();
        out.extend(features.hashes.iter().flat_map(|hash| hash.to_le_bytes()));
        let hashes = out[start..].as_chunks_mut::<8>().0;
        hashes.sort_unstable_by_key(|&bytes| u64::from_le_bytes(bytes));
        let mut distinct = 0;
        for place in 0..hashes.len() {
            if distinct == 0 || hashes[place] != hashes[distinct - 1] {
                hashes[distinct] = hashes[place];
                distinct += 1;
            }
        }
        out.truncate(start + distinct * 8);
    }

    fn pairs(&self, records: &Records, threads: usize, emit: &Emit<'_>) -> Result<()> {
        if records.len() >= u32::MAX as usize {
            return Err(Error::config("candidates.type = \"join\" takes fewer than 2³² documents"));
        }
        let threads = threads.max(1);
        let groups = Groups::new(records)?;
        let ranked = Ranked::new(records, &groups, threads)?;
        let search = Search::new(&self.bounds, &ranked);
        let emitter = Emitter::new(emit);
        // Large sets take longest, so they come first; otherwise one thread would still be busy
        // with them at the end.
        let done = AtomicUsize::new(0);
        on_threads(threads, || {
            let mut scratch = search.scratch();
            let mut batch = Batch::new(&emitter);
            let mut work = || {
                loop {
                    let from = done.fetch_add(TURN, Ordering::Relaxed);
                    if from >= groups.len() {
                        return batch.flush();
                    }
                    batch.check_receiver()?;
                    for group in (from..groups.len().min(from + TURN)).map(|turn| groups.len() - 1 - turn) {
                        pairs_within(groups.places(group), &mut batch)?;
                        search.partners(group as u32, &mut scratch, |other| {
                            pairs_between(groups.places(group), groups.places(other as usize), &mut batch)
                        })?;
                    }
                }
            };
            // When the receiver refused, its reason is in the emitter.
            let _ = work();
        });
        emitter.finish()
    }

    fn neighbours(&self) -> Option<Box<dyn Neighbours>> {
        Some(Box::new(LikeSets::new(Arc::clone(&self.bounds), self.lexicon.clone())))
    }
}

/// Sets that a thread takes at a time.
const TURN: usize = 32;

/// Equal sets are alike by every measure.
fn pairs_within(places: &[u32], batch: &mut Batch<'_>) -> Emitted {
    for (i, &a) in places.iter().enumerate() {
        places[i + 1..].iter().try_for_each(|&b| batch.push(a, b))?;
    }
    Ok(())
}

fn pairs_between(places: &[u32], others: &[u32], batch: &mut Batch<'_>) -> Emitted {
    places.iter().try_for_each(|&a| others.iter().try_for_each(|&b| batch.push(a, b)))
}
