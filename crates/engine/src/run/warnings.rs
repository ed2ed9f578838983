//! What a person should look at before trusting a result.

use std::collections::BTreeMap;

use lookalike_core::{Error, Result, hash};
use lookalike_io::inputs::Input;

use super::bits::Bits;
use super::block::Column;
use super::catalog::Catalog;
use super::clusters::Member;
use super::output::Output;
use super::{Progress, Stream};
use crate::pipeline::Verify;

/// A cluster is giant from this size, or from one document in a hundred if that is more.
pub const GIANT: u64 = 1000;
/// A source is said to lose much when it has this many documents and more than half go.
pub const SOURCE: u64 = 100;
/// Of each kind, this many are named and the rest is counted.
pub const NAMED: usize = 5;

pub fn find(output: &Output<'_>, is_removed: &Bits, threshold: f64) -> Result<Vec<String>> {
    let mut warnings = giant_clusters(output)?;
    warnings.extend(loose_clusters(output, threshold)?);
    // Nothing is lost where only evidence is asked for.
    if !output.job.evidence_only {
        warnings.extend(losing_sources(output, is_removed)?);
    }
    warnings.extend(repeated_ids(output)?);
    Ok(warnings)
}

/// Says what was rejected first. When nothing else was read, that is an error: a wrong field name
/// or a wrong file must not look like an empty corpus.
pub fn rejected(catalog: &Catalog, inputs: &[Input], progress: &dyn Progress) -> Result<()> {
    let rejected: u64 = catalog.blocks.iter().map(|block| u64::from(block.header.rejected)).sum();
    let Some(block) = catalog.blocks.iter().position(|block| block.header.rejected > 0) else {
        return Ok(());
    };
    let name = &inputs[catalog.blocks[block].header.input as usize].name;
    let first = catalog.tail(block)?.rejects.into_iter().next();
    let first = first.map_or(String::new(), |(line, reason)| {
        format!("{name}: line {}: {reason}", catalog.line_number(block, line))
    });
    if catalog.len() == 0 {
        return Err(Error::Input(format!(
            "no document could be read, {rejected} rejected; the first: {first}"
        )));
    }
    progress.warn(&format!("{rejected} rejected, see rejected.jsonl; the first: {first}"));
    Ok(())
}

fn giant_clusters(output: &Output<'_>) -> Result<Vec<String>> {
    let documents = u64::from(output.catalog.len() - output.catalog.references);
    let limit = GIANT.max(documents / 100);
    named(output, |cluster| cluster.size() >= limit, "giant cluster", "giant clusters")
}

/// Members that do not reach the threshold with their master. Only chains do that, unless whatever
/// the signatures pair was taken.
fn loose_clusters(output: &Output<'_>, threshold: f64) -> Result<Vec<String>> {
    // What images, links or the page agree on, or a person said, is not measured by the threshold.
    let by_text = |member: &Member| {
        !member.decided && Stream::ALL.iter().all(|stream| member.found_by & stream.bit() == 0)
    };
    let is_loose = |cluster: &super::clusters::Cluster| {
        cluster.members.iter().any(|member| member.similarity < threshold && by_text(member))
    };
    let one = match output.pipeline.verify {
        Verify::Signature => "loose cluster, paired by signatures alone",
        _ => "loose cluster, linked only by a chain",
    };
    named(output, is_loose, one, "loose clusters")
}

fn named(
    output: &Output<'_>,
    is_bad: impl Fn(&super::clusters::Cluster) -> bool,
    one: &str,
    many: &str,
) -> Result<Vec<String>> {
    let all = output.clusters.clusters.iter().enumerate().filter(|(_, cluster)| is_bad(cluster));
    let mut all: Vec<_> = all.collect();
    all.sort_by_key(|(_, cluster)| std::cmp::Reverse(cluster.size()));
    let mut warnings = Vec::new();
    for (number, cluster) in all.iter().take(NAMED) {
        let Some(weakest) = cluster.weakest() else { continue };
        warnings.push(format!(
            "{one}: cluster {} has {} documents; its weakest pair is {} and {} with similarity {:.3}",
            number + 1,
            cluster.size(),
            output.catalog.id(cluster.master)?.json(),
            output.catalog.id(weakest.document)?.json(),
            weakest.similarity
        ));
    }
    if all.len() > NAMED {
        warnings.push(format!("{} more {many}", all.len() - NAMED));
    }
    Ok(warnings)
}

fn losing_sources(output: &Output<'_>, is_removed: &Bits) -> Result<Vec<String>> {
    let mut sources: BTreeMap<String, (u64, u64)> = BTreeMap::new();
    let catalog = output.catalog;
    for block in output.own_blocks() {
        let names = catalog.tail(block)?.sources;
        let file = &output.inputs[catalog.blocks[block].header.input as usize].name;
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

/// Ids are evidence: when two documents share one, a person cannot tell which is meant.
fn repeated_ids(output: &Output<'_>) -> Result<Option<String>> {
    let documents = u64::from(output.catalog.len());
    if documents * 8 > output.job.memory / 4 {
        return Ok(None);
    }
    let mut hashes = Vec::with_capacity(documents as usize);
    for block in output.own_blocks() {
        output.catalog.for_each_given_id(block, |id| hashes.push(hash::bytes(id)))?;
    }
    let all = hashes.len();
    hashes.sort_unstable();
    hashes.dedup();
    let repeats = all - hashes.len();
    Ok((repeats > 0).then(|| {
        format!("{repeats} documents have the id of another one; results name them by id, so they cannot be told apart")
    }))
}
