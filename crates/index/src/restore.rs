//! Removes documents by a plan, and restores them as they were.
//!
//! A plan names versions: a document that changes gets a new number, so a number stands for one version for ever. A
//! document that is no longer the version of the plan stays, and so does every document whose keeper is gone: a
//! cluster never loses all its members.

use crate::index::IndexReader;
use crate::index::IndexWriter;
use crate::storage::document::ContentNumber;
use crate::storage::lasting::LastingNumber;
use crate::storage::operation::{Marks, Operation, Prefer, Put, Touch, Version};
use crate::storage::population::Visibility;
use crate::storage::state::State;
use crate::storage::store::StoreWriter;
use lookalike_core::difference::Difference;
use lookalike_core::document::Id;
use lookalike_core::sign::Fingerprint;
use lookalike_core::{Error, Result};
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;

use super::answer;
use super::find;
use super::generation::{Generation, SigningContext};
use super::insert::Add;
use super::name::{readers_see, with_same_name};
use super::query::{Policy, QueryOptions, View};
use crate::query::seconds;
use crate::query::visibility_now;

/// A version to be removed, and the one that is kept instead, by their lasting numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PlannedRemoval {
    /// The version to be removed.
    pub number: u32,
    /// The version that is kept instead.
    pub keeper: u32,
}

/// A removed document with everything known about it, so that it can be restored. It is stored as JSON.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct RemovedDocument {
    /// The number that it had.
    pub number: u32,
    /// When it was inserted, in seconds since 1970.
    pub added: u32,
    /// When it was last inserted or hit, in seconds since 1970.
    pub seen: u32,
    /// When it expires, in seconds since 1970; 0: never.
    pub expires: u32,
    /// Its time to live after a hit, in seconds; 0: for ever.
    pub lives: u32,
    /// How often it was hit.
    pub hits: u32,
    /// How often it came again unchanged.
    pub unchanged: u32,
    /// Advised seconds between visits.
    pub interval: u32,
    /// Who preferred it as the master of its cluster, and when.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub preferred: Option<(String, u32)>,
    /// Its versions, if it has changed.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub versions: Vec<RemovedVersion>,
    /// The document as it was inserted.
    pub document: Box<RawValue>,
}

/// A version of a removed document: time, whether it changed, similarity and bytes; since they are recorded also the
/// fingerprint (its scheme and both halves), the distance and the difference.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub struct RemovedVersion(
    u32,
    bool,
    Option<f64>,
    u32,
    #[serde(default)] Option<(u32, u64, Option<u64>)>,
    #[serde(default)] Option<u8>,
    #[serde(default)] Option<Difference>,
);

impl RemovedVersion {
    fn of(version: &Version) -> RemovedVersion {
        let &Version { time, changed, similarity, bytes, marks } = version;
        let print = marks.fingerprint.map(|print| (print.scheme, print.low, print.high));
        RemovedVersion(time, changed, similarity, bytes, print, marks.distance, marks.difference)
    }

    fn version(&self) -> Version {
        let &RemovedVersion(time, changed, similarity, bytes, print, distance, difference) = self;
        let fingerprint = print.map(|(scheme, low, high)| Fingerprint { scheme, low, high });
        Version { time, changed, similarity, bytes, marks: Marks { fingerprint, distance, difference } }
    }
}

/// A document of a plan that was left as it was, and why.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Refusal {
    /// The id of the document.
    #[serde(serialize_with = "answer::id")]
    pub id: Id,
    /// Its access labels; left out if it has none.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub labels: Vec<String>,
    /// Why it was left as it was.
    pub reason: String,
}

impl IndexReader<'_> {
    /// A backup of everything that removing a document deletes; `None` if it is already gone.
    pub fn removal_backup(&self, number: u32) -> Result<Option<RemovedDocument>> {
        let generation = self.index.generation();
        let document = {
            let state = generation.store.state();
            let visibility = visibility_now(&state, &View::All);
            state.visible_document(&visibility, number)
        };
        let Some(document) = document else { return Ok(None) };
        let mut line = Vec::new();
        match generation.read_line(document, &mut line) {
            Err(Error::Gone) => return Ok(None),
            read => read?,
        }
        let broken = || Error::Internal("a stored document is no JSON".to_owned());
        let json = String::from_utf8(line).map_err(|_| broken())?.replace('\n', " ");
        let state = generation.store.state();
        let entry = state.population.documents[document];
        let hits = self.index.hits_of(state.lasting.of(document), entry.hits);
        let versions = state.history.get(document);
        let versions = versions.map(|versions| versions.iter().map(RemovedVersion::of).collect());
        let prefer = state.preferences.get(&document);
        Ok(Some(RemovedDocument {
            number,
            added: entry.added,
            seen: entry.seen,
            expires: entry.expires,
            lives: entry.lives,
            hits: u32::try_from(hits).unwrap_or(u32::MAX),
            unchanged: entry.unchanged,
            interval: entry.interval,
            preferred: prefer.map(|prefer| (prefer.by.clone(), prefer.time)),
            versions: versions.unwrap_or_default(),
            document: RawValue::from_string(json).map_err(|_| broken())?,
        }))
    }
}

impl IndexWriter<'_> {
    /// Removes exactly the planned versions, durable when this returns. `numbering` is the
    /// [numbering](crate::Index::numbering) of the plan. Returns the documents that stay, because they or their
    /// keepers have changed: their places in the list, with the reason.
    pub fn remove_planned(
        &self,
        numbering: u64,
        list: &[PlannedRemoval],
    ) -> Result<Vec<(usize, &'static str)>> {
        self.index.write(|generation, mut writer| {
            let (mut operations, mut stayed) = (Vec::new(), Vec::new());
            {
                let state = generation.store.state();
                for (place, planned) in list.iter().enumerate() {
                    match refusal_reason(generation, &state, numbering, planned) {
                        Some(reason) => stayed.push((place, reason)),
                        None => {
                            let number = LastingNumber::from_raw(planned.number);
                            let document = number.and_then(|number| state.lasting.number(number));
                            operations.extend(document.map(|document| Operation::Remove { document }));
                        }
                    }
                }
            }
            let ticket = writer.commit(None, &operations)?;
            self.index.defer_error(writer.maintain());
            drop(writer);
            generation.store.sync(ticket)?;
            Ok(stayed)
        })
    }

    /// Restores documents as they were, durable when this returns, and returns those that could not be restored.
    /// Documents that are already back are skipped.
    pub fn restore(&self, removed: &[RemovedDocument], options: &QueryOptions) -> Result<Vec<Refusal>> {
        let mut refusals = Vec::new();
        for one in removed {
            if let Some(refusal) = self.restore_one(one, options)? {
                refusals.push(refusal);
            }
        }
        let generation = self.index.generation();
        generation.store.sync_all()?;
        Ok(refusals)
    }

    fn restore_one(&self, removed: &RemovedDocument, options: &QueryOptions) -> Result<Option<Refusal>> {
        self.index.write(|generation, writer| self.restore_one_in(generation, writer, removed, options))
    }

    fn restore_one_in(
        &self,
        generation: &Generation,
        mut writer: StoreWriter<'_>,
        removed: &RemovedDocument,
        options: &QueryOptions,
    ) -> Result<Option<Refusal>> {
        let line = removed.document.get().as_bytes();
        let mut context = SigningContext::new(generation);
        // By its old number, so that the keep rules rank it as before.
        let query = context.sign(line, removed.number)?;
        let Some(id) = query.id.clone() else { return Err(Error::input("a document has no `id`")) };
        let refuse = |reason: &str| {
            Ok(Some(Refusal { id: id.clone(), labels: query.labels.clone(), reason: reason.to_owned() }))
        };
        let known = {
            let state = generation.store.state();
            let visibility = visibility_now(&state, &View::All);
            with_same_name(&state, &id, &query.labels, &visibility).max()
        };
        if let Some(known) = known {
            let mut stored = Vec::new();
            generation.read_line(known, &mut stored)?;
            let is_back =
                stored.iter().map(|&byte| if byte == b'\n' { b' ' } else { byte }).eq(line.iter().copied());
            return if is_back { Ok(None) } else { refuse("another version came meanwhile, which stays") };
        }
        let now = seconds(options.now);
        if removed.expires != 0 && removed.expires <= now {
            return refuse("its time to live has ended");
        }
        let all = Visibility { sets: None, now: 0 };
        let matches = find::find(&mut context, generation, &query, &all, ContentNumber::FIRST)?;
        let add =
            Add { index: self.index, generation, line, query, matches, policy: Policy::Report, options };
        let appended = writer.append_lines(&[line])?;
        let put = Put {
            added: removed.added,
            expires: removed.expires,
            lives: removed.lives,
            hits: removed.hits,
            interval: removed.interval,
            ..add.put(&id, appended.places[0], None)?
        };
        let document = generation.store.state().population.documents.next_number();
        let &RemovedDocument { seen, expires, hits, unchanged, interval, .. } = removed;
        let touch = Touch { document, seen, expires, hits, unchanged, interval };
        let mut operations = vec![Operation::Put(put), Operation::Touch(touch)];
        if !removed.versions.is_empty() {
            let versions = removed.versions.iter().map(RemovedVersion::version).collect();
            operations.push(Operation::Remember { document, versions });
        }
        if let Some((by, time)) = removed.preferred.clone() {
            operations.push(Operation::Prefer(Prefer { document, preferred: true, by, time }));
        }
        let _ = writer.commit(Some(appended.end), &operations)?;
        self.index.defer_error(writer.maintain());
        Ok(None)
    }
}

/// Why a planned removal must not happen; `None` if it may.
fn refusal_reason(
    generation: &Generation,
    state: &State,
    numbering: u64,
    planned: &PlannedRemoval,
) -> Option<&'static str> {
    const CHANGED: &str = "it was changed or removed since the plan was made";
    if state.lasting.since(generation.number) != numbering {
        return Some(CHANGED);
    }
    let visibility = visibility_now(state, &View::All);
    let living = |number: u32| {
        let document = state.visible_document(&visibility, number)?;
        Some((document, &state.population.documents[document]))
    };
    let Some((document, entry)) = living(planned.number) else { return Some(CHANGED) };
    let Some((keeper, kept)) = living(planned.keeper).filter(|&(keeper, _)| keeper != document) else {
        return Some("the document that is kept instead was changed or removed since the plan was made");
    };
    if !readers_see(state, entry, kept) {
        return Some("not all who see it see the document that is kept instead");
    }
    let digests = (state.population.digest_of(document), state.population.digest_of(keeper));
    let (Some(own), Some(keepers)) = digests else { return Some(CHANGED) };
    let denied = state
        .decisions
        .of(own, keepers, &visibility)
        .is_some_and(|decision| decision.decide.duplicate == Some(false));
    denied.then_some("a person decided since that it is no duplicate of the document that is kept")
}
