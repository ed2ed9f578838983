//! Whether examples can be used for learning.

use crate::Examples;
use lookalike_core::decide::classifier::MOST_COMPONENTS;
use lookalike_core::{Error, Result};

/// Refuses examples that no learner could use.
pub fn check_examples(examples: &Examples) -> Result<()> {
    // Sums of squares stay finite below this.
    const MOST: f64 = 1e100;
    let (width, rows) = (examples.width, examples.len());
    if width == 0 || width > MOST_COMPONENTS {
        return Err(Error::input(format!(
            "the examples have {width} components; it must be from 1 to {MOST_COMPONENTS}"
        )));
    }
    if examples.values.len() != width * rows
        || examples.groups.len() != rows
        || examples.weights.len() != rows
        || examples.weights.iter().any(|weight| !(weight.is_finite() && *weight > 0.0))
    {
        return Err(Error::Internal(
            "examples whose values, labels, groups and weights do not fit each other".to_owned(),
        ));
    }
    let unusable = |value: &f64| value.is_nan() || value.abs() > MOST;
    if let Some(place) = examples.values.iter().position(unusable) {
        return Err(Error::input(format!(
            "component {} of example {} is {}, which is no usable number",
            place % width,
            place / width,
            examples.values[place]
        )));
    }
    match examples.positives() {
        0 => Err(Error::input(format!(
            "none of the {rows} examples is a near-duplicate; label some pairs that are"
        ))),
        all if all == rows => Err(Error::input(format!(
            "all {rows} examples are near-duplicates; label some pairs that are not"
        ))),
        _ => Ok(()),
    }
}
