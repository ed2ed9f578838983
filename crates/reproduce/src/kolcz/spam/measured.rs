//! What is measured on spam, and the papers' own figures.

use crate::kolcz::bags::Choice;
use crate::kolcz::foreign::Pair;
use crate::kolcz::mails::Mails;
use lookalike_judge::Judged;

/// The paper's figures for a collection: recall and utility with 0, 2, 5 and 10 further lexicons.
pub struct Printed {
    pub table: &'static str,
    pub recall: [f64; 4],
    /// In percent, as printed: recall is rounded.
    pub increase: [u32; 4],
    pub utility: [f64; 4],
}

pub const HONEYPOT: Printed = Printed {
    table: "Table 2, honeypot spam",
    recall: [0.66, 0.72, 0.76, 0.80],
    increase: [0, 9, 15, 21],
    utility: [30.17, 36.32, 43.34, 56.93],
};
pub const CLUSTER: Printed = Printed {
    table: "Table 3, cluster spam",
    recall: [0.40, 0.49, 0.55, 0.61],
    increase: [0, 23, 38, 52],
    utility: [46.34, 81.25, 96.24, 113.38],
};

/// What was measured on one collection of spam.
pub struct Measured {
    pub name: &'static str,
    pub printed: &'static Printed,
    pub spam: Mails,
    /// Spam with exactly the words of a legitimate message.
    pub in_both: Vec<(String, String)>,
    pub truth: String,
    /// The paper's lexicon and window, a tenth of the spam as queries.
    pub tenth: Vec<Judged>,
    /// The same, all spam as queries.
    pub all: Vec<Judged>,
    /// Every lexicon and window with the numbers of copies that the paper prints, all spam as
    /// queries.
    pub choices: Vec<(Choice, Vec<Judged>)>,
    /// Other methods, all spam as queries.
    pub others: Vec<Judged>,
    /// The legitimate mail that each lexicon and window matched, with ten further lexicons.
    pub matched: Vec<(String, Vec<Pair>)>,
}
