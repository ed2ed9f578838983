//! What was found out about the contents of a generation for those who do not see everything.
//!
//! Contents do not change: what is known once stays true for the generation.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use crate::storage::clusters::Link;
use crate::storage::document::ContentNumber;

/// More keys and comparisons than these are not kept.
const MOST_KEYS: usize = 1 << 18;
const MOST_PAIRS: usize = 1 << 22;
/// Views whose links are kept while nothing changes.
const MOST_VIEWS: usize = 8;

/// What was found out about contents of a generation.
#[derive(Default)]
pub struct LinkCache(Mutex<CacheContents>);

#[derive(Default)]
pub struct CacheContents {
    pub keys: HashMap<ContentNumber, BranchKeys>,
    /// How alike two contents are that resemble each other, the smaller number first.
    pub pairs: HashMap<(ContentNumber, ContentNumber), Option<f64>>,
    /// Links of contents as some have seen them lately.
    seen: Vec<CachedLinks>,
}

/// Links as those see them who see these label sets, while nothing changes.
struct CachedLinks {
    sets: Vec<bool>,
    changes: u64,
    links: HashMap<ContentNumber, Vec<Link>>,
}

/// Two contents and how alike they are, if they resemble each other.
pub type ComparedPair = ((ContentNumber, ContentNumber), Option<f64>);

/// Keys with their branches.
pub type BranchKeys = Arc<[(u8, u64)]>;

impl LinkCache {
    pub fn lock(&self) -> MutexGuard<'_, CacheContents> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl LinkCache {
    pub fn links(&self, sets: &[bool], changes: u64, content: ContentNumber) -> Option<Vec<Link>> {
        let known = self.lock();
        let seen = known.seen.iter().find(|seen| seen.changes == changes && seen.sets == sets)?;
        seen.links.get(&content).cloned()
    }

    pub fn store_links(&self, sets: &[bool], changes: u64, content: ContentNumber, links: &[Link]) {
        let mut known = self.lock();
        known.seen.retain(|seen| seen.changes == changes);
        let place = known.seen.iter().position(|seen| seen.sets == sets).unwrap_or_else(|| {
            if known.seen.len() >= MOST_VIEWS {
                known.seen.remove(0);
            }
            known.seen.push(CachedLinks { sets: sets.to_vec(), changes, links: HashMap::new() });
            known.seen.len() - 1
        });
        known.seen[place].links.insert(content, links.to_vec());
    }

    /// What nobody asked for lately must not take memory for ever.
    pub fn clear_if_large(&self) {
        let mut known = self.lock();
        if known.keys.len() > MOST_KEYS || known.pairs.len() > MOST_PAIRS {
            *known = CacheContents::default();
        }
    }
}
