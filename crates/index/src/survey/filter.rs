//! Filters and sorts clusters: `size:>3 sim:<0.9 type:pdf differs:numbers master:report` and free words.

use crate::index::Surveyor;
use std::collections::HashSet;
use std::sync::Arc;

use crate::storage::lasting::LastingNumber;
use lookalike_core::cluster::seconds_of;
use lookalike_core::difference::DifferenceKind;
use lookalike_core::document::Id;
use lookalike_core::streams::StreamKind;
use lookalike_core::{Error, Result};

use super::super::read::id_of;
use super::{Attributes, Survey, SurveyRow};

/// A parsed filter. All its conditions must hold.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Filter {
    tests: Vec<Test>,
    /// Words without a key, to be searched for in the documents.
    pub words: String,
}

#[derive(Clone, Debug, PartialEq)]
enum Test {
    Size(Range),
    Weakest(Range),
    Median(Range),
    Type(String),
    Source(String),
    Master(String),
    /// Some document of the cluster has this time or a later one, or an earlier one.
    After(u32),
    Before(u32),
    Decided(bool),
    /// Some document of the cluster differs from the master in this way.
    Differs(DifferenceKind),
    /// A stream of some document of the cluster contradicts the master's.
    Contradicts(StreamKind),
}

#[derive(Clone, Copy, Debug, PartialEq)]
struct Range {
    low: f64,
    high: f64,
}

/// What the list is sorted by, the smallest first.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "schema", schemars(rename_all = "lowercase", inline))]
pub enum Sort {
    /// By the number of documents.
    #[default]
    Size,
    /// By the lowest similarity to the master.
    Weakest,
    /// By the median similarity to the master.
    Median,
    /// By the latest document.
    Newest,
    /// By the earliest document.
    Oldest,
}

impl Sort {
    /// The orders by name.
    pub const NAMES: [(&str, Sort); 5] = [
        ("size", Sort::Size),
        ("weakest", Sort::Weakest),
        ("median", Sort::Median),
        ("newest", Sort::Newest),
        ("oldest", Sort::Oldest),
    ];

    /// The order with this name, or an error that lists the known ones.
    pub fn from_name(name: &str) -> Result<Sort> {
        let known = Sort::NAMES.iter().find(|known| known.0 == name);
        let names = Sort::NAMES.map(|known| known.0).join(", ");
        known
            .map(|known| known.1)
            .ok_or_else(|| Error::input(format!("unknown order `{name}`; known: {names}")))
    }
}

impl Range {
    /// `3`, `>3`, `>=3`, `<0.9`, `<=0.9` or `2..5`.
    fn parse(text: &str) -> Option<Range> {
        let number = |text: &str| text.parse::<f64>().ok().filter(|number| number.is_finite());
        let (any_low, any_high) = (f64::NEG_INFINITY, f64::INFINITY);
        if let Some((low, high)) = text.split_once("..") {
            return Some(Range { low: number(low)?, high: number(high)? });
        }
        if let Some(low) = text.strip_prefix(">=") {
            return Some(Range { low: number(low)?, high: any_high });
        }
        if let Some(high) = text.strip_prefix("<=") {
            return Some(Range { low: any_low, high: number(high)? });
        }
        if let Some(low) = text.strip_prefix('>') {
            return Some(Range { low: number(low)?.next_up(), high: any_high });
        }
        if let Some(high) = text.strip_prefix('<') {
            return Some(Range { low: any_low, high: number(high)?.next_down() });
        }
        number(text).map(|number| Range { low: number, high: number })
    }

    fn holds(&self, value: f64) -> bool {
        self.low <= value && value <= self.high
    }
}

impl Filter {
    /// Parses a filter, or says what is wrong with it.
    pub fn parse(text: &str) -> Result<Filter> {
        let mut filter = Filter::default();
        for part in parts(text)? {
            match part {
                Part::Test(key, value) => filter.tests.push(test(&key, &value)?),
                Part::Word(word) => {
                    if !filter.words.is_empty() {
                        filter.words.push(' ');
                    }
                    filter.words.push_str(&word);
                }
            }
        }
        Ok(filter)
    }

    fn needs_differences(&self) -> bool {
        self.tests.iter().any(|test| matches!(test, Test::Differs(_) | Test::Contradicts(_)))
    }

    fn holds(
        &self,
        (row, place): (&SurveyRow, u32),
        survey: &Survey,
        attributes: Option<&Attributes>,
        id: &dyn Fn(u32) -> Id,
    ) -> bool {
        let documents = survey.documents_of(row);
        let any = |is: &dyn Fn(u32) -> bool| documents.iter().any(|&document| is(document));
        let time = |document: u32| survey.time_of(document, attributes);
        self.tests.iter().all(|test| match test {
            Test::Size(range) => range.holds(f64::from(row.size)),
            Test::Weakest(range) => range.holds(f64::from(row.weakest)),
            Test::Median(range) => range.holds(f64::from(row.median)),
            Test::Type(name) => any(&|document| attributes.and_then(|all| all.kind(document)) == Some(name)),
            Test::Source(name) => {
                any(&|document| attributes.and_then(|all| all.source(document)) == Some(name))
            }
            Test::Master(text) => id(row.master).display().to_lowercase().contains(text),
            Test::After(moment) => any(&|document| time(document) >= *moment),
            Test::Before(moment) => any(&|document| time(document) < *moment),
            Test::Decided(decided) => (survey.decided(row) > 0) == *decided,
            Test::Differs(kind) => survey.differences.has(place as usize, *kind),
            Test::Contradicts(kind) => survey.differences.contradicts(place as usize, *kind),
        })
    }
}

enum Part {
    Test(String, String),
    Word(String),
}

/// Splits a filter into words and `key:value` pairs. Either may be quoted; a quoted word is a phrase to search for.
fn parts(text: &str) -> Result<Vec<Part>> {
    let mut parts = Vec::new();
    let mut rest = text.trim_start();
    while !rest.is_empty() {
        let end = rest.find(|c: char| c.is_whitespace() || c == '"').unwrap_or(rest.len());
        let (word, after) = rest.split_at(end);
        let quoted = after.strip_prefix('"').map(|inner| inner.split_once('"').unwrap_or((inner, "")));
        rest = match quoted {
            Some((inner, after)) if word.is_empty() => {
                parts.push(Part::Word(format!("\"{inner}\"")));
                after
            }
            Some((inner, after)) if word.ends_with(':') => {
                parts.push(Part::Test(word[..word.len() - 1].to_lowercase(), inner.to_owned()));
                after
            }
            _ => {
                parts.push(match word.split_once(':') {
                    Some((key, value)) => Part::Test(key.to_lowercase(), value.to_owned()),
                    None => Part::Word(word.to_owned()),
                });
                after
            }
        }
        .trim_start();
    }
    Ok(parts)
}

fn test(key: &str, value: &str) -> Result<Test> {
    let range = || {
        Range::parse(value).ok_or_else(|| {
            Error::input(format!("`{key}:{value}`: after `{key}:` comes 3, >3, >=3, <3, <=3 or 2..5"))
        })
    };
    let moment = || {
        let midnight = || seconds_of(&format!("{value}T00:00:00"));
        let seconds = midnight().or_else(|| seconds_of(value)).filter(|seconds| *seconds >= 0.0);
        seconds.map(|seconds| seconds as u32).ok_or_else(|| {
            Error::input(format!("`{key}:{value}`: after `{key}:` comes a date, such as 2024-05-31"))
        })
    };
    Ok(match key {
        "size" => Test::Size(range()?),
        "sim" | "weakest" => Test::Weakest(range()?),
        "median" => Test::Median(range()?),
        "type" => Test::Type(value.to_owned()),
        "source" => Test::Source(value.to_owned()),
        "master" => Test::Master(value.to_lowercase()),
        "after" => Test::After(moment()?),
        "before" => Test::Before(moment()?),
        "decided" => match value {
            "yes" => Test::Decided(true),
            "no" => Test::Decided(false),
            _ => return Err(Error::input("after `decided:` comes yes or no")),
        },
        "differs" => {
            let names = DifferenceKind::ALL.map(DifferenceKind::name).join(", ");
            let unknown = || Error::input(format!("`{key}:{value}`: after `{key}:` comes one of {names}"));
            Test::Differs(DifferenceKind::from_name(value).ok_or_else(unknown)?)
        }
        "contradicts" => {
            let names = StreamKind::ALL.map(StreamKind::name).join(", ");
            let unknown = || Error::input(format!("`{key}:{value}`: after `{key}:` comes one of {names}"));
            Test::Contradicts(StreamKind::from_name(value).ok_or_else(unknown)?)
        }
        _ => {
            return Err(Error::input(format!(
                "unknown key `{key}`; known: size, sim, median, type, source, differs, contradicts, master, after, \
                 before, decided; put quotes around a word with a colon"
            )));
        }
    })
}

impl Surveyor<'_> {
    /// The places in [`Survey::rows`] of the clusters that a filter selects, in order. Only the caller can search
    /// for free words: `found` holds the masters of the clusters that contain them.
    pub fn pick(
        &self,
        survey: &Survey,
        filter: &Filter,
        found: Option<&HashSet<u32>>,
        attributes: &Attributes,
        (sort, descending): (Sort, bool),
    ) -> Result<Vec<u32>> {
        if filter.needs_differences() {
            self.find_differences(survey)?;
        }
        let attributes = attributes.of(survey.numbering);
        let generation = self.index.generation();
        let lasting = Arc::clone(&generation.store.state().lasting);
        let same = generation.numbering() == survey.numbering;
        let id = |number: u32| {
            let number = LastingNumber::from_raw(number).filter(|_| same);
            let document = number.and_then(|number| lasting.number(number));
            document.map_or_else(|| Id::from_json(""), |document| id_of(&generation, document))
        };
        let rows = survey.rows().iter().zip(0u32..);
        let kept = rows.filter(|&(row, place)| {
            found.is_none_or(|found| found.contains(&row.master))
                && filter.holds((row, place), survey, attributes, &id)
        });
        let mut kept: Vec<(f64, u32)> = kept
            .map(|(row, place)| {
                let times =
                    || survey.documents_of(row).iter().map(|&number| survey.time_of(number, attributes));
                let key = match sort {
                    Sort::Size => f64::from(row.size),
                    Sort::Weakest => f64::from(row.weakest),
                    Sort::Median => f64::from(row.median),
                    Sort::Newest => f64::from(times().max().unwrap_or(0)),
                    Sort::Oldest => f64::from(times().min().unwrap_or(0)),
                };
                (if descending { -key } else { key }, place)
            })
            .collect();
        kept.sort_unstable_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
        Ok(kept.into_iter().map(|(_, place)| place).collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn range(text: &str) -> Option<(f64, f64)> {
        Range::parse(text).map(|range| (range.low, range.high))
    }

    #[test]
    fn ranges_are_read() {
        assert_eq!(range("3"), Some((3.0, 3.0)));
        assert_eq!(range("2..5"), Some((2.0, 5.0)));
        assert_eq!(range(">=0.5"), Some((0.5, f64::INFINITY)));
        let above = Range::parse(">3").unwrap();
        assert!(above.holds(3.1) && !above.holds(3.0));
        let below = Range::parse("<0.9").unwrap();
        assert!(below.holds(0.89) && !below.holds(0.9));
        for wrong in ["", ">", "x", "1..", "nan", ">inf", "..2"] {
            assert_eq!(range(wrong), None, "{wrong}");
        }
    }

    #[test]
    fn keys_and_words_are_told_apart() {
        let filter = Filter::parse("ferry size:>3 \"a phrase\" source:\"two words\" Type:pdf").unwrap();
        assert_eq!(filter.words, "ferry \"a phrase\"");
        assert_eq!(filter.tests[1..], [Test::Source("two words".into()), Test::Type("pdf".into())]);
        assert_eq!(Filter::parse("  ").unwrap(), Filter::default());
        assert_eq!(
            Filter::parse("after:1970-01-02 before:1970-01-02T00:00:10Z").unwrap().tests,
            [Test::After(86_400), Test::Before(86_410)]
        );
    }

    #[test]
    fn what_is_not_known_is_told_with_what_is() {
        for (text, expected) in [
            ("colour:red", "known: size, sim"),
            ("size:many", "after `size:` comes"),
            ("decided:maybe", "yes or no"),
            ("after:tomorrow", "comes a date"),
            ("contradicts:text", "images, links"),
        ] {
            let told = Filter::parse(text).unwrap_err().to_string();
            assert!(told.contains(expected), "{text}: {told}");
        }
    }
}
