//! Exact copies join the clusters of their representatives, and how they differ is told: features do not tell
//! everything.

use lookalike_core::Result;
use lookalike_core::difference::{Difference, DifferenceKind};
use lookalike_core::streams::StreamAgreement;

use super::{Member, Placed};
use crate::corpus::CorpusNumber;
use crate::pipeline::Differs;
use crate::run::external::{Record, Sorted, Sorter};
use crate::run::group::ExactCopy;
use crate::run::verify::Verifier;

/// An exact copy, its representative, and how the copy differs from it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct CopyPair {
    pub representative: CorpusNumber,
    pub copy: CorpusNumber,
    pub differs: Differs,
}

impl Record for CopyPair {
    /// Sorted as verified pairs are.
    type Key = (CorpusNumber, CorpusNumber);
    const BYTES: usize = 8 + 2 + StreamAgreement::BYTES;

    fn key(&self) -> Self::Key {
        (self.representative.min(self.copy), self.representative.max(self.copy))
    }

    fn put(&self, out: &mut Vec<u8>) {
        let &CopyPair { representative, copy, differs } = self;
        ExactCopy { copy, representative }.put(out);
        out.extend_from_slice(&differs.difference.bits().to_le_bytes());
        out.extend_from_slice(&differs.streams.to_bytes());
    }

    fn get(bytes: &[u8]) -> Option<Self> {
        let (numbers, rest) = bytes.split_at_checked(8)?;
        let ExactCopy { copy, representative } = ExactCopy::get(numbers)?;
        let (difference, streams) = rest.split_first_chunk()?;
        let difference = Difference::from_bits(u16::from_le_bytes(*difference))?;
        let differs = Differs { difference, streams: StreamAgreement::from_bytes(streams)? };
        Some(CopyPair { representative, copy, differs })
    }
}

/// A member that can be looked up.
#[derive(Clone, Copy)]
pub struct ByMember(pub Placed);

impl Record for ByMember {
    type Key = CorpusNumber;
    const BYTES: usize = Placed::BYTES;

    fn key(&self) -> CorpusNumber {
        self.0.member.document
    }

    fn put(&self, out: &mut Vec<u8>) {
        self.0.put(out);
    }

    fn get(bytes: &[u8]) -> Option<Self> {
        Placed::get(bytes).map(ByMember)
    }
}

/// As many copies are read again at once.
const AT_ONCE: usize = 1 << 14;

pub struct Copies<'a, E> {
    verifier: &'a Verifier<'a>,
    /// Representatives that are members of a cluster.
    representatives: &'a Sorted<ByMember>,
    pairs: Sorter<CopyPair>,
    /// Copies that have streams, or whose texts are not the same: only these are read again.
    differing: Vec<(ExactCopy, Placed)>,
    /// Takes the members.
    emit: E,
}

impl<'a, E: FnMut(Placed) -> Result<()>> Copies<'a, E> {
    pub fn new(
        verifier: &'a Verifier<'a>,
        representatives: &'a Sorted<ByMember>,
        pairs: Sorter<CopyPair>,
        emit: E,
    ) -> Self {
        Copies { verifier, representatives, pairs, differing: Vec::new(), emit }
    }

    /// Adds the exact copies of each representative, which have the same similarity to all others.
    pub fn add(mut self, copies: &Sorted<ExactCopy>) -> Result<Sorted<CopyPair>> {
        let same =
            Differs { difference: Difference::of(DifferenceKind::None), streams: StreamAgreement::NONE };
        let mut representatives = self.representatives.iter()?.peekable();
        let mut of: Option<ByMember> = None;
        for copy in copies.iter()? {
            let exact @ ExactCopy { copy, representative } = copy?;
            while let Some(next) = representatives
                .next_if(|next| next.as_ref().map_or(true, |next| next.key() <= representative))
            {
                of = Some(next?);
            }
            let placed = match of.filter(|of| of.key() == representative) {
                Some(ByMember(Placed { master, member })) => {
                    Placed { master, member: Member { document: copy, ..member } }
                }
                None => Placed {
                    master: representative,
                    member: Member { similarity: 1.0, exact: true, ..Member::unknown(copy) },
                },
            };
            if self.verifier.catalog.are_same(copy, representative)? {
                let to_master = (placed.master == representative).then_some(same);
                self.put(exact, placed, same, to_master)?;
                continue;
            }
            self.differing.push((exact, placed));
            if self.differing.len() == AT_ONCE {
                self.read()?;
            }
        }
        self.read()?;
        Ok(self.pairs.sorted())
    }

    /// Reads the differing copies again.
    fn read(&mut self) -> Result<()> {
        let differing = std::mem::take(&mut self.differing);
        let is_represented = |(exact, placed): &&(ExactCopy, Placed)| placed.master == exact.representative;
        let to_representative: Vec<_> =
            differing.iter().map(|(exact, _)| (exact.representative, exact.copy)).collect();
        let to_master: Vec<_> = differing
            .iter()
            .filter(|one| !is_represented(one))
            .map(|(exact, placed)| (placed.master, exact.copy))
            .collect();
        let verifier = self.verifier;
        let to_representative = verifier.differences(&to_representative)?;
        let mut to_master = verifier.differences(&to_master)?.into_iter();
        for (one, differs) in differing.iter().zip(to_representative) {
            let to_master = if is_represented(&one) { Some(differs) } else { to_master.next() };
            self.put(one.0, one.1, differs, to_master)?;
        }
        Ok(())
    }

    /// Documents of the corpus compared against are never members.
    fn put(
        &mut self,
        ExactCopy { copy, representative }: ExactCopy,
        mut placed: Placed,
        differs: Differs,
        to_master: Option<Differs>,
    ) -> Result<()> {
        if let Some(Differs { difference, streams }) = to_master {
            (placed.member.difference, placed.member.streams) = (Some(difference), streams);
        }
        if !self.verifier.catalog.is_reference(copy) {
            (self.emit)(placed)?;
        }
        self.pairs.push(CopyPair { representative, copy, differs })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn copies_come_back_as_they_were() {
        let [representative, copy] = [9, 4].map(CorpusNumber::from_index);
        let differs =
            Differs { difference: Difference::between("One", "one"), streams: StreamAgreement::NONE };
        let pair = CopyPair { representative, copy, differs };
        let mut bytes = Vec::new();
        pair.put(&mut bytes);
        assert_eq!((bytes.len(), CopyPair::get(&bytes)), (CopyPair::BYTES, Some(pair)));
        assert_eq!(pair.key(), (copy, representative));
    }
}
