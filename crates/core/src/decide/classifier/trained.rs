//! A trained model with what its vectors mean.

use super::model::Model;
use super::schema::Schema;

/// What a model file holds of use here.
#[derive(Clone, Debug)]
pub struct Trained {
    /// What the model's vectors mean.
    pub schema: Schema,
    /// The model itself.
    pub model: Model,
    /// Tells models apart, whatever their files are called.
    pub id: String,
}
