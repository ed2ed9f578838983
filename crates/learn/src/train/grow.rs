//! Grows a decision tree (CART) by repeatedly choosing the purest split.
//!
//! Values are sorted into at most 256 bins of about equal size beforehand, so that a split is found
//! by counting instead of sorting. Up to 256 different values have a bin each: then nothing is
//! lost.

use super::cut::between;
use super::rows::Rows;
use crate::random::Random;
use lookalike_core::decide::classifier::{Node, Split, Tree};

const BINS: usize = 256;

/// When a tree stops growing.
#[derive(Clone, Copy)]
pub struct Limits {
    /// The most splits from root to leaf.
    pub depth: usize,
    /// The least rows of a leaf.
    pub least_rows: usize,
    /// How many components are tried for a split, drawn at random if fewer than all.
    pub components: usize,
}

/// The bins of all values, component after component, and the least and greatest value of each bin.
pub struct Binned {
    rows: usize,
    bins: Vec<u8>,
    ends: Vec<Vec<(f64, f64)>>,
}

impl Binned {
    pub fn new(rows: &Rows) -> Self {
        let count = rows.len();
        let mut binned =
            Binned { rows: count, bins: vec![0; count * rows.width], ends: Vec::with_capacity(rows.width) };
        let mut order: Vec<(f64, usize)> = Vec::with_capacity(count);
        for component in 0..rows.width {
            order.clear();
            order.extend((0..count).map(|place| (rows.row(place)[component], place)));
            order.sort_by(|a, b| a.0.total_cmp(&b.0));
            let different = 1 + order.windows(2).filter(|pair| pair[0].0 != pair[1].0).count();
            let mut ends: Vec<(f64, f64)> = Vec::with_capacity(different.min(BINS));
            let mut last_share = 0;
            for (rank, &(value, place)) in order.iter().enumerate() {
                let share = rank * BINS / count;
                match ends.last_mut() {
                    // Equal values share a bin, which may therefore exceed its size.
                    Some(bin) if bin.1 == value || (different > BINS && share == last_share) => bin.1 = value,
                    _ => {
                        ends.push((value, value));
                        last_share = share;
                    }
                }
                binned.bins[component * count + place] = (ends.len() - 1) as u8;
            }
            binned.ends.push(ends);
        }
        binned
    }

    fn column(&self, component: usize) -> &[u8] {
        &self.bins[component * self.rows..(component + 1) * self.rows]
    }
}

/// Grows a tree from the rows whose weight is above 0.
pub fn grow(binned: &Binned, labels: &[bool], weights: &[f64], limits: Limits, random: &mut Random) -> Tree {
    let mut places: Vec<usize> = (0..binned.rows).filter(|&place| weights[place] > 0.0).collect();
    let mut nodes = vec![Node { value: 0.0, split: None }];
    let mut waiting = vec![(0, 0, places.len(), 0)];
    let mut components: Vec<usize> = (0..binned.ends.len()).collect();
    let (mut counts, mut aside) = (Counts::default(), Vec::new());
    while let Some((node, start, end, depth)) = waiting.pop() {
        let rows = &mut places[start..end];
        let (mut positive, mut negative) = (0.0, 0.0);
        rows.iter().for_each(|&at| *(if labels[at] { &mut positive } else { &mut negative }) += weights[at]);
        let weight = positive + negative;
        nodes[node].value = if weight > 0.0 { (positive - negative) / weight } else { 0.0 };
        if positive == 0.0 || negative == 0.0 || depth == limits.depth {
            continue;
        }
        if limits.components < components.len() {
            let all = components.len();
            random.draw(&mut components, all);
        }
        let Some(best) = best_split(binned, labels, weights, limits, rows, &components, &mut counts) else {
            continue;
        };
        let column = binned.column(best.component);
        let below = part(rows, |at| column[at] <= best.bin, &mut aside);
        let children = nodes.len();
        nodes[node].split = Some(Split {
            component: best.component,
            threshold: best.threshold,
            below: children,
            above: children + 1,
        });
        nodes.extend([Node { value: 0.0, split: None }, Node { value: 0.0, split: None }]);
        waiting.push((children + 1, start + below, end, depth + 1));
        waiting.push((children, start, start + below, depth + 1));
    }
    Tree { nodes }
}

/// Moves the rows that are below to the front; both sides keep their order. Gives the number below.
fn part(rows: &mut [usize], is_below: impl Fn(usize) -> bool, aside: &mut Vec<usize>) -> usize {
    aside.clear();
    let mut below = 0;
    for place in 0..rows.len() {
        let row = rows[place];
        if is_below(row) {
            rows[below] = row;
            below += 1;
        } else {
            aside.push(row);
        }
    }
    rows[below..].copy_from_slice(aside);
    below
}

/// What the rows of a node weigh in each bin of a component. Most nodes have few rows, so only the bins that have any are
/// visited.
struct Counts {
    bins: [Bin; BINS],
    /// A bit for each bin that has rows.
    filled: [u64; BINS / 64],
}

#[derive(Clone, Copy, Default)]
struct Bin {
    /// Of different documents, and of near-duplicates.
    weight: [f64; 2],
    rows: usize,
}

impl Default for Counts {
    fn default() -> Self {
        Counts { bins: [Bin::default(); BINS], filled: [0; BINS / 64] }
    }
}

impl Counts {
    fn add(&mut self, bin: u8, label: bool, weight: f64) {
        let place = usize::from(bin);
        let bin = &mut self.bins[place];
        bin.weight[usize::from(label)] += weight;
        bin.rows += 1;
        self.filled[place / 64] |= 1 << (place % 64);
    }

    /// The bins that have rows, in order, with their places.
    fn iter(&self) -> impl Iterator<Item = (usize, &Bin)> {
        let places = self.filled.iter().enumerate().flat_map(|(word, &bits)| {
            let rest = std::iter::successors(Some(bits), |&bits| Some(bits & bits.wrapping_sub(1)));
            rest.take_while(|&bits| bits != 0).map(move |bits| 64 * word + bits.trailing_zeros() as usize)
        });
        places.map(|place| (place, &self.bins[place]))
    }

    fn clear(&mut self) {
        for (bins, filled) in self.bins.chunks_mut(64).zip(&mut self.filled) {
            while *filled != 0 {
                bins[filled.trailing_zeros() as usize] = Bin::default();
                *filled &= *filled - 1;
            }
        }
    }
}

struct Best {
    purity: f64,
    component: usize,
    bin: u8,
    threshold: f64,
}

/// The purest split that leaves enough rows on both sides; the first of several. It need not be purer than
/// the whole: if two components are only informative together, the first alone never is.
fn best_split(
    binned: &Binned,
    labels: &[bool],
    weights: &[f64],
    limits: Limits,
    rows: &[usize],
    components: &[usize],
    counts: &mut Counts,
) -> Option<Best> {
    let mut best: Option<Best> = None;
    let mut looked_at = 0;
    for &component in components {
        let (column, ends) = (binned.column(component), &binned.ends[component]);
        counts.clear();
        rows.iter().for_each(|&at| counts.add(column[at], labels[at], weights[at]));
        let sum = |sum: [f64; 2], bin: &Bin| [sum[0] + bin.weight[0], sum[1] + bin.weight[1]];
        let all = counts.iter().fold([0.0; 2], |all, (_, bin)| sum(all, bin));
        let (mut below, mut count, mut last) = ([0.0; 2], 0, None);
        let mut splits = false;
        for (place, bin) in counts.iter() {
            let enough = count >= limits.least_rows && rows.len() - count >= limits.least_rows;
            if let Some(last) = last.filter(|_| enough) {
                splits = true;
                let last: usize = last;
                let purity = pure(below[1], below[0]) + pure(all[1] - below[1], all[0] - below[0]);
                if best.as_ref().is_none_or(|best| purity > best.purity) {
                    let threshold = between(ends[last].1, ends[place].0);
                    best = Some(Best { purity, component, bin: last as u8, threshold });
                }
            }
            below = sum(below, bin);
            count += bin.rows;
            last = Some(place);
        }
        looked_at += usize::from(splits);
        if looked_at == limits.components {
            break;
        }
    }
    best
}

/// Weight times (1 - Gini impurity).
fn pure(positive: f64, negative: f64) -> f64 {
    let weight = positive + negative;
    if weight > 0.0 { (positive * positive + negative * negative) / weight } else { 0.0 }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn rows(width: usize, values: Vec<f64>, labels: Vec<bool>) -> Rows {
        let weights = vec![1.0; labels.len()];
        Rows { width, values, labels, weights }
    }

    fn stump(rows: &Rows, least_rows: usize) -> Tree {
        let limits = Limits { depth: 1, least_rows, components: rows.width };
        grow(&Binned::new(rows), &rows.labels, &rows.weights, limits, &mut Random::new(1, 1))
    }

    proptest! {
        /// Compares with trying every value of every component.
        #[test]
        fn the_first_split_is_the_purest(data in prop::collection::vec((0..6u8, 0..6u8, any::<bool>()), 2..40), least in 1..4usize) {
            let values = data.iter().flat_map(|row| [f64::from(row.0), f64::from(row.1)]).collect();
            let rows = rows(2, values, data.iter().map(|row| row.2).collect());
            let purity = |component: usize, threshold: f64| {
                let mut sides = [[0.0; 2]; 2];
                for at in 0..rows.len() {
                    sides[usize::from(rows.row(at)[component] >= threshold)][usize::from(rows.labels[at])] += 1.0;
                }
                let fits = sides.iter().all(|side| side[0] + side[1] >= least as f64);
                fits.then(|| pure(sides[0][1], sides[0][0]) + pure(sides[1][1], sides[1][0]))
            };
            let best = (0..12).filter_map(|at| purity(at % 2, f64::from(at as u8 / 2))).fold(f64::NEG_INFINITY, f64::max);
            match stump(&rows, least).nodes[0].split {
                Some(split) => prop_assert!((purity(split.component, split.threshold).unwrap() - best).abs() < 1e-9),
                None => prop_assert!(best == f64::NEG_INFINITY || rows.labels.iter().all(|&l| l == rows.labels[0])),
            }
        }

        #[test]
        fn many_values_are_parted_where_the_tree_says(values in prop::collection::vec(-1.0..1.0f64, 300..900)) {
            let labels: Vec<bool> = values.iter().map(|&x| x > 0.2).collect();
            let rows = rows(1, values, labels);
            let limits = Limits { depth: 3, least_rows: 1, components: 1 };
            let tree = grow(&Binned::new(&rows), &rows.labels, &rows.weights, limits, &mut Random::new(1, 1));
            tree.check(1).unwrap();
            let right = (0..rows.len()).filter(|&at| (tree.value(|_| rows.row(at)[0]) >= 0.0) == rows.labels[at]).count();
            prop_assert!(right + 2 >= rows.len(), "at most the bin at the border is mixed: {right} of {}", rows.len());
        }
    }

    #[test]
    fn bins_are_full_or_exact() {
        let many = rows(1, (0..10_000).map(|x| f64::from(x % 5000)).collect(), vec![true; 10_000]);
        let binned = Binned::new(&many);
        assert!(binned.ends[0].len() <= BINS && binned.ends[0].len() > 200, "{}", binned.ends[0].len());
        assert!(binned.ends[0].windows(2).all(|pair| pair[0].1 < pair[1].0));
        let few = Binned::new(&rows(1, (0..1000).map(|x| f64::from(x % 256)).collect(), vec![true; 1000]));
        assert_eq!(few.ends[0].len(), 256);
    }
}
