//! An order of documents in which those that are alike stand together.
//!
//! The order in which Prim's algorithm reaches them: after the first always the one that is most like any of those before
//! (Bezdek and Hathaway 2002, "VAT"). Whatever the least similarity, the groups that single linkage finds with it are
//! next to each other.

/// How alike each two of some things are.
pub struct SimilarityMatrix {
    size: usize,
    /// Row by row; not a number where two were not compared.
    values: Vec<f32>,
}

/// An order, and how like the closest of those before it each thing is; 0 for the first and where nothing is known.
pub struct Seriation {
    pub order: Vec<u32>,
    pub joins: Vec<f32>,
}

impl SimilarityMatrix {
    pub fn new(size: usize) -> SimilarityMatrix {
        SimilarityMatrix { size, values: vec![f32::NAN; size * size] }
    }

    pub fn set(&mut self, a: usize, b: usize, similarity: f32) {
        self.values[a * self.size + b] = similarity;
        self.values[b * self.size + a] = similarity;
    }

    /// `None` if the two were not compared.
    pub fn get(&self, a: usize, b: usize) -> Option<f32> {
        Some(self.values[a * self.size + b]).filter(|value| !value.is_nan())
    }

    fn row(&self, a: usize) -> &[f32] {
        &self.values[a * self.size..(a + 1) * self.size]
    }

    /// Orders all from the first one on, in time that grows with the square of their number.
    pub fn seriate(&self) -> Seriation {
        let (mut order, mut joins) = (Vec::with_capacity(self.size), Vec::with_capacity(self.size));
        // How like any of those in the order each of the others is; -1 for those that are in it.
        let mut nearest = vec![0.0f32; self.size];
        let mut next = 0;
        while order.len() < self.size {
            order.push(next as u32);
            joins.push(nearest[next].max(0.0));
            nearest[next] = -1.0;
            let mut best = (-1.0f32, 0);
            for (place, (near, &value)) in nearest.iter_mut().zip(self.row(next)).enumerate() {
                if *near < 0.0 {
                    continue;
                }
                // What is not a number is not greater.
                if value > *near {
                    *near = value;
                }
                if *near > best.0 {
                    best = (*near, place);
                }
            }
            next = best.1;
        }
        Seriation { order, joins }
    }
}

impl Seriation {
    /// Parts of about the same length, at most so many. Each is a range of the order.
    pub fn even_parts(&self, most: usize) -> Vec<std::ops::Range<usize>> {
        let all = self.order.len();
        let parts = all.min(most.max(1));
        (0..parts).map(|part| part * all / parts..(part + 1) * all / parts).collect()
    }

    /// At most so many parts, cut where neighbours are least alike: the groups of single linkage.
    pub fn linked_parts(&self, most: usize) -> Vec<std::ops::Range<usize>> {
        let mut cuts: Vec<usize> = (1..self.order.len()).collect();
        cuts.sort_by(|&a, &b| self.joins[a].total_cmp(&self.joins[b]).then(a.cmp(&b)));
        cuts.truncate(most.max(1) - 1);
        cuts.sort_unstable();
        let starts = std::iter::once(0).chain(cuts.iter().copied());
        let ends = cuts.iter().copied().chain([self.order.len()]);
        starts.zip(ends).filter(|(start, end)| start < end).map(|(start, end)| start..end).collect()
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use lookalike_core::hash::mix;
    use lookalike_core::union_find::UnionFind;

    use super::*;

    fn random(size: usize, seed: u64) -> SimilarityMatrix {
        let mut matrix = SimilarityMatrix::new(size);
        for a in 0..size {
            for b in 0..a {
                let random = mix(seed << 32 | (a << 16 | b) as u64);
                // A third is not compared, and similarities are often the same.
                if !random.is_multiple_of(3) {
                    matrix.set(a, b, (random >> 8) as u8 as f32 / 256.0);
                }
            }
            matrix.set(a, a, 1.0);
        }
        matrix
    }

    #[test]
    fn groups_of_single_linkage_stand_together_at_every_threshold() {
        for seed in 0..40 {
            let size = 2 + (mix(seed) % 30) as usize;
            let matrix = random(size, seed);
            let Seriation { order, joins } = matrix.seriate();
            let all: BTreeSet<u32> = order.iter().copied().collect();
            assert_eq!((all.len(), order.len(), order[0]), (size, size, 0));
            for threshold in [0.1f32, 0.5, 0.8, 0.9, 0.95, 0.99] {
                let mut sets = UnionFind::new(size);
                for a in 0..size {
                    for b in 0..a {
                        if matrix.get(a, b).is_some_and(|value| value >= threshold) {
                            sets.union(a as u32, b as u32);
                        }
                    }
                }
                // A new group begins exactly where the join is too weak.
                for place in 1..size {
                    let same = sets.find(order[place]) == sets.find(order[place - 1]);
                    assert_eq!(same, joins[place] >= threshold, "{seed} {threshold} {place}");
                }
            }
        }
    }

    #[test]
    fn parts_cover_everything_once() {
        for (size, most) in [(1, 1), (5, 9), (100, 7), (100, 1), (3, 0)] {
            let seriation = random(size, 3).seriate();
            for parts in [seriation.even_parts(most), seriation.linked_parts(most)] {
                assert!(parts.len() <= most.max(1) && parts.iter().all(|part| !part.is_empty()));
                let all: Vec<usize> = parts.into_iter().flatten().collect();
                assert_eq!(all, (0..size).collect::<Vec<_>>());
            }
        }
        let lengths: BTreeSet<usize> =
            random(100, 3).seriate().even_parts(7).iter().map(ExactSizeIterator::len).collect();
        assert_eq!(lengths.into_iter().collect::<Vec<_>>(), [14, 15]);
        assert!(SimilarityMatrix::new(0).seriate().even_parts(3).is_empty());
    }
}
