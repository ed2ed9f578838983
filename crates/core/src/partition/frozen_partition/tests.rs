//! A frozen partition assigns as the clustering that made it, survives its own file, and refuses others.

use std::sync::Arc;

use proptest::prelude::*;

use super::super::tests::{fuzzy, k_means, subjects};
use super::super::{Frozen, Partitioner, Terms, scale_to_unit};
use super::*;
use crate::registry::{BuildContext, Registry};
use crate::testing::check_partitioner;

type Documents = Vec<Vec<(u64, f32)>>;

fn vectors(documents: &Documents, terms: Terms) -> Vectors {
    Vectors::build(documents.len(), 2, terms, &|place, out| out.extend_from_slice(&documents[place])).unwrap()
}

fn freeze(clustering: &dyn Partitioner, documents: &Documents) -> (Partition, Arc<FrozenPartition>) {
    let partition = clustering.partition(&vectors(documents, Terms::Shared), 2).unwrap();
    let about = About {
        clustering: clustering.spec().to_table().to_string(),
        features: "type = \"terms\"".to_owned(),
        documents: documents.len() as u64,
    };
    let frozen = FrozenPartition::new(about, partition.centres.clone().unwrap()).unwrap();
    (partition, Arc::new(frozen))
}

fn alone(frozen: &FrozenPartition, document: &[(u64, f32)]) -> Vec<u32> {
    let (mut features, mut found) = (document.to_vec(), Vec::new());
    scale_to_unit(&mut features);
    frozen.clusters_of(&features, &mut found);
    found
}

/// The clusters of each document, whatever their numbers.
fn of_documents(partition: &Partition, documents: usize) -> Vec<Vec<usize>> {
    let of = |document| {
        let has = |cluster: &Vec<u32>| cluster.contains(&(document as u32));
        (0..partition.clusters.len()).filter(|&place| has(&partition.clusters[place])).collect()
    };
    (0..documents).map(of).collect()
}

#[test]
fn documents_belong_where_they_belonged() {
    let documents = subjects(300, 6);
    for clustering in [
        &fuzzy("clusters = 9") as &dyn Partitioner,
        &fuzzy("clusters = 7\nfuzzifier = 1.3\nmost = 4\ncutoff = 0.2\ncentres = 'mean'"),
        &fuzzy("clusters = 9\ndistance = 'cosine'\ncentres = 'mean'"),
        &fuzzy("clusters = 9\ndistance = 'extended-jaccard'"),
        &k_means("clusters = 9"),
    ] {
        let (made, frozen) = freeze(clustering, &documents);
        let again = Frozen::new(frozen.clone()).partition(&vectors(&documents, Terms::All), 3).unwrap();
        assert_eq!(made.clusters, again.clusters, "{:?}", clustering.spec());
        let of_documents = of_documents(&again, documents.len());
        for (document, clusters) in documents.iter().zip(of_documents) {
            assert_eq!(alone(&frozen, document).len(), clusters.len(), "one at a time as all together");
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(40))]

    /// Whatever documents come later and with which others: alone and together they are in the same clusters.
    #[test]
    fn later_documents_do_not_influence_each_other(
        later in proptest::collection::vec(proptest::collection::btree_map(0u64..200, 0.1f32..5.0, 1..9), 1..30),
    ) {
        let (_, frozen) = freeze(&fuzzy("clusters = 5\nmost = 2"), &subjects(200, 5));
        let later: Documents = later.into_iter().map(|document| document.into_iter().collect()).collect();
        let together = Frozen::new(frozen.clone()).partition(&vectors(&later, Terms::All), 2).unwrap();
        let share = |a: &[u32], b: &[u32]| a.iter().any(|cluster| b.contains(cluster));
        let alone: Vec<Vec<u32>> = later.iter().map(|document| alone(&frozen, document)).collect();
        for a in 0..later.len() {
            for b in 0..a {
                let meet = together.clusters.iter().any(|c| c.contains(&(a as u32)) && c.contains(&(b as u32)));
                prop_assert_eq!(meet, share(&alone[a], &alone[b]));
            }
        }
    }

    #[test]
    fn damage_is_an_error(at in 0usize..10_000, bit in 0u8..8, cut in any::<bool>()) {
        let (_, frozen) = freeze(&k_means("clusters = 3"), &subjects(40, 3));
        let mut bytes = frozen.to_bytes();
        let at = at % bytes.len();
        if cut { bytes.truncate(at) } else { bytes[at] ^= 1 << bit }
        let told = FrozenPartition::read(&bytes).err().unwrap().to_string();
        prop_assert!(told.contains("no partition of this program"), "{}", told);
    }
}

#[test]
fn unknown_documents_meet_each_other() {
    let (_, frozen) = freeze(&fuzzy("clusters = 4"), &subjects(100, 4));
    let strange = alone(&frozen, &[(1_000_000, 1.0), (1_000_001, 2.0)]);
    assert_eq!(strange, [4]);
    assert_eq!(strange, alone(&frozen, &[(1_000_002, 1.0)]));
    let documents: Documents = vec![vec![(1_000_000, 1.0)], vec![], vec![(1_000_002, 1.0)]];
    let partition = Frozen::new(frozen).partition(&vectors(&documents, Terms::All), 1).unwrap();
    assert_eq!(partition.clusters, [vec![0, 2], vec![1]], "one without features is alone");
    assert!(partition.notes.warnings[0].contains("2 of 3"), "{:?}", partition.notes.warnings);
}

/// What the digest cannot know: a file that someone made, with a digest that fits.
#[test]
fn made_up_files_are_refused() {
    let (_, frozen) = freeze(&k_means("clusters = 3"), &subjects(40, 3));
    let (about, centres) = (frozen.about().clone(), &frozen.centres);
    let told = |about: &About, change: &dyn Fn(&mut FinalCentres)| {
        let mut centres = centres.clone();
        change(&mut centres);
        FrozenPartition::new(about.clone(), centres).err().unwrap().to_string()
    };
    assert!(told(&about, &|centres| centres.clusters[0] = 3).contains("do not fit"));
    assert!(told(&about, &|centres| centres.cells[0] = f32::NAN).contains("do not fit"));
    assert!(told(&about, &|centres| centres.squares[1] = -1.0).contains("do not fit"));
    assert!(told(&about, &|centres| centres.ends[0] = u64::MAX).contains("do not fit"));
    assert!(told(&about, &|centres| centres.hashes[0] = centres.hashes[1]).contains("twice"));
    assert!(told(&about, &|centres| *centres = FinalCentres::default()).contains("no centres"));
    for (clustering, expected) in [
        ("type = 'none'", "has no centres"),
        ("type = 'k-means'\nfuzzifier = 2.0", "fuzzifier"),
        ("type = 'k-means'\ncutoff = nan", "cutoff"),
        ("=", "no section"),
    ] {
        let about = About { clustering: clustering.to_owned(), ..about.clone() };
        let told = told(&about, &|_| ());
        assert!(told.contains(expected), "{told}");
    }
}

/// The bytes of a file are a promise: a partition of today is read by later versions.
#[test]
fn the_format_is_golden() {
    let about = About {
        clustering: "clusters = 2\ntype = \"k-means\"".to_owned(),
        features: "type = \"terms\"".to_owned(),
        documents: 7,
    };
    let centres = FinalCentres {
        hashes: vec![9, 4],
        ends: vec![2, 3],
        clusters: vec![0, 1, 1],
        cells: vec![0.5, 0.25, 1.0],
        squares: vec![0.25, 1.0],
    };
    let frozen = FrozenPartition::new(about, centres).unwrap();
    let bytes = frozen.to_bytes();
    assert_eq!(bytes.len(), 8 + 4 * 8 + 2 * 8 + 29 + 14 + 2 * 4 + 2 * 8 + 2 * 8 + 3 * 2 + 3 * 4 + 16);
    assert_eq!(frozen.id(), "b403b28d7270e7ab7705d859d4590554");
    let again = FrozenPartition::read(&bytes).unwrap();
    assert_eq!((again.about(), &again.centres), (frozen.about(), &frozen.centres));
}

#[test]
fn keeps_the_promises_of_a_partitioner() {
    let (_, frozen) = freeze(&fuzzy("clusters = 4"), &subjects(100, 4));
    check_partitioner(&Frozen::new(frozen));
}

#[test]
fn a_recipe_names_its_file() {
    let registry = Registry::with_built_ins();
    let context = BuildContext::new(&registry, &crate::registry::NoAssets);
    let told = |toml: &str| {
        let mut params = Params::new("clustering", toml.parse().unwrap());
        Frozen::from_params(&mut params, &context).err().unwrap().to_string()
    };
    assert!(told("").contains("needs `partition`"));
    assert!(told("partition = 'x'").contains("partition `x` is not available here"));
}
