//! Spherical k-means: each document goes to the centre of the smallest angle.
//!
//! The objective is the sum of 1 − cosine over all documents; a centre is the direction of the sum of its
//! documents (Dhillon, Modha: Concept decompositions, Machine Learning 42, 2001). So that pairs on a border
//! are not lost, a document also belongs to every cluster whose cosine is at least `cutoff` times the best.

use super::centres::{Centres, Scale};
use super::partitioner::{Notes, Partition, Partitioner};
use super::settings::Settings;
use super::start;
use super::vectors::Vectors;
use crate::error::Result;
use crate::part::{Param, Params, PartInfo, Spec};

/// Clusters around centres, each document in the nearest.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct KMeans {
    settings: Settings,
    cutoff: f64,
}

impl KMeans {
    /// The description of this part in the registry.
    pub const INFO: PartInfo = PartInfo {
        name: "k-means",
        summary: "Spherical k-means; a document also belongs to clusters that are nearly its nearest",
        paper: "X15 §3; Dhillon, Modha 2001",
        params: &[
            Settings::CLUSTERS,
            Param {
                name: "cutoff",
                default: "0.9",
                help: "share of its best cosine from which a document belongs to a further cluster; 1 for one cluster each",
            },
            Settings::ITERATIONS,
            Settings::TOLERANCE,
            Settings::SEED,
        ],
    };

    /// Reads its parameters from a section of a recipe.
    pub fn from_params(params: &mut Params) -> Result<Self> {
        Ok(KMeans { settings: Settings::from_params(params)?, cutoff: params.fraction("cutoff", 0.9)? })
    }

    /// The place of the largest, the first of equals.
    fn best(cosines: &[f32]) -> (usize, f32) {
        let first = (0, cosines.first().copied().unwrap_or_default());
        cosines
            .iter()
            .copied()
            .enumerate()
            .fold(first, |best, next| if next.1 > best.1 { next } else { best })
    }

    fn choose(cosines: &mut [f32]) -> f64 {
        let (place, cosine) = Self::best(cosines);
        cosines.fill(0.0);
        cosines[place] = 1.0;
        1.0 - f64::from(cosine)
    }

    /// Marks the clusters that a document with such cosines belongs to.
    pub(super) fn belong(&self, cosines: &mut [f32]) -> f64 {
        let (place, cosine) = Self::best(cosines);
        let least = (f64::from(cosine) * self.cutoff) as f32;
        for (other, value) in cosines.iter_mut().enumerate() {
            let belongs = other == place || self.cutoff < 1.0 && *value > 0.0 && *value >= least;
            *value = f32::from(u8::from(belongs));
        }
        0.0
    }
}

impl Partitioner for KMeans {
    fn spec(&self) -> Spec {
        self.settings.write(Spec::new(Self::INFO.name).with("cutoff", self.cutoff))
    }

    fn partition(&self, vectors: &Vectors, threads: usize) -> Result<Partition> {
        let wanted = self.settings.clusters_for(vectors.len());
        let first = start::choose(vectors, wanted, self.settings.seed);
        let mut notes = Notes::default();
        if first.is_empty() {
            return Ok(Partition::complete(vectors.len(), Vec::new(), notes));
        }
        let mut centres = Centres::at(vectors, &first, Scale::Unit);
        let mut sums = centres.sums();
        loop {
            notes.objective.push(centres.pass(vectors, threads, Some(&mut sums), &Self::choose, |_, _| ()));
            if !self.settings.goes_on(&notes.objective) {
                break;
            }
            centres.follow(&mut sums, Scale::Unit, threads);
        }
        drop(sums);
        let mut clusters = vec![Vec::new(); first.len()];
        let belong = |cosines: &mut [f32]| self.belong(cosines);
        centres.pass(vectors, threads, None, &belong, |document, entries| {
            entries.iter().for_each(|&(cluster, _)| clusters[cluster as usize].push(document));
        });
        let found = Partition::complete(vectors.len(), clusters, notes);
        Ok(Partition { centres: Some(centres.freeze(vectors)), ..found })
    }
}
