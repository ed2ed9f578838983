//! In which ways the documents of each cluster differ from its master. The texts are read for this, so it is computed
//! when it is first asked for, and kept as long as the survey.

use std::sync::OnceLock;
use std::sync::atomic::{AtomicUsize, Ordering};

use lookalike_core::difference::DifferenceKind;
use lookalike_core::threads::{self, try_on_threads};
use lookalike_core::{Error, Result};

use super::Survey;
use crate::differences::differences;
use crate::index::Surveyor;
use crate::storage::document::DocumentNumber;

/// How many clusters a thread takes at once.
const SHARE: usize = 64;

/// For each cluster of a survey the kinds of differences between its master and the others, a bit each.
#[derive(Default)]
pub struct ClusterDifferences(OnceLock<Vec<u16>>);

impl ClusterDifferences {
    /// Whether some document of the cluster at this place differs from the master in this way. `false` as long as
    /// nothing is computed.
    pub fn has(&self, place: usize, kind: DifferenceKind) -> bool {
        let kinds = self.0.get().and_then(|kinds| kinds.get(place)).copied().unwrap_or(0);
        kinds & bit(kind) != 0
    }
}

fn bit(kind: DifferenceKind) -> u16 {
    1 << kind as u16
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
                    let kinds = differences(&generation, &numbers)?.into_iter().flatten();
                    let kinds = kinds.flat_map(|difference| difference.kinds());
                    found.push((place, kinds.fold(0, |bits, kind| bits | bit(kind))));
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
