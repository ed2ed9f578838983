//! Reads corpora line by line, in the form in which an index takes documents.

use std::sync::mpsc::sync_channel;

use lookalike_core::threads::try_both;
use lookalike_core::{Error, Result};
use lookalike_io::folders::FolderFields;
use lookalike_io::inputs::{self, Input};
use lookalike_io::read::{Chunk, ReadOptions, Reader, copy_stdin};
use lookalike_io::record::{Fields, TextBuffer};
use serde_json::{Map, Value};

use lookalike_engine::run::{Job, Progress, explain_missing, known_files, warn_passed_over};

/// How many lines are handed over at once.
const BATCH: usize = 1000;

/// A line of a corpus: a document, or why it is none.
pub struct CorpusLine {
    /// The input's name.
    pub file: String,
    /// The number of the line in it, from 1.
    pub number: u64,
    /// The JSON line of the document, or why there is none.
    pub document: Result<Vec<u8>, String>,
}

/// Calls `visit` with the lines of all inputs in order, in batches; the next ones are read meanwhile. The output folder
/// of a batch run stands for the documents that it kept. Documents without an id get one from their place.
pub fn for_each_batch(
    job: &Job,
    progress: &dyn Progress,
    mut visit: impl FnMut(&[CorpusLine]) -> Result<()>,
) -> Result<()> {
    let (sender, batches) = sync_channel::<Vec<CorpusLine>>(1);
    let visited = || batches.into_iter().try_for_each(|batch| visit(&batch));
    // A batch that nobody takes is no error of its own: the visitor has failed and says why.
    let read = move || read_batches(job, progress, |batch| sender.send(batch).map_err(|_| Error::Cancelled));
    try_both(visited, read).map(|_| ())
}

fn read_batches(
    job: &Job,
    progress: &dyn Progress,
    mut hand_over: impl FnMut(Vec<CorpusLine>) -> Result<()>,
) -> Result<()> {
    let folder = tempfile::tempdir().map_err(Error::io(std::env::temp_dir()))?;
    let files: Vec<String> = job.inputs.iter().filter(|input| *input != "-").cloned().collect();
    let mut found = inputs::find(&known_files(&files)?, None)?;
    if files.len() < job.inputs.len() {
        let path = copy_stdin(std::io::stdin(), folder.path())?;
        found.push(Input::open_stdin(&path)?);
    }
    warn_passed_over(&files, None, progress)?;
    if found.is_empty() {
        return Err(Error::config("no input files"));
    }
    progress.stage("reading", found.iter().map(|input| input.bytes).sum());
    let several = found.len() > 1;
    let mut batch = Vec::with_capacity(BATCH);
    let mut explained = false;
    for input in &found {
        let options = ReadOptions {
            max_line: job.max_line,
            columns: Vec::new(),
            text: job.text_field.clone(),
            cursors: 1,
        };
        let reader = Reader::open(std::slice::from_ref(input), options)?;
        let mut chunk = Chunk::default();
        let mut before = 0;
        while reader.next(&mut chunk, &|_, _| false)? {
            let mut push = |number: u64, mut document: Result<Vec<u8>, String>| -> Result<()> {
                if let (Err(reason), false) = (&mut document, explained) {
                    // Only the first is explained: looking at the fields of each line would take too long.
                    explained = true;
                    *reason = explain_missing(std::mem::take(reason), input, &job.text_field, job.max_line);
                }
                if let (Err(reason), true) = (&document, job.strict) {
                    return Err(Error::Input(format!("{}: line {number}: {reason}", input.name)));
                }
                batch.push(CorpusLine { file: input.name.clone(), number, document });
                if batch.len() == BATCH {
                    hand_over(std::mem::replace(&mut batch, Vec::with_capacity(BATCH)))?;
                }
                Ok(())
            };
            for line in chunk.lines() {
                let number = before + u64::from(line.number) + 1;
                let place = if several { format!("{}:{number}", input.name) } else { number.to_string() };
                let document = |line: &str| as_document(line, &chunk.folders, job, &place, several);
                push(number, line.content.and_then(document))?;
            }
            before += u64::from(chunk.line_count());
            progress.advance(chunk.bytes().len() as u64, 0)?;
        }
    }
    hand_over(batch)
}

/// The line with its id and text under the field names that an index uses.
fn as_document(
    line: &str,
    folders: &FolderFields,
    job: &Job,
    place: &str,
    several: bool,
) -> Result<Vec<u8>, String> {
    let names = ["id", "text"];
    let fields = Fields { id: job.id_field.clone(), text: job.text_field.clone(), wanted: Vec::new() };
    let has_id = fields.parse(line, &mut TextBuffer::default())?.id.is_some();
    if has_id && [&job.id_field, &job.text_field] == names && folders.is_empty() {
        return Ok(line.as_bytes().to_vec());
    }
    let mut fields: Map<String, Value> = serde_json::from_str(line).map_err(|error| error.to_string())?;
    // Both are taken out first, because one may have the name of the other.
    let taken = [&job.id_field, &job.text_field].map(|theirs| take(&mut fields, theirs));
    for (ours, value) in names.into_iter().zip(taken) {
        if let Some(value) = value {
            fields.insert(ours.to_owned(), value);
        }
    }
    if fields.get("id").is_none_or(Value::is_null) {
        let id = match (several, place.parse::<u64>()) {
            (false, Ok(number)) => Value::from(number),
            _ => Value::from(place),
        };
        fields.insert("id".to_owned(), id);
    }
    for (name, value) in folders.iter().filter(|(name, _)| !names.contains(name)) {
        let value = serde_json::from_str(value).map_err(|error| error.to_string())?;
        fields.entry(name).or_insert(value);
    }
    serde_json::to_vec(&Value::Object(fields)).map_err(|error| error.to_string())
}

/// Takes a field out, by its name or its path.
fn take(fields: &mut Map<String, Value>, field: &str) -> Option<Value> {
    if let Some(value) = fields.remove(field) {
        return Some(value);
    }
    let ways = field.match_indices('.').map(|(at, _)| (&field[..at], &field[at + 1..]));
    ways.into_iter().find_map(|(first, rest)| take(fields.get_mut(first)?.as_object_mut()?, rest))
}

#[cfg(test)]
mod tests {
    use super::*;
    use lookalike_engine::run::Quiet;

    fn documents(job: &Job) -> Vec<String> {
        let mut found = Vec::new();
        for_each_batch(job, &Quiet, |lines| {
            found.extend(lines.iter().map(|line| match &line.document {
                Ok(document) => String::from_utf8(document.clone()).unwrap(),
                Err(reason) => format!("{}: {reason}", line.number),
            }));
            Ok(())
        })
        .unwrap();
        found
    }

    #[test]
    fn fields_are_taken_by_path() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.json");
        std::fs::write(
            &path,
            "[{\"m\":{\"t\":\"one\",\"i\":5,\"x\":1}},\n{\"m.t\":\"two\",\"m\":{\"t\":\"no\"}}]",
        )
        .unwrap();
        let mut job = Job::new([path.to_string_lossy()], "");
        (job.id_field, job.text_field) = ("m.i".to_owned(), "m.t".to_owned());
        let expected = [
            "{\"id\":5,\"m\":{\"x\":1},\"text\":\"one\"}",
            "{\"id\":2,\"m\":{\"t\":\"no\"},\"text\":\"two\"}",
        ];
        assert_eq!(documents(&job), expected);
    }

    #[test]
    fn folders_give_fields() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("lang=en/n=1/a.jsonl");
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(&path, "{\"id\":\"a\",\"text\":\"one\"}\n{\"id\":\"b\",\"n\":2,\"text\":\"two\"}\n")
            .unwrap();
        let expected = [
            "{\"id\":\"a\",\"lang\":\"en\",\"n\":1,\"text\":\"one\"}",
            "{\"id\":\"b\",\"lang\":\"en\",\"n\":2,\"text\":\"two\"}",
        ];
        assert_eq!(documents(&Job::new([path.to_string_lossy()], "")), expected);
    }

    #[test]
    fn lines_become_documents_with_the_usual_names() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.jsonl");
        std::fs::write(
            &path,
            "\u{feff}{\"id\":\"a\",\"text\":\"one\"}\n\n{\"text\":\"two\"}\nno json\n{\"id\":null,\"text\":\"four\"}",
        )
        .unwrap();
        let mut job = Job::new([path.to_string_lossy()], "");
        assert_eq!(
            documents(&job),
            [
                "{\"id\":\"a\",\"text\":\"one\"}",
                "{\"id\":3,\"text\":\"two\"}",
                "4: not valid JSON: expected ident at column 2",
                "{\"id\":5,\"text\":\"four\"}",
            ]
        );
        (job.id_field, job.text_field) = ("text".to_owned(), "id".to_owned());
        assert_eq!(documents(&job)[0], "{\"id\":\"one\",\"text\":\"a\"}");
        let mut job = Job::new([path.to_string_lossy()], "");
        job.strict = true;
        let stopped = for_each_batch(&job, &Quiet, |_| Ok(())).unwrap_err().to_string();
        assert!(stopped.contains("line 4: not valid JSON"), "{stopped}");
    }
}
