//! A new generation: all documents signed anew by another recipe, while the old one answers.
//!
//! The texts stay where they are. Documents are signed in the order of their numbers, so the new generation itself
//! tells how far it came, and an interrupted one goes on from there. Only for the last few documents, and for what
//! was removed meanwhile, do writers wait; then one file says which generation answers.

use std::collections::HashMap;
use std::path::Path;
use std::sync::atomic::Ordering;
use std::sync::{Arc, PoisonError};

use lookalike_core::document::Id;
use lookalike_core::{Error, Result};
use lookalike_index::operation::{Decide, Operation, Prefer, Put, Touch};
use lookalike_index::population::{NONE, Sight};
use lookalike_index::texts::Place;
use lookalike_index::whole::read_json;

use super::decide::decision;
use super::find::{self, Found, Kind};
use super::generation::{Desk, Generation, Prepared, Source, read_line};
use super::{HEAD, Head, Index, generation_folder, write_head};
use crate::recipe::Recipe;
use crate::run::on_threads;

const BATCH: usize = 1000;
/// The name under which a generation keeps the recipe it is built by.
const RECIPE: &str = "recipe.toml";

impl Index {
    /// Signs all documents by another recipe. Blocks until the new generation answers; others go on meanwhile.
    pub fn resign(&self, recipe: &Recipe) -> Result<()> {
        let _upkeep = self.upkeep.lock().unwrap_or_else(PoisonError::into_inner);
        let outcome = self.build_next(recipe);
        self.resigning.store(0, Ordering::Relaxed);
        outcome
    }

    fn build_next(&self, recipe: &Recipe) -> Result<()> {
        let old = self.generation();
        let number = old.number + 1;
        let folder = generation_folder(&self.folder, number);
        let new = self.begin(number, &folder, recipe)?;
        loop {
            let left = self.sign_batch(&old, &new)?;
            let done = new.store.state().origin.map_or(0, |origin| u64::from(origin) + 1);
            let all = old.store.state().population.documents.len() as u64;
            self.resigning.store(1 + done * 1_000_000 / all.max(1), Ordering::Relaxed);
            if left < BATCH {
                break;
            }
        }
        // From here on nobody writes.
        let mut writer = old.store.write()?;
        let _ = self.catch_up(&old, &mut writer, 0)?;
        while self.sign_batch(&old, &new)? > 0 {}
        take_over(&old, &new)?;
        // Others may still wait for their texts to be on disk, which the new generation takes for granted.
        old.store.sync_all()?;
        new.store.write()?.adopt(writer.end())?;
        if let Err(error) = write_head(&self.folder, &new) {
            // If the new one has got its name and that may not last, no generation may take writes.
            if !read_json::<Head>(&self.folder.join(HEAD)).is_ok_and(|head| head.generation == old.number) {
                old.store.give_up();
            }
            return Err(error);
        }
        *self.current.write().unwrap_or_else(PoisonError::into_inner) = Arc::new(new);
        drop(writer);
        let gone = generation_folder(&self.folder, old.number);
        std::fs::remove_dir_all(&gone).map_err(Error::io(gone))
    }

    /// Opens what an interrupted attempt left, if it was by the same recipe and nothing was moved since.
    fn begin(&self, number: u64, folder: &Path, recipe: &Recipe) -> Result<Generation> {
        let text = recipe.to_toml();
        let path = folder.join(RECIPE);
        let from = Source { texts: &self.texts, recipe, registry: &self.registry, limits: self.limits };
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
        std::fs::write(&path, text).map_err(Error::io(path))?;
        Ok(new)
    }

    /// Signs the next documents and tells how many there were.
    fn sign_batch(&self, old: &Generation, new: &Generation) -> Result<usize> {
        let first = new.store.state().origin.map_or(0, |origin| origin + 1);
        let numbers: Vec<u32> = {
            let state = old.store.state();
            let from = state.population.documents.iter().zip(0u32..).skip(first as usize);
            from.filter(|(document, _)| document.alive).map(|(_, number)| number).take(BATCH).collect()
        };
        let read = read(old, new, &numbers)?;
        // The numbers must stand for the same documents should this go on after a power cut.
        old.store.sync_all()?;
        let mut writer = new.store.write()?;
        let contents = new.store.state().population.contents.len() as u32;
        let mut desk = Desk::new(new);
        let all = Sight { sets: None, now: 0 };
        for (number, asked, mut found) in read {
            let (document, id) = {
                let state = old.store.state();
                (state.population.documents[number as usize], state.population.ids.get(number).to_owned())
            };
            if id.is_empty() {
                continue;
            }
            if new.store.state().population.contents.len() as u32 > contents {
                found.extend(find::find(&mut desk, new, &asked, &all, contents)?);
            }
            let put = Put {
                id,
                added: document.added,
                expires: document.expires,
                lives: document.lives,
                hits: document.hits,
                interval: document.interval,
                ..signed(number, document.place, asked, &found)
            };
            let _ = writer.commit(None, &[Operation::Put(put)])?;
        }
        writer.maintain()?;
        Ok(numbers.len())
    }
}

/// Reads and signs documents by the new recipe, on all cores, and compares them with those signed before.
fn read(old: &Generation, new: &Generation, numbers: &[u32]) -> Result<Vec<(u32, Prepared, Vec<Found>)>> {
    let threads = std::thread::available_parallelism().map_or(1, |threads| threads.get());
    let taken = std::sync::atomic::AtomicUsize::new(0);
    let all = Sight { sets: None, now: 0 };
    let parts = on_threads(threads, || {
        let mut desk = Desk::new(new);
        let (mut part, mut line) = (Vec::new(), Vec::new());
        loop {
            let place = taken.fetch_add(1, Ordering::Relaxed);
            let Some(&number) = numbers.get(place) else { return Ok(part) };
            match read_line(&old.store, number, &mut line) {
                Ok(()) => {}
                // Removed and compacted away meanwhile.
                Err(_) if !old.store.state().population.documents[number as usize].alive => continue,
                Err(error) => return Err(error),
            }
            let asked = desk.prepare(&line, number)?;
            let found = find::find(&mut desk, new, &asked, &all, 0)?;
            part.push((number, asked, found));
        }
    })?;
    let mut read: Vec<_> = parts.into_iter().flatten().collect();
    read.sort_unstable_by_key(|&(number, ..)| number);
    Ok(read)
}

fn signed(origin: u32, place: Place, asked: Prepared, found: &[Found]) -> Put {
    let links = found.iter().filter(|found| found.kind != Kind::Exact);
    Put {
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
        origin,
    }
}

/// Brings over what happened to documents while others were signed: removals, visits, versions, what people said.
fn take_over(old: &Generation, new: &Generation) -> Result<()> {
    let mut operations = Vec::new();
    let mut histories = HashMap::new();
    let decisions: Vec<_> = {
        let (from, to) = (old.store.state(), new.store.state());
        for (&origin, number) in to.origins.iter().zip(0u32..) {
            let (Some(then), now) =
                (from.population.documents.get(origin as usize), &to.population.documents[number as usize])
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
            operations.push(Operation::Touch(Touch {
                document: number,
                seen: then.seen,
                expires: then.expires,
                hits: then.hits,
                unchanged: then.unchanged,
                interval: then.interval,
            }));
            if let Some(prefer) = from.preferences.get(&origin) {
                operations.push(Operation::Prefer(Prefer { document: number, ..prefer.clone() }));
            }
            if let Some(versions) = from.history.get(&origin) {
                histories.insert(number, versions.clone());
            }
        }
        // A decision is about contents, whatever documents have the ids by now.
        let numbers: HashMap<u32, u32> = to.origins.iter().copied().zip(0..).collect();
        let document = |digest: u128| {
            let content = from.population.content_of(digest)?;
            numbers.get(&from.population.contents[content as usize].best).copied()
        };
        let both = |decide: &Decide| document(decide.digests.0).zip(document(decide.digests.1));
        from.decisions.values().filter_map(|decide| Some((decide.clone(), both(decide)?))).collect()
    };
    let mut writer = new.store.write()?;
    let _ = writer.commit(None, &operations)?;
    for (decide, numbers) in decisions {
        let (a, b) = (Id::from_json(&*decide.ids.0), Id::from_json(&*decide.ids.1));
        // A recipe that sees no difference between the two leaves nothing to decide.
        if let Ok(mut operation) = decision(new, numbers, (&a, &b), decide.duplicate, &decide.by, decide.time)
        {
            // The texts are still those that the ids had then.
            if let Operation::Decide(said) = &mut operation {
                said.texts = decide.texts;
            }
            let _ = writer.commit(None, &[operation])?;
        }
    }
    writer.set_histories(histories);
    debug_assert!(new.store.state().origins.iter().all(|&origin| origin != NONE));
    Ok(())
}
