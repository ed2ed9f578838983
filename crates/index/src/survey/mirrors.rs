//! Hosts that mirror each other: much of what the one has, the other has, too (S09 §2.5.2).
//!
//! Each cluster with documents of several hosts speaks for every two of them. A cluster of very many hosts is what pages
//! share without being copies of each other's sites, such as a licence or an empty page, and would speak for a number of
//! pairs that grows with its square, so it is left out and counted.

use std::cmp::Reverse;
use std::collections::{BTreeMap, HashMap};

use lookalike_core::document::Id;
use lookalike_core::union_find::UnionFind;
use lookalike_core::{Error, Result};
use serde::Serialize;

use super::super::answer;
use super::super::name::labels_of;
use super::{Attributes, Survey};
use crate::index::Surveyor;
use crate::query::visibility_now;

/// A cluster of more hosts says nothing about mirrors.
const MOST_HOSTS: usize = 64;
/// How many hosts of a group are named.
const NAMED_HOSTS: usize = 100;

/// Which hosts are mirrors.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct MirrorQuery {
    clusters: u64,
    share: f64,
    limit: usize,
}

impl MirrorQuery {
    /// Two hosts that share so many clusters [3], with such a share of the documents of each in them [0.5]. At most
    /// `limit` pairs and groups are listed, all are counted.
    pub fn new(clusters: Option<u64>, share: Option<f64>, limit: usize) -> Result<MirrorQuery> {
        let (clusters, share) = (clusters.unwrap_or(3), share.unwrap_or(0.5));
        if clusters == 0 {
            return Err(Error::input("the least number of shared clusters is 0, it must be at least 1"));
        }
        if !(0.0..=1.0).contains(&share) {
            return Err(Error::input(format!("the least share is {share}, it must be from 0 to 1")));
        }
        Ok(MirrorQuery { clusters, share, limit })
    }
}

/// Hosts that mirror each other.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Mirrors {
    /// Hosts that documents come from.
    pub hosts: u64,
    /// Documents whose address is not known yet, because it is still being read.
    pub unread: u64,
    /// Clusters of more than 64 hosts, which say nothing about mirrors and were left out.
    pub left_out: u64,
    /// How many pairs of hosts are mirrors.
    pub found: u64,
    /// The first of them; those that save most come first.
    pub pairs: Vec<MirrorPair>,
    /// Three or more hosts that are connected by pairs; the largest groups come first.
    pub groups: Vec<MirrorGroup>,
}

/// Two hosts that mirror each other.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct MirrorPair {
    /// The first host, by name.
    pub a: MirroredHost,
    /// The second host.
    pub b: MirroredHost,
    /// Clusters with documents of both.
    pub clusters: u64,
    /// How often documents of both in one cluster have the same path, which is the strongest sign.
    pub same_paths: u64,
    /// Documents that need not be fetched, whichever of the two is left out.
    pub saved: u64,
}

/// One of two hosts that mirror each other.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct MirroredHost {
    /// Its name, with its port unless that is the usual one.
    pub host: String,
    /// Its documents.
    pub documents: u64,
    /// Those of them that are in clusters with documents of the other.
    pub shared: u64,
    /// The share of its documents that these are.
    #[cfg_attr(feature = "schema", schemars(range(min = 0, max = 1)))]
    pub share: f64,
    /// A document that is in a cluster with the example of the other host; null if it was removed meanwhile.
    #[serde(serialize_with = "answer::optional_id")]
    pub example: Option<Id>,
    /// The access labels of the example, which belong to its name; left out if it has none.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub example_labels: Vec<String>,
}

/// Hosts that are connected by pairs.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct MirrorGroup {
    /// How many hosts it has.
    pub size: u64,
    /// Their names, in alphabetical order; the first 100.
    pub hosts: Vec<String>,
}

impl Surveyor<'_> {
    /// The hosts that mirror each other, among the documents of a survey whose addresses have been read.
    pub fn mirrors(&self, survey: &Survey, attributes: &Attributes, query: &MirrorQuery) -> Mirrors {
        let mut mirrors = Mirrors::default();
        let Some(attributes) = attributes.of(survey.numbering) else {
            return Mirrors { unread: survey.documents, ..mirrors };
        };
        let mut documents: HashMap<u32, u64> = HashMap::new();
        for number in survey.numbers() {
            if number >= attributes.next() {
                mirrors.unread += 1;
            } else if let Some((host, _)) = attributes.address(number) {
                *documents.entry(host).or_default() += 1;
            }
        }
        mirrors.hosts = documents.len() as u64;
        let mut sharing = Sharing { documents, ..Sharing::default() };
        for row in survey.rows() {
            let member = |&document: &u32| {
                let (host, path) = attributes.address(document)?;
                Some(Member { host, path, document })
            };
            sharing.add(survey.documents_of(row).iter().filter_map(member).collect());
        }
        mirrors.left_out = sharing.left_out;
        let name = |host: u32| attributes.host_name(host);
        let found = sharing.find(query, name);
        let generation = self.index.generation();
        let state = generation.store.state();
        let visibility = visibility_now(&state, &survey.view);
        let host = |one: &Shared| {
            let example = state.visible_document(&visibility, one.example);
            MirroredHost {
                host: name(one.host).to_owned(),
                documents: one.documents,
                shared: one.shared,
                share: one.share(),
                example: example.map(|number| Id::from_json(state.population.ids.get(number))),
                example_labels: example.map(|number| labels_of(&state, number).to_vec()).unwrap_or_default(),
            }
        };
        let pair = |pair: &Pair| MirrorPair {
            a: host(&pair.a),
            b: host(&pair.b),
            clusters: pair.clusters,
            same_paths: pair.same_paths,
            saved: pair.saved(),
        };
        mirrors.found = found.count;
        mirrors.pairs = found.pairs.iter().map(pair).collect();
        mirrors.groups = found.groups;
        mirrors
    }
}

/// A document of a cluster. The order brings together what a host has in a cluster, and there what has one path.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Member {
    host: u32,
    path: u64,
    document: u32,
}

/// Which hosts have documents in which clusters.
#[derive(Default)]
struct Sharing {
    /// How many documents each host has.
    documents: HashMap<u32, u64>,
    /// The members of all clusters that count, each cluster in order.
    members: Vec<Member>,
    /// Where each cluster ends in `members`.
    ends: Vec<usize>,
    /// The clusters in which each host is, by place.
    clusters: BTreeMap<u32, Vec<u32>>,
    left_out: u64,
}

/// What two hosts share.
#[derive(Clone, Debug, PartialEq)]
struct Pair {
    a: Shared,
    b: Shared,
    clusters: u64,
    same_paths: u64,
}

#[derive(Clone, Debug, PartialEq)]
struct Shared {
    host: u32,
    documents: u64,
    shared: u64,
    example: u32,
}

impl Shared {
    fn share(&self) -> f64 {
        self.shared as f64 / self.documents.max(1) as f64
    }
}

impl Pair {
    fn saved(&self) -> u64 {
        self.a.shared.min(self.b.shared)
    }
}

/// What was found.
struct FoundPairs {
    count: u64,
    pairs: Vec<Pair>,
    groups: Vec<MirrorGroup>,
}

/// What a host shares with another, while its clusters are gone through.
#[derive(Default)]
struct Tally {
    clusters: u64,
    shared: (u64, u64),
    same_paths: u64,
    examples: (u32, u32),
}

impl Sharing {
    fn add(&mut self, mut members: Vec<Member>) {
        members.sort_unstable();
        let hosts = || members.chunk_by(|one, next| one.host == next.host).map(|run| run[0].host);
        let count = hosts().count();
        if count < 2 {
            return;
        }
        if count > MOST_HOSTS {
            self.left_out += 1;
            return;
        }
        let place = self.ends.len() as u32;
        hosts().for_each(|host| self.clusters.entry(host).or_default().push(place));
        self.members.append(&mut members);
        self.ends.push(self.members.len());
    }

    fn cluster(&self, place: u32) -> &[Member] {
        let start = (place as usize).checked_sub(1).map_or(0, |before| self.ends[before]);
        &self.members[start..self.ends[place as usize]]
    }

    /// The pairs of hosts that are mirrors. One host after the other is compared with all that it shares clusters with,
    /// so that only what is found is held. Numbers of hosts depend on documents that may be hidden, so all orders are by
    /// name.
    fn find<'n>(&self, query: &MirrorQuery, name: impl Fn(u32) -> &'n str) -> FoundPairs {
        let rank = |pair: &Pair| {
            (Reverse((pair.saved(), pair.same_paths, pair.clusters)), name(pair.a.host), name(pair.b.host))
        };
        let room = query.limit.saturating_mul(2).max(1024);
        let hosts: Vec<u32> = self.clusters.keys().copied().collect();
        let (mut count, mut pairs, mut connected) = (0, Vec::new(), UnionFind::new(hosts.len()));
        let mut tallies: HashMap<u32, Tally> = HashMap::new();
        for ((&host, clusters), own_place) in self.clusters.iter().zip(0..) {
            tallies.clear();
            for &place in clusters {
                self.tally(host, place, &mut tallies);
            }
            for (&other, tally) in &tallies {
                let shared = |host: u32, shared: u64, example: u32| {
                    let documents = self.documents.get(&host).copied().unwrap_or(shared);
                    Shared { host, documents, shared, example }
                };
                let mut pair = Pair {
                    a: shared(host, tally.shared.0, tally.examples.0),
                    b: shared(other, tally.shared.1, tally.examples.1),
                    clusters: tally.clusters,
                    same_paths: tally.same_paths,
                };
                if pair.clusters < query.clusters || pair.a.share().min(pair.b.share()) < query.share {
                    continue;
                }
                if name(pair.a.host) > name(pair.b.host) {
                    std::mem::swap(&mut pair.a, &mut pair.b);
                }
                count += 1;
                if let Ok(place) = hosts.binary_search(&other) {
                    connected.union(own_place, place as u32);
                }
                pairs.push(pair);
            }
            if pairs.len() > room {
                pairs.sort_by(|one, other| rank(one).cmp(&rank(other)));
                pairs.truncate(query.limit);
            }
        }
        pairs.sort_by(|one, other| rank(one).cmp(&rank(other)));
        pairs.truncate(query.limit);
        let mut groups = groups(&hosts, &mut connected, name);
        groups.truncate(query.limit);
        FoundPairs { count, pairs, groups }
    }

    /// Counts what a host shares in one cluster with hosts of greater numbers.
    fn tally(&self, host: u32, place: u32, tallies: &mut HashMap<u32, Tally>) {
        let cluster = self.cluster(place);
        let cluster = &cluster[cluster.partition_point(|member| member.host < host)..];
        let mut runs = cluster.chunk_by(|one, next| one.host == next.host);
        let Some(own) = runs.next() else { return };
        for theirs in runs {
            let tally = tallies.entry(theirs[0].host).or_default();
            let (same, example) = same_paths(own, theirs);
            if let Some(example) = example.filter(|_| tally.same_paths == 0) {
                tally.examples = example;
            } else if tally.clusters == 0 {
                let first =
                    |run: &[Member]| run.iter().map(|member| member.document).min().unwrap_or_default();
                tally.examples = (first(own), first(theirs));
            }
            tally.clusters += 1;
            tally.shared.0 += own.len() as u64;
            tally.shared.1 += theirs.len() as u64;
            tally.same_paths += same;
        }
    }
}

/// How many paths two hosts have in common, and the first two documents with one. Both lists are in order of paths.
fn same_paths(own: &[Member], theirs: &[Member]) -> (u64, Option<(u32, u32)>) {
    let (mut count, mut example) = (0, None);
    let mut others = theirs.chunk_by(|one, next| one.path == next.path).peekable();
    for run in own.chunk_by(|one, next| one.path == next.path) {
        while others.next_if(|other| other[0].path < run[0].path).is_some() {}
        if let Some(other) = others.next_if(|other| other[0].path == run[0].path) {
            count += 1;
            // Neither the order of hashes nor that of hosts means anything, so the oldest documents are taken.
            let found = (run[0].document, other[0].document);
            let age = |&(a, b): &(u32, u32)| (a.min(b), a.max(b));
            example = example.into_iter().chain([found]).min_by_key(age);
        }
    }
    (count, example)
}

/// Three or more of the hosts that pairs connect.
fn groups<'n>(hosts: &[u32], connected: &mut UnionFind, name: impl Fn(u32) -> &'n str) -> Vec<MirrorGroup> {
    let mut members: HashMap<u32, Vec<&str>> = HashMap::new();
    for (&host, place) in hosts.iter().zip(0..) {
        members.entry(connected.find(place)).or_default().push(name(host));
    }
    let mut groups: Vec<Vec<&str>> = members.into_values().filter(|hosts| hosts.len() > 2).collect();
    groups.iter_mut().for_each(|hosts| hosts.sort_unstable());
    groups.sort_by(|one, other| other.len().cmp(&one.len()).then_with(|| one.cmp(other)));
    let named = |hosts: Vec<&str>| MirrorGroup {
        size: hosts.len() as u64,
        hosts: hosts.into_iter().take(NAMED_HOSTS).map(str::to_owned).collect(),
    };
    groups.into_iter().map(named).collect()
}

#[cfg(test)]
mod tests;
