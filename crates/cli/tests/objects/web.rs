//! Files of web servers: those that send parts, and those that do not.

use std::collections::HashSet;
use std::sync::{Arc, Mutex};

use super::server::{Request, answer, evidence, run, serve};
use super::support::{Place, document, joined, words};

#[derive(Clone, Copy, PartialEq, Debug)]
enum Manner {
    Parts,
    /// Parts, but no name for the state of the file, and each is cut the first time.
    PartsWithoutTag,
    /// The whole file with its length, whatever is asked for.
    Whole,
    /// The whole file in pieces, without a length.
    Pieces,
    /// The whole file, which ends when the connection does.
    UntilClosed,
}

fn file(
    request: &Request,
    content: &[u8],
    manner: Manner,
    asked: &Mutex<HashSet<(usize, usize)>>,
) -> Vec<u8> {
    if request.path() != "/c.jsonl?signature=a%20b*" {
        return answer("404 Not Found", "");
    }
    let whole = |headers: &str| {
        [format!("HTTP/1.1 200 OK\r\n{headers}Connection: close\r\n\r\n").as_bytes(), content].concat()
    };
    match (manner, request.range()) {
        (Manner::Parts | Manner::PartsWithoutTag, Some((first, last))) => {
            let last = last.min(content.len() - 1);
            let tag = if manner == Manner::Parts { "ETag: \"one\"\r\n" } else { "" };
            let head = format!(
                "HTTP/1.1 206 Partial Content\r\nContent-Range: bytes {first}-{last}/{}\r\nContent-Length: {}\r\n{tag}\
                 Connection: close\r\n\r\n",
                content.len(),
                last + 1 - first
            );
            let is_cut =
                manner == Manner::PartsWithoutTag && last > 0 && asked.lock().unwrap().insert((first, last));
            let last = if is_cut { first + (last - first) / 2 } else { last };
            [head.as_bytes(), &content[first..=last]].concat()
        }
        (Manner::Pieces, _) => {
            let mut sent =
                b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nConnection: close\r\n\r\n".to_vec();
            for piece in content.chunks(100_000) {
                sent.extend_from_slice(format!("{:x}\r\n", piece.len()).as_bytes());
                sent.extend_from_slice(piece);
                sent.extend_from_slice(b"\r\n");
            }
            sent.extend_from_slice(b"0\r\n\r\n");
            sent
        }
        (Manner::UntilClosed, _) => whole(""),
        _ => whole(&format!("Content-Length: {}\r\n", content.len())),
    }
}

#[test]
fn a_file_of_a_web_server_is_read_in_whatever_way_it_comes() {
    let place = Place::new();
    let text = |number: usize| words(&format!("t{}x", number / 2), 300 + number % 2);
    let content = joined(&(0..3_000).map(|number| document(number, &text(number))).collect::<Vec<_>>());
    assert!(content.len() > 5 << 20, "several chunks");
    place.write("c.jsonl", &content);
    place.run("dedup c.jsonl -o here").ok();
    let content = Arc::new(content.into_bytes());
    for manner in [Manner::Parts, Manner::PartsWithoutTag, Manner::Whole, Manner::Pieces] {
        let content = content.clone();
        let asked = Mutex::default();
        let port = serve(move |request| file(request, &content, manner, &asked));
        let url = format!("http://127.0.0.1:{port}/c.jsonl?signature=a%20b*");
        run(&place, &format!("dedup {url} -o there --force"), 1).ok();
        assert!(evidence(&place, "here", "c.jsonl") == evidence(&place, "there", &url), "{manner:?}");
        assert_eq!(place.names("tmp"), Vec::<String>::new(), "{manner:?}");
    }
    let port = serve(move |request| file(request, &content, Manner::UntilClosed, &Mutex::default()));
    let url = format!("http://127.0.0.1:{port}/c.jsonl?signature=a%20b*");
    let error = run(&place, &format!("dedup {url} -o none"), 1).error();
    assert!(error.contains("does not tell where the file ends"), "{error}");
    let error = run(&place, &format!("dedup http://127.0.0.1:{port}/d.jsonl -o none"), 1).error();
    assert!(error.contains("d.jsonl: there is no such object"), "{error}");
    let denied = serve(|_| answer("403 Forbidden", ""));
    let error = run(&place, &format!("dedup http://127.0.0.1:{denied}/d.jsonl -o none"), 1).error();
    assert!(error.contains("access is denied (403)"), "{error}");
}
