use std::io::{Cursor, Write};

use flate2::Compression;
use flate2::write::GzEncoder;
use zip::ZipWriter;
use zip::write::SimpleFileOptions;

use crate::{ExtractOutcome, Limits, Options, Reason, extract, extract_stream};

fn read_with(bytes: &[u8], name: &str, limits: Limits) -> Vec<(String, Result<String, Reason>)> {
    let mut found = Vec::new();
    let options = Options { limits, ..Options::default() };
    extract(bytes, name, &options, &mut |outcome| {
        found.push(match outcome {
            ExtractOutcome::Document(document) => (document.part.unwrap_or_default(), Ok(document.text)),
            ExtractOutcome::Unreadable { part, reason } => (part.unwrap_or_default(), Err(reason)),
        });
    });
    found
}

fn read(bytes: &[u8], name: &str) -> Vec<(String, Result<String, Reason>)> {
    read_with(bytes, name, Limits::default())
}

fn texts(found: &[(String, Result<String, Reason>)]) -> Vec<(&str, &str)> {
    found.iter().map(|(part, text)| (part.as_str(), text.as_deref().unwrap_or("?"))).collect()
}

fn zipped(members: &[(&str, &[u8])]) -> Vec<u8> {
    let mut writer = ZipWriter::new(Cursor::new(Vec::new()));
    for (name, bytes) in members {
        writer.start_file(*name, SimpleFileOptions::default()).expect("a member");
        writer.write_all(bytes).expect("its bytes");
    }
    writer.finish().expect("an archive").into_inner()
}

fn gzipped(bytes: &[u8]) -> Vec<u8> {
    let mut writer = GzEncoder::new(Vec::new(), Compression::default());
    writer.write_all(bytes).expect("bytes");
    writer.finish().expect("a file")
}

fn xz(bytes: &[u8]) -> Vec<u8> {
    let mut writer =
        lzma_rust2::XzWriter::new(Vec::new(), lzma_rust2::XzOptions::with_preset(1)).expect("a writer");
    writer.write_all(bytes).expect("bytes");
    writer.finish().expect("a file")
}

fn bzip2(bytes: &[u8]) -> Vec<u8> {
    let mut writer = bzip2::write::BzEncoder::new(Vec::new(), bzip2::Compression::fast());
    writer.write_all(bytes).expect("bytes");
    writer.finish().expect("a file")
}

fn lz4(bytes: &[u8]) -> Vec<u8> {
    let mut writer = lz4_flex::frame::FrameEncoder::new(Vec::new());
    writer.write_all(bytes).expect("bytes");
    writer.finish().expect("a file")
}

/// All members in one block, or each in its own.
fn seven_zipped(members: &[(&str, &[u8])], is_solid: bool) -> Vec<u8> {
    use sevenz_rust2::{ArchiveEntry, ArchiveWriter};
    let mut writer = ArchiveWriter::new(Cursor::new(Vec::new())).expect("a writer");
    if is_solid {
        let entries = members.iter().map(|(name, _)| ArchiveEntry::new_file(name)).collect();
        let readers = members
            .iter()
            .map(|(_, bytes)| (*bytes).into())
            .collect::<Vec<sevenz_rust2::SourceReader<&[u8]>>>();
        writer.push_archive_entries(entries, readers).expect("members");
    } else {
        for (name, bytes) in members {
            writer.push_archive_entry(ArchiveEntry::new_file(name), Some(*bytes)).expect("a member");
        }
    }
    writer.finish().expect("an archive").into_inner()
}

fn tarred(members: &[(&str, &[u8])]) -> Vec<u8> {
    let mut builder = tar::Builder::new(Vec::new());
    for (name, bytes) in members {
        let mut header = tar::Header::new_gnu();
        header.set_size(bytes.len() as u64);
        header.set_mode(0o644);
        header.set_cksum();
        builder.append_data(&mut header, name, *bytes).expect("a member");
    }
    builder.into_inner().expect("an archive")
}

#[test]
fn members_of_a_zip_file_nested_ones_too() {
    let inner = zipped(&[("deep.txt", b"deep")]);
    let bytes = zipped(&[
        ("a.txt", b"one"),
        ("dir\\b.txt", b"two"),
        ("../../etc/c", b"three"),
        ("__MACOSX/._a.txt", b"clutter"),
        (".DS_Store", b"clutter"),
        ("inner.zip", &inner),
    ]);
    let expected =
        [("a.txt", "one"), ("dir/b.txt", "two"), ("../../etc/c", "three"), ("inner.zip/deep.txt", "deep")];
    assert_eq!(texts(&read(&bytes, "x.zip")), expected);
    // Without the directory at its end the members are still there.
    let cut = &bytes[..bytes.len() - 60];
    assert_eq!(texts(&read(cut, "x.zip"))[..3], expected[..3]);
}

#[test]
fn a_member_with_a_password_is_reported_alone() {
    let mut bytes = zipped(&[("secret.txt", b"one"), ("open.txt", b"two")]);
    // The flag "encrypted" in the first member's header and in the directory.
    bytes[6] |= 1;
    let directory = memchr::memmem::find(&bytes, b"PK\x01\x02").expect("a directory");
    bytes[directory + 8] |= 1;
    let found = read(&bytes, "x.zip");
    assert_eq!(found[0], ("secret.txt".to_owned(), Err(Reason::Encrypted)));
    assert_eq!(found[1], ("open.txt".to_owned(), Ok("two".to_owned())));
}

#[test]
fn bombs_are_stopped() {
    let zeros = vec![b' '; 20 << 20];
    let bomb = zipped(&[("a", &zeros), ("b", &zeros)]);
    let is_limit = |found: &[(String, Result<String, Reason>)]| {
        found.iter().any(|(_, text)| matches!(text, Err(Reason::Limit(_))))
    };
    assert!(is_limit(&read(&bomb, "")));
    for packed in [gzipped(&zeros), xz(&zeros), bzip2(&zeros), lz4(&zeros)] {
        assert!(is_limit(&read(&packed, "")), "{:?}", &packed[..4]);
    }
    for is_solid in [true, false] {
        assert!(is_limit(&read(&seven_zipped(&[("a", &zeros), ("b", &zeros)], is_solid), "")));
    }
    assert!(is_limit(&read(&xz(&tarred(&[("a", &zeros), ("b", &zeros)])), "")));
    assert!(is_limit(&read(&gzipped(&tarred(&[("a", &zeros), ("b", &zeros)])), "")));
    // Compressed again and again.
    let mut onion = b"core".to_vec();
    for _ in 0..20 {
        onion = gzipped(&onion);
    }
    assert!(is_limit(&read(&onion, "")));
}

#[test]
fn a_member_that_is_too_large_does_not_stop_the_rest() {
    let large: Vec<u8> =
        (0..40_000u32).flat_map(|n| format!("{} ", n.wrapping_mul(2_654_435_761)).into_bytes()).collect();
    let limits = Limits { output_bytes: 100_000, ..Limits::default() };
    let many: Vec<(String, Vec<u8>)> =
        (0..20).map(|n| (format!("{n}"), large[n * 1000..n * 1000 + 30_000].to_vec())).collect();
    let mut members: Vec<(&str, &[u8])> =
        many.iter().map(|(name, bytes)| (name.as_str(), &bytes[..])).collect();
    members.insert(1, ("large", &large));
    let tar = tarred(&members);
    for (bytes, what) in [
        (zipped(&members), "zip"),
        (tar.clone(), "tar"),
        (gzipped(&tar), "tar.gz"),
        (xz(&tar), "tar.xz"),
        (seven_zipped(&members, true), "7z"),
        (seven_zipped(&members, false), "7z, not solid"),
    ] {
        let found = read_with(&bytes, "", limits.clone());
        assert_eq!(found.len(), 21, "{what}");
        assert!(matches!(found[1].1, Err(Reason::Limit(_))), "{what}");
        assert_eq!(found.iter().filter(|(_, text)| text.is_ok()).count(), 20, "{what}");
    }
}

#[test]
fn tar_with_long_names_and_cut_off() {
    let long = format!("{}/a.txt", "folder/".repeat(30));
    let bytes = tarred(&[(&long, b"one"), ("b.txt", &[b'x'; 3000])]);
    let found = read(&bytes, "x.tar");
    assert_eq!((found[0].0.as_str(), found[0].1.as_deref()), (long.as_str(), Ok("one")));
    assert_eq!(found.len(), 2);
    let cut = read(&bytes[..bytes.len() - 2048], "x.tar");
    assert!(matches!(&cut[1].1, Ok(text) if text.starts_with("xxx") && text.len() < 3000));
    assert!(matches!(&cut[2].1, Err(Reason::Damaged(_))));
}

#[test]
fn extra_headers_name_members_and_absurd_sizes_are_harmless() {
    let mut builder = tar::Builder::new(Vec::new());
    builder.append_pax_extensions([("path", "näme.txt".as_bytes())]).expect("a record");
    let mut header = tar::Header::new_ustar();
    header.set_size(3);
    header.set_cksum();
    builder.append(&header, &b"one"[..]).expect("a member");
    let mut bytes = builder.into_inner().expect("an archive");
    assert_eq!(texts(&read(&bytes, "")), [("näme.txt", "one")]);
    // A name of 2^60 bytes.
    let mut header = tar::Header::new_gnu();
    header.set_entry_type(tar::EntryType::GNULongName);
    header.set_size(1 << 60);
    header.set_cksum();
    bytes.truncate(bytes.len() - 1024);
    bytes.extend_from_slice(header.as_bytes());
    bytes.extend_from_slice(&[b'n'; 700]);
    assert_eq!(texts(&read(&bytes, ""))[0], ("näme.txt", "one"));
    assert!(read(&gzipped(&bytes), "").len() < 3);
}

#[test]
fn gzip_and_zstd_of_one_file_keep_its_name() {
    let twice = [gzipped(b"# Title\n\n"), gzipped(b"more")].concat();
    for (bytes, name) in [
        (twice, "notes.md.gz"),
        (zstd::bulk::compress(b"# Title\n\nmore", 3).expect("compressed"), "notes.md.zst"),
    ] {
        let mut kinds = Vec::new();
        extract(&bytes, name, &Options::default(), &mut |outcome| match outcome {
            ExtractOutcome::Document(document) => kinds.push((document.kind, document.part)),
            ExtractOutcome::Unreadable { reason, .. } => {
                // Without a reader for it, only the kind is known.
                assert!(matches!(reason, Reason::Unsupported(_)), "{reason}");
            }
        });
        assert!(kinds.iter().all(|found| *found == (crate::Kind::Markdown, None)));
    }
    let whole = gzipped("many words, again and again ".repeat(2000).as_bytes());
    let found = read(&whole[..whole.len() - 20], "a.txt.gz");
    assert!(matches!(&found[0].1, Ok(text) if text.starts_with("many words")), "{found:?}");
    assert!(matches!(read(b"\x1f\x8bnothing", "")[0].1, Err(Reason::Damaged(_))));
    assert_eq!(read(&gzipped(b""), "")[0].1, Err(Reason::Empty));
}

#[test]
fn streams_give_the_same_as_bytes() {
    let tar = tarred(&[("a.txt", b"one"), ("b.zip", &zipped(&[("c.txt", b"two")])), ("empty", b"")]);
    let crawl = b"WARC/1.0\r\nWARC-Type: conversion\r\nWARC-Target-URI: http://a/\r\nContent-Length: 3\r\n\r\none\r\n\r\n";
    let packed = |bytes: &[u8]| zstd::bulk::compress(bytes, 3).expect("compressed");
    for (bytes, documents) in [
        (tar.clone(), 2),
        (gzipped(&tar), 2),
        (packed(&tar), 2),
        (xz(&tar), 2),
        (bzip2(&tar), 2),
        (lz4(&tar), 2),
        (bzip2(b"words"), 1),
        (xz(crawl), 1),
        (crawl.to_vec(), 1),
        (packed(crawl), 1),
        (gzipped(b"words"), 1),
        (zipped(&[("a.txt", b"one")]), 1),
        (b"plain words".to_vec(), 1),
        (b"\x1f\x8bnothing".to_vec(), 0),
        (Vec::new(), 0),
    ] {
        let (mut whole, mut streamed) = (Vec::new(), Vec::new());
        let options = Options::default();
        extract(&bytes, "x", &options, &mut |outcome| whole.push(outcome));
        extract_stream(&bytes[..], bytes.len() as u64, "x", &options, &mut |outcome| streamed.push(outcome));
        assert_eq!(whole, streamed);
        assert_eq!(
            whole.iter().filter(|outcome| matches!(outcome, ExtractOutcome::Document(_))).count(),
            documents
        );
    }
}

#[test]
fn members_of_7z_archives_and_what_is_wrong_with_them() {
    let inner = zipped(&[("deep.txt", b"deep")]);
    let members: [(&str, &[u8]); 5] = [
        ("a.txt", b"one"),
        ("dir/b.txt", b"two"),
        (".DS_Store", b"x"),
        ("inner.zip", &inner),
        ("empty", b""),
    ];
    let expected = [("a.txt", "one"), ("dir/b.txt", "two"), ("inner.zip/deep.txt", "deep"), ("empty", "?")];
    for is_solid in [true, false] {
        let bytes = seven_zipped(&members, is_solid);
        assert_eq!(texts(&read(&bytes, "x.7z")), expected);
        for end in (0..bytes.len()).step_by(7) {
            assert!(read(&bytes[..end], "").iter().all(|(_, text)| text.is_err()), "its directory is lost");
        }
        // Damage in the middle affects members, never the program.
        for at in (32..bytes.len()).step_by(5) {
            let mut broken = bytes.clone();
            broken[at] ^= 0x55;
            assert!(!read(&broken, "").is_empty());
        }
    }
}

#[test]
fn xz_bzip2_and_lz4_of_one_file() {
    let text = "many words, again and again ".repeat(20_000);
    for (packed, name) in [
        (xz(text.as_bytes()), "notes.md.xz"),
        (bzip2(text.as_bytes()), "notes.md.bz2"),
        (lz4(text.as_bytes()), "notes.md.lz4"),
    ] {
        let mut kinds = Vec::new();
        extract(&packed, name, &Options::default(), &mut |outcome| match outcome {
            ExtractOutcome::Document(document) => kinds.push((document.kind, document.part)),
            ExtractOutcome::Unreadable { reason, .. } => panic!("{name}: {reason}"),
        });
        assert_eq!(kinds, [(crate::Kind::Markdown, None)], "{name}");
        for end in [8, packed.len() / 2, packed.len() - 3] {
            assert_eq!(read(&packed[..end], name).len(), 1, "{name} cut at {end}");
        }
    }
    let twice = [xz(b"one "), xz(b"two")].concat();
    assert_eq!(read(&twice, "")[0].1.as_deref(), Ok("one two"));
    // A dictionary of 4 GB, as the header claims.
    let mut greedy = xz(text.as_bytes());
    let at = memchr::memmem::find(&greedy, b"\x21\x01").expect("the filter") + 2;
    greedy[at] = 40;
    assert!(read(&greedy, "")[0].1.is_err());
}
