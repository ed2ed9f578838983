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

use lookalike::core::lexicon::Lexicons;
use lookalike::index::{Index, View};
use lookalike::lexicon::Shelf;
use lookalike::{Error, Result};
use lookalike_search::{Found, Query, Search, Settings, Sight};

/// How often new documents are looked for: well within the second after which they must be seen.
const BEAT: Duration = Duration::from_millis(300);
/// A first run over many documents shows what it has now and then.
const COMMIT: Duration = Duration::from_secs(5);
/// How often what died is dropped. It is not shown anyway, but every query that it matches has to ask.
const SWEEP: Duration = Duration::from_secs(120);

pub struct Following {
    index: Arc<Index>,
    folder: PathBuf,
    facets: Vec<String>,
    /// Opened by the thread that follows: nobody waits for it.
    current: RwLock<Option<Arc<Search>>>,
    /// Whether everything that was there at the start is indexed.
    caught_up: AtomicBool,
    stopped: Mutex<bool>,
    stop: Condvar,
}

impl Following {
    pub fn new(folder: PathBuf, facets: Vec<String>, index: Arc<Index>) -> Result<Arc<Following>> {
        Settings { facets: facets.clone(), ..Settings::default() }.check()?;
        Ok(Arc::new(Following {
            index,
            folder,
            facets,
            current: RwLock::default(),
            caught_up: AtomicBool::new(false),
            stopped: Mutex::new(false),
            stop: Condvar::new(),
        }))
    }

    /// What the view finds; `None` while the search index is being made.
    pub fn query(&self, query: &Query, view: &View) -> Result<Option<Found>> {
        let Some(search) = self.ready() else { return Ok(None) };
        search.query(query, &Eyes { index: &self.index, view }).map(Some)
    }

    /// The masters of the clusters in which the view finds these words; `None` while the search index is being made.
    pub fn masters(&self, words: &str, view: &View) -> Result<Option<HashSet<u32>>> {
        let Some(search) = self.ready() else { return Ok(None) };
        search.masters(words, &Eyes { index: &self.index, view }).map(Some)
    }

    /// The search index, if it has everything.
    fn ready(&self) -> Option<Arc<Search>> {
        self.current().filter(|_| self.caught_up.load(Ordering::Acquire))
    }

    /// Follows the index until [`Following::close`]; for a thread of its own.
    pub fn follow(&self) {
        let mut swept = Instant::now();
        loop {
            if let Err(error) = self.catch_up() {
                tracing::error!(%error, "the search index cannot follow");
            }
            if swept.elapsed() > SWEEP
                && let Some(search) = self.current()
            {
                let eyes = Eyes { index: &self.index, view: &View::All };
                let outcome = search.sweep(&eyes).and_then(|_| search.commit());
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
        let current = self.current.read().unwrap_or_else(PoisonError::into_inner);
        current.clone().filter(|search| search.generation() == self.index.numbering())
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
        let end = self.index.documents_from(from, &mut |number, line| {
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
    // Words weigh what they weigh in English at large: the index's own statistics would tell of hidden documents.
    let lexicon = Some(Shelf::default().load("english")?);
    Search::open(folder, Settings { generation, facets: facets.to_vec(), lexicon, ..Settings::default() })
}

/// What a caller sees of the index.
struct Eyes<'a> {
    index: &'a Index,
    view: &'a View,
}

impl Sight for Eyes<'_> {
    fn masters(&self, numbers: &[u32]) -> Vec<Option<u32>> {
        let seen = self.index.resolve(numbers, self.view);
        seen.into_iter().map(|seen| seen.map(|seen| seen.master)).collect()
    }

    fn document(&self, number: u32) -> Option<Vec<u8>> {
        self.index.line(number, self.view).ok().flatten()
    }
}
