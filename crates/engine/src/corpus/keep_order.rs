//! Any number of documents in keep order, best first.
//!
//! As many as fit into memory are sorted at a time; if there are more, each part is written with what it was sorted
//! by, and the parts are merged.

use std::cmp::{Ordering, Reverse};
use std::collections::BinaryHeap;
use std::fs::File;
use std::io::{BufReader, BufWriter, Read, Write};
use std::path::Path;

use lookalike_core::document::Id;
use lookalike_core::{Error, Result};

use super::CorpusNumber;
use super::catalog::{Catalog, KeepRank};

/// What sorting takes for each document, besides scores and id.
const ENTRY: u64 = 96;
/// Parts smaller than this would be too many.
const LEAST_PART: usize = 1 << 12;
const BUFFER: usize = 64 << 10;

impl Catalog {
    /// These documents in keep order. Besides the result, no more than about `memory` is used; what does not fit goes
    /// into `folder` for a while.
    pub fn in_keep_order(
        &self,
        documents: impl Iterator<Item = CorpusNumber>,
        folder: &Path,
        memory: u64,
    ) -> Result<Vec<CorpusNumber>> {
        let each = ENTRY + 8 * self.layout.keep_rules as u64 + self.id_bytes();
        let most = ((memory / each) as usize).max(LEAST_PART);
        let mut documents = documents.peekable();
        let mut sort_part = || -> Result<Vec<CorpusNumber>> {
            let mut part: Vec<CorpusNumber> = documents.by_ref().take(most).collect();
            self.sort_by_keep_order(&mut part)?;
            Ok(part)
        };
        let mut part = sort_part()?;
        if part.len() < most {
            return Ok(part);
        }
        let (mut parts, mut in_parts) = (Vec::new(), Vec::new());
        while !part.is_empty() {
            in_parts.push(part.len());
            parts.push(self.write_part(folder, &part)?);
            part = sort_part()?;
        }
        drop(part);
        let mut next = |place: usize| -> Result<Option<Reverse<(Head, usize)>>> {
            let head = Head::read(&mut parts[place], folder, self.layout.keep_rules)?;
            Ok(head.map(|head| Reverse((head, place))))
        };
        let mut heads = BinaryHeap::new();
        for place in 0..in_parts.len() {
            heads.extend(next(place)?);
        }
        let mut sorted = Vec::with_capacity(in_parts.iter().sum());
        while let Some(Reverse((head, place))) = heads.pop() {
            sorted.push(head.document);
            heads.extend(next(place)?);
        }
        Ok(sorted)
    }

    fn write_part(&self, folder: &Path, part: &[CorpusNumber]) -> Result<Part> {
        let file = tempfile::tempfile_in(folder).map_err(Error::io(folder))?;
        let mut out = BufWriter::with_capacity(BUFFER, file);
        let mut bytes = Vec::new();
        for &document in part {
            let (known, preferred, scores) = self.keep_rank(document)?;
            let id = self.json_id(document)?;
            bytes.clear();
            bytes.extend_from_slice(&[known.into(), preferred.into()]);
            scores.iter().for_each(|score| bytes.extend_from_slice(&score.to_le_bytes()));
            bytes.extend_from_slice(&document.raw().to_le_bytes());
            bytes.extend_from_slice(&(id.len() as u32).to_le_bytes());
            bytes.extend_from_slice(id.as_bytes());
            out.write_all(&bytes).map_err(Error::io(folder))?;
        }
        let mut file = out.into_inner().map_err(|error| Error::io(folder)(error.into_error()))?;
        std::io::Seek::rewind(&mut file).map_err(Error::io(folder))?;
        Ok(Part { file: BufReader::with_capacity(BUFFER, file), left: part.len() })
    }
}

/// A sorted part on disk.
struct Part {
    file: BufReader<File>,
    left: usize,
}

/// The next document of a part; the first in keep order is the smallest.
struct Head {
    rank: KeepRank,
    id: String,
    document: CorpusNumber,
}

impl Head {
    fn read(part: &mut Part, folder: &Path, rules: usize) -> Result<Option<Head>> {
        if part.left == 0 {
            return Ok(None);
        }
        part.left -= 1;
        let mut bytes = vec![0; 2 + 8 * rules + 8];
        part.file.read_exact(&mut bytes).map_err(Error::io(folder))?;
        let (flags, rest) = bytes.split_at(2);
        let (scores, numbers) = rest.split_at(8 * rules);
        let scores = scores.as_chunks::<8>().0.iter().map(|score| u64::from_le_bytes(*score)).collect();
        let [document, length] = [0, 1].map(|place| u32::from_le_bytes(numbers.as_chunks::<4>().0[place]));
        let mut id = vec![0; length as usize];
        part.file.read_exact(&mut id).map_err(Error::io(folder))?;
        let id = String::from_utf8(id).map_err(|_| Error::Internal("an id is not UTF-8".to_owned()))?;
        let document = CorpusNumber::from_index(document as usize);
        Ok(Some(Head { rank: (flags[0] != 0, flags[1] != 0, scores), id, document }))
    }
}

impl Ord for Head {
    fn cmp(&self, other: &Self) -> Ordering {
        let by_rank = other.rank.cmp(&self.rank);
        by_rank.then_with(|| Id::compare(&self.id, &other.id)).then(self.document.cmp(&other.document))
    }
}

impl PartialOrd for Head {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for Head {
    fn eq(&self, other: &Self) -> bool {
        self.document == other.document
    }
}

impl Eq for Head {}
