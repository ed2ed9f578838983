//! Clusters that a person should check before trusting them, and the warnings about them.
//!
//! Batch runs, scans and the service all use this, so that one rule decides everywhere when a cluster
//! is called giant, short or weak.

use lookalike_core::Result;

use lookalike_report::text::{count, counted};

/// A cluster of this many documents is giant, whatever the size of the corpus.
const GIANT: u64 = 1000;
/// In a smaller corpus one document in a hundred makes a giant cluster, but never fewer than this:
/// a hundredth of a small folder is a pair of copies.
const LEAST_GIANT: u64 = 20;
/// A text of fewer words is short: two of them may be the same by chance, or because of a banner.
pub const SHORT_WORDS: u64 = 50;
/// Texts of fewer words in many sources are usually parts of the sites, not their content.
pub const FEW_WORDS: u64 = 100;
const MANY_SOURCES: u64 = 5;
/// Two equal short texts are just a pair; from this number on they are doubtful.
pub const CROWD: u64 = 3;
/// This many clusters of each kind are named; the rest is counted.
pub const NAMED: usize = 5;

/// The number of documents from which a cluster is giant, in a corpus of this size.
pub fn giant_from(documents: u64) -> u64 {
    documents.div_ceil(100).clamp(LEAST_GIANT, GIANT)
}

/// The facts about a cluster.
#[derive(Clone, Debug, Default)]
pub struct Traits {
    /// Documents of the cluster.
    pub size: u64,
    /// The lengths in words of its texts or of a sample of them; only of members that are in it
    /// because of their text.
    pub words: Vec<u64>,
    /// How many sources its documents come from.
    pub sources: u64,
    /// Documents whose text is weak.
    pub weak: u64,
    /// Why the first of these texts is weak.
    pub why_weak: Option<String>,
}

/// Why a cluster should be checked.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Doubt {
    /// It has a large share of all documents.
    Giant {
        /// How many documents the corpus has.
        documents: u64,
    },
    /// A member does not reach the threshold with its master.
    Loose {
        /// The reason, for people.
        why: &'static str,
    },
    /// Short texts from many places.
    Scattered {
        /// Most texts have at most this many words.
        words: u64,
        /// How many sources they come from.
        sources: u64,
    },
    /// Short texts.
    Short {
        /// Most texts have at most this many words.
        words: u64,
    },
    /// Some texts could not be trusted.
    Weak {
        /// How many.
        documents: u64,
        /// Why the first one could not.
        why: String,
    },
}

impl Traits {
    /// What is doubtful about a cluster, in a corpus of `documents` documents. Loose clusters are
    /// recognised by their pairs.
    pub fn doubts(&self, documents: u64) -> Vec<Doubt> {
        let mut doubts = Vec::new();
        if self.size >= giant_from(documents) {
            doubts.push(Doubt::Giant { documents });
        }
        if self.size >= CROWD {
            let scattered = self.most_words(FEW_WORDS).filter(|_| self.sources >= MANY_SOURCES);
            match (scattered, self.most_words(SHORT_WORDS)) {
                (Some(words), _) => doubts.push(Doubt::Scattered { words, sources: self.sources }),
                (None, Some(words)) => doubts.push(Doubt::Short { words }),
                (None, None) => {}
            }
        }
        if self.weak > 0 && 2 * self.weak >= self.size {
            let why = self.why_weak.clone().unwrap_or_default();
            doubts.push(Doubt::Weak { documents: self.weak, why });
        }
        doubts
    }

    /// Whether most texts are so short that the number of sources matters.
    pub fn has_few_words(&self) -> bool {
        self.most_words(FEW_WORDS).is_some()
    }

    /// If more than half of the texts have fewer words than `limit`, the most words that one of
    /// these has.
    fn most_words(&self, limit: u64) -> Option<u64> {
        let few: Vec<u64> = self.words.iter().copied().filter(|&words| words < limit).collect();
        few.iter().copied().max().filter(|_| 2 * few.len() > self.words.len())
    }
}

impl Doubt {
    /// The warning shown next to the cluster.
    pub fn note(&self, size: u64) -> String {
        match self {
            Doubt::Giant { documents } => {
                format!("giant cluster, {} of {} documents", count(size), count(*documents))
            }
            Doubt::Loose { why } => format!("loose cluster, {why}"),
            Doubt::Scattered { words, sources } => {
                format!(
                    "short texts: the same few words, {} at most, in {}",
                    count(*words),
                    counted(*sources, "source")
                )
            }
            Doubt::Short { words } => format!("short texts, of {} at most", counted(*words, "word")),
            Doubt::Weak { documents, why } if why.is_empty() => {
                format!("weak texts, {} of {}", count(*documents), count(size))
            }
            Doubt::Weak { documents, why } => {
                format!("weak texts, {} of {}: {why}", count(*documents), count(size))
            }
        }
    }

    /// The kinds in the order in which they are reported, and the words for several more of a kind.
    fn kind(&self) -> (u8, &'static str) {
        match self {
            Doubt::Giant { .. } => (0, "giant clusters"),
            Doubt::Loose { .. } => (1, "loose clusters"),
            Doubt::Scattered { .. } => (2, "clusters of the same few words in many sources"),
            Doubt::Short { .. } => (3, "clusters of short texts"),
            Doubt::Weak { .. } => (4, "clusters of weak texts"),
        }
    }

    fn sentence(&self, number: u64, size: u64) -> String {
        let cluster = format!("cluster {number} has {} documents", count(size));
        match self {
            Doubt::Giant { .. } => format!("giant cluster: {cluster}"),
            Doubt::Loose { why } => format!("loose cluster, {why}: {cluster}"),
            Doubt::Scattered { words, sources } => format!(
                "short texts, the same few words in many sources: {cluster} of {}, most with {} or fewer",
                counted(*sources, "source"),
                counted(*words, "word")
            ),
            Doubt::Short { words } => {
                format!("short texts: {cluster}, most with {} or fewer", counted(*words, "word"))
            }
            Doubt::Weak { documents, why } => {
                let why = if why.is_empty() { String::new() } else { format!(" ({why})") };
                format!(
                    "weak texts: {cluster}, {} of them with a text that is not to be trusted{why}",
                    count(*documents)
                )
            }
        }
    }
}

/// A cluster with a doubt.
pub struct Doubtful {
    /// Its index in the caller's list.
    pub place: usize,
    /// Its number in the results.
    pub number: u64,
    /// Its documents.
    pub size: u64,
    /// What is doubtful about it.
    pub doubt: Doubt,
}

/// A sentence for each of the largest clusters of every kind, and the number of the others.
/// `evidence` gives the end of the sentence about the cluster at an index.
pub fn sentences(found: Vec<Doubtful>, evidence: impl Fn(usize) -> Result<String>) -> Result<Vec<String>> {
    sentences_and_more(found, &[], evidence)
}

/// The same, with how many more of some kinds there are, none of them larger than those of the list.
pub fn sentences_and_more(
    mut found: Vec<Doubtful>,
    more: &[(Doubt, u64)],
    evidence: impl Fn(usize) -> Result<String>,
) -> Result<Vec<String>> {
    found.sort_by_key(|one| (one.doubt.kind().0, std::cmp::Reverse(one.size), one.number));
    let mut told = Vec::new();
    for of_kind in found.chunk_by(|a, b| a.doubt.kind() == b.doubt.kind()) {
        for one in of_kind.iter().take(NAMED) {
            told.push(one.doubt.sentence(one.number, one.size) + &evidence(one.place)?);
        }
        let kind = of_kind[0].doubt.kind();
        let more = more.iter().filter(|(doubt, _)| doubt.kind() == kind).map(|(_, count)| count);
        let more = of_kind.len().saturating_sub(NAMED) as u64 + more.sum::<u64>();
        if more > 0 {
            told.push(format!("{} more {}", count(more), kind.1));
        }
    }
    Ok(told)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cluster_is_giant_by_size_or_by_share() {
        // A thousand documents always, one in a hundred from twenty documents on.
        assert_eq!([0, 200, 1999, 2000, 2001].map(giant_from), [20, 20, 20, 20, 21]);
        assert_eq!([99_900, 99_901, 100_000, 1_000_000_000].map(giant_from), [999, 1000, 1000, 1000]);
        let is_giant = |size, documents| {
            let doubts = Traits { size, ..Traits::default() }.doubts(documents);
            doubts == [Doubt::Giant { documents }]
        };
        assert!(!is_giant(2, 200) && !is_giant(19, 1542) && is_giant(20, 1542));
        assert!(!is_giant(999, 10_000_000) && is_giant(1000, 10_000_000));
        assert!(!is_giant(99, 10_000) && is_giant(100, 10_000));
    }

    #[test]
    fn crowds_of_short_texts_are_named_and_pairs_are_not() {
        let short = |size, words: &[u64], sources| {
            Traits { size, words: words.to_vec(), sources, ..Traits::default() }.doubts(1_000_000)
        };
        assert_eq!(short(2, &[11, 11], 2), []);
        assert_eq!(short(3, &[11, 11, 12], 1), [Doubt::Short { words: 12 }]);
        assert_eq!(short(3, &[49, 49, 400], 1), [Doubt::Short { words: 49 }], "most of them");
        assert_eq!(short(3, &[50, 50, 11], 1), []);
        assert_eq!(short(6, &[11; 6], 4), [Doubt::Short { words: 11 }]);
        assert_eq!(short(6, &[80; 6], 5), [Doubt::Scattered { words: 80, sources: 5 }]);
        assert_eq!(short(6, &[100; 6], 5), [], "a text of its own");
        assert_eq!(short(6, &[], 9), [], "nothing is in it for its text");
    }

    #[test]
    fn weak_texts_are_named_with_the_reason() {
        let weak = |size, weak| {
            Traits { size, weak, why_weak: Some("a teaser".to_owned()), ..Traits::default() }.doubts(100)
        };
        assert_eq!(weak(5, 2), []);
        assert_eq!(weak(4, 2)[0].note(4), "weak texts, 2 of 4: a teaser");
    }

    #[test]
    fn the_largest_are_told_and_the_rest_is_counted() {
        let found = |number: u64, size, doubt| Doubtful { place: number as usize, number, size, doubt };
        let mut all: Vec<Doubtful> =
            (1..=7).map(|number| found(number, 3 + number, Doubt::Short { words: 8 })).collect();
        all.push(found(9, 2000, Doubt::Giant { documents: 5000 }));
        let told = sentences(all, |place| Ok(format!("; place {place}"))).unwrap();
        assert_eq!(told[0], "giant cluster: cluster 9 has 2,000 documents; place 9");
        assert_eq!(told[1], "short texts: cluster 7 has 10 documents, most with 8 words or fewer; place 7");
        assert_eq!(told.last().unwrap(), "2 more clusters of short texts");
        assert_eq!(told.len(), 7);
        let few = || vec![found(1, 4, Doubt::Short { words: 8 })];
        let more = [(Doubt::Short { words: 0 }, 3), (Doubt::Giant { documents: 0 }, 0)];
        let told = sentences_and_more(few(), &more, |_| Ok(String::new())).unwrap();
        assert_eq!(told[1..], ["3 more clusters of short texts"]);
    }
}
