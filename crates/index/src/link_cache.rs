//! Caches what had to be computed about contents of crowds, and for callers who do not see every document: keys,
//! comparisons and links.
//!
//! Contents never change, so cached keys and comparisons stay valid for the whole generation.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use crate::storage::clusters::Link;
use crate::storage::document::{Content, ContentNumber};
use lookalike_core::numbers::NumberMap;
use lookalike_engine::pipeline::Sought;

/// The cache is cleared when it has more keys or comparisons than this.
const MOST_KEYS: usize = 1 << 18;
const MOST_PAIRS: usize = 1 << 22;
/// For how many views links are kept while the index does not change.
const MOST_VIEWS: usize = 8;

/// Computed properties of contents.
#[derive(Default)]
pub struct LinkCache(Mutex<CacheContents>);

#[derive(Default)]
pub struct CacheContents {
    pub sought: NumberMap<Content, Arc<Sought>>,
    /// Similarities of compared pairs; `None` for pairs that are no near-duplicates.
    pub pairs: HashMap<ProposedPair, Option<f64>>,
    /// Links as recent views see them.
    seen: Vec<CachedLinks>,
}

/// The links of one view, identified by the label sets it sees (`None`: all), valid for one state of the index.
struct CachedLinks {
    sets: Option<Vec<bool>>,
    changes: u64,
    links: NumberMap<Content, Vec<Link>>,
}

/// Two contents, the smaller number first, and a bit for each branch that proposed them.
pub type ProposedPair = (ContentNumber, ContentNumber, u32);

/// Two contents and their similarity; `None` if they are no near-duplicates.
pub type ComparedPair = (ProposedPair, Option<f64>);

impl LinkCache {
    pub fn lock(&self) -> MutexGuard<'_, CacheContents> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl LinkCache {
    pub fn links(&self, sets: Option<&[bool]>, changes: u64, content: ContentNumber) -> Option<Vec<Link>> {
        let known = self.lock();
        let seen = known.seen.iter().find(|seen| seen.changes == changes && seen.sets.as_deref() == sets)?;
        seen.links.get(&content).cloned()
    }

    pub fn store_links(&self, sets: Option<&[bool]>, changes: u64, content: ContentNumber, links: &[Link]) {
        let mut known = self.lock();
        known.seen.retain(|seen| seen.changes == changes);
        let place = known.seen.iter().position(|seen| seen.sets.as_deref() == sets).unwrap_or_else(|| {
            if known.seen.len() >= MOST_VIEWS {
                known.seen.remove(0);
            }
            known.seen.push(CachedLinks {
                sets: sets.map(<[bool]>::to_vec),
                changes,
                links: NumberMap::default(),
            });
            known.seen.len() - 1
        });
        known.seen[place].links.insert(content, links.to_vec());
    }

    /// Clears the cache when it has grown large, so that it does not keep memory for ever.
    pub fn clear_if_large(&self) {
        let mut known = self.lock();
        if known.sought.len() > MOST_KEYS || known.pairs.len() > MOST_PAIRS {
            *known = CacheContents::default();
        }
    }
}
