//! The support vector machine with a radial kernel: pairs nearer to near-duplicates are near-duplicates.

use super::learner::{Fit, Fitter, Learner};
use super::linear::{LEAST_REGULARISATION, MOST_REGULARISATION, REGULARISATION};
use super::rows::Rows;
use super::settings::{AIM, CLASS_WEIGHT, POSITIVE_WEIGHT, PRECISION, SEED, Settings};
use super::{pipeline, smo};
use crate::Examples;
use crate::random::Random;
use lookalike_core::Result;
use lookalike_core::decide::classifier::Function;
use lookalike_core::maths::exp_each;
use lookalike_core::registry::{Param, Params, PartInfo, Spec};
use lookalike_core::threads;

/// If there are more rows than this, some are drawn: the matrix of all pairs of rows takes 16 MB at this size,
/// and training with its test fits dozens of machines.
const MOST_ROWS: usize = 2000;

pub struct KernelSvm {
    pub regularisation: f64,
    /// None stands for 1 / number of components.
    pub gamma: Option<f64>,
    pub settings: Settings,
}

impl KernelSvm {
    pub const INFO: PartInfo = PartInfo {
        name: "kernel-svm",
        summary: "Support vector machine with a radial (RBF) kernel: curved boundaries, slower than the linear one",
        paper: "X15",
        params: &[
            REGULARISATION,
            Param {
                name: "gamma",
                default: "1 / components",
                help: "how quickly an example's influence falls with distance, on standardised values",
            },
            CLASS_WEIGHT,
            POSITIVE_WEIGHT,
            AIM,
            PRECISION,
            SEED,
        ],
    };

    pub fn from_params(params: &mut Params) -> Result<Self> {
        let range = LEAST_REGULARISATION..=MOST_REGULARISATION;
        Ok(KernelSvm {
            regularisation: params.number(REGULARISATION.name, 1.0, range)?,
            gamma: params.optional_number("gamma", 1e-6..=1e6)?,
            settings: Settings::from_params(params)?,
        })
    }
}

impl Learner for KernelSvm {
    fn spec(&self) -> Spec {
        let spec = Spec::new(Self::INFO.name).with(REGULARISATION.name, self.regularisation);
        let spec = if let Some(gamma) = self.gamma { spec.with("gamma", gamma) } else { spec };
        self.settings.write(spec)
    }

    fn train(&self, examples: &Examples) -> Result<Fit> {
        pipeline::train(self, examples, threads::available())
    }
}

impl Fitter for KernelSvm {
    fn settings(&self) -> &Settings {
        &self.settings
    }

    fn function(&self, rows: &Rows, _threads: usize, notes: &mut Vec<String>) -> Result<Function> {
        let gamma = self.gamma.unwrap_or(1.0 / rows.width as f64);
        let thinned = draw_rows(rows, MOST_ROWS, self.settings.seed);
        if thinned.is_some() {
            notes.push(format!(
                "trained on {MOST_ROWS} of {} examples drawn at random; a kernel machine takes no more",
                rows.len()
            ));
        }
        let rows = thinned.as_ref().unwrap_or(rows);
        let limits: Vec<f64> = rows.weights.iter().map(|weight| weight * self.regularisation).collect();
        let solution = smo::solve(&matrix(rows, gamma), &rows.labels, &limits);
        if !solution.converged {
            notes.push(
                "the machine had not settled when training stopped; try a lower regularisation".to_owned(),
            );
        }
        let used: Vec<usize> = (0..rows.len()).filter(|&place| solution.coefficients[place] != 0.0).collect();
        Ok(Function::Kernel {
            gamma,
            bias: solution.bias,
            support: used.iter().map(|&place| rows.row(place).to_vec()).collect(),
            coefficients: used.iter().map(|&place| solution.coefficients[place]).collect(),
        })
    }
}

/// How near each row is to each other. Single precision halves the memory and is far more exact than the solution.
fn matrix(rows: &Rows, gamma: f64) -> Vec<f32> {
    const LANES: usize = 8;
    let count = rows.len();
    let mut matrix = vec![1.0f32; count * count];
    let mut columns = vec![[0.0; LANES]; rows.width];
    // A few rows at a time lie side by side, component by component: one instruction then works on several of them.
    for start in (0..count).step_by(LANES) {
        let lanes = LANES.min(count - start);
        for (component, column) in columns.iter_mut().enumerate() {
            for (lane, value) in column.iter_mut().enumerate().take(lanes) {
                *value = rows.row(start + lane)[component];
            }
        }
        for a in start + 1..count {
            let mut apart = [0.0; LANES];
            for (value, column) in rows.row(a).iter().zip(&columns) {
                apart
                    .iter_mut()
                    .zip(column)
                    .for_each(|(sum, other)| *sum += (value - other) * (value - other));
            }
            let near = exp_each(apart.map(|apart| -gamma * apart));
            for (b, &near) in (start..a).zip(&near[..lanes]) {
                matrix[a * count + b] = near as f32;
                matrix[b * count + a] = near as f32;
            }
        }
    }
    matrix
}

/// At most `most` rows, drawn at random: half of them from the rarer class if it has so many. The
/// remaining rows weigh as much as their whole class did.
fn draw_rows(rows: &Rows, most: usize, seed: u64) -> Option<Rows> {
    if rows.len() <= most {
        return None;
    }
    let places = |class: bool| (0..rows.len()).filter(|&place| rows.labels[place] == class).collect();
    let mut classes: [Vec<usize>; 2] = [places(true), places(false)];
    classes.sort_by_key(Vec::len);
    let rare = classes[0].len().min(most / 2);
    let mut kept = Vec::with_capacity(most);
    for (mut class, keep) in classes.into_iter().zip([rare, most - rare]) {
        Random::new(seed, 0x7468_696e).draw(&mut class, keep);
        let grown = class.len() as f64 / keep as f64;
        kept.extend(class[..keep].iter().map(|&place| (place, rows.weights[place] * grown)));
    }
    kept.sort_by_key(|&(place, _)| place);
    Some(Rows {
        width: rows.width,
        values: kept.iter().flat_map(|&(place, _)| rows.row(place).iter().copied()).collect(),
        labels: kept.iter().map(|&(place, _)| rows.labels[place]).collect(),
        weights: kept.iter().map(|&(_, weight)| weight).collect(),
    })
}

#[cfg(test)]
mod tests {
    use lookalike_core::maths::exp;
    use proptest::prelude::*;

    use super::*;

    proptest! {
        /// Every entry is, to the last bit, what two rows give by themselves.
        #[test]
        fn the_matrix_has_each_pair_of_rows(values in prop::collection::vec(-3.0..3.0f64, 1..120), width in 1..4usize) {
            let count = values.len() / width;
            prop_assume!(count > 0);
            let values = values[..count * width].to_vec();
            let rows = Rows { width, values, labels: vec![true; count], weights: vec![1.0; count] };
            let got = matrix(&rows, 0.7);
            for a in 0..count {
                for b in 0..count {
                    let apart = rows.row(a).iter().zip(rows.row(b)).map(|(x, y)| (x - y) * (x - y)).sum::<f64>();
                    prop_assert_eq!(got[a * count + b].to_bits(), (exp(-0.7 * apart) as f32).to_bits());
                }
            }
        }
    }

    #[test]
    fn thinning_keeps_the_rare_class_and_the_weight_of_both() {
        let labels: Vec<bool> = (0..1000).map(|place| place % 50 == 0).collect();
        let values: Vec<f64> = (0..1000).map(f64::from).collect();
        let rows = Rows { width: 1, values, labels, weights: vec![2.0; 1000] };
        assert!(draw_rows(&rows, 1000, 1).is_none());
        let thinned = &draw_rows(&rows, 100, 1).unwrap();
        assert_eq!(thinned.len(), 100);
        let of = |class: bool| (0..100).filter(move |&place| thinned.labels[place] == class);
        assert_eq!(of(true).count(), 20);
        for (class, all) in [(true, 40.0), (false, 1960.0)] {
            assert!((of(class).map(|place| thinned.weights[place]).sum::<f64>() - all).abs() < 1e-9);
        }
        assert!((0..100).all(|at| thinned.labels[at] == (thinned.values[at] as usize).is_multiple_of(50)));
    }
}
