//! The kinds of one place at which two texts differ.

use super::DifferenceKind;
use super::calendar::is_day_or_month;
use super::names::is_name;
use super::set::Kinds;
use super::units::Unit;

/// In a place with more units than this on a side, words and all else make one passage. In a shorter one, a number
/// stands for a number of the other side even if words beside it differ, too.
pub const SHORT: usize = 8;

/// What a unit tells.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Class {
    Word,
    Number,
    Date,
    Name,
}

/// A unit, reduced to what its kind follows from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Told {
    pub key: u64,
    pub class: Class,
}

impl Told {
    pub fn of(text: &str, unit: &Unit) -> Told {
        let word = text.get(unit.start..unit.end).unwrap_or_default();
        let class = if unit.is_date || is_day_or_month(unit.key) {
            Class::Date
        } else if word.bytes().all(|byte| byte.is_ascii_lowercase()) {
            // Most words are.
            Class::Word
        } else if holds_number(word) {
            Class::Number
        } else if is_name(text, unit.start, unit.end) {
            Class::Name
        } else {
            Class::Word
        };
        Told { key: unit.key, class }
    }
}

fn holds_number(word: &str) -> bool {
    if word.is_ascii() {
        word.bytes().any(|byte| byte.is_ascii_digit())
    } else {
        word.chars().any(char::is_numeric)
    }
}

/// What is told by itself, and the kind of difference in it.
const FACTS: [(Class, DifferenceKind); 3] = [
    (Class::Number, DifferenceKind::Numbers),
    (Class::Date, DifferenceKind::Dates),
    (Class::Name, DifferenceKind::Names),
];

/// The kinds of a place: what one text has there, and what the other has.
pub fn kinds_of(a: &[Told], b: &[Told]) -> Kinds {
    let mut kinds = Kinds::default();
    let words_differ = differ(a, b, Class::Word);
    if words_differ && (a.len() > SHORT || b.len() > SHORT) {
        add_passage(&mut kinds, !a.is_empty(), !b.is_empty());
        return kinds;
    }
    let mut in_a = words_differ && has(a, Class::Word);
    let mut in_b = words_differ && has(b, Class::Word);
    let holds_facts = a.iter().chain(b).any(|unit| unit.class != Class::Word);
    // Most hold none.
    let facts = if holds_facts { &FACTS[..] } else { &[] };
    for &(class, kind) in facts {
        if !differ(a, b, class) {
            continue;
        }
        let (has_a, has_b) = (has(a, class), has(b, class));
        if has_a && has_b || !words_differ {
            kinds.add(kind);
        } else {
            // Words stand for it in the other text, so it is one word among others.
            in_a |= has_a;
            in_b |= has_b;
        }
    }
    add_passage(&mut kinds, in_a, in_b);
    if kinds.is_empty() {
        kinds.add(DifferenceKind::Order);
    }
    kinds
}

/// Adds the kind of a passage that one or both texts have, if any has it.
pub fn add_passage(kinds: &mut Kinds, in_a: bool, in_b: bool) {
    match (in_a, in_b) {
        (true, true) => kinds.add(DifferenceKind::Replaced),
        (true, false) => kinds.add(DifferenceKind::Cut),
        (false, true) => kinds.add(DifferenceKind::Added),
        (false, false) => {}
    }
}

pub fn has(units: &[Told], class: Class) -> bool {
    units.iter().any(|unit| unit.class == class)
}

fn differ(a: &[Told], b: &[Told], class: Class) -> bool {
    let of_class = |unit: &&Told| unit.class == class;
    !a.iter().filter(of_class).eq(b.iter().filter(of_class))
}
