//! Writing a lexicon in one pass, term by term in the order of their hashes.
//!
//! Records are written at once. Texts come after all records, so they wait in a temporary file, or
//! in memory for a small lexicon. Only the index stays in memory, at most a byte or two for each
//! term.

use std::io::{Read, Seek, SeekFrom, Write};
use std::path::PathBuf;

use super::format::MARKED;
use super::format::{Checksum, Footer, LONGEST_TEXT, MAGIC, RECORD, VERSION, bucket_bits, bucket_of};
use super::{About, Lexicon};
use crate::error::{Error, Result};
use crate::hash::Digester;

/// Writes to `out`; `aside` holds the texts until the end.
pub struct Writer<W, A> {
    path: PathBuf,
    out: W,
    /// Absent if the lexicon has no texts.
    aside: Option<A>,
    encoder: Encoder,
    checksum: Checksum,
    records: Vec<u8>,
    texts: Vec<u8>,
}

const BUFFER: usize = 64 << 10;

impl<W: Write, A: Read + Write + Seek> Writer<W, A> {
    /// At most `expected` terms will come. `path` is what errors name.
    pub fn new(about: About, expected: u64, out: W, aside: Option<A>, path: impl Into<PathBuf>) -> Self {
        let encoder = Encoder::new(about, expected, aside.is_some());
        let records = encoder.opening().to_vec();
        Writer {
            path: path.into(),
            out,
            aside,
            encoder,
            checksum: Checksum::default(),
            records,
            texts: Vec::new(),
        }
    }

    /// Adds a term; hashes must rise.
    pub fn push(&mut self, hash: u64, df: u32, text: &[u8]) -> Result<()> {
        if !self.encoder.accepts(hash) {
            return Err(Error::Internal("terms of a lexicon came in disorder, or too many".to_owned()));
        }
        self.encoder.push(hash, df, text, &mut self.records, &mut self.texts);
        if self.records.len() >= BUFFER || self.texts.len() >= BUFFER {
            self.flush()?;
        }
        Ok(())
    }

    fn flush(&mut self) -> Result<()> {
        self.checksum.update(&self.records);
        self.out.write_all(&self.records).map_err(Error::io(&self.path))?;
        if let Some(aside) = &mut self.aside {
            aside.write_all(&self.texts).map_err(Error::io(&self.path))?;
        }
        self.records.clear();
        self.texts.clear();
        Ok(())
    }

    /// Writes everything that follows the records and returns `out`.
    pub fn finish(mut self) -> Result<W> {
        self.flush()?;
        if let Some(mut aside) = self.aside.take() {
            aside.seek(SeekFrom::Start(0)).map_err(Error::io(&self.path))?;
            let mut buffer = vec![0; BUFFER];
            let mut left = self.encoder.text_bytes;
            while left > 0 {
                let piece = &mut buffer[..BUFFER.min(usize::try_from(left).unwrap_or(BUFFER))];
                aside.read_exact(piece).map_err(Error::io(&self.path))?;
                self.checksum.update(piece);
                self.out.write_all(piece).map_err(Error::io(&self.path))?;
                left -= piece.len() as u64;
            }
        }
        let (tail, _) = self.encoder.finish(self.checksum);
        self.out.write_all(&tail).map_err(Error::io(&self.path))?;
        Ok(self.out)
    }
}

/// A lexicon without texts from sorted, distinct terms.
pub(super) fn in_memory(about: About, terms: &[(u64, u32)]) -> Lexicon {
    // More terms would need 50 GB and do not fit the format.
    let terms = &terms[..terms.len().min(u32::MAX as usize)];
    let mut encoder = Encoder::new(about.clone(), terms.len() as u64, false);
    let mut bytes = encoder.opening().to_vec();
    bytes.reserve(terms.len() * RECORD);
    for &(hash, df) in terms {
        encoder.push(hash, df, &[], &mut bytes, &mut Vec::new());
    }
    let mut checksum = Checksum::default();
    checksum.update(&bytes);
    let (tail, footer) = encoder.finish(checksum);
    bytes.extend_from_slice(&tail);
    Lexicon { bytes: std::sync::Arc::new(bytes), layout: footer.layout(), about }
}

/// Encodes terms and remembers what the end of the file needs.
struct Encoder {
    about: About,
    has_texts: bool,
    digest: Digester,
    terms: u64,
    last: Option<u64>,
    text_bytes: u64,
    marks: Vec<u64>,
    /// Buckets as fine as `expected` terms would need; in the end they are merged to the right
    /// size.
    fine_bits: u32,
    buckets: Vec<u32>,
}

impl Encoder {
    fn new(about: About, expected: u64, has_texts: bool) -> Self {
        let mut digest = Digester::default();
        digest.push(about.documents);
        Encoder {
            about,
            has_texts,
            digest,
            terms: 0,
            last: None,
            text_bytes: 0,
            marks: Vec::new(),
            fine_bits: bucket_bits(expected),
            buckets: Vec::new(),
        }
    }

    fn opening(&self) -> [u8; 16] {
        let mut opening = [0; 16];
        opening[..8].copy_from_slice(&MAGIC);
        opening[8..12].copy_from_slice(&VERSION.to_le_bytes());
        opening
    }

    fn accepts(&self, hash: u64) -> bool {
        let more = self.terms + 1;
        self.last < Some(hash) && more <= u32::MAX.into() && bucket_bits(more) <= self.fine_bits
    }

    fn push(&mut self, hash: u64, df: u32, text: &[u8], records: &mut Vec<u8>, texts: &mut Vec<u8>) {
        self.fill_buckets(bucket_of(hash, self.fine_bits) + 1);
        self.digest.push(hash);
        self.digest.push(df.into());
        records.extend_from_slice(&hash.to_le_bytes());
        records.extend_from_slice(&df.to_le_bytes());
        if self.has_texts {
            if self.terms.is_multiple_of(MARKED as u64) {
                self.marks.push(self.text_bytes);
            }
            let text = if text.len() <= LONGEST_TEXT { text } else { &[] };
            texts.push(text.len() as u8);
            texts.extend_from_slice(text);
            self.text_bytes += 1 + text.len() as u64;
        }
        self.last = Some(hash);
        self.terms += 1;
    }

    /// Sets the beginning of all buckets before `end` that have not begun yet.
    fn fill_buckets(&mut self, end: usize) {
        if self.buckets.len() < end {
            self.buckets.resize(end, self.terms as u32);
        }
    }

    /// Everything behind the texts.
    fn finish(mut self, mut checksum: Checksum) -> (Vec<u8>, Footer) {
        self.fill_buckets((1 << self.fine_bits) + 1);
        let step = 1usize << (self.fine_bits - bucket_bits(self.terms).min(self.fine_bits));
        let mut tail = Vec::new();
        self.marks.iter().for_each(|mark| tail.extend_from_slice(&mark.to_le_bytes()));
        self.buckets.iter().step_by(step).for_each(|start| tail.extend_from_slice(&start.to_le_bytes()));
        let about = &self.about;
        let names = [&about.source, &about.rules, &about.counted].map(|name| {
            tail.extend_from_slice(name.as_bytes());
            name.len() as u32
        });
        let footer = Footer {
            documents: about.documents,
            terms: self.terms as u32,
            text_bytes: self.text_bytes,
            has_texts: self.has_texts,
            least_df: about.least_df,
            names,
            digest: self.digest.finish(),
        };
        tail.extend_from_slice(&footer.to_bytes());
        checksum.update(&tail);
        tail.extend_from_slice(&checksum.finish().to_le_bytes());
        tail.extend_from_slice(&MAGIC);
        (tail, footer)
    }
}

#[cfg(test)]
mod tests {
    use std::io::Cursor;

    use proptest::prelude::*;

    use super::*;

    fn written(terms: &[(u64, u32, String)], expected: u64) -> Vec<u8> {
        let aside = Some(Cursor::new(Vec::new()));
        let mut writer = Writer::new(About::words(50, "here"), expected, Vec::new(), aside, "memory");
        for (hash, df, text) in terms {
            writer.push(*hash, *df, text.as_bytes()).unwrap();
        }
        writer.finish().unwrap()
    }

    proptest! {
        #[test]
        fn what_is_written_is_read_whatever_was_expected(
            terms in proptest::collection::btree_map(any::<u64>(), (1u32..99, "[a-zé]{0,9}|x{60,70}"), 0..400),
            more in 0u64..100_000,
        ) {
            let terms: Vec<(u64, u32, String)> =
                terms.into_iter().map(|(hash, (df, text))| (hash, df, text)).collect();
            let bytes = written(&terms, terms.len() as u64);
            prop_assert_eq!(&bytes, &written(&terms, terms.len() as u64 + more), "one lexicon, one file");
            let lexicon = Lexicon::open(bytes).unwrap();
            let kept = |text: &str| if text.len() <= LONGEST_TEXT { text.to_owned() } else { String::new() };
            for (place, (hash, df, text)) in terms.iter().enumerate() {
                prop_assert_eq!(lexicon.df(*hash), *df);
                prop_assert_eq!(lexicon.table().place(*hash), Some(place));
                prop_assert_eq!(lexicon.text(place).unwrap_or_default(), kept(text));
            }
            let entries = lexicon.entries().map(|(hash, df, text)| (hash, df, text.to_vec()));
            prop_assert!(entries.eq(terms.iter().map(|(hash, df, text)| (*hash, *df, kept(text).into_bytes()))));
        }
    }

    #[test]
    fn disorder_is_refused() {
        let mut writer = Writer::new(About::words(1, ""), 9, Vec::new(), None::<Cursor<Vec<u8>>>, "memory");
        writer.push(5, 1, b"").unwrap();
        assert!(writer.push(5, 1, b"").is_err());
        assert!(writer.push(4, 1, b"").is_err());
        writer.push(6, 1, b"").unwrap();
    }

    #[test]
    fn the_tables_in_memory_and_on_disk_are_one() {
        let terms: Vec<(u64, u32)> = (0..500).map(|i| (crate::hash::mix(i), i as u32 + 1)).collect();
        let made = Lexicon::from_counts(7, terms.iter().copied());
        let mut writer =
            Writer::new(made.about().clone(), 500, Vec::new(), None::<Cursor<Vec<u8>>>, "memory");
        made.terms().for_each(|(hash, df)| writer.push(hash, df, b"ignored").unwrap());
        assert_eq!(writer.finish().unwrap(), made.as_bytes());
    }
}
