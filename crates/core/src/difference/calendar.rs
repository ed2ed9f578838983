//! The words of dates: names of months and of days of the week, and what stands between and beside them.

use std::sync::OnceLock;

use crate::hash;

/// Whether a word alone tells a day or a month: a day of the week, or a month whose name means nothing else.
pub fn is_day_or_month(key: u64) -> bool {
    static AMBIGUOUS: OnceLock<[u64; 3]> = OnceLock::new();
    let ambiguous =
        || AMBIGUOUS.get_or_init(|| ["may", "march", "mars"].map(|name| hash::bytes(name.as_bytes())));
    match names().get(key) {
        Some(Name::Weekday) => true,
        Some(Name::Month) => !ambiguous().contains(&key),
        _ => false,
    }
}

/// Whether a word can be part of a date of several words. Words that begin with digits can be, too.
pub fn is_part_of_date(key: u64) -> bool {
    names().get(key).is_some()
}

/// Whether no word with this length and this first letter can be: most words need no hash to tell. The letter is one of
/// ASCII, as are all of the word.
#[inline]
pub fn begins_no_name(first: u8, length: usize) -> bool {
    names().letters.get(length).is_none_or(|letters| letters >> (first & 31) & 1 == 0)
}

/// Whether a date may begin with this word, or with any that begins with digits.
pub fn may_begin_date(key: u64) -> bool {
    matches!(names().get(key), Some(Name::Month | Name::Weekday))
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Name {
    Month,
    Weekday,
    /// A word between the parts of a date.
    Link,
    /// `年`, `月`, `日`: which part of a date it follows, from 0.
    Part(usize),
    HalfOfDay,
    /// The letters of `a.m.` and `p.m.`
    AOrP,
    M,
}

/// The names by the hashes of the words.
pub struct Names {
    /// A bit for the last bits of each key. Most words are no name, and this tells it quickly.
    filter: [u64; 64],
    /// For each length a bit for the last bits of each first letter, of names in ASCII.
    letters: [u32; LONGEST + 1],
    /// Each name at the place that its key gives it, or at the next that is free.
    table: [Option<(u64, Name)>; PLACES],
}

/// Far more than there are names, so that most find their own place free.
const PLACES: usize = 1024;
/// Letters of the longest name in ASCII.
const LONGEST: usize = 10;

impl Names {
    #[inline]
    pub fn get(&self, key: u64) -> Option<Name> {
        let is_likely = self.filter[(key >> 6) as usize % 64] >> (key % 64) & 1 != 0;
        if is_likely { self.find(key) } else { None }
    }

    fn find(&self, key: u64) -> Option<Name> {
        let mut names = places(key).map_while(|place| self.table[place]);
        names.find(|&(other, _)| other == key).map(|(_, name)| name)
    }

    /// A later name of the same word takes precedence.
    fn insert(&mut self, key: u64, name: Name) {
        self.filter[(key >> 6) as usize % 64] |= 1 << (key % 64);
        let is_free = |&place: &usize| self.table[place].is_none_or(|(other, _)| other == key);
        if let Some(place) = places(key).find(is_free) {
            self.table[place] = Some((key, name));
        }
    }
}

/// Where a name may be, in the order in which it is looked for.
fn places(key: u64) -> impl Iterator<Item = usize> {
    (0..PLACES).map(move |step| ((key >> 12) as usize + step) % PLACES)
}

pub fn names() -> &'static Names {
    static NAMES: OnceLock<Names> = OnceLock::new();
    NAMES.get_or_init(|| {
        let mut names = Names { filter: [0; 64], letters: [0; LONGEST + 1], table: [None; PLACES] };
        for (list, name) in LISTS {
            for word in list.split_whitespace() {
                names.insert(hash::bytes(word.as_bytes()), name);
                if let (true, Some(letters)) = (word.is_ascii(), names.letters.get_mut(word.len())) {
                    *letters |= 1 << (word.as_bytes()[0] & 31);
                }
            }
        }
        names
    })
}

const LISTS: [(&str, Name); 9] = [
    (MONTHS, Name::Month),
    (WEEKDAYS, Name::Weekday),
    ("of de del di do", Name::Link),
    ("年", Name::Part(0)),
    ("月", Name::Part(1)),
    ("日 号", Name::Part(2)),
    ("am pm", Name::HalfOfDay),
    ("a p", Name::AOrP),
    ("m", Name::M),
];

/// Short forms that are words of their own (`set`, `out`, `ago`, `mag`, `gen`) are left out.
const MONTHS: &str = "\
    january february march april may june july august september october november december \
    jan feb mar apr jun jul aug sep sept oct nov dec \
    januar jänner februar märz mai juni juli oktober dezember jän mär mrz okt dez \
    janvier février mars avril juin juillet août septembre octobre novembre décembre \
    janv févr avr juil déc \
    enero febrero marzo abril mayo junio julio agosto septiembre setiembre octubre noviembre diciembre \
    ene abr dic \
    gennaio febbraio aprile maggio giugno luglio settembre ottobre dicembre giu lug ott \
    janeiro fevereiro março maio junho julho setembro outubro novembro dezembro fev \
    januari februari maart mei augustus mrt \
    января февраля марта апреля мая июня июля августа сентября октября ноября декабря \
    январь февраль март апрель май июнь июль август сентябрь октябрь ноябрь декабрь \
    янв фев мар апр июн июл авг сен окт ноя дек";

const WEEKDAYS: &str = "\
    monday tuesday wednesday thursday friday saturday sunday \
    montag dienstag mittwoch donnerstag freitag samstag sonnabend sonntag \
    lundi mardi mercredi jeudi vendredi samedi dimanche \
    lunes martes miércoles jueves viernes sábado domingo \
    lunedì martedì mercoledì giovedì venerdì sabato domenica \
    maandag dinsdag woensdag donderdag vrijdag zaterdag zondag \
    понедельник вторник среда четверг пятница суббота воскресенье";

#[cfg(test)]
mod tests {
    use std::collections::HashMap;

    use super::*;

    #[test]
    fn every_name_is_found_and_no_other_word() {
        let words =
            LISTS.iter().flat_map(|&(list, name)| list.split_whitespace().map(move |word| (word, name)));
        let expected: HashMap<u64, Name> =
            words.clone().map(|(word, name)| (hash::bytes(word.as_bytes()), name)).collect();
        assert!(expected.len() < PLACES / 4, "{}", expected.len());
        for (word, _) in words.filter(|(word, _)| word.is_ascii()) {
            let first = word.as_bytes()[0];
            assert!(word.len() <= LONGEST && first.is_ascii_alphabetic(), "{word}");
            assert!(
                !begins_no_name(first, word.len()) && !begins_no_name(first.to_ascii_uppercase(), word.len())
            );
        }
        assert!(begins_no_name(b't', 3) && begins_no_name(b'D', LONGEST + 1));
        for (&key, &name) in &expected {
            assert_eq!(names().get(key), Some(name));
            // The same place and the same bit of the filter.
            for other in [key ^ 1 << 30, key ^ 1 << 63, key ^ 1 << 12] {
                assert_eq!(names().get(other), expected.get(&other).copied());
            }
        }
    }
}
