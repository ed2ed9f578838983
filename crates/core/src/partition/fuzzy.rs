//! Fuzzy c-means: every document belongs to every cluster to some degree (X15 §3).
//!
//! The sum of membership^fuzzifier · distance² over all documents and centres is minimised by turns: the best
//! memberships for the centres, then the best centres for the memberships. With p = 1 / (fuzzifier − 1), a
//! membership is (1 / d²)^p divided by the sum of these over all centres; a centre is the mean of all
//! documents weighted by membership^fuzzifier.
//!
//! The paper does not give the fuzzifier; the usual value is 2. In thousands of dimensions that fails: all
//! distances are nearly equal, therefore all memberships are, every centre becomes the mean of the whole
//! collection, and nothing is distinguished. The smaller the fuzzifier, the more a small difference of
//! distances matters; near 1 this is k-means. When memberships are nearly equal after all, the notes say so.
//!
//! A document belongs to the `most` clusters with its largest memberships. Measurements show that this is
//! better than a minimum membership, whether absolute or a share of the best one: a document in the middle of
//! a dense cluster has hardly any membership elsewhere and would lose its neighbours across the border, while
//! one that is far from everything has about the same membership everywhere and would be in all clusters. A
//! `cutoff` can be set in addition.
//!
//! The distance is the Euclidean one unless another is chosen; the paper names three, see [`Distance`].
//!
//! The mean of documents that differ much lies near the origin. There it is nearer than any other centre to
//! all documents that belong nowhere, and such clusters grow. So centres are scaled to the length of
//! documents, 1, unless the literal formula is requested; the objective falls just as well.

use super::centres::{Centres, Scale};
use super::distance::Distance;
use super::partitioner::{Notes, Partition, Partitioner};
use super::settings::{MOST_CLUSTERS, Settings};
use super::start;
use super::vectors::Vectors;
use crate::error::{Error, Result};
use crate::maths::{ln, power};
use crate::part::{Param, Params, PartInfo, Spec};

/// Clusters around centres in which a document may have a share of several.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct FuzzyCMeans {
    settings: Settings,
    fuzzifier: f64,
    cutoff: f64,
    most: usize,
    distance: Distance,
    centres: Scale,
    /// 1 / (fuzzifier − 1).
    exponent: f64,
}

/// With a fuzzifier closer to 1, all memberships are 0 or 1 to the last digit.
const LEAST_FUZZIFIER: f64 = 1.001;
const MOST_FUZZIFIER: f64 = 10.0;
/// Memberships of less than this share of the best one count as 0.
const NOTHING: f64 = 1e-7;
/// From this share of the largest possible entropy on, memberships distinguish nothing.
const COLLAPSED: f64 = 0.95;

impl FuzzyCMeans {
    /// The description of this part in the registry.
    pub const INFO: PartInfo = PartInfo {
        name: "fuzzy-c-means",
        summary: "Fuzzy clusters around centres; a document belongs to every cluster that is nearly its nearest",
        paper: "X15 §3; Bezdek 1981",
        params: &[
            Settings::CLUSTERS,
            Param {
                name: "fuzzifier",
                default: "1.02",
                help: "how much clusters blend, above 1; with 2, as is usual elsewhere, all texts are in all clusters",
            },
            Param {
                name: "cutoff",
                default: "0.0",
                help: "share of its best membership from which a document belongs to a further cluster",
            },
            Param { name: "most", default: "2", help: "clusters that a document belongs to, at most" },
            Distance::PARAM,
            Param {
                name: "centres",
                default: "\"unit\"",
                help: "unit: centres of length 1, as documents have; mean: as the formula says",
            },
            Settings::ITERATIONS,
            Settings::TOLERANCE,
            Settings::SEED,
        ],
    };

    /// Reads its parameters from a section of a recipe.
    pub fn from_params(params: &mut Params) -> Result<Self> {
        let settings = Settings::from_params(params)?;
        let fuzzifier = params.number("fuzzifier", 1.02, LEAST_FUZZIFIER..=MOST_FUZZIFIER)?;
        let cutoff = params.number("cutoff", 0.0, 0.0..=1.0)?;
        let most = params.integer("most", 2)?;
        if !(1..=MOST_CLUSTERS).contains(&most) {
            return Err(Error::config(format!("most is {most}, it must be from 1 to {MOST_CLUSTERS}")));
        }
        let distance = Distance::from_params(params)?;
        let centres = match params.choice("centres", "unit", &["unit", "mean"])?.as_str() {
            "mean" => Scale::Mean,
            _ => Scale::Unit,
        };
        let exponent = 1.0 / (fuzzifier - 1.0);
        // 1.02 has no exact binary form, but 50 is meant, and whole powers are fast.
        let whole = exponent.round();
        let exponent = if (exponent - whole).abs() < 1e-9 * whole { whole } else { exponent };
        Ok(FuzzyCMeans { settings, fuzzifier, cutoff, most: most as usize, distance, centres, exponent })
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
    fn distances(&self, dots: &mut [f32], squares: &[f32]) -> f64 {
        match self.distance {
            Distance::Euclidean => replace(dots, squares, Distance::euclidean),
            Distance::Cosine => replace(dots, squares, Distance::cosine),
            Distance::ExtendedJaccard => replace(dots, squares, Distance::extended_jaccard),
        }
    }

    /// Turns dot products into memberships to the power of the fuzzifier; gives the document's share of the
    /// objective.
    ///
    /// With ratios q = best / d², a membership is q^p / s where s is the sum of all q^p. Since
    /// p · (fuzzifier − 1) = 1, its power is q^p · q / s^fuzzifier, and the objective of the document
    /// best / s^(fuzzifier − 1): one general power for a document, not one for each centre.
    fn weigh(&self, dots: &mut [f32], squares: &[f32]) -> f64 {
        let best = self.distances(dots, squares);
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

    /// Marks the clusters that a document with such dot products belongs to; gives the entropy of its memberships.
    pub(super) fn belong(&self, dots: &mut [f32], squares: &[f32]) -> f64 {
        let best = self.distances(dots, squares);
        let near = |value: f32| self.nearness(best, f64::from(value)).1;
        let sum: f64 = dots.iter().map(|&value| near(value)).sum();
        let logarithm = |membership: f64| if membership > 0.0 { membership * ln(membership) } else { 0.0 };
        let entropy = -dots.iter().map(|&value| logarithm(near(value) / sum)).sum::<f64>();
        const TAKEN: f32 = -1.0;
        for _ in 0..self.most {
            let free = dots.iter().copied().enumerate().filter(|&(_, distance)| distance != TAKEN);
            let nearest = free.reduce(|nearest, next| if next.1 < nearest.1 { next } else { nearest });
            match nearest {
                Some((place, distance)) if near(distance) >= self.cutoff => dots[place] = TAKEN,
                _ => break,
            }
        }
        dots.iter_mut().for_each(|value| *value = f32::from(u8::from(*value == TAKEN)));
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
             ({:.0} % of the greatest entropy); take a smaller fuzzifier, such as 1.02",
            self.fuzzifier,
            100.0 * share
        )]
    }
}

impl Partitioner for FuzzyCMeans {
    fn spec(&self) -> Spec {
        let spec = Spec::new(Self::INFO.name)
            .with("fuzzifier", self.fuzzifier)
            .with("cutoff", self.cutoff)
            .with("most", self.most as i64)
            .with("distance", self.distance.name())
            .with("centres", if self.centres == Scale::Mean { "mean" } else { "unit" });
        self.settings.write(spec)
    }

    fn partition(&self, vectors: &Vectors, threads: usize) -> Result<Partition> {
        let wanted = self.settings.clusters_for(vectors.len());
        let first = start::choose(vectors, wanted, self.settings.seed);
        let mut notes = Notes::default();
        if first.is_empty() {
            return Ok(Partition::complete(vectors.len(), Vec::new(), notes));
        }
        let mut centres = Centres::at(vectors, &first, self.centres);
        let mut sums = centres.sums();
        loop {
            let weigh = |dots: &mut [f32]| self.weigh(dots, &centres.squares);
            notes.objective.push(centres.pass(vectors, threads, Some(&mut sums), &weigh, |_, _| ()));
            if !self.settings.goes_on(&notes.objective) {
                break;
            }
            centres.follow(&mut sums, self.centres, threads);
        }
        drop(sums);
        let mut clusters = vec![Vec::new(); first.len()];
        let belong = |dots: &mut [f32]| self.belong(dots, &centres.squares);
        let entropy = centres.pass(vectors, threads, None, &belong, |document, entries| {
            entries.iter().for_each(|&(cluster, _)| clusters[cluster as usize].push(document));
        });
        notes.warnings = self.warnings(entropy, vectors, first.len());
        let found = Partition::complete(vectors.len(), clusters, notes);
        Ok(Partition { centres: Some(centres.freeze(vectors)), ..found })
    }
}

/// Replaces dot products by distances; gives the least.
#[inline]
fn replace(dots: &mut [f32], squares: &[f32], distance: impl Fn(f32, f32) -> f32) -> f64 {
    let mut best = f32::INFINITY;
    for (dot, &square) in dots.iter_mut().zip(squares) {
        *dot = distance(*dot, square);
        best = best.min(*dot);
    }
    f64::from(best)
}
