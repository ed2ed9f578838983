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
//! cost little more than a comparison of bytes. Where they are not, the nearest place is looked for at which they go
//! on together: by bytes, which is enough for most, or else by *units*, words and dates of several words, of windows
//! that grow only as far as they must. So the time is that of reading the texts, whatever they are. The units in
//! between are aligned, and each place that differs has one kind or several.
//!
//! The two texts are ordered before they are compared, so that comparing them the other way around gives the same
//! result with `added` and `cut` exchanged.

mod again;
mod align;
mod calendar;
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

use std::cell::RefCell;

use self::walk::Buffers;
use crate::hash;
use crate::text::{Scratch, compose_into, for_each_word};

impl Difference {
    /// How the second text differs from the first.
    pub fn between(a: &str, b: &str) -> Difference {
        if a == b {
            return Difference::of(DifferenceKind::None);
        }
        // One pair after another is compared, and most need little room.
        BUFFERS.with_borrow_mut(|buffers| {
            if (b.len(), b) < (a.len(), a) { buffers.walk(b, a).reversed() } else { buffers.walk(a, b) }
        })
    }
}

thread_local! {
    static BUFFERS: RefCell<Buffers> = RefCell::default();
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
