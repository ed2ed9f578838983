//! Documents, and the contents that exact copies of each other share.
//!
//! A content is a set of features: documents whose features are all the same have one. Keys, links and
//! clusters belong to contents, so a hundred thousand copies of one message cost one signature.

use std::cmp::{Ordering, Reverse};
use std::collections::BTreeSet;

use hashbrown::HashTable;
use lookalike_core::document::Id;

use crate::storage::ids::Ids;
use crate::storage::texts::Place;

/// No document, no content.
pub const NONE: u32 = u32::MAX;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Document {
    pub place: Place,
    /// [`NONE`] for a document without features.
    pub content: u32,
    /// Numbers of its access labels and of its set of prototypes.
    pub labels: u32,
    pub set: u32,
    /// Seconds since 1970.
    pub added: u32,
    pub seen: u32,
    /// 0: never.
    pub expires: u32,
    /// How long it lives from a hit on, in seconds; 0: for ever.
    pub lives: u32,
    pub hits: u32,
    /// How often it came again unchanged, and the advised seconds between visits.
    pub unchanged: u32,
    pub interval: u32,
    pub alive: bool,
    /// Whether a person wants it to stand for its cluster.
    pub preferred: bool,
    /// Neighbours in the list of its content's copies.
    pub(crate) next_copy: u32,
    pub(crate) previous_copy: u32,
}

#[derive(Clone, Copy, Debug)]
pub struct Content {
    pub digest: u128,
    /// The living copy that the keep rules like best; [`NONE`] when all are gone.
    pub best: u32,
    first_copy: u32,
    /// How many live.
    pub copies: u32,
}

#[derive(Default)]
pub struct Population {
    pub documents: Vec<Document>,
    pub ids: Ids,
    /// For each document the scores of the keep rules.
    scores: Vec<u64>,
    rules: usize,
    pub contents: Vec<Content>,
    by_digest: HashTable<u32>,
    pub living: u32,
    pub living_contents: u32,
    /// Living documents that have a content.
    pub comparable: u32,
    /// Contents with two living copies or more.
    pub copied: BTreeSet<u32>,
}

/// Whose eyes look, and when.
#[derive(Clone, Debug)]
pub struct Sight {
    /// For each label set whether it is seen; absent: all are.
    pub sets: Option<Vec<bool>>,
    /// Seconds since 1970: what has expired is not seen.
    pub now: u32,
}

impl Sight {
    pub fn sees(&self, document: &Document) -> bool {
        let in_time = document.expires == 0 || document.expires > self.now;
        let allowed = self.sets.as_ref().is_none_or(|sets| sets.get(document.labels as usize) == Some(&true));
        document.alive && in_time && allowed
    }
}

impl Population {
    pub fn new(rules: usize) -> Self {
        Population { rules, ..Population::default() }
    }

    pub fn scores(&self, document: u32) -> &[u64] {
        let start = document as usize * self.rules;
        &self.scores[start..start + self.rules]
    }

    pub fn content_of(&self, digest: u128) -> Option<u32> {
        let same = |&content: &u32| self.contents[content as usize].digest == digest;
        self.by_digest.find(digest as u64, same).copied()
    }

    /// Adds a document; its content is new if `digest` was not known. Without a digest it has none.
    pub fn add(&mut self, mut document: Document, id: &str, scores: &[u64], digest: Option<u128>) -> u32 {
        let number = self.documents.len() as u32;
        if document.alive {
            self.ids.push(id)
        } else {
            self.ids.push_dead(id)
        }
        self.scores.extend_from_slice(scores);
        document.content = digest.map_or(NONE, |digest| match self.content_of(digest) {
            Some(content) => content,
            None => self.add_content(digest),
        });
        self.documents.push(document);
        if document.alive {
            self.living += 1;
            self.link(number);
        }
        number
    }

    fn add_content(&mut self, digest: u128) -> u32 {
        self.contents.push(Content { digest, best: NONE, first_copy: NONE, copies: 0 });
        self.contents.len() as u32 - 1
    }

    /// Makes room for so many more, which are there already.
    pub fn reserve(&mut self, contents: usize, documents: usize) {
        self.contents.reserve_exact(contents);
        let digests = &self.contents;
        self.by_digest.reserve(contents, |&content| digests[content as usize].digest as u64);
        self.documents.reserve_exact(documents);
        self.scores.reserve_exact(documents * self.rules);
        self.ids.reserve(documents);
    }

    /// A content as a snapshot has it, in the order of numbers.
    pub fn restore_content(&mut self, digest: u128) {
        self.add_content(digest);
    }

    /// A document as a snapshot has it, in the order of numbers; `None` if its content is unknown.
    pub fn restore(&mut self, document: Document, id: &str, scores: impl Iterator<Item = u64>) -> Option<()> {
        if document.content != NONE {
            self.contents.get(document.content as usize)?;
        }
        if document.alive {
            self.ids.push(id)
        } else {
            self.ids.push_dead(id)
        }
        self.scores.extend(scores);
        self.documents.push(document);
        if document.alive {
            self.living += 1;
            self.link(self.documents.len() as u32 - 1);
        }
        Some(())
    }

    /// Puts a document that is alive among the copies of its content.
    fn link(&mut self, number: u32) {
        let content = self.documents[number as usize].content;
        let Some(entry) = self.contents.get_mut(content as usize) else { return };
        let first = std::mem::replace(&mut entry.first_copy, number);
        let best = entry.best;
        entry.copies += 1;
        self.comparable += 1;
        if entry.copies == 2 {
            self.copied.insert(content);
        }
        if let Some(first) = self.documents.get_mut(first as usize) {
            first.previous_copy = number;
        }
        self.documents[number as usize].next_copy = first;
        if best == NONE {
            self.living_contents += 1;
            let Population { contents, by_digest, .. } = self;
            let digest = |&content: &u32| contents[content as usize].digest as u64;
            by_digest.insert_unique(digest(&content), content, digest);
        }
        if best == NONE || self.order(number, best) == Ordering::Less {
            self.contents[content as usize].best = number;
        }
    }

    /// Takes a document away. Its content dies with its last copy.
    pub fn remove(&mut self, number: u32) {
        let document = self.documents[number as usize];
        if !document.alive {
            return;
        }
        self.documents[number as usize].alive = false;
        self.ids.forget(number);
        self.living -= 1;
        let Some(content) = self.contents.get_mut(document.content as usize) else { return };
        if content.first_copy == number {
            content.first_copy = document.next_copy;
        }
        let was_best = content.best == number;
        content.copies -= 1;
        self.comparable -= 1;
        if content.copies == 1 {
            self.copied.remove(&document.content);
        }
        if let Some(previous) = self.documents.get_mut(document.previous_copy as usize) {
            previous.next_copy = document.next_copy;
        }
        if let Some(next) = self.documents.get_mut(document.next_copy as usize) {
            next.previous_copy = document.previous_copy;
        }
        if was_best {
            let best = self.copies(document.content).min_by(|&a, &b| self.order(a, b)).unwrap_or(NONE);
            self.contents[document.content as usize].best = best;
            if best == NONE {
                self.living_contents -= 1;
                let digest = self.contents[document.content as usize].digest;
                if let Ok(entry) =
                    self.by_digest.find_entry(digest as u64, |&other| other == document.content)
                {
                    entry.remove();
                }
            }
        }
    }

    /// The living documents of a content, in no order.
    pub fn copies(&self, content: u32) -> impl Iterator<Item = u32> + '_ {
        let mut at = self.contents.get(content as usize).map_or(NONE, |content| content.first_copy);
        std::iter::from_fn(move || {
            let document = self.documents.get(at as usize)?;
            Some(std::mem::replace(&mut at, document.next_copy))
        })
    }

    pub fn is_alive(&self, content: u32) -> bool {
        self.contents.get(content as usize).is_some_and(|content| content.best != NONE)
    }

    /// The best copy of a content that is seen.
    pub fn best_seen(&self, content: u32, sight: &Sight) -> Option<u32> {
        let best = self.contents.get(content as usize)?.best;
        if self.documents.get(best as usize).is_some_and(|document| sight.sees(document)) {
            return Some(best);
        }
        let seen = self.copies(content).filter(|&copy| sight.sees(&self.documents[copy as usize]));
        seen.min_by(|&a, &b| self.order(a, b))
    }

    /// Notes whether a person prefers a document, which may make it the best of its copies.
    pub(crate) fn prefer(&mut self, number: u32, preferred: bool) {
        self.documents[number as usize].preferred = preferred;
        let content = self.documents[number as usize].content;
        if let Some(best) = self.copies(content).min_by(|&a, &b| self.order(a, b)) {
            self.contents[content as usize].best = best;
        }
    }

    /// What is liked better comes first: by a person, by the scores of the keep rules, by id, then by number.
    pub fn order(&self, a: u32, b: u32) -> Ordering {
        let preferred = |number: u32| Reverse(self.documents[number as usize].preferred);
        let by_person = preferred(a).cmp(&preferred(b));
        let by_score = || Reverse(self.scores(a)).cmp(&Reverse(self.scores(b)));
        by_person
            .then_with(by_score)
            .then_with(|| Id::compare(self.ids.get(a), self.ids.get(b)))
            .then(a.cmp(&b))
    }
}

impl Document {
    pub fn new(place: Place, added: u32) -> Self {
        Document {
            place,
            content: NONE,
            labels: 0,
            set: 0,
            added,
            seen: added,
            expires: 0,
            lives: 0,
            hits: 0,
            unchanged: 0,
            interval: 0,
            alive: true,
            preferred: false,
            next_copy: NONE,
            previous_copy: NONE,
        }
    }
}
