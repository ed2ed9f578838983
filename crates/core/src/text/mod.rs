//! Text rules: from any Unicode text to a sequence of normalised words.
//!
//! The rules, version [`TEXT_RULES`]:
//! 1. NFKC, full case folding, default-ignorable characters (soft hyphen, zero-width…) removed.
//! 2. A word is a maximal run of word characters (Unicode `\w`: alphabetic, marks, decimal digits,
//!    connector punctuation) that does not start with a mark.
//! 3. In scripts written without spaces (Han, kana, Thai, Lao, Khmer, Burmese…) each character
//!    with its marks is a word of its own, so that a sentence does not become one giant word.
//!
//! ```
//! use lookalike_core::text::{Scratch, words};
//! let mut scratch = Scratch::default();
//! assert_eq!(words("Ｆull Straße, 東京!", &mut scratch), ["full", "strasse", "東", "京"]);
//! ```
//!
//! [`for_each_word`] takes the fast path: ASCII is classified and lower-cased 64 bytes at a time,
//! and only stretches that hold other characters go through the Unicode tables. [`reference_words`]
//! is a slow version that follows the rules literally; a property test checks that both agree.

mod ahead;
mod bits;
mod classes;
mod glance;
mod markup;
mod normalise;
mod scan;
#[cfg(target_arch = "x86_64")]
mod simd;
mod spans;
mod stem;

pub(crate) use ahead::{NextWords, WORDS, common_prefix, is_separator, nearest};
pub(crate) use classes::{Class, class, is_ignorable, is_stable};
pub(crate) use glance::Glance;
pub use markup::{Place, for_each_piece};
pub use normalise::reference_words;
pub(crate) use normalise::{compose_into, is_composed};
pub(crate) use scan::for_each_stretch;
pub use scan::{Scratch, Word, for_each_word, push_word_hashes, words};
pub(crate) use spans::WordSpans;
pub use spans::{for_each_word_span, word_spans};
pub use stem::Stems;
pub(crate) use stem::{NO_STEMS, Stemmer};

/// Bytes that are classified at a time.
pub(crate) const BLOCK: usize = 64;

/// Names the rules above and the Unicode version they were computed with; part of every scheme.
pub const TEXT_RULES: &str = "nfkc-casefold-words-1/unicode-18";

/// The same for features that also read fields: there every value of an array and of an object counts.
pub const FIELD_RULES: &str = "nfkc-casefold-words-1/unicode-18/values-2";
