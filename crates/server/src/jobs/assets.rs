//! Lexicons, models and partitions that callers of the service may name: the built-in lexicon, and the files that an
//! operator put into the data folder (`lexicons/NAME.lexicon`, `models/NAME.json`, `partitions/NAME.partition`) or that
//! came there from a job. Jobs may also name uploads.
//!
//! A recipe names such files by path, which is right on a command line but not in a request. Here names are only
//! looked up among these files, so the answer reveals no others.

use std::path::{Path, PathBuf};

use lookalike::{Error, Result};
use lookalike_core::registry::{Registry, unknown};
use toml::{Table, Value};

use super::uploads;
use lookalike::Recipe;
use lookalike::lexicon::NATIVE;

/// The named files of a service.
#[derive(Clone, Debug)]
pub struct NamedAssets {
    data: PathBuf,
    /// The uploads, which only jobs may name.
    uploads: Option<PathBuf>,
}

/// A kind of file that recipes name.
#[derive(Clone, Copy)]
struct Kind {
    key: &'static str,
    folder: &'static str,
    ending: &'static str,
    built_in: &'static [&'static str],
}

const LEXICONS: Kind =
    Kind { key: "lexicon", folder: "lexicons", ending: "lexicon", built_in: &["english", NATIVE] };
const MODELS: Kind = Kind { key: "model", folder: "models", ending: "json", built_in: &[] };
const PARTITIONS: Kind = Kind { key: "partition", folder: "partitions", ending: "partition", built_in: &[] };

impl NamedAssets {
    /// The assets of a data folder.
    pub fn new(data: &Path) -> NamedAssets {
        NamedAssets { data: data.to_owned(), uploads: None }
    }

    /// The same, with the uploads in a folder.
    pub fn with_uploads(data: &Path, uploads: &Path) -> NamedAssets {
        NamedAssets { data: data.to_owned(), uploads: Some(uploads.to_owned()) }
    }

    /// The lexicon files, by name.
    pub fn lexicons(&self) -> Result<Vec<(String, PathBuf)>> {
        files(&self.data, LEXICONS)
    }

    /// The files of every kind.
    pub fn all(&self) -> Result<Vec<PathBuf>> {
        let kinds = [LEXICONS, MODELS, PARTITIONS].map(|kind| files(&self.data, kind));
        let kinds = kinds.into_iter().collect::<Result<Vec<_>>>()?;
        Ok(kinds.into_iter().flatten().map(|(_, path)| path).collect())
    }

    /// Where a lexicon of this name has its file.
    pub fn place_of_lexicon(&self, name: &str) -> PathBuf {
        self.place(LEXICONS, name)
    }

    /// The same for a model.
    pub fn place_of_model(&self, name: &str) -> PathBuf {
        self.place(MODELS, name)
    }

    /// The same for a partition.
    pub fn place_of_partition(&self, name: &str) -> PathBuf {
        self.place(PARTITIONS, name)
    }

    fn place(&self, kind: Kind, name: &str) -> PathBuf {
        self.data.join(kind.folder).join(format!("{name}.{}", kind.ending))
    }

    /// Parses the recipe of a request. No file is opened.
    pub fn recipe(&self, text: &str, registry: &Registry) -> Result<Recipe> {
        Recipe::from_toml(&self.named(text)?, registry)
    }

    /// The same for the recipe of an index. Without a `method` it names what is to be changed of the stored one. `check`
    /// builds it: an error in the recipe is reported now, not after hours of work.
    pub fn changed_recipe(
        &self,
        text: &str,
        stored: &Recipe,
        registry: &Registry,
        check: impl FnOnce(&Recipe) -> Result<()>,
    ) -> Result<Recipe> {
        let built = self.named(text).and_then(|text| {
            let recipe = stored.changed(&text, registry)?;
            check(&recipe)?;
            Ok(recipe)
        });
        built.map_err(|error| self.shown(error))
    }

    /// Why a file cannot be used, for one who knows it by its name.
    pub fn shown(&self, error: Error) -> Error {
        let named = |message: String| message.replace(&format!("{}/", self.data.display()), "");
        match error {
            Error::Config(message) => Error::Config(named(message)),
            Error::Incompatible(message) => Error::Incompatible(named(message)),
            other => other,
        }
    }

    /// The text of a recipe with files in the place of their names.
    fn named(&self, text: &str) -> Result<String> {
        let mut table: Table = text
            .parse()
            .map_err(|error: toml::de::Error| Error::config(format!("the recipe: {}", error.message())))?;
        for value in table.iter_mut().map(|(_, value)| value) {
            self.replace(value)?;
        }
        Ok(table.to_string())
    }

    fn replace(&self, value: &mut Value) -> Result<()> {
        match value {
            Value::Table(table) => {
                for (key, value) in table.iter_mut() {
                    match [LEXICONS, MODELS, PARTITIONS].into_iter().find(|kind| kind.key == key) {
                        Some(kind) => *value = Value::String(self.path_of(value, kind)?),
                        None => self.replace(value)?,
                    }
                }
                Ok(())
            }
            Value::Array(values) => values.iter_mut().try_for_each(|value| self.replace(value)),
            _ => Ok(()),
        }
    }

    fn path_of(&self, value: &Value, kind: Kind) -> Result<String> {
        let Value::String(name) = value else {
            return Err(Error::config(format!("`{}` must be a name", kind.key)));
        };
        if kind.built_in.iter().any(|known| known == name) {
            return Ok(name.clone());
        }
        let mut known = files(&self.data, kind)?;
        if let Some(folder) = &self.uploads {
            known.extend(uploads::list(folder)?.into_iter().map(|upload| {
                let path = folder.join(&upload.name);
                (upload.name, path)
            }));
        }
        match known.iter().find(|(known, _)| known == name) {
            Some((_, path)) => Ok(path.to_string_lossy().into_owned()),
            None => {
                let built_in = kind.built_in.iter().map(|&name| name.to_owned());
                Err(unknown(kind.key, name, built_in.chain(known.into_iter().map(|(name, _)| name))))
            }
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
        let assets = NamedAssets::new(&data);
        let new = |recipe: &str| {
            assets.recipe(recipe, &registry).and_then(|recipe| recipe.build(&registry).map(drop))
        };
        let stored = Recipe::standard(&registry).unwrap();
        let changed = |recipe: &str| {
            let build = |recipe: &Recipe| recipe.build(&registry).map(drop);
            assets.changed_recipe(recipe, &stored, &registry, build).map(drop)
        };
        for built in [&new as &dyn Fn(&str) -> Result<()>, &changed] {
            let told = |recipe: &str| built(recipe).unwrap_err().to_string();
            assert!(built("method = 'imatch'\n[sign]\nlexicon = 'english'").is_ok());
            for name in [outside.to_str().unwrap(), "../outside", "../outside.lexicon", "/etc/passwd"] {
                let told = told(&format!("method = 'imatch'\n[sign]\nlexicon = '{name}'"));
                assert!(told.contains("known:") && told.contains("ours"), "{told}");
            }
            let found = told("method = 'imatch'\n[sign]\nlexicon = 'ours'");
            assert!(found.contains("no lexicon"), "the file was opened: {found}");
            let nested = "method = 'ensemble'\n[candidates]\nmethods = ['imatch']\n[candidates.imatch.sign]\nlexicon = '/etc/passwd'";
            assert!(told(nested).contains("known:"));
            assert!(told("[decide]\ntype = 'classifier'\nmodel = '/etc/passwd'").contains("unknown model"));
            assert!(told("[decide]\nmodel = 1").contains("must be a name"));
            let clusters = "[candidates]\ntype = 'clusters'\nclustering = { type = 'frozen', partition = '/etc/passwd' }";
            assert!(told(clusters).contains("unknown partition"));
        }
        let native = assets.recipe("method = 'imatch'\n[sign]\nlexicon = 'native'", &registry).unwrap();
        assert!(
            native.to_toml().contains("\"native\""),
            "whoever signs by it counts it: {}",
            native.to_toml()
        );
        let found = changed("method = 'imatch'\n[sign]\nlexicon = 'ours'").unwrap_err().to_string();
        assert!(!found.contains(dir.path().to_str().unwrap()), "its folder is not told: {found}");
    }
}
