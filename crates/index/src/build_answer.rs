//! Builds answers out of matches, limited to what is visible.

use std::collections::HashMap;

use crate::storage::document::DocumentNumber;
use crate::storage::lasting::LastingNumber;
use crate::storage::population::Visibility;
use crate::storage::state::State;
use lookalike_core::document::Id;
use lookalike_core::passages::{LEAST_WORDS, shared_passages};
use lookalike_core::streams::StreamKind;
use lookalike_core::{Error, Result};

use super::answer::{Answer, DocumentAction, DocumentVerdict, Match, MatchPassage, SetVerdict};
use super::clusters::with_clusters;
use super::find::{ContentMatch, MatchKind, in_order};
use super::generation::{Generation, SignedDocument, SigningContext};
use super::name::labels_of;
use super::query::QueryOptions;
use crate::index::Index;
use crate::query::seconds;
use lookalike_engine::pipeline::Differs;
use lookalike_engine::run::named;

/// The answer to a check.
pub fn for_check(
    index: &Index,
    context: &mut SigningContext<'_>,
    generation: &Generation,
    query: &SignedDocument,
    found: &[ContentMatch],
    visibility: &Visibility,
    options: &QueryOptions,
) -> Result<Answer> {
    let mut answer = with_matches(index, generation, query, found, visibility, options, None);
    add_differences(context, query, found, &mut answer.0, &answer.1)?;
    let best = answer.1.first().copied();
    if let Some(best) = best {
        place_in_cluster(generation, best, visibility, &mut answer.0)?;
    }
    if options.passages {
        add_passages(context, &query.text, &mut answer.0, &answer.1)?;
        answer.0.text = Some(query.text.clone());
    }
    Ok(answer.0)
}

/// An answer that lists the matches, and the numbers of the documents it lists. `passed` is the stored version of
/// the query document itself, which is left out.
pub fn with_matches(
    index: &Index,
    generation: &Generation,
    query: &SignedDocument,
    found: &[ContentMatch],
    visibility: &Visibility,
    options: &QueryOptions,
    passed: Option<DocumentNumber>,
) -> (Answer, Vec<DocumentNumber>) {
    let state = generation.store.state();
    let population = &state.population;
    let (mut listed, mut numbers, mut matching) = (Vec::new(), Vec::new(), 0);
    let mut exact = false;
    let mut set: Option<SetVerdict> = None;
    for one in in_order(found, population, visibility) {
        let seen = |copy: &DocumentNumber| {
            Some(*copy) != passed && visibility.includes(&population.documents[*copy])
        };
        let mut copies: Vec<DocumentNumber> = population.copies(one.content).filter(seen).collect();
        matching += copies.len();
        exact |= one.kind == MatchKind::Exact && !copies.is_empty();
        copies.sort_unstable_by(|&a, &b| population.order(a, b));
        for copy in copies {
            let document = &population.documents[copy];
            let name = state.sets.get(document.set);
            if let Some(name) = name {
                let hits = index.hits_of(state.lasting.of(copy), document.hits);
                // The most similar prototype decides the set; others of the same set add their hits.
                match &mut set {
                    None => {
                        set = Some(SetVerdict { name: name.to_owned(), similarity: one.similarity, hits })
                    }
                    Some(best) if best.name == name => best.hits += hits,
                    Some(_) => {}
                }
            }
            if listed.len() < options.limit {
                numbers.push(copy);
                listed.push(one_match(generation, &state, copy, one, name));
            }
        }
    }
    let verdict = match (query.digest, exact, matching) {
        (None, ..) => DocumentVerdict::Unreadable,
        (_, true, _) => DocumentVerdict::Duplicate,
        (_, false, 0) => DocumentVerdict::New,
        _ => DocumentVerdict::NearDuplicate,
    };
    let answer = Answer {
        verdict,
        action: DocumentAction::Checked,
        id: query.id.clone(),
        master: None,
        cluster: None,
        master_labels: Vec::new(),
        matches: listed,
        matching,
        replaced: Vec::new(),
        replaced_labels: Vec::new(),
        set,
        version: None,
        reason: (verdict == DocumentVerdict::Unreadable).then(|| match &query.weak {
            Some(reason) => format!("its text is weak: {reason}"),
            None if !query.streams.items(StreamKind::Images).is_empty() => {
                "there are no words to compare, and the recipe does not compare images alone: set \
                 features.without_text to images"
                    .to_owned()
            }
            None => "there are no words to compare".to_owned(),
        }),
        text: None,
    };
    (answer, numbers)
}

fn one_match(
    generation: &Generation,
    state: &State,
    copy: DocumentNumber,
    found: &ContentMatch,
    set: Option<&str>,
) -> Match {
    let pipeline = &generation.pipeline;
    let part = |shared: u32, of: u32| f64::from(shared) / f64::from(of.max(1));
    let (contained_in, contains) = match (&found.overlap, found.kind) {
        (Some(overlap), _) => (Some(part(overlap.shared, overlap.a)), Some(part(overlap.shared, overlap.b))),
        (None, MatchKind::Exact) => (Some(1.0), Some(1.0)),
        (None, _) => (None, None),
    };
    let branches = pipeline.branches.iter().enumerate().filter(|(place, _)| found.found_by >> place & 1 == 1);
    let names: Vec<&str> = branches.map(|(_, branch)| branch.name.as_str()).collect();
    Match {
        id: Id::from_json(state.population.ids.get(copy)),
        labels: labels_of(state, copy).to_vec(),
        title: None,
        similarity: found.similarity,
        contained_in,
        contains,
        method: match found.kind {
            MatchKind::Exact => "exact".to_owned(),
            MatchKind::Decided => "decision".to_owned(),
            MatchKind::Verified => names.join("+"),
        },
        because: named(found.because, &pipeline.decider.reasons()),
        difference: None,
        streams: None,
        set: set.map(str::to_owned),
        passages: None,
    }
}

/// Adds to each match how the query document differs from it, and how their streams agree.
pub fn add_differences(
    context: &mut SigningContext<'_>,
    query: &SignedDocument,
    found: &[ContentMatch],
    answer: &mut Answer,
    numbers: &[DocumentNumber],
) -> Result<()> {
    let compared: HashMap<DocumentNumber, Differs> = found.iter().filter_map(|one| one.differs).collect();
    for (one, number) in answer.matches.iter_mut().zip(numbers) {
        let differs = match compared.get(number) {
            Some(&differs) => Some(differs),
            // The features were estimated, so the text is not read either.
            None if one.contained_in.is_none() => None,
            // A copy of what was compared; its features are the same, but not always its text.
            None => match context.text_and_streams_of(*number) {
                Ok((text, streams)) => {
                    Some(context.pipeline().differs((&text, &streams), (&query.text, &query.streams)))
                }
                Err(Error::Gone) => None,
                Err(error) => return Err(error),
            },
        };
        one.difference = differs.map(|differs| differs.difference);
        one.streams = differs.and_then(|differs| differs.streams.told());
    }
    Ok(())
}

/// Adds titles to the matches, and the passages that they share with the text of the query document.
pub fn add_passages(
    context: &mut SigningContext<'_>,
    text: &str,
    answer: &mut Answer,
    numbers: &[DocumentNumber],
) -> Result<()> {
    for (one, &number) in answer.matches.iter_mut().zip(numbers) {
        let (title, known) = context.title_and_text_of(number)?;
        let passages = shared_passages(text, &known, LEAST_WORDS).into_iter().map(|passage| MatchPassage {
            asked: [passage.a.start, passage.a.end],
            known: [passage.b.start, passage.b.end],
            words: passage.words,
        });
        one.passages = Some(passages.collect());
        one.title = title;
    }
    Ok(())
}

impl Index {
    /// Counts a hit for every matching document. Hits are written to disk later.
    pub(super) fn count_hits(
        &self,
        generation: &Generation,
        found: &[ContentMatch],
        visibility: &Visibility,
        options: &QueryOptions,
    ) {
        let state = generation.store.state();
        let population = &state.population;
        let seen = |copy: &DocumentNumber| visibility.includes(&population.documents[*copy]);
        let mut hits = self.hits.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        for copy in found.iter().flat_map(|one| population.copies(one.content)).filter(seen) {
            let entry = hits.entry(state.lasting.of(copy)).or_default();
            entry.0 = entry.0.saturating_add(1);
            entry.1 = seconds(options.now);
        }
    }

    /// All hits of a document, including those not written yet.
    pub(super) fn hits_of(&self, number: LastingNumber, written: u32) -> u64 {
        let hits = self.hits.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        u64::from(written) + hits.get(&number).map_or(0, |&(hits, _)| u64::from(hits))
    }
}

/// Fills in the master and the cluster of a document that is in the index.
pub fn place_in_cluster(
    generation: &Generation,
    number: DocumentNumber,
    visibility: &Visibility,
    answer: &mut Answer,
) -> Result<()> {
    let master = with_clusters(generation, visibility, |clusters| {
        Ok(clusters.master_document(number).map(|master| clusters.name(master)))
    })?;
    if let Some((id, labels)) = master {
        (answer.master, answer.cluster, answer.master_labels) = (Some(id.clone()), Some(id), labels);
    }
    Ok(())
}
