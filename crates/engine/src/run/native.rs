//! A lexicon of the run's own corpus, counted before the run.

use std::path::{Path, PathBuf};

use lookalike_core::registry::Registry;
use lookalike_core::{Error, Result};
use lookalike_plumbing::files::{folder_of, make_atomic};
use tempfile::TempDir;

use super::{Job, Progress};
use crate::lexicon::{AssetFiles, CountJob, NATIVE, NATIVE_FILE, build, count_nothing};
use crate::recipe::Recipe;

/// The lexicons of a run, and the file of the one that was counted for it.
pub struct Prepared {
    /// Finds lexicons by name, that of the corpus among them.
    pub assets: AssetFiles,
    counted: Option<(TempDir, PathBuf)>,
}

/// Counts the corpus of the job if the recipe names the lexicon `native`. That is a separate pass,
/// so the input must be readable twice.
pub fn prepare(recipe: &Recipe, registry: &Registry, job: &Job, progress: &dyn Progress) -> Result<Prepared> {
    if !recipe.uses_lexicon(NATIVE, registry)? {
        return Ok(Prepared { assets: AssetFiles::default(), counted: None });
    }
    if job.inputs.iter().any(|input| input == "-") {
        return Err(Error::config(
            "lexicon `native` needs an input that can be read twice; standard input cannot: save it to a file first",
        ));
    }
    let folder = folder_of(&job.output);
    std::fs::create_dir_all(folder).map_err(Error::io(folder))?;
    let folder = TempDir::with_prefix_in(".lookalike-lexicon-", folder).map_err(Error::io(folder))?;
    let file = folder.path().join(NATIVE_FILE);
    let counting = CountJob {
        text_field: job.text_field.clone(),
        threads: job.threads,
        memory: job.memory,
        max_line: job.max_line,
        strict: job.strict,
        ..CountJob::new(job.inputs.iter().cloned(), &file)
    };
    let extractor = recipe.counted_features(registry)?;
    match build(&counting, extractor.as_deref(), progress) {
        Ok(built) => {
            Ok(Prepared { assets: AssetFiles::with_native(built.lexicon), counted: Some((folder, file)) })
        }
        // A corpus without documents has no words; if that is an error, the run itself reports it.
        Err(Error::Input(_)) => Ok(Prepared {
            assets: AssetFiles::with_native(count_nothing(extractor.as_deref())),
            counted: None,
        }),
        Err(error) => Err(error),
    }
}

impl Prepared {
    /// Leaves the counted lexicon with the results: comparing with them later needs it.
    pub fn keep(&self, output: &Path) -> Result<()> {
        let Some((_, file)) = &self.counted else { return Ok(()) };
        // Renamed into place, because a process may have an older one mapped.
        make_atomic(&output.join(NATIVE_FILE), |partial| {
            std::fs::copy(file, partial).map(drop).map_err(Error::io(partial))
        })
    }
}
