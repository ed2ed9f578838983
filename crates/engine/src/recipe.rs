//! Recipes: what a run computes, as a TOML file with one section per stage.
//!
//! ```
//! use lookalike_core::registry::Registry;
//! use lookalike_engine::Recipe;
//! let registry = Registry::with_built_ins();
//! let mut recipe = Recipe::from_toml("method = 'minhash'\n[decide]\nthreshold = 0.7", &registry)?;
//! recipe.set("features.shingle", "3")?;
//! let pipeline = recipe.build(&registry)?;
//! assert!(pipeline.expected_recall(0.7).is_some_and(|recall| recall >= 0.99));
//! # Ok::<(), lookalike_core::Error>(())
//! ```

mod build;
mod given;
#[cfg(test)]
mod tests;

use std::collections::BTreeMap;

use lookalike_core::candidates::Ensemble;
use lookalike_core::features::{FeatureExtractor, WithFallback};
use lookalike_core::reading::ANCHORS;
use lookalike_core::registry::{BuildContext, NoAssets, Params, Registry, unknown, value_from_text};
use lookalike_core::streams::{StreamFields, StreamKind};
use lookalike_core::{Error, Result};
use toml::{Table, Value};

use crate::extraction::Extraction;
use crate::lexicon::{AssetFiles, NATIVE, count_nothing};

const SECTIONS: [&str; 8] =
    ["extract", "streams", "features", "sign", "candidates", "decide", "cluster", "keep"];
const DEFAULT_METHOD: &str = "minhash";
/// How documents are compared: for each stage a part and its parameters.
#[derive(Clone, Debug)]
pub struct Recipe {
    method: String,
    sections: Table,
}

impl Recipe {
    /// The recipe of a method.
    pub fn for_method(method: &str, registry: &Registry) -> Result<Self> {
        let sections = registry.method(method)?.recipe.clone();
        Ok(Recipe { method: method.to_owned(), sections })
    }

    /// The default recipe.
    pub fn standard(registry: &Registry) -> Result<Self> {
        Recipe::for_method(DEFAULT_METHOD, registry)
    }

    /// Reads a recipe; what it leaves out comes from its `method`.
    pub fn from_toml(text: &str, registry: &Registry) -> Result<Self> {
        let (method, sections) = parts_of(text)?;
        let recipe = Recipe::for_method(method.as_deref().unwrap_or(DEFAULT_METHOD), registry)?;
        recipe.with_sections(sections)
    }

    /// This recipe with the changes in a text. A text that names a `method` is a complete recipe and replaces this
    /// one.
    pub fn changed(&self, text: &str, registry: &Registry) -> Result<Self> {
        match parts_of(text)? {
            (None, sections) => self.clone().with_sections(sections),
            (Some(_), _) => Recipe::from_toml(text, registry),
        }
    }

    /// This recipe with another method. How files and fields are read, how pairs become clusters and what is kept stay as they
    /// were set.
    pub fn with_method(&self, method: &str, registry: &Registry) -> Result<Self> {
        if method == self.method {
            return Ok(self.clone());
        }
        let mut recipe = Recipe::for_method(method, registry)?;
        let before = Recipe::for_method(&self.method, registry)?;
        for section in ["extract", "streams", "cluster", "keep"] {
            if self.sections.get(section) != before.sections.get(section) {
                recipe.sections.insert(section.to_owned(), self.section_table(section).into());
            }
        }
        Ok(recipe)
    }

    fn with_sections(mut self, sections: Table) -> Result<Self> {
        for (section, values) in sections {
            let Value::Table(values) = values else {
                return Err(Error::config(format!("`{section}` must be a section: [{section}]")));
            };
            self.insert_all(&section, values)?;
        }
        Ok(self)
    }

    /// The method it is based on.
    pub fn method(&self) -> &str {
        &self.method
    }

    /// The recipe as a file; what it leaves out has its default.
    pub fn to_toml(&self) -> String {
        let mut table = self.sections.clone();
        table.insert("method".to_owned(), self.method.clone().into());
        table.to_string()
    }

    /// Sets several keys. A stage's type is set first, since it clears the parameters of the old
    /// type.
    pub fn set_all(&mut self, values: &BTreeMap<String, String>) -> Result<()> {
        let (types, others): (Vec<_>, Vec<_>) = values.iter().partition(|(path, _)| path.ends_with(".type"));
        types.into_iter().chain(others).try_for_each(|(path, value)| self.set(path, value))
    }

    /// Sets `stage.key` to a value as it would be written in a recipe; bare words are text.
    pub fn set(&mut self, path: &str, value: &str) -> Result<()> {
        let (section, key) = path
            .split_once('.')
            .ok_or_else(|| Error::config(format!("`{path}` is not of the form stage.key")))?;
        self.insert(section, key, value_from_text(value))
    }

    /// Changes a section. Its type is set first, since another type has other parameters.
    fn insert_all(&mut self, section: &str, mut values: Table) -> Result<()> {
        let kind = values.remove("type").map(|kind| ("type".to_owned(), kind));
        kind.into_iter().chain(values).try_for_each(|(key, value)| self.insert(section, &key, value))
    }

    fn insert(&mut self, section: &str, key: &str, value: Value) -> Result<()> {
        if !SECTIONS.contains(&section) {
            return Err(unknown("recipe section", section, SECTIONS));
        }
        let table = self.sections.entry(section).or_insert_with(|| Value::Table(Table::new()));
        if let Value::Table(table) = table {
            // Parameters of the old type would only be refused.
            if key == "type" && table.get("type") != Some(&value) {
                table.clear();
            }
            table.insert(key.to_owned(), value);
        }
        Ok(())
    }

    /// How files become documents.
    pub fn extraction(&self) -> Result<Extraction> {
        let marked = self.sections.values().any(weighs_marks);
        let mut extraction = Extraction::from_params(self.section("extract"))?;
        extraction.options.anchors = self.sections.values().any(names_anchors);
        Ok(Extraction { marked, ..extraction })
    }

    /// The fields that hold the streams of a document.
    pub fn stream_fields(&self) -> Result<StreamFields> {
        let mut params = self.section("streams");
        let mut fields = StreamFields::default();
        for kind in StreamKind::ALL {
            let given = params.texts(kind.name())?;
            if given.iter().any(|field| field.is_empty()) {
                return Err(Error::config(format!("streams.{} names a field without a name", kind.name())));
            }
            if !given.is_empty() {
                fields.set(kind, given);
            }
        }
        params.finish(StreamKind::ALL.map(StreamKind::name).into_iter())?;
        Ok(fields)
    }

    /// A recipe with the same candidates that decides by one measure of these features; `None` if the
    /// features that are compared also find the candidates.
    pub fn with_threshold(&self, features: &Table, measure: &str, threshold: f64) -> Result<Option<Recipe>> {
        if !self.is_ensemble() {
            return Ok(None);
        }
        let mut recipe = self.clone();
        recipe.method = "ensemble".to_owned();
        recipe.sections.insert("features".to_owned(), Value::Table(features.clone()));
        let decide = Table::from_iter([
            ("measure".to_owned(), Value::from(measure)),
            ("threshold".to_owned(), Value::from(threshold)),
        ]);
        recipe.sections.insert("decide".to_owned(), Value::Table(decide));
        Ok(Some(recipe))
    }

    fn is_ensemble(&self) -> bool {
        self.section_table("candidates").get("type").and_then(Value::as_str) == Some(Ensemble::INFO.name)
    }

    /// The lexicons that the recipe names, by stage, without those of an ensemble's members.
    pub fn lexicons(&self) -> Vec<(String, String)> {
        let mut found = Vec::new();
        for (section, table) in &self.sections {
            if section == "candidates" && self.is_ensemble() {
                continue;
            }
            // If no lexicon is named, document frequencies come from the run's own corpus.
            let unnamed = table.get("max_df").map(|_| NATIVE);
            if let Some(name) = table.get("lexicon").and_then(Value::as_str).or(unnamed) {
                found.push((section.clone(), name.to_owned()));
            }
        }
        found
    }

    /// Whether the recipe, or a member of its ensemble, uses this lexicon.
    pub fn uses_lexicon(&self, name: &str, registry: &Registry) -> Result<bool> {
        let named = |recipe: &Recipe| recipe.lexicons().iter().any(|(_, other)| other == name);
        if !self.is_ensemble() {
            return Ok(named(self));
        }
        let ensemble = Ensemble::read(self.section("candidates"), &self.section_table("candidates"))?;
        for member in &ensemble.members {
            if named(&self.member_recipe(member, registry)?) {
                return Ok(true);
            }
        }
        Ok(named(self))
    }

    /// The extractor whose features a native lexicon counts, if these are not words.
    pub fn counted_features(&self, registry: &Registry) -> Result<Option<Box<dyn FeatureExtractor>>> {
        let mut table = self.section_table("features");
        if table.remove("max_df").is_none() {
            return Ok(None);
        }
        table.remove("lexicon");
        table.remove(WithFallback::KEY);
        let context = BuildContext::new(registry, &NoAssets);
        Ok(Some(registry.features.build(Params::new("features", table), "shingles", &context)?))
    }

    /// For building the recipe before anything is counted: if it names the native lexicon, that knows no terms yet.
    pub fn assets_before_counting(&self, registry: &Registry) -> Result<AssetFiles> {
        if !self.uses_lexicon(NATIVE, registry)? {
            return Ok(AssetFiles::default());
        }
        Ok(AssetFiles::with_native(count_nothing(self.counted_features(registry)?.as_deref())))
    }

    /// Whether [`Recipe::set_lexicon`] has anything to replace.
    pub fn has_lexicon(&self) -> bool {
        self.is_ensemble() || !self.lexicons().is_empty()
    }

    /// Replaces the lexicon wherever the recipe has one.
    pub fn set_lexicon(&mut self, name: &str) -> Result<()> {
        let mut places: Vec<String> = self.lexicons().into_iter().map(|(section, _)| section).collect();
        if self.is_ensemble() {
            places.push("candidates".to_owned());
        }
        if places.is_empty() {
            return Err(Error::config(format!("method `{}` uses no lexicon", self.method)));
        }
        places.iter().try_for_each(|section| self.insert(section, "lexicon", name.into()))
    }

    fn section_table(&self, name: &str) -> Table {
        match self.sections.get(name) {
            Some(Value::Table(table)) => table.clone(),
            _ => Table::new(),
        }
    }

    fn section(&self, name: &str) -> Params {
        Params::new(name, self.section_table(name))
    }
}

/// Whether any features in a section use headings and emphasis.
fn weighs_marks(section: &Value) -> bool {
    section.as_table().is_some_and(|table| {
        table.get("markup").and_then(Value::as_str) == Some("html") || table.values().any(weighs_marks)
    })
}

/// Whether features in a section are made of the texts of links that lead to a document.
fn names_anchors(section: &Value) -> bool {
    match section {
        Value::String(text) => text == ANCHORS,
        Value::Array(items) => items.iter().any(names_anchors),
        Value::Table(table) => table.values().any(names_anchors),
        _ => false,
    }
}

/// The method that a text names, and its sections.
fn parts_of(text: &str) -> Result<(Option<String>, Table)> {
    let mut table: Table = text.parse().map_err(|error| not_toml(text, &error))?;
    match table.remove("method") {
        None => Ok((None, table)),
        Some(Value::String(method)) => Ok((Some(method), table)),
        Some(other) => Err(Error::config(format!("method is {other}, it must be text"))),
    }
}

/// The error in one line; the library's own message shows the place over several lines.
fn not_toml(text: &str, error: &toml::de::Error) -> Error {
    let before = error.span().and_then(|span| text.get(..span.start)).unwrap_or_default();
    let line = before.matches('\n').count() + 1;
    Error::config(format!("the recipe is not valid TOML: line {line}: {}", error.message()))
}
