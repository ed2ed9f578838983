//! Inserts one document under a policy.

use std::cmp::{Ordering, Reverse};

use crate::storage::document::{ContentNumber, DocumentNumber};
use crate::storage::operation::{Continues, Marks, Operation, Put, Touch, Version};
use crate::storage::population::Visibility;
use crate::storage::store::{StoreWriter, Ticket};
use lookalike_core::difference::Difference;
use lookalike_core::document::Id;
use lookalike_core::sign::Fingerprint;
use lookalike_core::{Error, Result};

use super::answer::{self, Answer, DocumentAction};
use super::crowd;
use super::find::{self, ContentMatch, ContentMatches};
use super::generation::{Generation, LoadedDocument, SignedDocument, SigningContext};
use super::history::described;
use super::name::{labels_cover, labels_of, with_same_name};
use super::query::{Policy, QueryOptions};
use super::{build_answer, recrawl};
use crate::index::Index;
use crate::query::{seconds, visibility_for};

/// The insertion of one document.
pub(super) struct Add<'a> {
    pub index: &'a Index,
    pub generation: &'a Generation,
    pub line: &'a [u8],
    pub query: SignedDocument,
    /// All contents that it resembles, whether or not the caller may see them.
    pub matches: ContentMatches,
    pub policy: Policy,
    pub options: &'a QueryOptions,
}

impl Add<'_> {
    /// Compares the document with the contents that earlier documents of its own batch added: those numbered from
    /// `first` on.
    pub fn match_within_batch(
        &mut self,
        context: &mut SigningContext<'_>,
        first: ContentNumber,
    ) -> Result<()> {
        let store = &self.generation.store;
        if store.state().population.contents.next_number() <= first {
            return Ok(());
        }
        let all = Visibility { sets: None, now: seconds(self.options.now) };
        self.matches.found.retain(|one| store.state().population.is_alive(one.content));
        let more = find::find(context, self.generation, &self.query, &all, first)?;
        self.matches.found.extend(more.found);
        self.matches.widest_bucket += more.widest_bucket;
        Ok(())
    }

    /// Whether one of the document's keys may have a crowd.
    fn is_in_crowd(&self) -> bool {
        self.generation.crowds.needs_pivots(self.matches.widest_bucket + 1)
    }

    /// The contents it resembles, as far as they are visible.
    fn found(&self, context: &mut SigningContext<'_>, visibility: &Visibility) -> Result<Vec<ContentMatch>> {
        let hidden = |digest: u128| {
            let state = self.generation.store.state();
            state.decisions.has_hidden(digest, visibility)
        };
        if visibility.sets.is_some() && (self.is_in_crowd() || self.query.digest.is_some_and(hidden)) {
            let first = ContentNumber::FIRST;
            let matches = find::find(context, self.generation, &self.query, visibility, first)?;
            return Ok(matches.found);
        }
        Ok(self.matches.found.clone())
    }

    /// Does what the policy says, and answers.
    pub fn carry_out(
        &self,
        context: &mut SigningContext<'_>,
        writer: &mut StoreWriter<'_>,
    ) -> Result<(Answer, Ticket)> {
        let id =
            self.query.id.as_ref().ok_or_else(|| Error::input("a document needs an `id` to be inserted"))?;
        let (seen, known) = {
            let state = self.generation.store.state();
            if state.population.documents.is_full() {
                return Err(Error::config(
                    "all document numbers are used: start a new generation with `resign`",
                ));
            }
            let seen = visibility_for(&state, self.options);
            let known: Vec<DocumentNumber> = with_same_name(&state, id, &self.query.labels, &seen).collect();
            (seen, known)
        };
        // Only an index written by an older version has more than one. All but the newest are removed.
        let newest = known.iter().copied().max();
        let (older, known) = (known.into_iter().filter(|&number| Some(number) != newest), newest);
        let found = self.found(context, &seen)?;
        let (mut answer, numbers) = build_answer::with_matches(
            self.index,
            self.generation,
            &self.query,
            &found,
            &seen,
            self.options,
            known,
        );
        build_answer::add_differences(context, &self.query, &found, &mut answer, &numbers)?;
        if let Some(known) = known
            && self.is_unchanged(known)?
        {
            let ticket = writer.commit(None, &[self.touch(known)])?;
            answer.action = DocumentAction::Unchanged;
            build_answer::place_in_cluster(self.generation, known, &seen, &mut answer)?;
            return Ok((answer, ticket));
        }
        let others = self.others(&found, &seen, known);
        // A document is only rejected or removed in favour of another if everyone who could read it can read the
        // other. Otherwise some readers would be left with neither.
        let own = &self.query.labels;
        let keepers: Vec<&Other> = others.iter().filter(|other| labels_cover(own, &other.labels)).collect();
        let is_better = |other: &&Other| self.is_better_than(id, other.number);
        if let Some(best) = keepers.first()
            && match self.policy {
                Policy::Report | Policy::Version | Policy::Replace => false,
                Policy::Reject => true,
                Policy::KeepBest => !keepers.iter().all(is_better),
            }
        {
            return Ok((self.rejected(answer, &seen, best.number)?, Ticket::default()));
        }
        let goes: Vec<&Other> = match self.policy {
            Policy::Report | Policy::Version | Policy::Reject => Vec::new(),
            Policy::Replace => others.iter().filter(|other| self.may_be_replaced(other)).collect(),
            Policy::KeepBest => {
                others.iter().filter(|other| self.may_be_replaced(other)).filter(is_better).collect()
            }
        };
        let continues = match (known, self.policy) {
            (Some(known), _) => Some(self.continues(context, known, true)?),
            // A document only continues one with the same readers. Otherwise its history would reveal the older one
            // to readers who could not see it.
            (None, Policy::Version) => {
                let other = others
                    .iter()
                    .find(|other| labels_cover(own, &other.labels) && labels_cover(&other.labels, own));
                other.map(|other| self.continues(context, other.number, false)).transpose()?
            }
            _ => None,
        };
        let version = continues.as_ref().and_then(|(continues, now)| self.version_told(continues, *now));
        let continues = continues.map(|(continues, _)| continues);
        let appended = writer.append_lines(&[self.line])?;
        let mut operations = vec![Operation::Put(self.put(id, appended.places[0], continues)?)];
        let gone = goes.iter().map(|other| other.number).chain(older);
        operations.extend(gone.map(|document| Operation::Remove { document }));
        let number = self.generation.store.state().population.documents.next_number();
        answer.replaced = {
            let state = self.generation.store.state();
            goes.iter().map(|other| Id::from_json(state.population.ids.get(other.number))).collect()
        };
        answer.replaced_labels = goes.iter().map(|other| other.labels.clone()).collect();
        let ticket = writer.commit(Some(appended.end), &operations)?;
        answer.action = if known.is_some() { DocumentAction::Updated } else { DocumentAction::Inserted };
        answer.version = version;
        // The document may have brought a new set of labels, so the visibility is computed again.
        let visibility = visibility_for(&self.generation.store.state(), self.options);
        build_answer::place_in_cluster(self.generation, number, &visibility, &mut answer)?;
        if self.options.refresh {
            self.index.count_hits(self.generation, &found, &visibility, self.options);
        }
        if self.options.passages {
            build_answer::add_passages(context, &self.query.text, &mut answer, &numbers)?;
        }
        Ok((answer, ticket))
    }

    /// Whether the document equals the stored one byte for byte.
    fn is_unchanged(&self, known: DocumentNumber) -> Result<bool> {
        let length = self.generation.store.state().population.documents[known].place.length;
        if length as usize != self.line.len() {
            return Ok(false);
        }
        let mut stored = Vec::new();
        match self.generation.read_line(known, &mut stored) {
            Err(Error::Gone) => Ok(false),
            read => read.map(|()| stored == self.line),
        }
    }

    /// The matching documents that are visible, the most similar first.
    fn others(
        &self,
        found: &[ContentMatch],
        visibility: &Visibility,
        known: Option<DocumentNumber>,
    ) -> Vec<Other> {
        let state = self.generation.store.state();
        let population = &state.population;
        let found = find::in_order(found, population, visibility);
        let copies = found.into_iter().flat_map(|found| population.copies(found.content));
        copies
            .filter(|&copy| Some(copy) != known && visibility.includes(&population.documents[copy]))
            .map(|number| Other { number, labels: labels_of(&state, number).to_vec() })
            .collect()
    }

    /// Whether another document may be removed in favour of this one: all its readers can read this one, and the
    /// caller may change it.
    fn may_be_replaced(&self, other: &Other) -> bool {
        labels_cover(&other.labels, &self.query.labels) && self.options.view.may_change(&other.labels)
    }

    /// Whether the keep rules prefer this document to a known one. A document that a person prefers always wins.
    fn is_better_than(&self, id: &Id, other: DocumentNumber) -> bool {
        let state = self.generation.store.state();
        if state.population.documents[other].is_preferred() {
            return false;
        }
        let theirs = state.population.scores(other);
        let by_score = Reverse(&self.query.scores[..]).cmp(&Reverse(theirs));
        by_score.then_with(|| id.cmp(&Id::from_json(state.population.ids.get(other)))) == Ordering::Less
    }

    fn rejected(&self, mut answer: Answer, visibility: &Visibility, best: DocumentNumber) -> Result<Answer> {
        answer.action = DocumentAction::Rejected;
        answer.reason = Some(format!("policy `{}`: a known document is to be kept", self.policy.name()));
        build_answer::place_in_cluster(self.generation, best, visibility, &mut answer)?;
        Ok(answer)
    }

    /// Records this document as the next version of another. Also tells its fingerprint, which is stored when the next
    /// version comes.
    fn continues(
        &self,
        context: &mut SigningContext<'_>,
        document: DocumentNumber,
        replaces: bool,
    ) -> Result<(Continues, Option<Fingerprint>)> {
        let mut before = LoadedDocument::default();
        context.load(document, &mut before, false)?;
        let pipeline = &self.generation.pipeline;
        let comparable = !before.features.is_empty() && !self.query.features.is_empty();
        let similarity =
            comparable.then(|| pipeline.decider.measure(&self.query.features, &before.features).similarity);
        let difference = self.difference_to(document, &before, similarity);
        let now = context.fingerprint_of_signed(&self.query, self.line)?;
        let before = context.fingerprint_of(document, Some(&before.features))?;
        let distance = before.zip(now).and_then(|(before, now)| now.distance(before));
        let version = Version {
            time: seconds(self.options.now),
            changed: true,
            similarity,
            bytes: self.line.len() as u32,
            marks: Marks {
                fingerprint: None,
                distance: distance.and_then(|distance| u8::try_from(distance).ok()),
                difference,
            },
        };
        Ok((Continues { document, replaces, before, version }, now))
    }

    /// How the text differs from that of the version before; `None` if the two are no near-duplicates. Finding out in
    /// which ways texts differ that have little in common takes longer than all else, and tells little.
    fn difference_to(
        &self,
        document: DocumentNumber,
        before: &LoadedDocument,
        similarity: Option<f64>,
    ) -> Option<Difference> {
        // Most near-duplicates were found, and so compared already.
        let mut compared = self.matches.found.iter().filter_map(|one| one.differs);
        if let Some((_, differs)) = compared.find(|&(number, _)| number == document) {
            return Some(differs.difference);
        }
        let pipeline = &self.generation.pipeline;
        let is_near = similarity.is_none_or(|similarity| similarity >= pipeline.decider.threshold());
        let (before, now) = ((&*before.text, &before.streams), (&*self.query.text, &self.query.streams));
        is_near.then(|| pipeline.differs(before, now).difference)
    }

    /// How this version differs from the last, and whether it has come back.
    fn version_told(&self, continues: &Continues, now: Option<Fingerprint>) -> Option<answer::Version> {
        let mut versions = self.generation.store.state().versions(continues.document);
        versions.last_mut()?.marks.fingerprint = continues.before;
        versions.push(continues.version.clone());
        described(&versions, now).pop()
    }

    pub fn put(
        &self,
        id: &Id,
        place: crate::storage::texts::Place,
        continues: Option<Continues>,
    ) -> Result<Put> {
        let crowd = if self.is_in_crowd() {
            crowd::joined(self.generation, &self.query.kept, &self.query.stored)?
        } else {
            None
        };
        let state = self.generation.store.state();
        let threshold = self.generation.pipeline.decider.threshold();
        let interval = continues.as_ref().map_or(recrawl::FIRST, |continues| {
            let before = state.population.documents[continues.document].interval;
            let near = continues.version.similarity.is_some_and(|similarity| similarity >= threshold);
            recrawl::after_change(before, near)
        });
        let lives = self.options.time_to_live.map_or(0, |time| seconds(time.as_secs()).max(1));
        let now = seconds(self.options.now);
        Ok(Put {
            id: id.json().to_owned(),
            place,
            digest: self.query.digest,
            scores: self.query.scores.clone(),
            keys: self.query.kept.iter().map(|&(_, key)| key).collect(),
            stored: self.query.stored.clone(),
            labels: self.query.labels.clone(),
            set: self.query.set.clone(),
            added: now,
            expires: if lives == 0 { 0 } else { now.saturating_add(lives) },
            lives,
            hits: 0,
            interval,
            links: self
                .matches
                .found
                .iter()
                .filter(|found| found.kind != find::MatchKind::Exact)
                .map(|found| (found.content, found.similarity))
                .collect(),
            continues,
            origin: None,
            crowd,
        })
    }

    /// Records that the same document came again, unchanged.
    fn touch(&self, known: DocumentNumber) -> Operation {
        let state = self.generation.store.state();
        let document = &state.population.documents[known];
        let now = seconds(self.options.now);
        let lives = self.options.time_to_live.map_or(document.lives, |time| seconds(time.as_secs()).max(1));
        Operation::Touch(Touch {
            document: known,
            seen: now,
            expires: if lives == 0 { 0 } else { now.saturating_add(lives) },
            hits: document.hits,
            unchanged: document.unchanged.saturating_add(1),
            interval: recrawl::after_no_change(document.interval),
        })
    }
}

/// A visible document that matches.
struct Other {
    number: DocumentNumber,
    labels: Vec<String>,
}
