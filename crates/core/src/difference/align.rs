//! Aligns two runs of units: what of them is the same in the same order.

use std::ops::Range;

/// Places of the first and the second run that do not match each other.
pub type Gap = (Range<usize>, Range<usize>);

/// Runs whose lengths have at most this product are aligned exactly.
const EXACT: usize = 1 << 16;
/// How often what is between unique units is aligned by units that are unique there.
const DEEPEST: usize = 12;

/// Finds gaps, with room that is kept from one to the next.
#[derive(Default)]
pub struct Aligner {
    gaps: Vec<Gap>,
    /// The longest common subsequence from each pair of places on.
    longest: Vec<u32>,
}

impl Aligner {
    /// What does not match, in order, such that all between matches one by one. Exact for short runs; longer ones are
    /// aligned by the units that occur once in both, and then between these.
    pub fn gaps(&mut self, a: &[u64], b: &[u64]) -> &mut Vec<Gap> {
        self.gaps.clear();
        self.align(a, b, (0, 0), DEEPEST);
        &mut self.gaps
    }

    fn align(&mut self, a: &[u64], b: &[u64], (from_a, from_b): (usize, usize), depth: usize) {
        let first = a.iter().zip(b).take_while(|(x, y)| x == y).count();
        let (a, b) = (&a[first..], &b[first..]);
        let last = a.iter().rev().zip(b.iter().rev()).take_while(|(x, y)| x == y).count();
        let (a, b) = (&a[..a.len() - last], &b[..b.len() - last]);
        let (from_a, from_b) = (from_a + first, from_b + first);
        if a.is_empty() && b.is_empty() {
            return;
        }
        let whole = (from_a..from_a + a.len(), from_b..from_b + b.len());
        if a.is_empty() || b.is_empty() || depth == 0 {
            self.gaps.push(whole);
            return;
        }
        if a.len() * b.len() <= EXACT {
            return self.exact(a, b, (from_a, from_b));
        }
        let anchors = anchors(a, b);
        if anchors.is_empty() {
            self.gaps.push(whole);
            return;
        }
        let (mut at_a, mut at_b) = (0, 0);
        for (x, y) in anchors.into_iter().chain([(a.len(), b.len())]) {
            self.align(&a[at_a..x], &b[at_b..y], (from_a + at_a, from_b + at_b), depth - 1);
            (at_a, at_b) = (x + 1, y + 1);
        }
    }

    /// A longest common subsequence, by the usual table.
    fn exact(&mut self, a: &[u64], b: &[u64], (from_a, from_b): (usize, usize)) {
        let width = b.len() + 1;
        // The longest from each place on. Not more than 2¹⁶ units can match here.
        let Aligner { gaps, longest } = self;
        longest.clear();
        longest.resize((a.len() + 1) * width, 0);
        for x in (0..a.len()).rev() {
            for y in (0..b.len()).rev() {
                longest[x * width + y] = if a[x] == b[y] {
                    longest[(x + 1) * width + y + 1] + 1
                } else {
                    longest[(x + 1) * width + y].max(longest[x * width + y + 1])
                };
            }
        }
        let (mut x, mut y) = (0, 0);
        while x < a.len() || y < b.len() {
            let start = (x, y);
            while x < a.len() && y < b.len() && a[x] != b[y] {
                if longest[(x + 1) * width + y] >= longest[x * width + y + 1] { x += 1 } else { y += 1 }
            }
            if x == a.len() || y == b.len() {
                (x, y) = (a.len(), b.len());
            }
            if start != (x, y) {
                gaps.push((from_a + start.0..from_a + x, from_b + start.1..from_b + y));
            }
            while x < a.len() && y < b.len() && a[x] == b[y] {
                (x, y) = (x + 1, y + 1);
            }
        }
    }
}

/// Units that occur once in both, as many as are in the same order: the longest rising sequence of their places.
fn anchors(a: &[u64], b: &[u64]) -> Vec<(usize, usize)> {
    let (once_a, once_b) = (once(a), once(b));
    let mut pairs: Vec<(usize, usize)> = Vec::new();
    let mut others = once_b.iter().peekable();
    for &(key, x) in &once_a {
        while others.next_if(|other| other.0 < key).is_some() {}
        pairs.extend(others.next_if(|other| other.0 == key).map(|&(_, y)| (x, y)));
    }
    pairs.sort_unstable();
    // The last pair of the best sequence of each length, and for each pair the one before it.
    let mut ends: Vec<usize> = Vec::new();
    let mut before: Vec<Option<usize>> = Vec::with_capacity(pairs.len());
    for (number, &(_, y)) in pairs.iter().enumerate() {
        let length = ends.partition_point(|&end| pairs[end].1 < y);
        before.push(length.checked_sub(1).map(|shorter| ends[shorter]));
        match ends.get_mut(length) {
            Some(end) => *end = number,
            None => ends.push(number),
        }
    }
    let mut found = Vec::with_capacity(ends.len());
    let mut next = ends.last().copied();
    while let Some(number) = next {
        found.push(pairs[number]);
        next = before[number];
    }
    found.reverse();
    found
}

/// The units that occur once, by key, with their places.
fn once(units: &[u64]) -> Vec<(u64, usize)> {
    let mut places: Vec<(u64, usize)> = units.iter().copied().zip(0..).collect();
    places.sort_unstable();
    places.chunk_by(|x, y| x.0 == y.0).filter(|same| same.len() == 1).map(|same| same[0]).collect()
}
