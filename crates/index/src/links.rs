//! Links between contents that are not stored as they are.
//!
//! The stored links hold for everyone, with two exceptions. In a crowd (so many contents with one key that each is
//! only compared with a few pivots) they depend on who is in the crowd. And a decision only counts for those who
//! see the documents it was made about. For contents of these two kinds the links are computed among the visible
//! documents when they are asked for; they equal those of a batch run over the visible documents. What is stored of them
//! saves comparisons.
//!
//! This needs the keys of a content, which are not stored by content, and comparisons that were never made. Both
//! need texts, which must not be read while the state is locked. So a query runs with what is cached and records
//! what is missing; the missing data is then computed, and the query runs again.

use std::cell::{Cell, RefCell};
use std::cmp::Ordering;
use std::collections::btree_map::Entry;
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::sync::Arc;

use crate::storage::clusters::{Link, Reach};
use crate::storage::document::{ContentNumber, DocumentNumber};
use crate::storage::keys::Among;
use crate::storage::population::Visibility;
use crate::storage::state::State;
use lookalike_core::{Error, Result};

use super::crowd::{self, Seeker, count_votes};
use super::generation::{Generation, LoadedDocument, SigningContext};
use super::link_cache::{ComparedPair, ProposedPair};
use super::near::{keep_near, near_in_ranges};
use lookalike_core::threads::{self, try_on_threads};
use lookalike_engine::pipeline::{Compare, CrowdsBy, Sought, Verify};

/// How many documents are held while pairs are compared.
const HELD: usize = 2048;
/// Fewer items are processed on the calling thread.
const ALONE: usize = 64;
/// Of a content with more stored links, those that were asked for are remembered.
const MANY: usize = 256;

/// Data that a query needs and that is not cached yet.
#[derive(Default)]
pub struct MissingData {
    keys: RefCell<BTreeSet<ContentNumber>>,
    pairs: RefCell<BTreeSet<ProposedPair>>,
    failed: RefCell<Option<Error>>,
    /// How often something was missing.
    missed: Cell<u64>,
    /// The visible contents by key. Contents of a crowd share most of their keys.
    buckets: RefCell<HashMap<(u8, u64), Bucket>>,
}

/// The visible contents that share a key.
#[derive(Default)]
struct Bucket {
    /// `None` if only the pivots were asked for so far.
    contents: Option<Vec<ContentNumber>>,
    /// The pivots of a crowd, if the key makes it one.
    pivots: Option<Vec<ContentNumber>>,
}

/// The links of a content in this view, at least those within reach; `None` if they are the stored ones.
pub fn link_overrides(
    generation: &Generation,
    state: &State,
    visibility: &Visibility,
    missing: &MissingData,
    content: ContentNumber,
    reach: Reach,
) -> Option<Vec<Link>> {
    let digest = state.population.contents.get(content)?.digest;
    if !state.crowds.has(content) && !state.decisions.has_hidden(digest, visibility) {
        return None;
    }
    let sets = visibility.sets.as_deref();
    // Documents that have expired become invisible without any change of the state.
    let lasts = !state.has_expired(visibility.now);
    if lasts && let Some(links) = generation.link_cache.links(sets, state.changes, content) {
        return Some(links);
    }
    let missed = missing.missed.get();
    let links = compute_links(generation, state, visibility, missing, (content, digest), reach);
    if lasts && reach == Reach::All && missing.missed.get() == missed {
        generation.link_cache.store_links(sets, state.changes, content, &links);
    }
    Some(links)
}

/// All links of a content in this view.
pub fn links_of(
    generation: &Generation,
    visibility: &Visibility,
    content: ContentNumber,
) -> Result<Vec<Link>> {
    loop {
        let missing = MissingData::default();
        let links = {
            let state = generation.store.state();
            let own = link_overrides(generation, &state, visibility, &missing, content, Reach::All);
            own.unwrap_or_else(|| state.clusters.links(content).to_vec())
        };
        if !missing.fetch(generation)? {
            return Ok(links);
        }
    }
}

fn compute_links(
    generation: &Generation,
    state: &State,
    visibility: &Visibility,
    missing: &MissingData,
    (content, digest): (ContentNumber, u128),
    reach: Reach,
) -> Vec<Link> {
    let population = &state.population;
    let sought = generation.link_cache.lock().sought.get(&content).cloned();
    let Some(sought) = sought else {
        missing.keys.borrow_mut().insert(content);
        missing.missed.update(|missed| missed + 1);
        return Vec::new();
    };
    let mut proposed = match missing.proposed(generation, state, visibility, (content, &sought), reach) {
        Ok(proposed) => proposed,
        Err(error) => {
            *missing.failed.borrow_mut() = Some(error);
            missing.missed.update(|missed| missed + 1);
            return Vec::new();
        }
    };
    if reach != Reach::All
        && let Some(own) = population.best_visible(content, visibility)
    {
        proposed.retain(|&(other, _)| {
            let other = population.best_visible(other, visibility);
            other.is_some_and(|other| population.order(other, own) == Ordering::Less)
        });
    }
    let mut known = generation.link_cache.lock();
    let stored = state.clusters.links(content);
    let mut kept = None;
    let mut links = Vec::new();
    for (place, &(other, found_by)) in proposed.iter().enumerate() {
        let others = population.contents[other].digest;
        if other == content || state.decisions.of(digest, others, visibility).is_some() {
            continue;
        }
        let pair = (content.min(other), content.max(other), found_by);
        if let Some(&similarity) = known.pairs.get(&pair) {
            links.extend(similarity.map(|similarity| Link::new(other, similarity)));
            continue;
        }
        // If nobody ever decided about the two, a stored link is right, unless the records must confirm who proposes
        // it now; and if one of them was never in a crowd, so is its absence.
        let is_decided = !state.decisions.about(digest, others).is_empty();
        match kept.get_or_insert_with(|| similarities(&proposed, stored))[place] {
            Some(similarity) if !is_decided && !generation.lookup.needs_records(found_by) => {
                links.push(Link::new(other, similarity));
                if stored.len() > MANY {
                    known.pairs.insert(pair, Some(similarity));
                }
            }
            None if !(is_decided || state.crowds.has(content) && state.crowds.has(other)) => {}
            _ => {
                missing.pairs.borrow_mut().insert(pair);
                missing.missed.update(|missed| missed + 1);
            }
        }
    }
    for others in state.decisions.partners(digest) {
        let Some(decision) = state.decisions.of(digest, others, visibility) else { continue };
        if decision.decide.duplicate == Some(true)
            && let Some(other) = population.content_of(others)
        {
            links.push(Link::new(other, decision.decide.link.unwrap_or(1.0)));
        }
    }
    links
}

/// The similarities that stored links give to proposed contents, which rise.
fn similarities(proposed: &[(ContentNumber, u32)], stored: &[Link]) -> Vec<Option<f64>> {
    let mut similarities = vec![None; proposed.len()];
    for link in stored {
        if let Ok(place) = proposed.binary_search_by_key(&link.other(), |&(other, _)| other) {
            similarities[place] = Some(link.similarity());
        }
    }
    similarities
}

impl MissingData {
    /// The contents that enough branches propose for a stored content, each with a bit for each branch.
    fn proposed(
        &self,
        generation: &Generation,
        state: &State,
        visibility: &Visibility,
        (content, sought): (ContentNumber, &Sought),
        reach: Reach,
    ) -> Result<Vec<(ContentNumber, u32)>> {
        let seeker = Seeker { content: Some(content), stored: state.stored(content), reach };
        let mut buckets = self.buckets.borrow_mut();
        for &(branch, key) in &sought.keys {
            buckets.entry((branch, key)).or_insert_with(|| {
                let known = crowd::known_pivots(generation, state, visibility, key);
                Bucket { contents: None, pivots: known.map(|(_, pivots)| pivots) }
            });
        }
        let is_incomplete = |key: &(u8, u64)| {
            buckets.get(key).is_some_and(|bucket| {
                let needed = bucket.pivots.as_ref().is_none_or(|pivots| seeker.needs_all(pivots));
                bucket.contents.is_none() && needed
            })
        };
        let incomplete: Vec<(u8, u64)> = sought.keys.iter().copied().filter(is_incomplete).collect();
        state.keys.find(Among::All, incomplete.iter().map(|&(_, key)| key), |place, contents| {
            contents.retain(|&content| state.population.best_visible(content, visibility).is_some());
            let bucket = buckets.entry(incomplete[place]).or_default();
            if bucket.pivots.is_none() {
                crowd::remember(generation, state, visibility, incomplete[place], contents);
                bucket.pivots =
                    crowd::pivots_by_key(generation, state, visibility, incomplete[place].0, contents);
            }
            bucket.contents = Some(contents.clone());
        })?;
        let mut proposed = Vec::new();
        let mut near = Vec::new();
        for &(branch, key) in &sought.keys {
            let Some(bucket) = buckets.get(&(branch, key)) else { continue };
            let contents = bucket.contents.as_deref().unwrap_or_default();
            let met = match (&bucket.pivots, generation.lookup.crowds(branch)) {
                (Some(pivots), _) if !seeker.needs_all(pivots) => pivots.as_slice(),
                _ if reach == Reach::Pivots => &[],
                (_, CrowdsBy::Key) => contents,
                (_, CrowdsBy::Signature | CrowdsBy::Nothing) => {
                    near.clear();
                    near.extend_from_slice(contents);
                    keep_near(generation, state, branch, seeker.stored, &mut near);
                    crowd::keep_met(generation, state, visibility, branch, &seeker, &mut near);
                    near.as_slice()
                }
            };
            proposed.extend(met.iter().map(|&other| (other, 1 << branch)));
        }
        if reach != Reach::Pivots {
            let is_visible = |other| state.population.best_visible(other, visibility).is_some();
            let near = near_in_ranges(generation, state, Among::All, sought, seeker.stored)?;
            proposed.extend(near.into_iter().filter(|&(other, _)| is_visible(other)));
        }
        count_votes(generation, &mut proposed);
        Ok(proposed)
    }

    /// Computes what was missing; returns `false` if nothing was.
    pub fn fetch(self, generation: &Generation) -> Result<bool> {
        if let Some(error) = self.failed.into_inner() {
            return Err(error);
        }
        let keys: Vec<ContentNumber> = self.keys.into_inner().into_iter().collect();
        let pairs: Vec<ProposedPair> = self.pairs.into_inner().into_iter().collect();
        if keys.is_empty() && pairs.is_empty() {
            return Ok(false);
        }
        let signed = in_parts(&keys, |part| sign(generation, part))?;
        let compared = in_parts(&pairs, |part| compare(generation, part))?;
        let mut known = generation.link_cache.lock();
        known.sought.extend(signed);
        known.pairs.extend(compared);
        Ok(true)
    }
}

/// Processes parts of a list on all cores.
fn in_parts<T: Sync, R: Send>(all: &[T], work: impl Fn(&[T]) -> Result<Vec<R>> + Sync) -> Result<Vec<R>> {
    if all.len() < ALONE {
        return work(all);
    }
    let threads = threads::available();
    let parts: Vec<&[T]> = all.chunks(all.len().div_ceil(threads)).collect();
    let next = std::sync::atomic::AtomicUsize::new(0);
    let done = try_on_threads(threads, |_| {
        let part = parts.get(next.fetch_add(1, std::sync::atomic::Ordering::Relaxed));
        part.map_or_else(|| Ok(Vec::new()), |part| work(part))
    })?;
    Ok(done.into_iter().flatten().collect())
}

/// A document with this content; `None` if all have been removed.
fn holder(generation: &Generation, content: ContentNumber) -> Option<DocumentNumber> {
    generation.store.state().population.best(content)
}

/// The keys of contents. Contents whose documents are all gone have none.
fn sign(generation: &Generation, contents: &[ContentNumber]) -> Result<Vec<(ContentNumber, Arc<Sought>)>> {
    let mut context = SigningContext::new(generation);
    let mut line = Vec::new();
    let mut signed = Vec::with_capacity(contents.len());
    for &content in contents {
        let sought = match holder(generation, content) {
            None => None,
            Some(document) => match generation.read_line(document, &mut line) {
                Ok(()) => Some(context.sign(&line, document.raw())?.sought),
                Err(Error::Gone) => None,
                Err(error) => return Err(error),
            },
        };
        // If the document was removed while it was read, but another has the same content, the next query asks for
        // it again.
        if sought.is_some() || holder(generation, content).is_none() {
            signed.push((content, Arc::new(sought.unwrap_or_default())));
        }
    }
    Ok(signed)
}

/// The similarities of pairs; `None` for those that are no near-duplicates.
fn compare(generation: &Generation, pairs: &[ProposedPair]) -> Result<Vec<ComparedPair>> {
    let (pipeline, lookup) = (&generation.pipeline, &generation.lookup);
    let mut context = SigningContext::new(generation);
    let mut held: BTreeMap<ContentNumber, Option<LoadedDocument>> = BTreeMap::new();
    let mut compared = Vec::with_capacity(pairs.len());
    let estimate = |a: ContentNumber, b: ContentNumber| {
        let state = generation.store.state();
        pipeline.estimate(Compare::Decide, state.stored(b), state.stored(a))
    };
    for &(a, b, found_by) in pairs {
        if pipeline.verify == Verify::Estimate && !lookup.needs_records(found_by) {
            compared.push(((a, b, found_by), estimate(a, b).map(|verdict| verdict.similarity)));
            continue;
        }
        if held.len() > HELD {
            held.clear();
        }
        for content in [a, b] {
            if let Entry::Vacant(place) = held.entry(content) {
                place.insert(load(generation, &mut context, content)?);
            }
        }
        let known = |content: ContentNumber| held.get(&content).and_then(Option::as_ref);
        let verdict = known(b).zip(known(a)).and_then(|(later, earlier)| {
            let is_proposed =
                pipeline.has_votes(lookup.confirmed(found_by, &later.records, &earlier.records));
            match pipeline.verify {
                _ if !is_proposed => None,
                Verify::Estimate => estimate(a, b),
                _ => {
                    let judged =
                        pipeline.compare(Compare::Decide, later.as_compared(), earlier.as_compared());
                    judged.map(|judged| judged.verdict)
                }
            }
        });
        compared.push(((a, b, found_by), verdict.map(|verdict| verdict.similarity)));
    }
    Ok(compared)
}

/// What a content is compared by; `None` if all its documents have been removed.
fn load(
    generation: &Generation,
    context: &mut SigningContext<'_>,
    content: ContentNumber,
) -> Result<Option<LoadedDocument>> {
    let mut loaded = LoadedDocument::default();
    while let Some(document) = holder(generation, content) {
        match context.load(document, &mut loaded, true) {
            Ok(()) => return Ok(Some(loaded)),
            // Another document may have the same content.
            Err(Error::Gone) => {}
            Err(error) => return Err(error),
        }
    }
    Ok(None)
}
