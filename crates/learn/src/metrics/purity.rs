//! Found clusters without any error (K08 §7.1).

use crate::Interval;
use crate::interval::{Share, grouped};

use super::clusters::members;
use super::document_counts::DocumentCounts;
use super::truth::Known;
use super::{FoundPairs, MetricOptions, pairs_among};

/// The share of pure clusters among those of two or more documents in which a pair is judged.
pub fn pure_clusters(
    tally: &DocumentCounts,
    found: &FoundPairs,
    options: &MetricOptions,
) -> Option<Interval> {
    let by_cluster = members(&found.clusters);
    let clusters: Vec<&[(u32, u32)]> =
        by_cluster.chunk_by(|a, b| a.0 == b.0).filter(|cluster| cluster.len() > 1).collect();
    let verdicts = match &tally.truth {
        Known::Clustered { labels, .. } => {
            clusters.iter().map(|cluster| by_labels(cluster, labels)).collect()
        }
        Known::Listed { pairs, is_complete } => {
            by_pairs(&clusters, pairs, *is_complete, found.clusters.len())
        }
    };
    let mut shares = vec![Share::default(); tally.groups.count];
    for (cluster, verdict) in clusters.iter().zip(verdicts) {
        if let Some(is_pure) = verdict {
            let share = &mut shares[tally.groups.of[cluster[0].1 as usize] as usize];
            share.part += f64::from(u8::from(is_pure));
            share.whole += 1.0;
        }
    }
    grouped(&shares, options.resamples, options.seed)
}

/// None with fewer than two labelled members.
fn by_labels(cluster: &[(u32, u32)], labels: &[Option<u32>]) -> Option<bool> {
    let mut known = cluster.iter().filter_map(|&(_, member)| labels[member as usize]);
    let first = known.next()?;
    let second = known.next()?;
    Some(first == second && known.all(|label| label == first))
}

/// None without a judged pair.
fn by_pairs(
    clusters: &[&[(u32, u32)]],
    pairs: &[(u32, u32, bool)],
    is_complete: bool,
    documents: usize,
) -> Vec<Option<bool>> {
    let mut place_of = vec![None; documents];
    for (place, cluster) in clusters.iter().enumerate() {
        cluster.iter().for_each(|&(_, member)| place_of[member as usize] = Some(place));
    }
    let mut listed = vec![(0u64, 0u64); clusters.len()];
    for &(a, b, is_true) in pairs {
        let (place, other) = (place_of[a as usize], place_of[b as usize]);
        if let (Some(place), true) = (place, place == other) {
            listed[place].0 += u64::from(is_true);
            listed[place].1 += 1;
        }
    }
    let verdict = |(cluster, (truly, listed)): (&&[(u32, u32)], (u64, u64))| {
        let judged = if is_complete { pairs_among(cluster.len() as u64) } else { listed };
        (judged > 0).then_some(truly == judged)
    };
    clusters.iter().zip(listed).map(verdict).collect()
}
