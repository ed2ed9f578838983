//! In which way two alike texts differ: in their numbers, dates or names, in their order, or by a passage.
//!
//! ```
//! use lookalike_core::difference::{Difference, DifferenceKind};
//! let difference = Difference::between("Profit rose to 5.2 mln on May 3.", "Profit rose to 6.1 mln on May 4.");
//! assert_eq!(difference.to_string(), "numbers, dates");
//! assert!(difference.has(DifferenceKind::Numbers));
//! assert_eq!(Difference::between("one two three", "One, two\nthree!").to_string(), "case");
//! ```
//!
//! The texts are walked through side by side. Where their bytes are equal nothing is computed, so near-duplicates
//! cost little more than a comparison of bytes. Where they are not, a window of both is cut into *units*: a word, or
//! a date of several words. The walk goes on from the nearest place at which four units are the same again. What is
//! between is aligned unit by unit, and each place that differs has one kind or several. Windows grow only as far as
//! they must, so the time is that of reading the texts, whatever they are.
//!
//! The two texts are ordered before they are compared, so that comparing them the other way around gives the same
//! result with `added` and `cut` exchanged.

mod align;
mod dates;
mod kinds;
mod moved;
mod names;
mod nearby;
mod set;
#[cfg(test)]
mod tests;
mod units;
mod walk;
mod words;

pub use set::{Difference, DifferenceKind};

use crate::hash;
use crate::text::{Scratch, compose_into, for_each_word};

impl Difference {
    /// How the second text differs from the first.
    pub fn between(a: &str, b: &str) -> Difference {
        if a == b {
            return Difference::of(DifferenceKind::None);
        }
        if (b.len(), b) < (a.len(), a) { walk::walk(b, a).reversed() } else { walk::walk(a, b) }
    }
}

/// A digest of all that [`Difference::between`] looks at: texts that share it do not differ.
pub fn form_digest(text: &str) -> u128 {
    let mut form = String::new();
    compose_into(text, &mut form);
    form.retain(|c| !c.is_whitespace());
    let digest = hash::digest_bytes(form.as_bytes());
    let mut words = vec![digest as u64, (digest >> 64) as u64];
    // Without white space, `ab c` and `a bc` are the same.
    for_each_word(text, &mut Scratch::default(), |word| words.push(word.hash));
    hash::digest(&words)
}
