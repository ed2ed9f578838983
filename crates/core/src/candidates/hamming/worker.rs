//! The search within one thread.
//!
//! A bucket is sorted by one block of bits after the other. Pairs that agree on a block are in a
//! common smaller bucket, where the remaining blocks are tried. A pair belongs to the first blocks
//! on which it agrees: within the bucket of a block, the blocks that were passed over must differ.
//! So every pair is found once and nothing has to be remembered.
//!
//! A bucket that is larger than chance explains is called a crowd. Its equal items are grouped, and
//! the bits in which the crowd still varies are cut into blocks again. Before that, the pairs in the
//! tables are counted: the tables are used only if together they halve the comparisons. So the work
//! never exceeds that of comparing each with each by more than a small factor.

use super::limits::{Groups, Limits};
use super::near::{self, RUN};
use super::plan::{Plan, Tuning};
use super::table::Table;
use super::word::{Item, Word, varying};
use crate::candidates::emitter::{Batch, Emitted, Emitter, Stopped};

/// What a search cost.
#[derive(Clone, Copy, Debug, Default)]
pub struct Effort {
    /// Pairs whose distance was counted.
    pub compared: u64,
    /// Items sorted into a table.
    pub moved: u64,
}

impl Effort {
    pub fn add(&mut self, other: Effort) {
        self.compared += other.compared;
        self.moved += other.moved;
    }
}

pub struct Worker<'a, W> {
    pub effort: Effort,
    distance: u32,
    tuning: Tuning,
    batch: Batch<'a>,
    /// Tables that are free to use; one is in use for each block on which the current bucket
    /// agrees.
    tables: Vec<Table<W>>,
}

impl<'a, W: Word> Worker<'a, W> {
    pub fn new(emitter: &'a Emitter<'a>, distance: u32, tuning: Tuning) -> Self {
        let (batch, tables) = (Batch::new(emitter), Vec::new());
        Worker { effort: Effort::default(), distance, tuning, batch, tables }
    }

    /// Hands out the last pairs.
    pub fn finish(mut self) -> Result<Effort, Stopped> {
        self.batch.flush()?;
        Ok(self.effort)
    }

    /// Searches any items, without assumptions about them.
    pub fn crowd(&mut self, items: &[Item<W>], limits: &Limits<'_, W>) -> Emitted {
        if items.len() <= self.tuning.leaf {
            return self.compare(items, limits);
        }
        let varying = varying(items);
        if !limits.allow_any_within(varying) {
            return Ok(());
        }
        if limits.groups.is_none() {
            let mut distinct = items.to_vec();
            let groups = Groups::gather(&mut distinct);
            self.copies(&groups, limits)?;
            if self.distance == 0 {
                return Ok(());
            }
            let differ = limits.differ.clone();
            return self.crowd(&distinct, &Limits { agree: limits.agree, differ, groups: Some(&groups) });
        }
        let Some(plan) = Plan::choose(items, varying, limits.agree, self.distance, &self.tuning) else {
            return self.compare(items, limits);
        };
        let reordered: Vec<Item<W>> =
            items.iter().map(|item| Item { value: plan.order.apply(item.value), ..*item }).collect();
        let mut limits = limits.reordered(&plan.order);
        if self.tables_pay(&reordered, &plan) {
            self.blocks(&reordered, &plan, 0, plan.spare, &mut limits)
        } else {
            self.compare(&reordered, &limits)
        }
    }

    /// A bucket of the plan. The blocks from `next` on are still to be tried, and `spare` of them
    /// may differ. A bucket larger than `crowd` is larger than the plan expected.
    pub fn bucket(
        &mut self,
        items: &[Item<W>],
        plan: &Plan<W>,
        next: usize,
        spare: usize,
        crowd: usize,
        limits: &mut Limits<'_, W>,
    ) -> Emitted {
        // As many blocks are left as may differ, so none of them has to agree.
        let last = next + spare == plan.blocks.len();
        if items.len() > crowd {
            self.crowd(items, limits)
        } else if last || items.len() <= self.tuning.leaf {
            self.compare(items, limits)
        } else {
            self.blocks(items, plan, next, spare, limits)
        }
    }

    /// Pairs that agree on the block `next` or on a later one.
    fn blocks(
        &mut self,
        items: &[Item<W>],
        plan: &Plan<W>,
        next: usize,
        spare: usize,
        limits: &mut Limits<'_, W>,
    ) -> Emitted {
        let (agree, differ) = (limits.agree, limits.differ.len());
        let mut table = self.tables.pop().unwrap_or_default();
        for (passed, block) in plan.blocks[next..].iter().take(spare + 1).enumerate() {
            table.fill(items, block.field(items.len()));
            self.effort.moved += items.len() as u64;
            let crowd = block.crowd(items.len(), self.tuning.leaf);
            limits.agree = agree | block.mask;
            for bucket in table.buckets() {
                self.bucket(bucket, plan, next + passed + 1, spare - passed, crowd, limits)?;
            }
            limits.differ.push(block.mask);
        }
        limits.agree = agree;
        limits.differ.truncate(differ);
        self.tables.push(table);
        Ok(())
    }

    /// Whether the plan's first tables halve the comparisons.
    fn tables_pay(&mut self, items: &[Item<W>], plan: &Plan<W>) -> bool {
        if plan.spare == 0 {
            // A single table can only help.
            return true;
        }
        let mut table = self.tables.pop().unwrap_or_default();
        let tables = plan.blocks.iter().take(plan.spare + 1);
        let left: u64 = tables.map(|block| table.pairs(items, block.field(items.len()))).sum();
        self.tables.push(table);
        let all = items.len() as u64 * (items.len() as u64 - 1) / 2;
        left <= all / 2
    }

    /// Hands out the pairs of equal items.
    pub fn copies(&mut self, groups: &Groups, limits: &Limits<'_, W>) -> Emitted {
        if !limits.differ.is_empty() {
            return Ok(());
        }
        for group in groups.iter() {
            for (at, &a) in group.iter().enumerate() {
                for &b in &group[..at] {
                    self.batch.push(a, b)?;
                }
            }
        }
        Ok(())
    }

    /// Compares each with each.
    fn compare(&mut self, items: &[Item<W>], limits: &Limits<'_, W>) -> Emitted {
        for start in (0..items.len()).step_by(RUN) {
            self.compare_run(items, start, limits)?;
        }
        Ok(())
    }

    /// Compares the [`RUN`] items from `start` on with each other and with all behind them.
    pub fn compare_run(&mut self, items: &[Item<W>], start: usize, limits: &Limits<'_, W>) -> Emitted {
        let end = (start + RUN).min(items.len());
        let run = (end - start) as u64;
        self.effort.compared += run * run.saturating_sub(1) / 2 + run * (items.len() - end) as u64;
        let batch = &mut self.batch;
        near::pairs(items, start..end, self.distance, |a, b| {
            if !limits.allow(a.value ^ b.value) {
                return Ok(());
            }
            let Some(groups) = limits.groups else { return batch.push(a.place, b.place) };
            for &a in groups.get(a.place) {
                for &b in groups.get(b.place) {
                    batch.push(a, b)?;
                }
            }
            Ok(())
        })
    }
}
