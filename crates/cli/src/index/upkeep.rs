//! `lookalike index create`, `compact` and `resign`.

use anyhow::bail;
use clap::Args;
use lookalike::Session;
use lookalike::index::{Refresh, View};
use lookalike::lexicon::NATIVE;
use lookalike::{Recipe, Registry};

use super::refresh_args::RefreshArgs;
use super::{Folder, tell_absent_fields};
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
    #[command(flatten)]
    refresh: RefreshArgs,
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
    let refresh = arguments.refresh.changed(Refresh::default())?;
    let index = session.create_refreshed_index(&arguments.place.folder, &recipe, refresh)?;
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
    if arguments.refresh.is_given() {
        let refresh = arguments.refresh.changed(index.refresh())?;
        if refresh.is_on() && !recipe.uses_lexicon(NATIVE, session.registry())? {
            bail!(
                "only a lexicon that is counted from the index itself is counted again, and this recipe has none: add \
                 --lexicon native"
            );
        }
        index.writer().set_refresh(refresh)?;
        if !arguments.recipe.is_given() && arguments.keep.is_none() {
            index.close()?;
            return print("The setting is changed; nothing was to be signed\n");
        }
    }
    index.writer().resign(&recipe)?;
    let stats = index.reader().stats(&View::All)?;
    tell_absent_fields(&index);
    index.close()?;
    print(&format!(
        "{} documents are signed by scheme {}; {} clusters\n",
        count(stats.documents),
        stats.scheme,
        count(stats.clusters)
    ))
}
