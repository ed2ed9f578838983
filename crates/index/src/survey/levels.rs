//! What would be found at higher thresholds, for many thresholds at once.
//!
//! The index holds every pair from its own threshold on. A connected component can only fall apart at a higher
//! threshold, so each one is clustered by itself, once for every threshold at which it loses a pair. Most
//! components have few pairs: a million documents take about a second.

use lookalike_core::cluster::{Cluster, Clusterer, Edge};
use serde::Serialize;

use super::graph::{ConnectedComponent, VisibleNumber};

/// The distance between two levels.
const STEP: f64 = 0.005;

/// What is found at one threshold.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Level {
    /// The similarity from which on pairs count.
    #[cfg_attr(feature = "schema", schemars(range(min = 0, max = 1)))]
    pub threshold: f64,
    /// Verified pairs, as a batch run counts them: pairs of contents, and each further copy of a content with the first.
    pub pairs: u64,
    /// Clusters of two or more documents.
    pub clusters: u64,
    /// Documents that are not the master of their cluster.
    pub removed: u64,
}

/// The thresholds from the index's own to 1.
pub fn thresholds(own: f64) -> Vec<f64> {
    let own = own.clamp(0.0, 1.0);
    let first = (own / STEP + 1e-6).floor() as u32 + 1;
    let last = (1.0 / STEP).round() as u32;
    let rounded = |step: u32| (f64::from(step) * STEP * 1e6).round() / 1e6;
    std::iter::once(own).chain((first..=last).map(rounded)).collect()
}

/// Sums over components. A change at one level also counts for all lower ones.
#[derive(Clone)]
pub struct LevelCounts {
    thresholds: Vec<f64>,
    /// For each level the difference to the level above.
    changes: Vec<[i64; 3]>,
}

impl LevelCounts {
    pub fn new(own: f64) -> LevelCounts {
        let thresholds = thresholds(own);
        LevelCounts { changes: vec![[0; 3]; thresholds.len()], thresholds }
    }

    /// The highest level that a similarity reaches. Pairs that people decided may be below all levels, and count at
    /// the lowest.
    fn level(&self, similarity: f64) -> usize {
        self.thresholds.partition_point(|&threshold| threshold <= similarity + 1e-9).saturating_sub(1)
    }

    /// Adds a content that resembles no other and has this many copies.
    pub fn add_alone(&mut self, copies: u64) {
        let further = copies as i64 - 1;
        let found = [further, i64::from(copies > 1), further];
        self.add_change(self.thresholds.len() - 1, found, [0; 3]);
    }

    /// Adds a component; returns its clusters at the index's own threshold.
    pub fn add(
        &mut self,
        component: &ConnectedComponent,
        how: &dyn Clusterer,
        copies: impl Fn(VisibleNumber) -> u64,
    ) -> Vec<Cluster> {
        let count = component.contents.len();
        let documents: u64 = component.contents.iter().map(|&content| copies(content)).sum();
        let mut edges: Vec<(usize, Edge)> =
            component.edges.iter().map(|&edge| (self.level(edge.similarity), edge)).collect();
        // The strongest first: each level uses a longer prefix of the list.
        edges.sort_unstable_by_key(|&(level, edge)| (std::cmp::Reverse(level), edge.a, edge.b));
        let sorted: Vec<Edge> = edges.iter().map(|&(_, edge)| edge).collect();
        let copied = |place: usize| i64::from(copies(component.contents[place]) > 1);
        let apart: i64 = (0..count).map(copied).sum();
        let further = documents as i64 - count as i64;
        let mut before = [further, apart, further];
        self.add_change(self.thresholds.len() - 1, before, [0; 3]);
        let mut clusters = Vec::new();
        let mut at = 0;
        while let Some(&(level, _)) = edges.get(at) {
            at += edges[at..].iter().take_while(|edge| edge.0 == level).count();
            clusters = how.cluster(count as u32, 0, &sorted[..at]);
            let together: usize = clusters.iter().map(|cluster| cluster.members.len()).sum();
            let in_clusters: i64 = clusters
                .iter()
                .flat_map(|cluster| cluster.members.iter().chain([&cluster.master]))
                .map(|&place| copied(place as usize))
                .sum();
            let found = [
                at as i64 + further,
                clusters.len() as i64 + apart - in_clusters,
                documents as i64 - (count - together) as i64,
            ];
            self.add_change(level, found, before);
            before = found;
        }
        clusters
    }

    fn add_change(&mut self, level: usize, found: [i64; 3], before: [i64; 3]) {
        for (place, change) in self.changes[level].iter_mut().enumerate() {
            *change += found[place] - before[place];
        }
    }

    pub fn merge(&mut self, other: &LevelCounts) {
        for (mine, theirs) in self.changes.iter_mut().zip(&other.changes) {
            for (mine, theirs) in mine.iter_mut().zip(theirs) {
                *mine += theirs;
            }
        }
    }

    /// All levels by rising threshold.
    pub fn levels(&self) -> Vec<Level> {
        let mut sum = [0i64; 3];
        let mut levels: Vec<Level> = Vec::with_capacity(self.thresholds.len());
        for (&threshold, change) in self.thresholds.iter().zip(&self.changes).rev() {
            sum.iter_mut().zip(change).for_each(|(sum, change)| *sum += change);
            let [pairs, clusters, removed] = sum.map(|sum| sum.max(0) as u64);
            levels.push(Level { threshold, pairs, clusters, removed });
        }
        levels.reverse();
        levels
    }
}

#[cfg(test)]
mod tests {
    use lookalike_core::cluster::Star;
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn thresholds_rise_in_even_steps_to_one() {
        let found = thresholds(0.8);
        assert_eq!((found[0], found[1], found.len()), (0.8, 0.805, 41));
        assert_eq!(found.last(), Some(&1.0));
        assert_eq!(thresholds(0.8333)[..2], [0.8333, 0.835]);
        assert_eq!(thresholds(1.0), [1.0]);
        assert_eq!(thresholds(0.0).len(), 201);
    }

    proptest! {
        /// Against clustering all documents anew at every threshold.
        #[test]
        fn every_level_is_what_a_run_at_that_threshold_finds(
            links in proptest::collection::btree_map((0u32..8, 0u32..8), 780u32..1001, 0..20),
            copies in proptest::collection::vec(1u64..4, 8),
        ) {
            let edges: Vec<Edge> = links
                .iter()
                .filter(|((a, b), _)| a < b)
                .map(|(&(a, b), &similarity)| Edge { a, b, similarity: f64::from(similarity) / 1000.0 })
                .collect();
            let how = Star;
            let component = ConnectedComponent { contents: (0..8).map(VisibleNumber::from_index).collect(), edges: edges.clone() };
            let mut tally = LevelCounts::new(0.8);
            tally.add(&component, &how, |content| copies[content.index()]);
            for (place, level) in tally.levels().into_iter().enumerate() {
                let holds = |edge: &&Edge| place == 0 || edge.similarity + 1e-9 >= level.threshold;
                let kept: Vec<Edge> = edges.iter().filter(holds).copied().collect();
                let clusters = how.cluster(8, 0, &kept);
                let mut groups: Vec<u64> = vec![0; 8];
                for content in 0..8u32 {
                    let of = clusters.iter().find(|cluster| cluster.members.contains(&content));
                    groups[of.map_or(content, |cluster| cluster.master) as usize] += copies[content as usize];
                }
                let real = groups.iter().filter(|&&size| size > 0);
                let removed = real.clone().map(|size| size - 1).sum::<u64>();
                let many = real.filter(|&&size| size > 1).count() as u64;
                let pairs = kept.len() as u64 + copies.iter().map(|copies| copies - 1).sum::<u64>();
                prop_assert_eq!((level.pairs, level.clusters, level.removed), (pairs, many, removed));
            }
        }
    }
}
