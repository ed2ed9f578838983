//! Which documents are needed, and they alone.

use std::collections::VecDeque;
use std::sync::Arc;

use arrow_array::builder::BinaryBuilder;
use arrow_array::cast::AsArray;
use arrow_array::{ArrayRef, BinaryArray, BooleanArray, Int32Array, RecordBatch};
use arrow_select::filter::filter;
use lookalike_core::Result;

use super::documents::{ROW, for_each};
use super::pack::broken;
use super::{Plan, Step};
use crate::kernels::columns::{column, wide};
use crate::texts::bytes_at;
use crate::values::arrow_error;

/// Bytes of a slot: the filter is merged and collected slot by slot.
const SLOT: usize = 1 << 13;

/// In: `key`, or `slot` and `bits` of other filters. Out: `slot` and `bits`, a bit for each key; together they are a filter
/// that lets all of these keys pass, and few others.
pub struct Filter {
    bits: Vec<u8>,
    is_end: bool,
    is_told: bool,
}

impl Filter {
    /// `bytes`: a power of two, of at least one slot.
    pub fn new(bytes: usize) -> Filter {
        let bytes = bytes.next_power_of_two().max(SLOT);
        Filter { bits: vec![0; bytes], is_end: false, is_told: false }
    }
}

fn place_of(key: u128, bytes: usize) -> (usize, u8) {
    let place = (key as u64 as usize) & (8 * bytes - 1);
    (place / 8, 1 << (place % 8))
}

impl Step for Filter {
    fn push(&mut self, batch: &RecordBatch) -> Result<()> {
        if batch.column_by_name("key").is_some() {
            for key in wide(batch, "key")?.into_iter().flatten() {
                let (byte, bit) = place_of(key, self.bits.len());
                self.bits[byte] |= bit;
            }
            return Ok(());
        }
        let slots =
            column(batch, "slot")?.as_primitive_opt::<arrow_array::types::Int32Type>().ok_or_else(broken)?;
        let bits = column(batch, "bits")?;
        for row in 0..batch.num_rows() {
            let start = usize::try_from(slots.value(row)).map_err(|_| broken())? * SLOT;
            let own = self.bits.get_mut(start..start + SLOT).ok_or_else(broken)?;
            let other = bytes_at(bits, row).filter(|other| other.len() == SLOT).ok_or_else(broken)?;
            own.iter_mut().zip(other).for_each(|(own, other)| *own |= other);
        }
        Ok(())
    }

    fn end(&mut self) -> Result<()> {
        self.is_end = true;
        Ok(())
    }

    fn pull(&mut self) -> Result<Option<RecordBatch>> {
        if !self.is_end || self.is_told {
            return Ok(None);
        }
        self.is_told = true;
        let slots = self.bits.chunks(SLOT).zip(0..).filter(|(bits, _)| bits.iter().any(|&byte| byte != 0));
        let (bits, numbers): (Vec<&[u8]>, Vec<i32>) = slots.unzip();
        let columns: [(&str, ArrayRef); 2] = [
            ("slot", Arc::new(Int32Array::from(numbers))),
            ("bits", Arc::new(BinaryArray::from_iter_values(bits))),
        ];
        RecordBatch::try_from_iter(columns).map(Some).map_err(arrow_error)
    }
}

/// Which documents pass.
#[derive(Debug)]
pub enum Passing {
    /// All of them.
    All,
    /// Those that a filter, the bytes of its slots in order, lets pass.
    Filter(Vec<u8>),
    /// Those whose keys are not among these, in order.
    Without(Vec<u128>),
}

impl Passing {
    /// All but those whose keys are in column `key` of these batches.
    pub fn without(batches: &[RecordBatch]) -> Result<Passing> {
        let mut keys = Vec::new();
        for batch in batches {
            keys.extend(wide(batch, "key")?.into_iter().flatten());
        }
        keys.sort_unstable();
        Ok(Passing::Without(keys))
    }

    fn is_in(&self, key: u128) -> bool {
        match self {
            Passing::All => true,
            Passing::Filter(filter) => {
                let (byte, bit) = place_of(key, filter.len());
                filter.get(byte).is_some_and(|bits| bits & bit != 0)
            }
            Passing::Without(keys) => keys.binary_search(&key).is_err(),
        }
    }
}

/// In: `row`. Out: `key` and `row` of the documents that pass.
pub struct Texts {
    plan: Arc<Plan>,
    passing: Passing,
    ready: VecDeque<RecordBatch>,
}

impl Texts {
    /// Lets these documents pass.
    pub fn new(plan: Arc<Plan>, passing: Passing) -> Texts {
        Texts { plan, passing, ready: VecDeque::new() }
    }
}

impl Step for Texts {
    fn push(&mut self, batch: &RecordBatch) -> Result<()> {
        let mut keys = BinaryBuilder::new();
        let mut passes = vec![false; batch.num_rows()];
        for_each(&self.plan, batch, &mut |row, entry| {
            let Ok(entry) = entry else { return Ok(()) };
            if self.passing.is_in(entry.key) {
                passes[row] = true;
                keys.append_value(entry.key.to_le_bytes());
            }
            Ok(())
        })?;
        let rows = filter(column(batch, ROW)?, &BooleanArray::from(passes)).map_err(arrow_error)?;
        let columns: [(&str, ArrayRef); 2] = [("key", Arc::new(keys.finish())), (ROW, rows)];
        self.ready.push_back(RecordBatch::try_from_iter(columns).map_err(arrow_error)?);
        Ok(())
    }

    fn pull(&mut self) -> Result<Option<RecordBatch>> {
        Ok(self.ready.pop_front())
    }
}
