//! The content of `report.html`, taken from the results.

use std::collections::BTreeMap;

use lookalike_core::Result;

use lookalike_report::run::{ClusterView, MethodView, Page, PairView, VerifiedBy};
use lookalike_report::{CUT, charts};

use super::clusters::{Member, RunCluster};
use super::outcome::Outcome;
use super::recall::MeasuredRecall;
use crate::corpus::CorpusNumber;
use crate::pipeline::Verify;

const LARGEST: usize = 20;
const SAMPLES: usize = 12;
const EXCERPT: usize = 240;
const TEXT: usize = 20_000;

impl Outcome<'_> {
    /// The content of the run's page, once the rest of the report is complete.
    pub fn page(&self) -> Result<Page> {
        let report = &self.report;
        let mut cluster_sizes: BTreeMap<u64, u64> = BTreeMap::new();
        for cluster in self.clusters() {
            *cluster_sizes.entry(cluster.size()).or_default() += 1;
        }
        let methods = report.found_by.iter().map(|found| MethodView {
            method: found.method.clone(),
            proposed: found.candidates,
            verified: found.pairs,
            alone: found.only,
            missed: found.missed,
        });
        let narrowed =
            report.narrowing.iter().map(|narrowed| (narrowed.method.clone(), narrowed.narrowing.summary()));
        Ok(Page {
            title: title(self),
            version: report.version.clone(),
            method: report.method.clone(),
            scheme: report.scheme.clone(),
            threshold: report.threshold,
            recipe_toml: report.recipe.to_string(),
            documents: report.documents,
            kept: report.kept,
            removed: report.removed,
            rejected: report.rejected,
            empty: report.empty,
            weak: report.weak.len() as u64,
            unsigned: report.unsigned,
            methods: methods.collect(),
            narrowed: narrowed.collect(),
            clusters: report.clusters,
            pairs: report.pairs,
            candidates: report.candidates,
            expected_recall: report.expected_recall,
            measured_recall: report.measured_recall.as_ref().map(MeasuredRecall::summary),
            verified: match self.pipeline.verify {
                Verify::Exact => VerifiedBy::Features,
                Verify::Estimate => VerifiedBy::Signatures,
                Verify::Signature => VerifiedBy::Nothing,
            },
            seconds: report.seconds,
            peak_memory_bytes: report.peak_memory_bytes,
            input_bytes: report.input_bytes,
            stages: self.clock.laps.iter().map(|&(stage, seconds)| (stage.to_owned(), seconds)).collect(),
            warnings: report.warnings.clone(),
            cluster_sizes: cluster_sizes.into_iter().collect(),
            similarities: similarities(self, report.threshold),
            largest: largest(self)?,
            samples: samples(self)?,
        })
    }
}

fn title(outcome: &Outcome<'_>) -> String {
    let names = &outcome.catalog.names;
    let own = &names[names.len() - outcome.catalog.own_inputs..];
    let own: Vec<&str> = own.iter().map(|name| name.rsplit('/').next().unwrap_or(name)).collect();
    match own.as_slice() {
        [only] => (*only).to_owned(),
        [first, rest @ ..] => format!("{first} and {} more files", rest.len()),
        [] => String::new(),
    }
}

fn similarities(outcome: &Outcome<'_>, threshold: f64) -> Vec<(f64, f64, u64)> {
    let copies = outcome.clusters.copies.iter().map(|_| 1.0);
    let verified = outcome.clusters.verified.iter().map(|pair| pair.similarity);
    charts::bins(threshold, verified.chain(copies))
}

fn largest(outcome: &Outcome<'_>) -> Result<Vec<ClusterView>> {
    let mut order: Vec<(usize, &RunCluster)> = outcome.clusters().iter().enumerate().collect();
    order.sort_by_key(|(number, cluster)| (std::cmp::Reverse(cluster.size()), *number));
    order
        .into_iter()
        .take(LARGEST)
        .map(|(number, cluster)| {
            Ok(ClusterView {
                cluster: number as u64 + 1,
                master: outcome.id(cluster.master)?.display().into_owned(),
                size: cluster.size(),
                weakest: cluster.weakest().map_or(1.0, |member| member.similarity),
                excerpt: text(outcome, cluster.master, EXCERPT)?,
            })
        })
        .collect()
}

/// Pairs from the weakest to the strongest, at even steps: errors are most likely among the
/// weakest.
fn samples(outcome: &Outcome<'_>) -> Result<Vec<PairView>> {
    let mut removed: Vec<(CorpusNumber, &Member)> = Vec::new();
    for cluster in outcome.clusters() {
        removed.extend(cluster.members.iter().map(|member| (cluster.master, member)));
    }
    removed.sort_by(|a, b| a.1.similarity.total_cmp(&b.1.similarity).then(a.1.document.cmp(&b.1.document)));
    let step = removed.len().div_ceil(SAMPLES).max(1);
    removed
        .into_iter()
        .step_by(step)
        .map(|(master, member)| {
            let (contained_in_keeper, contains_keeper) = member.containments();
            Ok(PairView {
                keeper: outcome.id(master)?.display().into_owned(),
                removed: outcome.id(member.document)?.display().into_owned(),
                similarity: member.similarity,
                contained_in_keeper,
                contains_keeper,
                difference: member.difference.map(|told| told.to_string()),
                contradict: member.streams.contradicting().map(|kind| kind.name().to_owned()).collect(),
                keeper_text: text(outcome, master, TEXT)?,
                removed_text: text(outcome, member.document, TEXT)?,
            })
        })
        .collect()
}

/// The beginning of a document's text.
fn text(outcome: &Outcome<'_>, document: CorpusNumber, characters: usize) -> Result<String> {
    let text = outcome.text(document)?;
    let mut cut: String = text.chars().take(characters).collect();
    if cut.len() < text.len() {
        cut.push(CUT);
    }
    Ok(cut)
}
