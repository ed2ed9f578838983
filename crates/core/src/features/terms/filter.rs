//! Which words count, depending on how they are written: their length, and whether they contain
//! digits.

use icu_properties::props::{EnumeratedProperty, GeneralCategory};

use crate::text::Word;

pub struct Filter {
    /// The least number of characters.
    pub min_length: usize,
    /// Whether words that hold a digit are dropped.
    pub drop_digits: bool,
}

impl Filter {
    pub fn keeps_all(&self) -> bool {
        self.min_length <= 1 && !self.drop_digits
    }

    #[inline(always)]
    pub fn keeps(&self, word: &Word<'_>) -> bool {
        !is_rule(word)
            && (self.min_length <= 1 || word.single || has_length(word.bytes, self.min_length))
            && !(self.drop_digits && has_digit(word.bytes))
    }
}

/// Whether a word is just a drawn line: underscores count as letters, as in `\w`.
#[inline(always)]
pub fn is_rule(word: &Word<'_>) -> bool {
    word.head[0] as u8 == b'_' && word.bytes.iter().all(|&byte| byte == b'_')
}

#[inline(always)]
fn has_length(word: &[u8], least: usize) -> bool {
    if word.is_ascii() {
        return word.len() >= least;
    }
    // Counts every byte except those that continue a character.
    word.iter().filter(|&&byte| byte & 0xc0 != 0x80).count() >= least
}

#[inline(always)]
fn has_digit(word: &[u8]) -> bool {
    let is_digit = |c| GeneralCategory::for_char(c) == GeneralCategory::DecimalNumber;
    word.iter().any(u8::is_ascii_digit)
        || !word.is_ascii() && std::str::from_utf8(word).is_ok_and(|word| word.chars().any(is_digit))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::text::{Scratch, for_each_word};

    fn kept(filter: &Filter, text: &str) -> Vec<String> {
        let mut words = Vec::new();
        for_each_word(text, &mut Scratch::default(), |word| {
            if filter.keeps(&word) {
                words.push(String::from_utf8(word.bytes.to_vec()).unwrap());
            }
        });
        words
    }

    #[test]
    fn each_rule_drops_what_it_names() {
        let mut filter = Filter { min_length: 1, drop_digits: false };
        let text = "The café is 4th on é٣ Rd 66 ____ _";
        assert!(filter.keeps_all());
        assert_eq!(kept(&filter, text).len(), 8);
        filter.min_length = 3;
        assert_eq!(kept(&filter, text), ["the", "café", "4th"]);
        filter.drop_digits = true;
        assert_eq!(kept(&filter, text), ["the", "café"]);
        filter.min_length = 1;
        assert_eq!(kept(&filter, text), ["the", "café", "is", "on", "rd"]);
        assert!(!filter.keeps_all());
    }
}
