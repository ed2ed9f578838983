//! Found and true pairs counted by document; all figures are computed from these.

use super::groups::Groups;
use super::truth::Known;
use super::{Counts, FoundPairs, MetricOptions, Truth};

pub struct DocumentCounts<'a> {
    pub truth: Known<'a>,
    pub groups: Groups,
    pub counts: Counts,
    /// For each document: its true duplicates, its found and judged ones, and those that are both.
    pub true_of: Vec<u32>,
    pub found_of: Vec<u32>,
    pub right_of: Vec<u32>,
}

impl<'a> DocumentCounts<'a> {
    /// Expects input that [`super::check`] has accepted.
    pub fn new(documents: u32, found: &FoundPairs, truth: &'a Truth, options: &MetricOptions) -> Self {
        let truth = Known::new(truth);
        let groups = Groups::new(documents, found, &truth, options.drawn_together.as_deref());
        let none = vec![0u32; documents as usize];
        let (mut true_of, mut found_of, mut right_of) = (none.clone(), none.clone(), none);
        for (a, b) in truth.true_pairs() {
            true_of[a as usize] += 1;
            true_of[b as usize] += 1;
        }
        for members in truth.clusters() {
            members.iter().for_each(|&(_, member)| true_of[member as usize] = members.len() as u32 - 1);
        }
        let mut counts = Counts::default();
        for (&(a, b), label) in found.pairs.iter().zip(truth.labels(found)) {
            let Some(is_true) = label else { continue };
            for document in [a as usize, b as usize] {
                found_of[document] += 1;
                right_of[document] += u32::from(is_true);
            }
            *(if is_true { &mut counts.true_positives } else { &mut counts.false_positives }) += 1;
        }
        counts.false_negatives = truth.true_count() - counts.true_positives;
        counts.true_negatives = truth.judged_count(documents)
            - counts.true_positives
            - counts.false_positives
            - counts.false_negatives;
        DocumentCounts { truth, groups, counts, true_of, found_of, right_of }
    }
}
