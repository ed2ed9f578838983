//! Clusters of documents, with the evidence for every member.
//!
//! Members are read one after another from where they were sorted, so that neither many clusters nor a giant one have
//! to fit into memory.

mod build;
mod copies;
mod evidence;

use std::cmp::Reverse;
use std::iter::Peekable;
use std::path::Path;

use lookalike_core::Result;
use lookalike_core::decide::{Because, NO_REASON, Overlap};
use lookalike_core::difference::Difference;
use lookalike_core::streams::StreamAgreement;

use super::external::{Merge, Record, Sorted, Sorter};
use super::lines::Found;
use super::verify::Verified;
use crate::corpus::Bits;
use crate::corpus::CorpusNumber;

pub use self::build::Building;
pub use self::copies::CopyPair;

/// What clustering found.
pub struct Clusters {
    members: Sorted<Placed>,
    /// Verified pairs between representatives, by (a, b).
    pub verified: Sorted<Verified>,
    /// Exact copies and their representatives, by the smaller number and then by the larger.
    pub copies: Sorted<CopyPair>,
    /// The documents that are duplicates of another one.
    pub removed: Bits,
}

/// Near-duplicates of one document, which is kept.
pub struct RunCluster {
    /// The document that stays.
    pub master: CorpusNumber,
    /// The most similar first; never the master.
    pub members: Vec<Member>,
}

/// A document of a cluster, and the evidence that it belongs there.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Member {
    /// Its number.
    pub document: CorpusNumber,
    /// The similarity to the master.
    pub similarity: f64,
    /// `a` is the member, `b` the master; absent for an estimate and for an exact copy.
    pub overlap: Option<Overlap>,
    /// Whether all its features equal the master's.
    pub exact: bool,
    /// A bit for each branch that proposed the pair of member and master.
    pub found_by: u32,
    /// What weighed most in the decision about that pair.
    pub because: Because,
    /// How it differs from the master; absent if their texts were not compared.
    pub difference: Option<Difference>,
    /// How its streams agree with the master's.
    pub streams: StreamAgreement,
    /// A person said that the two are duplicates.
    pub decided: bool,
}

impl Member {
    /// A member of which nothing is known.
    fn unknown(document: CorpusNumber) -> Member {
        Member {
            document,
            similarity: 0.0,
            overlap: None,
            exact: false,
            found_by: 0,
            because: NO_REASON,
            difference: None,
            streams: StreamAgreement::NONE,
            decided: false,
        }
    }

    /// What decided that it goes.
    pub fn found(&self, keeper_is_known: bool) -> Found {
        let &Member { exact, decided, found_by, .. } = self;
        Found { exact, decided, keeper_is_known, found_by }
    }

    /// How much of the member is in its master, and how much of the master is in it.
    pub fn containments(&self) -> (Option<f64>, Option<f64>) {
        match self.overlap {
            _ if self.exact => (Some(1.0), Some(1.0)),
            Some(overlap) => (Some(overlap.a_in_b()), Some(overlap.b_in_a())),
            None => (None, None),
        }
    }
}

impl RunCluster {
    /// Documents in it, the master included.
    pub fn size(&self) -> u64 {
        self.members.len() as u64 + 1
    }

    /// The member that is least like the master.
    pub fn weakest(&self) -> Option<&Member> {
        self.members.last()
    }
}

/// A cluster without its members.
#[derive(Clone, Copy)]
pub struct Summary {
    /// From 1, by rising master.
    pub number: u64,
    pub master: CorpusNumber,
    /// Documents in it, the master included.
    pub size: u64,
    /// The member that is least like the master.
    pub weakest: Member,
}

impl Clusters {
    /// Reads all clusters, by rising master.
    pub fn read(&self) -> Result<ClusterReader<'_>> {
        Ok(ClusterReader { members: self.members.iter()?.peekable(), number: 0 })
    }

    /// The member of a cluster.
    pub fn member(
        &self,
        master: CorpusNumber,
        similarity: f64,
        document: CorpusNumber,
    ) -> Result<Option<Member>> {
        let found = self.members.get(&(master, Placed::order(similarity), document))?;
        Ok(found.map(|placed| placed.member))
    }

    /// All members, by rising document.
    pub fn removals(&self, work: &Path, memory: u64) -> Result<Sorted<Removal>> {
        let mut sorter = Sorter::new(work, memory);
        self.for_each_member(|number, master, &member| sorter.push(Removal { number, master, member }))?;
        Ok(sorter.sorted())
    }

    /// Calls `visit` with the number of its cluster, its master and every member; by rising master, the most similar
    /// first.
    pub fn for_each_member(
        &self,
        mut visit: impl FnMut(u64, CorpusNumber, &Member) -> Result<()>,
    ) -> Result<()> {
        let mut reader = self.read()?;
        while reader.next(&mut visit)?.is_some() {}
        Ok(())
    }
}

/// A document that goes, and the cluster that it is in.
#[derive(Clone, Copy)]
pub struct Removal {
    /// The number of the cluster.
    pub number: u64,
    pub master: CorpusNumber,
    pub member: Member,
}

impl Record for Removal {
    type Key = CorpusNumber;
    const BYTES: usize = 8 + Placed::BYTES;

    fn key(&self) -> CorpusNumber {
        self.member.document
    }

    fn put(&self, out: &mut Vec<u8>) {
        out.extend_from_slice(&self.number.to_le_bytes());
        Placed { master: self.master, member: self.member }.put(out);
    }

    fn get(bytes: &[u8]) -> Option<Self> {
        let (number, placed) = bytes.split_first_chunk()?;
        let Placed { master, member } = Placed::get(placed)?;
        Some(Removal { number: u64::from_le_bytes(*number), master, member })
    }
}

pub struct ClusterReader<'a> {
    members: Peekable<Merge<'a, Placed>>,
    number: u64,
}

impl ClusterReader<'_> {
    /// The next cluster; calls `visit` with its number, its master and every member.
    pub fn next(
        &mut self,
        mut visit: impl FnMut(u64, CorpusNumber, &Member) -> Result<()>,
    ) -> Result<Option<Summary>> {
        let Some(Placed { master, member: first }) = self.members.next().transpose()? else {
            return Ok(None);
        };
        self.number += 1;
        visit(self.number, master, &first)?;
        let mut summary = Summary { number: self.number, master, size: 2, weakest: first };
        let is_next = |next: &Result<Placed>| next.as_ref().map_or(true, |next| next.master == master);
        while let Some(placed) = self.members.next_if(is_next).transpose()? {
            visit(self.number, master, &placed.member)?;
            summary.size += 1;
            summary.weakest = placed.member;
        }
        Ok(Some(summary))
    }
}

/// A member and its master.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Placed {
    master: CorpusNumber,
    member: Member,
}

impl Placed {
    /// Similarities in falling order.
    fn order(similarity: f64) -> Reverse<i64> {
        // As `f64::total_cmp` does it.
        let bits = similarity.to_bits() as i64;
        Reverse(bits ^ (((bits >> 63) as u64) >> 1) as i64)
    }
}

impl Record for Placed {
    type Key = (CorpusNumber, Reverse<i64>, CorpusNumber);
    const BYTES: usize = Verified::BYTES + 1;

    fn key(&self) -> Self::Key {
        (self.master, Placed::order(self.member.similarity), self.member.document)
    }

    /// As the pair of the member and its master, and whether it is a copy.
    fn put(&self, out: &mut Vec<u8>) {
        let &Member { document, similarity, overlap, exact, found_by, because, difference, streams, decided } =
            &self.member;
        let (a, b) = (document, self.master);
        Verified { a, b, similarity, overlap, found_by, because, difference, streams, decided }.put(out);
        out.push(exact.into());
    }

    fn get(bytes: &[u8]) -> Option<Self> {
        let (&exact, pair) = bytes.split_last()?;
        let Verified { a, b, similarity, overlap, found_by, because, difference, streams, decided } =
            Verified::get(pair)?;
        let (document, exact) = (a, exact != 0);
        let member =
            Member { document, similarity, overlap, exact, found_by, because, difference, streams, decided };
        Some(Placed { master: b, member })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn members_come_back_as_they_were_and_in_order() {
        let member = |document, similarity| Placed {
            master: CorpusNumber::from_index(7),
            member: Member {
                similarity,
                overlap: Some(Overlap { shared: 3, a: 4, b: 5 }),
                exact: similarity == 1.0,
                found_by: 9,
                difference: Some(Difference::between("one 2", "one 3")),
                decided: similarity < 0.5,
                ..Member::unknown(CorpusNumber::from_index(document))
            },
        };
        let placed = [member(4, 1.0), member(2, 0.9), member(3, 0.9), member(1, 0.25), member(0, 0.0)];
        for placed in placed {
            let mut bytes = Vec::new();
            placed.put(&mut bytes);
            assert_eq!((bytes.len(), Placed::get(&bytes)), (Placed::BYTES, Some(placed)));
        }
        assert!(placed.is_sorted_by_key(|placed| placed.key()));
        assert!(
            Placed::order(f64::INFINITY) < Placed::order(-0.0) && Placed::order(-0.5) < Placed::order(-2.0)
        );
    }
}
