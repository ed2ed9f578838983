//! Asks a running service at a fixed rate and tells how long answers took. Used by `bench/online`.
//!
//! ```sh
//! cargo run --release -p lookalike-server --example load -- 127.0.0.1:8080 QUERIES.jsonl RATE SECONDS IDLE check|mixed [CERTIFICATE.pem]
//! ```
//!
//! With a certificate it asks by TLS, and trusts that one.
//!
//! Requests are due at fixed times whatever the service does, and a time is counted from when the request was due: an
//! overloaded service cannot hide behind a generator that waits for it.

use std::io::{Read, Write};
use std::net::TcpStream;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use rustls::crypto::ring;
use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, ServerName};
use rustls::{ClientConfig, ClientConnection, RootCertStore, StreamOwned};

const THREADS: usize = 32;
/// Requests after which texts of a mixed load are others: two rounds of a thousand documents that are written.
const LAP: u64 = 10_000;

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [address, queries, rate, seconds, idle, kind, certificate @ ..] = &arguments[..] else {
        eprintln!("usage: load ADDRESS QUERIES RATE SECONDS IDLE check|mixed [CERTIFICATE]");
        std::process::exit(2);
    };
    let target = Target { address, tls: certificate.first().map(|path| trusting(path)) };
    let number = |text: &String| text.parse::<u64>().unwrap_or_else(|_| panic!("`{text}` is no number"));
    let (rate, seconds, idle) = (number(rate), number(seconds), number(idle));
    let text = std::fs::read_to_string(queries).unwrap_or_else(|error| panic!("{queries}: {error}"));
    let queries: Vec<&str> = text.lines().collect();
    let idle: Vec<TcpStream> = (0..idle).filter_map(|place| bystander(address, place)).collect();
    let (next, errors) = (AtomicU64::new(0), AtomicU64::new(0));
    let times = Mutex::new(Vec::new());
    let began = Instant::now();
    std::thread::scope(|scope| {
        for _ in 0..THREADS {
            scope.spawn(|| {
                let mut connection = None;
                let mut own = Vec::new();
                loop {
                    let ticket = next.fetch_add(1, Ordering::Relaxed);
                    if ticket >= rate * seconds {
                        break;
                    }
                    let due = began + Duration::from_secs_f64(ticket as f64 / rate as f64);
                    std::thread::sleep(due.saturating_duration_since(Instant::now()));
                    let request = request(address, kind == "mixed", ticket, &queries);
                    match ask(&target, &mut connection, &request) {
                        // A document that was removed or not added yet is no error; any other refusal is.
                        Ok(200..300 | 404) => {}
                        _ => {
                            errors.fetch_add(1, Ordering::Relaxed);
                        }
                    }
                    own.push((ticket, due.elapsed().as_secs_f64() * 1e3));
                }
                times.lock().unwrap().append(&mut own);
            });
        }
    });
    let mut times = times.into_inner().unwrap();
    times.sort_by_key(|&(ticket, _)| ticket);
    let at = |times: &[(u64, f64)], share: f64| {
        let mut sorted: Vec<f64> = times.iter().map(|&(_, time)| time).collect();
        sorted.sort_by(f64::total_cmp);
        sorted.get(((sorted.len().max(1) - 1) as f64 * share) as usize).copied().unwrap_or(0.0)
    };
    let tenth = times.len().div_ceil(10).max(1);
    let (first, last) = (&times[..tenth.min(times.len())], &times[times.len().saturating_sub(tenth)..]);
    println!(
        "{{\"requests\":{},\"errors\":{},\"idle\":{},\"p50_ms\":{:.3},\"p99_ms\":{:.3},\"worst_ms\":{:.3},\"p99_drift\":{:.3}}}",
        times.len(),
        errors.into_inner(),
        idle.len(),
        at(&times, 0.5),
        at(&times, 0.99),
        at(&times, 1.0),
        at(last, 0.99) / at(first, 0.99).max(1e-9),
    );
}

/// Where the service is, and by which certificate it is known if it answers by TLS.
struct Target<'a> {
    address: &'a str,
    tls: Option<Arc<ClientConfig>>,
}

trait Connection: Read + Write {}
impl<S: Read + Write> Connection for S {}

impl Target<'_> {
    fn connect(&self) -> std::io::Result<Box<dyn Connection>> {
        let stream = TcpStream::connect(self.address)?;
        stream.set_nodelay(true)?;
        stream.set_read_timeout(Some(Duration::from_secs(30)))?;
        let Some(tls) = &self.tls else { return Ok(Box::new(stream)) };
        let host = self.address.rsplit_once(':').map_or(self.address, |(host, _)| host);
        let name = ServerName::try_from(host.to_owned()).map_err(std::io::Error::other)?;
        let client = ClientConnection::new(Arc::clone(tls), name).map_err(std::io::Error::other)?;
        Ok(Box::new(StreamOwned::new(client, stream)))
    }
}

fn trusting(path: &str) -> Arc<ClientConfig> {
    let mut trusted = RootCertStore::empty();
    let certificate = CertificateDer::from_pem_file(path).unwrap_or_else(|error| panic!("{path}: {error}"));
    trusted.add(certificate).unwrap_or_else(|error| panic!("{path}: {error}"));
    let config = ClientConfig::builder_with_provider(Arc::new(ring::default_provider()))
        .with_safe_default_protocol_versions()
        .unwrap_or_else(|error| panic!("{error}"));
    Arc::new(config.with_root_certificates(trusted).with_no_client_auth())
}

/// A connection that says nothing, or begins a request that it never ends.
fn bystander(address: &str, place: u64) -> Option<TcpStream> {
    let mut stream = TcpStream::connect(address).ok()?;
    if place % 2 == 1 {
        stream.write_all(b"POST /api/check HTTP/1.1\r\nHost: x\r\nContent-Le").ok()?;
    }
    Some(stream)
}

fn request(address: &str, mixed: bool, ticket: u64, queries: &[&str]) -> Vec<u8> {
    let post = |path: &str, body: &str| {
        format!(
            "POST {path} HTTP/1.1\r\nHost: {address}\r\nContent-Type: application/json\r\nContent-Length: {}\r\n\r\n{body}",
            body.len()
        )
    };
    // Documents that are written have the number of their query. With as many queries as the bench has, that number
    // leaves 0 to 3 when divided by 20; with an odd count some of the look-ups and removals meet none.
    let count = queries.len() as u64;
    let number = ticket % count;
    let bare = |method: &str, path: String| format!("{method} {path} HTTP/1.1\r\nHost: {address}\r\n\r\n");
    let earlier = |back: u64| format!("/api/documents/soak-{}", (number + count - back % count) % count);
    let query = queries[number as usize];
    let text = match (mixed, ticket % 20) {
        (true, 0..4) => {
            // Ids come again, with a changed text every second time.
            let body = query.replacen("\"query-", "\"soak-", 1);
            let end = format!(" {}\"}}", ticket / LAP);
            post("/api/documents", &format!("{}{end}", body.strip_suffix("\"}").unwrap_or(&body)))
        }
        (true, 4) => bare("GET", earlier(1004)),
        // One in four of those that are written.
        (true, 5) => bare("DELETE", earlier(2004)),
        (true, 6) => bare("GET", format!("/api/search?q={}", some_words(query))),
        _ => post("/api/check", query),
    };
    text.into_bytes()
}

/// Three neighbouring words of a document, to search for.
fn some_words(query: &str) -> String {
    let text = query.split_once("\"text\"").map_or(query, |(_, text)| text);
    let words = text.split(|c: char| !c.is_ascii_alphabetic()).filter(|word| word.len() > 3);
    words.skip(20).take(3).collect::<Vec<_>>().join("+")
}

/// Sends a request on a connection that is kept, and reads the answer to its end.
fn ask(
    target: &Target<'_>,
    connection: &mut Option<Box<dyn Connection>>,
    request: &[u8],
) -> std::io::Result<u16> {
    let outcome = (|| {
        let stream = match connection {
            Some(stream) => stream,
            None => connection.insert(target.connect()?),
        };
        stream.write_all(request)?;
        stream.flush()?;
        read_answer(&mut **stream)
    })();
    if outcome.is_err() {
        *connection = None;
    }
    outcome
}

fn read_answer(stream: &mut dyn Connection) -> std::io::Result<u16> {
    let broken = || std::io::Error::other("no HTTP");
    let mut bytes = Vec::new();
    let mut buffer = [0; 16 << 10];
    loop {
        let read = stream.read(&mut buffer)?;
        if read == 0 {
            return Err(broken());
        }
        bytes.extend_from_slice(&buffer[..read]);
        let Some(end) = bytes.windows(4).position(|four| four == b"\r\n\r\n") else { continue };
        let head = String::from_utf8_lossy(&bytes[..end]).to_ascii_lowercase();
        let status =
            head.split_whitespace().nth(1).and_then(|status| status.parse().ok()).ok_or_else(broken)?;
        let length =
            head.lines().find_map(|line| line.strip_prefix("content-length:")?.trim().parse::<usize>().ok());
        if bytes.len() >= end + 4 + length.unwrap_or(0) {
            return Ok(status);
        }
    }
}
