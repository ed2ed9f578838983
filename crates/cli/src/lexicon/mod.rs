//! `lookalike lexicon`: collection statistics and their uses.

mod build;
mod chart;
mod show;
mod stability;

use clap::{Args, Subcommand};
use lookalike::Session;

#[derive(Args)]
pub struct LexiconArgs {
    #[command(subcommand)]
    action: Action,
}

#[derive(Subcommand)]
enum Action {
    /// Count in how many documents of a corpus each word occurs
    #[command(after_help = BUILD_HELP)]
    Build(Box<build::BuildArgs>),
    /// Tell about a lexicon, what a window of it selects, and what it knows of words
    #[command(after_help = SHOW_HELP)]
    Show(show::ShowArgs),
    /// How likely I-Match signatures survive changes to a document
    Stability(stability::StabilityArgs),
}

const BUILD_HELP: &str = "\
Examples:
  lookalike lexicon build corpus.jsonl -o corpus.lexicon
  lookalike lexicon build crawl/*.jsonl.zst -o crawl.lexicon --min-df 3
  lookalike lexicon build --counts counts.tsv -o other.lexicon
  lookalike lexicon build corpus.jsonl -o shingles.lexicon --set features.shingle=3";

const SHOW_HELP: &str = "\
Examples:
  lookalike lexicon show
  lookalike lexicon show corpus.lexicon --window 0.2:0.8
  lookalike lexicon show english --word harvest --word the --json";

pub fn run(session: &Session, arguments: &LexiconArgs) -> anyhow::Result<()> {
    match &arguments.action {
        Action::Build(arguments) => build::run(session, arguments),
        Action::Show(arguments) => show::run(arguments),
        Action::Stability(arguments) => stability::run(arguments),
    }
}
