//! Random numbers that never change and are the same on every machine.

use lookalike_core::hash::{combine, mix};

/// A sequence that depends only on its seed and its name.
#[derive(Clone, Debug)]
pub(crate) struct Random {
    seed: u64,
    drawn: u64,
}

impl Random {
    /// Sequences of different names are independent.
    pub fn new(seed: u64, name: u64) -> Self {
        Random { seed: combine(mix(seed), name), drawn: 0 }
    }

    pub fn next(&mut self) -> u64 {
        self.drawn += 1;
        mix(combine(self.seed, self.drawn))
    }

    /// A number below `limit`; 0 if that is 0.
    pub fn below(&mut self, limit: usize) -> usize {
        ((u128::from(self.next()) * limit as u128) >> 64) as usize
    }

    /// A number from 0 up to, but not including, 1.
    pub fn unit(&mut self) -> f64 {
        (self.next() >> 11) as f64 / (1u64 << 53) as f64
    }

    /// Moves `count` random items to the front, in random order.
    pub fn draw<T>(&mut self, items: &mut [T], count: usize) {
        for place in 0..count.min(items.len()) {
            let other = place + self.below(items.len() - place);
            items.swap(place, other);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_number_comes_about_equally_often() {
        let mut random = Random::new(1, 2);
        let mut seen = [0; 10];
        (0..10_000).for_each(|_| seen[random.below(10)] += 1);
        assert!(seen.iter().all(|&count| (850..1150).contains(&count)), "{seen:?}");
        let mean = (0..100_000).map(|_| random.unit()).sum::<f64>() / 1e5;
        assert!((mean - 0.5).abs() < 0.005, "{mean}");
        let first = |seed, name| Random::new(seed, name).next();
        assert!(first(1, 0) == first(1, 0) && first(1, 0) != first(2, 0) && first(1, 0) != first(1, 1));
        assert_eq!(random.below(0), 0);
    }

    #[test]
    fn drawing_loses_nothing() {
        let mut items: Vec<usize> = (0..50).collect();
        Random::new(3, 0).draw(&mut items, 20);
        assert_ne!(items, (0..50).collect::<Vec<_>>());
        items.sort();
        assert_eq!(items, (0..50).collect::<Vec<_>>());
    }
}
