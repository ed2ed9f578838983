//! Components brought to one scale, so that none counts more because its figures are larger.

use serde::{Deserialize, Serialize};

use crate::error::{Error, Result};

/// Mean and scale of each component in the training examples.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Standard {
    /// What is subtracted from each component.
    pub mean: Vec<f64>,
    /// Above 0.
    pub scale: Vec<f64>,
}

impl Standard {
    /// Leaves every value as it is.
    pub fn identity(width: usize) -> Self {
        Standard { mean: vec![0.0; width], scale: vec![1.0; width] }
    }

    /// How many components a vector has.
    pub fn width(&self) -> usize {
        self.mean.len()
    }

    /// The standardised value of a component; 0 is the mean.
    #[inline]
    pub fn value(&self, component: usize, raw: f64) -> f64 {
        (raw - self.mean[component]) / self.scale[component]
    }

    /// Refuses numbers that cannot be computed with.
    pub fn check(&self) -> Result<()> {
        if self.mean.len() != self.scale.len() {
            return Err(Error::Incompatible(format!(
                "the model has {} means but {} scales",
                self.mean.len(),
                self.scale.len()
            )));
        }
        let places = self.mean.iter().zip(&self.scale);
        match places
            .into_iter()
            .position(|(mean, scale)| !(mean.is_finite() && scale.is_normal() && *scale > 0.0))
        {
            None => Ok(()),
            Some(component) => Err(Error::Incompatible(format!(
                "the model standardises component {component} by mean {} and scale {}; both must be finite, the \
                 scale above 0",
                self.mean[component], self.scale[component]
            ))),
        }
    }
}
