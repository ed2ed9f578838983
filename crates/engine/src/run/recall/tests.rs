//! No partner is ever ruled out, and unrelated documents mostly are.

use lookalike_core::decide::{
    Containment, Cosine, Decider, ExtendedJaccard, Jaccard, Measure, OverlapAndLength, Threshold,
    WeightedCosine, WeightedDice,
};
use lookalike_core::hash::mix;
use proptest::prelude::*;

use super::outlines::{Outline, OutlineWriter, append_outline};
use super::*;

fn decider(number: usize, similarity: f64) -> Box<dyn Decider> {
    let measures: [Box<dyn Measure>; 6] = [
        Box::new(Jaccard),
        Box::new(Cosine),
        Box::new(Containment),
        Box::new(WeightedCosine),
        Box::new(WeightedDice),
        Box::new(ExtendedJaccard),
    ];
    match measures.into_iter().nth(number) {
        Some(measure) => Box::new(Threshold::new(measure, similarity)),
        None => Box::new(OverlapAndLength::new(similarity, 0.3)),
    }
}

fn set(numbers: impl IntoIterator<Item = u64>) -> FeatureSet {
    let weight = |n: u64| (mix(n ^ 5) % 100 + 1) as f32;
    // Mixed once, numbers in a row are spread more evenly than hashes of words are.
    let mut features: Vec<(u64, f32)> = numbers.into_iter().map(|n| (mix(mix(n)), weight(n))).collect();
    features.sort_by_key(|&(hash, _)| hash);
    features.dedup_by_key(|&mut (hash, _)| hash);
    let (hashes, weights) = features.into_iter().unzip();
    FeatureSet { hashes, weights, ..FeatureSet::default() }
}

/// Whether one document may be the partner of another, by the other's outline.
fn may_pair(decider: &dyn Decider, sampled: &FeatureSet, other: &FeatureSet) -> bool {
    let size = OutlineSize::new(decider).unwrap();
    let weighs = decider.least_cosine().is_some();
    let least = Outliner::default().least_features(&sampled.hashes, &size);
    // Of two features in one slot one is not seen.
    assert!(
        least <= sampled.len() && least + 5 + sampled.len() / 10 >= sampled.len(),
        "{least} of {}",
        sampled.len()
    );
    let sampled = Sampled::new(CorpusNumber::FIRST, 1, least, sampled, weighs);
    let sample = Sample::new(vec![sampled], decider, &size);
    let folder = tempfile::tempdir().unwrap();
    let outlines = Outlines::open(folder.path(), size).unwrap();
    let mut writer = OutlineWriter::new(&outlines);
    writer.add(&Features { hashes: other.hashes.clone(), ..Features::default() });
    let outline = Outline::take(&mut writer.written()).unwrap();
    let mut words = Vec::new();
    append_outline(&other.hashes, outline.words.len(), &mut words);
    assert!(words.iter().zip(outline.words).all(|(word, bytes)| word.to_le_bytes() == *bytes));
    let mut found = false;
    sample.for_each_partner(sample.like_sizes(outline.features, true), &outline, |_| found = true);
    found
}

proptest! {
    #[test]
    fn whatever_the_decision_accepts_passes(
        common in 1u64..600,
        own in 0u64..80,
        others in 0u64..80,
        far in prop_oneof![Just(0u64), Just(3000)],
        similarity in prop_oneof![Just(0.3), Just(0.5), Just(0.8), Just(0.9), Just(1.0)],
        number in 0usize..7,
    ) {
        let decider = decider(number, similarity);
        let a = set((0..common).chain(10_000..10_000 + own));
        let b = set((0..common).chain(20_000..20_000 + others + far));
        if decider.decide(&a, &b).duplicate {
            prop_assert!(may_pair(&*decider, &a, &b));
            prop_assert!(may_pair(&*decider, &b, &a));
        }
    }
}

#[test]
fn unrelated_documents_are_ruled_out() {
    for number in 0..7 {
        for similarity in [0.5, 0.8, 0.9] {
            let decider = decider(number, similarity);
            for (size, other) in [(50, 50), (300, 320), (300, 2000), (2000, 2000)] {
                let passing = (0..20u64).filter(|n| {
                    let (a, b) = (1_000_000 * n, 1_000_000 * n + 500_000);
                    may_pair(&*decider, &set(a..a + size), &set(b..b + other))
                });
                let passing = passing.count();
                assert!(passing <= 2, "{number} {similarity} {size} {other}: {passing} of 20");
            }
        }
    }
}

#[test]
fn outlines_come_back_after_an_interruption() {
    let folder = tempfile::tempdir().unwrap();
    let size = OutlineSize::new(&*decider(0, 0.8)).unwrap();
    let block = |part| crate::corpus::block::Header {
        input: 3,
        part,
        base: 0,
        documents: 2,
        lines: 2,
        empty: 0,
        unsigned: 0,
        rejected: 0,
    };
    let features = |count: u64| Features { hashes: (0..count).map(mix).collect(), ..Features::default() };
    let written = {
        let outlines = Outlines::open(folder.path(), size).unwrap();
        let mut writer = OutlineWriter::new(&outlines);
        for part in 0..2 {
            writer.add(&features(7 + part));
            writer.add(&features(100));
            let chunk = crate::corpus::ChunkPlace { input: 3, part, base: 0, lines: 2, bytes: 0 };
            writer.end_chunk(&chunk).unwrap();
        }
        outlines.read(&block(1)).unwrap()
    };
    let outlines = Outlines::open(folder.path(), size).unwrap();
    let read = outlines.read(&block(1)).unwrap();
    assert_eq!(read, written);
    let mut rest = read.as_slice();
    let counts = [(); 2].map(|()| Outline::take(&mut rest).unwrap().features);
    assert!(counts[0] <= 8 && (90..=100).contains(&counts[1]), "{counts:?}");
    assert_eq!(rest.len(), 0);
    assert!(matches!(outlines.read(&block(2)), Err(lookalike_core::Error::Incompatible(_))));
}
