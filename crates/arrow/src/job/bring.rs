//! Documents → the places where they are compared, if these are few enough to be told to everyone.

use std::collections::VecDeque;
use std::sync::Arc;

use arrow_array::{ArrayRef, RecordBatch, UInt32Array};
use arrow_select::concat::concat_batches;
use arrow_select::take::take;
use lookalike_core::{Error, Result};

use super::documents::{ROW, for_each_key};
use super::{Plan, Step};
use crate::kernels::columns::{column, wide};
use crate::values::arrow_error;

/// What is told of a place.
const TOLD: [&str; 4] = ["number", "hub", "part", "partners"];

/// In: `row`. Out, for each place of a document: `number`, `hub`, `part`, `partners` and `row`.
pub struct Bring {
    plan: Arc<Plan>,
    /// Keys of documents with rows of `told`, in order.
    places: Vec<(u128, u32)>,
    told: Vec<ArrayRef>,
    ready: VecDeque<RecordBatch>,
}

impl Bring {
    /// `places`: `key`, `number`, `hub`, `part`, `partners`.
    pub fn new(plan: Arc<Plan>, places: &[RecordBatch]) -> Result<Bring> {
        let Some(first) = places.first() else {
            return Ok(Bring { plan, places: Vec::new(), told: Vec::new(), ready: VecDeque::new() });
        };
        let every = concat_batches(&first.schema(), places).map_err(arrow_error)?;
        let rows = u32::try_from(every.num_rows())
            .map_err(|_| Error::Input("there are too many places to be told to everyone".to_owned()))?;
        let keys = wide(&every, "key")?.into_iter().zip(0..rows);
        let mut places: Vec<(u128, u32)> = keys.filter_map(|(key, row)| Some((key?, row))).collect();
        places.sort_unstable();
        let told = TOLD.into_iter().map(|name| column(&every, name).cloned()).collect::<Result<_>>()?;
        Ok(Bring { plan, places, told, ready: VecDeque::new() })
    }
}

impl Step for Bring {
    fn push(&mut self, batch: &RecordBatch) -> Result<()> {
        let (mut rows, mut places) = (Vec::new(), Vec::new());
        for_each_key(&self.plan, batch, &mut |row, key| {
            let first = self.places.partition_point(|place| place.0 < key);
            for place in self.places[first..].iter().take_while(|place| place.0 == key) {
                rows.push(row as u32);
                places.push(place.1);
            }
            Ok(())
        })?;
        if rows.is_empty() {
            return Ok(());
        }
        let (rows, places) = (UInt32Array::from(rows), UInt32Array::from(places));
        let mut columns = Vec::with_capacity(TOLD.len() + 1);
        for (name, told) in TOLD.into_iter().zip(&self.told) {
            columns.push((name, take(told, &places, None).map_err(arrow_error)?, true));
        }
        columns.push((ROW, take(column(batch, ROW)?, &rows, None).map_err(arrow_error)?, true));
        self.ready.push_back(RecordBatch::try_from_iter_with_nullable(columns).map_err(arrow_error)?);
        Ok(())
    }

    fn pull(&mut self) -> Result<Option<RecordBatch>> {
        Ok(self.ready.pop_front())
    }
}
