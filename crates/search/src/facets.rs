//! Counts clusters by field, and filters them by field.
//!
//! Both use the one document that represents a cluster, so a filter leaves exactly as many clusters as its count
//! says.

use std::collections::BTreeMap;

use tantivy::columnar::StrColumn;

use crate::collapse::Cluster;
use crate::schema::{column, cut_value};
use crate::snapshot::{Place, Snapshot};

/// How many of the most frequent values a count lists.
pub const MOST_VALUES: usize = 100;

/// Keeps the clusters whose fields each have one of the wanted values.
pub(crate) fn filter(
    clusters: &[Cluster],
    kept: &mut Vec<u32>,
    wanted: &BTreeMap<usize, Vec<String>>,
    snapshot: &Snapshot,
) -> tantivy::Result<()> {
    for (&field, values) in wanted {
        let columns = columns(snapshot, field)?;
        let mut ordinals: Vec<Vec<u64>> = Vec::with_capacity(columns.len());
        for column in &columns {
            let mut known = Vec::new();
            for value in values {
                if let Some(column) = column {
                    known.extend(column.dictionary().term_ord(cut_value(value))?);
                }
            }
            ordinals.push(known);
        }
        kept.retain(|&at| {
            let place = clusters[at as usize].shown_place(snapshot);
            let ordinal = ordinal(&columns, place);
            ordinal.is_some_and(|ordinal| ordinals[place.segment as usize].contains(&ordinal))
        });
    }
    Ok(())
}

/// How many clusters have each value, the most frequent first, then by value.
pub(crate) fn count(
    clusters: &[Cluster],
    kept: &[u32],
    field: usize,
    snapshot: &Snapshot,
) -> tantivy::Result<Vec<(String, u64)>> {
    let columns = columns(snapshot, field)?;
    let terms = |column: &Option<StrColumn>| column.as_ref().map_or(0, |column| column.num_terms());
    let mut by_ordinal: Vec<Vec<u64>> = columns.iter().map(|column| vec![0; terms(column)]).collect();
    for &at in kept {
        let place = clusters[at as usize].shown_place(snapshot);
        if let Some(ordinal) = ordinal(&columns, place) {
            by_ordinal[place.segment as usize][ordinal as usize] += 1;
        }
    }
    let mut by_value: BTreeMap<String, u64> = BTreeMap::new();
    for (column, counts) in columns.iter().zip(&by_ordinal) {
        let Some(column) = column else { continue };
        let met: Vec<u64> =
            (0..counts.len() as u64).filter(|&ordinal| counts[ordinal as usize] > 0).collect();
        let mut next = met.iter();
        column.dictionary().sorted_ords_to_term_cb(&met, |value| {
            let count = next.next().map_or(0, |&ordinal| counts[ordinal as usize]);
            *by_value.entry(String::from_utf8_lossy(value).into_owned()).or_default() += count;
        })?;
    }
    let mut values: Vec<(String, u64)> = by_value.into_iter().collect();
    // Stable: values stay in order among those of equal count.
    values.sort_by_key(|value| std::cmp::Reverse(value.1));
    values.truncate(MOST_VALUES);
    Ok(values)
}

/// The field's column in each segment, where any document has the field.
fn columns(snapshot: &Snapshot, field: usize) -> tantivy::Result<Vec<Option<StrColumn>>> {
    let name = column(field);
    snapshot.searcher.segment_readers().iter().map(|reader| reader.fast_fields().str(&name)).collect()
}

fn ordinal(columns: &[Option<StrColumn>], place: Place) -> Option<u64> {
    columns[place.segment as usize].as_ref()?.ords().first(place.document)
}
