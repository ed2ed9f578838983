//! Connected components: whatever a chain of pairs links is one cluster.

use super::clusterer::{Cluster, Clusterer, Edge, by_assigning};
use crate::part::{PartInfo, Spec};
use crate::union_find::UnionFind;

/// Clusters are connected components: whatever is linked by a chain of pairs.
pub struct Components;

impl Components {
    /// The description of this part in the registry.
    pub const INFO: PartInfo = PartInfo {
        name: "components",
        summary: "Whatever a chain of verified pairs links is one cluster; can chain",
        paper: "",
        params: &[],
    };
}

impl Clusterer for Components {
    fn spec(&self) -> Spec {
        Spec::new(Self::INFO.name)
    }

    fn cluster(&self, documents: u32, fixed: u32, edges: &[Edge]) -> Vec<Cluster> {
        by_assigning(self, documents, fixed, edges)
    }

    fn assign(
        &self,
        documents: u32,
        fixed: u32,
        edges: &mut dyn Iterator<Item = Edge>,
        assign: &mut dyn FnMut(u32, u32),
    ) {
        let mut sets = UnionFind::new(documents as usize);
        edges.for_each(|edge| sets.union(edge.a, edge.b));
        for document in fixed..documents {
            // The smallest number is the root, which is the document that the keep rules rank first.
            let master = sets.find(document);
            if master != document {
                assign(document, master);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::check_clusterer;

    #[test]
    fn passes_the_conformance_suite() {
        check_clusterer(&Components);
    }

    #[test]
    fn a_chain_is_one_cluster() {
        let edges = [(2, 3), (0, 1), (1, 2)].map(|(a, b)| Edge { a, b, similarity: 0.8 });
        let clusters = Components.cluster(5, 0, &edges);
        assert_eq!(clusters, [Cluster { master: 0, members: vec![1, 2, 3] }]);
    }
}
