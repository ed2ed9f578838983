//! The kinds of differences that people would name, and what holds for any two texts.

use proptest::prelude::*;

use super::{Difference, DifferenceKind, form_digest};
use crate::testing::awkward_texts;
use crate::text::{Scratch, words};

fn between(a: &str, b: &str) -> String {
    Difference::between(a, b).to_string()
}

/// Each line: the kinds, a text, another.
const TABLE: &str = "\
none | The fox sleeps. | The fox  sleeps.
none | one two ﬁve | one two five
none | １２ apples | 12 apples
none | co\u{ad}op | coop
case | The fox sleeps. | the FOX sleeps
case | Yes, we did | Yes: we did!
case | e-mail | e mail
numbers | it rose 5 pct today | it rose 7 pct today
numbers | 1,234.5 tonnes | 1,234.6 tonnes
numbers | about 12% of it | about 15% of it
numbers | for $5m in cash | for $6m in cash
numbers | for $5 in cash | for €5 in cash
numbers | a change of 5 points | a change of -5 points
numbers | 12% of it | 12 of it
numbers | it is 1.5 long | it is 1,5 long
numbers | 約１２人が集まった | 約１５人が集まった
numbers | flight A320 landed | flight A330 landed
numbers | 5 apples and 7 pears | 7 apples and 5 pears
numbers | the years 1986 and on | the years 1987 and on
numbers | rows 1 2 3 4 of it | rows 1 2 4 of it
case | pages 3-5 of it, too | pages 3–5 of it; too
dates | due 2024-03-01 at noon | due 2024-03-04 at noon
dates | on 1 March 2024 we met | on 1 March 2023 we met
dates | on March 1 we met | on April 1 we met
dates | on March 1st, 2024 we met | on March 2nd, 2024 we met
dates | since 12/03/99 it rains | since 13/03/99 it rains
dates | since 2024-03-01 it rains | since 1 March 2024 it rains
dates | 会议于2024年3月1日举行 | 会议于2024年3月8日举行
dates | 회의는 2024년 3월 1일 열렸다 | 회의는 2024년 3월 8일 열렸다
dates | am 1. März 2024 in Kraft | am 1. April 2024 in Kraft
dates | le 1er février 2024 à Paris | le 1er août 2024 à Paris
dates | el 3 de mayo de 2024 a las | el 3 de junio de 2024 a las
dates | с 3 марта 2024 года | с 4 марта 2024 года
dates | from 12:30 on it rained | from 13:30 on it rained
dates | from 3pm on it rained | from 4pm on it rained
dates | he left on Monday for good | he left on Friday for good
dates | on Monday, 3 March it rains | on Tuesday, 4 March it rains
dates | at 2024-01-31T12:30:05Z sharp | at 2024-01-31T12:31:05Z sharp
numbers, dates | 5 mln on May 3 they said | 6 mln on May 4 they said
names | then Mr. Smith left early | then Mr. Jones left early
names | we visited New York twice | we visited New Orleans twice
names | he joined IBM last year | he joined NASA last year
names | as President Reagan said | as President Ronald Reagan said
replaced | Smith left early | Jones left early
replaced | THE BIG MERGER FAILED | THE BIG TAKEOVER FAILED
replaced | it rose sharply again | it fell sharply again
replaced | ten people came to it | 10 people came to it
numbers, replaced | it rose 5 pct today | it fell 7 pct today
order | red and blue | blue and red
order | One thing here. Two things there. | Two things there. One thing here.
order | a list of Alice, Bob, Carol, Dave | a list of Carol, Dave, Alice, Bob
added | we met there today | we met there again today
cut | we met there again today | we met there today
added | it is so. | it is so. In 2024 it was not, says Smith.
added, cut | again we met there today in town | we met there today in town once more
replaced | a b the c d e of f g | h i the j k l of m n
";

#[test]
fn kinds_are_those_a_reader_would_name() {
    for line in TABLE.lines() {
        let mut parts = line.split(" | ");
        let (kinds, a, b) = (parts.next().unwrap(), parts.next().unwrap(), parts.next().unwrap());
        assert_eq!(between(a, b), kinds, "{a} → {b}");
    }
}

/// The same table, with each text in the middle of a long one.
#[test]
fn what_is_around_a_difference_does_not_matter() {
    let before = "the quick brown fox jumps over the lazy dog and runs away from here ".repeat(20);
    let after = " while the cats of the town look on and do not move at all".repeat(20);
    for line in TABLE.lines() {
        let mut parts = line.split(" | ");
        let (kinds, a, b) = (parts.next().unwrap(), parts.next().unwrap(), parts.next().unwrap());
        // At the beginning of a text no word is a name, and here none is at the beginning.
        if a.starts_with("Smith") {
            continue;
        }
        let (a, b) = (format!("{before}{a}{after}"), format!("{before}{b}{after}"));
        assert_eq!(between(&a, &b), kinds, "{line}");
    }
}

#[test]
fn a_long_passage_is_one_difference() {
    let some: String = (0..200).map(|i| format!("w{} and 7 more ", i * 7 % 1000)).collect();
    let text: String = (0..3000).map(|i| format!("word{} ", i % 997)).collect();
    assert_eq!(between(&text, &format!("{text}{some}")), "added");
    assert_eq!(between(&format!("{some}{text}"), &text), "cut");
    let (first, last) = text.split_at(text.find("word500 ").unwrap());
    assert_eq!(between(&text, &format!("{first}{some}{last}")), "added");
    assert_eq!(between(&format!("{some}{text}"), &format!("{text}{some}")), "order");
    let other: String = (0..200).map(|i| format!("x{} or {i} ", i * 11)).collect();
    assert_eq!(between(&format!("{first}{some}{last}"), &format!("{first}{other}{last}")), "replaced");
    assert_eq!(between(&text, &text.to_uppercase()), "case");
}

#[test]
fn every_difference_of_many_is_found() {
    let text = |change: usize| -> String {
        let number = |i: usize| if i == change { 7 } else { 5 };
        (0..2000).map(|i| format!("row w{} has {} units ", i % 991, number(i))).collect()
    };
    let plain = text(usize::MAX);
    for change in (0..2000).step_by(97) {
        assert_eq!(between(&plain, &text(change)), "numbers", "{change}");
    }
    let all: String = (0..2000).map(|i| format!("row w{} has {i} units ", i % 991)).collect();
    assert_eq!(between(&plain, &all), "numbers");
}

/// Each would take hours if every place were tried against every other.
#[test]
fn hostile_texts_take_no_longer() {
    const WORDS: usize = 100_000;
    let repeated = "word ".repeat(WORDS);
    assert_eq!(between(&repeated, &repeated[..repeated.len() / 2]), "cut");
    let cycle: String = (0..WORDS).map(|i| format!("w{} ", i % 7)).collect();
    let broken: String = (0..WORDS).map(|i| format!("w{} ", if i % 5 == 0 { 9 } else { i % 7 })).collect();
    assert_ne!(between(&cycle, &broken), "none");
    let other: String = (0..WORDS).map(|i| format!("v{} ", i * 7919 % 30_011)).collect();
    assert_ne!(between(&cycle, &other), "none");
    assert_eq!(between(&"x".repeat(1_000_000), &"y".repeat(1_000_000)), "replaced");
    assert_eq!(between(&"!".repeat(1_000_000), &"?".repeat(1_000_000)), "case");
}

#[test]
fn numbers_come_back_as_sets() {
    for bits in 0..=u16::MAX {
        if let Some(difference) = Difference::from_bits(bits) {
            assert_eq!(difference.bits(), bits);
            assert_eq!(difference.reversed().reversed(), difference);
        }
    }
    assert!(Difference::from_bits(0).is_none() && Difference::from_bits(3).is_none());
    for kind in DifferenceKind::ALL {
        assert_eq!(DifferenceKind::from_name(kind.name()), Some(kind));
        assert_eq!(Difference::from_bits(Difference::of(kind).bits()), Some(Difference::of(kind)));
    }
}

/// What holds for any two texts.
fn check(a: &str, b: &str) {
    let (there, back) = (Difference::between(a, b), Difference::between(b, a));
    assert_eq!(there, back.reversed(), "{a:?} {b:?}");
    let words_of = |text: &str| words(text, &mut Scratch::default());
    let has_same_words = words_of(a) == words_of(b);
    let only_form = there
        .kinds()
        .all(|kind| matches!(kind, DifferenceKind::None | DifferenceKind::Case | DifferenceKind::Numbers));
    let is_none = there.has(DifferenceKind::None);
    assert!(!has_same_words || only_form, "{there} {a:?} {b:?}");
    assert!(
        has_same_words || !is_none && there != Difference::of(DifferenceKind::Case),
        "{there} {a:?} {b:?}"
    );
    if form_digest(a) == form_digest(b) {
        assert!(is_none, "{there} {a:?} {b:?}");
    }
    assert_eq!(between(a, a), "none");
}

#[test]
fn awkward_texts_keep_the_promises() {
    for a in awkward_texts() {
        for b in awkward_texts() {
            check(&a, &b);
            check(&a, &format!("{a}{b}"));
        }
        check(&a, &a.to_uppercase());
    }
}

proptest! {
    #[test]
    fn edited_texts_keep_the_promises(
        words in proptest::collection::vec("[a-dA-D0-9]{1,2}|May|Mr\\.|日|½|12:30", 0..60),
        edits in proptest::collection::vec((0usize..60, "[a-dX0-9 .,-]{0,6}"), 0..5),
    ) {
        let mut edited = words.clone();
        for (place, text) in edits {
            if let Some(word) = edited.get_mut(place) {
                *word = text;
            }
        }
        check(&words.join(" "), &edited.join(" "));
        check(&words.concat(), &edited.concat());
    }

    #[test]
    fn odd_texts_keep_the_promises(
        a in "[ab é\u{301}ß½ﬁｶﾞ東の\u{ad}.\u{fdfa}12,/:-]{0,60}",
        b in "[ab é\u{301}ß½ﬁｶﾞ東の\u{ad}.\u{fdfa}12,/:-]{0,60}",
    ) {
        check(&a, &b);
        check(&format!("{a}{b}"), &format!("{b}{a}"));
        check(&format!("{a}{b}"), &a);
    }

    #[test]
    fn any_texts_keep_the_promises(a in "\\PC{0,80}", b in "\\PC{0,80}", places in 1usize..40) {
        check(&a, &b);
        let long = a.repeat(places);
        check(&format!("{long}{b}{long}"), &format!("{long}{long}"));
    }
}

proptest! {
    /// However the same words are spaced, and however often they are repeated, nothing differs. Without names of months: a
    /// day and a month that are far apart are not read as a date.
    #[test]
    fn white_space_is_no_difference(
        words in prop::collection::vec(prop::sample::select(vec!["the", "a", "harbour", "5", "of", "it’s", "x-y"]), 1..60),
        spaces in prop::collection::vec((0usize..7, 0usize..7), 60),
    ) {
        let long = " ".repeat(150);
        let separators = [" ", " ", "\n", "  \t ", "\u{a0}", "\r\n\r\n", &long];
        let spaced = |which: fn(&(usize, usize)) -> usize| {
            words.iter().zip(&spaces).map(|(word, space)| format!("{word}{}", separators[which(space)])).collect::<String>()
        };
        prop_assert_eq!(between(&spaced(|space| space.0), &spaced(|space| space.1)), "none");
    }
}
