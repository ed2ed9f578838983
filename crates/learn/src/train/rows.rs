//! Examples in the form that learners use.

/// Rows for fitting a function: standardised and weighted.
pub struct Rows {
    pub width: usize,
    /// Row after row.
    pub values: Vec<f64>,
    pub labels: Vec<bool>,
    pub weights: Vec<f64>,
}

impl Rows {
    pub fn len(&self) -> usize {
        self.labels.len()
    }

    pub fn row(&self, place: usize) -> &[f64] {
        &self.values[place * self.width..(place + 1) * self.width]
    }

    /// 1 for a near-duplicate, -1 for another pair.
    pub fn sign(&self, place: usize) -> f64 {
        if self.labels[place] { 1.0 } else { -1.0 }
    }
}
