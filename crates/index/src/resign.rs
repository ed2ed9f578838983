//! Builds a new generation: signs all documents again by another recipe, while the old generation answers.
//!
//! The texts stay where they are. Documents are signed in the order of their numbers, so the new generation itself
//! shows how far it got, and an interrupted one continues from there. Writers wait only while the last few
//! documents are signed and removals are caught up with; then one file is replaced that says which generation
//! answers.

use crate::index::IndexWriter;
use std::collections::BTreeSet;
use std::path::Path;
use std::sync::atomic::Ordering;
use std::sync::{Arc, PoisonError};

use crate::storage::decisions::StoredDecision;
use crate::storage::document::{ContentNumber, Document, DocumentNumber};
use crate::storage::lasting::LastingNumber;
use crate::storage::operation::{Decide, Operation, Prefer, Put, Touch};
use crate::storage::population::Visibility;
use crate::storage::texts::{End, Place};
use lookalike_core::document::Id;
use lookalike_core::{Error, Result};
use lookalike_plumbing::files::{sync_folder, write_synced};
use lookalike_plumbing::json::read_json;

use super::crowd;
use super::decide::decision;
use super::find::{self, ContentMatches, MatchKind};
use super::generation::{Generation, GenerationParts, SignedDocument, SigningContext};
use super::lexicons::TermCount;
use super::native::NextLexicon;
use super::statistics::{self, Statistics};
use crate::index::{HEAD, Head, Index, generation_folder, write_head};
use lookalike_core::threads::{self, try_on_threads};
use lookalike_engine::Recipe;
use lookalike_plumbing::clock;

const BATCH: usize = 1000;
/// Lasting numbers start again from 0 when fewer than one in `LEAST_USED` is in use, and more than `FEW` have been
/// given out.
const LEAST_USED: u32 = 8;
const FEW: u32 = 1 << 24;
/// The file in which an unfinished generation keeps its recipe.
const RECIPE: &str = "recipe.toml";

impl Index {
    /// The recipe of a new generation that has been started but not finished; `None` if there is none.
    pub fn unfinished(&self) -> Option<String> {
        let next = generation_folder(&self.folder, self.generation_number() + 1);
        std::fs::read_to_string(next.join(RECIPE)).ok().filter(|text| !text.trim().is_empty())
    }
}

impl IndexWriter<'_> {
    /// Signs all documents by another recipe. If that names the lexicon `native`, it is counted from them first. Returns
    /// when the new generation answers; other readers and writers continue meanwhile.
    pub fn resign(&self, recipe: &Recipe) -> Result<()> {
        self.index.can_resign(recipe)?;
        let _upkeep = self.index.upkeep.lock().unwrap_or_else(PoisonError::into_inner);
        let cores = threads::available();
        self.build_next(recipe, cores, Statistics::Count, &BTreeSet::new())
    }

    /// The caller holds the upkeep lock. Decisions about documents to be forgotten are left behind.
    pub(super) fn build_next(
        &self,
        recipe: &Recipe,
        threads: usize,
        how: Statistics,
        forget: &BTreeSet<Id>,
    ) -> Result<()> {
        self.index.resigning.store(1, Ordering::Relaxed);
        let outcome = self.sign_all(recipe, threads, how, forget);
        self.index.resigning.store(0, Ordering::Relaxed);
        outcome
    }

    fn sign_all(
        &self,
        recipe: &Recipe,
        threads: usize,
        how: Statistics,
        forget: &BTreeSet<Id>,
    ) -> Result<()> {
        let old = self.index.generation();
        let number = old.number + 1;
        let folder = generation_folder(&self.index.folder, number);
        // The new generation refers to the texts where the old one does, which must hold after a crash, too.
        old.store.write()?.persist_places()?;
        let (counted, time) = (old.store.state().population.documents.next_number(), clock::now());
        let lexicon = statistics::next_lexicon(self.index, &old, recipe, threads, (how, counted))?;
        let counts = lexicon.is_some() && how != Statistics::Keep;
        let mut new = self.begin(number, &folder, recipe, lexicon)?;
        new.crowds = old.crowds;
        let signing = Signing { old: &old, new: &new, threads, counted };
        self.sign_most(&signing)?;
        // This takes a while. It is done before writers have to wait; documents that come meanwhile are signed
        // below.
        new.store.write()?.checkpoint()?;
        self.sign_most(&signing)?;
        // From here on writers wait.
        let mut writer = old.store.write()?;
        let _ = self.index.catch_up(&old, &mut writer, 0)?;
        while self.sign_batch(&signing)? > 0 {}
        // Texts of the last writers may not be on disk yet, but the new generation relies on them.
        old.store.sync_all()?;
        carry_over(&old, &new, writer.end(), forget)?;
        statistics::carry_over_use(&old, &new, how, counts.then_some(time))?;
        if let Err(error) = write_head(&self.index.folder, &new, self.index.refresh()) {
            // If the new file is in place but may not survive a crash, neither generation may accept writes.
            if !read_json::<Head>(&self.index.folder.join(HEAD))
                .is_ok_and(|head| head.generation == old.number)
            {
                old.store.refuse_writes();
            }
            return Err(error);
        }
        if new.numbering() != old.numbering() {
            // Hits were counted by the old numbers.
            self.index.hits.lock().unwrap_or_else(PoisonError::into_inner).clear();
        }
        *self.index.current.write().unwrap_or_else(PoisonError::into_inner) = Arc::new(new);
        drop(writer);
        let _held = old.store.hold_work();
        let gone = generation_folder(&self.index.folder, old.number);
        std::fs::remove_dir_all(&gone).map_err(Error::io(gone))
    }

    /// Signs documents until only a few are left.
    fn sign_most(&self, signing: &Signing<'_>) -> Result<()> {
        let &Signing { old, new, .. } = signing;
        loop {
            let left = self.sign_batch(signing)?;
            let done = new.store.state().origin.map_or(0, |origin| u64::from(origin.raw()) + 1);
            let all = old.store.state().population.documents.len() as u64;
            self.index.resigning.store(1 + done * 1_000_000 / all.max(1), Ordering::Relaxed);
            if left < BATCH {
                return Ok(());
            }
        }
    }

    /// Continues an interrupted attempt, if it used the same recipe and no texts were moved since. Otherwise starts
    /// a new one.
    fn begin(
        &self,
        number: u64,
        folder: &Path,
        recipe: &Recipe,
        lexicon: Option<NextLexicon>,
    ) -> Result<Generation> {
        let text = recipe.to_stored();
        let path = folder.join(RECIPE);
        let from = GenerationParts {
            texts: &self.index.texts,
            recipe,
            registry: &self.index.registry,
            limits: self.index.limits,
            native: lexicon.as_ref().map(|next| &next.lexicon),
        };
        if std::fs::read_to_string(&path).is_ok_and(|left| left == text)
            && let Ok(left) = Generation::open(number, folder, &from, false)
            // An attempt that already carried over decisions was nearly done, but would not learn of decisions
            // withdrawn since.
            && left.store.state().decisions.is_empty()
            && left.store.state().preferences.is_empty()
        {
            // Its scheme says that it was signed by this very lexicon, but the file may be gone.
            lexicon.map_or(Ok(()), |lexicon| lexicon.put_into(folder))?;
            return Ok(left);
        }
        if folder.exists() {
            std::fs::remove_dir_all(folder).map_err(Error::io(folder))?;
        }
        let new = Generation::create(number, folder, &from)?;
        lexicon.map_or(Ok(()), |lexicon| lexicon.put_into(folder))?;
        write_synced(&path, |file| file.write(text.as_bytes()))?;
        sync_folder(folder)?;
        Ok(new)
    }

    /// Signs the next documents and returns how many there were.
    fn sign_batch(&self, signing: &Signing<'_>) -> Result<usize> {
        let &Signing { old, new, .. } = signing;
        let first = new.store.state().origin.map_or(DocumentNumber::FIRST, DocumentNumber::next);
        let numbers: Vec<DocumentNumber> = {
            let state = old.store.state();
            let from = state.population.documents.iter_from(first);
            from.filter(|(_, document)| document.is_alive()).map(|(number, _)| number).take(BATCH).collect()
        };
        let read = signing.read(&numbers)?;
        // After a power cut the numbers must still mean the same documents.
        old.store.sync_all()?;
        let mut writer = new.store.write()?;
        let contents = new.store.state().population.contents.next_number();
        let mut context = SigningContext::new(new);
        let all = Visibility { sets: None, now: 0 };
        for (number, signed, mut matches, terms) in read {
            let (document, id) = {
                let state = old.store.state();
                (state.population.documents[number], state.population.ids.get(number).to_owned())
            };
            if id.is_empty() {
                continue;
            }
            if new.store.state().population.contents.next_number() > contents {
                let more = find::find(&mut context, new, &signed, &all, contents)?;
                matches.found.extend(more.found);
                matches.widest_bucket += more.widest_bucket;
            }
            let put = Put {
                id,
                added: document.added,
                expires: document.expires,
                lives: document.lives,
                hits: document.hits,
                interval: document.interval,
                ..put_of(new, number, document.place, signed, &matches)?
            };
            let _ = writer.commit(None, &[Operation::Put(put)])?;
            if let Some(terms) = terms {
                new.lexicons.usage().add(&terms);
            }
        }
        writer.maintain()?;
        Ok(numbers.len())
    }
}

/// A document that is signed again, and its terms if it came after the lexicon was counted.
type SignedAgain = (DocumentNumber, SignedDocument, ContentMatches, Option<Vec<TermCount>>);

/// The two generations, and what is known of the work.
struct Signing<'a> {
    old: &'a Generation,
    new: &'a Generation,
    threads: usize,
    /// The first document that came after the lexicon was counted.
    counted: DocumentNumber,
}

impl Signing<'_> {
    /// Reads and signs documents by the new recipe, and compares them with those signed before.
    fn read(&self, numbers: &[DocumentNumber]) -> Result<Vec<SignedAgain>> {
        let &Signing { old, new, threads, counted } = self;
        let taken = std::sync::atomic::AtomicUsize::new(0);
        let all = Visibility { sets: None, now: 0 };
        let parts = try_on_threads(threads, |_| {
            let (mut context, mut lexicons) = (SigningContext::new(new), new.lexicons.reader());
            let (mut part, mut line) = (Vec::new(), Vec::new());
            loop {
                let place = taken.fetch_add(1, Ordering::Relaxed);
                let Some(&number) = numbers.get(place) else { return Ok(part) };
                match old.read_line(number, &mut line) {
                    Err(Error::Gone) => continue,
                    read => read?,
                }
                let position = old.store.state().lasting.of(number).raw();
                let signed = context.sign(&line, position)?;
                let matches = find::find(&mut context, new, &signed, &all, ContentNumber::FIRST)?;
                let terms = (number >= counted).then(|| lexicons.count(&line, &signed.text));
                part.push((number, signed, matches, terms));
            }
        })?;
        let mut read: Vec<_> = parts.into_iter().flatten().collect();
        read.sort_unstable_by_key(|&(number, ..)| number);
        Ok(read)
    }
}

fn put_of(
    new: &Generation,
    origin: DocumentNumber,
    place: Place,
    signed: SignedDocument,
    matches: &ContentMatches,
) -> Result<Put> {
    let is_in_crowd = new.crowds.needs_pivots(matches.widest_bucket + 1);
    let crowd = if is_in_crowd { crowd::joined(new, &signed.kept, &signed.stored)? } else { None };
    let links = matches.found.iter().filter(|found| found.kind != MatchKind::Exact);
    Ok(Put {
        id: String::new(),
        place,
        digest: signed.digest,
        scores: signed.scores,
        keys: signed.kept.into_iter().map(|(_, key)| key).collect(),
        stored: signed.stored,
        labels: signed.labels,
        set: signed.set,
        added: 0,
        expires: 0,
        lives: 0,
        hits: 0,
        interval: 0,
        links: links.map(|found| (found.content, found.similarity)).collect(),
        continues: None,
        origin: Some(origin),
        crowd,
    })
}

/// Carries over what happened to documents meanwhile and what else is known of them: removals, visits, versions,
/// lasting numbers, decisions. From then on the new generation appends texts at `end`.
fn carry_over(old: &Generation, new: &Generation, end: End, forget: &BTreeSet<Id>) -> Result<()> {
    let mut operations = numbering(old, new);
    let decisions: Vec<_> = {
        let (from, to) = (old.store.state(), new.store.state());
        for (number, &origin) in to.origins.iter_from(DocumentNumber::FIRST) {
            let Some(origin) = origin else { continue };
            let (Some(then), now) = (from.population.documents.get(origin), &to.population.documents[number])
            else {
                continue;
            };
            if !now.is_alive() {
                continue;
            }
            if !then.is_alive() {
                operations.push(Operation::Remove { document: number });
                continue;
            }
            let visits = |of: &Document| (of.seen, of.expires, of.hits, of.unchanged, of.interval);
            if visits(then) != visits(now) {
                operations.push(Operation::Touch(Touch {
                    document: number,
                    seen: then.seen,
                    expires: then.expires,
                    hits: then.hits,
                    unchanged: then.unchanged,
                    interval: then.interval,
                }));
            }
            if let Some(prefer) = from.preferences.get(&origin) {
                operations.push(Operation::Prefer(Prefer { document: number, ..prefer.clone() }));
            }
            if let Some(versions) = from.history.get(origin) {
                operations.push(Operation::Remember { document: number, versions });
            }
        }
        // A decision is about contents, whichever documents have the ids now.
        let document = |digest: u128| {
            let content = from.population.content_of(digest)?;
            let best = from.population.best(content)?;
            to.origins.binary_search(&Some(best))
        };
        let is_kept = |decide: &Decide| {
            let ids = [&decide.ids.0, &decide.ids.1].map(|id| Id::from_json(&**id));
            !ids.iter().any(|id| forget.contains(id))
        };
        let decisions = || from.decisions.iter().filter(|decision| is_kept(&decision.decide));
        let both = |decide: &Decide| document(decide.digests.0).zip(document(decide.digests.1));
        // Of texts that are gone only the digest of their features is known, and other features have another.
        if old.pipeline.features.spec() == new.pipeline.features.spec() {
            let dormant =
                decisions().map(|decision| &decision.decide).filter(|decide| both(decide).is_none());
            operations.extend(dormant.cloned().map(Operation::Decide));
        }
        let living = |decision: &StoredDecision| Some((decision.decide.clone(), both(&decision.decide)?));
        decisions().filter_map(living).collect()
    };
    debug_assert!(new.store.state().origins.iter().is_sorted());
    let mut writer = new.store.write()?;
    for part in operations.chunks(BATCH) {
        let _ = writer.commit(Some(end), part)?;
    }
    for (decide, numbers) in decisions {
        let (a, b) = (Id::from_json(&*decide.ids.0), Id::from_json(&*decide.ids.1));
        // If the new recipe sees no difference between the two, there is nothing to decide.
        let labels = decide.labels.clone();
        let operation = decision(new, numbers, (&a, &b), decide.duplicate, &decide.by, decide.time, labels);
        if let Ok(mut operation) = operation {
            // Texts and labels stay those that the documents had when the decision was made.
            if let Operation::Decide(decision) = &mut operation {
                (decision.texts, decision.labels) = (decide.texts, decide.labels);
            }
            let _ = writer.commit(None, &[operation])?;
        }
    }
    drop(writer);
    new.store.sync_all()
}

/// The operations that set the lasting numbers of the new generation.
fn numbering(old: &Generation, new: &Generation) -> Vec<Operation> {
    let (from, to) = (old.store.state(), new.store.state());
    let next = from.lasting.of(from.population.documents.next_number());
    if next.raw() > FEW && next.raw() / LEAST_USED > to.origins.len() as u32 {
        return vec![Operation::Number { since: new.number, next: LastingNumber::FIRST }];
    }
    let start = Operation::Number { since: from.lasting.since(old.number), next };
    let mut origins = to.origins.iter().flatten().map(|&origin| from.lasting.of(origin)).peekable();
    let mut operations = vec![start];
    while origins.peek().is_some() {
        operations.push(Operation::Keep(origins.by_ref().take(1 << 16).collect()));
    }
    operations
}
