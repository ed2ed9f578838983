//! What only stands in another place: words that one text lacks here and has there.

use std::collections::HashMap;
use std::ops::Range;

use super::DifferenceKind;
use super::again::retain_known;
use super::kinds::{Class, Told, add_passage, kinds_of};
use super::set::Kinds;
use crate::hash;

/// A passage of so many units is recognised at its other place even if what is around it was changed, too.
const PASSAGE: usize = 8;
/// A whole run that only one text has here and only the other has there is recognised from so many units on.
const LEAST_RUN: usize = 2;

/// The places at which two texts differ.
#[derive(Default)]
pub struct Places {
    /// Kinds of places that are settled.
    kinds: Kinds,
    /// What the texts have at places that may have been moved.
    a: Side,
    b: Side,
    /// The kinds of each of these places, if it was not.
    unless_moved: Vec<Kinds>,
    /// Passages of the first text by their hashes, with where they are; and those of the second.
    passages: Vec<(u64, usize)>,
    others: Vec<(u64, usize)>,
}

/// What one text has at all places, end to end.
#[derive(Default)]
struct Side {
    keys: Vec<u64>,
    /// Where the run of each place ends.
    ends: Vec<usize>,
    /// Whether each unit is moved; empty as long as none is.
    is_moved: Vec<bool>,
}

impl Places {
    /// Forgets all places, and keeps their memory.
    pub fn clear(&mut self) {
        self.kinds = Kinds::default();
        self.a.clear();
        self.b.clear();
        self.unless_moved.clear();
    }

    /// Adds a place: what one text has there, and what the other has.
    pub fn push(&mut self, a: &[Told], b: &[Told]) {
        // A fact in the place of another was exchanged, even if both texts have it elsewhere: `5 apples and 7 pears`
        // differs from `7 apples and 5 pears` in numbers.
        let are_facts =
            |units: &[Told]| !units.is_empty() && units.iter().all(|unit| unit.class != Class::Word);
        if are_facts(a) && are_facts(b) {
            self.kinds.add_all(kinds_of(a, b));
            return;
        }
        self.a.push(a.iter().map(|unit| unit.key));
        self.b.push(b.iter().map(|unit| unit.key));
        self.unless_moved.push(kinds_of(a, b));
    }

    /// Adds a place at which only one text has units: more than a few, and words among them.
    pub fn push_passage(
        &mut self,
        a: impl ExactSizeIterator<Item = u64>,
        b: impl ExactSizeIterator<Item = u64>,
    ) {
        let mut kinds = Kinds::default();
        add_passage(&mut kinds, a.len() > 0, b.len() > 0);
        self.a.push(a);
        self.b.push(b);
        self.unless_moved.push(kinds);
    }

    /// The kinds of all places together.
    pub fn kinds(&mut self) -> Kinds {
        if self.unless_moved.is_empty() {
            return self.kinds;
        }
        if have_same_units(&self.a.keys, &self.b.keys) {
            self.kinds.add(DifferenceKind::Order);
            return self.kinds;
        }
        let has_moved_run = self.find_moved_runs();
        if !(self.find_moved_passages() || has_moved_run) {
            self.unless_moved.iter().for_each(|&kinds| self.kinds.add_all(kinds));
            return self.kinds;
        }
        let mut touched = Vec::new();
        for (place, &kinds) in self.unless_moved.iter().enumerate() {
            match self.a.is_touched(place) || self.b.is_touched(place) {
                true => touched.push(place),
                false => self.kinds.add_all(kinds),
            }
        }
        if touched.is_empty() {
            return self.kinds;
        }
        self.kinds.add(DifferenceKind::Order);
        // Where a moved passage was cut out of the other text, its first and last words may be counted with what is
        // around it.
        let left = |side: &Side| -> Vec<u64> { touched.iter().flat_map(|&place| side.left(place)).collect() };
        if !have_same_units(&left(&self.a), &left(&self.b)) {
            let left = |side: &Side, place: usize| side.left(place).next().is_some();
            for &place in &touched {
                add_passage(&mut self.kinds, left(&self.a, place), left(&self.b, place));
            }
        }
        self.kinds
    }

    /// Finds runs that only one text has at one place and only the other has at another. Returns whether there are any.
    fn find_moved_runs(&mut self) -> bool {
        let places = 0..self.unless_moved.len();
        let is_added = |place: usize| self.a.run(place).is_empty() && self.b.run(place).len() >= LEAST_RUN;
        if !places.clone().any(is_added) {
            return false;
        }
        // Runs that were cut, by their hashes.
        self.passages.clear();
        for place in places.clone().filter(|&place| self.b.run(place).is_empty()) {
            let run = &self.a.keys[self.a.run(place)];
            if run.len() >= LEAST_RUN {
                self.passages.push((hash_of(run), place));
            }
        }
        if self.passages.is_empty() {
            return false;
        }
        self.passages.sort_unstable();
        // How many of those with one hash have not been found elsewhere, at the first of them.
        let mut left: HashMap<usize, usize> = HashMap::new();
        let mut moved = Vec::new();
        for place in places.filter(|&place| is_added(place)) {
            let hash = hash_of(&self.b.keys[self.b.run(place)]);
            let first = self.passages.partition_point(|&(other, _)| other < hash);
            let same = self.passages[first..].partition_point(|&(other, _)| other == hash);
            if same == 0 {
                continue;
            }
            let left = left.entry(first).or_insert(same);
            if let Some(next) = left.checked_sub(1) {
                *left = next;
                moved.push((self.passages[first + next].1, place));
            }
        }
        for &(from, to) in &moved {
            let (from, to) = (self.a.run(from), self.b.run(to));
            self.a.set_moved(from);
            self.b.set_moved(to);
        }
        !moved.is_empty()
    }

    /// Finds passages that both texts have, at different places. Returns whether there are any.
    fn find_moved_passages(&mut self) -> bool {
        let Places { a, b, passages, others, .. } = self;
        a.passages(passages);
        if passages.is_empty() {
            return false;
        }
        b.passages(others);
        retain_known(others, passages);
        retain_known(passages, others);
        passages.sort_unstable();
        let (mut at, mut has_moved) = (0, false);
        for &(hash, to) in &*others {
            if to < at {
                continue;
            }
            // The first of those with this hash.
            let first = passages.partition_point(|&(other, _)| other < hash);
            let Some(&(_, from)) = passages.get(first).filter(|&&(other, _)| other == hash) else { continue };
            let (run, other) = (&a.keys[from..a.end_of_run(from)], &b.keys[to..b.end_of_run(to)]);
            let same = run.iter().zip(other).take_while(|(x, y)| x == y).count();
            a.set_moved(from..from + same);
            b.set_moved(to..to + same);
            has_moved |= same > 0;
            at = to + same;
        }
        has_moved
    }
}

impl Side {
    fn clear(&mut self) {
        self.keys.clear();
        self.ends.clear();
        self.is_moved.clear();
    }

    fn push(&mut self, keys: impl Iterator<Item = u64>) {
        self.keys.extend(keys);
        self.ends.push(self.keys.len());
    }

    fn run(&self, place: usize) -> Range<usize> {
        place.checked_sub(1).map_or(0, |before| self.ends[before])..self.ends[place]
    }

    fn end_of_run(&self, at: usize) -> usize {
        self.ends[self.ends.partition_point(|&end| end <= at)]
    }

    /// The hashes of all passages within one run, with where they begin.
    fn passages(&self, into: &mut Vec<(u64, usize)>) {
        into.clear();
        for place in 0..self.ends.len() {
            let run = self.run(place);
            into.extend(self.keys[run.clone()].windows(PASSAGE).map(hash_of).zip(run.start..));
        }
    }

    fn set_moved(&mut self, units: Range<usize>) {
        self.is_moved.resize(self.keys.len(), false);
        self.is_moved[units].fill(true);
    }

    fn is_moved(&self, at: usize) -> bool {
        self.is_moved.get(at).is_some_and(|&is_moved| is_moved)
    }

    fn is_touched(&self, place: usize) -> bool {
        self.run(place).any(|at| self.is_moved(at))
    }

    /// The units of a place that are not moved.
    fn left(&self, place: usize) -> impl Iterator<Item = u64> {
        self.run(place).filter(|&at| !self.is_moved(at)).map(|at| self.keys[at])
    }
}

/// Whether both have the same units, each as often, in any order.
fn have_same_units(a: &[u64], b: &[u64]) -> bool {
    // Almost all that differ have other sums.
    let sum = |units: &[u64]| units.iter().fold(0u64, |sum, &key| sum.wrapping_add(key));
    if a.len() != b.len() || sum(a) != sum(b) {
        return false;
    }
    let (mut a, mut b) = (a.to_vec(), b.to_vec());
    a.sort_unstable();
    b.sort_unstable();
    a == b
}

fn hash_of(passage: &[u64]) -> u64 {
    passage.iter().fold(0, |hash, &key| hash::combine(hash, key))
}
