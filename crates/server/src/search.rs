//! Full-text search that follows the index.
//!
//! Every living document is indexed under its number, by a thread that looks for new ones a few times a second.
//! What a caller sees, and how clusters collapse, is asked of the index when a query comes, so nothing but new documents
//! has to be indexed when documents go, clusters change, or all are signed by another recipe. When the index had to
//! give its documents other numbers, search is made anew, and says so until it has caught up.

use std::collections::HashSet;
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Condvar, Mutex, PoisonError, RwLock};
use std::time::{Duration, Instant};

use lookalike::index::{Held, Index, View};
use lookalike::{Error, Result};
use lookalike_core::lexicon::Lexicons;
use lookalike_engine::lexicon::Shelf;
use lookalike_search::{Search, Settings, Sight};

use crate::health::Health;

/// How often new documents are looked for: well within the second after which they must be seen.
const BEAT: Duration = Duration::from_millis(300);
/// A first run over many documents shows what it has now and then.
const COMMIT: Duration = Duration::from_secs(5);
/// How often removed documents are dropped from the search index. They are never shown, but every query that matches
/// one has to look it up.
const SWEEP: Duration = Duration::from_secs(120);

pub struct SearchFollower {
    index: Arc<Index>,
    health: Arc<Health>,
    folder: PathBuf,
    facets: Vec<String>,
    /// Opened by the thread that follows: nobody waits for it.
    current: RwLock<Option<Arc<Search>>>,
    /// Whether everything that was there at the start is indexed.
    caught_up: AtomicBool,
    stopped: Mutex<bool>,
    stop: Condvar,
}

impl SearchFollower {
    pub fn new(
        folder: PathBuf,
        facets: Vec<String>,
        (index, health): (Arc<Index>, Arc<Health>),
    ) -> Result<Arc<SearchFollower>> {
        Settings { facets: facets.clone(), ..Settings::default() }.check()?;
        Ok(Arc::new(SearchFollower {
            index,
            health,
            folder,
            facets,
            current: RwLock::default(),
            caught_up: AtomicBool::new(false),
            stopped: Mutex::new(false),
            stop: Condvar::new(),
        }))
    }

    /// The masters of the clusters in which the view finds these words; `None` while the search index is being made.
    pub fn masters(&self, words: &str, view: &View) -> Result<Option<HashSet<u32>>> {
        self.index
            .reader()
            .hold(view, |held| self.ask(held, |search| search.masters(words, &HeldVisibility(held))))
    }

    /// Asks the search index about the documents of one state of the index; `None` while the search index is being made.
    pub fn ask<T>(
        &self,
        held: &Held<'_, '_>,
        ask: impl FnOnce(&Arc<Search>) -> Result<T>,
    ) -> Result<Option<T>> {
        let ready = self.caught_up.load(Ordering::Acquire);
        let Some(search) = self.opened(held.numbering()).filter(|_| ready) else { return Ok(None) };
        match ask(&search) {
            // It is made anew by the thread that follows.
            Err(error @ Error::Damaged { .. }) => {
                tracing::error!(%error, "the search index is damaged");
                Ok(None)
            }
            outcome => outcome.map(Some),
        }
    }

    /// Follows the index until [`SearchFollower::close`]; for a thread of its own.
    pub fn follow(&self) {
        let mut swept = Instant::now();
        let mut told = String::new();
        loop {
            let failure = self.catch_up().err();
            let reason = failure.as_ref().map(Error::to_string).unwrap_or_default();
            // What goes wrong in the same way again and again is told once.
            if let Some(error) = failure.filter(|_| reason != told) {
                self.health.note_error(&error, "the search index cannot follow");
            }
            told = reason;
            if swept.elapsed() > SWEEP
                && let Some(search) = self.current()
            {
                let outcome = search.sweep(&Living(&self.index)).and_then(|_| search.commit());
                if let Err(error) = outcome {
                    tracing::error!(%error, "the search index cannot drop what is gone");
                }
                swept = Instant::now();
            }
            let stopped = self.stopped.lock().unwrap_or_else(PoisonError::into_inner);
            if *stopped || *self.stop.wait_timeout(stopped, BEAT).unwrap_or_else(PoisonError::into_inner).0 {
                return;
            }
        }
    }

    pub fn close(&self) {
        *self.stopped.lock().unwrap_or_else(PoisonError::into_inner) = true;
        self.stop.notify_all();
    }

    /// The search index, if it is open and speaks of the documents by their present numbers.
    fn current(&self) -> Option<Arc<Search>> {
        self.opened(self.index.numbering())
    }

    fn opened(&self, numbering: u64) -> Option<Arc<Search>> {
        let current = self.current.read().unwrap_or_else(PoisonError::into_inner);
        current.clone().filter(|search| search.generation() == numbering)
    }

    fn open(&self) -> Result<Arc<Search>> {
        self.caught_up.store(false, Ordering::Release);
        let search = Arc::new(open(&self.folder, &self.facets, &self.index)?);
        *self.current.write().unwrap_or_else(PoisonError::into_inner) = Some(Arc::clone(&search));
        Ok(search)
    }

    fn is_stopped(&self) -> bool {
        *self.stopped.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Indexes what is new.
    fn catch_up(&self) -> Result<()> {
        let search = self.current().map_or_else(|| self.open(), Ok)?;
        let from = search.next()?;
        if let Some(reason) = search.rebuilt() {
            self.caught_up.store(false, Ordering::Release);
            tracing::warn!(reason, "the search index is made anew");
        }
        let mut committed = Instant::now();
        let end = self.index.reader().documents_from(from, &mut |number, line| {
            search.add(number, line)?;
            if committed.elapsed() > COMMIT {
                search.commit()?;
                committed = Instant::now();
            }
            if self.is_stopped() { Err(Error::input("stopped")) } else { Ok(()) }
        });
        let end = match end {
            Err(_) if self.is_stopped() => return search.commit(),
            end => end?,
        };
        search.skip_to(end);
        search.commit()?;
        self.caught_up.store(true, Ordering::Release);
        Ok(())
    }
}

fn open(folder: &std::path::Path, facets: &[String], index: &Index) -> Result<Search> {
    let generation = index.numbering();
    // Word weights come from general English: statistics of the index itself would reveal hidden documents.
    let lexicon = Some(Shelf::default().load("english")?);
    Search::open(folder, Settings { generation, facets: facets.to_vec(), lexicon, ..Settings::default() })
}

/// What a caller sees of one state of the index.
pub struct HeldVisibility<'a, 'h, 'c>(pub &'a Held<'h, 'c>);

impl Sight for HeldVisibility<'_, '_, '_> {
    fn masters(&self, numbers: &[u32]) -> Vec<Option<u32>> {
        self.0.masters(numbers)
    }

    fn document(&self, number: u32) -> Option<Vec<u8>> {
        self.0.document(number).ok().flatten().and_then(|document| document.line().ok())
    }
}

/// Sees every document, without holding one state of the index: what is removed stays removed, and writers need not
/// wait while all documents are visited.
struct Living<'a>(&'a Index);

impl Sight for Living<'_> {
    fn masters(&self, numbers: &[u32]) -> Vec<Option<u32>> {
        let seen = self.0.reader().resolve(numbers, &View::All).unwrap_or_else(|error| {
            tracing::error!(%error, "documents cannot be told for search");
            vec![None; numbers.len()]
        });
        seen.into_iter().map(|seen| seen.map(|seen| seen.master)).collect()
    }

    fn document(&self, number: u32) -> Option<Vec<u8>> {
        self.0.reader().line(number, &View::All).ok().flatten()
    }
}
