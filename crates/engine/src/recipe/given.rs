//! The recipe that a report has beside the one with everything spelled out: written, and read back.
//!
//! What is spelled out tells people what was computed, and is no recipe: it names the text rules, lexicons and models by
//! what is in them, and an ensemble by what its members do. So a report also has the recipe as it was given.

use std::path::Path;

use lookalike_core::registry::Registry;
use lookalike_core::{Error, Result};
use toml::{Table, Value};

use super::Recipe;
use crate::lexicon::NATIVE_FILE;
use crate::run::report::Report;

const NATIVE: &str = "native";
/// Lexicons that are no files.
const BUILT_IN: [&str; 2] = ["english", NATIVE];

impl Recipe {
    /// The recipe as a report has it: files are found from any folder.
    pub(super) fn given(&self) -> Table {
        let mut given = self.sections.clone();
        given.insert("method".to_owned(), self.method.clone().into());
        rename(&mut given, &|name| {
            let is_file = !BUILT_IN.contains(&name) && Path::new(name).is_file();
            let path = is_file.then(|| std::path::absolute(name).ok()).flatten()?;
            Some(path.to_string_lossy().into_owned())
        });
        given
    }

    /// The recipe of a run whose results are in `folder`. It signs documents as the run did, or is refused.
    pub fn of_report(report: &Report, folder: &Path, registry: &Registry) -> Result<Recipe> {
        if report.given.is_empty() {
            return Err(Error::Incompatible(
                "the report does not tell the recipe as it was given: run `lookalike dedup` again".to_owned(),
            ));
        }
        let native = std::path::absolute(folder.join(NATIVE_FILE)).map_err(Error::io(folder))?;
        let mut given = report.given.clone();
        rename(&mut given, &|name| (name == NATIVE).then(|| native.to_string_lossy().into_owned()));
        let recipe = Recipe::from_toml(&given.to_string(), registry)?;
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
}

/// Gives lexicons and models other names, wherever a recipe or a member of its ensemble has one.
fn rename(table: &mut Table, other: &dyn Fn(&str) -> Option<String>) {
    // Without a name, frequent shingles are those of the corpus at hand.
    if table.contains_key("max_df") && !table.contains_key("lexicon") {
        table.insert("lexicon".to_owned(), NATIVE.into());
    }
    for (key, value) in table.iter_mut() {
        match value {
            Value::Table(inner) => rename(inner, other),
            Value::String(name) if key == "lexicon" || key == "model" => {
                if let Some(other) = other(name) {
                    *name = other;
                }
            }
            _ => {}
        }
    }
}
