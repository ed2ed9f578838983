//! Files of many formats: who reads them, comparing two, scanning many.

use lookalike_core::{Error, Result};
use lookalike_engine::Recipe;
use lookalike_engine::compare::{Comparison, compare, fields_of};
use lookalike_engine::lexicon::AssetFiles;
use lookalike_engine::run::Progress;
use lookalike_extract::worker::Program;
use lookalike_files::documents::{Reference, read_document};
use lookalike_files::scan::{Scan, ScanJob, scan};

use super::{READS_CORPORA_ONLY, Session};

impl Session {
    /// The same session, with files of other formats than corpora read by child processes of a program, which
    /// must call [`serve`](crate::files::serve) when it is started like this.
    pub fn reading_files_by(self, program: Program) -> Session {
        Session { file_reader: Some(program), ..self }
    }

    /// The program that reads files as a child process.
    pub fn file_reader(&self) -> Result<&Program> {
        self.file_reader.as_ref().ok_or_else(reads_corpora_only)
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
        let assets = AssetFiles::default();
        let mut fields = fields.clone();
        fields.fields.extend(fields_of(self.registry(), &assets, recipe)?);
        let (read_a, read_b) = (read_document(a, &fields, &gather)?, read_document(b, &fields, &gather)?);
        let mut comparison = compare(self.registry(), &assets, recipe, (a, &read_a), (b, &read_b))?;
        comparison.weaken(read_a.weak, read_b.weak);
        Ok(comparison)
    }

    /// Finds near-duplicates among files; with `texts`, the texts can be requested afterwards, for
    /// a page.
    pub fn scan(&self, recipe: &Recipe, job: &ScanJob, texts: bool, progress: &dyn Progress) -> Result<Scan> {
        let extraction = recipe.extraction()?;
        let pipeline = recipe.build_with(self.registry(), &AssetFiles::default())?.reading_files(&extraction);
        scan(&pipeline, &extraction, job, texts, progress)
    }
}

pub(super) fn reads_corpora_only() -> Error {
    Error::config(READS_CORPORA_ONLY)
}
