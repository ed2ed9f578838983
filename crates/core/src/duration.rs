//! Lengths of time as people write them.

use std::time::Duration;

use crate::{Error, Result};

/// `12h` → 12 hours.
pub fn parse_time(text: &str) -> Result<Duration> {
    let units = [("s", 1), ("m", 60), ("h", 3600), ("d", 86_400), ("w", 604_800)];
    let unit = units.iter().find_map(|&(unit, seconds)| Some((text.strip_suffix(unit)?, seconds)));
    let (number, seconds) = unit.unwrap_or((text, 1));
    let seconds = number.trim().parse::<u64>().ok().and_then(|number| number.checked_mul(seconds));
    let wrong = || Error::config(format!("`{text}` is no time; write it as 90s, 15m, 12h, 30d or 2w"));
    seconds.filter(|&seconds| seconds > 0).map(Duration::from_secs).ok_or_else(wrong)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lengths_of_time_have_a_unit_or_are_seconds() {
        for (text, seconds) in
            [("90", 90), ("90s", 90), ("15m", 900), ("12h", 43_200), ("30 d", 2_592_000), ("2w", 1_209_600)]
        {
            assert_eq!(parse_time(text).unwrap().as_secs(), seconds, "{text}");
        }
        for wrong in ["", "h", "0", "-1h", "1.5h", "1y", "99999999999999999w"] {
            assert!(parse_time(wrong).unwrap_err().to_string().contains("is no time"), "{wrong}");
        }
    }
}
