//! All documents of a generation and their contents: which are alive, under which ids, and which copy is the best.

use std::cmp::{Ordering, Reverse};
use std::collections::BTreeSet;

use hashbrown::HashTable;
use lookalike_core::document::Id;

use crate::storage::column::{Appended, Column};
use crate::storage::document::{Content, ContentNumber, Document, DocumentNumber};
use crate::storage::ids::Ids;
use crate::storage::table::{RenewedTable, Table};

#[derive(Default)]
pub struct Population {
    pub documents: Column<Document, Document>,
    pub ids: Ids,
    /// The scores of the keep rules, for one document after the other.
    scores: Appended<u64>,
    rules: usize,
    pub contents: Column<Content, Content>,
    /// Contents that lived when the snapshot was written, and living ones that came later.
    old_digests: Table<Content>,
    new_digests: HashTable<ContentNumber>,
    pub living: u32,
    pub living_contents: u32,
    /// How many living documents have a content.
    pub comparable: u32,
    /// Contents with two or more living copies.
    pub copied: BTreeSet<ContentNumber>,
}

/// What a snapshot has of all documents and contents.
pub struct Stored {
    pub documents: Column<Document, Document>,
    pub ids: Ids,
    pub scores: Appended<u64>,
    pub contents: Column<Content, Content>,
    pub digests: Table<Content>,
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
        document.is_alive() && in_time && allowed
    }
}

impl Population {
    pub fn new(rules: usize) -> Self {
        Population { rules, ..Population::default() }
    }

    /// Uses what a snapshot has of the same documents and contents, and gives back what was in memory.
    pub fn replace(&mut self, stored: Stored) -> Population {
        let new = Population {
            documents: stored.documents,
            ids: stored.ids,
            scores: stored.scores,
            rules: self.rules,
            contents: stored.contents,
            old_digests: stored.digests,
            new_digests: HashTable::new(),
            living: self.living,
            living_contents: self.living_contents,
            comparable: self.comparable,
            copied: std::mem::take(&mut self.copied),
        };
        std::mem::replace(self, new)
    }

    /// Bytes in memory that the next snapshot takes the place of, about.
    pub fn own_bytes(&self) -> usize {
        let Population { documents, ids, scores, contents, new_digests, .. } = self;
        let table = new_digests.capacity() * size_of::<ContentNumber>();
        documents.own_bytes() + ids.own_bytes() + scores.own_bytes() + contents.own_bytes() + table
    }

    pub fn scores(&self, document: DocumentNumber) -> &[u64] {
        let start = document.index() * self.rules;
        self.scores.range(start..start + self.rules)
    }

    pub fn content_of(&self, digest: u128) -> Option<ContentNumber> {
        let same = |&content: &ContentNumber| self.contents[content].digest == digest;
        let new = self.new_digests.find(digest as u64, same).copied();
        new.or_else(|| {
            self.old_digests.find(digest as u64).find(|content| same(content) && self.is_alive(*content))
        })
    }

    /// The table of digests for a snapshot.
    pub fn renewed_digests(&self) -> RenewedTable<'_, Content, impl Fn(ContentNumber) -> bool> {
        // What did not change since the last snapshot lives, as it did then, and need not be looked at.
        let lives = |content: ContentNumber| !self.contents.is_changed(content) || self.is_alive(content);
        let new = self.contents.iter_from(self.contents.first_new());
        let living = new.filter(|(_, content)| content.best.is_some());
        self.old_digests.renewed(lives, living.map(|(number, content)| (content.digest as u64, number)))
    }

    /// Adds a document. Its content is new if the digest is not known; without a digest it has none.
    pub fn add(
        &mut self,
        mut document: Document,
        id: &str,
        scores: &[u64],
        digest: Option<u128>,
    ) -> DocumentNumber {
        if document.is_alive() {
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
        if document.is_alive() {
            self.living += 1;
            self.link(number);
        }
        number
    }

    fn add_content(&mut self, digest: u128) -> ContentNumber {
        self.contents.push(Content::new(digest))
    }

    /// Reserves memory for this many more contents and documents.
    pub fn reserve(&mut self, contents: usize, documents: usize) {
        self.contents.reserve_exact(contents);
        let digests = &self.contents;
        self.new_digests.reserve(contents, |&content| digests[content].digest as u64);
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
        if document.is_alive() {
            self.ids.push(id);
        } else {
            self.ids.push_dead(id);
        }
        scores.for_each(|score| self.scores.push(score));
        let number = self.documents.push(document);
        if document.is_alive() {
            self.living += 1;
            self.link(number);
        }
        Some(())
    }

    /// Adds a living document to the copies of its content.
    fn link(&mut self, number: DocumentNumber) {
        let Some(content) = self.documents[number].content else { return };
        let Some(entry) = self.contents.get_mut(content) else { return };
        let first = entry.first_copy.replace(number);
        let best = entry.best;
        entry.copies += 1;
        self.comparable += 1;
        if entry.copies == 2 {
            self.copied.insert(content);
        }
        if let Some(first) = first.and_then(|first| self.documents.get_mut(first)) {
            first.previous_copy = Some(number);
        }
        if let Some(document) = self.documents.get_mut(number) {
            document.next_copy = first;
        }
        if best.is_none() {
            self.living_contents += 1;
            let Population { contents, new_digests, .. } = self;
            let digest = |&content: &ContentNumber| contents[content].digest as u64;
            new_digests.insert_unique(digest(&content), content, digest);
        }
        if best.is_none_or(|best| self.order(number, best) == Ordering::Less) {
            self.set_best(content, Some(number));
        }
    }

    /// Removes a document. Its content dies with its last copy.
    pub fn remove(&mut self, number: DocumentNumber) {
        let document = self.documents[number];
        let Some(entry) = self.documents.get_mut(number).filter(|entry| entry.is_alive()) else { return };
        entry.set_alive(false);
        self.ids.forget(number);
        self.living -= 1;
        let Some(content) = document.content else { return };
        let Some(entry) = self.contents.get_mut(content) else { return };
        if entry.first_copy == Some(number) {
            entry.first_copy = document.next_copy;
        }
        let was_best = entry.best == Some(number);
        entry.copies -= 1;
        self.comparable -= 1;
        if entry.copies == 1 {
            self.copied.remove(&content);
        }
        if let Some(previous) = document.previous_copy.and_then(|copy| self.documents.get_mut(copy)) {
            previous.next_copy = document.next_copy;
        }
        if let Some(next) = document.next_copy.and_then(|copy| self.documents.get_mut(copy)) {
            next.previous_copy = document.previous_copy;
        }
        if was_best {
            let best = self.copies(content).min_by(|&a, &b| self.order(a, b));
            self.set_best(content, best);
            if best.is_none() {
                self.living_contents -= 1;
                let digest = self.contents[content].digest;
                if let Ok(entry) = self.new_digests.find_entry(digest as u64, |&other| other == content) {
                    entry.remove();
                }
            }
        }
    }

    /// The living documents of a content, in no order.
    pub fn copies(&self, content: ContentNumber) -> impl Iterator<Item = DocumentNumber> + '_ {
        let (first, copies) =
            self.contents.get(content).map_or((None, 0), |content| (content.first_copy, content.copies));
        // Their number ends what a wrong file may have made a ring of.
        std::iter::successors(first, |&copy| self.documents[copy].next_copy).take(copies as usize)
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
        if let Some(document) = self.documents.get_mut(number) {
            document.set_preferred(preferred);
        }
        if let Some(content) = self.documents[number].content {
            let best = self.copies(content).min_by(|&a, &b| self.order(a, b));
            self.set_best(content, best);
        }
    }

    fn set_best(&mut self, content: ContentNumber, best: Option<DocumentNumber>) {
        if let Some(content) = self.contents.get_mut(content) {
            content.best = best;
        }
    }

    /// The better document comes first: by preference of a person, by the scores of the keep rules, by id, then by
    /// number.
    pub fn order(&self, a: DocumentNumber, b: DocumentNumber) -> Ordering {
        let preferred = |number: DocumentNumber| Reverse(self.documents[number].is_preferred());
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
