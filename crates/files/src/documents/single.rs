//! Finding one document: a file of any format, a part of one, or a record of a corpus as `FILE#ID`.

use std::path::Path;

use lookalike_core::{Error, Result};
use lookalike_engine::compare::NamedDocument;
use lookalike_extract::Reason;
use lookalike_io::format::Layout;
use lookalike_io::inputs::{Input, is_corpus_name};
use lookalike_io::read::{Chunk, ReadOptions, Reader};
use lookalike_io::record::{Fields, TextBuffer};

use crate::documents::line::FileDocument;
use crate::documents::{Gather, Sources, find};
use lookalike_engine::run::Quiet;

/// The fields that hold a record's id and text.
#[derive(Clone, Debug)]
pub struct Reference {
    /// The field of the id.
    pub id_field: String,
    /// The field of the text.
    pub text_field: String,
    /// Further fields to read.
    pub fields: Vec<String>,
}

const MAX_LINE: u64 = 1 << 30;

/// The document that an argument names.
pub fn read_document(argument: &str, fields: &Reference, gather: &Gather<'_>) -> Result<NamedDocument> {
    let path = Path::new(argument);
    // A file with exactly this name takes precedence over a document in another file.
    if path.exists() {
        if is_corpus(path) {
            return Err(Error::config(format!(
                "{argument} is a corpus; name one of its documents as {argument}#ID"
            )));
        }
        return read_file(argument, None, fields, gather);
    }
    // Names and ids may contain the separator, too.
    let mut splits = argument.match_indices('#').map(|(at, _)| (&argument[..at], &argument[at + 1..]));
    match splits.find(|(file, _)| Path::new(file).is_file()) {
        Some((file, id)) if is_corpus(Path::new(file)) => read_record(file, id, fields),
        Some((file, part)) => read_file(file, Some(part), fields, gather),
        None => Err(Error::io(path)(std::io::ErrorKind::NotFound.into())),
    }
}

/// The only document of a file, or one of several by its part.
fn read_file(
    name: &str,
    part: Option<&str>,
    fields: &Reference,
    gather: &Gather<'_>,
) -> Result<NamedDocument> {
    if Path::new(name).is_dir() {
        return Err(Error::config(format!("{name} is a folder, a document is needed")));
    }
    let sources = Sources { paths: vec![name.into()], ..Sources::default() };
    let (found, places) = find::find(&sources)?;
    let gathered = gather.run(found, places, &Quiet)?;
    let (mut texts, mut parts) = (Vec::new(), Vec::new());
    gathered.for_each(|_, file, document| {
        if part.is_none_or(|part| document.part.as_deref() == Some(part)) {
            let read = FileDocument { file, document: &document, marked: false, is_compared: true };
            let record = read.record(&fields.fields);
            // A weak text is shown, too.
            let text = document.text.clone();
            let named = NamedDocument::new(record.document, &fields.fields);
            texts.push(NamedDocument { text, weak: document.weakness(), ..named });
        }
        parts.extend(document.into_owned().part);
        Ok(())
    })?;
    match (texts.len(), part) {
        (1, _) => Ok(texts.swap_remove(0)),
        (0, None) => {
            match gathered.unreadable().into_iter().next() {
                // An empty document can be compared, too.
                None | Some((_, Reason::Empty)) => Ok(NamedDocument::default()),
                Some((_, reason)) => Err(Error::Input(format!("{name}: {reason}"))),
            }
        }
        (0, Some(part)) => Err(Error::config(format!("{name} has no document `{part}`"))),
        (count, None) => Err(Error::config(format!(
            "{name} holds {count} documents; name one of them as {name}#{}",
            parts.first().map_or("PART", String::as_str)
        ))),
        (count, Some(part)) => Err(Error::config(format!("{name} has {count} documents `{part}`"))),
    }
}

/// A file whose content could be a document or a corpus counts as a document here.
fn is_corpus(path: &Path) -> bool {
    is_corpus_name(path) && path.extension().is_none_or(|ending| ending != "json")
}

/// The record with this id or, if records have none, the line with this number.
fn read_record(file: &str, id: &str, fields: &Reference) -> Result<NamedDocument> {
    let input = Input::open(Path::new(file), file)?;
    let options = ReadOptions {
        max_line: MAX_LINE,
        columns: [vec![fields.id_field.clone(), fields.text_field.clone()], fields.fields.clone()].concat(),
        text: fields.text_field.clone(),
        cursors: 1,
    };
    let fields = Fields {
        id: fields.id_field.clone(),
        text: fields.text_field.clone(),
        wanted: fields.fields.clone(),
    };
    let in_order = input.format.layout != Layout::Parquet;
    let reader = Reader::open(std::slice::from_ref(&input), options)?;
    let (mut chunk, mut text) = (Chunk::default(), TextBuffer::default());
    let mut before = 0u64;
    while reader.next(&mut chunk, &|_, _| false)? {
        for line in chunk.lines() {
            let number = before + u64::from(line.number) + 1;
            let record = line.content.and_then(|line| fields.parse_in(&chunk.folders, line, &mut text));
            let Ok(record) = record else { continue };
            let wanted = match &record.id {
                Some(found) => found.display() == id || found.json() == id,
                None => in_order && number.to_string() == id,
            };
            if wanted {
                return Ok(NamedDocument::new(record.document, &fields.wanted));
            }
        }
        before += u64::from(chunk.line_count());
    }
    Err(Error::config(format!("{file} has no document `{id}`")))
}

#[cfg(test)]
mod tests {
    use lookalike_core::document::Value;
    use lookalike_extract::worker::Program;

    use super::*;
    use lookalike_engine::extraction::Extraction;

    fn fields() -> Reference {
        Reference {
            id_field: "id".to_owned(),
            text_field: "text".to_owned(),
            fields: vec!["links".to_owned()],
        }
    }

    #[test]
    fn records_are_found_in_corpora() {
        let dir = tempfile::tempdir().unwrap();
        let path = |name: &str| dir.path().join(name).to_string_lossy().into_owned();
        std::fs::write(
            path("c.jsonl"),
            "{\"id\":\"x\",\"text\":\"one\",\"links\":\"/a\"}\nbroken\n{\"text\":\"third line\"}\n{\"id\":7,\"text\":\"two\"}\n",
        )
        .unwrap();
        let program = Program { path: "none".into(), arguments: Vec::new() };
        let extraction = Extraction::default();
        let gather =
            Gather { extraction: &extraction, program: &program, threads: 1, memory: 0, cache: None };
        let read =
            |argument: String| -> Result<String> { Ok(read_document(&argument, &fields(), &gather)?.text) };
        assert_eq!(read(path("c.jsonl#x")).unwrap(), "one");
        let linked = read_document(&path("c.jsonl#x"), &fields(), &gather).unwrap();
        assert_eq!(linked.fields, [("links".to_owned(), Value::Text("/a".into()))]);
        assert_eq!(read(path("c.jsonl#7")).unwrap(), "two");
        assert_eq!(read(path("c.jsonl#3")).unwrap(), "third line");
        for (argument, expected) in [
            (path("c.jsonl#y"), "has no document `y`"),
            (path("c.jsonl"), "#ID"),
            (path("none.txt"), "none.txt"),
            (path(""), "is a folder"),
        ] {
            let error = read(argument).unwrap_err().to_string();
            assert!(error.contains(expected), "{error}");
        }
    }
}
