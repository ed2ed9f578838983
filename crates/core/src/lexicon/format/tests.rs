use std::io::Cursor;
use std::sync::Arc;

use super::*;
use crate::lexicon::write::Writer;

/// Kept as a file: every later version must read a lexicon written by an earlier one.
const FIXTURE: &[u8] = include_bytes!("../../../tests/fixtures/small-1.lexicon");

const WORDS: [(&str, u32); 6] =
    [("the", 9), ("quick", 2), ("fox", 3), ("straße", 1), ("東", 4), ("jumps", 1)];

fn small(has_texts: bool) -> Vec<u8> {
    let mut terms = WORDS.map(|(word, df)| (hash::bytes(word.as_bytes()), df, word));
    terms.sort_unstable();
    let about = About { least_df: 1, rules: "rules-1".to_owned(), ..About::words(10, "ten documents") };
    let aside = has_texts.then(|| Cursor::new(Vec::new()));
    let mut writer = Writer::new(about, 6, Vec::new(), aside, "memory");
    for (hash, df, word) in terms {
        writer.push(hash, df, word.as_bytes()).unwrap();
    }
    writer.finish().unwrap()
}

/// Lexicons are stored and their ids are part of schemes: a change here is a new format version,
/// never a fix.
#[test]
fn golden_vectors() {
    assert_eq!(small(true), FIXTURE);
    let lexicon = Lexicon::open(FIXTURE).unwrap();
    assert_eq!(lexicon.id(), "d1483836ac659b47");
    assert_eq!(lexicon.about().source, "ten documents");
    for (word, df) in WORDS {
        let hash = hash::bytes(word.as_bytes());
        assert_eq!(lexicon.df(hash), df);
        assert_eq!(lexicon.text(lexicon.table().place(hash).unwrap()), Some(word));
    }
}

fn refuses(bytes: Vec<u8>, what: &str) {
    match Lexicon::open(bytes) {
        Err(Error::Incompatible(message)) => assert!(message.contains("lexicon"), "{what}: {message}"),
        Err(other) => panic!("{what}: {other}"),
        Ok(_) => panic!("{what} went unnoticed"),
    }
}

/// Look-ups in an unverified lexicon must not fail, whatever it contains.
fn ask(lexicon: &Lexicon) {
    let known = WORDS.map(|(word, _)| hash::bytes(word.as_bytes()));
    for hash in known.into_iter().chain([0, 1, u64::MAX, 1 << 63]) {
        lexicon.df(hash);
        lexicon.table().place(hash).map(|place| lexicon.text(place));
    }
    let _ = (lexicon.terms().count(), lexicon.entries().count(), lexicon.id(), lexicon.verify());
    for place in [0, 1, 5, 6, 63, 64, usize::MAX] {
        lexicon.text(place);
    }
}

#[test]
fn every_cut_is_noticed() {
    for bytes in [small(true), small(false)] {
        for length in 0..bytes.len() {
            refuses(bytes[..length].to_vec(), &format!("{length} of {} bytes", bytes.len()));
        }
        refuses([&bytes[..], b"x"].concat(), "a byte too many");
    }
}

#[test]
fn every_flipped_bit_is_noticed_and_none_harms_before_it_is() {
    for bytes in [small(true), small(false)] {
        for bit in 0..bytes.len() * 8 {
            let mut flipped = bytes.clone();
            flipped[bit / 8] ^= 1 << (bit % 8);
            if let Ok(lexicon) = Lexicon::open_unverified(Arc::new(flipped.clone())) {
                ask(&lexicon);
            }
            refuses(flipped, &format!("bit {bit}"));
        }
    }
}

/// Files made to deceive: any four or eight bytes replaced by an extreme value, with a valid
/// checksum.
#[test]
fn huge_numbers_in_a_file_with_a_right_checksum_do_no_harm() {
    let honest = small(true);
    let covered = honest.len() - 16;
    for at in 0..covered - 8 {
        for extreme in [u64::MAX, u64::MAX - 7, 1 << 63, 1 << 32, 0x7fff_ffff_ffff_ffff] {
            for width in [4, 8] {
                let mut bytes = honest.clone();
                bytes[at..at + width].copy_from_slice(&extreme.to_le_bytes()[8 - width..]);
                let mut checksum = Checksum::default();
                checksum.update(&bytes[..covered]);
                bytes[covered..covered + 8].copy_from_slice(&checksum.finish().to_le_bytes());
                if let Ok(lexicon) = Lexicon::open_unverified(Arc::new(bytes)) {
                    ask(&lexicon);
                }
            }
        }
    }
}

#[test]
fn other_versions_and_other_files_are_named() {
    let mut newer = small(true);
    newer[8] = 2;
    let told = Lexicon::open(newer).unwrap_err().to_string();
    assert!(told.contains("format 2") && told.contains("reads format 1"), "{told}");
    let told = Lexicon::open(b"{\"text\":\"not at all\"}".to_vec()).unwrap_err().to_string();
    assert_eq!(told, "this is no lexicon");
    assert!(Lexicon::open(Vec::new()).is_err());
}

#[test]
fn a_checksum_in_pieces_is_that_of_the_whole() {
    let bytes: Vec<u8> = (0..100).collect();
    let mut whole = Checksum::default();
    whole.update(&bytes);
    for size in 1..30 {
        let mut pieces = Checksum::default();
        bytes.chunks(size).for_each(|piece| pieces.update(piece));
        assert_eq!(pieces.finish(), whole.finish(), "{size}");
    }
    let mut padded = Checksum::default();
    padded.update(&[&bytes[..], &[0]].concat());
    assert_ne!(padded.finish(), whole.finish(), "a zero at the end counts");
}
