//! The similarity vector of a pair: how alike the two are in many ways at once (X15 §2).
//!
//! It is built from a [`Schema`]. Every view must compute what it computed when the model was trained;
//! otherwise the numbers would mean something else, so the model is refused.

use toml::{Table, Value};

use super::schema::{Component, MOST_COMPONENTS, PRESENT, SIZE, Schema};
use crate::decide::measure::Measure;
use crate::decide::overlap::Overlap;
use crate::error::{Error, Result};
use crate::features::{FeatureExtractor, FeatureSet, Features};
use crate::maths::ln;
use crate::part::Params;
use crate::registry::BuildContext;
use crate::sign::Signer;
use crate::text::{FIELD_RULES, TEXT_RULES};

impl Schema {
    /// Builds the parts, or says which part of the schema this program cannot compute.
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
            if !view.built.is_empty() && !is_same(&view.built, &built) {
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

/// Whether a view is made as it was. One of fields that was made when arrays and objects were passed over is: a model
/// that learned from it has seen single values only, and these are read as before.
fn is_same(before: &Table, now: &Table) -> bool {
    let rules = |table: &Table| table.get("rules").and_then(Value::as_str).map(str::to_owned);
    if rules(before).as_deref() != Some(TEXT_RULES) || rules(now).as_deref() != Some(FIELD_RULES) {
        return before == now;
    }
    let mut before = before.clone();
    before.insert("rules".to_owned(), FIELD_RULES.into());
    before == *now
}

fn one_line(table: &Table) -> String {
    table.to_string().trim().replace('\n', ", ")
}

/// A schema with its parts built: turns two documents into numbers from 0 to 1.
pub struct Vector {
    /// What makes the features of each view.
    pub views: Vec<Box<dyn FeatureExtractor>>,
    components: Vec<(usize, Compare)>,
    /// The schema, with every view spelled out as it was built.
    pub schema: Schema,
}

enum Compare {
    Measure(Box<dyn Measure>),
    Signer(Box<dyn Signer>),
    Present,
    Size,
}

impl Compare {
    fn build(name: &str, context: &BuildContext<'_>) -> Result<Compare> {
        let registry = context.registry;
        if name == PRESENT {
            return Ok(Compare::Present);
        }
        if name == SIZE {
            return Ok(Compare::Size);
        }
        if registry.sign.infos().any(|info| info.name == name) {
            let params = Params::new("sign", Table::new());
            return Ok(Compare::Signer(registry.sign.build(params, name, context)?));
        }
        Ok(Compare::Measure(registry.measures.build_named(name, registry)?))
    }
}

impl Vector {
    /// How many numbers the vector has.
    pub fn width(&self) -> usize {
        self.components.len()
    }

    /// What people read for each number.
    pub fn names(&self) -> Vec<String> {
        self.schema.components.iter().map(Component::name).collect()
    }

    /// Appends the numbers of a pair. If one of the two has no features of a view, its numbers are
    /// 0.
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
                Compare::Size => size(&overlap),
            });
        }
    }
}

/// The size of the smaller document; from about a million features on it is 1.
fn size(overlap: &Overlap) -> f64 {
    const MOST: f64 = (1u64 << 20) as f64;
    (ln(1.0 + f64::from(overlap.a.min(overlap.b))) / ln(1.0 + MOST)).min(1.0)
}

fn sign(signer: &dyn Signer, set: &FeatureSet) -> Vec<u8> {
    let features =
        Features { hashes: set.hashes.clone(), weights: set.weights.clone(), ..Features::default() };
    let mut signature = vec![0; signer.width()];
    signer.sign(&features, &mut signature);
    signature
}
