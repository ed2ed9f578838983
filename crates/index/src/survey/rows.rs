//! The clusters as a table that can be sorted and filtered, without their texts.

use crate::storage::document::DocumentNumber;
use crate::storage::lasting::LastingNumbers;
use lookalike_core::cluster::Cluster;

use super::graph::{ConnectedComponent, SimilarityGraph, VisibleNumber};

/// A cluster of two or more documents.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SurveyRow<Number = u32> {
    /// The number of its master.
    pub master: Number,
    /// How many documents it has.
    pub size: u32,
    /// The lowest similarity of a member to the master; 0 where two were never compared, as in a chain.
    pub weakest: f32,
    /// The median similarity of the members to the master.
    pub median: f32,
    /// Where its documents start in the list of all, the master first.
    first: u32,
}

/// What a document of a cluster is to its master.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Standing {
    /// The master itself, a copy of it, or a further copy of another document: there is nothing to decide.
    Copy,
    /// The best copy of another content, with its similarity to the master.
    Compared(f32),
    /// The same where the two were never compared, as in a chain.
    Uncompared,
}

/// Clusters, with documents by their numbers within the generation or by lasting numbers.
pub struct SurveyRows<Number = u32> {
    pub rows: Vec<SurveyRow<Number>>,
    documents: Vec<Number>,
    /// One for each of the documents.
    standings: Vec<Standing>,
}

impl<Number> Default for SurveyRows<Number> {
    fn default() -> Self {
        SurveyRows { rows: Vec::new(), documents: Vec::new(), standings: Vec::new() }
    }
}

impl<Number> SurveyRows<Number> {
    /// The documents of a cluster, its master first.
    pub fn documents(&self, row: &SurveyRow<Number>) -> &[Number] {
        &self.documents[row.first as usize..(row.first + row.size) as usize]
    }

    /// What each of these documents is to the master.
    pub fn standings(&self, row: &SurveyRow<Number>) -> &[Standing] {
        &self.standings[row.first as usize..(row.first + row.size) as usize]
    }
}

impl SurveyRows<DocumentNumber> {
    /// Replaces numbers within the generation by lasting numbers.
    pub fn with_lasting_numbers(self, lasting: &LastingNumbers) -> SurveyRows {
        let row = |SurveyRow { master, size, weakest, median, first }| {
            let master = lasting.of(master).raw();
            SurveyRow { master, size, weakest, median, first }
        };
        SurveyRows {
            rows: self.rows.into_iter().map(row).collect(),
            documents: self.documents.into_iter().map(|document| lasting.of(document).raw()).collect(),
            standings: self.standings,
        }
    }

    /// Adds the copies of one content that resembles no other.
    pub fn add_copies(&mut self, graph: &SimilarityGraph, content: VisibleNumber) {
        if graph.copies(content).len() > 1 {
            self.add(graph, content, [].into_iter());
        }
    }

    /// Adds the clusters of a component, and its contents that are in none.
    pub fn add_component(
        &mut self,
        graph: &SimilarityGraph,
        component: &ConnectedComponent,
        clusters: &[Cluster],
    ) {
        let mut edges: Vec<(u32, u32, f64)> = Vec::with_capacity(component.edges.len());
        edges.extend(component.edges.iter().map(|edge| (edge.a, edge.b, edge.similarity)));
        edges.sort_unstable_by_key(|&(a, b, _)| (a, b));
        let similarity = |a: u32, b: u32| {
            let found = edges.binary_search_by_key(&(a.min(b), a.max(b)), |&(a, b, _)| (a, b));
            found.map_or(Standing::Uncompared, |place| Standing::Compared(edges[place].2 as f32))
        };
        let mut is_in = vec![false; component.contents.len()];
        for cluster in clusters {
            is_in[cluster.master as usize] = true;
            let members = cluster.members.iter().map(|&member| {
                is_in[member as usize] = true;
                (component.contents[member as usize], similarity(cluster.master, member))
            });
            let members: Vec<(VisibleNumber, Standing)> = members.collect();
            self.add(graph, component.contents[cluster.master as usize], members.into_iter());
        }
        for (&content, _) in component.contents.iter().zip(&is_in).filter(|(_, is_in)| !**is_in) {
            self.add_copies(graph, content);
        }
    }

    fn add(
        &mut self,
        graph: &SimilarityGraph,
        master: VisibleNumber,
        members: impl Iterator<Item = (VisibleNumber, Standing)>,
    ) {
        let first = self.documents.len();
        let best = graph.best[master];
        self.documents.push(best);
        self.documents.extend(graph.copies(master).iter().filter(|&&copy| copy != best));
        let mut similarities = vec![1.0; self.documents.len() - first - 1];
        self.standings.resize(self.documents.len(), Standing::Copy);
        for (content, standing) in members {
            let (copies, best) = (graph.copies(content), graph.best[content]);
            self.documents.extend_from_slice(copies);
            let of_copy = |&copy: &DocumentNumber| if copy == best { standing } else { Standing::Copy };
            self.standings.extend(copies.iter().map(of_copy));
            let similarity = if let Standing::Compared(similarity) = standing { similarity } else { 0.0 };
            similarities.resize(similarities.len() + copies.len(), similarity);
        }
        similarities.sort_unstable_by(f32::total_cmp);
        let at = |place: usize| similarities.get(place).copied().unwrap_or(1.0);
        self.rows.push(SurveyRow {
            master: best,
            size: (self.documents.len() - first) as u32,
            weakest: at(0),
            median: at(similarities.len() / 2),
            first: first as u32,
        });
    }

    /// Appends the rows of another part of the index.
    pub fn append(&mut self, other: Self) {
        let moved = self.documents.len() as u32;
        self.rows.extend(other.rows.into_iter().map(|row| SurveyRow { first: row.first + moved, ..row }));
        self.documents.extend(other.documents);
        self.standings.extend(other.standings);
    }
}
