//! `lookalike completions` and `lookalike man`: for shells and packages, made from the verbs themselves.

use std::path::PathBuf;

use clap::{Args, CommandFactory};
use clap_complete::{Shell, generate};
use clap_mangen::{Man, generate_to};
use lookalike::Error;

use crate::out::{Stdout, print};
use crate::verbs::Cli;

#[derive(Args)]
pub struct CompletionsArgs {
    /// The shell
    pub shell: Shell,
}

#[derive(Args)]
pub struct ManArgs {
    /// Write a page for each verb into this folder, instead of the first page to stdout
    #[arg(short, long, value_name = "DIR")]
    pub output: Option<PathBuf>,
}

pub const COMPLETIONS_HELP: &str = "Examples:
  source <(lookalike completions bash)
  lookalike completions zsh > ~/.zfunc/_lookalike
  lookalike completions fish > ~/.config/fish/completions/lookalike.fish";

pub const MAN_HELP: &str = "Examples:
  lookalike man | man -l -
  lookalike man --output /usr/local/share/man/man1";

pub fn completions(arguments: &CompletionsArgs) -> anyhow::Result<()> {
    let mut script = Vec::new();
    generate(arguments.shell, &mut command(), "lookalike", &mut script);
    print(&String::from_utf8(script)?)
}

pub fn man(arguments: &ManArgs) -> anyhow::Result<()> {
    match &arguments.output {
        None => Ok(Man::new(command()).render(&mut Stdout)?),
        Some(folder) => {
            std::fs::create_dir_all(folder).map_err(Error::io(folder))?;
            Ok(generate_to(command(), folder).map_err(Error::io(folder))?)
        }
    }
}

/// The program without what is for itself only: completions would offer it.
fn command() -> clap::Command {
    let all = Cli::command();
    let shown: Vec<clap::Command> =
        all.get_subcommands().filter(|verb| !verb.is_hide_set()).cloned().collect();
    clap::Command::new("lookalike")
        .version(env!("CARGO_PKG_VERSION"))
        .about(all.get_about().cloned().unwrap_or_default())
        .subcommand_required(true)
        .disable_help_subcommand(true)
        .subcommands(shown)
}
