//! The setting of an index by which its native lexicon is counted again by itself.

use std::fmt;

use lookalike_core::{Error, Result};
use serde::{Deserialize, Serialize};

use crate::lexicons::TermCount;

/// When the lexicon that was counted from the documents of an index is counted again. Kept with the index; off unless set.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Refresh {
    /// After so many documents were added or changed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    after: Option<u64>,
    /// When the share of unknown terms in them is greater than this.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    unknown: Option<f64>,
}

/// Fewer terms say little about a share.
const LEAST_TERMS: u64 = 1000;
/// A share is judged when at least one document came for so many that were counted. Where new documents always have new
/// words, they would otherwise be followed by a new count each.
const COUNTED_FOR_EACH: u64 = 100;
const OFF: &str = "off";

impl Refresh {
    /// After how many documents, and above which share of unknown terms. An error if one of them makes no sense.
    pub fn new(after: Option<u64>, unknown: Option<f64>) -> Result<Refresh> {
        if after == Some(0) {
            return Err(Error::config(
                "a lexicon cannot be counted again after 0 documents: give 1 or more, or off",
            ));
        }
        if let Some(share) = unknown.filter(|share| !(0.0..1.0).contains(share)) {
            return Err(Error::config(format!(
                "the share of unknown terms is {share}, it must be from 0 to below 1, or off"
            )));
        }
        Ok(Refresh { after, unknown })
    }

    /// This setting with what a user typed: a number, or `off`. What is not given stays.
    pub fn changed(self, after: Option<&str>, unknown: Option<&str>) -> Result<Refresh> {
        fn typed<T: std::str::FromStr>(
            text: Option<&str>,
            before: Option<T>,
            what: &str,
        ) -> Result<Option<T>> {
            match text.map(str::trim) {
                None => Ok(before),
                Some(OFF) => Ok(None),
                Some(text) => match text.parse() {
                    Ok(number) => Ok(Some(number)),
                    Err(_) => Err(Error::config(format!("`{text}` is no {what}: write a number, or off"))),
                },
            }
        }
        let after = typed(after, self.after, "number of documents")?;
        Refresh::new(after, typed(unknown, self.unknown, "share")?)
    }

    /// Whether anything is ever counted again.
    pub fn is_on(&self) -> bool {
        *self != Refresh::default()
    }

    /// After how many documents that were added or changed.
    pub fn after(&self) -> Option<u64> {
        self.after
    }

    /// Above which share of unknown terms.
    pub fn unknown(&self) -> Option<f64> {
        self.unknown
    }

    /// Whether a count of so many documents is due to be repeated, after so many more with these terms.
    pub(crate) fn reason(&self, counted: u64, documents: u64, terms: TermCount) -> Option<RefreshReason> {
        if !self.is_on() || documents == 0 {
            return None;
        }
        if counted == 0 {
            return Some(RefreshReason::First);
        }
        if self.after.is_some_and(|after| documents >= after) {
            return Some(RefreshReason::Documents(documents));
        }
        let is_enough = terms.all >= LEAST_TERMS && documents.saturating_mul(COUNTED_FOR_EACH) >= counted;
        let share = terms.unknown_share().filter(|_| is_enough)?;
        self.unknown.is_some_and(|most| share > most).then_some(RefreshReason::Unknown(share))
    }
}

/// Why a lexicon is counted again.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum RefreshReason {
    /// Nothing was counted so far.
    First,
    /// So many documents were added or changed.
    Documents(u64),
    /// Such a share of their terms is unknown.
    Unknown(f64),
}

impl fmt::Display for RefreshReason {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            RefreshReason::First => write!(out, "it had counted no documents"),
            RefreshReason::Documents(1) => write!(out, "1 document was added or changed"),
            RefreshReason::Documents(documents) => {
                write!(out, "{documents} documents were added or changed")
            }
            RefreshReason::Unknown(share) => {
                write!(out, "{:.1} % of the terms of new documents were unknown", 100.0 * share)
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TERMS: TermCount = TermCount { all: 2000, unknown: 500 };

    #[test]
    fn what_makes_no_sense_is_refused_in_a_sentence() {
        let off = Refresh::default();
        for (after, unknown, expected) in [
            (Some("0"), None, "after 0 documents"),
            (Some("-1"), None, "is no number of documents"),
            (Some("1.5"), None, "is no number of documents"),
            (Some(""), None, "is no number of documents"),
            (Some("99999999999999999999"), None, "is no number of documents"),
            (None, Some("NaN"), "from 0 to below 1"),
            (None, Some("inf"), "from 0 to below 1"),
            (None, Some("2"), "from 0 to below 1"),
            (None, Some("1"), "from 0 to below 1"),
            (None, Some("-1"), "from 0 to below 1"),
            (None, Some("half"), "is no share"),
        ] {
            let told = off.changed(after, unknown).unwrap_err().to_string();
            assert!(told.contains(expected) && told.contains("off"), "{after:?} {unknown:?}: {told}");
        }
        let both = off.changed(Some("10"), Some("0")).unwrap();
        assert_eq!((both.after(), both.unknown()), (Some(10), Some(0.0)));
        assert_eq!(both.changed(None, Some("off")).unwrap(), Refresh::new(Some(10), None).unwrap());
        assert!(!both.changed(Some("off"), Some("off")).unwrap().is_on());
    }

    #[test]
    fn each_reason_holds_from_its_border_on() {
        let after = Refresh::new(Some(10), None).unwrap();
        assert_eq!(after.reason(5, 9, TERMS), None);
        assert_eq!(after.reason(5, 10, TERMS), Some(RefreshReason::Documents(10)));
        assert_eq!(after.reason(0, 1, TermCount::default()), Some(RefreshReason::First));
        assert_eq!(after.reason(0, 0, TermCount::default()), None);
        assert_eq!(Refresh::default().reason(0, 1000, TERMS), None, "off");
        let share = |unknown| Refresh::new(None, Some(unknown)).unwrap();
        assert_eq!(share(0.25).reason(5, 9, TERMS), None, "not above");
        assert_eq!(share(0.24).reason(5, 9, TERMS), Some(RefreshReason::Unknown(0.25)));
        assert_eq!(share(0.24).reason(5, 9, TermCount { all: 999, unknown: 999 }), None, "too few terms");
        assert_eq!(share(0.24).reason(901, 9, TERMS), None, "too few documents");
        assert_eq!(share(0.24).reason(900, 9, TERMS), Some(RefreshReason::Unknown(0.25)));
        assert_eq!(share(0.0).reason(5, 9, TermCount { all: 2000, unknown: 0 }), None);
    }
}
