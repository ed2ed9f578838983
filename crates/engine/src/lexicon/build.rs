//! Counting a corpus: one pass over all documents, each thread with a table of its own.

use std::ops::ControlFlow;
use std::path::{Path, PathBuf};

use lookalike_core::features::FeatureExtractor;
use lookalike_core::lexicon::Lexicon;
use lookalike_core::lexicon::count::{Counted, Counter};
use lookalike_core::{Error, Result};
use lookalike_io::inputs::{self, Input};
use lookalike_io::read::{ReadOptions, Reader, copy_stdin};
use lookalike_io::record::{Fields, Record};

use super::rejects::Rejects;
use super::runs::Runs;
use super::target::Target;
use super::terms::{TermReader, write_counts};
use crate::corpus::{
    ChunkPlace, ChunkReader, ChunkWorker, explain_missing, for_each_chunk, warn_passed_over,
};
use crate::memory::{check_limits, machine_memory};
use crate::progress::Progress;

/// What to count, and where the lexicon goes.
#[derive(Clone, Debug)]
pub struct CountJob {
    /// Files, folders, patterns, or `-` for standard input.
    pub inputs: Vec<String>,
    /// The file to write.
    pub output: PathBuf,
    /// A name for the corpus; if absent, that of its file.
    pub source: Option<String>,
    /// The field with a document's text.
    pub text_field: String,
    /// Worker threads.
    pub threads: usize,
    /// The memory to use, in bytes; beyond it, counts go to disk.
    pub memory: u64,
    /// Longer lines are rejected.
    pub max_line: u64,
    /// Terms in fewer documents are left out.
    pub least_df: u32,
    /// Stop at the first bad line.
    pub strict: bool,
}

/// The lexicon, and what could not be counted.
#[derive(Debug)]
pub struct Built {
    /// What was counted.
    pub lexicon: Lexicon,
    /// Lines that are no documents.
    pub rejected: u64,
}

/// The program itself, and what every thread needs besides its table: a chunk, a text, its words.
const BASE_BYTES: u64 = 16_000_000;
const THREAD_BYTES: u64 = 16_000_000;
const LEAST_TABLE_BYTES: u64 = 1_000_000;

impl CountJob {
    /// All cores and most of the memory, words of the field `text`.
    pub fn new(inputs: impl IntoIterator<Item = impl Into<String>>, output: impl Into<PathBuf>) -> Self {
        CountJob {
            inputs: inputs.into_iter().map(Into::into).collect(),
            output: output.into(),
            source: None,
            text_field: "text".to_owned(),
            threads: lookalike_core::threads::available(),
            memory: machine_memory() / 10 * 7,
            max_line: 64 << 20,
            least_df: 1,
            strict: false,
        }
    }

    fn check(&self) -> Result<()> {
        let each = THREAD_BYTES + LEAST_TABLE_BYTES;
        check_limits(self.threads, self.memory, self.max_line, BASE_BYTES + each * self.threads as u64)
    }

    /// A quarter of the memory is reserved for merging: buffers, and the index of what is written.
    fn table_bytes(&self) -> usize {
        let threads = self.threads.max(1) as u64;
        let free = self.memory.saturating_sub(BASE_BYTES + THREAD_BYTES * threads);
        usize::try_from(free / 4 * 3 / threads).unwrap_or(usize::MAX)
    }
}

/// Counts the words of a corpus, or the features that an extractor finds in it, and writes the
/// lexicon. The file does not depend on the threads, the memory or the order of documents.
pub fn build(
    job: &CountJob,
    extractor: Option<&dyn FeatureExtractor>,
    progress: &dyn Progress,
) -> Result<Built> {
    job.check()?;
    let target = Target::claim(&job.output)?;
    let inputs = find_inputs(job, target.folder(), progress)?;
    let runs = Runs::new(target.folder());
    let pass = Pass { job, extractor, inputs: &inputs, runs: &runs };
    let (documents, counted, rejects) = pass.run(progress)?;
    if let Some(first) =
        rejects.first(&inputs, |reason, input| explain_missing(reason, input, &job.text_field, job.max_line))
    {
        if job.strict {
            return Err(Error::Input(format!("{first} (--strict stops at the first bad line)")));
        }
        let told = format!("{} rejected; the first: {first}", rejects.count);
        if documents == 0 {
            return Err(Error::Input(format!("no document could be read, {told}")));
        }
        progress.warn(&told);
    }
    if documents == 0 {
        return Err(Error::Input("there are no documents to count".to_owned()));
    }
    let source = job.source.clone().unwrap_or_else(|| name_of(&inputs));
    let lexicon = write_counts(target, extractor, (&source, documents), job.least_df, (&runs, &counted))?;
    if lexicon.is_empty() {
        progress.warn("the lexicon has no terms: the documents have none, or all are rarer than --min-df");
    }
    Ok(Built { lexicon, rejected: rejects.count })
}

fn find_inputs(job: &CountJob, folder: &Path, progress: &dyn Progress) -> Result<Vec<Input>> {
    let mut found = Vec::new();
    for argument in &job.inputs {
        if argument == "-" {
            let path = copy_stdin(std::io::stdin(), folder)?;
            found.push(Input::open_stdin(&path)?);
        } else {
            let argument = std::slice::from_ref(argument);
            found.extend(inputs::find(argument, None)?);
            warn_passed_over(argument, None, progress)?;
        }
    }
    // A file that is named twice is read once.
    let mut seen = std::collections::HashSet::new();
    found.retain(|input| seen.insert(input.place.identity()));
    if found.is_empty() {
        return Err(Error::config("no input files"));
    }
    Ok(found)
}

/// The name without its folder, so that the same corpus gives the same file anywhere.
fn name_of(inputs: &[Input]) -> String {
    let first = inputs.first().map(|input| Path::new(&input.name));
    let name = first.and_then(Path::file_name).unwrap_or_default().to_string_lossy().into_owned();
    match inputs.len() {
        0 | 1 => name,
        more => format!("{name} and {} more", more - 1),
    }
}

struct Pass<'a> {
    job: &'a CountJob,
    extractor: Option<&'a dyn FeatureExtractor>,
    inputs: &'a [Input],
    runs: &'a Runs,
}

impl Pass<'_> {
    fn run(&self, progress: &dyn Progress) -> Result<(u64, Vec<Counted>, Rejects)> {
        // No id is needed, so this is a name that no field has.
        let fields = Fields {
            id: "\0".to_owned(),
            text: self.job.text_field.clone(),
            wanted: self.extractor.map(|extractor| extractor.fields()).unwrap_or_default(),
        };
        let mut columns = vec![fields.text.clone()];
        columns.extend(fields.wanted.iter().cloned());
        let options = ReadOptions {
            max_line: self.job.max_line,
            columns,
            text: fields.text.clone(),
            cursors: self.job.threads,
        };
        let reader = Reader::open(self.inputs, options)?;
        progress.stage("counting", self.inputs.iter().map(|input| input.bytes).sum());
        let worker = || Worker::new(self, progress);
        let found = for_each_chunk(&reader, &fields, self.job.threads, &|_, _| false, worker)?;
        inputs::check_unchanged(self.inputs)?;
        let (mut documents, mut counted, mut rejects) = (0, Vec::new(), Rejects::default());
        for (their_documents, their_counted, their_rejects) in found {
            documents += their_documents;
            counted.push(their_counted);
            rejects.join(their_rejects);
        }
        Ok((documents, counted, rejects))
    }
}

struct Worker<'a> {
    pass: &'a Pass<'a>,
    progress: &'a dyn Progress,
    counter: Counter,
    terms: TermReader<'a>,
    rejects: Rejects,
}

impl ChunkWorker for Worker<'_> {
    type Output = (u64, Counted, Rejects);

    fn take(&mut self, chunk: &ChunkPlace, documents: &mut dyn ChunkReader) -> Result<ControlFlow<()>> {
        let before = self.counter.documents();
        documents.for_each(&mut |entry| match entry.record {
            Ok(record) => self.count(&record),
            Err(reason) => {
                self.rejects.add(chunk.input, chunk.part, entry.line, reason);
                Ok(())
            }
        })?;
        self.rejects.end_part(chunk.input, chunk.part, chunk.lines);
        self.progress.advance(chunk.bytes, self.counter.documents() - before)?;
        // Other threads are reading the chunks before this one and will finish them, so that the line's
        // number is known.
        let is_over = self.pass.job.strict && self.rejects.count > 0;
        Ok(if is_over { ControlFlow::Break(()) } else { ControlFlow::Continue(()) })
    }

    fn finish(mut self) -> Self::Output {
        // Sorting is part of finishing.
        let counted = self.counter.finish();
        (self.counter.documents(), counted, self.rejects)
    }
}

impl<'a> Worker<'a> {
    fn new(pass: &'a Pass<'a>, progress: &'a dyn Progress) -> Self {
        Worker {
            pass,
            progress,
            counter: Counter::new(pass.job.table_bytes(), pass.extractor.is_none()),
            terms: TermReader::new(pass.extractor),
            rejects: Rejects::default(),
        }
    }

    fn count(&mut self, record: &Record<'_>) -> Result<()> {
        let counter = &mut self.counter;
        counter.begin_document(&mut |run| self.pass.runs.store(run))?;
        self.terms.for_each(&record.document, |hash, text| counter.add(hash, text));
        Ok(())
    }
}

#[cfg(test)]
mod tests;
