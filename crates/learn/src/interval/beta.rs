//! The regularised incomplete beta function, which sums the tails of binomial distributions, and its
//! inverse.
//!
//! `libm` has the logarithm of the gamma function, too. More than half of its values differ from those
//! here in the last bits, and so would the intervals that reports have printed; hence this stays.

use lookalike_core::maths::{exp, ln};

/// The point below which a beta distribution has this share. Found by bisection, which needs no start
/// value and cannot diverge.
pub fn quantile(share: f64, a: f64, b: f64) -> f64 {
    const STEPS: usize = 60;
    let (mut low, mut high) = (0.0, 1.0);
    for _ in 0..STEPS {
        let middle = (low + high) / 2.0;
        if incomplete(middle, a, b) < share {
            low = middle;
        } else {
            high = middle;
        }
    }
    (low + high) / 2.0
}

/// The share of a beta distribution below x, for positive a and b.
pub fn incomplete(x: f64, a: f64, b: f64) -> f64 {
    if x <= 0.0 {
        return 0.0;
    }
    if x >= 1.0 {
        return 1.0;
    }
    // The fraction converges fast on one side of the mean; the other side follows by symmetry.
    if x > (a + 1.0) / (a + b + 2.0) {
        return 1.0 - incomplete_below(1.0 - x, b, a);
    }
    incomplete_below(x, a, b)
}

fn incomplete_below(x: f64, a: f64, b: f64) -> f64 {
    let front = exp(ln_gamma(a + b) - ln_gamma(a) - ln_gamma(b) + a * ln(x) + b * ln(1.0 - x));
    front * fraction(x, a, b) / a
}

/// The continued fraction of the function, evaluated from its beginning (Lentz's method).
fn fraction(x: f64, a: f64, b: f64) -> f64 {
    const MOST: u32 = 10_000;
    const ENOUGH: f64 = 1e-15;
    const TINY: f64 = 1e-300;
    let away_from_zero = |value: f64| if value.abs() < TINY { TINY } else { value };
    let mut upper = 1.0;
    let mut lower = 1.0 / away_from_zero(1.0 - (a + b) * x / (a + 1.0));
    let mut value = lower;
    for step in 1..MOST {
        let m = f64::from(step);
        let even = m * (b - m) * x / ((a + 2.0 * m - 1.0) * (a + 2.0 * m));
        let odd = -(a + m) * (a + b + m) * x / ((a + 2.0 * m) * (a + 2.0 * m + 1.0));
        let before = value;
        for term in [even, odd] {
            lower = 1.0 / away_from_zero(1.0 + term * lower);
            upper = away_from_zero(1.0 + term / upper);
            value *= lower * upper;
        }
        if (value - before).abs() <= ENOUGH * value.abs() {
            break;
        }
    }
    value
}

/// The logarithm of the gamma function for positive x (Lanczos, g = 7, nine terms).
fn ln_gamma(x: f64) -> f64 {
    const FIRST: f64 = 0.999_999_999_999_809_9;
    const TERMS: [f64; 8] = [
        676.520_368_121_885_1,
        -1_259.139_216_722_402_8,
        771.323_428_777_653_1,
        -176.615_029_162_140_6,
        12.507_343_278_686_905,
        -0.138_571_095_265_720_12,
        9.984_369_578_019_572e-6,
        1.505_632_735_149_311_6e-7,
    ];
    const LN_SQRT_TAU: f64 = 0.918_938_533_204_672_8;
    let x = x - 1.0;
    let mut sum = FIRST;
    for (place, term) in TERMS.iter().enumerate() {
        sum += term / (x + place as f64 + 1.0);
    }
    let base = x + 7.5;
    LN_SQRT_TAU + (x + 0.5) * ln(base) - base + ln(sum)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn gamma_of_whole_numbers_is_the_factorial() {
        let mut factorial = 1.0f64;
        for n in 1..30 {
            let got = ln_gamma(f64::from(n));
            assert!((got - factorial.ln()).abs() < 1e-11, "{n}: {got}");
            factorial *= f64::from(n);
        }
        // Γ(1/2) = √π.
        assert!((ln_gamma(0.5) - std::f64::consts::PI.sqrt().ln()).abs() < 1e-12);
    }

    /// The function is the tail of a binomial distribution, which can be summed up for small cases.
    #[test]
    fn equals_sums_of_binomial_probabilities() {
        for trials in 1..25u32 {
            for successes in 1..=trials {
                for x in [0.01, 0.2, 0.5, 0.77, 0.999] {
                    let mut ways = 1.0;
                    let mut sum = 0.0;
                    for k in 0..=trials {
                        if k >= successes {
                            sum += ways * f64::powi(x, k as i32) * f64::powi(1.0 - x, (trials - k) as i32);
                        }
                        ways *= f64::from(trials - k) / f64::from(k + 1);
                    }
                    let got = incomplete(x, f64::from(successes), f64::from(trials - successes + 1));
                    assert!((got - sum).abs() < 1e-10, "{successes} of {trials} at {x}: {got} is not {sum}");
                }
            }
        }
    }

    #[test]
    fn quantile_is_the_inverse() {
        for (a, b) in [(0.5, 0.5), (1.0, 40.0), (3.5, 2.0), (5_000.0, 30.0), (2e6, 3e6)] {
            for share in [0.025, 0.5, 0.975] {
                let back = incomplete(quantile(share, a, b), a, b);
                assert!((back - share).abs() < 1e-7, "{a}, {b}: {back} is not {share}");
            }
        }
        assert_eq!((incomplete(0.0, 2.0, 3.0), incomplete(1.0, 2.0, 3.0)), (0.0, 1.0));
    }
}
