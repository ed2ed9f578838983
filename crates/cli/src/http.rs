//! Just enough HTTP to query a service on this machine or in this network.

use std::io::{Read, Write};
use std::net::TcpStream;
use std::sync::Arc;
use std::time::Duration;

use anyhow::{Context, bail};
use rustls::crypto::ring;
use rustls::pki_types::ServerName;
use rustls::{ClientConfig, ClientConnection, RootCertStore, StreamOwned};

const PATIENCE: Duration = Duration::from_secs(60);

/// Posts a body and returns the status and the body of the answer.
pub fn post(
    server: &str,
    path: &str,
    kind: &str,
    token: Option<&str>,
    body: &[u8],
) -> anyhow::Result<(u16, Vec<u8>)> {
    let Address { tls, authority, host, port, prefix } = Address::of(server)?;
    let stream = TcpStream::connect((host, port)).with_context(|| format!("cannot reach {server}"))?;
    stream.set_read_timeout(Some(PATIENCE))?;
    stream.set_write_timeout(Some(PATIENCE))?;
    let mut stream: Box<dyn Stream> = if tls { Box::new(encrypted(stream, host)?) } else { Box::new(stream) };
    let token = token.map_or_else(String::new, |token| format!("Authorization: Bearer {token}\r\n"));
    let head = format!(
        "POST {prefix}{path} HTTP/1.1\r\nHost: {authority}\r\nContent-Type: {kind}\r\nContent-Length: {}\r\n{token}Connection: close\r\n\r\n",
        body.len()
    );
    let mut answer = Vec::new();
    stream
        .write_all(head.as_bytes())
        .and_then(|()| stream.write_all(body))
        .and_then(|()| read_all(&mut *stream, &mut answer))
        .with_context(|| format!("{server} broke off"))?;
    parse(&answer).with_context(|| format!("{server} did not answer in HTTP"))
}

/// Where a service is.
#[derive(Debug, PartialEq)]
struct Address<'a> {
    tls: bool,
    /// Host and port as they were given.
    authority: &'a str,
    host: &'a str,
    port: u16,
    /// What comes before every path, if a proxy gives the service one.
    prefix: &'a str,
}

impl Address<'_> {
    fn of(server: &str) -> anyhow::Result<Address<'_>> {
        let (tls, rest) = match (server.strip_prefix("http://"), server.strip_prefix("https://")) {
            (Some(rest), _) => (false, rest),
            (_, Some(rest)) => (true, rest),
            _ => bail!("`{server}` must begin with http:// or https://"),
        };
        let (authority, prefix) = rest.split_at(rest.find('/').unwrap_or(rest.len()));
        // An address of version 6 is in brackets.
        let end = authority.rfind(']').map_or(0, |bracket| bracket + 1);
        let (host, port) = match authority[end..].find(':') {
            Some(colon) => (&authority[..end + colon], authority[end + colon + 1..].parse()),
            None => (authority, Ok(if tls { 443 } else { 80 })),
        };
        let host = host.trim_start_matches('[').trim_end_matches(']');
        match port {
            Ok(port) if !host.is_empty() => {
                Ok(Address { tls, authority, host, port, prefix: prefix.trim_end_matches('/') })
            }
            _ => bail!("`{server}` must be an address such as https://host:8443"),
        }
    }
}

trait Stream: Read + Write {}
impl<S: Read + Write> Stream for S {}

/// A connection to who has a certificate for that name from one that this machine trusts.
fn encrypted(stream: TcpStream, host: &str) -> anyhow::Result<StreamOwned<ClientConnection, TcpStream>> {
    let mut trusted = RootCertStore::empty();
    let found = rustls_native_certs::load_native_certs();
    trusted.add_parsable_certificates(found.certs);
    if trusted.is_empty() {
        bail!(
            "this machine trusts no certificates: install ca-certificates, or name a file by SSL_CERT_FILE"
        );
    }
    let config = ClientConfig::builder_with_provider(Arc::new(ring::default_provider()))
        .with_safe_default_protocol_versions()?
        .with_root_certificates(trusted)
        .with_no_client_auth();
    let name =
        ServerName::try_from(host.to_owned()).with_context(|| format!("`{host}` is no name of a host"))?;
    Ok(StreamOwned::new(ClientConnection::new(Arc::new(config), name)?, stream))
}

/// Reads to the end. A server that closes without saying so has still sent all if the answer is whole, which is checked.
fn read_all(stream: &mut dyn Stream, answer: &mut Vec<u8>) -> std::io::Result<()> {
    match stream.read_to_end(answer) {
        Err(error) if error.kind() != std::io::ErrorKind::UnexpectedEof => Err(error),
        _ => Ok(()),
    }
}

fn parse(answer: &[u8]) -> Option<(u16, Vec<u8>)> {
    let end = answer.windows(4).position(|four| four == b"\r\n\r\n")?;
    let head = std::str::from_utf8(&answer[..end]).ok()?;
    let status = head.split_ascii_whitespace().nth(1)?.parse().ok()?;
    let head = head.to_ascii_lowercase();
    let body = &answer[end + 4..];
    if head.contains("transfer-encoding: chunked") {
        return Some((status, unchunk(body)?));
    }
    let length =
        head.lines().find_map(|line| line.strip_prefix("content-length:")?.trim().parse::<usize>().ok());
    match length {
        Some(length) => Some((status, body.get(..length)?.to_vec())),
        None => Some((status, body.to_vec())),
    }
}

fn unchunk(mut body: &[u8]) -> Option<Vec<u8>> {
    let mut whole = Vec::new();
    loop {
        let end = body.windows(2).position(|two| two == b"\r\n")?;
        let length = std::str::from_utf8(&body[..end]).ok()?.split(';').next()?;
        let length = usize::from_str_radix(length.trim(), 16).ok()?;
        let chunk = body.get(end + 2..)?.get(..length)?;
        if length == 0 {
            return Some(whole);
        }
        whole.extend_from_slice(chunk);
        body = body.get(end + 2 + length + 2..)?;
    }
}

pub fn base64(bytes: &[u8]) -> String {
    const DIGITS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut text = String::with_capacity(bytes.len().div_ceil(3) * 4);
    for three in bytes.chunks(3) {
        let bits =
            three.iter().enumerate().fold(0u32, |bits, (at, &byte)| bits | u32::from(byte) << (16 - 8 * at));
        for digit in 0..4 {
            let sextet = DIGITS[(bits >> (18 - 6 * digit)) as usize & 63];
            text.push(if digit <= three.len() { char::from(sextet) } else { '=' });
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn answers_come_whole_or_not_at_all() {
        assert_eq!(parse(b"HTTP/1.1 200 OK\r\nX: y\r\n\r\nbody"), Some((200, b"body".to_vec())));
        let chunked =
            b"HTTP/1.1 404 Not Found\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n2;x\r\nde\r\n0\r\n\r\n";
        assert_eq!(parse(chunked), Some((404, b"abcde".to_vec())));
        assert_eq!(parse(&chunked[..chunked.len() - 9]), None);
        assert_eq!(parse(b"no HTTP"), None);
        let counted = b"HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nbody";
        assert_eq!(parse(counted), Some((200, b"body".to_vec())));
        assert_eq!(parse(&counted[..counted.len() - 1]), None, "cut");
    }

    #[test]
    fn addresses_are_taken_apart() {
        let of = |server| {
            Address::of(server).map(|at| (at.tls, at.host.to_owned(), at.port, at.prefix.to_owned())).ok()
        };
        let at = |tls, host: &str, port, prefix: &str| Some((tls, host.to_owned(), port, prefix.to_owned()));
        assert_eq!(of("http://127.0.0.1:8080"), at(false, "127.0.0.1", 8080, ""));
        assert_eq!(of("http://host/"), at(false, "host", 80, ""));
        assert_eq!(of("https://host/look/alike/"), at(true, "host", 443, "/look/alike"));
        assert_eq!(of("https://[::1]:8443/x"), at(true, "::1", 8443, "/x"));
        assert_eq!(of("https://[::1]"), at(true, "::1", 443, ""));
        for wrong in ["host:80", "ftp://host", "http://", "http://:80", "http://host:x", "https://host:99999"]
        {
            assert_eq!(of(wrong), None, "{wrong}");
        }
    }

    #[test]
    fn base64_as_others_write_it() {
        let encoded = [&b""[..], b"f", b"fo", b"foo", b"foob", b"fooba", b"foobar"].map(base64);
        assert_eq!(encoded, ["", "Zg==", "Zm8=", "Zm9v", "Zm9vYg==", "Zm9vYmE=", "Zm9vYmFy"]);
    }
}
