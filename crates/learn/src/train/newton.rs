//! Weights of a linear function by Newton's method.
//!
//! Similarity vectors are short, so the exact second derivative is cheap and a dozen steps reach the
//! optimum to the last digits. Stochastic methods would need more than a thousand rounds, because
//! similarities are so strongly correlated.

use super::loss::Loss;
use super::rows::Rows;
use lookalike_core::{Error, Result};

/// A linear function of standardised rows.
pub struct Solution {
    pub weights: Vec<f64>,
    pub bias: f64,
    pub converged: bool,
}

/// Minimises ½ · ridge · |weights|² + Σ weight · loss. The bias is free.
pub fn minimise(rows: &Rows, ridge: f64, loss: &dyn Loss) -> Result<Solution> {
    const MOST_STEPS: usize = 100;
    // Relative to the objective. Near the end, the predicted gain of a step is what is left to
    // gain.
    const LITTLE: f64 = 1e-12;
    const LITTLE_IF_STUCK: f64 = 1e-8;
    let size = rows.width + 1;
    let mut point = vec![0.0; size];
    let (mut gradient, mut hessian) = (vec![0.0; size], vec![0.0; size * size]);
    let (mut step, mut trial) = (vec![0.0; size], vec![0.0; size]);
    let mut converged = false;
    for _ in 0..MOST_STEPS {
        let value = derive(rows, ridge, loss, &point, &mut gradient, &mut hessian);
        if !solve(&mut hessian, &gradient, &mut step) {
            return Err(Error::Internal("the second derivative of a convex loss is not positive".to_owned()));
        }
        let promise: f64 = gradient.iter().zip(&step).map(|(g, s)| g * s).sum();
        if promise <= LITTLE * value {
            // Too small to show in the objective, but it still doubles the number of correct
            // digits.
            point.iter_mut().zip(&step).for_each(|(p, s)| *p -= s);
            converged = true;
            break;
        }
        let mut length = 1.0;
        let shorter = loop {
            trial.iter_mut().zip(&point).zip(&step).for_each(|((t, p), s)| *t = p - length * s);
            if objective(rows, ridge, loss, &trial) <= value - 1e-4 * length * promise {
                break true;
            }
            length /= 2.0;
            if length < 1e-10 {
                break false;
            }
        };
        if !shorter {
            // Rounding hides any further improvement.
            converged = promise <= LITTLE_IF_STUCK * value;
            break;
        }
        point.copy_from_slice(&trial);
    }
    let bias = point.pop().unwrap_or(0.0);
    Ok(Solution { weights: point, bias, converged })
}

fn margin(rows: &Rows, place: usize, point: &[f64]) -> f64 {
    let products = rows.row(place).iter().zip(point).map(|(x, w)| x * w);
    rows.sign(place) * (products.sum::<f64>() + point[rows.width])
}

fn objective(rows: &Rows, ridge: f64, loss: &dyn Loss, point: &[f64]) -> f64 {
    let losses = (0..rows.len()).map(|place| rows.weights[place] * loss.at(margin(rows, place, point)).0);
    losses.sum::<f64>() + penalty(ridge, &point[..rows.width])
}

fn penalty(ridge: f64, weights: &[f64]) -> f64 {
    0.5 * ridge * weights.iter().map(|w| w * w).sum::<f64>()
}

/// The objective with its derivatives; only the lower triangle of the second one is filled.
fn derive(
    rows: &Rows,
    ridge: f64,
    loss: &dyn Loss,
    point: &[f64],
    gradient: &mut [f64],
    hessian: &mut [f64],
) -> f64 {
    // Keeps the matrix solvable if no example affects the bias or a constant column.
    const TRACE: f64 = 1e-9;
    let (width, size) = (rows.width, rows.width + 1);
    gradient.fill(0.0);
    hessian.fill(0.0);
    let mut value = penalty(ridge, &point[..width]);
    for place in 0..rows.len() {
        let (row, sign, weight) = (rows.row(place), rows.sign(place), rows.weights[place]);
        let (amount, first, second) = loss.at(margin(rows, place, point));
        value += weight * amount;
        let (pull, bend) = (weight * first * sign, weight * second);
        let x = |at: usize| if at == width { 1.0 } else { row[at] };
        for at in 0..size {
            gradient[at] += pull * x(at);
            let scaled = bend * x(at);
            if scaled != 0.0 {
                (0..=at).for_each(|other| hessian[at * size + other] += scaled * x(other));
            }
        }
    }
    for at in 0..width {
        gradient[at] += ridge * point[at];
        hessian[at * size + at] += ridge;
    }
    (0..size).for_each(|at| hessian[at * size + at] += TRACE * (1.0 + hessian[at * size + at]));
    value
}

/// Solves matrix · x = right by Cholesky's decomposition, in place. False if it is not positive.
fn solve(matrix: &mut [f64], right: &[f64], x: &mut [f64]) -> bool {
    let size = right.len();
    for i in 0..size {
        for j in 0..=i {
            let product: f64 = (0..j).map(|k| matrix[i * size + k] * matrix[j * size + k]).sum();
            let rest = matrix[i * size + j] - product;
            if i == j {
                if rest.is_nan() || rest <= 0.0 {
                    return false;
                }
                matrix[i * size + i] = rest.sqrt();
            } else {
                matrix[i * size + j] = rest / matrix[j * size + j];
            }
        }
    }
    for i in 0..size {
        let product: f64 = (0..i).map(|k| matrix[i * size + k] * x[k]).sum();
        x[i] = (right[i] - product) / matrix[i * size + i];
    }
    for i in (0..size).rev() {
        let product: f64 = (i + 1..size).map(|k| matrix[k * size + i] * x[k]).sum();
        x[i] = (x[i] - product) / matrix[i * size + i];
    }
    true
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::train::loss::LogLoss;
    use proptest::prelude::*;

    proptest! {
        /// The objective is convex: a point that is better than all its neighbours is the best of
        /// all.
        #[test]
        fn no_neighbour_is_better(
            data in prop::collection::vec((-2.0..2.0f64, -2.0..2.0f64, any::<bool>(), 0.1..5.0f64), 2..40),
            ridge in 0.01..10.0f64,
        ) {
            let rows = Rows {
                width: 2,
                values: data.iter().flat_map(|row| [row.0, row.1]).collect(),
                labels: data.iter().map(|row| row.2).collect(),
                weights: data.iter().map(|row| row.3).collect(),
            };
            prop_assume!(rows.labels.contains(&true) && rows.labels.contains(&false));
            let solution = minimise(&rows, ridge, &LogLoss).unwrap();
            prop_assert!(solution.converged);
            let point = [solution.weights[0], solution.weights[1], solution.bias];
            let least = objective(&rows, ridge, &LogLoss, &point);
            for at in 0..3 {
                for aside in [-1e-3, 1e-3] {
                    let mut other = point;
                    other[at] += aside;
                    prop_assert!(objective(&rows, ridge, &LogLoss, &other) > least);
                }
            }
        }
    }

    #[test]
    fn solves_by_hand() {
        // 4x + 2y = 10 and 2x + 3y = 11 meet at (1, 3).
        let mut x = [0.0; 2];
        assert!(solve(&mut [4.0, 0.0, 2.0, 3.0], &[10.0, 11.0], &mut x));
        assert!((x[0] - 1.0).abs() < 1e-12 && (x[1] - 3.0).abs() < 1e-12, "{x:?}");
        assert!(!solve(&mut [1.0, 0.0, 2.0, 1.0], &[1.0, 1.0], &mut x));
    }
}
