//! What the numbers of a similarity vector mean (X15 §2).
//!
//! A [`Schema`] names *views*, kinds of features that a document is seen by, and *components*, each a
//! way to compare one view of two documents. It is stored with the model that was trained on such
//! vectors.

use serde::{Deserialize, Serialize};
use toml::Table;

use crate::error::{Error, Result};
use crate::streams::StreamKind;

/// The widest vector a model may ask for; lets a vector be standardised without allocation, and a
/// verdict point at a component with one byte.
pub const MOST_COMPONENTS: usize = i8::MAX as usize;

/// What the numbers of a vector mean.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Schema {
    /// The kinds of features that documents are seen by.
    pub views: Vec<FeatureView>,
    /// The numbers of the vector, in their order.
    pub components: Vec<Component>,
}

/// A kind of features.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct FeatureView {
    /// What components call it.
    pub name: String,
    /// As a recipe's section `features` would have it.
    pub features: Table,
    /// The same with every default and choice spelled out, as it was built when the model was trained.
    #[serde(default, skip_serializing_if = "Table::is_empty")]
    pub built: Table,
}

/// One number of the vector.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Component {
    /// The name of a view.
    pub view: String,
    /// A measure, a signer whose signatures are compared, `present`: 1 if both documents have any
    /// such feature, or `size`: the number of features of the smaller one on a logarithmic scale.
    pub compare: String,
}

impl Component {
    /// The name that people read.
    pub fn name(&self) -> String {
        match self.compare.as_str() {
            PRESENT => format!("both have {}", self.view),
            SIZE => format!("number of {}", self.view),
            compare => format!("{compare} of {}", self.view),
        }
    }
}

/// A way to compare: whether both documents have any such feature.
pub const PRESENT: &str = "present";

/// A way to compare: how many such features the smaller document has, on a logarithmic scale from 0 to 1. A
/// similarity of short documents means less than one of long documents.
pub const SIZE: &str = "size";

/// Views of the text, and how each is compared. Estimates by signatures are left out: what they estimate is here
/// exactly.
const STANDARD: [(&str, &str, &[&str]); 10] = [
    ("words", "type = 'words'", &["jaccard", "cosine", "containment", "longer", "length-ratio", SIZE]),
    ("word 3-grams", "type = 'shingles'\nshingle = 3", &["jaccard", "containment", "longer"]),
    ("word 5-grams", "type = 'shingles'\nshingle = 5", &["jaccard"]),
    ("letter 5-grams", "type = 'shingles'\nunit = 'char'\nshingle = 5", &["jaccard", "containment"]),
    (
        "tf-idf",
        "type = 'terms'\nweight = 'idf'\nlexicon = 'english'",
        &["weighted-cosine", "extended-jaccard", "weighted-dice", "weighted-jaccard", "euclidean"],
    ),
    (
        "stems",
        "type = 'terms'\nweight = 'idf'\nlexicon = 'english'\nstem = 'english'",
        &["weighted-cosine", "weighted-jaccard"],
    ),
    // The earlier a word, the heavier it is: the title decides what the rest of a template leaves open.
    (
        "opening",
        "type = 'terms'\nweight = 'idf'\nlexicon = 'english'\nposition = '1/x'",
        &["weighted-cosine", "weighted-jaccard"],
    ),
    ("sentences", "type = 'sentences'", &["jaccard", "containment", "longer"]),
    ("places", "type = 'chunks'", &["longer"]),
    ("numbers", "type = 'words'\nmin_digits = 1", &["jaccard", "containment", "longer", PRESENT]),
];

impl Schema {
    /// The usual views of the text, and one view of each of the fields and of each of the streams.
    pub fn standard(fields: &[String], streams: &[StreamKind]) -> Result<Schema> {
        let mut schema = Schema { views: Vec::new(), components: Vec::new() };
        for (name, features, compares) in STANDARD {
            let features = features.parse().map_err(|error| Error::Internal(format!("{name}: {error}")))?;
            schema.add(name, features, compares);
        }
        for field in fields {
            let mut features = Table::new();
            features.insert("type".into(), "words".into());
            features.insert("text".into(), false.into());
            features.insert("fields".into(), vec![field.clone()].into());
            schema.add(field, features, &["jaccard", "containment", PRESENT]);
        }
        for stream in streams {
            let mut features = Table::new();
            features.insert("type".into(), "items".into());
            features.insert("stream".into(), stream.name().into());
            schema.add(&format!("the {}", stream.name()), features, &["jaccard", "containment", PRESENT]);
        }
        Ok(schema)
    }

    /// A new view, compared in these ways.
    pub fn add(&mut self, name: &str, features: Table, compares: &[&str]) {
        self.views.push(FeatureView { name: name.to_owned(), features, built: Table::new() });
        let component = |compare: &&str| Component { view: name.to_owned(), compare: (*compare).to_owned() };
        self.components.extend(compares.iter().map(component));
    }
}
