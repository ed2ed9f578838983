//! The files of a run, each written under another name and renamed when complete.

use std::collections::HashMap;
use std::path::Path;

use lookalike_core::decide::{Because, NO_REASON};
use lookalike_core::difference::{Difference, DifferenceKind};
use lookalike_core::streams::StreamAgreement;
use lookalike_core::threads::try_both;
use lookalike_core::{Error, Result};
use lookalike_io::decode::{Compression, Encoding};
use lookalike_io::format::{Format, Layout};
use lookalike_io::inputs::Input;
use lookalike_io::read::columns_of;
use lookalike_io::write::{KeptBlock, write_kept_jsonl, write_kept_rows};
use lookalike_plumbing::files::AtomicFile;
use lookalike_report::run::Page;
use serde_json::Value;

use super::bits::Bits;
use super::clusters::Member;
use super::outcome::{DECISION, Outcome, shown_copies};
use super::report::Report;
use super::{Progress, passages, work};
use crate::corpus::block::Column;
use crate::corpus::catalog::ordered;
use crate::corpus::{CorpusNumber, FileSource, Source};
use crate::memory::peak_memory;
use crate::partition_file;

/// For how many removals passages are held in memory at a time.
const PASSAGES_AT_ONCE: usize = 4096;

/// Makes `report.html` from the results of a run.
pub type RenderPage = fn(&Page) -> String;

impl Outcome<'_> {
    /// Writes everything; `report.json` last, since its presence means that the rest is complete. `files` are those
    /// that the run read.
    pub fn write(
        mut self,
        files: &FileSource,
        render: RenderPage,
        progress: &dyn Progress,
    ) -> Result<Report> {
        progress.stage("writing", 1);
        let is_removed = self.removed();
        // The evidence is small but takes as long as the kept documents, so both are written at
        // once.
        try_both(|| self.write_kept(files, &is_removed), || self.write_evidence())?;
        self.report.warnings = self.warnings(&is_removed)?;
        self.report.warnings.iter().for_each(|warning| progress.warn(warning));
        self.clock.lap("write");
        self.report.stages = self.clock.stages();
        self.report.seconds = self.clock.seconds();
        self.report.peak_memory_bytes = peak_memory();
        self.write_file("report.html", render(&self.page()?).as_bytes())?;
        let json = serde_json::to_string_pretty(&self.report)
            .map_err(|error| Error::Internal(format!("report.json: {error}")))?;
        self.write_file(work::REPORT, format!("{json}\n").as_bytes())?;
        progress.advance(1, 0)?;
        Ok(self.report)
    }

    fn write_file(&self, name: &str, bytes: &[u8]) -> Result<()> {
        let mut file = AtomicFile::create(&self.job.output.join(name))?;
        file.write(bytes)?;
        file.finish()
    }

    /// Writes the files that explain the results.
    fn write_evidence(&self) -> Result<()> {
        self.write_removed()?;
        self.write_clusters()?;
        self.write_rejected()?;
        partition_file::keep(self.pipeline, &self.job.output)?;
        self.write_pairs()
    }

    /// One file for each format (and schema) among the inputs, in input order.
    fn write_kept(&self, files: &FileSource, is_removed: &Bits) -> Result<()> {
        let mut groups: Vec<(Format, String, Vec<usize>)> = Vec::new();
        for (index, input) in files.inputs().iter().enumerate().skip(files.reference_inputs()) {
            // Kept documents are written as UTF-8, whatever the input's encoding.
            let format = Format { encoding: Encoding::Utf8, ..input.format };
            let columns = columns_of(input, self.job.max_line)?;
            match groups.iter_mut().find(|group| group.0 == format && group.1 == columns) {
                Some(group) => group.2.push(index),
                None => groups.push((format, columns, vec![index])),
            }
        }
        let mut taken = HashMap::new();
        for (format, _, members) in groups {
            let number = taken.entry(format.extension()).and_modify(|number| *number += 1).or_insert(1);
            let path = self.job.output.join(match number {
                1 => format!("kept.{}", format.extension()),
                _ => format!("kept-{number}.{}", format.extension()),
            });
            match format.layout {
                Layout::Jsonl => {
                    self.write_kept_lines(files, &path, format.compression, &members, is_removed)?;
                }
                _ => self.write_kept_rows(files, &path, &members, is_removed)?,
            }
        }
        Ok(())
    }

    fn write_kept_lines(
        &self,
        files: &FileSource,
        path: &Path,
        compression: Compression,
        inputs: &[usize],
        is_removed: &Bits,
    ) -> Result<()> {
        let catalog = &self.catalog;
        let of_inputs =
            |block: &usize| inputs.binary_search(&(catalog.blocks[*block].header.input as usize)).is_ok();
        let blocks: Vec<usize> = (0..catalog.blocks.len()).filter(of_inputs).collect();
        write_kept_jsonl(path, compression, self.job.threads, files.stores(), blocks.len(), |index| {
            let block = blocks[index];
            let header = &catalog.blocks[block].header;
            let offsets = catalog.numbers(block, Column::Offset)?;
            let lengths = catalog.numbers(block, Column::Length)?;
            let kept = catalog.documents_of(block).zip(offsets.iter().zip(&lengths));
            let kept = kept.filter(|(document, _)| !is_removed.get(*document));
            let lines = kept.map(|(_, (&offset, &length))| (header.base + u64::from(offset), length));
            Ok(KeptBlock { store: header.input as usize, lines: lines.collect() })
        })
    }

    fn write_kept_rows(
        &self,
        files: &FileSource,
        path: &Path,
        inputs: &[usize],
        is_removed: &Bits,
    ) -> Result<()> {
        let mut kept: HashMap<usize, Vec<bool>> = inputs.iter().map(|&input| (input, Vec::new())).collect();
        for block in 0..self.catalog.blocks.len() {
            let Some(rows) = kept.get_mut(&(self.catalog.blocks[block].header.input as usize)) else {
                continue;
            };
            let lines = self.catalog.numbers(block, Column::Line)?;
            for (document, line) in self.catalog.documents_of(block).zip(lines) {
                let row = self.catalog.line_number(block, line) as usize - 1;
                if rows.len() <= row {
                    rows.resize(row + 1, false);
                }
                rows[row] = !is_removed.get(document);
            }
        }
        let inputs: Vec<(usize, &Input)> =
            inputs.iter().map(|&input| (input, &files.inputs()[input])).collect();
        write_kept_rows(path, &inputs, self.job.max_line, &|input, row| {
            kept.get(&input).and_then(|rows| rows.get(row as usize)).copied().unwrap_or(false)
        })
    }

    fn write_removed(&self) -> Result<()> {
        let mut removed: Vec<(&Member, usize)> = Vec::new();
        for (number, cluster) in self.clusters.clusters.iter().enumerate() {
            removed.extend(cluster.members.iter().map(|member| (member, number)));
        }
        removed.sort_unstable_by_key(|(member, _)| member.document);
        let mut file = AtomicFile::create(&self.job.output.join("removed.jsonl"))?;
        for some in removed.chunks(PASSAGES_AT_ONCE) {
            let passages = self.passages(some)?;
            for (&(member, number), passages) in some.iter().zip(passages) {
                file.write(self.removal(member, number, &passages)?.as_bytes())?;
            }
        }
        file.finish()
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
             \"contains_keeper\":{},\"method\":{},\"reason\":\"{reason}\",\"difference\":{}{}{}{passages}}}\n",
            self.catalog.id(member.document)?.json(),
            self.catalog.id(keeper)?.json(),
            number + 1,
            member.similarity,
            json_number(contained),
            json_number(contains),
            Value::from(self.method_of(member)),
            json_difference(member.difference),
            json_streams(member.streams),
            because(member.because, &self.pipeline.decider.reasons()),
        ))
    }

    fn write_clusters(&self) -> Result<()> {
        let mut file = AtomicFile::create(&self.job.output.join("clusters.jsonl"))?;
        for (number, cluster) in self.clusters.clusters.iter().enumerate() {
            let master = self.catalog.id(cluster.master)?;
            let weakest = cluster.weakest().map_or(1.0, |member| member.similarity);
            let mut line = format!(
                "{{\"cluster\":{},\"master\":{},\"size\":{},\"weakest\":{weakest:?},\
                 \"members\":[{{\"id\":{},\"similarity\":1.0}}",
                number + 1,
                master.json(),
                cluster.size(),
                master.json(),
            );
            for member in &cluster.members {
                let id = self.catalog.id(member.document)?;
                line += &format!(",{{\"id\":{},\"similarity\":{:?}}}", id.json(), member.similarity);
            }
            line += "]}\n";
            file.write(line.as_bytes())?;
        }
        file.finish()
    }

    /// Verified pairs, and each exact copy with its representative, by input order.
    fn write_pairs(&self) -> Result<()> {
        let mut file = AtomicFile::create(&self.job.output.join(work::PAIRS))?;
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
            let (id_a, id_b) = (self.catalog.id(a)?, self.catalog.id(b)?);
            let is_swapped = id_b < id_a;
            let (a, b) = ordered(id_a, id_b);
            let (a, b) = (a.json(), b.json());
            let because = because(weighed, &reasons);
            let difference = difference.map(|told| if is_swapped { told.reversed() } else { told });
            let (difference, streams) = (json_difference(difference), json_streams(streams));
            // Pairs that a person decided are marked so; the others were found by the methods of
            // the report.
            let method = if decided { format!(",\"method\":\"{DECISION}\"") } else { String::new() };
            let line = format!(
                "{{\"a\":{a},\"b\":{b},\"similarity\":{similarity:?},\"difference\":{difference}{streams}{method}\
                 {because}}}\n"
            );
            file.write(line.as_bytes())?;
        }
        file.finish()
    }

    fn write_rejected(&self) -> Result<()> {
        let mut file = AtomicFile::create(&self.job.output.join("rejected.jsonl"))?;
        // A file that was not read has no line.
        for (file_name, reason) in &self.job.unreadable {
            let (name, reason) = (Value::from(file_name.as_str()), Value::from(reason.as_str()));
            file.write(format!("{{\"file\":{name},\"line\":null,\"reason\":{reason}}}\n").as_bytes())?;
        }
        for (number, block) in self.catalog.blocks.iter().enumerate() {
            if block.header.rejected == 0 {
                continue;
            }
            let name = Value::from(self.catalog.names[block.header.input as usize].as_str());
            for (line, reason) in self.catalog.tail(number)?.rejects {
                let line = self.catalog.line_number(number, line);
                let reason = Value::from(reason);
                file.write(format!("{{\"file\":{name},\"line\":{line},\"reason\":{reason}}}\n").as_bytes())?;
            }
        }
        file.finish()
    }
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

/// The kinds of a difference; null if the texts were not compared.
fn json_difference(difference: Option<Difference>) -> String {
    let names = |told: Difference| told.kinds().map(DifferenceKind::name).collect::<Vec<_>>();
    difference.map_or("null".to_owned(), |told| Value::from(names(told)).to_string())
}

/// How streams agree, as a further key of a JSON object; nothing if the documents share none.
fn json_streams(streams: StreamAgreement) -> String {
    let json = streams.told().and_then(|told| serde_json::to_string(&told).ok());
    json.map_or(String::new(), |json| format!(",\"streams\":{json}"))
}

fn json_number(number: Option<f64>) -> String {
    number.map_or("null".to_owned(), |number| format!("{number:?}"))
}
