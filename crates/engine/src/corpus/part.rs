//! Writes some of a corpus's documents to files of their own.

use std::borrow::Cow;
use std::path::PathBuf;

use lookalike_core::document::Id;
use lookalike_core::{Error, Result};
use lookalike_io::folders::FolderFields;
use lookalike_io::record::value_at;
use lookalike_plumbing::files::AtomicFile;

use super::{Corpus, CorpusNumber};

impl Corpus {
    /// Writes each document's line to the file whose index in `files` `choose` returns, or to none.
    /// Documents without an id get the one they have in this corpus, so that labels still refer to
    /// them, and all get the fields that their folders name.
    pub fn part(
        &self,
        files: &[PathBuf],
        mut choose: impl FnMut(CorpusNumber) -> Option<usize>,
    ) -> Result<()> {
        let mut outputs = files.iter().map(|path| AtomicFile::create(path)).collect::<Result<Vec<_>>>()?;
        let mut line = Vec::new();
        for document in self.catalog.documents() {
            let Some(output) = choose(document).and_then(|place| outputs.get_mut(place)) else { continue };
            let span = self.catalog.span(document)?;
            self.source.read_line(&span, &mut line)?;
            let folders = &self.source.inputs()[span.input].folders;
            output.write(&with_id(&line, &self.id_field, &self.id(document)?, folders)?)?;
            output.write(b"\n")?;
        }
        outputs.into_iter().try_for_each(AtomicFile::finish)
    }
}

/// The line itself if it has an id, otherwise with the id put in front, and the fields of its folders: of two values of
/// one field the last counts, so its own one.
fn with_id<'l>(line: &'l [u8], field: &str, id: &Id, folders: &FolderFields) -> Result<Cow<'l, [u8]>> {
    let line = line.strip_prefix(b"\xef\xbb\xbf").unwrap_or(line);
    let broken = || Error::Internal("a document's line is no JSON object".to_owned());
    let text = std::str::from_utf8(line).map_err(|_| broken())?;
    let own_id = value_at(text, field).is_none().then(|| (field, id.json()));
    let added: Vec<(&str, &str)> = folders.iter().chain(own_id).collect();
    if added.is_empty() {
        return Ok(Cow::Borrowed(line));
    }
    let start = line.iter().position(|&byte| byte == b'{').ok_or_else(broken)?;
    let is_empty = line[start + 1..].trim_ascii_start().starts_with(b"}");
    let added = added.iter().map(|(name, value)| format!("{}:{value}", serde_json::Value::from(*name)));
    let added = added.collect::<Vec<_>>().join(",");
    let comma = if is_empty { "" } else { "," };
    let mut changed = format!("{{{added}{comma}").into_bytes();
    changed.extend_from_slice(&line[start + 1..]);
    Ok(Cow::Owned(changed))
}

#[cfg(test)]
mod tests {
    use lookalike_io::inputs;

    use super::*;
    use crate::corpus::Reading;

    #[test]
    fn a_missing_id_is_put_in_front() {
        let id = Id::from_number(7);
        let of = |line: &str| {
            let folders = FolderFields::default();
            String::from_utf8(with_id(line.as_bytes(), "id", &id, &folders).unwrap().into_owned()).unwrap()
        };
        assert_eq!(of("{\"text\":\"x\"}"), "{\"id\":7,\"text\":\"x\"}");
        assert_eq!(of(" {}"), "{\"id\":7}");
        assert_eq!(of("{\"id\":\"a\",\"text\":\"x\"}"), "{\"id\":\"a\",\"text\":\"x\"}");
        let folders = FolderFields::of(std::path::Path::new("lang=en/n=1/a.jsonl"));
        let line = with_id(b"{\"id\":\"a\",\"n\":2}", "id", &id, &folders).unwrap();
        assert_eq!(&line[..], b"{\"lang\":\"en\",\"n\":1,\"id\":\"a\",\"n\":2}");
    }

    #[test]
    fn documents_are_parted_with_the_ids_they_had() {
        let folder = tempfile::tempdir().unwrap();
        let path = |name: &str| folder.path().join(name);
        std::fs::write(
            path("in.jsonl"),
            "{\"text\":\"one\"}\nbroken\n{\"text\":\"two\"}\n{\"id\":\"c\",\"text\":\"three\"}\n",
        )
        .unwrap();
        let inputs = inputs::find(&[path("in.jsonl").to_string_lossy().into_owned()], None).unwrap();
        let reading = Reading {
            id_field: "id".to_owned(),
            text_field: "text".to_owned(),
            threads: 2,
            max_line: 1000,
            strict: false,
            cache: 0,
        };
        let files = [path("a.jsonl"), path("b.jsonl")];
        let corpus = Corpus::open(&inputs, &reading).unwrap();
        corpus.part(&files, |document| [Some(0), None, Some(1)][document.index()]).unwrap();
        assert_eq!(std::fs::read_to_string(&files[0]).unwrap(), "{\"id\":1,\"text\":\"one\"}\n");
        assert_eq!(std::fs::read_to_string(&files[1]).unwrap(), "{\"id\":\"c\",\"text\":\"three\"}\n");
    }

    #[test]
    fn a_strict_reader_names_the_first_bad_line() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("in.jsonl");
        std::fs::write(&path, "{\"text\":\"one\"}\n\nbroken\n{\"text\":2}\n").unwrap();
        let inputs = inputs::find(&[path.to_string_lossy().into_owned()], None).unwrap();
        let reading = Reading {
            id_field: "id".to_owned(),
            text_field: "text".to_owned(),
            threads: 1,
            max_line: 1000,
            strict: true,
            cache: 1000,
        };
        let told = Corpus::open(&inputs, &reading).err().unwrap().to_string();
        assert!(told.contains("line 3: not valid JSON") && told.contains("--strict"), "{told}");
        assert_eq!(Corpus::open(&inputs, &Reading { strict: false, ..reading }).unwrap().len(), 1);
    }
}
