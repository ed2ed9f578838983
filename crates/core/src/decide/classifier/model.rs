//! A trained function of a similarity vector.

use serde::{Deserialize, Serialize};

/// Standardisation, function and calibration: everything from raw values to a verdict.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Model {}
