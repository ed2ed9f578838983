//! Numbers of lists and headings, which Word does not write but counts.

use std::collections::BTreeMap;

use crate::formats::compound::{long, short};

const LEVELS: usize = 9;
const LIST_BYTES: usize = 28;
const LEVEL_BYTES: usize = 28;
/// A file with more lists than this is damaged.
const MOST: usize = 1 << 14;
const LONGEST_LABEL: usize = 60;

#[derive(Clone, Debug, Default)]
struct Level {
    start: u32,
    form: u8,
    /// All numbers of a label in Arabic figures.
    legal: bool,
    /// Characters below 9 stand for the number of that level.
    label: Vec<u16>,
}

/// What the list number of a paragraph refers to: a list, some levels of which may be changed.
#[derive(Clone, Debug, Default)]
struct Override {
    list: u32,
    starts: BTreeMap<usize, u32>,
    levels: BTreeMap<usize, Level>,
}

#[derive(Default)]
pub struct Lists {
    lists: BTreeMap<u32, Vec<Level>>,
    overrides: Vec<Override>,
    /// The last number of each level; by list.
    counters: BTreeMap<u32, [Option<u32>; LEVELS]>,
    /// Levels of overrides that have begun with their own start.
    begun: BTreeMap<(u16, usize), ()>,
}

impl Lists {
    /// `lists` reaches to the end of the stream: the levels follow the table.
    pub fn read(lists: &[u8], overrides: &[u8]) -> Self {
        Lists { lists: read_lists(lists), overrides: read_overrides(overrides), ..Lists::default() }
    }

    /// Counts a paragraph of a list and returns its label; empty for bullets.
    pub fn label(&mut self, number: u16, level: u8) -> String {
        let level = usize::from(level).min(LEVELS - 1);
        let Some(chosen) = usize::from(number).checked_sub(1).and_then(|at| self.overrides.get(at)) else {
            return String::new();
        };
        let none = Vec::new();
        let levels = self.lists.get(&chosen.list).unwrap_or(&none);
        let of_level = |at: usize| chosen.levels.get(&at).or_else(|| levels.get(at));
        let Some(own) = of_level(level) else { return String::new() };
        let start = |at| {
            chosen.starts.get(&at).copied().or_else(|| of_level(at).map(|level| level.start)).unwrap_or(1)
        };
        let counters = self.counters.entry(chosen.list).or_default();
        let restarts = chosen.starts.contains_key(&level) && self.begun.insert((number, level), ()).is_none();
        counters[level] = match counters[level] {
            Some(last) if !restarts => Some(last.saturating_add(1)),
            _ => Some(start(level)),
        };
        counters[level + 1..].fill(None);
        let mut label = String::new();
        for unit in char::decode_utf16(own.label.iter().copied()) {
            match unit {
                Ok(place) if (place as usize) < LEVELS => {
                    let place = place as usize;
                    let value = *counters[place].get_or_insert_with(|| start(place));
                    let form = of_level(place).map_or(0, |level| level.form);
                    label += &written(value, if own.legal && form != 22 { 0 } else { form });
                }
                Ok(other) if own.form != 23 => label.push(other),
                _ => {}
            }
        }
        label.truncate(label.floor_char_boundary(LONGEST_LABEL));
        label
    }
}

fn read_lists(table: &[u8]) -> BTreeMap<u32, Vec<Level>> {
    let count = short(table, 0).map_or(0, usize::from).min(MOST);
    let mut at = 2 + LIST_BYTES * count;
    let mut lists = BTreeMap::new();
    for list in 0..count {
        let entry = 2 + LIST_BYTES * list;
        let (Some(id), Some(flags)) = (long(table, entry), table.get(entry + 26)) else { break };
        let depth = if flags & 1 == 1 { 1 } else { LEVELS };
        let mut levels = Vec::new();
        for _ in 0..depth {
            let Some((level, end)) = read_level(table, at) else { return lists };
            levels.push(level);
            at = end;
        }
        lists.insert(id, levels);
    }
    lists
}

fn read_overrides(table: &[u8]) -> Vec<Override> {
    let count = (long(table, 0).unwrap_or(0) as usize).min(MOST);
    let mut at = 4 + 16 * count;
    let mut overrides = Vec::new();
    for number in 0..count {
        let entry = 4 + 16 * number;
        let (Some(list), Some(&changed)) = (long(table, entry), table.get(entry + 12)) else { break };
        let mut chosen = Override { list, ..Override::default() };
        // Changes of lists come after all lists; if they are broken, the lists stay unchanged.
        at += 4;
        for _ in 0..changed.min(LEVELS as u8) {
            let (Some(start), Some(flags)) = (long(table, at), long(table, at + 4)) else { break };
            let level = (flags & 15) as usize;
            at += 8;
            if flags & 32 != 0 {
                let Some((changed, end)) = read_level(table, at) else { break };
                if flags & 16 != 0 {
                    chosen.starts.insert(level, changed.start);
                }
                chosen.levels.insert(level, changed);
                at = end;
            } else if flags & 16 != 0 {
                chosen.starts.insert(level, start);
            }
        }
        overrides.push(chosen);
    }
    overrides
}

/// A level and where it ends.
fn read_level(table: &[u8], at: usize) -> Option<(Level, usize)> {
    let head = table.get(at..at + LEVEL_BYTES)?;
    let formats = usize::from(head[24]) + usize::from(head[25]);
    let label_at = at + LEVEL_BYTES + formats;
    let length = usize::from(short(table, label_at)?);
    let label = table.get(label_at + 2..label_at + 2 + 2 * length)?;
    let label = label.as_chunks::<2>().0.iter().map(|unit| u16::from_le_bytes(*unit)).take(64).collect();
    let level = Level { start: long(head, 0)?, form: head[4], legal: head[5] & 4 != 0, label };
    Some((level, label_at + 2 + 2 * length))
}

/// A number in the level's format; unknown formats give Arabic figures.
fn written(value: u32, form: u8) -> String {
    match form {
        1 => roman(value),
        2 => roman(value).to_lowercase(),
        3 => letters(value, b'A'),
        4 => letters(value, b'a'),
        5 => format!("{value}{}", ordinal_ending(value)),
        22 => format!("{value:02}"),
        23 | 255 => String::new(),
        _ => value.to_string(),
    }
}

fn roman(value: u32) -> String {
    const SIGNS: [(u32, &str); 13] = [
        (1000, "M"),
        (900, "CM"),
        (500, "D"),
        (400, "CD"),
        (100, "C"),
        (90, "XC"),
        (50, "L"),
        (40, "XL"),
        (10, "X"),
        (9, "IX"),
        (5, "V"),
        (4, "IV"),
        (1, "I"),
    ];
    if value > 4999 {
        return value.to_string();
    }
    let mut rest = value;
    let mut text = String::new();
    for (worth, sign) in SIGNS {
        while rest >= worth {
            text += sign;
            rest -= worth;
        }
    }
    text
}

/// A, B, … Z, AA, BB, …
fn letters(value: u32, first: u8) -> String {
    let Some(place) = value.checked_sub(1).filter(|place| *place < 26 * 30) else { return value.to_string() };
    let letter = char::from(first + (place % 26) as u8);
    std::iter::repeat_n(letter, (place / 26 + 1) as usize).collect()
}

fn ordinal_ending(value: u32) -> &'static str {
    match (value % 10, value % 100) {
        (_, 11..=13) => "th",
        (1, _) => "st",
        (2, _) => "nd",
        (3, _) => "rd",
        _ => "th",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn level(start: u32, form: u8, label: &[u16]) -> Vec<u8> {
        let mut bytes = vec![0; LEVEL_BYTES];
        bytes[..4].copy_from_slice(&start.to_le_bytes());
        bytes[4] = form;
        bytes.extend((label.len() as u16).to_le_bytes());
        bytes.extend(label.iter().flat_map(|unit| unit.to_le_bytes()));
        bytes
    }

    #[test]
    fn levels_are_counted_and_restart() {
        let mut lists = vec![0; 2 + LIST_BYTES];
        lists[0] = 1;
        lists[2] = 7;
        lists.extend(level(1, 0, &[0, 46]));
        lists.extend(level(3, 2, &[0, 46, 1, 41]));
        (2..LEVELS).for_each(|_| lists.extend(level(1, 23, &[0xf0b7])));
        let mut overrides = vec![0; 4 + 16 + 4];
        overrides[0] = 1;
        overrides[4] = 7;
        for end in 0..lists.len() {
            Lists::read(&lists[..end], &overrides[..end.min(overrides.len())]).label(1, 1);
        }
        let mut lists = Lists::read(&lists, &overrides);
        let labels: Vec<String> = [0, 1, 1, 0, 1, 2].map(|level| lists.label(1, level)).to_vec();
        assert_eq!(labels, ["1.", "1.iii)", "1.iv)", "2.", "2.iii)", ""]);
        assert_eq!(lists.label(2, 0), "");
    }

    #[test]
    fn numbers_in_all_forms() {
        let all: Vec<String> = [0, 1, 2, 3, 4, 5, 22, 23].map(|form| written(29, form)).to_vec();
        assert_eq!(all, ["29", "XXIX", "xxix", "CC", "cc", "29th", "29", ""]);
        assert_eq!(written(0, 3), "0");
    }
}
