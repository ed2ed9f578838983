//! Traces of requests for a collector that speaks the protocol of OpenTelemetry.
//!
//! A request becomes a span, and what it did in the meantime (waited for a worker, worked) spans below it. A caller that
//! is traced itself sends `traceparent`, and the request becomes a part of its trace. Spans go to the sender through a
//! queue: if the collector is slow or away they are dropped and counted, and no request waits.

mod export;

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Instant, SystemTime, UNIX_EPOCH};

use axum::http::HeaderMap;
use lookalike::Result;
use tokio::sync::mpsc;
use tokio::task::JoinHandle;

use self::export::Exporter;

/// So many finished requests may wait to be sent.
const QUEUE: usize = 4096;
const TRACE_PARENT: &str = "traceparent";

tokio::task_local! {
    /// The trace of the request that a task answers.
    static CURRENT: Option<Arc<Trace>>;
}

/// Where spans go, and how many of them.
pub struct Traces {
    queue: Mutex<Option<mpsc::Sender<Finished>>>,
    /// The share of requests that are traced, of those whose caller does not say.
    share: f64,
    dropped: Arc<AtomicU64>,
}

/// A request that is being answered.
pub struct Trace {
    id: [u8; 16],
    span: [u8; 8],
    parent: Option<[u8; 8]>,
    began: Instant,
    /// The same moment, in nanoseconds since 1970.
    began_at: u64,
    steps: Mutex<Vec<Step>>,
}

/// Something that a request did.
struct Step {
    name: &'static str,
    span: [u8; 8],
    began: Instant,
    ended: Instant,
}

/// A request that was answered.
struct Finished {
    trace: Arc<Trace>,
    ended: Instant,
    method: String,
    route: String,
    status: u16,
    /// Who asked; empty if nobody was let in.
    caller: String,
}

impl Traces {
    /// Nothing is traced without an address.
    pub fn new(share: f64) -> Self {
        Traces { queue: Mutex::new(None), share, dropped: Arc::default() }
    }

    /// Begins to send spans to a collector; the task ends after [`Traces::close`].
    pub fn start(&self, url: &str) -> Result<JoinHandle<()>> {
        let (sender, receiver) = mpsc::channel(QUEUE);
        let exporter = Exporter::new(url, Arc::clone(&self.dropped))?;
        *self.lock() = Some(sender);
        Ok(tokio::spawn(exporter.run(receiver)))
    }

    /// Ends the queue: what is in it is sent, and no more.
    pub fn close(&self) {
        self.lock().take();
    }

    /// Requests whose spans were not sent.
    pub fn dropped(&self) -> u64 {
        self.dropped.load(Ordering::Relaxed)
    }

    /// The trace of a request with these headers, if it is to have one.
    pub fn begin(&self, headers: &HeaderMap) -> Option<Arc<Trace>> {
        self.lock().as_ref()?;
        let parent = headers.get(TRACE_PARENT).and_then(|value| Parent::parse(value.to_str().ok()?));
        let (mut id, mut span) = ([0; 16], [0; 8]);
        // Without random numbers nothing is traced, which is no reason not to answer.
        getrandom::fill(&mut id).and_then(|()| getrandom::fill(&mut span)).ok()?;
        let is_wanted = match &parent {
            Some(parent) => parent.is_traced,
            None => share_of(&id) < self.share,
        };
        if !is_wanted {
            return None;
        }
        let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        Some(Arc::new(Trace {
            id: parent.as_ref().map_or(id, |parent| parent.trace),
            span,
            parent: parent.map(|parent| parent.span),
            began: Instant::now(),
            began_at: u64::try_from(now.as_nanos()).unwrap_or(u64::MAX),
            steps: Mutex::default(),
        }))
    }

    /// Hands over a request that was answered.
    pub fn end(&self, trace: Arc<Trace>, method: &str, route: &str, status: u16, caller: &str) {
        let Some(queue) = self.lock().clone() else { return };
        let (method, route, caller) = (method.to_owned(), route.to_owned(), caller.to_owned());
        let finished = Finished { trace, ended: Instant::now(), method, route, status, caller };
        if queue.try_send(finished).is_err() {
            self.dropped.fetch_add(1, Ordering::Relaxed);
        }
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, Option<mpsc::Sender<Finished>>> {
        self.queue.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Trace {
    /// For the log.
    pub fn id(&self) -> String {
        hex(&self.id)
    }
}

/// Answers a request, with its trace at hand for [`step`].
pub async fn within<T>(trace: Option<Arc<Trace>>, answer: impl Future<Output = T>) -> T {
    CURRENT.scope(trace, answer).await
}

/// Notes what the request that this task answers did from a moment until now.
pub fn step(name: &'static str, began: Instant, ended: Instant) {
    let note = |trace: &Option<Arc<Trace>>| {
        let Some(trace) = trace else { return };
        let mut span = [0; 8];
        if getrandom::fill(&mut span).is_ok() {
            let mut steps = trace.steps.lock().unwrap_or_else(PoisonError::into_inner);
            steps.push(Step { name, span, began, ended });
        }
    };
    // Upkeep answers no request.
    let _ = CURRENT.try_with(note);
}

/// What a caller says about its own trace.
struct Parent {
    trace: [u8; 16],
    span: [u8; 8],
    is_traced: bool,
}

impl Parent {
    /// Reads `00-TRACE-SPAN-FLAGS`; later versions may have more parts.
    fn parse(text: &str) -> Option<Parent> {
        let mut parts = text.trim().split('-');
        let (version, trace, span, flags) = (parts.next()?, parts.next()?, parts.next()?, parts.next()?);
        let version = bytes::<1>(version)?;
        let (trace, span, [flags]) = (bytes::<16>(trace)?, bytes::<8>(span)?, bytes::<1>(flags)?);
        let is_known = match version {
            [0] => parts.next().is_none(),
            [version] => version != u8::MAX,
        };
        let is_sound = is_known && trace != [0; 16] && span != [0; 8];
        is_sound.then_some(Parent { trace, span, is_traced: flags & 1 == 1 })
    }
}

fn bytes<const N: usize>(text: &str) -> Option<[u8; N]> {
    let is_hex = |byte: u8| byte.is_ascii_digit() || (b'a'..=b'f').contains(&byte);
    if text.len() != 2 * N || !text.bytes().all(is_hex) {
        return None;
    }
    let mut bytes = [0; N];
    for (byte, place) in bytes.iter_mut().zip((0..).step_by(2)) {
        *byte = u8::from_str_radix(&text[place..place + 2], 16).ok()?;
    }
    Some(bytes)
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

/// A number from 0 to below 1 that is the same for all who see the id.
fn share_of(id: &[u8; 16]) -> f64 {
    let [.., a, b, c, d] = *id;
    f64::from(u32::from_be_bytes([a, b, c, d])) / (f64::from(u32::MAX) + 1.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    const TRACE: &str = "0af7651916cd43dd8448eb211c80319c";
    const SPAN: &str = "b7ad6b7169203331";

    #[test]
    fn the_parent_is_read_as_the_standard_says() {
        let parent = Parent::parse(&format!("00-{TRACE}-{SPAN}-01")).unwrap();
        assert_eq!((hex(&parent.trace), hex(&parent.span)), (TRACE.to_owned(), SPAN.to_owned()));
        assert!(parent.is_traced);
        assert!(!Parent::parse(&format!("00-{TRACE}-{SPAN}-00")).unwrap().is_traced);
        assert!(Parent::parse(&format!("cc-{TRACE}-{SPAN}-01-later")).unwrap().is_traced);
        for wrong in [
            String::new(),
            format!("ff-{TRACE}-{SPAN}-01"),
            format!("00-{TRACE}-{SPAN}-01-more"),
            format!("00-{}-{SPAN}-01", "0".repeat(32)),
            format!("00-{TRACE}-{}-01", "0".repeat(16)),
            format!("00-{}-{SPAN}-01", TRACE.to_uppercase()),
            format!("00-{}-{SPAN}-01", "é".repeat(16)),
            format!("00-{TRACE}-{SPAN}"),
        ] {
            assert!(Parent::parse(&wrong).is_none(), "{wrong}");
        }
    }

    #[test]
    fn without_a_collector_nothing_is_traced() {
        assert!(Traces::new(1.0).begin(&HeaderMap::new()).is_none());
    }

    #[test]
    fn a_share_is_traced_unless_the_caller_says() {
        let (sender, _receiver) = mpsc::channel(1);
        let traces = Traces::new(0.25);
        *traces.lock() = Some(sender);
        let traced = (0..4000).filter(|_| traces.begin(&HeaderMap::new()).is_some()).count();
        assert!((800..1200).contains(&traced), "{traced}");
        for (flags, wanted) in [("01", true), ("00", false)] {
            let parent = format!("00-{TRACE}-{SPAN}-{flags}");
            let headers = HeaderMap::from_iter([(
                axum::http::HeaderName::from_static(TRACE_PARENT),
                parent.parse().unwrap(),
            )]);
            assert!((0..100).all(|_| traces.begin(&headers).is_some() == wanted), "{flags}");
        }
        let trace = traces
            .begin(&HeaderMap::new())
            .or_else(|| std::iter::repeat_with(|| traces.begin(&HeaderMap::new())).find_map(|trace| trace));
        let trace = trace.unwrap();
        for _ in 0..3 {
            traces.end(Arc::clone(&trace), "GET", "/api/stats", 200, "");
        }
        assert_eq!(traces.dropped(), 2, "the queue takes one");
    }
}
