//! A new generation: all documents signed anew by another recipe, while the old one answers.
//!
//! The texts stay where they are. Documents are signed in the order of their numbers, so the new generation itself
//! tells how far it came, and an interrupted one goes on from there. Only for the last few documents, and for what
//! was removed meanwhile, do writers wait; then one file says which generation answers.

use crate::index::Writer;
use std::path::Path;
use std::sync::atomic::Ordering;
use std::sync::{Arc, PoisonError};

use crate::storage::decisions::Said;
use crate::storage::document::{ContentNumber, Document, DocumentNumber};
use crate::storage::lasting::LastingNumber;
use crate::storage::operation::{Decide, Operation, Prefer, Put, Touch};
use crate::storage::population::Sight;
use crate::storage::texts::{End, Place};
use lookalike_core::candidates::Buckets;
use lookalike_core::document::Id;
use lookalike_core::{Error, Result};
use lookalike_plumbing::files::{sync_folder, write_synced};
use lookalike_plumbing::json::read_json;

use super::decide::decision;
use super::find::{self, Kind, Looked};
use super::generation::{self, Desk, Generation, Prepared, Source};
use crate::index::{HEAD, Head, Index, generation_folder, write_head};
use lookalike_core::threads::{self, try_on_threads};
use lookalike_engine::Recipe;

const BATCH: usize = 1000;
/// Lasting numbers begin anew when less than this part of them is in use, if they are more than so many.
const LEAST_USED: u32 = 8;
const FEW: u32 = 1 << 24;
/// The name under which a generation keeps the recipe it is built by.
const RECIPE: &str = "recipe.toml";

impl Index {
    /// The recipe of a new generation that was begun and has not taken over.
    pub fn unfinished(&self) -> Option<String> {
        let next = generation_folder(&self.folder, self.generation_number() + 1);
        std::fs::read_to_string(next.join(RECIPE)).ok().filter(|text| !text.trim().is_empty())
    }
}

impl Writer<'_> {
    /// Signs all documents by another recipe. Blocks until the new generation answers; others go on meanwhile.
    pub fn resign(&self, recipe: &Recipe) -> Result<()> {
        generation::check(recipe, &self.index.registry)?;
        let _upkeep = self.index.upkeep.lock().unwrap_or_else(PoisonError::into_inner);
        let cores = threads::available();
        self.build_next(recipe, cores)
    }

    /// For who holds the lock of upkeep.
    pub(super) fn build_next(&self, recipe: &Recipe, threads: usize) -> Result<()> {
        let outcome = self.sign_all(recipe, threads);
        self.index.resigning.store(0, Ordering::Relaxed);
        outcome
    }

    fn sign_all(&self, recipe: &Recipe, threads: usize) -> Result<()> {
        let old = self.index.generation();
        let number = old.number + 1;
        let folder = generation_folder(&self.index.folder, number);
        // The new generation has texts where the old one does, which must be so after a crash, too.
        old.store.write()?.settle_places()?;
        let new = self.begin(number, &folder, recipe)?;
        self.sign_most(&old, &new, threads)?;
        // Takes a while, in which others come and go, and nobody shall wait for it below.
        new.store.write()?.checkpoint()?;
        self.sign_most(&old, &new, threads)?;
        // From here on nobody writes.
        let mut writer = old.store.write()?;
        let _ = self.index.catch_up(&old, &mut writer, 0)?;
        while self.sign_batch(&old, &new, threads)? > 0 {}
        // Others may still wait for their texts to be on disk, which the new generation takes for granted.
        old.store.sync_all()?;
        take_over(&old, &new, writer.end())?;
        if let Err(error) = write_head(&self.index.folder, &new) {
            // If the new one has got its name and that may not last, no generation may take writes.
            if !read_json::<Head>(&self.index.folder.join(HEAD))
                .is_ok_and(|head| head.generation == old.number)
            {
                old.store.give_up();
            }
            return Err(error);
        }
        if new.numbering() != old.numbering() {
            // They were counted by other numbers.
            self.index.hits.lock().unwrap_or_else(PoisonError::into_inner).clear();
        }
        *self.index.current.write().unwrap_or_else(PoisonError::into_inner) = Arc::new(new);
        drop(writer);
        let gone = generation_folder(&self.index.folder, old.number);
        std::fs::remove_dir_all(&gone).map_err(Error::io(gone))
    }

    /// Signs documents until only a few are left.
    fn sign_most(&self, old: &Generation, new: &Generation, threads: usize) -> Result<()> {
        loop {
            let left = self.sign_batch(old, new, threads)?;
            let done = new.store.state().origin.map_or(0, |origin| u64::from(origin.raw()) + 1);
            let all = old.store.state().population.documents.len() as u64;
            self.index.resigning.store(1 + done * 1_000_000 / all.max(1), Ordering::Relaxed);
            if left < BATCH {
                return Ok(());
            }
        }
    }

    /// Opens what an interrupted attempt left, if it was by the same recipe and nothing was moved since.
    fn begin(&self, number: u64, folder: &Path, recipe: &Recipe) -> Result<Generation> {
        let text = recipe.to_toml();
        let path = folder.join(RECIPE);
        let from = Source {
            texts: &self.index.texts,
            recipe,
            registry: &self.index.registry,
            limits: self.index.limits,
        };
        if std::fs::read_to_string(&path).is_ok_and(|left| left == text)
            && let Ok(left) = Generation::open(number, folder, &from, false)
            // One that took over what people said was nearly done, and would not hear that it was taken back.
            && left.store.state().decisions.is_empty()
            && left.store.state().preferences.is_empty()
        {
            return Ok(left);
        }
        if folder.exists() {
            std::fs::remove_dir_all(folder).map_err(Error::io(folder))?;
        }
        let new = Generation::create(number, folder, &from)?;
        write_synced(&path, |file| file.write(text.as_bytes()))?;
        sync_folder(folder)?;
        Ok(new)
    }

    /// Signs the next documents and tells how many there were.
    fn sign_batch(&self, old: &Generation, new: &Generation, threads: usize) -> Result<usize> {
        let first = new.store.state().origin.map_or(DocumentNumber::FIRST, DocumentNumber::next);
        let numbers: Vec<DocumentNumber> = {
            let state = old.store.state();
            let from = state.population.documents.iter_from(first);
            from.filter(|(_, document)| document.alive).map(|(number, _)| number).take(BATCH).collect()
        };
        let read = read(old, new, &numbers, threads)?;
        // The numbers must stand for the same documents should this go on after a power cut.
        old.store.sync_all()?;
        let mut writer = new.store.write()?;
        let contents = new.store.state().population.contents.next_number();
        let mut desk = Desk::new(new);
        let all = Sight { sets: None, now: 0 };
        for (number, asked, mut looked) in read {
            let (document, id) = {
                let state = old.store.state();
                (state.population.documents[number], state.population.ids.get(number).to_owned())
            };
            if id.is_empty() {
                continue;
            }
            if new.store.state().population.contents.next_number() > contents {
                let more = find::find(&mut desk, new, &asked, &all, contents)?;
                looked.found.extend(more.found);
                looked.widest += more.widest;
            }
            let put = Put {
                id,
                added: document.added,
                expires: document.expires,
                lives: document.lives,
                hits: document.hits,
                interval: document.interval,
                ..signed(new, number, document.place, asked, &looked)?
            };
            let _ = writer.commit(None, &[Operation::Put(put)])?;
        }
        writer.maintain()?;
        Ok(numbers.len())
    }
}

/// Reads and signs documents by the new recipe, and compares them with those signed before.
fn read(
    old: &Generation,
    new: &Generation,
    numbers: &[DocumentNumber],
    threads: usize,
) -> Result<Vec<(DocumentNumber, Prepared, Looked)>> {
    let taken = std::sync::atomic::AtomicUsize::new(0);
    let all = Sight { sets: None, now: 0 };
    let parts = try_on_threads(threads, |_| {
        let mut desk = Desk::new(new);
        let (mut part, mut line) = (Vec::new(), Vec::new());
        loop {
            let place = taken.fetch_add(1, Ordering::Relaxed);
            let Some(&number) = numbers.get(place) else { return Ok(part) };
            match old.read_line(number, &mut line) {
                Err(Error::Gone) => continue,
                read => read?,
            }
            let asked = desk.prepare(&line, number.raw())?;
            let looked = find::find(&mut desk, new, &asked, &all, ContentNumber::FIRST)?;
            part.push((number, asked, looked));
        }
    })?;
    let mut read: Vec<_> = parts.into_iter().flatten().collect();
    read.sort_unstable_by_key(|&(number, ..)| number);
    Ok(read)
}

fn signed(
    new: &Generation,
    origin: DocumentNumber,
    place: Place,
    asked: Prepared,
    looked: &Looked,
) -> Result<Put> {
    let is_in_crowd = Buckets::default().needs_pivots(looked.widest + 1);
    let crowd = if is_in_crowd { find::crowd(new, &asked.keys)? } else { None };
    let links = looked.found.iter().filter(|found| found.kind != Kind::Exact);
    Ok(Put {
        id: String::new(),
        place,
        digest: asked.digest,
        scores: asked.scores,
        keys: asked.keys.into_iter().map(|(_, key)| key).collect(),
        stored: asked.stored,
        labels: asked.labels,
        set: asked.set,
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

/// Brings over what happened to documents while others were signed, and what is known of them besides: removals,
/// visits, versions, numbers, what people said. From then on texts end for the new generation where they do for the old.
fn take_over(old: &Generation, new: &Generation, end: End) -> Result<()> {
    let mut operations = numbering(old, new);
    let decisions: Vec<_> = {
        let (from, to) = (old.store.state(), new.store.state());
        for (number, &origin) in to.origins.iter_from(DocumentNumber::FIRST) {
            let Some(origin) = origin else { continue };
            let (Some(then), now) = (from.population.documents.get(origin), &to.population.documents[number])
            else {
                continue;
            };
            if !now.alive {
                continue;
            }
            if !then.alive {
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
            if let Some(versions) = from.history.get(&origin) {
                operations.push(Operation::Remember { document: number, versions: versions.clone() });
            }
        }
        // A decision is about contents, whatever documents have the ids by now.
        let document = |digest: u128| {
            let content = from.population.content_of(digest)?;
            let best = from.population.best(content)?;
            to.origins.binary_search(&Some(best))
        };
        let both = |decide: &Decide| document(decide.digests.0).zip(document(decide.digests.1));
        // Of texts that are gone only their features are known, which may be others by now.
        if old.pipeline.scheme.id == new.pipeline.scheme.id {
            let dormant =
                from.decisions.iter().map(|said| &said.decide).filter(|decide| both(decide).is_none());
            operations.extend(dormant.cloned().map(Operation::Decide));
        }
        let living = |said: &Said| Some((said.decide.clone(), both(&said.decide)?));
        from.decisions.iter().filter_map(living).collect()
    };
    debug_assert!(new.store.state().origins.iter().is_sorted());
    let mut writer = new.store.write()?;
    for part in operations.chunks(BATCH) {
        let _ = writer.commit(Some(end), part)?;
    }
    for (decide, numbers) in decisions {
        let (a, b) = (Id::from_json(&*decide.ids.0), Id::from_json(&*decide.ids.1));
        // A recipe that sees no difference between the two leaves nothing to decide.
        if let Ok(mut operation) = decision(new, numbers, (&a, &b), decide.duplicate, &decide.by, decide.time)
        {
            // Texts and labels are still those that the documents had then.
            if let Operation::Decide(said) = &mut operation {
                (said.texts, said.labels) = (decide.texts, decide.labels);
            }
            let _ = writer.commit(None, &[operation])?;
        }
    }
    drop(writer);
    new.store.sync_all()
}

/// Tells by which numbers documents of the new generation are known outside.
fn numbering(old: &Generation, new: &Generation) -> Vec<Operation> {
    let (from, to) = (old.store.state(), new.store.state());
    let next = from.lasting.of(from.population.documents.next_number());
    if next.raw() > FEW && next.raw() / LEAST_USED > to.origins.len() as u32 {
        return vec![Operation::Number { since: new.number, next: LastingNumber::FIRST }];
    }
    let start = Operation::Number { since: from.lasting.since(old.number), next };
    let kept = to.origins.chunks(1 << 16).map(|origins| {
        Operation::Keep(origins.iter().flatten().map(|&origin| from.lasting.of(origin)).collect())
    });
    [start].into_iter().chain(kept).collect()
}
