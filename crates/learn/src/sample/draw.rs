//! Draws from the normal, gamma and beta distributions, the same on every machine.

use lookalike_core::maths::{cos, ln, power};

use crate::random::Random;

/// By Box and Muller.
pub fn normal(random: &mut Random) -> f64 {
    let radius = (-2.0 * ln(1.0 - random.unit())).sqrt();
    radius * cos(std::f64::consts::TAU * random.unit())
}

pub fn beta(random: &mut Random, a: f64, b: f64) -> f64 {
    let (first, second) = (gamma(random, a), gamma(random, b));
    if first + second > 0.0 { first / (first + second) } else { 0.5 }
}

/// By Marsaglia and Tsang, for positive shapes.
fn gamma(random: &mut Random, shape: f64) -> f64 {
    if shape < 1.0 {
        let below = power(1.0 - random.unit(), 1.0 / shape);
        return gamma(random, shape + 1.0) * below;
    }
    let base = shape - 1.0 / 3.0;
    let scale = 1.0 / (9.0 * base).sqrt();
    loop {
        let at = normal(random);
        let cube = power(1.0 + scale * at, 3.0);
        if cube > 0.0 && ln(1.0 - random.unit()) < 0.5 * at * at + base * (1.0 - cube + ln(cube)) {
            return base * cube;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn mean_and_variance_are_those_of_the_distribution() {
        let mut random = Random::new(5, 0);
        for (a, b) in [(0.5, 0.5), (0.5, 40.5), (3.0, 1.0), (30.5, 12.5)] {
            let draws: Vec<f64> = (0..40_000).map(|_| beta(&mut random, a, b)).collect();
            let mean = draws.iter().sum::<f64>() / draws.len() as f64;
            let variance =
                draws.iter().map(|draw| (draw - mean) * (draw - mean)).sum::<f64>() / draws.len() as f64;
            let expected = a * b / ((a + b) * (a + b) * (a + b + 1.0));
            assert!((mean - a / (a + b)).abs() < 4.0 * (expected / 40_000.0).sqrt(), "{a}, {b}: {mean}");
            assert!((variance / expected - 1.0).abs() < 0.06, "{a}, {b}: {variance} is not {expected}");
        }
    }
}
