//! Pairs that something else than the text agrees on: the same file, images, links.
//!
//! They are judged elsewhere, on what a corpus line has no features for, and join the verified pairs
//! before clustering, so that masters, evidence and removals are decided once for all.

use lookalike_core::decide::NO_REASON;

use super::group::representative;
use super::verify::Verified;

/// What two documents agree on, besides their texts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stream {
    /// They are byte for byte the same.
    File,
    Images,
    Links,
    /// They say the same, however little, and have the same title, author and date.
    Metadata,
    /// They are one web page, saved at different times.
    Page,
}

/// Two documents by their line in the only input, from 0.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct StreamPair {
    pub a: u32,
    pub b: u32,
    pub similarity: f64,
    pub stream: Stream,
}

impl Stream {
    pub const ALL: [Stream; 5] =
        [Stream::File, Stream::Images, Stream::Links, Stream::Metadata, Stream::Page];

    pub fn name(self) -> &'static str {
        match self {
            Stream::File => "file",
            Stream::Images => "images",
            Stream::Links => "links",
            Stream::Metadata => "metadata",
            Stream::Page => "page",
        }
    }

    /// Its place among the bits that say who found a pair, above those of an ensemble's methods.
    pub fn bit(self) -> u32 {
        1 << (27 + self as u32)
    }
}

/// Adds the streams' pairs to the verified ones. Exact copies take part by their representative;
/// `copies` holds (copy, representative) by rising copy.
pub fn join(mut verified: Vec<Verified>, also: &[StreamPair], copies: &[(u32, u32)]) -> Vec<Verified> {
    if also.is_empty() {
        return verified;
    }
    for pair in also {
        let (a, b) = (representative(copies, pair.a), representative(copies, pair.b));
        if a != b {
            let found_by = pair.stream.bit();
            verified.push(Verified {
                a: a.min(b),
                b: a.max(b),
                similarity: pair.similarity,
                overlap: None,
                found_by,
                because: NO_REASON,
                decided: false,
            });
        }
    }
    // Of the same pair the text's comparison stays; of several streams the most similar.
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
    verified
}

#[cfg(test)]
mod tests {
    use lookalike_core::decide::Overlap;

    use super::*;

    #[test]
    fn streams_add_pairs_and_never_replace_what_the_text_says() {
        let overlap = Some(Overlap { shared: 1, a: 1, b: 1 });
        let text = Verified {
            a: 1,
            b: 4,
            similarity: 0.9,
            overlap,
            found_by: 1,
            because: NO_REASON,
            decided: false,
        };
        let pair = |a, b, similarity, stream| StreamPair { a, b, similarity, stream };
        let also = [
            pair(4, 1, 1.0, Stream::File),
            pair(5, 2, 0.8, Stream::Links),
            pair(2, 5, 1.0, Stream::Images),
            pair(6, 7, 1.0, Stream::Images),
        ];
        let joined = join(vec![text], &also, &[(7, 6)]);
        assert_eq!(joined.len(), 2, "6 and 7 are copies of each other already");
        assert_eq!((joined[0].similarity, joined[0].found_by), (0.9, 1 | Stream::File.bit()));
        assert_eq!((joined[1].a, joined[1].b, joined[1].similarity), (2, 5, 1.0));
        assert_eq!(joined[1].found_by, Stream::Images.bit() | Stream::Links.bit());
    }
}
