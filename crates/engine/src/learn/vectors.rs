//! Similarity vectors of many pairs: documents are read once, pairs compared on all threads.

use std::collections::HashMap;

use lookalike_core::Result;
use lookalike_core::decide::classifier::Vector;
use lookalike_core::document::Document;
use lookalike_core::features::{FeatureSet, Features};

use crate::run::{Job, for_each_document, on_threads};

/// The rows of the pairs' vectors, one after the other.
pub fn vectors(vector: &Vector, job: &Job, pairs: &[(u32, u32)]) -> Result<Vec<f64>> {
    let sets = sets(vector, job, pairs)?;
    let empty = FeatureSet::default();
    let set = |document: u32| sets.get(&document).unwrap_or(&empty);
    let chunk = pairs.len().div_ceil(job.threads.max(1)).max(1);
    let parts: Vec<&[(u32, u32)]> = pairs.chunks(chunk).collect();
    let next = std::sync::atomic::AtomicUsize::new(0);
    let rows = on_threads(parts.len().max(1), || {
        let place = next.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
        let mut values = Vec::new();
        for &(a, b) in parts.get(place).copied().unwrap_or_default() {
            vector.fill(set(a), set(b), &mut values);
        }
        Ok((place, values))
    })?;
    let mut rows = rows;
    rows.sort_unstable_by_key(|&(place, _)| place);
    Ok(rows.into_iter().flat_map(|(_, values)| values).collect())
}

/// What every view sees of the documents in the pairs.
fn sets(vector: &Vector, job: &Job, pairs: &[(u32, u32)]) -> Result<HashMap<u32, FeatureSet>> {
    let mut needed = vec![false; pairs.iter().map(|&(_, b)| b as usize + 1).max().unwrap_or(0)];
    pairs.iter().flat_map(|&(a, b)| [a, b]).for_each(|document| needed[document as usize] = true);
    let mut wanted: Vec<String> = vector.views.iter().flat_map(|view| view.fields()).collect();
    wanted.sort();
    wanted.dedup();
    let places: Vec<Vec<usize>> = vector
        .views
        .iter()
        .map(|view| view.fields().iter().filter_map(|field| wanted.binary_search(field).ok()).collect())
        .collect();
    let (mut sets, mut features) = (HashMap::new(), Features::default());
    for_each_document(job, &wanted, |number, _, document: &Document<'_>| {
        if !needed.get(number as usize).copied().unwrap_or(false) {
            return Ok(());
        }
        let mut set = FeatureSet::default();
        for (view, places) in vector.views.iter().zip(&places) {
            let fields = places.iter().map(|&place| document.fields.get(place).cloned().flatten()).collect();
            let seen = Document { text: document.text.as_ref().into(), fields, position: document.position };
            features.fill(&**view, &seen);
            set.views.push(FeatureSet::from_features(&features));
        }
        sets.insert(number, set);
        Ok(())
    })?;
    Ok(sets)
}
