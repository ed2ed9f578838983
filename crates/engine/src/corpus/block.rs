//! What is remembered of a chunk's documents: a few columns, stored in one sequence of bytes.
//!
//! A block is the unit of signing, of the log from which a killed run resumes, and of the cache:
//! its bytes stay in memory while the budget allows and are read from the log otherwise.

use lookalike_core::{Error, Result};

/// The fixed-size columns of a block, in the order they are stored.
#[derive(Clone, Copy, Debug)]
pub enum Column {
    /// Offset of the document's line from the chunk's base.
    Offset,
    Length,
    /// Number of the line within the chunk.
    Line,
    /// 128-bit digest that exact copies share; [`NO_FEATURES`] if there is nothing to compare.
    Digest,
    /// A hash of the text: exact copies that share it do not differ at all, unless [`HAS_STREAMS`] is in it.
    Text,
    Source,
    /// Where the document's id ends among the ids of the block.
    IdEnd,
    Keep(usize),
    Key(usize),
    Signature,
}

/// The digest of a document that has nothing to compare.
pub const NO_FEATURES: u128 = 0;

/// The bit in the hash of a text that says that the document also has streams. Without it, in what an earlier version
/// left, documents may only be read again in vain.
pub const HAS_STREAMS: u64 = 1;

/// How many columns of each variable kind there are: the same for all blocks of a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Layout {
    pub keep_rules: usize,
    pub keys: usize,
    /// Bytes of the stored signature; 0 when it is no longer needed.
    pub signature: usize,
}

impl Layout {
    pub fn width(&self, column: Column) -> usize {
        match column {
            Column::Offset | Column::Length | Column::Line | Column::Source | Column::IdEnd => 4,
            Column::Digest => 16,
            Column::Text | Column::Keep(_) | Column::Key(_) => 8,
            Column::Signature => self.signature,
        }
    }

    /// Bytes of all columns for each document, without ids.
    pub fn bytes_per_document(&self) -> usize {
        self.before(Column::Signature) + self.signature
    }

    /// Bytes of the columns before this one, for each document.
    fn before(&self, column: Column) -> usize {
        match column {
            Column::Offset => 0,
            Column::Length => 4,
            Column::Line => 8,
            Column::Digest => 12,
            Column::Text => 28,
            Column::Source => 36,
            Column::IdEnd => 40,
            Column::Keep(rule) => 44 + 8 * rule,
            Column::Key(key) => 44 + 8 * (self.keep_rules + key),
            Column::Signature => 44 + 8 * (self.keep_rules + self.keys),
        }
    }

    /// Where a document's value of a column stands in the block's bytes.
    pub fn place(&self, column: Column, documents: u32, document: u32) -> usize {
        HEADER + self.before(column) * documents as usize + self.width(column) * document as usize
    }
}

const HEADER: usize = 40;

/// The header of a block.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Header {
    pub input: u32,
    pub part: u64,
    pub base: u64,
    pub documents: u32,
    /// Lines, blank and rejected ones included.
    pub lines: u32,
    /// Documents without features.
    pub empty: u32,
    /// Documents with features that no method could sign.
    pub unsigned: u32,
    pub rejected: u32,
}

impl Header {
    pub fn read(bytes: &[u8]) -> Result<Header> {
        let short = || Error::Incompatible("the work folder was written by another version".to_owned());
        let number = |at: usize| -> Result<u32> {
            let four = bytes.get(at..at + 4).ok_or_else(short)?;
            Ok(u32::from_le_bytes(four.try_into().map_err(|_| short())?))
        };
        let long =
            |at: usize| -> Result<u64> { Ok(u64::from(number(at)?) | u64::from(number(at + 4)?) << 32) };
        Ok(Header {
            input: number(0)?,
            part: long(4)?,
            base: long(12)?,
            documents: number(20)?,
            lines: number(24)?,
            empty: number(28)?,
            unsigned: number(32)?,
            rejected: number(36)?,
        })
    }

    fn write(&self, out: &mut Vec<u8>) {
        out.extend_from_slice(&self.input.to_le_bytes());
        out.extend_from_slice(&self.part.to_le_bytes());
        out.extend_from_slice(&self.base.to_le_bytes());
        for number in [self.documents, self.lines, self.empty, self.unsigned, self.rejected] {
            out.extend_from_slice(&number.to_le_bytes());
        }
    }
}

/// Collects a chunk's documents; reused from chunk to chunk.
#[derive(Default)]
pub struct BlockBuilder {
    offsets: Vec<u32>,
    lengths: Vec<u32>,
    lines: Vec<u32>,
    digests: Vec<u128>,
    texts: Vec<u64>,
    sources: Vec<u32>,
    id_ends: Vec<u32>,
    /// Document by document.
    keep: Vec<u64>,
    keys: Vec<u64>,
    signatures: Vec<u8>,
    ids: Vec<u8>,
    source_names: Vec<String>,
    rejects: Vec<(u32, String)>,
    empty: u32,
    unsigned: u32,
}

impl BlockBuilder {
    pub fn clear(&mut self) {
        let BlockBuilder { offsets, lengths, lines, digests, texts, sources, id_ends, keep, keys, .. } = self;
        for column in [offsets, lengths, lines, sources, id_ends] {
            column.clear();
        }
        for column in [texts, keep, keys] {
            column.clear();
        }
        digests.clear();
        self.signatures.clear();
        self.ids.clear();
        self.source_names.clear();
        self.rejects.clear();
        self.empty = 0;
        self.unsigned = 0;
    }

    pub fn start_document(&mut self, offset: u32, length: u32, line: u32, id: &str, source: Option<&str>) {
        self.offsets.push(offset);
        self.lengths.push(length);
        self.lines.push(line);
        self.ids.extend_from_slice(id.as_bytes());
        self.id_ends.push(self.ids.len() as u32);
        let source = source.unwrap_or("");
        // Mostly that of the document before.
        let last = self.sources.last().map(|&place| place as usize);
        let is_last = last.is_some_and(|place| self.source_names[place] == source);
        let place = last.filter(|_| is_last).unwrap_or_else(|| self.place_of_source(source));
        self.sources.push(place as u32);
    }

    fn place_of_source(&mut self, source: &str) -> usize {
        self.source_names.iter().rposition(|name| name == source).unwrap_or_else(|| {
            self.source_names.push(source.to_owned());
            self.source_names.len() - 1
        })
    }

    /// The keep scores of the document, to be appended to.
    pub fn keep_scores(&mut self) -> &mut Vec<u64> {
        &mut self.keep
    }

    /// Adds what was computed of the document: its digest, a hash of its text, keys and signature.
    pub fn features(&mut self, digest: u128, text: u64, keys: &[u64], signature: &[u8]) {
        self.empty += u32::from(digest == NO_FEATURES);
        self.digests.push(digest);
        self.texts.push(text);
        self.keys.extend_from_slice(keys);
        self.signatures.extend_from_slice(signature);
    }

    /// Notes that the document just added has features, but no key to find it by.
    pub fn note_unsigned(&mut self) {
        self.unsigned += 1;
    }

    pub fn reject(&mut self, line: u32, reason: String) {
        self.rejects.push((line, reason));
    }

    /// The block's bytes.
    pub fn finish(&self, layout: &Layout, input: usize, part: u64, base: u64, lines: u32) -> Vec<u8> {
        let documents = self.offsets.len();
        let mut out =
            Vec::with_capacity(HEADER + documents * layout.bytes_per_document() + self.ids.len() + 64);
        Header {
            input: input as u32,
            part,
            base,
            documents: documents as u32,
            lines,
            empty: self.empty,
            unsigned: self.unsigned,
            rejected: self.rejects.len() as u32,
        }
        .write(&mut out);
        let put =
            |out: &mut Vec<u8>, column: &[u32]| put_all(out, column.iter().map(|value| value.to_le_bytes()));
        for column in [&self.offsets, &self.lengths, &self.lines] {
            put(&mut out, column);
        }
        put_all(&mut out, self.digests.iter().map(|digest| digest.to_le_bytes()));
        put_all(&mut out, self.texts.iter().map(|text| text.to_le_bytes()));
        put(&mut out, &self.sources);
        put(&mut out, &self.id_ends);
        transpose(&self.keep, layout.keep_rules, &mut out);
        transpose(&self.keys, layout.keys, &mut out);
        out.extend_from_slice(&self.signatures);
        out.extend_from_slice(&self.ids);
        put(&mut out, &[self.source_names.len() as u32]);
        for name in &self.source_names {
            put_text(&mut out, name);
        }
        for (line, reason) in &self.rejects {
            put(&mut out, &[*line]);
            put_text(&mut out, reason);
        }
        out
    }
}

/// Writes values that come document by document column by column.
fn transpose(values: &[u64], columns: usize, out: &mut Vec<u8>) {
    for column in 0..columns {
        put_all(out, values.chunks_exact(columns).map(|row| row[column].to_le_bytes()));
    }
}

/// Makes room once for all of them, so that compilers vectorise the rest.
fn put_all<const N: usize>(out: &mut Vec<u8>, values: impl ExactSizeIterator<Item = [u8; N]>) {
    let start = out.len();
    out.resize(start + N * values.len(), 0);
    for (place, value) in out[start..].as_chunks_mut::<N>().0.iter_mut().zip(values) {
        *place = value;
    }
}

fn put_text(out: &mut Vec<u8>, text: &str) {
    out.extend_from_slice(&(text.len() as u32).to_le_bytes());
    out.extend_from_slice(text.as_bytes());
}

/// What follows the ids: the names of sources and the rejected lines.
pub struct Tail {
    pub sources: Vec<String>,
    pub rejects: Vec<(u32, String)>,
}

impl Tail {
    pub fn read(mut bytes: &[u8], rejected: u32) -> Option<Tail> {
        let sources = (0..take_number(&mut bytes)?).map(|_| take_text(&mut bytes)).collect::<Option<_>>()?;
        let rejects = (0..rejected)
            .map(|_| Some((take_number(&mut bytes)?, take_text(&mut bytes)?)))
            .collect::<Option<_>>()?;
        Some(Tail { sources, rejects })
    }
}

fn take_number(bytes: &mut &[u8]) -> Option<u32> {
    let (number, rest) = bytes.split_first_chunk::<4>()?;
    *bytes = rest;
    Some(u32::from_le_bytes(*number))
}

fn take_text(bytes: &mut &[u8]) -> Option<String> {
    let length = take_number(bytes)? as usize;
    let (text, rest) = bytes.split_at_checked(length)?;
    *bytes = rest;
    String::from_utf8(text.to_vec()).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_are_where_the_layout_says() {
        let layout = Layout { keep_rules: 2, keys: 3, signature: 2 };
        let mut builder = BlockBuilder::default();
        builder.start_document(0, 10, 0, "\"a\"", Some("web"));
        builder.keep_scores().extend([1, 2]);
        builder.features(7, 70, &[11, 12, 13], b"xy");
        builder.note_unsigned();
        builder.reject(1, "bad".into());
        builder.start_document(30, 5, 2, "", None);
        builder.keep_scores().extend([3, 4]);
        builder.features(NO_FEATURES, 80, &[21, 22, 23], b"zw");
        let bytes = builder.finish(&layout, 5, 6, 7, 3);
        let header = Header::read(&bytes).unwrap();
        assert_eq!(
            header,
            Header { input: 5, part: 6, base: 7, documents: 2, lines: 3, empty: 1, unsigned: 1, rejected: 1 }
        );
        let long = |column, document| {
            let at = layout.place(column, 2, document);
            u64::from_le_bytes(bytes[at..at + 8].try_into().unwrap())
        };
        assert_eq!(long(Column::Key(2), 1), 23);
        assert_eq!(long(Column::Keep(1), 0), 2);
        assert_eq!((long(Column::Text, 0), long(Column::Text, 1)), (70, 80));
        let at = layout.place(Column::Signature, 2, 1);
        assert_eq!(&bytes[at..at + 5], b"zw\"a\"");
        let tail = Tail::read(&bytes[at + 5..], header.rejected).unwrap();
        assert_eq!(tail.sources, ["web", ""]);
        assert_eq!(tail.rejects, [(1, "bad".to_owned())]);
    }
}
