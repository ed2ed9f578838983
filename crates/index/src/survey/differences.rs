//! In which ways the documents of each cluster differ from its master, and which streams contradict. The texts are read for this, so it is computed
//! when it is first asked for, and kept as long as the survey.

use std::sync::OnceLock;
use std::sync::atomic::{AtomicUsize, Ordering};

use lookalike_core::difference::DifferenceKind;
use lookalike_core::streams::StreamKind;
use lookalike_core::threads::{self, try_on_threads};
use lookalike_core::{Error, Result};
use lookalike_engine::pipeline::Differs;

use super::Survey;
use crate::differences::differences;
use crate::index::Surveyor;
use crate::storage::document::DocumentNumber;

/// How many clusters a thread takes at once.
const SHARE: usize = 64;

/// For each cluster of a survey the kinds of differences between its master and the others, and the streams that
/// contradict, a bit each.
#[derive(Default)]
pub struct ClusterDifferences(OnceLock<Vec<u16>>);

impl ClusterDifferences {
    /// Whether some document of the cluster at this place differs from the master in this way. `false` as long as
    /// nothing is computed.
    pub fn has(&self, place: usize, kind: DifferenceKind) -> bool {
        self.bits(place) & bit(kind) != 0
    }

    /// Whether a stream of some document of the cluster at this place contradicts the master's.
    pub fn contradicts(&self, place: usize, kind: StreamKind) -> bool {
        self.bits(place) & stream_bit(kind) != 0
    }

    fn bits(&self, place: usize) -> u16 {
        self.0.get().and_then(|kinds| kinds.get(place)).copied().unwrap_or(0)
    }
}

fn bit(kind: DifferenceKind) -> u16 {
    1 << kind as u16
}

/// After the bits of differences.
fn stream_bit(kind: StreamKind) -> u16 {
    1 << (DifferenceKind::ALL.len() + kind as usize)
}

fn bits_of(differs: &Differs) -> u16 {
    let streams = differs.streams.contradicting().map(stream_bit);
    differs.difference.kinds().map(bit).chain(streams).fold(0, |bits, bit| bits | bit)
}

impl Surveyor<'_> {
    /// Computes the differences of a survey, if that has not been done yet.
    pub(super) fn find_differences(&self, survey: &Survey) -> Result<()> {
        if survey.differences.0.get().is_some() {
            return Ok(());
        }
        let generation = self.index.generation();
        if generation.number != survey.generation {
            return Err(Error::input("the index has another recipe by now: look again"));
        }
        let next = AtomicUsize::new(0);
        let parts = try_on_threads(threads::available(), |stop| {
            let mut found = Vec::new();
            loop {
                let first = next.fetch_add(SHARE, Ordering::Relaxed);
                if first >= survey.rows().len() || stop.is_set() {
                    return Ok(found);
                }
                for (place, row) in survey.rows().iter().enumerate().skip(first).take(SHARE) {
                    let numbers = survey.documents_of(row).iter();
                    let numbers: Vec<DocumentNumber> =
                        numbers.filter_map(|&number| survey.document(number)).collect();
                    let differs = differences(&generation, &numbers)?.into_iter().flatten();
                    found.push((place, differs.fold(0, |bits, differs| bits | bits_of(&differs))));
                }
            }
        })?;
        let mut kinds = vec![0; survey.rows().len()];
        parts.into_iter().flatten().for_each(|(place, bits)| kinds[place] = bits);
        // If another caller was faster, it found the same.
        let _ = survey.differences.0.set(kinds);
        Ok(())
    }
}
