//! A server of S3, one that breaks on purpose before it, and the program with what it needs to talk to them.

use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use super::support::{Place, Run};

/// moto, which `setup test` installs. All that it has is in its memory.
pub struct S3 {
    child: Child,
    pub port: u16,
}

/// The server does not check signatures, but lets nobody in who has none.
const SIGNED: &str =
    "AWS4-HMAC-SHA256 Credential=someone/20260101/us-east-1/s3/aws4_request, SignedHeaders=host, Signature=0";

impl S3 {
    /// Starts one, with an empty bucket `bucket`.
    pub fn start() -> S3 {
        let own = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../target/objects/bin/moto_server");
        let program = if own.exists() { own.into_os_string() } else { "moto_server".into() };
        // A port that was free a moment ago; another process may take it, then another is tried.
        for _ in 0..10 {
            let port = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
            let mut command = Command::new(&program);
            command.args(["-H", "127.0.0.1", "-p", &port.to_string()]);
            let child = command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null()).spawn();
            let mut child = child.unwrap_or_else(|error| {
                panic!("no server of S3 ({error}): run `./setup test`, which installs moto")
            });
            let began = Instant::now();
            while began.elapsed() < Duration::from_secs(60) && child.try_wait().unwrap().is_none() {
                if TcpStream::connect(("127.0.0.1", port)).is_ok() {
                    let server = S3 { child, port };
                    assert_eq!(server.ask("PUT", "/bucket", b"").0, 200);
                    return server;
                }
                std::thread::sleep(Duration::from_millis(50));
            }
            let _ = child.kill();
            let _ = child.wait();
        }
        panic!("the server of S3 does not start: run `./setup test`, which installs moto");
    }

    fn ask(&self, method: &str, path: &str, body: &[u8]) -> (u16, Vec<u8>) {
        let head = format!(
            "{method} {path} HTTP/1.1\r\nHost: 127.0.0.1:{}\r\nContent-Length: {}\r\nAuthorization: {SIGNED}\r\n\
             Connection: close\r\n\r\n",
            self.port,
            body.len()
        );
        let answer = exchange(self.port, head.as_bytes(), body);
        let (head, body) = parted(&answer);
        (status_of(head), body.to_vec())
    }

    pub fn put(&self, key: &str, bytes: &[u8]) {
        assert_eq!(self.ask("PUT", &format!("/bucket/{key}"), bytes).0, 200, "{key}");
    }

    /// The content of an object, if there is one.
    pub fn get(&self, key: &str) -> Option<Vec<u8>> {
        let (status, body) = self.ask("GET", &format!("/bucket/{key}"), b"");
        (status == 200).then_some(body)
    }

    pub fn text(&self, key: &str) -> String {
        String::from_utf8(self.get(key).unwrap_or_else(|| panic!("there is no {key}"))).unwrap()
    }

    /// The keys of all objects, in order.
    pub fn keys(&self) -> Vec<String> {
        let listed = String::from_utf8(self.ask("GET", "/bucket", b"").1).unwrap();
        let keys = listed.split("<Key>").skip(1).map(|rest| rest.split("</Key>").next().unwrap());
        keys.map(str::to_owned).collect()
    }
}

impl Drop for S3 {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// A request as a server sees it.
pub struct Request {
    /// How many came before it.
    pub number: usize,
    pub head: String,
    pub body: Vec<u8>,
}

impl Request {
    /// A header's value.
    pub fn header(&self, name: &str) -> Option<&str> {
        let lines = self.head.lines().filter_map(|line| line.split_once(':'));
        lines.into_iter().find(|(found, _)| found.eq_ignore_ascii_case(name)).map(|(_, value)| value.trim())
    }

    pub fn is(&self, method: &str) -> bool {
        self.head.starts_with(&format!("{method} "))
    }

    pub fn path(&self) -> &str {
        self.head.split(' ').nth(1).unwrap()
    }

    /// First and last byte that are asked for.
    pub fn range(&self) -> Option<(usize, usize)> {
        let (first, last) = self.header("range")?.strip_prefix("bytes=")?.split_once('-')?;
        Some((first.parse().ok()?, last.parse().ok()?))
    }
}

/// Serves on a port of its own as long as the test runs: one answer for each connection, the bytes that `answer` makes.
pub fn serve(answer: impl Fn(&Request) -> Vec<u8> + Send + Sync + 'static) -> u16 {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    let (answer, count) = (Arc::new(answer), Arc::new(AtomicUsize::new(0)));
    std::thread::spawn(move || {
        for stream in listener.incoming() {
            let (answer, count) = (answer.clone(), count.clone());
            std::thread::spawn(move || {
                // A client may go away at any time.
                let _ = stream.map(|mut stream| {
                    let request = receive(&mut stream, &count)?;
                    stream.write_all(&answer(&request))
                });
            });
        }
    });
    port
}

fn receive(stream: &mut TcpStream, count: &AtomicUsize) -> std::io::Result<Request> {
    let (mut bytes, mut piece) = (Vec::new(), [0; 64 << 10]);
    let end = loop {
        if let Some(end) = bytes.windows(4).position(|window| window == b"\r\n\r\n") {
            break end + 4;
        }
        match stream.read(&mut piece)? {
            0 => return Err(std::io::ErrorKind::UnexpectedEof.into()),
            read => bytes.extend_from_slice(&piece[..read]),
        }
    };
    let mut body = bytes.split_off(end);
    let head = String::from_utf8(bytes).unwrap();
    let mut request = Request { number: count.fetch_add(1, Ordering::SeqCst), head, body: Vec::new() };
    let length: usize = request.header("content-length").map_or(0, |length| length.parse().unwrap());
    while body.len() < length {
        match stream.read(&mut piece)? {
            0 => return Err(std::io::ErrorKind::UnexpectedEof.into()),
            read => body.extend_from_slice(&piece[..read]),
        }
    }
    request.body = body;
    Ok(request)
}

/// What the server itself answers to a request.
pub fn forwarded(port: u16, request: &Request) -> Vec<u8> {
    let lines =
        request.head.trim_end().lines().filter(|line| !line.to_lowercase().starts_with("connection:"));
    let head = lines.collect::<Vec<_>>().join("\r\n") + "\r\nConnection: close\r\n\r\n";
    exchange(port, head.as_bytes(), &request.body)
}

fn exchange(port: u16, head: &[u8], body: &[u8]) -> Vec<u8> {
    let mut stream = TcpStream::connect(("127.0.0.1", port)).unwrap();
    stream.write_all(head).unwrap();
    stream.write_all(body).unwrap();
    let mut answer = Vec::new();
    stream.read_to_end(&mut answer).unwrap();
    answer
}

/// Head and body of an answer.
pub fn parted(answer: &[u8]) -> (&[u8], &[u8]) {
    let end = answer.windows(4).position(|window| window == b"\r\n\r\n").expect("an answer with a head") + 4;
    answer.split_at(end)
}

fn status_of(head: &[u8]) -> u16 {
    String::from_utf8_lossy(head).split(' ').nth(1).unwrap().parse().unwrap()
}

/// An answer with a status and a body.
pub fn answer(status: &str, body: &str) -> Vec<u8> {
    format!("HTTP/1.1 {status}\r\nContent-Length: {}\r\nConnection: close\r\n\r\n{body}", body.len())
        .into_bytes()
}

/// The program with the credentials of a server on this port, and none else.
pub fn command(place: &Place, arguments: &str, port: u16) -> Command {
    let mut command = place.command(arguments);
    for (name, _) in std::env::vars_os() {
        if name.to_string_lossy().starts_with("AWS_") {
            command.env_remove(name);
        }
    }
    std::fs::create_dir_all(place.path("tmp")).unwrap();
    command
        .env("AWS_ENDPOINT_URL", format!("http://127.0.0.1:{port}"))
        .env("AWS_ACCESS_KEY_ID", "someone")
        .env("AWS_SECRET_ACCESS_KEY", "secret")
        .env("AWS_SHARED_CREDENTIALS_FILE", "/nowhere")
        .env("AWS_CONFIG_FILE", "/nowhere")
        // Whatever machine this is, it is not asked who it is.
        .env("AWS_EC2_METADATA_DISABLED", "true")
        .env("AWS_REGION", "us-east-1")
        .env("TMPDIR", place.path("tmp"));
    command
}

pub fn run(place: &Place, arguments: &str, port: u16) -> Run {
    Run::new(arguments, command(place, arguments, port).output().unwrap())
}

/// The evidence of a run with the name of its input replaced, which is all that may differ.
pub fn evidence(place: &Place, folder: &str, input: &str) -> Vec<(String, Vec<u8>)> {
    let names = place.names(folder).into_iter().filter(|name| !name.starts_with("report."));
    let read = |name: String| {
        let bytes = place.read(&format!("{folder}/{name}"));
        let is_text = name.ends_with(".jsonl") && !name.starts_with("kept");
        let bytes = if is_text {
            String::from_utf8(bytes).unwrap().replace(input, "INPUT").into_bytes()
        } else {
            bytes
        };
        (name, bytes)
    };
    names.map(read).collect()
}
