//! Gzip files of web archives, read member by member.

use std::io::BufRead;

use flate2::bufread::GzDecoder;
use lookalike_core::warc::{self, Packing};

/// A member for each record, as is usual.
pub struct Gzip;

impl Packing for Gzip {
    type Decoder<R: BufRead> = GzDecoder<R>;

    const BEGINNING: &'static [u8] = b"\x1f\x8b\x08";

    fn open<R: BufRead>(from: R) -> GzDecoder<R> {
        GzDecoder::new(from)
    }

    fn into_inner<R: BufRead>(decoder: GzDecoder<R>) -> R {
        decoder.into_inner()
    }
}

/// The members as one stream.
pub type Members<R> = warc::Members<R, Gzip>;

#[cfg(test)]
mod tests {
    use std::io::{Read, Write};

    use super::*;

    fn member(text: &str) -> Vec<u8> {
        let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::default());
        encoder.write_all(text.as_bytes()).unwrap();
        encoder.finish().unwrap()
    }

    /// What could be read, and how often there was damage.
    fn read(bytes: &[u8]) -> (String, usize) {
        let mut members = Members::new(bytes);
        let (mut text, mut damages) = (Vec::new(), 0);
        loop {
            match members.read_to_end(&mut text) {
                Ok(_) => return (String::from_utf8_lossy(&text).into_owned(), damages),
                Err(_) => damages += 1,
            }
        }
    }

    #[test]
    fn members_after_a_damaged_one_are_read() {
        let members = ["WARC/1.0 one\n", "WARC/1.0 two\n", "WARC/1.0 three\n"].map(member);
        assert_eq!(read(&members.concat()), ("WARC/1.0 one\nWARC/1.0 two\nWARC/1.0 three\n".to_owned(), 0));
        for place in 0..members[1].len() {
            let mut bad = members.clone();
            bad[1][place] ^= 0x55;
            let (text, damages) = read(&bad.concat());
            assert!(
                text.starts_with("WARC/1.0 one\n") && text.ends_with("WARC/1.0 three\n"),
                "{place}: {text}"
            );
            // The time and the system in the header are not checked by anything.
            assert!(damages == 1 || (4..10).contains(&place), "{place}: {damages}");
        }
        let junk = [&members[0][..], b"\0\0 junk \x1f\x8b\x08 \x1f\x8b", &members[2]].concat();
        assert_eq!(read(&junk), ("WARC/1.0 one\nWARC/1.0 three\n".to_owned(), 1));
        let cut = members.concat();
        assert_eq!(read(&cut[..cut.len() - 3]).1, 1, "a cut is told");
        assert_eq!(read(b""), (String::new(), 0));
    }

    proptest::proptest! {
        #[test]
        fn anything_comes_to_an_end(bytes in proptest::collection::vec(proptest::prelude::any::<u8>(), 0..300), at in 0usize..300) {
            let members = ["WARC/1.0 one\n", "WARC/1.0 two\n"].map(member).concat();
            let mut mixed = bytes.clone();
            mixed.splice(at.min(bytes.len())..at.min(bytes.len()), members);
            read(&bytes);
            read(&mixed);
        }
    }
}
