//! Figures about an index, as far as its caller may see it.

use lookalike_core::Result;
use serde::Serialize;

use super::clusters::{ClusterLookup, with_clusters};
use super::query::View;
use crate::index::IndexReader;
use crate::query::visibility_now;
use crate::storage::document::ContentNumber;
use crate::storage::state::State;

/// Figures about an index.
#[derive(Clone, Debug, Default, Serialize)]
pub struct Stats {
    /// The id of the scheme that makes the signatures.
    pub scheme: String,
    /// The name of the method.
    pub method: String,
    /// The threshold of the recipe.
    pub threshold: f64,
    /// The number of the generation.
    pub generation: u64,
    /// Visible documents.
    pub documents: u64,
    /// Distinct sets of features: exact copies count once.
    pub contents: u64,
    /// Clusters of two or more documents.
    pub clusters: u64,
    /// Documents that are not the master of their cluster.
    pub duplicates: u64,
    /// Near-duplicate pairs of contents.
    pub pairs: u64,
    /// Decisions in force.
    pub decisions: u64,
    /// Bytes of stored texts.
    pub text_bytes: u64,
    /// Bytes on disk besides the stored texts.
    pub index_bytes: u64,
    /// Bytes of texts that `compact` would free.
    pub dead_bytes: u64,
    /// Operations since the last checkpoint: what opening after a crash replays.
    pub log_operations: u64,
    /// The progress of a new generation from 0 to 1, while one is being built.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub resigning: Option<f64>,
}

impl IndexReader<'_> {
    /// Figures about what is visible in the view. Sizes and decisions are 0 unless the view sees everything.
    pub fn stats(&self, view: &View) -> Result<Stats> {
        let generation = self.index.generation();
        let (log_operations, index_bytes) = generation.store.sizes()?;
        let stats = Stats {
            scheme: generation.pipeline.scheme.id.clone(),
            method: generation.pipeline.method.clone(),
            threshold: generation.pipeline.decider.threshold(),
            generation: generation.number,
            resigning: self.index.resigning(),
            ..Stats::default()
        };
        let visibility = visibility_now(&generation.store.state(), view);
        with_clusters(&generation, &visibility, |clusters| {
            let (state, mut stats) = (clusters.state, stats.clone());
            if state.is_all_visible(&visibility) {
                count_all(state, &mut stats);
            } else {
                count_seen(clusters, &mut stats);
            }
            if *view == View::All {
                // Sizes would reveal hidden documents.
                stats.decisions = state.decisions.len() as u64;
                (stats.text_bytes, stats.dead_bytes) = (state.living_bytes, state.dead_bytes);
                (stats.index_bytes, stats.log_operations) = (index_bytes, log_operations);
            }
            Ok(stats)
        })
    }
}

/// Uses counters that are kept up to date, because statistics are queried often.
fn count_all(state: &State, stats: &mut Stats) {
    let population = &state.population;
    stats.documents = u64::from(population.living);
    stats.contents = u64::from(population.living_contents);
    stats.pairs = state.clusters.pairs;
    let masters = u64::from(population.living_contents) - state.clusters.member_count;
    stats.duplicates = u64::from(population.comparable) - masters;
    let alone = |&&content: &&ContentNumber| {
        state.clusters.master(content) == content && state.clusters.members(content).next().is_none()
    };
    let copied = population.copied.iter().filter(alone).count();
    stats.clusters = (state.clusters.masters_from(ContentNumber::FIRST).count() + copied) as u64;
}

/// Counts what is visible to a caller who does not see every document.
fn count_seen(clusters: &mut ClusterLookup<'_>, stats: &mut Stats) {
    let (state, visibility) = (clusters.state, clusters.visibility);
    stats.documents =
        state.population.documents.iter().filter(|document| visibility.includes(document)).count() as u64;
    for content in state.population.contents.numbers() {
        let copies = clusters.copies(content);
        if copies == 0 {
            continue;
        }
        stats.contents += 1;
        let links = clusters.links(content).iter();
        stats.pairs += links.filter(|link| link.other > content).count() as u64;
        let is_master = clusters.is_master(content);
        stats.duplicates += copies - u64::from(is_master);
        stats.clusters += u64::from(is_master && (copies > 1 || clusters.has_members(content)));
    }
}
