//! From examples to a model, for every learner.
//!
//! The function is fitted to all examples, and again several times, each time without one part of
//! them. The scores of each part by the function that has not seen it show how the function treats
//! new pairs: they determine its zero and the calibration of its scores.
//!
//! A pair between two parts is scored by both functions that lack one of them, and gets their mean.
//! Without such pairs the zero would be based on fewer different documents than a run has: of pairs of
//! different documents, nearly all are between parts.

use super::calibrate::platt;
use super::check::check_examples;
use super::folds::{Folds, grouped_folds, groups_of_each_class};
use super::learner::{Fit, Fitter};
use super::rows::Rows;
use super::zero::{Scored, zero, zeros_without};
use crate::Examples;
use lookalike_core::decide::classifier::{Calibration, Function, Model, Standard};
use lookalike_core::threads::spread;
use lookalike_core::{Error, Result};

const INNER_FOLDS: usize = 5;

/// Trains with this many threads; the model does not depend on them.
pub fn train(fitter: &dyn Fitter, examples: &Examples, threads: usize) -> Result<Fit> {
    check_examples(examples)?;
    let settings = fitter.settings();
    let goal = settings.goal();
    let parts = inner_folds(examples, settings.seed);
    let folds = parts.as_ref().map_or(0, |parts| parts.count);
    let left = 1.0 - 1.0 / folds.max(2) as f64;
    let jobs = folds + 1;
    let inside = (threads / jobs).max(1);
    let mut results = spread(threads.min(jobs), 0..jobs, |job| match (&parts, job.checked_sub(1)) {
        (Some(parts), Some(fold)) => {
            let (test, training) = parts.touching(fold);
            let (model, _) = plain(fitter, &examples.part(&training, left), inside)?;
            let scores = test.into_iter().map(|place| (place, model.score(examples.row(place)))).collect();
            Ok((model, scores, Vec::new()))
        }
        _ => plain(fitter, examples, inside).map(|(model, notes)| (model, Vec::new(), notes)),
    })
    .into_iter()
    .collect::<Result<Vec<(Model, Vec<(usize, f64)>, Vec<String>)>>>()?
    .into_iter();
    let Some((mut model, _, mut notes)) = results.next() else {
        return Err(Error::Internal("training ended without a model".to_owned()));
    };
    let labels = &examples.labels;
    let mut scores: Vec<f64>;
    let mut zeros = vec![0.0; examples.len()];
    if folds > 0 {
        scores = vec![0.0; examples.len()];
        let mut times = vec![0.0; examples.len()];
        for (place, score) in results.flat_map(|(_, held_out, _)| held_out) {
            scores[place] += score;
            times[place] += 1.0;
        }
        scores.iter_mut().zip(&times).for_each(|(score, times)| *score /= times);
        if fitter.moves() {
            let rows = scores.iter().zip(labels).zip(&examples.weights);
            let rows: Vec<Scored> =
                rows.map(|((&score, &is_near), &weight)| Scored { score, is_near, weight }).collect();
            let zero = zero(&rows, settings)?;
            if let Some(parts) = &parts {
                zeros = zeros_without(parts, &rows, settings)?;
                zeros.iter_mut().for_each(|other| *other -= zero);
            }
            model.function.move_zero(zero);
            scores.iter_mut().for_each(|score| *score -= zero);
        }
    } else {
        notes.push(
            "too few groups of examples to hold some out: confidences rest on the training examples, expect them to \
             be too sure"
                .to_owned(),
        );
        scores = examples.iter().map(|(row, _)| model.score(row)).collect();
    }
    model.calibration = platt(&scores, labels, &examples.weights, &mut notes)?;
    model.check().map_err(|error| Error::Internal(format!("training made an unusable model: {error}")))?;
    let held_out = scores.iter().zip(&zeros).map(|(score, zero)| score >= zero).collect();
    Ok(Fit { model, held_out, goal, notes })
}

/// Folds such that each leaves examples of both classes for training, if there are enough groups.
fn inner_folds(examples: &Examples, seed: u64) -> Option<Folds> {
    let (positive, negative) = groups_of_each_class(examples);
    let parts = grouped_folds(examples, INNER_FOLDS.min(positive).min(negative), seed).ok()?;
    (parts.spreads(&examples.labels, true) && parts.spreads(&examples.labels, false)).then_some(parts)
}

/// The function of the learner.
fn plain(fitter: &dyn Fitter, examples: &Examples, threads: usize) -> Result<(Model, Vec<String>)> {
    let standard =
        if fitter.standardises() { standard(examples) } else { Standard::identity(examples.width) };
    let of = |class: bool| {
        let rows = examples.labels.iter().zip(&examples.weights).filter(move |(label, _)| **label == class);
        rows.map(|(_, weight)| weight).sum::<f64>()
    };
    let (positive, negative) = fitter.settings().weights(of(true), of(false));
    let rows = Rows {
        width: examples.width,
        values: examples
            .iter()
            .flat_map(|(row, _)| row.iter().enumerate().map(|(at, raw)| standard.value(at, *raw)))
            .collect(),
        labels: examples.labels.clone(),
        weights: examples
            .labels
            .iter()
            .zip(&examples.weights)
            .map(|(&label, weight)| weight * if label { positive } else { negative })
            .collect(),
    };
    let mut notes = Vec::new();
    let function: Function = fitter.function(&rows, threads, &mut notes)?;
    let calibration = Calibration { slope: 1.0, intercept: 0.0 };
    Ok((Model { standard, function, calibration }, notes))
}

/// Mean and standard deviation of each component; constant components keep their scale.
fn standard(examples: &Examples) -> Standard {
    const NOISE: f64 = 1e-12;
    let rows = examples.len() as f64;
    let mut standard = Standard::identity(examples.width);
    for component in 0..examples.width {
        let column = || examples.values.iter().skip(component).step_by(examples.width);
        let mean = column().sum::<f64>() / rows;
        let variance = column().map(|value| (value - mean) * (value - mean)).sum::<f64>() / rows;
        let deviation = variance.sqrt();
        standard.mean[component] = mean;
        if deviation > NOISE * mean.abs() && deviation.is_normal() {
            standard.scale[component] = deviation;
        }
    }
    standard
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn standardised_columns_have_mean_0_and_deviation_1() {
        let mut examples = Examples::new(3);
        for (place, x) in [1.0, 2.0, 6.0, 7.0].into_iter().enumerate() {
            examples.push(&[x, 0.1, x * 1e-200], place % 2 == 0, place as u32);
        }
        let standard = standard(&examples);
        assert_eq!(standard.mean[0], 4.0);
        assert_eq!(standard.scale[0], (26.0f64 / 4.0).sqrt());
        assert_eq!(standard.scale[1..], [1.0, 1.0], "constant, or too small to square");
        standard.check().unwrap();
    }
}
