//! Full-text search that follows the index.
//!
//! Every living document is indexed under its lasting number, by a thread that looks for new ones several times a
//! second. What a caller sees and how clusters collapse is determined when a query comes. So nothing has to be
//! indexed again when documents are removed, clusters change, or all documents are signed by another recipe. If
//! documents get other numbers, the search index is rebuilt, and reports so until it has caught up.

use std::collections::HashSet;
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, PoisonError, RwLock};
use std::time::{Duration, Instant};

use lookalike::index::{Index, ReadTransaction, View};
use lookalike::{Error, Result};
use lookalike_core::lexicon::Assets;
use lookalike_core::threads::Stop;
use lookalike_engine::lexicon::AssetFiles;
use lookalike_search::{DocumentAccess, Matches, Search, SearchSettings};

use crate::health::Health;

/// How often new documents are looked for: they must be searchable within a second.
const POLL_INTERVAL: Duration = Duration::from_millis(300);
/// While many documents are indexed, they become searchable at these intervals.
const COMMIT: Duration = Duration::from_secs(5);
/// How often removed documents are dropped from the search index. They are never shown, but every query that matches
/// one has to look it up.
const SWEEP: Duration = Duration::from_secs(120);

pub struct SearchFollower {
    index: Arc<Index>,
    health: Arc<Health>,
    folder: PathBuf,
    facets: Vec<String>,
    /// Opened by the following thread, so that nobody else waits for it.
    current: RwLock<Option<Arc<Search>>>,
    /// Whether all documents that existed at the start are indexed.
    caught_up: AtomicBool,
    stop: Stop,
}

impl SearchFollower {
    pub fn new(
        folder: PathBuf,
        facets: Vec<String>,
        (index, health): (Arc<Index>, Arc<Health>),
    ) -> Result<Arc<SearchFollower>> {
        SearchSettings { facets: facets.clone(), ..SearchSettings::default() }.check()?;
        Ok(Arc::new(SearchFollower {
            index,
            health,
            folder,
            facets,
            current: RwLock::default(),
            caught_up: AtomicBool::new(false),
            stop: Stop::default(),
        }))
    }

    /// The masters of the clusters in which the view finds these words; `None` while the search index is being
    /// built.
    pub fn masters(&self, words: &str, view: &View) -> Result<Option<HashSet<u32>>> {
        let Some((search, matches)) = self.matches(words, false)? else { return Ok(None) };
        let reader = self.index.reader();
        // Writers need not wait for a walk over all matches, except where clusters are found on demand: there a part of
        // them would be found again with each part of the matches.
        if reader.transaction(view, |transaction| Ok(transaction.has_stored_clusters()))? {
            let masters = matches.masters(&PassingAccess { index: &self.index, view })?;
            return Ok((search.generation() == self.index.numbering()).then_some(masters));
        }
        reader.transaction(view, |transaction| {
            let fits = search.generation() == transaction.numbering();
            fits.then(|| matches.masters(&TransactionAccess(transaction))).transpose()
        })
    }

    /// The search index with what [matches](Search::matches) a text there; `None` while it is being built.
    pub fn matches(&self, text: &str, selects: bool) -> Result<Option<(Arc<Search>, Matches)>> {
        let ready = self.caught_up.load(Ordering::Acquire);
        let Some(search) = self.current().filter(|_| ready) else { return Ok(None) };
        let matches = unless_damaged(search.matches(text, selects))?;
        Ok(matches.map(|matches| (search, matches)))
    }

    /// Follows the index until [`SearchFollower::close`]; for a thread of its own.
    pub fn follow(&self) {
        let mut swept = Instant::now();
        let mut told = String::new();
        loop {
            let failure = self.catch_up().err();
            let reason = failure.as_ref().map(Error::to_string).unwrap_or_default();
            // A repeated error is reported once.
            if let Some(error) = failure.filter(|_| reason != told) {
                self.health.note_error(&error, "the search index cannot follow");
            }
            told = reason;
            if swept.elapsed() > SWEEP
                && let Some(search) = self.current()
            {
                let outcome = search.sweep(&self.all()).and_then(|_| search.commit());
                if let Err(error) = outcome {
                    tracing::error!(%error, "the search index cannot drop what is gone");
                }
                swept = Instant::now();
            }
            if self.stop.wait(POLL_INTERVAL) {
                return;
            }
        }
    }

    /// Whether search answers.
    pub fn is_ready(&self) -> bool {
        self.caught_up.load(Ordering::Acquire) && self.current().is_some()
    }

    /// How many documents cannot be searched yet, those that went again included.
    pub fn lag(&self) -> u64 {
        let next = self.current().map_or(0, |search| search.reached());
        u64::from(self.index.next_number().saturating_sub(next))
    }

    /// Leaves nothing of removed documents in the files of the search index.
    pub fn purge(&self) -> Result<()> {
        self.current().map_or(Ok(()), |search| search.purge(&self.all()))
    }

    pub fn close(&self) {
        self.stop.set();
    }

    fn all(&self) -> PassingAccess<'_> {
        PassingAccess { index: &self.index, view: &View::All }
    }

    /// The search index, if it is open and uses the current numbers of documents.
    fn current(&self) -> Option<Arc<Search>> {
        let numbering = self.index.numbering();
        let current = self.current.read().unwrap_or_else(PoisonError::into_inner);
        current.clone().filter(|search| search.generation() == numbering)
    }

    fn open(&self) -> Result<Arc<Search>> {
        self.caught_up.store(false, Ordering::Release);
        let search = Arc::new(open(&self.folder, &self.facets, &self.index)?);
        *self.current.write().unwrap_or_else(PoisonError::into_inner) = Some(Arc::clone(&search));
        Ok(search)
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
            if self.stop.is_set() { Err(Error::Cancelled) } else { Ok(()) }
        });
        let end = match end {
            Err(Error::Cancelled) => return search.commit(),
            end => end?,
        };
        search.skip_to(end);
        search.commit()?;
        self.caught_up.store(true, Ordering::Release);
        Ok(())
    }
}

/// What a search index said, if it is not damaged: then the following thread rebuilds it.
pub fn unless_damaged<T>(said: Result<T>) -> Result<Option<T>> {
    match said {
        Err(error @ Error::Damaged { .. }) => {
            tracing::error!(%error, "the search index is damaged");
            Ok(None)
        }
        said => said.map(Some),
    }
}

fn open(folder: &std::path::Path, facets: &[String], index: &Index) -> Result<Search> {
    let generation = index.numbering();
    // Word weights come from general English: statistics of the index itself would reveal hidden documents.
    let lexicon = Some(AssetFiles::default().load("english")?);
    Search::open(
        folder,
        SearchSettings { generation, facets: facets.to_vec(), lexicon, ..SearchSettings::default() },
    )
}

/// What the caller of a transaction may see.
pub struct TransactionAccess<'a, 'h, 'c>(pub &'a ReadTransaction<'h, 'c>);

impl DocumentAccess for TransactionAccess<'_, '_, '_> {
    fn masters(&self, numbers: &[u32]) -> Vec<Option<u32>> {
        self.0.masters(numbers)
    }

    fn document(&self, number: u32) -> Option<Vec<u8>> {
        self.0.document(number).ok().flatten().and_then(|document| document.line().ok())
    }
}

/// What a view sees, without one fixed state of the index: removed documents stay removed, and writers need not wait
/// while many documents are visited.
pub struct PassingAccess<'a> {
    pub index: &'a Index,
    pub view: &'a View,
}

impl DocumentAccess for PassingAccess<'_> {
    fn masters(&self, numbers: &[u32]) -> Vec<Option<u32>> {
        let seen = self.index.reader().resolve(numbers, self.view).unwrap_or_else(|error| {
            tracing::error!(%error, "documents cannot be told for search");
            vec![None; numbers.len()]
        });
        seen.into_iter().map(|seen| seen.map(|seen| seen.master)).collect()
    }

    fn document(&self, number: u32) -> Option<Vec<u8>> {
        self.index.reader().line(number, self.view).ok().flatten()
    }
}
