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
    /// are never parted between training and test, and a row between groups is in a test only if both
    /// are.
    pub groups: Vec<[u32; 2]>,
}

impl Examples {
    pub fn new(width: usize) -> Self {
        Examples { width, ..Examples::default() }
    }

    pub fn push(&mut self, row: &[f64], label: bool, group: u32) {
        self.push_between(row, label, [group; 2]);
    }

    /// A pair of documents that may belong to different groups.
    pub fn push_between(&mut self, row: &[f64], label: bool, groups: [u32; 2]) {
        debug_assert_eq!(row.len(), self.width);
        self.values.extend_from_slice(row);
        self.labels.push(label);
        self.groups.push(groups);
    }

    pub fn len(&self) -> usize {
        self.labels.len()
    }

    pub fn is_empty(&self) -> bool {
        self.labels.is_empty()
    }

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
            selected.push_between(self.row(place), self.labels[place], self.groups[place]);
        }
        selected
    }

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
        examples.push(&[0.3, 0.4], false, 8);
        let selected = examples.select(&[1]);
        assert_eq!(
            (selected.row(0), selected.labels[0], selected.groups[0]),
            (&[0.3, 0.4][..], false, [8, 8])
        );
        assert_eq!((examples.len(), examples.positives()), (2, 1));
    }
}
