//! Pairs to learn from: labelled ones, or drawn from labelled clusters with hard negatives.

use std::collections::{BTreeMap, BTreeSet};

use lookalike_core::hash::{combine, mix};
use lookalike_core::{Error, Result};
use lookalike_learn::metrics::{Rest, Truth};

use crate::judge::Corpus;

/// A pair a < b and whether it is a near-duplicate.
pub type Labelled = (u32, u32, bool);

/// How pairs are drawn.
#[derive(Clone, Copy, Debug)]
pub struct Draw {
    /// Pairs of different documents for each near-duplicate, hard ones first.
    pub negatives: f64,
    /// No more pairs than this.
    pub most: usize,
    pub seed: u64,
}

/// What was drawn and what that leaves out.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Drawn {
    pub pairs: Vec<Labelled>,
    /// Of the negatives, those that a method took for candidates.
    pub hard: usize,
    pub notes: Vec<String>,
}

/// Of a cluster of n documents at most this many pairs are drawn for each document, so that one giant
/// cluster does not drown all others.
const PAIRS_A_DOCUMENT: usize = 4;

/// Labelled pairs as they are; of clusters and complete lists, all near-duplicates (of large clusters
/// a part), with candidates that are none, and some pairs at random.
pub fn draw(truth: &Truth, corpus: &Corpus, candidates: &[(u32, u32)], draw: Draw) -> Result<Drawn> {
    let mut drawn = Drawn::default();
    let complete: Box<dyn Fn(u32, u32) -> Option<bool>> = match truth {
        Truth::Pairs { pairs, rest: Rest::LeftOut } => {
            drawn.pairs.clone_from(pairs);
            drawn.hard = pairs.iter().filter(|pair| !pair.2).count();
            thin(&mut drawn, draw);
            return Ok(drawn);
        }
        Truth::Pairs { pairs, rest: Rest::Different } => {
            drawn.pairs.extend(pairs.iter().filter(|pair| pair.2));
            let known: BTreeSet<(u32, u32)> = pairs.iter().filter(|p| p.2).map(|&(a, b, _)| (a, b)).collect();
            let left_out = corpus.left_out.clone();
            Box::new(move |a, b| {
                let judged = !left_out[a as usize] && !left_out[b as usize];
                judged.then(|| known.contains(&(a, b)))
            })
        }
        Truth::Clusters(clusters) => {
            within(clusters, draw.seed, &mut drawn);
            let clusters = clusters.clone();
            Box::new(move |a, b| Some(clusters[a as usize]? == clusters[b as usize]?))
        }
    };
    if drawn.pairs.is_empty() {
        return Err(Error::Input("the truth has no near-duplicates to learn from".to_owned()));
    }
    let wanted = (drawn.pairs.len() as f64 * draw.negatives).ceil() as usize;
    let mut hard: Vec<Labelled> = candidates
        .iter()
        .filter(|&&(a, b)| complete(a, b) == Some(false))
        .map(|&(a, b)| (a, b, false))
        .collect();
    shuffle(&mut hard, draw.seed);
    // A quarter at random keeps the model from believing that every pair is a close one.
    hard.truncate(wanted - wanted / 4);
    drawn.hard = hard.len();
    let mut negatives: BTreeSet<(u32, u32)> = hard.iter().map(|&(a, b, _)| (a, b)).collect();
    drawn.pairs.append(&mut hard);
    let documents = u64::from(corpus.len());
    for attempt in 0..20 * wanted as u64 {
        if negatives.len() >= wanted || documents < 2 {
            break;
        }
        let number = |salt: u64| (mix(combine(mix(draw.seed ^ salt), attempt)) % documents) as u32;
        let (a, b) = (number(1), number(2));
        let pair = (a.min(b), a.max(b));
        if a != b && complete(pair.0, pair.1) == Some(false) && negatives.insert(pair) {
            drawn.pairs.push((pair.0, pair.1, false));
        }
    }
    thin(&mut drawn, draw);
    Ok(drawn)
}

/// Pairs within clusters: all of a small one, a few for each document of a large one.
fn within(clusters: &[Option<u32>], seed: u64, drawn: &mut Drawn) {
    let mut members: BTreeMap<u32, Vec<u32>> = BTreeMap::new();
    for (document, cluster) in clusters.iter().enumerate() {
        if let Some(cluster) = cluster {
            members.entry(*cluster).or_default().push(document as u32);
        }
    }
    let mut passed_over = 0;
    for members in members.values() {
        let mut pairs: Vec<Labelled> = Vec::new();
        for (place, &a) in members.iter().enumerate() {
            // A document with all others where they are few, else with the next few on a ring.
            let reach = PAIRS_A_DOCUMENT.max(8).min(members.len() - 1);
            if members.len() <= 2 * PAIRS_A_DOCUMENT {
                pairs.extend(members[place + 1..].iter().map(|&b| (a, b, true)));
            } else {
                let next = |step: usize| members[(place + 1 + step * step) % members.len()];
                let others = (0..reach.min(PAIRS_A_DOCUMENT)).map(next).filter(|&b| b != a);
                pairs.extend(others.map(|b| (a.min(b), a.max(b), true)));
            }
        }
        pairs.sort_unstable();
        pairs.dedup();
        passed_over += members.len() * (members.len() - 1) / 2 - pairs.len();
        drawn.pairs.append(&mut pairs);
    }
    if passed_over > 0 {
        drawn.notes.push(format!("{passed_over} pairs within large clusters were not drawn"));
    }
    shuffle(&mut drawn.pairs, seed);
}

fn thin(drawn: &mut Drawn, draw: Draw) {
    if drawn.pairs.len() > draw.most {
        drawn.notes.push(format!("{} of {} pairs were drawn at random", draw.most, drawn.pairs.len()));
        shuffle(&mut drawn.pairs, draw.seed);
        drawn.pairs.truncate(draw.most);
    }
    drawn.pairs.sort_unstable();
    drawn.pairs.dedup();
}

/// An order that only the seed decides.
fn shuffle(pairs: &mut [Labelled], seed: u64) {
    pairs.sort_by_cached_key(|&(a, b, _)| mix(combine(mix(seed), u64::from(a) << 32 | u64::from(b))));
}
