//! The passages that two texts share, and the words that only one of them has.
//!
//! ```
//! use lookalike_core::passages::shared_passages;
//! let (a, b) = ("He said: to be, or NOT to be!", "To be or not to be, that is the question");
//! let passages = shared_passages(a, b, 4);
//! assert_eq!(&a[passages[0].a.clone()], "to be, or NOT to be");
//! assert_eq!(&b[passages[0].b.clone()], "To be or not to be");
//! ```
//!
//! The words themselves are compared, by numbers given to distinct words, so no two words are ever
//! confused. For every word of the first text a suffix automaton of the second finds the longest run
//! that ends there and that the second has, too. Runs are then taken longest first. The time is that
//! of sorting the words, whatever the texts: the same word a hundred thousand times is no slower
//! than prose. Two texts of a million words each take about 200 MB.

mod automaton;

use std::cmp::Reverse;
use std::collections::{BTreeMap, BinaryHeap, HashMap};
use std::ops::Range;

use automaton::{Automaton, Run};

use crate::text::for_each_word_span;

/// The default for the least words; shorter runs are mostly idioms.
pub const LEAST_WORDS: usize = 8;

/// Words after these are not compared, so that 32-bit numbers are enough. No document has as many.
const MOST_WORDS: usize = 1 << 30;

/// The same words in both texts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Passage {
    /// Bytes of the first and of the second text, cut between characters.
    pub a: Range<usize>,
    /// Bytes of the second text.
    pub b: Range<usize>,
    /// How many words the passage has.
    pub words: usize,
}

/// Distinct words in rising order, each with how often it occurs.
pub type WordCounts = Vec<(String, usize)>;

/// The passages of `least_words` words or more that both texts have, in the order of `a`.
///
/// The longest is taken first, of equally long ones the first in `a`; then the longest among what is
/// left of `a`, and so on. So passages do not overlap in `a`; in `b` they may, when `a` repeats what
/// `b` says once. Where `b` has the longest run several times, its first place is given. A passage
/// never begins or ends within a character that stands for several words, such as ½: it is cut back
/// to whole characters.
pub fn shared_passages(a: &str, b: &str, least_words: usize) -> Vec<Passage> {
    let least = least_words.max(1);
    let mut numbers = HashMap::new();
    let (a, b) = (Words::of(a, &mut numbers), Words::of(b, &mut numbers));
    let runs = Automaton::of(&b.numbers).longest_runs(&a.numbers);
    let passages = take_longest_first(&runs, least).into_iter().filter_map(|(start, end)| {
        let end_in_b = runs[end - 1].end_in_other;
        // The distance to the partner is the same for each word of the run.
        let start_in_b = end_in_b - (end - start);
        let is_clean = |place: usize| a.can_cut(place) && b.can_cut(start_in_b + (place - start));
        let first = (start..end).find(|&place| is_clean(place))?;
        let last = (first + 1..=end).rev().find(|&place| is_clean(place))?;
        let words = last - first;
        let place_in_b = start_in_b + (first - start);
        let passage = Passage { a: a.range(first..last), b: b.range(place_in_b..place_in_b + words), words };
        (words >= least).then_some(passage)
    });
    passages.collect()
}

/// The words that only the first and those that only the second text has.
pub fn differing_words(a: &str, b: &str) -> (WordCounts, WordCounts) {
    let (mut in_a, mut in_b) = (count_words(a), count_words(b));
    in_a.retain(|word, _| in_b.remove(word).is_none());
    (in_a.into_iter().collect(), in_b.into_iter().collect())
}

fn count_words(text: &str) -> BTreeMap<String, usize> {
    let mut counts = BTreeMap::new();
    for_each_word_span(text, |_, word| match counts.get_mut(word) {
        Some(count) => *count += 1,
        None => {
            counts.insert(word.to_owned(), 1);
        }
    });
    counts
}

struct Words {
    /// Equal for equal words of both texts.
    numbers: Vec<u32>,
    places: Vec<Range<usize>>,
}

impl Words {
    fn of(text: &str, known: &mut HashMap<String, u32>) -> Self {
        let mut words = Words { numbers: Vec::new(), places: Vec::new() };
        for_each_word_span(text, |place, word| {
            if words.places.len() == MOST_WORDS {
                return;
            }
            let next = known.len() as u32;
            let number = match known.get(word) {
                Some(&number) => number,
                None => *known.entry(word.to_owned()).or_insert(next),
            };
            words.numbers.push(number);
            words.places.push(place);
        });
        words
    }

    /// Whether no character contributes to the words on both sides.
    fn can_cut(&self, place: usize) -> bool {
        match (place.checked_sub(1).and_then(|before| self.places.get(before)), self.places.get(place)) {
            (Some(before), Some(after)) => before.end <= after.start,
            _ => true,
        }
    }

    fn range(&self, words: Range<usize>) -> Range<usize> {
        self.places[words.start].start..self.places[words.end - 1].end
    }
}

/// The runs that are taken, as ranges of words, in order.
///
/// `runs` has the longest run that ends with each word; what is left of one is a run as well, so it
/// is shortened when a part of it is taken. That happens once to each at most: to shorten it again,
/// something inside what is left would have to be taken before it, but the longest is taken first.
fn take_longest_first(runs: &[Run], least: usize) -> BTreeMap<usize, usize> {
    let waiting = runs.iter().enumerate().map(|(place, run)| (run.words, Reverse(place + 1)));
    let mut waiting: BinaryHeap<_> = waiting.filter(|run| run.0 >= least).collect();
    let mut taken: BTreeMap<usize, usize> = BTreeMap::new();
    while let Some((words, Reverse(end))) = waiting.pop() {
        let free_from = taken.range(..end).next_back().map_or(0, |(_, &taken_to)| taken_to);
        let free = end.saturating_sub(free_from);
        if words <= free {
            taken.insert(end - words, end);
        } else if free >= least {
            waiting.push((free, Reverse(end)));
        }
    }
    taken
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::text::{Scratch, words};

    /// The definition, computed by trying everything; for words of one character each.
    fn brute_force(a: &[char], b: &[char], least: usize) -> Vec<(usize, usize, usize)> {
        let longest = |end: usize| {
            let common = |other: usize| {
                let pairs = a[..end].iter().rev().zip(b[..other].iter().rev());
                (pairs.take_while(|(x, y)| x == y).count(), Reverse(other))
            };
            (1..=b.len()).map(common).max().unwrap_or((0, Reverse(0)))
        };
        let longest: Vec<_> = (1..=a.len()).map(longest).collect();
        let mut free = vec![true; a.len()];
        let mut found = Vec::new();
        loop {
            let left = |end: usize| {
                let free = free[..end].iter().rev().take_while(|&&free| free).count();
                (free.min(longest[end - 1].0), Reverse(end))
            };
            match (1..=a.len()).map(left).max() {
                Some((words, Reverse(end))) if words >= least => {
                    free[end - words..end].fill(false);
                    found.push((end - words, longest[end - 1].1.0 - words, words));
                }
                _ => break,
            }
        }
        found.sort_unstable();
        found
    }

    fn spaced(letters: &[char]) -> String {
        letters.iter().map(|letter| format!("{letter} ")).collect()
    }

    fn check_promises(a: &str, b: &str, least: usize) {
        let passages = shared_passages(a, b, least);
        for passage in &passages {
            let (text_a, text_b) = (&a[passage.a.clone()], &b[passage.b.clone()]);
            let in_a = words(text_a, &mut Scratch::default());
            assert_eq!(in_a, words(text_b, &mut Scratch::default()), "{a:?} {b:?}");
            assert!(in_a.len() == passage.words && passage.words >= least);
        }
        assert!(passages.windows(2).all(|pair| pair[0].a.end <= pair[1].a.start), "{a:?} {b:?}");
    }

    proptest! {
        #[test]
        fn are_those_of_brute_force(
            a in proptest::collection::vec(proptest::char::range('a', 'd'), 0..40),
            b in proptest::collection::vec(proptest::char::range('a', 'd'), 0..40),
            least in 1usize..6,
        ) {
            let found = shared_passages(&spaced(&a), &spaced(&b), least);
            let found: Vec<_> = found.iter().map(|p| (p.a.start / 2, p.b.start / 2, p.words)).collect();
            prop_assert_eq!(found, brute_force(&a, &b, least));
        }

        #[test]
        fn the_text_at_both_places_has_the_same_words(
            a in "[ab é\u{301}ß½ﬁｶﾞ東の\u{ad}.\u{fdfa}12]{0,60}",
            b in "[ab é\u{301}ß½ﬁｶﾞ東の\u{ad}.\u{fdfa}12]{0,60}",
            least in 1usize..4,
        ) {
            check_promises(&a, &b, least);
            check_promises(&a, &a.to_uppercase(), least);
        }

        #[test]
        fn words_differ_as_sets_do(a in "[a-dA-D ]{0,30}", b in "[a-dA-D ]{0,30}") {
            let all = |text: &str| words(text, &mut Scratch::default());
            let (only_a, only_b) = differing_words(&a, &b);
            for (only, all, other) in [(only_a, all(&a), all(&b)), (only_b, all(&b), all(&a))] {
                let mut expected: Vec<&String> = all.iter().filter(|word| !other.contains(word)).collect();
                expected.sort_unstable();
                let found: Vec<&String> = only.iter().flat_map(|(word, n)| vec![word; *n]).collect();
                prop_assert_eq!(found, expected);
            }
        }
    }

    #[test]
    fn worked_example() {
        let a = "Intro. The quick brown Fox jumps! And then the quick brown fox sleeps.";
        let b = "the quick, brown fox jumps and then sleeps";
        let passages = shared_passages(a, b, 2);
        let texts: Vec<_> = passages.iter().map(|p| (&a[p.a.clone()], &b[p.b.clone()], p.words)).collect();
        let expected = [
            ("The quick brown Fox jumps! And then", "the quick, brown fox jumps and then", 7),
            ("the quick brown fox", "the quick, brown fox", 4),
        ];
        assert_eq!(texts, expected);
        let (only_a, only_b) = differing_words(a, "the quick, brown dog jumps, dog!");
        let only_a: Vec<(&str, usize)> = only_a.iter().map(|(word, n)| (word.as_str(), *n)).collect();
        assert_eq!(only_a, [("and", 1), ("fox", 2), ("intro", 1), ("sleeps", 1), ("then", 1)]);
        assert_eq!(only_b, [("dog".to_owned(), 2)]);
    }

    #[test]
    fn a_passage_does_not_end_within_a_character() {
        assert_eq!(shared_passages("one two ½", "one two 1 3", 2)[0].a, 0..7);
        assert_eq!(shared_passages("one ½ two", "one 1 2 two", 4)[0].a, 0..10);
        assert!(shared_passages("½", "1 3", 1).is_empty());
    }

    #[test]
    fn nothing_is_shared_with_nothing() {
        assert!(shared_passages("", "one two", 1).is_empty());
        assert!(shared_passages("one two", " … ", 0).is_empty());
        assert!(shared_passages("", "", LEAST_WORDS).is_empty());
    }

    /// Each would take hours if every place were tried against every other.
    #[test]
    fn hostile_texts_take_no_longer() {
        const WORDS: usize = 100_000;
        let repeated = "word ".repeat(WORDS);
        let whole = Passage { a: 0..repeated.len() - 1, b: 0..repeated.len() - 1, words: WORDS };
        assert_eq!(shared_passages(&repeated, &repeated, 8), [whole]);
        // Half as many in `b`: two runs of all it has.
        let half = &repeated[..repeated.len() / 2];
        assert_eq!(shared_passages(&repeated, half, 8).len(), 2);
        let cycle: String = (0..WORDS).map(|i| format!("w{} ", i % 7)).collect();
        let broken: String =
            (0..WORDS).map(|i| format!("w{} ", if i % 1000 == 0 { 9 } else { i % 7 })).collect();
        assert_eq!(shared_passages(&broken, &cycle, 8).len(), WORDS / 1000);
        let thue_morse = |flip: u32| -> String {
            (0..WORDS as u32)
                .map(|i| if (i.count_ones() + flip).is_multiple_of(2) { "a " } else { "b " })
                .collect()
        };
        assert!(shared_passages(&thue_morse(0), &thue_morse(1), 8)[0].words >= 8);
    }
}
