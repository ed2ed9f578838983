use std::collections::BTreeSet;

use proptest::prelude::*;

use super::*;
use crate::hash;
use crate::partition::{Frozen, NoClustering, Partition, Terms};
use crate::registry::{NoAssets, Registry};
use crate::testing::check_join;

fn join(toml: &str) -> WithinClusters {
    let registry = Registry::with_built_ins();
    let context = BuildContext::new(&registry, &NoAssets);
    let mut params = Params::new("candidates", toml.parse().unwrap());
    let join = WithinClusters::from_params(&mut params, &context).unwrap();
    params.finish(["clustering"].into_iter()).unwrap();
    join
}

/// Fixed clusters that a test chooses.
struct Given(Vec<Vec<u32>>);

impl Partitioner for Given {
    fn spec(&self) -> Spec {
        Spec::new("given")
    }

    fn partition(&self, _: &Vectors, _: usize) -> Result<Partition> {
        Ok(Partition { clusters: self.0.clone(), ..Partition::default() })
    }
}

fn records(documents: u64) -> Records {
    let (mut records, packer) = (Records::default(), WithinClusters::new(Box::new(NoClustering), 0.0));
    for document in 0..documents {
        let word = |word| document % 9 * 30 + hash::mix(document << 8 | word) % 40;
        let features = Features {
            hashes: (0..10).map(word).collect(),
            weights: (0..10).map(|place| 1.0 + place as f32).collect(),
            ..Features::default()
        };
        let mut packed = Vec::new();
        packer.pack(&features, &mut packed);
        records.push(&packed);
    }
    records
}

fn pairs(join: &WithinClusters, records: &Records) -> Vec<(u32, u32)> {
    let found = Mutex::new(Vec::new());
    join.pairs(records, 2, &|pairs| {
        found.lock().unwrap().extend_from_slice(pairs);
        Ok(())
    })
    .unwrap();
    let mut found = found.into_inner().unwrap();
    found.sort_unstable();
    found
}

fn sharing(clusters: &[Vec<u32>]) -> BTreeSet<(u32, u32)> {
    let mut pairs = BTreeSet::new();
    for cluster in clusters {
        for (place, &a) in cluster.iter().enumerate() {
            pairs.extend(cluster[place + 1..].iter().map(|&b| (a, b)));
        }
    }
    pairs
}

proptest! {
    #[test]
    fn pairs_are_those_that_share_a_cluster_each_once(
        clusters in proptest::collection::vec(proptest::collection::btree_set(0u32..70, 1..60), 1..8),
    ) {
        let mut clusters: Vec<Vec<u32>> = clusters.into_iter().map(|c| c.into_iter().collect()).collect();
        clusters.extend((0..70).map(|alone| vec![alone]));
        let expected: Vec<(u32, u32)> = sharing(&clusters).into_iter().collect();
        let join = WithinClusters::new(Box::new(Given(clusters)), 0.0);
        prop_assert_eq!(&pairs(&join, &records(70)), &expected);
        let narrowing = join.narrowing().unwrap();
        prop_assert_eq!((narrowing.comparisons, narrowing.all_pairs), (expected.len() as u64, 70 * 69 / 2));
    }
}

#[test]
fn keeps_the_promises_of_a_join() {
    for toml in [
        "",
        "clustering = 'k-means'\nfloor = 0.4",
        "clustering = 'none'",
        "clustering = { type = 'fuzzy-c-means', clusters = 5, fuzzifier = 2.0 }",
    ] {
        let join = join(toml);
        check_join(&join, &records(300));
        let table = join.spec().params;
        let again = super::tests::join(&table.to_string());
        assert_eq!(again.spec(), join.spec(), "the spec rebuilds the join");
    }
}

/// What a clustering found on some documents answers for others, one at a time and all together.
#[test]
fn a_frozen_partition_finds_partners_of_one_document() {
    for floor in [0.0, 0.3, 0.6] {
        let made = join("clustering = { type = 'fuzzy-c-means', clusters = 7 }");
        assert!(made.partition().is_none() && made.neighbours().is_none());
        pairs(&made, &records(200));
        let frozen = Frozen::new(made.partition().unwrap());
        let join = WithinClusters::new(Box::new(frozen), floor);
        assert!(join.neighbours().is_some());
        check_join(&join, &records(300));
        assert!(!pairs(&join, &records(300)).is_empty());
        assert!(join.partition().is_none(), "nothing new to freeze");
    }
}

#[test]
fn the_floor_is_a_cosine() {
    let records = records(120);
    let vectors = Vectors::build(120, 1, Terms::All, &|place, out| unpack(records.get(place), out)).unwrap();
    let mut expected = Vec::new();
    let mut spread_out = vec![0.0; vectors.terms()];
    for a in 0..120 {
        vectors.spread_out(a, &mut spread_out);
        let alike = (a + 1..120).filter(|&b| vectors.dot(b, &spread_out) >= 0.5);
        expected.extend(alike.map(|b| (a as u32, b as u32)));
        vectors.wipe(a, &mut spread_out);
    }
    let join = join("clustering = 'none'\nfloor = 0.5");
    assert!(!expected.is_empty() && expected.len() < 120 * 119 / 2);
    assert_eq!(pairs(&join, &records), expected);
    let narrowing = join.narrowing().unwrap();
    assert_eq!((narrowing.comparisons, narrowing.saved), (120 * 119 / 2, 0.0));
}

/// All documents are in the sample, so the counts are those of all pairs.
#[test]
fn what_is_lost_is_counted() {
    let records = records(120);
    let alike = |floor: f64| pairs(&WithinClusters::new(Box::new(NoClustering), floor), &records);
    let clusters: Vec<Vec<u32>> = vec![(0..50).collect(), (40..120).collect()];
    let lost = |pairs: &[(u32, u32)]| {
        let together = sharing(&clusters);
        pairs.iter().filter(|pair| !together.contains(pair)).count() as u64
    };
    let join = WithinClusters::new(Box::new(Given(clusters.clone())), 0.0);
    pairs(&join, &records);
    let narrowing = join.narrowing().unwrap();
    assert_eq!(narrowing.sampled, 120);
    for level in narrowing.lost {
        let pairs = alike(level.cosine);
        assert_eq!((level.pairs, level.lost), (pairs.len() as u64, lost(&pairs)));
        assert!(level.cosine > 0.5 || level.lost > 0);
    }
}

#[test]
fn mistakes_in_the_clustering_are_named() {
    let registry = Registry::with_built_ins();
    let context = BuildContext::new(&registry, &NoAssets);
    for (toml, expected) in [
        ("clustering = 'fcm'", "known: frozen, fuzzy-c-means, k-means, none"),
        (
            "clustering = { type = 'k-means', fuzzifier = 2.0 }",
            "unknown key `fuzzifier` in [candidates.clustering]",
        ),
        ("clustering = 5", "candidates.clustering is 5"),
        ("floor = 1.5", "candidates.floor is 1.5"),
    ] {
        let mut params = Params::new("candidates", toml.parse().unwrap());
        let error = WithinClusters::from_params(&mut params, &context).err().unwrap().to_string();
        assert!(error.contains(expected), "{error}");
    }
}
