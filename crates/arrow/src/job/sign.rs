//! Documents → what each is found by.

use std::collections::VecDeque;
use std::sync::Arc;

use arrow_array::builder::{BinaryBuilder, BooleanBuilder, Int64Builder, StringBuilder};
use arrow_array::cast::AsArray;
use arrow_array::types::Int32Type;
use arrow_array::{ArrayRef, RecordBatch};
use lookalike_core::{Error, Result, hash};
use lookalike_engine::pipeline::{JoinRecords, Signatures};

use super::documents::{Entry, for_each};
use super::{OWN, Plan, Step, pack};
use crate::kernels::columns::column;
use crate::values::arrow_error;

/// The bit in the hash of a text that says that the document also has streams.
pub(super) const HAS_STREAMS: i64 = 1;

/// Bits of a document's number that count within its partition.
const ROW_BITS: u32 = 36;

/// In: `row`, and `partition` (int32), the same in all rows.
///
/// Out, a row for each document: `number`, `key`, `id` (as JSON), `digest` (null if there is nothing to compare), `order`,
/// `text` (a hash), `signed`, `lookup`, `said` (the names by which decisions know it); for each row that is none, only its
/// `reason`.
pub struct Sign {
    plan: Arc<Plan>,
    is_known: bool,
    next: i64,
    signatures: Signatures,
    records: JoinRecords,
    ready: VecDeque<RecordBatch>,
}

impl Sign {
    /// `is_known`: the documents are those of the corpus compared against.
    pub fn new(plan: Arc<Plan>, is_known: bool) -> Sign {
        let (signatures, records) = Default::default();
        Sign { plan, is_known, next: 0, signatures, records, ready: VecDeque::new() }
    }

    fn number(&mut self, partition: i32) -> Result<i64> {
        if self.next >= 1 << ROW_BITS || !(0..1 << (62 - ROW_BITS)).contains(&i64::from(partition)) {
            return Err(Error::Input(
                "there are too many documents or partitions: use larger partitions".to_owned(),
            ));
        }
        let own = if self.is_known { 0 } else { OWN };
        self.next += 1;
        Ok(own | i64::from(partition) << ROW_BITS | (self.next - 1))
    }
}

#[derive(Default)]
struct Columns {
    number: Int64Builder,
    key: BinaryBuilder,
    id: StringBuilder,
    digest: BinaryBuilder,
    order: BinaryBuilder,
    text: Int64Builder,
    signed: BooleanBuilder,
    lookup: BinaryBuilder,
    reason: StringBuilder,
    said: StringBuilder,
}

impl Columns {
    fn reject(&mut self, reason: &str) {
        self.number.append_null();
        self.key.append_null();
        self.id.append_null();
        self.digest.append_null();
        self.order.append_null();
        self.text.append_null();
        self.signed.append_null();
        self.lookup.append_null();
        self.reason.append_value(reason);
        self.said.append_null();
    }

    fn finish(mut self) -> Result<RecordBatch> {
        RecordBatch::try_from_iter_with_nullable([
            ("number", Arc::new(self.number.finish()) as ArrayRef, true),
            ("key", Arc::new(self.key.finish()), true),
            ("id", Arc::new(self.id.finish()), true),
            ("digest", Arc::new(self.digest.finish()), true),
            ("order", Arc::new(self.order.finish()), true),
            ("text", Arc::new(self.text.finish()), true),
            ("signed", Arc::new(self.signed.finish()), true),
            ("lookup", Arc::new(self.lookup.finish()), true),
            ("reason", Arc::new(self.reason.finish()), true),
            ("said", Arc::new(self.said.finish()), true),
        ])
        .map_err(arrow_error)
    }
}

impl Step for Sign {
    fn push(&mut self, batch: &RecordBatch) -> Result<()> {
        let partitions = column(batch, "partition")?;
        let partition = match partitions.as_primitive_opt::<Int32Type>() {
            Some(numbers) if !numbers.is_empty() => numbers.value(0),
            Some(_) => return Ok(()),
            None => return Err(Error::Input("column `partition` is not int32".to_owned())),
        };
        let mut out = Columns::default();
        let plan = self.plan.clone();
        for_each(&plan, batch, &mut |_, entry| {
            match entry {
                Ok(entry) => self.sign(partition, &entry, &mut out)?,
                Err(reason) => out.reject(&reason),
            }
            Ok(())
        })?;
        self.ready.push_back(out.finish()?);
        Ok(())
    }

    fn pull(&mut self) -> Result<Option<RecordBatch>> {
        Ok(self.ready.pop_front())
    }
}

impl Sign {
    fn sign(&mut self, partition: i32, entry: &Entry<'_>, out: &mut Columns) -> Result<()> {
        out.number.append_value(self.number(partition)?);
        let Entry { key, id, document, .. } = entry;
        let Plan { pipeline, plan, lookup, .. } = &*self.plan;
        let signed = self.signatures.fill(pipeline, plan, document);
        self.signatures.fill_records(pipeline, plan, document, &mut self.records);
        out.key.append_value(key.to_le_bytes());
        out.id.append_value(id.json());
        out.digest.append_option(signed.digest.map(u128::to_le_bytes));
        let (about, order) = self.plan.about(self.is_known, entry);
        out.order.append_value(order);
        let said: Vec<String> = about.names.iter().map(i32::to_string).collect();
        out.said.append_option((!said.is_empty()).then(|| said.join(",")));
        out.text.append_value(text_hash(&self.plan, entry));
        out.signed.append_value(signed.digest.is_none() || signed.signed);
        out.lookup.append_value(pack::pack(&lookup.entry(&self.signatures, &self.records)));
        out.reason.append_null();
        Ok(())
    }
}

/// Copies that share it do not differ at all, unless they have streams.
fn text_hash(plan: &Plan, entry: &Entry<'_>) -> i64 {
    let text = hash::text(entry.document.text.as_bytes()) as i64 & !HAS_STREAMS;
    if plan.plan.has_streams(&entry.document) { text | HAS_STREAMS } else { text }
}
