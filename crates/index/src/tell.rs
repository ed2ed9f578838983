//! Answers out of what was found, as somebody may see it.

use crate::storage::document::DocumentNumber;
use crate::storage::lasting::LastingNumber;
use crate::storage::population::Sight;
use crate::storage::state::State;
use lookalike_core::Result;
use lookalike_core::document::Id;
use lookalike_core::passages::{LEAST_WORDS, shared_passages};

use super::answer::{Action, Answer, Match, Passage, SetVerdict, Verdict};
use super::ask::Ask;
use super::clusters::look;
use super::find::{Found, Kind, in_order};
use super::generation::{Desk, Generation, Prepared};
use super::name::labels_of;
use crate::ask::seconds;
use crate::index::Index;
use lookalike_engine::run::named;

/// The answer to a check.
#[allow(clippy::too_many_arguments)]
pub fn checked(
    index: &Index,
    desk: &mut Desk<'_>,
    generation: &Generation,
    line: &[u8],
    asked: &Prepared,
    found: &[Found],
    sight: &Sight,
    ask: &Ask,
) -> Result<Answer> {
    let mut answer = matches(index, generation, asked, found, sight, ask, None);
    let best = answer.1.first().copied();
    if let Some(best) = best {
        place_in_cluster(generation, best, sight, &mut answer.0)?;
    }
    if ask.passages {
        answer.0.text = Some(add_passages(desk, line, &mut answer.0, &answer.1)?);
    }
    Ok(answer.0)
}

/// What was found as an answer, and the numbers of the documents it names. A document that is `passed` over is
/// the one asked about.
pub fn matches(
    index: &Index,
    generation: &Generation,
    asked: &Prepared,
    found: &[Found],
    sight: &Sight,
    ask: &Ask,
    passed: Option<DocumentNumber>,
) -> (Answer, Vec<DocumentNumber>) {
    let state = generation.store.state();
    let population = &state.population;
    let (mut told, mut numbers, mut matching) = (Vec::new(), Vec::new(), 0);
    let mut exact = false;
    let mut set: Option<SetVerdict> = None;
    for one in in_order(found, population, sight) {
        let seen = |copy: &DocumentNumber| Some(*copy) != passed && sight.sees(&population.documents[*copy]);
        let mut copies: Vec<DocumentNumber> = population.copies(one.content).filter(seen).collect();
        matching += copies.len();
        exact |= one.kind == Kind::Exact && !copies.is_empty();
        copies.sort_unstable_by(|&a, &b| population.order(a, b));
        for copy in copies {
            let document = &population.documents[copy];
            let name = state.sets.get(document.set);
            if let Some(name) = name {
                let hits = index.hits_of(state.lasting.of(copy), document.hits);
                // The most similar prototype decides; others of its set add their hits.
                match &mut set {
                    None => {
                        set = Some(SetVerdict { name: name.to_owned(), similarity: one.similarity, hits })
                    }
                    Some(best) if best.name == name => best.hits += hits,
                    Some(_) => {}
                }
            }
            if told.len() < ask.limit {
                numbers.push(copy);
                told.push(one_match(generation, &state, copy, one, name));
            }
        }
    }
    let verdict = match (asked.digest, exact, matching) {
        (None, ..) => Verdict::Unreadable,
        (_, true, _) => Verdict::Duplicate,
        (_, false, 0) => Verdict::New,
        _ => Verdict::NearDuplicate,
    };
    let answer = Answer {
        verdict,
        action: Action::Checked,
        id: asked.id.clone(),
        master: None,
        cluster: None,
        master_labels: Vec::new(),
        matches: told,
        matching,
        replaced: Vec::new(),
        replaced_labels: Vec::new(),
        set,
        version: None,
        reason: (verdict == Verdict::Unreadable).then(|| match &asked.weak {
            Some(reason) => format!("its text is weak: {reason}"),
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
    found: &Found,
    set: Option<&str>,
) -> Match {
    let pipeline = &generation.pipeline;
    let part = |shared: u32, of: u32| f64::from(shared) / f64::from(of.max(1));
    let (contained_in, contains) = match (&found.overlap, found.kind) {
        (Some(overlap), _) => (Some(part(overlap.shared, overlap.a)), Some(part(overlap.shared, overlap.b))),
        (None, Kind::Exact) => (Some(1.0), Some(1.0)),
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
            Kind::Exact => "exact".to_owned(),
            Kind::Decided => "decision".to_owned(),
            Kind::Verified => names.join("+"),
        },
        because: named(found.because, &pipeline.decider.reasons()),
        set: set.map(str::to_owned),
        passages: None,
    }
}

/// Adds to each match its title and what it shares with the document, whose text is given back.
pub fn add_passages(
    desk: &mut Desk<'_>,
    line: &[u8],
    answer: &mut Answer,
    numbers: &[DocumentNumber],
) -> Result<String> {
    let asked = desk.text_in(line)?;
    for (one, &number) in answer.matches.iter_mut().zip(numbers) {
        let (title, known) = desk.title_and_text_of(number)?;
        let passages = shared_passages(&asked, &known, LEAST_WORDS).into_iter().map(|passage| Passage {
            asked: [passage.a.start, passage.a.end],
            known: [passage.b.start, passage.b.end],
            words: passage.words,
        });
        one.passages = Some(passages.collect());
        one.title = title;
    }
    Ok(asked)
}

impl Index {
    /// Counts a hit of every document that matches, to be written later.
    pub(super) fn count_hits(&self, generation: &Generation, found: &[Found], sight: &Sight, ask: &Ask) {
        let state = generation.store.state();
        let population = &state.population;
        let seen = |copy: &DocumentNumber| sight.sees(&population.documents[*copy]);
        let mut hits = self.hits.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        for copy in found.iter().flat_map(|one| population.copies(one.content)).filter(seen) {
            let entry = hits.entry(state.lasting.of(copy)).or_default();
            entry.0 = entry.0.saturating_add(1);
            entry.1 = seconds(ask.now);
        }
    }

    /// All hits of a document, those not yet written included.
    pub(super) fn hits_of(&self, number: LastingNumber, written: u32) -> u64 {
        let hits = self.hits.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        u64::from(written) + hits.get(&number).map_or(0, |&(hits, _)| u64::from(hits))
    }
}

/// Fills in master and cluster of a document that is in the index.
pub fn place_in_cluster(
    generation: &Generation,
    number: DocumentNumber,
    sight: &Sight,
    answer: &mut Answer,
) -> Result<()> {
    let master = look(generation, sight, |clusters| {
        Ok(clusters.master_document(number).map(|master| clusters.name(master)))
    })?;
    if let Some((id, labels)) = master {
        (answer.master, answer.cluster, answer.master_labels) = (Some(id.clone()), Some(id), labels);
    }
    Ok(())
}
