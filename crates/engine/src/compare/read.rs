//! Finding one document: a text file, or a record of a corpus as `FILE#ID`.

use std::path::Path;

use lookalike_core::{Error, Result};
use lookalike_io::inputs::{Format, Input};
use lookalike_io::read::{Chunk, ReadOptions, Reader};
use lookalike_io::record::{Fields, TextBuffer};

/// The fields that hold a record's id and text.
#[derive(Clone, Debug)]
pub struct Reference {
    pub id_field: String,
    pub text_field: String,
}

const MAX_LINE: u64 = 1 << 30;

/// The text that an argument names.
pub fn read_document(argument: &str, fields: &Reference) -> Result<String> {
    // A file that is called so is meant before a record of another.
    if !Path::new(argument).exists()
        && let Some((file, id)) = argument.rsplit_once('#')
        && Path::new(file).is_file()
    {
        return read_record(file, id, fields);
    }
    let path = Path::new(argument);
    if is_corpus(path) {
        return Err(Error::config(format!(
            "{argument} is a corpus; name one of its documents as {argument}#ID"
        )));
    }
    let bytes = std::fs::read(path).map_err(Error::io(path))?;
    String::from_utf8(bytes).map_err(|error| {
        let at = error.utf8_error().valid_up_to() + 1;
        Error::Input(format!("{argument} is not a text file: not valid UTF-8 at byte {at}"))
    })
}

fn is_corpus(path: &Path) -> bool {
    let name = path.file_name().unwrap_or_default().to_string_lossy().to_lowercase();
    [".jsonl", ".jsonl.gz", ".jsonl.zst", ".parquet"].iter().any(|ending| name.ends_with(ending))
}

/// The record with this id, or, where records have none, the line of this number.
fn read_record(file: &str, id: &str, fields: &Reference) -> Result<String> {
    let input = Input::open(Path::new(file), file)?;
    let folder = tempfile::tempdir().map_err(Error::io(Path::new("temporary folder")))?;
    let options = ReadOptions {
        max_line: MAX_LINE,
        spool_folder: folder.path().to_owned(),
        columns: vec![fields.id_field.clone(), fields.text_field.clone()],
        lanes: 1,
    };
    let fields = Fields { id: fields.id_field.clone(), text: fields.text_field.clone(), wanted: Vec::new() };
    let in_order = input.format != Format::Parquet;
    let reader = Reader::open(std::slice::from_ref(&input), options)?;
    let (mut chunk, mut text) = (Chunk::default(), TextBuffer::default());
    let mut line_number = 0u64;
    while reader.next(&mut chunk, &|_, _| false)? {
        for line in chunk.bytes().split(|&byte| byte == b'\n') {
            line_number += 1;
            let Ok(line) = std::str::from_utf8(line) else { continue };
            let Ok(record) = fields.parse(line.trim_start_matches('\u{feff}'), &mut text) else { continue };
            let wanted = match &record.id {
                Some(found) => found.display() == id || found.json() == id,
                None => in_order && line_number.to_string() == id,
            };
            if wanted {
                return Ok(record.document.text.into_owned());
            }
        }
        // The end of the last line begins no other.
        line_number -= u64::from(chunk.bytes().ends_with(b"\n"));
    }
    Err(Error::config(format!("{file} has no document `{id}`")))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fields() -> Reference {
        Reference { id_field: "id".to_owned(), text_field: "text".to_owned() }
    }

    #[test]
    fn documents_are_files_or_records() {
        let dir = tempfile::tempdir().unwrap();
        let path = |name: &str| dir.path().join(name).to_string_lossy().into_owned();
        std::fs::write(path("a.txt"), "plain text").unwrap();
        std::fs::write(path("bad.txt"), b"\xff").unwrap();
        std::fs::write(
            path("c.jsonl"),
            "{\"id\":\"x\",\"text\":\"one\"}\nbroken\n{\"text\":\"third line\"}\n{\"id\":7,\"text\":\"two\"}\n",
        )
        .unwrap();
        let read = |argument: String| read_document(&argument, &fields());
        assert_eq!(read(path("a.txt")).unwrap(), "plain text");
        assert_eq!(read(path("c.jsonl#x")).unwrap(), "one");
        assert_eq!(read(path("c.jsonl#7")).unwrap(), "two");
        assert_eq!(read(path("c.jsonl#3")).unwrap(), "third line");
        for (argument, expected) in [
            (path("c.jsonl#y"), "has no document `y`"),
            (path("c.jsonl"), "#ID"),
            (path("bad.txt"), "not valid UTF-8 at byte 1"),
            (path("none.txt"), "none.txt"),
        ] {
            let error = read(argument).unwrap_err().to_string();
            assert!(error.contains(expected), "{error}");
        }
    }
}
