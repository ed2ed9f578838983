//! Precision, recall, F1 and accuracy, each as one sum over groups divided by another.

use crate::Interval;
use crate::interval::{Share, grouped};

use super::document_counts::DocumentCounts;
use super::{FoundPairs, MetricOptions};

/// Judged pairs of one group. Counts of documents are halved: each pair has two.
#[derive(Clone, Copy, Default)]
struct Group {
    right: f64,
    found: f64,
    truly: f64,
    /// Labelled as different and not found; only counted if labels are an incomplete list.
    rejected: f64,
}

pub struct Figures<'a> {
    tally: &'a DocumentCounts<'a>,
    options: &'a MetricOptions,
    groups: Vec<Group>,
}

impl<'a> Figures<'a> {
    pub fn new(tally: &'a DocumentCounts<'a>, found: &FoundPairs, options: &'a MetricOptions) -> Self {
        let mut groups = vec![Group::default(); tally.groups.count];
        for (document, &group) in tally.groups.of.iter().enumerate() {
            let group = &mut groups[group as usize];
            group.right += f64::from(tally.right_of[document]) / 2.0;
            group.found += f64::from(tally.found_of[document]) / 2.0;
            group.truly += f64::from(tally.true_of[document]) / 2.0;
        }
        if tally.truth.is_listed_in_part() {
            // These may be between groups. They count for the group of their first document, so that
            // each counts once.
            let mut found = found.pairs.iter().peekable();
            for &(a, b, is_true) in tally.truth.listed() {
                while found.next_if(|&&pair| pair < (a, b)).is_some() {}
                if !is_true && found.peek() != Some(&&(a, b)) {
                    groups[tally.groups.of[a as usize] as usize].rejected += 1.0;
                }
            }
        }
        Figures { tally, options, groups }
    }

    pub fn precision(&self) -> Option<Interval> {
        self.interval(|group| Share { part: group.right, whole: group.found })
    }

    pub fn recall(&self) -> Option<Interval> {
        self.interval(|group| Share { part: group.right, whole: group.truly })
    }

    pub fn f1(&self) -> Option<Interval> {
        self.interval(|group| Share { part: 2.0 * group.right, whole: group.found + group.truly })
    }

    pub fn accuracy(&self, documents: u32) -> Option<Interval> {
        let judged = self.tally.truth.judged_count(documents);
        if judged == 0 {
            return None;
        }
        if self.tally.truth.is_listed_in_part() {
            return self.interval(|group| Share {
                part: group.right + group.rejected,
                whole: group.found + group.truly - group.right + group.rejected,
            });
        }
        // Nearly all pairs of a complete truth are different and between groups. What varies is the
        // share of errors among the pairs that are found or true, which are a fixed share of all.
        let counts = self.tally.counts;
        let errors = counts.false_positives + counts.false_negatives;
        let in_question = (counts.true_positives + errors) as f64 / judged as f64;
        let value = 1.0 - errors as f64 / judged as f64;
        let wrong = self.interval(|group| {
            let whole = group.found + group.truly - group.right;
            Share { part: whole - group.right, whole }
        });
        match wrong {
            Some(wrong) => Some(Interval {
                value,
                low: (1.0 - wrong.high * in_question).clamp(0.0, value),
                high: (1.0 - wrong.low * in_question).clamp(value, 1.0),
            }),
            // Correctly, nothing is found: every document is a trial.
            None => Interval::clopper_pearson(f64::from(documents), f64::from(documents)),
        }
    }

    fn interval(&self, share: impl Fn(&Group) -> Share) -> Option<Interval> {
        let shares: Vec<Share> = self.groups.iter().map(share).collect();
        grouped(&shares, self.options.resamples, self.options.seed)
    }
}
