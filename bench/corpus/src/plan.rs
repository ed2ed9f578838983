//! Decides what each document of the corpus is: alone, a member of a planted cluster, or part of one big group.

use crate::rng::Rng;

/// Share of ordinary documents that have planted near-duplicates.
const PLANTED_SHARE: f64 = 0.40;

const PURPOSE_CLUSTER: u64 = 1;
const PURPOSE_ORDER: u64 = 2;

#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Shape {
    Ordinary,
    /// Half of the documents are the same text.
    Identical,
    /// Half of the documents share one long template.
    Template,
}

/// What one document is made of.
#[derive(Clone, Copy)]
pub struct Slot {
    pub cluster: u32,
    pub member: u32,
    pub group: Shape,
}

pub struct Plan {
    /// One a document, in the order of the output.
    pub slots: Vec<Slot>,
    pub clusters: u32,
}

impl Plan {
    pub fn new(documents: usize, seed: u64, shape: Shape) -> Self {
        let ordinary = if shape == Shape::Ordinary { documents } else { documents.div_ceil(2) };
        let planted = (ordinary as f64 * PLANTED_SHARE) as usize;
        let mut slots = Vec::with_capacity(documents);
        let mut cluster = 0;
        let mut rng = Rng::for_key(seed, PURPOSE_CLUSTER, u64::MAX);
        while slots.len() < ordinary {
            let wanted = if slots.len() < planted { cluster_size(&mut rng) } else { 1 };
            for member in 0..wanted.min(ordinary - slots.len()) {
                slots.push(Slot { cluster, member: member as u32, group: Shape::Ordinary });
            }
            cluster += 1;
        }
        for member in 0..documents - ordinary {
            slots.push(Slot { cluster, member: member as u32, group: shape });
        }
        Rng::for_key(seed, PURPOSE_ORDER, 0).shuffle(&mut slots);
        Self { slots, clusters: cluster }
    }

    /// The positions of the documents of every planted cluster of two or more.
    pub fn planted_clusters(&self) -> Vec<Vec<u32>> {
        let mut members = vec![Vec::new(); self.clusters as usize];
        for (position, slot) in self.slots.iter().enumerate() {
            if slot.group == Shape::Ordinary {
                members[slot.cluster as usize].push(position as u32);
            }
        }
        members.retain(|m| m.len() > 1);
        members
    }

    /// The positions of the one big group's documents.
    pub fn big_group(&self) -> Vec<u32> {
        let positions = self.slots.iter().enumerate().filter(|(_, slot)| slot.group != Shape::Ordinary);
        positions.map(|(position, _)| position as u32).collect()
    }
}

/// Mostly small clusters, as in crawled text; a few large ones.
fn cluster_size(rng: &mut Rng) -> usize {
    match rng.unit() {
        u if u < 0.30 => 2,
        u if u < 0.52 => 3,
        u if u < 0.68 => 4,
        u if u < 0.79 => 5,
        u if u < 0.87 => 6,
        u if u < 0.93 => 7,
        u if u < 0.985 => 8,
        _ => rng.between(9, 30),
    }
}

/// How strongly one member of a cluster differs from the cluster's base: the share of its 5-grams that change.
pub fn damage(seed: u64, slot: Slot) -> f64 {
    let mut cluster_rng = Rng::for_key(seed, PURPOSE_CLUSTER, u64::from(slot.cluster));
    // Many clusters near the threshold 0.8, where finding and judging pairs is hardest; the others anywhere.
    let typical_similarity = if cluster_rng.chance(0.60) {
        cluster_rng.uniform(0.65, 0.87)
    } else {
        cluster_rng.uniform(0.40, 1.0)
    };
    // Two members which change the shares p and q have about J = (1 - p - q) / (1 + p + q).
    let typical_damage = (1.0 - typical_similarity) / (1.0 + typical_similarity) / 2.0;
    let mut rng =
        Rng::for_key(seed, PURPOSE_CLUSTER, u64::from(slot.cluster) << 32 | u64::from(slot.member + 1));
    let is_exact_copy = rng.chance(0.08);
    let spread = rng.uniform(0.2, 1.8);
    if is_exact_copy { 0.0 } else { typical_damage * spread }
}
