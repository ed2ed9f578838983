//! What a character means for finding words.

use std::sync::OnceLock;

use icu_properties::props::{
    Alphabetic, BinaryProperty, ChangesWhenNfkcCasefolded, DefaultIgnorableCodePoint, EnumeratedProperty,
    GeneralCategory, GeneralCategoryGroup, Ideographic, LineBreak, Script,
};

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(u8)]
pub enum Class {
    /// Ends a word.
    Separator,
    /// Starts or continues a word.
    Word,
    /// Continues a word but cannot start one.
    Mark,
    /// A word of its own, together with the marks after it.
    Single,
}

/// Set on characters that normalisation changes or that may combine with a neighbour.
const UNSTABLE: u8 = 0x80;

/// The class of a character of already normalised text.
pub fn class(character: char) -> Class {
    match entry(character) & !UNSTABLE {
        1 => Class::Word,
        2 => Class::Mark,
        3 => Class::Single,
        _ => Class::Separator,
    }
}

/// Whether text made only of such characters is already normalised.
pub fn is_stable(character: char) -> bool {
    entry(character) & UNSTABLE == 0
}

pub fn is_ignorable(character: char) -> bool {
    DefaultIgnorableCodePoint::for_char(character)
}

fn entry(character: char) -> u8 {
    // One byte for each character of the basic plane, which holds nearly all text. Computed by pages, when a character
    // of one is met: few texts need many, and computing all takes longer than comparing a small corpus.
    static PAGES: [OnceLock<[u8; 256]>; 256] = [const { OnceLock::new() }; 256];
    let code = character as usize;
    let Some(page) = PAGES.get(code >> 8) else { return compute(character) };
    let at = |low: usize| char::from_u32((code & !0xff | low) as u32).map_or(0, compute);
    page.get_or_init(|| std::array::from_fn(at))[code & 0xff]
}

fn compute(character: char) -> u8 {
    let unstable = ChangesWhenNfkcCasefolded::for_char(character) || may_compose_back(character);
    compute_class(character) as u8 | if unstable { UNSTABLE } else { 0 }
}

/// Characters that can merge with the one before them: marks, the later letters of Hangul
/// syllables, and the vowel signs of Kirat Rai, which are letters by category.
fn may_compose_back(character: char) -> bool {
    GeneralCategoryGroup::Mark.contains(GeneralCategory::for_char(character))
        || matches!(character, '\u{1160}'..='\u{11ff}' | '\u{16d40}'..='\u{16d7f}')
}

fn compute_class(character: char) -> Class {
    let category = GeneralCategory::for_char(character);
    if GeneralCategoryGroup::Mark.contains(category) {
        Class::Mark
    } else if is_unspaced(character) {
        Class::Single
    } else if Alphabetic::for_char(character)
        || matches!(category, GeneralCategory::DecimalNumber | GeneralCategory::ConnectorPunctuation)
    {
        Class::Word
    } else {
        Class::Separator
    }
}

/// Letters of scripts that put no space between words.
fn is_unspaced(character: char) -> bool {
    (Ideographic::for_char(character)
        || matches!(
            Script::for_char(character),
            Script::Hiragana | Script::Katakana | Script::Bopomofo | Script::Yi
        )
        || LineBreak::for_char(character) == LineBreak::ComplexContext)
        && Alphabetic::for_char(character)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn characters_have_the_class_users_expect() {
        for (character, expected) in [
            ('a', Class::Word),
            ('_', Class::Word),
            ('7', Class::Word),
            ('é', Class::Word),
            ('한', Class::Word),
            ('東', Class::Single),
            ('の', Class::Single),
            ('ก', Class::Single),
            ('\u{301}', Class::Mark),
            ('-', Class::Separator),
            ('。', Class::Separator),
            ('\u{a0}', Class::Separator),
            ('😀', Class::Separator),
        ] {
            assert_eq!(class(character), expected, "{character:?}");
        }
    }

    /// Every character that comes second in some canonical decomposition can compose with the one
    /// before it.
    #[test]
    fn no_stable_character_composes_with_the_one_before() {
        let decomposer = icu_normalizer::DecomposingNormalizerBorrowed::new_nfd();
        for whole in (0..=0x10ffff).filter_map(char::from_u32) {
            for part in decomposer.normalize(whole.encode_utf8(&mut [0; 4])).chars().skip(1) {
                assert!(!is_stable(part), "{part:?} of {whole:?}");
            }
        }
    }

    /// The tables belong to the Unicode version that the text rules name: with others, the same
    /// text could have other words. New tables mean new rules with a new name.
    #[test]
    fn the_tables_are_those_the_rules_name() {
        assert!(super::super::TEXT_RULES.ends_with("/unicode-18"));
        let is_assigned = |c| GeneralCategory::for_char(c) != GeneralCategory::Unassigned;
        assert!(is_assigned('\u{3d000}'), "Seal came with Unicode 18");
        assert_eq!((0..=0x10ffff).filter_map(char::from_u32).filter(|&c| is_assigned(c)).count(), 310_341);
    }

    #[test]
    fn stable_means_untouched_by_normalisation() {
        for character in ['a', 'é', '東', '“', '—'] {
            assert!(is_stable(character), "{character:?}");
        }
        for character in ['É', 'ß', 'ｆ', '\u{301}', '\u{ad}', 'ﬁ'] {
            assert!(!is_stable(character), "{character:?}");
        }
    }
}
