//! Candidate pairs → the places where documents are compared.
//!
//! A place has a hub and up to [`PARTNERS`] others that are compared with it, so a document that is compared with many goes
//! there once for all of them, and none of the others has to stay in memory.

use std::collections::VecDeque;
use std::sync::Arc;

use arrow_array::builder::{BinaryBuilder, Int32Builder, Int64Builder};
use arrow_array::cast::AsArray;
use arrow_array::types::{Int32Type, Int64Type};
use arrow_array::{ArrayRef, RecordBatch};
use lookalike_core::Result;

use super::Step;
use super::pack::broken;
use crate::kernels::columns::column;
use crate::values::arrow_error;

/// How many documents are compared with a hub at one place.
const PARTNERS: usize = 256;

/// In: `hub`, `partner`, `found_by`, `ask` (int32), sorted by `hub`. Out: `number`, `hub`, `part`, and for the hub `partners`.
#[derive(Default)]
pub struct Hubs {
    hub: Option<i64>,
    part: i32,
    partners: Vec<(i64, i32, i32)>,
    ready: VecDeque<RecordBatch>,
    out: Columns,
}

#[derive(Default)]
struct Columns {
    number: Int64Builder,
    hub: Int64Builder,
    part: Int32Builder,
    partners: BinaryBuilder,
}

impl Hubs {
    fn close(&mut self) {
        let Some(hub) = self.hub.filter(|_| !self.partners.is_empty()) else { return };
        let out = &mut self.out;
        let mut bytes = Vec::with_capacity(16 * self.partners.len());
        for (number, found_by, ask) in &self.partners {
            bytes.extend(number.to_le_bytes());
            bytes.extend(found_by.to_le_bytes());
            bytes.extend(ask.to_le_bytes());
        }
        for number in std::iter::once(hub).chain(self.partners.iter().map(|partner| partner.0)) {
            out.number.append_value(number);
            out.hub.append_value(hub);
            out.part.append_value(self.part);
            if number == hub { out.partners.append_value(&bytes) } else { out.partners.append_null() }
        }
        self.partners.clear();
        self.part += 1;
    }

    fn hand_on(&mut self) -> Result<()> {
        let Columns { number, hub, part, partners } = &mut self.out;
        let batch = RecordBatch::try_from_iter_with_nullable([
            ("number", Arc::new(number.finish()) as ArrayRef, true),
            ("hub", Arc::new(hub.finish()), true),
            ("part", Arc::new(part.finish()), true),
            ("partners", Arc::new(partners.finish()), true),
        ]);
        self.ready.push_back(batch.map_err(arrow_error)?);
        Ok(())
    }
}

impl Step for Hubs {
    fn push(&mut self, batch: &RecordBatch) -> Result<()> {
        let long = |name: &str| -> Result<_> {
            column(batch, name)?.as_primitive_opt::<Int64Type>().ok_or_else(broken).cloned()
        };
        let short = |name: &str| -> Result<_> {
            column(batch, name)?.as_primitive_opt::<Int32Type>().ok_or_else(broken).cloned()
        };
        let (hubs, partners, found_by, ask) =
            (long("hub")?, long("partner")?, short("found_by")?, short("ask")?);
        for row in 0..batch.num_rows() {
            let hub = hubs.value(row);
            if self.hub != Some(hub) || self.partners.len() == PARTNERS {
                self.close();
            }
            if self.hub != Some(hub) {
                (self.hub, self.part) = (Some(hub), 0);
            }
            self.partners.push((partners.value(row), found_by.value(row), ask.value(row)));
        }
        self.hand_on()
    }

    fn end(&mut self) -> Result<()> {
        self.close();
        self.hand_on()
    }

    fn pull(&mut self) -> Result<Option<RecordBatch>> {
        Ok(self.ready.pop_front())
    }
}
