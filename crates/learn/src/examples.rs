//! Labelled similarity vectors.

/// One row of values for each labelled pair of documents.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Examples {
    /// Values of a row.
    pub width: usize,
    /// Row after row.
    pub values: Vec<f64>,
    /// Whether the pair is a near-duplicate.
    pub labels: Vec<bool>,
    /// The groups of the pair's two documents. Documents of one group share near-duplicates or texts: they
    /// are never split between training and test, and a row between groups is in a test only if both are.
    pub groups: Vec<[u32; 2]>,
    /// For how many pairs a row stands: 1, or more if it was drawn from many.
    pub weights: Vec<f64>,
}

impl Examples {
    /// No rows yet; rows have `width` values.
    pub fn new(width: usize) -> Self {
        Examples { width, ..Examples::default() }
    }

    /// Adds a row of one group.
    pub fn push(&mut self, row: &[f64], label: bool, group: u32) {
        self.push_between(row, label, [group; 2]);
    }

    /// Adds a pair of documents that may belong to different groups.
    pub fn push_between(&mut self, row: &[f64], label: bool, groups: [u32; 2]) {
        self.push_weighted(row, label, groups, 1.0);
    }

    /// Adds a pair that stands for `weight` pairs.
    pub fn push_weighted(&mut self, row: &[f64], label: bool, groups: [u32; 2], weight: f64) {
        debug_assert_eq!(row.len(), self.width);
        self.values.extend_from_slice(row);
        self.labels.push(label);
        self.groups.push(groups);
        self.weights.push(weight);
    }

    /// The number of rows.
    pub fn len(&self) -> usize {
        self.labels.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.labels.is_empty()
    }

    /// The values of a row.
    pub fn row(&self, place: usize) -> &[f64] {
        &self.values[place * self.width..(place + 1) * self.width]
    }

    /// Rows and labels.
    pub fn iter(&self) -> impl Iterator<Item = (&[f64], bool)> {
        (0..self.len()).map(|place| (self.row(place), self.labels[place]))
    }

    /// The rows at these places, in this order.
    pub fn select(&self, places: &[usize]) -> Examples {
        let mut selected = Examples::new(self.width);
        for &place in places {
            let (label, groups) = (self.labels[place], self.groups[place]);
            selected.push_weighted(self.row(place), label, groups, self.weights[place]);
        }
        selected
    }

    /// The rows at these places, which remain when only this share of the groups is kept. Of pairs between
    /// groups only the square of the share remains, so each of them gets more weight: a part of a corpus has
    /// fewer different documents per near-duplicate than the whole, and a learner must not take that ratio
    /// for that of the whole.
    pub fn part(&self, places: &[usize], share: f64) -> Examples {
        let mut part = self.select(places);
        for (weight, groups) in part.weights.iter_mut().zip(&part.groups) {
            if groups[0] != groups[1] {
                *weight /= share;
            }
        }
        part
    }

    /// Rows of near-duplicates.
    pub fn positives(&self) -> usize {
        self.labels.iter().filter(|&&label| label).count()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn selected_rows_keep_label_and_group() {
        let mut examples = Examples::new(2);
        examples.push(&[0.1, 0.2], true, 7);
        examples.push_weighted(&[0.3, 0.4], false, [8, 8], 2.5);
        let selected = examples.select(&[1]);
        assert_eq!(
            (selected.row(0), selected.labels[0], selected.groups[0], selected.weights[0]),
            (&[0.3, 0.4][..], false, [8, 8], 2.5)
        );
        assert_eq!((examples.len(), examples.positives()), (2, 1));
    }

    /// Two documents per group: however few groups remain, pairs within and between groups have the ratio of
    /// the whole.
    #[test]
    fn a_part_has_the_proportions_of_the_whole() {
        let mut examples = Examples::new(1);
        for a in 0..40u32 {
            examples.push(&[0.0], true, a);
            (0..a).for_each(|b| examples.push_between(&[0.0], false, [a, b]));
        }
        let ratio = |examples: &Examples| {
            let of = |class: bool| {
                let rows = examples.labels.iter().zip(&examples.weights).filter(move |row| *row.0 == class);
                rows.map(|row| row.1).sum::<f64>()
            };
            of(false) / of(true)
        };
        let stays: Vec<usize> =
            (0..examples.len()).filter(|&row| examples.groups[row].iter().all(|group| *group < 20)).collect();
        let part = examples.part(&stays, 0.5);
        assert!(
            (ratio(&part) / ratio(&examples) - 1.0).abs() < 0.03,
            "{} {}",
            ratio(&part),
            ratio(&examples)
        );
        assert!(ratio(&examples.select(&stays)) < 0.55 * ratio(&examples));
    }
}
