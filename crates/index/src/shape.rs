//! A cluster of any size as one picture: copies collapsed, what is alike side by side, and groups where there are too
//! many to show each.

use lookalike_core::document::Id;
use lookalike_core::numbers::NumberMap;
use lookalike_core::{Error, Result};
use serde::Serialize;

use super::answer;
use super::clusters::with_clusters;
use super::index::IndexReader;
use super::name::{DocumentName, find_named};
use super::preview::Preview;
use super::query::View;
use super::read::{id_of, previews};
use super::seriation::SimilarityMatrix;
use crate::query::visibility_now;
use crate::storage::document::{Content, ContentNumber, DocumentNumber};

/// The most different contents that are compared with each other: their number goes in with its square.
const MOST_CONTENTS: usize = 2000;

/// How the contents of a cluster are put into groups.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "schema", schemars(rename_all = "lowercase", inline))]
pub enum Grouping {
    /// Groups of the same size, in an order in which those that are alike stand together.
    #[default]
    Even,
    /// Groups that are more alike than any two of them: those of single linkage.
    Linked,
}

impl Grouping {
    /// The groupings by name.
    pub const NAMES: [(&str, Grouping); 2] = [("even", Grouping::Even), ("linked", Grouping::Linked)];

    /// The grouping with this name, or an error that lists the known ones.
    pub fn from_name(name: &str) -> Result<Grouping> {
        let known = Grouping::NAMES.iter().find(|known| known.0 == name);
        let names = Grouping::NAMES.map(|known| known.0).join(", ");
        let unknown = || Error::input(format!("unknown grouping `{name}`; known: {names}"));
        known.map(|known| known.1).ok_or_else(unknown)
    }
}

/// A cluster as a picture shows it.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ClusterShape {
    /// The name of the cluster: the id of its master.
    #[serde(serialize_with = "answer::id")]
    pub cluster: Id,
    /// Documents of the cluster.
    pub size: usize,
    /// Different contents of the cluster: exact copies are one.
    pub contents: usize,
    /// How many of these are in groups: the most similar to the master, if there are very many.
    pub shown: usize,
    /// In an order in which neighbours are alike; the first has the master.
    pub groups: Vec<ShapeGroup>,
    /// Places of two groups, the mean similarity of the pairs of contents between them that were compared, and how many
    /// these are. The same place twice: within the group. Left out where nothing was compared.
    pub pairs: Vec<(u32, u32, f32, u32)>,
    /// The lowest similarity of two contents that were compared; null if none were.
    #[cfg_attr(feature = "schema", schemars(range(min = 0, max = 1)))]
    pub weakest: Option<f32>,
}

/// Some contents of a cluster.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ShapeGroup {
    /// The best document of the first content.
    #[serde(serialize_with = "answer::id")]
    pub id: Id,
    /// Its title, type, source and time.
    #[serde(flatten)]
    pub preview: Preview,
    /// Documents of the group, copies included.
    pub documents: u64,
    /// Different contents of the group.
    pub contents: usize,
}

struct Found {
    size: usize,
    contents: usize,
    /// The best document of each content that is shown and how many have it; the master's first.
    shown: Vec<(DocumentNumber, u64)>,
    matrix: SimilarityMatrix,
    weakest: Option<f32>,
}

impl IndexReader<'_> {
    /// The shape of a document's cluster in at most so many groups; `None` if the document is not visible.
    pub fn cluster_shape<'a>(
        &self,
        name: impl Into<DocumentName<'a>>,
        view: &View,
        grouping: Grouping,
        most: usize,
    ) -> Result<Option<ClusterShape>> {
        let (generation, name) = (self.index.generation(), name.into());
        let visibility = visibility_now(&generation.store.state(), view);
        let found = with_clusters(&generation, &visibility, |clusters| {
            let state = clusters.state;
            let Some(number) = find_named(state, name, &visibility)? else { return Ok(None) };
            let Some(content) = state.population.documents[number].content else {
                let (shown, matrix) = (vec![(number, 1)], SimilarityMatrix::new(1));
                return Ok(Some(Found { size: 1, contents: 1, shown, matrix, weakest: None }));
            };
            let master = clusters.master(content);
            let Some((best, members)) = clusters.documents(master) else { return Ok(None) };
            let mut places: NumberMap<Content, usize> = NumberMap::default();
            let mut contents: Vec<(ContentNumber, u64)> = Vec::new();
            for document in std::iter::once(best).chain(members.iter().map(|member| member.1)) {
                let Some(content) = state.population.documents[document].content else { continue };
                let place = *places.entry(content).or_insert_with(|| {
                    contents.push((content, 0));
                    contents.len() - 1
                });
                contents[place].1 += 1;
            }
            let all = contents.len();
            contents.truncate(MOST_CONTENTS);
            let mut matrix = SimilarityMatrix::new(contents.len());
            let mut weakest: Option<f32> = None;
            for (place, &(content, _)) in contents.iter().enumerate() {
                for link in clusters.links(content) {
                    if let Some(&other) = places.get(&link.other()).filter(|other| **other < place) {
                        let similarity = link.similarity() as f32;
                        matrix.set(place, other, similarity);
                        weakest = Some(weakest.map_or(similarity, |least| least.min(similarity)));
                    }
                }
            }
            let shown =
                contents.iter().filter_map(|&(content, copies)| Some((clusters.best(content)?, copies)));
            let shown = shown.collect();
            Ok(Some(Found { size: members.len() + 1, contents: all, shown, matrix, weakest }))
        })?;
        let Some(Found { size, contents, shown, matrix, weakest }) = found else { return Ok(None) };
        let seriation = matrix.seriate();
        let parts = match grouping {
            Grouping::Even => seriation.even_parts(most),
            Grouping::Linked => seriation.linked_parts(most),
        };
        let members = |part: &std::ops::Range<usize>| &seriation.order[part.clone()];
        let firsts: Vec<DocumentNumber> =
            parts.iter().map(|part| shown[members(part)[0] as usize].0).collect();
        let groups = parts.iter().zip(&firsts).zip(previews(&generation, &firsts)?);
        let groups: Vec<ShapeGroup> = groups
            .map(|((part, &first), preview)| ShapeGroup {
                id: id_of(&generation, first),
                preview,
                documents: members(part).iter().map(|&place| shown[place as usize].1).sum(),
                contents: part.len(),
            })
            .collect();
        let mut pairs = Vec::new();
        for (row, one) in (0u32..).zip(&parts) {
            for (column, other) in (0u32..=row).zip(&parts) {
                let mut sum = (0.0f64, 0u32);
                for &a in members(one) {
                    // Within a group each pair is met twice, and nothing is compared with itself.
                    for &b in members(other).iter().filter(|&&b| row != column || b < a) {
                        if let Some(similarity) = matrix.get(a as usize, b as usize) {
                            sum = (sum.0 + f64::from(similarity), sum.1 + 1);
                        }
                    }
                }
                if sum.1 > 0 {
                    pairs.push((column, row, (sum.0 / f64::from(sum.1)) as f32, sum.1));
                }
            }
        }
        let cluster = groups.first().map_or_else(|| name.id.clone(), |master| master.id.clone());
        Ok(Some(ClusterShape { cluster, size, contents, shown: shown.len(), groups, pairs, weakest }))
    }
}
