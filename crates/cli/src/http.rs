//! Just enough HTTP to query a service on this machine or in this network.

use std::io::{Read, Write};
use std::net::TcpStream;
use std::time::Duration;

use anyhow::{Context, bail};

const PATIENCE: Duration = Duration::from_secs(60);

/// Posts a body and returns the status and the body of the answer.
pub fn post(
    server: &str,
    path: &str,
    kind: &str,
    token: Option<&str>,
    body: &[u8],
) -> anyhow::Result<(u16, Vec<u8>)> {
    let Some(address) = server.strip_prefix("http://") else {
        bail!("`{server}` must begin with http://; put a proxy in front for https");
    };
    let address = address.trim_end_matches('/');
    let host = if address.contains(':') { address.to_owned() } else { format!("{address}:80") };
    let mut stream = TcpStream::connect(&host).with_context(|| format!("cannot reach {server}"))?;
    stream.set_read_timeout(Some(PATIENCE))?;
    stream.set_write_timeout(Some(PATIENCE))?;
    let token = token.map_or_else(String::new, |token| format!("Authorization: Bearer {token}\r\n"));
    let head = format!(
        "POST {path} HTTP/1.1\r\nHost: {address}\r\nContent-Type: {kind}\r\nContent-Length: {}\r\n{token}Connection: close\r\n\r\n",
        body.len()
    );
    let mut answer = Vec::new();
    stream
        .write_all(head.as_bytes())
        .and_then(|()| stream.write_all(body))
        .and_then(|()| stream.read_to_end(&mut answer).map(|_| ()))
        .with_context(|| format!("{server} broke off"))?;
    parse(&answer).with_context(|| format!("{server} did not answer in HTTP"))
}

fn parse(answer: &[u8]) -> Option<(u16, Vec<u8>)> {
    let end = answer.windows(4).position(|four| four == b"\r\n\r\n")?;
    let head = std::str::from_utf8(&answer[..end]).ok()?;
    let status = head.split_ascii_whitespace().nth(1)?.parse().ok()?;
    let chunked = head.to_ascii_lowercase().contains("transfer-encoding: chunked");
    let body = &answer[end + 4..];
    Some((status, if chunked { unchunk(body)? } else { body.to_vec() }))
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
    }

    #[test]
    fn base64_as_others_write_it() {
        let encoded = [&b""[..], b"f", b"fo", b"foo", b"foob", b"fooba", b"foobar"].map(base64);
        assert_eq!(encoded, ["", "Zg==", "Zm8=", "Zm9v", "Zm9vYg==", "Zm9vYmE=", "Zm9vYmFy"]);
    }
}
