//! Clusters of documents, with the evidence for every member.

use std::collections::HashMap;

use lookalike_core::Result;
use lookalike_core::cluster::Edge;
use lookalike_core::decide::{Because, NO_REASON, Overlap};
use lookalike_core::difference::{Difference, DifferenceKind};
use lookalike_core::streams::StreamAgreement;

use super::group::ExactCopy;
use super::lines::Found;
use super::streams::STREAMS;
use super::verify::{Verified, Verifier};
use crate::corpus::CorpusNumber;
use crate::pipeline::Differs;

pub struct Clusters {
    /// By rising master.
    pub clusters: Vec<RunCluster>,
    /// Verified pairs between representatives, by (a, b).
    pub verified: Vec<Verified>,
    /// Exact copies and their representatives, by rising copy.
    pub copies: Vec<ExactCopy>,
    /// How each copy differs from its representative.
    pub copy_differences: Vec<Differs>,
}

/// A document and the master of its cluster.
type Assigned = (CorpusNumber, CorpusNumber);

/// Near-duplicates of one document, which is kept.
pub struct RunCluster {
    /// The document that stays.
    pub master: CorpusNumber,
    /// The most similar first; never the master.
    pub members: Vec<Member>,
}

/// A document of a cluster, and the evidence that it belongs there.
#[derive(Clone, Copy, Debug)]
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

impl Clusters {
    /// Clusters representatives by their verified pairs, then adds the exact copies.
    pub fn build(
        verifier: &Verifier<'_>,
        verified: Vec<Verified>,
        copies: Vec<ExactCopy>,
    ) -> Result<Clusters> {
        let catalog = verifier.catalog;
        let mut nodes: Vec<CorpusNumber> = verified.iter().flat_map(|pair| [pair.a, pair.b]).collect();
        nodes.extend(copies.iter().map(|&(_, representative)| representative));
        nodes.sort_unstable();
        nodes.dedup();
        catalog.sort_by_keep_order(&mut nodes)?;
        let rank: HashMap<CorpusNumber, u32> =
            nodes.iter().zip(0..).map(|(&document, rank)| (document, rank)).collect();
        let fixed = nodes.iter().filter(|&&document| catalog.is_reference(document)).count() as u32;
        let edges: Vec<Edge> = verified
            .iter()
            .map(|pair| Edge { a: rank[&pair.a], b: rank[&pair.b], similarity: pair.similarity })
            .collect();
        drop(rank);
        let stars = verifier.pipeline.clusterer.cluster(nodes.len() as u32, fixed, &edges);
        drop(edges);
        let mut assigned: Vec<Assigned> = Vec::new();
        for star in stars {
            let master = nodes[star.master as usize];
            assigned.extend(star.members.iter().map(|&member| (nodes[member as usize], master)));
        }
        let evidence = Evidence::collect(verifier, &verified, &assigned)?;
        let differences = CopyDifferences::find(verifier, &copies, &assigned)?;
        let clusters = join(verifier, &assigned, &copies, &evidence, &differences);
        Ok(Clusters { clusters, verified, copies, copy_differences: differences.to_representative })
    }

    pub fn removed(&self) -> u64 {
        self.clusters.iter().map(|cluster| cluster.members.len() as u64).sum()
    }
}

/// The comparison of each member with its master.
struct Evidence<'a> {
    verified: &'a [Verified],
    /// Compares members of one cluster whose texts have not been compared: they are linked by a
    /// chain, or alike in something else. Pairs without text stay as they are.
    measured: Vec<Verified>,
}

impl<'a> Evidence<'a> {
    fn collect(verifier: &Verifier<'_>, verified: &'a [Verified], assigned: &[Assigned]) -> Result<Self> {
        let known = Evidence { verified, measured: Vec::new() };
        let has_text = |document: CorpusNumber| Ok(verifier.catalog.digest(document)?.is_some());
        let mut missing = Vec::new();
        for &(member, master) in assigned {
            let is_missing = match known.get(member, master) {
                None => true,
                // The two agree in something other than the text; how similar the texts are is
                // reported, too.
                Some(known)
                    if known.overlap.is_none() && known.found_by != 0 && known.found_by & !STREAMS == 0 =>
                {
                    has_text(member)? && has_text(master)?
                }
                Some(_) => false,
            };
            if is_missing {
                missing.push((member.min(master), member.max(master)));
            }
        }
        Ok(Evidence { verified, measured: verifier.measure(missing)? })
    }

    fn get(&self, member: CorpusNumber, master: CorpusNumber) -> Option<Member> {
        let key = (member.min(master), member.max(master));
        let of = |pairs: &[Verified]| {
            let place = pairs.binary_search_by_key(&key, |pair| (pair.a, pair.b)).ok()?;
            Some(pairs[place])
        };
        let pair = match (of(&self.measured), of(self.verified)) {
            (Some(measured), Some(verified)) => {
                Verified { found_by: verified.found_by, decided: verified.decided, ..measured }
            }
            (Some(pair), None) | (None, Some(pair)) => pair,
            (None, None) => return None,
        };
        let overlap = pair.overlap.map(|overlap| if member < master { overlap } else { overlap.swapped() });
        let to_member =
            |difference: Difference| if member < master { difference.reversed() } else { difference };
        Some(Member {
            document: member,
            similarity: pair.similarity,
            overlap,
            exact: false,
            found_by: pair.found_by,
            because: pair.because,
            difference: pair.difference.map(to_member),
            streams: pair.streams,
            decided: pair.decided,
        })
    }
}

/// How exact copies differ: features do not tell everything.
struct CopyDifferences {
    /// From its representative, for each copy.
    to_representative: Vec<Differs>,
    /// From the master of its cluster, for copies with another text than their representative's or with streams, if
    /// that is not the master itself.
    to_master: HashMap<CorpusNumber, Differs>,
}

impl CopyDifferences {
    /// Only copies that have streams, or whose texts are not the same, are read again.
    fn find(verifier: &Verifier<'_>, copies: &[ExactCopy], assigned: &[Assigned]) -> Result<Self> {
        let catalog = verifier.catalog;
        let mut differing = Vec::new();
        for (place, &(copy, representative)) in copies.iter().enumerate() {
            if !catalog.are_same(copy, representative)? {
                differing.push(place);
            }
        }
        let pairs: Vec<_> = differing.iter().map(|&place| (copies[place].1, copies[place].0)).collect();
        let same =
            Differs { difference: Difference::of(DifferenceKind::None), streams: StreamAgreement::NONE };
        let mut to_representative = vec![same; copies.len()];
        for (&place, differs) in differing.iter().zip(verifier.differences(&pairs)?) {
            to_representative[place] = differs;
        }
        let master_of: HashMap<CorpusNumber, CorpusNumber> = assigned.iter().copied().collect();
        let to_master = pairs.iter().filter_map(|(of, copy)| Some((*master_of.get(of)?, *copy)));
        let to_master: Vec<(CorpusNumber, CorpusNumber)> = to_master.collect();
        let differences = verifier.differences(&to_master)?;
        let to_master = to_master.into_iter().map(|(_, copy)| copy).zip(differences).collect();
        Ok(CopyDifferences { to_representative, to_master })
    }
}

/// Adds the exact copies of each representative, which have the same similarity to all others.
fn join(
    verifier: &Verifier<'_>,
    assigned: &[Assigned],
    copies: &[ExactCopy],
    evidence: &Evidence<'_>,
    differences: &CopyDifferences,
) -> Vec<RunCluster> {
    let master_of: HashMap<CorpusNumber, CorpusNumber> = assigned.iter().copied().collect();
    let mut members: Vec<(CorpusNumber, Member)> = Vec::with_capacity(assigned.len() + copies.len());
    let none = |document: CorpusNumber| Member {
        document,
        similarity: 0.0,
        overlap: None,
        exact: false,
        found_by: 0,
        because: NO_REASON,
        difference: None,
        streams: StreamAgreement::NONE,
        decided: false,
    };
    let as_member = |document: CorpusNumber, representative: CorpusNumber| -> (CorpusNumber, Member) {
        match master_of.get(&representative) {
            Some(&master) => {
                let member = evidence.get(representative, master);
                (master, member.map_or(none(document), |member| Member { document, ..member }))
            }
            None => (representative, Member { similarity: 1.0, exact: true, ..none(document) }),
        }
    };
    members.extend(assigned.iter().map(|&(member, _)| as_member(member, member)));
    let removable = copies.iter().zip(&differences.to_representative);
    let removable = removable.filter(|((copy, _), _)| !verifier.catalog.is_reference(*copy));
    members.extend(removable.map(|(&(copy, representative), of_representative)| {
        let (master, mut member) = as_member(copy, representative);
        let differs = match master == representative {
            true => Some(of_representative),
            false => differences.to_master.get(&copy),
        };
        if let Some(differs) = differs {
            (member.difference, member.streams) = (Some(differs.difference), differs.streams);
        }
        (master, member)
    }));
    members.sort_unstable_by(|(master, a), (other, b)| {
        let alike = b.similarity.total_cmp(&a.similarity);
        master.cmp(other).then(alike).then(a.document.cmp(&b.document))
    });
    members
        .chunk_by(|a, b| a.0 == b.0)
        .map(|group| RunCluster {
            master: group[0].0,
            members: group.iter().map(|&(_, member)| member).collect(),
        })
        .collect()
}
