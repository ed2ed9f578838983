//! When a message was sent, in the many forms that programs use.

use crate::date;

const MONTHS: [&str; 12] =
    ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"];

/// The moment as ISO 8601. A date that breaks the rules of mail is interpreted by the form of its
/// words.
pub fn normalise(text: &str) -> Option<String> {
    date::normalise(text).or_else(|| date::normalise(&tidied(text)?))
}

/// The date in its standard form; without a zone if none is understood.
fn tidied(text: &str) -> Option<String> {
    let (mut day, mut month, mut year, mut time, mut zone) = (None, None, None, None, "");
    let words =
        text.split(|character: char| character.is_whitespace() || matches!(character, ',' | '(' | ')'));
    for word in words.filter(|word| !word.is_empty()).take(12) {
        let number = word.parse::<u32>().ok().filter(|_| word.bytes().all(|byte| byte.is_ascii_digit()));
        let head = word.get(..3).unwrap_or_default().to_ascii_lowercase();
        if word.contains(':') {
            time = time.or_else(|| clock(word));
        } else if let Some(found) = MONTHS.iter().position(|name| *name == head) {
            month = month.or(Some(found + 1));
        } else if let Some(number) = number {
            match word.len() {
                1 | 2 if day.is_none() => day = Some(number),
                // Two-digit years are read as in RFC 2822.
                2 if year.is_none() => year = Some(if number < 50 { 2000 } else { 1900 } + number),
                4 if year.is_none() => year = Some(number),
                _ => {}
            }
        } else if word.len() == 5
            && word.starts_with(['+', '-'])
            && word.bytes().skip(1).all(|byte| byte.is_ascii_digit())
        {
            zone = word;
        } else if matches!(word, "GMT" | "UT" | "UTC" | "Z") {
            zone = "+0000";
        }
    }
    let (day, month, year, time) = (day?, month?, year?, time?);
    let zone = if zone.is_empty() { String::new() } else { format!("{}:{}", &zone[..3], &zone[3..]) };
    Some(format!("{year:04}-{month:02}-{day:02}T{time}{zone}"))
}

/// `9:5` → `09:05:00`.
fn clock(word: &str) -> Option<String> {
    let mut parts = word.split(':').map(|part| part.parse::<u32>().ok());
    let (hour, minute) = (parts.next()??, parts.next()??);
    let second = parts.next().unwrap_or(Some(0))?;
    Some(format!("{hour:02}:{minute:02}:{second:02}"))
}

#[cfg(test)]
mod tests {
    use super::normalise;

    #[test]
    fn dates_against_the_rules() {
        for (written, expected) in [
            ("Thu, 7 Jun 2001 08:10:42 -0700 (PDT)", "2001-06-07T15:10:42Z"),
            ("Sat, 12 Mar 2005 8:37:15 +0800", "2005-03-12T00:37:15Z"),
            ("Fri, 13 May 2005 9:9:9 +0800", "2005-05-13T01:09:09Z"),
            ("Wed, 27 Jul 2005 13:16:32", "2005-07-27T13:16:32"),
            ("Mon, 16 Sep 2002 03:27:38 (GMT)", "2002-09-16T03:27:38Z"),
            ("Sat Sep 21 08:18:08 2002", "2002-09-21T08:18:08"),
            ("Sat, 21 Sep 02 05:01:06 Greenwich Standard Time", "2002-09-21T05:01:06"),
            ("Wed,13 Jul 2005 23:48:49 PM", "2005-07-13T23:48:49"),
        ] {
            assert_eq!(normalise(written).as_deref(), Some(expected), "{written}");
        }
        for nonsense in
            ["", "tomorrow", "31 Feb 2001 10:00", "1 May 2001 99:99", "Jun é:é 2001", "5 Jun 2001"]
        {
            assert!(normalise(nonsense).is_none_or(|date| date.starts_with("2001-06-05")), "{nonsense}");
        }
    }
}
