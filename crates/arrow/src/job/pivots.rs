//! Members of crowds → those that all others are compared with.

use std::collections::BTreeMap;
use std::sync::Arc;

use arrow_array::builder::{BinaryBuilder, Int32Builder, Int64Builder};
use arrow_array::cast::AsArray;
use arrow_array::types::{Int32Type, Int64Type};
use arrow_array::{ArrayRef, RecordBatch};
use lookalike_core::Result;
use lookalike_core::candidates::Buckets;
use lookalike_engine::pipeline::pivots;

use super::Step;
use super::pack::broken;
use crate::kernels::columns::{column, wide};
use crate::texts::bytes_at;
use crate::values::arrow_error;

/// In and out: `branch`, `bucket`, `number`, `digest`, `order`. Of some members of a crowd those stay that may be pivots of
/// all of it, so that it can be applied to parts and then to what is left of them; `is_last` leaves the pivots alone.
#[derive(Default)]
pub struct Pivots {
    is_last: bool,
    crowds: BTreeMap<(i32, i64), Crowd>,
    is_end: bool,
}

#[derive(Default)]
struct Crowd {
    best: Option<Member>,
    /// Those with the smallest digests, as many as there are pivots.
    smallest: Vec<Member>,
}

#[derive(Clone, PartialEq, Eq, PartialOrd, Ord)]
struct Member {
    order: Vec<u8>,
    number: i64,
    digest: u128,
}

impl Pivots {
    /// `is_last`: all members of a crowd, or what is left of them, are here.
    pub fn new(is_last: bool) -> Pivots {
        Pivots { is_last, ..Pivots::default() }
    }
}

impl Crowd {
    fn add(&mut self, member: Member) {
        if self.best.as_ref().is_none_or(|best| (&member.order, member.number) < (&best.order, best.number)) {
            self.best = Some(member.clone());
        }
        let place = |other: &Member| (other.digest, other.number);
        let at = self.smallest.partition_point(|other| place(other) < place(&member));
        if self.smallest.get(at).is_none_or(|other| other.number != member.number) {
            self.smallest.insert(at, member);
            self.smallest.truncate(Buckets::default().pivots);
        }
    }

    fn left(self, is_last: bool) -> Vec<Member> {
        let Crowd { best, smallest } = self;
        let Some(best) = best else { return smallest };
        if is_last {
            let mut digests: Vec<(u128, i64)> =
                smallest.iter().map(|member| (member.digest, member.number)).collect();
            let numbers = pivots(Buckets::default(), best.number, &mut digests);
            let all = smallest.into_iter().chain([best]);
            let mut chosen: Vec<Member> = all.filter(|member| numbers.contains(&member.number)).collect();
            chosen.sort_by_key(|member| member.number);
            chosen.dedup_by_key(|member| member.number);
            return chosen;
        }
        let mut all = smallest;
        if all.iter().all(|member| member.number != best.number) {
            all.push(best);
        }
        all
    }
}

impl Step for Pivots {
    fn push(&mut self, batch: &RecordBatch) -> Result<()> {
        let branches = column(batch, "branch")?.as_primitive_opt::<Int32Type>().ok_or_else(broken)?;
        let buckets = column(batch, "bucket")?.as_primitive_opt::<Int64Type>().ok_or_else(broken)?;
        let numbers = column(batch, "number")?.as_primitive_opt::<Int64Type>().ok_or_else(broken)?;
        let digests = wide(batch, "digest")?;
        let orders = column(batch, "order")?;
        for (row, digest) in digests.into_iter().enumerate() {
            let order = bytes_at(orders, row).ok_or_else(broken)?.to_vec();
            let member = Member { order, number: numbers.value(row), digest: digest.unwrap_or_default() };
            self.crowds.entry((branches.value(row), buckets.value(row))).or_default().add(member);
        }
        Ok(())
    }

    fn end(&mut self) -> Result<()> {
        self.is_end = true;
        Ok(())
    }

    fn pull(&mut self) -> Result<Option<RecordBatch>> {
        if !self.is_end || self.crowds.is_empty() {
            return Ok(None);
        }
        let (mut branch, mut bucket, mut number) =
            (Int32Builder::new(), Int64Builder::new(), Int64Builder::new());
        let (mut digest, mut order) = (BinaryBuilder::new(), BinaryBuilder::new());
        for ((of, key), crowd) in std::mem::take(&mut self.crowds) {
            for member in crowd.left(self.is_last) {
                branch.append_value(of);
                bucket.append_value(key);
                number.append_value(member.number);
                digest.append_value(member.digest.to_le_bytes());
                order.append_value(member.order);
            }
        }
        RecordBatch::try_from_iter_with_nullable([
            ("branch", Arc::new(branch.finish()) as ArrayRef, true),
            ("bucket", Arc::new(bucket.finish()), true),
            ("number", Arc::new(number.finish()), true),
            ("digest", Arc::new(digest.finish()), true),
            ("order", Arc::new(order.finish()), true),
        ])
        .map(Some)
        .map_err(arrow_error)
    }
}
