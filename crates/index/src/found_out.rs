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
pub struct FoundOut(Mutex<Known>);

#[derive(Default)]
pub struct Known {
    pub keys: HashMap<ContentNumber, Keys>,
    /// How alike two contents are that resemble each other, the smaller number first.
    pub pairs: HashMap<(ContentNumber, ContentNumber), Option<f64>>,
    /// Links of contents as some have seen them lately.
    seen: Vec<SeenLinks>,
}

/// Links as those see them who see these label sets, while nothing changes.
struct SeenLinks {
    sets: Vec<bool>,
    changes: u64,
    links: HashMap<ContentNumber, Vec<Link>>,
}

/// Two contents and how alike they are, if they resemble each other.
pub type Compared = ((ContentNumber, ContentNumber), Option<f64>);

/// Keys with their branches.
pub type Keys = Arc<[(u8, u64)]>;

impl FoundOut {
    pub fn known(&self) -> MutexGuard<'_, Known> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl FoundOut {
    pub fn seen(&self, sets: &[bool], changes: u64, content: ContentNumber) -> Option<Vec<Link>> {
        let known = self.known();
        let seen = known.seen.iter().find(|seen| seen.changes == changes && seen.sets == sets)?;
        seen.links.get(&content).cloned()
    }

    pub fn note_seen(&self, sets: &[bool], changes: u64, content: ContentNumber, links: &[Link]) {
        let mut known = self.known();
        known.seen.retain(|seen| seen.changes == changes);
        let place = known.seen.iter().position(|seen| seen.sets == sets).unwrap_or_else(|| {
            if known.seen.len() >= MOST_VIEWS {
                known.seen.remove(0);
            }
            known.seen.push(SeenLinks { sets: sets.to_vec(), changes, links: HashMap::new() });
            known.seen.len() - 1
        });
        known.seen[place].links.insert(content, links.to_vec());
    }

    /// What nobody asked for lately must not take memory for ever.
    pub fn forget_if_many(&self) {
        let mut known = self.known();
        if known.keys.len() > MOST_KEYS || known.pairs.len() > MOST_PAIRS {
            *known = Known::default();
        }
    }
}
