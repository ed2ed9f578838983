//! Finds which words of two texts differ.
//!
//! The longest common subsequence is found with one bit for each word of one text, 64 at a time, so
//! the cost depends on the lengths alone: hostile texts take no longer than others, and no fall-back
//! is needed for texts that have little in common.

use std::collections::HashMap;
use std::ops::Range;

/// How many words are compared, which bounds a comparison to a few megabytes.
const MOST_WORDS: usize = 8_000;

/// A stretch of words in both texts: the same in both, or with nothing in common.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Block {
    /// Whether the words are the same in both.
    pub same: bool,
    /// The words of the first text.
    pub left: Range<usize>,
    /// The words of the second text.
    pub right: Range<usize>,
}

/// Where the words are in the text: runs of letters and digits, and runs of one punctuation mark.
/// White space separates and is never compared.
pub fn words(text: &str) -> Vec<Range<usize>> {
    let mut words = Vec::new();
    let mut characters = text.char_indices().peekable();
    while let Some((start, first)) = characters.next() {
        if first.is_whitespace() {
            continue;
        }
        if words.len() == MOST_WORDS {
            break;
        }
        let mut end = start + first.len_utf8();
        let mut last = first;
        while let Some(&(at, next)) = characters.peek() {
            let after = || text[at + next.len_utf8()..].chars().next();
            if !continues(first, last, next, after) {
                break;
            }
            characters.next();
            last = next;
            end = at + next.len_utf8();
        }
        words.push(start..end);
    }
    words
}

/// Aligns two texts by their words, ignoring letter case. The blocks cover all words in order.
pub fn compare(left: &[&str], right: &[&str]) -> Vec<Block> {
    let left: Vec<String> = left.iter().map(|word| word.to_lowercase()).collect();
    let right: Vec<String> = right.iter().map(|word| word.to_lowercase()).collect();
    let start = left.iter().zip(&right).take_while(|(a, b)| a == b).count();
    let (left_rest, right_rest) = (&left[start..], &right[start..]);
    let end = left_rest.iter().rev().zip(right_rest.iter().rev()).take_while(|(a, b)| a == b).count();
    let mut in_common = (vec![true; left.len()], vec![true; right.len()]);
    let (left_end, right_end) = (left.len() - end, right.len() - end);
    align(
        &left[start..left_end],
        &right[start..right_end],
        &mut in_common.0[start..left_end],
        &mut in_common.1[start..right_end],
    );
    blocks(&in_common.0, &in_common.1)
}

/// Whether the character after `last` belongs to the word that `first` began.
fn continues(first: char, last: char, next: char, after: impl Fn() -> Option<char>) -> bool {
    if next.is_whitespace() {
        return false;
    }
    if !is_letter(first) {
        return next == first;
    }
    if combines(next) {
        return true;
    }
    if is_unspaced(first) || is_unspaced(next) {
        return false;
    }
    match next {
        '\'' | '’' => last.is_alphabetic() && after().is_some_and(char::is_alphabetic),
        '.' | ',' | ':' => last.is_ascii_digit() && after().is_some_and(|digit| digit.is_ascii_digit()),
        _ => is_letter(next),
    }
}

fn is_letter(character: char) -> bool {
    character.is_alphanumeric() || character == '_'
}

/// Whether the character attaches to the letter before it. Most that do are in this range; the
/// standard library cannot tell them from the little punctuation that is there too, and takes the
/// vowel signs listed for letters.
fn combines(character: char) -> bool {
    !character.is_alphanumeric() && ('\u{300}'..'\u{2000}').contains(&character)
        || matches!(character,
            '\u{e31}' | '\u{e34}'..='\u{e3a}' | '\u{e47}'..='\u{e4e}' // Thai
            | '\u{eb1}' | '\u{eb4}'..='\u{ebc}' | '\u{ec8}'..='\u{ece}' // Lao
            | '\u{102b}'..='\u{103e}' // Myanmar
            | '\u{17b4}'..='\u{17d3}' // Khmer
            | '\u{200c}' | '\u{200d}')
}

/// Letters of scripts that put no spaces between words: each counts as a word.
fn is_unspaced(letter: char) -> bool {
    matches!(letter,
        '\u{e00}'..='\u{eff}' // Thai and Lao
        | '\u{1000}'..='\u{109f}' // Myanmar
        | '\u{1780}'..='\u{17ff}' // Khmer
        | '\u{3040}'..='\u{30ff}' // Hiragana and Katakana
        | '\u{3400}'..='\u{9fff}' | '\u{f900}'..='\u{faff}' | '\u{20000}'..='\u{3ffff}') // Han
}

/// Computes for each word whether it is part of the longest common subsequence (Hyyrö's bit
/// vectors, with all rows kept for tracing back).
fn align(left: &[String], right: &[String], left_common: &mut [bool], right_common: &mut [bool]) {
    left_common.fill(false);
    right_common.fill(false);
    let width = left.len().div_ceil(64);
    let mut occurrences: HashMap<&str, Vec<u64>> = HashMap::new();
    for (index, word) in left.iter().enumerate() {
        occurrences.entry(word).or_insert_with(|| vec![0; width])[index / 64] |= 1 << (index % 64);
    }

    let mut row = vec![u64::MAX; width];
    let mut rows = Vec::with_capacity(width * right.len());
    for word in right {
        if let Some(occurrences) = occurrences.get(word.as_str()) {
            let mut carry = false;
            for (bits, matches) in row.iter_mut().zip(occurrences) {
                let (sum, carried) = bits.carrying_add(*bits & matches, carry);
                *bits = sum | (*bits & !matches);
                carry = carried;
            }
        }
        rows.extend_from_slice(&row);
    }

    let is_clear = |row: usize, column: usize| rows[row * width + column / 64] >> (column % 64) & 1 == 0;
    let (mut column, mut row) = (left.len(), right.len());
    while column > 0 && row > 0 {
        if !is_clear(row - 1, column - 1) {
            column -= 1;
            continue;
        }
        row -= 1;
        if row == 0 || !is_clear(row - 1, column - 1) {
            column -= 1;
            left_common[column] = true;
            right_common[row] = true;
        }
    }
}

fn blocks(left_common: &[bool], right_common: &[bool]) -> Vec<Block> {
    let mut blocks = Vec::new();
    let (mut left, mut right) = (0, 0);
    while left < left_common.len() || right < right_common.len() {
        let run = |words: &[bool], common| words.iter().take_while(|&&word| word == common).count();
        let (left_rest, right_rest) = (&left_common[left..], &right_common[right..]);
        let same = run(left_rest, true).min(run(right_rest, true));
        let (left_run, right_run) =
            if same > 0 { (same, same) } else { (run(left_rest, false), run(right_rest, false)) };
        blocks.push(Block { same: same > 0, left: left..left + left_run, right: right..right + right_run });
        left += left_run;
        right += right_run;
    }
    blocks
}

#[cfg(test)]
mod tests {
    use std::time::{Duration, Instant};

    use super::*;

    fn split(text: &str) -> Vec<&str> {
        words(text).into_iter().map(|word| &text[word]).collect()
    }

    /// The words that are only in the left text, and those only in the right one.
    fn changes<'a>(left: &'a str, right: &'a str) -> (Vec<&'a str>, Vec<&'a str>) {
        let (left, right) = (split(left), split(right));
        let mut changes = (Vec::new(), Vec::new());
        for block in compare(&left, &right).into_iter().filter(|block| !block.same) {
            changes.0.extend_from_slice(&left[block.left]);
            changes.1.extend_from_slice(&right[block.right]);
        }
        changes
    }

    #[test]
    fn words_are_what_a_reader_sees_as_one() {
        assert_eq!(
            split(" don't_stop, at 1.5 ===\n(ok) "),
            ["don't_stop", ",", "at", "1.5", "===", "(", "ok", ")"]
        );
        assert_eq!(
            split("end. 'a' 3, e\u{301}te\u{301}"),
            ["end", ".", "'", "a", "'", "3", ",", "e\u{301}te\u{301}"]
        );
        assert_eq!(split("हिन्दी 東京都 กี่"), ["हिन्दी", "東", "京", "都", "กี่"]);
        assert!(split(" \n\t ").is_empty());
    }

    #[test]
    fn only_changed_words_differ() {
        assert_eq!(changes("The quick brown fox", "the slow brown Fox"), (vec!["quick"], vec!["slow"]));
        assert_eq!(changes("a b c", "a b c d"), (vec![], vec!["d"]));
        assert_eq!(changes("x a b y c z", "a b c"), (vec!["x", "y", "z"], vec![]));
        assert_eq!(changes("so it is", "so it is."), (vec![], vec!["."]));
        assert_eq!(changes("", "all new"), (vec![], vec!["all", "new"]));
        assert_eq!(changes("same\nwords", "same words"), (vec![], vec![]));
    }

    #[test]
    fn blocks_cover_both_texts() {
        let (left, right) = (split("a b c d e"), split("a x c d"));
        let block = |same, left, right| Block { same, left, right };
        assert_eq!(
            compare(&left, &right),
            [
                block(true, 0..1, 0..1),
                block(false, 1..2, 1..2),
                block(true, 2..4, 2..4),
                block(false, 4..5, 4..4)
            ]
        );
    }

    #[test]
    fn common_words_are_as_many_as_can_be() {
        // A fixed generator is used instead of random texts of few distinct words.
        let mut state = 7_u32;
        let mut text = |length: usize| -> Vec<&str> {
            let mut next = || {
                state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
                ["a", "b", "c", "d"][(state >> 24) as usize % 4]
            };
            (0..length).map(|_| next()).collect()
        };
        for length in 0..150 {
            let (left, right) = (text(length), text(150 - length / 2));
            let mut best = vec![vec![0; right.len() + 1]; left.len() + 1];
            for (i, a) in left.iter().enumerate() {
                for (j, b) in right.iter().enumerate() {
                    best[i + 1][j + 1] =
                        if a == b { best[i][j] + 1 } else { best[i][j + 1].max(best[i + 1][j]) };
                }
            }
            let same: Vec<Block> = compare(&left, &right).into_iter().filter(|block| block.same).collect();
            assert_eq!(
                same.iter().map(|block| block.left.len()).sum::<usize>(),
                best[left.len()][right.len()]
            );
            assert!(same.iter().all(|block| left[block.left.clone()] == right[block.right.clone()]));
        }
    }

    #[test]
    fn hostile_texts_take_no_longer() {
        let text = |modulus: usize, step: usize| -> String {
            (0..20_000).map(|i| format!("{} ", (b'a' + (i * step % modulus) as u8) as char)).collect()
        };
        let start = Instant::now();
        for (left, right) in
            [(text(26, 1), text(26, 25)), (text(2, 1), text(13, 2)), (text(1, 1), text(3, 1))]
        {
            let (left, right) = (split(&left), split(&right));
            assert_eq!(left.len(), MOST_WORDS);
            assert!(compare(&left, &right).iter().any(|block| block.same));
        }
        let disjoint: Vec<String> = (0..8000).map(|i| i.to_string()).collect();
        let disjoint: Vec<&str> = disjoint.iter().map(String::as_str).collect();
        assert_eq!(compare(&disjoint[..4000], &disjoint[4000..]).len(), 1);
        assert!(start.elapsed() < Duration::from_secs(5));
    }
}
