//! Finds the contents that a document resembles: candidates by keys, then verified on the full feature sets.

use crate::storage::decisions::StoredDecision;
use crate::storage::document::{ContentNumber, DocumentNumber};
use crate::storage::population::{Population, Visibility};
use crate::storage::state::State;
use lookalike_core::candidates::Buckets;
use lookalike_core::decide::{Because, NO_REASON, Overlap, Verdict};
use lookalike_core::features::FeatureSet;
use lookalike_core::{Error, Result};

use super::generation::{Generation, LoadedDocument, SignedDocument, SigningContext};
use lookalike_engine::pipeline::{Compare, Differs, Verify, pivots};

/// A content that a document resembles.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ContentMatch {
    pub content: ContentNumber,
    pub similarity: f64,
    /// `a` is the query document; `None` for an estimate and an exact copy.
    pub overlap: Option<Overlap>,
    /// A bit for each branch that proposed the candidate.
    pub found_by: u32,
    pub because: Because,
    /// The document of this content that was compared, and what the query document differs in from it; `None` for an
    /// estimate and an exact copy.
    pub differs: Option<(DocumentNumber, Differs)>,
    pub kind: MatchKind,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MatchKind {
    Exact,
    Verified,
    /// A person decided that the two are duplicates.
    Decided,
}

/// The matches, and the size of the largest bucket looked at, which tells whether there is a crowd.
pub struct ContentMatches {
    pub found: Vec<ContentMatch>,
    pub widest_bucket: usize,
}

/// A content to compare with, and a visible document that has it.
struct Candidate {
    content: ContentNumber,
    document: DocumentNumber,
    found_by: u32,
    decided: bool,
}

/// Finds the visible contents, numbered from `first` on, that a document resembles.
pub fn find(
    context: &mut SigningContext<'_>,
    generation: &Generation,
    query: &SignedDocument,
    visibility: &Visibility,
    first: ContentNumber,
) -> Result<ContentMatches> {
    let Some(digest) = query.digest else {
        return Ok(ContentMatches { found: Vec::new(), widest_bucket: 0 });
    };
    let mut widest_bucket = 0;
    let (candidates, exact) = {
        let state = generation.store.state();
        let exact = state.population.content_of(digest);
        let exact = exact.filter(|&content| {
            content >= first && state.population.best_visible(content, visibility).is_some()
        });
        (candidates(generation, &state, query, digest, visibility, first, &mut widest_bucket)?, exact)
    };
    let mut found = verify(context, generation, query, &candidates)?;
    found.extend(exact.map(|content| ContentMatch {
        content,
        similarity: 1.0,
        overlap: None,
        found_by: 0,
        because: NO_REASON,
        differs: None,
        kind: MatchKind::Exact,
    }));
    Ok(ContentMatches { found, widest_bucket })
}

/// The contents of all crowds that a new content would join, without those that are already recorded as crowd
/// members; `None` if it joins no crowd.
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

/// The visible matches, the most similar first, equal ones by their best documents. Ordering them by content number
/// would reveal when hidden documents were added.
pub fn in_order<'a>(
    found: &'a [ContentMatch],
    population: &Population,
    visibility: &Visibility,
) -> Vec<&'a ContentMatch> {
    let mut seen: Vec<(&ContentMatch, DocumentNumber)> = found
        .iter()
        .filter_map(|one| Some((one, population.best_visible(one.content, visibility)?)))
        .collect();
    seen.sort_by(|a, b| b.0.similarity.total_cmp(&a.0.similarity).then_with(|| population.order(a.1, b.1)));
    seen.into_iter().map(|(one, _)| one).collect()
}

/// Contents that share a key with a document, with their similarities, even below the threshold. At most `most`,
/// chosen by digest: choosing by content number would reveal when hidden documents were added.
pub fn nearby(
    context: &mut SigningContext<'_>,
    generation: &Generation,
    query: &SignedDocument,
    visibility: &Visibility,
    most: usize,
) -> Result<Vec<(ContentNumber, f64)>> {
    let Some(digest) = query.digest else { return Ok(Vec::new()) };
    let candidates = {
        let state = generation.store.state();
        let mut candidates =
            candidates(generation, &state, query, digest, visibility, ContentNumber::FIRST, &mut 0)?;
        candidates.sort_by_key(|candidate| state.population.contents[candidate.content].digest);
        candidates
    };
    let mut set = FeatureSet::default();
    let mut found = Vec::new();
    for candidate in candidates.into_iter().take(most) {
        match context.features_of(candidate.document, &mut set) {
            Ok(()) => {}
            Err(Error::Gone) => continue,
            Err(error) => return Err(error),
        }
        if query.features.class == set.class {
            let verdict = generation.pipeline.decider.measure(&query.features, &set);
            found.push((candidate.content, verdict.similarity));
        }
    }
    Ok(found)
}

/// Whether a document resembles a content, decisions of people left aside.
pub fn find_undecided(
    context: &mut SigningContext<'_>,
    generation: &Generation,
    query: &SignedDocument,
    content: ContentNumber,
) -> Result<Option<ContentMatch>> {
    let everything = Visibility { sets: None, now: 0 };
    let candidate = {
        let state = generation.store.state();
        let proposed = proposed(generation, &state, query, &everything, ContentNumber::FIRST, &mut 0)?;
        let found_by = proposed.iter().find(|one| one.0 == content).map(|one| one.1);
        found_by.and_then(|found_by| candidate(&state, content, &everything, found_by, false))
    };
    let Some(candidate) = candidate else { return Ok(None) };
    Ok(verify(context, generation, query, &[candidate])?.pop())
}

fn candidates(
    generation: &Generation,
    state: &State,
    query: &SignedDocument,
    digest: u128,
    visibility: &Visibility,
    first: ContentNumber,
    widest_bucket: &mut usize,
) -> Result<Vec<Candidate>> {
    let population = &state.population;
    let mut candidates = Vec::new();
    for (content, found_by) in proposed(generation, state, query, visibility, first, widest_bucket)? {
        let other = population.contents[content].digest;
        // Exact copies are found by digest, and decisions of people take precedence.
        if other != digest && state.decisions.of(digest, other, visibility).is_none() {
            candidates.extend(candidate(state, content, visibility, found_by, false));
        }
    }
    for other in state.decisions.partners(digest) {
        let is_duplicate = |decision: &StoredDecision| decision.decide.duplicate == Some(true);
        if state.decisions.of(digest, other, visibility).is_some_and(is_duplicate) {
            let content = population.content_of(other).filter(|&content| content >= first);
            candidates.extend(content.and_then(|content| candidate(state, content, visibility, 0, true)));
        }
    }
    Ok(candidates)
}

/// The contents that enough branches propose, each with a bit for each branch.
fn proposed(
    generation: &Generation,
    state: &State,
    query: &SignedDocument,
    visibility: &Visibility,
    first: ContentNumber,
    widest_bucket: &mut usize,
) -> Result<Vec<(ContentNumber, u32)>> {
    let population = &state.population;
    let mut proposed: Vec<(ContentNumber, u32)> = Vec::new();
    let mut propose = |place: usize, bucket: &mut Vec<ContentNumber>| {
        let branch = query.keys[place].0;
        bucket.retain(|&content| {
            content >= first
                && population.is_alive(content)
                && generation.lookup.is_near(branch, &query.stored, state.stored(content))
        });
        if visibility.sets.is_some() || state.has_expired(visibility.now) {
            bucket.retain(|&content| population.best_visible(content, visibility).is_some());
        }
        if !generation.lookup.is_exact(branch) {
            *widest_bucket = (*widest_bucket).max(bucket.len());
            keep_pivots(state, visibility, bucket);
        }
        proposed.extend(bucket.iter().map(|&content| (content, 1 << branch)));
    };
    if first == ContentNumber::FIRST {
        state.keys.find(query.keys.iter().map(|&(_, key)| key), propose)?;
    } else {
        // The keys of contents from `first` on are still in memory.
        let mut bucket = Vec::new();
        for (place, &(_, key)) in query.keys.iter().enumerate() {
            bucket.clear();
            state.keys.head.find(key, &mut bucket);
            propose(place, &mut bucket);
        }
    }
    count_votes(generation, &mut proposed);
    Ok(proposed)
}

/// Keeps the contents that enough branches proposed, each once.
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
    visibility: &Visibility,
    found_by: u32,
    decided: bool,
) -> Option<Candidate> {
    let document = state.population.best_visible(content, visibility)?;
    Some(Candidate { content, document, found_by, decided })
}

/// In a crowd a document is only compared with the pivots, as in a batch run. The query document counts as a member
/// of the crowd.
fn keep_pivots(state: &State, visibility: &Visibility, bucket: &mut Vec<ContentNumber>) {
    if Buckets::default().needs_pivots(bucket.len() + 1) {
        *bucket = pivots_of(state, visibility, bucket);
    }
}

/// The pivots of a crowd, with the visible copies deciding which content is best.
pub fn pivots_of(state: &State, visibility: &Visibility, bucket: &[ContentNumber]) -> Vec<ContentNumber> {
    let population = &state.population;
    let best_copy = |content: ContentNumber| {
        population.best_visible(content, visibility).or_else(|| population.best(content))
    };
    let copies = bucket.iter().filter_map(|&content| Some((content, best_copy(content)?)));
    let best = copies.min_by(|a, b| population.order(a.1, b.1)).map(|(content, _)| content);
    let digest = |&content: &ContentNumber| (population.contents[content].digest, content);
    let mut digests: Vec<_> = bucket.iter().map(digest).collect();
    best.map_or_else(Vec::new, |best| pivots(Buckets::default(), best, &mut digests))
}

fn verify(
    context: &mut SigningContext<'_>,
    generation: &Generation,
    query: &SignedDocument,
    candidates: &[Candidate],
) -> Result<Vec<ContentMatch>> {
    let pipeline = &generation.pipeline;
    let mut found = Vec::new();
    let mut known = LoadedDocument::default();
    for candidate in candidates {
        let &Candidate { content, document, found_by, decided } = candidate;
        let kind = if decided { MatchKind::Decided } else { MatchKind::Verified };
        let by_estimate = pipeline.verify == Verify::Estimate && !decided;
        let needs_records = generation.lookup.needs_records(found_by);
        if !by_estimate || needs_records {
            match context.load(document, &mut known, needs_records) {
                Ok(()) => {}
                Err(Error::Gone) => continue,
                Err(error) => return Err(error),
            }
        }
        let found_by = match needs_records {
            true => generation.lookup.confirmed(found_by, &query.records, &known.records),
            false => found_by,
        };
        if !decided && !pipeline.has_votes(found_by) {
            continue;
        }
        let judged = if by_estimate {
            let state = generation.store.state();
            let verdict = pipeline.estimate(Compare::Decide, &query.stored, state.stored(content));
            verdict.map(|verdict| (verdict, None))
        } else {
            // The person has decided; only the similarity is still to be measured.
            let mode = if decided { Compare::Measure } else { Compare::Decide };
            let judged = pipeline.compare(mode, query.as_compared(), known.as_compared());
            judged.map(|judged| (judged.verdict, Some((document, judged.reversed()))))
        };
        found.extend(judged.map(|(verdict, differs)| {
            let Verdict { similarity, overlap, because, .. } = verdict;
            ContentMatch { content, similarity, overlap, found_by, because, differs, kind }
        }));
    }
    Ok(found)
}
