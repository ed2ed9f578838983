//! The stage `cluster`: what a clusterer is, and what it makes of pairs.

use crate::part::Spec;

/// A verified pair. Documents are numbered in keep order: 0 is the one that the keep rules rank
/// first.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Edge {
    /// One document of the pair.
    pub a: u32,
    /// The other document.
    pub b: u32,
    /// How alike the two are.
    pub similarity: f64,
}

/// A master and its other members, all in keep order.
#[derive(Clone, Debug, PartialEq)]
pub struct Cluster {
    /// The document that is kept.
    pub master: u32,
    /// Never holds the master.
    pub members: Vec<u32>,
}

/// Groups documents. Because they are numbered in keep order, the result cannot depend on the
/// order of the input, the number of threads or the way the pairs were found.
pub trait Clusterer: Send + Sync {
    /// The type and parameters that rebuild this clusterer.
    fn spec(&self) -> Spec;

    /// Clusters of two or more documents, by rising master. Documents below `fixed` belong to
    /// another corpus: they may be masters, whatever they resemble, but are never members of
    /// another's cluster.
    fn cluster(&self, documents: u32, fixed: u32, edges: &[Edge]) -> Vec<Cluster>;
}

/// Collects `(member, master)` assignments into clusters by rising master.
pub(super) fn collect(assigned: impl Iterator<Item = (u32, u32)>) -> Vec<Cluster> {
    let mut assigned: Vec<(u32, u32)> = assigned.map(|(member, master)| (master, member)).collect();
    assigned.sort_unstable();
    assigned
        .chunk_by(|x, y| x.0 == y.0)
        .map(|group| Cluster {
            master: group[0].0,
            members: group.iter().map(|&(_, member)| member).collect(),
        })
        .collect()
}
