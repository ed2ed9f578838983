//! What a measure allows: how much two sets must share, judged by their sizes alone.
//!
//! Everything follows from [`Measure::least_shared`], which is called for every two sizes that
//! occur, so a new measure of sets works without changes here. There are at most √(2·features)
//! different sizes, so there are no more such calls than features.

use std::ops::{Range, RangeInclusive};

use crate::candidates::size_cells::{largest_partner, smallest_partner};
use crate::decide::{Measure, Overlap};
use crate::error::{Error, Result};
use crate::features::FeatureSet;
use crate::registry::{BuildContext, Registry};

/// A measure of sets and the similarity that a pair must reach.
pub(super) struct Bounds {
    measure: Box<dyn Measure>,
    pub(super) similarity: f64,
    /// An empty set, passed to the measure: it must judge by the overlap, not by the sets.
    none: FeatureSet,
}

/// No two sets share this much.
const NEVER: u32 = u32::MAX;

impl Bounds {
    pub(super) fn new(context: &BuildContext<'_>) -> Result<Bounds> {
        let (registry, similarity) = (context.registry, context.similarity);
        // NaN fails this test, too.
        if !(similarity > 0.0 && similarity <= 1.0) {
            return Err(Error::config(format!(
                "candidates.type = \"join\" needs a threshold above 0 and at most 1, not {similarity}"
            )));
        }
        if context.measure.is_empty() {
            return Err(Error::config("candidates.type = \"join\" needs decide.type = \"threshold\""));
        }
        let bounds = Bounds::of(registry.measures.build_named(context.measure, registry)?, similarity);
        if !bounds.judges_sets() {
            return Err(Error::config(format!(
                "candidates.type = \"join\" needs a measure of sets: {}; `{}` is none",
                known(registry, similarity).join(", "),
                context.measure
            )));
        }
        Ok(bounds)
    }

    pub(super) fn of(measure: Box<dyn Measure>, similarity: f64) -> Bounds {
        Bounds { measure, similarity, none: FeatureSet::default() }
    }

    /// Whether the measure follows from the counted overlap and says how much must be shared. A
    /// measure that looks at the sets themselves cannot be used here.
    fn judges_sets(&self) -> bool {
        const SIZE: u32 = 1 << 20;
        let of =
            |shared| self.measure.similarity(&self.none, &self.none, &Overlap { shared, a: SIZE, b: SIZE });
        let least = self.measure.least_shared(SIZE as usize, SIZE as usize, self.similarity);
        !self.measure.weighs() && self.measure.decides() && least > 0 && of(SIZE) == 1.0 && of(0) == 0.0
    }

    /// How much sets of these sizes must share; [`NEVER`] when they cannot.
    pub(super) fn least_shared(&self, a: u32, b: u32) -> u32 {
        // Sets that share nothing are alike by no measure.
        let least = self.measure.least_shared(a as usize, b as usize, self.similarity).max(1);
        if least > a.min(b) as usize { NEVER } else { least as u32 }
    }

    /// Whether sets of these sizes can be partners at all.
    pub(super) fn may_pair(&self, a: u32, b: u32) -> bool {
        self.least_shared(a, b) != NEVER
    }

    /// The sizes that partners of a set of this size can have.
    pub(super) fn partners(&self, size: u32) -> RangeInclusive<u32> {
        let least = smallest_partner(size, |other| self.may_pair(other, size));
        least..=largest_partner(size, |other| self.may_pair(size, other))
    }

    /// In how many features sets of these sizes can differ and yet be partners: features that one of the two has and the
    /// other lacks. `None` if no two of them can be partners.
    pub(super) fn most_unshared(
        &self,
        sizes: &RangeInclusive<u32>,
        others: &RangeInclusive<u32>,
    ) -> Option<u32> {
        // All sizes are asked about, or if they are many, a few of them, each for those from it up to the next.
        const ASKED: u32 = 256;
        let steps = |sizes: &RangeInclusive<u32>| {
            let (end, step) = (*sizes.end(), (sizes.end() - sizes.start()) / ASKED + 1);
            sizes
                .clone()
                .step_by(step as usize)
                .map(move |from| (from, end.min(from.saturating_add(step - 1))))
        };
        let mut most = None;
        for (a, a_last) in steps(sizes) {
            for (b, b_last) in steps(others) {
                // The closer two sizes are, the rather they can be those of partners.
                if self.may_pair(a.max(b).min(a_last), b.max(a).min(b_last)) {
                    let shared = self.measure.least_shared(a as usize, b as usize, self.similarity).max(1);
                    let unshared = (u64::from(a_last) + u64::from(b_last)).saturating_sub(2 * shared as u64);
                    most = most.max(Some(u32::try_from(unshared).unwrap_or(u32::MAX)));
                }
            }
        }
        most
    }

    /// The least that a set of this size shares with a partner of any size. A larger partner shares no less than one of
    /// the same size, see [`Measure::least_shared`].
    pub(super) fn least_with_any(&self, size: u32) -> u32 {
        (1..=size).map(|other| self.least_shared(size, other)).min().unwrap_or(NEVER)
    }

    /// The verdict on a counted pair: the least overlap has slack for rounding, this has none.
    pub(super) fn reached(&self, overlap: &Overlap) -> bool {
        self.measure.similarity(&self.none, &self.none, overlap) >= self.similarity
    }
}

/// The registered measures that a join can work with.
fn known(registry: &Registry, similarity: f64) -> Vec<&'static str> {
    let names = registry.measures.infos().map(|info| info.name);
    let build = |name: &str| registry.measures.build_named(name, registry).ok();
    names.filter(|name| build(name).is_some_and(|m| Bounds::of(m, similarity).judges_sets())).collect()
}

/// The sizes that occur, rising, and what each allows.
pub(super) struct Sizes {
    sizes: Vec<Size>,
}

pub(super) struct Size {
    pub(super) features: u32,
    /// The sets of this size, when sets are numbered by rising size.
    pub(super) sets: Range<u32>,
    /// The smallest size, by its number, with which sets of this size can be paired.
    pub(super) lowest: u32,
    /// The least that a set of this size shares with a partner of the same size or larger.
    pub(super) least_with_larger: u32,
}

impl Sizes {
    /// `set_sizes` are the sizes of all sets, in rising order.
    pub(super) fn new(bounds: &Bounds, set_sizes: &[u32]) -> Sizes {
        let mut sizes: Vec<Size> = Vec::new();
        let mut first = 0;
        for same in set_sizes.chunk_by(|a, b| a == b) {
            let sets = first..first + same.len() as u32;
            first = sets.end;
            let lowest = sizes.len() as u32;
            sizes.push(Size { features: same[0], sets, lowest, least_with_larger: NEVER });
        }
        for larger in 0..sizes.len() {
            for smaller in (0..=larger).rev() {
                let least = bounds.least_shared(sizes[smaller].features, sizes[larger].features);
                if least != NEVER {
                    sizes[larger].lowest = smaller as u32;
                    sizes[smaller].least_with_larger = sizes[smaller].least_with_larger.min(least);
                }
            }
        }
        Sizes { sizes }
    }

    pub(super) fn all(&self) -> &[Size] {
        &self.sizes
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::decide::{Containment, Cosine, Jaccard};

    #[test]
    fn sizes_too_far_apart_never_pair() {
        let bounds = Bounds::of(Box::new(Jaccard), 0.8);
        assert_eq!(bounds.least_shared(10, 8), 8);
        assert_eq!(bounds.least_shared(8, 10), 8);
        assert_eq!(bounds.least_shared(10, 7), NEVER);
        let sizes = Sizes::new(&bounds, &[7, 8, 8, 10, 20]);
        let lowest: Vec<u32> = sizes.all().iter().map(|size| size.lowest).collect();
        assert_eq!(lowest, [0, 0, 1, 3]);
        assert_eq!(sizes.all()[1].sets, 1..3);
        // Two sets of eight that share seven have nine features in all: 7 of 9 is too few.
        assert_eq!(sizes.all()[1].least_with_larger, 8);
    }

    #[test]
    fn a_small_set_lies_within_any_larger() {
        let sizes = Sizes::new(&Bounds::of(Box::new(Containment), 0.5), &[2, 10, 1000]);
        assert!(sizes.all().iter().all(|size| size.lowest == 0));
        assert_eq!(sizes.all()[1].least_with_larger, 5);
    }

    #[test]
    fn the_verdict_has_no_slack() {
        let bounds = Bounds::of(Box::new(Cosine), 0.9 + 1e-12);
        assert_eq!(bounds.least_shared(10, 10), 9);
        assert!(!bounds.reached(&Overlap { shared: 9, a: 10, b: 10 }));
    }
}
