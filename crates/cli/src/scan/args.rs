//! The options of `lookalike scan`.

use lookalike::Session;
use lookalike_core::threads;
use std::path::PathBuf;

use anyhow::Context;
use clap::{Args, ValueEnum, ValueHint};
use lookalike::files::Sources;
use lookalike::files::apply::Action;
use lookalike::files::{ScanJob, default_cache};
use lookalike::{Recipe, Registry};
use lookalike_engine::memory::{machine_memory, parse_bytes};

use crate::args::RecipeArgs;

pub const SCAN_HELP: &str = "\
Examples:
  lookalike scan Documents
  lookalike scan reports mail.mbox crawl.warc.gz --by-type
  lookalike scan . --html duplicates.html
  lookalike scan policies --check -q || echo duplicates
  lookalike scan . --json | jq '.clusters[].members[].path'
  lookalike scan . --set extract.main=false --threshold 0.9
  lookalike scan inbox --apply move --to duplicates --dry-run

Nothing is changed or deleted unless --apply asks for it. What was read is kept in a cache, so that the next scan reads only
files that changed.";

/// Of texts the longest stays, of pictures without text the best, and of equals the newest.
const KEEP: &str = "longest,max:pixels,max:picture_bytes,newest";

#[derive(Args)]
pub struct ScanArgs {
    /// Files and folders
    #[arg(required_unless_present = "undo", value_name = "PATH", value_hint = ValueHint::AnyPath)]
    pub paths: Vec<PathBuf>,
    #[command(flatten)]
    pub recipe: RecipeArgs,
    /// Compare documents only with those of their own type: PDF, Word, web, mail, text, images…
    #[arg(long)]
    pub by_type: bool,
    /// Which document of a cluster to keep: longest, newest, first, max:FIELD, min:FIELD…; several are
    /// asked in turn, ties are settled by the name
    /// [default: longest,max:pixels,max:picture_bytes,newest]
    #[arg(long, value_name = "RULES")]
    pub keep: Option<String>,
    /// Print everything as JSON
    #[arg(long, conflicts_with = "csv")]
    pub json: bool,
    /// Print a row for each document in a cluster as CSV
    #[arg(long)]
    pub csv: bool,
    /// Write a page with all clusters and texts side by side
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub html: Option<PathBuf>,
    /// Exit with 1 if there are near-duplicates
    #[arg(long)]
    pub check: bool,
    /// Show all clusters, not only the first hundred
    #[arg(long)]
    pub all: bool,
    /// Act on the files that are near-duplicates of the one to keep
    #[arg(long, value_name = "ACTION", conflicts_with_all = ["csv", "check"])]
    pub apply: Option<ActionName>,
    /// With --apply move: the folder to move to
    #[arg(long, value_name = "DIR", requires = "apply", value_hint = ValueHint::DirPath)]
    pub to: Option<PathBuf>,
    /// With --apply: show what would be done, and do nothing
    #[arg(long, requires = "apply")]
    pub dry_run: bool,
    /// With --apply: where to write down what was done, for --undo
    /// [default: lookalike-undo-DATE-TIME.jsonl here]
    #[arg(long, value_name = "FILE", requires = "apply", value_hint = ValueHint::FilePath)]
    pub undo_log: Option<PathBuf>,
    /// Take back what an earlier --apply did, by its log
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath, conflicts_with_all = ["paths", "apply"])]
    pub undo: Option<PathBuf>,
    /// Look into hidden files and folders, too
    #[arg(long)]
    pub hidden: bool,
    /// Look into what .gitignore and .ignore exclude, too
    #[arg(long)]
    pub no_ignore: bool,
    /// Follow symbolic links
    #[arg(long)]
    pub follow: bool,
    /// Folder for what was read [default: lookalike in the user's cache folder]
    #[arg(long, value_name = "DIR", value_hint = ValueHint::DirPath, conflicts_with = "no_cache")]
    pub cache: Option<PathBuf>,
    /// Read every file anew and keep nothing
    #[arg(long)]
    pub no_cache: bool,
    /// Files read at once [default: all cores]
    #[arg(long, value_name = "N")]
    pub threads: Option<usize>,
    /// Memory for comparing, such as 300MB or 4GiB; each file read at the same time may take
    /// extract.memory besides [default: 70 % of the machine's or the container's]
    #[arg(long, value_name = "SIZE")]
    pub memory: Option<String>,
    /// Show no progress and, with --check, no table
    #[arg(short, long)]
    pub quiet: bool,
}

/// What to do with near-duplicates.
#[derive(Clone, Copy, ValueEnum)]
pub enum ActionName {
    /// Print their paths
    List,
    /// Move them to another folder (--to)
    Move,
    /// Replace those that are byte for byte the same by hard links
    Link,
    /// Put them into the wastebasket
    Trash,
}

impl ActionName {
    pub fn action(self) -> Action {
        match self {
            ActionName::List => Action::List,
            ActionName::Move => Action::Move,
            ActionName::Link => Action::Link,
            ActionName::Trash => Action::Trash,
        }
    }
}

impl ScanArgs {
    pub fn recipe(&self, registry: &Registry) -> anyhow::Result<Recipe> {
        let mut recipe = self.recipe.recipe(registry)?;
        match &self.keep {
            Some(keep) => recipe.set("keep.rule", keep)?,
            // A recipe file has a keep rule of its own.
            None if self.recipe.recipe.is_none() => recipe.set("keep.rule", KEEP)?,
            None => {}
        }
        Ok(recipe)
    }

    pub fn job(&self, session: &Session) -> anyhow::Result<ScanJob> {
        let threads = threads::available();
        let memory = match &self.memory {
            Some(memory) => parse_bytes(memory).context("--memory")?,
            None => machine_memory() / 10 * 7,
        };
        let sources = Sources {
            paths: self.paths.clone(),
            hidden: self.hidden,
            no_ignore: self.no_ignore,
            follow: self.follow,
            exclude: self.html.iter().cloned().collect(),
        };
        Ok(ScanJob {
            sources,
            by_type: self.by_type,
            program: session.file_reader()?.clone(),
            threads: self.threads.unwrap_or(threads),
            memory,
            cache: if self.no_cache { None } else { self.cache.clone().or_else(default_cache) },
        })
    }
}
