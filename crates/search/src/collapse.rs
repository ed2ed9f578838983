//! Collapses matching documents to clusters, as the caller sees them.

use std::collections::HashMap;

use lookalike_core::{Error, Result};

use crate::matching::Match;
use crate::snapshot::{Place, Snapshot};

/// What a caller may see of the documents. One query calls this several times, so an implementation keeps to one
/// state of the index for as long as it lives. Otherwise the results need another look:
/// [`are_now`](crate::SearchResults::are_now).
pub trait DocumentAccess {
    /// For each document its master: the best member of its cluster that the caller may see, which may be itself.
    /// `None` if the document is removed, expired or hidden.
    fn masters(&self, numbers: &[u32]) -> Vec<Option<u32>>;

    /// The JSON line of a document; `None` if the caller may not see it.
    fn document(&self, number: u32) -> Option<Vec<u8>>;
}

/// A cluster with at least one visible match.
pub(crate) struct Cluster {
    /// The number of its master, as the caller sees it.
    pub number: u32,
    /// The score of its best match.
    pub score: f32,
    pub best: u32,
    best_place: Place,
    /// The place of the master, if it matches itself.
    master_place: Option<Place>,
    pub matching: u32,
}

impl Cluster {
    pub fn master_matches(&self) -> bool {
        self.master_place.is_some()
    }

    /// The place of the document whose fields represent the cluster: its master, or the best match while the master
    /// is not indexed yet.
    pub fn shown_place(&self, snapshot: &Snapshot) -> Place {
        self.master_place.or_else(|| snapshot.locate(self.number)).unwrap_or(self.best_place)
    }
}

/// The clusters of the visible matches, and which match belongs to which cluster. Removed and hidden documents are
/// left out here, before anything is counted.
pub(crate) fn collapse(
    matches: &[Match],
    access: &dyn DocumentAccess,
    collapses: bool,
    only: Option<u32>,
) -> Result<(Vec<Cluster>, Members)> {
    /// How many numbers are resolved at once: few enough to stay in the cache.
    const BLOCK: usize = 1024;
    let mut clusters: Vec<Cluster> = Vec::new();
    let mut members = Members::default();
    let mut places = Places::new(matches);
    let mut numbers = Vec::with_capacity(BLOCK.min(matches.len()));
    for block in matches.chunks(BLOCK) {
        numbers.clear();
        numbers.extend(block.iter().map(|found| found.number));
        let masters = access.masters(&numbers);
        if masters.len() != numbers.len() {
            return Err(Error::Internal("other documents were resolved than asked for".to_owned()));
        }
        for (found, master) in block.iter().zip(masters) {
            let Some(master) = master.filter(|master| only.is_none_or(|only| only == *master)) else {
                continue;
            };
            let key = if collapses { master } else { found.number };
            let next = clusters.len() as u32;
            let at = places.of(key, next);
            members.0.push((at, found.number));
            let master_place = (key == found.number).then_some(found.place);
            if at == next {
                let (score, best) = (found.score, found.number);
                let best_place = found.place;
                clusters.push(Cluster { number: key, score, best, best_place, master_place, matching: 1 });
                continue;
            }
            let cluster = &mut clusters[at as usize];
            cluster.matching += 1;
            cluster.master_place = cluster.master_place.or(master_place);
            // Segments have no fixed order, so the smaller number wins a tie.
            let order = found.score.total_cmp(&cluster.score).then(cluster.best.cmp(&found.number));
            if order.is_gt() {
                (cluster.score, cluster.best, cluster.best_place) = (found.score, found.number, found.place);
            }
        }
    }
    Ok((clusters, members))
}

/// Which cluster each visible match belongs to.
#[derive(Default)]
pub(crate) struct Members(Vec<(u32, u32)>);

impl Members {
    /// The matches of the clusters at these places, by rising number and at most `most` of each.
    pub fn of(&self, places: &[u32], most: usize) -> Vec<Vec<u32>> {
        let rows: HashMap<u32, usize> = places.iter().enumerate().map(|(row, &place)| (place, row)).collect();
        let mut found = vec![Vec::new(); places.len()];
        for (cluster, number) in &self.0 {
            if let Some(&row) = rows.get(cluster) {
                found[row].push(*number);
            }
        }
        for numbers in &mut found {
            numbers.sort_unstable();
            numbers.truncate(most);
        }
        found
    }
}

/// The place of the cluster of each number. Memory of numbers that do not occur is never touched, so this is cheap
/// for few matches, and saves hashing for many.
struct Places(Vec<u32>);

impl Places {
    fn new(matches: &[Match]) -> Self {
        let numbers = matches.iter().map(|found| found.number as usize + 1);
        Places(vec![0; numbers.max().unwrap_or(0)])
    }

    /// The place of a number, which becomes `next` if it has none yet.
    fn of(&mut self, number: u32, next: u32) -> u32 {
        let number = number as usize;
        if number >= self.0.len() {
            self.0.resize(number + 1, 0);
        }
        if self.0[number] == 0 {
            self.0[number] = next + 1;
        }
        self.0[number] - 1
    }
}
