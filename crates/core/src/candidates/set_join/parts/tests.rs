//! Partners compared with those that share a key.

use std::collections::{BTreeMap, BTreeSet};

use super::super::record::of_hashes;
use super::*;
use crate::decide::{Containment, Cosine, Dice, Jaccard, Longer, Measure};

fn new(measure: Box<dyn Measure>, similarity: f64) -> Option<Parts> {
    let lexicon = Lexicon::from_counts(1000, [(hash::mix(3), 900), (hash::mix(4), 7)]);
    Parts::new(&Arc::new(Bounds::of(measure, similarity)), &Arc::new(lexicon))
}

fn parts(measure: Box<dyn Measure>, similarity: f64) -> Parts {
    new(measure, similarity).expect("differences are few")
}

fn measures() -> [Box<dyn Measure>; 4] {
    [Box::new(Jaccard), Box::new(Cosine), Box::new(Dice), Box::new(Longer)]
}

/// How many of the keys of a set are in ranges that another seeks.
fn met(parts: &Parts, kept: &[u8], seeker: &[u8]) -> usize {
    let (mut keys, mut ranges) = (Vec::new(), Vec::new());
    parts.write_keys(kept, &mut keys);
    parts.write_sought_ranges(seeker, &mut ranges);
    keys.iter().filter(|&&key| ranges.iter().any(|range| range.contains(key))).count()
}

/// Sets of these sizes that share as little as partners can.
fn barely_alike(parts: &Parts, (a, b): (u32, u32), seed: u64) -> (Vec<u8>, Vec<u8>) {
    let shared = parts.bounds.least_shared(a, b);
    let set = |own: u64, size: u32| {
        let common = (0..shared).map(|n| hash::combine(seed, u64::from(n)));
        of_hashes(common.chain((shared..size).map(|n| hash::combine(seed ^ own, u64::from(n)))))
    };
    (set(1 << 40, a), set(2 << 40, b))
}

fn check_barely_alike(parts: &Parts, sizes: (u32, u32), seed: u64) {
    let (a, b) = barely_alike(parts, sizes, seed);
    assert!(met(parts, &a, &b) > 0, "{sizes:?}, the smaller is kept, {:?}", parts.bounds.similarity);
    assert!(met(parts, &b, &a) > 0, "{sizes:?}, the larger is kept, {:?}", parts.bounds.similarity);
}

#[test]
fn partners_that_differ_in_all_they_can_are_found() {
    for similarity in [0.9, 0.95, 1.0] {
        for parts in measures().map(|measure| parts(measure, similarity)) {
            for a in 1..60 {
                for b in a..=*parts.bounds.partners(a).end() {
                    (0..4).for_each(|seed| check_barely_alike(&parts, (a, b), seed));
                }
            }
        }
    }
}

/// Features of one set alone that are dealt to a part each, as long as there are parts.
fn spoilers(count: usize, number: u32, seed: u64) -> Vec<u64> {
    let (mut taken, mut found) = (BTreeSet::new(), Vec::new());
    let mut features = (0..).map(|n| hash::combine(seed, n));
    while found.len() < number as usize {
        let feature = features.next().unwrap();
        if taken.len() == count || taken.insert(place_of(hash::mix(feature), count)) {
            found.push(feature);
        }
    }
    found
}

/// As many parts as can be are spoiled, and a feature more ranks them above the others.
#[test]
fn partners_whose_differences_meet_in_no_part_are_found() {
    let sizes = || (1..40).chain((40..300).step_by(13));
    for parts in measures().map(|measure| parts(measure, 0.9)) {
        for (a, b) in sizes().flat_map(|a| parts.bounds.partners(a).map(move |b| (a, b))) {
            // The partner of size `a` is kept, so the parts are those of its cell.
            let count = parts.count(parts.cells.cell(a));
            let shared = parts.bounds.least_shared(a, b);
            let own = spoilers(count, a + b - 2 * shared, 7);
            let (own_a, own_b) = own.split_at((a - shared) as usize);
            let set = |own: &[u64]| {
                of_hashes((0..shared).map(|n| hash::combine(8, u64::from(n))).chain(own.iter().copied()))
            };
            assert!(met(&parts, &set(own_a), &set(own_b)) > 0, "{a} and {b}");
        }
    }
}

/// Of many sizes only some are asked about.
#[test]
fn large_partners_are_found_in_every_cell() {
    for parts in measures().map(|measure| parts(measure, 0.9)) {
        for cell in [40, 50, 60] {
            let sizes = parts.cells.sizes(cell);
            for a in [*sizes.start(), sizes.start() + 7, *sizes.end()] {
                let partners = parts.bounds.partners(a);
                for b in [*partners.start(), partners.start() + 1, a, partners.end() - 1, *partners.end()] {
                    check_barely_alike(&parts, (a, b), u64::from(a));
                }
            }
        }
    }
}

/// However sizes are asked about, no two sets differ in more than is said.
#[test]
fn no_partners_differ_in_more_than_they_can() {
    for parts in measures().map(|measure| parts(measure, 0.9)) {
        for (from, last) in [(1, 1), (1, 40), (900, 1300), (5000, 5100)] {
            let sizes = from..=last;
            let others = *parts.bounds.partners(from).start()..=*parts.bounds.partners(last).end();
            let bounds = &parts.bounds;
            let unshared = |a: u32| bounds.partners(a).map(|b| a + b - 2 * bounds.least_shared(a, b)).max();
            let exact = sizes.clone().filter_map(unshared).max().unwrap();
            let told = parts.bounds.most_unshared(&sizes, &others).unwrap();
            assert!(exact <= told && told <= exact + exact / 20, "{from} to {last}: {exact}, {told}");
        }
    }
}

#[test]
fn only_where_partners_differ_in_little() {
    let takes = |measure: Box<dyn Measure>, similarity| new(measure, similarity).is_some();
    assert!(takes(Box::new(Cosine), 0.9) && takes(Box::new(Jaccard), 0.8) && takes(Box::new(Jaccard), 1.0));
    assert!(!takes(Box::new(Cosine), 0.8) && !takes(Box::new(Jaccard), 0.7));
    assert!(!takes(Box::new(Containment), 0.99), "a partner may be of any size");
}

#[test]
fn keys_are_few_and_say_something() {
    let lexicon = Lexicon::from_counts(1000, (0..125u64).map(|n| (hash::mix(n), 1000)));
    let bounds = Arc::new(Bounds::of(Box::new(Cosine), 0.9));
    let parts = Parts::new(&bounds, &Arc::new(lexicon)).unwrap();
    // Half of the words are in every document.
    let set = |own: u64| of_hashes((0..125).chain(own..own + 125).map(hash::mix));
    let (mut keys, mut buckets) = (Vec::new(), BTreeMap::<u64, u32>::new());
    for own in 1..200 {
        keys.clear();
        parts.write_keys(&set(1000 * own), &mut keys);
        // Partners of 250 words differ in 50 at most, those of the largest size of the cell in some more.
        assert!((51..70).contains(&keys.len()), "{}", keys.len());
        keys.iter().for_each(|&key| *buckets.entry(key).or_default() += 1);
    }
    // Parts without a word of its own are every seventh, but few sets have more of these than can be spared.
    let common: u32 = buckets.values().filter(|&&sets| sets > 1).sum();
    assert!(common < 199 * 6, "{common}");
}

/// Persisted indexes depend on these: a change here is a new scheme, never a fix.
#[test]
fn golden_vectors() {
    let lexicon = Arc::new(Lexicon::from_counts(1000, [(hash::mix(3), 900), (hash::mix(4), 7)]));
    let bounds = Arc::new(Bounds::of(Box::new(Cosine), 0.9));
    let parts = Parts::new(&bounds, &lexicon).unwrap();
    let record = of_hashes((1..12).map(hash::mix));
    let (mut keys, mut ranges) = (Vec::new(), Vec::new());
    parts.write_keys(&record, &mut keys);
    keys.sort_unstable();
    parts.write_sought_ranges(&record, &mut ranges);
    let ranges: Vec<u64> = ranges.iter().flat_map(|range| [range.first, range.last]).collect();
    let told = (keys, ranges.len(), hash::digest(&ranges));
    let expected = (
        vec![4472581780674707467, 13972764040208842763, 18137195834331103243],
        18,
        243314040857812704107282638476419278353,
    );
    assert_eq!(told, expected);
}
