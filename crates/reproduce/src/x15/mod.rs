//! X15 describes a framework and no measurements; here its parts are measured: the classifier against
//! the best single threshold, the whole pipeline, bags of words against shingles, and whether tuned
//! recipes keep what they promise.

mod bags;
mod classifier;
mod pipeline;
mod tune;

pub use bags::EXPERIMENT as BAGS;
pub use classifier::EXPERIMENT as CLASSIFIER;
pub use pipeline::EXPERIMENT as PIPELINE;
pub use tune::EXPERIMENT as TUNE;

/// Figures of quality have four digits everywhere.
fn four(figure: f64) -> String {
    format!("{figure:.4}")
}

fn row<const N: usize>(cells: [&str; N]) -> Vec<String> {
    cells.map(str::to_owned).to_vec()
}
