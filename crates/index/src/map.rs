//! One cluster in detail: its members, the similarities between them, and the nearest documents outside.

use crate::index::IndexReader;
use std::collections::{HashMap, HashSet};

use crate::storage::clusters::Link;
use crate::storage::document::{ContentNumber, DocumentNumber};
use crate::storage::population::Visibility;
use lookalike_core::difference::Difference;
use lookalike_core::document::Id;
use lookalike_core::streams::StreamAgreement;
use lookalike_core::{Error, Result};
use serde::Serialize;

use super::answer;
use super::apart::{Apart, DifferingWords};
use super::clusters::{ClusterLookup, RankedMember, with_clusters};
use super::differences::differences;
use super::find::nearby;
use super::generation::{Generation, SigningContext};
use super::name::{DocumentName, find_named};
use super::preview::Preview;
use super::query::View;
use super::read::id_of;
use super::read::previews;
use crate::query::visibility_now;

/// For how many different members near documents are searched, and how many documents are measured for each.
const SEARCHED: usize = 4;
const MEASURED: usize = 100;
/// How many of the nearest documents outside are listed.
const OUTSIDE: usize = 20;

/// A cluster as a drawing needs it.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ClusterMap {
    /// The name of the cluster: the id of its master.
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

/// A member of a cluster.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct MapMember {
    /// The id of the document.
    #[serde(serialize_with = "answer::id")]
    pub id: Id,
    /// Its title, type, source and time.
    #[serde(flatten)]
    pub preview: Preview,
    /// To the master; null for itself and where the two were never compared.
    #[cfg_attr(feature = "schema", schemars(range(min = 0, max = 1)))]
    pub similarity: Option<f64>,
    /// How it differs from the master; null for itself.
    pub difference: Option<Difference>,
    /// How its images, links and other streams agree with the master's; left out if they have none in common.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub streams: Option<StreamAgreement>,
    /// In which words its text is another than the master's; left out for itself and for the same words.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub apart: Option<Apart>,
    /// Whether a member before it has the same content.
    pub copy: bool,
    /// Whether a person wants it to stand for the cluster.
    pub kept: bool,
}

/// Some members of a cluster.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct MemberPage {
    /// The name of the cluster: the id of its master.
    #[serde(serialize_with = "answer::id")]
    pub cluster: Id,
    /// Of the whole cluster.
    pub size: usize,
    /// How many members come before these.
    pub offset: usize,
    /// The master first, then the most similar to it.
    pub members: Vec<MapMember>,
}

/// A document outside of a cluster that resembles a member.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Outside {
    /// The id of the document.
    #[serde(serialize_with = "answer::id")]
    pub id: Id,
    /// Its title, type, source and time.
    #[serde(flatten)]
    pub preview: Preview,
    /// To the member that it is most similar to.
    #[cfg_attr(feature = "schema", schemars(range(min = 0, max = 1)))]
    pub similarity: f64,
    /// The place of the member that it is most like.
    pub beside: u32,
    /// The master of its own cluster; null for a document alone.
    #[serde(serialize_with = "answer::optional_id")]
    pub cluster: Option<Id>,
    /// The access labels of that master, which belong to its name; left out if it has none.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub cluster_labels: Vec<String>,
}

impl IndexReader<'_> {
    /// The cluster of a document, with at most `limit` of its members.
    pub fn cluster_map<'a>(
        &self,
        name: impl Into<DocumentName<'a>>,
        view: &View,
        limit: usize,
    ) -> Result<Option<ClusterMap>> {
        let (generation, name) = (self.index.generation(), name.into());
        let visibility = visibility_now(&generation.store.state(), view);
        let Some(all) = ranked(&generation, name, &visibility)? else { return Ok(None) };
        let numbers: Vec<DocumentNumber> = all.iter().map(|member| member.1).collect();
        let shown = &numbers[..numbers.len().min(limit.max(1))];
        let members = described(&generation, &all, 0..shown.len())?;
        let pairs = with_clusters(&generation, &visibility, |clusters| Ok(pairs(clusters, shown)))?;
        let outside = outside(&generation, &numbers, shown, &visibility)?;
        let cluster = members.first().map_or_else(|| name.id.clone(), |master| master.id.clone());
        Ok(Some(ClusterMap { cluster, size: numbers.len(), members, pairs, outside }))
    }

    /// Some members of a document's cluster; `None` if the document is not visible.
    pub fn cluster_members<'a>(
        &self,
        name: impl Into<DocumentName<'a>>,
        view: &View,
        offset: usize,
        limit: usize,
    ) -> Result<Option<MemberPage>> {
        let (generation, name) = (self.index.generation(), name.into());
        let visibility = visibility_now(&generation.store.state(), view);
        let Some(all) = ranked(&generation, name, &visibility)? else { return Ok(None) };
        let offset = offset.min(all.len());
        let members = described(&generation, &all, offset..all.len().min(offset.saturating_add(limit)))?;
        let cluster = all.first().map_or_else(|| name.id.clone(), |master| id_of(&generation, master.1));
        Ok(Some(MemberPage { cluster, size: all.len(), offset, members }))
    }
}

/// The master of a document's cluster, then the other members, the most similar first.
fn ranked(
    generation: &Generation,
    name: DocumentName<'_>,
    visibility: &Visibility,
) -> Result<Option<Vec<RankedMember>>> {
    with_clusters(generation, visibility, |clusters| {
        let state = clusters.state;
        let Some(number) = find_named(state, name, visibility)? else { return Ok(None) };
        let mut all = vec![(None, number)];
        if let Some(content) = state.population.documents[number].content {
            let master = clusters.master(content);
            if let Some((best, members)) = clusters.documents(master) {
                all = vec![(None, best)];
                all.extend(members);
            }
        }
        Ok(Some(all))
    })
}

/// Some members with what a table shows of them.
fn described(
    generation: &Generation,
    all: &[RankedMember],
    shown: std::ops::Range<usize>,
) -> Result<Vec<MapMember>> {
    let Some(&(_, master)) = all.first() else { return Ok(Vec::new()) };
    let numbers: Vec<DocumentNumber> = all[shown.clone()].iter().map(|member| member.1).collect();
    // The master is what they differ from, on whichever page they are.
    let with_master: Vec<DocumentNumber> = std::iter::once(master).chain(numbers.iter().copied()).collect();
    let differs = differences(generation, &with_master)?.into_iter().skip(1);
    let copies = {
        let state = generation.store.state();
        let content = |number: DocumentNumber| state.population.documents[number].content;
        let mut known: HashSet<ContentNumber> =
            all[..shown.start].iter().filter_map(|member| content(member.1)).collect();
        let is_copy =
            |&number: &DocumentNumber| content(number).is_some_and(|content| !known.insert(content));
        numbers.iter().map(is_copy).collect::<Vec<bool>>()
    };
    let mut context = SigningContext::new(generation);
    let mut text = |number: DocumentNumber| match context.text_of(number) {
        Ok(text) => Ok(text),
        Err(Error::Gone) => Ok(String::new()),
        Err(error) => Err(error),
    };
    let masters_text = text(master)?;
    let mut words = DifferingWords::from(&*masters_text);
    for &number in &numbers {
        words.add(&text(number)?);
    }
    let members =
        all[shown].iter().zip(previews(generation, &numbers)?).zip(differs).zip(copies).zip(words.apart());
    let told = members.map(|((((&(similarity, number), preview), differs), copy), apart)| {
        let differs = differs.filter(|_| number != master);
        MapMember {
            id: id_of(generation, number),
            preview,
            similarity,
            difference: differs.map(|differs| differs.difference),
            streams: differs.and_then(|differs| differs.streams.told()),
            apart,
            copy,
            kept: generation.store.state().population.documents[number].is_preferred(),
        }
    });
    Ok(told.collect())
}

/// Documents of other clusters that resemble a member, above or below the threshold.
fn outside(
    generation: &Generation,
    cluster: &[DocumentNumber],
    shown: &[DocumentNumber],
    visibility: &Visibility,
) -> Result<Vec<Outside>> {
    let mut nearest: HashMap<ContentNumber, (f64, u32)> = HashMap::new();
    let mut record = |content: ContentNumber, similarity: f64, place: u32| {
        let known = nearest.entry(content).or_insert((similarity, place));
        if similarity > known.0 {
            *known = (similarity, place);
        }
    };
    // Exact copies have the same neighbours, so the first of them is enough.
    let mut different: Vec<(DocumentNumber, u32)> = Vec::new();
    {
        let state = generation.store.state();
        let mut known = HashSet::new();
        for (&number, place) in shown.iter().zip(0..) {
            if known.insert(state.population.documents[number].content) {
                different.push((number, place));
            }
        }
    }
    let linked = with_clusters(generation, visibility, |clusters| {
        let mut linked: Vec<(Link, u32)> = Vec::new();
        for &(number, place) in &different {
            if let Some(content) = clusters.state.population.documents[number].content {
                linked.extend(clusters.links(content).iter().map(|&link| (link, place)));
            }
        }
        Ok(linked)
    })?;
    linked.into_iter().for_each(|(link, place)| record(link.other(), link.similarity(), place));
    let mut context = SigningContext::new(generation);
    let mut line = Vec::new();
    for &(number, place) in different.iter().take(SEARCHED) {
        if generation.read_line(number, &mut line).is_err() {
            continue;
        }
        let query = context.sign(&line, number.raw())?;
        for (content, similarity) in nearby(&mut context, generation, &query, visibility, MEASURED)? {
            record(content, similarity, place);
        }
    }
    let found = with_clusters(generation, visibility, |clusters| {
        let population = &clusters.state.population;
        let content = |&number: &DocumentNumber| population.documents[number].content;
        let own: HashSet<ContentNumber> = cluster.iter().filter_map(content).collect();
        let mut found: Vec<(DocumentNumber, ContentNumber, f64, u32)> = nearest
            .iter()
            .filter(|(content, _)| !own.contains(content))
            .filter_map(|(&content, &(similarity, place))| {
                Some((population.best_visible(content, visibility)?, content, similarity, place))
            })
            .collect();
        found.sort_by(|a, b| b.2.total_cmp(&a.2).then_with(|| population.order(a.0, b.0)));
        found.truncate(OUTSIDE);
        let described = found.into_iter().map(|(number, content, similarity, beside)| {
            let alone = clusters.master(content) == content
                && clusters.copies(content) == 1
                && !clusters.has_members(content);
            let master = if alone { None } else { clusters.master_document(number) };
            (number, similarity, beside, master.map(|master| clusters.name(master)).unzip())
        });
        Ok(described.collect::<Vec<_>>())
    })?;
    let numbers: Vec<DocumentNumber> = found.iter().map(|one| one.0).collect();
    let previews = previews(generation, &numbers)?;
    let described =
        found.into_iter().zip(previews).map(|((number, similarity, beside, (cluster, labels)), preview)| {
            let cluster_labels = labels.unwrap_or_default();
            Outside { id: id_of(generation, number), preview, similarity, beside, cluster, cluster_labels }
        });
    Ok(described.collect())
}

/// The similarities of all pairs of documents that were compared or are exact copies.
fn pairs(clusters: &mut ClusterLookup<'_>, shown: &[DocumentNumber]) -> Vec<(u32, u32, f64)> {
    let state = clusters.state;
    let mut places: HashMap<ContentNumber, Vec<u32>> = HashMap::new();
    for (&number, place) in shown.iter().zip(0..) {
        if let Some(content) = state.population.documents[number].content {
            places.entry(content).or_default().push(place);
        }
    }
    let mut pairs = Vec::new();
    for (&content, own) in &places {
        let copies =
            own.iter().enumerate().flat_map(|(at, &a)| own[at + 1..].iter().map(move |&b| (a, b, 1.0)));
        pairs.extend(copies);
        for link in clusters.links(content).iter().filter(|link| link.other() > content) {
            for &a in own {
                let others = places.get(&link.other()).into_iter().flatten();
                pairs.extend(others.map(|&b| (a.min(b), a.max(b), link.similarity())));
            }
        }
    }
    pairs.sort_unstable_by_key(|&(a, b, _)| (a, b));
    pairs
}
