//! What an experiment is, and its result.

use serde::Serialize;

use super::Data;
use lookalike_core::Result;
use lookalike_engine::run::Progress;

/// A table or figure of a paper that can be reproduced.
pub struct Experiment {
    pub name: &'static str,
    /// For example `K08 Tables 2 and 3`.
    pub paper: &'static str,
    pub summary: &'static str,
    /// Files that it reads from the data folder.
    pub data: &'static [&'static str],
    /// Whether it takes less than a minute on two cores: a test runs it again.
    pub quick: bool,
    pub run: fn(&Data, &dyn Progress) -> Result<Reproduced>,
}

/// The result of an experiment.
#[derive(Clone, Debug, Default, Serialize)]
pub struct Reproduced {
    pub name: String,
    pub title: String,
    /// The paper's table or figure.
    pub paper: String,
    /// What the data are.
    pub data: Vec<String>,
    /// Where data or method differ from the paper's, and what follows from that.
    pub differs: Vec<String>,
    pub sections: Vec<Section>,
    /// What the figures show, in a few sentences.
    pub findings: Vec<String>,
    pub seconds: f64,
}

#[derive(Clone, Debug, Default, Serialize)]
pub struct Section {
    pub heading: String,
    pub text: String,
    /// A row of headings, then rows.
    pub table: Vec<Vec<String>>,
    pub figures: Vec<Figure>,
}

/// A plot as inline SVG, for the page only.
#[derive(Clone, Debug, Serialize)]
pub struct Figure {
    pub caption: String,
    #[serde(skip)]
    pub svg: String,
}
