//! Fuzzy c-means: every document belongs to every cluster to some degree (X15 §3).
//!
//! Minimised is the sum of membership^fuzzifier · distance² over all documents and centres, in turns: the
//! best memberships for the centres, then the best centres for the memberships. With p = 1 / (fuzzifier − 1),
//! a membership is (1 / d²)^p divided by the sum of these over all centres; a centre is the mean of all
//! documents weighted by membership^fuzzifier.
//!
//! The paper leaves the fuzzifier open, and the usual one is 2. In thousands of dimensions that fails:
//! all distances are nearly equal, so are then all memberships, every centre becomes the mean of the
//! whole collection, and nothing is told apart. The smaller the fuzzifier, the more a small difference of
//! distances matters; near 1 this is k-means. When memberships are nearly equal after all, the notes say so.
//!
//! A document belongs to its best cluster, and to all where its membership is at least `cutoff` times the best
//! one. A share of the best, because how large the best is depends on how many clusters are about as near: a
//! document between five clusters has 0.2 in each, and is just the one that has to be in all of them.

use super::centres::{Centres, Scale};
use super::{Notes, Partition, Partitioner, Settings, Vectors, start};
use crate::error::Result;
use crate::features::terms::maths::{ln, power};
use crate::registry::{Param, Params, PartInfo, Spec};

#[derive(Clone, Copy, Debug, PartialEq)]
pub struct FuzzyCMeans {
    settings: Settings,
    fuzzifier: f64,
    cutoff: f64,
    /// 1 / (fuzzifier − 1).
    exponent: f64,
}

/// Closer to 1 all memberships are 0 or 1 to the last digit.
const LEAST_FUZZIFIER: f64 = 1.001;
const MOST_FUZZIFIER: f64 = 10.0;
/// Memberships of less than this share of the best one count as 0.
const NOTHING: f64 = 1e-7;
/// From this share of the largest possible entropy on, memberships tell nothing.
const COLLAPSED: f64 = 0.95;

impl FuzzyCMeans {
    pub const INFO: PartInfo = PartInfo {
        name: "fuzzy-c-means",
        summary: "Fuzzy clusters around centres; a document belongs to every cluster that is nearly its nearest",
        paper: "X15 §3; Bezdek 1981",
        params: &[
            Settings::CLUSTERS,
            Param {
                name: "fuzzifier",
                default: "1.1",
                help: "how much clusters blend, above 1; with 2, as is usual elsewhere, all texts are in all clusters",
            },
            Param {
                name: "cutoff",
                default: "0.1",
                help: "share of its best membership from which a document belongs to a further cluster",
            },
            Settings::ITERATIONS,
            Settings::TOLERANCE,
            Settings::SEED,
        ],
    };

    pub fn from_params(params: &mut Params) -> Result<Self> {
        let settings = Settings::from_params(params)?;
        let fuzzifier = params.number("fuzzifier", 1.1, LEAST_FUZZIFIER..=MOST_FUZZIFIER)?;
        let cutoff = params.fraction("cutoff", 0.1)?;
        let exponent = 1.0 / (fuzzifier - 1.0);
        // 1.1 is no binary number, but 10 is meant, and whole powers are fast.
        let whole = exponent.round();
        let exponent = if (exponent - whole).abs() < 1e-9 * whole { whole } else { exponent };
        Ok(FuzzyCMeans { settings, fuzzifier, cutoff, exponent })
    }

    /// The memberships of a document with such squared distances from the centres; they sum to 1.
    pub fn memberships(&self, squared_distances: &[f64]) -> Vec<f64> {
        let best = squared_distances.iter().copied().fold(f64::INFINITY, f64::min);
        let near = |&distance: &f64| self.nearness(best, distance).1;
        let all: f64 = squared_distances.iter().map(near).sum();
        squared_distances.iter().map(|distance| near(distance) / all).collect()
    }

    /// How near a centre is beside the nearest one: as a ratio of squared distances, and that to the power
    /// that memberships are proportional to.
    #[inline]
    fn nearness(&self, best: f64, distance: f64) -> (f64, f64) {
        let ratio = if distance <= best { 1.0 } else { best / distance };
        let nearness = power(ratio, self.exponent);
        (ratio, if nearness < NOTHING { 0.0 } else { nearness })
    }

    /// Turns dot products into squared distances; gives the least.
    fn distances(dots: &mut [f32], squares: &[f32]) -> f64 {
        let mut best = f32::INFINITY;
        for (dot, &square) in dots.iter_mut().zip(squares) {
            *dot = (1.0 - 2.0 * *dot + square).max(0.0);
            best = best.min(*dot);
        }
        f64::from(best)
    }

    /// Turns dot products into memberships to the power of the fuzzifier; gives the document's share of the
    /// objective.
    ///
    /// With ratios q = best / d², a membership is q^p / s where s is the sum of all q^p. Since
    /// p · (fuzzifier − 1) = 1, its power is q^p · q / s^fuzzifier, and the objective of the document
    /// best / s^(fuzzifier − 1): one general power for a document, not one for each centre.
    fn weigh(&self, dots: &mut [f32], squares: &[f32]) -> f64 {
        let best = Self::distances(dots, squares);
        let mut sum = 0.0;
        for value in dots.iter_mut() {
            let (ratio, nearness) = self.nearness(best, f64::from(*value));
            sum += nearness;
            *value = (nearness * ratio) as f32;
        }
        let share = power(sum, 1.0 - self.fuzzifier);
        let scale = (share / sum) as f32;
        dots.iter_mut().for_each(|value| *value *= scale);
        best * share
    }

    /// Marks the clusters that the document belongs to; gives the entropy of its memberships.
    fn belong(&self, dots: &mut [f32], squares: &[f32]) -> f64 {
        let best = Self::distances(dots, squares);
        let near = |value: f32| self.nearness(best, f64::from(value)).1;
        let sum: f64 = dots.iter().map(|&value| near(value)).sum();
        let mut entropy = 0.0;
        for value in dots.iter_mut() {
            let nearness = near(*value);
            if nearness > 0.0 {
                let membership = nearness / sum;
                entropy -= membership * ln(membership);
            }
            *value = f32::from(u8::from(nearness >= self.cutoff));
        }
        entropy
    }

    fn warnings(&self, entropy: f64, vectors: &Vectors, clusters: usize) -> Vec<String> {
        let documents = (0..vectors.len()).filter(|&place| !vectors.row(place).0.is_empty()).count();
        let share = entropy / documents as f64 / ln(clusters as f64);
        if clusters < 2 || share <= COLLAPSED {
            return Vec::new();
        }
        vec![format!(
            "fuzzy c-means told nothing apart: with fuzzifier {} documents belong to all clusters alike \
             ({:.0} % of the greatest entropy); take a smaller fuzzifier, such as 1.1",
            self.fuzzifier,
            100.0 * share
        )]
    }
}

impl Partitioner for FuzzyCMeans {
    fn spec(&self) -> Spec {
        let spec = Spec::new(Self::INFO.name).with("fuzzifier", self.fuzzifier).with("cutoff", self.cutoff);
        self.settings.write(spec)
    }

    fn partition(&self, vectors: &Vectors, threads: usize) -> Result<Partition> {
        let wanted = self.settings.clusters_for(vectors.len());
        let first = start::choose(vectors, wanted, self.settings.seed);
        let mut notes = Notes::default();
        if first.is_empty() {
            return Ok(Partition::complete(vectors.len(), Vec::new(), notes));
        }
        let mut centres = Centres::at(vectors, &first);
        let mut sums = centres.sums();
        loop {
            let weigh = |dots: &mut [f32]| self.weigh(dots, &centres.squares);
            notes.objective.push(centres.pass(vectors, threads, Some(&mut sums), &weigh, |_, _| ()));
            if !self.settings.goes_on(&notes.objective) {
                break;
            }
            centres.follow(&mut sums, Scale::Mean, threads);
        }
        drop(sums);
        let mut clusters = vec![Vec::new(); first.len()];
        let belong = |dots: &mut [f32]| self.belong(dots, &centres.squares);
        let entropy = centres.pass(vectors, threads, None, &belong, |document, entries| {
            entries.iter().for_each(|&(cluster, _)| clusters[cluster as usize].push(document));
        });
        notes.warnings = self.warnings(entropy, vectors, first.len());
        Ok(Partition::complete(vectors.len(), clusters, notes))
    }
}
