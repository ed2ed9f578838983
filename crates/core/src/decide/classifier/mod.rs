//! A trained decision: near-duplicate when the discriminative function of the pair's similarity
//! vector, F(V), is at least 0 (X15).

mod model;

pub use model::Model;
