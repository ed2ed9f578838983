//! Documents come in, under a policy, and go.

use crate::index::Writer;
use std::cmp::{Ordering, Reverse};

use crate::storage::document::{ContentNumber, DocumentNumber};
use crate::storage::operation::{Continues, Operation, Put, Touch, Version};
use crate::storage::population::Sight;
use crate::storage::store::{StoreWriter, Ticket};
use lookalike_core::candidates::Buckets;
use lookalike_core::document::Id;
use lookalike_core::{Error, Result};

use super::answer::{self, Action, Answer};
use super::ask::{Ask, Policy, View};
use super::find::{self, Found, Looked};
use super::generation::{Desk, Generation, Prepared};
use super::name::{Name, covers, known_as, labels_of, same};
use super::{recrawl, tell};
use crate::ask::{seconds, sight, sight_of};
use crate::index::Index;
use lookalike_core::threads::{self, try_on_threads};

/// Fewer documents are not worth a thread.
const ALONE: usize = 8;

/// A document that was signed and compared with what was there before the batch.
type Read = Result<(Prepared, Looked)>;

impl Writer<'_> {
    /// Checks and inserts a document in one step, durable when this returns.
    pub fn add(&self, document: &[u8], policy: Policy, ask: &Ask) -> Result<Answer> {
        let mut answers = self.add_many(&[document], policy, ask)?;
        answers.pop().unwrap_or_else(|| Err(Error::Internal("a document without an answer".to_owned())))
    }

    /// Inserts documents in order, each as if it came alone, and forces them to disk together. An error of one
    /// stands in its place; an error of all means that nothing was acknowledged.
    pub fn add_many(&self, documents: &[&[u8]], policy: Policy, ask: &Ask) -> Result<Vec<Result<Answer>>> {
        self.index.write(|generation, writer| self.add_to(generation, writer, documents, policy, ask))
    }

    fn add_to(
        &self,
        generation: &Generation,
        mut writer: StoreWriter<'_>,
        documents: &[&[u8]],
        policy: Policy,
        ask: &Ask,
    ) -> Result<Vec<Result<Answer>>> {
        generation.lookup.check_answers()?;
        let store = &generation.store;
        let mut ticket = self.index.catch_up(generation, &mut writer, seconds(ask.now))?;
        let contents = store.state().population.contents.next_number();
        let read = read_all(generation, documents)?;
        let mut desk = Desk::new(generation);
        let mut answers = Vec::with_capacity(documents.len());
        for (&line, read) in documents.iter().zip(read) {
            let answer = read.and_then(|(asked, looked)| {
                let mut add = Add { index: self.index, generation, line, asked, looked, policy, ask };
                add.look_again(&mut desk, contents)?;
                let (answer, one) = add.carry_out(&mut desk, &mut writer)?;
                ticket = ticket.max(one);
                Ok(answer)
            });
            // A full disk concerns all.
            if let Err(Error::Io { .. }) = &answer {
                answers.push(answer);
                break;
            }
            answers.push(answer);
        }
        self.index.put_off(writer.maintain());
        drop(writer);
        store.sync(ticket)?;
        if let Some(error) = answers.pop_if(|answer| matches!(answer, Err(Error::Io { .. }))) {
            return error.map(|_| answers);
        }
        Ok(answers)
    }

    /// Removes a document that the view sees. One that it sees and may not change is an error.
    pub fn remove<'a>(&self, name: impl Into<Name<'a>>, view: &View) -> Result<bool> {
        Ok(self.remove_many([name], view)? > 0)
    }

    /// Removes documents, durable when this returns, and tells how many there were. If a name fits several documents, none
    /// is removed.
    pub fn remove_many<'a, N: Into<Name<'a>>>(
        &self,
        names: impl IntoIterator<Item = N>,
        view: &View,
    ) -> Result<u64> {
        let names: Vec<Name<'a>> = names.into_iter().map(Into::into).collect();
        self.index.write(|generation, writer| self.remove_from(generation, writer, names, view))
    }

    fn remove_from(
        &self,
        generation: &Generation,
        mut writer: StoreWriter<'_>,
        names: Vec<Name<'_>>,
        view: &View,
    ) -> Result<u64> {
        let now = Ask::default().now;
        let (mut numbers, mut removed) = (Vec::new(), 0);
        {
            let state = generation.store.state();
            let sight = sight_of(&state, view, now);
            for name in names {
                let Some(number) = known_as(&state, name, &sight)? else { continue };
                let labels = labels_of(&state, number);
                if !view.may_change(labels) {
                    return Err(Error::Forbidden(
                        "the document has a label that the token has not: only who has all its labels may change it"
                            .to_owned(),
                    ));
                }
                removed += u64::from(!numbers.contains(&number));
                numbers.extend(same(&state, name.id, labels, &sight));
            }
        }
        numbers.sort_unstable();
        numbers.dedup();
        let operations: Vec<Operation> =
            numbers.into_iter().map(|document| Operation::Remove { document }).collect();
        let ticket = writer.commit(None, &operations)?;
        self.index.put_off(writer.maintain());
        drop(writer);
        generation.store.sync(ticket)?;
        Ok(removed)
    }
}

/// Signs documents and compares them with what is there, on all cores.
fn read_all(generation: &Generation, documents: &[&[u8]]) -> Result<Vec<Read>> {
    let next = generation.store.state().population.documents.next_number();
    let all = Sight { sets: None, now: 0 };
    let read = |desk: &mut Desk<'_>, place: usize, line: &[u8]| -> Read {
        let asked = desk.prepare(line, next.raw().saturating_add(place as u32))?;
        let looked = find::find(desk, generation, &asked, &all, ContentNumber::FIRST)?;
        Ok((asked, looked))
    };
    if documents.len() <= ALONE {
        let mut desk = Desk::new(generation);
        return Ok(documents.iter().enumerate().map(|(place, line)| read(&mut desk, place, line)).collect());
    }
    let threads = threads::available();
    let taken = std::sync::atomic::AtomicUsize::new(0);
    let parts = try_on_threads(threads, |_| {
        let mut desk = Desk::new(generation);
        let mut part = Vec::new();
        loop {
            let place = taken.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
            let Some(line) = documents.get(place) else { return Ok(part) };
            part.push((place, read(&mut desk, place, line)));
        }
    })?;
    let mut parts: Vec<(usize, Read)> = parts.into_iter().flatten().collect();
    parts.sort_unstable_by_key(|&(place, _)| place);
    Ok(parts.into_iter().map(|(_, read)| read).collect())
}

/// One document on its way in.
pub(super) struct Add<'a> {
    pub index: &'a Index,
    pub generation: &'a Generation,
    pub line: &'a [u8],
    pub asked: Prepared,
    /// What it resembles, seen or not.
    pub looked: Looked,
    pub policy: Policy,
    pub ask: &'a Ask,
}

impl Add<'_> {
    /// Compares the document with what its own batch brought, the contents from `first` on.
    fn look_again(&mut self, desk: &mut Desk<'_>, first: ContentNumber) -> Result<()> {
        let store = &self.generation.store;
        if store.state().population.contents.next_number() <= first {
            return Ok(());
        }
        let all = Sight { sets: None, now: seconds(self.ask.now) };
        self.looked.found.retain(|one| store.state().population.is_alive(one.content));
        let more = find::find(desk, self.generation, &self.asked, &all, first)?;
        self.looked.found.extend(more.found);
        self.looked.widest += more.widest;
        Ok(())
    }

    /// Whether a key of the document may have a crowd.
    fn is_in_crowd(&self) -> bool {
        Buckets::default().needs_pivots(self.looked.widest + 1)
    }

    /// What it resembles of what somebody sees.
    fn found(&self, desk: &mut Desk<'_>, sight: &Sight) -> Result<Vec<Found>> {
        let unheard = |digest: u128| {
            let state = self.generation.store.state();
            state.decisions.is_any_unheard(digest, sight)
        };
        if sight.sets.is_some() && (self.is_in_crowd() || self.asked.digest.is_some_and(unheard)) {
            return Ok(find::find(desk, self.generation, &self.asked, sight, ContentNumber::FIRST)?.found);
        }
        Ok(self.looked.found.clone())
    }

    fn carry_out(&self, desk: &mut Desk<'_>, writer: &mut StoreWriter<'_>) -> Result<(Answer, Ticket)> {
        let id =
            self.asked.id.as_ref().ok_or_else(|| Error::input("a document needs an `id` to be inserted"))?;
        let (seen, known) = {
            let state = self.generation.store.state();
            if state.population.documents.is_full() {
                return Err(Error::config(
                    "all document numbers are used: start a new generation with `resign`",
                ));
            }
            let seen = sight(&state, self.ask);
            let known: Vec<DocumentNumber> = same(&state, id, &self.asked.labels, &seen).collect();
            (seen, known)
        };
        // There is more than one only in an index that an older version wrote: all but the newest go.
        let newest = known.iter().copied().max();
        let (older, known) = (known.into_iter().filter(|&number| Some(number) != newest), newest);
        let found = self.found(desk, &seen)?;
        let (mut answer, numbers) =
            tell::matches(self.index, self.generation, &self.asked, &found, &seen, self.ask, known);
        if let Some(known) = known
            && self.is_unchanged(known)?
        {
            let ticket = writer.commit(None, &[self.touch(known)])?;
            answer.action = Action::Unchanged;
            tell::place_in_cluster(self.generation, known, &seen, &mut answer)?;
            return Ok((answer, ticket));
        }
        let others = self.others(&found, &seen, known);
        // In whose favour the document may be left out, and who may go in its favour: nobody's readers shall see neither.
        let own = &self.asked.labels;
        let keepers: Vec<&Other> = others.iter().filter(|other| covers(own, &other.labels)).collect();
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
            Policy::Replace => others.iter().filter(|other| self.may_go(other)).collect(),
            Policy::KeepBest => others.iter().filter(|other| self.may_go(other)).filter(is_better).collect(),
        };
        let continues = match (known, self.policy) {
            (Some(known), _) => Some(self.continues(desk, known, true)?),
            // Who sees the document must have seen what it continues, or its history would tell of that.
            (None, Policy::Version) => {
                let other =
                    others.iter().find(|other| covers(own, &other.labels) && covers(&other.labels, own));
                other.map(|other| self.continues(desk, other.number, false)).transpose()?
            }
            _ => None,
        };
        let version = continues.as_ref().map(|continues| told(&continues.version));
        let laid = writer.lay(&[self.line])?;
        let mut operations = vec![Operation::Put(self.put(id, laid.places[0], continues)?)];
        let gone = goes.iter().map(|other| other.number).chain(older);
        operations.extend(gone.map(|document| Operation::Remove { document }));
        let number = self.generation.store.state().population.documents.next_number();
        answer.replaced = {
            let state = self.generation.store.state();
            goes.iter().map(|other| Id::from_json(state.population.ids.get(other.number))).collect()
        };
        answer.replaced_labels = goes.iter().map(|other| other.labels.clone()).collect();
        let ticket = writer.commit(Some(laid.end), &operations)?;
        answer.action = if known.is_some() { Action::Updated } else { Action::Inserted };
        answer.version = version;
        // Its labels may be a set that nobody had before.
        let sight = sight(&self.generation.store.state(), self.ask);
        tell::place_in_cluster(self.generation, number, &sight, &mut answer)?;
        if self.ask.refresh {
            self.index.count_hits(self.generation, &found, &sight, self.ask);
        }
        if self.ask.passages {
            tell::add_passages(desk, self.line, &mut answer, &numbers)?;
        }
        Ok((answer, ticket))
    }

    /// Whether the document is byte for byte what is stored.
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

    /// Documents that match and are seen, the most similar first.
    fn others(&self, found: &[Found], sight: &Sight, known: Option<DocumentNumber>) -> Vec<Other> {
        let state = self.generation.store.state();
        let population = &state.population;
        let found = find::in_order(found, population, sight);
        let copies = found.into_iter().flat_map(|found| population.copies(found.content));
        copies
            .filter(|&copy| Some(copy) != known && sight.sees(&population.documents[copy]))
            .map(|number| Other { number, labels: labels_of(&state, number).to_vec() })
            .collect()
    }

    /// Whether another may go in favour of the document: its readers see the document, and the caller may change it.
    fn may_go(&self, other: &Other) -> bool {
        covers(&other.labels, &self.asked.labels) && self.ask.view.may_change(&other.labels)
    }

    /// Whether the keep rules like the document better than a known one, and nobody prefers that.
    fn is_better_than(&self, id: &Id, other: DocumentNumber) -> bool {
        let state = self.generation.store.state();
        if state.population.documents[other].preferred {
            return false;
        }
        let theirs = state.population.scores(other);
        let by_score = Reverse(&self.asked.scores[..]).cmp(&Reverse(theirs));
        by_score.then_with(|| id.cmp(&Id::from_json(state.population.ids.get(other)))) == Ordering::Less
    }

    fn rejected(&self, mut answer: Answer, sight: &Sight, best: DocumentNumber) -> Result<Answer> {
        answer.action = Action::Rejected;
        answer.reason = Some(format!("policy `{}`: a known document is to be kept", self.policy.name()));
        tell::place_in_cluster(self.generation, best, sight, &mut answer)?;
        Ok(answer)
    }

    /// The document as the next version of another.
    fn continues(&self, desk: &mut Desk<'_>, document: DocumentNumber, replaces: bool) -> Result<Continues> {
        let mut before = lookalike_core::features::FeatureSet::default();
        desk.features_of(document, &mut before)?;
        let comparable = !before.is_empty() && !self.asked.features.is_empty();
        let similarity = comparable
            .then(|| self.generation.pipeline.decider.measure(&self.asked.features, &before).similarity);
        let version =
            Version { time: seconds(self.ask.now), changed: true, similarity, bytes: self.line.len() as u32 };
        Ok(Continues { document, replaces, version })
    }

    pub fn put(
        &self,
        id: &Id,
        place: crate::storage::texts::Place,
        continues: Option<Continues>,
    ) -> Result<Put> {
        let crowd = if self.is_in_crowd() { find::crowd(self.generation, &self.asked.keys)? } else { None };
        let state = self.generation.store.state();
        let threshold = self.generation.pipeline.decider.threshold();
        let interval = continues.as_ref().map_or(recrawl::FIRST, |continues| {
            let before = state.population.documents[continues.document].interval;
            let near = continues.version.similarity.is_some_and(|similarity| similarity >= threshold);
            recrawl::after_change(before, near)
        });
        let lives = self.ask.time_to_live.map_or(0, |time| seconds(time.as_secs()).max(1));
        let now = seconds(self.ask.now);
        Ok(Put {
            id: id.json().to_owned(),
            place,
            digest: self.asked.digest,
            scores: self.asked.scores.clone(),
            keys: self.asked.keys.iter().map(|&(_, key)| key).collect(),
            stored: self.asked.stored.clone(),
            labels: self.asked.labels.clone(),
            set: self.asked.set.clone(),
            added: now,
            expires: if lives == 0 { 0 } else { now.saturating_add(lives) },
            lives,
            hits: 0,
            interval,
            links: self
                .looked
                .found
                .iter()
                .filter(|found| found.kind != find::Kind::Exact)
                .map(|found| (found.content, found.similarity))
                .collect(),
            continues,
            origin: None,
            crowd,
        })
    }

    /// The same document again.
    fn touch(&self, known: DocumentNumber) -> Operation {
        let state = self.generation.store.state();
        let document = &state.population.documents[known];
        let now = seconds(self.ask.now);
        let lives = self.ask.time_to_live.map_or(document.lives, |time| seconds(time.as_secs()).max(1));
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

/// A document that is alike.
struct Other {
    number: DocumentNumber,
    labels: Vec<String>,
}

/// A version as answers have it.
pub fn told(version: &Version) -> answer::Version {
    answer::Version {
        time: u64::from(version.time),
        changed: version.changed,
        similarity: version.similarity,
        bytes: u64::from(version.bytes),
    }
}
