//! A trained decision: near-duplicate when the discriminative function of the pair's similarity
//! vector, F(V), is at least 0 (X15).

mod calibration;
mod function;
mod model;
mod standard;
mod trees;

pub use calibration::Calibration;
pub use function::Function;
pub use model::{MOST_COMPONENTS, Model};
pub use standard::Standard;
pub use trees::{Node, Split, Tree};
