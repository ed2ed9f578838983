//! The similarity vector of a pair: how alike the two are in many ways at once (X15 §2).
//!
//! A [`Schema`] names *views*, kinds of features that a document is seen by, and *components*, each a
//! way to compare one view of two documents. It is stored with the model that was trained on such
//! vectors. Built again, every view must compute what it computed then; otherwise the numbers would
//! mean something else, and the model is refused.

use serde::{Deserialize, Serialize};
use toml::Table;

use super::MOST_COMPONENTS;
use crate::decide::{Measure, Overlap};
use crate::error::{Error, Result};
use crate::features::{FeatureExtractor, FeatureSet, Features};
use crate::registry::{BuildContext, Params};
use crate::sign::Signer;

/// What the numbers of a vector mean.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Schema {
    pub views: Vec<View>,
    pub components: Vec<Component>,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct View {
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
    /// A measure, a signer whose signatures are compared, or `present`: 1 if both documents have any
    /// such feature.
    pub compare: String,
}

impl Component {
    pub fn name(&self) -> String {
        match self.compare.as_str() {
            PRESENT => format!("both have {}", self.view),
            compare => format!("{compare} of {}", self.view),
        }
    }
}

pub const PRESENT: &str = "present";

/// Views of the text, and how each is compared.
const STANDARD: [(&str, &str, &[&str]); 8] = [
    ("words", "type = 'words'", &["jaccard", "cosine", "containment", "length-ratio"]),
    ("word 3-grams", "type = 'shingles'\nshingle = 3", &["jaccard", "containment", "longer"]),
    ("word 5-grams", "type = 'shingles'\nshingle = 5", &["jaccard", "minhash"]),
    ("letter 5-grams", "type = 'shingles'\nunit = 'char'\nshingle = 5", &["jaccard", "containment"]),
    (
        "tf-idf",
        "type = 'terms'\nweight = 'idf'\nlexicon = 'english'",
        &["weighted-cosine", "extended-jaccard", "weighted-dice", "weighted-jaccard", "euclidean", "simhash"],
    ),
    ("sentences", "type = 'sentences'", &["jaccard", "containment"]),
    ("places", "type = 'chunks'", &["longer"]),
    ("numbers", "type = 'words'\nmin_digits = 1", &["jaccard", PRESENT]),
];

impl Schema {
    /// The usual views of the text, and one of each of the fields.
    pub fn standard(fields: &[String]) -> Result<Schema> {
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
        Ok(schema)
    }

    /// A new view, compared in these ways.
    pub fn add(&mut self, name: &str, features: Table, compares: &[&str]) {
        self.views.push(View { name: name.to_owned(), features, built: Table::new() });
        let component = |compare: &&str| Component { view: name.to_owned(), compare: (*compare).to_owned() };
        self.components.extend(compares.iter().map(component));
    }

    /// Builds the parts, or says what of the schema this program does not compute.
    pub fn build(&self, context: &BuildContext<'_>) -> Result<Vector> {
        if self.components.is_empty() || self.components.len() > MOST_COMPONENTS {
            return Err(Error::Incompatible(format!(
                "a similarity vector has 1 to {MOST_COMPONENTS} components, not {}",
                self.components.len()
            )));
        }
        let mut vector = Vector { views: Vec::new(), components: Vec::new(), schema: self.clone() };
        for (view, kept) in self.views.iter().zip(&mut vector.schema.views) {
            let params = Params::new(&format!("view {}", view.name), view.features.clone());
            let extractor = context.registry.features.build(params, "words", context)?;
            let built = extractor.spec().to_table();
            if !view.built.is_empty() && view.built != built {
                return Err(Error::Incompatible(format!(
                    "the model was trained on `{}` made by {}, this program makes it by {}: train it again",
                    view.name,
                    one_line(&view.built),
                    one_line(&built),
                )));
            }
            kept.built = built;
            vector.views.push(extractor);
        }
        for component in &self.components {
            let view = self.views.iter().position(|view| view.name == component.view);
            let view = view.ok_or_else(|| {
                Error::Incompatible(format!(
                    "there is no view `{}` for `{}`",
                    component.view, component.compare
                ))
            })?;
            vector.components.push((view, Compare::build(&component.compare, context)?));
        }
        Ok(vector)
    }
}

fn one_line(table: &Table) -> String {
    table.to_string().trim().replace('\n', ", ")
}

/// A schema, built: turns two documents into numbers from 0 to 1.
pub struct Vector {
    pub views: Vec<Box<dyn FeatureExtractor>>,
    components: Vec<(usize, Compare)>,
    /// With every view as it was built.
    pub schema: Schema,
}

enum Compare {
    Measure(Box<dyn Measure>),
    Signer(Box<dyn Signer>),
    Present,
}

impl Compare {
    fn build(name: &str, context: &BuildContext<'_>) -> Result<Compare> {
        let registry = context.registry;
        if name == PRESENT {
            return Ok(Compare::Present);
        }
        if registry.sign.infos().any(|info| info.name == name) {
            let params = Params::new("sign", Table::new());
            return Ok(Compare::Signer(registry.sign.build(params, name, context)?));
        }
        Ok(Compare::Measure(registry.measures.build_named(name, registry)?))
    }
}

impl Vector {
    pub fn width(&self) -> usize {
        self.components.len()
    }

    pub fn names(&self) -> Vec<String> {
        self.schema.components.iter().map(Component::name).collect()
    }

    /// Appends the numbers of a pair. What one of the two has nothing of is 0.
    pub fn fill(&self, a: &FeatureSet, b: &FeatureSet, out: &mut Vec<f64>) {
        let mut seen: Option<(usize, Overlap)> = None;
        for (view, compare) in &self.components {
            let (Some(x), Some(y)) = (a.views.get(*view), b.views.get(*view)) else {
                out.push(0.0);
                continue;
            };
            if x.is_empty() || y.is_empty() {
                out.push(0.0);
                continue;
            }
            // Components of one view stand together, so their overlap is counted once.
            let overlap = match seen {
                Some((counted, overlap)) if counted == *view => overlap,
                _ => Overlap::count(x, y),
            };
            seen = Some((*view, overlap));
            out.push(match compare {
                Compare::Measure(measure) => measure.similarity(x, y, &overlap),
                Compare::Signer(signer) => signer.estimate(&sign(&**signer, x), &sign(&**signer, y)),
                Compare::Present => 1.0,
            });
        }
    }
}

fn sign(signer: &dyn Signer, set: &FeatureSet) -> Vec<u8> {
    let features =
        Features { hashes: set.hashes.clone(), weights: set.weights.clone(), ..Features::default() };
    let mut signature = vec![0; signer.width()];
    signer.sign(&features, &mut signature);
    signature
}
