//! Pairs of the documents of a bucket.

use std::collections::BTreeMap;
use std::sync::Arc;

use arrow_array::builder::FixedSizeBinaryBuilder;
use arrow_array::{RecordBatch, UInt64Array};
use arrow_schema::{DataType, Field, Schema};
use lookalike_core::candidates::Buckets;
use lookalike_core::{Error, Result};
use lookalike_engine::pipeline::pivots;

use super::columns::{WIDE, numbers, wide};
use crate::values::{Table, arrow_error};

/// Pairs the documents of each bucket: all with each other, or, if there are too many, each with a few pivots.
///
/// In: `bucket` (uint64), `document` and `digest` (16 bytes), `rank` (uint64, the best in keep order has the smallest).
/// Out: `a`, `b` (16 bytes, the smaller first), `bucket`. Buckets must be whole.
pub fn candidates(members: &Table) -> Result<Table> {
    let mut buckets: BTreeMap<u64, Vec<(u64, u128, u128)>> = BTreeMap::new();
    for batch in members.batches() {
        let (of, ranks) = (numbers(batch, "bucket")?, numbers(batch, "rank")?);
        let (documents, digests) = (wide(batch, "document")?, wide(batch, "digest")?);
        for row in 0..batch.num_rows() {
            let missing = || Error::Input("a member of a bucket has no document or no digest".to_owned());
            let document = documents[row].ok_or_else(missing)?;
            let digest = digests[row].ok_or_else(missing)?;
            buckets.entry(of.value(row)).or_default().push((ranks.value(row), document, digest));
        }
    }
    let limits = Buckets::default();
    let (mut a, mut b) = (FixedSizeBinaryBuilder::new(WIDE), FixedSizeBinaryBuilder::new(WIDE));
    let mut of = Vec::new();
    for (bucket, mut members) in buckets {
        members.sort_unstable();
        members.dedup();
        let mut push = |x: u128, y: u128| -> Result<()> {
            a.append_value(x.min(y).to_le_bytes()).map_err(arrow_error)?;
            b.append_value(x.max(y).to_le_bytes()).map_err(arrow_error)?;
            of.push(bucket);
            Ok(())
        };
        if members.len() <= limits.full {
            for (place, &(_, x, _)) in members.iter().enumerate() {
                members[place + 1..].iter().try_for_each(|&(_, y, _)| push(x, y))?;
            }
            continue;
        }
        let mut digests: Vec<(u128, u128)> =
            members.iter().map(|&(_, document, digest)| (digest, document)).collect();
        let chosen = pivots(limits, members[0].1, &mut digests);
        for (place, &pivot) in chosen.iter().enumerate() {
            for &(_, document, _) in &members {
                if !chosen[..=place].contains(&document) {
                    push(pivot, document)?;
                }
            }
        }
    }
    let kind = DataType::FixedSizeBinary(WIDE);
    let columns = [("a", kind.clone()), ("b", kind), ("bucket", DataType::UInt64)];
    let schema = Arc::new(Schema::new(columns.map(|(name, kind)| Field::new(name, kind, false)).to_vec()));
    let of = UInt64Array::from(of);
    let batch =
        RecordBatch::try_new(schema.clone(), vec![Arc::new(a.finish()), Arc::new(b.finish()), Arc::new(of)]);
    Table::new(schema, vec![batch.map_err(arrow_error)?])
}
