//! The search shared among threads.
//!
//! All threads sort the items by one block, each thread a part of them; then they take the buckets
//! from a common counter. So the memory is twice that of the items, whatever the number of threads.
//! A bucket with a great share of all items would keep one thread busy and leave the others idle.
//! Such buckets wait until the rest is done and are then shared among the threads in the same way.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};

use super::limits::{Groups, Limits};
use super::near::RUN;
use super::plan::{Plan, Tuning};
use super::table::{self, Field};
use super::word::{Item, Word, varying};
use super::worker::{Effort, Worker};
use crate::candidates::emitter::{Emitted, Emitter, Stopped};
use crate::candidates::join::Emit;
use crate::error::Result;
use crate::threads::{on_threads, spread};

/// Hands out every pair of places whose values differ in at most `distance` bits, none of them
/// among the `reserved` highest.
pub fn search<W: Word>(
    items: Vec<Item<W>>,
    distance: u32,
    reserved: u32,
    threads: usize,
    tuning: Tuning,
    emit: &Emit<'_>,
) -> Result<Effort> {
    let emitter = Emitter::new(emit);
    let agree = (W::BITS.saturating_sub(reserved)..W::BITS).fold(W::ZERO, |mask, bit| mask | W::ONE << bit);
    let mut search =
        Search { emitter: &emitter, distance, threads: threads.max(1), tuning, effort: Effort::default() };
    let done = search.spread(items, Limits { agree, differ: Vec::new(), groups: None });
    let effort = search.effort;
    match done {
        Ok(()) => Ok(effort),
        Err(Stopped) => emitter.finish().map(|()| effort),
    }
}

struct Search<'a> {
    emitter: &'a Emitter<'a>,
    distance: u32,
    threads: usize,
    tuning: Tuning,
    effort: Effort,
}

impl Search<'_> {
    fn spread<W: Word>(&mut self, mut items: Vec<Item<W>>, limits: Limits<'_, W>) -> Emitted {
        let varying = varying(&items);
        if !limits.allow_any_within(varying) {
            return Ok(());
        }
        if items.len() < self.tuning.spread || varying == W::ZERO {
            return self.share(1, || (), |worker, (), _| worker.crowd(&items, &limits));
        }
        let Some(plan) = Plan::choose(&items, varying, limits.agree, self.distance, &self.tuning) else {
            if limits.groups.is_none() {
                return self.crowd(items, &limits);
            }
            let runs = items.len().div_ceil(RUN);
            return self.share(runs, || (), |worker, (), run| worker.compare_run(&items, run * RUN, &limits));
        };
        let part = items.len().div_ceil(self.threads);
        spread(self.threads, items.chunks_mut(part), |items| {
            items.iter_mut().for_each(|item| item.value = plan.order.apply(item.value));
        });
        let mut limits = limits.reordered(&plan.order);
        let agree = limits.agree;
        let mut sorted = Sorted { items: vec![Item::default(); items.len()], part, ends: Vec::new() };
        for (passed, block) in plan.blocks.iter().take(plan.spare + 1).enumerate() {
            self.emitter.check_receiver()?;
            sorted.sort(&items, block.field(items.len()));
            limits.agree = agree | block.mask;
            self.buckets(&sorted, &plan, passed, &limits)?;
            limits.differ.push(block.mask);
        }
        Ok(())
    }

    /// The buckets of the block that follows the ones passed over.
    fn buckets<W: Word>(
        &mut self,
        sorted: &Sorted<W>,
        plan: &Plan<W>,
        passed: usize,
        limits: &Limits<'_, W>,
    ) -> Emitted {
        let (block, count) = (&plan.blocks[passed], sorted.items.len());
        self.effort.moved += count as u64;
        let crowd = block.crowd(count, self.tuning.leaf);
        let too_great =
            if self.threads == 1 { count } else { self.tuning.spread.max(count / (4 * self.threads)) };
        let waiting = Mutex::new(Vec::new());
        self.share(
            block.field(count).keys(),
            || (Vec::new(), limits.clone()),
            |worker, (bucket, limits), key| {
                sorted.copy_bucket(key, bucket);
                if bucket.len() > too_great {
                    waiting.lock().unwrap_or_else(PoisonError::into_inner).push(key);
                    return Ok(());
                }
                worker.bucket(bucket, plan, passed + 1, plan.spare - passed, crowd, limits)
            },
        )?;
        for key in waiting.into_inner().unwrap_or_else(PoisonError::into_inner) {
            let mut bucket = Vec::new();
            sorted.copy_bucket(key, &mut bucket);
            self.crowd(bucket, limits)?;
        }
        Ok(())
    }

    /// A very large bucket, with equal items grouped.
    fn crowd<W: Word>(&mut self, mut items: Vec<Item<W>>, limits: &Limits<'_, W>) -> Emitted {
        if limits.groups.is_some() {
            return self.spread(items, limits.clone());
        }
        let groups = Groups::gather(&mut items);
        self.share(1, || (), |worker: &mut Worker<'_, W>, (), _| worker.copies(&groups, limits))?;
        self.spread(items, Limits { groups: Some(&groups), ..limits.clone() })
    }

    /// Lets the threads take the numbers below `units`, each thread with its own worker and state.
    fn share<W: Word, S>(
        &mut self,
        units: usize,
        state: impl Fn() -> S + Sync,
        task: impl Fn(&mut Worker<'_, W>, &mut S, usize) -> Emitted + Sync,
    ) -> Emitted {
        // Several at a time where there are many, or the threads would wait for the counter.
        let step = (units / (64 * self.threads)).clamp(1, 64);
        let next = AtomicUsize::new(0);
        let work = || {
            let (mut worker, mut state) = (Worker::new(self.emitter, self.distance, self.tuning), state());
            loop {
                let start = next.fetch_add(step, Ordering::Relaxed);
                if start >= units {
                    return worker.finish();
                }
                for unit in start..(start + step).min(units) {
                    task(&mut worker, &mut state, unit)?;
                }
            }
        };
        let efforts: Vec<Result<Effort, Stopped>> = on_threads(self.threads.min(units), work);
        for effort in efforts {
            self.effort.add(effort?);
        }
        Ok(())
    }
}

/// Items sorted by a field, in parts, because no two threads may write to the same place.
struct Sorted<W> {
    items: Vec<Item<W>>,
    /// The length of a part.
    part: usize,
    /// The ends of the buckets, in each part.
    ends: Vec<Vec<u32>>,
}

impl<W: Word> Sorted<W> {
    fn sort(&mut self, items: &[Item<W>], field: Field) {
        let parts = items.chunks(self.part).zip(self.items.chunks_mut(self.part));
        // As many parts as threads.
        self.ends = spread(parts.len(), parts, |(from, to)| table::scatter(from, field, to));
    }

    fn copy_bucket(&self, key: usize, bucket: &mut Vec<Item<W>>) {
        bucket.clear();
        for (part, ends) in self.items.chunks(self.part).zip(&self.ends) {
            let start = if key == 0 { 0 } else { ends[key - 1] };
            bucket.extend_from_slice(&part[start as usize..ends[key] as usize]);
        }
    }
}
