//! Every pair of documents that share a cluster (X15 §3).
//!
//! Comparing all documents with all others grows with the square of the collection. Here a clustering of
//! their weighted features comes first, and only documents of one cluster are compared. How many
//! comparisons that saved is counted; what it lost is measured on a sample, see [`Narrowing`].
//!
//! Where a clustering finds the clusters of each document without looking at others, as a frozen one does, an
//! index can find the partners of one document: its keys are its clusters.
//!
//! Memory: 12 bytes for each feature of each document, which the caller holds as [`Records`]; on top, while
//! pairs are sought, 8 bytes for each feature that two documents share, what the clustering needs, and 8
//! bytes for each cluster of each document. Pairs are never stored.

mod lost;
mod memberships;
mod neighbours;
#[cfg(test)]
mod tests;

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use super::emitter::{Batch, Emitter, Stopped};
use super::join::{Emit, Join, JoinSource, Neighbours, Records};
use super::narrowing::Narrowing;
use crate::error::Result;
use crate::features::{FeatureSet, Features};
use crate::part::{Param, Params, PartInfo, Spec};
use crate::partition::frozen_partition::About;
use crate::partition::{FinalCentres, FrozenPartition, FuzzyCMeans, Partitioner, Vectors};
use crate::registry::BuildContext;
use crate::threads::on_threads;
use memberships::Memberships;
use neighbours::LikeMembers;

/// The pairs of documents that a clustering has put into one cluster.
pub struct WithinClusters {
    clustering: Box<dyn Partitioner>,
    /// The least cosine of a pair that is handed out.
    floor: f64,
    /// The features of the documents, for whoever uses the centres later.
    features: String,
    /// Describes the last search.
    narrowing: Mutex<Option<Narrowing>>,
    /// The clusters of the last search, for later documents.
    frozen: Mutex<Option<Arc<FrozenPartition>>>,
}

/// Bytes of a packed feature: hash and weight.
const FEATURE: usize = 12;
/// Documents of a cluster that a thread pairs with the later ones at a time.
const TURN: usize = 32;

impl WithinClusters {
    /// The description of this part in the registry.
    pub const INFO: PartInfo = PartInfo {
        name: "clusters",
        summary: "All pairs within clusters of like documents, which may overlap; the report says what that lost",
        paper: "X15 §3",
        params: &[
            Param {
                name: "clustering",
                default: "\"fuzzy-c-means\"",
                help: "fuzzy-c-means, k-means, none or frozen; or a table with its type and parameters",
            },
            Param {
                name: "floor",
                default: "0.0",
                help: "least cosine of the weighted features of two documents; 0 takes every pair of a cluster",
            },
        ],
    };

    /// The pairs within the clusters of this clustering whose cosine reaches `floor`.
    pub fn new(clustering: Box<dyn Partitioner>, floor: f64) -> Self {
        WithinClusters {
            clustering,
            floor,
            features: String::new(),
            narrowing: Mutex::new(None),
            frozen: Mutex::new(None),
        }
    }

    /// Reads its parameters from a section of a recipe.
    pub fn from_params(params: &mut Params, context: &BuildContext<'_>) -> Result<Self> {
        let table = match params.optional_text("clustering") {
            Some(name) => Spec::new(&name).to_table(),
            None => params.table("clustering")?,
        };
        let clustering = Params::new("candidates.clustering", table);
        let clustering = context.registry.partitions.build(clustering, FuzzyCMeans::INFO.name, context)?;
        let within = WithinClusters::new(clustering, params.number("floor", 0.0, 0.0..=1.0)?);
        Ok(WithinClusters { features: context.features.to_owned(), ..within })
    }

    fn freeze(
        &self,
        documents: usize,
        centres: Option<FinalCentres>,
    ) -> Result<Option<Arc<FrozenPartition>>> {
        let Some(centres) = centres else { return Ok(None) };
        let clustering = self.clustering.spec().to_table().to_string();
        let about = About { clustering, features: self.features.clone(), documents: documents as u64 };
        Ok(Some(Arc::new(FrozenPartition::new(about, centres)?)))
    }
}

impl Join for WithinClusters {
    fn spec(&self) -> Spec {
        Spec::new(Self::INFO.name)
            .with("clustering", self.clustering.spec().to_table())
            .with("floor", self.floor)
    }

    fn recall_at(&self, _: f64) -> Option<f64> {
        None
    }

    fn source(&self) -> JoinSource {
        JoinSource::Features
    }

    /// The distinct hashes, rising, each with its weight.
    fn pack(&self, features: &Features, out: &mut Vec<u8>) {
        let set = FeatureSet::from_features(features);
        for (place, hash) in set.hashes.iter().enumerate() {
            out.extend_from_slice(&hash.to_le_bytes());
            out.extend_from_slice(&set.weights.get(place).unwrap_or(&1.0).to_le_bytes());
        }
    }

    fn pairs(&self, records: &Records, threads: usize, emit: &Emit<'_>) -> Result<()> {
        let threads = threads.max(1);
        let vectors = Vectors::build(records.len(), threads, self.clustering.terms(), &|place, out| {
            unpack(records.get(place), out);
        })?;
        let mut partition = self.clustering.partition(&vectors, threads)?;
        let frozen = self.freeze(records.len(), partition.centres.take())?;
        *self.frozen.lock().unwrap_or_else(PoisonError::into_inner) = frozen;
        let memberships = Memberships::new(records.len(), &partition.clusters);
        // If documents are in so many clusters that most pairs would be found repeatedly, it is faster to
        // test for every pair whether it shares a cluster.
        let everyone: Vec<u32> = (0..records.len() as u32).collect();
        let pairs_of = |members: usize| members as u64 * (members as u64).saturating_sub(1) / 2;
        let all_pairs = pairs_of(records.len());
        let crowded =
            partition.clusters.iter().map(|members| pairs_of(members.len())).sum::<u64>() > all_pairs;
        let (clusters, rule) = if crowded {
            (std::slice::from_ref(&everyone), Rule::AnyCluster)
        } else {
            (&partition.clusters[..], Rule::FirstCluster)
        };
        let turns: Vec<(usize, usize)> = (clusters.iter().enumerate())
            .flat_map(|(cluster, members)| (0..members.len()).step_by(TURN).map(move |from| (cluster, from)))
            .collect();
        let search =
            Search { vectors: &vectors, memberships: &memberships, clusters, rule, floor: self.floor };
        let (next, emitter) = (AtomicUsize::new(0), Emitter::new(emit));
        let comparisons = on_threads(threads, || {
            let mut batch = Batch::new(&emitter);
            let mut spread_out = vec![0.0; if self.floor > 0.0 { vectors.terms() } else { 0 }];
            let mut comparisons = 0;
            let mut work = || {
                while let Some(&(cluster, from)) = turns.get(next.fetch_add(1, Ordering::Relaxed)) {
                    batch.check_receiver()?;
                    comparisons += search.turn(cluster, from, &mut spread_out, &mut batch)?;
                }
                batch.flush()
            };
            // When the receiver refused, its reason is in the emitter.
            let _ = work();
            comparisons
        });
        emitter.finish()?;
        let comparisons: u64 = comparisons.into_iter().sum();
        let (sampled, lost) = lost::measure(&vectors, &memberships, threads);
        let narrowing = Narrowing {
            clustering: self.clustering.spec().kind,
            documents: records.len() as u64,
            clusters: partition.clusters.len() as u64,
            largest: partition.clusters.iter().map(|cluster| cluster.len() as u64).max().unwrap_or(0),
            clusters_each: memberships.clusters_each(),
            iterations: partition.notes.iterations() as u64,
            comparisons,
            all_pairs,
            saved: if all_pairs == 0 { 0.0 } else { 1.0 - comparisons as f64 / all_pairs as f64 },
            sampled,
            lost,
            warnings: partition.notes.warnings,
        };
        *self.narrowing.lock().unwrap_or_else(PoisonError::into_inner) = Some(narrowing);
        Ok(())
    }

    fn neighbours(&self) -> Option<Box<dyn Neighbours>> {
        Some(Box::new(LikeMembers::new(self.clustering.assignment()?, self.floor)))
    }

    fn partition(&self) -> Option<Arc<FrozenPartition>> {
        self.frozen.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    fn narrowing(&self) -> Option<Narrowing> {
        self.narrowing.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }
}

fn unpack(record: &[u8], out: &mut Vec<(u64, f32)>) {
    out.extend(record.as_chunks::<FEATURE>().0.iter().map(|&[a, b, c, d, e, f, g, h, i, j, k, l]| {
        (u64::from_le_bytes([a, b, c, d, e, f, g, h]), f32::from_le_bytes([i, j, k, l]))
    }));
}

struct Search<'a> {
    vectors: &'a Vectors,
    memberships: &'a Memberships,
    clusters: &'a [Vec<u32>],
    rule: Rule,
    floor: f64,
}

/// Which pairs of a list of documents are compared.
#[derive(Clone, Copy)]
enum Rule {
    /// The list is a cluster: pairs that share no earlier cluster.
    FirstCluster,
    /// Pairs that share any cluster.
    AnyCluster,
}

impl Search<'_> {
    /// Pairs some documents of a list with those after them; returns how many pairs that makes.
    fn turn(
        &self,
        cluster: usize,
        from: usize,
        spread_out: &mut [f32],
        batch: &mut Batch<'_>,
    ) -> Result<u64, Stopped> {
        let members = &self.clusters[cluster];
        let mut comparisons = 0;
        for place in from..(from + TURN).min(members.len()) {
            let document = members[place];
            let others = members[place + 1..].iter().copied();
            let mut others = others.filter(|&other| match self.rule {
                Rule::FirstCluster => self.memberships.is_first_shared(document, other, cluster as u32),
                Rule::AnyCluster => self.memberships.share_cluster(document, other),
            });
            if self.floor > 0.0 {
                self.vectors.spread_out(document as usize, spread_out);
                let outcome = others.try_for_each(|other| {
                    comparisons += 1;
                    let alike = self.vectors.dot(other as usize, spread_out) >= self.floor;
                    if alike { batch.push(document, other) } else { Ok(()) }
                });
                self.vectors.wipe(document as usize, spread_out);
                outcome?;
            } else {
                others.try_for_each(|other| {
                    comparisons += 1;
                    batch.push(document, other)
                })?;
            }
        }
        Ok(comparisons)
    }
}
