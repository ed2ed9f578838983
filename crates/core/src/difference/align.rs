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
    longest: Longest,
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

    /// A longest common subsequence.
    fn exact(&mut self, a: &[u64], b: &[u64], (from_a, from_b): (usize, usize)) {
        let Aligner { gaps, longest } = self;
        longest.fill(a, b);
        let (mut x, mut y) = (0, 0);
        while x < a.len() || y < b.len() {
            let start = (x, y);
            while x < a.len() && y < b.len() && a[x] != b[y] {
                if longest.from(x + 1, y) >= longest.from(x, y + 1) { x += 1 } else { y += 1 }
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

/// The length of the longest common subsequence from each pair of places on.
///
/// One place further on in the shorter run it is the same or one less, and that is one bit, so a place of the longer run
/// has a few words, which take a few operations (H. Hyyrö, *Bit-parallel LCS-length computation revisited*, 2004). Both
/// runs are read from their ends.
#[derive(Default)]
struct Longest {
    /// Whether the first run is the longer one.
    is_first_longer: bool,
    /// The lengths of the longer and the shorter run.
    lengths: (usize, usize),
    /// For each place of the longer run, and its end, a bit for each place of the shorter one, the last place first.
    bits: Vec<u64>,
    /// The units of the shorter run, sorted, with their bits.
    units: Vec<(u64, usize)>,
    /// Where the next unit of the longer run is in the shorter one.
    same: Vec<u64>,
}

impl Longest {
    fn fill(&mut self, a: &[u64], b: &[u64]) {
        self.is_first_longer = a.len() >= b.len();
        let (long, short) = if self.is_first_longer { (a, b) } else { (b, a) };
        self.lengths = (long.len(), short.len());
        let width = self.width();
        self.units.clear();
        self.units.extend(short.iter().rev().copied().zip(0..));
        self.units.sort_unstable();
        self.bits.clear();
        self.bits.resize((long.len() + 1) * width, 0);
        for (place, &unit) in long.iter().enumerate().rev() {
            let (before, after) = self.bits.split_at_mut((place + 1) * width);
            let (here, after) = (&mut before[place * width..], &after[..width]);
            let first = self.units.partition_point(|&(other, _)| other < unit);
            let same = self.units[first..].iter().take_while(|&&(other, _)| other == unit);
            self.same.clear();
            self.same.resize(width, 0);
            let mut is_in_both = false;
            for &(_, bit) in same {
                self.same[bit / 64] |= 1 << (bit % 64);
                is_in_both = true;
            }
            if !is_in_both {
                here.copy_from_slice(after);
                continue;
            }
            let mut carry = false;
            for ((here, &after), &same) in here.iter_mut().zip(after).zip(&self.same) {
                // In the usual form of this a bit that is not set tells of a step.
                let left = !after;
                let (sum, first) = left.overflowing_add(left & same);
                let (sum, second) = sum.overflowing_add(u64::from(carry));
                carry = first || second;
                *here = !(sum | left & !same);
            }
        }
    }

    fn width(&self) -> usize {
        self.lengths.1.div_ceil(64)
    }

    fn from(&self, x: usize, y: usize) -> usize {
        let (at_long, at_short) = if self.is_first_longer { (x, y) } else { (y, x) };
        let width = self.width();
        let bits = &self.bits[at_long * width..][..width];
        // Those of the places from there on.
        let count = self.lengths.1 - at_short;
        let (whole, rest) = bits.split_at(count / 64);
        let ones: u32 = whole.iter().map(|word| word.count_ones()).sum();
        let rest = rest.first().map_or(0, |word| (word & !(u64::MAX << (count % 64))).count_ones());
        (ones + rest) as usize
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

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// The usual table.
    fn table(a: &[u64], b: &[u64]) -> Vec<Vec<usize>> {
        let mut longest = vec![vec![0; b.len() + 1]; a.len() + 1];
        for x in (0..a.len()).rev() {
            for y in (0..b.len()).rev() {
                longest[x][y] = if a[x] == b[y] {
                    longest[x + 1][y + 1] + 1
                } else {
                    longest[x + 1][y].max(longest[x][y + 1])
                };
            }
        }
        longest
    }

    proptest! {
        #[test]
        fn lengths_are_those_of_the_usual_table(
            a in prop::collection::vec(0u64..30, 1..150),
            b in prop::collection::vec(0u64..30, 1..150),
            few in 1u64..30,
        ) {
            let of = |units: &[u64]| -> Vec<u64> { units.iter().map(|unit| unit % few).collect() };
            let (a, b) = (of(&a), of(&b));
            let mut longest = Longest::default();
            // What was left of another pair makes no difference.
            longest.fill(&b, &a);
            longest.fill(&a, &b);
            for (x, row) in table(&a, &b).into_iter().enumerate() {
                for (y, expected) in row.into_iter().enumerate() {
                    prop_assert_eq!(longest.from(x, y), expected, "{} {}", x, y);
                }
            }
        }
    }
}
