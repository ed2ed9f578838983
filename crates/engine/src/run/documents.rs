//! All documents of a job, one after the other, with fields of the caller's choice.

use std::borrow::Cow;
use std::path::PathBuf;

use lookalike_core::document::{Document, Id};
use lookalike_core::registry::Registry;
use lookalike_core::{Error, Result};
use lookalike_io::inputs;
use lookalike_io::record::{Fields, value_at};
use lookalike_io::write::AtomicFile;
use tempfile::TempDir;

use super::catalog::Catalog;
use super::reread::Reread;
use super::work::Work;
use super::{Job, Quiet, run_claimed};
use crate::recipe::Recipe;

/// Calls `visit` with number, id and document of each, numbered as every run over them does.
pub fn for_each_document(
    job: &Job,
    fields: &[String],
    mut visit: impl FnMut(u32, Id, &Document<'_>) -> Result<()>,
) -> Result<()> {
    with_documents(job, fields, |documents| {
        let mut reader = documents.reader();
        for document in 0..documents.catalog.len() {
            visit(document, documents.catalog.id(document)?, &reader.read(document)?)?;
        }
        Ok(())
    })
}

/// The documents of a job, to be read by their numbers in any order and by many threads.
pub struct Documents<'a> {
    catalog: &'a Catalog,
    fields: &'a Fields,
}

impl Documents<'_> {
    pub fn reader(&self) -> Reread<'_> {
        Reread::new(self.catalog, self.fields)
    }

    /// How long a document's line is.
    pub fn bytes(&self, document: u32) -> Result<u64> {
        Ok(u64::from(self.catalog.span(document)?.length))
    }
}

/// Calls `visit` with all documents and the fields that are wanted of them.
pub fn with_documents<T>(
    job: &Job,
    fields: &[String],
    visit: impl FnOnce(&Documents<'_>) -> Result<T>,
) -> Result<T> {
    let fields = Fields { id: job.id_field.clone(), text: job.text_field.clone(), wanted: fields.to_vec() };
    with_catalog(job, |catalog| visit(&Documents { catalog, fields: &fields }))
}

/// Numbers all documents of a job, as every run does.
fn with_catalog<T>(job: &Job, visit: impl FnOnce(&Catalog) -> Result<T>) -> Result<T> {
    let registry = Registry::with_built_ins();
    let pipeline = Recipe::for_method("exact", &registry)?.build(&registry)?;
    let folder = TempDir::with_prefix("lookalike-").map_err(Error::io(std::env::temp_dir()))?;
    let job = Job { output: folder.path().join("run"), decisions: None, all_columns: true, ..job.clone() };
    let found = inputs::find(&job.inputs, None)?;
    let work = Work::claim(&job)?;
    run_claimed(&pipeline, &job, &Quiet, Vec::new(), found, &work, |done| visit(done.output.catalog))
}

/// Writes each document's line to the file that `choose` names by its place in `files`, or to none.
/// Documents without an id get the one they have in this job, so that labels still mean them.
pub fn part_documents(
    job: &Job,
    files: &[PathBuf],
    mut choose: impl FnMut(u32) -> Option<usize>,
) -> Result<()> {
    let mut outputs = files.iter().map(|path| AtomicFile::create(path)).collect::<Result<Vec<_>>>()?;
    with_catalog(job, |catalog| {
        let mut line = Vec::new();
        for document in 0..catalog.len() {
            let Some(output) = choose(document).and_then(|place| outputs.get_mut(place)) else { continue };
            catalog.read_line(document, &mut line)?;
            let id = catalog.id(document)?;
            output.write(&with_id(&line, &job.id_field, &id)?)?;
            output.write(b"\n")?;
        }
        Ok(())
    })?;
    outputs.into_iter().try_for_each(AtomicFile::finish)
}

/// The line itself if it has an id, else with the id put in front.
fn with_id<'l>(line: &'l [u8], field: &str, id: &Id) -> Result<Cow<'l, [u8]>> {
    let line = line.strip_prefix(b"\xef\xbb\xbf").unwrap_or(line);
    let broken = || Error::Internal("a document's line is no JSON object".to_owned());
    let text = std::str::from_utf8(line).map_err(|_| broken())?;
    if value_at(text, field).is_some() {
        return Ok(Cow::Borrowed(line));
    }
    let start = line.iter().position(|&byte| byte == b'{').ok_or_else(broken)?;
    let is_empty = line[start + 1..].trim_ascii_start().starts_with(b"}");
    let comma = if is_empty { "" } else { "," };
    let mut changed = format!("{{{}:{}{comma}", serde_json::Value::from(field), id.json()).into_bytes();
    changed.extend_from_slice(&line[start + 1..]);
    Ok(Cow::Owned(changed))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_missing_id_is_put_in_front() {
        let id = Id::from_number(7);
        let of = |line: &str| {
            String::from_utf8(with_id(line.as_bytes(), "id", &id).unwrap().into_owned()).unwrap()
        };
        assert_eq!(of("{\"text\":\"x\"}"), "{\"id\":7,\"text\":\"x\"}");
        assert_eq!(of(" {}"), "{\"id\":7}");
        assert_eq!(of("{\"id\":\"a\",\"text\":\"x\"}"), "{\"id\":\"a\",\"text\":\"x\"}");
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
        let job = Job::new([path("in.jsonl").to_string_lossy()], "none");
        let files = [path("a.jsonl"), path("b.jsonl")];
        part_documents(&job, &files, |document| [Some(0), None, Some(1)][document as usize]).unwrap();
        assert_eq!(std::fs::read_to_string(&files[0]).unwrap(), "{\"id\":1,\"text\":\"one\"}\n");
        assert_eq!(std::fs::read_to_string(&files[1]).unwrap(), "{\"id\":\"c\",\"text\":\"three\"}\n");
    }
}
