//! The recipe that a report has beside the one with everything spelled out: written, and read back.
//!
//! What is spelled out tells people what was computed, and is no recipe: it names the text rules, lexicons and models by
//! what is in them, and an ensemble by what its members do. So a report also has the recipe as it was given.

use std::path::Path;

use lookalike_core::Result;
use lookalike_core::registry::Registry;
use toml::{Table, Value};

use super::Recipe;

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

    /// The recipe that such a table is of; `native` is the file of the lexicon that the run counted.
    pub(crate) fn from_given(given: &Table, native: &Path, registry: &Registry) -> Result<Recipe> {
        let mut given = given.clone();
        rename(&mut given, &|name| (name == NATIVE).then(|| native.to_string_lossy().into_owned()));
        Recipe::from_toml(&given.to_string(), registry)
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
