//! All documents of a generation and their contents: which are alive, under which ids, and which copy is the best.

use std::cmp::{Ordering, Reverse};
use std::collections::BTreeSet;

use hashbrown::HashTable;
use lookalike_core::document::Id;

use crate::storage::document::{Content, ContentNumber, Document, DocumentNumber};
use crate::storage::ids::Ids;
use lookalike_core::numbers::Numbered;

#[derive(Default)]
pub struct Population {
    pub documents: Numbered<Document, Document>,
    pub ids: Ids,
    /// The scores of the keep rules, for one document after the other.
    scores: Vec<u64>,
    rules: usize,
    pub contents: Numbered<Content, Content>,
    by_digest: HashTable<ContentNumber>,
    pub living: u32,
    pub living_contents: u32,
    /// How many living documents have a content.
    pub comparable: u32,
    /// Contents with two or more living copies.
    pub copied: BTreeSet<ContentNumber>,
}

/// Which documents are visible, and when.
#[derive(Clone, Debug)]
pub struct Visibility {
    /// For each label set whether it is visible; `None`: all are.
    pub sets: Option<Vec<bool>>,
    /// The current time in seconds since 1970: expired documents are not visible.
    pub now: u32,
}

impl Visibility {
    pub fn includes(&self, document: &Document) -> bool {
        let in_time = document.expires == 0 || document.expires > self.now;
        let allowed = self.sets.as_ref().is_none_or(|sets| sets.get(document.labels as usize) == Some(&true));
        document.alive && in_time && allowed
    }
}

impl Population {
    pub fn new(rules: usize) -> Self {
        Population { rules, ..Population::default() }
    }

    pub fn scores(&self, document: DocumentNumber) -> &[u64] {
        let start = document.index() * self.rules;
        &self.scores[start..start + self.rules]
    }

    pub fn content_of(&self, digest: u128) -> Option<ContentNumber> {
        let same = |&content: &ContentNumber| self.contents[content].digest == digest;
        self.by_digest.find(digest as u64, same).copied()
    }

    /// Adds a document. Its content is new if the digest is not known; without a digest it has none.
    pub fn add(
        &mut self,
        mut document: Document,
        id: &str,
        scores: &[u64],
        digest: Option<u128>,
    ) -> DocumentNumber {
        if document.alive {
            self.ids.push(id);
        } else {
            self.ids.push_dead(id);
        }
        self.scores.extend_from_slice(scores);
        document.content = digest.map(|digest| match self.content_of(digest) {
            Some(content) => content,
            None => self.add_content(digest),
        });
        let number = self.documents.push(document);
        if document.alive {
            self.living += 1;
            self.link(number);
        }
        number
    }

    fn add_content(&mut self, digest: u128) -> ContentNumber {
        self.contents.push(Content { digest, best: None, first_copy: None, copies: 0 })
    }

    /// Reserves memory for this many more contents and documents.
    pub fn reserve(&mut self, contents: usize, documents: usize) {
        self.contents.reserve_exact(contents);
        let digests = &self.contents;
        self.by_digest.reserve(contents, |&content| digests[content].digest as u64);
        self.documents.reserve_exact(documents);
        self.scores.reserve_exact(documents * self.rules);
        self.ids.reserve(documents);
    }

    /// Adds a content from a snapshot, in the order of numbers.
    pub fn restore_content(&mut self, digest: u128) {
        self.add_content(digest);
    }

    /// Adds a document from a snapshot, in the order of numbers; `None` if its content is unknown.
    pub fn restore(&mut self, document: Document, id: &str, scores: impl Iterator<Item = u64>) -> Option<()> {
        if let Some(content) = document.content {
            self.contents.get(content)?;
        }
        if document.alive {
            self.ids.push(id);
        } else {
            self.ids.push_dead(id);
        }
        self.scores.extend(scores);
        let number = self.documents.push(document);
        if document.alive {
            self.living += 1;
            self.link(number);
        }
        Some(())
    }

    /// Adds a living document to the copies of its content.
    fn link(&mut self, number: DocumentNumber) {
        let Some(content) = self.documents[number].content else { return };
        let entry = &mut self.contents[content];
        let first = entry.first_copy.replace(number);
        let best = entry.best;
        entry.copies += 1;
        self.comparable += 1;
        if entry.copies == 2 {
            self.copied.insert(content);
        }
        if let Some(first) = first {
            self.documents[first].previous_copy = Some(number);
        }
        self.documents[number].next_copy = first;
        if best.is_none() {
            self.living_contents += 1;
            let Population { contents, by_digest, .. } = self;
            let digest = |&content: &ContentNumber| contents[content].digest as u64;
            by_digest.insert_unique(digest(&content), content, digest);
        }
        if best.is_none_or(|best| self.order(number, best) == Ordering::Less) {
            self.contents[content].best = Some(number);
        }
    }

    /// Removes a document. Its content dies with its last copy.
    pub fn remove(&mut self, number: DocumentNumber) {
        let document = self.documents[number];
        if !document.alive {
            return;
        }
        self.documents[number].alive = false;
        self.ids.forget(number);
        self.living -= 1;
        let Some(content) = document.content else { return };
        let entry = &mut self.contents[content];
        if entry.first_copy == Some(number) {
            entry.first_copy = document.next_copy;
        }
        let was_best = entry.best == Some(number);
        entry.copies -= 1;
        self.comparable -= 1;
        if entry.copies == 1 {
            self.copied.remove(&content);
        }
        if let Some(previous) = document.previous_copy {
            self.documents[previous].next_copy = document.next_copy;
        }
        if let Some(next) = document.next_copy {
            self.documents[next].previous_copy = document.previous_copy;
        }
        if was_best {
            let best = self.copies(content).min_by(|&a, &b| self.order(a, b));
            self.contents[content].best = best;
            if best.is_none() {
                self.living_contents -= 1;
                let digest = self.contents[content].digest;
                if let Ok(entry) = self.by_digest.find_entry(digest as u64, |&other| other == content) {
                    entry.remove();
                }
            }
        }
    }

    /// The living documents of a content, in no order.
    pub fn copies(&self, content: ContentNumber) -> impl Iterator<Item = DocumentNumber> + '_ {
        let first = self.contents.get(content).and_then(|content| content.first_copy);
        std::iter::successors(first, |&copy| self.documents[copy].next_copy)
    }

    /// The best copy of a content; `None` if all are gone.
    pub fn best(&self, content: ContentNumber) -> Option<DocumentNumber> {
        self.contents.get(content)?.best
    }

    pub fn is_alive(&self, content: ContentNumber) -> bool {
        self.best(content).is_some()
    }

    /// The digest of the content of a document; `None` if it has none.
    pub fn digest_of(&self, number: DocumentNumber) -> Option<u128> {
        Some(self.contents[self.documents[number].content?].digest)
    }

    /// The best visible copy of a content; `None` if none is visible.
    pub fn best_visible(&self, content: ContentNumber, visibility: &Visibility) -> Option<DocumentNumber> {
        let best = self.best(content)?;
        if visibility.includes(&self.documents[best]) {
            return Some(best);
        }
        let seen = self.copies(content).filter(|&copy| visibility.includes(&self.documents[copy]));
        seen.min_by(|&a, &b| self.order(a, b))
    }

    /// Records whether a person prefers a document, which may make it the best of its copies.
    pub(crate) fn prefer(&mut self, number: DocumentNumber, preferred: bool) {
        self.documents[number].preferred = preferred;
        if let Some(content) = self.documents[number].content {
            let best = self.copies(content).min_by(|&a, &b| self.order(a, b));
            self.contents[content].best = best;
        }
    }

    /// The better document comes first: by preference of a person, by the scores of the keep rules, by id, then by
    /// number.
    pub fn order(&self, a: DocumentNumber, b: DocumentNumber) -> Ordering {
        let preferred = |number: DocumentNumber| Reverse(self.documents[number].preferred);
        let by_person = preferred(a).cmp(&preferred(b));
        let by_score = || Reverse(self.scores(a)).cmp(&Reverse(self.scores(b)));
        by_person
            .then_with(by_score)
            .then_with(|| Id::compare(self.ids.get(a), self.ids.get(b)))
            .then(a.cmp(&b))
    }

    /// The same order for contents, by their best copies. Contents without living copies come last.
    pub fn rank(&self, a: ContentNumber, b: ContentNumber) -> Ordering {
        match (self.best(a), self.best(b)) {
            (Some(a), Some(b)) => self.order(a, b),
            (a, b) => b.is_some().cmp(&a.is_some()),
        }
    }
}
