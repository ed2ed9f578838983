//! Three parts and a method of one's own, for source code and logs.
//!
//! Prose is compared by runs of words. Code and logs have a better unit: the line. This crate adds
//! to Lookalike
//!
//! * [`Lines`], a feature extractor: each line is a feature;
//! * [`OnePermutation`], a signer: MinHash with one hash for each feature;
//! * [`SokalSneath`], a measure: stricter than Jaccard, since every difference counts twice;
//! * the method `code`, a name for the recipe that uses all three.
//!
//! Each part is one file: a struct, an `INFO` that tells people and `lookalike methods` what it is,
//! a `from_params` that reads the recipe, and the trait of its stage. [`register`] puts them into a
//! [`Registry`] by the door that the built-in parts use; from then on a recipe can name them:
//!
//! ```
//! use lookalike::{Job, Quiet, Registry, Session};
//! let mut registry = Registry::with_built_ins();
//! lookalike_plugin_example::register(&mut registry)?;
//! let session = Session::new(registry);
//! let mut recipe = session.method("code")?;
//! recipe.set("features.mask_digits", "true")?;
//! assert_eq!(recipe.build(session.registry())?.features.spec().kind, "lines");
//!
//! let output = std::env::temp_dir().join("lookalike-plugin-example");
//! let job = Job { force: true, ..Job::new(["samples.jsonl"], &output) };
//! let report = session.dedup(&recipe, job, &Quiet)?.run(&Quiet)?;
//! assert_eq!((report.documents, report.kept), (4, 2));
//! # std::fs::remove_dir_all(&output).unwrap();
//! # Ok::<(), lookalike::Error>(())
//! ```
//!
//! The program of this crate is the command line of Lookalike with these parts in it.
//!
//! Parts mix: `[features] type = "lines"` works with the built-in `minhash`, and the built-in
//! `shingles` with `one-permutation`.

mod lines;
mod one_permutation;
mod sokal_sneath;

pub use lines::Lines;
pub use one_permutation::OnePermutation;
pub use sokal_sneath::SokalSneath;

use lookalike::parts::Method;
use lookalike::{Registry, Result};

/// The recipe that the method `code` stands for. What it leaves out has the part's own default.
const CODE: &str = r#"
    features = { type = "lines" }
    sign = { type = "one-permutation" }
    candidates = { type = "bands" }
    decide = { measure = "sokal-sneath", threshold = 0.7 }
"#;

/// Adds everything this crate has. A name that is taken already is an error.
pub fn register(registry: &mut Registry) -> Result<()> {
    registry.features.register(Lines::INFO, |params, _| Ok(Box::new(Lines::from_params(params)?)))?;
    registry.sign.register(OnePermutation::INFO, |params, _| {
        let signer = OnePermutation::from_params(params)?;
        Ok(Box::new(signer))
    })?;
    registry.measures.register(SokalSneath::INFO, |_, _| Ok(Box::new(SokalSneath)))?;
    let summary = "Near-duplicate source files and logs, compared line by line";
    registry.register_method(Method::new("code", summary, "", CODE)?)
}

#[cfg(test)]
mod tests {
    use lookalike::Recipe;
    use lookalike::parts::testing::check_keyer;

    use super::*;

    fn registry() -> Registry {
        let mut registry = Registry::with_built_ins();
        register(&mut registry).unwrap();
        registry
    }

    #[test]
    fn the_method_builds_and_its_keys_conform() {
        let registry = registry();
        let pipeline = Recipe::for_method("code", &registry).unwrap().build(&registry).unwrap();
        let branch = &pipeline.branches[0];
        check_keyer(branch.keyer().unwrap(), &*branch.signer);
        assert!(pipeline.scheme.id.starts_with("one-permutation-"), "{}", pipeline.scheme.id);
    }

    #[test]
    fn parts_mix_with_the_built_in_ones() {
        let registry = registry();
        for recipe in ["[features]\ntype = 'lines'", "[sign]\ntype = 'one-permutation'\nhashes = 256"] {
            Recipe::from_toml(recipe, &registry).unwrap().build(&registry).unwrap();
        }
    }

    #[test]
    fn a_wrong_key_is_refused_with_the_known_ones() {
        let registry = registry();
        let recipe = Recipe::from_toml("method = 'code'\n[features]\nshingle = 3", &registry).unwrap();
        let error = recipe.build(&registry).err().unwrap().to_string();
        assert!(error.contains("shingle") && error.contains("mask_digits"), "{error}");
    }

    #[test]
    fn registering_twice_is_an_error() {
        let error = register(&mut registry()).unwrap_err().to_string();
        assert!(error.contains("registered already"), "{error}");
    }
}
