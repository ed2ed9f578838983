//! What all handlers share.

use std::ops::Deref;
use std::sync::Arc;

use crate::jobs::Jobs;
use lookalike::extract::worker::Program;
use lookalike::index::Index;
use lookalike::{Recipe, Registry, Result};
use tokio::sync::{Semaphore, watch};

use crate::access::{Rates, TokenStore};
use crate::body::Room;
use crate::config::Config;
use crate::gate::Gate;
use crate::health::Health;
use crate::maintenance::Maintenance;
use crate::metrics::Metrics;
use crate::reader::Reader;
use crate::removals::Removals;
use crate::search::Following;
use crate::surveys::Surveys;

/// A handle to the service; cheap to copy.
#[derive(Clone)]
pub struct App(Arc<Shared>);

pub struct Shared {
    pub config: Config,
    pub index: Arc<Index>,
    pub jobs: Arc<Jobs>,
    pub search: Arc<Following>,
    pub surveys: Arc<Surveys>,
    pub removals: Removals,
    pub registry: Registry,
    pub tokens: Arc<TokenStore>,
    pub rates: Rates,
    pub gate: Gate,
    pub room: Room,
    pub bulk_streams: Arc<Semaphore>,
    pub reader: Reader,
    pub metrics: Metrics,
    pub health: Arc<Health>,
    pub maintenance: Maintenance,
    /// Whether the service was told to stop.
    pub stopping: watch::Sender<bool>,
}

impl App {
    pub fn new(config: Config, index: Index, tokens: TokenStore, program: &Program) -> Result<App> {
        let registry = Registry::with_built_ins();
        let extraction = Recipe::from_toml(&index.recipe(), &registry)?.extraction()?;
        let index = Arc::new(index);
        let jobs = Jobs::open(
            &config.data,
            &config.data.join("jobs"),
            config.corpora.clone(),
            Arc::clone(&index),
            Registry::with_built_ins(),
        )?;
        let health = Arc::new(Health::default());
        let following = (Arc::clone(&index), Arc::clone(&health));
        let search = Following::new(config.data.join("search"), config.facets.clone(), following)?;
        let cores = std::thread::available_parallelism().map_or(2, usize::from);
        Ok(App(Arc::new(Shared {
            rates: Rates::new(config.rate),
            gate: Gate::new(config.workers, config.queue),
            room: Room::new(config.max_buffered),
            bulk_streams: Arc::new(Semaphore::new(config.bulk_streams)),
            reader: Reader::start(program, extraction, cores)?,
            metrics: Metrics::default(),
            health,
            maintenance: Maintenance::default(),
            removals: Removals::new(&config.data),
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

    /// Ends the index if nobody else uses it any more; else writes what it holds.
    pub fn close(self) -> Result<()> {
        match Arc::try_unwrap(self.0).map(|shared| Arc::try_unwrap(shared.index)) {
            Ok(Ok(index)) => index.close(),
            Ok(Err(index)) => index.checkpoint(),
            Err(shared) => shared.index.checkpoint(),
        }
    }
}

impl Deref for App {
    type Target = Shared;

    fn deref(&self) -> &Shared {
        &self.0
    }
}
