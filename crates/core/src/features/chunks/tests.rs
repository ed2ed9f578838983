//! Properties of `chunks`, on whole documents.

use std::collections::HashSet;

use proptest::prelude::*;

use super::*;
use crate::features::FeatureSet;
use crate::registry::{BuildContext, NoAssets, Registry};
use crate::testing::{check_extractor, hashes_of};

fn by_place(bits: u64) -> Chunks {
    Chunks::new(Align::Position { bits }, ChunkStreams::Both, false, "").unwrap()
}

fn by_content(average: u64) -> Chunks {
    Chunks::new(Align::Content { average }, ChunkStreams::Both, false, "").unwrap()
}

fn shared_part(extractor: &Chunks, a: &str, b: &str) -> f64 {
    let (a, b) = (hashes_of(extractor, a), hashes_of(extractor, b));
    let set: HashSet<&u64> = a.iter().collect();
    b.iter().filter(|hash| set.contains(hash)).count() as f64 / a.len().max(b.len()) as f64
}

/// Words that look like a language's, never the same sequence twice.
fn prose(seed: u64, words: u64) -> String {
    let syllables = ["ta", "ren", "o", "mi", "sul", "ka", "the", "dor", "is", "and"];
    let word = |i: u64| {
        let random = hash::mix(hash::combine(seed, i));
        (0..1 + random % 3)
            .map(|part| syllables[(random >> (8 + 8 * part)) as usize % 10])
            .collect::<String>()
    };
    (0..words).map(word).collect::<Vec<_>>().join(" ")
}

#[test]
fn passes_the_conformance_suite() {
    for bits in [8, 10, 16, 24, 32, 40, 64] {
        check_extractor(&by_place(bits));
    }
    for average in [4, 16, 4096] {
        check_extractor(&by_content(average));
    }
    check_extractor(&Chunks::new(Align::Position { bits: 8 }, ChunkStreams::NonText, true, "type").unwrap());
}

/// Persisted features depend on these: a change here is a new scheme, never a fix.
#[test]
fn golden_vectors() {
    assert_eq!(hashes_of(&by_place(16), "abc!"), GOLDEN_16);
    assert_eq!(hashes_of(&by_place(64), "abc!"), GOLDEN_64);
    assert_eq!(hashes_of(&by_content(16), "One small step for man, one giant leap"), GOLDEN_CONTENT);
}

const GOLDEN_16: [u64; 3] = [13896130620847198282, 10898655106224186214, 12716914999664175360];
const GOLDEN_64: [u64; 2] = [12907530337614824992, 1561760812912670799];
const GOLDEN_CONTENT: [u64; 4] =
    [1484490280719291135, 3947154458268487634, 12099660989659040749, 10563775596261871423];

/// L17 §III names chunks of ten bits, too: the bits of the bytes one after the other, the lowest first.
#[test]
fn ten_bits_are_cut_without_regard_to_bytes() {
    for length in 0..30 {
        let text: String = "abcdefghijklmnopqrstuvwxyzabcd".chars().take(length).collect();
        let bits: Vec<u64> =
            text.bytes().flat_map(|byte| (0..8).map(move |bit| u64::from(byte >> bit & 1))).collect();
        let chunks = bits.chunks(10).enumerate().map(|(place, bits)| {
            let value = bits.iter().rev().fold(0, |value, bit| value << 1 | bit);
            code::placed(Stream::Text, code::TEN_BITS, place as u64, value)
        });
        assert_eq!(hashes_of(&by_place(10), &text), chunks.collect::<Vec<u64>>(), "{text}");
    }
}

#[test]
fn an_insertion_ruins_places_and_hardly_touches_content() {
    let text = prose(1, 800);
    let longer = format!("X{text}");
    assert!(shared_part(&by_place(8), &text, &longer) < 0.2);
    assert!(shared_part(&by_content(16), &text, &longer) > 0.98);
    let changed = text.replacen('t', "T", 1);
    assert!(shared_part(&by_place(8), &text, &changed) > 0.999);
    assert!(shared_part(&by_content(16), &text, &prose(2, 800)) < 0.25);
}

#[test]
fn chunks_cut_by_content_have_about_the_average_size() {
    let text = prose(3, 20_000);
    for average in [8, 16, 64, 512] {
        let mean = text.len() as f64 / hashes_of(&by_content(average), &text).len() as f64;
        assert!((0.75..1.25).contains(&(mean / average as f64)), "{average}: {mean}");
    }
}

#[test]
fn streams_are_kept_apart() {
    let of = |streams| Chunks::new(Align::Position { bits: 8 }, streams, false, "").unwrap();
    let both = hashes_of(&of(ChunkStreams::Both), "a1 ,;b");
    assert_eq!(
        both,
        [hashes_of(&of(ChunkStreams::Text), "a1 ,;b"), hashes_of(&of(ChunkStreams::NonText), "a1 ,;b")]
            .concat()
    );
    assert_eq!(both.len(), 6);
    assert_eq!(FeatureSet::from_features(&Features { hashes: both, ..Features::default() }).len(), 6);
}

#[test]
fn the_type_becomes_the_class() {
    let chunks = Chunks::new(Align::Position { bits: 8 }, ChunkStreams::Both, false, "type").unwrap();
    assert_eq!(chunks.fields(), ["type"]);
    let class = |value: Option<Value<'static>>| {
        let mut features = Features::default();
        features.fill(&chunks, &Document { fields: vec![value], ..Document::from_text("x") });
        features.class
    };
    assert_eq!(class(Some(Value::Text("pdf".into()))), class(Some(Value::Text("pdf".into()))));
    assert_ne!(class(Some(Value::Text("pdf".into()))), class(Some(Value::Text("html".into()))));
    assert_ne!(class(Some(Value::Number(1.0))), class(Some(Value::Bool(true))));
    assert_eq!(class(None), None);
    let mut features = Features::default();
    features
        .fill(&by_place(8), &Document { fields: vec![Some(Value::Bool(true))], ..Document::from_text("x") });
    assert_eq!(features.class, None);
}

#[test]
fn wrong_parameters_are_named() {
    let registry = Registry::with_built_ins();
    let context = BuildContext::new(&registry, &NoAssets);
    for (toml, named) in [
        ("chunk = 12", "features.chunk"),
        ("chunk = 72", "features.chunk"),
        ("chunk = 0", "features.chunk"),
        ("align = 'content'\naverage = 3", "features.average"),
        ("align = 'content'\nchunk = 8", "features.chunk"),
        ("average = 16", "features.average"),
        ("align = 'left'", "features.align"),
        ("stream = 'images'", "features.stream"),
        ("case = 'lower'", "features.case"),
    ] {
        let params = Params::new("features", toml.parse().unwrap());
        let error = registry.features.build(params, "chunks", &context).err().unwrap().to_string();
        assert!(error.contains(named), "{toml}: {error}");
    }
}

proptest! {
    #[test]
    fn shared_features_are_equal_chunks_at_equal_places(
        a in "[ab .]{0,60}", b in "[ab .]{0,60}", bits in prop_oneof![Just(8u64), Just(16), Just(24), Just(64)]
    ) {
        let cut = |text: &str, symbols: bool| -> Vec<Vec<u8>> {
            let plain = text.split_whitespace().collect::<Vec<_>>().join(" ");
            let kept: String = plain.chars().filter(|&c| (c == '.') == symbols).collect();
            let kept = if symbols { kept } else { kept.split_whitespace().collect::<Vec<_>>().join(" ") };
            kept.into_bytes().chunks(bits as usize / 8).map(<[u8]>::to_vec).collect()
        };
        let mut expected = 0;
        for symbols in [false, true] {
            expected += cut(&a, symbols).iter().zip(&cut(&b, symbols)).filter(|(x, y)| x == y).count();
        }
        let (one, two) = (hashes_of(&by_place(bits), &a), hashes_of(&by_place(bits), &b));
        prop_assert_eq!(one.len(), cut(&a, false).len() + cut(&a, true).len());
        let set: HashSet<u64> = one.into_iter().collect();
        prop_assert_eq!(two.iter().filter(|hash| set.contains(hash)).count(), expected);
    }
}
