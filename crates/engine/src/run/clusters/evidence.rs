//! The comparison of each member with its master.

use lookalike_core::Result;
use lookalike_core::difference::Difference;

use super::{Member, Placed};
use crate::corpus::CorpusNumber;
use crate::run::external::{Record, Sorted};
use crate::run::streams::STREAMS;
use crate::run::verify::{Verified, Verifier};

/// A member and its master, sorted as pairs are.
#[derive(Clone, Copy)]
pub struct Assigned {
    member: CorpusNumber,
    master: CorpusNumber,
}

impl Assigned {
    pub fn new(member: CorpusNumber, master: CorpusNumber) -> Self {
        Assigned { member, master }
    }

    fn with(self, pair: Option<Verified>) -> Placed {
        let Assigned { member: document, master } = self;
        let Some(pair) = pair else { return Placed { master, member: Member::unknown(document) } };
        let overlap = pair.overlap.map(|overlap| if document < master { overlap } else { overlap.swapped() });
        let to_member =
            |difference: Difference| if document < master { difference.reversed() } else { difference };
        let member = Member {
            document,
            similarity: pair.similarity,
            overlap,
            exact: false,
            found_by: pair.found_by,
            because: pair.because,
            difference: pair.difference.map(to_member),
            streams: pair.streams,
            decided: pair.decided,
        };
        Placed { master, member }
    }
}

impl Record for Assigned {
    type Key = (CorpusNumber, CorpusNumber);
    const BYTES: usize = 8;

    fn key(&self) -> Self::Key {
        (self.member.min(self.master), self.member.max(self.master))
    }

    fn put(&self, out: &mut Vec<u8>) {
        out.extend_from_slice(&self.member.raw().to_le_bytes());
        out.extend_from_slice(&self.master.raw().to_le_bytes());
    }

    fn get(bytes: &[u8]) -> Option<Self> {
        let number =
            |at: usize| CorpusNumber::from_raw(u32::from_le_bytes(bytes.get(at..at + 4)?.try_into().ok()?));
        Some(Assigned { member: number(0)?, master: number(4)? })
    }
}

/// As many members are compared with their masters at once.
const AT_ONCE: usize = 1 << 14;

pub struct Evidence<'a> {
    verifier: &'a Verifier<'a>,
    /// Members whose texts have not been compared with their masters', with what is known: they are linked by a chain,
    /// or alike in something else.
    missing: Vec<(Assigned, Option<Verified>)>,
}

impl<'a> Evidence<'a> {
    pub fn new(verifier: &'a Verifier<'a>) -> Self {
        Evidence { verifier, missing: Vec::new() }
    }

    /// Calls `emit` with every member and its evidence.
    pub fn collect(
        mut self,
        verified: &Sorted<Verified>,
        assigned: &Sorted<Assigned>,
        mut emit: impl FnMut(Placed) -> Result<()>,
    ) -> Result<()> {
        let mut pairs = verified.iter()?.peekable();
        for assigned in assigned.iter()? {
            let assigned = assigned?;
            let key = assigned.key();
            while pairs.next_if(|pair| pair.as_ref().is_ok_and(|pair| pair.key() < key)).is_some() {}
            let is_it = |pair: &Result<Verified>| pair.as_ref().map_or(true, |pair| pair.key() == key);
            let known = pairs.next_if(is_it).transpose()?;
            if self.is_missing(&assigned, known.as_ref())? {
                self.missing.push((assigned, known));
                if self.missing.len() == AT_ONCE {
                    self.measure(&mut emit)?;
                }
            } else {
                emit(assigned.with(known))?;
            }
        }
        self.measure(&mut emit)
    }

    fn is_missing(&self, assigned: &Assigned, known: Option<&Verified>) -> Result<bool> {
        let has_text = |document: CorpusNumber| Ok(self.verifier.catalog.digest(document)?.is_some());
        match known {
            None => Ok(true),
            // The two agree in something other than the text; how similar the texts are is reported, too.
            Some(known)
                if known.overlap.is_none() && known.found_by != 0 && known.found_by & !STREAMS == 0 =>
            {
                Ok(has_text(assigned.member)? && has_text(assigned.master)?)
            }
            Some(_) => Ok(false),
        }
    }

    /// Compares what is missing. Pairs without text stay as they are.
    fn measure(&mut self, emit: &mut impl FnMut(Placed) -> Result<()>) -> Result<()> {
        let pairs = self.missing.iter().map(|(assigned, _)| assigned.key()).collect();
        let measured = self.verifier.measure(pairs)?;
        for (assigned, known) in self.missing.drain(..) {
            let place = measured.binary_search_by_key(&assigned.key(), |pair| (pair.a, pair.b)).ok();
            let pair = match (place.map(|place| measured[place]), known) {
                (Some(measured), Some(known)) => {
                    Some(Verified { found_by: known.found_by, decided: known.decided, ..measured })
                }
                (measured, known) => measured.or(known),
            };
            emit(assigned.with(pair))?;
        }
        Ok(())
    }
}
