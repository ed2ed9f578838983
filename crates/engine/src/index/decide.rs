//! What people said of pairs. It holds for the contents they looked at: another version is another question.

use lookalike_core::document::Id;
use lookalike_core::features::FeatureSet;
use lookalike_core::{Error, Result};
use lookalike_index::operation::{Decide, Operation, Prefer};
use lookalike_index::population::NONE;

use super::add::known_as;
use super::answer::{Decision, Preference};
use super::ask::{Ask, View};
use super::generation::{Desk, Generation};
use super::see::now_sight;
use super::{Index, seconds};

impl Index {
    /// Remembers that two documents are duplicates, or are not; `None` takes that back. Says `false` when the view
    /// does not know one of them.
    pub fn decide(&self, a: &Id, b: &Id, duplicate: Option<bool>, by: &str, view: &View) -> Result<bool> {
        let generation = self.generation();
        let mut writer = generation.store.write()?;
        if !self.is_current(&generation) {
            drop(writer);
            return self.decide(a, b, duplicate, by, view);
        }
        let numbers = {
            let state = generation.store.state();
            let sight = now_sight(&state, view);
            let known = |id: &Id| known_as(&state.population, id, &sight);
            known(a).zip(known(b))
        };
        let Some(numbers) = numbers else { return Ok(false) };
        let operation = decision(&generation, numbers, (a, b), duplicate, by, seconds(Ask::default().now))?;
        let ticket = writer.commit(None, &[operation])?;
        drop(writer);
        generation.store.sync(ticket)?;
        Ok(true)
    }

    /// The decisions about documents that the view knows.
    pub fn decisions(&self, view: &View) -> Vec<Decision> {
        let generation = self.generation();
        let state = generation.store.state();
        let sight = now_sight(&state, view);
        let known = |id: &str| known_as(&state.population, &Id::from_json(id), &sight).is_some();
        let decisions = state.decisions.values();
        decisions
            .filter(|decide| known(&decide.ids.0) && known(&decide.ids.1))
            .map(|decide| Decision {
                a: Id::from_json(&*decide.ids.0),
                b: Id::from_json(&*decide.ids.1),
                duplicate: decide.duplicate == Some(true),
                by: decide.by.clone(),
                time: u64::from(decide.time),
            })
            .collect()
    }
}

impl Index {
    /// Remembers that a document should stand for its cluster whatever the keep rules say, or takes that back. Says
    /// `false` when the view does not know it.
    pub fn prefer(&self, id: &Id, preferred: bool, by: &str, view: &View) -> Result<bool> {
        let generation = self.generation();
        let mut writer = generation.store.write()?;
        if !self.is_current(&generation) {
            drop(writer);
            return self.prefer(id, preferred, by, view);
        }
        let number = {
            let state = generation.store.state();
            known_as(&state.population, id, &now_sight(&state, view))
        };
        let Some(document) = number else { return Ok(false) };
        let time = seconds(Ask::default().now);
        let prefer = Prefer { document, preferred, by: by.to_owned(), time };
        let ticket = writer.commit(None, &[Operation::Prefer(prefer)])?;
        drop(writer);
        generation.store.sync(ticket)?;
        Ok(true)
    }

    /// The documents that people prefer, as far as the view knows them.
    pub fn preferences(&self, view: &View) -> Vec<Preference> {
        let generation = self.generation();
        let state = generation.store.state();
        let sight = now_sight(&state, view);
        let population = &state.population;
        let seen = |prefer: &&Prefer| sight.sees(&population.documents[prefer.document as usize]);
        let told = |prefer: &Prefer| Preference {
            id: Id::from_json(population.ids.get(prefer.document)),
            by: prefer.by.clone(),
            time: u64::from(prefer.time),
        };
        state.preferences.values().filter(seen).map(told).collect()
    }
}

/// What remembers a decision about two documents.
pub fn decision(
    generation: &Generation,
    (a, b): (u32, u32),
    ids: (&Id, &Id),
    duplicate: Option<bool>,
    by: &str,
    time: u32,
) -> Result<Operation> {
    let digests = {
        let state = generation.store.state();
        let digest = |number: u32| {
            let content = state.population.documents[number as usize].content;
            if content == NONE {
                return Err(Error::input("a document without words is never a duplicate"));
            }
            Ok(state.population.contents[content as usize].digest)
        };
        (digest(a)?, digest(b)?)
    };
    if digests.0 == digests.1 {
        return Err(Error::input(
            "the two documents are exact copies of each other: there is nothing to decide",
        ));
    }
    let mut desk = Desk::new(generation);
    let (mut of_a, mut of_b) = (FeatureSet::default(), FeatureSet::default());
    desk.features_of(a, &mut of_a)?;
    desk.features_of(b, &mut of_b)?;
    let measured = generation.pipeline.decider.measure(&of_a, &of_b);
    let linked = duplicate.unwrap_or(measured.duplicate && of_a.class == of_b.class);
    Ok(Operation::Decide(Decide {
        digests,
        ids: (ids.0.json().to_owned(), ids.1.json().to_owned()),
        duplicate,
        by: by.to_owned(),
        time,
        link: linked.then_some(measured.similarity),
    }))
}
