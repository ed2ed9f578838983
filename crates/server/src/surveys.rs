//! Surveys of the index for the page: made on request, and cached while they are valid, or a little longer on an
//! index that changes all the time.
//!
//! After the first survey a thread reads the attributes of documents (type, source, time) as they are added.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError, RwLock, RwLockReadGuard};
use std::time::{Duration, Instant};

use lookalike::Result;
use lookalike::index::survey::{Attributes, Survey};
use lookalike::index::{Index, View};
use lookalike_core::threads::Stop;

/// How often new documents are looked for.
const POLL_INTERVAL: Duration = Duration::from_millis(300);
const SLICE: Duration = Duration::from_millis(50);
/// A survey that took a second is used for this many seconds, even if the index changed.
const WORTH: u32 = 5;
/// The greatest age of a survey: documents expire without any change of the index.
const OLDEST: Duration = Duration::from_secs(60);
/// Surveys take memory, so one that is not requested for this long is dropped.
const UNUSED: Duration = Duration::from_secs(600);
/// For how many views surveys are kept.
const VIEWS: usize = 16;

pub struct Surveys {
    index: Arc<Index>,
    attributes: RwLock<Attributes>,
    kept: Mutex<Vec<Kept>>,
    /// Held while a survey is made: others wait for it instead of making the same.
    making: Mutex<()>,
    /// Whether a survey was ever requested.
    wanted: AtomicBool,
    stop: Stop,
}

struct Kept {
    view: View,
    /// The version of the index.
    version: (u64, u64),
    /// Whether the attributes of all documents were known.
    complete: bool,
    survey: Arc<Survey>,
    made: Instant,
    took: Duration,
    used: Instant,
}

impl Surveys {
    pub fn new(index: Arc<Index>) -> Arc<Surveys> {
        Arc::new(Surveys {
            index,
            attributes: RwLock::default(),
            kept: Mutex::default(),
            making: Mutex::default(),
            wanted: AtomicBool::new(false),
            stop: Stop::default(),
        })
    }

    pub fn attributes(&self) -> RwLockReadGuard<'_, Attributes> {
        self.attributes.read().unwrap_or_else(PoisonError::into_inner)
    }

    /// The survey for a view.
    pub fn of(&self, view: &View) -> Result<Arc<Survey>> {
        if let Some(kept) = self.kept(view) {
            return Ok(kept);
        }
        let _making = self.making.lock().unwrap_or_else(PoisonError::into_inner);
        match self.kept(view) {
            Some(kept) => Ok(kept),
            None => self.make(view),
        }
    }

    fn make(&self, view: &View) -> Result<Arc<Survey>> {
        let began = Instant::now();
        let attributes = self.attributes();
        let (version, complete) = (self.index.version(), self.is_complete(&attributes));
        let survey = Arc::new(self.index.surveyor().survey(view, &attributes)?);
        drop(attributes);
        let mut all = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        let used = all.iter().find(|kept| kept.view == *view).map(|kept| kept.used);
        all.retain(|kept| kept.view != *view);
        if all.len() >= VIEWS {
            all.remove(0);
        }
        let made = Instant::now();
        let (view, took, kept) = (view.clone(), made - began, Arc::clone(&survey));
        all.push(Kept { view, version, complete, survey: kept, made, took, used: used.unwrap_or(made) });
        Ok(survey)
    }

    fn kept(&self, view: &View) -> Option<Arc<Survey>> {
        let version = self.index.version();
        let mut all = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        let kept = all.iter_mut().find(|kept| kept.view == *view)?;
        kept.used = Instant::now();
        let age = kept.made.elapsed();
        let is_good = (kept.version == version && age < OLDEST) || age < kept.took * WORTH;
        (is_good && kept.version.0 == version.0).then(|| Arc::clone(&kept.survey))
    }

    fn is_complete(&self, attributes: &Attributes) -> bool {
        attributes.of(self.index.numbering()).is_some() && attributes.next() == self.index.next_number()
    }

    /// Makes surveys again that lacked attributes. Meanwhile the old ones are used.
    fn complete(&self) -> Result<()> {
        let version = self.index.version();
        let all = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        let lacking = all.iter().filter(|kept| !kept.complete && kept.version == version);
        let lacking: Vec<View> = lacking.map(|kept| kept.view.clone()).collect();
        drop(all);
        lacking.iter().try_for_each(|view| self.make(view).map(drop))
    }

    /// Follows the index until [`Surveys::close`]; for a thread of its own.
    pub fn follow(&self) {
        loop {
            let mut all = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
            all.retain(|kept| kept.used.elapsed() < UNUSED);
            // The first caller gets the survey before attributes are read.
            if all.iter().any(|kept| kept.made.elapsed() > kept.took) {
                self.wanted.store(true, Ordering::Relaxed);
            }
            drop(all);
            let more = self.read_on().and_then(|more| {
                if !more {
                    self.complete()?;
                }
                Ok(more)
            });
            let more = more.unwrap_or_else(|error| {
                tracing::error!(%error, "documents cannot be surveyed");
                false
            });
            if self.stop.wait(if more { Duration::from_millis(2) } else { POLL_INTERVAL }) {
                return;
            }
        }
    }

    /// Reads attributes for a moment; returns whether there are more.
    fn read_on(&self) -> Result<bool> {
        if !self.wanted.load(Ordering::Relaxed) || self.is_complete(&self.attributes()) {
            return Ok(false);
        }
        let began = Instant::now();
        // A survey holds the read lock for a while, and other readers must not queue behind this writer.
        let Ok(mut attributes) = self.attributes.try_write() else { return Ok(true) };
        self.index.surveyor().read_attributes(&mut attributes, &|| began.elapsed() > SLICE)?;
        Ok(attributes.next() < self.index.next_number())
    }

    pub fn close(&self) {
        self.stop.set();
    }
}
