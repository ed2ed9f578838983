//! Clusters of verified pairs.

use std::collections::BTreeMap;
use std::sync::Arc;

use arrow_array::builder::FixedSizeBinaryBuilder;
use arrow_array::{Float64Array, RecordBatch};
use arrow_schema::{DataType, Field, Schema};
use lookalike_core::cluster::Edge;
use lookalike_core::{Error, Result};
use lookalike_engine::Pipeline;

use super::columns::{WIDE, numbers, shares, wide};
use crate::values::{Table, arrow_error};

/// Clusters documents by their verified pairs.
///
/// In: `edges` with `a`, `b` (16 bytes) and `similarity`; `documents` with `document` (16 bytes) and `rank` (uint64, the
/// best in keep order has the smallest). Out, a row for each document of a cluster, masters too: `document`, `master`,
/// `similarity` to the master. Connected documents must come together.
pub fn cluster(pipeline: &Pipeline, edges: &Table, documents: &Table) -> Result<Table> {
    let mut ranked: Vec<(u64, u128)> = Vec::new();
    for batch in documents.batches() {
        let ranks = numbers(batch, "rank")?;
        for (row, document) in wide(batch, "document")?.into_iter().enumerate() {
            let document = document.ok_or_else(|| Error::Input("a document has no key".to_owned()))?;
            ranked.push((ranks.value(row), document));
        }
    }
    ranked.sort_unstable();
    ranked.dedup();
    let places: BTreeMap<u128, u32> =
        ranked.iter().zip(0..).map(|(&(_, document), place)| (document, place)).collect();
    if places.len() != ranked.len() {
        return Err(Error::Input("a document has two ranks".to_owned()));
    }
    let mut between: BTreeMap<(u32, u32), f64> = BTreeMap::new();
    for batch in edges.batches() {
        let similarities = shares(batch, "similarity")?;
        let (a, b) = (wide(batch, "a")?, wide(batch, "b")?);
        for ((a, b), &similarity) in a.into_iter().zip(b).zip(similarities) {
            let place = |document: Option<u128>| document.and_then(|document| places.get(&document)).copied();
            let (Some(a), Some(b)) = (place(a), place(b)) else {
                return Err(Error::Input("a pair has a document that has no rank".to_owned()));
            };
            if a == b {
                return Err(Error::Input("a document is paired with itself".to_owned()));
            }
            between.insert((a.min(b), a.max(b)), similarity);
        }
    }
    let edges: Vec<Edge> = between.iter().map(|(&(a, b), &similarity)| Edge { a, b, similarity }).collect();
    let (mut members, mut masters) = (FixedSizeBinaryBuilder::new(WIDE), FixedSizeBinaryBuilder::new(WIDE));
    let mut similarities = Vec::new();
    let key = |place: u32| ranked[place as usize].1.to_le_bytes();
    for found in pipeline.clusterer.cluster(ranked.len() as u32, 0, &edges) {
        for &place in std::iter::once(&found.master).chain(&found.members) {
            members.append_value(key(place)).map_err(arrow_error)?;
            masters.append_value(key(found.master)).map_err(arrow_error)?;
            let pair = (place.min(found.master), place.max(found.master));
            similarities.push(if place == found.master { Some(1.0) } else { between.get(&pair).copied() });
        }
    }
    let kind = DataType::FixedSizeBinary(WIDE);
    let columns =
        [("document", kind.clone(), false), ("master", kind, false), ("similarity", DataType::Float64, true)];
    let schema =
        Arc::new(Schema::new(columns.map(|(name, kind, nulls)| Field::new(name, kind, nulls)).to_vec()));
    let batch = RecordBatch::try_new(
        schema.clone(),
        vec![
            Arc::new(members.finish()),
            Arc::new(masters.finish()),
            Arc::new(Float64Array::from(similarities)),
        ],
    );
    Table::new(schema, vec![batch.map_err(arrow_error)?])
}
