//! A small HTTP client that hides nothing: what was sent and what came back, byte for byte.

use std::io::{Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::sync::LazyLock;
use std::time::Duration;

use serde_json::Value;

/// Longer than anything here may take: a test that waits this long has failed.
pub const PATIENCE: Duration = Duration::from_secs(60);

#[derive(Debug)]
pub struct Reply {
    pub status: u16,
    pub head: String,
    pub body: Vec<u8>,
}

impl Reply {
    pub fn header(&self, name: &str) -> Option<&str> {
        let lines = self.head.lines().skip(1).filter_map(|line| line.split_once(": "));
        lines.filter(|(key, _)| key.eq_ignore_ascii_case(name)).map(|(_, value)| value).next()
    }

    pub fn json(&self) -> Value {
        serde_json::from_slice(&self.body)
            .unwrap_or_else(|error| panic!("{error}: {}", String::from_utf8_lossy(&self.body)))
    }

    pub fn body_text(&self) -> String {
        String::from_utf8(self.body.clone()).unwrap()
    }

    /// The code of an error, which must be whole: a code and a sentence.
    pub fn code(&self) -> String {
        let error = &self.json()["error"];
        assert!(error["message"].as_str().is_some_and(|message| !message.is_empty()), "{error}");
        error["code"].as_str().expect("an error has a code").to_owned()
    }

    pub fn lines(&self) -> Vec<Value> {
        let text = String::from_utf8(self.body.clone()).unwrap();
        text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
    }
}

pub fn connect(address: SocketAddr) -> TcpStream {
    let stream = TcpStream::connect(address).unwrap();
    stream.set_read_timeout(Some(PATIENCE)).unwrap();
    stream.set_write_timeout(Some(PATIENCE)).unwrap();
    stream
}

/// One request on a connection of its own.
pub fn send(address: SocketAddr, method: &str, path: &str, headers: &[(&str, &str)], body: &[u8]) -> Reply {
    let mut stream = connect(address);
    let mut head =
        format!("{method} {path} HTTP/1.1\r\nconnection: close\r\ncontent-length: {}\r\n", body.len());
    if !headers.iter().any(|(name, _)| name.eq_ignore_ascii_case("host")) {
        head += &format!("host: {address}\r\n");
    }
    headers.iter().for_each(|(name, value)| head += &format!("{name}: {value}\r\n"));
    stream.write_all(format!("{head}\r\n").as_bytes()).unwrap();
    // A server that has answered before it read everything is in its right.
    let _ = stream.write_all(body);
    let reply = read_reply(&mut stream);
    is_declared(method, path, &reply);
    reply
}

/// Whatever a test meets, the OpenAPI document must have told of: the status, and for an error its shape.
fn is_declared(method: &str, path: &str, reply: &Reply) {
    static DOCUMENT: LazyLock<Value> = LazyLock::new(lookalike_server::openapi);
    let parts: Vec<&str> = path.split('?').next().unwrap_or_default().split('/').collect();
    let fits = |known: &&String| {
        let known: Vec<&str> = known.split('/').collect();
        known.len() == parts.len()
            && known.iter().zip(&parts).all(|(known, part)| known == part || known.starts_with('{'))
    };
    let paths = DOCUMENT["paths"].as_object().unwrap();
    // `/api/documents/bulk` is no document.
    let found = paths.keys().filter(fits).min_by_key(|known| known.matches('{').count());
    let Some(operation) = found.and_then(|known| paths[known].get(method.to_lowercase())) else { return };
    // What is no request at all is answered before anybody knows what it is about.
    if reply.status == 400 && reply.body.is_empty() {
        return;
    }
    let declared = &operation["responses"][reply.status.to_string()];
    assert!(declared.is_object(), "{method} {path} may answer {}: {operation}", reply.status);
    if reply.status >= 400 {
        assert_eq!(declared["content"]["application/json"]["schema"]["$ref"], "#/components/schemas/Error");
        reply.code();
    }
}

/// All that comes until the other side closes.
pub fn read_reply(stream: &mut TcpStream) -> Reply {
    let mut bytes = Vec::new();
    if let Err(error) = stream.read_to_end(&mut bytes) {
        assert!(!bytes.is_empty(), "no answer: {error}");
    }
    parse(&bytes)
}

pub fn parse(bytes: &[u8]) -> Reply {
    let end = bytes.windows(4).position(|four| four == b"\r\n\r\n");
    let end = end.unwrap_or_else(|| panic!("no head: {}", String::from_utf8_lossy(bytes)));
    let head = String::from_utf8(bytes[..end].to_vec()).unwrap();
    let status = head[9..12].parse().unwrap();
    let mut reply = Reply { status, head, body: bytes[end + 4..].to_vec() };
    if reply.header("transfer-encoding") == Some("chunked") {
        reply.body = unchunk(&reply.body);
    }
    reply
}

fn unchunk(mut bytes: &[u8]) -> Vec<u8> {
    let mut body = Vec::new();
    loop {
        let end = bytes.windows(2).position(|two| two == b"\r\n").expect("a chunk has a length");
        let length = usize::from_str_radix(std::str::from_utf8(&bytes[..end]).unwrap(), 16).unwrap();
        bytes = &bytes[end + 2..];
        if length == 0 {
            return body;
        }
        body.extend_from_slice(&bytes[..length]);
        bytes = &bytes[length + 2..];
    }
}
