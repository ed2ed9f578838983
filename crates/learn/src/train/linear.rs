//! What the linear learners share: their regularisation, and the fit itself.

use super::loss::Loss;
use super::newton::minimise;
use super::rows::Rows;
use lookalike_core::Result;
use lookalike_core::decide::classifier::Function;
use lookalike_core::registry::Param;

pub(super) const REGULARISATION: Param = Param {
    name: "regularisation",
    default: "1",
    help: "C: the more, the closer to the examples; the less, the smoother",
};
pub(super) const LEAST_REGULARISATION: f64 = 1e-6;
pub(super) const MOST_REGULARISATION: f64 = 1e6;

/// The linear function with the least regularised loss.
pub(super) fn linear(
    rows: &Rows,
    regularisation: f64,
    loss: &dyn Loss,
    notes: &mut Vec<String>,
) -> Result<Function> {
    let solution = minimise(rows, 1.0 / regularisation, loss)?;
    if !solution.converged {
        notes
            .push("the weights had not settled when training stopped; try a lower regularisation".to_owned());
    }
    Ok(Function::Linear { weights: solution.weights, bias: solution.bias })
}
