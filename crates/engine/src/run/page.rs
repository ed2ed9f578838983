//! The content of `report.html`, taken from the results.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BinaryHeap};

use lookalike_core::Result;

use lookalike_report::run::{ClusterView, MethodView, Page, PairView, VerifiedBy};
use lookalike_report::{CUT, charts};

use super::clusters::Summary;
use super::external::Sorter;
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
        let (cluster_sizes, largest) = sizes(self)?;
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
            similarities: similarities(self, report.threshold)?,
            largest,
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

fn similarities(outcome: &Outcome<'_>, threshold: f64) -> Result<Vec<(f64, f64, u64)>> {
    let mut unread = Ok(());
    let copies = outcome.clusters.copies.iter()?.map(|copy| copy.map(|_| 1.0));
    let verified = outcome.clusters.verified.iter()?.map(|pair| pair.map(|pair| pair.similarity));
    let all = verified.chain(copies).map_while(|similarity| match similarity {
        Ok(similarity) => Some(similarity),
        Err(error) => {
            unread = Err(error);
            None
        }
    });
    let bins = charts::bins(threshold, all);
    unread.map(|()| bins)
}

/// How many clusters there are of each size, and the largest.
fn sizes(outcome: &Outcome<'_>) -> Result<(BTreeMap<u64, u64>, Vec<ClusterView>)> {
    let mut sizes: BTreeMap<u64, u64> = BTreeMap::new();
    // The smallest of the largest comes out first; of clusters of one size, the last.
    let mut largest = BinaryHeap::new();
    let mut reader = outcome.clusters.read()?;
    while let Some(Summary { number, master, size, weakest }) = reader.next(|_, _, _| Ok(()))? {
        *sizes.entry(size).or_default() += 1;
        largest.push((Reverse(size), number, master, weakest.similarity.to_bits()));
        if largest.len() > LARGEST {
            largest.pop();
        }
    }
    let largest = largest.into_sorted_vec();
    let masters: Vec<CorpusNumber> = largest.iter().map(|&(_, _, master, _)| master).collect();
    let mut views = Vec::new();
    for ((Reverse(size), cluster, master, weakest), text) in largest.into_iter().zip(outcome.texts(&masters)?)
    {
        views.push(ClusterView {
            cluster,
            master: outcome.id(master)?.display().into_owned(),
            size,
            weakest: f64::from_bits(weakest),
            excerpt: cut(text, EXCERPT),
        });
    }
    Ok((sizes, views))
}

/// Pairs from the weakest to the strongest, at even steps: errors are most likely among the
/// weakest.
fn samples(outcome: &Outcome<'_>) -> Result<Vec<PairView>> {
    let mut sorter = Sorter::new(&outcome.work, outcome.memory / 2);
    outcome.clusters.for_each_member(|_, master, member| {
        // No similarity is negative, so their bits are in order.
        let parts = [u64::from(member.document.raw()), u64::from(master.raw())];
        let similarity = u128::from(member.similarity.max(0.0).to_bits());
        sorter.push(similarity << 64 | u128::from(parts[0] << 32 | parts[1]))
    })?;
    let step = (outcome.report.removed as usize).div_ceil(SAMPLES).max(1);
    let mut shown = Vec::new();
    for sample in sorter.sorted().iter()?.step_by(step) {
        let sample = sample?;
        let number = |part: u128| CorpusNumber::from_index(part as u32 as usize);
        let (document, master) = (number(sample >> 32), number(sample));
        let similarity = f64::from_bits((sample >> 64) as u64);
        shown.extend(outcome.clusters.member(master, similarity, document)?.map(|member| (master, member)));
    }
    let documents: Vec<CorpusNumber> =
        shown.iter().flat_map(|(master, member)| [*master, member.document]).collect();
    let texts = outcome.texts(&documents)?;
    let mut views = Vec::new();
    for ((master, member), texts) in shown.into_iter().zip(texts.as_chunks::<2>().0) {
        let (contained_in_keeper, contains_keeper) = member.containments();
        let [keeper_text, removed_text] = texts.clone().map(|text| cut(text, TEXT));
        views.push(PairView {
            keeper: outcome.id(master)?.display().into_owned(),
            removed: outcome.id(member.document)?.display().into_owned(),
            similarity: member.similarity.max(0.0),
            contained_in_keeper,
            contains_keeper,
            difference: member.difference.map(|told| told.to_string()),
            contradict: member.streams.contradicting().map(|kind| kind.name().to_owned()).collect(),
            keeper_text,
            removed_text,
        });
    }
    Ok(views)
}

/// The beginning of a text.
fn cut(text: String, characters: usize) -> String {
    let mut cut: String = text.chars().take(characters).collect();
    if cut.len() < text.len() {
        cut.push(CUT);
    }
    cut
}
