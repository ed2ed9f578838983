//! Walks through two texts side by side and collects the places at which they differ.

use std::ops::Range;

use super::again::same_again;
use super::align::{Aligner, Gap};
use super::kinds::{Class, SHORT, Told, has};
use super::moved::Places;
use super::nearby::{Found, read_first_difference};
use super::set::Kinds;
use super::units::{Unit, Window, can_cut, cut_back};
use super::{Difference, DifferenceKind};
use crate::text::{common_prefix, compose_into, is_composed};

/// Bytes of the first window; each further one is so many times larger.
const FIRST_WINDOW: usize = 96;
const GROWTH: usize = 4;
/// Bytes before a difference that are read as well, since a date may begin there.
const CONTEXT: usize = 32;

/// What the walk through two texts needs, reused from pair to pair.
#[derive(Default)]
pub struct Buffers {
    in_a: Window,
    in_b: Window,
    state: State,
}

#[derive(Default)]
struct State {
    places: Places,
    told_a: Vec<Told>,
    told_b: Vec<Told>,
    keys_a: Vec<u64>,
    keys_b: Vec<u64>,
    aligner: Aligner,
}

/// Buffers for more units than this are not kept.
const MOST_KEPT: usize = 1 << 14;

impl Buffers {
    /// How the second text differs from the first. The result of the reverse is the reverse only if callers order
    /// them.
    pub fn walk(&mut self, a: &str, b: &str) -> Difference {
        let Buffers { in_a, in_b, state } = self;
        state.places.clear();
        let mut walk = Walk { a, b, at: (0, 0), is_after_gap: false, form: Kinds::default(), state };
        let mut bytes = FIRST_WINDOW;
        loop {
            if walk.skip_equal(in_a, in_b) {
                break;
            }
            in_a.read(a, walk.at.0, bytes);
            in_b.read(b, walk.at.1, bytes);
            match walk.step(in_a, in_b) {
                Step::GoOn => bytes = FIRST_WINDOW,
                Step::Enlarge => bytes = bytes.saturating_mul(GROWTH),
                Step::Done => break,
            }
        }
        let mut kinds = walk.form;
        kinds.add_all(walk.state.places.kinds());
        if in_a.units.capacity().max(in_b.units.capacity()) > MOST_KEPT {
            *self = Buffers::default();
        }
        kinds.difference()
    }
}

struct Walk<'t> {
    a: &'t str,
    b: &'t str,
    /// How far each text has been read.
    at: (usize, usize),
    /// What is between here and the next unit belongs to a place that differs.
    is_after_gap: bool,
    /// Kinds of what has the same words.
    form: Kinds,
    state: &'t mut State,
}

enum Step {
    /// From where both are now.
    GoOn,
    /// The windows do not reach far enough.
    Enlarge,
    Done,
}

impl Walk<'_> {
    /// Passes bytes that are the same, and differences whose ends are found by bytes; ends shortly before the first of
    /// which they are not. Returns whether nothing is left.
    fn skip_equal(&mut self, in_a: &mut Window, in_b: &mut Window) -> bool {
        loop {
            let (x, y) = self.at;
            let (rest_a, rest_b) = (&self.a.as_bytes()[x..], &self.b.as_bytes()[y..]);
            let same = common_prefix(rest_a, rest_b);
            if same == rest_a.len() && same == rest_b.len() {
                return true;
            }
            let found = read_first_difference((self.a, in_a), (self.b, in_b), self.at, same);
            if let Some(Found { after, next }) = found {
                self.at = (x + after, y + after);
                self.pass(&in_a.units, &in_b.units, next);
                continue;
            }
            let place = cut_back(self.a, x, x + same.saturating_sub(CONTEXT));
            if place > x {
                self.at = (place, y + (place - x));
                self.is_after_gap = false;
            }
            return false;
        }
    }

    /// Passes all that differs from the end of the last word on, up to where both go on.
    fn pass(&mut self, units_a: &[Unit], units_b: &[Unit], next: (usize, usize)) {
        let same = units_a.iter().zip(units_b).take_while(|(x, y)| x.key == y.key).count();
        let (same_a, rest_a) = units_a.split_at(same);
        let (same_b, rest_b) = units_b.split_at(same);
        self.is_after_gap = false;
        self.compare_forms(same_a, same_b);
        if !rest_a.is_empty() || !rest_b.is_empty() {
            self.add_places(rest_a, rest_b);
        } else if let (Some(last_a), Some(last_b)) = (same_a.last(), same_b.last()) {
            self.compare_gap(last_a.end..next.0, last_b.end..next.1);
        }
        self.at = next;
        self.is_after_gap = true;
    }

    /// Compares two windows, as far as they reach.
    fn step(&mut self, in_a: &Window, in_b: &Window) -> Step {
        let are_last = in_a.is_last && in_b.is_last;
        let (mut units_a, mut units_b) = (&in_a.units[..], &in_b.units[..]);
        let mut has_moved = false;
        loop {
            let same = units_a.iter().zip(units_b).take_while(|(x, y)| x.key == y.key).count();
            let (same_a, rest_a) = units_a.split_at(same);
            let (same_b, rest_b) = units_b.split_at(same);
            self.compare_forms(same_a, same_b);
            if rest_a.is_empty() && rest_b.is_empty() && are_last {
                self.compare_ends(same_a, same_b);
                return Step::Done;
            }
            if rest_a.is_empty() && !in_a.is_last || rest_b.is_empty() && !in_b.is_last {
                has_moved |= self.advance(same_a, same_b);
                return if has_moved { Step::GoOn } else { Step::Enlarge };
            }
            let is_cut = |x: &Unit, y: &Unit| can_cut(self.a, x.start) && can_cut(self.b, y.start);
            let Some((x, y)) = same_again(rest_a, rest_b, is_cut) else {
                if are_last {
                    self.add_places(rest_a, rest_b);
                    return Step::Done;
                }
                self.advance(same_a, same_b);
                return Step::Enlarge;
            };
            self.add_places(&rest_a[..x], &rest_b[..y]);
            (units_a, units_b) = (&rest_a[x..], &rest_b[y..]);
            self.at = (rest_a[x].start, rest_b[y].start);
            self.is_after_gap = true;
            has_moved = true;
        }
    }

    /// Goes on after units that are the same, from the last place where both texts can be cut. Returns whether there
    /// is one.
    fn advance(&mut self, same_a: &[Unit], same_b: &[Unit]) -> bool {
        let is_cut = |(x, y): &(&Unit, &Unit)| can_cut(self.a, x.end) && can_cut(self.b, y.end);
        let last = same_a.iter().zip(same_b).rev().find(is_cut);
        if let Some((x, y)) = last {
            self.at = (x.end, y.end);
            self.is_after_gap = false;
        }
        last.is_some()
    }

    /// Looks at what is after the last unit of both texts.
    fn compare_ends(&mut self, same_a: &[Unit], same_b: &[Unit]) {
        let end = |units: &[Unit], at: usize| units.last().map_or(at, |unit| unit.end);
        if !same_a.is_empty() || !self.is_after_gap {
            let (end_a, end_b) = (end(same_a, self.at.0), end(same_b, self.at.1));
            self.compare_gap(end_a..self.a.len(), end_b..self.b.len());
        }
    }

    /// Looks at units that are the same: how they are written, and what is between them.
    fn compare_forms(&mut self, units_a: &[Unit], units_b: &[Unit]) {
        let (mut end_a, mut end_b) = self.at;
        if self.are_same_bytes(units_a, units_b) {
            return;
        }
        for (number, (x, y)) in units_a.iter().zip(units_b).enumerate() {
            if number > 0 || !self.is_after_gap {
                self.compare_gap(end_a..x.start, end_b..y.start);
            }
            compare_unit(&mut self.form, (self.a, x), (self.b, y));
            (end_a, end_b) = (x.end, y.end);
        }
    }

    /// Whether units that are the same, and all between them, are written in the same way.
    fn are_same_bytes(&self, units_a: &[Unit], units_b: &[Unit]) -> bool {
        let ([first_a, .., last_a], [first_b, .., last_b]) = (units_a, units_b) else { return false };
        let (x, y) = if self.is_after_gap { (first_a.start, first_b.start) } else { self.at };
        let is_at = |(one, other): (&Unit, &Unit)| {
            one.start.wrapping_sub(x) == other.start.wrapping_sub(y)
                && one.end.wrapping_sub(x) == other.end.wrapping_sub(y)
        };
        units_a.iter().zip(units_b).all(is_at)
            && self.a.as_bytes().get(x..last_a.end) == self.b.as_bytes().get(y..last_b.end)
    }

    fn compare_gap(&mut self, in_a: Range<usize>, in_b: Range<usize>) {
        let (x, y) = (part(self.a, in_a.clone()), part(self.b, in_b.clone()));
        if x == y || have_same_form(x, y) {
            return;
        }
        let are_same = marks(self.a, in_a) == marks(self.b, in_b);
        self.form.add(if are_same { DifferenceKind::Case } else { DifferenceKind::Numbers });
    }

    /// Aligns what does not match, and adds each place at which it differs.
    fn add_places(&mut self, units_a: &[Unit], units_b: &[Unit]) {
        let Walk { a, b, form, state, .. } = self;
        let State { places, told_a, told_b, keys_a, keys_b, aligner } = state;
        let has_word =
            |text: &str, units: &[Unit]| units.iter().any(|unit| Told::of(text, unit).class == Class::Word);
        if units_a.is_empty() && units_b.len() > SHORT && has_word(b, units_b)
            || units_b.is_empty() && units_a.len() > SHORT && has_word(a, units_a)
        {
            places.push_passage(units_a.iter().map(|unit| unit.key), units_b.iter().map(|unit| unit.key));
            return;
        }
        fill(told_a, units_a.iter().map(|unit| Told::of(a, unit)));
        fill(told_b, units_b.iter().map(|unit| Told::of(b, unit)));
        if units_a.len() <= 1 && units_b.len() <= 1 || units_a.is_empty() || units_b.is_empty() {
            places.push(told_a, told_b);
            return;
        }
        fill(keys_a, units_a.iter().map(|unit| unit.key));
        fill(keys_b, units_b.iter().map(|unit| unit.key));
        let gaps = aligner.gaps(keys_a, keys_b);
        join(gaps, told_a, told_b);
        for (in_a, in_b) in &*gaps {
            places.push(&told_a[in_a.clone()], &told_b[in_b.clone()]);
        }
        let (mut at_a, mut at_b) = (0, 0);
        let end = (units_a.len()..units_a.len(), units_b.len()..units_b.len());
        for (in_a, in_b) in gaps.iter().chain([&end]) {
            for (x, y) in units_a[at_a..in_a.start].iter().zip(&units_b[at_b..in_b.start]) {
                compare_unit(form, (a, x), (b, y));
            }
            (at_a, at_b) = (in_a.end, in_b.end);
        }
    }
}

fn fill<T>(list: &mut Vec<T>, items: impl Iterator<Item = T>) {
    list.clear();
    list.extend(items);
}

/// Joins places between which no more matches than differs on either side: a passage that was replaced by another
/// shares a few common words with it.
fn join(gaps: &mut Vec<Gap>, a: &[Told], b: &[Told]) {
    let has_words = |gap: &Gap| has(&a[gap.0.clone()], Class::Word) || has(&b[gap.1.clone()], Class::Word);
    let size = |gap: &Gap| gap.0.len().max(gap.1.len());
    gaps.dedup_by(|gap, last| {
        let are_near = gap.0.start - last.0.end <= size(last).min(size(gap));
        let is_joined = are_near && has_words(last) && has_words(gap);
        if is_joined {
            (last.0.end, last.1.end) = (gap.0.end, gap.1.end);
        }
        is_joined
    });
}

/// Looks at how two units that are the same are written.
fn compare_unit(form: &mut Kinds, (a, x): (&str, &Unit), (b, y): (&str, &Unit)) {
    let (x, y) = (part(a, x.start..x.end), part(b, y.start..y.end));
    if x != y && !have_same_form(x, y) {
        form.add(DifferenceKind::Case);
    }
}

/// A part of a text. Words that one character stands for overlap, and nothing is between them.
fn part(text: &str, place: Range<usize>) -> &str {
    text.get(place).unwrap_or_default()
}

/// Whether two texts are written in the same way.
fn have_same_form(a: &str, b: &str) -> bool {
    // Other white space becomes common white space, and goes.
    let is_plain = |text: &str| text.split(char::is_whitespace).all(is_composed);
    if is_plain(a) && is_plain(b) {
        let is_left = |c: &char| !c.is_whitespace();
        return a.chars().filter(is_left).eq(b.chars().filter(is_left));
    }
    form(a) == form(b)
}

/// How something is written, without white space and without differences that Unicode calls compatible.
fn form(text: &str) -> String {
    let mut form = String::new();
    compose_into(text, &mut form);
    form.retain(|c| !c.is_whitespace());
    form
}

/// What in a gap between words belongs to the numbers beside it: signs, units, and what joins two numbers to one.
fn marks(text: &str, gap: Range<usize>) -> [Option<char>; 3] {
    let inner = part(text, gap.clone());
    let before = text.get(..gap.start).and_then(|before| before.chars().next_back());
    let after = text.get(gap.end..).and_then(|after| after.chars().next());
    let (before, after) = (before.is_some_and(char::is_numeric), after.is_some_and(char::is_numeric));
    let plain = |c: char| if matches!(c, '–' | '—' | '−' | '‐' | '‑') { '-' } else { c };
    let (first, last) = (inner.chars().next().map(plain), inner.chars().next_back().map(plain));
    let is_unit = |c: &char| "%‰°¢$€£¥₹".contains(*c);
    let is_sign = |c: &char| "+-±$€£¥₹~<>".contains(*c);
    let is_one = inner.chars().nth(1).is_none();
    [
        first.filter(|_| before).filter(is_unit),
        last.filter(|_| after).filter(is_sign),
        first.filter(|_| before && after && is_one),
    ]
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn composed_text_has_the_form_that_any_text_has(a in "[aAéÉ .,’\\x00-\\x20\u{a0}\u{3000}\u{301}]{0,6}", b in "[aAéÉ .,’\\x00-\\x20\u{a0}\u{3000}\u{301}]{0,6}") {
            prop_assert_eq!(have_same_form(&a, &b), form(&a) == form(&b));
            // White space before a mark parts it from its letter.
            let parts_no_mark = !a.contains('\u{301}');
            prop_assert!(!parts_no_mark || have_same_form(&a, &a.replace('a', " a\n")));
        }
    }
}
