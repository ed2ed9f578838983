//! Links between contents as somebody sees them who does not see everything.
//!
//! The links that an index keeps are right for everybody, with two exceptions. In a crowd, of so many contents with one key
//! that each is only compared with a few pivots, they depend on who is in the crowd. And what a person said of two contents
//! counts only for those who see the documents that it was said of. For contents of these two kinds the links are found
//! anew, among what is seen: those that a batch run over the seen documents would find.
//!
//! That takes the keys of a content, which are nowhere by content, and comparisons that were never made. Both need texts, and
//! nobody reads texts while the state is held. So a question is asked with what is known; what was missing is found out
//! afterwards, and the question asked again. Contents do not change: what is known once stays true for the generation.

use std::cell::{Cell, RefCell};
use std::collections::btree_map::Entry;
use std::collections::{BTreeMap, BTreeSet, HashMap};

use crate::storage::clusters::Link;
use crate::storage::document::{ContentNumber, DocumentNumber};
use crate::storage::population::Sight;
use crate::storage::state::State;
use lookalike_core::candidates::Buckets;
use lookalike_core::features::FeatureSet;
use lookalike_core::{Error, Result};

use super::find::{count_votes, pivots_of};
use super::found_out::{Compared, Keys};
use super::generation::{Desk, Generation};
use lookalike_core::threads::{self, try_on_threads};
use lookalike_engine::pipeline::{Compare, Verify};

/// Features of so many contents are held while they are compared.
const HELD: usize = 2048;
/// Fewer comparisons are not worth a thread.
const ALONE: usize = 64;

/// What a question needs that is not known yet.
#[derive(Default)]
pub struct Needs {
    keys: RefCell<BTreeSet<ContentNumber>>,
    pairs: RefCell<BTreeSet<(ContentNumber, ContentNumber)>>,
    failed: RefCell<Option<Error>>,
    /// How often something was missing.
    missed: Cell<u64>,
    /// What is seen of keys: contents of a crowd share most of theirs.
    buckets: RefCell<HashMap<(u8, u64), Bucket>>,
}

/// Contents that share a key, as somebody sees them, and the pivots if they are a crowd.
struct Bucket {
    contents: Vec<ContentNumber>,
    pivots: Option<Vec<ContentNumber>>,
}

impl Bucket {
    /// Those that a content of the bucket is compared with: a pivot with all, others with the pivots.
    fn compared_with(&self, content: ContentNumber) -> &[ContentNumber] {
        match &self.pivots {
            Some(pivots) if !pivots.contains(&content) => pivots,
            _ => &self.contents,
        }
    }
}

/// The links of a content, if they are others than those that everybody sees.
pub fn own_links(
    generation: &Generation,
    state: &State,
    sight: &Sight,
    needs: &Needs,
    content: ContentNumber,
) -> Option<Vec<Link>> {
    let sets = sight.sets.as_ref()?;
    let digest = state.population.contents.get(content)?.digest;
    if !state.crowds.has(content) && !state.decisions.is_any_unheard(digest, sight) {
        return None;
    }
    // What has expired is not seen, which no change tells.
    let lasts = !state.has_expired(sight.now);
    if lasts && let Some(links) = generation.found_out.seen(sets, state.changes, content) {
        return Some(links);
    }
    let missed = needs.missed.get();
    let links = found_links(generation, state, sight, needs, content, digest);
    if lasts && needs.missed.get() == missed {
        generation.found_out.note_seen(sets, state.changes, content, &links);
    }
    Some(links)
}

fn found_links(
    generation: &Generation,
    state: &State,
    sight: &Sight,
    needs: &Needs,
    content: ContentNumber,
    digest: u128,
) -> Vec<Link> {
    let population = &state.population;
    let keys = generation.found_out.known().keys.get(&content).cloned();
    let Some(keys) = keys else {
        needs.keys.borrow_mut().insert(content);
        needs.missed.update(|missed| missed + 1);
        return Vec::new();
    };
    let proposed = match needs.proposed(generation, state, sight, content, &keys) {
        Ok(proposed) => proposed,
        Err(error) => {
            *needs.failed.borrow_mut() = Some(error);
            needs.missed.update(|missed| missed + 1);
            return Vec::new();
        }
    };
    let known = generation.found_out.known();
    let kept = state.clusters.links(content).iter().map(|link| (link.other, link.similarity));
    let kept: HashMap<ContentNumber, f64> = kept.collect();
    let mut links = Vec::new();
    for (other, _) in proposed.into_iter().filter(|&(other, _)| other != content) {
        let others = population.contents[other].digest;
        if state.decisions.of(digest, others, sight).is_some() {
            continue;
        }
        let pair = (content.min(other), content.max(other));
        // Where nobody said anything of the two, a link that is kept is right; and where one of them was never in a
        // crowd, so is its absence.
        let is_said = !state.decisions.about(digest, others).is_empty();
        let kept = kept.get(&other);
        let similarity = match kept {
            Some(&similarity) if !is_said => Some(similarity),
            None if !(is_said || state.crowds.has(content) && state.crowds.has(other)) => None,
            _ => match known.pairs.get(&pair) {
                Some(&similarity) => similarity,
                None => {
                    needs.pairs.borrow_mut().insert(pair);
                    needs.missed.update(|missed| missed + 1);
                    None
                }
            },
        };
        links.extend(similarity.map(|similarity| Link { other, similarity }));
    }
    for others in state.decisions.partners(digest) {
        let Some(said) = state.decisions.of(digest, others, sight) else { continue };
        if said.decide.duplicate == Some(true)
            && let Some(other) = population.content_of(others)
        {
            links.push(Link { other, similarity: said.decide.link.unwrap_or(1.0) });
        }
    }
    links
}

impl Needs {
    /// The contents that enough branches propose for one that is there, each with a bit for each of these.
    fn proposed(
        &self,
        generation: &Generation,
        state: &State,
        sight: &Sight,
        content: ContentNumber,
        keys: &[(u8, u64)],
    ) -> Result<Vec<(ContentNumber, u32)>> {
        let mut buckets = self.buckets.borrow_mut();
        let new: Vec<(u8, u64)> = keys.iter().copied().filter(|key| !buckets.contains_key(key)).collect();
        state.keys.find(new.iter().map(|&(_, key)| key), |place, contents| {
            contents.retain(|&content| state.population.best_seen(content, sight).is_some());
            let is_crowd =
                !generation.lookup.is_exact(new[place].0) && Buckets::default().needs_pivots(contents.len());
            let pivots = is_crowd.then(|| pivots_of(state, sight, contents));
            buckets.insert(new[place], Bucket { contents: contents.clone(), pivots });
        })?;
        let own = state.stored(content);
        let mut proposed = Vec::new();
        for key in keys {
            let Some(bucket) = buckets.get(key) else { continue };
            let near = bucket.compared_with(content).iter().copied();
            let near = near.filter(|&other| generation.lookup.is_near(key.0, own, state.stored(other)));
            proposed.extend(near.map(|other| (other, 1 << key.0)));
        }
        count_votes(generation, &mut proposed);
        Ok(proposed)
    }

    /// Finds out what was missing; `false` if nothing was.
    pub fn meet(self, generation: &Generation) -> Result<bool> {
        if let Some(error) = self.failed.into_inner() {
            return Err(error);
        }
        let keys: Vec<ContentNumber> = self.keys.into_inner().into_iter().collect();
        let pairs: Vec<(ContentNumber, ContentNumber)> = self.pairs.into_inner().into_iter().collect();
        if keys.is_empty() && pairs.is_empty() {
            return Ok(false);
        }
        let signed = in_parts(&keys, |part| sign(generation, part))?;
        let compared = in_parts(&pairs, |part| compare(generation, part))?;
        let mut known = generation.found_out.known();
        known.keys.extend(signed);
        known.pairs.extend(compared);
        Ok(true)
    }
}

/// Works on parts of a list on all cores.
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

/// A document that has a content; `None` if all are gone.
fn holder(generation: &Generation, content: ContentNumber) -> Option<DocumentNumber> {
    generation.store.state().population.best(content)
}

/// The keys of contents; none of those that are gone, which nobody sees again.
fn sign(generation: &Generation, contents: &[ContentNumber]) -> Result<Vec<(ContentNumber, Keys)>> {
    let mut desk = Desk::new(generation);
    let mut line = Vec::new();
    let mut signed = Vec::with_capacity(contents.len());
    for &content in contents {
        let keys = match holder(generation, content) {
            None => Vec::new(),
            Some(document) => match generation.read_line(document, &mut line) {
                Ok(()) => desk.prepare(&line, document.raw())?.keys,
                Err(Error::Gone) => Vec::new(),
                Err(error) => return Err(error),
            },
        };
        // One that went while it was read is asked for again by the next question, if another has its content.
        if !keys.is_empty() || holder(generation, content).is_none() {
            signed.push((content, keys.into()));
        }
    }
    Ok(signed)
}

/// How alike contents are that resemble each other.
fn compare(generation: &Generation, pairs: &[(ContentNumber, ContentNumber)]) -> Result<Vec<Compared>> {
    let pipeline = &generation.pipeline;
    if pipeline.verify == Verify::Estimate {
        let state = generation.store.state();
        let estimate = |&(a, b): &(ContentNumber, ContentNumber)| {
            let verdict = pipeline.estimate(Compare::Decide, state.stored(b), state.stored(a));
            ((a, b), verdict.map(|verdict| verdict.similarity))
        };
        return Ok(pairs.iter().map(estimate).collect());
    }
    let mut desk = Desk::new(generation);
    let mut held: BTreeMap<ContentNumber, Option<FeatureSet>> = BTreeMap::new();
    let mut compared = Vec::with_capacity(pairs.len());
    for &(a, b) in pairs {
        if held.len() > HELD {
            held.clear();
        }
        for content in [a, b] {
            if let Entry::Vacant(place) = held.entry(content) {
                place.insert(features(generation, &mut desk, content)?);
            }
        }
        let known = |content: ContentNumber| held.get(&content).and_then(Option::as_ref);
        let verdict = known(b)
            .zip(known(a))
            .and_then(|(later, earlier)| pipeline.compare(Compare::Decide, later, earlier));
        compared.push(((a, b), verdict.map(|verdict| verdict.similarity)));
    }
    Ok(compared)
}

/// `None` for a content that is gone.
fn features(
    generation: &Generation,
    desk: &mut Desk<'_>,
    content: ContentNumber,
) -> Result<Option<FeatureSet>> {
    let mut set = FeatureSet::default();
    while let Some(document) = holder(generation, content) {
        match desk.features_of(document, &mut set) {
            Ok(()) => return Ok(Some(set)),
            // Another may have its content.
            Err(Error::Gone) => {}
            Err(error) => return Err(error),
        }
    }
    Ok(None)
}
