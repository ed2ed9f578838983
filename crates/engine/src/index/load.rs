//! Corpora into an index, or past it: every line of a job's inputs as an index reads it.

use lookalike_core::{Error, Result};
use lookalike_io::inputs::{self, Input};
use lookalike_io::read::{Chunk, ReadOptions, Reader, spool_stdin};
use lookalike_io::record::{Fields, TextBuffer};
use serde_json::{Map, Value};

use crate::run::{Job, Progress, known_files};

/// Documents that are handed over at once.
const BATCH: usize = 1000;

/// A document of a corpus, or why a line is none.
pub struct Line {
    /// The input's name and the number of the line in it, from 1.
    pub file: String,
    pub number: u64,
    pub document: Result<Vec<u8>, String>,
}

/// Calls `visit` with the lines of all inputs in order, some at a time. A folder with the output of a batch run
/// stands for the documents that it kept. Documents without an id get one from their place.
pub fn for_each_batch(
    job: &Job,
    progress: &dyn Progress,
    mut visit: impl FnMut(&[Line]) -> Result<()>,
) -> Result<()> {
    let folder = tempfile::tempdir().map_err(Error::io(std::env::temp_dir()))?;
    let files: Vec<String> = job.inputs.iter().filter(|input| *input != "-").cloned().collect();
    let mut found = inputs::find(&known_files(&files)?, None)?;
    if files.len() < job.inputs.len() {
        let path = spool_stdin(std::io::stdin(), folder.path())?;
        found.push(Input::open(&path, "<stdin>")?);
    }
    if found.is_empty() {
        return Err(Error::config("no input files"));
    }
    progress.stage("reading", found.iter().map(|input| input.bytes).sum());
    let several = found.len() > 1;
    let mut batch = Vec::with_capacity(BATCH);
    for input in &found {
        let options = ReadOptions {
            max_line: job.max_line,
            spool_folder: folder.path().to_owned(),
            columns: Vec::new(),
            lanes: 1,
        };
        let reader = Reader::open_once(std::slice::from_ref(input), options)?;
        let mut chunk = Chunk::default();
        let mut number = 0;
        while reader.next(&mut chunk, &|_, _| false)? {
            let mut push = |number: u64, document: Result<Vec<u8>, String>| -> Result<()> {
                if let (Err(reason), true) = (&document, job.strict) {
                    return Err(Error::Input(format!("{}: line {number}: {reason}", input.name)));
                }
                batch.push(Line { file: input.name.clone(), number, document });
                if batch.len() == BATCH {
                    visit(&batch)?;
                    batch.clear();
                }
                Ok(())
            };
            let bytes = chunk.bytes();
            let whole = bytes.strip_suffix(b"\n").unwrap_or(bytes);
            for line in whole.split(|&byte| byte == b'\n') {
                number += 1;
                let line =
                    if number == 1 { line.strip_prefix(b"\xef\xbb\xbf").unwrap_or(line) } else { line };
                if !line.trim_ascii().is_empty() {
                    let place = if several { format!("{}:{number}", input.name) } else { number.to_string() };
                    push(number, as_document(line, job, &place, several))?;
                }
            }
            if let Some(reason) = &chunk.broken {
                number += 1;
                push(number, Err(reason.clone()))?;
            }
            progress.advance(bytes.len() as u64, 0)?;
        }
    }
    visit(&batch)
}

/// The line with its id and text under the names that an index uses.
fn as_document(line: &[u8], job: &Job, place: &str, several: bool) -> Result<Vec<u8>, String> {
    let names = ["id", "text"];
    let text = std::str::from_utf8(line).map_err(|_| "not valid UTF-8".to_owned())?;
    let fields = Fields { id: job.id_field.clone(), text: job.text_field.clone(), wanted: Vec::new() };
    let has_id = fields.parse(text, &mut TextBuffer::default())?.id.is_some();
    if has_id && [&job.id_field, &job.text_field] == names {
        return Ok(line.to_vec());
    }
    let mut fields: Map<String, Value> = serde_json::from_str(text).map_err(|error| error.to_string())?;
    // Both are taken out first: one may have the other's name.
    let taken = [&job.id_field, &job.text_field].map(|theirs| fields.remove(theirs.as_str()));
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
    serde_json::to_vec(&Value::Object(fields)).map_err(|error| error.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::run::Quiet;

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
