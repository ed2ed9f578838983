//! The discriminative functions that learners produce.

use serde::{Deserialize, Serialize};

use super::schema::MOST_COMPONENTS;
use super::standard::Standard;
use super::trees::Tree;
use crate::error::{Error, Result};
use crate::maths::{exp, exp_each};

/// F(V) of a standardised vector; near-duplicate when it is at least 0.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "kebab-case", deny_unknown_fields)]
pub enum Function {
    /// One component against a threshold.
    Threshold {
        /// The component that decides.
        component: usize,
        /// The value that it must reach.
        threshold: f64,
    },
    /// A weighted sum: linear support vector machine and logistic regression.
    Linear {
        /// A weight for each component.
        weights: Vec<f64>,
        /// What is added to the sum.
        bias: f64,
    },
    /// A weighted sum of how near the vector is to each support vector: coefficient · e^(-gamma · distance²).
    Kernel {
        /// How fast nearness falls with distance.
        gamma: f64,
        /// What is added to the sum.
        bias: f64,
        /// The support vectors.
        support: Vec<Vec<f64>>,
        /// A coefficient for each support vector.
        coefficients: Vec<f64>,
    },
    /// The mean of the trees' values, moved by the offset.
    Trees {
        /// The trees.
        trees: Vec<Tree>,
        /// What is added to the mean.
        offset: f64,
    },
    /// The mean of the members' votes, moved by the offset. A vote is from -1 to 1: how sure a member is.
    Vote {
        /// Functions of the same vector; none of them votes itself.
        members: Vec<Function>,
        /// What is added to the mean.
        offset: f64,
    },
}

impl Function {
    /// Moves the zero of the function to where it had this score.
    pub fn move_zero(&mut self, score: f64) {
        match self {
            Function::Threshold { threshold, .. } => *threshold += score,
            Function::Linear { bias, .. } | Function::Kernel { bias, .. } => *bias -= score,
            Function::Trees { offset, .. } | Function::Vote { offset, .. } => *offset -= score,
        }
    }

    pub(super) fn score(&self, standard: &Standard, vector: &[f64]) -> f64 {
        match self {
            Function::Threshold { component, threshold } => {
                standard.value(*component, vector[*component]) - threshold
            }
            Function::Linear { weights, bias } => {
                let products =
                    weights.iter().enumerate().map(|(at, weight)| weight * standard.value(at, vector[at]));
                bias + products.sum::<f64>()
            }
            Function::Kernel { gamma, bias, support, coefficients } => {
                with_standardised(standard, vector, |values| {
                    bias + kernel_sum(*gamma, support, coefficients, values)
                })
            }
            Function::Trees { trees, offset } => with_standardised(standard, vector, |values| {
                let value = |component: usize| values[component];
                offset + trees.iter().map(|tree| tree.value(value)).sum::<f64>() / trees.len() as f64
            }),
            Function::Vote { members, offset } => {
                let votes = members.iter().map(|member| member.vote(member.score(standard, vector)));
                offset + votes.sum::<f64>() / members.len() as f64
            }
        }
    }

    /// How sure the function is with this score, from -1 to 1. Of a weighted sum the score is taken for the
    /// logarithm of the odds, of a kernel function for a margin; the mean of trees is between -1 and 1 already.
    fn vote(&self, score: f64) -> f64 {
        match self {
            Function::Linear { .. } => tanh(score / 2.0),
            Function::Threshold { .. } | Function::Kernel { .. } => tanh(score),
            Function::Trees { .. } | Function::Vote { .. } => score,
        }
    }

    /// The score before any component is counted.
    pub(super) fn base(&self) -> f64 {
        match self {
            Function::Threshold { threshold, .. } => -threshold,
            Function::Linear { bias, .. } => *bias,
            Function::Kernel { gamma, bias, support, coefficients } => {
                // A vector of means is standardised to nothing.
                let mean = [0.0; MOST_COMPONENTS];
                let width = support.first().map_or(0, Vec::len);
                bias + kernel_sum(*gamma, support, coefficients, &mean[..width])
            }
            Function::Trees { trees, offset } => {
                offset + trees.iter().map(Tree::root_value).sum::<f64>() / trees.len() as f64
            }
            Function::Vote { members, offset } => {
                let votes = members.iter().map(|member| member.vote(member.base()));
                offset + votes.sum::<f64>() / members.len() as f64
            }
        }
    }

    pub(super) fn contributions(&self, standard: &Standard, vector: &[f64], out: &mut [f64]) {
        match self {
            Function::Threshold { component, .. } => {
                out[*component] = standard.value(*component, vector[*component]);
            }
            Function::Linear { weights, .. } => {
                for (at, weight) in weights.iter().enumerate() {
                    out[at] = weight * standard.value(at, vector[at]);
                }
            }
            Function::Kernel { gamma, support, coefficients, .. } => {
                with_standardised(standard, vector, |values| {
                    let mut without = [0.0; MOST_COMPONENTS.next_multiple_of(AT_ONCE)];
                    for (row, coefficient) in support.iter().zip(coefficients) {
                        let distance = squared_distance(values, row);
                        let near = exp(-gamma * distance);
                        for ((value, other), without) in values.iter().zip(row).zip(&mut without) {
                            // The mean is 0, so this component's part of the distance becomes other².
                            let apart = value - other;
                            *without = -gamma * ((distance - apart * apart).max(0.0) + other * other);
                        }
                        for (some, shares) in without.as_chunks().0.iter().zip(out.chunks_mut(AT_ONCE)) {
                            let left: [f64; AT_ONCE] = exp_each(*some);
                            let shares = shares.iter_mut().zip(left);
                            shares.for_each(|(share, left)| *share += coefficient * (near - left));
                        }
                    }
                });
            }
            Function::Trees { trees, .. } => {
                let value = |component: usize| standard.value(component, vector[component]);
                for tree in trees {
                    tree.walk(value, |component, change| out[component] += change / trees.len() as f64);
                }
            }
            Function::Vote { members, .. } => {
                let mut shares = [0.0; MOST_COMPONENTS];
                let shares = &mut shares[..out.len()];
                for member in members {
                    shares.fill(0.0);
                    member.contributions(standard, vector, shares);
                    // The vote moves less than the score: each share of the score becomes as much less.
                    let (base, score) = (member.base(), member.score(standard, vector));
                    let moved = member.vote(score) - member.vote(base);
                    let part =
                        if score == base { 0.0 } else { moved / (score - base) / members.len() as f64 };
                    out.iter_mut().zip(&*shares).for_each(|(out, share)| *out += part * share);
                }
            }
        }
    }

    pub(super) fn check(&self, width: usize) -> Result<()> {
        let wrong = |message: String| Err(Error::Incompatible(format!("the model's function {message}")));
        match self {
            Function::Threshold { component, threshold } => {
                if *component >= width {
                    return wrong(format!("asks for component {component} of {width}"));
                }
                if !threshold.is_finite() {
                    return wrong(format!("has threshold {threshold}"));
                }
            }
            Function::Linear { weights, bias } => {
                if weights.len() != width {
                    return wrong(format!("has {} weights for {width} components", weights.len()));
                }
                if !bias.is_finite() || !all_finite(weights) {
                    return wrong("has a weight or bias that is not a finite number".to_owned());
                }
            }
            Function::Kernel { gamma, bias, support, coefficients } => {
                if support.len() != coefficients.len() {
                    return wrong(format!(
                        "has {} support vectors but {} coefficients",
                        support.len(),
                        coefficients.len()
                    ));
                }
                if let Some(row) = support.iter().find(|row| row.len() != width) {
                    return wrong(format!("has a support vector of {} components, not {width}", row.len()));
                }
                let finite = bias.is_finite() && all_finite(coefficients);
                if !finite || !support.iter().all(|row| all_finite(row)) {
                    return wrong("has a number that is not finite".to_owned());
                }
                if !(gamma.is_finite() && *gamma > 0.0) {
                    return wrong(format!("has gamma {gamma}; it must be above 0"));
                }
            }
            Function::Trees { trees, offset } => {
                if trees.is_empty() || !offset.is_finite() {
                    return wrong(format!("has {} trees and offset {offset}", trees.len()));
                }
                trees.iter().try_for_each(|tree| tree.check(width))?;
            }
            Function::Vote { members, offset } => {
                if members.is_empty() || !offset.is_finite() {
                    return wrong(format!("has {} members and offset {offset}", members.len()));
                }
                if members.iter().any(|member| matches!(member, Function::Vote { .. })) {
                    return wrong("has a vote as a member of a vote".to_owned());
                }
                members.iter().try_for_each(|member| member.check(width))?;
            }
        }
        Ok(())
    }
}

fn all_finite(numbers: &[f64]) -> bool {
    numbers.iter().all(|number| number.is_finite())
}

fn tanh(x: f64) -> f64 {
    let double = exp(-2.0 * x.abs());
    ((1.0 - double) / (1.0 + double)).copysign(x)
}

/// Standardises the vector once, not for every support vector, and without allocation.
fn with_standardised<T>(standard: &Standard, vector: &[f64], use_values: impl FnOnce(&[f64]) -> T) -> T {
    let mut values = [0.0; MOST_COMPONENTS];
    for (at, raw) in vector.iter().enumerate() {
        values[at] = standard.value(at, *raw);
    }
    use_values(&values[..vector.len()])
}

/// As many exponentials are computed together.
const AT_ONCE: usize = 8;

fn kernel_sum(gamma: f64, support: &[Vec<f64>], coefficients: &[f64], values: &[f64]) -> f64 {
    let rows = support.chunks(AT_ONCE).flat_map(|rows| {
        let mut far = [0.0; AT_ONCE];
        far.iter_mut().zip(rows).for_each(|(far, row)| *far = -gamma * squared_distance(values, row));
        exp_each(far)
    });
    coefficients.iter().zip(rows).map(|(coefficient, near)| coefficient * near).sum()
}

fn squared_distance(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(x, y)| (x - y) * (x - y)).sum()
}
