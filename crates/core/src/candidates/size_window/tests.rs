//! Properties of the join, on whole documents.

use std::sync::Mutex;

use proptest::prelude::*;

use super::*;
use crate::decide::{Decider, Longer, Threshold};
use crate::document::{Document, Value};
use crate::features::{Align, ChunkStreams, Chunks, FeatureSet};
use crate::registry::{NoAssets, Registry};
use crate::testing::pairs_by_keys;

fn chunks(bits: u64) -> Chunks {
    Chunks::new(Align::Position { bits }, ChunkStreams::Both, false, "type").unwrap()
}

/// The records of texts with their types, and the features they are made of.
fn records(bits: u64, documents: &[(&str, &str)]) -> (Records, Vec<FeatureSet>) {
    let (mut records, mut sets) = (Records::default(), Vec::new());
    for (kind, text) in documents {
        let kind = Some(Value::Text((*kind).into()));
        let mut features = Features::default();
        features.fill(&chunks(bits), &Document { fields: vec![kind], ..Document::from_text(text) });
        let mut record = Vec::new();
        record::pack(&features, &mut record);
        records.push(&record);
        sets.push(FeatureSet::from_features(&features));
    }
    (records, sets)
}

fn pairs(join: &SizeWindow, records: &Records, threads: usize) -> Vec<(u32, u32)> {
    let found = Mutex::new(Vec::new());
    let emit = |batch: &[(u32, u32)]| {
        found.lock().unwrap().extend_from_slice(batch);
        Ok(())
    };
    join.pairs(records, threads, &emit).unwrap();
    let mut found = found.into_inner().unwrap();
    found.sort_unstable();
    found
}

/// The paper's similarity, byte by byte.
fn literal(a: &Record<'_>, b: &Record<'_>, tolerance: u32) -> f64 {
    let element = a.element();
    let mut votes = 0;
    for (x, y) in [(a.text, b.text), (a.symbols, b.symbols)] {
        for (x, y) in x.chunks(element).zip(y.chunks(element)) {
            let differing: u32 = x.iter().zip(y).map(|(x, y)| (x ^ y).count_ones()).sum();
            votes += usize::from(differing <= tolerance);
        }
    }
    votes as f64 / a.chunks().max(b.chunks()) as f64
}

/// The paper's other similarity, bit by bit: what one document lacks differs in every bit.
fn literal_bits(a: &Record<'_>, b: &Record<'_>, bits: usize) -> f64 {
    let (element, mut differing, mut longest) = (a.element(), 0, 0);
    for (x, y) in [(a.text, b.text), (a.symbols, b.symbols)] {
        let both = x.len().min(y.len());
        differing +=
            x[..both].iter().zip(&y[..both]).map(|(x, y)| (x ^ y).count_ones() as usize).sum::<usize>();
        longest += both / element * bits;
    }
    (longest - differing) as f64 / (a.chunks().max(b.chunks()) * bits) as f64
}

proptest! {
    #[test]
    fn finds_exactly_the_pairs_whose_bits_are_equal(
        texts in proptest::collection::vec(("[xy]", "[ab]{0,3}[abq,. ]{0,40}"), 0..60),
        bits in prop_oneof![Just(8usize), Just(10), Just(16), Just(32)],
        threshold in prop_oneof![Just(0.5), Just(0.8), Just(0.9), Just(0.97), Just(1.0)],
    ) {
        let documents: Vec<(&str, &str)> =
            texts.iter().map(|(kind, text)| (kind.as_str(), text.as_str())).collect();
        let (records, sets) = records(bits as u64, &documents);
        let join = SizeWindow::by_bits(threshold).unwrap();
        let decider = Threshold::new(Box::new(Bits), threshold);
        let mut expected = Vec::new();
        for b in 0..records.len() {
            for a in 0..b {
                let both = (Record::read(records.get(a)), Record::read(records.get(b)));
                let similarity = match both {
                    (Some(x), Some(y)) if x.class == y.class => literal_bits(&x, &y, bits),
                    _ => 0.0,
                };
                prop_assert_eq!(join.similarity(records.get(a), records.get(b)), similarity);
                if similarity >= threshold {
                    expected.push((a as u32, b as u32));
                }
                // Verification counts the same bits out of the features.
                if documents[a].0 == documents[b].0 {
                    let verdict = decider.decide(&sets[a], &sets[b]);
                    prop_assert_eq!((verdict.duplicate, verdict.similarity), (similarity >= threshold, similarity));
                }
            }
        }
        expected.sort_unstable();
        prop_assert_eq!(&pairs(&join, &records, 1), &expected);
        prop_assert_eq!(&pairs(&join, &records, 3), &expected);
        prop_assert_eq!(&pairs_by_keys(&*join.neighbours().unwrap(), &records), &expected);
    }

    #[test]
    fn finds_exactly_the_pairs_that_the_measure_accepts(
        texts in proptest::collection::vec(("[xy]", "[ab]{0,3}[ab,. ]{0,40}"), 0..90),
        bits in prop_oneof![Just(8u64), Just(10), Just(16), Just(24), Just(64)],
        threshold in prop_oneof![Just(0.1), Just(0.5), Just(0.7), Just(0.9), Just(1.0)],
        tolerance in 0u64..3,
    ) {
        let tolerance = if bits == 64 { 0 } else { tolerance };
        let documents: Vec<(&str, &str)> =
            texts.iter().map(|(kind, text)| (kind.as_str(), text.as_str())).collect();
        let (records, sets) = records(bits, &documents);
        let join = SizeWindow::new(threshold, tolerance).unwrap();
        let decider = Threshold::new(Box::new(Longer), threshold);
        let mut expected = Vec::new();
        for b in 0..records.len() {
            for a in 0..b {
                let both = (Record::read(records.get(a)), Record::read(records.get(b)));
                let similarity = match both {
                    (Some(x), Some(y)) if x.class == y.class => literal(&x, &y, tolerance as u32),
                    _ => 0.0,
                };
                prop_assert_eq!(join.similarity(records.get(a), records.get(b)), similarity);
                if similarity >= threshold {
                    expected.push((a as u32, b as u32));
                }
                if tolerance == 0 && documents[a].0 == documents[b].0 {
                    prop_assert_eq!(decider.decide(&sets[a], &sets[b]).duplicate, similarity >= threshold);
                }
            }
        }
        expected.sort_unstable();
        prop_assert_eq!(&pairs(&join, &records, 1), &expected);
        prop_assert_eq!(&pairs(&join, &records, 3), &expected);
        prop_assert_eq!(&pairs_by_keys(&*join.neighbours().unwrap(), &records), &expected);
        for query in 0..records.len() as u32 {
            let mut found = Vec::new();
            join.scan(records.get(query as usize), &records, |place, similarity| {
                assert_eq!(similarity, join.similarity(records.get(query as usize), records.get(place as usize)));
                found.push((query.min(place), query.max(place)));
            });
            found.retain(|pair| pair.0 != pair.1);
            found.sort_unstable();
            let of_query = expected.iter().copied().filter(|pair| pair.0 == query || pair.1 == query);
            prop_assert_eq!(found, of_query.collect::<Vec<_>>());
        }
    }

    #[test]
    fn least_votes_are_what_the_division_says(chunks in 1usize..5000, threshold in 0.001f64..=1.0) {
        let least = least_votes(chunks, threshold);
        prop_assert!(least as f64 / chunks as f64 >= threshold);
        prop_assert!(least == 0 || ((least - 1) as f64 / (chunks as f64)) < threshold);
    }
}

#[test]
fn types_and_sizes_keep_documents_apart() {
    let long = "a".repeat(100);
    let (records, _) =
        records(8, &[("x", &long), ("y", &long), ("x", &long[..90]), ("x", &long[..89]), ("x", "")]);
    let join = SizeWindow::new(0.9, 0).unwrap();
    assert_eq!(pairs(&join, &records, 1), [(0, 2), (2, 3)]);
}

/// Several blocks of documents, so that pairs across blocks occur.
#[test]
fn no_pair_is_lost_between_blocks() {
    let texts: Vec<String> =
        (0..3 * BLOCK).map(|i| format!("{}{}", "ab ".repeat(50 + i % 7), i % 5)).collect();
    let documents: Vec<(&str, &str)> = texts.iter().map(|text| ("", text.as_str())).collect();
    let (records, _) = records(8, &documents);
    let join = SizeWindow::new(0.95, 0).unwrap();
    let mut expected = Vec::new();
    for b in 0..records.len() as u32 {
        let of = |a: u32| join.similarity(records.get(a as usize), records.get(b as usize));
        expected.extend((0..b).filter(|&a| of(a) >= 0.95).map(|a| (a, b)));
    }
    expected.sort_unstable();
    assert!(expected.len() > 1000);
    assert_eq!(pairs(&join, &records, 2), expected);
}

#[test]
fn tolerance_forgives_bits() {
    let (records, _) = records(8, &[("", "abcdefgh"), ("", "abcdefgi"), ("", "abcdefgv")]);
    let found = |tolerance| pairs(&SizeWindow::new(1.0, tolerance).unwrap(), &records, 1);
    // h is 0x68, i 0x69 and v 0x76.
    assert_eq!(found(0), []);
    assert_eq!(found(1), [(0, 1)]);
    assert_eq!(found(4), [(0, 1), (0, 2)]);
    assert_eq!(found(5), [(0, 1), (0, 2), (1, 2)]);
}

#[test]
fn settings_that_cannot_work_are_named() {
    let (narrow, _) = records(8, &[("", "text")]);
    let (wide, _) = records(64, &[("", "text")]);
    let emit = |_: &[(u32, u32)]| Ok(());
    let tolerant = |tolerance| SizeWindow::new(0.9, tolerance).unwrap();
    for (join, records) in [(tolerant(8), &narrow), (tolerant(1), &wide)] {
        let error = join.pairs(records, 1, &emit).unwrap_err().to_string();
        assert!(error.contains("candidates.tolerance"), "{error}");
    }
    let mut foreign = Vec::new();
    record::pack(&Features { hashes: vec![1, 2, 3], ..Features::default() }, &mut foreign);
    let mut records = Records::default();
    records.push(&foreign);
    let error = tolerant(0).pairs(&records, 1, &emit).unwrap_err().to_string();
    assert!(error.contains("features.type"), "{error}");
    assert!(SizeWindow::new(0.9, 32).err().unwrap().to_string().contains("candidates.tolerance"));
    assert!(SizeWindow::new(f64::NAN, 0).is_err());
}

#[test]
fn an_error_of_the_receiver_ends_the_work() {
    let texts = vec![("", "the same text"); 2 * BLOCK];
    let (records, _) = records(8, &texts);
    let fail = |_: &[(u32, u32)]| Err(Error::input("full"));
    for threads in [1, 3] {
        let result = SizeWindow::new(0.9, 0).unwrap().pairs(&records, threads, &fail);
        assert_eq!(result.unwrap_err().to_string(), "full");
    }
}

#[test]
fn the_promise_follows_the_recipe() {
    let registry = Registry::with_built_ins();
    let build = |measure, similarity, threshold| {
        let context =
            BuildContext { measure, similarity, threshold, ..BuildContext::new(&registry, &NoAssets) };
        SizeWindow::from_params(&mut Params::new("candidates", toml::Table::new()), &context).unwrap()
    };
    let longer = build("longer", 0.8, 0.8 / 1.2);
    assert_eq!((longer.recall_at(0.8), longer.recall_at(0.79)), (Some(1.0), Some(0.0)));
    let cosine = build("cosine", 0.9, 0.81);
    assert_eq!((cosine.threshold, cosine.recall_at(0.9), cosine.recall_at(0.85)), (0.81, Some(1.0), None));
    assert_eq!(build("containment", 0.9, 0.9).recall_at(1.0), None);
    assert_eq!(longer.spec(), Spec::new("size-window").with("tolerance", 0));
    let bits = build("bits", 0.9, 0.9);
    assert_eq!((bits.recall_at(0.9), bits.recall_at(0.89)), (Some(1.0), Some(0.0)));
    assert_ne!(bits.spec(), longer.spec());
}

#[test]
fn passes_the_conformance_suite() {
    let texts: Vec<String> =
        (0..40).map(|n| format!("the same words, and number {} of them", n / 3)).collect();
    let documents: Vec<(&str, &str)> = texts.iter().map(|text| ("x", text.as_str())).collect();
    crate::testing::check_join(&SizeWindow::new(0.9, 0).unwrap(), &records(8, &documents).0);
}
