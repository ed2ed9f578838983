//! The search compared with brute force, and the work it takes.

use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

use proptest::prelude::*;

use super::Hamming;
use super::plan::Tuning;
use super::search::search;
use super::word::{Item, Word};
use super::worker::Effort;
use crate::candidates::Records;
use crate::error::Error;
use crate::hash;
use crate::testing::check_join;

/// Uses tables wherever possible, so that a few items exercise every path.
const EAGER: Tuning = Tuning { leaf: 2, spread: 6, move_cost: 0.0 };

fn items<W: Word>(values: &[W]) -> Vec<Item<W>> {
    values.iter().zip(0..).map(|(&value, place)| Item { value, place }).collect()
}

/// All pairs in order; a pair that was handed out twice appears twice.
fn found<W: Word>(
    values: &[W],
    distance: u32,
    reserved: u32,
    threads: usize,
    tuning: Tuning,
) -> (Vec<(u32, u32)>, Effort) {
    let pairs = Mutex::new(Vec::new());
    let effort = search(items(values), distance, reserved, threads, tuning, &|batch| {
        pairs.lock().unwrap().extend_from_slice(batch);
        Ok(())
    });
    let mut pairs = pairs.into_inner().unwrap();
    pairs.sort_unstable();
    (pairs, effort.unwrap())
}

fn each_with_each<W: Word>(values: &[W], distance: u32, reserved: u32) -> Vec<(u32, u32)> {
    let near = |a: W, b: W| {
        let difference = a ^ b;
        let top = (W::BITS - reserved..W::BITS).any(|bit| difference.has(bit));
        !top && difference.ones() <= distance
    };
    let count = values.len() as u32;
    (0..count)
        .flat_map(|a| (a + 1..count).map(move |b| (a, b)))
        .filter(|&(a, b)| near(values[a as usize], values[b as usize]))
        .collect()
}

/// A value for each item: a centre of `centres` with some bits flipped, all within a window of bits.
/// Few centres and flips give copies and neighbours, a narrow window gives clusters.
#[derive(Clone, Debug)]
struct Recipe {
    centres: u128,
    window: (u32, u32),
    items: Vec<(u128, Vec<u32>)>,
}

impl Recipe {
    fn values(&self) -> Vec<u128> {
        let centre = |number: u128| {
            let half = |salt| u128::from(hash::mix(hash::combine(number as u64, salt)));
            half(1) << 64 | half(2)
        };
        self.items
            .iter()
            .map(|(number, flips)| {
                let (start, length) = self.window;
                let flips = flips.iter().map(|flip| start + flip % length);
                flips.fold(centre(number % self.centres), |value, bit| value ^ 1 << (bit % 128))
            })
            .collect()
    }
}

fn recipes() -> impl Strategy<Value = Recipe> {
    let item = (any::<u128>(), prop::collection::vec(0..128u32, 0..20));
    let near = (any::<u128>(), prop::collection::vec(0..128u32, 0..5));
    let items = prop::collection::vec(prop_oneof![item, near], 0..120);
    (1..40u128, 0..128u32, 1..=128u32, items).prop_map(|(centres, start, length, items)| Recipe {
        centres,
        window: (start, length),
        items,
    })
}

fn check<W: Word>(values: &[W], distance: u32, reserved: u32) -> Result<(), TestCaseError> {
    let expected = each_with_each(values, distance, reserved);
    for threads in [1, 3] {
        for tuning in [EAGER, Tuning { spread: usize::MAX, ..EAGER }, Tuning::default()] {
            let (pairs, _) = found(values, distance, reserved, threads, tuning);
            prop_assert_eq!(&pairs, &expected, "{} threads, {:?}", threads, tuning);
        }
    }
    Ok(())
}

proptest! {
    #[test]
    fn finds_every_near_pair_once(
        recipe in recipes(),
        distance in 0..=16u32,
        reserved in prop_oneof![Just(0), 0..20u32, 0..=64u32],
    ) {
        let wide = recipe.values();
        let narrow: Vec<u64> = wide.iter().map(|&value| value as u64).collect();
        check(&wide, distance, reserved)?;
        check(&narrow, distance, reserved)?;
    }
}

/// Pseudo-random values that keep the bits of `shared` from one of `clusters` centres.
fn clustered(count: u64, clusters: u64, shared: u64) -> Vec<u64> {
    let values = (0..count).map(|at| {
        let centre = hash::mix(hash::combine(7, at % clusters));
        hash::mix(hash::combine(8, at)) & !shared | centre & shared
    });
    values.collect()
}

/// At the sizes and with the settings of real use; the values of the two extremes as well.
#[test]
fn finds_every_pair_among_thousands() {
    let mut values = clustered(2500, 5, 0xffff_ffff_ffff_0000);
    values.extend(clustered(2000, 2000, u64::MAX));
    values.extend(values.clone().iter().step_by(9).map(|value| value ^ 1 << 40));
    values.extend([0, u64::MAX, 0, u64::MAX]);
    values.extend([42; 300]);
    let tuning = Tuning { spread: 1000, ..Tuning::default() };
    for (distance, reserved) in [(0, 0), (3, 0), (3, 8), (6, 0), (16, 0), (3, 64)] {
        let expected = each_with_each(&values, distance, reserved);
        assert!(!expected.is_empty());
        for threads in [1, 3] {
            assert!(found(&values, distance, reserved, threads, tuning).0 == expected, "distance {distance}");
        }
    }
}

/// 20 000 values have 200 million pairs.
fn assert_far_from_quadratic(values: &[u64], most_pairs: usize) {
    let all = values.len() as u64 * (values.len() as u64 - 1) / 2;
    for spread in [usize::MAX, 1000] {
        let (pairs, effort) = found(values, 3, 0, 2, Tuning { spread, ..Tuning::default() });
        assert!((1..=most_pairs).contains(&pairs.len()), "{} pairs", pairs.len());
        assert!(effort.compared + 10 * effort.moved < all / 20, "{effort:?} of {all}");
    }
}

#[test]
fn values_that_share_leading_bits_are_not_compared_each_with_each() {
    assert_far_from_quadratic(&clustered(20_000, 1, 0xffff_ffff << 32), 2000);
    assert_far_from_quadratic(&clustered(20_000, 1, 0xff_ffff_ffff << 24), 40_000);
}

#[test]
fn values_that_share_scattered_bits_are_not_compared_each_with_each() {
    assert_far_from_quadratic(&clustered(20_000, 1, 0xdb6d_b6db_6db6_db0a), 40_000);
    assert_far_from_quadratic(&clustered(20_000, 20, 0xdb6d_b6db_6db6_db0a), 20_000);
}

#[test]
fn a_few_strangers_do_not_make_a_cluster_expensive() {
    let mut values = clustered(20_000, 1, 0xff_ffff_ffff << 24);
    for (value, bit) in values.iter_mut().zip(0..64) {
        *value ^= 1 << bit;
    }
    assert_far_from_quadratic(&values, 40_000);
}

#[test]
fn a_few_fingerprints_with_many_copies_are_compared_once() {
    let values: Vec<u64> = (0..5000u64).map(|at| hash::mix(at % 5)).collect();
    let (pairs, effort) = found(&values, 3, 0, 2, Tuning { spread: 1000, ..Tuning::default() });
    assert_eq!(pairs.len(), 5 * (1000 * 999 / 2));
    assert!(effort.compared < 1000, "{effort:?}");
}

/// Hardly any bit distinguishes values here, and every value has hundreds of neighbours.
#[test]
fn values_around_one_centre_cost_no_more_than_each_with_each() {
    let values: Vec<u64> =
        (0..64u64 * 64).map(|at| 1 << (at % 64) ^ 1 << (at / 64) ^ 1 << (at % 61)).collect();
    let expected = each_with_each(&values, 3, 0);
    for spread in [usize::MAX, 1000] {
        let (pairs, effort) = found(&values, 3, 0, 2, Tuning { spread, ..Tuning::default() });
        assert!(pairs == expected);
        assert!(effort.compared < 4096 * 4095 / 2, "{effort:?} for {} pairs", pairs.len());
    }
}

#[test]
fn random_values_are_hardly_compared() {
    assert_far_from_quadratic(&[clustered(20_000, 1, 0), vec![5, 4]].concat(), 1);
}

#[test]
fn the_first_error_of_the_receiver_ends_the_search() {
    for (spread, threads) in [(usize::MAX, 1), (1000, 1), (1000, 3)] {
        let calls = AtomicUsize::new(0);
        let values = vec![1u64; 20_000];
        let result =
            search(items(&values), 3, 0, threads, Tuning { spread, ..Tuning::default() }, &|batch| {
                calls.fetch_add(1, Ordering::Relaxed);
                assert!(!batch.is_empty());
                Err(Error::input("enough"))
            });
        assert_eq!(result.unwrap_err().to_string(), "enough");
        assert!(calls.into_inner() <= threads);
    }
}

#[test]
fn passes_the_conformance_suite() {
    for width in [8, 16] {
        let mut records = Records::default();
        for n in 0..300u64 {
            // Some are near, some equal, most are neither.
            let value = u128::from(hash::mix(n / 3)) << 64 | u128::from(hash::mix(n / 2) ^ (n % 3));
            records.push(&value.to_le_bytes()[16 - width..]);
        }
        check_join(&Hamming::new(3, 0, width as u32 * 8).unwrap(), &records);
    }
}
