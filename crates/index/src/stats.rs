//! Figures about an index, as far as its caller may see it.

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::Ordering;

use lookalike_core::Result;
use lookalike_core::lexicon::Lexicon;
use lookalike_engine::lexicon::NATIVE;
use serde::Serialize;

use super::clusters::{ClusterLookup, with_clusters};
use super::query::View;
use crate::generation::Generation;
use crate::index::{Index, IndexReader};
use crate::lexicons::TermCount;
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
    /// Verified pairs, as a batch run counts them: pairs of contents, and each further copy of a content with the first.
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
    /// The lexicons by which documents are signed. None are listed unless the view sees everything.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub lexicons: Vec<LexiconStats>,
}

/// A lexicon, and how well it knows the documents that came since.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct LexiconStats {
    /// `native`, `english`, or the name of a file without its folder and ending.
    pub name: String,
    /// Where it comes from.
    pub kind: LexiconKind,
    /// What schemes call it.
    pub id: String,
    /// The documents that were counted.
    pub documents: u64,
    /// When they were counted, in seconds since 1970; only known of a native lexicon.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub counted: Option<u64>,
    /// Documents that were added or changed since it was counted, or since it is used if it is not native.
    pub documents_since: u64,
    /// The share of terms in these that it does not have, each counted as often as it occurs; absent if there are none.
    #[cfg_attr(feature = "schema", schemars(range(min = 0, max = 1)))]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub unknown_terms: Option<f64>,
    /// How a native lexicon is kept up to date.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub refresh: Option<RefreshStats>,
}

/// Where a lexicon comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum LexiconKind {
    /// Counted from the documents of the index.
    Native,
    /// Compiled in.
    BuiltIn,
    /// A file.
    File,
}

/// How a native lexicon is kept up to date.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct RefreshStats {
    /// How often it was counted again by itself.
    pub refreshes: u64,
    /// Whether it is being counted again by itself now.
    pub running: bool,
    /// Whether that is due.
    pub due: bool,
    /// It is due after so many documents; absent if their number does not matter.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub after: Option<u64>,
    /// How many of these are still to come.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub documents_left: Option<u64>,
    /// It is due when the share of unknown terms is above this; absent if the share does not matter.
    #[cfg_attr(feature = "schema", schemars(range(min = 0, max = 1)))]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub unknown: Option<f64>,
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
            lexicons: if *view == View::All { lexicons(self.index, &generation) } else { Vec::new() },
            ..Stats::default()
        };
        let visibility = visibility_now(&generation.store.state(), view);
        with_clusters(&generation, &visibility, |clusters| {
            let (state, mut stats) = (clusters.state, stats.clone());
            if state.is_all_visible(&visibility) {
                count_all(clusters, &mut stats);
            } else {
                stats.documents = state
                    .population
                    .documents
                    .iter()
                    .filter(|document| visibility.includes(document))
                    .count() as u64;
                let count =
                    state.population.contents.numbers().fold(Count::default(), |mut count, content| {
                        count.add(clusters, content);
                        count
                    });
                count.write(&mut stats);
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

fn lexicons(index: &Index, generation: &Generation) -> Vec<LexiconStats> {
    let usage = generation.lexicons.usage().clone();
    let setting = index.refresh();
    let refresh = || RefreshStats {
        refreshes: usage.refreshes,
        running: index.refreshing.load(Ordering::Relaxed),
        due: index.refresh_due().is_some(),
        after: setting.after(),
        documents_left: setting.after().map(|after| after.saturating_sub(usage.documents)),
        unknown: setting.unknown(),
    };
    let stats = |((name, lexicon), terms): (&(String, Arc<Lexicon>), TermCount)| {
        let kind = match name.as_str() {
            NATIVE => LexiconKind::Native,
            "english" => LexiconKind::BuiltIn,
            _ => LexiconKind::File,
        };
        let is_native = kind == LexiconKind::Native;
        let shown = Path::new(name).file_stem().map_or_else(|| name.into(), |stem| stem.to_string_lossy());
        LexiconStats {
            name: shown.into_owned(),
            kind,
            id: lexicon.id(),
            documents: lexicon.documents(),
            counted: usage.counted.filter(|_| is_native),
            documents_since: usage.documents,
            unknown_terms: terms.unknown_share(),
            refresh: is_native.then(refresh),
        }
    };
    let terms = usage.terms.iter().copied().chain(std::iter::repeat(TermCount::default()));
    generation.lexicons.used.iter().zip(terms).map(stats).collect()
}

/// Contents, clusters and what else changes with the links.
#[derive(Clone, Copy, Debug, Default)]
struct Count {
    contents: u64,
    clusters: u64,
    duplicates: u64,
    /// Ends of pairs of contents.
    linked: u64,
    /// Copies beside the first of their content.
    copied: u64,
}

impl Count {
    /// Counts a content as its clusters are seen.
    fn add(&mut self, clusters: &mut ClusterLookup<'_>, content: ContentNumber) {
        let copies = clusters.copies(content);
        if copies == 0 {
            return;
        }
        self.contents += 1;
        self.linked += clusters.links(content).len() as u64;
        self.copied += copies - 1;
        let is_master = clusters.is_master(content);
        self.duplicates += copies - u64::from(is_master);
        self.clusters += u64::from(is_master && (copies > 1 || clusters.has_members(content)));
    }

    fn write(self, stats: &mut Stats) {
        stats.contents = self.contents;
        stats.clusters = self.clusters;
        stats.duplicates = self.duplicates;
        stats.pairs = self.linked / 2 + self.copied;
    }
}

/// Uses counters that are kept up to date, because statistics are queried often. They are those of the stored links, which
/// differ in crowds: whatever is connected with one is counted again.
fn count_all(clusters: &mut ClusterLookup<'_>, stats: &mut Stats) {
    let state = clusters.state;
    stats.documents = u64::from(state.population.living);
    let mut count = stored_count(state);
    if !state.crowds.is_empty() {
        let (mut stored, mut now) = (Count::default(), Count::default());
        let mut as_stored = clusters.as_stored();
        for content in clusters.connected_with_crowds() {
            stored.add(&mut as_stored, content);
            now.add(clusters, content);
        }
        let corrected = |all: u64, stored: u64, now: u64| (all + now).saturating_sub(stored);
        count.clusters = corrected(count.clusters, stored.clusters, now.clusters);
        count.duplicates = corrected(count.duplicates, stored.duplicates, now.duplicates);
        count.linked = corrected(count.linked, stored.linked, now.linked);
    }
    count.write(stats);
}

fn stored_count(state: &State) -> Count {
    let population = &state.population;
    let masters = u64::from(population.living_contents) - state.clusters.member_count;
    let alone = |&&content: &&ContentNumber| {
        state.clusters.master(content) == content && state.clusters.members(content).next().is_none()
    };
    let copied = population.copied.iter().filter(alone).count();
    Count {
        contents: u64::from(population.living_contents),
        clusters: (state.clusters.masters_from(ContentNumber::FIRST).count() + copied) as u64,
        duplicates: u64::from(population.comparable) - masters,
        linked: 2 * state.clusters.pairs,
        copied: u64::from(population.comparable - population.living_contents),
    }
}
