//! What explains the results, as lines of JSON: written to files, or kept in memory.

use lookalike_core::Result;
use lookalike_core::decide::{Because, NO_REASON};
use lookalike_core::difference::Difference;
use lookalike_core::document::Id;
use lookalike_core::streams::StreamAgreement;
use lookalike_core::threads::try_both;
use serde_json::Value;

use super::clusters::Member;
use super::outcome::{DECISION, Outcome, shown_copies};
use super::passages;
use crate::corpus::CorpusNumber;

/// For how many removals passages are held in memory at a time.
const PASSAGES_AT_ONCE: usize = 4096;

/// Takes a line with its end.
pub type Write<'a> = dyn FnMut(&str) -> Result<()> + 'a;

/// The lines of the files of the same names.
#[derive(Clone, Debug, Default)]
pub struct Evidence {
    /// Every removed document with its keeper.
    pub removed: String,
    /// Every cluster with its members.
    pub clusters: String,
    /// Every verified pair.
    pub pairs: String,
    /// Every record that is no document, with the reason.
    pub rejected: String,
}

impl Outcome<'_> {
    /// What the files of a run tell, for callers that write none.
    pub fn evidence(&self) -> Result<Evidence> {
        let mut evidence = Evidence::default();
        let Evidence { removed, clusters, pairs, rejected } = &mut evidence;
        try_both(
            || self.write_pairs(&mut |line| append(pairs, line)),
            || {
                self.write_removals(&mut |line| append(removed, line))?;
                self.write_clusters(&mut |line| append(clusters, line))?;
                self.write_rejected(&mut |line| append(rejected, line))
            },
        )?;
        Ok(evidence)
    }

    /// The lines of `removed.jsonl`.
    pub(super) fn write_removals(&self, write: &mut Write<'_>) -> Result<()> {
        let mut removed: Vec<(&Member, usize)> = Vec::new();
        for (number, cluster) in self.clusters.clusters.iter().enumerate() {
            removed.extend(cluster.members.iter().map(|member| (member, number)));
        }
        removed.sort_unstable_by_key(|(member, _)| member.document);
        for some in removed.chunks(PASSAGES_AT_ONCE) {
            let passages = self.passages(some)?;
            for (&(member, number), passages) in some.iter().zip(passages) {
                write(&self.removal(member, number, &passages)?)?;
            }
        }
        Ok(())
    }

    /// The end of each removal's line: nothing, or the shared passages on request.
    fn passages(&self, removed: &[(&Member, usize)]) -> Result<Vec<String>> {
        if !self.job.passages {
            return Ok(vec![String::new(); removed.len()]);
        }
        let keeper = |number: usize| self.clusters.clusters[number].master;
        let pairs: Vec<(CorpusNumber, CorpusNumber)> =
            removed.iter().map(|&(member, number)| (member.document, keeper(number))).collect();
        let found = passages::as_json(
            &*self.pipeline.features,
            &self.catalog,
            self.source,
            &self.fields,
            self.job.threads,
            &pairs,
        )?;
        Ok(found.into_iter().map(|json| format!(",\"passages\":{json}")).collect())
    }

    fn removal(&self, member: &Member, number: usize, passages: &str) -> Result<String> {
        let keeper = self.clusters.clusters[number].master;
        let (contained, contains) = member.containments();
        let reason = match (member.exact, member.decided, self.catalog.is_reference(keeper)) {
            (true, _, false) => "all features are the same",
            (true, _, true) => "all features are those of a document in the corpus compared against",
            (false, true, false) => "a person's decision",
            (false, true, true) => "a person's decision about a document in the corpus compared against",
            (false, false, false) => "near-duplicate",
            (false, false, true) => "near-duplicate of a document in the corpus compared against",
        };
        Ok(format!(
            "{{\"id\":{},\"keeper\":{},\"cluster\":{},\"similarity\":{:?},\"contained_in_keeper\":{},\
             \"contains_keeper\":{},\"method\":{},\"reason\":\"{reason}\",\"difference\":{}{}{}{passages}{}}}\n",
            self.catalog.json_id(member.document)?,
            self.catalog.json_id(keeper)?,
            number + 1,
            member.similarity,
            json_number(contained),
            json_number(contains),
            Value::from(self.method_of(member)),
            json_difference(member.difference),
            json_streams(member.streams),
            because(member.because, &self.pipeline.decider.reasons()),
            self.rows([("row", member.document), ("keeper_row", keeper)])?,
        ))
    }

    /// The lines of `clusters.jsonl`.
    pub(super) fn write_clusters(&self, write: &mut Write<'_>) -> Result<()> {
        for (number, cluster) in self.clusters.clusters.iter().enumerate() {
            let master = self.catalog.json_id(cluster.master)?;
            let weakest = cluster.weakest().map_or(1.0, |member| member.similarity);
            let mut line = format!(
                "{{\"cluster\":{},\"master\":{},\"size\":{},\"weakest\":{weakest:?},\
                 \"members\":[{{\"id\":{},\"similarity\":1.0}}",
                number + 1,
                master,
                cluster.size(),
                master,
            );
            for member in &cluster.members {
                let id = self.catalog.json_id(member.document)?;
                line += &format!(",{{\"id\":{id},\"similarity\":{:?}}}", member.similarity);
            }
            line += "]}\n";
            write(&line)?;
        }
        Ok(())
    }

    /// The lines of `pairs.jsonl`: verified pairs, and each exact copy with its representative, by input order.
    pub(super) fn write_pairs(&self, write: &mut Write<'_>) -> Result<()> {
        let reasons = self.pipeline.decider.reasons();
        let verified = self.clusters.verified.iter();
        let verified = verified.map(|pair| {
            (pair.a, pair.b, pair.similarity, pair.because, pair.difference, pair.streams, pair.decided)
        });
        let copies = shown_copies(&self.catalog, &self.clusters).map(|((copy, of), differs)| {
            (of, copy, 1.0, NO_REASON, Some(differs.difference), differs.streams, false)
        });
        let mut pairs: Vec<_> = verified.chain(copies).collect();
        pairs.sort_unstable_by_key(|&(a, b, ..)| (a.min(b), a.max(b)));
        for (a, b, similarity, weighed, difference, streams, decided) in pairs {
            let (id_a, id_b) = (self.catalog.json_id(a)?, self.catalog.json_id(b)?);
            let is_swapped = Id::compare(&id_b, &id_a).is_lt();
            let rows = if is_swapped { [("a_row", b), ("b_row", a)] } else { [("a_row", a), ("b_row", b)] };
            let rows = self.rows(rows)?;
            let (a, b) = if is_swapped { (id_b, id_a) } else { (id_a, id_b) };
            let because = because(weighed, &reasons);
            let difference = difference.map(|told| if is_swapped { told.reversed() } else { told });
            let (difference, streams) = (json_difference(difference), json_streams(streams));
            // Pairs that a person decided are marked so; the others were found by the methods of
            // the report.
            let method = if decided { format!(",\"method\":\"{DECISION}\"") } else { String::new() };
            let line = format!(
                "{{\"a\":{a},\"b\":{b},\"similarity\":{similarity:?},\"difference\":{difference}{streams}{method}\
                 {because}{rows}}}\n"
            );
            write(&line)?;
        }
        Ok(())
    }

    /// The lines of `rejected.jsonl`.
    pub(super) fn write_rejected(&self, write: &mut Write<'_>) -> Result<()> {
        // A file that was not read has no line.
        for (file_name, reason) in &self.job.unreadable {
            let (name, reason) = (Value::from(file_name.as_str()), Value::from(reason.as_str()));
            write(&format!("{{\"file\":{name},\"line\":null,\"reason\":{reason}}}\n"))?;
        }
        for (number, block) in self.catalog.blocks.iter().enumerate() {
            if block.header.rejected == 0 {
                continue;
            }
            let name = Value::from(self.catalog.names[block.header.input as usize].as_str());
            for (line, reason) in self.catalog.tail(number)?.rejects {
                let line = self.catalog.line_number(number, line);
                let reason = Value::from(reason);
                write(&format!("{{\"file\":{name},\"line\":{line},\"reason\":{reason}}}\n"))?;
            }
        }
        Ok(())
    }

    /// The rows of a table that documents are, as further keys of a JSON object; nothing if they are lines of files.
    fn rows(&self, documents: [(&str, CorpusNumber); 2]) -> Result<String> {
        if !self.source.has_rows() {
            return Ok(String::new());
        }
        let mut json = String::new();
        for (key, document) in documents {
            let (input, line) = self.catalog.place(document)?;
            match input < self.source.reference_inputs() {
                true => json += &format!(",\"{key}\":null"),
                false => json += &format!(",\"{key}\":{}", line - 1),
            }
        }
        Ok(json)
    }
}

fn append(lines: &mut String, line: &str) -> Result<()> {
    lines.push_str(line);
    Ok(())
}

/// What weighed most, as a further key of a JSON object.
fn because(because: Because, reasons: &[String]) -> String {
    let names = named(because, reasons);
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

/// The kinds of a difference, whose names need no escapes; null if the texts were not compared.
fn json_difference(difference: Option<Difference>) -> String {
    let Some(difference) = difference else { return "null".to_owned() };
    let mut json = String::from("[");
    for kind in difference.kinds() {
        let comma = if json.len() > 1 { "," } else { "" };
        json.extend([comma, "\"", kind.name(), "\""]);
    }
    json + "]"
}

/// How streams agree, as a further key of a JSON object; nothing if the documents share none.
fn json_streams(streams: StreamAgreement) -> String {
    let json = streams.told().and_then(|told| serde_json::to_string(&told).ok());
    json.map_or(String::new(), |json| format!(",\"streams\":{json}"))
}

fn json_number(number: Option<f64>) -> String {
    number.map_or("null".to_owned(), |number| format!("{number:?}"))
}
