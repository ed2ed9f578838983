//! Documents that are read again although their inputs can only be read from the beginning: compressed files, tables,
//! columns, objects in stores.
//!
//! Of such inputs no plain copy is made. When it is known which documents are needed again, the inputs are read once
//! more, and the lines of these documents alone are copied to a file, one after the other in the order of documents. So
//! the place of each follows from the lengths of those before it.

use lookalike_core::{Error, Result};

use super::block::Column;
use super::catalog::Catalog;
use super::gathered::Gathering;
use super::source::{Choice, ChosenLines, Source, Span};
use super::{Bits, CorpusNumber};

impl Catalog {
    /// Sees to it that documents can be read again. Those that can be read where they are, or were gathered before, cost
    /// nothing.
    pub fn gather(
        &self,
        source: &dyn Source,
        threads: usize,
        documents: impl IntoIterator<Item = CorpusNumber>,
    ) -> Result<()> {
        if self.is_in_place() {
            return Ok(());
        }
        let mut missing: Option<Bits> = None;
        for document in documents.into_iter().filter(|&document| !self.is_at_hand(document)) {
            missing.get_or_insert_with(|| Bits::new(self.len())).set(document);
        }
        let Some(documents) = missing else { return Ok(()) };
        let mut gathering = Gathering { before: self.bytes_before(&documents)?, documents, store: 0 };
        gathering.store = source.gather(threads, &Chosen { catalog: self, gathering: &gathering })?;
        self.gathered.add(gathering);
        Ok(())
    }

    /// Whether a document can be read again now.
    pub fn is_at_hand(&self, document: CorpusNumber) -> bool {
        let (block, _) = self.locate(document);
        self.is_block_in_place(block) || self.gathered.find(document).is_some()
    }

    /// Where a document is that was gathered.
    pub(super) fn gathered_span(&self, document: CorpusNumber, input: usize, length: u32) -> Result<Span> {
        let Some(gathering) = self.gathered.find(document) else {
            return Err(Error::Internal("a document is read again that was not gathered".to_owned()));
        };
        let offset = self.gathered_place(&gathering, document)?;
        Ok(Span { input, offset, length, store: Some(gathering.store) })
    }

    /// Where a document's line begins in the file of a gathering.
    fn gathered_place(&self, gathering: &Gathering, document: CorpusNumber) -> Result<u64> {
        let first = document.index() / 64 * 64;
        let mut place = gathering.before[document.index() / 64];
        let (mut block, mut index) = self.locate(CorpusNumber::from_index(first));
        let mut at = first;
        while at < document.index() {
            let here = (document.index() - at).min((self.blocks[block].header.documents - index) as usize);
            let lengths = self.some_numbers(block, Column::Length, index, here)?;
            let numbers = (at..).map(CorpusNumber::from_index);
            let chosen = numbers.zip(lengths).filter(|&(other, _)| gathering.documents.get(other));
            place += chosen.map(|(_, length)| u64::from(length)).sum::<u64>();
            (block, index, at) = (block + 1, 0, at + here);
        }
        Ok(place)
    }

    fn bytes_before(&self, documents: &Bits) -> Result<Vec<u64>> {
        let mut before = Vec::with_capacity((self.len() as usize).div_ceil(64));
        let mut bytes = 0;
        for block in 0..self.blocks.len() {
            let mut lengths = None;
            for (index, document) in self.documents_of(block).enumerate() {
                if document.index() % 64 == 0 {
                    before.push(bytes);
                }
                if documents.get(document) {
                    let lengths = match &mut lengths {
                        Some(lengths) => lengths,
                        None => lengths.insert(self.numbers(block, Column::Length)?),
                    };
                    bytes += u64::from(lengths[index]);
                }
            }
        }
        Ok(before)
    }
}

/// The lines that a gathering copies.
struct Chosen<'a> {
    catalog: &'a Catalog,
    gathering: &'a Gathering,
}

impl Choice for Chosen<'_> {
    fn has_some_of(&self, input: usize) -> bool {
        self.catalog.blocks_of(input).any(|block| self.has_some_in(block))
    }

    fn is_chosen(&self, input: usize, part: u64) -> bool {
        self.catalog.block_of(input, part).is_some_and(|block| self.has_some_in(block))
    }

    fn lines(&self, input: usize, part: u64) -> Result<ChosenLines> {
        let Chosen { catalog, gathering } = self;
        let mut chosen = ChosenLines::default();
        let Some(block) = catalog.block_of(input, part) else { return Ok(chosen) };
        let starts = catalog.numbers(block, Column::Offset)?;
        let lengths = catalog.numbers(block, Column::Length)?;
        for (document, line) in catalog.documents_of(block).zip(starts.into_iter().zip(lengths)) {
            if gathering.documents.get(document) {
                if chosen.lines.is_empty() {
                    chosen.place = catalog.gathered_place(gathering, document)?;
                }
                chosen.lines.push(line);
            }
        }
        Ok(chosen)
    }
}

impl Chosen<'_> {
    fn has_some_in(&self, block: usize) -> bool {
        !self.catalog.is_block_in_place(block)
            && self.catalog.documents_of(block).any(|document| self.gathering.documents.get(document))
    }
}

#[cfg(test)]
mod tests {
    use std::io::Write;

    use lookalike_io::inputs;
    use proptest::prelude::*;

    use super::*;
    use crate::corpus::{Corpus, Reading};

    fn gzip(text: &str) -> Vec<u8> {
        let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
        encoder.write_all(text.as_bytes()).unwrap();
        encoder.finish().unwrap()
    }

    /// A plain file between two packed ones, with blank and bad lines; one of them has several chunks.
    fn write(folder: &std::path::Path, lengths: &[usize], large: bool) -> Vec<String> {
        let line = |(number, &length): (usize, &usize)| match number % 7 {
            3 => "not JSON\n".to_owned(),
            5 => "\n".to_owned(),
            _ => {
                let length = if large { length * 500 } else { length };
                format!("{{\"id\":{number},\"text\":\"{number} {}\"}}\n", "w ".repeat(length))
            }
        };
        let lines: Vec<String> = lengths.iter().enumerate().map(line).collect();
        let third = lines.len() / 3;
        let parts = [&lines[..third], &lines[third..2 * third], &lines[2 * third..]].map(<[String]>::concat);
        let files = ["a.jsonl.gz", "b.jsonl", "c.jsonl.zst"].map(|name| folder.join(name));
        std::fs::write(&files[0], gzip(&parts[0])).unwrap();
        std::fs::write(&files[1], &parts[1]).unwrap();
        std::fs::write(&files[2], zstd::encode_all(parts[2].as_bytes(), 1).unwrap()).unwrap();
        files.iter().map(|path| path.to_string_lossy().into_owned()).collect()
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(16))]

        #[test]
        fn what_is_gathered_is_what_was_read(
            lengths in proptest::collection::vec(0usize..400, 30..300),
            rounds in proptest::collection::vec(any::<u64>(), 1..4),
            large in any::<bool>(),
            threads in 1usize..4,
        ) {
            let folder = tempfile::tempdir().unwrap();
            let files = write(folder.path(), &lengths, large);
            let (id_field, text_field) = ("id".to_owned(), "text".to_owned());
            let reading = Reading { id_field, text_field, threads, max_line: 1 << 24, strict: false, cache: 0 };
            let inputs = inputs::find(&files, None).unwrap();
            let corpus = Corpus::number(&inputs, &reading).unwrap();
            let fields = corpus.fields(&[]);
            let mut chosen = Bits::new(corpus.len());
            for round in rounds {
                // Every few documents, in the order of documents or against it.
                let step = 1 + (round >> 8) as usize % 90;
                let mut some: Vec<CorpusNumber> = corpus.catalog.documents().step_by(step).collect();
                if round & 1 == 1 {
                    some.reverse();
                }
                some.iter().for_each(|&document| chosen.set(document));
                corpus.catalog.gather(&corpus.source, threads, some).unwrap();
                let mut reader = corpus.reader(&fields);
                for document in corpus.catalog.documents() {
                    let name = &corpus.catalog.names[corpus.catalog.place(document).unwrap().0];
                    let is_here = chosen.get(document) || name.ends_with("b.jsonl");
                    prop_assert_eq!(corpus.catalog.is_at_hand(document), is_here);
                    match reader.read(document) {
                        Ok(read) => {
                            let begins = format!("{} ", corpus.id(document).unwrap().display());
                            prop_assert!(is_here && read.text.starts_with(&begins));
                        }
                        Err(_) => prop_assert!(!is_here),
                    }
                }
            }
        }
    }
}
