//! Recognises dates and times among the words of a text.
//!
//! | form | examples |
//! |---|---|
//! | numeric date | `2024-01-31`, `31/12/2009`, `12.03.99`, `2024-01-31T12:30:05Z` |
//! | with the month's name | `1 March 2024`, `March 1st, 2024`, `le 1er mars`, `1. März 2024`, `3 de mayo de 2024`, `June 1999` |
//! | Chinese, Japanese, Korean | `2024年3月1日`, `3月1日`, `2024년 3월 1일` |
//! | time | `12:30`, `12:30:05`, `9:15 p.m.`, `3pm` |
//!
//! Names of months are known in English, German, French, Spanish, Italian, Portuguese, Dutch and Russian. A year
//! alone is a number: nothing tells that it is a year.

use super::calendar::{Name, names};
use super::words::{Digits, Tail, Unit};

/// How many words the date or time that begins with this word has; 0 if none begins there.
/// `numbers` are those of the words that begin with digits, by their places.
pub fn length(text: &str, words: &[Unit], numbers: &[(usize, Digits)], at: usize) -> usize {
    let name = names().get(words[at].key);
    let reader = Reader { text, words, numbers };
    let start = match name {
        // A day of the week belongs to the date after it.
        Some(Name::Weekday) if reader.is_joint(at) => at + 1,
        _ => at,
    };
    let end = match (reader.number(start), words.get(start)) {
        (Some(first), _) => reader.after_number(start, first),
        (None, Some(word)) if names().get(word.key) == Some(Name::Month) => reader.month_first(start),
        _ => None,
    };
    end.map_or(0, |end| end - at)
}

struct Reader<'t> {
    text: &'t str,
    words: &'t [Unit],
    numbers: &'t [(usize, Digits)],
}

/// Each function returns the index of the first word after what it recognises.
impl Reader<'_> {
    fn after_number(&self, at: usize, first: Digits) -> Option<usize> {
        self.numeric(at, first)
            .or_else(|| self.with_signs(at, first))
            .or_else(|| self.time(at, first))
            .or_else(|| self.day_first(at, first))
    }

    /// `2024-01-31`, `31/12/2009`, `12/31/09`.
    fn numeric(&self, at: usize, first: Digits) -> Option<usize> {
        let mark = Some(self.gap(at)).filter(|mark| ["-", "/", "."].contains(mark))?;
        let (second, third) = (self.number(at + 1)?, self.number(at + 2)?);
        let is_plain = |number: Digits| number.tail == Tail::Nothing;
        if self.gap(at + 1) != mark || !is_plain(first) || !is_plain(second) {
            return None;
        }
        let year_first = is_year(first) && is_month(second) && is_day(third);
        let day_and_month = is_day(first) && is_month(second) || is_month(first) && is_day(second);
        // Forms like 1.2.10 may well be a version or a paragraph.
        let short_year = third.count == 2 && (mark == "/" || first.count == 2 && second.count == 2);
        let is_date = year_first || day_and_month && (is_year(third) || short_year);
        // A fourth number makes it something else, such as an address.
        let goes_on = self.gap(at + 2) == mark && self.number(at + 3).is_some();
        if !is_date || goes_on {
            return None;
        }
        match is_plain(third) {
            true => Some(at + 3),
            // The time after the `T` of an ISO date.
            false => Some(self.clock(at + 2)),
        }
    }

    /// `2024年3月1日`, `3月1日`, `2024년 3월 1일`: each number is followed by a sign that says what it is.
    fn with_signs(&self, at: usize, first: Digits) -> Option<usize> {
        let (mut last, mut next) = self.sign(at, first)?;
        let mut parts = 1;
        while let Some(number) = self.number(next)
            && let Some((part, after)) = self.sign(next, number)
            && part == last + 1
        {
            (last, next, parts) = (part, after, parts + 1);
        }
        (parts > 1).then_some(next)
    }

    /// Which part of a date the sign after a number makes it, from 0, and the first word after both.
    fn sign(&self, at: usize, number: Digits) -> Option<(usize, usize)> {
        match number.tail {
            Tail::Part(part) => Some((part, at + 1)),
            Tail::Nothing => match names().get(self.words.get(at + 1)?.key)? {
                Name::Part(part) => Some((part, at + 2)),
                _ => None,
            },
            _ => None,
        }
    }

    /// `12:30`, `12:30:05`, `9:15 p.m.`, `3pm`.
    fn time(&self, at: usize, hour: Digits) -> Option<usize> {
        if hour.count > 2 || hour.value > 24 {
            return None;
        }
        if hour.tail == Tail::HalfOfDay {
            return Some(at + 1);
        }
        let end = self.clock(at);
        let half = self.half_of_day(end);
        if end == at + 1 {
            return half.filter(|_| hour.value <= 12);
        }
        Some(half.unwrap_or(end))
    }

    /// Passes an hour at `at`, and minutes and seconds after it, if there are any.
    fn clock(&self, at: usize) -> usize {
        let mut end = at + 1;
        while end < at + 3
            && self.gap(end - 1) == ":"
            && self.number(end).is_some_and(|part| part.count == 2 && part.value <= 60)
        {
            end += 1;
        }
        end
    }

    /// `am`, `p.m.`
    fn half_of_day(&self, at: usize) -> Option<usize> {
        let gap = self.gap(at.checked_sub(1)?);
        if !gap.chars().all(|c| matches!(c, ' ' | '\u{a0}' | '\u{202f}')) {
            return None;
        }
        let is = |place: usize, wanted: Name| {
            self.words.get(place).is_some_and(|word| names().get(word.key) == Some(wanted))
        };
        if is(at, Name::HalfOfDay) {
            return Some(at + 1);
        }
        (is(at, Name::AOrP) && self.gap(at) == "." && is(at + 1, Name::M)).then_some(at + 2)
    }

    /// `3 Jan 2009`, `3rd of May`, `1. März 2024`, `3 de mayo de 2024`.
    fn day_first(&self, at: usize, day: Digits) -> Option<usize> {
        if !is_day(day) || !is_bare_or_ordinal(day) {
            return None;
        }
        let month = self.past_link(at)?;
        if names().get(self.words.get(month)?.key) != Some(Name::Month) {
            return None;
        }
        Some(self.year(month).unwrap_or(month + 1))
    }

    /// `January 3rd`, `Jan. 3, 2009`, `June 1999`.
    fn month_first(&self, at: usize) -> Option<usize> {
        if let Some(end) = self.year(at) {
            return Some(end);
        }
        let day = self.number(at + 1).filter(|&day| is_day(day) && is_bare_or_ordinal(day))?;
        // `May 3.5` and `May 3,500` have no day.
        let has_fraction = matches!(self.gap(at + 1), "." | ",") && self.number(at + 2).is_some();
        if !self.is_joint(at) || day.count > 2 || has_fraction {
            return None;
        }
        Some(self.year(at + 1).unwrap_or(at + 2))
    }

    /// Passes a year after this word.
    fn year(&self, at: usize) -> Option<usize> {
        let place = self.past_link(at)?;
        let year = self.number(place)?;
        (is_year(year) && year.tail == Tail::Nothing).then_some(place + 1)
    }

    /// The word after this one, or the one after that if a word like `of` joins them.
    fn past_link(&self, at: usize) -> Option<usize> {
        self.is_joint(at).then_some(())?;
        let next = self.words.get(at + 1)?;
        if names().get(next.key) != Some(Name::Link) {
            return Some(at + 1);
        }
        self.is_joint(at + 1).then_some(at + 2)
    }

    /// Whether this word and the next can belong to one date.
    fn is_joint(&self, at: usize) -> bool {
        let gap = self.gap(at);
        at + 1 < self.words.len() && gap.len() <= 3 && gap.chars().all(|c| " \u{a0}\t\r\n,.-/".contains(c))
    }

    /// The text between this word and the next.
    fn gap(&self, at: usize) -> &str {
        match (self.words.get(at), self.words.get(at + 1)) {
            (Some(word), Some(next)) => self.text.get(word.end..next.start).unwrap_or_default(),
            _ => "",
        }
    }

    fn number(&self, at: usize) -> Option<Digits> {
        let place = self.numbers.binary_search_by_key(&at, |number| number.0).ok()?;
        Some(self.numbers[place].1)
    }
}

fn is_day(number: Digits) -> bool {
    number.count <= 2 && (1..=31).contains(&number.value)
}

fn is_month(number: Digits) -> bool {
    number.count <= 2 && (1..=12).contains(&number.value)
}

fn is_year(number: Digits) -> bool {
    number.count == 4 && (1000..3000).contains(&number.value)
}

fn is_bare_or_ordinal(number: Digits) -> bool {
    matches!(number.tail, Tail::Nothing | Tail::Ordinal)
}
