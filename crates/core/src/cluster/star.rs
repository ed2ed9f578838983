//! Star clusters: every member was verified against its master, so there are no chains.
//!
//! Documents are visited in keep order. One that resembles no master so far becomes a master.
//! Every other document joins the master it resembles most.

use super::clusterer::{Cluster, Clusterer, Edge, by_assigning};
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
        by_assigning(self, documents, fixed, edges)
    }

    /// When the turn of a document comes, all earlier ones are settled.
    fn assign(
        &self,
        documents: u32,
        fixed: u32,
        edges: &mut dyn Iterator<Item = Edge>,
        assign: &mut dyn FnMut(u32, u32),
    ) {
        let mut is_member = vec![0u64; (documents as usize).div_ceil(64)];
        let mut edges = edges.filter(|edge| edge.b >= fixed).peekable();
        while let Some(&Edge { b: document, .. }) = edges.peek() {
            let mut best: Option<Edge> = None;
            while let Some(edge) = edges.next_if(|edge| edge.b == document) {
                let is_master = is_member[edge.a as usize / 64] >> (edge.a % 64) & 1 == 0;
                // The first of equally similar masters, which the keep rules rank highest.
                let is_better = best.is_none_or(|best| edge.similarity.total_cmp(&best.similarity).is_gt());
                if is_master && is_better {
                    best = Some(edge);
                }
            }
            if let Some(edge) = best {
                is_member[document as usize / 64] |= 1 << (document % 64);
                assign(document, edge.a);
            }
        }
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
