//! A ratio whose parts come in groups: what each group adds to it.

use crate::random::Random;

/// More groups than these are bundled: the interval is as good, and resampling stays fast.
const MOST_DRAWN: usize = 1 << 14;

/// What a group adds to the figure's numerator and denominator.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Share {
    /// The numerator.
    pub part: f64,
    /// The denominator.
    pub whole: f64,
}

/// The figure of all groups.
pub(super) fn total(groups: &[Share]) -> Option<f64> {
    let (mut part, mut whole) = (0.0, 0.0);
    for group in counting(groups) {
        part += group.part;
        whole += group.whole;
    }
    (whole > 0.0).then(|| part / whole)
}

pub(super) fn counting(groups: &[Share]) -> impl Iterator<Item = &Share> {
    groups.iter().filter(|group| group.whole > 0.0)
}

/// Bundles are filled at random: any order in the groups would make bundles more alike than groups
/// are.
pub(super) fn bundled(groups: &[Share], seed: u64) -> Vec<Share> {
    let mut bundles: Vec<Share> = counting(groups).copied().collect();
    if bundles.len() > MOST_DRAWN {
        let mut random = Random::new(seed, u64::MAX);
        bundles = vec![Share::default(); MOST_DRAWN];
        for group in counting(groups) {
            let bundle = &mut bundles[random.below(MOST_DRAWN)];
            bundle.part += group.part;
            bundle.whole += group.whole;
        }
        bundles.retain(|bundle| bundle.whole > 0.0);
    }
    bundles
}

/// Whether all groups have the figure of the whole, up to rounding.
pub(super) fn agree(groups: &[Share], value: f64) -> bool {
    counting(groups).all(|group| (group.part / group.whole - value).abs() <= 1e-12 * value.abs().max(1.0))
}
