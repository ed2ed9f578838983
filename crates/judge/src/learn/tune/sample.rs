//! A sample of documents that keeps near-duplicates together.
//!
//! Documents drawn one by one would leave almost no pair complete. So documents that a generous
//! search links are drawn together, and the sample has the pairs, precision and recall of the corpus.

use std::path::{Path, PathBuf};

use lookalike_core::hash::{combine, mix};
use lookalike_core::registry::Registry;
use lookalike_core::union_find::UnionFind;
use lookalike_core::{Error, Result};
use lookalike_learn::metrics::Truth;

use lookalike_engine::Recipe;
use lookalike_engine::run::{Job, Progress, find};

/// The recipe of the generous search. It should link everything that any recipe might pair. Signatures
/// are exact enough for that, and full sets of long documents would take ten times as long.
const GENEROUS: &str = "method = 'minhash'\n[features]\nshingle = 2\n[decide]\nthreshold = 0.3\nverify = 'estimate'\n\
                        [candidates]\nrecall = 0.9";

/// The group of each document, by its first member: documents that can only be drawn together.
pub struct Groups(Vec<u32>);

impl Groups {
    pub fn find(
        job: &Job,
        truth: Option<&Truth>,
        registry: &Registry,
        progress: &dyn Progress,
    ) -> Result<Groups> {
        let outcome = find(&Recipe::from_toml(GENEROUS, registry)?.build(registry)?, job, progress)?;
        let count = outcome.masters.len();
        if count == 0 {
            return Err(Error::Input("there are no documents to draw from".to_owned()));
        }
        let mut groups = UnionFind::new(count);
        outcome.pairs.iter().for_each(|&(a, b, _)| groups.union(a, b));
        outcome.copies.iter().for_each(|&(a, b)| groups.union(a, b));
        tie(&mut groups, truth);
        Ok(Groups((0..count as u32).map(|document| groups.find(document)).collect()))
    }

    fn of(&self, document: u32) -> u32 {
        self.0[document as usize]
    }

    pub fn documents(&self) -> usize {
        self.0.len()
    }
}

/// The corpora of a sample.
pub struct Sample {
    /// Half of the sample: recipes are chosen on it.
    pub choosing: Half,
    /// The other half: the chosen one is judged on it.
    pub judging: Half,
    /// Marks the documents of both.
    pub is_drawn: Vec<bool>,
}

pub struct Half {
    pub job: Job,
    /// The group of each of its documents: evidence comes in whole groups, as they were drawn.
    pub drawn_together: Vec<u32>,
}

/// Draws about `documents` of the job's documents, in whole groups, and splits them into two
/// halves.
pub fn draw(groups: &Groups, job: &Job, documents: usize, seed: u64, folder: &Path) -> Result<Sample> {
    let place_of = places(groups, documents, seed);
    let files: Vec<PathBuf> =
        ["choosing", "judging"].iter().map(|name| folder.join(format!("{name}-{seed}.jsonl"))).collect();
    job.corpus()?.part(&files, |document| place_of.get(document.index()).copied().flatten())?;
    let half = |place: usize| Half {
        job: Job { inputs: vec![files[place].to_string_lossy().into_owned()], ..job.clone() },
        drawn_together: groups
            .0
            .iter()
            .zip(&place_of)
            .filter(|(_, of)| **of == Some(place))
            .map(|(group, _)| *group)
            .collect(),
    };
    Ok(Sample {
        choosing: half(0),
        judging: half(1),
        is_drawn: place_of.iter().map(Option::is_some).collect(),
    })
}

/// One document in this many is in the larger part for measuring time; the smaller part has a quarter
/// of it.
const PILOT: usize = 8;
/// A smaller half is used completely: otherwise only the start-up time would be measured.
const LEAST_PILOT: usize = 64;

/// A small and a larger part of a half, in whole groups, for measuring time.
pub fn pilots(half: &Half, seed: u64, folder: &Path) -> Result<[Half; 2]> {
    let groups = Groups(half.drawn_together.clone());
    let large = (groups.documents() / PILOT).max(LEAST_PILOT);
    let small = (large / 4).max(1);
    let pilot = |name: &str, documents: usize| -> Result<Half> {
        // The order of groups is the same for both, so the smaller part is contained in the larger.
        let is_drawn: Vec<bool> = places(&groups, documents, !seed).iter().map(Option::is_some).collect();
        let file = folder.join(format!("{name}-{seed}.jsonl"));
        half.job.corpus()?.part(std::slice::from_ref(&file), |document| {
            is_drawn.get(document.index()).is_some_and(|drawn| *drawn).then_some(0)
        })?;
        let kept = groups.0.iter().zip(&is_drawn).filter(|(_, drawn)| **drawn).map(|(group, _)| *group);
        Ok(Half {
            job: Job { inputs: vec![file.to_string_lossy().into_owned()], ..half.job.clone() },
            drawn_together: kept.collect(),
        })
    };
    Ok([pilot("small", small)?, pilot("large", large)?])
}

/// The half, 0 or 1, to which each document belongs.
fn places(groups: &Groups, documents: usize, seed: u64) -> Vec<Option<usize>> {
    let mut order: Vec<u32> = (0..groups.0.len() as u32).collect();
    // Groups in an order that depends only on the seed; documents of one group stay together.
    order.sort_by_cached_key(|&document| {
        let group = groups.of(document);
        (mix(combine(mix(seed), u64::from(group))), group, document)
    });
    let mut place_of = vec![None; groups.0.len()];
    let (mut drawn, mut halves) = (0usize, [0usize; 2]);
    for group in order.chunk_by(|&a, &b| groups.of(a) == groups.of(b)) {
        if drawn >= documents {
            break;
        }
        // The smaller half gets the next group, so that a large group does not unbalance them for
        // long.
        let half = usize::from(halves[1] < halves[0]);
        group.iter().for_each(|&document| place_of[document as usize] = Some(half));
        halves[half] += group.len();
        drawn += group.len();
    }
    place_of
}

/// Documents that are known to belong together are drawn together, too.
fn tie(groups: &mut UnionFind, truth: Option<&Truth>) {
    match truth {
        None => {}
        Some(Truth::Pairs { pairs, .. }) => pairs.iter().for_each(|&(a, b, _)| groups.union(a, b)),
        Some(Truth::Clusters(clusters)) => {
            let mut first: std::collections::HashMap<u32, u32> = std::collections::HashMap::new();
            for (document, cluster) in clusters.iter().enumerate() {
                if let Some(cluster) = cluster {
                    let document = document as u32;
                    groups.union(document, *first.entry(*cluster).or_insert(document));
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Choosing and judging share no group; otherwise the judged documents would have been seen.
    #[test]
    fn groups_are_drawn_whole_and_for_one_half() {
        let groups =
            Groups((0..1000u32).map(|document| document - document % 100 % (1 + document / 100)).collect());
        for seed in 0..20 {
            let places = places(&groups, 300, seed);
            let sizes = [Some(0), Some(1)].map(|half| places.iter().filter(|&&place| place == half).count());
            assert!(
                sizes[0].abs_diff(sizes[1]) <= 10 && (300..310).contains(&(sizes[0] + sizes[1])),
                "{sizes:?}"
            );
            for (document, &place) in places.iter().enumerate() {
                assert_eq!(place, places[groups.of(document as u32) as usize]);
            }
        }
        assert_ne!(places(&groups, 300, 1), places(&groups, 300, 2));
    }
}
