//! Random numbers that a seed fixes on every machine: a counter, hashed.

use lookalike_core::hash::{combine, mix};

#[derive(Clone, Debug)]
pub(crate) struct Random {
    seed: u64,
    drawn: u64,
}

impl Random {
    pub fn new(seed: u64) -> Self {
        Random { seed: mix(seed), drawn: 0 }
    }

    pub fn next(&mut self) -> u64 {
        self.drawn += 1;
        mix(combine(self.seed, self.drawn))
    }

    /// A whole number below the limit; 0 when the limit is 0.
    pub fn below(&mut self, limit: usize) -> usize {
        ((u128::from(self.next()) * limit as u128) >> 64) as usize
    }

    /// From 0 up to, but not, 1.
    pub fn unit(&mut self) -> f64 {
        (self.next() >> 11) as f64 / (1u64 << 53) as f64
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_spread_evenly_and_follow_from_the_seed() {
        let mut random = Random::new(3);
        let mut counts = [0u32; 10];
        (0..100_000).for_each(|_| counts[random.below(10)] += 1);
        assert!(counts.iter().all(|count| (9_600..10_400).contains(count)), "{counts:?}");
        let mean = (0..100_000).map(|_| random.unit()).sum::<f64>() / 1e5;
        assert!((mean - 0.5).abs() < 0.005, "{mean}");
        let draw = |seed| Random::new(seed).next();
        assert!(draw(1) == draw(1) && draw(1) != draw(2));
        assert_eq!(random.below(0), 0);
    }
}
