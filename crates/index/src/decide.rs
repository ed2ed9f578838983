//! Decisions of people about pairs of documents. A decision holds for the contents that the person compared:
//! another version of a document needs another decision.

use crate::index::IndexReader;
use crate::index::IndexWriter;
use crate::storage::decisions::StoredDecision;
use crate::storage::document::{ContentNumber, DocumentNumber};
use crate::storage::operation::{Decide, Operation, Prefer};
use crate::storage::population::Visibility;
use crate::storage::state::State;
use lookalike_core::document::Id;
use lookalike_core::features::FeatureSet;
use lookalike_core::{Error, Result};

use super::answer::{Decision, Judgement, Preference};
use super::find::find_undecided;
use super::generation::{Generation, SigningContext};
use super::name::{DocumentName, find_named, labels_of, with_same_name};
use super::query::{QueryOptions, View};
use crate::query::seconds;
use crate::query::visibility_now;
use lookalike_engine::decisions::{DecidedPair, Decisions, Named, TextDigest};

impl IndexReader<'_> {
    /// The decisions in force, about documents that are visible in the view.
    pub fn decisions(&self, view: &View) -> Result<Vec<Decision>> {
        let generation = self.index.generation();
        let held: Vec<(Decide, [DocumentNumber; 2])> = {
            let state = generation.store.state();
            let visibility = visibility_now(&state, view);
            let held = |decision: &StoredDecision| {
                Some((decision.decide.clone(), holders(&state, &decision.decide, &visibility)?))
            };
            state.decisions.visible(&visibility).filter_map(held).collect()
        };
        let mut context = SigningContext::new(&generation);
        let decisions =
            held.iter().map(|(decide, numbers)| decision_answer(&generation, &mut context, decide, *numbers));
        decisions.filter_map(Result::transpose).collect()
    }

    /// Decisions about texts that no document has any more, with the ids that had them. The documents were changed
    /// or removed, but another index may have them.
    pub fn dormant_decisions(&self) -> Vec<DecidedPair> {
        let generation = self.index.generation();
        let state = generation.store.state();
        let is_here = |digest: u128| state.population.content_of(digest).is_some();
        let dormant = |decide: &&Decide| !is_here(decide.digests.0) || !is_here(decide.digests.1);
        let everything = Visibility { sets: None, now: 0 };
        let named = |id: &str, text: u128| Named { id: Id::from_json(id), text: Some(TextDigest(text)) };
        let described = |decide: &Decide| {
            let (a, b) = decide.texts?;
            let (a, b) = (named(&decide.ids.0, a), named(&decide.ids.1, b));
            Some(DecidedPair { a, b, duplicate: decide.duplicate? })
        };
        state
            .decisions
            .visible(&everything)
            .map(|decision| &decision.decide)
            .filter(dormant)
            .filter_map(described)
            .collect()
    }

    /// The decision about two documents as they are now; `None` if there is none, or if one of the documents is not
    /// visible.
    pub fn decision<'a>(
        &self,
        a: impl Into<DocumentName<'a>>,
        b: impl Into<DocumentName<'a>>,
        view: &View,
    ) -> Result<Option<Decision>> {
        let generation = self.index.generation();
        let held = {
            let state = generation.store.state();
            let visibility = visibility_now(&state, view);
            let numbers =
                find_named(&state, a.into(), &visibility)?.zip(find_named(&state, b.into(), &visibility)?);
            numbers.and_then(|(a, b)| {
                let decision = in_force(&state, (a, b), &visibility)?;
                Some((decision.decide.clone(), [a, b]))
            })
        };
        let Some((decide, numbers)) = held else { return Ok(None) };
        decision_answer(&generation, &mut SigningContext::new(&generation), &decide, numbers)
    }

    /// What each person decided of each pair that is visible in the view, also where another decided later. Pairs are told by
    /// the digests of their contents, the smaller first.
    pub fn judgements(&self, view: &View) -> Vec<Judgement> {
        let generation = self.index.generation();
        let state = generation.store.state();
        let visibility = visibility_now(&state, view);
        let judged = state.decisions.judgements(&visibility).filter_map(|decide| {
            let (a, b) = decide.digests;
            let (by, time) = (decide.by.clone(), u64::from(decide.time));
            Some(Judgement { pair: (a.min(b), a.max(b)), duplicate: decide.duplicate?, by, time })
        });
        judged.collect()
    }

    /// All decisions and preferences. Each document is named with the text that it has, or had.
    pub fn all_decisions(&self) -> Result<Decisions> {
        let named = |id: Id, text: TextDigest| Named { id, text: Some(text) };
        let mut pairs = self.dormant_decisions();
        pairs.extend(self.decisions(&View::All)?.into_iter().map(|decision| DecidedPair {
            a: named(decision.a, decision.a_text),
            b: named(decision.b, decision.b_text),
            duplicate: decision.duplicate,
        }));
        let keepers = self.preferences(&View::All)?.into_iter();
        let keepers = keepers.map(|preference| named(preference.id, preference.text)).collect();
        Ok(Decisions { pairs, keepers })
    }

    /// The documents that people prefer as masters, as far as they are visible in the view.
    pub fn preferences(&self, view: &View) -> Result<Vec<Preference>> {
        let generation = self.index.generation();
        let preferred: Vec<(Prefer, Id, Vec<String>)> = {
            let state = generation.store.state();
            let visibility = visibility_now(&state, view);
            let population = &state.population;
            let seen = |prefer: &&Prefer| visibility.includes(&population.documents[prefer.document]);
            let named = |prefer: &Prefer| {
                let id = Id::from_json(population.ids.get(prefer.document));
                (prefer.clone(), id, labels_of(&state, prefer.document).to_vec())
            };
            state.preferences.values().filter(seen).map(named).collect()
        };
        let mut context = SigningContext::new(&generation);
        let mut preferences = Vec::with_capacity(preferred.len());
        for (Prefer { document, by, time, .. }, id, labels) in preferred {
            if let Some(text) = text_digest(&mut context, document)? {
                preferences.push(Preference { id, labels, text, by, time: u64::from(time) });
            }
        }
        Ok(preferences)
    }
}

impl IndexWriter<'_> {
    /// Records that two documents are duplicates or are not; `None` withdraws the decision. Returns `false` if one
    /// of them is not visible in the view.
    pub fn decide<'a>(
        &self,
        a: impl Into<DocumentName<'a>>,
        b: impl Into<DocumentName<'a>>,
        duplicate: Option<bool>,
        by: &str,
        view: &View,
    ) -> Result<bool> {
        self.decide_if(a.into(), b.into(), duplicate, by, view, |_| true)
    }

    /// Decides if the decision that is in force allows it.
    fn decide_if(
        &self,
        a: DocumentName<'_>,
        b: DocumentName<'_>,
        duplicate: Option<bool>,
        by: &str,
        view: &View,
        may: impl FnOnce(Option<&StoredDecision>) -> bool,
    ) -> Result<bool> {
        self.index.write(|generation, mut writer| {
            let numbers = {
                let state = generation.store.state();
                let visibility = visibility_now(&state, view);
                let numbers = find_named(&state, a, &visibility)?.zip(find_named(&state, b, &visibility)?);
                numbers.filter(|&numbers| may(in_force(&state, numbers, &visibility)))
            };
            let Some(numbers) = numbers else { return Ok(false) };
            if numbers.0 == numbers.1 {
                return Err(Error::input("these are the same document"));
            }
            let operation = decision(
                generation,
                numbers,
                (a.id, b.id),
                duplicate,
                by,
                seconds(QueryOptions::default().now),
                None,
            )?;
            let ticket = writer.commit(None, &[operation])?;
            drop(writer);
            generation.store.sync(ticket)?;
            Ok(true)
        })
    }

    /// Decides of many pairs at once, all of them on disk together. For each pair whether it was decided: not if one of
    /// the documents is not visible in the view. A pair of which nothing can be decided is an error of its own.
    pub fn decide_all(
        &self,
        pairs: &[(DocumentName<'_>, DocumentName<'_>)],
        duplicate: Option<bool>,
        by: &str,
        view: &View,
    ) -> Result<Vec<Result<bool>>> {
        self.index.write(|generation, mut writer| {
            let time = seconds(QueryOptions::default().now);
            let (mut operations, mut decided) = (Vec::new(), Vec::with_capacity(pairs.len()));
            for &(a, b) in pairs {
                let numbers = {
                    let state = generation.store.state();
                    let visibility = visibility_now(&state, view);
                    let a = find_named(&state, a, &visibility);
                    a.and_then(|a| Ok(a.zip(find_named(&state, b, &visibility)?)))
                };
                let operation = numbers.and_then(|numbers| {
                    let Some(numbers) = numbers else { return Ok(None) };
                    if numbers.0 == numbers.1 {
                        return Err(Error::input("these are the same document"));
                    }
                    decision(generation, numbers, (a.id, b.id), duplicate, by, time, None).map(Some)
                });
                decided.push(match operation {
                    Ok(operation) => {
                        let known = operation.is_some();
                        operations.extend(operation);
                        Ok(known)
                    }
                    Err(error @ (Error::Input(_) | Error::Ambiguous { .. })) => Err(error),
                    Err(error) => return Err(error),
                });
            }
            let ticket = writer.commit(None, &operations)?;
            drop(writer);
            generation.store.sync(ticket)?;
            Ok(decided)
        })
    }

    /// Records that a document should be the master of its cluster whatever the keep rules say, or withdraws that.
    /// Returns `false` if it is not visible in the view.
    pub fn prefer<'a>(
        &self,
        name: impl Into<DocumentName<'a>>,
        preferred: bool,
        by: &str,
        view: &View,
    ) -> Result<bool> {
        let name = name.into();
        self.index.write(|generation, mut writer| {
            let number = {
                let state = generation.store.state();
                find_named(&state, name, &visibility_now(&state, view))?
            };
            let Some(document) = number else { return Ok(false) };
            let time = seconds(QueryOptions::default().now);
            let prefer = Prefer { document, preferred, by: by.to_owned(), time };
            let ticket = writer.commit(None, &[Operation::Prefer(prefer)])?;
            drop(writer);
            generation.store.sync(ticket)?;
            Ok(true)
        })
    }

    /// Withdraws the decision about two documents if this author has made it. Returns `false` if not, or if one of the
    /// documents is not visible in the view.
    pub fn withdraw<'a>(
        &self,
        a: impl Into<DocumentName<'a>>,
        b: impl Into<DocumentName<'a>>,
        author: &str,
        view: &View,
    ) -> Result<bool> {
        self.decide_if(a.into(), b.into(), None, author, view, |decision| {
            decision.is_some_and(|decision| decision.decide.by == author)
        })
    }
}

/// The decision about two documents that is in force for a caller.
pub fn in_force<'a>(
    state: &'a State,
    (a, b): (DocumentNumber, DocumentNumber),
    visibility: &Visibility,
) -> Option<&'a StoredDecision> {
    state.decisions.of(state.population.digest_of(a)?, state.population.digest_of(b)?, visibility)
}

/// Documents with the two contents of a decision: those it was made about, or else copies of what they were then.
fn holders(state: &State, decide: &Decide, visibility: &Visibility) -> Option<[DocumentNumber; 2]> {
    let population = &state.population;
    let holder = |id: &str, labels: Option<&[String]>, digest: u128| {
        let content = population.content_of(digest)?;
        let id = Id::from_json(id);
        let own = labels.and_then(|labels| with_same_name(state, &id, labels, visibility).max());
        own.filter(|&own| population.documents[own].content == Some(content))
            .or_else(|| population.best_visible(content, visibility))
    };
    let (a, b) = decide.labels.as_ref().map(|(a, b)| (a.as_slice(), b.as_slice())).unzip();
    Some([holder(&decide.ids.0, a, decide.digests.0)?, holder(&decide.ids.1, b, decide.digests.1)?])
}

/// A decision in the form used in answers; `None` if one of the documents has been removed meanwhile.
fn decision_answer(
    generation: &Generation,
    context: &mut SigningContext<'_>,
    decide: &Decide,
    [a, b]: [DocumentNumber; 2],
) -> Result<Option<Decision>> {
    let Some(a_text) = text_digest(context, a)? else { return Ok(None) };
    let Some(b_text) = text_digest(context, b)? else { return Ok(None) };
    let state = generation.store.state();
    let id = |number: DocumentNumber| Id::from_json(state.population.ids.get(number));
    Ok(Some(Decision {
        a: id(a),
        b: id(b),
        a_labels: labels_of(&state, a).to_vec(),
        b_labels: labels_of(&state, b).to_vec(),
        duplicate: decide.duplicate == Some(true),
        a_text,
        b_text,
        by: decide.by.clone(),
        time: u64::from(decide.time),
    }))
}

/// The digest of a document's text; `None` if it has been removed and compacted away meanwhile.
fn text_digest(context: &mut SigningContext<'_>, number: DocumentNumber) -> Result<Option<TextDigest>> {
    match context.text_of(number) {
        Ok(text) => Ok(Some(TextDigest::of(&text))),
        Err(Error::Gone) => Ok(None),
        Err(error) => Err(error),
    }
}

/// The operation that records a decision about two documents, or those with these labels where the decision was made about
/// copies of them.
pub fn decision(
    generation: &Generation,
    (a, b): (DocumentNumber, DocumentNumber),
    ids: (&Id, &Id),
    duplicate: Option<bool>,
    by: &str,
    time: u32,
    labels: Option<(Vec<String>, Vec<String>)>,
) -> Result<Operation> {
    let (digests, content, labels) = {
        let state = generation.store.state();
        let content = |number: DocumentNumber| {
            let content = state.population.documents[number].content;
            content.ok_or_else(|| Error::input("a document without words is never a duplicate"))
        };
        let digest = |content: ContentNumber| state.population.contents[content].digest;
        let own = || (labels_of(&state, a).to_vec(), labels_of(&state, b).to_vec());
        let labels = labels.unwrap_or_else(own);
        ((digest(content(a)?), digest(content(b)?)), content(b)?, labels)
    };
    if digests.0 == digests.1 {
        return Err(Error::input(
            "the two documents are exact copies of each other: there is nothing to decide",
        ));
    }
    let mut context = SigningContext::new(generation);
    let texts = (TextDigest::of(&context.text_of(a)?).0, TextDigest::of(&context.text_of(b)?).0);
    let decide = Decide {
        digests,
        ids: (ids.0.json().to_owned(), ids.1.json().to_owned()),
        duplicate,
        by: by.to_owned(),
        time,
        link: None,
        texts: Some(texts),
        labels: Some(labels),
    };
    // Where one of two people withdraws what they decided, the other's decision is in force again.
    let in_force = generation.store.state().in_force_after(&decide);
    let link = match in_force {
        Some(true) => {
            let (mut of_a, mut of_b) = (FeatureSet::default(), FeatureSet::default());
            context.features_of(a, &mut of_a)?;
            context.features_of(b, &mut of_b)?;
            Some(generation.pipeline.decider.measure(&of_a, &of_b).similarity)
        }
        Some(false) => None,
        // Without a decision the pair is linked if the method finds it.
        None => {
            let mut line = Vec::new();
            generation.read_line(a, &mut line)?;
            let query = context.sign(&line, a.raw())?;
            find_undecided(&mut context, generation, &query, content)?.map(|found| found.similarity)
        }
    };
    Ok(Operation::Decide(Decide { link, ..decide }))
}
