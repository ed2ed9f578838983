//! A partition that is finished: documents that come later find their clusters by its centres.
//!
//! What clusters a document is in depends on the document and on the frozen centres alone, so an index, a
//! batch run and a cluster of machines agree. A word that no centre has counts in a document's length only. A
//! document without any word of the centres goes to a cluster for all such documents, so that two of them
//! still meet.

mod format;
#[cfg(test)]
mod tests;

use super::centres::FinalCentres;
use super::fuzzy::FuzzyCMeans;
use super::k_means::KMeans;
use super::partitioner::{Assignment, Notes, Partition};
use super::vectors::{Numbers, Vectors};
use crate::error::{Error, Result};
use crate::part::Params;
use crate::threads::spread;

/// Documents that a thread takes at a time.
const TURN: usize = 256;

/// What a frozen partition was made of.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct About {
    /// The clustering, as a section of a recipe.
    pub clustering: String,
    /// The features of the documents, as a section of a recipe with everything spelled out.
    pub features: String,
    /// How many documents there were.
    pub documents: u64,
}

/// Centres that move no more, and the rule by which documents belong to them.
pub struct FrozenPartition {
    about: About,
    rule: Rule,
    centres: FinalCentres,
    numbers: Numbers,
    id: String,
}

/// How the clusters of a document follow from its dot products with the centres.
enum Rule {
    Fuzzy(FuzzyCMeans),
    KMeans(KMeans),
}

impl Rule {
    fn from_spec(text: &str) -> Result<Rule> {
        let table = text.parse().map_err(|_| broken("its clustering is no section of a recipe"))?;
        let mut params = Params::new("clustering", table);
        let kind = params.text("type", "")?;
        let rule = match kind.as_str() {
            name if name == FuzzyCMeans::INFO.name => Rule::Fuzzy(FuzzyCMeans::from_params(&mut params)?),
            name if name == KMeans::INFO.name => Rule::KMeans(KMeans::from_params(&mut params)?),
            other => return Err(broken(&format!("its clustering is `{other}`, which has no centres"))),
        };
        params.finish([].into_iter())?;
        Ok(rule)
    }

    fn belong(&self, dots: &mut [f32], squares: &[f32]) {
        match self {
            Rule::Fuzzy(fuzzy) => fuzzy.belong(dots, squares),
            Rule::KMeans(k_means) => k_means.belong(dots),
        };
    }
}

fn broken(reason: &str) -> Error {
    Error::Incompatible(format!("no partition of this program: {reason}"))
}

impl FrozenPartition {
    /// From the centres of a clustering.
    pub fn new(about: About, centres: FinalCentres) -> Result<Self> {
        FrozenPartition::read(&format::write(&about, &centres))
    }

    /// Reads what [`FrozenPartition::to_bytes`] wrote. Whatever the bytes are, the result is a partition or one
    /// clear error.
    pub fn read(bytes: &[u8]) -> Result<Self> {
        let (about, centres, digest) = format::read(bytes)?;
        let rule = Rule::from_spec(&about.clustering)?;
        let numbers: Numbers =
            centres.hashes.iter().enumerate().map(|(number, &hash)| (hash, number as u32)).collect();
        if numbers.len() != centres.hashes.len() {
            return Err(broken("a term is there twice"));
        }
        Ok(FrozenPartition { about, rule, centres, numbers, id: format!("{digest:032x}") })
    }

    /// The partition as a file.
    pub fn to_bytes(&self) -> Vec<u8> {
        format::write(&self.about, &self.centres)
    }

    /// What it was made of.
    pub fn about(&self) -> &About {
        &self.about
    }

    /// Names its content.
    pub fn id(&self) -> &str {
        &self.id
    }

    /// How many centres there are.
    pub fn clusters(&self) -> usize {
        self.centres.squares.len()
    }

    /// How many terms the centres have coordinates for.
    pub fn terms(&self) -> usize {
        self.centres.hashes.len()
    }

    /// The clusters of all documents. The terms of the vectors must be [`Terms::All`](super::Terms::All): the centres may know one that only one of these
    /// documents has.
    pub(super) fn partition(&self, vectors: &Vectors, threads: usize) -> Partition {
        let numbers: Vec<Option<u32>> =
            vectors.hashes().iter().map(|hash| self.numbers.get(hash).copied()).collect();
        let turns = (0..vectors.len()).step_by(TURN).map(|from| from..(from + TURN).min(vectors.len()));
        let parts = spread(threads, turns, |turn| {
            let (mut row, mut dots, mut clusters, mut found) =
                (Vec::new(), Vec::new(), Vec::new(), Vec::new());
            for document in turn {
                let (terms, weights) = vectors.row(document);
                row.clear();
                row.extend(
                    terms
                        .iter()
                        .zip(weights)
                        .filter_map(|(&term, &weight)| Some((numbers[term as usize]?, weight))),
                );
                clusters.clear();
                // Without features a document is like no other.
                if !terms.is_empty() {
                    self.assign(&mut row, &mut dots, &mut clusters);
                }
                found.extend(clusters.iter().map(|&cluster| (cluster, document as u32)));
            }
            found
        });
        let mut clusters = vec![Vec::new(); self.clusters() + 1];
        parts.iter().flatten().for_each(|&(cluster, document)| clusters[cluster as usize].push(document));
        let unknown = clusters.last().map_or(0, Vec::len);
        let mut notes = Notes::default();
        if unknown * 10 > vectors.len() {
            notes.warnings.push(format!(
                "{unknown} of {} documents have no word that the frozen partition knows: make a new one",
                vectors.len()
            ));
        }
        Partition::complete(vectors.len(), clusters, notes)
    }

    /// Appends the clusters of a document with these terms, whose numbers are put into order; `dots` is a buffer.
    fn assign(&self, row: &mut [(u32, f32)], dots: &mut Vec<f32>, out: &mut Vec<u32>) {
        if row.is_empty() {
            out.push(self.clusters() as u32);
            return;
        }
        row.sort_unstable_by_key(|&(term, _)| term);
        dots.clear();
        dots.resize(self.clusters(), 0.0);
        let FinalCentres { ends, clusters, cells, squares, .. } = &self.centres;
        for &(term, weight) in row.iter() {
            let term = term as usize;
            let start = if term == 0 { 0 } else { ends[term - 1] as usize };
            let range = start..ends[term] as usize;
            for (&cluster, &cell) in clusters[range.clone()].iter().zip(&cells[range]) {
                dots[usize::from(cluster)] += weight * cell;
            }
        }
        self.rule.belong(dots, squares);
        out.extend((0..).zip(dots.iter()).filter(|(_, dot)| **dot != 0.0).map(|(cluster, _)| cluster));
    }
}

impl Assignment for FrozenPartition {
    fn clusters_of(&self, features: &[(u64, f32)], out: &mut Vec<u32>) {
        let known = features.iter().filter_map(|&(hash, weight)| Some((*self.numbers.get(&hash)?, weight)));
        let mut row: Vec<(u32, f32)> = known.collect();
        self.assign(&mut row, &mut Vec::new(), out);
    }
}
