use std::io::{Cursor, Write};

use proptest::prelude::*;

use super::*;

fn record(kind: &str, number: usize, body: &[u8], length: &str) -> Vec<u8> {
    let header = format!(
        "WARC/1.0\r\nWARC-Type: {kind}\r\nWARC-Target-URI: http://a/{number}\r\nWARC-Date: 2024-05-0{}T10:11:12Z\r\n\
         WARC-Record-ID: <urn:uuid:{number}>\r\nContent-Type: text/plain\r\nContent-Length: {length}\r\n\r\n",
        number % 9 + 1
    );
    [header.as_bytes(), body, b"\r\n\r\n"].concat()
}

fn text(number: usize, body: &str) -> Vec<u8> {
    record("conversion", number, body.as_bytes(), &body.len().to_string())
}

fn line(number: usize, body: &str) -> String {
    let date = format!("2024-05-0{}T10:11:12Z", number % 9 + 1);
    let body = serde_json::Value::from(body);
    format!(r#"{{"id":"urn:uuid:{number}","url":"http://a/{number}","date":"{date}","text":{body}}}"#)
}

fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::default());
    encoder.write_all(bytes).unwrap();
    encoder.finish().unwrap()
}

fn plain(bytes: &[u8]) -> Archive {
    Archive::Stream { from: Box::new(Cursor::new(bytes.to_vec())), packed: false }
}

fn packed(bytes: &[u8]) -> Archive {
    Archive::Members(Members::new(Box::new(Cursor::new(bytes.to_vec()))))
}

type Found = std::result::Result<String, String>;

/// Lines, and reasons for rejects, in their order; and what was passed over.
fn read(archive: Archive, max_line: u64) -> (Vec<Found>, Vec<(&'static str, u64)>) {
    let mut texts = Texts::new(archive, "a.wet", max_line);
    let mut all = Vec::new();
    while let Some(found) = texts.next().unwrap() {
        all.push(found.map(|line| String::from_utf8(line.to_vec()).unwrap()));
    }
    let counts = TYPES.into_iter().zip(texts.passed_over()).filter(|&(_, count)| count > 0);
    (all, counts.collect())
}

fn lines(found: &[Found]) -> Vec<&str> {
    found.iter().filter_map(|found| found.as_deref().ok()).collect()
}

fn reasons(found: &[Found]) -> Vec<&str> {
    found.iter().filter_map(|found| found.as_ref().err().map(String::as_str)).collect()
}

#[test]
fn texts_are_lines_and_other_records_are_counted() {
    let records = [
        record("warcinfo", 0, b"software: x", "11"),
        text(1, "one \"text\"\nof two lines\n"),
        record("request", 2, b"GET / HTTP/1.1\r\n\r\n", "18"),
        record("conversion", 3, b"GIF89a", "6").into_iter().collect::<Vec<u8>>(),
        text(4, ""),
        record("invented", 5, b"", "0"),
    ];
    let image = String::from_utf8(records[3].clone()).unwrap().replace("text/plain", "image/gif");
    let mut records = records.to_vec();
    records[3] = image.into_bytes();
    let whole = records.concat();
    let by_record: Vec<u8> = records.iter().flat_map(|record| gzip(record)).collect();
    let cut_anywhere = [gzip(&whole[..700]), gzip(&whole[700..])].concat();
    for archive in [plain(&whole), packed(&by_record), packed(&gzip(&whole)), packed(&cut_anywhere)] {
        let (found, counts) = read(archive, 1000);
        assert_eq!(lines(&found), [line(1, "one \"text\"\nof two lines\n"), line(4, "")]);
        assert_eq!(reasons(&found), [""; 0]);
        assert_eq!(counts, [("warcinfo", 1), ("request", 1), ("conversion", 1), ("unknown", 1)]);
    }
}

#[test]
fn what_a_record_says_of_its_language_is_a_field_and_what_it_does_not_say_is_none() {
    let bytes = b"WARC/1.1\nWARC-Type: conversion\nWARC-Identified-Content-Language: deu,eng\nContent-Length: 3\n\nabc";
    assert_eq!(lines(&read(plain(bytes), 1000).0), [r#"{"language":"deu,eng","text":"abc"}"#]);
}

#[test]
fn a_wrong_length_costs_its_record_only() {
    for length in ["1", "5", "13", "100", "900", "1099511627776", "-3", "many", ""] {
        let bytes = [
            text(1, "one"),
            record("conversion", 2, b"fourteen bytes", length),
            text(3, "three"),
            record("response", 4, b"fourteen bytes", length),
            text(5, "five"),
        ]
        .concat();
        let (found, _) = read(plain(&bytes), 1000);
        assert_eq!(lines(&found), [line(1, "one"), line(3, "three"), line(5, "five")], "{length}");
        // What is too long and no text is passed over, whatever its length really is.
        let expected = if length.len() > 4 && length != "many" { 1 } else { 2 };
        assert_eq!(reasons(&found).len(), expected, "{length}: {found:?}");
    }
}

#[test]
fn what_is_no_text_or_too_long_is_told() {
    let invalid = record("conversion", 1, b"caf\xe9 au lait", "12");
    let (found, _) = read(plain(&[invalid, text(2, "two")].concat()), 1000);
    assert!(reasons(&found)[0].contains("not valid UTF-8 at byte 4"), "{found:?}");
    assert_eq!(lines(&found), [line(2, "two")]);
    let junk = [b"no archive at all\n".to_vec(), text(1, "one"), b"junk\r\n".to_vec()].concat();
    let (found, _) = read(plain(&junk), 1000);
    assert_eq!(reasons(&found).len(), 2, "{found:?}");
    assert_eq!(lines(&found), [] as [&str; 0], "the length of the record is not confirmed by what follows");
    let endless = [b"WARC/1.0\r\n".to_vec(), vec![b'x'; 3 * LONGEST_HEADER], b"\n".to_vec(), text(1, "one")];
    let (found, _) = read(plain(&endless.concat()), 1000);
    assert!(reasons(&found)[0].contains("header"), "{found:?}");
    assert_eq!(lines(&found), [line(1, "one")]);
}

#[test]
fn a_huge_record_is_not_held() {
    const HUGE: u64 = 20 << 20;
    let header = record("conversion", 1, b"", &HUGE.to_string());
    let body = std::io::repeat(b'x').take(HUGE);
    let from = Cursor::new(header[..header.len() - 4].to_vec()).chain(body);
    let from = from.chain(Cursor::new([b"\r\n\r\n".to_vec(), text(2, "two")].concat()));
    let mut texts = Texts::new(Archive::Stream { from: Box::new(from), packed: false }, "a.wet", 1 << 20);
    let reason = texts.next().unwrap().unwrap().unwrap_err();
    assert!(reason.contains("20971520 bytes, more than the limit of 1048576"), "{reason}");
    assert!(texts.bytes.capacity() < 4 << 20, "{}", texts.bytes.capacity());
    assert_eq!(texts.next().unwrap().unwrap().unwrap(), line(2, "two").as_bytes());
}

#[test]
fn lengths_that_lie_do_not_cost_time_or_memory() {
    // All records have one size, so that each length leads into the body of another one, never to its end.
    let size = record("conversion", 10_000, b"short", "900000").len();
    let length = (900_000 / size * size + 2).to_string();
    let bytes: Vec<u8> =
        (10_000..30_000).flat_map(|number| record("conversion", number, b"short", &length)).collect();
    let began = std::time::Instant::now();
    let mut texts = Texts::new(plain(&bytes), "a.wet", 1 << 20);
    let mut rejects = 0;
    while let Some(found) = texts.next().unwrap() {
        rejects += usize::from(found.is_err());
    }
    assert_eq!(rejects, 20_000);
    assert!(texts.bytes.capacity() < 8 << 20, "{}", texts.bytes.capacity());
    assert!(began.elapsed().as_secs() < 20, "{:?}", began.elapsed());
}

#[test]
fn a_file_that_is_cut_anywhere_gives_all_records_before_the_cut() {
    let records = [text(1, "one"), record("metadata", 2, b"a: b", "4"), text(3, "three")];
    let whole = records.concat();
    let ends = [records[0].len(), records[0].len() + records[1].len()];
    for cut in 0..whole.len() {
        for archive in [plain(&whole[..cut]), packed(&gzip(&whole[..cut]))] {
            let (found, _) = read(archive, 1000);
            let texts = lines(&found);
            // The empty lines after a record may be missing.
            assert!(cut + 4 < ends[0] || texts.first() == Some(&&*line(1, "one")), "{cut}");
            assert!(texts.len() <= 2 && reasons(&found).len() <= 1, "{cut}: {found:?}");
            let is_between =
                cut == 0 || cut >= whole.len() - 4 || ends.iter().any(|&end| end - 4 <= cut && cut <= end);
            assert!(is_between != (reasons(&found).len() == 1), "{cut}: {found:?}");
        }
    }
}

#[test]
fn a_damaged_member_costs_its_record_only() {
    let bodies = ["the first text", "the second text, which is longer than the others", "the third text"];
    let members: Vec<Vec<u8>> = bodies.iter().enumerate().map(|(n, body)| gzip(&text(n, body))).collect();
    let expected: Vec<String> = bodies.iter().enumerate().map(|(n, body)| line(n, body)).collect();
    for place in 0..members[1].len() {
        let mut bad = members.clone();
        bad[1][place] ^= 0x55;
        let (found, _) = read(packed(&bad.concat()), 1000);
        if (4..10).contains(&place) {
            // Time and system in the header are not checked by anything.
            assert_eq!(lines(&found), expected, "{place}");
            continue;
        }
        assert_eq!(lines(&found), [&*expected[0], &*expected[2]], "{place}: {found:?}");
        assert_eq!(reasons(&found).len(), 1, "{place}: {found:?}");
    }
    // A first member that is damaged, and a long one.
    let long = "many words ".repeat(500_000);
    for place in [0, 1] {
        let bodies = [&*long, &*long, "the last text"];
        let mut bad: Vec<Vec<u8>> = bodies.iter().enumerate().map(|(n, body)| gzip(&text(n, body))).collect();
        let end = bad[place].len() - 6;
        bad[place][end] ^= 1;
        let (found, _) = read(packed(&bad.concat()), 1 << 30);
        assert!(lines(&found) == [line(1 - place, &long), line(2, "the last text")], "{place}");
        assert_eq!(reasons(&found).len(), 1, "{place}");
    }
    // A packed file that is cut has nothing after the cut.
    let whole = members.concat();
    let (found, _) = read(packed(&whole[..whole.len() - 20]), 1000);
    assert_eq!(lines(&found), expected[..2]);
    assert!(reasons(&found)[0].contains("damaged or cut here"), "{found:?}");
}

#[test]
fn other_compressions_end_with_damage() {
    let mut bytes = zstd::encode_all(&[text(1, "one"), text(2, "two")].concat()[..], 1).unwrap();
    bytes.truncate(bytes.len() - 9);
    let from = zstd::stream::read::Decoder::with_buffer(Cursor::new(bytes)).unwrap();
    let (found, _) = read(Archive::Stream { from: Box::new(from), packed: true }, 1000);
    assert_eq!(reasons(&found).len(), 1, "{found:?}");
    assert!(reasons(&found)[0].contains("the compressed stream is damaged or cut here"));
}

proptest! {
    /// Members that nothing happened to are read, whatever happened to others.
    #[test]
    fn only_damaged_members_are_lost(
        texts in proptest::collection::vec("[a-f ]{0,300}", 2..9),
        flips in proptest::collection::vec((0.0..1.0f64, 1u8..=255), 1..5),
    ) {
        let members: Vec<Vec<u8>> = texts.iter().enumerate().map(|(n, body)| gzip(&text(n, body))).collect();
        let mut bytes = members.concat();
        let mut touched = Vec::new();
        for (place, flip) in flips {
            let place = (place * bytes.len() as f64) as usize;
            bytes[place] ^= flip;
            touched.push(place);
        }
        let (found, _) = read(packed(&bytes), 1000);
        let mut end = 0;
        for (number, (member, body)) in members.iter().zip(&texts).enumerate() {
            let start = end;
            end += member.len();
            let is_whole = !touched.iter().any(|place| (start..end).contains(place));
            let is_there = lines(&found).contains(&&*line(number, body));
            prop_assert!(is_there || !is_whole, "{number} of {}: {found:?}", texts.len());
        }
        prop_assert!(lines(&found).len() <= texts.len());
    }

    /// Whatever the texts are, even records of a web archive, they come back if lengths are right.
    #[test]
    fn texts_come_back(
        bodies in proptest::collection::vec((0usize..3, "(\\PC|\r|\n|WARC/1.0\r\n){0,30}"), 0..6),
        members in proptest::bool::ANY,
    ) {
        let kinds = ["conversion", "response", "metadata"];
        let records: Vec<Vec<u8>> = bodies.iter().enumerate().map(|(number, (kind, body))| {
            record(kinds[*kind], number, body.as_bytes(), &body.len().to_string())
        }).collect();
        let archive = match members {
            true => packed(&records.iter().flat_map(|record| gzip(record)).collect::<Vec<u8>>()),
            false => plain(&records.concat()),
        };
        let (found, counts) = read(archive, 10_000);
        let texts = bodies.iter().enumerate().filter(|(_, (kind, _))| *kind == 0);
        let expected: Vec<String> = texts.map(|(number, (_, body))| line(number, body)).collect();
        prop_assert_eq!(lines(&found), expected);
        prop_assert_eq!(reasons(&found).len(), 0);
        let others = bodies.iter().filter(|(kind, _)| *kind > 0).count() as u64;
        prop_assert_eq!(counts.iter().map(|(_, count)| count).sum::<u64>(), others);
    }

    /// Any bytes come to an end.
    #[test]
    fn anything_is_read_to_its_end(pieces in proptest::collection::vec(prop_oneof![
        Just(b"WARC/1.0\r\n".to_vec()),
        Just(b"WARC-Type: conversion\r\n".to_vec()),
        Just(b"Content-Length: 9\r\n".to_vec()),
        Just(b"\r\n\r\n".to_vec()),
        Just(gzip(&text(1, "one"))),
        proptest::collection::vec(any::<u8>(), 0..12),
    ], 0..12)) {
        let bytes = pieces.concat();
        read(plain(&bytes), 100);
        read(packed(&bytes), 100);
    }
}
