//! Against a plain dense implementation, and properties that hold for every clustering.

use proptest::prelude::*;

use super::*;
use crate::hash;
use crate::maths::power;
use crate::part::Params;
use crate::testing::check_partitioner;

type Features = Vec<(u64, f32)>;

fn vectors(documents: &[Features]) -> Vectors {
    Vectors::build(documents.len(), 2, Terms::Shared, &|place, out| out.extend_from_slice(&documents[place]))
        .unwrap()
}

pub(super) fn fuzzy(toml: &str) -> FuzzyCMeans {
    FuzzyCMeans::from_params(&mut Params::new("clustering", toml.parse().unwrap())).unwrap()
}

pub(super) fn k_means(toml: &str) -> KMeans {
    KMeans::from_params(&mut Params::new("clustering", toml.parse().unwrap())).unwrap()
}

/// Documents on a few subjects: most words come from the document's own subject, some from any.
pub(super) fn subjects(documents: u64, subjects: u64) -> Vec<Features> {
    let document = |place: u64| {
        let mut features: Features = (0..8)
            .map(|word| {
                let random = hash::mix(place * 100 + word);
                let subject = if random.is_multiple_of(4) { random >> 8 } else { place } % subjects;
                (subject * 20 + (random >> 32) % 20, 1.0 + (random >> 16 & 3) as f32)
            })
            .collect();
        features.sort_unstable_by_key(|&(term, _)| term);
        features.dedup_by_key(|&mut (term, _)| term);
        features
    };
    (0..documents).map(document).collect()
}

/// Fuzzy c-means as the formulas say it, dense and in 64 bits: the objective of every iteration, and the
/// memberships at the end.
fn reference(
    vectors: &Vectors,
    first: &[u32],
    fuzzifier: f64,
    iterations: usize,
) -> (Vec<f64>, Vec<Vec<f64>>) {
    let dense = |document: usize| {
        let mut row = vec![0.0; vectors.terms()];
        let (terms, weights) = vectors.row(document);
        terms.iter().zip(weights).for_each(|(&term, &weight)| row[term as usize] = f64::from(weight));
        row
    };
    let documents: Vec<Vec<f64>> = (0..vectors.len()).map(dense).collect();
    let mut centres: Vec<Vec<f64>> = first.iter().map(|&document| dense(document as usize)).collect();
    let mut objective = Vec::new();
    loop {
        let squared = |x: &Vec<f64>, c: &Vec<f64>| {
            // Terms that no other document has add to the length of a document, which is 1.
            let dot: f64 = x.iter().zip(c).map(|(x, c)| x * c).sum();
            (1.0 - 2.0 * dot + c.iter().map(|c| c * c).sum::<f64>()).max(0.0)
        };
        let distances: Vec<Vec<f64>> =
            documents.iter().map(|x| centres.iter().map(|c| squared(x, c)).collect()).collect();
        let memberships: Vec<Vec<f64>> = distances
            .iter()
            .map(|row: &Vec<f64>| {
                let of = |d: f64| row.iter().map(|f| power(d / f, 1.0 / (fuzzifier - 1.0))).sum::<f64>();
                match row.iter().position(|&d| d < 1e-9) {
                    Some(at) => (0..row.len()).map(|place| f64::from(u8::from(place == at))).collect(),
                    None => row.iter().map(|&d| 1.0 / of(d)).collect(),
                }
            })
            .collect();
        let cells = memberships.iter().zip(&distances);
        let cells = cells.flat_map(|(u, d)| u.iter().zip(d)).map(|(&u, &d)| power(u, fuzzifier) * d);
        objective.push(cells.sum());
        if objective.len() == iterations {
            return (objective, memberships);
        }
        for (place, centre) in centres.iter_mut().enumerate() {
            let weights: Vec<f64> = memberships.iter().map(|u| power(u[place], fuzzifier)).collect();
            let all: f64 = weights.iter().sum();
            for (term, cell) in centre.iter_mut().enumerate() {
                *cell = weights.iter().zip(&documents).map(|(w, x)| w * x[term]).sum::<f64>() / all;
            }
        }
    }
}

#[test]
fn equals_the_plain_formulas() {
    for (fuzzifier, iterations) in [(1.05, 4), (1.1, 6), (1.37, 5), (2.0, 3)] {
        let vectors = vectors(&subjects(60, 4));
        let first = start::choose(&vectors, 4, 1);
        let (objective, memberships) = reference(&vectors, &first, fuzzifier, iterations);
        let settings = format!(
            "clusters = 4\nfuzzifier = {fuzzifier}\niterations = {iterations}\ntolerance = 0.0\ncutoff = 0.3\nmost = 9\ncentres = 'mean'"
        );
        let partition = fuzzy(&settings).partition(&vectors, 2).unwrap();
        assert_eq!(partition.notes.objective.len(), objective.len());
        for (got, expected) in partition.notes.objective.iter().zip(&objective) {
            assert!((got / expected - 1.0).abs() < 1e-4, "fuzzifier {fuzzifier}: {got} is not {expected}");
        }
        for (document, row) in memberships.iter().enumerate() {
            let best = row.iter().copied().fold(0.0, f64::max);
            // No empty cluster was dropped, so they are in the order of the centres.
            for (cluster, members) in partition.clusters.iter().enumerate() {
                let share = row[cluster] / best;
                if (share - 0.3).abs() > 1e-3 {
                    assert_eq!(
                        members.contains(&(document as u32)),
                        share > 0.3,
                        "{document} in {cluster}: {share}"
                    );
                }
            }
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn the_objective_never_rises(
        documents in proptest::collection::vec(proptest::collection::btree_map(0u64..30, 0.1f32..5.0, 0..8), 1..40),
        clusters in 1usize..7,
        fuzzifier in prop_oneof![Just(1.02), Just(1.1), Just(1.33), Just(2.0)],
    ) {
        let documents: Vec<Features> = documents.into_iter().map(|document| document.into_iter().collect()).collect();
        let vectors = vectors(&documents);
        let settings = format!("clusters = {clusters}\niterations = 12\ntolerance = 0.0");
        let fuzzy = |more| fuzzy(&format!("{settings}\nfuzzifier = {fuzzifier}\n{more}"));
        let fuzzy = |more| fuzzy(more).partition(&vectors, 1).unwrap();
        for partition in [fuzzy("centres = 'mean'"), fuzzy(""), fuzzy("distance = 'cosine'"), k_means(&settings).partition(&vectors, 1).unwrap()] {
            for pair in partition.notes.objective.windows(2) {
                prop_assert!(pair[1] <= pair[0] + 1e-5 * documents.len() as f64, "{:?}", partition.notes.objective);
            }
        }
    }

    #[test]
    fn memberships_sum_to_one(
        distances in proptest::collection::vec(prop_oneof![Just(0.0), 0.0f64..3.0], 1..50),
        fuzzifier in 1.001f64..5.0,
    ) {
        let memberships = fuzzy(&format!("fuzzifier = {fuzzifier}")).memberships(&distances);
        prop_assert!((memberships.iter().sum::<f64>() - 1.0).abs() < 1e-9);
        let nearest = (0..distances.len()).min_by(|&a, &b| distances[a].total_cmp(&distances[b])).unwrap();
        prop_assert!(memberships.iter().all(|&membership| membership <= memberships[nearest]));
    }
}

/// By hand: squared distances 1 and 4 have memberships 4/5 and 1/5 with a fuzzifier of 2.
#[test]
fn memberships_by_hand() {
    let got = fuzzy("fuzzifier = 2.0").memberships(&[1.0, 4.0]);
    assert!((got[0] - 0.8).abs() < 1e-12 && (got[1] - 0.2).abs() < 1e-12, "{got:?}");
    assert_eq!(fuzzy("").memberships(&[0.0, 1.0, 0.0]), [0.5, 0.0, 0.5]);
}

#[test]
fn subjects_are_told_apart() {
    let vectors = vectors(&subjects(400, 4));
    for partition in [
        fuzzy("clusters = 8\nmost = 1").partition(&vectors, 2).unwrap(),
        k_means("clusters = 8\ncutoff = 1.0").partition(&vectors, 2).unwrap(),
    ] {
        assert!(partition.notes.warnings.is_empty());
        for cluster in &partition.clusters {
            let of = |subject: u32| cluster.iter().filter(|&&member| member % 4 == subject).count();
            let most = (0..4).map(of).max().unwrap();
            assert!(most * 10 >= cluster.len() * 8, "{most} of {}", cluster.len());
        }
    }
}

#[test]
fn a_collapse_is_told() {
    let vectors = vectors(&subjects(400, 40));
    let partition = fuzzy("clusters = 20\nfuzzifier = 3.0").partition(&vectors, 2).unwrap();
    assert!(partition.notes.warnings[0].contains("fuzzifier 3"), "{:?}", partition.notes.warnings);
}

#[test]
fn every_clustering_keeps_its_promises() {
    check_partitioner(&fuzzy(""));
    check_partitioner(&fuzzy("clusters = 3\nfuzzifier = 1.37"));
    check_partitioner(&fuzzy("distance = 'cosine'\ncentres = 'mean'"));
    check_partitioner(&fuzzy("distance = 'extended-jaccard'"));
    check_partitioner(&k_means(""));
    check_partitioner(&k_means("clusters = 7\ncutoff = 1.0"));
    check_partitioner(&NoClustering);
}

#[test]
fn mistakes_are_refused() {
    let error = |toml: &str| {
        let params = || Params::new("candidates.clustering", toml.parse().unwrap());
        FuzzyCMeans::from_params(&mut params())
            .err()
            .or(KMeans::from_params(&mut params()).err())
            .map(|e| e.to_string())
    };
    for bad in [
        "fuzzifier = 1.0",
        "fuzzifier = nan",
        "cutoff = 0.0",
        "iterations = 0",
        "clusters = 70000",
        "tolerance = -1.0",
        "distance = 'manhattan'",
    ] {
        let key = bad.split(' ').next().unwrap();
        assert!(error(bad).is_some_and(|error| error.contains(key)), "{bad}");
    }
}
