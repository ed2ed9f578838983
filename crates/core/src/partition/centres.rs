//! Centres of clusters, and one pass of all documents over them.
//!
//! For each term there is a row with that coordinate of every centre, so a document's dot products with
//! all centres are one stream of multiplications over whole rows. Sums for the next centres lie in the
//! same way.
//!
//! Documents are processed in blocks. For each block, threads first judge documents, then each thread adds
//! up some terms of all of them. So each sum is computed in the order of the documents, and no result
//! depends on the number of threads. The clusters of the documents are forgotten after their block.
//!
//! Memory: twice 4 bytes for each centre and term, of which there are at most [`MOST_CELLS`], and for a
//! block 4 bytes for each document and centre; at the end 6 bytes for each coordinate that is not 0, in
//! place of the sums.

use std::ops::Range;

use super::vectors::Vectors;
use crate::threads::spread;

/// The most coordinates of all centres together; beyond it the rarest terms are left out.
const MOST_CELLS: usize = 100_000_000;
/// Documents in a block, and of these those that a thread takes at a time.
const BLOCK: usize = 2048;
const TURN: usize = 64;
/// Into how many ranges of equal work the terms are cut.
const RANGES: u64 = 32;

pub(super) struct Centres {
    pub(super) clusters: usize,
    /// Row by row, a row for each term.
    cells: Vec<f32>,
    /// The squared length of each centre.
    pub(super) squares: Vec<f32>,
    /// Runs of terms that threads take in turn.
    ranges: Vec<Range<usize>>,
}

/// Centres that move no more, by term: what is not 0.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct FinalCentres {
    /// The features that are terms.
    pub(super) hashes: Vec<u64>,
    /// Where the coordinates of each term end.
    pub(super) ends: Vec<u64>,
    /// The centre of each coordinate, rising within a term.
    pub(super) clusters: Vec<u16>,
    /// The coordinates.
    pub(super) cells: Vec<f32>,
    /// The squared length of each centre.
    pub(super) squares: Vec<f32>,
}

/// Weighted sums of documents, for the next centres.
pub(super) struct Sums {
    cells: Vec<f32>,
    weights: Vec<f64>,
}

/// How the next centres come from sums.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Scale {
    /// The weighted mean.
    Mean,
    /// The direction, with a length of 1.
    Unit,
}

/// The clusters of a few documents, with weights: where the list of each document ends, and all
/// lists.
#[derive(Default)]
struct Judged {
    total: f64,
    ends: Vec<usize>,
    entries: Vec<(u32, f32)>,
}

impl Centres {
    /// Centres that are the given documents, or what is left of them without their rarest terms.
    pub(super) fn at(vectors: &Vectors, documents: &[u32], scale: Scale) -> Self {
        let clusters = documents.len();
        let terms = vectors.terms().min(MOST_CELLS / clusters.max(1));
        let mut cells = vec![0.0; terms * clusters];
        let mut squares = vec![0.0; clusters];
        for (cluster, &document) in documents.iter().enumerate() {
            let square: f32 = row(vectors, document as usize, terms).map(|(_, weight)| weight * weight).sum();
            // A length of 0 stays 0.
            let factor = if scale == Scale::Unit && square > 0.0 { 1.0 / square.sqrt() } else { 1.0 };
            for (&term, &weight) in row(vectors, document as usize, terms) {
                cells[term as usize * clusters + cluster] = weight * factor;
            }
            squares[cluster] = square * factor * factor;
        }
        Centres { clusters, cells, squares, ranges: ranges(&vectors.frequencies()[..terms]) }
    }

    pub(super) fn sums(&self) -> Sums {
        Sums { cells: vec![0.0; self.cells.len()], weights: vec![0.0; self.clusters] }
    }

    /// The centres as they are now.
    pub(super) fn freeze(&self, vectors: &Vectors) -> FinalCentres {
        let mut frozen = FinalCentres {
            hashes: vectors.hashes()[..self.terms()].to_vec(),
            squares: self.squares.clone(),
            ..FinalCentres::default()
        };
        for row in self.cells.chunks_exact(self.clusters.max(1)) {
            for (cluster, &cell) in row.iter().enumerate().filter(|(_, cell)| **cell != 0.0) {
                frozen.clusters.push(cluster as u16);
                frozen.cells.push(cell);
            }
            frozen.ends.push(frozen.cells.len() as u64);
        }
        frozen
    }

    fn terms(&self) -> usize {
        self.ranges.last().map_or(0, |range| range.end)
    }

    /// Passes every document that has terms to `judge`, with its dot products with the centres, and `judge`
    /// turns these into weights. Adds the weighted documents to `sums`, passes the clusters of each document
    /// whose weight is not 0 to `visit`, in the order of the documents, and returns the sum of what `judge`
    /// returned.
    pub(super) fn pass(
        &self,
        vectors: &Vectors,
        threads: usize,
        mut sums: Option<&mut Sums>,
        judge: &(dyn Fn(&mut [f32]) -> f64 + Sync),
        mut visit: impl FnMut(u32, &[(u32, f32)]),
    ) -> f64 {
        let mut total = 0.0;
        let mut weights = vec![0.0; BLOCK.min(vectors.len()) * self.clusters];
        for from in (0..vectors.len()).step_by(BLOCK) {
            let block = from..(from + BLOCK).min(vectors.len());
            let turns = weights[..block.len() * self.clusters].chunks_mut(TURN * self.clusters).enumerate();
            let judged = spread(threads, turns, |(turn, weights)| {
                self.judge(vectors, from + turn * TURN, weights, judge)
            });
            for (turn, judged) in judged.iter().enumerate() {
                total += judged.total;
                let mut start = 0;
                for (place, &end) in judged.ends.iter().enumerate() {
                    visit((from + turn * TURN + place) as u32, &judged.entries[start..end]);
                    start = end;
                }
            }
            if let Some(sums) = sums.as_deref_mut() {
                self.add(vectors, from, &weights, &judged, threads, sums);
            }
        }
        total
    }

    fn judge(
        &self,
        vectors: &Vectors,
        first: usize,
        weights: &mut [f32],
        judge: &(dyn Fn(&mut [f32]) -> f64 + Sync),
    ) -> Judged {
        let mut judged = Judged::default();
        for (place, weights) in weights.chunks_mut(self.clusters).enumerate() {
            let document = first + place;
            weights.fill(0.0);
            if !vectors.row(document).0.is_empty() {
                for (&term, &weight) in row(vectors, document, self.terms()) {
                    add_row(weights, weight, &self.cells[term as usize * self.clusters..][..self.clusters]);
                }
                judged.total += judge(weights);
                let entries = weights.iter().enumerate().filter(|(_, weight)| **weight != 0.0);
                judged.entries.extend(entries.map(|(cluster, &weight)| (cluster as u32, weight)));
            }
            judged.ends.push(judged.entries.len());
        }
        judged
    }

    /// Adds the documents of a block to the sums, each range of terms on one thread.
    fn add(
        &self,
        vectors: &Vectors,
        first: usize,
        weights: &[f32],
        judged: &[Judged],
        threads: usize,
        sums: &mut Sums,
    ) {
        let clusters = self.clusters;
        spread(
            threads,
            self.ranges.iter().zip(split(&mut sums.cells, &self.ranges, clusters)),
            |(range, cells)| {
                for (turn, judged) in judged.iter().enumerate() {
                    let mut start = 0;
                    for (place, &end) in judged.ends.iter().enumerate() {
                        let entries = &judged.entries[start..end];
                        start = end;
                        let place = turn * TURN + place;
                        let dense = &weights[place * clusters..][..clusters];
                        let (terms, values) = vectors.row(first + place);
                        let from = terms.partition_point(|&term| (term as usize) < range.start);
                        let terms = terms[from..].iter().take_while(|term| (**term as usize) < range.end);
                        for (&term, &value) in terms.zip(&values[from..]) {
                            let sums = &mut cells[(term as usize - range.start) * clusters..][..clusters];
                            // Few entries are faster one by one.
                            if entries.len() * 4 > clusters {
                                add_row(sums, value, dense);
                            } else {
                                entries.iter().for_each(|&(to, weight)| sums[to as usize] += value * weight);
                            }
                        }
                    }
                }
            },
        );
        for &(cluster, weight) in judged.iter().flat_map(|judged| &judged.entries) {
            sums.weights[cluster as usize] += f64::from(weight);
        }
    }

    /// Moves the centres to the places given by the sums, and empties the sums. A centre without
    /// documents stays.
    pub(super) fn follow(&mut self, sums: &mut Sums, scale: Scale, threads: usize) {
        let clusters = self.clusters;
        let squares_of = |cells: &[f32]| {
            let mut squares = vec![0.0f64; clusters];
            for row in cells.chunks_exact(clusters) {
                let row = squares.iter_mut().zip(row);
                row.for_each(|(square, &cell)| *square += f64::from(cell) * f64::from(cell));
            }
            squares
        };
        let total = |parts: Vec<Vec<f64>>| {
            let mut squares = vec![0.0; clusters];
            for part in &parts {
                squares.iter_mut().zip(part).for_each(|(square, part)| *square += part);
            }
            squares
        };
        let factors: Vec<Option<f32>> = match scale {
            Scale::Mean => {
                sums.weights.iter().map(|&weight| (weight > 0.0).then(|| (1.0 / weight) as f32)).collect()
            }
            Scale::Unit => {
                let squares =
                    total(spread(threads, split(&mut sums.cells, &self.ranges, clusters), |cells| {
                        squares_of(cells)
                    }));
                squares.iter().map(|&square| (square > 0.0).then(|| (1.0 / square.sqrt()) as f32)).collect()
            }
        };
        let parts = split(&mut self.cells, &self.ranges, clusters);
        let parts = parts.zip(split(&mut sums.cells, &self.ranges, clusters));
        let squares = total(spread(threads, parts, |(centres, sums)| {
            for (centres, sums) in centres.chunks_exact_mut(clusters).zip(sums.chunks_exact_mut(clusters)) {
                for ((centre, sum), factor) in centres.iter_mut().zip(sums).zip(&factors) {
                    if let Some(factor) = factor {
                        *centre = *sum * factor;
                    }
                    *sum = 0.0;
                }
            }
            squares_of(centres)
        }));
        self.squares = squares.into_iter().map(|square| square as f32).collect();
        sums.weights.fill(0.0);
    }
}

/// The part of a document's row that centres have coordinates for.
fn row(vectors: &Vectors, document: usize, terms: usize) -> impl Iterator<Item = (&u32, &f32)> {
    let (numbers, weights) = vectors.row(document);
    numbers.iter().zip(weights).take_while(move |(term, _)| (**term as usize) < terms)
}

#[inline]
fn add_row(to: &mut [f32], factor: f32, row: &[f32]) {
    for (to, &cell) in to.iter_mut().zip(row) {
        *to += factor * cell;
    }
}

/// Cuts the terms into ranges that about equally many documents have.
fn ranges(frequencies: &[u32]) -> Vec<Range<usize>> {
    let all: u64 = frequencies.iter().map(|&frequency| u64::from(frequency)).sum();
    let (mut ranges, mut start, mut work) = (Vec::new(), 0, 0);
    for (term, &frequency) in frequencies.iter().enumerate() {
        work += u64::from(frequency);
        if work * RANGES >= all * (ranges.len() as u64 + 1) || term + 1 == frequencies.len() {
            ranges.push(start..term + 1);
            start = term + 1;
        }
    }
    ranges
}

/// The rows of each range.
fn split<'a>(
    mut cells: &'a mut [f32],
    ranges: &'a [Range<usize>],
    clusters: usize,
) -> impl Iterator<Item = &'a mut [f32]> {
    ranges.iter().map(move |range| {
        let (part, rest) = std::mem::take(&mut cells).split_at_mut(range.len() * clusters);
        cells = rest;
        part
    })
}
