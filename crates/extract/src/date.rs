//! Dates as files write them → ISO 8601.

use jiff::civil::DateTime;
use jiff::fmt::{rfc2822, strtime};
use jiff::{Timestamp, Zoned};

/// Forms without a zone, tried in turn; two-digit years are not guessed.
const FORMS: [&str; 14] = [
    "%Y-%m-%dT%H:%M:%S%.f",
    "%Y-%m-%dT%H:%M",
    "%Y-%m-%d %H:%M:%S",
    "%Y-%m-%d %H:%M",
    "%Y-%m-%d",
    "%Y/%m/%d",
    "%Y%m%dT%H%M%S",
    "%Y%m%d%H%M%S",
    "%Y%m%d",
    "%d-%b-%Y %H:%M:%S",
    "%d %B %Y",
    "%d %b %Y",
    "%B %d, %Y",
    "%b %d, %Y",
];

/// The moment as `2026-03-01T12:00:00Z`, or without the `Z` when the text names no zone.
pub fn normalise(text: &str) -> Option<String> {
    let text = text.trim();
    // PDF: D:20240131120000+01'00'
    let text = text.strip_prefix("D:").map_or(text.to_owned(), pdf_date);
    let text = text.trim();
    if text.len() < 4 || text.len() > 100 {
        return None;
    }
    if let Ok(moment) = text.parse::<Timestamp>() {
        return Some(shown(moment));
    }
    if let Ok(zoned) = rfc2822::DateTimeParser::new().relaxed_weekday(true).parse_zoned(text) {
        return Some(shown(Zoned::timestamp(&zoned)));
    }
    let whole = |form: &str| strtime::parse(form, text).ok();
    FORMS.iter().find_map(|form| {
        let parsed = whole(form)?;
        let moment = parsed.to_datetime().or_else(|_| parsed.to_date().map(DateTime::from)).ok()?;
        (moment.year() >= 1000).then(|| moment.strftime("%Y-%m-%dT%H:%M:%S").to_string())
    })
}

fn shown(moment: Timestamp) -> String {
    moment.strftime("%Y-%m-%dT%H:%M:%SZ").to_string()
}

/// As many digits as there are, completed to a full second, with the zone as RFC 3339 writes it.
fn pdf_date(text: &str) -> String {
    let digits: String = text.chars().take_while(char::is_ascii_digit).take(14).collect();
    let zone: String = text[digits.len()..].chars().filter(|character| *character != '\'').collect();
    let defaults = "00000101000000";
    let full = format!("{digits}{}", defaults.get(digits.len()..).unwrap_or_default());
    let part = |range: std::ops::Range<usize>| full.get(range).unwrap_or("00").to_owned();
    let civil = format!(
        "{}-{}-{}T{}:{}:{}",
        part(0..4),
        part(4..6),
        part(6..8),
        part(8..10),
        part(10..12),
        part(12..14)
    );
    match zone.as_bytes() {
        [b'Z', ..] => format!("{civil}Z"),
        [b'+' | b'-', ..] if zone.len() >= 5 => {
            format!("{civil}{}:{}", &zone[..3], zone.get(3..5).unwrap_or("00"))
        }
        _ => civil,
    }
}

#[cfg(test)]
mod tests {
    use super::normalise;

    #[test]
    fn dates_of_all_kinds() {
        for (written, expected) in [
            ("2024-01-31T12:00:00+01:00", "2024-01-31T11:00:00Z"),
            ("D:20240131120000+01'00'", "2024-01-31T11:00:00Z"),
            ("D:20240131120000Z", "2024-01-31T12:00:00Z"),
            ("D:2024", "2024-01-01T00:00:00"),
            ("2024-01-31T12:00:00", "2024-01-31T12:00:00"),
            ("2024-01-31T12:00:00.123456789", "2024-01-31T12:00:00"),
            ("Thu, 7 Jun 2001 08:10:42 -0700 (PDT)", "2001-06-07T15:10:42Z"),
            ("26-FEB-1987 15:01:01", "1987-02-26T15:01:01"),
            ("March 3, 2011", "2011-03-03T00:00:00"),
            ("20010203", "2001-02-03T00:00:00"),
        ] {
            assert_eq!(normalise(written).as_deref(), Some(expected), "{written}");
        }
        for nonsense in ["", "yesterday", "D:", "D:é", "99999999999999999", "2024-13-41"] {
            assert_eq!(normalise(nonsense), None, "{nonsense}");
        }
    }
}
