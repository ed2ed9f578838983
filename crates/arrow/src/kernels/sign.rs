//! What documents are found by.

use std::sync::Arc;

use arrow_array::builder::{FixedSizeBinaryBuilder, ListBuilder, StringBuilder, UInt64Builder};
use arrow_array::{ArrayRef, ListArray, RecordBatch, StructArray, UInt32Array, UInt64Array};
use arrow_buffer::OffsetBuffer;
use arrow_schema::{DataType, Field, Fields as Columns, Schema, SchemaRef};
use lookalike_core::threads::try_spread;
use lookalike_core::{Error, Result, hash};
use lookalike_engine::Pipeline;
use lookalike_engine::pipeline::{FieldPlan, JoinRecords, Lookup, Signatures};
use lookalike_engine::run::Job;
use lookalike_io::record::{Fields, Record};

use super::columns::WIDE;
use crate::source::{ChunkOfRows, Parser, TableSource};
use crate::values::{Table, arrow_error};

/// What each row of a table is found by, in their order. Of the job, fields, threads and the longest text count.
///
/// | column | what |
/// |---|---|
/// | `id` | the row's id as JSON, if it has one |
/// | `document` | 128 bits of the id, or of nothing |
/// | `digest` | 128 bits of all features: exact copies share it; null if there is nothing to compare |
/// | `signature` | the signature, for recipes with one |
/// | `keys` | two documents with an equal key are candidates, each with the number of its branch |
/// | `sought`, `ranges` | for methods that look under other keys than those they are kept under |
/// | `keep` | scores of the keep rules, the larger the better |
/// | `size` | bytes of the text |
/// | `reason` | why a row is no document |
pub fn sign(pipeline: &Pipeline, job: &Job, table: &Table) -> Result<Table> {
    let (fields, plan) = job.fields(pipeline);
    let source = TableSource::new(table, None, &fields, job.max_line)?;
    let lookup = Lookup::new(pipeline);
    lookup.check_answers()?;
    let schema = schema(pipeline);
    let signing =
        Signing { pipeline, plan: &plan, fields: &fields, source: &source, lookup: &lookup, schema: &schema };
    let state = || (Signatures::default(), JoinRecords::default());
    let batches = try_spread(job.threads, source.chunks(), state, |(signatures, records), chunk| {
        signing.batch(chunk, signatures, records)
    })?;
    Table::new(schema.clone(), batches)
}

fn schema(pipeline: &Pipeline) -> SchemaRef {
    let list = |inner: DataType| DataType::List(Arc::new(Field::new_list_field(inner, true)));
    let mut columns = vec![
        Field::new("id", DataType::Utf8, true),
        Field::new("document", DataType::FixedSizeBinary(WIDE), true),
        Field::new("digest", DataType::FixedSizeBinary(WIDE), true),
    ];
    if let Some(width) = signature_width(pipeline) {
        columns.push(Field::new("signature", DataType::FixedSizeBinary(width), true));
    }
    columns.extend([
        Field::new("keys", list(DataType::Struct(key_columns())), true),
        Field::new("sought", list(DataType::Struct(key_columns())), true),
        Field::new("ranges", list(DataType::Struct(range_columns())), true),
        Field::new("keep", list(DataType::UInt64), true),
        Field::new("size", DataType::UInt64, true),
        Field::new("reason", DataType::Utf8, true),
    ]);
    Arc::new(Schema::new(columns))
}

fn key_columns() -> Columns {
    [("branch", DataType::UInt32), ("key", DataType::UInt64)]
        .map(|(name, kind)| Field::new(name, kind, true))
        .into_iter()
        .collect()
}

fn range_columns() -> Columns {
    let columns = [("branch", DataType::UInt32), ("first", DataType::UInt64), ("last", DataType::UInt64)];
    columns.map(|(name, kind)| Field::new(name, kind, true)).into_iter().collect()
}

/// Bytes of the signature, if there is one.
fn signature_width(pipeline: &Pipeline) -> Option<i32> {
    let [branch] = &pipeline.branches[..] else { return None };
    let width = i32::try_from(branch.signer.width()).ok()?;
    (branch.signs() && width > 0).then_some(width)
}

struct Signing<'a> {
    pipeline: &'a Pipeline,
    plan: &'a FieldPlan,
    fields: &'a Fields,
    source: &'a TableSource,
    lookup: &'a Lookup,
    schema: &'a SchemaRef,
}

impl Signing<'_> {
    fn batch(
        &self,
        chunk: &ChunkOfRows,
        signatures: &mut Signatures,
        records: &mut JoinRecords,
    ) -> Result<RecordBatch> {
        let mut out = SignedColumns::new(chunk.rows, signature_width(self.pipeline));
        let mut parser = Parser::new(self.fields);
        self.source.visit(chunk, &mut parser, &mut |entry| match entry.record {
            Ok(record) => self.sign(&record, signatures, records, &mut out),
            Err(reason) => out.reject(&reason),
        })?;
        RecordBatch::try_new(self.schema.clone(), out.finish()?).map_err(arrow_error)
    }

    fn sign(
        &self,
        record: &Record<'_>,
        signatures: &mut Signatures,
        records: &mut JoinRecords,
        out: &mut SignedColumns,
    ) -> Result<()> {
        let document = &record.document;
        let signed = signatures.fill(self.pipeline, self.plan, document);
        signatures.fill_records(self.pipeline, self.plan, document, records);
        let entry = self.lookup.entry(signatures, records);
        let id = record.id.as_ref().map(|id| id.json());
        out.id.append_option(id);
        wide(
            &mut out.document,
            id.map(|id| hash::digest(&[hash::text(id.as_bytes()), hash::bytes(id.as_bytes())])),
        )?;
        wide(&mut out.digest, signed.digest)?;
        if let Some(column) = &mut out.signature {
            match signatures.signature() {
                Some(signature) => column.append_value(signature).map_err(arrow_error)?,
                None => column.append_null(),
            }
        }
        out.keys.append(entry.kept.iter().map(|&(branch, key)| (branch, [key])));
        // Where a document looks under its own keys, they are not told twice.
        let sought = if entry.sought.keys == entry.kept { &[][..] } else { &entry.sought.keys };
        out.sought.append(sought.iter().map(|&(branch, key)| (branch, [key])));
        let ranges = entry.sought.ranges.iter();
        out.ranges.append(ranges.map(|&(branch, range)| (branch, [range.first, range.last])));
        let mut scores = Vec::new();
        self.pipeline.keep_scores(self.plan, document, "", &mut scores);
        out.keep.append_value(scores.into_iter().map(Some));
        out.size.append_value(document.text.len() as u64);
        out.reason.append_null();
        Ok(())
    }
}

fn wide(column: &mut FixedSizeBinaryBuilder, number: Option<u128>) -> Result<()> {
    match number {
        Some(number) => column.append_value(number.to_le_bytes()).map_err(arrow_error),
        None => {
            column.append_null();
            Ok(())
        }
    }
}

/// A column of lists of keys, or of ranges: the branch of each, and its numbers.
struct KeyLists {
    columns: Columns,
    ends: Vec<i32>,
    branches: Vec<u32>,
    numbers: Vec<Vec<u64>>,
}

impl KeyLists {
    fn new(columns: Columns) -> KeyLists {
        let numbers = vec![Vec::new(); columns.len() - 1];
        KeyLists { columns, ends: vec![0], branches: Vec::new(), numbers }
    }

    /// Appends a row.
    fn append<const N: usize>(&mut self, keys: impl Iterator<Item = (u8, [u64; N])>) {
        for (branch, numbers) in keys {
            self.branches.push(u32::from(branch));
            for (column, number) in self.numbers.iter_mut().zip(numbers) {
                column.push(number);
            }
        }
        // A chunk has far fewer keys than that.
        self.ends.push(i32::try_from(self.branches.len()).unwrap_or(i32::MAX));
    }

    fn finish(self) -> Result<ArrayRef> {
        let mut columns: Vec<ArrayRef> = vec![Arc::new(UInt32Array::from(self.branches))];
        columns
            .extend(self.numbers.into_iter().map(|numbers| Arc::new(UInt64Array::from(numbers)) as ArrayRef));
        let keys = StructArray::try_new(self.columns.clone(), columns, None).map_err(arrow_error)?;
        let field = Arc::new(Field::new_list_field(DataType::Struct(self.columns), true));
        let ends = OffsetBuffer::new(self.ends.into());
        Ok(Arc::new(ListArray::try_new(field, ends, Arc::new(keys), None).map_err(arrow_error)?))
    }
}

struct SignedColumns {
    id: StringBuilder,
    document: FixedSizeBinaryBuilder,
    digest: FixedSizeBinaryBuilder,
    signature: Option<FixedSizeBinaryBuilder>,
    keys: KeyLists,
    sought: KeyLists,
    ranges: KeyLists,
    keep: ListBuilder<UInt64Builder>,
    size: UInt64Builder,
    reason: StringBuilder,
}

impl SignedColumns {
    fn new(rows: usize, signature: Option<i32>) -> Self {
        SignedColumns {
            id: StringBuilder::new(),
            document: FixedSizeBinaryBuilder::with_capacity(rows, WIDE),
            digest: FixedSizeBinaryBuilder::with_capacity(rows, WIDE),
            signature: signature.map(|width| FixedSizeBinaryBuilder::with_capacity(rows, width)),
            keys: KeyLists::new(key_columns()),
            sought: KeyLists::new(key_columns()),
            ranges: KeyLists::new(range_columns()),
            keep: ListBuilder::new(UInt64Builder::new()),
            size: UInt64Builder::with_capacity(rows),
            reason: StringBuilder::new(),
        }
    }

    /// A row that is no document.
    fn reject(&mut self, reason: &str) -> Result<(), Error> {
        self.id.append_null();
        self.document.append_null();
        self.digest.append_null();
        if let Some(signature) = &mut self.signature {
            signature.append_null();
        }
        for lists in [&mut self.keys, &mut self.sought, &mut self.ranges] {
            lists.append::<0>(std::iter::empty());
        }
        self.keep.append_value(std::iter::empty());
        self.size.append_null();
        self.reason.append_value(reason);
        Ok(())
    }

    fn finish(mut self) -> Result<Vec<ArrayRef>> {
        let mut columns: Vec<ArrayRef> = vec![
            Arc::new(self.id.finish()),
            Arc::new(self.document.finish()),
            Arc::new(self.digest.finish()),
        ];
        if let Some(mut signature) = self.signature {
            columns.push(Arc::new(signature.finish()));
        }
        columns.push(self.keys.finish()?);
        columns.push(self.sought.finish()?);
        columns.push(self.ranges.finish()?);
        columns.push(Arc::new(self.keep.finish()));
        columns.push(Arc::new(self.size.finish()));
        columns.push(Arc::new(self.reason.finish()));
        Ok(columns)
    }
}
