//! Solves the dual problem of a kernel machine by sequential minimal optimisation: two coefficients at
//! a time, the pair with the largest gain by second order.

/// A kernel machine's coefficients, by row and signed by class, and its bias.
pub struct Solution {
    pub coefficients: Vec<f64>,
    pub bias: f64,
    pub converged: bool,
}

/// `kernel` is the full matrix, with 1 on its diagonal; `limits` are the largest coefficients.
pub fn solve(kernel: &[f32], labels: &[bool], limits: &[f64]) -> Solution {
    const ENOUGH: f64 = 1e-3;
    const FLAT: f64 = 1e-12;
    let count = labels.len();
    let sign = |at: usize| if labels[at] { 1.0 } else { -1.0 };
    // Unsigned coefficients, and each row's score without bias minus its sign.
    let mut amounts = vec![0.0f64; count];
    let mut errors: Vec<f64> = (0..count).map(|at| -sign(at)).collect();
    let may_rise = |at: usize, amount: f64| if labels[at] { amount < limits[at] } else { amount > 0.0 };
    let may_fall = |at: usize, amount: f64| if labels[at] { amount > 0.0 } else { amount < limits[at] };
    let mut converged = false;
    let (mut lowest, mut highest) = (0.0, 0.0);
    for _ in 0..40 * count.max(2500) {
        let mut up = None;
        (lowest, highest) = (f64::INFINITY, f64::NEG_INFINITY);
        for at in 0..count {
            if may_rise(at, amounts[at]) && errors[at] < lowest {
                (up, lowest) = (Some(at), errors[at]);
            }
            if may_fall(at, amounts[at]) {
                highest = highest.max(errors[at]);
            }
        }
        let Some(up) = up.filter(|_| highest - lowest >= ENOUGH) else {
            converged = true;
            break;
        };
        let up_row = &kernel[up * count..(up + 1) * count];
        let (mut down, mut most, mut step) = (up, 0.0, 0.0);
        for at in 0..count {
            let gap = errors[at] - lowest;
            if gap > 0.0 && may_fall(at, amounts[at]) {
                let bend = (2.0 - 2.0 * f64::from(up_row[at])).max(FLAT);
                if gap * gap / bend > most {
                    (down, most, step) = (at, gap * gap / bend, gap / bend);
                }
            }
        }
        let room_up = if labels[up] { limits[up] - amounts[up] } else { amounts[up] };
        let room_down = if labels[down] { amounts[down] } else { limits[down] - amounts[down] };
        let step = step.min(room_up).min(room_down);
        // A coefficient that reaches its limit is set to it exactly, or it would be chosen for
        // ever.
        let end = |at: usize, full: bool| if full { limits[at] } else { 0.0 };
        amounts[up] = if step == room_up { end(up, labels[up]) } else { amounts[up] + sign(up) * step };
        amounts[down] =
            if step == room_down { end(down, !labels[down]) } else { amounts[down] - sign(down) * step };
        let down_row = &kernel[down * count..(down + 1) * count];
        for ((error, raised), lowered) in errors.iter_mut().zip(up_row).zip(down_row) {
            *error += step * (f64::from(*raised) - f64::from(*lowered));
        }
    }
    // Rows that are neither at 0 nor at their limit lie on the margin.
    let free = (0..count).filter(|&at| amounts[at] > 0.0 && amounts[at] < limits[at]);
    let (sum, on_margin) = free.fold((0.0, 0), |(sum, n), at| (sum + errors[at], n + 1));
    let centre = if on_margin > 0 { sum / f64::from(on_margin) } else { lowest / 2.0 + highest / 2.0 };
    let coefficients = amounts.iter().enumerate().map(|(at, amount)| amount * sign(at)).collect();
    Solution { coefficients, bias: if centre.is_finite() { -centre } else { 0.0 }, converged }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        /// A solution is optimal exactly if it satisfies the Karush-Kuhn-Tucker conditions.
        #[test]
        fn the_solution_is_optimal(
            data in prop::collection::vec((-2.0..2.0f64, any::<bool>(), 0.1..20.0f64), 2..30),
        ) {
            let labels: Vec<bool> = data.iter().map(|row| row.1).collect();
            let limits: Vec<f64> = data.iter().map(|row| row.2).collect();
            prop_assume!(labels.contains(&true) && labels.contains(&false));
            let near = |a: f64, b: f64| (-(a - b) * (a - b)).exp() as f32;
            let kernel: Vec<f32> = data.iter().flat_map(|a| data.iter().map(move |b| near(a.0, b.0))).collect();
            let solution = solve(&kernel, &labels, &limits);
            prop_assert!(solution.converged);
            prop_assert!(solution.coefficients.iter().sum::<f64>().abs() < 1e-9);
            for (at, (&coefficient, row)) in solution.coefficients.iter().zip(kernel.chunks(data.len())).enumerate() {
                let sign = if labels[at] { 1.0 } else { -1.0 };
                let sum: f64 = row.iter().zip(&solution.coefficients).map(|(k, c)| f64::from(*k) * c).sum();
                let (margin, amount) = (sign * (sum + solution.bias), sign * coefficient);
                prop_assert!((0.0..=limits[at]).contains(&amount));
                prop_assert!(amount == limits[at] || margin > 0.998, "{margin} inside the margin with {amount}");
                prop_assert!(amount == 0.0 || margin < 1.002, "{margin} outside the margin with {amount}");
            }
        }
    }

    #[test]
    fn two_rows_by_hand() {
        // Orthogonal rows of two classes: score ±(a - 0), equal coefficients of 1 put both on the margin.
        let solution = solve(&[1.0, 0.0, 0.0, 1.0], &[true, false], &[10.0, 10.0]);
        assert!(solution.converged);
        assert!(
            (solution.coefficients[0] - 1.0).abs() < 1e-9 && (solution.coefficients[1] + 1.0).abs() < 1e-9
        );
        assert!(solution.bias.abs() < 1e-9);
        let limited = solve(&[1.0, 0.0, 0.0, 1.0], &[true, false], &[0.25, 10.0]);
        assert_eq!(limited.coefficients, [0.25, -0.25]);
    }
}
