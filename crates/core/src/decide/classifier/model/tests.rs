use super::*;
use crate::decide::classifier::{Node, Split, Tree};
use proptest::prelude::*;

fn model(function: Function) -> Model {
    let standard = Standard { mean: vec![0.5, 0.25, 0.0], scale: vec![0.5, 0.125, 1.0] };
    Model { standard, function, calibration: Calibration { slope: 1.0, intercept: 0.0 } }
}

fn leaf(value: f64) -> Node {
    Node { value, split: None }
}

fn inner(value: f64, component: usize, threshold: f64, below: usize, above: usize) -> Node {
    Node { value, split: Some(Split { component, threshold, below, above }) }
}

fn linear() -> Function {
    Function::Linear { weights: vec![1.0, -2.0, 0.5], bias: 0.25 }
}

fn kernel() -> Function {
    Function::Kernel {
        gamma: 0.5,
        bias: -0.1,
        support: vec![vec![1.0, 0.0, 0.0], vec![0.0, -1.0, 2.0]],
        coefficients: vec![2.0, -1.5],
    }
}

fn trees() -> Function {
    let deep = vec![inner(0.1, 0, 0.0, 1, 2), leaf(-0.5), inner(0.4, 2, 1.0, 3, 4), leaf(0.0), leaf(1.0)];
    let stump = vec![inner(-0.2, 1, 0.5, 1, 2), leaf(-1.0), leaf(0.75)];
    Function::Trees { trees: vec![Tree { nodes: deep }, Tree { nodes: stump }], offset: 0.05 }
}

fn vote() -> Function {
    Function::Vote { members: vec![linear(), kernel(), trees()], offset: -0.125 }
}

fn threshold() -> Function {
    Function::Threshold { component: 1, threshold: 0.5 }
}

#[test]
fn worked_by_hand() {
    // Standardised: (1, 2, 3).
    let vector = [1.0, 0.5, 3.0];
    assert_eq!(model(linear()).score(&vector), 0.25 + 1.0 - 4.0 + 1.5);
    assert_eq!(model(threshold()).score(&vector), 1.5);
    assert!((model(trees()).score(&vector) - (0.05 + (1.0 + 0.75) / 2.0)).abs() < 1e-15);
    let near = 2.0 * (-0.5f64 * (4.0 + 9.0)).exp();
    let far = 1.5 * (-0.5f64 * (1.0 + 9.0 + 1.0)).exp();
    assert!((model(kernel()).score(&vector) - (-0.1 + near - far)).abs() < 1e-14);
    let votes = (-1.25f64 / 2.0).tanh() + (-0.1 + near - far).tanh() + 0.05 + (1.0 + 0.75) / 2.0;
    assert!((model(vote()).score(&vector) - (votes / 3.0 - 0.125)).abs() < 1e-14);
}

#[test]
fn a_value_at_the_threshold_reaches_it() {
    let raw = Model { standard: Standard::identity(3), ..model(threshold()) };
    assert!(raw.score(&[0.0, 0.5, 0.0]) >= 0.0);
    assert!(raw.score(&[0.0, 0.5f64.next_down(), 0.0]) < 0.0);
    let tree = Tree { nodes: vec![inner(0.0, 0, 0.5, 1, 2), leaf(-1.0), leaf(1.0)] };
    assert_eq!((tree.value(|_| 0.5), tree.value(|_| 0.5f64.next_down())), (1.0, -1.0));
}

#[test]
fn moving_the_zero_takes_the_score_off() {
    let vector = [0.3, 0.8, 0.2];
    for function in [linear(), kernel(), trees(), vote(), threshold()] {
        let before = model(function.clone());
        let mut moved = before.clone();
        moved.function.move_zero(before.score(&vector));
        assert!(moved.score(&vector).abs() < 1e-12, "{function:?}");
    }
}

#[test]
fn vectors_that_do_not_fit_are_no_near_duplicates() {
    for function in [linear(), kernel(), trees(), vote(), threshold()] {
        let model = model(function);
        for vector in [&[][..], &[1.0; 2], &[1.0; 4], &[1.0, f64::NAN, 1.0]] {
            assert!(model.score(vector).is_nan());
            assert_eq!(model.confidence(model.score(vector)), 0.0);
        }
    }
}

proptest! {
    #[test]
    fn base_and_contributions_sum_up_to_the_score(vector in prop::collection::vec(-3.0..3.0f64, 3)) {
        let mut shares = Vec::new();
        let jury = Function::Vote { members: vec![linear(), trees(), threshold()], offset: 0.5 };
        for function in [linear(), trees(), threshold(), jury] {
            let model = model(function);
            model.contributions(&vector, &mut shares);
            let sum = model.base() + shares.iter().sum::<f64>();
            prop_assert!((sum - model.score(&vector)).abs() < 1e-12);
        }
    }

    /// The oracle puts one component to its mean and scores again.
    #[test]
    fn a_kernels_share_is_what_a_component_changes(vector in prop::collection::vec(-3.0..3.0f64, 3)) {
        let model = model(kernel());
        let mut shares = Vec::new();
        model.contributions(&vector, &mut shares);
        for (component, share) in shares.iter().enumerate() {
            let mut without = vector.clone();
            without[component] = model.standard.mean[component];
            prop_assert!((share - (model.score(&vector) - model.score(&without))).abs() < 1e-9);
        }
        prop_assert!((model.base() - model.score(&model.standard.mean)).abs() < 1e-12);
    }
}

fn refused(model: Model, because: &str) {
    let error = model.check().unwrap_err();
    assert!(matches!(error, Error::Incompatible(_)), "{error:?}");
    assert!(error.to_string().contains(because), "`{error}` does not say `{because}`");
}

#[test]
fn hostile_functions_are_refused() {
    let tree = |nodes: Vec<Node>| model(Function::Trees { trees: vec![Tree { nodes }], offset: 0.0 });
    refused(tree(vec![inner(0.0, 0, 0.5, 0, 1), leaf(0.0)]), "children must come after it");
    refused(tree(vec![inner(0.0, 0, 0.5, 1, 1), inner(0.0, 0, 0.5, 0, 0)]), "children must come after it");
    refused(tree(vec![inner(0.0, 0, 0.5, 1, 9), leaf(0.0)]), "among 2 nodes");
    refused(tree(vec![inner(0.0, 3, 0.5, 1, 1), leaf(0.0)]), "component 3 of 3");
    refused(tree(vec![inner(0.0, 0, f64::NAN, 1, 1), leaf(0.0)]), "threshold NaN");
    refused(tree(vec![leaf(f64::INFINITY)]), "from -1 to 1");
    refused(tree(Vec::new()), "without nodes");
    refused(model(Function::Trees { trees: Vec::new(), offset: 0.0 }), "0 trees");
    refused(model(Function::Threshold { component: usize::MAX, threshold: 0.0 }), "component");
    refused(model(Function::Threshold { component: 0, threshold: f64::NAN }), "threshold NaN");
    refused(model(Function::Linear { weights: vec![1.0; 2], bias: 0.0 }), "2 weights for 3");
    refused(model(Function::Linear { weights: vec![1.0, f64::NAN, 0.0], bias: 0.0 }), "finite");
    let kernel =
        |gamma, support, coefficients| model(Function::Kernel { gamma, bias: 0.0, support, coefficients });
    refused(kernel(1.0, vec![vec![0.0; 2]], vec![1.0]), "2 components, not 3");
    refused(kernel(1.0, vec![vec![0.0; 3]], vec![1.0, 2.0]), "1 support vectors but 2");
    refused(kernel(-1.0, Vec::new(), Vec::new()), "gamma -1");
    refused(kernel(1.0, vec![vec![f64::NEG_INFINITY; 3]], vec![1.0]), "not finite");
    let vote = |members, offset| model(Function::Vote { members, offset });
    refused(vote(Vec::new(), 0.0), "0 members");
    refused(vote(vec![linear()], f64::NAN), "offset NaN");
    refused(vote(vec![vote(vec![linear()], 0.0).function], 0.0), "a vote as a member");
    refused(vote(vec![Function::Linear { weights: vec![1.0; 2], bias: 0.0 }], 0.0), "2 weights for 3");
}

#[test]
fn hostile_standards_are_refused() {
    let with =
        |mean: Vec<f64>, scale: Vec<f64>| Model { standard: Standard { mean, scale }, ..model(linear()) };
    refused(with(vec![0.0; 3], vec![1.0; 2]), "3 means but 2 scales");
    refused(with(vec![0.0; 3], vec![1.0, 0.0, 1.0]), "component 1");
    refused(with(vec![0.0; 3], vec![1.0, 1.0, f64::NAN]), "component 2");
    refused(with(vec![f64::NAN; 3], vec![1.0; 3]), "component 0");
    refused(with(Vec::new(), Vec::new()), "0 components");
    refused(with(vec![0.0; 257], vec![1.0; 257]), "257 components");
}

/// Scoring ends even for a tree that nobody checked.
#[test]
fn circles_end() {
    let circle = Tree { nodes: vec![inner(0.25, 0, 0.5, 0, 0)] };
    assert_eq!(circle.value(|_| 1.0), 0.25);
}

#[test]
fn sound_models_pass() {
    for function in [linear(), kernel(), trees(), vote(), threshold()] {
        model(function).check().unwrap();
    }
}
