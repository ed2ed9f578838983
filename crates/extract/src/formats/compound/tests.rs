use std::io::{Cursor, Write};

use super::*;
use crate::{ExtractOutcome, Options, extract};

/// A compound file of these streams; storages are made for them.
pub fn compound_of(streams: &[(&str, &[u8])]) -> Vec<u8> {
    written(cfb::Version::V3, streams)
}

fn written(version: cfb::Version, streams: &[(&str, &[u8])]) -> Vec<u8> {
    let mut file = cfb::CompoundFile::create_with_version(version, Cursor::new(Vec::new())).unwrap();
    for (path, bytes) in streams {
        let (storage, _) = path.rsplit_once('/').unwrap();
        if !storage.is_empty() {
            file.create_storage_all(storage).unwrap();
        }
        file.create_stream(path).unwrap().write_all(bytes).unwrap();
    }
    file.flush().unwrap();
    file.into_inner().into_inner()
}

pub fn outcomes(bytes: &[u8]) -> Vec<ExtractOutcome> {
    let mut found = Vec::new();
    extract(bytes, "", &Options::default(), &mut |outcome| found.push(outcome));
    found
}

fn reason_of(bytes: &[u8]) -> Reason {
    match outcomes(bytes).remove(0) {
        ExtractOutcome::Unreadable { reason, .. } => reason,
        other => panic!("{other:?}"),
    }
}

#[test]
fn streams_come_back_as_they_were_written() {
    let long: Vec<u8> = (0..70_000u32).map(|i| (i % 251) as u8).collect();
    let streams: [(&str, &[u8]); 4] =
        [("/short", b"abc"), ("/long", &long), ("/in/deep/stream", b"x"), ("/empty", b"")];
    // Small sectors and large ones.
    for version in [cfb::Version::V3, cfb::Version::V4] {
        let file = written(version, &streams);
        let compound = Compound::open(&file).unwrap();
        let mut budget = Budget::new(&Options::default().limits, file.len() as u64);
        let mut stream = |name| compound.root_stream(name, &mut budget).unwrap();
        assert_eq!(stream("SHORT").unwrap(), b"abc");
        assert_eq!(stream("long").unwrap(), long);
        assert_eq!(stream("empty").unwrap(), b"");
        assert_eq!(stream("stream"), None);
        let storage = compound.find(ROOT, "in").and_then(|storage| compound.find(storage, "deep")).unwrap();
        assert_eq!(compound.stream(compound.find(storage, "stream").unwrap(), &mut budget).unwrap(), b"x");
    }
}

#[test]
fn kinds_by_their_streams() {
    for (stream, kind) in [
        ("/WordDocument", Kind::Doc),
        ("/__properties_version1.0", Kind::Msg),
        ("/Workbook", Kind::Xls),
        ("/Book", Kind::Xls),
        ("/PowerPoint Document", Kind::Ppt),
    ] {
        assert_eq!(Kind::detect(&compound_of(&[(stream, b"x")]), ""), kind, "{stream}");
    }
    // A spreadsheet embedded in a message does not make the message a spreadsheet.
    let letter = compound_of(&[("/ObjectPool/_1/Workbook", b"x"), ("/WordDocument", b"x")]);
    assert_eq!(Kind::detect(&letter, ""), Kind::Doc);
}

#[test]
fn what_is_not_read_says_why() {
    assert_eq!(reason_of(&compound_of(&[("/EncryptedPackage", b"x")])), Reason::Encrypted);
    let restricted = compound_of(&[("/\u{9}DRMContent", b"x"), ("/WordDocument", b"x")]);
    assert_eq!(reason_of(&restricted), Reason::Encrypted);
    let slides = reason_of(&compound_of(&[("/PP40", b"x")]));
    assert_eq!(slides, Reason::Unsupported("PowerPoint before 1997".to_owned()));
}

#[test]
fn a_broken_file_is_told_by_the_names_in_it() {
    let mut file = compound_of(&[("/EncryptedPackage", b"x")]);
    // Where the directory begins.
    file[48..52].copy_from_slice(&[0xff; 4]);
    assert!(Compound::open(&file).is_err());
    assert_eq!(reason_of(&file), Reason::Encrypted);
    let mut lost = compound_of(&[("/Something", b"x")]);
    lost[48..52].copy_from_slice(&[0xff; 4]);
    assert!(matches!(reason_of(&lost), Reason::Damaged(_)));
}

#[test]
fn circles_end() {
    let mut file = compound_of(&[("/WordDocument", &[1; 5000]), ("/other", b"x")]);
    // Every sector follows itself, every entry is its own sibling and child.
    let table = 512 * (1 + long(&file, 76).unwrap() as usize);
    for sector in 0..128u32 {
        let at = table + 4 * sector as usize;
        if long(&file, at).unwrap() < FIRST_SPECIAL {
            file[at..at + 4].copy_from_slice(&sector.to_le_bytes());
        }
    }
    let directory = 512 * (1 + long(&file, 48).unwrap() as usize);
    for entry in 0..3 {
        let at = directory + ENTRY_BYTES * entry + 68;
        file[at..at + 12].copy_from_slice(&[1u32, 1, 1].map(u32::to_le_bytes).concat());
    }
    let compound = Compound::open(&file).unwrap();
    assert_eq!(compound.children(ROOT).len(), 1);
    outcomes(&file);
}
