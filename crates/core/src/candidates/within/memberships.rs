//! Which clusters each document is in.

pub(super) struct Memberships {
    /// The clusters of each document, rising, end to end.
    clusters: Vec<u32>,
    /// Where those of each document start, and the end of all.
    starts: Vec<usize>,
}

impl Memberships {
    /// `clusters` hold each document at most once.
    pub(super) fn new(documents: usize, clusters: &[Vec<u32>]) -> Self {
        let mut starts = vec![0; documents + 1];
        for &member in clusters.iter().flatten() {
            starts[member as usize + 1] += 1;
        }
        for place in 0..documents {
            starts[place + 1] += starts[place];
        }
        let mut next = starts.clone();
        let mut of_documents = vec![0; starts[documents]];
        for (cluster, members) in clusters.iter().enumerate() {
            for &member in members {
                let next = &mut next[member as usize];
                of_documents[*next] = cluster as u32;
                *next += 1;
            }
        }
        Memberships { clusters: of_documents, starts }
    }

    fn of(&self, document: u32) -> &[u32] {
        &self.clusters[self.starts[document as usize]..self.starts[document as usize + 1]]
    }

    pub(super) fn clusters_each(&self) -> f64 {
        let documents = self.starts.len() - 1;
        if documents == 0 { 0.0 } else { self.clusters.len() as f64 / documents as f64 }
    }

    /// Whether two documents of a cluster share no earlier cluster.
    #[inline]
    pub(super) fn is_first_shared(&self, a: u32, b: u32, cluster: u32) -> bool {
        let (a, b) = (self.of(a), self.of(b));
        // Most documents are in one cluster, which is then their first.
        a.first() == Some(&cluster) || b.first() == Some(&cluster) || first_common(a, b) == Some(cluster)
    }

    pub(super) fn share_cluster(&self, a: u32, b: u32) -> bool {
        first_common(self.of(a), self.of(b)).is_some()
    }
}

fn first_common(mut a: &[u32], mut b: &[u32]) -> Option<u32> {
    while let (Some(&first), Some(&second)) = (a.first(), b.first()) {
        match first.cmp(&second) {
            std::cmp::Ordering::Less => a = &a[1..],
            std::cmp::Ordering::Greater => b = &b[1..],
            std::cmp::Ordering::Equal => return Some(first),
        }
    }
    None
}
