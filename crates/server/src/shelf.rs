//! Lexicons and models that callers may name: the one compiled in, and the files that an operator
//! put into the data folder (`lexicons/NAME.lexicon`, `models/NAME.json`).
//!
//! A recipe names such files by path, which is right on a command line and wrong in a request: here
//! a name is only ever looked up among the files that are there.

use std::path::{Path, PathBuf};

use lookalike::core::registry::unknown;
use lookalike::{Error, Recipe, Registry, Result};
use toml::{Table, Value};

/// A kind of file that recipes name.
#[derive(Clone, Copy)]
struct Kind {
    key: &'static str,
    folder: &'static str,
    ending: &'static str,
    built_in: &'static [&'static str],
}

const LEXICONS: Kind = Kind { key: "lexicon", folder: "lexicons", ending: "lexicon", built_in: &["english"] };
const MODELS: Kind = Kind { key: "model", folder: "models", ending: "json", built_in: &[] };

/// The lexicon files, by name.
pub fn lexicons(data: &Path) -> Result<Vec<(String, PathBuf)>> {
    files(data, LEXICONS)
}

/// A recipe as a request gives it, with the files of the data folder in the place of their names. Without a `method` it
/// names what is to be changed of the recipe that is there.
pub fn recipe(text: &str, stored: &Recipe, data: &Path, registry: &Registry) -> Result<Recipe> {
    built(text, stored, data, registry).map_err(|error| shown(error, data))
}

/// Why a file cannot be used, for one who knows it by its name.
pub fn shown(error: Error, data: &Path) -> Error {
    let named = |message: String| message.replace(&format!("{}/", data.display()), "");
    match error {
        Error::Config(message) => Error::Config(named(message)),
        Error::Incompatible(message) => Error::Incompatible(named(message)),
        other => other,
    }
}

fn built(text: &str, stored: &Recipe, data: &Path, registry: &Registry) -> Result<Recipe> {
    let mut table: Table = text
        .parse()
        .map_err(|error: toml::de::Error| Error::config(format!("the recipe: {}", error.message())))?;
    for value in table.iter_mut().map(|(_, value)| value) {
        replace(value, data)?;
    }
    let recipe = stored.changed(&table.to_string(), registry)?;
    // Whatever is wrong with it is better said now than after hours.
    recipe.build(registry)?;
    Ok(recipe)
}

fn replace(value: &mut Value, data: &Path) -> Result<()> {
    match value {
        Value::Table(table) => {
            for (key, value) in table.iter_mut() {
                match [LEXICONS, MODELS].into_iter().find(|kind| kind.key == key) {
                    Some(kind) => *value = Value::String(path_of(value, kind, data)?),
                    None => replace(value, data)?,
                }
            }
            Ok(())
        }
        Value::Array(values) => values.iter_mut().try_for_each(|value| replace(value, data)),
        _ => Ok(()),
    }
}

fn path_of(value: &Value, kind: Kind, data: &Path) -> Result<String> {
    let Value::String(name) = value else {
        return Err(Error::config(format!("`{}` must be a name", kind.key)));
    };
    if kind.built_in.contains(&name.as_str()) {
        return Ok(name.clone());
    }
    let known = files(data, kind)?;
    match known.iter().find(|(known, _)| known == name) {
        Some((_, path)) => Ok(path.to_string_lossy().into_owned()),
        None => {
            let built_in = kind.built_in.iter().map(|&name| name.to_owned());
            Err(unknown(kind.key, name, built_in.chain(known.into_iter().map(|(name, _)| name))))
        }
    }
}

fn files(data: &Path, kind: Kind) -> Result<Vec<(String, PathBuf)>> {
    let folder = data.join(kind.folder);
    let entries = match std::fs::read_dir(&folder) {
        Ok(entries) => entries,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(Vec::new()),
        Err(error) => return Err(Error::io(&folder)(error)),
    };
    let mut found = Vec::new();
    for entry in entries {
        let path = entry.map_err(Error::io(&folder))?.path();
        let name = path.file_stem().and_then(|name| name.to_str()).map(str::to_owned);
        let fits = path.extension().is_some_and(|ending| ending == kind.ending) && path.is_file();
        if let Some(name) = name.filter(|_| fits) {
            found.push((name, path));
        }
    }
    found.sort();
    Ok(found)
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
