//! Documents that share a cluster, one document at a time: for an index.

use std::sync::Arc;

use super::unpack;
use crate::candidates::join::Neighbours;
use crate::hash;
use crate::partition::{Assignment, scale_to_unit};

pub(super) struct LikeMembers {
    assignment: Arc<dyn Assignment>,
    floor: f64,
}

impl LikeMembers {
    pub(super) fn new(assignment: Arc<dyn Assignment>, floor: f64) -> Self {
        LikeMembers { assignment, floor }
    }
}

impl Neighbours for LikeMembers {
    fn write_keys(&self, record: &[u8], out: &mut Vec<u64>) {
        let features = unit(record);
        // What has no features is in no cluster with others.
        if features.is_empty() {
            return;
        }
        let mut clusters = Vec::new();
        self.assignment.clusters_of(&features, &mut clusters);
        out.extend(clusters.iter().map(|&cluster| hash::mix(u64::from(cluster))));
    }

    /// Nothing is held in memory: a vector of a few words cannot bound the cosine of all of them.
    fn may_pair(&self, _: &[u8], _: &[u8]) -> bool {
        true
    }

    fn pairs(&self, a: &[u8], b: &[u8]) -> bool {
        self.floor <= 0.0 || cosine(&unit(a), &unit(b)) >= self.floor
    }
}

fn unit(record: &[u8]) -> Vec<(u64, f32)> {
    let mut features = Vec::new();
    unpack(record, &mut features);
    scale_to_unit(&mut features);
    features
}

/// The cosine of documents of length 1, added up as [`crate::partition::Vectors::dot`] does for all terms: in the
/// order of their hashes, so that both find the same number to the last bit.
fn cosine(mut a: &[(u64, f32)], mut b: &[(u64, f32)]) -> f64 {
    let mut sum = 0.0;
    while let (Some(&(x, x_weight)), Some(&(y, y_weight))) = (a.first(), b.first()) {
        if x == y {
            sum += f64::from(x_weight * y_weight);
        }
        if x <= y {
            a = &a[1..];
        }
        if y <= x {
            b = &b[1..];
        }
    }
    sum
}
