//! One value through which everything is reached: a registry of parts, and the program that reads files.
//!
//! A [`Session`] with additional parts can use them for everything: `dedup`, a scan, an index, a service, the command
//! line. Nothing else has to know of them.

#[cfg(all(feature = "files", feature = "index"))]
mod check;
mod dedup;
mod delivery;
#[cfg(feature = "files")]
mod files;
#[cfg(feature = "index")]
mod index;
mod inputs;
#[cfg(feature = "judge")]
mod judge;
mod lexicon;
#[cfg(feature = "reproduce")]
mod reproduce;
#[cfg(feature = "arrow")]
mod table;

#[cfg(all(feature = "files", feature = "index"))]
pub use check::CheckedFile;
pub use dedup::Dedup;
#[cfg(feature = "files")]
use files::reads_corpora_only;
pub use inputs::ReadyJob;
#[cfg(feature = "arrow")]
pub use table::TableResult;

use lookalike_core::Result;
use lookalike_core::registry::Registry;
use lookalike_engine::compare::{Comparison, NamedDocument, compare};
use lookalike_engine::lexicon::AssetFiles;
use lookalike_engine::{Pipeline, Recipe};
#[cfg(feature = "files")]
use lookalike_extract::worker::Program;

/// The error of a session without a program to read files.
#[cfg(feature = "files")]
const READS_CORPORA_ONLY: &str =
    "this session reads corpora only: name a program that reads files (Session::reading_files_by)";
#[cfg(not(feature = "files"))]
const READS_CORPORA_ONLY: &str = "this build reads corpora only: it lacks the feature `files`";

/// Parts by name, and what is done with them.
#[derive(Clone)]
pub struct Session {
    registry: Registry,
    #[cfg(feature = "files")]
    file_reader: Option<Program>,
}

impl Default for Session {
    /// A session with the built-in parts.
    fn default() -> Self {
        Session::new(Registry::with_built_ins())
    }
}

impl Session {
    /// A session whose recipes may name the parts and methods of a registry.
    pub fn new(registry: Registry) -> Session {
        Session {
            registry,
            #[cfg(feature = "files")]
            file_reader: None,
        }
    }

    /// The parts and methods that recipes may name.
    pub fn registry(&self) -> &Registry {
        &self.registry
    }

    /// The recipe of a method, to be changed key by key.
    pub fn method(&self, name: &str) -> Result<Recipe> {
        Recipe::for_method(name, &self.registry)
    }

    /// The default recipe.
    pub fn standard(&self) -> Result<Recipe> {
        Recipe::standard(&self.registry)
    }

    /// A recipe as a file has it.
    pub fn recipe(&self, toml: &str) -> Result<Recipe> {
        Recipe::from_toml(toml, &self.registry)
    }

    /// A recipe, built of this session's parts. A lexicon of the documents themselves knows no terms yet.
    pub fn build(&self, recipe: &Recipe) -> Result<Pipeline> {
        recipe.build_with(&self.registry, &recipe.assets_before_counting(&self.registry)?)
    }

    /// Compares two texts by all methods, or by one recipe.
    pub fn compare_texts(&self, recipe: Option<&Recipe>, a: &str, b: &str) -> Result<Comparison> {
        let documents = (NamedDocument::from_text(a), NamedDocument::from_text(b));
        compare(&self.registry, &AssetFiles::default(), recipe, ("a", &documents.0), ("b", &documents.1))
    }
}
