//! The command line: the verbs with their arguments.

use clap::{Parser, Subcommand};

use crate::dedup::{DEDUP_HELP, DedupArgs};
use crate::demo::DemoArgs;
#[cfg(feature = "full")]
use crate::full::FullVerb;
use crate::lexicon::LexiconArgs;

#[derive(Parser)]
#[command(name = "lookalike", version, about = "Finds, explains and removes near-duplicate documents")]
pub struct Cli {
    #[command(subcommand)]
    pub verb: Verb,
}

#[derive(Subcommand)]
pub enum Verb {
    /// Run the main job on the sample documents compiled in
    Demo(DemoArgs),
    /// Remove near-duplicates from corpora (JSONL, JSON, CSV, Parquet, Arrow, WET) and from files of any format
    #[command(after_help = DEDUP_HELP)]
    #[cfg_attr(
        not(feature = "full"),
        command(about = "Remove near-duplicates from corpora (JSONL, JSON, CSV, WET)")
    )]
    Dedup(Box<DedupArgs>),
    /// Collection statistics: build and show lexicons, stability of I-Match signatures
    Lexicon(LexiconArgs),
    #[cfg(feature = "full")]
    #[command(flatten)]
    Full(FullVerb),
    /// A verb that this build does not have.
    #[cfg(not(feature = "full"))]
    #[command(external_subcommand)]
    Unknown(Vec<String>),
}

impl Verb {
    /// Whether it runs until it is stopped, and ends in a way of its own then.
    pub fn ends_by_itself(&self) -> bool {
        #[cfg(feature = "full")]
        if let Verb::Full(verb) = self {
            return verb.ends_by_itself();
        }
        false
    }
}
