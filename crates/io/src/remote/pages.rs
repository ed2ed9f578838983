//! An object of which pieces here and there are read, as the columns of a table are: in blocks, of which the last few stay.

use std::collections::VecDeque;
use std::io::{self, Read, Seek, SeekFrom};
use std::sync::{Arc, Mutex, PoisonError};

use bytes::Bytes;

use super::object::{Fetch, Object};
use super::reader::ObjectReader;

const BLOCK: u64 = 1 << 20;

/// Blocks of an object. Clones share them, each at a place of its own.
#[derive(Clone, Debug)]
pub struct Pages {
    object: Arc<Object>,
    blocks: Arc<Mutex<VecDeque<(u64, Fetch)>>>,
    most: usize,
    at: u64,
}

impl Pages {
    /// For as many places as are read by turns: two blocks for each, so that the next is on its way.
    pub fn new(object: Arc<Object>, places: usize) -> Self {
        Pages { object, blocks: Arc::default(), most: 2 * places.max(4), at: 0 }
    }

    /// The length of the object.
    pub fn length(&self) -> u64 {
        self.object.bytes()
    }

    /// The same from a place on.
    pub fn from(&self, at: u64) -> Self {
        Pages { at, ..self.clone() }
    }

    /// A range, all of it.
    pub fn range(&self, start: u64, length: usize) -> io::Result<Bytes> {
        if start.saturating_add(length as u64) > self.length() {
            return Err(io::ErrorKind::UnexpectedEof.into());
        }
        let mut bytes = vec![0; length];
        self.from(start).read_exact(&mut bytes)?;
        Ok(bytes.into())
    }

    /// A block, and the next one begun if the one before was read, too.
    fn block(&self, number: u64) -> io::Result<Bytes> {
        let mut blocks = self.blocks.lock().unwrap_or_else(PoisonError::into_inner);
        let begin = |number: u64| {
            let start = number * BLOCK;
            self.object.fetch(start..(start + BLOCK).min(self.length()))
        };
        let place =
            |blocks: &VecDeque<(u64, Fetch)>, number: u64| blocks.iter().position(|block| block.0 == number);
        let fetch = match place(&blocks, number).and_then(|place| blocks.remove(place)) {
            Some((_, fetch)) => fetch,
            None => begin(number)?,
        };
        let is_next = number > 0 && place(&blocks, number - 1).is_some();
        if is_next && (number + 1) * BLOCK < self.length() && place(&blocks, number + 1).is_none() {
            blocks.push_back((number + 1, begin(number + 1)?));
        }
        let bytes = self.object.wait(fetch)?;
        blocks.push_back((number, Fetch::Here(bytes.clone())));
        while blocks.len() > self.most {
            blocks.pop_front();
        }
        Ok(bytes)
    }
}

impl Read for Pages {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        let left = self.length().saturating_sub(self.at);
        let wanted = out.len().min(usize::try_from(left).unwrap_or(usize::MAX));
        if wanted == 0 {
            return Ok(0);
        }
        // What is larger than a few blocks would only push out the others.
        if wanted as u64 > 2 * BLOCK {
            let range = self.at..self.at + wanted as u64;
            ObjectReader::of_range(self.object.clone(), range).read_exact(&mut out[..wanted])?;
            self.at += wanted as u64;
            return Ok(wanted);
        }
        let block = self.block(self.at / BLOCK)?;
        let from = (self.at % BLOCK) as usize;
        let count = wanted.min(block.len() - from);
        out[..count].copy_from_slice(&block[from..from + count]);
        self.at += count as u64;
        Ok(count)
    }
}

impl Seek for Pages {
    fn seek(&mut self, to: SeekFrom) -> io::Result<u64> {
        let place = match to {
            SeekFrom::Start(place) => Some(place),
            SeekFrom::End(by) => self.length().checked_add_signed(by),
            SeekFrom::Current(by) => self.at.checked_add_signed(by),
        };
        self.at = place.ok_or(io::ErrorKind::InvalidInput)?;
        Ok(self.at)
    }
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::FileExt;

    use super::super::address::Address;
    use super::*;

    proptest::proptest! {
        #![proptest_config(proptest::prelude::ProptestConfig::with_cases(30))]
        /// Places and lengths of any kind give what the object has there, and the reader in order gives all of it.
        #[test]
        fn pages_are_what_the_object_has(
            length in 0_u64..6 * BLOCK,
            steps in proptest::collection::vec((0_u64..6 * BLOCK, 0_usize..3 * BLOCK as usize), 1..8),
        ) {
            let content: Vec<u8> = (0..length).map(|i| (i ^ (i >> 8) ^ (i >> 16)) as u8).collect();
            let file = tempfile::tempfile().unwrap();
            file.write_all_at(&content, 0).unwrap();
            let address = Address::parse("http://host/a").unwrap();
            let object = Arc::new(Object::copied(address, "a".to_owned(), file, length, 1));
            let mut pages = Pages::new(object.clone(), 1);
            for (at, count) in steps {
                pages.seek(SeekFrom::Start(at)).unwrap();
                let mut read = Vec::new();
                pages.by_ref().take(count as u64).read_to_end(&mut read).unwrap();
                let start = (at as usize).min(content.len());
                proptest::prop_assert!(read == content[start..(start + count).min(content.len())]);
                let whole = at + count as u64 <= length;
                proptest::prop_assert_eq!(pages.range(at, count).is_ok(), whole);
            }
            let mut all = Vec::new();
            ObjectReader::new(object).read_to_end(&mut all).unwrap();
            proptest::prop_assert!(all == content);
        }
    }
}
