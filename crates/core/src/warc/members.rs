//! The members of a packed web archive as one stream that goes on after a damaged one.
//!
//! Such archives have a member for each record, so what follows a damaged member is intact, and can be found.

use std::io::{self, BufRead, Read};

use super::is_warc;

/// A compression by members, such as gzip: how one member is decompressed.
pub trait Packing {
    /// Decompresses one member and reads nothing beyond it.
    type Decoder<R: BufRead>: Read;

    /// The bytes by which every member begins.
    const BEGINNING: &'static [u8];

    /// Begins a member.
    fn open<R: BufRead>(from: R) -> Self::Decoder<R>;

    /// What follows the member.
    fn into_inner<R: BufRead>(decoder: Self::Decoder<R>) -> R;

    /// Whether these bytes are the beginning of a member that holds records.
    fn begins_records(bytes: &[u8]) -> bool {
        let mut first = [0; 5];
        bytes.starts_with(Self::BEGINNING)
            && Self::open(bytes).read_exact(&mut first).is_ok()
            && is_warc(&first)
    }
}

/// Decompresses member after member. A damaged one is an error, and reading again goes on with the next member that
/// begins with a record of a web archive.
pub struct Members<R: Read, P: Packing> {
    state: State<R, P>,
    /// The beginning of a member, which is handed out from `used` on.
    held: Vec<u8>,
    used: usize,
    /// How much the present member gave so far.
    given: u64,
    /// Whether the present member is the first. It may be all of the file, and is then used as far as it goes.
    is_first: bool,
}

/// A member that is not longer is handed out only if it is intact.
const LONGEST_HELD: u64 = 4 << 20;

enum State<R: Read, P: Packing> {
    Between(Ahead<R>),
    Within(Box<P::Decoder<Ahead<R>>>),
    /// Something in here is no member.
    Lost(Ahead<R>),
    Ended,
}

impl<R: Read, P: Packing> Members<R, P> {
    /// Reads nothing yet.
    pub fn new(from: R) -> Self {
        let state = State::Between(Ahead::new(from));
        Members { state, held: Vec::new(), used: 0, given: 0, is_first: true }
    }

    /// How many bytes came from the member that was read last. After an error it is the damaged one: none, unless it is
    /// long or the first.
    pub fn given(&self) -> u64 {
        self.given
    }

    /// Begins a member. A short one is decompressed to its end.
    fn begin(&mut self, from: Ahead<R>) -> io::Result<()> {
        let mut decoder = Box::new(P::open(from));
        (self.used, self.given) = (0, 0);
        self.held.clear();
        if !std::mem::take(&mut self.is_first)
            && let Err(error) = decoder.by_ref().take(LONGEST_HELD).read_to_end(&mut self.held)
        {
            self.held.clear();
            self.lose(*decoder);
            return Err(error);
        }
        self.state = State::Within(decoder);
        Ok(())
    }

    /// What follows a damaged member is searched from its beginning on: a length that is damaged may have led beyond the
    /// next ones.
    fn lose(&mut self, decoder: P::Decoder<Ahead<R>>) {
        let mut from = P::into_inner(decoder);
        from.start = from.bytes.len().min(from.mark + 1);
        self.state = State::Lost(from);
    }
}

impl<R: Read, P: Packing> Read for Members<R, P> {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        if out.is_empty() {
            return Ok(0);
        }
        loop {
            if self.used < self.held.len() {
                let length = out.len().min(self.held.len() - self.used);
                out[..length].copy_from_slice(&self.held[self.used..self.used + length]);
                self.used += length;
                self.given += length as u64;
                return Ok(length);
            }
            match std::mem::replace(&mut self.state, State::Ended) {
                State::Between(mut from) => {
                    from.need(1)?;
                    if from.held().is_empty() {
                        return Ok(0);
                    }
                    from.mark = from.start;
                    self.begin(from)?;
                }
                State::Within(mut decoder) => match decoder.read(out) {
                    Ok(0) => self.state = State::Between(P::into_inner(*decoder)),
                    Ok(read) => {
                        self.given += read as u64;
                        self.state = State::Within(decoder);
                        return Ok(read);
                    }
                    Err(error) if error.kind() == io::ErrorKind::Interrupted => {
                        self.state = State::Within(decoder);
                    }
                    Err(error) => {
                        self.lose(*decoder);
                        return Err(error);
                    }
                },
                State::Lost(mut from) => {
                    if from.seek_member::<P>()? {
                        self.state = State::Between(from);
                    }
                }
                State::Ended => return Ok(0),
            }
        }
    }
}

/// A reader that can look ahead as far as needed, and go back to the beginning of a member that is not long.
pub struct Ahead<R> {
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
    fn seek_member<P: Packing>(&mut self) -> io::Result<bool> {
        loop {
            self.mark = self.start;
            self.need(TRIED)?;
            let held = self.held();
            if held.is_empty() {
                return Ok(false);
            }
            match memchr::memmem::find(held, P::BEGINNING) {
                Some(0) if P::begins_records(&held[..held.len().min(TRIED)]) => return Ok(true),
                Some(0) => self.start += 1,
                Some(at) => self.start += at,
                // The last bytes may be the beginning of one.
                None => self.start += (held.len() + 1).saturating_sub(P::BEGINNING.len()).max(1),
            }
        }
    }
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
