//! Checks that every implementation of a stage must pass, built in or plugged in.
//!
//! Call the check for your part from a test of your crate; it panics with the rule that is broken.

use std::collections::BTreeSet;
use std::sync::{Mutex, PoisonError};

use crate::candidates::{Join, Keyer, Neighbours, Records};
use crate::cluster::{Cluster, Clusterer, Edge};
use crate::decide::{Measure, Overlap};
use crate::document::Document;
use crate::error::Error;
use crate::features::{FeatureExtractor, FeatureSet, Features};
use crate::hash;
use crate::partition::{Partition, Partitioner, Vectors};
use crate::sign::Signer;

/// Texts that break careless code: empty, one word, long, many scripts, odd characters.
pub fn awkward_texts() -> Vec<String> {
    vec![
        String::new(),
        " \n\t ".into(),
        "!!! ... ---".into(),
        "one".into(),
        "The quick brown fox jumps over the lazy dog, again and again.".into(),
        "word ".repeat(5000),
        "x".repeat(100_000),
        "日本語のテキストには空白がない。".into(),
        "ภาษาไทยเขียนติดกัน".into(),
        "e\u{301}\u{301}\u{301} ﬁ ½ ǅ ß \u{200d}\u{feff}\u{ad}".into(),
        "👩‍👩‍👧‍👦 🇩🇪 \u{10ffff}".into(),
        "مرحبا بالعالم שלום עולם".into(),
        (0..2000).map(|i| format!("w{i} ")).collect(),
    ]
}

/// The hashes an extractor gives for a text.
pub fn hashes_of(extractor: &dyn FeatureExtractor, text: &str) -> Vec<u64> {
    let mut features = Features::default();
    features.fill(extractor, &Document::from_text(text));
    features.hashes
}

/// Checks an extractor on texts that break careless code.
pub fn check_extractor(extractor: &dyn FeatureExtractor) {
    assert!(!extractor.spec().kind.is_empty(), "a part has a name");
    let mut reused = Features::default();
    for text in awkward_texts() {
        reused.fill(extractor, &Document::from_text(&text));
        let fresh = hashes_of(extractor, &text);
        assert_eq!(reused.hashes, fresh, "buffers left by another document change the features");
        assert!(
            reused.weights.is_empty() || reused.weights.len() == reused.hashes.len(),
            "a weight for each feature, or none at all"
        );
        assert!(reused.weights.iter().all(|weight| weight.is_finite()), "weights are finite");
    }
    assert!(hashes_of(extractor, "").is_empty(), "an empty text has no features");
}

fn sample_features(start: u64, count: u64) -> Features {
    Features { hashes: (start..start + count).map(hash::mix).collect(), ..Features::default() }
}

fn sign(signer: &dyn Signer, features: &Features) -> Vec<u8> {
    let mut signature = vec![0; signer.width()];
    signer.sign(features, &mut signature);
    signature
}

/// Checks a signer.
pub fn check_signer(signer: &dyn Signer) {
    assert!(!signer.spec().kind.is_empty(), "a part has a name");
    assert!(signer.width() > 0 && signer.values() > 0);
    for count in [1, 2, 5, 100, 5000] {
        let features = sample_features(7, count);
        let signature = sign(signer, &features);
        let mut dirty = vec![0xa5; signer.width()];
        signer.sign(&features, &mut dirty);
        assert_eq!(signature, dirty, "every byte of the signature is written");
        assert_eq!(signer.estimate(&signature, &signature), 1.0, "a document is like itself");
        let other = sign(signer, &sample_features(3, count));
        let estimate = signer.estimate(&signature, &other);
        assert!((0.0..=1.0).contains(&estimate), "similarity is from 0 to 1, got {estimate}");
        assert_eq!(estimate, signer.estimate(&other, &signature), "similarity is symmetric");
    }
}

/// Checks a keyer, with the signer whose signatures it takes.
pub fn check_keyer(keyer: &dyn Keyer, signer: &dyn Signer) {
    assert!(!keyer.spec().kind.is_empty(), "a part has a name");
    let signature = sign(signer, &sample_features(1, 50));
    let (mut keys, mut again) = (vec![0; keyer.keys()], vec![u64::MAX; keyer.keys()]);
    keyer.write_keys(&signature, &mut keys);
    keyer.write_keys(&signature, &mut again);
    assert_eq!(keys, again, "every key is written, and keys depend on the signature only");
    assert!(keyer.recall_at(1.0).is_none_or(|recall| recall == 1.0), "identical documents always meet");
    let rising: Vec<f64> = (0..=20).filter_map(|i| keyer.recall_at(f64::from(i) / 20.0)).collect();
    assert!(rising.windows(2).all(|pair| pair[0] <= pair[1]), "more alike, more often met");
}

/// Checks a join. The records are what the join's own source gives for some documents.
pub fn check_join(join: &dyn Join, records: &Records) {
    assert!(!join.spec().kind.is_empty(), "a part has a name");
    let pairs = |records: &Records, threads: usize| {
        let found = Mutex::new(Vec::new());
        let outcome = join.pairs(records, threads, &|pairs| {
            found.lock().unwrap_or_else(PoisonError::into_inner).extend_from_slice(pairs);
            Ok(())
        });
        assert!(outcome.is_ok(), "records of the join's own kind are no error");
        let mut found = found.into_inner().unwrap_or_else(PoisonError::into_inner);
        found.sort_unstable();
        found
    };
    assert!(pairs(&Records::default(), 2).is_empty(), "no documents, no pairs");
    let found = pairs(records, 1);
    assert!(found.iter().all(|&(a, b)| a < b && (b as usize) < records.len()), "the smaller first");
    assert!(found.windows(2).all(|pair| pair[0] != pair[1]), "each pair once");
    assert_eq!(found, pairs(records, 3), "the same with any number of threads");
    if !found.is_empty() {
        let refused = join.pairs(records, 2, &|_| Err(Error::input("enough")));
        assert!(refused.is_err(), "an error of whoever takes the pairs is passed on");
    }
    if let Some(near) = join.neighbours() {
        assert_eq!(
            found,
            pairs_by_keys(&*near, records),
            "one document at a time finds what all together find"
        );
    }
    let rising: Vec<f64> = (0..=20).filter_map(|i| join.recall_at(f64::from(i) / 20.0)).collect();
    assert!(rising.windows(2).all(|pair| pair[0] <= pair[1]), "more alike, more often met");
}

/// The pairs that an index would find, rising: each document is kept under its keys and looked for by others.
pub fn pairs_by_keys(near: &dyn Neighbours, records: &Records) -> Vec<(u32, u32)> {
    let outline = |place: usize| match near.outline_width() {
        0 => records.get(place).to_vec(),
        width => {
            let mut outline = Vec::new();
            near.write_outline(records.get(place), &mut outline);
            assert_eq!(outline.len(), width, "an outline has its width");
            outline
        }
    };
    let with_kinds = |keys: Vec<u64>| {
        let kinds = near.kinds();
        keys.into_iter().enumerate().map(move |(place, key)| (place % kinds, key)).collect::<BTreeSet<_>>()
    };
    let outlines: Vec<Vec<u8>> = (0..records.len()).map(outline).collect();
    let mut kept = Vec::new();
    let mut found = Vec::new();
    for seeker in 0..records.len() {
        let (mut own, mut sought) = (Vec::new(), Vec::new());
        near.write_keys(records.get(seeker), &mut own);
        near.write_sought_keys(records.get(seeker), &mut sought);
        let mut ranges = Vec::new();
        near.write_sought_ranges(records.get(seeker), &mut ranges);
        let (own, sought) = (with_kinds(own), with_kinds(sought));
        for (other, keys) in kept.iter().enumerate() {
            let (a, b) = (records.get(seeker), records.get(other));
            let is_pair = near.pairs(a, b);
            assert_eq!(is_pair, near.pairs(b, a), "partners are partners of each other");
            let may_pair = near.may_pair(&outlines[seeker], &outlines[other]);
            assert!(may_pair || !is_pair, "an outline hides no partner");
            let in_range = |&(_, key): &(usize, u64)| ranges.iter().any(|range| range.contains(key));
            if is_pair && (!sought.is_disjoint(keys) || keys.iter().any(in_range)) {
                found.push((other as u32, seeker as u32));
            }
        }
        kept.push(own);
    }
    found.sort_unstable();
    found
}

/// Checks a partitioner.
pub fn check_partitioner(partitioner: &dyn Partitioner) {
    assert!(!partitioner.spec().kind.is_empty(), "a part has a name");
    // Words of twelve subjects, so that there is something to find.
    let features = |document: u64| -> Vec<(u64, f32)> {
        let word = |word| document % 12 * 50 + hash::mix(document << 8 | word) % 60;
        (0..10).map(|number| (word(number), 1.0 + number as f32)).collect()
    };
    let odd = vec![(1, f32::NAN), (2, f32::INFINITY), (3, -1.0), (4, f32::MIN_POSITIVE), (5, f32::MAX)];
    let many: Vec<_> = (0..3000).map(features).collect();
    let collections: [Vec<Vec<(u64, f32)>>; 7] = [
        vec![],
        vec![features(1)],
        vec![vec![]; 3],
        vec![features(1); 50],
        vec![vec![(1, f32::NAN)], odd.clone(), odd, vec![], features(2)],
        vec![features(1), features(2), features(13)],
        many,
    ];
    for documents in collections {
        let read = |place: usize, out: &mut Vec<(u64, f32)>| {
            // Each feature once.
            out.extend(&documents[place]);
            out.sort_unstable_by_key(|&(term, _)| term);
            out.dedup_by_key(|&mut (term, _)| term);
        };
        let partition = |threads| -> Option<Partition> {
            let vectors = Vectors::build(documents.len(), threads, partitioner.terms(), &read).ok()?;
            partitioner.partition(&vectors, threads).ok()
        };
        let found = partition(1);
        assert!(found.is_some(), "documents are no error, whatever they hold");
        assert_eq!(found, partition(3), "the same with any number of threads");
        let clusters = found.unwrap_or_default().clusters;
        let mut seen = vec![false; documents.len()];
        for cluster in &clusters {
            assert!(!cluster.is_empty(), "no cluster is empty");
            assert!(cluster.windows(2).all(|pair| pair[0] < pair[1]), "members rise");
            cluster.iter().for_each(|&member| seen[member as usize] = true);
        }
        assert!(seen.iter().all(|&seen| seen), "every document is in a cluster");
    }
}

/// Checks a measure.
pub fn check_measure(measure: &dyn Measure) {
    assert!(!measure.spec().kind.is_empty(), "a part has a name");
    let set = |range: std::ops::Range<u64>| FeatureSet { hashes: range.collect(), ..FeatureSet::default() };
    let of = |a: &FeatureSet, b: &FeatureSet| measure.similarity(a, b, &Overlap::count(a, b));
    for (a, b) in [(0..10, 5..15), (0..1, 0..1), (0..100, 50..60), (0..3, 10..13)] {
        let (a, b) = (set(a), set(b));
        let similarity = of(&a, &b);
        assert!((0.0..=1.0).contains(&similarity), "similarity is from 0 to 1, got {similarity}");
        assert_eq!(similarity, of(&b, &a), "similarity is symmetric");
        assert_eq!(of(&a, &a), 1.0, "a document is like itself");
        let by_overlap = measure.by_overlap(&Overlap::count(&a, &b));
        assert!(by_overlap.is_none_or(|other| other == similarity), "the overlap gives the same similarity");
        let least = measure.least_shared(a.len(), b.len(), similarity.max(0.01));
        assert!(similarity < 0.01 || Overlap::count(&a, &b).shared as usize >= least);
    }
}

/// Checks a clusterer.
pub fn check_clusterer(clusterer: &dyn Clusterer) {
    assert!(clusterer.cluster(5, 0, &[]).is_empty(), "no pairs, no clusters");
    const DOCUMENTS: u32 = 60;
    for seed in 0..50 {
        let random = |i: u32, salt: u64| hash::mix(hash::combine(seed, u64::from(i) << 8 | salt));
        let mut edges: Vec<Edge> = (0..80)
            .map(|i| Edge {
                a: (random(i, 1) % u64::from(DOCUMENTS)) as u32,
                b: (random(i, 2) % u64::from(DOCUMENTS)) as u32,
                similarity: 0.8 + (random(i, 3) % 200) as f64 / 1000.0,
            })
            .filter(|edge| edge.a != edge.b)
            .collect();
        // One similarity for each pair, in either direction.
        edges.sort_by_key(|edge| (edge.a.min(edge.b), edge.a.max(edge.b)));
        edges.dedup_by_key(|edge| (edge.a.min(edge.b), edge.a.max(edge.b)));
        let fixed = (seed % 7) as u32;
        let clusters = clusterer.cluster(DOCUMENTS, fixed, &edges);
        let mut seen = vec![false; DOCUMENTS as usize];
        for cluster in &clusters {
            assert!(!cluster.members.is_empty(), "a cluster has two documents or more");
            for &document in cluster.members.iter().chain([&cluster.master]) {
                assert!(!std::mem::replace(&mut seen[document as usize], true), "one cluster each");
            }
            assert!(cluster.members.iter().all(|&member| member >= fixed && member > cluster.master));
        }
        let mut one_by_one = edges.clone();
        one_by_one.iter_mut().for_each(|edge| (edge.a, edge.b) = (edge.a.min(edge.b), edge.a.max(edge.b)));
        one_by_one.sort_by_key(|edge| (edge.b, edge.a));
        let mut assigned = Vec::new();
        let mut assign = |member, master| assigned.push((master, member));
        clusterer.assign(DOCUMENTS, fixed, &mut one_by_one.into_iter(), &mut assign);
        assigned.sort_unstable();
        let members = |cluster: &Cluster| cluster.members.iter().map(|&it| (cluster.master, it)).collect();
        let expected: Vec<Vec<(u32, u32)>> = clusters.iter().map(members).collect();
        assert_eq!(assigned, expected.concat(), "pairs that come one by one give the same clusters");
        edges.reverse();
        for edge in &mut edges {
            std::mem::swap(&mut edge.a, &mut edge.b);
        }
        assert_eq!(clusters, clusterer.cluster(DOCUMENTS, fixed, &edges), "order does not matter");
    }
}
