//! Groups of keys → candidate pairs, and the members of crowds.

use std::collections::{BTreeSet, VecDeque};
use std::sync::Arc;

use arrow_array::builder::{Int32Builder, Int64Builder};
use arrow_array::cast::AsArray;
use arrow_array::types::Int32Type;
use arrow_array::{ArrayRef, RecordBatch};
use lookalike_core::Result;
use lookalike_core::candidates::Buckets;
use lookalike_engine::pipeline::CrowdsBy;

use super::pack::broken;
use super::route::{Group, Key, Kind, RouteBy};
use super::{Plan, Step, is_known};
use crate::kernels::columns::column;
use crate::texts::bytes_at;
use crate::values::arrow_error;

/// With so many keys in memory, those of crowds are handed on.
const MOST_KEYS: usize = 4 << 20;
/// Rows of a batch.
const ROWS: usize = 1 << 16;

/// In: `place` and `keys`, sorted by `place`.
///
/// Out: `a`, `b`, `found_by` for a candidate pair; for a member of a crowd `a` is the document, `b` null, `found_by` the
/// number of its branch, and `bucket` what it shares with the others. By digests and by signatures there are only members.
pub struct Pair {
    plan: Arc<Plan>,
    by: RouteBy,
    limits: Buckets,
    waiting: VecDeque<(i32, Vec<u8>)>,
    place: Option<i32>,
    group: Group,
    /// How many keys there were when the crowds were last handed on.
    thinned: usize,
    /// The keys of crowds, of which no member is kept.
    crowds: BTreeSet<(u8, u64)>,
    /// Where the work on a sorted group stands.
    cursor: Option<usize>,
    out: Columns,
    is_end: bool,
}

#[derive(Default)]
struct Columns {
    a: Int64Builder,
    b: Int64Builder,
    found_by: Int32Builder,
    bucket: Int64Builder,
    rows: usize,
}

impl Columns {
    fn pair(&mut self, a: i64, b: i64, branch: u8) {
        self.a.append_value(a.min(b));
        self.b.append_value(a.max(b));
        self.found_by.append_value(1 << branch);
        self.bucket.append_null();
        self.rows += 1;
    }

    fn member(&mut self, key: &Key) {
        self.a.append_value(key.number);
        self.b.append_null();
        self.found_by.append_value(i32::from(key.branch));
        self.bucket.append_value(key.key as i64);
        self.rows += 1;
    }

    fn take(&mut self) -> Result<RecordBatch> {
        self.rows = 0;
        RecordBatch::try_from_iter_with_nullable([
            ("a", Arc::new(self.a.finish()) as ArrayRef, true),
            ("b", Arc::new(self.b.finish()), true),
            ("found_by", Arc::new(self.found_by.finish()), true),
            ("bucket", Arc::new(self.bucket.finish()), true),
        ])
        .map_err(arrow_error)
    }
}

impl Pair {
    /// `full`: the most documents of a bucket of which all pairs are candidates.
    pub fn new(plan: Arc<Plan>, by: RouteBy, full: usize) -> Pair {
        Pair {
            plan,
            by,
            limits: Buckets { full, ..Buckets::default() },
            waiting: VecDeque::new(),
            place: None,
            group: Group::default(),
            thinned: 0,
            crowds: BTreeSet::new(),
            cursor: None,
            out: Columns::default(),
            is_end: false,
        }
    }

    /// Members of a bucket of this size are handed on as they are.
    fn is_crowd(&self, branch: u8, members: usize) -> bool {
        match self.by {
            RouteBy::Digest => members > 1,
            RouteBy::Signature => self.limits.needs_pivots(members),
            RouteBy::Keys => {
                self.plan.lookup.crowds(branch) == CrowdsBy::Key && self.limits.needs_pivots(members)
            }
        }
    }

    /// Sorts the keys and hands on the members of crowds, so that what stays in memory is no crowd.
    fn thin(&mut self) {
        let mut keys = std::mem::take(&mut self.group.keys);
        keys.sort_unstable_by_key(|key| (key.branch, key.key, key.number));
        for bucket in keys.chunk_by(|x, y| (x.branch, x.key) == (y.branch, y.key)) {
            let Key { branch, key, .. } = bucket[0];
            if self.crowds.contains(&(branch, key)) || self.is_crowd(branch, bucket.len()) {
                // Whatever comes later with this key is one of the crowd, too.
                self.crowds.insert((branch, key));
                bucket.iter().for_each(|key| self.out.member(key));
            } else {
                self.group.keys.extend_from_slice(bucket);
            }
        }
        self.thinned = self.group.keys.len();
    }

    /// Works on the finished group from `first` on, until there is a batch.
    fn pair(&mut self, first: usize) {
        let Group { keys, outlines } = &self.group;
        let lookup = &self.plan.lookup;
        let mut place = first;
        while place < keys.len() && self.out.rows < ROWS {
            let one = &keys[place];
            // Both look where both are kept: each pair once. Otherwise those that look meet those that are kept.
            let others: &[Key] = match one.kind {
                Kind::Kept => &[],
                Kind::Both => &keys[place + 1..],
                Kind::Sought | Kind::Range => {
                    let start = (one.branch, one.key);
                    &keys[keys.partition_point(|key| (key.branch, key.key) < start)..]
                }
            };
            let met = others.iter().take_while(|other| other.branch == one.branch && other.key <= one.last);
            for other in met.filter(|other| matches!(other.kind, Kind::Both | Kind::Kept)) {
                if other.number == one.number || (is_known(one.number) && is_known(other.number)) {
                    continue;
                }
                if lookup.may_pair(one.branch, one.outline(outlines), other.outline(outlines)) {
                    self.out.pair(one.number, other.number, one.branch);
                }
            }
            place += 1;
        }
        self.cursor = (place < keys.len()).then_some(place);
    }

    /// Takes rows until there is something to tell or nothing left.
    fn work(&mut self) -> Result<()> {
        while self.out.rows < ROWS {
            if let Some(first) = self.cursor {
                self.pair(first);
                continue;
            }
            let next = self.waiting.front().map(|(place, _)| *place);
            let is_whole = match next {
                Some(place) => self.place.is_some_and(|current| current != place),
                None => self.is_end && self.place.is_some(),
            };
            if is_whole {
                self.thin();
                self.crowds.clear();
                self.place = None;
                // Those that share a digest or a signature with nobody are done with.
                self.cursor = (self.by == RouteBy::Keys).then_some(0);
                continue;
            }
            let Some((place, bytes)) = self.waiting.pop_front() else { return Ok(()) };
            if self.place.is_none() {
                self.group = Group::default();
                self.thinned = 0;
            }
            self.place = Some(place);
            self.group.unpack(&bytes)?;
            if self.group.keys.len() > MOST_KEYS + 2 * self.thinned {
                self.thin();
            }
        }
        Ok(())
    }
}

impl Step for Pair {
    fn push(&mut self, batch: &RecordBatch) -> Result<()> {
        let places = column(batch, "place")?.as_primitive_opt::<Int32Type>().ok_or_else(broken)?;
        let keys = column(batch, "keys")?;
        for row in 0..batch.num_rows() {
            let bytes = bytes_at(keys, row).ok_or_else(broken)?;
            self.waiting.push_back((places.value(row), bytes.to_vec()));
        }
        Ok(())
    }

    fn end(&mut self) -> Result<()> {
        self.is_end = true;
        Ok(())
    }

    fn pull(&mut self) -> Result<Option<RecordBatch>> {
        self.work()?;
        if self.out.rows == 0 { Ok(None) } else { self.out.take().map(Some) }
    }
}
