//! Refuses input that cannot be judged, so that the metrics need no checks.

use lookalike_core::{Error, Result};

use super::{FoundPairs, MetricOptions, Truth};

pub fn found(documents: u32, found: &FoundPairs) -> Result<()> {
    pairs(documents, "found", found.pairs.iter().copied())?;
    length(documents, "found clusters", found.clusters.len())
}

/// Similarities are only needed for a curve.
pub fn similarities(found: &FoundPairs) -> Result<()> {
    if found.similarities.len() != found.pairs.len() {
        return Err(Error::input(format!(
            "{} similarities are given for {} found pairs; give one for each pair",
            found.similarities.len(),
            found.pairs.len()
        )));
    }
    match found.similarities.iter().position(|similarity| similarity.is_nan()) {
        Some(place) => {
            let (a, b) = found.pairs[place];
            Err(Error::input(format!("the similarity of the found pair {a}, {b} is not a number")))
        }
        None => Ok(()),
    }
}

pub fn truth(documents: u32, truth: &Truth) -> Result<()> {
    match truth {
        Truth::Pairs { pairs: list, .. } => {
            pairs(documents, "labelled", list.iter().map(|&(a, b, _)| (a, b)))
        }
        Truth::Clusters(labels) => length(documents, "true clusters", labels.len()),
    }
}

pub fn options(documents: u32, options: &MetricOptions) -> Result<()> {
    if !options.cost.is_finite() || options.cost < 0.0 {
        return Err(Error::config(format!(
            "the cost of a matched legitimate document is {}; give a number from 0",
            options.cost
        )));
    }
    if let Some(query) = options.queries.iter().flatten().find(|&&query| query >= documents) {
        return Err(Error::input(format!(
            "the query {query} is not a document: they are numbered from 0 to below {documents}"
        )));
    }
    if let Some(groups) = &options.drawn_together {
        length(documents, "groups that were drawn together", groups.len())?;
    }
    options
        .legitimate
        .as_ref()
        .map_or(Ok(()), |marks| length(documents, "marks of legitimate documents", marks.len()))
}

fn length(documents: u32, what: &str, given: usize) -> Result<()> {
    if given == documents as usize {
        return Ok(());
    }
    Err(Error::input(format!("{what} are given for {given} documents, but there are {documents}")))
}

pub fn pairs(documents: u32, kind: &str, pairs: impl Iterator<Item = (u32, u32)>) -> Result<()> {
    let mut last = None;
    for (a, b) in pairs {
        if a >= b || b >= documents {
            return Err(Error::input(format!(
                "the {kind} pair {a}, {b} is not one of {documents} documents with the smaller number first"
            )));
        }
        if last.is_some_and(|last| last >= (a, b)) {
            return Err(Error::input(format!(
                "the {kind} pair {a}, {b} is there twice or out of order; sort the pairs and drop repeats"
            )));
        }
        last = Some((a, b));
    }
    Ok(())
}
