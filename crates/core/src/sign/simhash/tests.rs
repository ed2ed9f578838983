//! Properties of simhash signatures.

use super::*;
use crate::testing::check_signer;

fn signature(signer: &Simhash, features: &Features) -> Vec<u8> {
    let mut out = vec![0; signer.width()];
    signer.sign(features, &mut out);
    out
}

fn features(hashes: impl IntoIterator<Item = u64>, weights: Vec<f32>) -> Features {
    // Mixed twice: the angle needs hashes of neighbouring numbers to be practically independent.
    let hashes = hashes.into_iter().map(|n| hash::mix(hash::mix(n ^ 0xabcd_0000))).collect();
    Features { hashes, weights, ..Features::default() }
}

#[test]
fn passes_the_conformance_suite() {
    for (bits, reserved) in [(64, 0), (128, 0), (64, 8), (128, 16)] {
        check_signer(&Simhash::new(bits, reserved).unwrap());
    }
}

/// Persisted signatures depend on these: a change here is a new scheme, never a fix.
#[test]
fn golden_vectors() {
    let signer = Simhash::new(128, 0).unwrap();
    assert_eq!(number(&signature(&signer, &features(0..9, Vec::new()))), GOLDEN);
    let weights = (1..10).map(|n| n as f32 / 3.0).collect();
    let mut weighted = features(0..9, weights);
    assert_eq!(number(&signature(&signer, &weighted)), GOLDEN_WEIGHTED);
    weighted.class = Some(7);
    assert_eq!(number(&signature(&Simhash::new(64, 8).unwrap(), &weighted)), GOLDEN_RESERVED);
}

const GOLDEN: u128 = 301356137323829892729487799550018149865;
const GOLDEN_WEIGHTED: u128 = 301350945619905949354146522159866017097;
const GOLDEN_RESERVED: u128 = 15529997654832543049;

#[test]
fn equal_weights_are_no_weights() {
    for bits in [64, 128] {
        let signer = Simhash::new(bits, 0).unwrap();
        for count in [1, 2, 3, 50, 1001, 4000] {
            let plain = signature(&signer, &features(0..count, Vec::new()));
            assert_eq!(plain, signature(&signer, &features(0..count, vec![0.7; count as usize])), "{count}");
        }
    }
}

#[test]
fn one_feature_is_its_own_signature() {
    let one = features([5], Vec::new());
    let got = number(&signature(&Simhash::new(128, 0).unwrap(), &one));
    assert_eq!((got as u64, (got >> 64) as u64), (one.hashes[0], hash::mix(one.hashes[0])));
}

#[test]
fn the_class_fills_the_leading_bits_and_must_agree() {
    let signer = Simhash::new(64, 8).unwrap();
    let plain = Simhash::new(64, 0).unwrap();
    let mut one = features(0..20, Vec::new());
    one.class = Some(1);
    let a = signature(&signer, &one);
    assert_eq!(a[..7], signature(&plain, &one)[..7], "the other bits are voted as ever");
    assert_eq!(a[7], (hash::mix(1) >> 56) as u8);
    one.class = Some(2);
    let b = signature(&signer, &one);
    assert_eq!((signer.estimate(&a, &b), signer.estimate(&a, &a)), (0.0, 1.0));
    one.class = None;
    assert_eq!(signature(&signer, &one)[7], 0);
    let opposite: Vec<u8> = a.iter().enumerate().map(|(i, byte)| if i < 7 { !byte } else { *byte }).collect();
    assert_eq!(signer.estimate(&a, &opposite), 0.0, "all 56 bits differ");
}

#[test]
fn wrong_parameters_are_named() {
    for (toml, key) in
        [("bits = 65", "sign.bits"), ("bits = 0", "sign.bits"), ("reserved = 17", "sign.reserved")]
    {
        let error = Simhash::from_params(&mut Params::new("sign", toml.parse().unwrap())).err().unwrap();
        assert!(error.to_string().contains(key), "{error}");
    }
}

/// Random vectors share part of their features; the differing bits must come as often as the angle
/// between the vectors says. Equal and different weights, both halves of the signature.
#[test]
fn differing_bits_tell_the_angle() {
    const TRIALS: u64 = 400;
    const FEATURES: u64 = 300;
    let signer = Simhash::new(128, 0).unwrap();
    for weighted in [false, true] {
        for shared in [30, 150, 240, 297] {
            let (mut differing, mut expected) = ([0u32; 2], 0.0);
            for trial in 0..TRIALS {
                let start = trial * 1_000_000;
                let weight = |n: u64| {
                    let uniform = hash::mix(n ^ 0x5eed) as f64 / u64::MAX as f64;
                    if weighted { -(uniform.max(1e-9).ln()) as f32 } else { 1.0 }
                };
                let vector = |from: u64| {
                    let range = start + from..start + from + FEATURES;
                    features(range.clone(), range.map(weight).collect())
                };
                let other = FEATURES - shared;
                let difference =
                    number(&signature(&signer, &vector(0))) ^ number(&signature(&signer, &vector(other)));
                differing[0] += (difference as u64).count_ones();
                differing[1] += ((difference >> 64) as u64).count_ones();
                let square = |range: std::ops::Range<u64>| -> f64 {
                    range.map(|n| f64::from(weight(start + n)).powi(2)).sum()
                };
                let (a, b) = (square(0..FEATURES), square(other..other + FEATURES));
                expected += (square(other..FEATURES) / (a * b).sqrt()).acos() / std::f64::consts::PI;
            }
            let expected = expected / TRIALS as f64;
            let bits = (TRIALS * 64) as f64;
            let allowed = 4.0 * (expected * (1.0 - expected) / bits).sqrt();
            for half in differing {
                let fraction = f64::from(half) / bits;
                assert!(
                    (fraction - expected).abs() < allowed,
                    "weighted {weighted}, {shared} shared: {fraction:.4} of bits, {expected:.4} ± {allowed:.4}"
                );
            }
        }
    }
}
