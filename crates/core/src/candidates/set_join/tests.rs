//! The join compared with brute force over all pairs.

use std::collections::BTreeSet;
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};

use proptest::prelude::*;

use super::*;
use crate::candidates::Finder;
use crate::decide::{Measure, Overlap};
use crate::features::FeatureSet;
use crate::hash;
use crate::registry::{NoAssets, Registry};
use crate::testing::pairs_by_keys;

const MEASURES: [&str; 4] = ["jaccard", "dice", "cosine", "containment"];

fn build(registry: &Registry, measure: &str, similarity: f64) -> Result<SetJoin> {
    let context = BuildContext { measure, similarity, ..BuildContext::new(registry, &NoAssets) };
    SetJoin::from_params(&mut Params::new("candidates", toml::Table::new()), &context)
}

fn join(measure: &str, similarity: f64) -> SetJoin {
    build(&Registry::with_built_ins(), measure, similarity).unwrap()
}

fn pack(join: &SetJoin, sets: &[BTreeSet<u64>]) -> Records {
    let mut records = Records::default();
    for set in sets {
        // Backwards and twice: packing has to sort and to drop repeats.
        let hashes = set.iter().chain(set).rev().map(|&term| hash::mix(term)).collect();
        join.pack(&Features { hashes, ..Features::default() }, &mut records.bytes);
        records.ends.push(records.bytes.len());
    }
    records
}

fn found(join: &SetJoin, sets: &[BTreeSet<u64>], threads: usize) -> Vec<(u32, u32)> {
    let pairs = Mutex::new(Vec::new());
    let emit = |batch: &[(u32, u32)]| {
        pairs.lock().unwrap().extend_from_slice(batch);
        Ok(())
    };
    join.pairs(&pack(join, sets), threads, &emit).unwrap();
    let mut pairs = pairs.into_inner().unwrap();
    pairs.sort_unstable();
    pairs
}

fn all_pairs(measure: &dyn Measure, sets: &[BTreeSet<u64>], similarity: f64) -> Vec<(u32, u32)> {
    let of =
        |set: &BTreeSet<u64>| FeatureSet { hashes: set.iter().copied().collect(), ..FeatureSet::default() };
    let sets: Vec<FeatureSet> = sets.iter().map(of).collect();
    let mut pairs = Vec::new();
    for (i, a) in sets.iter().enumerate() {
        for (j, b) in sets.iter().enumerate().skip(i + 1) {
            let alike = || measure.similarity(a, b, &Overlap::count(a, b)) >= similarity;
            if !a.is_empty() && !b.is_empty() && alike() {
                pairs.push((i as u32, j as u32));
            }
        }
    }
    pairs
}

/// A set of terms; small terms are frequent.
fn skewed_set() -> impl Strategy<Value = BTreeSet<u64>> {
    let term = (0.0f64..1.0).prop_map(|at| (at.powi(3) * 120.0) as u64);
    proptest::collection::vec(term, 0..90).prop_map(|terms| terms.into_iter().collect())
}

/// Sets, some of them copies of others with a few terms changed or with nothing changed.
fn collection() -> impl Strategy<Value = Vec<BTreeSet<u64>>> {
    let copy = (any::<prop::sample::Index>(), proptest::collection::vec(0u64..200, 0..8));
    (proptest::collection::vec(skewed_set(), 1..40), proptest::collection::vec(copy, 0..60)).prop_map(
        |(mut sets, copies)| {
            for (of, changes) in copies {
                let mut set = sets[of.index(sets.len())].clone();
                for term in changes {
                    if !set.remove(&term) {
                        set.insert(term);
                    }
                }
                sets.push(set);
            }
            sets
        },
    )
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    #[test]
    fn finds_what_all_pairs_find_and_each_once(sets in collection(), similarity in prop_oneof![
        Just(0.05), Just(0.3), Just(0.5), Just(0.8), Just(0.9), Just(1.0), 0.01f64..1.0
    ]) {
        let registry = Registry::with_built_ins();
        for name in MEASURES {
            let measure = registry.measures.build_named(name, &registry).unwrap();
            let expected = all_pairs(measure.as_ref(), &sets, similarity);
            let join = join(name, similarity);
            prop_assert_eq!(&found(&join, &sets, 1), &expected, "{} {}", name, similarity);
            prop_assert_eq!(&found(&join, &sets, 3), &expected, "{} {} on threads", name, similarity);
            let by_keys = pairs_by_keys(&*join.neighbours().unwrap(), &pack(&join, &sets));
            prop_assert_eq!(&by_keys, &expected, "{} {} one at a time", name, similarity);
        }
    }
}

#[test]
fn worked_example() {
    let sets = [0..10, 0..9, 1..10, 5..25, 0..0].map(|range: std::ops::Range<u64>| range.collect());
    assert_eq!(found(&join("cosine", 0.9), &sets, 1), [(0, 1), (0, 2)]);
    assert_eq!(found(&join("jaccard", 0.8), &sets, 1), [(0, 1), (0, 2), (1, 2)]);
    assert_eq!(found(&join("containment", 0.5), &sets, 1), [(0, 1), (0, 2), (0, 3), (1, 2), (2, 3)]);
}

#[test]
fn nothing_and_empty_sets_have_no_pairs() {
    for threads in [0, 1, 2] {
        assert!(found(&join("jaccard", 0.1), &[], threads).is_empty());
        assert!(found(&join("jaccard", 0.1), &[BTreeSet::new(), BTreeSet::new()], threads).is_empty());
    }
}

#[test]
fn crowds_of_equal_sets_come_in_batches() {
    const EACH: u64 = 1500;
    let (one, two): (BTreeSet<u64>, BTreeSet<u64>) = ((0..20).collect(), (1..20).collect());
    let sets: Vec<BTreeSet<u64>> =
        (0..2 * EACH).map(|i| if i % 2 == 0 { &one } else { &two }.clone()).collect();
    let (count, largest) = (AtomicU64::new(0), AtomicUsize::new(0));
    let join = join("jaccard", 0.9);
    let emit = |batch: &[(u32, u32)]| {
        assert!(batch.iter().all(|(a, b)| a < b));
        count.fetch_add(batch.len() as u64, Ordering::Relaxed);
        largest.fetch_max(batch.len(), Ordering::Relaxed);
        Ok(())
    };
    join.pairs(&pack(&join, &sets), 2, &emit).unwrap();
    assert_eq!(count.into_inner(), EACH * (2 * EACH - 1));
    assert!(largest.into_inner() <= 8192);
}

#[test]
fn the_first_error_ends_the_search() {
    let sets: Vec<BTreeSet<u64>> = (0..3000).map(|_| (0..5).collect()).collect();
    let join = join("jaccard", 0.9);
    let calls = AtomicUsize::new(0);
    let emit = |_: &[(u32, u32)]| {
        calls.fetch_add(1, Ordering::Relaxed);
        Err(Error::input("full"))
    };
    let error = join.pairs(&pack(&join, &sets), 2, &emit).unwrap_err();
    assert_eq!(error.to_string(), "full");
    assert!(calls.into_inner() <= 2, "one call from each thread at most");
}

/// Persisted records depend on these: a change here is a new scheme, never a fix.
#[test]
fn golden_vectors() {
    let join = join("jaccard", 0.9);
    let mut out = vec![7];
    let features = Features { hashes: vec![0x0102, 3, u64::MAX, 3], ..Features::default() };
    join.pack(&features, &mut out);
    let mut expected = vec![7, 3, 0, 0, 0, 0, 0, 0, 0, 2, 1, 0, 0, 0, 0, 0, 0];
    expected.extend([255; 8]);
    assert_eq!(out, expected);
    join.pack(&Features::default(), &mut out);
    assert_eq!(out, expected);
}

/// A measure that knows no bound, like a measure of weights.
struct Boundless;

impl Measure for Boundless {
    fn spec(&self) -> Spec {
        Spec::new("boundless")
    }

    fn similarity(&self, _: &FeatureSet, _: &FeatureSet, overlap: &Overlap) -> f64 {
        overlap.jaccard()
    }
}

/// A measure that judges by the sets instead of the overlap.
struct Peeking;

impl Measure for Peeking {
    fn spec(&self) -> Spec {
        Spec::new("peeking")
    }

    fn similarity(&self, a: &FeatureSet, b: &FeatureSet, overlap: &Overlap) -> f64 {
        f64::from(overlap.shared) / a.len().max(b.len()) as f64
    }

    fn least_shared(&self, a: usize, b: usize, similarity: f64) -> usize {
        (a.max(b) as f64 * similarity) as usize
    }
}

#[test]
fn measures_that_are_not_of_sets_are_refused() {
    let mut registry = Registry::with_built_ins();
    let info = |name| PartInfo { name, summary: "", paper: "", params: &[] };
    registry.measures.register(info("boundless"), |_, _| Ok(Box::new(Boundless))).unwrap();
    registry.measures.register(info("peeking"), |_, _| Ok(Box::new(Peeking))).unwrap();
    for name in ["boundless", "peeking"] {
        let error = build(&registry, name, 0.8).err().unwrap().to_string();
        let (start, rest) = error.split_once(": ").unwrap();
        let (known, end) = rest.split_once("; ").unwrap();
        assert_eq!(start, "candidates.type = \"join\" needs a measure of sets");
        assert_eq!(end, format!("`{name}` is none"));
        let known: Vec<&str> = known.split(", ").collect();
        assert!(MEASURES.iter().all(|measure| known.contains(measure)), "{error}");
        assert!(!known.contains(&"boundless") && !known.contains(&"peeking"), "{error}");
    }
    assert!(build(&registry, "hamming-ish", 0.8).err().unwrap().to_string().contains("unknown measure"));
    for similarity in [f64::NAN, 0.0, -1.0, 1.5] {
        let error = build(&registry, "jaccard", similarity).err().unwrap().to_string();
        assert!(error.contains("above 0 and at most 1"), "{error}");
    }
}

#[test]
fn is_registered_and_misses_nothing() {
    let registry = Registry::with_built_ins();
    let context = BuildContext { similarity: 0.7, ..BuildContext::new(&registry, &NoAssets) };
    let params = |text: &str| Params::new("candidates", text.parse().unwrap());
    let finder = registry.candidates.build(params("type = \"join\""), "bands", &context).unwrap();
    let Finder::Join(join) = finder.as_ref() else { panic!("a join") };
    assert_eq!(
        (join.recall_at(0.7), join.recall_at(1.0), join.recall_at(0.69)),
        (Some(1.0), Some(1.0), Some(0.0))
    );
    assert_eq!((join.source(), finder.spec()), (JoinSource::Features, Spec::new("join")));
    assert!(registry.candidates.build(params("type = \"join\"\nbands = 3"), "bands", &context).is_err());
}

#[test]
fn passes_the_conformance_suite() {
    for measure in MEASURES {
        let join = join(measure, 0.7);
        let sets: Vec<BTreeSet<u64>> = (0..60).map(|n| (n / 4..n / 4 + 10 + n % 3).collect()).collect();
        crate::testing::check_join(&join, &pack(&join, &sets));
    }
}
