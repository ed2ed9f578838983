//! Finds the contents that a document resembles: candidates by keys, then verified on the full feature sets.

use std::borrow::Cow;
use std::collections::BTreeSet;

use crate::storage::decisions::StoredDecision;
use crate::storage::document::{Content, ContentNumber, DocumentNumber};
use crate::storage::keys::Among;
use crate::storage::population::{Population, Visibility};
use crate::storage::state::State;
use lookalike_core::decide::{Because, NO_REASON, Overlap, Verdict};
use lookalike_core::features::FeatureSet;
use lookalike_core::numbers::NumberMap;
use lookalike_core::{Error, Result};

use super::crowd::{self, Seeker};
use super::generation::{Generation, SignedDocument, SigningContext};
use super::links::links_of;
use super::near::{keep_near, near_in_ranges};
use crate::storage::clusters::Reach;
use lookalike_engine::pipeline::{Compare, Differs, Verify};

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

/// Finds the visible contents that a document resembles. The pivot of a crowd may resemble very many: of those beyond the
/// first `described` only the similarities are told.
pub fn find_all(
    context: &mut SigningContext<'_>,
    generation: &Generation,
    query: &SignedDocument,
    visibility: &Visibility,
    described: usize,
) -> Result<Vec<ContentMatch>> {
    let reach = (Reach::All, described);
    Ok(find_within(context, generation, query, visibility, ContentNumber::FIRST, reach)?.found)
}

/// Finds the visible contents, numbered from `first` on, that a document resembles that is to be inserted. Of a crowd only
/// the pivots are looked at, even for a copy of a pivot: what comes must not take the longer the more there are.
pub fn find(
    context: &mut SigningContext<'_>,
    generation: &Generation,
    query: &SignedDocument,
    visibility: &Visibility,
    first: ContentNumber,
) -> Result<ContentMatches> {
    find_within(context, generation, query, visibility, first, (Reach::Pivots, 0))
}

fn find_within(
    context: &mut SigningContext<'_>,
    generation: &Generation,
    query: &SignedDocument,
    visibility: &Visibility,
    first: ContentNumber,
    (reach, described): (Reach, usize),
) -> Result<ContentMatches> {
    let Some(digest) = query.digest else {
        return Ok(ContentMatches { found: Vec::new(), widest_bucket: 0 });
    };
    let mut widest_bucket = 0;
    let (mut candidates, exact) = {
        let state = generation.store.state();
        let exact = state.population.content_of(digest);
        let exact = exact.filter(|&content| {
            content >= first && state.population.best_visible(content, visibility).is_some()
        });
        let from = (first, reach);
        (candidates(generation, &state, query, digest, visibility, from, &mut widest_bucket)?, exact)
    };
    let mut found = Vec::new();
    if let Some(content) = exact
        && reach == Reach::All
        && generation.crowds.needs_pivots(candidates.len())
    {
        found = linked_beyond(generation, visibility, content, described, &mut candidates)?;
    }
    found.extend(verify(context, generation, query, &candidates)?);
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

/// Takes what a content is known to be linked to out of the candidates, the `described` first in order of the answer
/// excepted. What is not linked is no candidate either.
fn linked_beyond(
    generation: &Generation,
    visibility: &Visibility,
    content: ContentNumber,
    described: usize,
    candidates: &mut Vec<Candidate>,
) -> Result<Vec<ContentMatch>> {
    let links = links_of(generation, visibility, content)?;
    let similarities: NumberMap<Content, f64> =
        links.into_iter().map(|link| (link.other(), link.similarity())).collect();
    candidates.retain(|candidate| candidate.decided || similarities.contains_key(&candidate.content));
    let matches = candidates.iter().map(|candidate| ContentMatch {
        content: candidate.content,
        similarity: similarities.get(&candidate.content).copied().unwrap_or_default(),
        overlap: None,
        found_by: candidate.found_by,
        because: NO_REASON,
        differs: None,
        kind: if candidate.decided { MatchKind::Decided } else { MatchKind::Verified },
    });
    let matches: Vec<ContentMatch> = matches.collect();
    let state = generation.store.state();
    let ordered = in_order(&matches, &state.population, visibility);
    let described: BTreeSet<ContentNumber> =
        ordered.iter().take(described).map(|found| found.content).collect();
    candidates.retain(|candidate| candidate.decided || described.contains(&candidate.content));
    let is_left =
        |found: &&ContentMatch| found.kind == MatchKind::Verified && !described.contains(&found.content);
    Ok(matches.iter().filter(is_left).copied().collect())
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
        let from = (ContentNumber::FIRST, Reach::Pivots);
        let mut candidates = candidates(generation, &state, query, digest, visibility, from, &mut 0)?;
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
        let from = (ContentNumber::FIRST, Reach::All);
        let proposed = proposed(generation, &state, query, &everything, from, &mut 0)?;
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
    from: (ContentNumber, Reach),
    widest_bucket: &mut usize,
) -> Result<Vec<Candidate>> {
    let population = &state.population;
    let mut candidates = Vec::new();
    for (content, found_by) in proposed(generation, state, query, visibility, from, widest_bucket)? {
        let other = population.contents[content].digest;
        // Exact copies are found by digest, and decisions of people take precedence.
        if other != digest && state.decisions.of(digest, other, visibility).is_none() {
            candidates.extend(candidate(state, content, visibility, found_by, false));
        }
    }
    for other in state.decisions.partners(digest) {
        let is_duplicate = |decision: &StoredDecision| decision.decide.duplicate == Some(true);
        if state.decisions.of(digest, other, visibility).is_some_and(is_duplicate) {
            let content = population.content_of(other).filter(|&content| content >= from.0);
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
    (first, reach): (ContentNumber, Reach),
    widest_bucket: &mut usize,
) -> Result<Vec<(ContentNumber, u32)>> {
    let population = &state.population;
    let content = query.digest.and_then(|digest| population.content_of(digest));
    let content = content.filter(|&content| population.best_visible(content, visibility).is_some());
    let seeker = Seeker { content, stored: &query.stored, reach };
    let mut proposed: Vec<(ContentNumber, u32)> = Vec::new();
    let mut keys = Cow::Borrowed(&query.sought.keys);
    if first == ContentNumber::FIRST && state.known_crowds.len() > 0 {
        keys.to_mut().retain(|&(branch, key)| {
            let known = crowd::known_pivots(generation, state, visibility, key);
            let known = known.filter(|(_, pivots)| !seeker.needs_all(pivots));
            let Some((size, pivots)) = known else { return true };
            *widest_bucket = (*widest_bucket).max(size);
            proposed.extend(pivots.iter().map(|&content| (content, 1 << branch)));
            false
        });
    }
    // The keys of contents from `first` on are still in memory, if it is not the first of all.
    let among = if first == ContentNumber::FIRST { Among::All } else { Among::Since(first) };
    let is_partly_hidden = visibility.sets.is_some() || state.has_expired(visibility.now);
    let is_visible = |content: ContentNumber| population.best_visible(content, visibility).is_some();
    state.keys.find(among, keys.iter().map(|&(_, key)| key), |place: usize, bucket| {
        let branch = keys[place].0;
        keep_near(generation, state, branch, &query.stored, bucket);
        bucket.retain(|&content| population.is_alive(content));
        if is_partly_hidden {
            bucket.retain(|&content| is_visible(content));
        }
        if first == ContentNumber::FIRST {
            crowd::remember(generation, state, visibility, keys[place], bucket);
        }
        let size = crowd::keep_met(generation, state, visibility, branch, &seeker, bucket);
        *widest_bucket = (*widest_bucket).max(size);
        proposed.extend(bucket.iter().map(|&content| (content, 1 << branch)));
    })?;
    let near = near_in_ranges(generation, state, among, &query.sought, &query.stored)?;
    proposed.extend(
        near.into_iter().filter(|&(content, _)| {
            population.is_alive(content) && (!is_partly_hidden || is_visible(content))
        }),
    );
    crowd::count_votes(generation, &mut proposed);
    Ok(proposed)
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

fn verify(
    context: &mut SigningContext<'_>,
    generation: &Generation,
    query: &SignedDocument,
    candidates: &[Candidate],
) -> Result<Vec<ContentMatch>> {
    let pipeline = &generation.pipeline;
    let mut found = Vec::new();
    let mut known = context.take_loaded();
    if !candidates.is_empty() && pipeline.decides_by_overlap() {
        context.count_from(&query.features);
    }
    for candidate in candidates {
        let &Candidate { content, document, found_by, decided } = candidate;
        let kind = if decided { MatchKind::Decided } else { MatchKind::Verified };
        let by_estimate = pipeline.verify == Verify::Estimate && !decided;
        let by_overlap = pipeline.decides_by_overlap() && !decided;
        let needs_records = generation.lookup.needs_records(found_by);
        let mut overlap = None;
        if !by_estimate || needs_records {
            let loaded = match by_overlap {
                true => {
                    let class = query.features.class;
                    context
                        .load_counted(document, &mut known, needs_records, class)
                        .map(|found| overlap = found)
                }
                false => context.load(document, &mut known, needs_records),
            };
            match loaded {
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
            let texts = ((&*query.text, &query.streams), (&*known.text, &known.streams));
            let judged = match by_overlap {
                true => overlap.and_then(|overlap| pipeline.compare_by_overlap(overlap, texts.0, texts.1)),
                // The person has decided; only the similarity is still to be measured.
                false => {
                    let mode = if decided { Compare::Measure } else { Compare::Decide };
                    pipeline.compare(mode, query.as_compared(), known.as_compared())
                }
            };
            judged.map(|judged| (judged.verdict, Some((document, judged.reversed()))))
        };
        found.extend(judged.map(|(verdict, differs)| {
            let Verdict { similarity, overlap, because, .. } = verdict;
            ContentMatch { content, similarity, overlap, found_by, because, differs, kind }
        }));
    }
    context.give_back(known);
    Ok(found)
}
