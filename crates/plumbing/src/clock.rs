//! The current time in the form in which it is stored.

use std::time::{SystemTime, UNIX_EPOCH};

/// Seconds since 1970.
pub fn now() -> u64 {
    seconds_of(SystemTime::now())
}

/// A time in seconds since 1970; 0 for earlier times.
pub fn seconds_of(time: SystemTime) -> u64 {
    time.duration_since(UNIX_EPOCH).map_or(0, |since| since.as_secs())
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    #[test]
    fn times_are_whole_seconds_and_never_before_1970() {
        assert_eq!(seconds_of(UNIX_EPOCH + Duration::from_millis(7999)), 7);
        assert_eq!(seconds_of(UNIX_EPOCH - Duration::from_secs(1)), 0);
        assert!(now() > 1_700_000_000);
    }
}
