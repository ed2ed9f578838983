//! From verified pairs to clusters.
//!
//! Nothing here grows with the number of pairs: what is more than a number for each document is sorted, on disk where
//! it does not fit, and read in order.

use std::path::Path;

use lookalike_core::cluster::Edge;
use lookalike_core::{Error, Result};

use super::copies::{ByMember, Copies};
use super::evidence::{Assigned, Evidence};
use super::{Clusters, Placed};
use crate::corpus::Bits;
use crate::run::external::{Sorted, Sorter};
use crate::run::group::ExactCopy;
use crate::run::verify::{Verified, Verifier};

/// What clusters are made with.
pub struct Building<'a> {
    pub verifier: &'a Verifier<'a>,
    pub work: &'a Path,
    /// What may be held in memory, besides a number for each document and the pairs.
    pub memory: u64,
}

/// A document that is no node has this rank.
const NO_RANK: u32 = u32::MAX;

impl Building<'_> {
    /// Clusters representatives by their verified pairs, then adds the exact copies.
    pub fn run(&self, verified: Sorted<Verified>, copies: &Sorted<ExactCopy>) -> Result<Clusters> {
        let assigned = self.assign(&verified, copies)?;
        let mut members = Members {
            by_master: Sorter::new(self.work, self.memory / 4),
            removed: Bits::new(self.verifier.catalog.len()),
        };
        // Copies look up the evidence of their representatives.
        let mut representatives = Sorter::new(self.work, self.memory / 4);
        Evidence::new(self.verifier).collect(&verified, &assigned, |placed| {
            if !copies.is_empty() {
                representatives.push(ByMember(placed))?;
            }
            members.add(placed)
        })?;
        drop(assigned);
        let representatives = representatives.sorted();
        let pairs = Sorter::new(self.work, self.memory / 4);
        let emit = |placed| members.add(placed);
        let copies = Copies::new(self.verifier, &representatives, pairs, emit).add(copies)?;
        let Members { by_master, removed } = members;
        Ok(Clusters { members: by_master.sorted(), verified, copies, removed })
    }

    /// Every member with its master.
    fn assign(&self, verified: &Sorted<Verified>, copies: &Sorted<ExactCopy>) -> Result<Sorted<Assigned>> {
        let Verifier { catalog, pipeline, .. } = *self.verifier;
        let mut is_node = Bits::new(catalog.len());
        for pair in verified.iter()? {
            let pair = pair?;
            is_node.set(pair.a);
            is_node.set(pair.b);
        }
        for copy in copies.iter()? {
            is_node.set(copy?.representative);
        }
        // The rank of every document, and the document of every rank: the two numbers for each.
        let nodes = catalog.documents().filter(|&document| is_node.get(document));
        let nodes = catalog.in_keep_order(nodes, self.work, self.memory / 2)?;
        let mut rank = vec![NO_RANK; catalog.len() as usize];
        nodes.iter().zip(0..).for_each(|(document, place)| rank[document.index()] = place);
        let fixed = nodes.partition_point(|&document| catalog.is_reference(document)) as u32;
        let mut edges = Sorter::new(self.work, self.memory / 2);
        for pair in verified.iter()? {
            let pair = pair?;
            let (a, b) = (rank[pair.a.index()], rank[pair.b.index()]);
            edges.push(pack_edge(a.min(b), a.max(b), pair.similarity))?;
        }
        drop(rank);
        let edges = edges.sorted();
        let mut assigned = Sorter::new(self.work, self.memory / 4);
        let (mut unread, mut unwritten) = (Ok(()), Ok(()));
        let mut edges = edges.iter()?.map_while(|edge| match edge {
            Ok(edge) => Some(unpack_edge(edge)),
            Err(error) => {
                unread = Err(error);
                None
            }
        });
        pipeline.clusterer.assign(nodes.len() as u32, fixed, &mut edges, &mut |member, master| {
            let place = |rank: u32| nodes.get(rank as usize).copied();
            let pushed = place(member)
                .zip(place(master))
                .ok_or_else(|| Error::Internal("a clusterer named a document it was not given".to_owned()))
                .and_then(|(member, master)| assigned.push(Assigned::new(member, master)));
            if let (Ok(()), Err(error)) = (&unwritten, pushed) {
                unwritten = Err(error);
            }
        });
        drop(edges);
        unread.and(unwritten).map(|()| assigned.sorted())
    }
}

/// By the later document, then by the earlier one, as clusterers take them.
fn pack_edge(earlier: u32, later: u32, similarity: f64) -> u128 {
    u128::from(later) << 96 | u128::from(earlier) << 64 | u128::from(similarity.to_bits())
}

fn unpack_edge(edge: u128) -> Edge {
    Edge { a: (edge >> 64) as u32, b: (edge >> 96) as u32, similarity: f64::from_bits(edge as u64) }
}

/// Collects members.
struct Members {
    by_master: Sorter<Placed>,
    removed: Bits,
}

impl Members {
    fn add(&mut self, placed: Placed) -> Result<()> {
        self.removed.set(placed.member.document);
        self.by_master.push(placed)
    }
}
