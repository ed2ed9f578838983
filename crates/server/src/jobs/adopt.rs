//! Puts what a job made to work: its classifier, its clusters and its lexicon become files of the service, and its
//! recipe, which names them, that of the index. The recipe that the index had is remembered, so that this can be undone.

use std::path::{Path, PathBuf};

use lookalike::index::Index;
use lookalike::{Error, Recipe, Registry, Result};
use lookalike_engine::lexicon::NATIVE_FILE;
use lookalike_engine::partition_file::PARTITION_FILE;
use lookalike_plumbing::files::make_durable;
use lookalike_plumbing::json::{read_json, write_json};
use serde::{Deserialize, Serialize};

use super::assets::NamedAssets;
use super::spec::{JobKind, JobSource, NewJob};
use super::work::{DEDUPED, MODEL_FILE};

/// The recipe of a job that an index took over, and the one that it had.
#[derive(Serialize, Deserialize)]
pub struct Adopted {
    pub recipe: String,
    pub before: String,
}

const FILE: &str = "adopted.json";

impl Adopted {
    /// What is remembered in the folder of a job; `None` if its result was never taken over.
    pub fn read(folder: &Path) -> Result<Option<Adopted>> {
        let path = folder.join(FILE);
        if path.exists() { read_json(&path).map(Some) } else { Ok(None) }
    }

    pub fn write(&self, folder: &Path) -> Result<()> {
        write_json(&folder.join(FILE), self)
    }
}

/// The recipe of a job, which names its results as files of the service. `folder` is that of the job.
pub fn adopted_recipe(
    id: u64,
    spec: &NewJob,
    folder: &Path,
    registry: &Registry,
    assets: &NamedAssets,
) -> Result<Recipe> {
    if !matches!(spec.kind, JobKind::Dedup | JobKind::Train) {
        return Err(Error::config(
            "only a run that finds duplicates or trains a classifier has a recipe to take over",
        ));
    }
    let results = folder.join("results");
    let name = format!("job-{id}");
    let keep = |file: PathBuf, place: PathBuf| -> Result<Option<PathBuf>> {
        if !file.exists() {
            return Ok(None);
        }
        let parent = place.parent().unwrap_or(&place);
        std::fs::create_dir_all(parent).map_err(Error::io(parent))?;
        make_durable(&place, |path| std::fs::copy(&file, path).map(drop).map_err(Error::io(path)))?;
        Ok(Some(place))
    };
    let deduped = folder.join(DEDUPED);
    let model = keep(results.join(MODEL_FILE), assets.place_of_model(&name))?;
    let partition = keep(deduped.join(PARTITION_FILE), assets.place_of_partition(&name))?;
    // A lexicon of the index's own documents stays `native`, and is counted from them when they are signed. Other corpora
    // are not at hand then, and a classifier or clusters were made with the words as the run weighed them.
    let of_index = JobSource { index: true, ..JobSource::default() };
    let lexicon = match spec.testing == of_index && model.is_none() && partition.is_none() {
        true => None,
        false => keep(deduped.join(NATIVE_FILE), assets.place_of_lexicon(&name))?,
    };
    let mut recipe = match (spec.kind, &model) {
        (JobKind::Train, Some(model)) => spec.trained_recipe(registry, assets, model)?,
        _ => spec.recipe(registry, assets, model.as_deref())?,
    };
    if let Some(lexicon) = lexicon {
        recipe = recipe.with_native_lexicon(&lexicon);
    }
    if let Some(partition) = partition {
        recipe = recipe.with_partition(&partition);
    }
    // An error in the recipe is reported now, not after hours of work.
    Index::accepts(&recipe, registry)?;
    Ok(recipe)
}
