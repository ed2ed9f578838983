//! Reads all of an index and tells what is damaged.

use std::path::Path;
use std::sync::Mutex;
use std::sync::PoisonError;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};

use lookalike_core::registry::Registry;
use lookalike_core::threads::{available, try_on_threads};
use lookalike_core::{Error, Result};
use serde::Serialize;

use crate::index::{HEAD, Head, Index, generation_folder, lock};
use crate::storage::document::DocumentNumber;
use crate::storage::manifest::Manifest;
use crate::storage::store::damaged_files;
use lookalike_plumbing::json::read_json;

/// So many damages are told one by one.
const TOLD: usize = 1000;
/// Documents that a thread takes at once.
const FEW: usize = 1024;

/// What was found in an index.
#[derive(Debug, Default, Serialize)]
pub struct Verified {
    /// Living documents that were read.
    pub documents: u64,
    /// Their bytes.
    pub bytes: u64,
    /// What is damaged, in sentences that name the file; at most 1,000 of them.
    pub damage: Vec<String>,
    /// How many more there are.
    pub more_damage: u64,
}

impl Verified {
    fn tell(&mut self, error: &Error) {
        if self.damage.len() < TOLD { self.damage.push(error.to_string()) } else { self.more_damage += 1 }
    }
}

impl Index {
    /// Reads every file of an index and every document in it, and compares all checksums. An index that is in use is
    /// refused.
    pub fn verify(folder: &Path, registry: &Registry) -> Result<Verified> {
        let mut found = Verified::default();
        {
            if !Index::is_in(folder) {
                // Says what is wrong with it.
                return Index::open(folder, registry.clone()).map(|_| found);
            }
            let _lock = lock(folder)?;
            let manifest = read_json::<Head>(&folder.join(HEAD)).and_then(|head| {
                let own = generation_folder(folder, head.generation);
                Manifest::read(&own).map(|manifest| (own, manifest))
            });
            match manifest {
                Ok((own, manifest)) => {
                    damaged_files(&own, &manifest).iter().for_each(|error| found.tell(error))
                }
                Err(error) => found.tell(&error),
            }
        }
        match Index::open(folder, registry.clone()) {
            Ok(index) => index.read_all(found),
            // A disk that fails says nothing about the index.
            Err(error @ Error::Io { .. }) => Err(error),
            Err(error) => {
                if !found.damage.contains(&error.to_string()) {
                    found.tell(&error);
                }
                Ok(found)
            }
        }
    }

    fn read_all(&self, found: Verified) -> Result<Verified> {
        let generation = self.generation();
        let state = generation.store.state();
        let count = state.population.documents.len();
        let (next, documents, bytes) = (AtomicUsize::new(0), AtomicU64::new(0), AtomicU64::new(0));
        let found = Mutex::new(found);
        try_on_threads(available(), |stop| {
            let mut line = Vec::new();
            while !stop.is_set() {
                let first = next.fetch_add(FEW, Ordering::Relaxed);
                if first >= count {
                    break;
                }
                for number in (first..(first + FEW).min(count)).map(DocumentNumber::from_index) {
                    let living =
                        state.population.documents.get(number).filter(|document| document.is_alive());
                    let Some(document) = living else { continue };
                    match generation.store.texts.read(document.place, &mut line) {
                        Ok(()) => {
                            documents.fetch_add(1, Ordering::Relaxed);
                            bytes.fetch_add(line.len() as u64, Ordering::Relaxed);
                        }
                        Err(error @ Error::Io { .. }) => return Err(error),
                        Err(error) => found.lock().unwrap_or_else(PoisonError::into_inner).tell(&error),
                    }
                }
            }
            Ok(())
        })?;
        let mut found = found.into_inner().unwrap_or_else(PoisonError::into_inner);
        (found.documents, found.bytes) = (documents.into_inner(), bytes.into_inner());
        // Threads come upon them in any order.
        found.damage.sort();
        Ok(found)
    }
}
