//! Merges many sorted counts into one, without holding any of them in memory.

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::collections::binary_heap::PeekMut;
use std::io::{Cursor, Read, Seek, Write};

use super::write::Writer;
use super::{About, Entries, Lexicon};
use crate::error::{Error, Result};

/// Terms by rising hash, each once, with the number of documents they occur in.
pub trait TermSource {
    /// Advances to the next term and returns its hash and count.
    fn advance(&mut self) -> Result<Option<(u64, u32)>>;

    /// The text of the term; empty if it is unknown.
    fn text(&self) -> &[u8];
}

/// Several sources as one: a term that several have comes once, with the sum of its counts.
pub struct Merge<S> {
    sources: Vec<S>,
    /// The current term of each source, the smallest first.
    heads: BinaryHeap<Reverse<(u64, u32, usize)>>,
    text: Vec<u8>,
}

impl<S: TermSource> Merge<S> {
    /// Merges sources that each yield terms in rising order.
    pub fn new(mut sources: Vec<S>) -> Result<Self> {
        let mut heads = BinaryHeap::with_capacity(sources.len());
        for (index, source) in sources.iter_mut().enumerate() {
            if let Some((hash, df)) = source.advance()? {
                heads.push(Reverse((hash, df, index)));
            }
        }
        Ok(Merge { sources, heads, text: Vec::new() })
    }

    /// Passes all terms that occur in enough documents on to the writer.
    pub fn write<W: Write, A: Read + Write + Seek>(
        mut self,
        least_df: u32,
        writer: &mut Writer<W, A>,
    ) -> Result<()> {
        while let Some((hash, df)) = self.advance()? {
            if df >= least_df {
                writer.push(hash, df, &self.text)?;
            }
        }
        Ok(())
    }
}

impl<S: TermSource> TermSource for Merge<S> {
    fn advance(&mut self) -> Result<Option<(u64, u32)>> {
        self.text.clear();
        let mut sum = None;
        while let Some(mut head) = self.heads.peek_mut() {
            let Reverse((hash, df, index)) = *head;
            let before = match sum {
                None => 0,
                Some((first, before)) if first == hash => before,
                Some(_) => break,
            };
            sum = Some((hash, df.saturating_add(before)));
            let source = &mut self.sources[index];
            // Words whose hashes collide are one term. The text that is shown for it must not
            // depend on the order of the sources.
            let text = source.text();
            if !text.is_empty() && (self.text.is_empty() || text < &self.text[..]) {
                self.text.clear();
                self.text.extend_from_slice(text);
            }
            match source.advance()? {
                Some((hash, df)) => *head = Reverse((hash, df, index)),
                None => drop(PeekMut::pop(head)),
            }
        }
        Ok(sum)
    }

    fn text(&self) -> &[u8] {
        &self.text
    }
}

/// A lexicon as a source.
pub struct LexiconSource<'a> {
    entries: Entries<'a>,
    text: &'a [u8],
}

impl<'a> LexiconSource<'a> {
    /// Yields the terms of a lexicon.
    pub fn new(lexicon: &'a Lexicon) -> Self {
        LexiconSource { entries: lexicon.entries(), text: &[] }
    }
}

impl TermSource for LexiconSource<'_> {
    fn advance(&mut self) -> Result<Option<(u64, u32)>> {
        Ok(self.entries.next().map(|(hash, df, text)| {
            self.text = text;
            (hash, df)
        }))
    }

    fn text(&self) -> &[u8] {
        self.text
    }
}

/// The lexicon of several corpora that have no document in common.
///
/// All must have been counted in the same way, and completely: where rare terms were left out, the
/// sums would be wrong for those that are rare in each corpus and not in all.
pub fn merged(lexicons: &[&Lexicon], source: &str) -> Result<Lexicon> {
    let Some(first) = lexicons.first() else {
        return Err(Error::config("there is no lexicon to merge"));
    };
    let mut about = About { documents: 0, source: source.to_owned(), ..first.about().clone() };
    for lexicon in lexicons {
        let other = lexicon.about();
        if (&other.rules, &other.counted) != (&about.rules, &about.counted) {
            return Err(Error::Incompatible(format!(
                "the lexicons of {} and {} were counted by different rules",
                first.about().source,
                other.source
            )));
        }
        if other.least_df > 1 {
            return Err(Error::Incompatible(format!(
                "the lexicon of {} left out terms in fewer than {} documents and cannot be merged",
                other.source, other.least_df
            )));
        }
        about.documents = about.documents.saturating_add(other.documents);
    }
    let expected = lexicons.iter().map(|lexicon| lexicon.len() as u64).sum();
    let aside = lexicons.iter().any(|lexicon| lexicon.has_texts()).then(|| Cursor::new(Vec::new()));
    let mut writer = Writer::new(about, expected, Vec::new(), aside, "memory");
    Merge::new(lexicons.iter().map(|lexicon| LexiconSource::new(lexicon)).collect())?
        .write(1, &mut writer)?;
    Lexicon::open(writer.finish()?)
}
