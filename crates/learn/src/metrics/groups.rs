//! Documents that belong together: those connected by found pairs, found clusters, true pairs and
//! true clusters, or drawn together. Every pair that is found or true is within one group.

use lookalike_core::union_find::UnionFind;

use super::FoundPairs;
use super::clusters::members;
use super::truth::Known;

pub struct Groups {
    /// The group of each document.
    pub of: Vec<u32>,
    pub count: usize,
    /// Groups of two documents or more.
    pub together: usize,
}

impl Groups {
    pub fn new(documents: u32, found: &FoundPairs, truth: &Known, drawn_together: Option<&[u32]>) -> Self {
        let mut sets = UnionFind::new(documents as usize);
        found.pairs.iter().for_each(|&(a, b)| sets.union(a, b));
        truth.true_pairs().for_each(|(a, b)| sets.union(a, b));
        let by_cluster = members(&found.clusters);
        let drawn = drawn_together.map(members).unwrap_or_default();
        let is_one = |a: &(u32, u32), b: &(u32, u32)| a.0 == b.0;
        let clusters = by_cluster.chunk_by(is_one).chain(drawn.chunk_by(is_one)).chain(truth.clusters());
        for pair in clusters.flat_map(|cluster| cluster.windows(2)) {
            sets.union(pair[0].1, pair[1].1);
        }
        // The smallest member is the root, so it gets its number before the others need it.
        let mut of = vec![0; documents as usize];
        let mut sizes = vec![0u32; documents as usize];
        let mut count = 0;
        for document in 0..documents {
            let root = sets.find(document);
            of[document as usize] = if root == document { count } else { of[root as usize] };
            sizes[of[document as usize] as usize] += 1;
            count += u32::from(root == document);
        }
        let together = sizes.iter().filter(|&&size| size > 1).count();
        Groups { of, count: count as usize, together }
    }
}
