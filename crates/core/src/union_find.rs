//! Disjoint sets over dense numbers; the smallest member is the root.

/// Disjoint sets of numbers.
pub struct UnionFind {
    parents: Vec<u32>,
}

impl UnionFind {
    /// `size` numbers, each in a set of its own.
    pub fn new(size: usize) -> Self {
        UnionFind { parents: (0..size as u32).collect() }
    }

    /// The smallest number of the set that `item` is in.
    pub fn find(&mut self, item: u32) -> u32 {
        let mut root = item;
        while self.parents[root as usize] != root {
            // Path halving: every visited node skips one step.
            let grandparent = self.parents[self.parents[root as usize] as usize];
            self.parents[root as usize] = grandparent;
            root = grandparent;
        }
        root
    }

    /// Makes one set of the two that `a` and `b` are in.
    pub fn union(&mut self, a: u32, b: u32) {
        let (a, b) = (self.find(a), self.find(b));
        if a != b {
            self.parents[a.max(b) as usize] = a.min(b);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_smallest_member_is_the_root() {
        let mut sets = UnionFind::new(6);
        for (a, b) in [(5, 4), (4, 2), (0, 1)] {
            sets.union(a, b);
        }
        let roots: Vec<u32> = (0..6).map(|item| sets.find(item)).collect();
        assert_eq!(roots, [0, 0, 2, 3, 2, 2]);
    }
}
