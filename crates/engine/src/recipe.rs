//! Recipes: what a run computes, as a TOML file with one section per stage.
//!
//! ```
//! use lookalike::{Recipe, Registry};
//! let registry = Registry::with_built_ins();
//! let mut recipe = Recipe::from_toml("method = 'minhash'\n[decide]\nthreshold = 0.7", &registry)?;
//! recipe.set("features.shingle", "3")?;
//! let pipeline = recipe.build(&registry)?;
//! assert!(pipeline.keyer.recall_at(0.7) >= 0.99);
//! # Ok::<(), lookalike::Error>(())
//! ```

use lookalike_core::cluster::KeepRules;
use lookalike_core::registry::{BuildContext, Params, Registry, unknown, value_from_text};
use lookalike_core::scheme::Scheme;
use lookalike_core::{Error, Result};
use toml::{Table, Value};

use crate::pipeline::{Pipeline, Verify};

const SECTIONS: [&str; 7] = ["extract", "features", "sign", "candidates", "decide", "cluster", "keep"];
const DEFAULT_METHOD: &str = "minhash";

#[derive(Clone, Debug)]
pub struct Recipe {
    method: String,
    sections: Table,
}

impl Recipe {
    pub fn for_method(method: &str, registry: &Registry) -> Result<Self> {
        let sections = registry.method(method)?.recipe.clone();
        Ok(Recipe { method: method.to_owned(), sections })
    }

    pub fn standard(registry: &Registry) -> Result<Self> {
        Recipe::for_method(DEFAULT_METHOD, registry)
    }

    /// Reads a recipe; what it leaves out comes from its `method`.
    pub fn from_toml(text: &str, registry: &Registry) -> Result<Self> {
        let mut table: Table = text.parse().map_err(|error| not_toml(text, &error))?;
        let method = match table.remove("method") {
            None => DEFAULT_METHOD.to_owned(),
            Some(Value::String(method)) => method,
            Some(other) => return Err(Error::config(format!("method is {other}, it must be text"))),
        };
        let mut recipe = Recipe::for_method(&method, registry)?;
        for (section, values) in table {
            let Value::Table(values) = values else {
                return Err(Error::config(format!("`{section}` must be a section: [{section}]")));
            };
            for (key, value) in values {
                recipe.insert(&section, &key, value)?;
            }
        }
        Ok(recipe)
    }

    /// Sets `stage.key` to a value as it would be written in a recipe; bare words are text.
    pub fn set(&mut self, path: &str, value: &str) -> Result<()> {
        let (section, key) = path
            .split_once('.')
            .ok_or_else(|| Error::config(format!("`{path}` is not of the form stage.key")))?;
        self.insert(section, key, value_from_text(value))
    }

    fn insert(&mut self, section: &str, key: &str, value: Value) -> Result<()> {
        if !SECTIONS.contains(&section) {
            return Err(unknown("recipe section", section, SECTIONS));
        }
        let table = self.sections.entry(section).or_insert_with(|| Value::Table(Table::new()));
        if let Value::Table(table) = table {
            // Another type has other parameters: those of the old one would only be refused.
            if key == "type" && table.get("type") != Some(&value) {
                table.clear();
            }
            table.insert(key.to_owned(), value);
        }
        Ok(())
    }

    /// Builds every stage, or says which key is wrong.
    pub fn build(&self, registry: &Registry) -> Result<Pipeline> {
        let mut context = BuildContext { registry, threshold: 1.0, signature_values: 0 };
        self.section("extract").finish([].into_iter())?;
        let mut decide = self.section("decide");
        let verify = match decide.text("verify", "exact")?.as_str() {
            "exact" => Verify::Exact,
            "estimate" => Verify::Estimate,
            other => return Err(unknown("decide.verify", other, ["exact", "estimate"])),
        };
        let decider = registry.decide.build(decide, "threshold", &context)?;
        if verify == Verify::Estimate && decider.least_jaccard(0.5) != Some(0.5) {
            return Err(Error::config(
                "signatures estimate the Jaccard measure only: use decide.verify = exact",
            ));
        }
        // Without a bound, the threshold itself is the best guess; the report then promises nothing.
        context.threshold = decider.least_jaccard(decider.threshold()).unwrap_or(decider.threshold());
        let features = registry.features.build(self.section("features"), "shingles", &context)?;
        let signer = registry.sign.build(self.section("sign"), "minhash", &context)?;
        context.signature_values = signer.values();
        let keyer = registry.candidates.build(self.section("candidates"), "bands", &context)?;
        let clusterer = registry.cluster.build(self.section("cluster"), "star", &context)?;
        let mut keep = self.section("keep");
        let rules = KeepRules::parse(&keep.text("rule", "longest")?, registry)?;
        keep.finish(["rule"].into_iter())?;
        let scheme = Scheme::new(features.spec(), signer.spec(), keyer.spec());
        Ok(Pipeline {
            method: self.method.clone(),
            features,
            signer,
            keyer,
            decider,
            verify,
            clusterer,
            keep: rules,
            scheme,
        })
    }

    fn section(&self, name: &str) -> Params {
        let table = match self.sections.get(name) {
            Some(Value::Table(table)) => table.clone(),
            _ => Table::new(),
        };
        Params::new(name, table)
    }
}

/// In one line, unlike the library's own picture of the place.
fn not_toml(text: &str, error: &toml::de::Error) -> Error {
    let before = error.span().and_then(|span| text.get(..span.start)).unwrap_or_default();
    let line = before.matches('\n').count() + 1;
    Error::config(format!("the recipe is not valid TOML: line {line}: {}", error.message()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn error_of(recipe: &str) -> String {
        let registry = Registry::with_built_ins();
        let built = Recipe::from_toml(recipe, &registry).and_then(|recipe| recipe.build(&registry));
        built.err().map(|error| error.to_string()).unwrap_or_default()
    }

    #[test]
    fn mistakes_are_named_with_what_is_known() {
        for (recipe, expected) in [
            ("method = 'minhush'", "known: exact, minhash"),
            ("[decide]\ntreshold = 0.8", "known: type, measure, threshold, verify"),
            ("[decide]\nthreshold = nan", "decide.threshold is nan"),
            ("[decide]\nmeasure = 'jacard'", "known: containment, cosine, dice, jaccard"),
            ("[decide]\nverify = 'maybe'", "known: exact, estimate"),
            ("[features]\nshingle = 0", "from 1 to 64"),
            ("[sign]\nhashes = 2", "the best is"),
            ("[candidates]\nbands = 20\nrows = 20", "do not fit"),
            ("[candidates]\nbands = 20", "go together"),
            ("[shingling]\nsize = 5", "unknown recipe section `shingling`"),
            ("[keep]\nrule = 'best'", "unknown keep rule `best`"),
            ("[extract]\nmain = true", "unknown key `main`"),
            ("keep = 5", "must be a section"),
            ("= 5", "not valid TOML"),
        ] {
            let error = error_of(recipe);
            assert!(error.contains(expected), "{recipe}: {error}");
        }
    }

    #[test]
    fn the_scheme_names_what_makes_signatures_and_nothing_else() {
        let registry = Registry::with_built_ins();
        let scheme =
            |recipe: &str| Recipe::from_toml(recipe, &registry).unwrap().build(&registry).unwrap().scheme.id;
        let standard = scheme("");
        assert_eq!(
            standard, "minhash-ec05dc8d50674d1f",
            "persisted results depend on it: a change is a new scheme, never a fix"
        );
        assert_eq!(standard, scheme("[keep]\nrule = 'first'\n[cluster]\ntype = 'components'"));
        assert_eq!(standard, scheme("[candidates]\nbands = 16\nrows = 6"), "chosen or given");
        assert_ne!(standard, scheme("[sign]\nseed = 2"));
        assert_ne!(standard, scheme("[features]\nshingle = 4"));
    }
}
