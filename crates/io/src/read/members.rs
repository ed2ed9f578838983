//! The members of a gzip file as one stream that goes on after a damaged one.
//!
//! Web archives have a member for each record, so what follows a damaged member is intact, and can be found.

use std::io::{self, BufRead, Read};

use flate2::bufread::GzDecoder;
use lookalike_core::warc::is_warc;

/// Decompresses member after member. A damaged one is an error, and reading again goes on with the next member that
/// begins with a record of a web archive.
pub struct Members<R> {
    state: State<R>,
    /// How much the present member gave so far.
    given: u64,
    /// How many members have begun.
    begun: u64,
}

enum State<R> {
    Between(Ahead<R>),
    Within(Box<GzDecoder<Ahead<R>>>),
    /// Something in here is no member.
    Lost(Ahead<R>),
    Ended,
}

impl<R: Read> Members<R> {
    pub fn new(from: R) -> Self {
        Members { state: State::Between(Ahead::new(from)), given: 0, begun: 0 }
    }

    /// Whether members have records of their own, as far as is known: there are several.
    pub fn are_several(&self) -> bool {
        self.begun > 1
    }

    /// How many bytes came from the member that was read last, which may be damaged.
    pub fn given(&self) -> u64 {
        self.given
    }
}

impl<R: Read> Read for Members<R> {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        if out.is_empty() {
            return Ok(0);
        }
        loop {
            match std::mem::replace(&mut self.state, State::Ended) {
                State::Between(mut from) => {
                    self.given = 0;
                    from.need(1)?;
                    if from.held().is_empty() {
                        return Ok(0);
                    }
                    self.begun += 1;
                    from.mark = from.start;
                    self.state = State::Within(Box::new(GzDecoder::new(from)));
                }
                State::Within(mut decoder) => match decoder.read(out) {
                    Ok(0) => self.state = State::Between(decoder.into_inner()),
                    Ok(read) => {
                        self.given += read as u64;
                        self.state = State::Within(decoder);
                        return Ok(read);
                    }
                    Err(error) if error.kind() == io::ErrorKind::Interrupted => {
                        self.state = State::Within(decoder);
                    }
                    Err(error) => {
                        let mut from = decoder.into_inner();
                        // A length that is damaged may have led beyond the next members.
                        from.start = from.bytes.len().min(from.mark + 1);
                        self.state = State::Lost(from);
                        return Err(error);
                    }
                },
                State::Lost(mut from) => {
                    if from.seek_member()? {
                        self.state = State::Between(from);
                    }
                }
                State::Ended => return Ok(0),
            }
        }
    }
}

/// A reader that can look ahead as far as needed, and go back to the beginning of a member that is not long.
struct Ahead<R> {
    from: R,
    bytes: Vec<u8>,
    /// What is not used yet begins here.
    start: usize,
    /// The beginning of the member, or how far back it is possible to go.
    mark: usize,
}

/// The longest way back.
const LONGEST_WAY: usize = 1 << 20;

/// As much of a member as is decompressed to see whether it is one.
const TRIED: usize = 1024;

impl<R: Read> Ahead<R> {
    fn new(from: R) -> Self {
        Ahead { from, bytes: Vec::new(), start: 0, mark: 0 }
    }

    fn held(&self) -> &[u8] {
        &self.bytes[self.start..]
    }

    /// Reads until this much is held, or all there is.
    fn need(&mut self, wanted: usize) -> io::Result<()> {
        const STEP: u64 = 256 << 10;
        while self.bytes.len() - self.start < wanted {
            if self.start - self.mark > LONGEST_WAY {
                self.mark = self.start;
            }
            self.bytes.drain(..self.mark);
            self.start -= std::mem::take(&mut self.mark);
            if self.from.by_ref().take(STEP).read_to_end(&mut self.bytes)? == 0 {
                break;
            }
        }
        Ok(())
    }

    /// Goes to the next member that holds records; `false` if there is none.
    fn seek_member(&mut self) -> io::Result<bool> {
        loop {
            self.mark = self.start;
            self.need(TRIED)?;
            let held = self.held();
            if held.is_empty() {
                return Ok(false);
            }
            match memchr::memmem::find(held, b"\x1f\x8b\x08") {
                Some(0) if begins_records(&held[..held.len().min(TRIED)]) => return Ok(true),
                Some(0) => self.start += 1,
                Some(at) => self.start += at,
                // The last bytes may be the beginning of one.
                None => self.start += held.len().saturating_sub(2).max(1),
            }
        }
    }
}

fn begins_records(member: &[u8]) -> bool {
    let mut first = [0; 5];
    GzDecoder::new(member).read_exact(&mut first).is_ok() && is_warc(&first)
}

impl<R: Read> Read for Ahead<R> {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        let read = self.fill_buf()?.read(out)?;
        self.consume(read);
        Ok(read)
    }
}

impl<R: Read> BufRead for Ahead<R> {
    fn fill_buf(&mut self) -> io::Result<&[u8]> {
        self.need(1)?;
        Ok(self.held())
    }

    fn consume(&mut self, bytes: usize) {
        self.start = (self.start + bytes).min(self.bytes.len());
    }
}

#[cfg(test)]
mod tests {
    use std::io::Write;

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
