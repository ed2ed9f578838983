//! Randomisation of single-signature schemes (K04 §4, K08 §1, §4).
//!
//! A scheme that hashes a set of terms into one signature breaks as soon as one term changes. So it
//! is repeated K times, each time without a random part of all possible terms: a copy is unaffected
//! if every changed term happens to be left out. Two documents match when they agree on any of the K
//! + 1 coordinates.
//!
//! A hash of (t, k, seed) decides whether term t belongs to copy k: no copy is ever stored, and one
//! look-up of a term gives all K + 1 memberships as bits. A set's signature is the sum of its
//! terms' hashes, twice 64 bits, so that the order of terms does not matter and a term is added to
//! all coordinates at once.

use crate::error::{Error, Result};
use crate::hash;
use crate::part::{Param, Params, Spec};

/// The most coordinates, one for each bit of a mask.
pub const MOST_COPIES: usize = 31;
/// Bytes of a coordinate.
pub const COORDINATE: usize = 16;
/// The coordinate of a document that has no signature there.
pub const NO_COORDINATE: u128 = 0;

/// How K copies of a lexicon are drawn.
#[derive(Clone, Debug, PartialEq)]
pub struct Randomisation {
    /// K.
    pub copies: usize,
    pub seed: u64,
    /// The fraction of terms that each copy lacks; `None`: what a bootstrap sample lacks, 1/e.
    pub dropped: Option<f64>,
}

pub const PARAMS: [Param; 3] = [
    Param {
        name: "lexicons",
        default: "10",
        help: "randomised copies of the lexicon besides it, K, 0 to 31",
    },
    Param {
        name: "dropped",
        default: "\"bootstrap\"",
        help: "terms each copy lacks: a fraction such as 0.33, or bootstrap (about 0.37)",
    },
    Param { name: "seed", default: "1", help: "another seed draws other copies" },
];

impl Randomisation {
    /// Reads its parameters from a section of a recipe.
    pub fn from_params(params: &mut Params) -> Result<Self> {
        let copies = params.integer("lexicons", 10)? as usize;
        if copies > MOST_COPIES {
            return Err(Error::config(format!(
                "sign.lexicons is {copies}, it must be from 0 to {MOST_COPIES}"
            )));
        }
        let dropped = match params.optional_text("dropped") {
            Some(word) if word == "bootstrap" => None,
            Some(word) => {
                return Err(Error::config(format!(
                    "sign.dropped is `{word}`, it must be bootstrap or a fraction"
                )));
            }
            None => params.optional_number("dropped", 0.0..=0.99)?,
        };
        Ok(Randomisation { copies, seed: params.integer("seed", 1)?, dropped })
    }

    pub(super) fn write_spec(&self, spec: Spec) -> Spec {
        let spec = spec.with("lexicons", self.copies as i64).with("seed", self.seed as i64);
        match self.dropped {
            Some(dropped) => spec.with("dropped", dropped),
            None => spec.with("dropped", "bootstrap"),
        }
    }

    /// Coordinates of a signature: the plain one and K others.
    pub fn coordinates(&self) -> usize {
        self.copies + 1
    }

    /// Memberships in copies drawn from all possible terms, of which each has the same chance.
    pub fn draw(&self) -> Membership {
        let dropped = self.dropped.unwrap_or((-1.0f64).exp());
        let cut = (dropped * 2f64.powi(64)) as u64;
        Membership { seed: self.seed, cuts: vec![cut; self.copies] }
    }

    /// Memberships in copies drawn from these terms: each copy lacks exactly the given fraction, or
    /// what a bootstrap sample of so many terms lacks on average.
    pub fn draw_from(&self, terms: &[u64]) -> Membership {
        let mut membership = self.draw();
        let count = terms.len() as f64;
        let dropped = self.dropped.unwrap_or_else(|| (1.0 - 1.0 / count.max(1.0)).powf(count));
        let lacking = (dropped * count).round() as usize;
        let mut places = Vec::with_capacity(terms.len());
        for copy in 0..self.copies {
            places.clear();
            places.extend(terms.iter().map(|&term| membership.place(term, copy)));
            membership.cuts[copy] = match lacking.checked_sub(1) {
                // The first place after those that are left out.
                Some(last) if last < places.len() => (*places.select_nth_unstable(last).1).saturating_add(1),
                _ => 0,
            };
        }
        membership
    }
}

/// Which copies a term belongs to.
#[derive(Clone, Debug)]
pub struct Membership {
    seed: u64,
    /// Terms whose place in a copy's order is below the cut are left out of it.
    cuts: Vec<u64>,
}

impl Membership {
    fn place(&self, term: u64, copy: usize) -> u64 {
        // Mixed twice: neighbouring copies must not drop the same terms.
        hash::mix(hash::mix(term) ^ hash::mix(hash::combine(self.seed, copy as u64)))
    }

    /// Bit 0 is the lexicon itself; bit k is its copy k.
    #[inline]
    pub fn mask(&self, term: u64) -> u32 {
        let copies = self.cuts.iter().enumerate();
        copies.fold(1, |mask, (copy, &cut)| mask | u32::from(self.place(term, copy) >= cut) << (copy + 1))
    }
}

/// A term ready to be summed: its hash in two variants, and which coordinates it belongs to.
#[derive(Clone, Copy, Default)]
pub struct Term {
    low: u64,
    high: u64,
    mask: u32,
}

impl Term {
    #[inline(always)]
    pub fn new(term: u64, mask: u32) -> Self {
        Term { low: hash::mix(term), high: hash::combine(term, term), mask }
    }
}

/// Sums up the terms of all coordinates.
pub struct Coordinates {
    /// Four coordinates at a time, which suits every CPU.
    low: [[u64; 4]; GROUPS],
    high: [[u64; 4]; GROUPS],
    counts: [[u64; 4]; GROUPS],
    groups: usize,
}

const GROUPS: usize = (MOST_COPIES + 1) / 4;

/// For four bits of a mask, all bits of four numbers or none.
const LANES: [[u64; 4]; 16] = {
    let mut lanes = [[0; 4]; 16];
    let mut bits = 0;
    while bits < 64 {
        lanes[bits / 4][bits % 4] = if (bits / 4) >> (bits % 4) & 1 == 1 { u64::MAX } else { 0 };
        bits += 1;
    }
    lanes
};

impl Coordinates {
    pub fn new(coordinates: usize) -> Self {
        let groups = coordinates.div_ceil(4).min(GROUPS);
        let none = [[0; 4]; GROUPS];
        Coordinates { low: none, high: none, counts: none, groups }
    }

    /// Adds a distinct term to the coordinates of its mask.
    #[inline]
    pub fn add(&mut self, term: u64, mask: u32) {
        self.add_all(&[Term::new(term, mask)]);
    }

    /// Adds distinct terms to the coordinates of their masks.
    #[inline]
    pub fn add_all(&mut self, terms: &[Term]) {
        for group in 0..self.groups {
            // Copies that stay in registers.
            let (mut low, mut high, mut counts) = (self.low[group], self.high[group], self.counts[group]);
            for term in terms {
                let keep = &LANES[(term.mask >> (4 * group)) as usize & 15];
                low = std::array::from_fn(|lane| low[lane].wrapping_add(term.low & keep[lane]));
                high = std::array::from_fn(|lane| high[lane].wrapping_add(term.high & keep[lane]));
                counts = std::array::from_fn(|lane| counts[lane].wrapping_sub(keep[lane]));
            }
            (self.low[group], self.high[group], self.counts[group]) = (low, high, counts);
        }
    }

    /// Terms in a coordinate.
    pub fn count(&self, place: usize) -> u32 {
        self.counts[place / 4][place % 4] as u32
    }

    /// The signature of a coordinate, never [`NO_COORDINATE`].
    pub fn value(&self, place: usize) -> u128 {
        let (group, lane) = (place / 4, place % 4);
        let count = self.counts[group][lane];
        let low = hash::combine(self.low[group][lane], count);
        let high = hash::combine(self.high[group][lane], !count);
        ((u128::from(high) << 64) | u128::from(low)).max(NO_COORDINATE + 1)
    }
}

/// Whether two signatures agree on any coordinate.
pub fn agree(a: &[u8], b: &[u8]) -> bool {
    let (a, b) = (a.as_chunks::<COORDINATE>().0, b.as_chunks::<COORDINATE>().0);
    a.iter().zip(b).any(|(x, y)| x == y && u128::from_le_bytes(*x) != NO_COORDINATE)
}

/// How two signatures compare, for people.
pub fn explain(a: &[u8], b: &[u8]) -> String {
    let (a, b) = (a.as_chunks::<COORDINATE>().0, b.as_chunks::<COORDINATE>().0);
    let is_none = |bytes: &[u8; COORDINATE]| u128::from_le_bytes(*bytes) == NO_COORDINATE;
    if a.iter().all(is_none) || b.iter().all(is_none) {
        return "rejected: no signature".to_owned();
    }
    let agreeing = a.iter().zip(b).filter(|(x, y)| x == y && !is_none(x)).count();
    format!("{agreeing} of {} lexicons agree", a.len())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn randomisation(copies: usize, dropped: Option<f64>) -> Randomisation {
        Randomisation { copies, seed: 1, dropped }
    }

    #[test]
    fn a_copy_lacks_exactly_the_given_fraction() {
        let terms: Vec<u64> = (0..1000).map(hash::mix).collect();
        for (dropped, expected) in [(Some(0.33), 670), (Some(0.0), 1000), (Some(0.5), 500), (None, 632)] {
            let membership = randomisation(5, dropped).draw_from(&terms);
            for copy in 1..=5 {
                let kept = terms.iter().filter(|&&term| membership.mask(term) >> copy & 1 == 1).count();
                assert_eq!(kept, expected, "{dropped:?} copy {copy}");
            }
        }
    }

    #[test]
    fn copies_are_independent_and_the_lexicon_itself_is_whole() {
        let membership = randomisation(2, None).draw();
        let masks: Vec<u32> = (0..100_000).map(|term| membership.mask(hash::mix(term))).collect();
        assert!(masks.iter().all(|mask| mask & 1 == 1));
        let share = |bits: u32| masks.iter().filter(|&&mask| mask & bits == bits).count() as f64 / 1e5;
        let kept = 1.0 - (-1.0f64).exp();
        assert!((share(0b010) - kept).abs() < 0.01 && (share(0b100) - kept).abs() < 0.01);
        assert!((share(0b110) - kept * kept).abs() < 0.01, "{}", share(0b110));
    }

    #[test]
    fn the_order_of_terms_does_not_matter_but_every_term_does() {
        let value = |terms: &[u64]| {
            let mut sums = Coordinates::new(1);
            terms.iter().for_each(|&term| sums.add(term, 1));
            sums.value(0)
        };
        assert_eq!(value(&[1, 2, 3]), value(&[3, 1, 2]));
        assert_ne!(value(&[1, 2, 3]), value(&[1, 2]));
        assert_ne!(value(&[]), NO_COORDINATE);
        assert_eq!(value(&[5, 6]), GOLDEN, "persisted signatures depend on it");
    }

    const GOLDEN: u128 = 94074649566901156602666474709975139874;

    /// K04 eq. 1: of the pairs that differ in n terms of the lexicon, the share that still agrees on
    /// a copy is 1 − (1 − pⁿ)^K.
    #[test]
    fn agreement_follows_equation_1() {
        const TRIALS: u64 = 4000;
        let p: f64 = 0.33;
        let membership = randomisation(10, Some(p)).draw();
        for changes in [1u64, 2, 3] {
            let agreed = (0..TRIALS).filter(|trial| {
                let changed = (0..changes).map(|change| membership.mask(hash::mix(trial * 100 + change)));
                // A copy is unaffected when it lacks every changed term.
                changed.fold(0, |harmed, mask| harmed | mask) & 0b111_1111_1110 != 0b111_1111_1110
            });
            let measured = agreed.count() as f64 / TRIALS as f64;
            let expected = 1.0 - (1.0 - p.powi(changes as i32)).powi(10);
            let allowed = 4.0 * (expected * (1.0 - expected) / TRIALS as f64).sqrt();
            assert!((measured - expected).abs() < allowed, "{changes}: {measured} {expected}");
        }
    }
}
