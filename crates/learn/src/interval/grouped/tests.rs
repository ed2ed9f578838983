use super::*;

fn shares(list: &[(f64, f64)]) -> Vec<Share> {
    list.iter().map(|&(part, whole)| Share { part, whole }).collect()
}

#[test]
fn certainty_is_never_claimed() {
    let right = vec![Share { part: 3.0, whole: 3.0 }; 40];
    assert_eq!(grouped(&right, 1000, 1), Interval::clopper_pearson(40.0, 40.0));
    let one = grouped(&shares(&[(1e6, 1e6)]), 1000, 1).expect("an interval");
    assert!(one.low < 0.03, "a single group says nearly nothing: {one:?}");
    let halves = grouped(&[Share { part: 1.0, whole: 2.0 }; 10], 1000, 1).expect("an interval");
    assert!(halves.low < 0.25 && halves.high > 0.75, "{halves:?}");
}

/// Thirty-nine small groups count little beside a large one.
#[test]
fn a_large_group_counts_as_one() {
    let mut right = vec![Share { part: 1.0, whole: 1.0 }; 39];
    right.push(Share { part: 100.0, whole: 100.0 });
    let interval = grouped(&right, 1000, 1).expect("an interval");
    assert!(interval.low < 0.2, "{interval:?}");
}

#[test]
fn groups_without_a_whole_do_not_count() {
    assert_eq!(grouped(&[], 1000, 1), None);
    assert_eq!(grouped(&shares(&[(0.0, 0.0)]), 1000, 1), None);
    let some = shares(&[(0.0, 0.0), (1.0, 1.0), (0.0, 0.0), (1.0, 1.0)]);
    assert_eq!(grouped(&some, 1000, 1), Interval::clopper_pearson(2.0, 2.0));
}

#[test]
fn it_follows_from_the_seed_and_survives_few_draws() {
    let groups = shares(&[(1.0, 2.0), (5.0, 5.0), (0.0, 3.0), (2.0, 2.0)]);
    assert_eq!(grouped(&groups, 500, 7), grouped(&groups, 500, 7));
    for resamples in 0..5 {
        let interval = grouped(&groups, resamples, 7).expect("an interval");
        assert!(interval.holds(8.0 / 12.0), "{interval:?}");
    }
}

fn close(got: Option<Interval>, expected: Option<Interval>, tolerance: f64) {
    let (got, expected) = (got.expect("an interval"), expected.expect("an interval"));
    let is_close = |x: f64, y: f64| (x - y).abs() <= tolerance;
    assert!(
        is_close(got.low, expected.low) && is_close(got.high, expected.high),
        "{got:?} is not {expected:?}"
    );
}

fn trials(right: usize, all: usize, size: f64) -> Vec<Share> {
    (0..all).map(|n| Share { part: if n < right { size } else { 0.0 }, whole: size }).collect()
}

/// Groups of one trial each are a plain sample, for which the exact interval is known.
#[test]
fn single_trials_have_the_exact_interval() {
    for (right, all) in [(1, 12), (39, 40), (100, 400), (950, 1000)] {
        let expected = Interval::clopper_pearson(right as f64, all as f64);
        close(grouped(&trials(right, all, 1.0), 20_000, 3), expected, 0.005);
    }
}

/// Ten pairs of a group that are right together are as much evidence as one.
#[test]
fn pairs_of_a_group_do_not_count_as_evidence_ten_times() {
    close(grouped(&trials(50, 100, 1.0), 1000, 5), grouped(&trials(50, 100, 10.0), 1000, 5), 1e-9);
}

#[test]
fn bundling_keeps_the_width() {
    let got = grouped(&trials(13_334, 40_000, 1.0), 1000, 3).expect("an interval");
    let expected = Interval::wilson(13_334.0, 40_000.0).expect("an interval");
    assert!(((got.high - got.low) / (expected.high - expected.low) - 1.0).abs() < 0.15, "{got:?}");
}

#[test]
fn weights_are_exponential() {
    let strips = table().len() as f64;
    let moment = |power: i32| table().iter().map(|weight| weight.powi(power)).sum::<f64>() / strips;
    assert!((moment(1) - 1.0).abs() < 1e-9 && (moment(2) - 2.0).abs() < 0.01, "{}, {}", moment(1), moment(2));
}

/// Groups of an artificial corpus: sizes with a heavy tail, nearly all right, and the few wrong groups
/// are mostly wrong and more often large.
fn corpus(wrong: f64, tail: f64, seed: u64) -> Vec<Share> {
    let mut random = Random::new(seed, 0);
    let mut group = || {
        let documents = (1.0 + random.unit().max(1e-9).powf(-1.0 / tail)).floor().min(20.0);
        let whole = documents * (documents - 1.0) / 2.0;
        let chance = if documents < 6.0 { wrong } else { 2.0 * wrong };
        let right = if random.unit() < chance { 0.7 * random.unit() } else { 1.0 };
        Share { part: whole * right, whole }
    };
    (0..5000).map(|_| group()).collect()
}

/// How often the interval of a sample contains the figure of the corpus, and its average width.
fn coverage(
    corpus: &[Share],
    sample: usize,
    repeats: u64,
    interval: impl Fn(&[Share], u64) -> Interval,
) -> (f64, f64) {
    let truth = total(corpus).expect("a figure");
    let (mut held, mut width) = (0u64, 0.0);
    for repeat in 0..repeats {
        let mut random = Random::new(repeat, 17);
        let drawn: Vec<Share> = (0..sample).map(|_| corpus[random.below(corpus.len())]).collect();
        let interval = interval(&drawn, repeat);
        held += u64::from(interval.holds(truth));
        width += interval.high - interval.low;
    }
    (held as f64 / repeats as f64, width / repeats as f64)
}

/// The interval contains the true figure in 95 of 100 samples, whether mistakes are rare or frequent,
/// groups alike or not. Resampling without an unseen group fails this in all of these cases, which is
/// checked, too.
#[test]
fn the_true_figure_is_held_as_often_as_promised() {
    for (wrong, tail, sample) in
        [(0.01, 1.0, 90), (0.05, 2.0, 90), (0.05, 1.0, 300), (0.2, 1.0, 40), (0.2, 2.0, 90)]
    {
        let corpus = corpus(wrong, tail, 1);
        let (held, width) =
            coverage(&corpus, sample, 400, |drawn, seed| grouped(drawn, 300, seed).expect("an interval"));
        let (without, narrower) = coverage(&corpus, sample, 400, |drawn, seed| {
            let one = total(drawn).map(|value| Interval { value, low: value, high: value });
            crate::interval::bootstrap(drawn, 300, seed).or(one).expect("an interval")
        });
        let told = format!(
            "wrong {wrong}, tail {tail}, {sample} groups: {held}, {width}; before {without}, {narrower}"
        );
        println!("{told}");
        assert!(held >= 0.95 - 0.02, "{told}");
        assert!(without < held, "{told}");
        assert!(width < 0.65, "{told}");
    }
}

/// What two methods share adds no uncertainty about which is better.
#[test]
fn a_difference_knows_what_both_have_in_common() {
    let mut random = Random::new(5, 0);
    let groups: Vec<[Share; 2]> = (0..80)
        .map(|_| {
            let whole = 1.0 + random.below(20) as f64;
            let right = (whole * random.unit()).floor();
            // The second loses one more pair in every third group.
            let lost = f64::from(u8::from(random.below(3) == 0 && right > 0.0));
            [Share { part: right, whole }, Share { part: right - lost, whole }]
        })
        .collect();
    let gain = difference(&groups, 1000, 1).expect("an interval");
    let lone: Vec<Share> = groups.iter().map(|group| group[0]).collect();
    let alone = grouped(&lone, 1000, 1).expect("an interval");
    assert!(gain.low > 0.0 && gain.high < 0.1, "{gain:?}");
    assert!(gain.high - gain.low < (alone.high - alone.low) / 3.0, "{gain:?} {alone:?}");
    let same: Vec<[Share; 2]> = lone.iter().map(|&share| [share; 2]).collect();
    let none = difference(&same, 1000, 1).expect("an interval");
    assert_eq!((none.value, none.low, none.high), (0.0, 0.0, 0.0));
    assert_eq!(difference(&[], 1000, 1), None);
}

/// A pair more that one of two methods gets right, in so many of forty groups.
fn ahead_in(groups: usize) -> Interval {
    let group = |place: usize| {
        let right = if place < groups { 9.0 } else { 8.0 };
        [Share { part: right, whole: 10.0 }, Share { part: 8.0, whole: 10.0 }]
    };
    let all: Vec<[Share; 2]> = (0..40).map(group).collect();
    difference(&all, 4000, 1).expect("an interval")
}

/// The sign test needs six that all speak for the same: 2·(1/2)⁶ is the first chance below 5 %.
#[test]
fn a_difference_is_certain_from_six_groups_on() {
    for groups in 1..=4 {
        let gain = ahead_in(groups);
        assert!(gain.low < 0.0 && gain.high > 0.0, "{groups}: {gain:?}");
    }
    for groups in 7..=20 {
        assert!(ahead_in(groups).low > 0.0, "{groups}: {:?}", ahead_in(groups));
    }
    let mirrored: Vec<[Share; 2]> =
        [[(8.0, 10.0), (9.0, 10.0)]; 3].map(|pair| pair.map(|(part, whole)| Share { part, whole })).to_vec();
    assert!(difference(&mirrored, 4000, 1).is_some_and(|loss| loss.high > 0.0 && loss.low < 0.0));
}

/// Two methods of which neither is better, in few groups of very different sizes: seldom is one called better.
#[test]
fn equals_are_seldom_called_different() {
    let (mut called, turns) = (0, 400);
    for turn in 0..turns {
        let mut random = Random::new(11, turn);
        let groups: Vec<[Share; 2]> = (0..5 + random.below(10))
            .map(|_| {
                let whole = (1.0 / (0.02 + random.unit())).ceil();
                let mut right = || (whole * (0.6 + 0.4 * random.unit())).round();
                [Share { part: right(), whole }, Share { part: right(), whole }]
            })
            .collect();
        let gain = difference(&groups, 400, turn).expect("an interval");
        called += u64::from(gain.low > 0.0 || gain.high < 0.0);
    }
    println!("called different in {called} of {turns}");
    assert!(called as f64 <= 0.05 * turns as f64, "{called} of {turns}");
}
