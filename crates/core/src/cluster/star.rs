//! Star clusters: every member was verified against its master, so there are no chains.
//!
//! Documents are visited in keep order. One that resembles no master so far becomes a master.
//! Every other document joins the master it resembles most.

use super::clusterer::{Cluster, Clusterer, Edge, collect};
use crate::part::{PartInfo, Spec};

/// Clusters are stars: every member is verified against the master.
pub struct Star;

impl Star {
    /// The description of this part in the registry.
    pub const INFO: PartInfo = PartInfo {
        name: "star",
        summary: "Every member is verified against its master; nothing chains",
        paper: "S09 §2.6.2",
        params: &[],
    };
}

impl Clusterer for Star {
    fn spec(&self) -> Spec {
        Spec::new(Self::INFO.name)
    }

    fn cluster(&self, documents: u32, fixed: u32, edges: &[Edge]) -> Vec<Cluster> {
        let mut by_later: Vec<Edge> = edges
            .iter()
            .map(|e| Edge { a: e.a.min(e.b), b: e.a.max(e.b), similarity: e.similarity })
            .collect();
        // Grouped by the later document, so that when its turn comes all earlier ones are settled.
        by_later.sort_unstable_by_key(|edge| (edge.b, edge.a));
        let mut is_master = vec![true; documents as usize];
        let mut assigned = Vec::new();
        for group in by_later.chunk_by(|x, y| x.b == y.b) {
            let document = group[0].b;
            if document < fixed {
                continue;
            }
            let best = group
                .iter()
                .filter(|edge| is_master[edge.a as usize])
                // The first of equally similar masters, which the keep rules rank highest.
                .max_by(|x, y| x.similarity.total_cmp(&y.similarity).then(y.a.cmp(&x.a)));
            if let Some(edge) = best {
                is_master[document as usize] = false;
                assigned.push((document, edge.a));
            }
        }
        collect(assigned.into_iter())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::check_clusterer;

    fn edge(a: u32, b: u32, similarity: f64) -> Edge {
        Edge { a, b, similarity }
    }

    #[test]
    fn passes_the_conformance_suite() {
        check_clusterer(&Star);
    }

    #[test]
    fn a_chain_is_cut() {
        let chain = [edge(0, 1, 0.8), edge(1, 2, 0.8), edge(2, 3, 0.8)];
        let clusters = Star.cluster(4, 0, &chain);
        assert_eq!(
            clusters,
            [Cluster { master: 0, members: vec![1] }, Cluster { master: 2, members: vec![3] }]
        );
    }

    #[test]
    fn members_join_the_master_they_resemble_most() {
        let clusters = Star.cluster(3, 0, &[edge(0, 2, 0.81), edge(1, 2, 0.95)]);
        assert_eq!(clusters, [Cluster { master: 1, members: vec![2] }]);
    }

    #[test]
    fn documents_of_another_corpus_are_never_removed() {
        let clusters = Star.cluster(3, 2, &[edge(0, 1, 1.0), edge(1, 2, 0.9)]);
        assert_eq!(clusters, [Cluster { master: 1, members: vec![2] }]);
    }
}
