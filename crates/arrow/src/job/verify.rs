//! Documents at the places where they are compared → verified pairs.

use std::collections::HashMap;
use std::collections::VecDeque;
use std::sync::Arc;

use arrow_array::builder::{BinaryBuilder, Float64Builder, Int32Builder, Int64Builder, StringBuilder};
use arrow_array::cast::AsArray;
use arrow_array::types::{Int32Type, Int64Type};
use arrow_array::{Array, ArrayRef, RecordBatch};
use lookalike_core::decide::{Because, NO_REASON, Overlap};
use lookalike_core::difference::Difference;
use lookalike_core::document::Id;
use lookalike_core::features::FeatureSet;
use lookalike_core::streams::{StreamAgreement, Streams};
use lookalike_core::{Error, Result};
use lookalike_engine::pipeline::{Compare, Compared, JoinRecords, Signatures, Verify as How};

use super::documents::{Entry, for_each};
use super::pack::{Reader, broken};
use super::{Plan, Step, is_known};
use crate::kernels::columns::column;
use crate::texts::bytes_at;
use crate::values::arrow_error;

/// What is asked of a pair: whether the two are near-duplicates, how their texts differ, or else how alike they are.
const DECIDE: i32 = 0;
const DIFFER: i32 = 2;
/// People called the two duplicates: only how alike they are is left to say.
const DECIDED: i32 = 3;
/// A row that counts: pairs that were compared (`a`) and candidates among them (`b`).
const COUNTS: i32 = -1;
/// A row that counts the candidates (`b`) of a branch (`a`).
const BRANCH: i32 = -2;

/// In: `number`, `hub`, `part`, `partners`, `row`, sorted by hub and part, the hub first.
///
/// Out: `ask`, `a`, `b` (the smaller number first), `similarity`, `found_by`, `evidence`, and of both `id`, `key`, `order`; for pairs
/// that are near-duplicates, or whose similarity or difference alone was asked for. At the end a row of counts.
pub struct Verify {
    plan: Arc<Plan>,
    place: Option<(i64, i32)>,
    hub: Side,
    other: Side,
    /// The partners of the hub that have not come yet: found by, ask.
    partners: HashMap<i64, (i32, i32)>,
    compared: i64,
    candidates: i64,
    by_branch: Vec<i64>,
    out: Columns,
    ready: VecDeque<RecordBatch>,
}

/// One of two documents, in memory that is reused.
#[derive(Default)]
struct Side {
    number: i64,
    key: u128,
    id: String,
    order: Vec<u8>,
    text: String,
    signatures: Signatures,
    records: JoinRecords,
    set: FeatureSet,
    streams: Streams,
}

impl Side {
    fn fill(&mut self, plan: &Plan, number: i64, entry: &Entry<'_>) {
        let Plan { pipeline, plan: fields, lookup, .. } = plan;
        let document = &entry.document;
        (self.number, self.key) = (number, entry.key);
        self.id.clear();
        self.id.push_str(entry.id.json());
        self.order = plan.about(is_known(number), entry).1;
        self.text.clear();
        self.text.push_str(&document.text);
        if pipeline.verify == How::Estimate {
            self.signatures.fill(pipeline, fields, document);
        } else {
            self.signatures.fill_features(pipeline, document);
        }
        if lookup.needs_records(u32::MAX) {
            self.signatures.fill_records(pipeline, fields, document, &mut self.records);
        }
        self.signatures.fill_set(pipeline, fields, document, &mut self.set);
        fields.fill_streams(document, &mut self.streams);
    }

    fn compared(&self) -> Compared<'_> {
        Compared { features: &self.set, text: &self.text, streams: &self.streams }
    }
}

#[derive(Default)]
struct Columns {
    ask: Int32Builder,
    numbers: [Int64Builder; 2],
    similarity: Float64Builder,
    found_by: Int32Builder,
    evidence: BinaryBuilder,
    ids: [StringBuilder; 2],
    keys: [BinaryBuilder; 2],
    orders: [BinaryBuilder; 2],
}

impl Columns {
    fn push(&mut self, ask: i32, sides: [&Side; 2], similarity: Option<f64>, evidence: &Evidence) {
        self.ask.append_value(ask);
        self.similarity.append_option(similarity);
        self.found_by.append_value(evidence.found_by as i32);
        self.evidence.append_value(evidence.to_bytes());
        for (place, side) in sides.into_iter().enumerate() {
            self.numbers[place].append_value(side.number);
            self.ids[place].append_value(&side.id);
            self.keys[place].append_value(side.key.to_le_bytes());
            self.orders[place].append_value(&side.order);
        }
    }

    fn count(&mut self, ask: i32, counts: [i64; 2]) {
        self.ask.append_value(ask);
        self.similarity.append_null();
        self.found_by.append_null();
        self.evidence.append_null();
        for (place, count) in counts.into_iter().enumerate() {
            self.numbers[place].append_value(count);
            self.ids[place].append_null();
            self.keys[place].append_null();
            self.orders[place].append_null();
        }
    }

    fn take(&mut self) -> Result<RecordBatch> {
        let Columns { ask, numbers: [a, b], similarity, found_by, evidence, ids, keys, orders } = self;
        let ([id_a, id_b], [key_a, key_b], [order_a, order_b]) = (ids, keys, orders);
        RecordBatch::try_from_iter_with_nullable([
            ("ask", Arc::new(ask.finish()) as ArrayRef, true),
            ("a", Arc::new(a.finish()), true),
            ("b", Arc::new(b.finish()), true),
            ("similarity", Arc::new(similarity.finish()), true),
            ("found_by", Arc::new(found_by.finish()), true),
            ("evidence", Arc::new(evidence.finish()), true),
            ("id_a", Arc::new(id_a.finish()), true),
            ("id_b", Arc::new(id_b.finish()), true),
            ("key_a", Arc::new(key_a.finish()), true),
            ("key_b", Arc::new(key_b.finish()), true),
            ("order_a", Arc::new(order_a.finish()), true),
            ("order_b", Arc::new(order_b.finish()), true),
        ])
        .map_err(arrow_error)
    }
}

impl Verify {
    /// Compares by the recipe of a plan.
    pub fn new(plan: Arc<Plan>) -> Verify {
        let by_branch = vec![0; plan.pipeline.branches.len()];
        Verify {
            plan,
            place: None,
            hub: Side::default(),
            other: Side::default(),
            partners: HashMap::new(),
            compared: 0,
            candidates: 0,
            by_branch,
            out: Columns::default(),
            ready: VecDeque::new(),
        }
    }

    fn come(
        &mut self,
        place: (i64, i32),
        number: i64,
        partners: Option<&[u8]>,
        entry: &Entry<'_>,
    ) -> Result<()> {
        if number == place.0 {
            // Rows that cannot be told apart come twice.
            if self.place == Some(place) {
                return Ok(());
            }
            self.check_all_came()?;
            let mut reader = Reader(partners.ok_or_else(broken)?);
            while !reader.0.is_empty() {
                let partner = reader.number()? as i64;
                let found_by = i32::from_le_bytes(reader.take()?);
                self.partners.insert(partner, (found_by, i32::from_le_bytes(reader.take()?)));
            }
            self.place = Some(place);
            self.hub.fill(&self.plan, number, entry);
            return Ok(());
        }
        if self.place != Some(place) {
            return Err(changed());
        }
        let Some((found_by, ask)) = self.partners.remove(&number) else { return Ok(()) };
        self.other.fill(&self.plan, number, entry);
        self.compare(found_by, ask);
        Ok(())
    }

    fn check_all_came(&self) -> Result<()> {
        if self.partners.is_empty() { Ok(()) } else { Err(changed()) }
    }

    fn compare(&mut self, found_by: i32, ask: i32) {
        let Plan { pipeline, lookup, .. } = &*self.plan;
        let sides = if self.hub.number < self.other.number {
            [&self.hub, &self.other]
        } else {
            [&self.other, &self.hub]
        };
        let [a, b] = sides;
        self.compared += 1;
        if ask == DIFFER {
            let differs = pipeline.differs((&a.text, &a.streams), (&b.text, &b.streams));
            let evidence = Evidence {
                difference: Some(differs.difference),
                streams: differs.streams,
                ..Evidence::default()
            };
            return self.out.push(ask, sides, None, &evidence);
        }
        let mut found_by = found_by as u32;
        if ask == DECIDE {
            if lookup.needs_records(found_by) {
                found_by = lookup.confirmed(found_by, &a.records, &b.records);
            }
            for (branch, count) in self.by_branch.iter_mut().enumerate() {
                *count += i64::from(found_by >> branch & 1);
            }
            if !pipeline.has_votes(found_by) {
                return;
            }
            self.candidates += 1;
        }
        let asked = if ask == DECIDE { Compare::Decide } else { Compare::Measure };
        let (verdict, difference, streams) = if pipeline.verify == How::Estimate && ask != DECIDED {
            let Some(verdict) = pipeline.estimate(asked, &a.signatures.stored, &b.signatures.stored) else {
                return;
            };
            (verdict, None, StreamAgreement::NONE)
        } else {
            let Some(judged) = pipeline.compare(asked, a.compared(), b.compared()) else { return };
            (judged.verdict, Some(judged.difference), judged.streams)
        };
        let found_by = if ask == DECIDE { found_by } else { 0 };
        let decided = ask == DECIDED;
        let (overlap, because) = (verdict.overlap, verdict.because);
        let evidence = Evidence { found_by, decided, overlap, because, difference, streams };
        self.out.push(ask, sides, Some(verdict.similarity), &evidence);
    }
}

impl Step for Verify {
    fn push(&mut self, batch: &RecordBatch) -> Result<()> {
        let numbers = column(batch, "number")?.as_primitive_opt::<Int64Type>().ok_or_else(broken)?;
        let hubs = column(batch, "hub")?.as_primitive_opt::<Int64Type>().ok_or_else(broken)?;
        let parts = column(batch, "part")?.as_primitive_opt::<Int32Type>().ok_or_else(broken)?;
        let partners = column(batch, "partners")?;
        let plan = self.plan.clone();
        for_each(&plan, batch, &mut |row, entry| {
            let entry = entry.map_err(|_| changed())?;
            let of_hub = partners.is_valid(row).then(|| bytes_at(partners, row)).flatten();
            self.come((hubs.value(row), parts.value(row)), numbers.value(row), of_hub, &entry)
        })?;
        self.ready.push_back(self.out.take()?);
        Ok(())
    }

    fn end(&mut self) -> Result<()> {
        self.check_all_came()?;
        self.out.count(COUNTS, [self.compared, self.candidates]);
        for (branch, &count) in self.by_branch.iter().enumerate() {
            self.out.count(BRANCH, [branch as i64, count]);
        }
        self.ready.push_back(self.out.take()?);
        Ok(())
    }

    fn pull(&mut self) -> Result<Option<RecordBatch>> {
        Ok(self.ready.pop_front())
    }
}

fn changed() -> Error {
    Error::Input(
        "a document is not what it was when the job began: the input must stay the same until it ends"
            .to_owned(),
    )
}

/// What is known of a verified pair besides its similarity.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Evidence {
    pub found_by: u32,
    pub decided: bool,
    pub overlap: Option<Overlap>,
    pub because: Because,
    pub difference: Option<Difference>,
    pub streams: StreamAgreement,
}

impl Default for Evidence {
    fn default() -> Self {
        let streams = StreamAgreement::NONE;
        Evidence { found_by: 0, decided: false, overlap: None, because: NO_REASON, difference: None, streams }
    }
}

impl Evidence {
    fn to_bytes(self) -> Vec<u8> {
        let overlap = self.overlap.unwrap_or_default();
        let mut bytes = Vec::with_capacity(24);
        for part in [self.found_by, overlap.shared, overlap.a, overlap.b] {
            bytes.extend(part.to_le_bytes());
        }
        bytes.push(u8::from(self.decided));
        bytes.extend(self.because.map(|reason| reason as u8));
        bytes.extend(self.difference.map_or(0, Difference::bits).to_le_bytes());
        if self.streams.told().is_some() {
            bytes.extend(self.streams.to_bytes());
        }
        bytes
    }

    pub fn from_bytes(bytes: &[u8]) -> Result<Evidence> {
        let mut reader = Reader(bytes);
        let mut number = || reader.take().map(u32::from_le_bytes);
        let (found_by, shared, a, b) = (number()?, number()?, number()?, number()?);
        let decided = reader.take::<1>()? == [1];
        let because = reader.take::<3>()?.map(|byte| byte as i8);
        let difference = Difference::from_bits(u16::from_le_bytes(reader.take()?));
        let streams = StreamAgreement::from_bytes(reader.0).unwrap_or(StreamAgreement::NONE);
        let overlap = (a > 0).then_some(Overlap { shared, a, b });
        Ok(Evidence { found_by, decided, overlap, because, difference, streams })
    }

    /// The same, told from the other document.
    pub fn swapped(self) -> Evidence {
        let difference = self.difference.map(Difference::reversed);
        Evidence { overlap: self.overlap.map(|overlap| overlap.swapped()), difference, ..self }
    }
}

/// Whether the first of two ids, given as JSON, comes after the second.
pub(super) fn comes_after(a: &str, b: &str) -> bool {
    Id::compare(a, b).is_gt()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn evidence_comes_back() {
        let told = Evidence {
            found_by: 5,
            decided: true,
            overlap: Some(Overlap { shared: 7, a: 8, b: 9 }),
            because: [1, -2, 0],
            difference: Some(Difference::between("one two 3", "one 4")),
            streams: StreamAgreement::NONE,
        };
        assert_eq!(Evidence::from_bytes(&told.to_bytes()).unwrap(), told);
        assert_eq!(told.swapped().swapped(), told);
        assert!(Evidence::from_bytes(&told.to_bytes()[..9]).is_err());
    }
}
