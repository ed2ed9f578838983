//! NFKC case folding, and words found by following the rules literally.

use icu_casemap::CaseMapper;
use icu_normalizer::ComposingNormalizerBorrowed;

use super::classes::{Class, class, is_ignorable, is_stable};

const NFKC: ComposingNormalizerBorrowed<'static> = ComposingNormalizerBorrowed::new_nfkc();

/// The space at which no line is broken, frequent in French. It becomes a common space, so text can be cut beside it as
/// well.
pub const NO_BREAK: char = '\u{a0}';

/// Appends the NFKC case folding of `text` to `out`, default-ignorable characters removed.
///
/// Folding can undo normalisation, hence the second one. Works on any piece of text that is cut
/// before an ASCII character, since no ASCII character composes with what stands before it.
pub fn normalise_into(text: &str, out: &mut String) {
    let composed = NFKC.normalize(text);
    let folded = CaseMapper::new().fold_string(&composed);
    let visible: String = folded.chars().filter(|&c| !is_ignorable(c)).collect();
    out.push_str(&NFKC.normalize(&visible));
}

/// Puts the same into `out`, if every character gives one of as many bytes by itself, as nearly all of European languages
/// do. Returns whether that is so.
pub fn fold_each_into(text: &str, out: &mut String) -> bool {
    out.clear();
    for character in text.chars() {
        match character {
            'A'..='Z' => out.push(character.to_ascii_lowercase()),
            _ if is_latin_capital(character) => out.extend(character.to_lowercase()),
            _ if character.is_ascii() || is_stable(character) => out.push(character),
            _ => return false,
        }
    }
    true
}

/// Capitals of Latin-1 that only folding changes, each to the letter 32 places on.
fn is_latin_capital(character: char) -> bool {
    matches!(character, 'À'..='Ö' | 'Ø'..='Þ')
}

/// Whether [`compose_into`] surely gives the text itself.
pub fn is_composed(text: &str) -> bool {
    let stays = |c: char| c.is_ascii() || is_stable(c) || is_latin_capital(c);
    text.is_ascii() || text.chars().all(stays)
}

/// Appends the NFKC form of `text` to `out`, default-ignorable characters removed: the text as it is written, with its
/// case.
pub fn compose_into(text: &str, out: &mut String) {
    if is_composed(text) {
        out.push_str(text);
        return;
    }
    let composed = NFKC.normalize(text);
    let visible: String = composed.chars().filter(|&c| !is_ignorable(c)).collect();
    out.push_str(&NFKC.normalize(&visible));
}

/// Calls `emit` with every word of normalised text, and whether it is a single character of an
/// unspaced script.
#[inline]
pub fn split_words<'t>(normalised: &'t str, mut emit: impl FnMut(&'t str, bool)) {
    let mut start = 0;
    let mut open: Option<Class> = None;
    for (at, character) in normalised.char_indices() {
        let now = class(character);
        let continues = match (open, now) {
            (Some(_), Class::Mark) | (Some(Class::Word), Class::Word) => true,
            (None, Class::Separator | Class::Mark) => continue,
            _ => false,
        };
        if continues {
            continue;
        }
        if let Some(kind) = open {
            emit(&normalised[start..at], kind == Class::Single);
        }
        open = matches!(now, Class::Word | Class::Single).then_some(now);
        start = at;
    }
    if let Some(kind) = open {
        emit(&normalised[start..], kind == Class::Single);
    }
}

/// The words of a text by the rules, taken literally: the whole text normalised, then split. Slow;
/// the fast scanner is tested against it.
pub fn reference_words(text: &str) -> Vec<String> {
    let mut normalised = String::new();
    normalise_into(text, &mut normalised);
    let mut words = Vec::new();
    split_words(&normalised, |word, _| words.push(word.to_owned()));
    words
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        /// What is found character by character is what the rules give.
        #[test]
        fn characters_alone_give_what_the_rules_give(
            text in "\\PC{0,9}|[a-cXYZ À-ÿ×÷Āā“—½\u{301}\u{ad}\u{a0}αΣς東가]{0,9}",
        ) {
            let (mut folded, mut plain) = (String::new(), String::new());
            normalise_into(&text, &mut plain);
            if fold_each_into(&text, &mut folded) {
                prop_assert_eq!(&folded, &plain);
                prop_assert_eq!(folded.len(), text.len());
            }
            let visible: String = NFKC.normalize(&text).chars().filter(|&c| !is_ignorable(c)).collect();
            if is_composed(&text) {
                prop_assert_eq!(NFKC.normalize(&visible), &text[..]);
            }
        }
    }

    /// Texts of European languages are found so.
    #[test]
    fn letters_of_latin_1_are_folded_alone() {
        let mut folded = String::new();
        assert!(fold_each_into("L’ÉCOLE—Übung “Þór”", &mut folded));
        assert_eq!(folded, "l’école—übung “þór”");
        assert!(!fold_each_into("Straße", &mut folded));
        assert!(!fold_each_into("E\u{301}", &mut folded));
    }

    #[test]
    fn folds_and_composes() {
        for (text, expected) in [
            ("ÉCOLE e\u{301}cole", vec!["école", "école"]),
            ("Straße STRASSE", vec!["strasse", "strasse"]),
            ("co\u{ad}operate zero\u{200b}width", vec!["cooperate", "zerowidth"]),
            ("ﬁne ① ½", vec!["fine", "1", "1", "2"]),
            ("can't e-mail", vec!["can", "t", "e", "mail"]),
            ("日本語のテスト", vec!["日", "本", "語", "の", "テ", "ス", "ト"]),
            ("สวัสดี", vec!["ส", "วั", "ส", "ดี"]),
            ("\u{301}x =\u{338}", vec!["x"]),
        ] {
            assert_eq!(reference_words(text), expected, "{text:?}");
        }
    }
}
