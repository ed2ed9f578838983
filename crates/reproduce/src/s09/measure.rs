//! Runs of a variant at every distance, judged.

use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Instant;

use lookalike_core::Result;
use lookalike_core::candidates::{Hamming, Join, Records};
use lookalike_core::features::{FeatureSet, Features};
use lookalike_core::hash::{combine, mix};
use lookalike_core::registry::Registry;
use lookalike_learn::metrics::{FoundPairs, Judgement, MetricOptions, Truth, judge};

use super::articles::Articles;
use super::variants::Cuts;
use super::{DISTANCES, Variant};
use lookalike_engine::run::{Findings, Job, Progress, find, prepare};
use lookalike_judge::neighbourhoods;

/// Up to this many equal simhashes are all compared, as in every judgement of a method.
pub const FULL_BUCKET: usize = 4096;
/// How many documents the thesis used.
pub const PAPER_DOCUMENTS: u32 = 729_885;
/// How many articles are used to choose the cuts, as in the thesis.
const CUT_SAMPLE: usize = 500;

pub struct Truths {
    pub person: Truth,
    pub resemblance: Truth,
    pub cosine: Truth,
}

pub struct Rows<'a> {
    articles: &'a Articles,
    truths: &'a Truths,
    pub rows: Vec<Row>,
}

pub struct Row {
    pub variant: Variant,
    /// For each distance.
    pub cells: Vec<Cell>,
}

/// A variant at one distance.
pub struct Cell {
    pub pairs: u64,
    /// Found pairs that the rule leaves undecided.
    pub unclear: u64,
    pub person: Judgement,
    pub resemblance: Judgement,
    pub cosine: Judgement,
    pub size: Sizes,
    pub stages: Stages,
    pub first_bytes: Vec<u64>,
}

/// How many near-duplicates a document has.
pub struct Sizes {
    /// On average over all documents, not counting the document itself.
    pub mean: f64,
    /// On average over documents that have any, counting the document itself.
    pub of_those_with_any: f64,
    /// How many documents have how many, counting themselves.
    pub counts: Vec<(u64, u64)>,
}

#[derive(Clone, Copy)]
pub struct Stages {
    pub sign: f64,
    pub pair: f64,
}

impl Stages {
    fn of(outcome: &Findings) -> Self {
        let stage = |name: &str| outcome.stages.get(name).copied().unwrap_or(0.0);
        Stages { sign: stage("sign"), pair: stage("pair") }
    }
}

impl<'a> Rows<'a> {
    pub fn new(articles: &'a Articles, truths: &'a Truths) -> Self {
        Rows { articles, truths, rows: Vec::new() }
    }

    pub fn measure(
        &mut self,
        variant: Variant,
        job: &Job,
        registry: &Registry,
        progress: &dyn Progress,
    ) -> Result<()> {
        let cells = outcomes(&variant, job, registry, progress)?
            .into_iter()
            .map(|outcome| self.cell(outcome))
            .collect::<Result<Vec<_>>>()?;
        self.rows.push(Row { variant, cells });
        Ok(())
    }

    fn cell(&self, outcome: Findings) -> Result<Cell> {
        let documents = self.articles.len();
        let pairs: Vec<(u32, u32)> = outcome.all_pairs()?.into_iter().map(|(a, b, _)| (a, b)).collect();
        let clear: Vec<(u32, u32)> =
            pairs.iter().copied().filter(|&pair| self.articles.judged(pair).is_some()).collect();
        let judged = |pairs: &[(u32, u32)], truth| judged(documents, pairs, &outcome.masters, truth);
        Ok(Cell {
            pairs: pairs.len() as u64,
            unclear: (pairs.len() - clear.len()) as u64,
            person: judged(&clear, &self.truths.person)?,
            resemblance: judged(&pairs, &self.truths.resemblance)?,
            cosine: judged(&pairs, &self.truths.cosine)?,
            size: Sizes::of(documents, &pairs),
            stages: Stages::of(&outcome),
            first_bytes: outcome.first_bytes.unwrap_or_default(),
        })
    }
}

pub fn judged(documents: u32, pairs: &[(u32, u32)], clusters: &[u32], truth: &Truth) -> Result<Judgement> {
    let found = FoundPairs { pairs: pairs.to_vec(), similarities: Vec::new(), clusters: clusters.to_vec() };
    judge(documents, &found, truth, &MetricOptions { resamples: 300, ..MetricOptions::default() })
}

/// What the variant finds at each distance.
pub fn outcomes(
    variant: &Variant,
    job: &Job,
    registry: &Registry,
    progress: &dyn Progress,
) -> Result<Vec<Findings>> {
    let job = Job { full_bucket: FULL_BUCKET, ..job.clone() };
    let prepared = prepare(&variant.recipe(0, registry)?, registry, &job, progress)?;
    let run = |&distance: &u32| {
        let pipeline = variant.recipe(distance, registry)?.build_with(registry, &prepared.assets)?;
        find(&pipeline, &job, progress)
    };
    DISTANCES.iter().map(run).collect()
}

impl Sizes {
    pub fn of(documents: u32, pairs: &[(u32, u32)]) -> Sizes {
        let counts = neighbourhoods(documents, pairs);
        let with_any: u64 = counts.iter().filter(|(size, _)| *size > 1).map(|(_, count)| count).sum();
        let members: u64 =
            counts.iter().filter(|(size, _)| *size > 1).map(|(size, count)| size * count).sum();
        Sizes {
            mean: 2.0 * pairs.len() as f64 / f64::from(documents.max(1)),
            of_those_with_any: members as f64 / with_any.max(1) as f64,
            counts,
        }
    }
}

/// Where the weights of articles are cut so that half, or a tenth, of their features remain.
pub fn cuts(job: &Job, registry: &Registry, progress: &dyn Progress) -> Result<Cuts> {
    let recipe = Variant::plain().recipe(0, registry)?;
    let prepared = prepare(&recipe, registry, job, progress)?;
    let pipeline = recipe.build_with(registry, &prepared.assets)?;
    let (mut profiles, mut features) = (Vec::new(), Features::default());
    job.corpus()?.for_each(&[], |number, _, document| {
        features.fill(&*pipeline.features, document);
        let weights = FeatureSet::from_features(&features).weights;
        let largest = weights.iter().copied().fold(0.0, f32::max);
        if largest > 0.0 {
            let shares: Vec<f32> = weights.iter().map(|weight| weight / largest).collect();
            profiles.push((mix(combine(mix(9), u64::from(number.raw()))), shares));
        }
        Ok(())
    })?;
    profiles.sort_by_key(|(order, _)| *order);
    profiles.truncate(CUT_SAMPLE);
    let profiles: Vec<Vec<f32>> = profiles.into_iter().map(|(_, shares)| shares).collect();
    Ok(Cuts { half: cut(&profiles, 0.5), top_tenth: cut(&profiles, 0.9) })
}

/// The smallest thousandth of the largest weight below which, on average, this part of the features lies.
fn cut(profiles: &[Vec<f32>], part: f64) -> f64 {
    let below = |limit: f64| {
        let shares = profiles.iter().map(|shares| {
            shares.iter().filter(|share| f64::from(**share) < limit).count() as f64 / shares.len() as f64
        });
        shares.sum::<f64>() / profiles.len().max(1) as f64
    };
    (1..1000)
        .map(|thousandth| f64::from(thousandth) / 1000.0)
        .find(|&limit| below(limit) >= part)
        .unwrap_or(1.0)
}

/// Seconds to find all pairs within three bits among as many fingerprints as the thesis had, and how
/// many there are. A tenth are copies with up to five bits changed; the rest are drawn at random.
pub fn fingerprint_search(threads: usize) -> Result<(f64, u64)> {
    let drawn = |place: u64| mix(combine(mix(20_030), place));
    let mut records = Records::default();
    for place in 0..u64::from(PAPER_DOCUMENTS) {
        let value = match place % 10 {
            9 => (0..drawn(place) % 6)
                .fold(drawn(place - 1), |value, turn| value ^ 1 << (drawn(place ^ turn << 40) % 64)),
            _ => drawn(place),
        };
        records.push(&value.to_le_bytes());
    }
    let (began, count) = (Instant::now(), AtomicU64::new(0));
    Hamming::new(3, 0, 64)?.pairs(&records, threads, &|batch| {
        count.fetch_add(batch.len() as u64, Ordering::Relaxed);
        Ok(())
    })?;
    Ok((began.elapsed().as_secs_f64(), count.into_inner()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_count_with_and_without_those_alone() {
        let sizes = Sizes::of(5, &[(0, 1), (0, 2)]);
        assert_eq!(sizes.mean, 0.8);
        assert_eq!(sizes.of_those_with_any, 7.0 / 3.0, "three, two and two");
        assert_eq!(sizes.counts, [(1, 2), (2, 2), (3, 1)]);
        assert_eq!(Sizes::of(2, &[]).of_those_with_any, 0.0);
    }

    #[test]
    fn a_cut_leaves_the_part_asked_for() {
        let profiles = vec![vec![0.1, 0.2, 0.6, 1.0], vec![0.1, 0.3, 0.5, 1.0]];
        assert_eq!(cut(&profiles, 0.5), 0.301);
        assert_eq!(cut(&profiles, 0.75), 0.601);
    }
}
