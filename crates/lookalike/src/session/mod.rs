//! One value through which everything is reached: a registry of parts, and the program that reads files.
//!
//! A [`Session`] with parts of one's own does with them all that a session without does: `dedup`, a scan, an index, a
//! service, the command line. Nothing else has to know of them.
//!
//! ```
//! use lookalike::{Job, Quiet, Session};
//! let folder = tempfile::tempdir().unwrap();
//! let corpus = folder.path().join("corpus.jsonl");
//! let line = r#"{"text": "a text of more than five words, twice in this corpus"}"#;
//! std::fs::write(&corpus, format!("{line}\n{line}\n")).unwrap();
//!
//! let session = Session::default();
//! let job = Job::new([corpus.to_string_lossy()], folder.path().join("deduped"));
//! let report = session.dedup(&session.standard()?, job, &Quiet)?.run(&Quiet)?;
//! assert_eq!((report.documents, report.kept), (2, 1));
//! # Ok::<(), lookalike::Error>(())
//! ```

mod dedup;
mod inputs;

pub use dedup::Dedup;
pub use inputs::{Documents, ReadFiles};

use std::path::Path;

use lookalike_core::document::Document;
use lookalike_core::registry::Registry;
use lookalike_core::{Error, Result};
use lookalike_engine::Recipe;
use lookalike_engine::compare::{Comparison, compare};
use lookalike_engine::lexicon::AssetFiles;
use lookalike_engine::run::Progress;
use lookalike_extract::worker::Program;
use lookalike_files::documents::{Reference, read_document};
use lookalike_files::scan::{Scan, ScanJob, scan};
use lookalike_index::Index;

/// Parts by name, and what is done with them.
#[derive(Clone)]
pub struct Session {
    registry: Registry,
    file_reader: Option<Program>,
}

impl Default for Session {
    fn default() -> Self {
        Session::new(Registry::with_built_ins())
    }
}

impl Session {
    /// A session whose recipes may name the parts and methods of a registry.
    pub fn new(registry: Registry) -> Session {
        Session { registry, file_reader: None }
    }

    /// The same, reading files of other formats than corpora by children of a program, which must call
    /// [`lookalike_extract::worker::serve`] when it is started so.
    pub fn reading_files_by(self, program: Program) -> Session {
        Session { file_reader: Some(program), ..self }
    }

    /// The program whose children read files.
    pub fn file_reader(&self) -> Result<&Program> {
        self.file_reader.as_ref().ok_or_else(reads_corpora_only)
    }

    /// The parts and methods that recipes may name.
    pub fn registry(&self) -> &Registry {
        &self.registry
    }

    /// The recipe of a method, to be changed key by key.
    pub fn method(&self, name: &str) -> Result<Recipe> {
        Recipe::for_method(name, &self.registry)
    }

    /// The recipe that holds where nobody names another.
    pub fn standard(&self) -> Result<Recipe> {
        Recipe::standard(&self.registry)
    }

    /// A recipe as a file has it.
    pub fn recipe(&self, toml: &str) -> Result<Recipe> {
        Recipe::from_toml(toml, &self.registry)
    }

    /// Makes a new index in a folder that has none.
    pub fn create_index(&self, folder: &Path, recipe: &Recipe) -> Result<Index> {
        Index::create(folder, recipe, self.registry.clone())
    }

    /// Opens an index whose recipe names parts of this session.
    pub fn open_index(&self, folder: &Path) -> Result<Index> {
        Index::open(folder, self.registry.clone())
    }

    /// The recipe that an index compares documents by.
    pub fn recipe_of(&self, index: &Index) -> Result<Recipe> {
        self.recipe(&index.recipe())
    }

    /// Compares two documents by all methods, or by one recipe. Each is a file, a document within one (`FILE#PART`), or a
    /// record of a corpus (`FILE#ID`).
    pub fn compare(
        &self,
        recipe: Option<&Recipe>,
        a: &str,
        b: &str,
        fields: &Reference,
    ) -> Result<Comparison> {
        let reading =
            self.reading(&recipe.map_or_else(|| self.standard(), |recipe| Ok(recipe.clone()))?, 1)?;
        let gather = reading.gather()?;
        let (read_a, read_b) = (read_document(a, fields, &gather)?, read_document(b, fields, &gather)?);
        let documents = (Document::from_text(&read_a.text), Document::from_text(&read_b.text));
        let mut comparison = compare(&self.registry, recipe, (a, &documents.0), (b, &documents.1))?;
        comparison.weaken(read_a.weak, read_b.weak);
        Ok(comparison)
    }

    /// Finds near-duplicates among files; `texts` asks for the texts, too, for a page.
    pub fn scan(&self, recipe: &Recipe, job: &ScanJob, texts: bool, progress: &dyn Progress) -> Result<Scan> {
        let extraction = recipe.extraction()?;
        let pipeline = recipe.build_with(&self.registry, &AssetFiles::default())?.reading_files(&extraction);
        scan(&pipeline, &extraction, job, texts, progress)
    }
}

fn reads_corpora_only() -> Error {
    Error::config("this session reads corpora only: name a program that reads files (reading_files_by)")
}
