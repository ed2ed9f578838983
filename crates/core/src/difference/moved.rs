//! What only stands in another place: words that one text lacks here and has there.

use std::collections::HashMap;
use std::ops::Range;

use super::DifferenceKind;
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
}

/// What one text has at all places, end to end.
#[derive(Default)]
struct Side {
    keys: Vec<u64>,
    /// Where the run of each place ends.
    ends: Vec<usize>,
    is_moved: Vec<bool>,
}

impl Places {
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
        self.a.push(a);
        self.b.push(b);
        self.unless_moved.push(kinds_of(a, b));
    }

    /// The kinds of all places together.
    pub fn kinds(mut self) -> Kinds {
        if self.unless_moved.is_empty() {
            return self.kinds;
        }
        if have_same_units(self.a.keys.clone(), self.b.keys.clone()) {
            self.kinds.add(DifferenceKind::Order);
            return self.kinds;
        }
        self.find_moved_runs();
        self.find_moved_passages();
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
        if !have_same_units(left(&self.a), left(&self.b)) {
            let left = |side: &Side, place: usize| side.left(place).next().is_some();
            for &place in &touched {
                add_passage(&mut self.kinds, left(&self.a, place), left(&self.b, place));
            }
        }
        self.kinds
    }

    /// Finds runs that only one text has at one place and only the other has at another.
    fn find_moved_runs(&mut self) {
        let places = 0..self.unless_moved.len();
        let is_added = |place: usize| self.a.run(place).is_empty() && self.b.run(place).len() >= LEAST_RUN;
        if !places.clone().any(is_added) {
            return;
        }
        let mut cut: HashMap<&[u64], Vec<usize>> = HashMap::new();
        for place in places.clone().filter(|&place| self.b.run(place).is_empty()) {
            let run = &self.a.keys[self.a.run(place)];
            if run.len() >= LEAST_RUN {
                cut.entry(run).or_default().push(place);
            }
        }
        let mut moved = Vec::new();
        for place in places.filter(|&place| is_added(place)) {
            let from = cut.get_mut(&self.b.keys[self.b.run(place)]).and_then(Vec::pop);
            moved.extend(from.map(|from| (from, place)));
        }
        for (from, to) in moved {
            let (from, to) = (self.a.run(from), self.b.run(to));
            self.a.is_moved[from].fill(true);
            self.b.is_moved[to].fill(true);
        }
    }

    /// Finds passages that both texts have, at different places.
    fn find_moved_passages(&mut self) {
        let places = 0..self.unless_moved.len();
        let has_passage = |side: &Side| places.clone().any(|place| side.run(place).len() >= PASSAGE);
        if !has_passage(&self.a) || !has_passage(&self.b) {
            return;
        }
        let mut starts: HashMap<u64, usize> = HashMap::new();
        for place in places.clone() {
            let run = self.a.run(place);
            for (start, passage) in run.clone().zip(self.a.keys[run].windows(PASSAGE)) {
                starts.entry(hash_of(passage)).or_insert(start);
            }
        }
        for place in places {
            let Range { start: mut at, end } = self.b.run(place);
            while at + PASSAGE <= end {
                let start = starts.get(&hash_of(&self.b.keys[at..at + PASSAGE])).copied();
                let Some(start) = start else {
                    at += 1;
                    continue;
                };
                let run_end = self.a.ends[self.a.ends.partition_point(|&end| end <= start)];
                let (from, to) = (&self.a.keys[start..run_end], &self.b.keys[at..end]);
                let same = from.iter().zip(to).take_while(|(x, y)| x == y).count();
                self.a.is_moved[start..start + same].fill(true);
                self.b.is_moved[at..at + same].fill(true);
                at += same.max(1);
            }
        }
    }
}

impl Side {
    fn push(&mut self, units: &[Told]) {
        self.keys.extend(units.iter().map(|unit| unit.key));
        self.ends.push(self.keys.len());
        self.is_moved.resize(self.keys.len(), false);
    }

    fn run(&self, place: usize) -> Range<usize> {
        place.checked_sub(1).map_or(0, |before| self.ends[before])..self.ends[place]
    }

    fn is_touched(&self, place: usize) -> bool {
        self.is_moved[self.run(place)].contains(&true)
    }

    /// The units of a place that are not moved.
    fn left(&self, place: usize) -> impl Iterator<Item = u64> {
        self.run(place).filter(|&at| !self.is_moved[at]).map(|at| self.keys[at])
    }
}

/// Whether both have the same units, each as often, in any order.
fn have_same_units(mut a: Vec<u64>, mut b: Vec<u64>) -> bool {
    if a.len() != b.len() {
        return false;
    }
    a.sort_unstable();
    b.sort_unstable();
    a == b
}

fn hash_of(passage: &[u64]) -> u64 {
    passage.iter().fold(0, |hash, &key| hash::combine(hash, key))
}
