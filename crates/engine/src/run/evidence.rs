//! What explains the results, as lines of JSON: written to files, or kept in memory.

use lookalike_core::Result;
use lookalike_core::decide::NO_REASON;
use lookalike_core::document::Id;
use lookalike_core::threads::try_both;
use serde_json::Value;

use super::clusters::Member;
use super::lines::{ClusterLine, PairLine, RemovalLine};
use super::outcome::{Outcome, shown_copies};
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
        let found = member.found(self.catalog.is_reference(keeper));
        let line = RemovalLine {
            id: &self.catalog.json_id(member.document)?,
            keeper: &self.catalog.json_id(keeper)?,
            cluster: number as u64 + 1,
            similarity: member.similarity,
            containments: member.containments(),
            found,
            difference: member.difference,
            streams: member.streams,
            because: member.because,
        }
        .json(
            self.pipeline,
            passages,
            &self.rows([("row", member.document), ("keeper_row", keeper)])?,
        );
        Ok(line)
    }

    /// The lines of `clusters.jsonl`.
    pub(super) fn write_clusters(&self, write: &mut Write<'_>) -> Result<()> {
        for (number, cluster) in self.clusters.clusters.iter().enumerate() {
            let master = self.catalog.json_id(cluster.master)?;
            let weakest = cluster.weakest().map_or(1.0, |member| member.similarity);
            let mut line = ClusterLine::new(number as u64 + 1, &master, cluster.size(), weakest);
            for member in &cluster.members {
                line.push(&self.catalog.json_id(member.document)?, member.similarity);
            }
            write(&line.json())?;
        }
        Ok(())
    }

    /// The lines of `pairs.jsonl`: verified pairs, and each exact copy with its representative, by input order.
    pub(super) fn write_pairs(&self, write: &mut Write<'_>) -> Result<()> {
        let verified = self.clusters.verified.iter();
        let verified = verified.map(|pair| {
            (pair.a, pair.b, pair.similarity, pair.because, pair.difference, pair.streams, pair.decided)
        });
        let copies = shown_copies(&self.catalog, &self.clusters).map(|((copy, of), differs)| {
            (of, copy, 1.0, NO_REASON, Some(differs.difference), differs.streams, false)
        });
        let mut pairs: Vec<_> = verified.chain(copies).collect();
        pairs.sort_unstable_by_key(|&(a, b, ..)| (a.min(b), a.max(b)));
        for (a, b, similarity, because, difference, streams, decided) in pairs {
            let (id_a, id_b) = (self.catalog.json_id(a)?, self.catalog.json_id(b)?);
            let is_swapped = Id::compare(&id_b, &id_a).is_lt();
            let rows = if is_swapped { [("a_row", b), ("b_row", a)] } else { [("a_row", a), ("b_row", b)] };
            let rows = self.rows(rows)?;
            let (a, b) = if is_swapped { (&*id_b, &*id_a) } else { (&*id_a, &*id_b) };
            let difference = difference.map(|told| if is_swapped { told.reversed() } else { told });
            let line = PairLine { a, b, similarity, difference, streams, because, decided };
            write(&line.json(self.pipeline, &rows))?;
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
