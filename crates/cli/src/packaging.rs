//! `lookalike completions` and `lookalike man`: for shells and packages, made from the verbs themselves.

use std::path::PathBuf;

use clap::{Args, Command};
use clap_complete::{Shell, generate};
use clap_mangen::{Man, generate_to};
use lookalike::Error;

use crate::out::{Stdout, print};

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

pub fn completions(arguments: &CompletionsArgs, program: &Command) -> anyhow::Result<()> {
    let mut script = Vec::new();
    generate(arguments.shell, &mut shown(program), "lookalike", &mut script);
    print(&String::from_utf8(script)?)
}

pub fn man(arguments: &ManArgs, program: &Command) -> anyhow::Result<()> {
    match &arguments.output {
        None => Ok(Man::new(shown(program)).render(&mut Stdout)?),
        Some(folder) => {
            std::fs::create_dir_all(folder).map_err(Error::io(folder))?;
            Ok(generate_to(shown(program), folder).map_err(Error::io(folder))?)
        }
    }
}

/// The program without what is for itself only: completions would offer it.
fn shown(program: &Command) -> Command {
    let verbs: Vec<Command> = program.get_subcommands().filter(|verb| !verb.is_hide_set()).cloned().collect();
    Command::new("lookalike")
        .version(env!("CARGO_PKG_VERSION"))
        .about(program.get_about().cloned().unwrap_or_default())
        .subcommand_required(true)
        .disable_help_subcommand(true)
        .subcommands(verbs)
}
