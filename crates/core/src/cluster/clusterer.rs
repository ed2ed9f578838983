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

    /// The same for pairs that come one by one, from wherever they are kept: by rising later document, then by rising
    /// earlier one, each pair once. Calls `assign` with every member and its master. A clusterer that does not need all
    /// pairs at once should do this without collecting them: a run may have more than fit into memory.
    fn assign(
        &self,
        documents: u32,
        fixed: u32,
        edges: &mut dyn Iterator<Item = Edge>,
        assign: &mut dyn FnMut(u32, u32),
    ) {
        for cluster in self.cluster(documents, fixed, &edges.collect::<Vec<_>>()) {
            cluster.members.iter().for_each(|&member| assign(member, cluster.master));
        }
    }
}

/// The pairs in the order in which [`Clusterer::assign`] takes them.
pub(super) fn by_later(edges: &[Edge]) -> Vec<Edge> {
    let ordered = |e: &Edge| Edge { a: e.a.min(e.b), b: e.a.max(e.b), similarity: e.similarity };
    let mut edges: Vec<Edge> = edges.iter().map(ordered).collect();
    edges.sort_unstable_by_key(|edge| (edge.b, edge.a));
    edges
}

/// Clusters by way of [`Clusterer::assign`].
pub(super) fn by_assigning(how: &dyn Clusterer, documents: u32, fixed: u32, edges: &[Edge]) -> Vec<Cluster> {
    let mut assigned = Vec::new();
    let mut assign = |member, master| assigned.push((member, master));
    how.assign(documents, fixed, &mut by_later(edges).into_iter(), &mut assign);
    collect(assigned.into_iter())
}

/// Collects `(member, master)` assignments into clusters by rising master.
fn collect(assigned: impl Iterator<Item = (u32, u32)>) -> Vec<Cluster> {
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
