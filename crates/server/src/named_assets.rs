//! Recipes of requests, which name lexicons and models instead of their paths; see [`NamedAssets`].
//!

use std::path::{Path, PathBuf};

use crate::jobs::NamedAssets;
use lookalike::{Error, Recipe, Registry, Result};

/// The lexicon files, by name.
pub fn lexicons(data: &Path) -> Result<Vec<(String, PathBuf)>> {
    NamedAssets::new(data).lexicons()
}

/// The recipe of a request, with names replaced by files of the data folder. Without a `method` it lists changes to
/// the stored recipe.
pub fn recipe(text: &str, stored: &Recipe, data: &Path, registry: &Registry) -> Result<Recipe> {
    built(text, stored, data, registry).map_err(|error| shown(error, data))
}

/// An error without paths, for callers who know files by name.
pub fn shown(error: Error, data: &Path) -> Error {
    let named = |message: String| message.replace(&format!("{}/", data.display()), "");
    match error {
        Error::Config(message) => Error::Config(named(message)),
        Error::Incompatible(message) => Error::Incompatible(named(message)),
        other => other,
    }
}

fn built(text: &str, stored: &Recipe, data: &Path, registry: &Registry) -> Result<Recipe> {
    let text = NamedAssets::new(data).named(text)?;
    let recipe = stored.changed(&text, registry)?;
    // An error in the recipe is reported now, not after hours of work.
    recipe.build(registry)?;
    Ok(recipe)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_recipe_names_only_files_of_the_data_folder() {
        let registry = Registry::with_built_ins();
        let dir = tempfile::tempdir().unwrap();
        let outside = dir.path().join("outside.lexicon");
        let data = dir.path().join("data");
        std::fs::create_dir_all(data.join("lexicons")).unwrap();
        for path in [&outside, &data.join("lexicons/ours.lexicon")] {
            std::fs::write(path, "no lexicon").unwrap();
        }
        let stored = Recipe::standard(&registry).unwrap();
        let told = |recipe: &str| super::recipe(recipe, &stored, &data, &registry).unwrap_err().to_string();
        let english = "method = 'imatch'\n[sign]\nlexicon = 'english'";
        assert!(recipe(english, &stored, &data, &registry).is_ok());
        for name in [outside.to_str().unwrap(), "../outside", "../outside.lexicon", "/etc/passwd", "native"] {
            let told = told(&format!("method = 'imatch'\n[sign]\nlexicon = '{name}'"));
            assert!(told.contains("known:") && told.contains("ours"), "{told}");
        }
        let found = told("method = 'imatch'\n[sign]\nlexicon = 'ours'");
        assert!(found.contains("no lexicon"), "the file was opened: {found}");
        assert!(!found.contains(dir.path().to_str().unwrap()), "and its folder is not told: {found}");
        let nested = "method = 'ensemble'\n[candidates]\nmethods = ['imatch']\n[candidates.imatch.sign]\nlexicon = '/etc/passwd'";
        assert!(told(nested).contains("known:"));
        assert!(told("[decide]\ntype = 'classifier'\nmodel = '/etc/passwd'").contains("unknown model"));
        assert!(told("[decide]\nmodel = 1").contains("must be a name"));
    }
}
