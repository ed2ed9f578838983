//! What a person should check before trusting a result.

use std::collections::hash_map::Entry;
use std::collections::{BTreeMap, HashMap, HashSet};

use lookalike_core::text::{Scratch, for_each_word};
use lookalike_core::{Result, hash};

use super::Stream;
use super::bits::Bits;
use super::clusters::{Member, RunCluster};
use super::doubts::{self, Doubt, Doubtful, NAMED, Traits};
use super::outcome::Outcome;
use crate::corpus::block::Column;
use crate::pipeline::Verify;
use lookalike_report::text::share;

/// A warning names a source with at least this many documents of which more than half are removed.
pub const SOURCE: u64 = 100;
/// Only this many clusters, the largest, are read again to see how long their texts are.
pub const READ_CLUSTERS: usize = 1000;
/// How many documents of each of these clusters are read.
pub const READ_TEXTS: usize = 9;
/// The beginning of a text shows whether it is short.
const READ_BYTES: usize = 4096;

impl Outcome<'_> {
    /// All warnings.
    pub(super) fn warnings(&self, is_removed: &Bits) -> Result<Vec<String>> {
        let mut warnings = doubtful_clusters(self, self.report.threshold)?;
        warnings.extend(losing_sources(self, is_removed)?);
        warnings.extend(self.general_warnings()?);
        Ok(warnings)
    }

    /// Warnings that are not about single clusters or removals: for callers that number the clusters anew, know more
    /// about them, and remove nothing.
    pub fn general_warnings(&self) -> Result<Vec<String>> {
        // So far the report has those about the recipe.
        let mut warnings = self.report.warnings.clone();
        warnings.extend(repeated_ids(self)?);
        let of_clusters = self.report.narrowing.iter().flat_map(|narrowed| &narrowed.narrowing.warnings);
        warnings.extend(of_clusters.cloned());
        Ok(warnings)
    }
}

fn doubtful_clusters(outcome: &Outcome<'_>, threshold: f64) -> Result<Vec<String>> {
    let clusters = outcome.clusters();
    let documents = u64::from(outcome.catalog.len() - outcome.catalog.references);
    let mut by_size: Vec<usize> = (0..clusters.len()).collect();
    by_size.sort_by_key(|&place| (std::cmp::Reverse(clusters[place].size()), place));
    let mut names = SourceNames::default();
    let mut found = Vec::new();
    for (rank, place) in by_size.into_iter().enumerate() {
        let (cluster, number) = (&clusters[place], place as u64 + 1);
        let size = cluster.size();
        let mut add = |doubt| found.push(Doubtful { place, number, size, doubt });
        let mut traits = Traits { size, ..Traits::default() };
        if size >= doubts::CROWD && rank < READ_CLUSTERS {
            traits.words = words(outcome, cluster)?;
            if traits.has_few_words() {
                traits.sources = names.count(outcome, cluster)?;
            }
        }
        traits.doubts(documents).into_iter().for_each(&mut add);
        if is_loose(cluster, threshold) {
            let why = match outcome.pipeline.verify {
                Verify::Signature => "paired by signatures alone",
                _ => "linked only by a chain",
            };
            add(Doubt::Loose { why });
        }
    }
    doubts::sentences(found, |place| {
        let cluster = &clusters[place];
        let Some(weakest) = cluster.weakest() else { return Ok(String::new()) };
        Ok(format!(
            "; its weakest pair is {} and {} with similarity {}",
            outcome.id(cluster.master)?.display(),
            outcome.id(weakest.document)?.display(),
            share(weakest.similarity, 3)
        ))
    })
}

/// Whether a member does not reach the threshold with its master. Only chains cause that, unless every
/// pair that the signatures propose was accepted.
fn is_loose(cluster: &RunCluster, threshold: f64) -> bool {
    // The threshold does not apply to pairs that agree in images, links or the page, or that a
    // person decided.
    let by_text = |member: &Member| {
        !member.decided && Stream::ALL.iter().all(|stream| member.found_by & stream.bit() == 0)
    };
    cluster.members.iter().any(|member| member.similarity < threshold && by_text(member))
}

/// The lengths in words of the master and of the members least like it; stops as soon as most of them are long.
fn words(outcome: &Outcome<'_>, cluster: &RunCluster) -> Result<Vec<u64>> {
    let most = (cluster.members.len() + 1).min(READ_TEXTS);
    let weakest = cluster.members.iter().rev().map(|member| member.document);
    let mut scratch = Scratch::default();
    let (mut words, mut many) = (Vec::with_capacity(most), 0);
    for document in std::iter::once(cluster.master).chain(weakest).take(most) {
        words.push(count_words(&outcome.text(document)?, &mut scratch));
        many += usize::from(words.last() >= Some(&doubts::FEW_WORDS));
        if 2 * many >= most {
            break;
        }
    }
    Ok(words)
}

/// How many words a text has; stops counting when it is clear that the text is not short.
pub fn count_words(text: &str, scratch: &mut Scratch) -> u64 {
    let mut words = 0;
    for_each_word(&text[..text.floor_char_boundary(READ_BYTES)], scratch, |_| words += 1);
    words
}

/// The names of the sources of each block that was needed so far.
#[derive(Default)]
struct SourceNames {
    blocks: HashMap<usize, Vec<String>>,
}

impl SourceNames {
    /// How many sources the documents of a cluster come from.
    fn count(&mut self, outcome: &Outcome<'_>, cluster: &RunCluster) -> Result<u64> {
        let mut sources = HashSet::new();
        let documents = cluster.members.iter().map(|member| member.document);
        for document in documents.chain([cluster.master]) {
            let (block, place) = outcome.catalog.source(document)?;
            let names = match self.blocks.entry(block) {
                Entry::Occupied(entry) => entry.into_mut(),
                Entry::Vacant(entry) => entry.insert(outcome.catalog.tail(block)?.sources),
            };
            let name = names.get(place as usize).map_or("", String::as_str);
            // The source of a document that names none is its file.
            let input = name.is_empty().then(|| outcome.catalog.blocks[block].header.input);
            sources.insert((input, hash::bytes(name.as_bytes())));
        }
        Ok(sources.len() as u64)
    }
}

fn losing_sources(outcome: &Outcome<'_>, is_removed: &Bits) -> Result<Vec<String>> {
    let mut sources: BTreeMap<String, (u64, u64)> = BTreeMap::new();
    let catalog = &outcome.catalog;
    for block in outcome.own_blocks() {
        let names = catalog.tail(block)?.sources;
        let file = &catalog.names[catalog.blocks[block].header.input as usize];
        let mut counts = vec![(0, 0); names.len()];
        for (document, source) in catalog.documents_of(block).zip(catalog.numbers(block, Column::Source)?) {
            if let Some((all, lost)) = counts.get_mut(source as usize) {
                *all += 1;
                *lost += u64::from(is_removed.get(document));
            }
        }
        for (name, (all, lost)) in names.into_iter().zip(counts) {
            let name = if name.is_empty() { file.clone() } else { name };
            let entry = sources.entry(name).or_default();
            entry.0 += all;
            entry.1 += lost;
        }
    }
    if sources.len() < 2 {
        return Ok(Vec::new());
    }
    let mut losing: Vec<_> =
        sources.into_iter().filter(|(_, (all, lost))| *all >= SOURCE && lost * 2 > *all).collect();
    losing.sort_by(|a, b| (b.1.1 * a.1.0).cmp(&(a.1.1 * b.1.0)));
    let more = losing.len().saturating_sub(NAMED);
    let mut warnings: Vec<String> = losing
        .into_iter()
        .take(NAMED)
        .map(|(name, (all, lost))| {
            format!(
                "source {name} loses {lost} of its {all} documents ({:.0} %)",
                100.0 * lost as f64 / all as f64
            )
        })
        .collect();
    if more > 0 {
        warnings.push(format!("{more} more sources lose more than half of their documents"));
    }
    Ok(warnings)
}

/// Ids are evidence: if two documents share one, a person cannot know which is meant.
fn repeated_ids(outcome: &Outcome<'_>) -> Result<Option<String>> {
    let documents = u64::from(outcome.catalog.len());
    if documents * 8 > outcome.job.memory / 4 {
        return Ok(None);
    }
    let mut hashes = Vec::with_capacity(documents as usize);
    for block in outcome.own_blocks() {
        outcome.catalog.for_each_given_id(block, |id| hashes.push(hash::bytes(id)))?;
    }
    let all = hashes.len();
    hashes.sort_unstable();
    hashes.dedup();
    let repeats = all - hashes.len();
    Ok((repeats > 0).then(|| {
        format!("{repeats} documents have the id of another one; results name them by id, so they cannot be told apart")
    }))
}
