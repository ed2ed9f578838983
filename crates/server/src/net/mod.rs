//! Connections: accepts, limits, serves and ends them.
//!
//! A connection that has sent nothing yet costs a task and a socket, but no buffers and no worker. One that is slow
//! with its head is closed after a time, as is one that does not read its answer. Connections beyond the limit are
//! answered with 503 and closed at once.

mod timed_stream;
mod tls;

use std::future::Future;
use std::io::Write;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use axum::Router;
use axum::http::Request;
use hyper::body::Incoming;
use hyper::server::conn::http1;
use hyper::service::{Service, service_fn};
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::service::TowerToHyperService;
use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::Semaphore;
use tokio_rustls::TlsAcceptor;

use self::timed_stream::TimedStream;
pub use self::tls::Tls;
use crate::address::PeerAddress;
use crate::prefix;
use crate::state::App;

/// How many open files the index, the file readers and the log need besides the connections.
const OTHER_FILES: u64 = 512;
/// Bytes for a request's head, and the most that is read of a body at once.
const BUFFER: usize = 64 << 10;
const FULL: &[u8] =
    b"HTTP/1.1 503 Service Unavailable\r\ncontent-type: application/json\r\nretry-after: 5\r\n\
connection: close\r\ncontent-length: 85\r\n\r\n\
{\"error\":{\"code\":\"busy\",\"message\":\"the service has as many connections as it takes\"}}";

/// Serves until `stop`, then until all requests are answered or the time for that is over.
pub async fn serve(
    listener: TcpListener,
    tls: Option<Arc<Tls>>,
    router: Router,
    app: &App,
    stop: impl Future<Output = ()>,
) {
    let most = allowed_connections(app.config.connections);
    let places = Arc::new(Semaphore::new(most));
    tokio::pin!(stop);
    loop {
        let accepted = tokio::select! {
            () = &mut stop => break,
            accepted = listener.accept() => accepted,
        };
        let (stream, peer) = match accepted {
            Ok(accepted) => accepted,
            Err(error) => {
                // Too many open files, or the connection is already gone: the next one may succeed.
                tracing::warn!(%error, "a connection could not be accepted");
                tokio::time::sleep(Duration::from_millis(20)).await;
                continue;
            }
        };
        let Ok(place) = Arc::clone(&places).try_acquire_owned() else {
            // Words that are not encrypted would mean nothing there.
            if tls.is_none() {
                refuse(stream);
            }
            continue;
        };
        let (app, router, peer) = (app.clone(), router.clone(), PeerAddress(peer.ip()));
        let acceptor = tls.as_ref().map(|tls| tls.acceptor());
        tokio::spawn(async move {
            app.metrics.connections.fetch_add(1, Ordering::Relaxed);
            connection(stream, peer, acceptor, router, &app).await;
            app.metrics.connections.fetch_sub(1, Ordering::Relaxed);
            drop(app);
            drop(place);
        });
    }
    drop((listener, router));
    app.stopping.send_replace(true);
    let all = u32::try_from(most).unwrap_or(u32::MAX);
    if tokio::time::timeout(app.config.shutdown_time, places.acquire_many(all)).await.is_err() {
        tracing::warn!("some requests were not answered in time");
    }
}

async fn connection(
    stream: TcpStream,
    peer: PeerAddress,
    acceptor: Option<TlsAcceptor>,
    router: Router,
    app: &App,
) {
    let mut stopping = app.stopping.subscribe();
    let told = async move {
        // This only fails when the service is gone, which means the same.
        let _ = stopping.wait_for(|stopping| *stopping).await;
    };
    tokio::pin!(told);
    tokio::select! {
        () = &mut told => return,
        begun = tokio::time::timeout(app.config.header_time, stream.readable()) => {
            if !matches!(begun, Ok(Ok(()))) {
                return;
            }
        }
    }
    // Answers are written as a whole; waiting for more data would only delay them.
    let _ = stream.set_nodelay(true);
    let stream = TimedStream::new(stream, app.config.request_time);
    let Some(acceptor) = acceptor else { return answer(stream, peer, told, router, app).await };
    let accepted = tokio::select! {
        () = &mut told => return,
        accepted = tokio::time::timeout(app.config.header_time, acceptor.accept(stream)) => accepted,
    };
    match accepted {
        Ok(Ok(stream)) => answer(stream, peer, told, router, app).await,
        Ok(Err(error)) => tracing::debug!(%error, "a connection did not agree on TLS"),
        Err(_) => {}
    }
}

/// Answers the requests of a connection until it ends, or until the service is told to stop.
async fn answer(
    stream: impl AsyncRead + AsyncWrite + Unpin,
    peer: PeerAddress,
    mut told: Pin<&mut impl Future<Output = ()>>,
    router: Router,
    app: &App,
) {
    let io = TokioIo::new(stream);
    let mut builder = http1::Builder::new();
    builder.timer(TokioTimer::new()).header_read_timeout(app.config.header_time).max_buf_size(BUFFER);
    let router = TowerToHyperService::new(router);
    let served = builder.serve_connection(
        io,
        service_fn(|mut request: Request<Incoming>| {
            request.extensions_mut().insert(peer);
            prefix::take_off(&app.config.prefix, request.uri_mut());
            router.call(request)
        }),
    );
    tokio::pin!(served);
    let ended = tokio::select! {
        ended = &mut served => ended,
        () = &mut told => {
            served.as_mut().graceful_shutdown();
            served.await
        }
    };
    if let Err(error) = ended {
        tracing::debug!(%error, "a connection ended early");
    }
}

/// Answers 503 if that is possible without waiting.
fn refuse(stream: TcpStream) {
    if let Ok(mut stream) = stream.into_std() {
        let _ = stream.write(FULL);
    }
}

/// The number of connections that the limit of open files allows, at most `wanted`.
fn allowed_connections(wanted: usize) -> usize {
    let limit = getrlimit(Resource::Nofile);
    let needed = wanted as u64 + OTHER_FILES;
    let mut allowed = limit.current.unwrap_or(u64::MAX);
    if allowed < needed {
        let raised = limit.maximum.map_or(needed, |most| most.min(needed));
        if setrlimit(Resource::Nofile, Rlimit { current: Some(raised), maximum: limit.maximum }).is_ok() {
            allowed = raised;
        }
    }
    let room = usize::try_from(allowed.saturating_sub(OTHER_FILES)).unwrap_or(usize::MAX).max(16);
    if room < wanted {
        tracing::warn!(wanted, allowed = room, "the system's limit of open files allows fewer connections");
    }
    wanted.min(room)
}

#[cfg(test)]
mod tests {
    #[test]
    fn the_refusal_is_as_long_as_it_says() {
        let text = String::from_utf8(super::FULL.to_vec()).unwrap();
        let (head, body) = text.split_once("\r\n\r\n").unwrap();
        assert!(head.contains(&format!("content-length: {}", body.len())), "{}", body.len());
        assert!(serde_json::from_str::<serde_json::Value>(body).is_ok());
    }
}
