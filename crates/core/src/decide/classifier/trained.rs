//! A trained model with what its vectors mean.

use super::model::Model;
use super::schema::Schema;

/// The part of a model file that a decider needs.
#[derive(Clone, Debug)]
pub struct Trained {
    /// What the model's vectors mean.
    pub schema: Schema,
    /// The model itself.
    pub model: Model,
    /// Tells models apart, whatever their files are called.
    pub id: String,
}
