//! What a document meets in a bucket of its key: all contents, or only the pivots if they are a crowd.
//!
//! The rule is the one of a batch run. The pivots depend on who is in the crowd, and finding them looks at all of it, so
//! those that hold for everyone are remembered until a content of a crowd goes or changes its rank. Meanwhile a
//! document of a crowd is found in a time that does not grow with the crowd.

use lookalike_core::Result;
use lookalike_engine::pipeline::{CrowdsBy, pivots};

use super::generation::Generation;
use super::near::keep_near;
use crate::storage::clusters::Reach;
use crate::storage::crowds::KnownCrowd;
use crate::storage::document::ContentNumber;
use crate::storage::keys::Among;
use crate::storage::population::Visibility;
use crate::storage::state::State;

/// A document that looks for others: one of the index, or one that may join it.
#[derive(Clone, Copy)]
pub struct Seeker<'a> {
    /// Its content, if that is in the index and visible.
    pub content: Option<ContentNumber>,
    /// What is stored of it.
    pub stored: &'a [u8],
    /// Which contents it looks for.
    pub reach: Reach,
}

impl Seeker<'_> {
    /// How many documents it adds to those of its bucket.
    fn adds(&self) -> usize {
        usize::from(self.content.is_none())
    }

    fn is_among(&self, pivots: &[ContentNumber]) -> bool {
        self.content.is_some_and(|content| pivots.contains(&content))
    }

    /// Whether it must be compared with more of a crowd than its pivots.
    pub fn needs_all(&self, pivots: &[ContentNumber]) -> bool {
        match self.reach {
            Reach::All => self.is_among(pivots),
            // The first pivot is the best of the crowd.
            Reach::Better => self.is_among(pivots) && pivots.first().copied() != self.content,
            Reach::Pivots => false,
        }
    }
}

/// Keeps what a document meets in a bucket of a branch, of which all contents are visible. Returns how many share the
/// key or the signature, the document included.
pub fn keep_met(
    generation: &Generation,
    state: &State,
    visibility: &Visibility,
    branch: u8,
    seeker: &Seeker<'_>,
    bucket: &mut Vec<ContentNumber>,
) -> usize {
    match generation.lookup.crowds(branch) {
        CrowdsBy::Nothing => 0,
        CrowdsBy::Key => {
            let size = bucket.len() + seeker.adds();
            if generation.crowds.needs_pivots(size) {
                let pivots = pivots_of(generation, state, visibility, bucket);
                if !seeker.needs_all(&pivots) {
                    *bucket = pivots;
                }
            }
            size
        }
        CrowdsBy::Signature => {
            let size = bucket.len() + seeker.adds();
            if generation.crowds.needs_pivots(size) {
                keep_met_by_signature(generation, state, visibility, branch, seeker, bucket)
            } else {
                size
            }
        }
    }
}

/// Of a crowd with one signature only the pivots look for other signatures, and only they are found by those.
fn keep_met_by_signature(
    generation: &Generation,
    state: &State,
    visibility: &Visibility,
    branch: u8,
    seeker: &Seeker<'_>,
    bucket: &mut Vec<ContentNumber>,
) -> usize {
    let own = generation.lookup.signature(branch, seeker.stored);
    let mut widest = 0;
    let mut met = Vec::new();
    for (signature, contents) in by_signature(generation, state, branch, bucket) {
        let size = contents.len() + if signature == own { seeker.adds() } else { 0 };
        widest = widest.max(size);
        if !generation.crowds.needs_pivots(size) {
            met.extend(contents);
            continue;
        }
        let pivots = pivots_of(generation, state, visibility, &contents);
        if signature == own {
            if !seeker.is_among(&pivots) {
                *bucket = pivots;
                return size;
            }
            met.extend(if seeker.needs_all(&pivots) { contents } else { pivots });
        } else {
            met.extend(pivots);
        }
    }
    met.sort_unstable();
    *bucket = met;
    widest
}

/// The contents of a bucket by their signatures.
fn by_signature<'a>(
    generation: &Generation,
    state: &'a State,
    branch: u8,
    bucket: &[ContentNumber],
) -> Vec<(&'a [u8], Vec<ContentNumber>)> {
    let signature = |&content: &ContentNumber| generation.lookup.signature(branch, state.stored(content));
    let mut all: Vec<(&[u8], ContentNumber)> = bucket.iter().map(|one| (signature(one), *one)).collect();
    all.sort_unstable();
    let groups = all.chunk_by(|a, b| a.0 == b.0);
    groups.map(|group| (group[0].0, group.iter().map(|&(_, content)| content).collect())).collect()
}

/// The pivots of a crowd, with the visible copies deciding which content is best.
fn pivots_of(
    generation: &Generation,
    state: &State,
    visibility: &Visibility,
    bucket: &[ContentNumber],
) -> Vec<ContentNumber> {
    let population = &state.population;
    let best_copy = |content: ContentNumber| {
        population.best_visible(content, visibility).or_else(|| population.best(content))
    };
    let copies = bucket.iter().filter_map(|&content| Some((content, best_copy(content)?)));
    let best = copies.min_by(|a, b| population.order(a.1, b.1)).map(|(content, _)| content);
    let digest = |&content: &ContentNumber| (population.contents[content].digest, content);
    let mut digests: Vec<_> = bucket.iter().map(digest).collect();
    best.map_or_else(Vec::new, |best| pivots(generation.crowds, best, &mut digests))
}

/// The pivots of the contents that share a key of a branch, if that makes them a crowd.
pub fn pivots_by_key(
    generation: &Generation,
    state: &State,
    visibility: &Visibility,
    branch: u8,
    bucket: &[ContentNumber],
) -> Option<Vec<ContentNumber>> {
    let is_crowd =
        generation.lookup.crowds(branch) == CrowdsBy::Key && generation.crowds.needs_pivots(bucket.len());
    is_crowd.then(|| pivots_of(generation, state, visibility, bucket))
}

/// The pivots under a key whose crowd everyone sees, if they are remembered.
pub fn known_pivots(
    generation: &Generation,
    state: &State,
    visibility: &Visibility,
    key: u64,
) -> Option<(usize, Vec<ContentNumber>)> {
    let KnownCrowd { size, best, mut digests } =
        state.known_crowds.get(key).filter(|_| state.is_all_visible(visibility))?;
    Some((size, pivots(generation.crowds, best, &mut digests)))
}

/// Remembers the pivots under a key, if its bucket is a crowd and nothing of it is hidden.
pub fn remember(
    generation: &Generation,
    state: &State,
    visibility: &Visibility,
    (branch, key): (u8, u64),
    bucket: &[ContentNumber],
) {
    if generation.lookup.crowds(branch) != CrowdsBy::Key
        || !generation.crowds.needs_pivots(bucket.len())
        || !state.is_all_visible(visibility)
    {
        return;
    }
    let population = &state.population;
    let best = bucket.iter().copied().min_by(|&a, &b| population.rank(a, b));
    let mut digests: Vec<(u128, ContentNumber)> =
        bucket.iter().map(|&content| (population.contents[content].digest, content)).collect();
    digests.sort_unstable();
    digests.truncate(generation.crowds.pivots);
    if let Some(best) = best {
        state.known_crowds.insert(key, KnownCrowd { size: bucket.len(), best, digests });
    }
}

/// The contents whose links change because a new content joins a crowd, without those that are recorded as members
/// of crowds already; `None` if it joins no crowd.
pub fn joined(
    generation: &Generation,
    keys: &[(u8, u64)],
    stored: &[u8],
) -> Result<Option<Vec<ContentNumber>>> {
    let state = generation.store.state();
    let mut is_any = false;
    // Everything in a crowd that is remembered is recorded as a member of a crowd.
    let mut is_known = |key: u64| {
        let known = state.known_crowds.get(key).is_some();
        is_any |= known;
        known
    };
    let may_crowd = |branch: u8| generation.lookup.crowds(branch) != CrowdsBy::Nothing;
    let keys = keys.iter().copied().filter(|&(branch, key)| may_crowd(branch) && !is_known(key));
    let keys: Vec<(u8, u64)> = keys.collect();
    let mut members = Vec::new();
    state.keys.find(Among::All, keys.iter().map(|&(_, key)| key), |place, bucket| {
        let branch = keys[place].0;
        bucket.retain(|&content| state.population.is_alive(content));
        let is_crowd = generation.crowds.needs_pivots(bucket.len() + 1)
            && match generation.lookup.crowds(branch) {
                CrowdsBy::Nothing => false,
                CrowdsBy::Key => true,
                CrowdsBy::Signature => {
                    keep_near(generation, &state, branch, stored, bucket);
                    let own = generation.lookup.signature(branch, stored);
                    by_signature(generation, &state, branch, bucket).into_iter().any(
                        |(signature, contents)| {
                            generation.crowds.needs_pivots(contents.len() + usize::from(signature == own))
                        },
                    )
                }
            };
        if is_crowd {
            is_any = true;
            members.extend(bucket.iter().filter(|&&content| !state.crowds.has(content)));
        }
    })?;
    members.sort_unstable();
    members.dedup();
    Ok(is_any.then_some(members))
}

/// Those of the contents that share a key of a branch whose links depend on a crowd among them.
pub fn members(
    generation: &Generation,
    state: &State,
    branch: u8,
    bucket: &[ContentNumber],
) -> Vec<ContentNumber> {
    if !generation.crowds.needs_pivots(bucket.len()) {
        return Vec::new();
    }
    match generation.lookup.crowds(branch) {
        CrowdsBy::Nothing => Vec::new(),
        CrowdsBy::Key => bucket.to_vec(),
        CrowdsBy::Signature => {
            let groups = by_signature(generation, state, branch, bucket);
            let crowds = groups.iter().filter(|(_, contents)| generation.crowds.needs_pivots(contents.len()));
            let first = |(_, contents): &(&[u8], Vec<ContentNumber>)| contents.first().copied();
            let crowds: Vec<ContentNumber> = crowds.filter_map(first).collect();
            let is_near = |a: ContentNumber, b: ContentNumber| {
                generation.lookup.is_near(branch, state.stored(a), state.stored(b))
            };
            bucket.iter().copied().filter(|&one| crowds.iter().any(|&crowd| is_near(one, crowd))).collect()
        }
    }
}

/// Keeps the contents that enough branches proposed, each once.
pub fn count_votes(generation: &Generation, proposed: &mut Vec<(ContentNumber, u32)>) {
    // The contents of a bucket rise, or fall where its keys are in memory; this sort merges such runs.
    proposed.sort();
    proposed.dedup_by(|next, one| {
        let same = next.0 == one.0;
        if same {
            one.1 |= next.1;
        }
        same
    });
    proposed.retain(|&(_, found_by)| generation.pipeline.has_votes(found_by));
}
