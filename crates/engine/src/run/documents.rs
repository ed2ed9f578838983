//! All documents of a job, one after the other, with fields of the caller's choice.

use lookalike_core::document::{Document, Id};
use lookalike_core::registry::Registry;
use lookalike_core::{Error, Result};
use lookalike_io::inputs;
use lookalike_io::record::Fields;
use tempfile::TempDir;

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
    let registry = Registry::with_built_ins();
    let pipeline = Recipe::for_method("exact", &registry)?.build(&registry)?;
    let folder = TempDir::with_prefix("lookalike-").map_err(Error::io(std::env::temp_dir()))?;
    let job = Job { output: folder.path().join("run"), ..job.clone() };
    let found = inputs::find(&job.inputs, None)?;
    let work = Work::claim(&job)?;
    run_claimed(&pipeline, &job, &Quiet, Vec::new(), found, &work, |done| {
        let catalog = done.output.catalog;
        let fields =
            Fields { id: job.id_field.clone(), text: job.text_field.clone(), wanted: fields.to_vec() };
        let mut reread = Reread::new(catalog, &fields);
        for document in 0..catalog.len() {
            visit(document, catalog.id(document)?, &reread.read(document)?)?;
        }
        Ok(())
    })
}
