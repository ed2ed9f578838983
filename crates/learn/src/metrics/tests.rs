//! Every figure against brute force over all pairs, and examples by hand.

use proptest::prelude::*;

use super::*;

/// The truth about a pair, by a direct search.
fn label(truth: &Truth, a: u32, b: u32) -> Option<bool> {
    match truth {
        Truth::Clusters(labels) => Some(labels[a as usize]? == labels[b as usize]?),
        Truth::Pairs { pairs, rest } => match pairs.iter().find(|pair| (pair.0, pair.1) == (a, b)) {
            Some(pair) => Some(pair.2),
            None => (*rest == Unlabelled::Different).then_some(false),
        },
    }
}

fn value(interval: Option<Interval>) -> Option<f64> {
    if let Some(interval) = interval {
        assert!(interval.holds(interval.value), "{interval:?}");
    }
    interval.map(|interval| interval.value)
}

fn mean(values: &[f64]) -> Option<f64> {
    (!values.is_empty()).then(|| values.iter().sum::<f64>() / values.len() as f64)
}

fn same(got: Option<f64>, expected: Option<f64>, what: &str) {
    match (got, expected) {
        (Some(got), Some(expected)) => {
            assert!((got - expected).abs() < 1e-9, "{what}: {got} is not {expected}")
        }
        _ => assert_eq!(got, expected, "{what}"),
    }
}

fn check_by_brute_force(documents: u32, found: &FoundPairs, truth: &Truth, options: &MetricOptions) {
    let judgement = judge(documents, found, truth, options).unwrap();
    let is_found = |a: u32, b: u32| found.pairs.contains(&(a.min(b), a.max(b)));
    let mut counts = Counts::default();
    for a in 0..documents {
        for b in a + 1..documents {
            match (label(truth, a, b), is_found(a, b)) {
                (None, _) => {}
                (Some(true), true) => counts.true_positives += 1,
                (Some(true), false) => counts.false_negatives += 1,
                (Some(false), true) => counts.false_positives += 1,
                (Some(false), false) => counts.true_negatives += 1,
            }
        }
    }
    assert_eq!(judgement.counts, counts);
    let [right, wrong, missed, rejected] =
        [counts.true_positives, counts.false_positives, counts.false_negatives, counts.true_negatives]
            .map(|count| count as f64);
    let ratio = |part: f64, whole: f64| (whole > 0.0).then(|| part / whole);
    same(value(judgement.precision), ratio(right, right + wrong), "precision");
    same(value(judgement.recall), ratio(right, right + missed), "recall");
    same(value(judgement.f1), ratio(2.0 * right, 2.0 * right + wrong + missed), "F1");
    same(value(judgement.accuracy), ratio(right + rejected, right + wrong + missed + rejected), "accuracy");

    // Queries.
    let others = |a: u32| (0..documents).filter(move |&b| b != a);
    let truly = |a: u32, b: u32| label(truth, a.min(b), a.max(b));
    let is_query = |a: u32| match &options.queries {
        Some(queries) => queries.contains(&a),
        None => others(a).any(|b| is_found(a, b) || truly(a, b) == Some(true)),
    };
    let (mut recalls, mut precisions, mut ratios, mut utilities) = (vec![], vec![], vec![], vec![]);
    let mut matched = std::collections::BTreeSet::new();
    for a in (0..documents).filter(|&a| is_query(a)) {
        let true_ones = others(a).filter(|&b| truly(a, b) == Some(true)).count() as f64;
        let found_ones = others(a).filter(|&b| is_found(a, b) && truly(a, b).is_some()).count() as f64;
        let both = others(a).filter(|&b| is_found(a, b) && truly(a, b) == Some(true)).count() as f64;
        if true_ones > 0.0 {
            recalls.push(both / true_ones);
            ratios.push(found_ones / true_ones);
        }
        if found_ones > 0.0 {
            precisions.push(both / found_ones);
        }
        if let Some(legitimate) = options.legitimate.as_ref().filter(|marks| !marks[a as usize]) {
            let (legit, spam): (Vec<u32>, Vec<u32>) =
                others(a).filter(|&b| is_found(a, b)).partition(|&b| legitimate[b as usize]);
            utilities.push(spam.len() as f64 - options.cost * legit.len() as f64);
            matched.extend(legit);
        }
    }
    let queries = &judgement.queries;
    assert_eq!((queries.with_true, queries.with_found), (recalls.len() as u64, precisions.len() as u64));
    assert_eq!(queries.asked, (0..documents).filter(|&a| is_query(a)).count() as u64);
    same(value(queries.recall), mean(&recalls), "recall of queries");
    same(value(queries.precision), mean(&precisions), "precision of queries");
    same(queries.found_by_true, mean(&ratios), "found by true");
    same(judgement.utility, mean(&utilities), "utility");
    let marked = options.legitimate.is_some();
    assert_eq!(judgement.legitimate_matched, marked.then_some(matched.len() as u64));

    // Clusters.
    let mut pure = vec![];
    let clusters: std::collections::BTreeSet<u32> = found.clusters.iter().copied().collect();
    for cluster in clusters {
        let members: Vec<u32> = (0..documents).filter(|&a| found.clusters[a as usize] == cluster).collect();
        let labels: Vec<bool> = members
            .iter()
            .flat_map(|&a| members.iter().filter(move |&&b| a < b).filter_map(move |&b| label(truth, a, b)))
            .collect();
        if !labels.is_empty() {
            pure.push(f64::from(u8::from(labels.iter().all(|&label| label))));
        }
    }
    same(value(judgement.pure_clusters), mean(&pure), "pure clusters");
}

type Input = (u32, FoundPairs, Vec<(u32, u32, bool)>, Vec<Option<u32>>, MetricOptions);

fn inputs() -> impl Strategy<Value = Input> {
    (1u32..12).prop_flat_map(|documents| {
        let pair = (0..documents, 0..documents, any::<bool>());
        let each = documents as usize;
        (
            prop::collection::vec(pair.clone(), 0..20),
            prop::collection::vec(pair, 0..20),
            prop::collection::vec(0u32..6, each),
            prop::collection::vec(prop::option::weighted(0.8, 0u32..4), each),
            prop::option::of(prop::collection::vec(0..documents, 0..6)),
            prop::option::of(prop::collection::vec(any::<bool>(), each)),
        )
            .prop_map(move |(found, labelled, clusters, labels, queries, legitimate)| {
                let sorted = |pairs: Vec<(u32, u32, bool)>| {
                    let mut pairs: Vec<_> = pairs
                        .into_iter()
                        .filter(|(a, b, _)| a != b)
                        .map(|(a, b, c)| (a.min(b), a.max(b), c))
                        .collect();
                    pairs.sort_unstable();
                    pairs.dedup_by_key(|pair| (pair.0, pair.1));
                    pairs
                };
                let pairs = sorted(found).into_iter().map(|(a, b, _)| (a, b)).collect();
                let options = MetricOptions {
                    resamples: 50,
                    queries,
                    legitimate,
                    cost: 7.0,
                    ..MetricOptions::default()
                };
                let found = FoundPairs { pairs, similarities: Vec::new(), clusters };
                (documents, found, sorted(labelled), labels, options)
            })
    })
}

proptest! {
    #[test]
    fn every_figure_equals_brute_force((documents, found, pairs, labels, options) in inputs()) {
        for rest in [Unlabelled::LeftOut, Unlabelled::Different] {
            check_by_brute_force(documents, &found, &Truth::Pairs { pairs: pairs.clone(), rest }, &options);
        }
        check_by_brute_force(documents, &found, &Truth::Clusters(labels), &options);
    }

    /// Complete clusters and the list of all their pairs are the same truth.
    #[test]
    fn clusters_and_their_pairs_are_one_truth((documents, found, _, labels, options) in inputs()) {
        let labels: Vec<Option<u32>> = labels.into_iter().map(|label| Some(label.unwrap_or(99))).collect();
        let mut pairs = vec![];
        for a in 0..documents {
            pairs.extend((a + 1..documents).filter(|&b| labels[a as usize] == labels[b as usize]).map(|b| (a, b, true)));
        }
        let listed = Truth::Pairs { pairs, rest: Unlabelled::Different };
        let by_clusters = judge(documents, &found, &Truth::Clusters(labels), &options).unwrap();
        prop_assert_eq!(by_clusters, judge(documents, &found, &listed, &options).unwrap());
    }
}

fn found(pairs: &[(u32, u32)], clusters: &[u32]) -> FoundPairs {
    FoundPairs { pairs: pairs.to_vec(), similarities: Vec::new(), clusters: clusters.to_vec() }
}

/// Documents 0 to 3 are copies, 4 and 5 too, 6 is alone. Found are 0-1, 0-2, 1-2 and, wrongly, 5-6.
#[test]
fn queries_by_hand() {
    let found = found(&[(0, 1), (0, 2), (1, 2), (5, 6)], &[0, 0, 0, 3, 4, 5, 5]);
    let truth = Truth::Clusters([0, 0, 0, 0, 1, 1, 2].map(Some).to_vec());
    let legitimate = Some(vec![false, false, false, false, false, false, true]);
    let options = MetricOptions { legitimate, ..MetricOptions::default() };
    let judgement = judge(7, &found, &truth, &options).unwrap();
    // Recall: 2/3 for each of 0, 1, 2, and 0 for 3, 4 and 5. Document 6 has no true duplicate.
    assert_eq!(value(judgement.queries.recall), Some(2.0 / 6.0));
    // Precision: 1 for 0, 1, 2, and 0 for 5 and 6. Documents 3 and 4 find nothing.
    assert_eq!(value(judgement.queries.precision), Some(3.0 / 5.0));
    // As printed: 2/3 three times, 1/1 for 5, whose only result is wrong.
    assert_eq!(judgement.queries.found_by_true, Some(3.0 / 6.0));
    assert_eq!(
        (judgement.queries.asked, judgement.queries.with_true, judgement.queries.with_found),
        (7, 6, 5)
    );
    // Two for 0, 1, 2, nothing for 3 and 4, minus the cost for 5; 6 is legitimate, so no query.
    assert_eq!(judgement.utility, Some((2.0 * 3.0 - 100.0) / 6.0));
    assert_eq!(judgement.legitimate_matched, Some(1));
    assert_eq!(value(judgement.pure_clusters), Some(0.5));
    assert_eq!(judgement.groups, 2);
    assert!(judgement.ari.is_some_and(|index| index > 0.0 && index < 1.0));
}

#[test]
fn nothing_found_and_nothing_true() {
    let truth = Truth::Clusters(vec![Some(0), Some(1), Some(2)]);
    let judgement = judge(3, &found(&[], &[0, 1, 2]), &truth, &MetricOptions::default()).unwrap();
    assert_eq!((judgement.precision, judgement.recall, judgement.f1), (None, None, None));
    let accuracy = judgement.accuracy.unwrap();
    assert!(accuracy.value == 1.0 && accuracy.low < 1.0);
    assert_eq!((judgement.ari, judgement.utility, judgement.pure_clusters), (Some(1.0), None, None));
    let empty = judge(0, &found(&[], &[]), &Truth::Clusters(vec![]), &MetricOptions::default()).unwrap();
    assert_eq!((empty.accuracy, empty.ari, empty.groups), (None, None, 0));
}

/// Forty right pairs: the interval is that of forty trials, whatever is resampled.
#[test]
fn a_precision_of_one_is_not_certain() {
    let pairs: Vec<(u32, u32)> = (0..40).map(|n| (2 * n, 2 * n + 1)).collect();
    let clusters: Vec<u32> = (0..80).map(|document| document / 2).collect();
    let truth = Truth::Clusters(clusters.iter().copied().map(Some).collect());
    let judgement = judge(80, &found(&pairs, &clusters), &truth, &MetricOptions::default()).unwrap();
    let precision = judgement.precision.unwrap();
    assert_eq!(Some(precision), Interval::clopper_pearson(40.0, 40.0));
    assert!((0.91..0.92).contains(&precision.low), "{precision:?}");
    let accuracy = judgement.accuracy.unwrap();
    assert!(accuracy.low < 1.0 && accuracy.low > 0.99, "{accuracy:?}");
}

/// The same forty pairs, drawn in four groups of ten pairs each, are evidence of four, not of
/// forty.
#[test]
fn what_was_drawn_together_is_one_piece_of_evidence() {
    let pairs: Vec<(u32, u32)> = (0..40).map(|n| (2 * n, 2 * n + 1)).collect();
    let clusters: Vec<u32> = (0..80).map(|document| document / 2).collect();
    let truth = Truth::Clusters(clusters.iter().copied().map(Some).collect());
    let drawn_together = Some((0..80).map(|document| document % 40 / 10).collect());
    let options = MetricOptions { drawn_together, ..MetricOptions::default() };
    let judgement = judge(80, &found(&pairs, &clusters), &truth, &options).unwrap();
    assert_eq!((judgement.precision, judgement.groups), (Interval::clopper_pearson(4.0, 4.0), 4));
    let short = MetricOptions { drawn_together: Some(vec![0]), ..options };
    let error = judge(80, &found(&pairs, &clusters), &truth, &short).unwrap_err().to_string();
    assert!(error.contains("drawn together"), "{error}");
}

/// One true cluster of a million documents: its pairs can only be counted.
#[test]
fn a_giant_cluster_is_counted_not_listed() {
    let documents = 1_000_000;
    let truth = Truth::Clusters(vec![Some(7); documents as usize]);
    let clusters: Vec<u32> = (0..documents).collect();
    let options = MetricOptions { resamples: 10, ..MetricOptions::default() };
    let judgement = judge(documents, &found(&[], &clusters), &truth, &options).unwrap();
    assert_eq!(judgement.counts.false_negatives, 499_999_500_000);
    assert_eq!((value(judgement.recall), judgement.queries.with_true), (Some(0.0), 1_000_000));
    assert_eq!(pairs_among(u64::from(u32::MAX)), 9_223_372_030_412_324_865);
}

#[test]
fn wrong_input_is_refused_by_name() {
    let truth = Truth::Clusters(vec![Some(0); 3]);
    let options = MetricOptions::default();
    let message = |found: &FoundPairs, truth: &Truth, options: &MetricOptions| {
        judge(3, found, truth, options).unwrap_err().to_string()
    };
    let good = found(&[(0, 1)], &[0, 0, 1]);
    assert!(message(&found(&[(1, 0)], &[0, 0, 1]), &truth, &options).contains("found pair 1, 0"));
    assert!(message(&found(&[(0, 3)], &[0, 0, 1]), &truth, &options).contains("found pair 0, 3"));
    assert!(message(&found(&[(0, 1), (0, 1)], &[0, 0, 1]), &truth, &options).contains("twice"));
    assert!(message(&found(&[(0, 1)], &[0]), &truth, &options).contains("found clusters"));
    assert!(message(&good, &Truth::Clusters(vec![]), &options).contains("true clusters"));
    let unsorted = Truth::Pairs { pairs: vec![(1, 2, true), (0, 1, true)], rest: Unlabelled::LeftOut };
    assert!(message(&good, &unsorted, &options).contains("labelled pair 0, 1"));
    assert!(message(&good, &truth, &MetricOptions { cost: f64::NAN, ..options.clone() }).contains("cost"));
    assert!(
        message(&good, &truth, &MetricOptions { queries: Some(vec![3]), ..options.clone() })
            .contains("query 3")
    );
    assert!(
        message(&good, &truth, &MetricOptions { legitimate: Some(vec![]), ..options }).contains("legitimate")
    );
}
