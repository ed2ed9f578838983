//! The verdict on pairs.

use std::sync::Arc;

use arrow_array::builder::{BooleanBuilder, Float64Builder, ListBuilder, StringBuilder};
use arrow_array::{ArrayRef, RecordBatch};
use arrow_schema::{DataType, Field, Schema};
use lookalike_core::document::Document;
use lookalike_core::features::FeatureSet;
use lookalike_core::streams::Streams;
use lookalike_core::threads::try_spread;
use lookalike_core::{Error, Result};
use lookalike_engine::Pipeline;
use lookalike_engine::corpus::{Source, Span};
use lookalike_engine::pipeline::{
    Compare, Compared, FieldPlan, JoinRecords, Lookup, LookupEntry, Signatures,
};
use lookalike_engine::run::{Job, named};

use crate::source::TableSource;
use crate::values::{Table, arrow_error};

/// How many pairs a thread compares at a time.
const PAIRS_AT_ONCE: u64 = 512;

/// Compares the first row of one table with the first of the other, and so on.
///
/// Out, a row for each pair: `duplicate`, `similarity`, `a_in_b`, `b_in_a`, `difference`, `because`; all null if one of
/// the two is no document. A duplicate is a pair that the recipe accepts and that its own candidates hold: keys only
/// say which pairs may be among them.
pub fn compare(pipeline: &Pipeline, job: &Job, left: &Table, right: &Table) -> Result<Table> {
    if left.rows() != right.rows() {
        return Err(Error::Input(format!(
            "one table has {} rows, the other {}: the rows of both are compared one by one",
            left.rows(),
            right.rows()
        )));
    }
    let (fields, plan) = job.fields(pipeline);
    let sources = [left, right].map(|table| TableSource::new(table, None, &fields, job.max_line));
    let [left, right] = sources;
    let (left, right) = (left?, right?);
    let reasons = pipeline.decider.reasons();
    let chunks: Vec<u64> = (0..left_rows(&left)).step_by(PAIRS_AT_ONCE as usize).collect();
    let schema = schema();
    let rows = left_rows(&left);
    let lookup = Lookup::new(pipeline);
    lookup.check_answers()?;
    let state = || (left.reader(&fields), right.reader(&fields), Side::default(), Side::default());
    let batches = try_spread(job.threads, &chunks, state, |(read_a, read_b, in_a, in_b), &first| {
        let mut out = Columns::default();
        for row in first..(first + PAIRS_AT_ONCE).min(rows) {
            let span = Span { input: 0, offset: row, length: 1, store: None };
            let (Some(a), Some(b)) = (read_a.read(&span)?, read_b.read(&span)?) else {
                out.push_nothing();
                continue;
            };
            for (document, side) in [(&a, &mut *in_a), (&b, &mut *in_b)] {
                side.fill(pipeline, &plan, document, &lookup);
            }
            let x = Compared { features: &in_a.set, text: &a.text, streams: &in_a.streams };
            let y = Compared { features: &in_b.set, text: &b.text, streams: &in_b.streams };
            let is_near = are_candidates(pipeline, &lookup, in_a, in_b)
                && pipeline.compare(Compare::Decide, x, y).is_some();
            let Some(judged) = pipeline.compare(Compare::Measure, x, y) else {
                out.push_nothing();
                continue;
            };
            // Nothing to compare is never a near-duplicate.
            let has_features = !in_a.set.is_empty() && !in_b.set.is_empty();
            out.duplicate.append_value(is_near && has_features);
            out.similarity.append_value(judged.verdict.similarity);
            out.a_in_b.append_option(judged.verdict.overlap.map(|overlap| overlap.a_in_b()));
            out.b_in_a.append_option(judged.verdict.overlap.map(|overlap| overlap.b_in_a()));
            out.difference.append_value(judged.difference.kinds().map(|kind| Some(kind.name())));
            out.because.append_value(named(judged.verdict.because, &reasons).into_iter().map(Some));
        }
        RecordBatch::try_new(schema.clone(), out.finish()).map_err(arrow_error)
    })?;
    Table::new(schema.clone(), batches)
}

/// One of two documents, in memory that is reused.
#[derive(Default)]
struct Side {
    signatures: Signatures,
    records: JoinRecords,
    entry: LookupEntry,
    digest: Option<u128>,
    set: FeatureSet,
    streams: Streams,
}

impl Side {
    fn fill(&mut self, pipeline: &Pipeline, plan: &FieldPlan, document: &Document<'_>, lookup: &Lookup) {
        self.digest = self.signatures.fill(pipeline, plan, document).digest;
        self.signatures.fill_records(pipeline, plan, document, &mut self.records);
        self.entry = lookup.entry(&self.signatures, &self.records);
        self.signatures.fill_set(pipeline, plan, document, &mut self.set);
        plan.fill_streams(document, &mut self.streams);
    }
}

/// Whether enough branches propose the two.
fn are_candidates(pipeline: &Pipeline, lookup: &Lookup, a: &Side, b: &Side) -> bool {
    // Copies are found by their digests.
    if a.digest.is_some() && a.digest == b.digest {
        return true;
    }
    let mut found_by = 0;
    for branch in 0..pipeline.branches.len() as u8 {
        let is_met = |kept: &LookupEntry, seeking: &LookupEntry| {
            let kept = || kept.kept.iter().filter(|(of, _)| *of == branch);
            let keys = seeking.sought.keys.iter().filter(|(of, _)| *of == branch);
            let ranges = seeking.sought.ranges.iter().filter(|(of, _)| *of == branch);
            let by_key = || keys.clone().any(|(_, key)| kept().any(|(_, other)| other == key));
            let by_range = || {
                ranges
                    .clone()
                    .any(|(_, range)| kept().any(|(_, key)| (range.first..=range.last).contains(key)))
            };
            by_key() || by_range()
        };
        if (is_met(&a.entry, &b.entry) || is_met(&b.entry, &a.entry))
            && lookup.is_near(branch, &a.entry.stored, &b.entry.stored)
        {
            found_by |= 1 << branch;
        }
    }
    pipeline.has_votes(lookup.confirmed(found_by, &a.records, &b.records))
}

fn left_rows(source: &TableSource) -> u64 {
    source.chunks().iter().map(|chunk| chunk.rows as u64).sum()
}

fn schema() -> Arc<Schema> {
    let texts = || DataType::List(Arc::new(Field::new_list_field(DataType::Utf8, true)));
    let columns = [
        ("duplicate", DataType::Boolean),
        ("similarity", DataType::Float64),
        ("a_in_b", DataType::Float64),
        ("b_in_a", DataType::Float64),
        ("difference", texts()),
        ("because", texts()),
    ];
    Arc::new(Schema::new(columns.map(|(name, kind)| Field::new(name, kind, true)).to_vec()))
}

struct Columns {
    duplicate: BooleanBuilder,
    similarity: Float64Builder,
    a_in_b: Float64Builder,
    b_in_a: Float64Builder,
    difference: ListBuilder<StringBuilder>,
    because: ListBuilder<StringBuilder>,
}

impl Default for Columns {
    fn default() -> Self {
        Columns {
            duplicate: BooleanBuilder::new(),
            similarity: Float64Builder::new(),
            a_in_b: Float64Builder::new(),
            b_in_a: Float64Builder::new(),
            difference: ListBuilder::new(StringBuilder::new()),
            because: ListBuilder::new(StringBuilder::new()),
        }
    }
}

impl Columns {
    fn push_nothing(&mut self) {
        self.duplicate.append_null();
        self.similarity.append_null();
        self.a_in_b.append_null();
        self.b_in_a.append_null();
        self.difference.append_null();
        self.because.append_null();
    }

    fn finish(mut self) -> Vec<ArrayRef> {
        vec![
            Arc::new(self.duplicate.finish()),
            Arc::new(self.similarity.finish()),
            Arc::new(self.a_in_b.finish()),
            Arc::new(self.b_in_a.finish()),
            Arc::new(self.difference.finish()),
            Arc::new(self.because.finish()),
        ]
    }
}
