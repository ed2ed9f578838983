//! The state of a store: everything but the texts and the keys on disk.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use lookalike_core::cluster::Clusterer;

use crate::storage::clusters::Clusters;
use crate::storage::column::{Appended, Column};
use crate::storage::crowds::{Crowds, KnownCrowds};
use crate::storage::decisions::{Decisions, StoredDecision};
use crate::storage::document::{ContentNumber, Document, DocumentNumber};
use crate::storage::history::History;
use crate::storage::keys::Keys;
use crate::storage::lasting::{LastingNumber, LastingNumbers};
use crate::storage::names::{LabelSets, Names};
use crate::storage::operation::{Decide, Marks, Operation, Prefer, Put, Touch, Version};
use crate::storage::population::{Population, Visibility};
use crate::storage::prefetch::prefetch;
use crate::storage::texts::Place;

/// How many bytes are stored for each document, as the recipe requires.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct Layout {
    /// How many keep rules there are.
    pub rules: usize,
    /// Bytes of stored signatures.
    pub stored: usize,
}

pub struct State {
    pub layout: Layout,
    pub population: Population,
    /// Signatures of the contents, end to end.
    pub stored: Appended<u8>,
    pub clusters: Clusters,
    pub keys: Keys,
    /// Contents below this number have their keys in runs.
    pub keyed: ContentNumber,
    pub labels: LabelSets,
    pub sets: Names,
    /// Versions of documents that have changed.
    pub history: History,
    pub decisions: Decisions,
    /// Contents that were ever in a crowd: too many with one key to compare each with all.
    pub crowds: Crowds,
    pub known_crowds: KnownCrowds,
    /// Documents that people prefer as masters.
    pub preferences: BTreeMap<DocumentNumber, Prefer>,
    /// When documents expire.
    pub expiry: BTreeSet<(u32, DocumentNumber)>,
    /// Bytes of living and of dead documents' lines.
    pub living_bytes: u64,
    pub dead_bytes: u64,
    /// The greatest number of the previous generation that has been signed again.
    pub origin: Option<DocumentNumber>,
    /// The number of each document in the previous generation; documents past the end were in none.
    pub origins: Column<Document, Option<DocumentNumber>>,
    /// The numbers by which documents are known outside.
    pub lasting: Arc<LastingNumbers>,
    /// Counts the changes since the store was opened.
    pub changes: u64,
}

impl State {
    pub fn new(layout: Layout) -> State {
        State {
            layout,
            population: Population::new(layout.rules),
            stored: Appended::default(),
            clusters: Clusters::default(),
            keys: Keys::default(),
            keyed: ContentNumber::FIRST,
            labels: LabelSets::default(),
            sets: Names::default(),
            history: History::default(),
            decisions: Decisions::default(),
            crowds: Crowds::default(),
            known_crowds: KnownCrowds::default(),
            preferences: BTreeMap::new(),
            expiry: BTreeSet::new(),
            living_bytes: 0,
            dead_bytes: 0,
            origin: None,
            origins: Column::default(),
            lasting: Arc::default(),
            changes: 0,
        }
    }

    pub fn stored(&self, content: ContentNumber) -> &[u8] {
        let start = content.index() * self.layout.stored;
        self.stored.range(start..start + self.layout.stored)
    }

    /// Asks for what is stored of a content, without waiting for it.
    pub fn prefetch_stored(&self, content: ContentNumber) {
        /// The processor itself goes on from a few cache lines in a row.
        const MOST: usize = 256;
        let stored = self.stored(content);
        let length = stored.len().min(MOST);
        (0..length).step_by(64).for_each(|at| prefetch(stored, at));
        prefetch(stored, length.saturating_sub(1));
    }

    /// Bytes in memory that the next snapshot takes the place of, about. Sets of bits are not counted: with the first
    /// change after it they are as large as before.
    pub fn own_bytes(&self) -> usize {
        let clusters = self.clusters.links.own_bytes() + self.clusters.masters.own_bytes();
        let columns = self.population.own_bytes() + self.stored.own_bytes() + self.origins.own_bytes();
        columns + clusters + self.history.own_bytes()
    }

    /// Takes the place of a state in which the same happened. Keys, and what is known of crowds, are those of the other.
    pub fn replace(mut self, other: &mut State) -> State {
        std::mem::swap(&mut self.keys, &mut other.keys);
        std::mem::swap(&mut self.known_crowds, &mut other.known_crowds);
        (self.keyed, self.changes) = (other.keyed, other.changes);
        std::mem::replace(other, self)
    }

    /// What would be in force about a pair, for callers who see everything, if this were recorded.
    pub fn in_force_after(&self, decide: &Decide) -> Option<bool> {
        // A set of labels that nobody had yet is no other's either.
        let set = |labels: &[String]| self.labels.find(labels).unwrap_or(u32::MAX);
        let labels = decide.labels.as_ref().map(|(a, b)| (set(a), set(b)));
        self.decisions.after(StoredDecision { decide: decide.clone(), labels })
    }

    /// Records a decision or its withdrawal.
    pub(crate) fn note_decision(&mut self, decide: &Decide) {
        let labels = match &decide.labels {
            Some((a, b)) => Some((self.labels.number(a), self.labels.number(b))),
            None => {
                let (a, b) = (&decide.ids.0, &decide.ids.1);
                self.labels_of(a, decide.digests.0).zip(self.labels_of(b, decide.digests.1))
            }
        };
        let named = |(a, b): (u32, u32)| (self.labels.get(a).to_vec(), self.labels.get(b).to_vec());
        let decide = Decide { labels: labels.map(named), ..decide.clone() };
        self.decisions.note(StoredDecision { decide, labels });
    }

    /// The label set of the newest document with this id and content: the one that a decision without recorded
    /// labels is taken to be about.
    fn labels_of(&self, id: &str, digest: u128) -> Option<u32> {
        let content = self.population.content_of(digest)?;
        let documents =
            self.population.ids.find(id).map(|number| (number, &self.population.documents[number]));
        let newest = documents
            .filter(|(_, document)| document.content == Some(content))
            .max_by_key(|&(number, _)| number);
        newest.map(|(_, document)| document.labels)
    }

    /// Records a preference or its withdrawal; returns whether the document is alive.
    pub(crate) fn note_preference(&mut self, prefer: &Prefer) -> bool {
        if !self.population.documents.get(prefer.document).is_some_and(Document::is_alive) {
            return false;
        }
        self.population.prefer(prefer.document, prefer.preferred);
        if prefer.preferred {
            self.preferences.insert(prefer.document, prefer.clone());
        } else {
            self.preferences.remove(&prefer.document);
        }
        true
    }

    /// Whether some document has expired but is not removed yet.
    pub fn has_expired(&self, now: u32) -> bool {
        self.expiry.first().is_some_and(|&(time, _)| time <= now)
    }

    /// Whether every document is visible.
    pub fn is_all_visible(&self, visibility: &Visibility) -> bool {
        visibility.sets.is_none() && !self.has_expired(visibility.now)
    }

    /// The document with this lasting number, if it is visible.
    pub fn visible_document(&self, visibility: &Visibility, number: u32) -> Option<DocumentNumber> {
        let document = self.lasting.number(LastingNumber::from_raw(number)?)?;
        self.population.documents.get(document).filter(|known| visibility.includes(known)).map(|_| document)
    }

    /// Records the new places of lines.
    pub(crate) fn move_texts(&mut self, moved: &[(DocumentNumber, Place)]) {
        for &(number, place) in moved {
            if let Some(document) = self.population.documents.get_mut(number) {
                document.place = place;
            }
        }
    }

    /// Records that the lines of dead documents in a segment are gone.
    pub(crate) fn forget_texts(&mut self, segment: u32) {
        let documents = &mut self.population.documents;
        for number in documents.numbers() {
            let Document { place, .. } = documents[number];
            if documents[number].is_alive() || place.segment != segment || place.length == 0 {
                continue;
            }
            self.dead_bytes = self.dead_bytes.saturating_sub(u64::from(place.length));
            if let Some(document) = documents.get_mut(number) {
                document.place.length = 0;
            }
        }
    }

    pub fn apply(&mut self, how: &dyn Clusterer, operation: &Operation) {
        self.changes += 1;
        match operation {
            Operation::Put(put) => self.put(how, put),
            Operation::Remove { document } => self.remove(how, *document),
            Operation::Touch(touch) => self.touch(touch),
            Operation::Decide(decide) => self.decide(how, decide),
            Operation::Prefer(prefer) => {
                if self.note_preference(prefer)
                    && let Some(content) = self.population.documents[prefer.document].content
                {
                    self.forget_crowds_of(content);
                    self.settle_around(how, content);
                }
            }
            Operation::Number { since, next } => self.lasting = Arc::new(LastingNumbers::new(*since, *next)),
            Operation::Keep(numbers) => Arc::make_mut(&mut self.lasting).keep(numbers.iter().copied()),
            Operation::Remember { document, versions } => {
                self.history.insert(*document, versions.clone());
            }
        }
    }

    fn put(&mut self, how: &dyn Clusterer, put: &Put) {
        if let Some(continues) = &put.continues {
            let (number, before) = (self.population.documents.next_number(), continues.document);
            let first = self.first_version(before);
            let (fingerprint, version) = (continues.before, continues.version.clone());
            self.history.go_on((number, before), continues.replaces, first, fingerprint, version);
        }
        let document = Document {
            labels: self.labels.number(&put.labels),
            set: self.sets.number(&put.set),
            expires: put.expires,
            lives: put.lives,
            hits: put.hits,
            interval: put.interval,
            ..Document::new(put.place, put.added)
        };
        let known = put.digest.and_then(|digest| self.population.content_of(digest));
        let best_before = known.map(|content| self.population.best(content));
        let number = self.population.add(document, &put.id, &put.scores, put.digest);
        if put.origin.is_some() {
            self.origins.set(number, put.origin);
        }
        self.origin = self.origin.max(put.origin);
        self.living_bytes += u64::from(put.place.length);
        if put.expires != 0 {
            self.expiry.insert((put.expires, number));
        }
        let content = self.population.documents[number].content;
        match (known, content) {
            (Some(content), _) if best_before == Some(self.population.best(content)) => {}
            (Some(content), _) => {
                self.forget_crowds_of(content);
                self.settle_around(how, content);
            }
            (None, Some(content)) => {
                self.stored.extend_from_slice(&put.stored);
                if content >= self.keyed {
                    put.keys.iter().for_each(|&key| self.keys.head.insert(key, content));
                }
                if let Some(crowd) = &put.crowd {
                    crowd.iter().chain([&content]).for_each(|&content| self.crowds.add(content));
                    self.known_crowds.join(&put.keys, content, &self.population);
                }
                for &(other, similarity) in &put.links {
                    if self.population.is_alive(other) {
                        self.clusters.link(content, other, similarity);
                    }
                }
                if !self.clusters.links(content).is_empty() {
                    self.clusters.settle_new(&self.population, how, content);
                }
            }
            (None, None) => {}
        }
        // Last, so that a content that both versions have stays alive.
        if let Some(continues) = put.continues.as_ref().filter(|continues| continues.replaces) {
            self.remove(how, continues.document);
        }
    }

    /// All versions of a document, including the first.
    pub fn versions(&self, number: DocumentNumber) -> Vec<Version> {
        self.history.get(number).unwrap_or_else(|| self.first_version(number).into_iter().collect())
    }

    fn first_version(&self, number: DocumentNumber) -> Option<Version> {
        self.population.documents.get(number).map(|document| Version {
            time: document.added,
            changed: true,
            similarity: None,
            bytes: document.place.length,
            marks: Marks::default(),
        })
    }

    fn remove(&mut self, how: &dyn Clusterer, number: DocumentNumber) {
        let Some(&document) = self.population.documents.get(number) else { return };
        if !document.is_alive() {
            return;
        }
        self.living_bytes -= u64::from(document.place.length);
        self.dead_bytes += u64::from(document.place.length);
        self.history.remove(number);
        self.preferences.remove(&number);
        self.expiry.remove(&(document.expires, number));
        let was_best = |&content: &ContentNumber| self.population.best(content) == Some(number);
        let content = document.content.filter(was_best);
        self.population.remove(number);
        let Some(content) = content else { return };
        self.forget_crowds_of(content);
        if self.population.is_alive(content) {
            self.settle_around(how, content);
        } else {
            let linked = self.clusters.remove(content);
            self.clusters.settle(&self.population, how, linked);
        }
    }

    fn touch(&mut self, touch: &Touch) {
        let Some(document) = self.population.documents.get_mut(touch.document) else { return };
        if !document.is_alive() {
            return;
        }
        self.expiry.remove(&(document.expires, touch.document));
        document.seen = touch.seen;
        document.expires = touch.expires;
        document.hits = touch.hits;
        document.unchanged = touch.unchanged;
        document.interval = touch.interval;
        if touch.expires != 0 {
            self.expiry.insert((touch.expires, touch.document));
        }
    }

    fn decide(&mut self, how: &dyn Clusterer, decide: &Decide) {
        self.note_decision(decide);
        let (a, b) = decide.digests;
        let (Some(a), Some(b)) = (self.population.content_of(a), self.population.content_of(b)) else {
            return;
        };
        match decide.link {
            Some(similarity) => self.clusters.link(a, b, similarity),
            None => self.clusters.unlink(a, b),
        }
        self.clusters.settle(&self.population, how, [a, b]);
    }

    /// A content has changed its rank, or has gone.
    fn forget_crowds_of(&mut self, content: ContentNumber) {
        if self.crowds.has(content) {
            self.known_crowds.forget();
        }
    }

    /// Settles a content whose links or rank changed, and the contents linked to it.
    fn settle_around(&mut self, how: &dyn Clusterer, content: ContentNumber) {
        let linked = self.clusters.links(content).iter().map(|link| link.other());
        let changed: Vec<ContentNumber> = linked.chain([content]).collect();
        if changed.len() > 1 {
            self.clusters.settle(&self.population, how, changed);
        }
    }
}
