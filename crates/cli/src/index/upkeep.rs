//! `lookalike index create`, `compact` and `resign`.

use clap::Args;
use lookalike::Session;
use lookalike::index::View;
use lookalike::{Recipe, Registry};

use super::Folder;
use crate::args::RecipeArgs;
use crate::out::{bytes, count, print};

/// An index, and how it is to compare documents.
#[derive(Args)]
pub struct SigningArgs {
    #[command(flatten)]
    place: Folder,
    #[command(flatten)]
    recipe: RecipeArgs,
    /// Which member of a cluster is its master, such as newest,longest
    #[arg(long, value_name = "RULES")]
    keep: Option<String>,
}

impl SigningArgs {
    /// The recipe of a new index, or of the existing one with the given options applied.
    fn recipe(&self, stored: Option<&Recipe>, registry: &Registry) -> anyhow::Result<Recipe> {
        let mut recipe = match stored {
            None => self.recipe.recipe(registry)?,
            Some(stored) => self.recipe.changed(stored, registry)?,
        };
        if let Some(keep) = &self.keep {
            recipe.set("keep.rule", keep)?;
        }
        Ok(recipe)
    }
}

#[derive(Args)]
pub struct FolderArgs {
    #[command(flatten)]
    place: Folder,
}

pub fn create(session: &Session, arguments: &SigningArgs) -> anyhow::Result<()> {
    let recipe = arguments.recipe(None, session.registry())?;
    let index = session.create_index(&arguments.place.folder, &recipe)?;
    let told =
        format!("An empty index of scheme {} is in {}\n", index.scheme(), arguments.place.folder.display());
    index.close()?;
    print(&told)
}

pub fn compact(session: &Session, arguments: &FolderArgs) -> anyhow::Result<()> {
    let index = session.open_index(&arguments.place.folder)?;
    let before = index.reader().stats(&View::All)?.dead_bytes;
    index.writer().compact()?;
    index.close()?;
    print(&format!("{} of removed documents freed\n", bytes(before)))
}

pub fn resign(session: &Session, arguments: &SigningArgs) -> anyhow::Result<()> {
    let index = session.open_index(&arguments.place.folder)?;
    let stored = session.recipe_of(&index)?;
    let recipe = arguments.recipe(Some(&stored), session.registry())?;
    index.writer().resign(&recipe)?;
    let stats = index.reader().stats(&View::All)?;
    index.close()?;
    print(&format!(
        "{} documents are signed by scheme {}; {} clusters\n",
        count(stats.documents),
        stats.scheme,
        count(stats.clusters)
    ))
}
