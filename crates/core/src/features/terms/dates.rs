//! Text without its dates and times, in the usual numeric and English forms (S09 §4.2).
//!
//! | form | examples |
//! |---|---|
//! | numeric date | `2024-01-31`, `31/12/2009`, `12.31.09`; with a time: `2024-01-31T12:30:05Z` |
//! | time | `12:30`, `12:30:05.25`, `9:15 p.m.`, `3pm`, `23:59 GMT`, `08:00 +0100` |
//! | English date | `January 3rd`, `Jan. 3, 2009`, `3 Jan 2009`, `the 3rd of May`, `03-Jan-2009`, `June 1999` |
//!
//! A day of the week before a date belongs to it. Alone it stays, as do months and years: without a
//! neighbour, `may`, `sun` and `1984` are not sure to be dates.
//!
//! Every form has a digit, so the search jumps from number to number and looks at the characters around
//! it. It works on the text, not on its words, because `3:25` is a time and `3.25` a price.

use std::ops::Range;

/// Calls `emit` with the stretches of text between dates and times.
pub fn without_dates(text: &str, mut emit: impl FnMut(&str)) {
    let bytes = text.as_bytes();
    let (mut from, mut at) = (0, 0);
    while let Some(digit) = bytes[at..].iter().position(u8::is_ascii_digit) {
        let start = at + digit;
        match (Around { bytes, from }).date(start) {
            Some(date) => {
                emit(text.get(from..date.start).unwrap_or_default());
                (from, at) = (date.end, date.end);
            }
            None => at = start + digits(&bytes[start..]),
        }
    }
    emit(text.get(from..).unwrap_or_default());
}

#[rustfmt::skip]
const MONTHS: [&str; 12] = [
    "january", "february", "march", "april", "may", "june", "july", "august", "september",
    "october", "november", "december",
];
const DAYS: [&str; 7] = ["monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"];
/// Letters of the longest name, which is that of a month or a day.
const LONGEST: usize = 9;
const ZONES: [&str; 14] =
    ["gmt", "utc", "z", "bst", "cet", "cest", "est", "edt", "cst", "cdt", "mst", "mdt", "pst", "pdt"];

#[derive(Clone, Copy)]
struct Number {
    value: u32,
    digits: usize,
    end: usize,
}

impl Number {
    fn is_day(self) -> bool {
        self.digits <= 2 && (1..=31).contains(&self.value)
    }

    fn is_month(self) -> bool {
        self.digits <= 2 && (1..=12).contains(&self.value)
    }

    fn is_year(self) -> bool {
        self.digits == 4 && (1000..3000).contains(&self.value)
    }

    fn is_sixtieth(self) -> bool {
        self.digits == 2 && self.value <= 60
    }
}

/// The bytes around a number; those before `from` have been dealt with.
struct Around<'t> {
    bytes: &'t [u8],
    from: usize,
}

impl Around<'_> {
    /// The date or time whose first number starts at `start`.
    fn date(&self, start: usize) -> Option<Range<usize>> {
        let before = &self.bytes[self.from..start];
        if let [.., digit, b'.' | b'/' | b'-' | b':'] = before
            && digit.is_ascii_digit()
        {
            return None;
        }
        if before.last().is_some_and(|&byte| is_word(byte)) {
            return None;
        }
        let first = self.number(start)?;
        if let Some(end) = self.numeric_date(first) {
            let end = self.joined_time(end).unwrap_or(end);
            return Some(self.with_weekday(start)..end);
        }
        if let Some(end) = self.time(first) {
            return Some(start..end);
        }
        self.day_then_month(start, first).or_else(|| self.month_then_number(start, first))
    }

    /// `2024-01-31`, `31/12/2009`, `12/31/09`.
    fn numeric_date(&self, first: Number) -> Option<usize> {
        let mark = self.byte(first.end).filter(|mark| b"-/.".contains(mark))?;
        let second = self.number(first.end + 1)?;
        if self.byte(second.end) != Some(mark) {
            return None;
        }
        let third = self.number(second.end + 1)?;
        let year_first = first.is_year() && second.is_month() && third.is_day();
        let day_and_month = first.is_day() && second.is_month() || first.is_month() && second.is_day();
        // Forms like 1.2.10 may well be a version or a paragraph.
        let short_year = third.digits == 2 && (mark == b'/' || first.digits == 2 && second.digits == 2);
        if !year_first && !(day_and_month && (third.is_year() || short_year)) {
            return None;
        }
        // A fourth number makes it something else, such as an address.
        let goes_on = self.byte(third.end) == Some(mark)
            && self.byte(third.end + 1).is_some_and(|byte| byte.is_ascii_digit());
        let ends = self.ends(third.end) || matches!(self.byte(third.end), Some(b'T' | b't'));
        (ends && !goes_on).then_some(third.end)
    }

    /// The time after the `T` of an ISO date.
    fn joined_time(&self, at: usize) -> Option<usize> {
        matches!(self.byte(at), Some(b'T' | b't')).then_some(())?;
        self.time(self.number(at + 1)?)
    }

    /// `12:30`, `12:30:05.25`, `3 p.m.`, including the half of the day or the time zone.
    fn time(&self, hour: Number) -> Option<usize> {
        if hour.digits > 2 || hour.value > 24 {
            return None;
        }
        let part = |end: usize| {
            let number = self.number(end + 1).filter(|number| number.is_sixtieth())?;
            (self.byte(end) == Some(b':')).then_some(number.end)
        };
        let Some(minutes) = part(hour.end) else {
            return self.half_of_day(hour.end).filter(|_| (1..=12).contains(&hour.value));
        };
        let seconds = part(minutes);
        let mut end = seconds.unwrap_or(minutes);
        if seconds.is_some() && matches!(self.byte(end), Some(b'.' | b',')) {
            end = match digits(&self.bytes[end + 1..]) {
                0 => end,
                fraction => end + 1 + fraction,
            };
        }
        end = self.half_of_day(end).unwrap_or(end);
        end = self.zone(end).unwrap_or(end);
        let goes_on =
            self.byte(end) == Some(b':') && self.byte(end + 1).is_some_and(|byte| byte.is_ascii_digit());
        (self.ends(end) && !goes_on).then_some(end)
    }

    /// `am`, `p.m.`.
    fn half_of_day(&self, at: usize) -> Option<usize> {
        let at = self.skip_spaces(at);
        matches!(self.lower(at), Some(b'a' | b'p')).then_some(())?;
        let (m, end) = if self.byte(at + 1) == Some(b'.') { (at + 2, at + 4) } else { (at + 1, at + 2) };
        if self.lower(m) != Some(b'm') {
            return None;
        }
        // The last dot may be missing, or end the sentence.
        let end = if end == at + 4 && self.byte(m + 1) != Some(b'.') { m + 1 } else { end };
        self.ends(end).then_some(end)
    }

    /// `Z`, `GMT`, `+0100`, `-05:00`.
    fn zone(&self, at: usize) -> Option<usize> {
        let start = self.skip_spaces(at);
        if let Some((name, end)) = self.name(start) {
            return ZONES.iter().any(|zone| name.eq_ignore_ascii_case(zone.as_bytes())).then_some(end);
        }
        matches!(self.byte(start), Some(b'+' | b'-')).then_some(())?;
        let hours = self.number(start + 1)?;
        let end = match (hours.digits, self.byte(hours.end)) {
            (4, _) => hours.end,
            (2, Some(b':')) => self.number(hours.end + 1).filter(|minutes| minutes.is_sixtieth())?.end,
            _ => return None,
        };
        self.ends(end).then_some(end)
    }

    /// `3 Jan 2009`, `3rd of May`, `03-Jan-2009`.
    fn day_then_month(&self, start: usize, day: Number) -> Option<Range<usize>> {
        if !day.is_day() {
            return None;
        }
        let mut at = self.skip_joint(self.skip_ordinal(day.end))?;
        if let Some((name, end)) = self.name(at)
            && name.eq_ignore_ascii_case(b"of")
        {
            at = self.skip_joint(end)?;
        }
        let (name, end) = self.name(at)?;
        if !is_name(name, &MONTHS) {
            return None;
        }
        Some(self.with_weekday(start)..self.year(end).unwrap_or(end))
    }

    /// `January 3rd`, `Jan. 3, 2009`, `June 1999`.
    fn month_then_number(&self, start: usize, number: Number) -> Option<Range<usize>> {
        let month = self.name_before(start, &MONTHS)?;
        let end = if number.is_day() {
            let end = self.skip_ordinal(number.end);
            self.year(end).unwrap_or(end)
        } else if number.is_year() {
            number.end
        } else {
            return None;
        };
        self.ends(end).then(|| self.with_weekday(month)..end)
    }

    /// The end of a year after what has ended at `at`.
    fn year(&self, at: usize) -> Option<usize> {
        let year = self.number(self.skip_joint(at)?)?;
        (year.is_year() && self.ends(year.end)).then_some(year.end)
    }

    /// The start of a day of the week before `start`, else `start`.
    fn with_weekday(&self, start: usize) -> usize {
        self.name_before(start, &DAYS).unwrap_or(start)
    }

    /// The start of a name of the list that stands right before `start`.
    fn name_before(&self, start: usize, names: &[&str]) -> Option<usize> {
        let before = &self.bytes[self.from..start];
        let joint = before.iter().rev().take(3).take_while(|byte| is_joint(**byte)).count();
        let rest = &before[..before.len() - joint];
        let letters =
            rest.iter().rev().take(LONGEST + 1).take_while(|byte| byte.is_ascii_alphabetic()).count();
        let first = rest.len() - letters;
        let starts = first == 0 || !is_word(before[first - 1]);
        (starts && is_name(&before[first..first + letters], names)).then_some(self.from + first)
    }

    /// The whole run of digits at a place, if it is short enough to be part of a date.
    fn number(&self, at: usize) -> Option<Number> {
        let digits = digits(self.bytes.get(at..)?);
        if !(1..=4).contains(&digits) {
            return None;
        }
        let value =
            self.bytes[at..at + digits].iter().fold(0, |value, &digit| value * 10 + u32::from(digit - b'0'));
        Some(Number { value, digits, end: at + digits })
    }

    /// The letters at a place, if they are a whole word of at most nine.
    fn name(&self, at: usize) -> Option<(&[u8], usize)> {
        let rest = self.bytes.get(at..)?;
        let letters = rest.iter().take(LONGEST + 1).take_while(|byte| byte.is_ascii_alphabetic()).count();
        (letters > 0 && self.ends(at + letters)).then_some((&rest[..letters], at + letters))
    }

    /// Passes `st`, `nd`, `rd` or `th`.
    fn skip_ordinal(&self, at: usize) -> usize {
        match (self.lower(at), self.lower(at + 1)) {
            (Some(b's'), Some(b't')) | (Some(b'n' | b'r'), Some(b'd')) | (Some(b't'), Some(b'h')) => at + 2,
            _ => at,
        }
    }

    /// Passes the one to three characters that may stand between the parts of a date.
    fn skip_joint(&self, at: usize) -> Option<usize> {
        let joint = self.bytes.get(at..)?.iter().take(3).take_while(|byte| is_joint(**byte)).count();
        (joint > 0).then_some(at + joint)
    }

    fn skip_spaces(&self, at: usize) -> usize {
        at + usize::from(self.byte(at) == Some(b' '))
    }

    /// Whether no word continues at a place.
    fn ends(&self, at: usize) -> bool {
        !self.byte(at).is_some_and(is_word)
    }

    fn byte(&self, at: usize) -> Option<u8> {
        self.bytes.get(at).copied()
    }

    fn lower(&self, at: usize) -> Option<u8> {
        self.byte(at).map(|byte| byte.to_ascii_lowercase())
    }
}

/// The name itself or its short form: three letters, or four for `Sept`, `Tues`, `Thur`.
fn is_name(name: &[u8], names: &[&str]) -> bool {
    names.iter().any(|full| {
        let short = (3..=4).contains(&name.len()) || name.len() == full.len();
        short && full.as_bytes().get(..name.len()).is_some_and(|start| start.eq_ignore_ascii_case(name))
    })
}

fn digits(bytes: &[u8]) -> usize {
    bytes.iter().take_while(|byte| byte.is_ascii_digit()).count()
}

fn is_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_'
}

fn is_joint(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t' | b'\n' | b'\r' | b',' | b'.' | b'-' | b'/')
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn left(text: &str) -> String {
        let mut left = Vec::new();
        without_dates(text, |piece| left.push(piece.to_owned()));
        left.join("|")
    }

    #[test]
    fn dates_and_times_go() {
        for date in "2024-01-31 | 2024/1/31 | 31/12/2009 | 12/31/2009 | 31.12.2009 | 31.12.09 | 1/2/09 | \
            2024-01-31T12:30:05Z | 2024-01-31T12:30:05.123+01:00 | Mon 2024-01-31 | 12:30 | 12:30:05 | \
            9:15 p.m. | 9:15pm | 3pm | 11 a.m. | 23:59 GMT | 08:00 +0100 | January 3rd | \
            Jan. 3, 2009 | JANUARY 3 | 3 Jan 2009 | 3rd of May | 03-Jan-2009 | Mon, 3 Jan 2009 | \
            Thursday, June 1st, 1999 | June 1999 | Sept 3 | 22 December"
            .split(" | ")
        {
            let text = format!("on {date} it rained");
            assert_eq!(left(&text), "on | it rained", "{date}");
            assert_eq!(left(date), "|", "{date} alone");
        }
        assert_eq!(left("Mon, 3 Jan 2009 12:30:05 GMT"), "| |");
        assert_eq!(left("at 12:30, 13:30 and 9 p.m. tomorrow"), "at |, | and | tomorrow");
    }

    #[test]
    fn other_numbers_and_names_stay() {
        for text in "it cost 3.25 or 12.30 | version 1.2.10 | 10.12.20.30 | 2009 | may be in march | \
            the sun sat | page 12 | 31/12 | 99:99 | 2024-13-31 | 45/45/2009 | x12:30 | 12:30x | \
            1:2:3 | room 3 maybe | marching 10 miles | 12345-01-31 | I am 12 | 3 amber |  | 7 | \
            é 5 è | Monday 5 people | 1:12:30:05"
            .split(" | ")
        {
            assert_eq!(left(text), text);
        }
    }

    #[test]
    fn what_was_cut_is_not_looked_at_again() {
        assert_eq!(left("3 May 2009 4 May 2009"), "| |");
        assert_eq!(left("3 May 4"), "| 4", "the month belongs to one date only");
    }

    proptest! {
        #[test]
        fn any_text_loses_only_stretches_with_a_digit(
            text in "([0-9]{1,4}|[ ,.:/T-]|Jan|may|mon|am|p.m.|th|of|é|日|GMT|x){0,25}"
        ) {
            let mut done = 0;
            without_dates(&text, |piece| {
                let start = piece.as_ptr() as usize - text.as_ptr() as usize;
                let cut = &text[done..start];
                assert!(start == 0 || cut.contains(|c: char| c.is_ascii_digit()), "{cut:?} of {text:?}");
                done = start + piece.len();
            });
            prop_assert_eq!(done, text.len());
        }
    }
}
