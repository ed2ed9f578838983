//! The pairs to train on and to judge: those that a run sees.
//!
//! Candidates of the recipe whose truth is known are used for training and judging. If labels cover only some
//! pairs, all of these are used for training, since they are few; but one that the recipe does not propose is
//! never found. If a class has hardly any candidates, pairs that a run decides without a model are added: they
//! are used for training, and judged as the run would decide them.

use std::collections::{BTreeMap, BTreeSet};

use lookalike_core::hash::{combine, mix};
use lookalike_core::{Error, Result};
use lookalike_learn::metrics::{Truth, Unlabelled};

use super::candidates::Candidates;

/// A training pair a < b.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct TrainingPair {
    pub a: u32,
    pub b: u32,
    pub is_true: bool,
    /// For how many pairs it stands.
    pub weight: f64,
    /// Whether a run would ask the model about it.
    pub is_met: bool,
}

/// The training pairs, and what else a run would be judged by.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct TrainingPairs {
    /// In the order of their documents.
    pub pairs: Vec<TrainingPair>,
    /// Exact copies, which a run pairs whatever the model says, and whether that is right.
    pub copies: Vec<(u32, u32, bool)>,
    /// True pairs that the recipe does not propose, counted by their first document.
    pub missed: Vec<f64>,
    /// Judged candidates: true ones and others.
    pub met: [u64; 2],
    pub notes: Vec<String>,
}

/// A class with fewer rows than this is filled up.
const LEAST: usize = 100;

/// Pairs for training, at most `most`. If there are more, some of both classes are drawn, and each
/// drawn pair stands for several.
pub fn draw(
    truth: &Truth,
    left_out: &[bool],
    candidates: &Candidates,
    most: usize,
    seed: u64,
) -> Result<TrainingPairs> {
    let mut drawn = TrainingPairs { missed: vec![0.0; left_out.len()], ..TrainingPairs::default() };
    for &(a, b) in &candidates.pairs {
        let Some(is_true) = label(truth, left_out, a, b) else { continue };
        if candidates.are_copies(a, b) {
            drawn.copies.push((a, b, is_true));
        } else {
            drawn.met[usize::from(!is_true)] += 1;
            drawn.pairs.push(TrainingPair { a, b, is_true, weight: 1.0, is_met: true });
        }
    }
    let unmet = unmet(truth, candidates, &mut drawn);
    let mut fillers: Vec<TrainingPair> =
        unmet.into_iter().map(|(a, b, is_true)| not_met(a, b, is_true)).collect();
    if is_partial(truth) {
        drawn.pairs.append(&mut fillers);
    }
    draw_pairs(&mut drawn, most, seed);
    fillers.extend(drawn.copies.iter().map(|&(a, b, is_true)| not_met(a, b, is_true)));
    fill(&mut drawn, fillers, seed);
    if !is_partial(truth) {
        fill_at_random(&mut drawn, truth, left_out, seed);
    }
    drawn.pairs.sort_unstable_by_key(|pair| (pair.a, pair.b));
    if drawn.pairs.iter().all(|pair| !pair.is_true) {
        return Err(Error::Input("the truth has no near-duplicates to learn from".to_owned()));
    }
    Ok(drawn)
}

fn not_met(a: u32, b: u32, is_true: bool) -> TrainingPair {
    TrainingPair { a, b, is_true, weight: 1.0, is_met: false }
}

fn is_partial(truth: &Truth) -> bool {
    matches!(truth, Truth::Pairs { rest: Unlabelled::LeftOut, .. })
}

/// Whether two documents are near-duplicates; `None` if the pair is not judged.
fn label(truth: &Truth, left_out: &[bool], a: u32, b: u32) -> Option<bool> {
    match truth {
        Truth::Clusters(clusters) => Some(clusters[a as usize]? == clusters[b as usize]?),
        Truth::Pairs { pairs, rest } => {
            let listed =
                pairs.binary_search_by_key(&(a, b), |&(a, b, _)| (a, b)).ok().map(|place| pairs[place].2);
            let is_judged = *rest == Unlabelled::Different && !left_out[a as usize] && !left_out[b as usize];
            listed.or_else(|| is_judged.then_some(false))
        }
    }
}

/// Counts the true pairs that the recipe does not propose, and lists some of the labelled ones.
fn unmet(truth: &Truth, candidates: &Candidates, drawn: &mut TrainingPairs) -> Vec<(u32, u32, bool)> {
    match truth {
        Truth::Pairs { pairs, .. } => {
            let is_unmet = |&&(a, b, _): &&(u32, u32, bool)| candidates.pairs.binary_search(&(a, b)).is_err();
            let unmet: Vec<(u32, u32, bool)> = pairs.iter().filter(is_unmet).copied().collect();
            for &(a, ..) in unmet.iter().filter(|pair| pair.2) {
                drawn.missed[a as usize] += 1.0;
            }
            unmet
        }
        Truth::Clusters(clusters) => {
            let mut members: BTreeMap<u32, Vec<u32>> = BTreeMap::new();
            for (document, cluster) in clusters.iter().enumerate() {
                if let Some(cluster) = cluster {
                    members.entry(*cluster).or_default().push(document as u32);
                }
            }
            let mut proposed: BTreeMap<u32, u64> = BTreeMap::new();
            let met = drawn.pairs.iter().map(|pair| (pair.a, pair.is_true));
            let copies = drawn.copies.iter().map(|&(a, _, is_true)| (a, is_true));
            for cluster in
                met.chain(copies).filter(|pair| pair.1).filter_map(|pair| clusters[pair.0 as usize])
            {
                *proposed.entry(cluster).or_default() += 1;
            }
            let mut some = Vec::new();
            for (cluster, members) in members {
                let all = members.len() as u64 * (members.len() as u64 - 1) / 2;
                let missed = all - proposed.get(&cluster).copied().unwrap_or(0);
                drawn.missed[members[0] as usize] += missed as f64;
                // Neighbours are sufficient for filling up.
                let unmet = members.windows(2).map(|two| (two[0], two[1]));
                let unmet = unmet.filter(|pair| missed > 0 && candidates.pairs.binary_search(pair).is_err());
                some.extend(unmet.take(LEAST).map(|(a, b)| (a, b, true)));
            }
            some
        }
    }
}

/// Draws from both classes if there are too many pairs.
fn draw_pairs(drawn: &mut TrainingPairs, most: usize, seed: u64) {
    if drawn.pairs.len() <= most {
        return;
    }
    drawn.notes.push(format!(
        "{most} of {} pairs teach and are tested, drawn at random from both classes; each stands for as many as there are",
        drawn.pairs.len()
    ));
    let (mut near, mut others): (Vec<TrainingPair>, Vec<TrainingPair>) =
        drawn.pairs.drain(..).partition(|pair| pair.is_true);
    let half = (most / 2).max(1);
    let keep = near.len().min(half.max(most.saturating_sub(others.len())));
    for (class, keep) in [(&mut near, keep), (&mut others, most.saturating_sub(keep).max(1))] {
        let weight = class.len() as f64 / keep.min(class.len()).max(1) as f64;
        shuffle(class, seed);
        class.truncate(keep);
        class.iter_mut().for_each(|pair| pair.weight = weight);
        drawn.pairs.append(class);
    }
}

/// Fills up a class that has hardly any pair.
fn fill(drawn: &mut TrainingPairs, mut fillers: Vec<TrainingPair>, seed: u64) {
    shuffle(&mut fillers, seed);
    for class in [true, false] {
        let there = drawn.pairs.iter().filter(|pair| pair.is_true == class).count();
        let of_class = fillers.iter().filter(|pair| pair.is_true == class);
        drawn.pairs.extend(of_class.take(LEAST.saturating_sub(there)));
    }
}

/// Random pairs of different documents, for recipes that propose hardly any.
fn fill_at_random(drawn: &mut TrainingPairs, truth: &Truth, left_out: &[bool], seed: u64) {
    let mut others: BTreeSet<(u32, u32)> =
        drawn.pairs.iter().filter(|pair| !pair.is_true).map(|pair| (pair.a, pair.b)).collect();
    let documents = left_out.len() as u64;
    for attempt in 0..20 * LEAST as u64 {
        if others.len() >= LEAST || documents < 2 {
            break;
        }
        let number = |salt: u64| (mix(combine(mix(seed ^ salt), attempt)) % documents) as u32;
        let (a, b) = (number(1), number(2));
        let (a, b) = (a.min(b), a.max(b));
        if a != b && label(truth, left_out, a, b) == Some(false) && others.insert((a, b)) {
            drawn.pairs.push(not_met(a, b, false));
        }
    }
}

/// An order that depends only on the seed.
fn shuffle(pairs: &mut [TrainingPair], seed: u64) {
    pairs.sort_by_cached_key(|pair| mix(combine(mix(seed), u64::from(pair.a) << 32 | u64::from(pair.b))));
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const DOCUMENTS: u32 = 24;

    fn truths(clusters: &[Option<u32>], listed: &BTreeMap<(u32, u32), bool>) -> [Truth; 3] {
        let pairs: Vec<(u32, u32, bool)> = listed.iter().map(|(&(a, b), &is_true)| (a, b, is_true)).collect();
        let near = pairs.iter().copied().filter(|pair| pair.2).collect();
        [
            Truth::Clusters(clusters.to_vec()),
            Truth::Pairs { pairs: near, rest: Unlabelled::Different },
            Truth::Pairs { pairs, rest: Unlabelled::LeftOut },
        ]
    }

    proptest! {
        /// The candidates, copies and missed pairs agree with counting all pairs of documents.
        #[test]
        fn every_true_pair_is_met_copied_or_missed(
            clusters in prop::collection::vec(prop::option::of(0u32..8), DOCUMENTS as usize),
            listed in prop::collection::btree_map((0u32..12, 12u32..24), any::<bool>(), 1..60),
            proposed in prop::collection::btree_set((0u32..24, 0u32..24), 1..120),
            copies in prop::collection::vec(0u32..24, 24),
        ) {
            let pairs: Vec<(u32, u32)> = proposed.into_iter().filter(|(a, b)| a < b).collect();
            // The first of a document's copies is its own first copy.
            let firsts: Vec<u32> = (0..DOCUMENTS).map(|place| if copies[place as usize] < 3 { 0 } else { place }).collect();
            let candidates = Candidates::made(pairs.clone(), firsts.clone());
            let left_out = vec![false; DOCUMENTS as usize];
            for truth in truths(&clusters, &listed) {
                let Ok(drawn) = draw(&truth, &left_out, &candidates, 10_000, 1) else { continue };
                let (mut met, mut copied, mut missed) = ([0u64; 2], 0, 0.0);
                for a in 0..DOCUMENTS {
                    for b in a + 1..DOCUMENTS {
                        let Some(is_true) = label(&truth, &left_out, a, b) else { continue };
                        match (pairs.contains(&(a, b)), firsts[a as usize] == firsts[b as usize]) {
                            (true, true) => copied += 1,
                            (true, false) => met[usize::from(!is_true)] += 1,
                            (false, _) => missed += f64::from(u8::from(is_true)),
                        }
                    }
                }
                prop_assert_eq!((drawn.met, drawn.copies.len()), (met, copied));
                prop_assert_eq!(drawn.missed.iter().sum::<f64>(), missed);
                let asked = drawn.pairs.iter().filter(|pair| pair.is_met).count() as u64;
                prop_assert_eq!(asked, met[0] + met[1]);
                prop_assert!(drawn.pairs.iter().all(|pair| label(&truth, &left_out, pair.a, pair.b) == Some(pair.is_true)));
                prop_assert!(drawn.pairs.windows(2).all(|two| (two[0].a, two[0].b) < (two[1].a, two[1].b)));
            }
        }
    }

    /// Few near-duplicates among many candidates: all of them stay, and the drawn others stand for
    /// the rest.
    #[test]
    fn what_is_drawn_stands_for_all() {
        let clusters: Vec<Option<u32>> = (0..200).map(|document| Some(document / 2)).collect();
        let pairs: Vec<(u32, u32)> = (0..200).flat_map(|a| (a + 1..200).map(move |b| (a, b))).collect();
        let candidates = Candidates::made(pairs, (0..200).collect());
        let drawn = draw(&Truth::Clusters(clusters), &[false; 200], &candidates, 1000, 1).unwrap();
        assert_eq!(drawn.pairs.len(), 1000);
        for (class, all) in [(true, 100.0), (false, 19_800.0)] {
            let weights = drawn.pairs.iter().filter(|pair| pair.is_true == class).map(|pair| pair.weight);
            assert!((weights.sum::<f64>() - all).abs() < 1e-6);
        }
        assert_eq!(drawn.pairs.iter().filter(|pair| pair.is_true).count(), 100);
        assert_eq!(drawn.notes.len(), 1);
    }
}
