//! All documents of a run by number, in input order.

use std::borrow::Cow;
use std::cmp::Reverse;
use std::collections::{BTreeMap, HashSet};
use std::sync::atomic::{AtomicU64, Ordering};

use lookalike_core::document::Id;
use lookalike_core::{Error, Result};

use lookalike_plumbing::log::Log;

use super::CorpusNumber;
use super::block::{Column, HAS_STREAMS, Header, Layout, NO_FEATURES, Tail};
use super::gathered::Gathered;
use super::source::{Source, Span};

/// A block in the log, and in memory if there was room.
pub struct Block {
    pub header: Header,
    /// Where its bytes are in the log.
    pub offset: u64,
    pub bytes: u64,
    pub cached: Option<Box<[u8]>>,
}

impl Block {
    /// Keeps the block's bytes if there is room for them.
    pub fn new(header: Header, offset: u64, bytes: Cow<'_, [u8]>, room: &AtomicU64) -> Block {
        let size = bytes.len() as u64;
        let fits =
            room.fetch_update(Ordering::Relaxed, Ordering::Relaxed, |room| room.checked_sub(size)).is_ok();
        let cached = fits.then(|| bytes.into_owned().into_boxed_slice());
        Block { header, offset, bytes: size, cached }
    }
}

pub struct Catalog {
    pub layout: Layout,
    /// In input order.
    pub blocks: Vec<Block>,
    /// The number of each block's first document, and of all documents at the end.
    starts: Vec<u32>,
    /// Lines before each block in its input.
    lines_before: Vec<u64>,
    /// The names of the inputs.
    pub names: Vec<String>,
    /// Which inputs are read again where they are, and what was gathered of the others.
    in_place: Vec<bool>,
    pub(super) gathered: Gathered,
    log: Log,
    /// Documents below this number belong to the corpus compared against.
    pub references: u32,
    /// How many inputs belong to the corpus itself. With several, a document without an id is named
    /// by file and line.
    pub own_inputs: usize,
    /// Records of web archives that are no texts, by their type.
    pub other_records: BTreeMap<String, u64>,
    /// Documents that people chose as masters of their clusters.
    pub preferred: HashSet<CorpusNumber>,
}

impl Catalog {
    /// The blocks of a source, in any order.
    pub fn new(layout: Layout, mut blocks: Vec<Block>, source: &dyn Source, log: Log) -> Result<Catalog> {
        let (names, reference_inputs) = (source.names(), source.reference_inputs());
        blocks.sort_by_key(|block| (block.header.input, block.header.part));
        let (mut starts, mut lines_before) = (vec![0u32], Vec::new());
        let (mut references, mut lines, mut input) = (0, 0u64, None);
        for block in &blocks {
            let end = starts.last().and_then(|start| start.checked_add(block.header.documents));
            let end = end.ok_or_else(|| {
                Error::config(format!("more than {} documents in one run; split the corpus", u32::MAX))
            })?;
            starts.push(end);
            if input != Some(block.header.input) {
                input = Some(block.header.input);
                lines = 0;
            }
            lines_before.push(lines);
            lines += u64::from(block.header.lines);
            if (block.header.input as usize) < reference_inputs {
                references = end;
            }
        }
        let own_inputs = names.len() - reference_inputs;
        Ok(Catalog {
            layout,
            blocks,
            starts,
            lines_before,
            in_place: (0..names.len()).map(|input| source.is_in_place(input)).collect(),
            gathered: Gathered::default(),
            names,
            log,
            references,
            own_inputs,
            other_records: BTreeMap::new(),
            preferred: HashSet::new(),
        })
    }

    pub fn len(&self) -> u32 {
        self.starts.last().copied().unwrap_or(0)
    }

    /// Forgets as many blocks as it takes to hold no more than this in memory; they are read from the log from now on.
    pub fn limit_cache(&mut self, bytes: u64) {
        let mut held = 0;
        for block in &mut self.blocks {
            let size = block.cached.as_ref().map_or(0, |cached| cached.len() as u64);
            if held + size > bytes {
                block.cached = None;
            } else {
                held += size;
            }
        }
    }

    /// Bytes of ids, on average.
    pub(super) fn id_bytes(&self) -> u64 {
        let columns = self.layout.bytes_per_document() as u64;
        let all: u64 = self.blocks.iter().map(|block| block.bytes).sum();
        (all / u64::from(self.len()).max(1)).saturating_sub(columns)
    }

    pub fn is_reference(&self, document: CorpusNumber) -> bool {
        document.raw() < self.references
    }

    /// All documents.
    pub fn documents(&self) -> impl Iterator<Item = CorpusNumber> + use<> {
        numbers(0..self.len())
    }

    /// The documents of a block.
    pub fn documents_of(&self, block: usize) -> impl Iterator<Item = CorpusNumber> + use<> {
        numbers(self.starts[block]..self.starts[block + 1])
    }

    /// Whether a block belongs to the corpus itself, not to the one compared against.
    pub fn is_own(&self, block: usize) -> bool {
        self.starts[block + 1] > self.references
    }

    /// A column of a block.
    pub fn column(&self, block: usize, column: Column) -> Result<Cow<'_, [u8]>> {
        let documents = self.blocks[block].header.documents;
        let start = self.layout.place(column, documents, 0);
        self.bytes(block, start, self.layout.width(column) * documents as usize)
    }

    pub fn numbers(&self, block: usize, column: Column) -> Result<Vec<u32>> {
        let bytes = self.column(block, column)?;
        Ok(bytes.as_chunks::<4>().0.iter().map(|four| u32::from_le_bytes(*four)).collect())
    }

    /// Where a document is read again.
    pub fn span(&self, document: CorpusNumber) -> Result<Span> {
        let (block, index) = self.locate(document);
        let header = &self.blocks[block].header;
        let length = self.number(block, Column::Length, index)?;
        let input = header.input as usize;
        if !self.in_place[input] {
            return self.gathered_span(document, input, length);
        }
        let offset = header.base + u64::from(self.number(block, Column::Offset, index)?);
        Ok(Span { input, offset, length, store: None })
    }

    /// The length of a document's line.
    pub fn length(&self, document: CorpusNumber) -> Result<u32> {
        let (block, index) = self.locate(document);
        self.number(block, Column::Length, index)
    }

    /// Whether all documents can be read again where they are.
    pub fn is_in_place(&self) -> bool {
        self.in_place.iter().all(|&in_place| in_place)
    }

    /// Whether the documents of a block can be read again where they are.
    pub(super) fn is_block_in_place(&self, block: usize) -> bool {
        self.in_place[self.blocks[block].header.input as usize]
    }

    /// The block of a chunk, by its input and part.
    pub fn block_of(&self, input: usize, part: u64) -> Option<usize> {
        self.blocks
            .binary_search_by_key(&(input as u32, part), |block| (block.header.input, block.header.part))
            .ok()
    }

    /// The blocks of an input.
    pub fn blocks_of(&self, input: usize) -> impl Iterator<Item = usize> + use<> {
        let end = |input| self.blocks.partition_point(|block| (block.header.input as usize) < input);
        end(input)..end(input + 1)
    }

    /// The input and the number of the document's line in it, from 1.
    pub fn place(&self, document: CorpusNumber) -> Result<(usize, u64)> {
        let (block, index) = self.locate(document);
        let line = self.number(block, Column::Line, index)?;
        Ok((self.blocks[block].header.input as usize, self.line_number(block, line)))
    }

    /// A document's block, and the index of its source among the names of the block.
    pub fn source(&self, document: CorpusNumber) -> Result<(usize, u32)> {
        let (block, index) = self.locate(document);
        Ok((block, self.number(block, Column::Source, index)?))
    }

    pub fn line_number(&self, block: usize, line: u32) -> u64 {
        self.lines_before[block] + u64::from(line) + 1
    }

    pub fn id(&self, document: CorpusNumber) -> Result<Id> {
        self.json_id(document).map(|json| Id::from_json(json.into_owned()))
    }

    /// The id as it is written into JSON files.
    pub fn json_id(&self, document: CorpusNumber) -> Result<Cow<'_, str>> {
        let (block, index) = self.locate(document);
        let documents = self.blocks[block].header.documents;
        let end = self.number(block, Column::IdEnd, index)?;
        let start = if index == 0 { 0 } else { self.number(block, Column::IdEnd, index - 1)? };
        if start == end {
            let (input, line) = self.place(document)?;
            return Ok(Cow::Owned(self.id_by_place(document, input, line).json().to_owned()));
        }
        let ids = self.layout.place(Column::Signature, documents, documents);
        let text = match self.bytes(block, ids + start as usize, (end - start) as usize)? {
            Cow::Borrowed(bytes) => std::str::from_utf8(bytes).ok().map(Cow::Borrowed),
            Cow::Owned(bytes) => String::from_utf8(bytes).ok().map(Cow::Owned),
        };
        text.ok_or_else(|| Error::Internal("an id is not UTF-8".to_owned()))
    }

    /// The id of a document that has none of its own.
    fn id_by_place(&self, document: CorpusNumber, input: usize, line: u64) -> Id {
        if self.own_inputs > 1 || self.is_reference(document) {
            let text = format!("{}:{line}", self.names[input]);
            Id::from_json(serde_json::Value::String(text).to_string())
        } else {
            Id::from_number(line)
        }
    }

    /// All documents of a block with their ids as JSON.
    pub fn for_each_id(
        &self,
        block: usize,
        mut visit: impl FnMut(CorpusNumber, &str) -> Result<()>,
    ) -> Result<()> {
        let ends = self.numbers(block, Column::IdEnd)?;
        let lines = self.numbers(block, Column::Line)?;
        let Header { documents, input, .. } = self.blocks[block].header;
        let ids = self.layout.place(Column::Signature, documents, documents);
        let bytes = self.bytes(block, ids, ends.last().map_or(0, |&end| end as usize))?;
        let mut start = 0;
        for ((document, end), line) in self.documents_of(block).zip(ends).zip(lines) {
            if end > start {
                let id = std::str::from_utf8(&bytes[start as usize..end as usize])
                    .map_err(|_| Error::Internal("an id is not UTF-8".to_owned()))?;
                visit(document, id)?;
            } else {
                let line = self.line_number(block, line);
                visit(document, self.id_by_place(document, input as usize, line).json())?;
            }
            start = end;
        }
        Ok(())
    }

    /// The ids that records of a block have themselves, as JSON.
    pub fn for_each_given_id(&self, block: usize, mut visit: impl FnMut(&[u8]) -> Result<()>) -> Result<()> {
        let ends = self.numbers(block, Column::IdEnd)?;
        let documents = self.blocks[block].header.documents;
        let ids = self.layout.place(Column::Signature, documents, documents);
        let bytes = self.bytes(block, ids, ends.last().map_or(0, |&end| end as usize))?;
        let mut start = 0;
        for end in ends {
            if end > start {
                visit(&bytes[start as usize..end as usize])?;
            }
            start = end;
        }
        Ok(())
    }

    /// The digest that exact copies share; `None` if there is nothing to compare.
    pub fn digest(&self, document: CorpusNumber) -> Result<Option<u128>> {
        let (block, index) = self.locate(document);
        let at = self.layout.place(Column::Digest, self.blocks[block].header.documents, index);
        let bytes = self.bytes(block, at, 16)?;
        let digest = bytes.first_chunk().map(|bytes| u128::from_le_bytes(*bytes));
        Ok(digest.filter(|&digest| digest != NO_FEATURES))
    }

    /// Whether two documents have the same text, and no streams in which they could differ.
    pub fn are_same(&self, a: CorpusNumber, b: CorpusNumber) -> Result<bool> {
        let hash = self.text_hash(a)?;
        Ok(hash == self.text_hash(b)? && hash & HAS_STREAMS == 0)
    }

    fn text_hash(&self, document: CorpusNumber) -> Result<u64> {
        let (block, index) = self.locate(document);
        let at = self.layout.place(Column::Text, self.blocks[block].header.documents, index);
        let bytes = self.bytes(block, at, 8)?;
        Ok(bytes.first_chunk().map_or(0, |bytes| u64::from_le_bytes(*bytes)))
    }

    pub fn signature(&self, document: CorpusNumber) -> Result<Cow<'_, [u8]>> {
        let (block, index) = self.locate(document);
        let at = self.layout.place(Column::Signature, self.blocks[block].header.documents, index);
        self.bytes(block, at, self.layout.signature)
    }

    /// Names of sources and rejected lines of a block.
    pub fn tail(&self, block: usize) -> Result<Tail> {
        let entry = &self.blocks[block];
        let documents = entry.header.documents;
        let ids = self.layout.place(Column::Signature, documents, documents);
        let id_bytes = match documents {
            0 => 0,
            _ => self.number(block, Column::IdEnd, documents - 1)? as usize,
        };
        let start = ids + id_bytes;
        let bytes = self.bytes(block, start, entry.bytes as usize - start)?;
        Tail::read(&bytes, entry.header.rejected)
            .ok_or_else(|| Error::Internal("a block of the work folder is damaged".to_owned()))
    }

    /// Sorts documents by keep order, best first: documents of the corpus compared against, those that
    /// people prefer, then by the keep rules' scores, by id, by place in the input.
    pub fn sort_by_keep_order(&self, documents: &mut Vec<CorpusNumber>) -> Result<()> {
        let mut ranks = Vec::with_capacity(documents.len());
        let mut scores = Vec::with_capacity(documents.len() * self.layout.keep_rules);
        for (place, &document) in documents.iter().enumerate() {
            let preferred = self.preferred.contains(&document);
            ranks.push((Reverse((self.is_reference(document), preferred)), place, document));
            self.add_keep_scores(document, &mut scores)?;
        }
        let scores_at = |place: usize| &scores[place * self.layout.keep_rules..][..self.layout.keep_rules];
        ranks.sort_unstable_by(|a, b| {
            let by_scores = scores_at(b.1).cmp(scores_at(a.1));
            a.0.cmp(&b.0).then(by_scores).then(a.2.cmp(&b.2))
        });
        documents.clear();
        for tied in ranks.chunk_by(|a, b| a.0 == b.0 && scores_at(a.1) == scores_at(b.1)) {
            if let [single] = tied {
                documents.push(single.2);
                continue;
            }
            let ids = tied.iter().map(|&(_, _, document)| Ok((self.json_id(document)?, document)));
            let mut ids = ids.collect::<Result<Vec<_>>>()?;
            ids.sort_by(|a, b| Id::compare(&a.0, &b.0).then(a.1.cmp(&b.1)));
            documents.extend(ids.into_iter().map(|(_, document)| document));
        }
        Ok(())
    }

    /// The first document in keep order of those that `each` calls its argument with.
    pub fn best(
        &self,
        each: impl FnOnce(&mut dyn FnMut(CorpusNumber) -> Result<()>) -> Result<()>,
    ) -> Result<CorpusNumber> {
        let mut best: Option<(KeepRank, CorpusNumber)> = None;
        each(&mut |document| {
            let rank = self.keep_rank(document)?;
            let is_better = match &best {
                None => true,
                Some((best, _)) if rank != *best => rank > *best,
                Some((_, best)) => {
                    let by_id = Id::compare(&self.json_id(document)?, &self.json_id(*best)?);
                    by_id.then(document.cmp(best)).is_lt()
                }
            };
            if is_better {
                best = Some((rank, document));
            }
            Ok(())
        })?;
        best.map(|(_, document)| document).ok_or_else(|| Error::Internal("an empty bucket".to_owned()))
    }

    /// What ranks a document before all these others in keep order: the criterion that decides
    /// against the next best of them.
    pub fn what_decides(
        &self,
        best: CorpusNumber,
        others: impl Iterator<Item = CorpusNumber>,
    ) -> Result<Decides> {
        let mut next: Option<KeepRank> = None;
        for other in others {
            next = next.max(Some(self.keep_rank(other)?));
        }
        let (best, Some(next)) = (self.keep_rank(best)?, next) else { return Ok(Decides::Id) };
        Ok(if best.0 != next.0 {
            Decides::Against
        } else if best.1 != next.1 {
            Decides::Person
        } else {
            let rule = best.2.iter().zip(&next.2).position(|(a, b)| a != b);
            rule.map_or(Decides::Id, Decides::Rule)
        })
    }

    pub(super) fn keep_rank(&self, document: CorpusNumber) -> Result<KeepRank> {
        let preferred = self.preferred.contains(&document);
        let mut scores = Vec::with_capacity(self.layout.keep_rules);
        self.add_keep_scores(document, &mut scores)?;
        Ok((self.is_reference(document), preferred, scores))
    }

    fn add_keep_scores(&self, document: CorpusNumber, scores: &mut Vec<u64>) -> Result<()> {
        let (block, index) = self.locate(document);
        for rule in 0..self.layout.keep_rules {
            let at = self.layout.place(Column::Keep(rule), self.blocks[block].header.documents, index);
            let bytes = self.bytes(block, at, 8)?;
            scores.push(bytes.first_chunk().map_or(0, |bytes| u64::from_le_bytes(*bytes)));
        }
        Ok(())
    }

    /// Some numbers of a column, from an index on.
    pub(super) fn some_numbers(
        &self,
        block: usize,
        column: Column,
        index: u32,
        count: usize,
    ) -> Result<Vec<u32>> {
        let at = self.layout.place(column, self.blocks[block].header.documents, index);
        let bytes = self.bytes(block, at, 4 * count)?;
        Ok(bytes.as_chunks::<4>().0.iter().map(|four| u32::from_le_bytes(*four)).collect())
    }

    pub(super) fn locate(&self, document: CorpusNumber) -> (usize, u32) {
        let document = document.raw();
        let block = self.starts.partition_point(|&start| start <= document) - 1;
        (block, document - self.starts[block])
    }

    fn number(&self, block: usize, column: Column, index: u32) -> Result<u32> {
        let at = self.layout.place(column, self.blocks[block].header.documents, index);
        let bytes = self.bytes(block, at, 4)?;
        Ok(bytes.first_chunk().map_or(0, |bytes| u32::from_le_bytes(*bytes)))
    }

    fn bytes(&self, block: usize, start: usize, length: usize) -> Result<Cow<'_, [u8]>> {
        let block = &self.blocks[block];
        if let Some(cached) = &block.cached {
            return Ok(Cow::Borrowed(&cached[start..start + length]));
        }
        let mut bytes = vec![0; length];
        self.log.read(block.offset + start as u64, &mut bytes)?;
        Ok(Cow::Owned(bytes))
    }
}

fn numbers(range: std::ops::Range<u32>) -> impl Iterator<Item = CorpusNumber> {
    range.map(|number| CorpusNumber::from_index(number as usize))
}

/// The criterion that ranks a document before another.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Decides {
    /// It is of the corpus compared against.
    Against,
    /// A person prefers it.
    Person,
    /// The keep rule at this place.
    Rule(usize),
    /// Everything else is equal.
    Id,
}

/// The criteria of the keep order: whether a document belongs to the corpus compared against, whether people
/// prefer it, and the keep rules' scores. Greater is better.
pub(super) type KeepRank = (bool, bool, Vec<u64>);
