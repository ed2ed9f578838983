//! A report has two recipes: one with everything spelled out, and the one that was given. This
//! writes and reads the second.
//!
//! The spelled-out form tells people what was computed, but it is not a recipe: it names text rules, lexicons,
//! models and partitions by their content, and an ensemble by what its members do. So a report also has the recipe as it was given.

use std::path::Path;

use lookalike_core::Result;
use lookalike_core::candidates::WithinClusters;
use lookalike_core::partition::Frozen;
use lookalike_core::registry::{Registry, Spec};
use toml::{Table, Value};

use super::Recipe;
use crate::lexicon::NATIVE;

/// Lexicons that are no files.
const BUILT_IN: [&str; 2] = ["english", NATIVE];

impl Recipe {
    /// The recipe for a report, with absolute paths so that files are found from any folder.
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

    /// The recipe as a text that means the same wherever it is read: files have absolute paths.
    pub fn to_stored(&self) -> String {
        self.given().to_string()
    }

    /// The recipe with a file in place of the lexicon that a run counted.
    pub fn with_native_lexicon(mut self, file: &Path) -> Recipe {
        rename(&mut self.sections, &|name| (name == NATIVE).then(|| file.to_string_lossy().into_owned()));
        self
    }

    /// The recipe with the clusters of a file in place of those that a run finds.
    pub fn with_partition(mut self, file: &Path) -> Recipe {
        if let Some(Value::Table(candidates)) = self.sections.get_mut("candidates")
            && candidates.get("type").and_then(Value::as_str) == Some(WithinClusters::INFO.name)
        {
            let frozen = Spec::new(Frozen::INFO.name).with("partition", &*file.to_string_lossy());
            candidates.insert("clustering".to_owned(), frozen.to_table().into());
        }
        self
    }

    /// The recipe in such a table; `native` is the file of the lexicon that the run counted.
    pub(crate) fn from_given(given: &Table, native: &Path, registry: &Registry) -> Result<Recipe> {
        let mut given = given.clone();
        rename(&mut given, &|name| (name == NATIVE).then(|| native.to_string_lossy().into_owned()));
        Recipe::from_toml(&given.to_string(), registry)
    }
}

/// The keys that name a lexicon, a model or a frozen partition.
const ASSETS: [&str; 3] = ["lexicon", "model", "partition"];

/// Renames lexicons, models and partitions wherever a recipe or a member of its ensemble names one.
fn rename(table: &mut Table, other: &dyn Fn(&str) -> Option<String>) {
    // If no lexicon is named, document frequencies come from the run's own corpus.
    if table.contains_key("max_df") && !table.contains_key("lexicon") {
        table.insert("lexicon".to_owned(), NATIVE.into());
    }
    for (key, value) in table.iter_mut() {
        match value {
            Value::Table(inner) => rename(inner, other),
            Value::String(name) if ASSETS.contains(&key.as_str()) => {
                if let Some(other) = other(name) {
                    *name = other;
                }
            }
            _ => {}
        }
    }
}
