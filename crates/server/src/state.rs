//! What all handlers share.

use lookalike::Session;
use lookalike_core::threads;
use std::ops::Deref;
use std::sync::Arc;

use crate::jobs::Jobs;
use lookalike::index::Index;
use lookalike::{Recipe, Registry, Result};
use tokio::sync::{Semaphore, watch};

use crate::access::{Caller, RateLimiter, TokenStore};
use crate::audit::Audit;
use crate::config::Config;
use crate::health::Health;
use crate::maintenance::Maintenance;
use crate::memory_budget::MemoryBudget;
use crate::metrics::Metrics;
use crate::reader::FileReader;
use crate::removals::Removals;
use crate::review::ReviewStore;
use crate::search::SearchFollower;
use crate::snapshots::Snapshots;
use crate::surveys::Surveys;
use crate::traces::Traces;
use crate::work_limiter::WorkLimiter;

/// Requests a second with a wrong token, from each address.
const WRONG_TOKENS: u32 = 50;

/// A handle to the service; cheap to clone.
#[derive(Clone)]
pub struct App(Arc<Shared>);

pub struct Shared {
    pub config: Config,
    pub index: Arc<Index>,
    pub jobs: Arc<Jobs>,
    pub search: Arc<SearchFollower>,
    pub surveys: Arc<Surveys>,
    pub removals: Arc<Removals>,
    pub review: Arc<ReviewStore>,
    pub registry: Registry,
    pub tokens: Arc<TokenStore>,
    pub rates: RateLimiter,
    /// By address.
    pub address_rates: RateLimiter,
    /// The same for requests with a wrong token or none.
    pub wrong_tokens: RateLimiter,
    pub audit: Audit,
    pub work: WorkLimiter,
    /// The memory for request bodies.
    pub body_memory: MemoryBudget,
    pub bulk_streams: Arc<Semaphore>,
    pub reader: FileReader,
    pub metrics: Metrics,
    pub traces: Traces,
    pub health: Arc<Health>,
    pub maintenance: Arc<Maintenance>,
    pub snapshots: Arc<Snapshots>,
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
        let maintenance = Maintenance::new(Arc::clone(&index), Arc::clone(&health), config.data.clone());
        let removals = Arc::new(Removals::new(&config.data));
        let review = Arc::new(ReviewStore::open(&config.data)?);
        Ok(App(Arc::new(Shared {
            rates: RateLimiter::new(config.rate),
            address_rates: RateLimiter::new(config.address_rate),
            wrong_tokens: RateLimiter::new(WRONG_TOKENS),
            audit: Audit::new(&config.data),
            work: WorkLimiter::new(config.workers, config.queue),
            body_memory: MemoryBudget::new(config.max_buffered),
            bulk_streams: Arc::new(Semaphore::new(config.bulk_streams)),
            reader: FileReader::start(session.file_reader()?, extraction, cores)?,
            metrics: Metrics::default(),
            traces: Traces::new(config.trace_share),
            snapshots: Snapshots::new(&config, &maintenance, &removals, &review)?,
            maintenance,
            health,
            removals,
            review,
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

    /// Records what a caller did. If that fails it is told in the log and the metrics: it is done already.
    pub fn record(&self, caller: &Caller, action: &str, what: serde_json::Value) {
        if let Err(error) = self.audit.record(caller, action, what) {
            self.health.note_error(&error, "who did what could not be written down");
        }
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
