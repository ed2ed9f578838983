//! The lines of a run's files, wherever it ran.

use std::borrow::Cow;
use std::fmt::{self, Display, Write};

use lookalike_core::decide::{Because, NO_REASON};
use lookalike_core::difference::Difference;
use lookalike_core::streams::StreamAgreement;
use serde_json::Value;

use super::streams::Stream;
use crate::pipeline::Pipeline;

/// The name, also used by an index, for what decided about a pair that a person called duplicates, or about a keeper
/// that a person chose.
pub const DECISION: &str = "decision";

/// What decided about a document and its keeper.
#[derive(Clone, Copy, Debug, Default)]
pub struct Found {
    /// All features are the same.
    pub exact: bool,
    /// A person said so.
    pub decided: bool,
    /// The keeper is a document of the corpus compared against.
    pub keeper_is_known: bool,
    /// A bit for each branch that proposed the pair.
    pub found_by: u32,
}

impl Found {
    /// The method that found the pair; for an ensemble, all that did.
    pub fn method<'p>(&self, pipeline: &'p Pipeline) -> Cow<'p, str> {
        if self.exact && pipeline.features.sees_every_word() {
            return "exact".into();
        }
        if self.decided {
            return DECISION.into();
        }
        if self.found_by == 0 {
            return pipeline.method.as_str().into();
        }
        let branches = pipeline.branches.iter().enumerate();
        let found = branches.filter(|(number, _)| self.found_by >> number & 1 != 0);
        let found = found.map(|(_, branch)| branch.name.as_str());
        let streams = Stream::ALL.into_iter().filter(|stream| self.found_by & stream.bit() != 0);
        let mut names = found.chain(streams.map(|stream| stream.name()));
        let Some(first) = names.next() else { return pipeline.method.as_str().into() };
        names.fold(Cow::from(first), |all, name| all + "+" + name)
    }

    /// Why the document goes, in words.
    pub fn reason(&self) -> &'static str {
        match (self.exact, self.decided, self.keeper_is_known) {
            (true, _, false) => "all features are the same",
            (true, _, true) => "all features are those of a document in the corpus compared against",
            (false, true, false) => "a person's decision",
            (false, true, true) => "a person's decision about a document in the corpus compared against",
            (false, false, false) => "near-duplicate",
            (false, false, true) => "near-duplicate of a document in the corpus compared against",
        }
    }
}

/// A line of `removed.jsonl`. Ids are JSON.
pub struct RemovalLine<'a> {
    /// The document that goes.
    pub id: &'a str,
    /// The one that stays.
    pub keeper: &'a str,
    /// The number of their cluster.
    pub cluster: u64,
    /// How alike they are.
    pub similarity: f64,
    /// Which share of the document is in its keeper, and which share of the keeper is in it.
    pub containments: (Option<f64>, Option<f64>),
    /// Who found it, and why it goes.
    pub found: Found,
    /// How it differs from its keeper.
    pub difference: Option<Difference>,
    /// How their streams agree.
    pub streams: StreamAgreement,
    /// What weighed most.
    pub because: Because,
}

impl RemovalLine<'_> {
    /// The line, with further keys in the places where they belong: passages, and rows of tables.
    pub fn json(&self, pipeline: &Pipeline, passages: &str, rows: &str) -> String {
        let RemovalLine { id, keeper, cluster, similarity, containments: (contained, contains), .. } = self;
        // One allocation for nearly every line; a string takes whatever is written to it.
        let mut line = String::with_capacity(320);
        let _ = writeln!(
            line,
            "{{\"id\":{id},\"keeper\":{keeper},\"cluster\":{cluster},\"similarity\":{similarity:?},\
             \"contained_in_keeper\":{},\"contains_keeper\":{},\"method\":{},\"reason\":\"{}\",\
             \"difference\":{}{}{passages}{}{rows}}}",
            Number(*contained),
            Number(*contains),
            Value::from(self.found.method(pipeline)),
            self.found.reason(),
            Kinds(self.difference),
            json_streams(self.streams),
            because(self.because, pipeline),
        );
        line
    }
}

/// A line of `pairs.jsonl`. Ids are JSON, the smaller first.
pub struct PairLine<'a> {
    /// One document.
    pub a: &'a str,
    /// The other one.
    pub b: &'a str,
    /// How alike they are.
    pub similarity: f64,
    /// How the second differs from the first.
    pub difference: Option<Difference>,
    /// How their streams agree.
    pub streams: StreamAgreement,
    /// What weighed most.
    pub because: Because,
    /// Pairs that a person decided are marked so; the others were found by the methods of the report.
    pub decided: bool,
}

impl PairLine<'_> {
    /// The line, with the rows of tables.
    pub fn json(&self, pipeline: &Pipeline, rows: &str) -> String {
        let PairLine { a, b, similarity, .. } = self;
        let method = if self.decided { format!(",\"method\":\"{DECISION}\"") } else { String::new() };
        let mut line = String::with_capacity(160);
        let _ = writeln!(
            line,
            "{{\"a\":{a},\"b\":{b},\"similarity\":{similarity:?},\"difference\":{}{}{method}{}{rows}}}",
            Kinds(self.difference),
            json_streams(self.streams),
            because(self.because, pipeline),
        );
        line
    }
}

/// A line of `clusters.jsonl`, which is made member by member.
pub struct ClusterLine {
    line: String,
}

impl ClusterLine {
    /// The line up to the master. Ids are JSON.
    pub fn new(cluster: u64, master: &str, size: u64, weakest: f64) -> ClusterLine {
        let line = format!(
            "{{\"cluster\":{cluster},\"master\":{master},\"size\":{size},\"weakest\":{weakest:?},\
             \"members\":[{{\"id\":{master},\"similarity\":1.0}}"
        );
        ClusterLine { line }
    }

    /// Adds a member; the most alike come first.
    pub fn push(&mut self, id: &str, similarity: f64) {
        // A string takes whatever is written to it.
        let _ = write!(self.line, ",{{\"id\":{id},\"similarity\":{similarity:?}}}");
    }

    /// What there is of the line so far, to be written before the rest: a cluster may be larger than memory.
    pub fn take(&mut self) -> String {
        std::mem::take(&mut self.line)
    }

    /// The line, or the rest of it, with its end.
    pub fn json(mut self) -> String {
        self.line += "]}\n";
        self.line
    }
}

/// What weighed most, as a further key of a JSON object.
fn because(because: Because, pipeline: &Pipeline) -> String {
    // Most deciders give no reasons, and then nothing is asked and nothing allocated.
    if because == NO_REASON {
        return String::new();
    }
    let names = named(because, &pipeline.decider.reasons());
    if names.is_empty() { String::new() } else { format!(",\"because\":{}", Value::from(names)) }
}

/// What weighed most, in words; what spoke against the pair begins with `not`.
pub fn named(because: Because, reasons: &[String]) -> Vec<String> {
    let name = |reason: i8| {
        let name = reasons.get(usize::from(reason.unsigned_abs()).checked_sub(1)?)?;
        Some(if reason < 0 { format!("not {name}") } else { name.clone() })
    };
    because.into_iter().filter_map(name).collect()
}

/// The kinds of a difference as JSON; null if the texts were not compared.
struct Kinds(Option<Difference>);

impl Display for Kinds {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Some(told) = self.0 else { return out.write_str("null") };
        // The names have nothing to escape.
        for (place, kind) in told.kinds().enumerate() {
            out.write_str(if place == 0 { "[\"" } else { "\",\"" })?;
            out.write_str(kind.name())?;
        }
        out.write_str("\"]")
    }
}

/// How streams agree, as a further key of a JSON object; nothing if the documents share none.
fn json_streams(streams: StreamAgreement) -> String {
    let json = streams.told().and_then(|told| serde_json::to_string(&told).ok());
    json.map_or(String::new(), |json| format!(",\"streams\":{json}"))
}

/// A number as JSON, or null.
struct Number(Option<f64>);

impl Display for Number {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            Some(number) => write!(out, "{number:?}"),
            None => out.write_str("null"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_difference_is_written_as_any_serialiser_would() {
        assert_eq!(Kinds(None).to_string(), "null");
        for difference in (0..=u16::MAX).filter_map(Difference::from_bits) {
            assert_eq!(Kinds(Some(difference)).to_string(), serde_json::to_string(&difference).unwrap());
        }
    }
}
