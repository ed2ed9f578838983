//! Clusters that are kept while things change, against the clusterer over what there is in the end.

use std::collections::BTreeMap;

use lookalike_core::cluster::{Components, Star};
use proptest::prelude::*;

use super::*;
use crate::storage::document::{ContentNumber, DocumentNumber};
use crate::storage::operation::{Decide, Operation, Prefer, Put};
use crate::storage::population::Visibility;
use crate::storage::snapshot;
use crate::storage::state::{Layout, State};
use crate::storage::texts::Place;

const CONTENTS: u32 = 14;

/// One change; numbers are taken modulo what there is.
#[derive(Clone, Debug)]
enum Change {
    /// A document with this content, rank and label, and links of a new content.
    Put {
        content: u32,
        score: u64,
        hidden: bool,
        links: Vec<(u32, u8)>,
    },
    Remove(u32),
    Decide(u32, u32, Option<u8>),
    Prefer(u32, bool),
}

fn change() -> impl Strategy<Value = Change> {
    let links = proptest::collection::vec((0..CONTENTS, 0u8..4), 0..5);
    prop_oneof![
        4 => (0..CONTENTS, 0u64..5, any::<bool>(), links)
            .prop_map(|(content, score, hidden, links)| Change::Put { content, score, hidden, links }),
        2 => (0u32..60).prop_map(Change::Remove),
        1 => (0..CONTENTS, 0..CONTENTS, proptest::option::of(0u8..4))
            .prop_map(|(a, b, link)| Change::Decide(a, b, link)),
        1 => (0u32..60, any::<bool>()).prop_map(|(number, preferred)| Change::Prefer(number, preferred)),
    ]
}

fn similarity(step: u8) -> f64 {
    0.6 + f64::from(step) / 10.0
}

fn document(number: u32) -> DocumentNumber {
    DocumentNumber::from_index(number as usize)
}

fn digest(content: u32) -> u128 {
    u128::from(content) + 1
}

fn apply(state: &mut State, how: &dyn Clusterer, change: &Change) {
    let operation = match change {
        Change::Put { content, score, hidden, links } => {
            let known = links.iter().filter_map(|&(other, step)| {
                let other = state.population.content_of(digest(other))?;
                Some((other, similarity(step)))
            });
            let known: BTreeMap<ContentNumber, f64> = known.collect();
            Operation::Put(Put {
                id: format!("\"{}\"", state.population.documents.len()),
                scores: vec![*score],
                digest: Some(digest(*content)),
                labels: if *hidden { vec!["hidden".to_owned()] } else { Vec::new() },
                links: known.into_iter().collect(),
                ..put()
            })
        }
        Change::Remove(number) => Operation::Remove { document: document(*number) },
        Change::Decide(a, b, link) if a != b => Operation::Decide(Decide {
            digests: (digest(*a), digest(*b)),
            ids: (String::new(), String::new()),
            duplicate: Some(link.is_some()),
            by: String::new(),
            time: 0,
            link: link.map(similarity),
            texts: None,
            labels: None,
        }),
        Change::Decide(..) => return,
        &Change::Prefer(number, preferred) => {
            Operation::Prefer(Prefer { document: document(number), preferred, by: String::new(), time: 0 })
        }
    };
    state.apply(how, &operation);
}

fn put() -> Put {
    Put {
        id: String::new(),
        place: Place::default(),
        digest: None,
        scores: Vec::new(),
        keys: Vec::new(),
        stored: Vec::new(),
        labels: Vec::new(),
        set: String::new(),
        added: 0,
        expires: 0,
        lives: 0,
        hits: 0,
        interval: 0,
        links: Vec::new(),
        continues: None,
        origin: None,
        crowd: None,
    }
}

/// The master of every content that is seen, by the clusterer over the contents that are.
fn from_scratch(
    state: &State,
    how: &dyn Clusterer,
    visibility: &Visibility,
) -> BTreeMap<ContentNumber, ContentNumber> {
    let population = &state.population;
    let seen = |content: ContentNumber| population.best_visible(content, visibility);
    let mut nodes: Vec<(ContentNumber, DocumentNumber)> =
        population.contents.numbers().filter_map(|content| Some((content, seen(content)?))).collect();
    nodes.sort_by(|a, b| population.order(a.1, b.1));
    let place = |content: ContentNumber| nodes.iter().position(|node| node.0 == content);
    let mut edges = Vec::new();
    for (a, node) in nodes.iter().enumerate() {
        for link in state.clusters.links(node.0) {
            edges.extend(place(link.other()).filter(|&b| a < b).map(|b| Edge {
                a: a as u32,
                b: b as u32,
                similarity: link.similarity(),
            }));
        }
    }
    let mut masters: BTreeMap<ContentNumber, ContentNumber> =
        nodes.iter().map(|&(content, _)| (content, content)).collect();
    for cluster in how.cluster(nodes.len() as u32, 0, &edges) {
        for member in cluster.members {
            masters.insert(nodes[member as usize].0, nodes[cluster.master as usize].0);
        }
    }
    masters
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    #[test]
    fn clusters_are_those_of_the_clusterer_after_every_change(
        changes in proptest::collection::vec(change(), 1..60),
        star in any::<bool>(),
    ) {
        let how: Box<dyn Clusterer> = if star { Box::new(Star) } else { Box::new(Components) };
        let mut state = State::new(Layout { rules: 1, stored: 0 });
        for change in &changes {
            apply(&mut state, &*how, change);
            let all = Visibility { sets: None, now: 0 };
            let expected = from_scratch(&state, &*how, &all);
            for (&content, &master) in &expected {
                prop_assert_eq!(state.clusters.master(content), master);
                let members: Vec<ContentNumber> = state.clusters.members(content).collect();
                let told = expected.iter().filter(|&(&other, &of)| of == content && other != content);
                prop_assert_eq!(members, told.map(|(&other, _)| other).collect::<Vec<_>>());
            }
            let listed: Vec<ContentNumber> = state.clusters.masters_from(ContentNumber::FIRST).collect();
            prop_assert!(listed.iter().all(|master| expected.get(master) == Some(master)));
            let links: usize = state.population.contents.numbers()
                .map(|content| state.clusters.links(content).len())
                .sum();
            prop_assert_eq!(state.clusters.pairs * 2, links as u64);
        }
        // As somebody sees them who does not see the hidden documents.
        let sets = state.labels.iter().map(|labels| labels.is_empty()).collect();
        let visibility = Visibility { sets: Some(sets), now: 0 };
        let expected = from_scratch(&state, &*how, &visibility);
        for &first in expected.keys() {
            // Whichever is asked for first.
            let mut seen = VisibleClusters::new(&state.clusters, &state.population, &*how, &visibility, Box::new(|_, _| None));
            let asked = expected.range(first..).chain(expected.range(..first));
            for (&content, &master) in asked {
                prop_assert_eq!(seen.master(content), master);
            }
            let told = expected.iter().filter(|&(&other, &of)| of == first && other != first);
            let told: Vec<ContentNumber> = told.map(|(&other, _)| other).collect();
            if expected[&first] == first {
                prop_assert_eq!(seen.members(first), told.clone());
                let mut anew = VisibleClusters::new(&state.clusters, &state.population, &*how, &visibility, Box::new(|_, _| None));
                prop_assert_eq!(anew.members(first), told);
            }
        }
    }

    #[test]
    fn a_snapshot_of_any_state_says_the_same_and_goes_on_the_same(
        changes in proptest::collection::vec(change(), 1..60),
        more in proptest::collection::vec(change(), 0..20),
        star in any::<bool>(),
    ) {
        let how: Box<dyn Clusterer> = if star { Box::new(Star) } else { Box::new(Components) };
        let layout = Layout { rules: 1, stored: 0 };
        let mut state = State::new(layout);
        changes.iter().for_each(|change| apply(&mut state, &*how, change));
        let folder = tempfile::tempdir().unwrap();
        let path = |name: &str| folder.path().join(name);
        let read = |name: &str| snapshot::read(&path(name), layout).unwrap().state;
        // Opened, and used by a state that is open, as after a checkpoint.
        snapshot::write(&path("state-1"), &state, &mut || Ok(())).unwrap();
        let mut opened = read("state-1");
        prop_assert_eq!(told(&opened), told(&state));
        let mut mapped = State::new(layout);
        changes.iter().for_each(|change| apply(&mut mapped, &*how, change));
        drop(snapshot::map(&path("state-1")).unwrap().replace(&mut mapped));
        prop_assert_eq!(told(&mapped), told(&state));
        for change in &more {
            [&mut state, &mut opened, &mut mapped].into_iter().for_each(|state| apply(state, &*how, change));
        }
        prop_assert_eq!(told(&opened), told(&state));
        prop_assert_eq!(told(&mapped), told(&state));
        // What is partly in a file and partly in memory is written as if all were in memory.
        for (name, state) in [("state-2", &opened), ("state-3", &mapped), ("state-4", &state)] {
            snapshot::write(&path(name), state, &mut || Ok(())).unwrap();
        }
        prop_assert_eq!(told(&read("state-2")), told(&state));
        let bytes = |name: &str| std::fs::read(path(name)).unwrap();
        prop_assert!(bytes("state-2") == bytes("state-4") && bytes("state-3") == bytes("state-4"));
    }
}

/// Everything a state knows that answers depend on.
fn told(state: &State) -> Vec<String> {
    let population = &state.population;
    let mut told =
        vec![format!("{} {} {}", population.living, population.living_contents, state.clusters.pairs)];
    let counted = (population.comparable, state.living_bytes, state.dead_bytes, state.clusters.member_count);
    told.push(format!("{counted:?} {:?} {:?}", population.copied, state.preferences));
    for (number, document) in population.documents.iter_from(DocumentNumber::FIRST) {
        let crate::storage::document::Document { place, content, labels, set, .. } = document;
        let alive = document.is_alive();
        let id = if alive { population.ids.get(number) } else { "" };
        let mut found: Vec<DocumentNumber> = population.ids.find(id).collect();
        found.sort_unstable();
        told.push(format!("{found:?} {}", document.is_preferred()));
        told.push(format!(
            "{place:?} {content:?} {labels} {set} {alive} {id} {:?}",
            population.scores(number)
        ));
    }
    for content in population.contents.numbers() {
        let mut links: Vec<(ContentNumber, u64)> = state
            .clusters
            .links(content)
            .iter()
            .map(|link| (link.other(), link.similarity().to_bits()))
            .collect();
        links.sort_unstable();
        let mut copies: Vec<DocumentNumber> = population.copies(content).collect();
        copies.sort_unstable();
        let entry = &population.contents[content];
        told.push(format!("{} {:?} {:?}", entry.digest, entry.best, population.content_of(entry.digest)));
        let members: Vec<ContentNumber> = state.clusters.members(content).collect();
        told.push(format!("{links:?} {copies:?} {:?} {members:?}", state.clusters.master(content)));
    }
    told.push(format!("{:?} {:?}", state.decisions, state.expiry));
    told
}
