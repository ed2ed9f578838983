//! X15 describes a framework without measurements. Here its parts are measured: the classifier
//! compared with the best single threshold, the whole pipeline, bags of words compared with shingles,
//! and whether tuned recipes reach their expected quality.

mod bags;
mod classifier;
mod collections;
mod pipeline;
mod tune;
mod unseen;

pub use bags::EXPERIMENT as BAGS;
pub use classifier::EXPERIMENT as CLASSIFIER;
pub use pipeline::EXPERIMENT as PIPELINE;
pub use tune::EXPERIMENT as TUNE;

/// Of everything that is drawn by lot.
const SEED: u64 = 1;

/// All figures of quality have four digits.
fn four(figure: f64) -> String {
    format!("{figure:.4}")
}

fn row<const N: usize>(cells: [&str; N]) -> Vec<String> {
    cells.map(str::to_owned).to_vec()
}
