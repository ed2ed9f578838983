//! Limits the request rate of each token or address, with a bucket that fills at the configured rate.

use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};
use std::time::Instant;

/// So many buckets are held; beyond them those that are full are forgotten, which changes nothing.
const MOST: usize = 50_000;

/// One bucket for each name; it holds the requests of two seconds.
pub struct RateLimiter {
    /// Requests a second; 0: unlimited.
    rate: f64,
    buckets: Mutex<HashMap<String, (f64, Instant)>>,
}

impl RateLimiter {
    pub fn new(rate: u32) -> Self {
        RateLimiter { rate: f64::from(rate), buckets: Mutex::default() }
    }

    /// Takes one request, or returns after how many seconds the next one is allowed.
    pub fn take(&self, name: &str, now: Instant) -> Result<(), u64> {
        if self.rate == 0.0 {
            return Ok(());
        }
        let most = 2.0 * self.rate;
        let mut buckets = self.buckets.lock().unwrap_or_else(PoisonError::into_inner);
        if buckets.len() >= MOST && !buckets.contains_key(name) {
            buckets.retain(|_, (level, last)| {
                *level + now.saturating_duration_since(*last).as_secs_f64() * self.rate < most
            });
            if buckets.len() >= MOST {
                // So many strangers at once: nobody new before some of them are quiet.
                return Err(1);
            }
        }
        let (level, last) = buckets.entry(name.to_owned()).or_insert((most, now));
        *level = (*level + now.saturating_duration_since(*last).as_secs_f64() * self.rate).min(most);
        *last = now;
        if *level >= 1.0 {
            *level -= 1.0;
            return Ok(());
        }
        Err((((1.0 - *level) / self.rate).ceil() as u64).max(1))
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    #[test]
    fn a_bucket_empties_and_fills() {
        let rates = RateLimiter::new(3);
        let start = Instant::now();
        assert_eq!((0..7).filter(|_| rates.take("a", start).is_ok()).count(), 6);
        assert_eq!(rates.take("a", start), Err(1));
        assert_eq!(rates.take("b", start), Ok(()), "each has its own");
        assert_eq!(rates.take("a", start + Duration::from_secs(1)), Ok(()));
        assert_eq!(RateLimiter::new(0).take("a", start), Ok(()));
        for stranger in 0..MOST {
            let _ = rates.take(&format!("s{stranger}"), start);
        }
        assert_eq!(rates.take("new", start), Err(1), "so many are not remembered");
        assert_eq!(
            rates.take("new", start + Duration::from_secs(9)),
            Ok(()),
            "those that are quiet are forgotten"
        );
        assert_eq!(rates.buckets.lock().unwrap().len(), 1);
    }
}
