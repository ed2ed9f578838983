//! Clusters as they appear in a view.

use crate::storage::clusters::{Link, Reach, VisibleClusters, reachable};
use crate::storage::document::{Content, ContentNumber, DocumentNumber};
use crate::storage::population::Visibility;
use crate::storage::state::State;
use lookalike_core::Result;
use lookalike_core::document::Id;
use lookalike_core::numbers::NumberMap;

use super::answer::{VisibleCluster, VisibleMember};
use super::generation::Generation;
use super::links::{MissingData, link_overrides};
use super::name::labels_of;

/// Runs `work` on the clusters of a view, again and again until nothing it needs is missing. `work` runs under the
/// lock of the state and must not lock it again.
pub fn with_clusters<T>(
    generation: &Generation,
    visibility: &Visibility,
    mut work: impl FnMut(&mut ClusterLookup<'_>) -> Result<T>,
) -> Result<T> {
    generation.link_cache.clear_if_large();
    loop {
        let missing = MissingData::default();
        let answer =
            work(&mut ClusterLookup::new(generation, &generation.store.state(), visibility, &missing));
        if !missing.fetch(generation)? {
            return answer;
        }
    }
}

/// A member of a cluster: its similarity to the master (`None` if the two were never compared), and its number.
pub type RankedMember = (Option<f64>, DocumentNumber);

/// The clusters of a view. If everything is visible and there are no crowds these are the stored clusters; otherwise
/// they are computed on demand.
pub struct ClusterLookup<'a> {
    pub generation: &'a Generation,
    pub state: &'a State,
    pub visibility: &'a Visibility,
    seen: Option<VisibleClusters<'a>>,
}

impl<'a> ClusterLookup<'a> {
    /// Whatever is missing for a correct answer is recorded in `missing`; [`with_clusters`] fetches it.
    pub fn new(
        generation: &'a Generation,
        state: &'a State,
        visibility: &'a Visibility,
        missing: &'a MissingData,
    ) -> Self {
        let how = generation.store.clusterer();
        let are_stored = state.is_all_visible(visibility) && state.crowds.is_empty();
        let seen = (!are_stored).then(|| {
            let own = Box::new(move |content: ContentNumber, reach: Reach| {
                link_overrides(generation, state, visibility, missing, content, reach)
            });
            VisibleClusters::new(&state.clusters, &state.population, how, visibility, own)
        });
        ClusterLookup { generation, state, visibility, seen }
    }

    pub fn is_stored(&self) -> bool {
        self.seen.is_none()
    }

    /// The stored clusters, whatever crowds there are.
    pub fn as_stored(&self) -> ClusterLookup<'a> {
        ClusterLookup { seen: None, ..*self }
    }

    /// The living contents that were ever in a crowd, and all that are connected with them, by links as they are stored
    /// or as they are.
    pub fn connected_with_crowds(&mut self) -> Vec<ContentNumber> {
        let state = self.state;
        let crowds = state.crowds.iter().filter(|&content| state.population.is_alive(content));
        reachable(crowds, |content, others| {
            others.extend(state.clusters.links(content).iter().map(|link| link.other()));
            others.extend(self.links(content).iter().map(|link| link.other()));
        })
    }

    pub fn master(&mut self, content: ContentNumber) -> ContentNumber {
        self.seen.as_mut().map_or_else(|| self.state.clusters.master(content), |seen| seen.master(content))
    }

    pub fn best(&mut self, content: ContentNumber) -> Option<DocumentNumber> {
        match &mut self.seen {
            Some(seen) => seen.best(content),
            None => self.state.population.best(content),
        }
    }

    /// The contents that a content is linked to.
    pub fn links(&mut self, content: ContentNumber) -> &[Link] {
        match &mut self.seen {
            Some(seen) => seen.links(content),
            None => self.state.clusters.links(content),
        }
    }

    pub fn is_master(&mut self, content: ContentNumber) -> bool {
        self.best(content).is_some() && self.master(content) == content
    }

    fn members(&mut self, master: ContentNumber) -> Vec<ContentNumber> {
        match &mut self.seen {
            Some(seen) => seen.members(master),
            None => self.state.clusters.members(master).collect(),
        }
    }

    pub fn has_members(&mut self, master: ContentNumber) -> bool {
        match &mut self.seen {
            Some(seen) => !seen.members(master).is_empty(),
            None => self.state.clusters.members(master).next().is_some(),
        }
    }

    /// How many copies of a content are visible.
    pub fn copies(&self, content: ContentNumber) -> u64 {
        let population = &self.state.population;
        let seen = |copy: &DocumentNumber| self.visibility.includes(&population.documents[*copy]);
        population.copies(content).filter(seen).count() as u64
    }

    /// The id and the labels of a document.
    pub fn name(&self, number: DocumentNumber) -> (Id, Vec<String>) {
        (Id::from_json(self.state.population.ids.get(number)), labels_of(self.state, number).to_vec())
    }

    /// The master of the cluster that a document belongs to.
    pub fn master_document(&mut self, number: DocumentNumber) -> Option<DocumentNumber> {
        let content = self.state.population.documents[number].content?;
        let master = self.master(content);
        self.best(master)
    }

    /// For each lasting number that of the document's master: the best visible member of its cluster, which may be
    /// itself. `None` for documents that are not visible.
    ///
    /// All are brought one step further before any goes on to the next: nearly every step waits for memory, and those of
    /// different documents can wait together.
    pub fn masters(&mut self, numbers: &[u32]) -> Vec<Option<u32>> {
        let state = self.state;
        let documents = numbers.iter().map(|&number| state.visible_document(self.visibility, number));
        let documents: Vec<Option<DocumentNumber>> = documents.collect();
        let content = |&document: &Option<DocumentNumber>| state.population.documents[document?].content;
        let contents: Vec<Option<ContentNumber>> = documents.iter().map(content).collect();
        let masters = contents.into_iter().map(|content| Some(self.master(content?)));
        let masters: Vec<Option<ContentNumber>> = masters.collect();
        let master = |(document, master): (Option<DocumentNumber>, Option<ContentNumber>)| {
            // A document without content is alone.
            let best = master.map_or(document, |master| self.best(master))?;
            Some(state.lasting.of(best).raw())
        };
        documents.into_iter().zip(masters).map(master).collect()
    }

    /// The similarity of a document to the master of its cluster; `None` for the master itself.
    pub fn similarity_to_master(&mut self, number: DocumentNumber) -> Option<f64> {
        let content = self.state.population.documents[number].content?;
        let master = self.master(content);
        if master == content {
            return (self.best(content) != Some(number)).then_some(1.0);
        }
        self.links(content).iter().find(|link| link.other() == master).map(|link| link.similarity())
    }

    /// The master document of a cluster, and the other documents, the most similar first.
    pub fn documents(&mut self, master: ContentNumber) -> Option<(DocumentNumber, Vec<RankedMember>)> {
        let best = self.best(master)?;
        let mut contents: Vec<(ContentNumber, Option<f64>)> = vec![(master, Some(1.0))];
        let to_master: NumberMap<Content, f64> =
            self.links(master).iter().map(|link| (link.other(), link.similarity())).collect();
        contents
            .extend(self.members(master).into_iter().map(|member| (member, to_master.get(&member).copied())));
        let population = &self.state.population;
        let mut members: Vec<RankedMember> = Vec::new();
        for &(content, similarity) in &contents {
            let seen = |copy: &DocumentNumber| {
                *copy != best && self.visibility.includes(&population.documents[*copy])
            };
            members.extend(population.copies(content).filter(seen).map(|copy| (similarity, copy)));
        }
        members.sort_by(|a, b| {
            let alike = b.0.unwrap_or(0.0).total_cmp(&a.0.unwrap_or(0.0));
            alike.then_with(|| population.order(a.1, b.1))
        });
        Some((best, members))
    }

    /// A cluster with all its members, but without their differences.
    pub fn view(&mut self, master: ContentNumber) -> Option<VisibleCluster> {
        let (best, members) = self.documents(master)?;
        let (id, labels) = self.name(best);
        let weakest = members.last().map_or(1.0, |member| member.0.unwrap_or(0.0));
        let described = members.iter().map(|&(similarity, copy)| {
            let (id, labels) = self.name(copy);
            VisibleMember { id, labels, similarity, difference: None, streams: None }
        });
        let members: Vec<VisibleMember> = described.collect();
        Some(VisibleCluster {
            cluster: id.clone(),
            master: id,
            labels,
            size: members.len() + 1,
            weakest,
            members,
        })
    }
}
