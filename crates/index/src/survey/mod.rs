//! An overview of the whole index, as one view sees it: what a dashboard and a table of clusters show.
//!
//! * `graph` copies the similarity graph out of the index, `levels` computes what other thresholds would find,
//!   `rows` is the table of clusters, `figures` counts documents for charts;
//! * `mirrors` finds hosts whose documents are in clusters together, by the `address` of each;
//! * `attributes` holds the types, sources, times and addresses of documents, `differences` tells in which ways clusters differ,
//!   `filter` selects and sorts clusters by all of this.

mod address;
mod attributes;
mod differences;
mod figures;
mod filter;
mod graph;
mod levels;
mod mirrors;
mod rows;
mod sample;
#[cfg(test)]
mod tests;

pub use attributes::Attributes;
pub use figures::{Growth, GrowthBy, Histogram, SourceLoss};
pub use filter::{Filter, Sort};
pub use levels::Level;
pub use mirrors::{MirrorGroup, MirrorPair, MirrorQuery, MirroredHost, Mirrors};
pub use rows::{Standing, SurveyRow};

use crate::index::Surveyor;
use std::borrow::Cow;
use std::collections::{HashMap, HashSet};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use crate::storage::document::{Document, DocumentNumber};
use crate::storage::lasting::{LastingNumber, LastingNumbers};
use crate::storage::population::Visibility;
use lookalike_core::Result;
use lookalike_core::document::Id;
use lookalike_core::numbers::Numbered;
use lookalike_core::text::Scratch;
use serde::Serialize;

use self::differences::ClusterDifferences;
use self::figures::{growth, histogram, sources};
use self::graph::{SimilarityGraph, VisibleNumber};
use self::levels::LevelCounts;
use self::rows::SurveyRows;
use super::answer;
use super::generation::Generation;
use super::name::labels_of;
use super::query::{QueryOptions, View};
use crate::query::visibility_now;
use lookalike_core::threads::{self, try_on_threads};
use lookalike_engine::run::doubts::{CROWD, Doubt, NAMED, Traits};
use lookalike_engine::run::warnings::{READ_CLUSTERS, READ_TEXTS, SOURCE, count_words};
use lookalike_report::text::share;

/// How many of the sources that lose most are listed.
const SOURCES: usize = 20;
/// How many components a thread takes at once.
const SHARE: usize = 256;

/// The index as a view sees it at one moment.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Survey {
    /// Seconds since 1970.
    pub as_of: u64,
    /// Visible documents.
    pub documents: u64,
    /// Clusters of two or more documents.
    pub clusters: u64,
    /// Documents that are not the master of their cluster.
    pub duplicates: u64,
    /// Verified pairs, as a batch run counts them: pairs of contents, and each further copy of a content with the first.
    pub pairs: u64,
    /// The threshold of the index.
    pub threshold: f64,
    /// The method of the index.
    pub method: String,
    /// Documents by their highest similarity.
    pub histogram: Histogram,
    /// What other thresholds would find, by rising threshold from the index's own on.
    pub levels: Vec<Level>,
    /// Documents over time.
    pub growth: Growth,
    /// What a person should look at.
    pub warnings: Vec<Warning>,
    /// The sources that lose most documents first.
    pub sources: Vec<SourceLoss>,
    /// The view that the survey is for.
    #[serde(skip)]
    pub view: View,
    /// The generation that was surveyed.
    #[serde(skip)]
    pub generation: u64,
    /// The numbering of documents at that time.
    #[serde(skip)]
    pub numbering: u64,
    #[serde(skip)]
    rows: SurveyRows,
    #[serde(skip)]
    lasting: Arc<LastingNumbers>,
    /// When each document of the generation was added; 0 for documents that are not visible.
    #[serde(skip)]
    added: Numbered<Document, u32>,
    /// How many decisions were made about each document.
    #[serde(skip)]
    decided: HashMap<DocumentNumber, u32>,
    #[serde(skip)]
    differences: ClusterDifferences,
}

/// Something that a person should look at.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Warning {
    /// What the warning is about.
    pub kind: WarningKind,
    /// The name of the cluster; null if the warning is not about one cluster.
    #[serde(serialize_with = "answer::optional_id")]
    pub cluster: Option<Id>,
    /// The access labels of the master of the cluster, which belong to its name; left out if it has none.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub labels: Vec<String>,
    /// A sentence for people.
    pub message: String,
}

/// The kinds of warnings.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum WarningKind {
    /// A cluster with a large share of all documents.
    Giant,
    /// A cluster with members that are linked only by a chain or by a person.
    Loose,
    /// A cluster of short texts, or of the same few words in many sources.
    Short,
    /// A source that loses many documents.
    Source,
}

impl Surveyor<'_> {
    /// Surveys everything that is visible in the view. Takes about a second for a million documents, and blocks
    /// nobody meanwhile.
    pub fn survey(&self, view: &View, attributes: &Attributes) -> Result<Survey> {
        let generation = self.index.generation();
        let visibility = visibility_now(&generation.store.state(), view);
        let graph = SimilarityGraph::copy_from(&generation, &visibility)?;
        let threshold = generation.pipeline.decider.threshold();
        let (tally, mut rows) = cluster_all(&generation, &graph, threshold)?;
        // Ordered by when the masters were added: the order of contents would reveal when hidden documents were
        // added.
        rows.rows.sort_by_key(|row| row.master);
        let levels = tally.levels();
        let documents = graph.added.iter().filter(|&&added| added > 0).count() as u64;
        let now = levels.first().copied().unwrap_or_default();
        let duplicate = duplicates(&rows, graph.added.len());
        let numbering = generation.numbering();
        let lasting = Arc::clone(&generation.store.state().lasting);
        let sources = sources(&graph, &duplicate, attributes.of(numbering), &lasting);
        let mut survey = Survey {
            as_of: QueryOptions::default().now,
            documents,
            clusters: now.clusters,
            duplicates: now.removed,
            pairs: now.pairs,
            threshold,
            method: generation.pipeline.method.clone(),
            histogram: histogram(&graph, documents, threshold),
            levels,
            growth: growth(&graph.added, &duplicate, |number| {
                attributes.of(numbering)?.time(lasting.of(number).raw())
            }),
            warnings: Vec::new(),
            sources,
            view: view.clone(),
            generation: generation.number,
            numbering,
            rows: SurveyRows::default(),
            decided: decided(&generation, &visibility),
            added: graph.added,
            lasting,
            differences: ClusterDifferences::default(),
        };
        survey.warnings = survey.warn(&generation, &rows, attributes.of(numbering))?;
        survey.sources.truncate(SOURCES);
        survey.rows = rows.with_lasting_numbers(&survey.lasting);
        Ok(survey)
    }
}

impl Survey {
    /// The clusters of two or more documents, in the order in which their masters were added.
    pub fn rows(&self) -> &[SurveyRow] {
        &self.rows.rows
    }

    /// The documents of a cluster, its master first.
    pub fn documents_of(&self, row: &SurveyRow) -> &[u32] {
        self.rows.documents(row)
    }

    /// What each document of a cluster is to its master, in the same order.
    pub fn standings_of(&self, row: &SurveyRow) -> &[Standing] {
        self.rows.standings(row)
    }

    /// The numbers of all visible documents.
    fn numbers(&self) -> impl Iterator<Item = u32> {
        let visible = self.added.iter_from(DocumentNumber::FIRST).filter(|(_, added)| **added > 0);
        visible.map(|(number, _)| self.lasting.of(number).raw())
    }

    /// The time of a document in seconds since 1970: the one it states itself, or else when it was added.
    pub fn time_of(&self, document: u32, attributes: Option<&Attributes>) -> u32 {
        let own = attributes.and_then(|attributes| attributes.time(document));
        let came = || self.added.get(self.document(document)?).copied();
        own.or_else(came).unwrap_or(0)
    }

    /// The number of a document within the surveyed generation.
    pub(super) fn document(&self, number: u32) -> Option<DocumentNumber> {
        self.lasting.number(LastingNumber::from_raw(number)?)
    }

    /// How many decisions were made about documents of a cluster.
    pub fn decided(&self, row: &SurveyRow) -> u32 {
        if self.decided.is_empty() {
            return 0;
        }
        let documents = self.rows.documents(row).iter().filter_map(|&number| self.document(number));
        documents.filter_map(|document| self.decided.get(&document)).sum()
    }

    fn warn(
        &self,
        generation: &Generation,
        rows: &SurveyRows<DocumentNumber>,
        attributes: Option<&Attributes>,
    ) -> Result<Vec<Warning>> {
        let name = |row: &SurveyRow<DocumentNumber>| {
            let state = generation.store.state();
            (Id::from_json(state.population.ids.get(row.master)), labels_of(&state, row.master).to_vec())
        };
        let mut warnings = Vec::new();
        let mut by_size: Vec<&SurveyRow<DocumentNumber>> = rows.rows.iter().collect();
        by_size.sort_by_key(|row| (std::cmp::Reverse(row.size), row.master));
        let least = self.threshold as f32 - 1e-6;
        let mut found: Vec<(WarningKind, &SurveyRow<DocumentNumber>, String)> = Vec::new();
        for (rank, row) in by_size.into_iter().enumerate() {
            let size = u64::from(row.size);
            let mut traits = Traits { size, ..Traits::default() };
            if size >= CROWD && rank < READ_CLUSTERS {
                traits.words = words(generation, rows.documents(row))?;
                let source = |&document: &DocumentNumber| attributes?.source(self.lasting.of(document).raw());
                let sources: HashSet<&str> = rows.documents(row).iter().filter_map(source).collect();
                traits.sources = sources.len() as u64;
            }
            for doubt in traits.doubts(self.documents) {
                let kind = if matches!(doubt, Doubt::Giant { .. }) {
                    WarningKind::Giant
                } else {
                    WarningKind::Short
                };
                found.push((kind, row, doubt.note(size)));
            }
            if row.weakest < least {
                let why = "linked only by a chain or by a person".to_owned();
                found.push((WarningKind::Loose, row, why));
            }
        }
        for kind in [WarningKind::Giant, WarningKind::Loose, WarningKind::Short] {
            let of_kind = || found.iter().filter(|(other, ..)| *other == kind);
            warnings.extend(of_kind().take(NAMED).map(|(_, row, why)| {
                let weakest = share(f64::from(row.weakest), 3);
                let message = format!("{} documents: {why}; the weakest similarity is {weakest}", row.size);
                let (id, labels) = name(row);
                Warning { kind, cluster: Some(id), labels, message }
            }));
            let more = of_kind().count().saturating_sub(NAMED);
            if more > 0 {
                let message = format!("{more} more clusters of this kind");
                warnings.push(Warning { kind, cluster: None, labels: Vec::new(), message });
            }
        }
        let losing = |loss: &&SourceLoss| loss.documents >= SOURCE && loss.removed * 2 > loss.documents;
        warnings.extend(self.sources.iter().filter(losing).take(NAMED).map(|loss| Warning {
            kind: WarningKind::Source,
            cluster: None,
            labels: Vec::new(),
            message: format!("{} loses {} of {} documents", loss.source, loss.removed, loss.documents),
        }));
        Ok(warnings)
    }
}

/// How many words the first documents of a cluster have.
fn words(generation: &Generation, documents: &[DocumentNumber]) -> Result<Vec<u64>> {
    #[derive(serde::Deserialize)]
    struct Text<'a> {
        #[serde(borrow, default)]
        text: Cow<'a, str>,
    }
    let (mut line, mut scratch) = (Vec::new(), Scratch::default());
    let mut words = Vec::new();
    for &document in documents.iter().take(READ_TEXTS) {
        line.clear();
        // A document removed meanwhile is skipped.
        if generation.read_line(document, &mut line).is_err() {
            continue;
        }
        let text = serde_json::from_slice::<Text<'_>>(&line).map(|line| line.text).unwrap_or_default();
        words.push(count_words(&text, &mut scratch));
    }
    Ok(words)
}

/// Clusters every component, on all cores.
fn cluster_all(
    generation: &Generation,
    graph: &SimilarityGraph,
    threshold: f64,
) -> Result<(LevelCounts, SurveyRows<DocumentNumber>)> {
    let groups = graph.groups();
    let how = generation.store.clusterer();
    let copies = |content: VisibleNumber| graph.copies(content).len() as u64;
    let next = AtomicUsize::new(0);
    let threads = threads::available();
    let parts = try_on_threads(threads, |_| {
        let mut tally = LevelCounts::new(threshold);
        let mut parts: Vec<(usize, SurveyRows<DocumentNumber>)> = Vec::new();
        loop {
            let first = next.fetch_add(SHARE, Ordering::Relaxed);
            if first >= groups.len() {
                return Ok((tally, parts));
            }
            let mut rows = SurveyRows::default();
            for component in graph.components(generation, &groups, first, SHARE) {
                let clusters = tally.add(&component, how, copies);
                rows.add_component(graph, &component, &clusters);
            }
            parts.push((first, rows));
        }
    })?;
    let mut tally = LevelCounts::new(threshold);
    let mut all: Vec<(usize, SurveyRows<DocumentNumber>)> = Vec::new();
    for (part, rows) in parts {
        tally.merge(&part);
        all.extend(rows);
    }
    // In an order that does not depend on which thread was faster.
    all.sort_by_key(|&(first, _)| first);
    let mut rows = SurveyRows::default();
    all.into_iter().for_each(|(_, part)| rows.append(part));
    for content in graph.alone() {
        tally.add_alone(copies(content));
        rows.add_copies(graph, content);
    }
    Ok((tally, rows))
}

/// Which documents are not the master of their cluster.
fn duplicates(rows: &SurveyRows<DocumentNumber>, documents: usize) -> Numbered<Document, bool> {
    let mut duplicate = Numbered::default();
    duplicate.resize(documents, false);
    for row in &rows.rows {
        for &document in &rows.documents(row)[1..] {
            if let Some(duplicate) = duplicate.get_mut(document) {
                *duplicate = true;
            }
        }
    }
    duplicate
}

/// How many decisions there are about the best document of each content, where both contents are visible.
fn decided(generation: &Generation, visibility: &Visibility) -> HashMap<DocumentNumber, u32> {
    let state = generation.store.state();
    let population = &state.population;
    let best = |digest: u128| population.best_visible(population.content_of(digest)?, visibility);
    let mut decided = HashMap::new();
    let visible = state.decisions.visible(visibility).map(|decision| decision.decide.digests);
    for (a, b) in visible.filter_map(|(a, b)| best(a).zip(best(b))) {
        for document in [a, b] {
            *decided.entry(document).or_default() += 1;
        }
    }
    decided
}
