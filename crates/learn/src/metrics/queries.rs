//! Figures of documents that serve as queries, averaged over the queries (K08 §6.4).

use serde::Serialize;

use crate::Interval;
use crate::interval::{Share, bootstrap, grouped};

use super::document_counts::DocumentCounts;
use super::{FoundPairs, MetricOptions};

/// A query never counts as its own duplicate, and only judged pairs count.
///
/// As in the paper, a query without a true duplicate has no recall and is left out of that average;
/// one that finds nothing has the recall 0, but no precision, and is left out of that average.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Queries {
    /// How many queries there are.
    pub asked: u64,
    /// Queries that have a near-duplicate.
    pub with_true: u64,
    /// Queries for which something was found.
    pub with_found: u64,
    /// The average share of its true duplicates that a query finds.
    pub recall: Option<Interval>,
    /// The average share of true duplicates among what a query finds (eq. 4).
    pub precision: Option<Interval>,
    /// The average of found divided by true duplicates, right or wrong. That is what eq. 3 literally
    /// says; it may exceed 1, and equals the recall when nothing wrong is found.
    pub found_by_true: Option<f64>,
}

pub fn averages(tally: &DocumentCounts, found: &FoundPairs, options: &MetricOptions) -> Queries {
    let mut queries = Queries::default();
    let none = vec![Share::default(); tally.groups.count];
    let (mut recall, mut precision) = (none.clone(), none);
    let mut found_by_true = 0.0;
    for query in asked(tally, found, options) {
        let group = tally.groups.of[query] as usize;
        let counts = [tally.true_of[query], tally.found_of[query], tally.right_of[query]];
        let [truly, matched, right] = counts.map(f64::from);
        queries.asked += 1;
        if truly > 0.0 {
            queries.with_true += 1;
            recall[group].part += right / truly;
            recall[group].whole += 1.0;
            found_by_true += matched / truly;
        }
        if matched > 0.0 {
            queries.with_found += 1;
            precision[group].part += right / matched;
            precision[group].whole += 1.0;
        }
    }
    queries.recall = grouped(&recall, options.resamples, options.seed);
    queries.precision = grouped(&precision, options.resamples, options.seed);
    queries.found_by_true = (queries.with_true > 0).then(|| found_by_true / queries.with_true as f64);
    queries
}

pub struct Utility {
    pub average: Option<f64>,
    pub interval: Option<Interval>,
    pub legitimate_matched: u64,
}

/// Counts everything that is found, judged or not: whether a message is legitimate does not depend
/// on what it duplicates. Legitimate queries are skipped. None without marks.
pub fn utility(tally: &DocumentCounts, found: &FoundPairs, options: &MetricOptions) -> Option<Utility> {
    let legitimate = options.legitimate.as_ref()?;
    let mut is_query = vec![false; legitimate.len()];
    asked(tally, found, options).filter(|&query| !legitimate[query]).for_each(|query| is_query[query] = true);
    let mut shares = vec![Share::default(); tally.groups.count];
    for query in (0..is_query.len()).filter(|&query| is_query[query]) {
        shares[tally.groups.of[query] as usize].whole += 1.0;
    }
    let mut is_matched = vec![false; legitimate.len()];
    for &(a, b) in &found.pairs {
        for (query, other) in [(a as usize, b as usize), (b as usize, a as usize)] {
            if is_query[query] {
                is_matched[other] |= legitimate[other];
                shares[tally.groups.of[query] as usize].part +=
                    if legitimate[other] { -options.cost } else { 1.0 };
            }
        }
    }
    let (mut part, mut whole) = (0.0, 0.0);
    for share in &shares {
        part += share.part;
        whole += share.whole;
    }
    Some(Utility {
        average: (whole > 0.0).then(|| part / whole),
        interval: bootstrap(&shares, options.resamples, options.seed),
        legitimate_matched: is_matched.iter().filter(|&&is_matched| is_matched).count() as u64,
    })
}

/// The queries in the order of documents, each once.
fn asked(
    tally: &DocumentCounts,
    found: &FoundPairs,
    options: &MetricOptions,
) -> impl Iterator<Item = usize> + use<> {
    let mut is_asked: Vec<bool> = match &options.queries {
        Some(_) => vec![false; tally.true_of.len()],
        None => tally.true_of.iter().map(|&truly| truly > 0).collect(),
    };
    match &options.queries {
        Some(queries) => queries.iter().for_each(|&query| is_asked[query as usize] = true),
        None => {
            found.pairs.iter().flat_map(|&(a, b)| [a, b]).for_each(|found| is_asked[found as usize] = true)
        }
    }
    is_asked.into_iter().enumerate().filter_map(|(document, is_asked)| is_asked.then_some(document))
}
