//! What all handlers share.

use lookalike::Session;
use lookalike_core::threads;
use std::ops::Deref;
use std::sync::Arc;

use crate::jobs::Jobs;
use lookalike::index::Index;
use lookalike::{Recipe, Registry, Result};
use tokio::sync::{Semaphore, watch};

use crate::access::{RateLimiter, TokenStore};
use crate::config::Config;
use crate::health::Health;
use crate::maintenance::Maintenance;
use crate::memory_budget::MemoryBudget;
use crate::metrics::Metrics;
use crate::reader::FileReader;
use crate::removals::Removals;
use crate::review::ReviewStore;
use crate::search::SearchFollower;
use crate::surveys::Surveys;
use crate::work_limiter::WorkLimiter;

/// A handle to the service; cheap to clone.
#[derive(Clone)]
pub struct App(Arc<Shared>);

pub struct Shared {
    pub config: Config,
    pub index: Arc<Index>,
    pub jobs: Arc<Jobs>,
    pub search: Arc<SearchFollower>,
    pub surveys: Arc<Surveys>,
    pub removals: Removals,
    pub review: ReviewStore,
    pub registry: Registry,
    pub tokens: Arc<TokenStore>,
    pub rates: RateLimiter,
    pub work: WorkLimiter,
    /// The memory for request bodies.
    pub body_memory: MemoryBudget,
    pub bulk_streams: Arc<Semaphore>,
    pub reader: FileReader,
    pub metrics: Metrics,
    pub health: Arc<Health>,
    pub maintenance: Arc<Maintenance>,
    /// Whether the service has been told to stop.
    pub stopping: watch::Sender<bool>,
}

impl App {
    pub fn new(session: &Session, config: Config, index: Index, tokens: TokenStore) -> Result<App> {
        let registry = session.registry().clone();
        let extraction = Recipe::from_toml(&index.recipe(), &registry)?.extraction()?;
        let index = Arc::new(index);
        let jobs = Jobs::open(
            &config.data,
            &config.data.join("jobs"),
            config.corpora.clone(),
            Arc::clone(&index),
            registry.clone(),
        )?;
        let health = Arc::new(Health::default());
        let following = (Arc::clone(&index), Arc::clone(&health));
        let search = SearchFollower::new(config.data.join("search"), config.facets.clone(), following)?;
        let cores = threads::available();
        Ok(App(Arc::new(Shared {
            rates: RateLimiter::new(config.rate),
            work: WorkLimiter::new(config.workers, config.queue),
            body_memory: MemoryBudget::new(config.max_buffered),
            bulk_streams: Arc::new(Semaphore::new(config.bulk_streams)),
            reader: FileReader::start(session.file_reader()?, extraction, cores)?,
            metrics: Metrics::default(),
            maintenance: Maintenance::new(Arc::clone(&index), Arc::clone(&health), config.data.clone()),
            health,
            removals: Removals::new(&config.data),
            review: ReviewStore::open(&config.data)?,
            surveys: Surveys::new(Arc::clone(&index)),
            stopping: watch::Sender::new(false),
            config,
            index,
            jobs,
            search,
            registry,
            tokens: Arc::new(tokens),
        })))
    }

    pub fn is_stopping(&self) -> bool {
        *self.stopping.borrow()
    }

    /// Closes the index if nobody else uses it any more; otherwise writes a checkpoint.
    pub fn close(self) -> Result<()> {
        match Arc::try_unwrap(self.0).map(|shared| Arc::try_unwrap(shared.index)) {
            Ok(Ok(index)) => index.close(),
            Ok(Err(index)) => index.writer().checkpoint(),
            Err(shared) => shared.index.writer().checkpoint(),
        }
    }
}

impl Deref for App {
    type Target = Shared;

    fn deref(&self) -> &Shared {
        &self.0
    }
}
