//! A sample of documents that keeps near-duplicates together.
//!
//! Documents drawn one by one would leave almost no pair whole. So what a generous search ties
//! together is drawn together, and the sample has pairs, precision and recall as the corpus has them.

use std::path::{Path, PathBuf};

use lookalike_core::hash::{combine, mix};
use lookalike_core::registry::Registry;
use lookalike_core::union_find::UnionFind;
use lookalike_core::{Error, Result};
use lookalike_learn::metrics::Truth;

use crate::recipe::Recipe;
use crate::run::{Job, Progress, find, part_documents};

/// The corpora that a sample gives.
pub struct Sample {
    /// Half of the sample: recipes are chosen on it.
    pub choosing: Job,
    /// The other half: the chosen one is judged on it.
    pub judging: Job,
    /// All that was not drawn.
    pub rest: Job,
    pub drawn: u64,
    pub left: u64,
}

/// What a generous search pairs. Everything that any recipe might pair should be tied by it.
const GENEROUS: &str =
    "method = 'minhash'\n[features]\nshingle = 2\n[decide]\nthreshold = 0.3\n[candidates]\nrecall = 0.9";

/// Draws about `documents` of the job's documents, in whole groups, and parts them into two halves.
pub fn draw(
    job: &Job,
    truth: Option<&Truth>,
    documents: usize,
    seed: u64,
    folder: &Path,
    registry: &Registry,
    progress: &dyn Progress,
) -> Result<Sample> {
    let outcome = find(&Recipe::from_toml(GENEROUS, registry)?.build(registry)?, job, progress)?;
    let count = outcome.masters.len();
    if count == 0 {
        return Err(Error::Input("there are no documents to draw from".to_owned()));
    }
    let mut groups = UnionFind::new(count);
    outcome.pairs.iter().for_each(|&(a, b, _)| groups.union(a, b));
    outcome.copies.iter().for_each(|&(a, b)| groups.union(a, b));
    tie(&mut groups, truth);
    let mut order: Vec<u32> = (0..count as u32).collect();
    // Groups in an order that only the seed decides; documents of one stand together.
    order.sort_by_cached_key(|&document| {
        let group = groups.find(document);
        (mix(combine(mix(seed), u64::from(group))), group, document)
    });
    let mut place_of = vec![2usize; count];
    let (mut drawn, mut halves) = (0usize, [0usize; 2]);
    for group in order.chunk_by(|&a, &b| groups.find(a) == groups.find(b)) {
        if drawn >= documents {
            break;
        }
        // The smaller half gets the next group, so that a large group does not tip them for long.
        let half = usize::from(halves[1] < halves[0]);
        group.iter().for_each(|&document| place_of[document as usize] = half);
        halves[half] += group.len();
        drawn += group.len();
    }
    let files: Vec<PathBuf> =
        ["choosing", "judging", "rest"].iter().map(|name| folder.join(format!("{name}.jsonl"))).collect();
    part_documents(job, &files, |document| place_of.get(document as usize).copied())?;
    let over = |path: &PathBuf| Job { inputs: vec![path.to_string_lossy().into_owned()], ..job.clone() };
    Ok(Sample {
        choosing: over(&files[0]),
        judging: over(&files[1]),
        rest: over(&files[2]),
        drawn: drawn as u64,
        left: (count - drawn) as u64,
    })
}

/// What is known to belong together is drawn together, too.
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
