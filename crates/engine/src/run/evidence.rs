//! What explains the results, as lines of JSON: written to files, or kept for who asks.

use std::borrow::Cow;
use std::io::{BufWriter, Write as _};
use std::os::unix::fs::FileExt;
use std::path::Path;

use lookalike_core::decide::NO_REASON;
use lookalike_core::document::Id;
use lookalike_core::threads::try_both;
use lookalike_core::{Error, Result};
use serde_json::Value;
use tempfile::{SpooledData, spooled_tempfile_in};

use super::clusters::{CopyPair, Removal};
use super::external::Record;
use super::lines::{ClusterLine, PairLine, RemovalLine};
use super::outcome::{Outcome, shown_copies};
use super::passages;
use super::verify::Verified;
use crate::corpus::CorpusNumber;

/// For how many removals passages are held in memory at a time.
const REMOVALS_AT_ONCE: usize = 4096;
/// As many members of a cluster are written at a time.
const MEMBERS_AT_ONCE: u64 = 4096;
/// As many bytes of lines are kept in memory when nothing is written.
const MOST_IN_MEMORY: usize = 1 << 20;

/// Takes a line with its end.
pub type Write<'a> = dyn FnMut(&str) -> Result<()> + 'a;

/// The lines of the files of the same names.
#[derive(Debug)]
pub struct Evidence {
    /// Every removed document with its keeper.
    pub removed: Lines,
    /// Every cluster with its members.
    pub clusters: Lines,
    /// Every verified pair.
    pub pairs: Lines,
    /// Every record that is no document, with the reason.
    pub rejected: Lines,
}

/// Lines in memory if they are few, and otherwise in a file that nobody else can open.
#[derive(Debug)]
pub struct Lines(SpooledData);

impl Lines {
    fn of(folder: &Path, write: impl FnOnce(&mut Write<'_>) -> Result<()>) -> Result<Lines> {
        let mut out = BufWriter::new(spooled_tempfile_in(MOST_IN_MEMORY, folder));
        write(&mut |line| out.write_all(line.as_bytes()).map_err(|error| Error::io(folder)(error)))?;
        let file = out.into_inner().map_err(|error| Error::io(folder)(error.into_error()))?;
        Ok(Lines(file.into_inner()))
    }

    /// All of them.
    pub fn read(&self) -> Result<Cow<'_, str>> {
        let bytes = match &self.0 {
            SpooledData::InMemory(bytes) => Cow::Borrowed(bytes.get_ref().as_slice()),
            SpooledData::OnDisk(file) => {
                let length = file.metadata().map(|told| told.len() as usize);
                // From the start, not from where another thread or process has read to.
                let read = length.and_then(|length| {
                    let mut bytes = vec![0; length];
                    file.read_exact_at(&mut bytes, 0).map(|()| bytes)
                });
                Cow::Owned(read.map_err(Error::io(std::env::temp_dir()))?)
            }
        };
        let damaged = || Error::Internal("the results of a run in a temporary file were changed".to_owned());
        match bytes {
            Cow::Borrowed(bytes) => str::from_utf8(bytes).map(Cow::Borrowed).map_err(|_| damaged()),
            Cow::Owned(bytes) => String::from_utf8(bytes).map(Cow::Owned).map_err(|_| damaged()),
        }
    }
}

impl Outcome<'_> {
    /// What the files of a run tell, for callers that write none.
    pub fn evidence(&self) -> Result<Evidence> {
        let work = &self.work;
        let (pairs, (removed, clusters, rejected)) = try_both(
            || Lines::of(work, |write| self.write_pairs(write)),
            || {
                let removed = Lines::of(work, |write| self.write_removals(write))?;
                let clusters = Lines::of(work, |write| self.write_clusters(write))?;
                Ok((removed, clusters, Lines::of(work, |write| self.write_rejected(write))?))
            },
        )?;
        Ok(Evidence { removed, clusters, pairs, rejected })
    }

    /// The lines of `removed.jsonl`.
    pub(super) fn write_removals(&self, write: &mut Write<'_>) -> Result<()> {
        let removals = self.clusters.removals(&self.work, self.memory / 2)?;
        let mut removals = removals.iter()?;
        loop {
            let some = removals.by_ref().take(REMOVALS_AT_ONCE).collect::<Result<Vec<Removal>>>()?;
            if some.is_empty() {
                return Ok(());
            }
            for (removal, passages) in some.iter().zip(self.passages(&some)?) {
                write(&self.removal(removal, &passages)?)?;
            }
        }
    }

    /// The end of each removal's line: nothing, or the shared passages on request.
    fn passages(&self, removed: &[Removal]) -> Result<Vec<String>> {
        if !self.job.passages {
            return Ok(vec![String::new(); removed.len()]);
        }
        let pairs: Vec<(CorpusNumber, CorpusNumber)> =
            removed.iter().map(|removal| (removal.member.document, removal.master)).collect();
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

    fn removal(&self, removal: &Removal, passages: &str) -> Result<String> {
        let &Removal { number, master: keeper, ref member } = removal;
        let found = member.found(self.catalog.is_reference(keeper));
        let line = RemovalLine {
            id: &self.catalog.json_id(member.document)?,
            keeper: &self.catalog.json_id(keeper)?,
            cluster: number,
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
        // Size and weakest member come first in a line, so one reader is a cluster ahead.
        let (mut ahead, mut behind) = (self.clusters.read()?, self.clusters.read()?);
        while let Some(summary) = ahead.next(|_, _, _| Ok(()))? {
            let master = self.catalog.json_id(summary.master)?;
            let mut line =
                ClusterLine::new(summary.number, &master, summary.size, summary.weakest.similarity);
            let mut members = 0;
            behind.next(|_, _, member| {
                line.push(&self.catalog.json_id(member.document)?, member.similarity);
                members += 1;
                if members % MEMBERS_AT_ONCE == 0 { write(&line.take()) } else { Ok(()) }
            })?;
            write(&line.json())?;
        }
        Ok(())
    }

    /// The lines of `pairs.jsonl`: verified pairs, and each exact copy with its representative, by input order.
    pub(super) fn write_pairs(&self, write: &mut Write<'_>) -> Result<()> {
        let mut verified = self.clusters.verified.iter()?.peekable();
        let mut copies = shown_copies(&self.catalog, &self.clusters)?.peekable();
        loop {
            let copy_first = match (verified.peek(), copies.peek()) {
                (Some(Ok(pair)), Some(Ok(copy))) => copy.key() < pair.key(),
                (Some(_), _) => false,
                (None, Some(_)) => true,
                (None, None) => return Ok(()),
            };
            let pair = match copy_first {
                true => copies.next().transpose()?.map(as_pair),
                false => verified.next().transpose()?,
            };
            if let Some(pair) = pair {
                write(&self.pair(&pair)?)?;
            }
        }
    }

    fn pair(&self, pair: &Verified) -> Result<String> {
        let &Verified { a, b, similarity, because, difference, streams, decided, .. } = pair;
        let (id_a, id_b) = (self.catalog.json_id(a)?, self.catalog.json_id(b)?);
        let is_swapped = Id::compare(&id_b, &id_a).is_lt();
        let rows = if is_swapped { [("a_row", b), ("b_row", a)] } else { [("a_row", a), ("b_row", b)] };
        let rows = self.rows(rows)?;
        let (a, b) = if is_swapped { (&*id_b, &*id_a) } else { (&*id_a, &*id_b) };
        let difference = difference.map(|told| if is_swapped { told.reversed() } else { told });
        Ok(PairLine { a, b, similarity, difference, streams, because, decided }.json(self.pipeline, &rows))
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

/// A copy and its representative as a pair; how the copy differs is how `b` differs from `a`.
fn as_pair(pair: CopyPair) -> Verified {
    Verified {
        a: pair.representative,
        b: pair.copy,
        similarity: 1.0,
        overlap: None,
        found_by: 0,
        because: NO_REASON,
        difference: Some(pair.differs.difference),
        streams: pair.differs.streams,
        decided: false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn numbered(folder: &Path, count: u32) -> Result<Lines> {
        Lines::of(folder, |write| (0..count).try_for_each(|number| write(&format!("{{\"row\":{number}}}\n"))))
    }

    #[test]
    fn lines_come_back_from_memory_and_from_a_file() {
        for (count, is_on_disk) in [(0, false), (10, false), (100_000, true)] {
            let folder = tempfile::tempdir().unwrap();
            let lines = numbered(folder.path(), count).unwrap();
            assert_eq!(matches!(lines.0, SpooledData::OnDisk(_)), is_on_disk);
            // They outlive the folder of the run.
            folder.close().unwrap();
            for _ in 0..2 {
                let read = lines.read().unwrap();
                assert_eq!(read.lines().count(), count as usize);
                assert!(count == 0 || read.ends_with(&format!("\n{{\"row\":{}}}\n", count - 1)));
            }
        }
    }

    #[test]
    fn a_folder_that_cannot_be_written_to_is_an_error() {
        let gone = tempfile::tempdir().unwrap().path().to_owned();
        assert!(matches!(numbered(&gone, 100_000), Err(Error::Io { .. })));
    }
}
