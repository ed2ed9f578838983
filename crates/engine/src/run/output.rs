//! The files of a run, each written under another name and renamed when complete.

use std::collections::HashMap;
use std::path::Path;

use lookalike_core::threads::try_both;
use lookalike_core::{Error, Result};
use lookalike_io::decode::{Compression, Encoding};
use lookalike_io::format::{Format, Layout};
use lookalike_io::inputs::Input;
use lookalike_io::read::columns_of;
use lookalike_io::write::{KeptBlock, write_kept_rows};
use lookalike_plumbing::files::{AtomicFile, sync_folder, write_synced};
use lookalike_report::run::Page;

use super::evidence::Write;
use super::outcome::Outcome;
use super::report::Report;
use super::{Progress, work};
use crate::corpus::Bits;
use crate::corpus::block::Column;
use crate::corpus::{FileSource, Source};
use crate::memory::peak_memory;
use crate::partition_file;

/// Makes `report.html` from the results of a run.
pub type RenderPage = fn(&Page) -> String;

impl Outcome<'_> {
    /// Writes everything; `report.json` last, since its presence means that the rest is complete and on disk, whatever
    /// happens to the machine. `files` are those that the run read.
    pub fn write(
        mut self,
        files: &FileSource,
        render: RenderPage,
        progress: &dyn Progress,
    ) -> Result<Report> {
        progress.stage("writing", 1);
        let is_removed = &self.clusters.removed;
        // The evidence is small but takes as long as the kept documents, so both are written at
        // once.
        try_both(|| self.write_kept(files, is_removed), || self.write_evidence())?;
        files.check_unchanged()?;
        self.finish_report("write", progress)?;
        self.write_file("report.html", render(&self.page()?).as_bytes())?;
        let json = serde_json::to_string_pretty(&self.report)
            .map_err(|error| Error::Internal(format!("report.json: {error}")))?;
        work::sync_outputs(&self.job.output)?;
        write_synced(&self.job.output.join(work::REPORT), |file| file.write(format!("{json}\n").as_bytes()))?;
        sync_folder(&self.job.output)?;
        progress.advance(1, 0)?;
        Ok(self.report)
    }

    /// Adds to the report what is known when all else is done, and tells the warnings.
    pub fn finish_report(&mut self, stage: &'static str, progress: &dyn Progress) -> Result<&Report> {
        self.report.warnings = self.warnings()?;
        self.report.warnings.iter().for_each(|warning| progress.warn(warning));
        self.clock.lap(stage);
        self.report.stages = self.clock.stages();
        self.report.seconds = self.clock.seconds();
        self.report.peak_memory_bytes = peak_memory();
        Ok(&self.report)
    }

    fn write_file(&self, name: &str, bytes: &[u8]) -> Result<()> {
        let mut file = AtomicFile::create(&self.job.output.join(name))?;
        file.write(bytes)?;
        file.finish()
    }

    /// Writes the files that explain the results.
    fn write_evidence(&self) -> Result<()> {
        self.write_lines("removed.jsonl", |write| self.write_removals(write))?;
        self.write_lines("clusters.jsonl", |write| self.write_clusters(write))?;
        self.write_lines("rejected.jsonl", |write| self.write_rejected(write))?;
        partition_file::keep(self.pipeline, &self.job.output)?;
        self.write_lines(work::PAIRS, |write| self.write_pairs(write))
    }

    fn write_lines(&self, name: &str, lines: impl FnOnce(&mut Write<'_>) -> Result<()>) -> Result<()> {
        let mut file = AtomicFile::create(&self.job.output.join(name))?;
        lines(&mut |line| file.write(line.as_bytes()))?;
        file.finish()
    }

    /// One file for each format (and schema) among the inputs, in input order.
    fn write_kept(&self, files: &FileSource, is_removed: &Bits) -> Result<()> {
        let mut groups: Vec<(Format, String, Vec<usize>)> = Vec::new();
        for (index, input) in files.inputs().iter().enumerate().skip(files.reference_inputs()) {
            // Kept documents are written as UTF-8, whatever the input's encoding.
            let layout = input.format.layout.kept();
            let format = Format { layout, encoding: Encoding::Utf8, ..input.format };
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
                _ => self.write_kept_rows(files, &path, &members)?,
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
        files.kept(self.job.threads).write_jsonl(path, compression, blocks.len(), |index| {
            let block = blocks[index];
            let header = &catalog.blocks[block].header;
            let offsets = catalog.numbers(block, Column::Offset)?;
            let lengths = catalog.numbers(block, Column::Length)?;
            let kept = catalog.documents_of(block).zip(offsets.iter().zip(&lengths));
            let kept = kept.filter(|(document, _)| !is_removed.get(*document));
            let lines = kept.map(|(_, (&start, &length))| (start, length)).collect();
            Ok(KeptBlock { input: header.input as usize, part: header.part, base: header.base, lines })
        })
    }

    fn write_kept_rows(&self, files: &FileSource, path: &Path, inputs: &[usize]) -> Result<()> {
        let kept = inputs.iter().map(|&input| Ok((input, self.kept_lines(input)?)));
        let kept = kept.collect::<Result<HashMap<usize, Vec<bool>>>>()?;
        let inputs: Vec<(usize, &Input)> =
            inputs.iter().map(|&input| (input, &files.inputs()[input])).collect();
        write_kept_rows(path, &inputs, self.job.max_line, &|input, row| {
            kept.get(&input).and_then(|rows| rows.get(row as usize)).copied().unwrap_or(false)
        })
    }
}
