//! From numbers to positions, and ticks that people would choose.

use crate::text::count;

/// Units in which ticks are written from ten of them on.
const UNITS: [(f64, &str); 3] = [(1e9, "G"), (1e6, "M"), (1e3, "k")];

/// A range of numbers that is never empty and always finite.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Range {
    pub low: f64,
    pub high: f64,
}

impl Range {
    /// The range of all finite values, extended by the given one.
    pub fn of(values: impl Iterator<Item = f64>, asked: Option<(f64, f64)>) -> Self {
        let asked = asked.into_iter().flat_map(|(low, high)| [low, high]);
        let (mut low, mut high) = (f64::INFINITY, f64::NEG_INFINITY);
        for value in values.chain(asked).filter(|value| is_drawable(*value)) {
            low = low.min(value);
            high = high.max(value);
        }
        if low > high {
            return Range { low: 0.0, high: 1.0 };
        }
        if high - low <= low.abs().max(high.abs()) * 1e-9 {
            // A single value is in the middle.
            let around = if low == 0.0 { 0.5 } else { low.abs() / 2.0 };
            return Range { low: low - around, high: high + around };
        }
        Range { low, high }
    }

    /// Widened to whole steps of its ticks.
    pub fn rounded(self, most: usize) -> Self {
        let step = self.step(most);
        Range { low: (self.low / step + 1e-9).floor() * step, high: (self.high / step - 1e-9).ceil() * step }
    }

    /// Where a value is: 0 at the low end, 1 at the high end.
    pub fn share(self, value: f64) -> f64 {
        ((value - self.low) / (self.high - self.low)).clamp(0.0, 1.0)
    }

    /// Multiples of 1, 2 or 5 times a power of ten inside the range, at most `most`.
    pub fn ticks(self, most: usize) -> Vec<(f64, String)> {
        let step = self.step(most);
        let first = (self.low / step - 1e-9).ceil();
        let last = (self.high / step + 1e-9).floor();
        let count = (last - first + 1.0).max(0.0) as usize;
        let value = |place: usize| (first + place as f64) * step;
        let values: Vec<f64> = (0..count.min(most.max(2))).map(value).collect();
        let largest = values.iter().fold(0.0, |largest: f64, value| largest.max(value.abs()));
        let (unit, sign) = UNITS.into_iter().find(|(unit, _)| largest >= 10.0 * unit).unwrap_or((1.0, ""));
        let written = |value: f64| match value == 0.0 {
            true => label(value, step / unit),
            false => label(value / unit, step / unit) + sign,
        };
        values.into_iter().map(|value| (value, written(value))).collect()
    }

    fn step(self, most: usize) -> f64 {
        let least = (self.high - self.low) / (most.max(2) - 1) as f64;
        let mut power = 1.0;
        while power > least {
            power /= 10.0;
        }
        while power * 10.0 <= least {
            power *= 10.0;
        }
        [1.0, 2.0, 5.0]
            .into_iter()
            .map(|times| times * power)
            .find(|&step| step >= least)
            .unwrap_or(power * 10.0)
    }
}

/// Finite, and small enough that a difference of two is finite, too.
pub fn is_drawable(value: f64) -> bool {
    value.abs() < 1e100
}

/// A value as written at a tick: as many decimals as its step needs.
pub fn label(value: f64, step: f64) -> String {
    let (mut decimals, mut unit) = (0usize, step);
    while decimals < 9 && (unit - unit.round()).abs() > 1e-6 * unit.abs() {
        decimals += 1;
        unit *= 10.0;
    }
    if decimals == 0 && (0.0..1e18).contains(&value) {
        return count(value.round() as u64);
    }
    let written = format!("{value:.decimals$}");
    // Zero is never written as negative.
    if written.trim_start_matches('-').chars().all(|digit| matches!(digit, '0' | '.')) {
        return written.trim_start_matches('-').to_owned();
    }
    written.replace('-', "−")
}

/// A value in words and tool tips: four digits at most.
pub fn figure(value: f64) -> String {
    if !value.is_finite() {
        return "–".to_owned();
    }
    let size = value.abs();
    if (1000.0..1e18).contains(&size) {
        let whole = count(size.round() as u64);
        return if value < 0.0 { format!("−{whole}") } else { whole };
    }
    let decimals = if size >= 100.0 {
        1
    } else if size >= 10.0 {
        2
    } else if size >= 0.01 || size == 0.0 {
        3
    } else {
        6
    };
    let written = format!("{value:.decimals$}");
    written.trim_end_matches('0').trim_end_matches('.').replace('-', "−")
}

/// The approximate width of a text at this font size: the font is unknown, so wide letters are
/// assumed.
pub fn text_width(text: &str, size: f64) -> f64 {
    let wide = |letter: char| if letter >= '\u{2e80}' { 1.0 } else { 0.58 };
    text.chars().map(wide).sum::<f64>() * size
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn labels(low: f64, high: f64, most: usize) -> Vec<String> {
        Range { low, high }.ticks(most).into_iter().map(|(_, label)| label).collect()
    }

    #[test]
    fn ticks_are_round() {
        assert_eq!(labels(0.0, 1.0, 6), ["0.0", "0.2", "0.4", "0.6", "0.8", "1.0"]);
        assert_eq!(labels(0.0, 1.0, 5), ["0.0", "0.5", "1.0"]);
        assert_eq!(labels(1.0, 11.0, 12), ["1", "2", "3", "4", "5", "6", "7", "8", "9", "10", "11"]);
        assert_eq!(labels(-0.3, 0.31, 5), ["−0.2", "0.0", "0.2"]);
        assert_eq!(labels(0.0, 45_000.0, 6), ["0", "10k", "20k", "30k", "40k"]);
        assert_eq!(labels(0.0, 12_000.0, 4), ["0", "5k", "10k"]);
        assert_eq!(labels(0.0, 9_000.0, 4), ["0", "5,000"]);
        assert_eq!(labels(0.9912, 0.9987, 5), ["0.992", "0.994", "0.996", "0.998"]);
    }

    #[test]
    fn figures_have_few_digits() {
        let got =
            [0.0, 0.5, 0.98765, 12.345, 123.45, 12_345.6, 0.000_123_4, -0.25, -4e3, f64::NAN].map(figure);
        assert_eq!(
            got,
            ["0", "0.5", "0.988", "12.35", "123.5", "12,346", "0.000123", "−0.25", "−4,000", "–"]
        );
    }

    #[test]
    fn ranges_are_never_empty() {
        assert_eq!(Range::of([f64::NAN, f64::INFINITY].into_iter(), None), Range { low: 0.0, high: 1.0 });
        assert_eq!(Range::of([4.0].into_iter(), None), Range { low: 2.0, high: 6.0 });
        assert_eq!(Range::of([0.0].into_iter(), None), Range { low: -0.5, high: 0.5 });
        // Values outside the given range extend it.
        assert_eq!(Range::of([1.2].into_iter(), Some((0.0, 1.0))), Range { low: 0.0, high: 1.2 });
    }

    proptest! {
        #[test]
        fn few_ticks_inside_in_order(low in -1e6f64..1e6, size in 1e-6f64..1e7, most in 2usize..14) {
            let range = Range { low, high: low + size };
            let ticks = range.ticks(most);
            prop_assert!(ticks.len() <= most);
            prop_assert!(ticks.windows(2).all(|two| two[0].0 < two[1].0));
            let slack = size * 1e-6;
            prop_assert!(ticks.iter().all(|tick| tick.0 >= low - slack && tick.0 <= low + size + slack));
            let rounded = range.rounded(most);
            prop_assert!(rounded.low <= low + slack && rounded.high >= low + size - slack);
        }
    }
}
