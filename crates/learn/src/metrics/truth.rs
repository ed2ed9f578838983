//! The truth, prepared for look-ups.

use lookalike_core::union_find::UnionFind;

use super::{FoundPairs, Truth, Unlabelled, pairs_among};

pub enum Known<'a> {
    Listed { pairs: &'a [(u32, u32, bool)], is_complete: bool },
    Clustered { labels: &'a [Option<u32>], members: Vec<(u32, u32)> },
}

impl<'a> Known<'a> {
    pub fn new(truth: &'a Truth) -> Self {
        match truth {
            Truth::Pairs { pairs, rest } => {
                Known::Listed { pairs, is_complete: *rest == Unlabelled::Different }
            }
            Truth::Clusters(labels) => {
                let labelled = |(document, label): (usize, &Option<u32>)| Some(((*label)?, document as u32));
                let mut members: Vec<(u32, u32)> = labels.iter().enumerate().filter_map(labelled).collect();
                members.sort_unstable();
                Known::Clustered { labels, members }
            }
        }
    }

    /// The documents of each true cluster, with its label; empty for listed pairs.
    pub fn clusters(&self) -> impl Iterator<Item = &[(u32, u32)]> {
        let members = match self {
            Known::Listed { .. } => &[],
            Known::Clustered { members, .. } => members.as_slice(),
        };
        members.chunk_by(|a, b| a.0 == b.0)
    }

    /// The listed true pairs; empty for clusters.
    pub fn true_pairs(&self) -> impl Iterator<Item = (u32, u32)> {
        self.listed().iter().filter(|pair| pair.2).map(|&(a, b, _)| (a, b))
    }

    /// The labelled pairs; empty for clusters.
    pub fn listed(&self) -> &[(u32, u32, bool)] {
        match self {
            Known::Listed { pairs, .. } => pairs,
            Known::Clustered { .. } => &[],
        }
    }

    /// Whether all pairs that are not listed are different.
    pub fn is_listed_in_part(&self) -> bool {
        matches!(self, Known::Listed { is_complete: false, .. })
    }

    pub fn true_count(&self) -> u64 {
        let in_clusters: u64 = self.clusters().map(|members| pairs_among(members.len() as u64)).sum();
        in_clusters + self.true_pairs().count() as u64
    }

    pub fn judged_count(&self, documents: u32) -> u64 {
        match self {
            Known::Listed { pairs, is_complete: false } => pairs.len() as u64,
            Known::Listed { is_complete: true, .. } => pairs_among(u64::from(documents)),
            Known::Clustered { members, .. } => pairs_among(members.len() as u64),
        }
    }

    /// The truth about each found pair; None if it is not judged.
    pub fn labels(&self, found: &FoundPairs) -> Vec<Option<bool>> {
        match self {
            Known::Clustered { labels, .. } => {
                let label = |&(a, b): &(u32, u32)| Some(labels[a as usize]? == labels[b as usize]?);
                found.pairs.iter().map(label).collect()
            }
            Known::Listed { pairs, is_complete } => {
                let rest = is_complete.then_some(false);
                let mut listed = pairs.iter().peekable();
                let label = |&(a, b): &(u32, u32)| {
                    while listed.next_if(|known| (known.0, known.1) < (a, b)).is_some() {}
                    listed.next_if(|known| (known.0, known.1) == (a, b)).map_or(rest, |known| Some(known.2))
                };
                found.pairs.iter().map(label).collect()
            }
        }
    }

    /// The true cluster of every document, if it is known: for listed pairs, what they connect.
    pub fn partition(&self, documents: u32) -> Option<Vec<u32>> {
        match self {
            Known::Clustered { labels, .. } => labels.iter().copied().collect(),
            Known::Listed { is_complete: false, .. } => None,
            Known::Listed { is_complete: true, .. } => {
                let mut sets = UnionFind::new(documents as usize);
                self.true_pairs().for_each(|(a, b)| sets.union(a, b));
                Some((0..documents).map(|document| sets.find(document)).collect())
            }
        }
    }
}
