//! Starts and stops the service.

use lookalike::Session;
use lookalike_core::threads;
use std::future::Future;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::{Duration, Instant};

use lookalike::index::{Index, QueryOptions, Refresh};
use lookalike::lexicon::NATIVE;
use lookalike::{Error, Recipe, Result};
use tokio::net::TcpListener;
use tokio::signal::unix::{SignalKind, signal};

use crate::access::{Admission, TokenStore};
use crate::config::Config;
use crate::net::Tls;
use crate::state::App;
use crate::{logs, net, routes};

const UPKEEP: Duration = Duration::from_secs(5);
/// How long the last traces may take to be sent.
const LAST_TRACES: Duration = Duration::from_secs(5);
const TRIM_INTERVAL: Duration = Duration::from_secs(60);

/// A service that listens but does not answer yet.
pub struct Server {
    listener: TcpListener,
    tls: Option<Arc<Tls>>,
    address: SocketAddr,
    app: App,
}

/// Runs the service until the process is told to stop. `recipe` is for an index that does not exist yet. Recipes
/// may name the parts of the session, whose program reads files. `begun` gets the address when the service listens.
pub fn serve(
    session: &Session,
    config: Config,
    recipe: Option<&Recipe>,
    begun: impl FnOnce(SocketAddr),
) -> Result<()> {
    logs::start(&config)?;
    limit_heap_growth();
    let shutdown_time = config.shutdown_time;
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .enable_all()
        // The threads that work on the index, two maintenance tasks, and a few for the runtime itself.
        .max_blocking_threads(config.workers + 8)
        .build()
        .map_err(|error| Error::Internal(format!("cannot start threads: {error}")))?;
    let outcome = runtime.block_on(async {
        let mut terminate = signal(SignalKind::terminate()).map_err(no_signals)?;
        let mut interrupt = signal(SignalKind::interrupt()).map_err(no_signals)?;
        let mut hang_up = signal(SignalKind::hangup()).map_err(no_signals)?;
        let server = Server::start(session, config, recipe).await?;
        begun(server.address());
        let (tokens, tls) = (Arc::clone(&server.app.tokens), server.tls.clone());
        let stop = async move {
            loop {
                tokio::select! {
                    _ = terminate.recv() => return,
                    _ = interrupt.recv() => return,
                    // Closing the terminal does not end the service; others send this signal to have files read
                    // again.
                    _ = hang_up.recv() => {
                        tracing::info!("SIGHUP: tokens and certificate are read again");
                        tokens.reload();
                        if let Some(Err(error)) = tls.as_ref().map(|tls| tls.reload()) {
                            tracing::error!(%error, "the certificate read before is used on");
                        }
                    }
                }
            }
        };
        server.run(stop).await
    });
    runtime.shutdown_timeout(shutdown_time);
    outcome
}

fn no_signals(error: std::io::Error) -> Error {
    Error::Internal(format!("cannot wait for signals: {error}"))
}

impl Server {
    /// Binds the address, and opens the index or creates one.
    pub async fn start(session: &Session, mut config: Config, recipe: Option<&Recipe>) -> Result<Server> {
        if config.data.as_os_str().is_empty() {
            return Err(Error::config("name a folder for the service's data: --data DIR"));
        }
        config.check()?;
        std::fs::create_dir_all(&config.data).map_err(Error::io(&config.data))?;
        let tokens = TokenStore::open(&config.data)?;
        let is_open = tokens.admission() == Admission::Local && config.people.user.is_none();
        if is_open && !config.listen.ip().is_loopback() {
            return Err(Error::config(format!(
                "{} can be reached by others, which needs a token: `lookalike serve token add NAME --role ROLE`",
                config.listen
            )));
        }
        let tls = match (&config.tls_certificate, &config.tls_key) {
            (Some(certificate), Some(key)) => Some(Arc::new(Tls::open(certificate, key)?)),
            (None, None) => None,
            _ => return Err(Error::config("for TLS, set both `tls_certificate` and `tls_key`")),
        };
        let address = config.listen.to_string();
        let listener = TcpListener::bind(config.listen).await.map_err(Error::io(&address))?;
        // With port 0 the system chooses one.
        config.listen = listener.local_addr().map_err(Error::io(&address))?;
        let (settings, recipe) = (config.clone(), recipe.cloned());
        let ours = session.clone();
        let index = tokio::task::spawn_blocking(move || open(&ours, &settings, recipe.as_ref())).await;
        let index = index.map_err(|error| Error::Internal(format!("opening the index: {error}")))??;
        let address = config.listen;
        let app = App::new(session, config, index, tokens)?;
        Ok(Server { listener, tls, address, app })
    }

    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// Answers requests until `stop`; then finishes running requests and closes the index.
    pub async fn run(self, stop: impl Future<Output = ()>) -> Result<()> {
        let Server { listener, tls, address, app } = self;
        tracing::info!(%address, tls = tls.is_some(), data = %app.config.data.display(), "listening");
        let traces = app.config.traces.as_deref().map(|url| app.traces.start(url)).transpose()?;
        let upkeep = tokio::spawn(upkeep(app.clone()));
        let (jobs, search, surveys) = (app.jobs.clone(), app.search.clone(), app.surveys.clone());
        let health = app.health.clone();
        let work = [
            std::thread::spawn(move || jobs.work(&|error| health.note_error(error, "a job failed"))),
            in_background(5, move || search.follow()),
            // Nobody waits for its results.
            in_background(19, move || surveys.follow()),
        ];
        app.maintenance.resume(&app.registry);
        net::serve(listener, tls, routes::router(&app), &app, stop).await;
        // Unfinished jobs continue when the service starts again.
        app.jobs.close();
        app.search.close();
        app.surveys.close();
        let _ = tokio::task::spawn_blocking(move || work.map(std::thread::JoinHandle::join)).await;
        app.traces.close();
        if let Some(traces) = traces {
            let _ = tokio::time::timeout(LAST_TRACES, traces).await;
        }
        upkeep.abort();
        let _ = upkeep.await;
        let closed = tokio::task::spawn_blocking(move || app.close()).await;
        let outcome =
            closed.unwrap_or_else(|error| Err(Error::Internal(format!("closing the index: {error}"))));
        tracing::info!("stopped");
        outcome
    }
}

/// A thread with low priority; threads that it starts inherit it.
fn in_background(niceness: i32, work: impl FnOnce() + Send + 'static) -> std::thread::JoinHandle<()> {
    std::thread::spawn(move || {
        // On Linux this affects only the thread. If it fails, requests are only slower.
        let _ = rustix::process::nice(niceness);
        work();
    })
}

/// Periodic work: expiry and counted hits of the index, memory and disk space.
async fn upkeep(app: App) {
    let mut trimmed = Instant::now();
    loop {
        tokio::time::sleep(UPKEEP).await;
        if trimmed.elapsed() >= TRIM_INTERVAL {
            trimmed = Instant::now();
            let _ = tokio::task::spawn_blocking(trim_heap).await;
            app.maintenance.compact_if_due();
        }
        app.maintenance.refresh_if_due();
        app.snapshots.take_if_due();
        let index = app.index.clone();
        let ticked = app.work.write_patiently(move || index.writer().tick(QueryOptions::default().now)).await;
        if let Ok(Err(error)) = ticked {
            app.health.note_error(&error, "upkeep of the index failed");
        }
    }
}

/// Two habits of glibc make the memory of a service grow for hours. It learns from the first large blocks that are
/// freed to keep blocks of up to 32 MB for reuse, and search takes and frees such blocks with every commit. And it
/// spreads threads over eight times as many heaps as there are cores, each with its own unused gaps.
fn limit_heap_growth() {
    #[cfg(all(target_os = "linux", target_env = "gnu"))]
    {
        let cores = threads::available();
        // SAFETY: neither call takes a pointer, and only this process's allocator is told.
        unsafe {
            libc::mallopt(libc::M_MMAP_THRESHOLD, 1 << 20);
            libc::mallopt(libc::M_ARENA_MAX, cores.min(1 << 10) as i32);
        }
    }
}

/// Returns unused pages between allocated blocks to the system.
fn trim_heap() {
    #[cfg(all(target_os = "linux", target_env = "gnu"))]
    // SAFETY: it takes no pointer, and any thread may call it at any time.
    unsafe {
        libc::malloc_trim(0);
    }
}

fn open(session: &Session, config: &Config, recipe: Option<&Recipe>) -> Result<Index> {
    let folder = config.data.join("index");
    // A folder without this file is left from an interrupted creation.
    if !folder.join("index.json").exists() {
        let recipe = recipe.map_or_else(|| session.standard(), |recipe| Ok(recipe.clone()))?;
        return session.create_refreshed_index(&folder, &recipe, config.refresh(Refresh::default())?);
    }
    let index = session.open_index(&folder)?;
    if let Some(recipe) = recipe
        // An index of an earlier version has the recipe as it was given.
        && ![recipe.to_stored(), recipe.to_toml()].contains(&index.recipe())
    {
        return Err(Error::config(format!(
            "{} was made by another recipe; leave the recipe out, or change it with POST /api/admin/resign",
            folder.display()
        )));
    }
    let refresh = config.refresh(index.refresh())?;
    index.writer().set_refresh(refresh)?;
    if refresh.is_on() && !session.recipe_of(&index)?.uses_lexicon(NATIVE, session.registry())? {
        tracing::warn!("the lexicon is never counted again: the recipe of the index does not name `native`");
    }
    Ok(index)
}
