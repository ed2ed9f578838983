//! Pairs that agree in something other than the text: the same file, images, links.
//!
//! They are judged elsewhere, on data for which a corpus line has no features, and are added to the
//! verified pairs before clustering, so that masters, evidence and removals are decided once for
//! all.

use std::collections::HashMap;
use std::path::Path;

use lookalike_core::Result;
use lookalike_core::decide::NO_REASON;
use lookalike_core::difference::{Difference, DifferenceKind};
use lookalike_core::streams::StreamAgreement;

use super::external::{Sorted, Sorter};
use super::group::{ExactCopy, Representatives};
use super::verify::{Verified, Verifier};
use crate::corpus::CorpusNumber;

/// What two documents agree on, besides their texts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stream {
    /// They are byte for byte the same.
    File,
    /// Images that look the same.
    Images,
    /// Links to the same places.
    Links,
    /// They have the same text, however short, and the same title, author and date.
    Metadata,
    /// They are one web page, saved at different times.
    Page,
}

/// Two documents that agree.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct StreamPair {
    /// The number of one document.
    pub a: CorpusNumber,
    /// The number of the other.
    pub b: CorpusNumber,
    /// From 0 to 1.
    pub similarity: f64,
    /// What they agree on.
    pub stream: Stream,
}

impl Stream {
    /// In the order in which they are tried.
    pub const ALL: [Stream; 5] =
        [Stream::File, Stream::Images, Stream::Links, Stream::Metadata, Stream::Page];

    /// As results name it.
    pub fn name(self) -> &'static str {
        match self {
            Stream::File => "file",
            Stream::Images => "images",
            Stream::Links => "links",
            Stream::Metadata => "metadata",
            Stream::Page => "page",
        }
    }

    /// Whether two documents that agree in it are the same in everything compared: then what holds for one
    /// pair holds for all pairs of the group.
    fn is_equality(self) -> bool {
        matches!(self, Stream::File | Stream::Metadata)
    }

    /// Its bit in the masks that say who found a pair, above the bits of an ensemble's methods.
    pub fn bit(self) -> u32 {
        1 << (27 + self as u32)
    }
}

/// All bits of streams.
pub const STREAMS: u32 = 0b11111 << 27;

/// Adds pairs that agree in something other than the text, and compares their documents.
pub fn add(
    verifier: &Verifier<'_>,
    verified: Sorted<Verified>,
    also: &[StreamPair],
    copies: &Sorted<ExactCopy>,
    work: &Path,
) -> Result<Sorted<Verified>> {
    if also.is_empty() {
        return Ok(verified);
    }
    let copies = Representatives::find(copies, also.iter().flat_map(|pair| [pair.a, pair.b]))?;
    let best = |group: &[CorpusNumber]| {
        verifier.catalog.best(|see| group.iter().try_for_each(|&document| see(document)))
    };
    let mut pairs = join(verified.iter()?.collect::<Result<_>>()?, also, &copies, best)?;
    drop(verified);
    compare(verifier, &mut pairs)?;
    // Documents with such pairs are in memory as a whole, so their pairs may be, too.
    let mut sorter = Sorter::new(work, u64::MAX);
    pairs.into_iter().try_for_each(|pair| sorter.push(pair))?;
    Ok(sorter.sorted())
}

/// Adds the streams' pairs to the verified ones. Exact copies are paired by their representative, and `best` says
/// which of several documents is kept.
fn join(
    mut verified: Vec<Verified>,
    also: &[StreamPair],
    copies: &Representatives,
    best: impl Fn(&[CorpusNumber]) -> Result<CorpusNumber>,
) -> Result<Vec<Verified>> {
    let as_represented =
        |pair: &StreamPair| StreamPair { a: copies.of(pair.a), b: copies.of(pair.b), ..*pair };
    let (equal, alike): (Vec<StreamPair>, Vec<StreamPair>) =
        also.iter().map(as_represented).partition(|pair| pair.stream.is_equality());
    let equal = Stream::ALL.into_iter().filter(|stream| stream.is_equality()).map(|stream| {
        let pairs: Vec<(CorpusNumber, CorpusNumber)> =
            equal.iter().filter(|pair| pair.stream == stream).map(|pair| (pair.a, pair.b)).collect();
        around_best(&pairs, stream, &best)
    });
    let equal: Vec<StreamPair> = equal.collect::<Result<Vec<_>>>()?.concat();
    for pair in equal.iter().chain(&alike).filter(|pair| pair.a != pair.b) {
        verified.push(Verified {
            a: pair.a.min(pair.b),
            b: pair.a.max(pair.b),
            similarity: pair.similarity,
            overlap: None,
            found_by: pair.stream.bit(),
            because: NO_REASON,
            difference: None,
            streams: StreamAgreement::NONE,
            decided: false,
        });
    }
    // If a pair was also compared by text, that comparison stays; of several streams the most
    // similar one stays.
    verified.sort_by(|x, y| {
        let text = |pair: &Verified| pair.overlap.is_none();
        (x.a, x.b, text(x)).cmp(&(y.a, y.b, text(y))).then(y.similarity.total_cmp(&x.similarity))
    });
    verified.dedup_by(|later, kept| {
        let same = (later.a, later.b) == (kept.a, kept.b);
        if same {
            kept.found_by |= later.found_by;
        }
        same
    });
    Ok(verified)
}

/// Compares the documents of pairs that agree in something other than the text: tells how their streams agree, and
/// removes those that the recipe keeps apart.
fn compare(verifier: &Verifier<'_>, verified: &mut Vec<Verified>) -> Result<()> {
    let is_new = |pair: &Verified| pair.difference.is_none() && pair.found_by & STREAMS != 0;
    let pairs: Vec<_> = verified.iter().filter(|pair| is_new(pair)).map(|pair| (pair.a, pair.b)).collect();
    let mut compared = verifier.differences(&pairs)?.into_iter();
    let mut has_texts = Vec::with_capacity(pairs.len());
    for &(a, b) in &pairs {
        has_texts.push(verifier.catalog.digest(a)?.is_some() && verifier.catalog.digest(b)?.is_some());
    }
    let mut has_texts = has_texts.into_iter();
    verified.retain_mut(|pair| {
        let Some((differs, has_texts)) =
            is_new(pair).then(|| compared.next().zip(has_texts.next())).flatten()
        else {
            return true;
        };
        pair.streams = differs.streams;
        // Where there are no texts, they do not differ.
        let difference = if has_texts { differs.difference } else { Difference::of(DifferenceKind::None) };
        !verifier.pipeline.keeps_apart(difference, differs.streams)
    });
    Ok(())
}

/// Pairs each document of a group of equals with the one that is kept. Otherwise documents that
/// were not paired with the kept one itself would be missing from the cluster.
fn around_best(
    pairs: &[(CorpusNumber, CorpusNumber)],
    stream: Stream,
    best: &impl Fn(&[CorpusNumber]) -> Result<CorpusNumber>,
) -> Result<Vec<StreamPair>> {
    let mut group_of: HashMap<CorpusNumber, usize> = HashMap::new();
    let mut groups: Vec<Vec<CorpusNumber>> = Vec::new();
    for &(a, b) in pairs {
        match (group_of.get(&a).copied(), group_of.get(&b).copied()) {
            (Some(x), Some(y)) if x != y => {
                // The smaller group joins the larger.
                let (from, to) = if groups[x].len() < groups[y].len() { (x, y) } else { (y, x) };
                let moved = std::mem::take(&mut groups[from]);
                moved.iter().for_each(|&document| _ = group_of.insert(document, to));
                groups[to].extend(moved);
            }
            (Some(_), Some(_)) => {}
            (Some(group), None) | (None, Some(group)) => {
                let new = if group_of.contains_key(&a) { b } else { a };
                group_of.insert(new, group);
                groups[group].push(new);
            }
            (None, None) => {
                let mut group = vec![a, b];
                group.dedup();
                group.iter().for_each(|&document| _ = group_of.insert(document, groups.len()));
                groups.push(group);
            }
        }
    }
    let mut out = Vec::new();
    for group in groups.iter().filter(|group| group.len() > 1) {
        let kept = best(group)?;
        let others = group.iter().filter(|&&document| document != kept);
        out.extend(others.map(|&other| StreamPair { a: kept, b: other, similarity: 1.0, stream }));
    }
    Ok(out)
}

#[cfg(test)]
mod tests {
    use lookalike_core::decide::Overlap;

    use super::*;

    fn number(index: usize) -> CorpusNumber {
        CorpusNumber::from_index(index)
    }

    #[test]
    fn streams_add_pairs_and_never_replace_what_the_text_says() {
        let overlap = Some(Overlap { shared: 1, a: 1, b: 1 });
        let text = Verified {
            a: number(1),
            b: number(4),
            similarity: 0.9,
            overlap,
            found_by: 1,
            because: NO_REASON,
            difference: None,
            streams: StreamAgreement::NONE,
            decided: false,
        };
        let pair = |a, b, similarity, stream| StreamPair { a: number(a), b: number(b), similarity, stream };
        let also = [
            pair(4, 1, 1.0, Stream::File),
            pair(5, 2, 0.8, Stream::Links),
            pair(2, 5, 1.0, Stream::Images),
            pair(6, 7, 1.0, Stream::Images),
        ];
        let copies = Representatives::from_iter([(number(7), number(6))]);
        let joined = join(vec![text], &also, &copies, |group| Ok(group[0])).unwrap();
        assert_eq!(joined.len(), 2, "6 and 7 are copies of each other already");
        assert_eq!((joined[0].similarity, joined[0].found_by), (0.9, 1 | Stream::File.bit()));
        assert_eq!((joined[1].a, joined[1].b, joined[1].similarity), (number(2), number(5), 1.0));
        assert_eq!(joined[1].found_by, Stream::Images.bit() | Stream::Links.bit());
    }

    #[test]
    fn equals_are_all_paired_with_the_one_that_is_kept() {
        let pair = |a, b, stream| StreamPair { a: number(a), b: number(b), similarity: 1.0, stream };
        let also = [
            pair(0, 1, Stream::File),
            pair(0, 2, Stream::File),
            pair(8, 9, Stream::File),
            pair(9, 1, Stream::File),
            pair(3, 4, Stream::Metadata),
            pair(3, 5, Stream::Images),
        ];
        let copies = Representatives::from_iter([]);
        let joined = join(Vec::new(), &also, &copies, |group| Ok(*group.iter().max().unwrap())).unwrap();
        let found: Vec<(u32, u32)> = joined.iter().map(|pair| (pair.a.raw(), pair.b.raw())).collect();
        assert_eq!(found, [(0, 9), (1, 9), (2, 9), (3, 4), (3, 5), (8, 9)]);
        assert_eq!(STREAMS, Stream::ALL.iter().fold(0, |all, stream| all | stream.bit()));
    }
}
