//! The recipe of a finished run, for computing more in the same way.

use std::path::Path;

use lookalike_core::registry::Registry;
use lookalike_core::{Error, Result};

use super::report::Report;
use crate::lexicon::NATIVE_FILE;
use crate::partition_file::PARTITION_FILE;
use crate::recipe::Recipe;

impl Recipe {
    /// The recipe of a run whose results are in `folder`. It is refused unless it signs documents as the
    /// run did.
    pub fn of_report(report: &Report, folder: &Path, registry: &Registry) -> Result<Recipe> {
        if report.given.is_empty() {
            return Err(Error::Incompatible(
                "the report does not tell the recipe as it was given: run `lookalike dedup` again".to_owned(),
            ));
        }
        let native = std::path::absolute(folder.join(NATIVE_FILE)).map_err(Error::io(folder))?;
        let recipe = Recipe::from_given(&report.given, &native, registry)?;
        let mut pipeline = recipe.build(registry)?;
        if report.recipe.contains_key("extract") {
            pipeline = pipeline.reading_files(&recipe.extraction()?);
        }
        if pipeline.scheme.id != report.scheme {
            return Err(Error::Incompatible(format!(
                "the run was made by scheme {}, and its recipe is scheme {} by now: run `lookalike dedup` again",
                report.scheme, pipeline.scheme.id
            )));
        }
        Ok(recipe)
    }

    /// The recipe for documents that come after a run whose results are in `folder`: they are looked for in the
    /// clusters that it left there, if it made any.
    pub fn after_run(self, folder: &Path) -> Result<Recipe> {
        let partition = std::path::absolute(folder.join(PARTITION_FILE)).map_err(Error::io(folder))?;
        Ok(if partition.exists() { self.with_partition(&partition) } else { self })
    }
}
