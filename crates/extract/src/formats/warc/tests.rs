use crate::dispatch::extract_stream;
use crate::{ExtractOutcome, Limits, Options, Reason, extract};

fn record(kind: &str, uri: &str, body: &[u8], length: usize) -> Vec<u8> {
    let header = format!(
        "WARC/1.0\r\nWARC-Type: {kind}\r\nWARC-Target-URI: {uri}\r\nWARC-Date: 2012-05-09T10:11:12Z\r\n\
         WARC-Record-ID: <urn:uuid:{}>\r\nContent-Type: application/http; msgtype=response\r\nContent-Length: {length}\r\n\r\n",
        body.len()
    );
    [header.as_bytes(), body, b"\r\n\r\n"].concat()
}

fn response(uri: &str, header: &str, body: &[u8]) -> Vec<u8> {
    let answer = [b"HTTP/1.1 200 OK\r\n", header.as_bytes(), b"\r\n\r\n", body].concat();
    record("response", uri, &answer, answer.len())
}

fn read(bytes: &[u8]) -> Vec<(String, Result<String, Reason>)> {
    let mut found = Vec::new();
    extract(bytes, "x.warc", &Options::default(), &mut |outcome| {
        found.push(match outcome {
            ExtractOutcome::Document(document) => {
                assert_eq!(document.date.as_deref(), Some("2012-05-09T10:11:12Z"));
                assert!(document.fields.contains_key("url"));
                (document.part.unwrap_or_default(), Ok(document.text))
            }
            ExtractOutcome::Unreadable { part, reason } => (part.unwrap_or_default(), Err(reason)),
        });
    });
    found
}

fn gzipped(bytes: &[u8]) -> Vec<u8> {
    use std::io::Write;
    let mut writer = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    writer.write_all(bytes).expect("bytes");
    writer.finish().expect("a file")
}

#[test]
fn pages_are_documents_and_the_rest_is_left_out() {
    let crawl = [
        record("warcinfo", "", b"software: x", 11),
        response("http://a/", "Content-Type: text/plain; charset=utf-8", "caf\u{e9}".as_bytes()),
        record("request", "http://a/", b"GET / HTTP/1.1\r\n\r\n", 18),
        record("response", "http://gone/", b"HTTP/1.1 404 Not Found\r\n\r\nsorry", 31),
        response("http://a/style", "Content-Type: text/css", b"p { color: red }"),
        response(
            "http://chunked/",
            "Content-Type: text/plain\r\nTransfer-Encoding: chunked",
            b"4\r\nWiki\r\n6;x=y\r\npedia \r\n0\r\n\r\n",
        ),
        response(
            "http://zipped/",
            "Content-Type: text/plain\r\nContent-Encoding: gzip",
            &gzipped(b"unpacked"),
        ),
        response("http://not-zipped/", "Content-Type: text/plain\r\nContent-Encoding: gzip", b"as it is"),
        record("conversion", "http://text/", b"only text", 9),
    ];
    let expected = [
        ("http://a/", "café"),
        ("http://chunked/", "Wikipedia"),
        ("http://zipped/", "unpacked"),
        ("http://not-zipped/", "as it is"),
        ("http://text/", "only text"),
    ];
    let whole = crawl.concat();
    let by_record: Vec<u8> = crawl.iter().flat_map(|record| gzipped(record)).collect();
    for bytes in [&whole, &by_record, &gzipped(&whole)] {
        let found = read(bytes);
        let shown: Vec<(&str, &str)> =
            found.iter().map(|(part, text)| (part.as_str(), text.as_deref().unwrap_or("?"))).collect();
        assert_eq!(shown, expected);
    }
}

#[test]
fn a_page_that_was_fetched_again_has_the_name_of_its_record() {
    let crawl = [record("conversion", "http://a/", b"one", 3), record("conversion", "http://a/", b"four", 4)]
        .concat();
    let parts: Vec<String> = read(&crawl).into_iter().map(|(part, _)| part).collect();
    assert_eq!(parts, ["http://a/", "urn:uuid:4"]);
}

#[test]
fn wrong_lengths_are_put_right() {
    for length in [1, 5, 14, 100, 1 << 40] {
        let crawl = [
            record("conversion", "http://a/", b"nine words and", length),
            record("conversion", "http://b/", b"two", 3),
            record("conversion", "http://c/", b"three", length),
            record("conversion", "http://d/", b"four", 4),
        ]
        .concat();
        let found = read(&crawl);
        assert_eq!(found.len(), 4, "{length}: {found:?}");
        assert_eq!(found[1], ("http://b/".to_owned(), Ok("two".to_owned())), "{length}");
        assert_eq!(found[0].1.as_deref(), Ok("nine words and"), "{length}");
    }
    let crawl = record("conversion", "http://a/", b"nine words and", 14);
    assert_eq!(read(&crawl[..crawl.len() - 8])[0].1.as_deref(), Ok("nine words"));
    let junk = [b"WARC/junk\n\nmore junk\n".to_vec(), crawl].concat();
    assert_eq!(read(&junk).len(), 1);
}

#[test]
fn a_crawl_may_be_larger_than_what_one_document_may_be() {
    let page: Vec<u8> =
        (0..2000u32).flat_map(|n| format!("{} ", n.wrapping_mul(2_654_435_761)).into_bytes()).collect();
    let crawl: Vec<u8> = (0..50)
        .flat_map(|n| record("conversion", &format!("http://{n}/"), &page[n..], page.len() - n))
        .collect();
    let options =
        Options { limits: Limits { output_bytes: 80_000, ..Limits::default() }, ..Options::default() };
    for bytes in [&crawl, &gzipped(&crawl)] {
        let mut documents = 0;
        extract(bytes, "", &options, &mut |outcome| {
            documents += usize::from(matches!(outcome, ExtractOutcome::Document(_)))
        });
        assert_eq!(documents, 50);
    }
}

#[test]
fn a_crawl_may_be_larger_than_a_file_that_is_read_whole() {
    let crawl: Vec<u8> =
        (0..50).flat_map(|n| record("conversion", &format!("http://{n}/"), b"one text", 8)).collect();
    let options = Options { limits: Limits { file_bytes: 1000, ..Limits::default() }, ..Options::default() };
    let read = |bytes: &[u8]| {
        let (mut documents, mut reasons) = (0, Vec::new());
        extract_stream(bytes, bytes.len() as u64, "a", &options, &mut |outcome| match outcome {
            ExtractOutcome::Document(_) => documents += 1,
            ExtractOutcome::Unreadable { reason, .. } => reasons.push(reason),
        });
        (documents, reasons)
    };
    assert_eq!(read(&crawl), (50, vec![]));
    assert_eq!(read(&gzipped(&crawl)), (50, vec![]));
    let text = "word ".repeat(400);
    assert!(matches!(&read(text.as_bytes()), (0, reasons) if matches!(reasons[..], [Reason::Limit(_)])));
    assert_eq!(options.limits.seconds_for(0), 30);
    assert_eq!(options.limits.seconds_for(1 << 30), 30 * 33, "a large file takes longer");
}

#[test]
fn a_damaged_member_costs_its_record_only() {
    let members: Vec<Vec<u8>> = ["one", "two, which is longer", "three"]
        .iter()
        .map(|text| {
            gzipped(&record("conversion", &format!("http://{}/", text.len()), text.as_bytes(), text.len()))
        })
        .collect();
    let texts = |found: &[(String, Result<String, Reason>)]| -> Vec<String> {
        found.iter().filter_map(|(_, text)| text.clone().ok()).collect()
    };
    assert_eq!(texts(&read(&members.concat())), ["one", "two, which is longer", "three"]);
    for place in [0, 1, 3, 15, 40, members[1].len() / 2, members[1].len() - 5] {
        let mut bad = members.clone();
        bad[1][place] ^= 0x55;
        let found = read(&bad.concat());
        assert_eq!(texts(&found), ["one", "three"], "{place}");
        assert_eq!(found.iter().filter(|(_, text)| text.is_err()).count(), 1, "{place}: {found:?}");
    }
}
