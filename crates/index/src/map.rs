//! One cluster from near: its members, how alike any two are, and what lies just outside.

use std::collections::{HashMap, HashSet};

use crate::storage::clusters::Link;
use crate::storage::population::{NONE, Sight};
use lookalike_core::Result;
use lookalike_core::document::Id;
use serde::Serialize;

use super::ask::View;
use super::clusters::Clusters;
use super::face::{Face, faces};
use super::find::nearby;
use super::generation::{Desk, Generation, read_line};
use super::links::look;
use super::name::{Name, known_as};
use super::see::{id_of, now_sight};
use super::{Index, answer};

/// Different members whose surroundings are searched, and documents that are measured for each.
const SEARCHED: usize = 4;
const MEASURED: usize = 100;
/// The nearest outside that are told.
const OUTSIDE: usize = 20;

/// A cluster as a drawing needs it.
#[derive(Debug, Serialize)]
pub struct ClusterMap {
    #[serde(serialize_with = "answer::id")]
    pub cluster: Id,
    /// Of the whole cluster, of which `members` may be a part.
    pub size: usize,
    /// The master first, then the most similar to it.
    pub members: Vec<MapMember>,
    /// Places of two members, and how alike they are.
    pub pairs: Vec<(u32, u32, f64)>,
    /// Documents that the cluster may have missed, the most similar first.
    pub outside: Vec<Outside>,
}

#[derive(Debug, Serialize)]
pub struct MapMember {
    #[serde(serialize_with = "answer::id")]
    pub id: Id,
    #[serde(flatten)]
    pub face: Face,
    /// To the master; absent for itself and where the two were never compared.
    pub similarity: Option<f64>,
    /// Whether a person wants it to stand for the cluster.
    pub kept: bool,
}

#[derive(Debug, Serialize)]
pub struct Outside {
    #[serde(serialize_with = "answer::id")]
    pub id: Id,
    #[serde(flatten)]
    pub face: Face,
    pub similarity: f64,
    /// The place of the member that it is most like.
    pub beside: u32,
    /// The master of its own cluster; absent for a document alone.
    #[serde(serialize_with = "answer::optional_id")]
    pub cluster: Option<Id>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub cluster_labels: Vec<String>,
}

impl Index {
    /// The cluster of a document, with at most `limit` of its members.
    pub fn cluster_map<'a>(
        &self,
        name: impl Into<Name<'a>>,
        view: &View,
        limit: usize,
    ) -> Result<Option<ClusterMap>> {
        let (generation, name) = (self.generation(), name.into());
        let sight = now_sight(&generation.store.state(), view);
        let found = look(&generation, &sight, |clusters| {
            let state = clusters.state;
            let Some(number) = known_as(state, name, &sight)? else { return Ok(None) };
            let mut numbers = vec![number];
            let mut similarities = vec![None];
            let content = state.population.documents[number as usize].content;
            if content != NONE {
                let master = clusters.master(content);
                if let Some((best, members)) = clusters.documents(master) {
                    numbers = vec![best];
                    numbers.extend(members.iter().map(|member| member.1));
                    similarities.extend(members.iter().map(|member| member.0));
                }
            }
            Ok(Some((numbers, similarities)))
        })?;
        let Some((numbers, similarities)) = found else { return Ok(None) };
        let shown = &numbers[..numbers.len().min(limit.max(1))];
        let faces = faces(&generation, shown)?;
        let members: Vec<MapMember> = shown
            .iter()
            .zip(faces)
            .zip(&similarities)
            .map(|((&number, face), &similarity)| MapMember {
                id: id_of(&generation, number),
                face,
                similarity,
                kept: generation.store.state().population.documents[number as usize].preferred,
            })
            .collect();
        let pairs = look(&generation, &sight, |clusters| Ok(pairs(clusters, shown)))?;
        let outside = outside(&generation, &numbers, shown, &sight)?;
        let cluster = members.first().map_or_else(|| name.id.clone(), |master| master.id.clone());
        Ok(Some(ClusterMap { cluster, size: numbers.len(), members, pairs, outside }))
    }
}

/// What resembles a member, by more or less than the threshold, and is in another cluster.
fn outside(generation: &Generation, cluster: &[u32], shown: &[u32], sight: &Sight) -> Result<Vec<Outside>> {
    let mut nearest: HashMap<u32, (f64, u32)> = HashMap::new();
    let mut meet = |content: u32, similarity: f64, place: u32| {
        let known = nearest.entry(content).or_insert((similarity, place));
        if similarity > known.0 {
            *known = (similarity, place);
        }
    };
    // Copies have the same surroundings: the first of them is enough.
    let mut different: Vec<(u32, u32)> = Vec::new();
    {
        let state = generation.store.state();
        let mut known = HashSet::new();
        for (&number, place) in shown.iter().zip(0..) {
            if known.insert(state.population.documents[number as usize].content) {
                different.push((number, place));
            }
        }
    }
    let linked = look(generation, sight, |clusters| {
        let mut linked: Vec<(Link, u32)> = Vec::new();
        for &(number, place) in &different {
            let content = clusters.state.population.documents[number as usize].content;
            linked.extend(clusters.links(content).iter().map(|&link| (link, place)));
        }
        Ok(linked)
    })?;
    linked.into_iter().for_each(|(link, place)| meet(link.other, link.similarity, place));
    let mut desk = Desk::new(generation);
    let mut line = Vec::new();
    for &(number, place) in different.iter().take(SEARCHED) {
        if read_line(&generation.store, number, &mut line).is_err() {
            continue;
        }
        let asked = desk.prepare(&line, number)?;
        for (content, similarity) in nearby(&mut desk, generation, &asked, sight, MEASURED)? {
            meet(content, similarity, place);
        }
    }
    let found = look(generation, sight, |clusters| {
        let population = &clusters.state.population;
        let content = |number: &u32| population.documents[*number as usize].content;
        let own: HashSet<u32> = cluster.iter().map(content).collect();
        let mut found: Vec<(u32, f64, u32)> = nearest
            .iter()
            .filter(|(content, _)| !own.contains(content))
            .filter_map(|(&content, &(similarity, place))| {
                Some((population.best_seen(content, sight)?, similarity, place))
            })
            .collect();
        found.sort_by(|a, b| b.1.total_cmp(&a.1).then_with(|| population.order(a.0, b.0)));
        found.truncate(OUTSIDE);
        let described = found.into_iter().map(|(number, similarity, beside)| {
            let content = population.documents[number as usize].content;
            let alone = clusters.master(content) == content
                && clusters.copies(content) == 1
                && !clusters.has_members(content);
            let master = if alone { None } else { clusters.master_document(number) };
            (number, similarity, beside, master.map(|master| clusters.name(master)).unzip())
        });
        Ok(described.collect::<Vec<_>>())
    })?;
    let numbers: Vec<u32> = found.iter().map(|one| one.0).collect();
    let faces = faces(generation, &numbers)?;
    let told = found.into_iter().zip(faces).map(|((number, similarity, beside, (cluster, labels)), face)| {
        let cluster_labels = labels.unwrap_or_default();
        Outside { id: id_of(generation, number), face, similarity, beside, cluster, cluster_labels }
    });
    Ok(told.collect())
}

/// How alike any two of the documents are that were compared, or are copies.
fn pairs(clusters: &mut Clusters<'_>, shown: &[u32]) -> Vec<(u32, u32, f64)> {
    let state = clusters.state;
    let mut places: HashMap<u32, Vec<u32>> = HashMap::new();
    for (&number, place) in shown.iter().zip(0..) {
        let content = state.population.documents[number as usize].content;
        if content != NONE {
            places.entry(content).or_default().push(place);
        }
    }
    let mut pairs = Vec::new();
    for (&content, own) in &places {
        let copies =
            own.iter().enumerate().flat_map(|(at, &a)| own[at + 1..].iter().map(move |&b| (a, b, 1.0)));
        pairs.extend(copies);
        for link in clusters.links(content).iter().filter(|link| link.other > content) {
            for &a in own {
                let others = places.get(&link.other).into_iter().flatten();
                pairs.extend(others.map(|&b| (a.min(b), a.max(b), link.similarity)));
            }
        }
    }
    pairs.sort_unstable_by_key(|&(a, b, _)| (a, b));
    pairs
}
