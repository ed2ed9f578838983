//! The whole index at a glance: what a dashboard and a list of clusters show, as one view sees it.
//!
//! * `picture` copies out of the index what is needed, `levels` tells what other thresholds would find, `rows` is the
//!   table of clusters;
//! * `attributes` knows the types, sources and times of documents, `filter` picks clusters by all of this.

mod attributes;
mod filter;
mod levels;
mod picture;
mod rows;
mod sample;
#[cfg(test)]
mod tests;

pub use attributes::Attributes;
pub use filter::{Filter, Sort};
pub use levels::Level;
pub use rows::Row;

use crate::index::Surveyor;
use std::borrow::Cow;
use std::collections::{BTreeMap, HashMap, HashSet};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use crate::storage::document::{Document, DocumentNumber};
use crate::storage::lasting::{Lasting, LastingNumber};
use crate::storage::population::Sight;
use lookalike_core::Result;
use lookalike_core::document::Id;
use lookalike_core::numbers::Numbered;
use lookalike_core::text::Scratch;
use serde::Serialize;

use self::levels::Tally;
use self::picture::{Picture, SeenContent, SeenNumber};
use self::rows::Rows;
use super::answer;
use super::ask::{Ask, View};
use super::generation::Generation;
use super::name::labels_of;
use crate::ask::now_sight;
use lookalike_core::threads::try_on_threads;
use lookalike_engine::run::doubts::{CROWD, Doubt, NAMED, Traits};
use lookalike_engine::run::warnings::{READ_CLUSTERS, READ_TEXTS, SOURCE, count_words};
use lookalike_report::text::share;

/// The sources that lose most are told.
const SOURCES: usize = 20;
/// Of the histogram, which begins a little below the threshold.
const STEP: f64 = 0.01;
/// Growth is told in at most so many intervals.
const INTERVALS: u64 = 60;
/// Groups that a thread takes at once.
const SHARE: usize = 256;

/// The index as a view sees it at one moment.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Survey {
    /// Seconds since 1970.
    pub as_of: u64,
    pub documents: u64,
    pub clusters: u64,
    /// Documents that are not the master of their cluster.
    pub duplicates: u64,
    pub pairs: u64,
    pub threshold: f64,
    pub method: String,
    pub histogram: Histogram,
    /// By rising threshold, from the index's own on.
    pub levels: Vec<Level>,
    pub growth: Growth,
    pub warnings: Vec<Warning>,
    /// Those that lose most first.
    pub sources: Vec<SourceLoss>,
    /// Who looked.
    #[serde(skip)]
    pub view: View,
    #[serde(skip)]
    pub generation: u64,
    /// Which numbers documents had then.
    #[serde(skip)]
    pub numbering: u64,
    #[serde(skip)]
    rows: Rows,
    #[serde(skip)]
    lasting: Arc<Lasting>,
    /// When each document of the generation came; 0 for those that are not seen.
    #[serde(skip)]
    added: Numbered<Document, u32>,
    /// For each document how many decisions were made about it.
    #[serde(skip)]
    decided: HashMap<DocumentNumber, u32>,
}

/// Documents by their highest similarity to another.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Histogram {
    #[cfg_attr(feature = "schema", schemars(range(min = 0, max = 1)))]
    pub low: f64,
    #[cfg_attr(feature = "schema", schemars(range(min = 0, max = 1)))]
    pub step: f64,
    pub documents: Vec<u64>,
    /// Those that are like none.
    pub alone: u64,
}

/// Documents by when they came.
#[derive(Default, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Growth {
    /// Seconds since 1970, and the seconds of each interval.
    pub start: u64,
    pub interval: u64,
    pub documents: Vec<u64>,
    pub duplicates: Vec<u64>,
}

/// What a person should look at.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Warning {
    pub kind: WarningKind,
    #[serde(serialize_with = "answer::optional_id")]
    pub cluster: Option<Id>,
    /// The access labels of its master, which belong to its name; left out if it has none.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub labels: Vec<String>,
    pub message: String,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum WarningKind {
    Giant,
    Loose,
    /// Of short texts, or of the same few words in many sources.
    Short,
    Source,
}

#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct SourceLoss {
    pub source: String,
    pub documents: u64,
    pub removed: u64,
}

impl Surveyor<'_> {
    /// Looks at everything the view sees. Takes about a second for a million documents; nobody waits for it.
    pub fn survey(&self, view: &View, attributes: &Attributes) -> Result<Survey> {
        let generation = self.index.generation();
        let sight = now_sight(&generation.store.state(), view);
        let picture = Picture::take(&generation, &sight)?;
        let threshold = generation.pipeline.decider.threshold();
        let (tally, mut rows) = cluster_all(&generation, &picture, threshold)?;
        // As the masters came: the order of contents would tell of hidden documents that brought them.
        rows.rows.sort_by_key(|row| row.master);
        let levels = tally.levels();
        let documents = picture.added.iter().filter(|&&added| added > 0).count() as u64;
        let now = levels.first().copied().unwrap_or_default();
        let duplicate = duplicates(&rows, picture.added.len());
        let numbering = generation.numbering();
        let lasting = Arc::clone(&generation.store.state().lasting);
        let sources = sources(&picture, &duplicate, attributes.of(numbering), &lasting);
        let mut survey = Survey {
            as_of: Ask::default().now,
            documents,
            clusters: now.clusters,
            duplicates: now.removed,
            pairs: now.pairs,
            threshold,
            method: generation.pipeline.method.clone(),
            histogram: histogram(&picture, documents, threshold),
            levels,
            growth: growth(&picture.added, &duplicate),
            warnings: Vec::new(),
            sources,
            view: view.clone(),
            generation: generation.number,
            numbering,
            rows: Rows::default(),
            decided: decided(&generation, &sight),
            added: picture.added,
            lasting,
        };
        survey.warnings = survey.warn(&generation, &rows, attributes.of(numbering))?;
        survey.sources.truncate(SOURCES);
        survey.rows = rows.renamed(&survey.lasting);
        Ok(survey)
    }
}

impl Survey {
    pub fn rows(&self) -> &[Row] {
        &self.rows.rows
    }

    /// The documents of a cluster, its master first.
    pub fn documents_of(&self, row: &Row) -> &[u32] {
        self.rows.documents(row)
    }

    /// When a document is from: what it says itself, or else when it came.
    pub fn time_of(&self, document: u32, attributes: Option<&Attributes>) -> u32 {
        let own = attributes.and_then(|attributes| attributes.time(document));
        let came = || self.added.get(self.document(document)?).copied();
        own.or_else(came).unwrap_or(0)
    }

    /// The number of a document within the generation that was looked at.
    pub(super) fn document(&self, number: u32) -> Option<DocumentNumber> {
        self.lasting.number(LastingNumber::from_raw(number)?)
    }

    /// How many decisions were made about documents of a cluster.
    pub fn decided(&self, row: &Row) -> u32 {
        if self.decided.is_empty() {
            return 0;
        }
        let documents = self.rows.documents(row).iter().filter_map(|&number| self.document(number));
        documents.filter_map(|document| self.decided.get(&document)).sum()
    }

    fn warn(
        &self,
        generation: &Generation,
        rows: &Rows<DocumentNumber>,
        attributes: Option<&Attributes>,
    ) -> Result<Vec<Warning>> {
        let name = |row: &Row<DocumentNumber>| {
            let state = generation.store.state();
            (Id::from_json(state.population.ids.get(row.master)), labels_of(&state, row.master).to_vec())
        };
        let mut warnings = Vec::new();
        let mut by_size: Vec<&Row<DocumentNumber>> = rows.rows.iter().collect();
        by_size.sort_by_key(|row| (std::cmp::Reverse(row.size), row.master));
        let least = self.threshold as f32 - 1e-6;
        let mut found: Vec<(WarningKind, &Row<DocumentNumber>, String)> = Vec::new();
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
        // A document that went meanwhile tells nothing.
        if generation.read_line(document, &mut line).is_err() {
            continue;
        }
        let text = serde_json::from_slice::<Text<'_>>(&line).map(|line| line.text).unwrap_or_default();
        words.push(count_words(&text, &mut scratch));
    }
    Ok(words)
}

/// Clusters every group, on all cores.
fn cluster_all(
    generation: &Generation,
    picture: &Picture,
    threshold: f64,
) -> Result<(Tally, Rows<DocumentNumber>)> {
    let groups = picture.groups();
    let how = generation.store.clusterer();
    let copies = |content: SeenNumber| picture.copies(content).len() as u64;
    let next = AtomicUsize::new(0);
    let threads = std::thread::available_parallelism().map_or(1, |threads| threads.get());
    let parts = try_on_threads(threads, || {
        let mut tally = Tally::new(threshold);
        let mut parts: Vec<(usize, Rows<DocumentNumber>)> = Vec::new();
        loop {
            let first = next.fetch_add(SHARE, Ordering::Relaxed);
            if first >= groups.len() {
                return Ok((tally, parts));
            }
            let mut rows = Rows::default();
            for component in picture.components(generation, &groups, first, SHARE) {
                let clusters = tally.add(&component, how, copies);
                rows.add_component(picture, &component, &clusters);
            }
            parts.push((first, rows));
        }
    })?;
    let mut tally = Tally::new(threshold);
    let mut all: Vec<(usize, Rows<DocumentNumber>)> = Vec::new();
    for (part, rows) in parts {
        tally.merge(&part);
        all.extend(rows);
    }
    // The same order whatever thread was faster.
    all.sort_by_key(|&(first, _)| first);
    let mut rows = Rows::default();
    all.into_iter().for_each(|(_, part)| rows.append(part));
    for content in picture.alone() {
        tally.add_alone(copies(content));
        rows.add_copies(picture, content);
    }
    Ok((tally, rows))
}

/// Which documents are not the master of their cluster.
fn duplicates(rows: &Rows<DocumentNumber>, documents: usize) -> Numbered<Document, bool> {
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

fn histogram(picture: &Picture, documents: u64, threshold: f64) -> Histogram {
    let low = ((threshold.clamp(0.0, 1.0) * 10.0).floor() / 10.0 - 0.1).max(0.0);
    let mut bins = vec![0; ((1.0 - low) / STEP).round() as usize];
    let last = bins.len() - 1;
    let mut highest: Numbered<SeenContent, f64> = Numbered::default();
    highest.resize(picture.best.len(), f64::NEG_INFINITY);
    for edge in &picture.edges {
        for content in [edge.a, edge.b] {
            let highest = &mut highest[content];
            *highest = highest.max(edge.similarity);
        }
    }
    for (content, &highest) in highest.iter_from(SeenNumber::FIRST) {
        let copies = picture.copies(content).len();
        let highest = if copies > 1 { 1.0 } else { highest };
        if highest.is_finite() {
            // What people decided may be lower than anything shown.
            bins[(((highest - low) / STEP + 1e-9) as usize).min(last)] += copies as u64;
        }
    }
    let alike: u64 = bins.iter().sum();
    Histogram { low, step: STEP, documents: bins, alone: documents.saturating_sub(alike) }
}

fn growth(added: &Numbered<Document, u32>, duplicate: &Numbered<Document, bool>) -> Growth {
    let times = || added.iter().copied().filter(|&added| added > 0);
    let (Some(first), Some(last)) = (times().min(), times().max()) else { return Growth::default() };
    // Whole minutes, hours, days or weeks, as few as are enough.
    let span = u64::from(last - first) + 1;
    let units = [1, 60, 600, 3600, 6 * 3600, 86_400, 7 * 86_400, 28 * 86_400];
    let interval = units.into_iter().find(|unit| span / unit < INTERVALS).unwrap_or(364 * 86_400);
    let start = u64::from(first) / interval * interval;
    let count = ((u64::from(last) - start) / interval + 1) as usize;
    let mut growth = Growth { start, interval, documents: vec![0; count], duplicates: vec![0; count] };
    for (&added, &duplicate) in added.iter().zip(duplicate.iter()).filter(|(added, _)| **added > 0) {
        let place = ((u64::from(added) - start) / interval) as usize;
        growth.documents[place] += 1;
        growth.duplicates[place] += u64::from(duplicate);
    }
    growth
}

fn sources(
    picture: &Picture,
    duplicate: &Numbered<Document, bool>,
    attributes: Option<&Attributes>,
    lasting: &Lasting,
) -> Vec<SourceLoss> {
    let Some(attributes) = attributes else { return Vec::new() };
    let mut losses: BTreeMap<&str, (u64, u64)> = BTreeMap::new();
    let seen = picture.added.iter_from(DocumentNumber::FIRST).zip(duplicate.iter());
    for ((number, _), &duplicate) in seen.filter(|((_, added), _)| **added > 0) {
        if let Some(source) = attributes.source(lasting.of(number).raw()) {
            let loss = losses.entry(source).or_default();
            loss.0 += 1;
            loss.1 += u64::from(duplicate);
        }
    }
    let loss = |(source, (documents, removed)): (&str, (u64, u64))| SourceLoss {
        source: source.to_owned(),
        documents,
        removed,
    };
    let mut losses: Vec<SourceLoss> = losses.into_iter().map(loss).collect();
    losses.sort_by_key(|loss| std::cmp::Reverse(loss.removed));
    losses
}

/// Decisions by the best document of each content, where both sides are seen.
fn decided(generation: &Generation, sight: &Sight) -> HashMap<DocumentNumber, u32> {
    let state = generation.store.state();
    let population = &state.population;
    let best = |digest: u128| population.best_seen(population.content_of(digest)?, sight);
    let mut decided = HashMap::new();
    let heard = state.decisions.heard(sight).map(|said| said.decide.digests);
    for (a, b) in heard.filter_map(|(a, b)| best(a).zip(best(b))) {
        for document in [a, b] {
            *decided.entry(document).or_default() += 1;
        }
    }
    decided
}
