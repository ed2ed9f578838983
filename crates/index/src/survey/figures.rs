//! The figures of a survey that charts show: documents by similarity, over time and by source.

use std::collections::BTreeMap;

use lookalike_core::numbers::Numbered;
use serde::Serialize;

use super::attributes::Attributes;
use super::graph::{SimilarityGraph, VisibleContent, VisibleNumber};
use crate::storage::document::{Document, DocumentNumber};
use crate::storage::lasting::LastingNumbers;

/// The width of a bin of the histogram.
const STEP: f64 = 0.01;
/// The greatest number of intervals of the growth chart.
const INTERVALS: u64 = 60;
/// Documents that were all added within so many seconds came in one load.
const ONE_LOAD: u32 = 3600;

/// Documents by their highest similarity to another.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Histogram {
    /// The lower end of the first bin.
    #[cfg_attr(feature = "schema", schemars(range(min = 0, max = 1)))]
    pub low: f64,
    /// The width of a bin.
    #[cfg_attr(feature = "schema", schemars(range(min = 0, max = 1)))]
    pub step: f64,
    /// Documents in each bin.
    pub documents: Vec<u64>,
    /// Documents without any near-duplicate.
    pub alone: u64,
}

/// Whose time a chart of growth shows.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "schema", schemars(inline))]
#[serde(rename_all = "lowercase")]
pub enum GrowthBy {
    /// When documents were added.
    #[default]
    Added,
    /// The times that documents state themselves, because all were added at once; those that state none are left out.
    Stated,
}

/// Documents by when they were added, or, where all were added at once, by the times that they state.
#[derive(Default, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Growth {
    /// Which times these are.
    pub by: GrowthBy,
    /// The start of the first interval, in seconds since 1970.
    pub start: u64,
    /// The seconds of each interval.
    pub interval: u64,
    /// Documents of each interval.
    pub documents: Vec<u64>,
    /// How many of them are duplicates by now.
    pub duplicates: Vec<u64>,
}

/// How many documents a source loses.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct SourceLoss {
    /// The name of the source.
    pub source: String,
    /// Documents of the source.
    pub documents: u64,
    /// How many of them are not the master of their cluster.
    pub removed: u64,
}

/// The histogram of a threshold begins a little below it.
pub fn histogram(graph: &SimilarityGraph, documents: u64, threshold: f64) -> Histogram {
    let low = ((threshold.clamp(0.0, 1.0) * 10.0).floor() / 10.0 - 0.1).max(0.0);
    let mut bins = vec![0; ((1.0 - low) / STEP).round() as usize];
    let last = bins.len() - 1;
    let mut highest: Numbered<VisibleContent, f64> = Numbered::default();
    highest.resize(graph.best.len(), f64::NEG_INFINITY);
    for edge in &graph.edges {
        for content in [edge.a, edge.b] {
            let highest = &mut highest[content];
            *highest = highest.max(edge.similarity);
        }
    }
    for (content, &highest) in highest.iter_from(VisibleNumber::FIRST) {
        let copies = graph.copies(content).len();
        let highest = if copies > 1 { 1.0 } else { highest };
        if highest.is_finite() {
            // Pairs that people decided may be below the first bin.
            bins[(((highest - low) / STEP + 1e-9) as usize).min(last)] += copies as u64;
        }
    }
    let alike: u64 = bins.iter().sum();
    Histogram { low, step: STEP, documents: bins, alone: documents.saturating_sub(alike) }
}

/// Growth by when documents were added; if that was all at once, by the times that at least half of them state.
pub fn growth(
    added: &Numbered<Document, u32>,
    duplicate: &Numbered<Document, bool>,
    stated: impl Fn(DocumentNumber) -> Option<u32>,
) -> Growth {
    let times = || added.iter().copied().filter(|&added| added > 0);
    let is_one_load = times().min().zip(times().max()).is_some_and(|(first, last)| last - first < ONE_LOAD);
    if is_one_load {
        let mut own: Numbered<Document, u32> = Numbered::default();
        for (number, &added) in added.iter_from(DocumentNumber::FIRST) {
            own.push(if added > 0 { stated(number).unwrap_or(0) } else { 0 });
        }
        if own.iter().filter(|&&time| time > 0).count() * 2 >= times().count() {
            return Growth { by: GrowthBy::Stated, ..over_time(&own, duplicate) };
        }
    }
    over_time(added, duplicate)
}

/// Counts documents, and how many of them are duplicates, by time; 0 is no time.
fn over_time(added: &Numbered<Document, u32>, duplicate: &Numbered<Document, bool>) -> Growth {
    let times = || added.iter().copied().filter(|&added| added > 0);
    let (Some(first), Some(last)) = (times().min(), times().max()) else { return Growth::default() };
    // Whole minutes, hours, days or weeks: the shortest that give few enough intervals.
    let span = u64::from(last - first) + 1;
    let units = [1, 60, 600, 3600, 6 * 3600, 86_400, 7 * 86_400, 28 * 86_400];
    let interval = units.into_iter().find(|unit| span / unit < INTERVALS).unwrap_or(364 * 86_400);
    let start = u64::from(first) / interval * interval;
    let count = ((u64::from(last) - start) / interval + 1) as usize;
    let (documents, duplicates) = (vec![0; count], vec![0; count]);
    let mut growth = Growth { by: GrowthBy::Added, start, interval, documents, duplicates };
    for (&added, &duplicate) in added.iter().zip(duplicate.iter()).filter(|(added, _)| **added > 0) {
        let place = ((u64::from(added) - start) / interval) as usize;
        growth.documents[place] += 1;
        growth.duplicates[place] += u64::from(duplicate);
    }
    growth
}

/// What each source loses, the greatest loss first.
pub fn sources(
    graph: &SimilarityGraph,
    duplicate: &Numbered<Document, bool>,
    attributes: Option<&Attributes>,
    lasting: &LastingNumbers,
) -> Vec<SourceLoss> {
    let Some(attributes) = attributes else { return Vec::new() };
    let mut losses: BTreeMap<&str, (u64, u64)> = BTreeMap::new();
    let seen = graph.added.iter_from(DocumentNumber::FIRST).zip(duplicate.iter());
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
