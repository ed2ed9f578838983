use std::collections::{BTreeMap, BTreeSet};
use std::time::Instant;

use proptest::collection::vec;
use proptest::prelude::*;
use tempfile::TempDir;

use super::super::super::tests::{Made, at, create, text};
use super::super::super::{Policy, View};
use super::*;

/// Numbers and names of hosts have different orders.
const NAMES: [&str; 8] = ["", "m.org", "a.org", "z.org", "www.a.org", "k.org", "c.org", "a.org:81"];

fn name(host: u32) -> &'static str {
    NAMES[host as usize % NAMES.len()]
}

/// A document by its number: its cluster, host (0: none) and path.
type Placed = (u32, u32, u64);

fn sharing(documents: &[Placed]) -> Sharing {
    let mut sharing = Sharing::default();
    let mut clusters: BTreeMap<u32, Vec<Member>> = BTreeMap::new();
    for (&(cluster, host, path), document) in documents.iter().zip(0..).filter(|((_, host, _), _)| *host > 0)
    {
        *sharing.documents.entry(host).or_default() += 1;
        clusters.entry(cluster).or_default().push(Member { host, path, document });
    }
    clusters.into_values().for_each(|members| sharing.add(members));
    sharing
}

/// The same by looking at every two documents of every two hosts.
fn brute_force(
    documents: &[Placed],
    query: &MirrorQuery,
) -> BTreeMap<(&'static str, &'static str), [u64; 7]> {
    let mut found = BTreeMap::new();
    let of = |host: u32| documents.iter().filter(move |(_, other, _)| *other == host);
    for (a, b) in (1..8).flat_map(|a| (1..8).map(move |b| (a, b))).filter(|&(a, b)| name(a) < name(b)) {
        let clusters: BTreeSet<u32> =
            of(a).filter(|one| of(b).any(|other| other.0 == one.0)).map(|one| one.0).collect();
        let shared = |host: u32| of(host).filter(|one| clusters.contains(&one.0)).count() as u64;
        let paths: BTreeSet<(u32, u64)> = of(a)
            .filter(|one| of(b).any(|other| (other.0, other.2) == (one.0, one.2)))
            .map(|one| (one.0, one.2))
            .collect();
        let all = |host: u32| of(host).count() as u64;
        let reaches = |host: u32| shared(host) as f64 / all(host) as f64 >= query.share;
        let count = clusters.len() as u64;
        if count >= query.clusters && reaches(a) && reaches(b) {
            let saved = shared(a).min(shared(b));
            let same = paths.len() as u64;
            found.insert((name(a), name(b)), [count, same, saved, all(a), shared(a), all(b), shared(b)]);
        }
    }
    found
}

/// Hosts that can be reached from one another, three or more.
fn connected(pairs: impl Iterator<Item = (&'static str, &'static str)>) -> BTreeSet<Vec<&'static str>> {
    let mut sets: Vec<BTreeSet<&str>> = Vec::new();
    for (a, b) in pairs {
        let (with, mut without): (Vec<_>, Vec<_>) =
            sets.into_iter().partition(|set| set.contains(a) || set.contains(b));
        without.push(with.into_iter().flatten().chain([a, b]).collect());
        sets = without;
    }
    sets.into_iter().filter(|set| set.len() > 2).map(|set| set.into_iter().collect()).collect()
}

proptest! {
    #[test]
    fn what_is_found_is_what_every_two_documents_tell(
        documents in vec((0..12u32, 0..8u32, 0..4u64), 0..60),
        (clusters, share) in (1..4u64, prop_oneof![Just(0.0), Just(0.3), Just(0.5), Just(1.0)]),
        limit in 1..30usize,
    ) {
        let query = MirrorQuery::new(Some(clusters), Some(share), limit).unwrap();
        let expected = brute_force(&documents, &query);
        let found = sharing(&documents).find(&query, name);
        prop_assert_eq!(found.count, expected.len() as u64);
        let mut order: Vec<_> = expected.iter().collect();
        order.sort_by_key(|(names, told)| (Reverse((told[2], told[1], told[0])), **names));
        order.truncate(limit);
        let told = found.pairs.iter().map(|pair| {
            let Pair { a, b, clusters, same_paths } = pair;
            let figures =
                [*clusters, *same_paths, pair.saved(), a.documents, a.shared, b.documents, b.shared];
            ((name(a.host), name(b.host)), figures)
        });
        let order: Vec<_> = order.into_iter().map(|(&names, &told)| (names, told)).collect();
        prop_assert_eq!(told.collect::<Vec<_>>(), order);
        for pair in &found.pairs {
            let [a, b] = [&pair.a, &pair.b].map(|one| (one.host, documents[one.example as usize]));
            prop_assert_eq!((a.1.1, b.1.1, a.1.0), (a.0, b.0, b.1.0), "examples are of the hosts, in one cluster");
            prop_assert!(pair.same_paths == 0 || a.1.2 == b.1.2, "the strongest sign is shown");
        }
        let groups: BTreeSet<Vec<&str>> = connected(expected.into_keys());
        prop_assert!(found.groups.len() == groups.len().min(limit));
        for group in &found.groups {
            let hosts: Vec<&str> = group.hosts.iter().map(String::as_str).collect();
            prop_assert!(group.size == hosts.len() as u64 && groups.contains(&hosts));
        }
    }
}

#[test]
fn a_cluster_of_very_many_hosts_is_left_out() {
    let names: Vec<String> = (0..100_001).map(|number| format!("h{number:06}.org")).collect();
    let name = |host: u32| names[host as usize].as_str();
    let crowd = |hosts: u32| (1..=hosts).map(|host| Member { host, path: 1, document: host }).collect();
    let mut sharing = Sharing::default();
    let began = Instant::now();
    sharing.add(crowd(100_000));
    assert_eq!((sharing.left_out, sharing.members.len()), (1, 0));
    let query = MirrorQuery::new(Some(1), Some(0.0), 10).unwrap();
    assert_eq!(sharing.find(&query, name).count, 0);
    sharing.add(crowd(65));
    assert_eq!(sharing.left_out, 2);
    sharing.add(crowd(64));
    let found = sharing.find(&query, name);
    assert_eq!((sharing.left_out, found.count, found.pairs.len()), (2, 64 * 63 / 2, 10));
    assert_eq!((found.groups.len(), found.groups[0].size), (1, 64));
    assert!(began.elapsed().as_secs() < 10, "100,000 hosts are no 5,000,000,000 pairs");
}

#[test]
fn impossible_limits_are_refused() {
    assert_eq!(MirrorQuery::new(None, None, 9).unwrap(), MirrorQuery::new(Some(3), Some(0.5), 9).unwrap());
    assert!(MirrorQuery::new(Some(0), None, 9).is_err());
    for share in [-0.1, 1.1, f64::NAN, f64::INFINITY] {
        assert!(MirrorQuery::new(None, Some(share), 9).is_err(), "{share}");
    }
}

fn crawled(id: &str, url: &str, family: u64, labels: &[&'static str]) -> Made {
    let streams = if url.is_empty() { String::new() } else { format!(",\"url\":\"{url}\"") };
    Made { id: id.to_owned(), text: text(family, 0, 0), labels: labels.to_vec(), streams }
}

/// The mirrors of an index: through texts, clusters and a view.
#[test]
fn an_index_tells_the_mirrors_that_a_caller_sees() {
    let folder = TempDir::new().unwrap();
    let index = create(folder.path(), "");
    let mut documents: Vec<Made> = Vec::new();
    for page in 0..4 {
        documents.push(crawled(&format!("a{page}"), &format!("http://A.org:80/{page}"), page, &[]));
        documents.push(crawled(&format!("https://www.a.org/{page}#top"), "", page, &[]));
        documents.push(crawled(&format!("s{page}"), &format!("http://secret.org/x{page}"), page, &["red"]));
    }
    documents.push(crawled("alone", "http://www.a.org/alone", 99, &[]));
    documents.push(crawled("nowhere", "no address", 1, &[]));
    for made in &documents {
        index.writer().add(&made.line(), Policy::Report, &at(10)).unwrap();
    }
    let query = MirrorQuery::new(None, None, 10).unwrap();
    let mirrors = |view: &View, attributes: &Attributes| {
        let survey = index.surveyor().survey(view, attributes).unwrap();
        index.surveyor().mirrors(&survey, attributes, &query)
    };
    let mut attributes = Attributes::default();
    let public = View::Labels(Vec::new());
    assert_eq!(mirrors(&public, &attributes), Mirrors { unread: 10, ..Mirrors::default() });
    index.surveyor().read_attributes(&mut attributes, &|| false).unwrap();
    let told = mirrors(&public, &attributes);
    assert_eq!((told.hosts, told.unread, told.found, told.groups.len()), (2, 0, 1, 0));
    let pair = &told.pairs[0];
    let host = |one: &MirroredHost| (one.host.clone(), one.documents, one.shared, one.share);
    assert_eq!(host(&pair.a), ("a.org".to_owned(), 4, 4, 1.0));
    assert_eq!(host(&pair.b), ("www.a.org".to_owned(), 5, 4, 0.8));
    assert_eq!((pair.clusters, pair.same_paths, pair.saved), (4, 4, 4));
    let examples = [&pair.a, &pair.b].map(|one| one.example.as_ref().map(|id| id.display().into_owned()));
    assert_eq!(examples.map(Option::unwrap), ["a0", "https://www.a.org/0#top"]);
    let told = mirrors(&View::Labels(vec!["red".to_owned()]), &attributes);
    assert_eq!((told.hosts, told.found, told.pairs.len()), (3, 3, 3));
    assert_eq!(told.groups[0].hosts, ["a.org", "secret.org", "www.a.org"]);
    assert_eq!(told.pairs[0].b.host, "www.a.org", "equal paths are the stronger sign");
    let secret = told.pairs.iter().find(|pair| pair.a.host == "a.org" && pair.b.host == "secret.org");
    assert_eq!(
        secret.map(|pair| (pair.same_paths, pair.b.example_labels.clone())),
        Some((0, vec!["red".to_owned()]))
    );
}
