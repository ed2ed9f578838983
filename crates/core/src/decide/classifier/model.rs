//! Everything from a raw similarity vector to a score and its probability.
//!
//! A model comes from a file, and a file may come from anywhere. What is read is checked before a
//! model exists, so that scoring needs no checks and cannot fail.

use serde::{Deserialize, Serialize};

use super::calibration::Calibration;
use super::function::Function;
use super::schema::MOST_COMPONENTS;
use super::standard::Standard;
use crate::error::{Error, Result};

/// Standardisation, function and calibration.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(try_from = "Unchecked")]
pub struct Model {
    /// Brings the components of a vector to one scale.
    pub standard: Standard,
    /// Turns the standardised vector into a score.
    pub function: Function,
    /// Turns the score into a probability.
    pub calibration: Calibration,
}

impl Model {
    /// The number of values in the vectors that this model judges.
    pub fn width(&self) -> usize {
        self.standard.width()
    }

    /// Refuses a model that could not be computed: numbers that are not finite, places out of range,
    /// trees that go round in circles, parts of different widths.
    pub fn check(&self) -> Result<()> {
        let width = self.width();
        if width == 0 || width > MOST_COMPONENTS {
            return Err(Error::Incompatible(format!(
                "the model is for vectors of {width} components; it must be from 1 to {MOST_COMPONENTS}"
            )));
        }
        self.standard.check()?;
        self.function.check(width)?;
        self.calibration.check()
    }

    /// F(V) of a raw vector: near-duplicate when it is at least 0. If a component is not a number
    /// or the vector has another width, the result is not a number, hence no near-duplicate.
    pub fn score(&self, vector: &[f64]) -> f64 {
        if self.fits(vector) { self.function.score(&self.standard, vector) } else { f64::NAN }
    }

    /// The probability that a pair with this score is a near-duplicate. It rises with the score, and
    /// reaches `confidence(0.0)` exactly when the score reaches 0.
    pub fn confidence(&self, score: f64) -> f64 {
        self.calibration.confidence(score)
    }

    /// The score before any component is counted: a linear function's bias, the value of the trees'
    /// roots, a kernel function at the mean of all examples.
    pub fn base(&self) -> f64 {
        self.function.base()
    }

    /// The signed share of each component in the score.
    ///
    /// For a linear function weight · value, for trees the change of value at the component's splits;
    /// with [`Model::base`] these sum up to the score. A kernel function has no such sum. There it is
    /// how the score changes when the component is put back to its mean and all others stay: unlike a
    /// gradient, that does not vanish far from the boundary, where the clearest pairs lie.
    pub fn contributions(&self, vector: &[f64], out: &mut Vec<f64>) {
        out.clear();
        out.resize(self.width(), 0.0);
        if self.fits(vector) {
            self.function.contributions(&self.standard, vector, out);
        }
    }

    fn fits(&self, vector: &[f64]) -> bool {
        vector.len() == self.width() && !vector.iter().any(|value| value.is_nan())
    }
}

/// A model as it stands in a file.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Unchecked {
    standard: Standard,
    function: Function,
    calibration: Calibration,
}

impl TryFrom<Unchecked> for Model {
    type Error = Error;

    fn try_from(read: Unchecked) -> Result<Self> {
        let model = Model { standard: read.standard, function: read.function, calibration: read.calibration };
        model.check()?;
        Ok(model)
    }
}

#[cfg(test)]
mod tests;
