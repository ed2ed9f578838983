//! What `report.html` shows, taken from the results.

use std::collections::BTreeMap;

use lookalike_core::Result;

use super::clusters::{Cluster, Member};
use super::html::{CUT, ClusterView, Page, PairView};
use super::output::{Output, containments};
use super::report::Report;
use lookalike_report::charts;

const LARGEST: usize = 20;
const SAMPLES: usize = 12;
const EXCERPT: usize = 240;
const TEXT: usize = 20_000;

pub fn collect(output: &Output<'_>, report: &Report, laps: &[(&'static str, f64)]) -> Result<Page> {
    let clusters = &output.clusters.clusters;
    let mut cluster_sizes: BTreeMap<u64, u64> = BTreeMap::new();
    for cluster in clusters {
        *cluster_sizes.entry(cluster.size()).or_default() += 1;
    }
    Ok(Page {
        title: title(output),
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
        found_by: report.found_by.clone(),
        narrowing: report.narrowing.clone(),
        clusters: report.clusters,
        pairs: report.pairs,
        candidates: report.candidates,
        expected_recall: report.expected_recall,
        verify: output.pipeline.verify,
        seconds: report.seconds,
        peak_memory_bytes: report.peak_memory_bytes,
        input_bytes: report.input_bytes,
        stages: laps.iter().map(|&(stage, seconds)| (stage.to_owned(), seconds)).collect(),
        warnings: report.warnings.clone(),
        cluster_sizes: cluster_sizes.into_iter().collect(),
        similarities: similarities(output, report.threshold),
        largest: largest(output)?,
        samples: samples(output)?,
    })
}

fn title(output: &Output<'_>) -> String {
    let own: Vec<&str> = output.inputs[output.inputs.len() - output.catalog.own_inputs..]
        .iter()
        .map(|input| input.name.rsplit('/').next().unwrap_or(&input.name))
        .collect();
    match own.as_slice() {
        [only] => (*only).to_owned(),
        [first, rest @ ..] => format!("{first} and {} more files", rest.len()),
        [] => String::new(),
    }
}

fn similarities(output: &Output<'_>, threshold: f64) -> Vec<(f64, f64, u64)> {
    let copies = output.clusters.copies.iter().map(|_| 1.0);
    let verified = output.clusters.verified.iter().map(|pair| pair.similarity);
    charts::bins(threshold, verified.chain(copies))
}

fn largest(output: &Output<'_>) -> Result<Vec<ClusterView>> {
    let mut order: Vec<(usize, &Cluster)> = output.clusters.clusters.iter().enumerate().collect();
    order.sort_by_key(|(number, cluster)| (std::cmp::Reverse(cluster.size()), *number));
    order
        .into_iter()
        .take(LARGEST)
        .map(|(number, cluster)| {
            Ok(ClusterView {
                cluster: number as u64 + 1,
                master: output.catalog.id(cluster.master)?.display().into_owned(),
                size: cluster.size(),
                weakest: cluster.weakest().map_or(1.0, |member| member.similarity),
                excerpt: text(output, cluster.master, EXCERPT)?,
            })
        })
        .collect()
}

/// Pairs from the weakest to the strongest, at even steps: the weakest are where errors would be.
fn samples(output: &Output<'_>) -> Result<Vec<PairView>> {
    let mut removed: Vec<(u32, &Member)> = Vec::new();
    for cluster in &output.clusters.clusters {
        removed.extend(cluster.members.iter().map(|member| (cluster.master, member)));
    }
    removed.sort_by(|a, b| a.1.similarity.total_cmp(&b.1.similarity).then(a.1.document.cmp(&b.1.document)));
    let step = removed.len().div_ceil(SAMPLES).max(1);
    removed
        .into_iter()
        .step_by(step)
        .map(|(master, member)| {
            let (contained_in_keeper, contains_keeper) = containments(member);
            Ok(PairView {
                keeper: output.catalog.id(master)?.display().into_owned(),
                removed: output.catalog.id(member.document)?.display().into_owned(),
                similarity: member.similarity,
                contained_in_keeper,
                contains_keeper,
                keeper_text: text(output, master, TEXT)?,
                removed_text: text(output, member.document, TEXT)?,
            })
        })
        .collect()
}

/// The beginning of a document's text.
fn text(output: &Output<'_>, document: u32, characters: usize) -> Result<String> {
    let text = output.text(document)?;
    let mut cut: String = text.chars().take(characters).collect();
    if cut.len() < text.len() {
        cut.push(CUT);
    }
    Ok(cut)
}
