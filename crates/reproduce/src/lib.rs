//! The experiments of the papers, repeated on public data.
//!
//! An experiment is one file here: it names the data it needs, runs recipes over them as any user
//! could, and shows the paper's figures beside ours. It says where the data differ and what follows
//! from that.

mod data;
mod kolcz;
mod l17;
mod paper;
mod render;
mod s09;
mod x15;

pub use data::Data;
pub use paper::{Experiment, Figure, Reproduced, Section};
pub use render::{html, markdown, text};

use lookalike_core::Result;
use lookalike_core::registry::unknown;

use lookalike_engine::run::Progress;

/// All experiments, in the order of the papers.
pub fn experiments() -> Vec<Experiment> {
    vec![
        kolcz::TABLE_4,
        kolcz::SPAM,
        kolcz::WEB,
        s09::EXPERIMENT,
        s09::SCALE,
        x15::CLASSIFIER,
        x15::PIPELINE,
        x15::BAGS,
        x15::TUNE,
        l17::TABLES,
        l17::FIGURES,
    ]
}

/// Runs an experiment by name.
pub fn reproduce(name: &str, data: &Data, progress: &dyn Progress) -> Result<Reproduced> {
    let all = experiments();
    let experiment = all
        .iter()
        .find(|experiment| experiment.name == name)
        .ok_or_else(|| unknown("experiment", name, all.iter().map(|experiment| experiment.name)))?;
    data.check(experiment)?;
    (experiment.run)(data, progress)
}
