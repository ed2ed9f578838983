//! Known documents that resemble one: candidates by keys, then verified on the full feature sets.

use crate::storage::decisions::Said;
use crate::storage::document::{ContentNumber, DocumentNumber};
use crate::storage::population::{Population, Sight};
use crate::storage::state::State;
use lookalike_core::candidates::Buckets;
use lookalike_core::decide::{Because, NO_REASON, Overlap, Verdict};
use lookalike_core::features::FeatureSet;
use lookalike_core::{Error, Result};

use super::generation::{Desk, Generation, Prepared};
use lookalike_engine::pipeline::{Compare, Verify, pivots};

/// A content that a document resembles.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Found {
    pub content: ContentNumber,
    pub similarity: f64,
    /// `a` is the document asked about; absent for an estimate and an exact copy.
    pub overlap: Option<Overlap>,
    /// A bit for each branch that proposed it.
    pub found_by: u32,
    pub because: Because,
    pub kind: Kind,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    Exact,
    Verified,
    /// A person said so.
    Decided,
}

/// What was found, and how many contents the widest key has that was asked for: whether that is a crowd.
pub struct Looked {
    pub found: Vec<Found>,
    pub widest: usize,
}

/// A content to compare with, and a document that has it.
struct Candidate {
    content: ContentNumber,
    document: DocumentNumber,
    found_by: u32,
    decided: bool,
}

/// Finds what a document resembles among the contents from `first` on that are seen.
pub fn find(
    desk: &mut Desk<'_>,
    generation: &Generation,
    asked: &Prepared,
    sight: &Sight,
    first: ContentNumber,
) -> Result<Looked> {
    let Some(digest) = asked.digest else { return Ok(Looked { found: Vec::new(), widest: 0 }) };
    let mut widest = 0;
    let (candidates, exact) = {
        let state = generation.store.state();
        let exact = state.population.content_of(digest);
        let exact =
            exact.filter(|&content| content >= first && state.population.best_seen(content, sight).is_some());
        (candidates(generation, &state, asked, digest, sight, first, &mut widest)?, exact)
    };
    let mut found = verify(desk, generation, asked, &candidates)?;
    found.extend(exact.map(|content| Found {
        content,
        similarity: 1.0,
        overlap: None,
        found_by: 0,
        because: NO_REASON,
        kind: Kind::Exact,
    }));
    Ok(Looked { found, widest })
}

/// The contents of all crowds that a new content would join, as far as they were in none.
pub fn crowd(generation: &Generation, keys: &[(u8, u64)]) -> Result<Option<Vec<ContentNumber>>> {
    let state = generation.store.state();
    let (mut is_any, mut crowd) = (false, Vec::new());
    state.keys.find(keys.iter().map(|&(_, key)| key), |place, bucket| {
        if !generation.lookup.is_exact(keys[place].0) {
            bucket.retain(|&content| state.population.is_alive(content));
            if Buckets::default().needs_pivots(bucket.len() + 1) {
                is_any = true;
                crowd.extend(bucket.iter().filter(|&&content| !state.crowds.has(content)));
            }
        }
    })?;
    crowd.sort_unstable();
    crowd.dedup();
    Ok(is_any.then_some(crowd))
}

/// What is seen of the found, the most similar first. Of equals the best document comes first: the order in which
/// contents came would tell of hidden documents that brought them.
pub fn in_order<'a>(found: &'a [Found], population: &Population, sight: &Sight) -> Vec<&'a Found> {
    let mut seen: Vec<(&Found, DocumentNumber)> =
        found.iter().filter_map(|one| Some((one, population.best_seen(one.content, sight)?))).collect();
    seen.sort_by(|a, b| b.0.similarity.total_cmp(&a.0.similarity).then_with(|| population.order(a.1, b.1)));
    seen.into_iter().map(|(one, _)| one).collect()
}

/// What shares a key with a document, and how alike the two are, whatever the threshold says. Not more than `most`, by
/// their digests: the order in which contents came would tell of hidden documents that brought them.
pub fn nearby(
    desk: &mut Desk<'_>,
    generation: &Generation,
    asked: &Prepared,
    sight: &Sight,
    most: usize,
) -> Result<Vec<(ContentNumber, f64)>> {
    let Some(digest) = asked.digest else { return Ok(Vec::new()) };
    let candidates = {
        let state = generation.store.state();
        let mut candidates =
            candidates(generation, &state, asked, digest, sight, ContentNumber::FIRST, &mut 0)?;
        candidates.sort_by_key(|candidate| state.population.contents[candidate.content].digest);
        candidates
    };
    let mut set = FeatureSet::default();
    let mut found = Vec::new();
    for candidate in candidates.into_iter().take(most) {
        match desk.features_of(candidate.document, &mut set) {
            Ok(()) => {}
            Err(Error::Gone) => continue,
            Err(error) => return Err(error),
        }
        if asked.features.class == set.class {
            let verdict = generation.pipeline.decider.measure(&asked.features, &set);
            found.push((candidate.content, verdict.similarity));
        }
    }
    Ok(found)
}

/// Whether a document resembles a content, whatever people said of the two.
pub fn find_undecided(
    desk: &mut Desk<'_>,
    generation: &Generation,
    asked: &Prepared,
    content: ContentNumber,
) -> Result<Option<Found>> {
    let everything = Sight { sets: None, now: 0 };
    let candidate = {
        let state = generation.store.state();
        let proposed = proposed(generation, &state, asked, &everything, ContentNumber::FIRST, &mut 0)?;
        let found_by = proposed.iter().find(|one| one.0 == content).map(|one| one.1);
        found_by.and_then(|found_by| candidate(&state, content, &everything, found_by, false))
    };
    let Some(candidate) = candidate else { return Ok(None) };
    Ok(verify(desk, generation, asked, &[candidate])?.pop())
}

fn candidates(
    generation: &Generation,
    state: &State,
    asked: &Prepared,
    digest: u128,
    sight: &Sight,
    first: ContentNumber,
    widest: &mut usize,
) -> Result<Vec<Candidate>> {
    let population = &state.population;
    let mut candidates = Vec::new();
    for (content, found_by) in proposed(generation, state, asked, sight, first, widest)? {
        let other = population.contents[content].digest;
        // Copies are known by their digest, and a person's word is final.
        if other != digest && state.decisions.of(digest, other, sight).is_none() {
            candidates.extend(candidate(state, content, sight, found_by, false));
        }
    }
    for other in state.decisions.partners(digest) {
        let is_duplicate = |said: &Said| said.decide.duplicate == Some(true);
        if state.decisions.of(digest, other, sight).is_some_and(is_duplicate) {
            let content = population.content_of(other).filter(|&content| content >= first);
            candidates.extend(content.and_then(|content| candidate(state, content, sight, 0, true)));
        }
    }
    Ok(candidates)
}

/// The contents that enough branches propose, each with a bit for each of these.
fn proposed(
    generation: &Generation,
    state: &State,
    asked: &Prepared,
    sight: &Sight,
    first: ContentNumber,
    widest: &mut usize,
) -> Result<Vec<(ContentNumber, u32)>> {
    let population = &state.population;
    let mut proposed: Vec<(ContentNumber, u32)> = Vec::new();
    let mut propose = |place: usize, bucket: &mut Vec<ContentNumber>| {
        let branch = asked.keys[place].0;
        bucket.retain(|&content| {
            content >= first
                && population.is_alive(content)
                && generation.lookup.is_near(branch, &asked.stored, state.stored(content))
        });
        if sight.sets.is_some() || state.has_expired(sight.now) {
            bucket.retain(|&content| population.best_seen(content, sight).is_some());
        }
        if !generation.lookup.is_exact(branch) {
            *widest = (*widest).max(bucket.len());
            thin_out(state, sight, bucket);
        }
        proposed.extend(bucket.iter().map(|&content| (content, 1 << branch)));
    };
    if first == ContentNumber::FIRST {
        state.keys.find(asked.keys.iter().map(|&(_, key)| key), propose)?;
    } else {
        // What came after the first is in memory still.
        let mut bucket = Vec::new();
        for (place, &(_, key)) in asked.keys.iter().enumerate() {
            bucket.clear();
            state.keys.head.find(key, &mut bucket);
            propose(place, &mut bucket);
        }
    }
    count_votes(generation, &mut proposed);
    Ok(proposed)
}

/// Leaves the contents that enough branches proposed, each once.
pub fn count_votes(generation: &Generation, proposed: &mut Vec<(ContentNumber, u32)>) {
    proposed.sort_unstable();
    proposed.dedup_by(|next, one| {
        let same = next.0 == one.0;
        if same {
            one.1 |= next.1;
        }
        same
    });
    proposed.retain(|&(_, found_by)| generation.pipeline.has_votes(found_by));
}

fn candidate(
    state: &State,
    content: ContentNumber,
    sight: &Sight,
    found_by: u32,
    decided: bool,
) -> Option<Candidate> {
    let document = state.population.best_seen(content, sight)?;
    Some(Candidate { content, document, found_by, decided })
}

/// Of a crowd, only the pivots are compared, as in a batch run. The document that is asked about is one of them.
fn thin_out(state: &State, sight: &Sight, bucket: &mut Vec<ContentNumber>) {
    if Buckets::default().needs_pivots(bucket.len() + 1) {
        *bucket = pivots_of(state, sight, bucket);
    }
}

/// The pivots of a crowd, as somebody sees it.
pub fn pivots_of(state: &State, sight: &Sight, bucket: &[ContentNumber]) -> Vec<ContentNumber> {
    let population = &state.population;
    let best_copy =
        |content: ContentNumber| population.best_seen(content, sight).or_else(|| population.best(content));
    let copies = bucket.iter().filter_map(|&content| Some((content, best_copy(content)?)));
    let best = copies.min_by(|a, b| population.order(a.1, b.1)).map(|(content, _)| content);
    let digest = |&content: &ContentNumber| (population.contents[content].digest, content);
    let mut digests: Vec<_> = bucket.iter().map(digest).collect();
    best.map_or_else(Vec::new, |best| pivots(Buckets::default(), best, &mut digests))
}

fn verify(
    desk: &mut Desk<'_>,
    generation: &Generation,
    asked: &Prepared,
    candidates: &[Candidate],
) -> Result<Vec<Found>> {
    let pipeline = &generation.pipeline;
    let mut found = Vec::new();
    let mut set = FeatureSet::default();
    for candidate in candidates {
        let &Candidate { content, document, found_by, decided } = candidate;
        let kind = if decided { Kind::Decided } else { Kind::Verified };
        let verdict = if pipeline.verify == Verify::Estimate && !decided {
            pipeline.estimate(Compare::Decide, &asked.stored, generation.store.state().stored(content))
        } else {
            match desk.features_of(document, &mut set) {
                Ok(()) => {}
                Err(Error::Gone) => continue,
                Err(error) => return Err(error),
            }
            // Of what a person said, only how alike the two are is still to be found out.
            let ask = if decided { Compare::Measure } else { Compare::Decide };
            pipeline.compare(ask, &asked.features, &set)
        };
        found.extend(verdict.map(|verdict| {
            let Verdict { similarity, overlap, because, .. } = verdict;
            Found { content, similarity, overlap, found_by, because, kind }
        }));
    }
    Ok(found)
}
