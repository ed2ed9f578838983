//! Parts by name: how a recipe's words become working stages.
//!
//! A registry is a value. Built-in parts enter it through the same door as a user's:
//!
//! ```
//! use lookalike_core::registry::{PartInfo, Registry};
//! use lookalike_core::features::Shingles;
//! let mut registry = Registry::with_built_ins();
//! let info = PartInfo { name: "my-shingles", summary: "…", paper: "", params: Shingles::INFO.params };
//! registry.features.register(info, |params, context| Ok(Box::new(Shingles::from_params(params, context)?)))?;
//! # Ok::<(), lookalike_core::Error>(())
//! ```

use std::collections::BTreeMap;
use std::sync::Arc;

use toml::Value;

use crate::candidates::{
    AnyValue, Bands, Ensemble, Finder, Hamming, SetJoin, SizeWindow, WholeSignature, WithinClusters,
};
use crate::cluster::{Clusterer, Components, KeepRule, Star};
use crate::decide::classifier::Classifier;
use crate::decide::{
    Containment, Cosine, Decider, Dice, Euclidean, ExtendedJaccard, Jaccard, LengthRatio, Longer, Measure,
    OverlapAndLength, Threshold, WeightedCosine, WeightedDice, WeightedJaccard,
};
use crate::error::{Error, Result};
use crate::features::{Chunks, FeatureExtractor, Sentences, Shingles, Spots, Terms, Whole, Words};
use crate::lexicon::{Lexicon, Lexicons, WORDS};
use crate::method::{self, Method};
use crate::partition::{FuzzyCMeans, KMeans, NoClustering, Partitioner};
use crate::sign::{Digest, IMatch, MinHash, Signer, Simhash, TextProfile};

pub use crate::params::{Params, Spec};

/// What a person should know of a part.
#[derive(Clone, Copy, Debug)]
pub struct PartInfo {
    pub name: &'static str,
    pub summary: &'static str,
    pub paper: &'static str,
    pub params: &'static [Param],
}

#[derive(Clone, Copy, Debug)]
pub struct Param {
    pub name: &'static str,
    /// As it would be written in a recipe.
    pub default: &'static str,
    pub help: &'static str,
}

/// What a part may need to know of the rest of the recipe while it is built.
pub struct BuildContext<'a> {
    pub registry: &'a Registry,
    /// Where lexicons come from.
    pub lexicons: &'a dyn Lexicons,
    /// The measure by which pairs are judged, and the similarity from which they count.
    pub measure: &'a str,
    pub similarity: f64,
    /// The least Jaccard resemblance of such a pair.
    pub threshold: f64,
    /// The Hamming distance up to which signatures count as near.
    pub distance: u32,
    /// How many values the signature has.
    pub signature_values: usize,
    /// Leading bits of the signature that must agree.
    pub reserved_bits: u32,
}

impl<'a> BuildContext<'a> {
    /// When nothing is known of the other parts yet.
    pub fn new(registry: &'a Registry, lexicons: &'a dyn Lexicons) -> Self {
        BuildContext {
            registry,
            lexicons,
            measure: "jaccard",
            similarity: 1.0,
            threshold: 1.0,
            distance: 3,
            signature_values: 0,
            reserved_bits: 0,
        }
    }
}

impl BuildContext<'_> {
    /// A lexicon of words. One that counts anything else is refused: no word would be found in it.
    pub fn word_lexicon(&self, name: &str) -> Result<Arc<Lexicon>> {
        let lexicon = self.lexicons.load(name)?;
        let counted = &lexicon.about().counted;
        if counted != WORDS {
            return Err(Error::Incompatible(format!(
                "lexicon `{name}` does not count words; it counts {}",
                counted.trim().replace('\n', ", ")
            )));
        }
        Ok(lexicon)
    }
}

/// Knows no lexicon; for parts that need none.
pub struct NoLexicons;

impl Lexicons for NoLexicons {
    fn load(&self, name: &str) -> Result<Arc<Lexicon>> {
        Err(Error::config(format!("lexicon `{name}` is not available here")))
    }
}

/// All known parts and methods.
pub struct Registry {
    pub features: Parts<dyn FeatureExtractor>,
    pub sign: Parts<dyn Signer>,
    pub candidates: Parts<Finder>,
    /// What the candidates of type `clusters` are found by.
    pub partitions: Parts<dyn Partitioner>,
    pub measures: Parts<dyn Measure>,
    pub decide: Parts<dyn Decider>,
    pub cluster: Parts<dyn Clusterer>,
    keep: BTreeMap<String, BuildKeepRule>,
    methods: BTreeMap<String, Method>,
}

type Build<T> = Box<dyn Fn(&mut Params, &BuildContext<'_>) -> Result<Box<T>> + Send + Sync>;
type BuildKeepRule = Box<dyn Fn(&str) -> Result<Box<dyn KeepRule>> + Send + Sync>;

/// The parts of one stage.
pub struct Parts<T: ?Sized> {
    stage: &'static str,
    entries: BTreeMap<&'static str, (PartInfo, Build<T>)>,
}

impl<T: ?Sized> Parts<T> {
    fn new(stage: &'static str) -> Self {
        Parts { stage, entries: BTreeMap::new() }
    }

    /// Adds a part. A name that is taken is an error: silently replacing a part would change what
    /// a recipe means.
    pub fn register(
        &mut self,
        info: PartInfo,
        build: impl Fn(&mut Params, &BuildContext<'_>) -> Result<Box<T>> + Send + Sync + 'static,
    ) -> Result<()> {
        if self.entries.contains_key(info.name) {
            return Err(Error::config(format!("{} `{}` is registered already", self.stage, info.name)));
        }
        self.entries.insert(info.name, (info, Box::new(build)));
        Ok(())
    }

    /// Builds the part that `params.type` names (or `default`) and insists that every parameter
    /// was understood.
    pub fn build(&self, mut params: Params, default: &str, context: &BuildContext<'_>) -> Result<Box<T>> {
        let name = params.text("type", default)?;
        let (info, build) = self.entries.get(name.as_str()).ok_or_else(|| self.unknown(&name))?;
        let part = build(&mut params, context)?;
        params.finish(["type"].into_iter().chain(info.params.iter().map(|param| param.name)))?;
        Ok(part)
    }

    /// Builds a part that has no parameters.
    pub fn build_named(&self, name: &str, registry: &Registry) -> Result<Box<T>> {
        let context = BuildContext::new(registry, &NoLexicons);
        self.build(Params::new(self.stage, toml::Table::new()), name, &context)
    }

    pub fn infos(&self) -> impl Iterator<Item = &PartInfo> {
        self.entries.values().map(|(info, _)| info)
    }

    fn unknown(&self, name: &str) -> Error {
        unknown(self.stage, name, self.entries.keys())
    }
}

impl Registry {
    pub fn empty() -> Self {
        Registry {
            features: Parts::new("features"),
            sign: Parts::new("sign"),
            candidates: Parts::new("candidates"),
            partitions: Parts::new("partition"),
            measures: Parts::new("measure"),
            decide: Parts::new("decide"),
            cluster: Parts::new("cluster"),
            keep: BTreeMap::new(),
            methods: BTreeMap::new(),
        }
    }

    pub fn with_built_ins() -> Self {
        let mut registry = Registry::empty();
        if let Err(error) = registry.add_built_ins() {
            unreachable!("built-in names are distinct: {error}");
        }
        registry
    }

    fn add_built_ins(&mut self) -> Result<()> {
        self.features.register(Shingles::INFO, |p, c| Ok(Box::new(Shingles::from_params(p, c)?)))?;
        self.features.register(Terms::INFO, |p, c| Ok(Box::new(Terms::from_params(p, c)?)))?;
        self.features.register(Whole::INFO, |p, _| Ok(Box::new(Whole::from_params(p)?)))?;
        self.features.register(Words::INFO, |p, _| Ok(Box::new(Words::from_params(p)?)))?;
        self.features.register(Chunks::INFO, |p, _| Ok(Box::new(Chunks::from_params(p)?)))?;
        self.features.register(Spots::INFO, |p, _| Ok(Box::new(Spots::from_params(p)?)))?;
        self.features.register(Sentences::INFO, |p, _| Ok(Box::new(Sentences::from_params(p)?)))?;
        self.sign.register(MinHash::INFO, |p, _| Ok(Box::new(MinHash::from_params(p)?)))?;
        self.sign.register(Digest::INFO, |_, _| Ok(Box::new(Digest)))?;
        self.sign.register(IMatch::INFO, |p, c| Ok(Box::new(IMatch::from_params(p, c)?)))?;
        self.sign.register(TextProfile::INFO, |p, _| Ok(Box::new(TextProfile::from_params(p)?)))?;
        self.candidates.register(AnyValue::INFO, |_, c| Ok(Finder::keys(AnyValue::new(c))))?;
        self.sign.register(Simhash::INFO, |p, _| Ok(Box::new(Simhash::from_params(p)?)))?;
        self.candidates.register(Bands::INFO, |p, c| Ok(Finder::keys(Bands::from_params(p, c)?)))?;
        self.candidates.register(WholeSignature::INFO, |_, _| Ok(Finder::keys(WholeSignature)))?;
        // A recipe builds an ensemble itself, out of whole methods; this is met only within another.
        self.candidates.register(Ensemble::INFO, |_, _| {
            Err(Error::config("an ensemble cannot be a member of an ensemble"))
        })?;
        self.candidates.register(SetJoin::INFO, |p, c| Ok(Finder::join(SetJoin::from_params(p, c)?)))?;
        self.candidates.register(Hamming::INFO, |p, c| Ok(Finder::join(Hamming::from_params(p, c)?)))?;
        self.candidates
            .register(SizeWindow::INFO, |p, c| Ok(Finder::join(SizeWindow::from_params(p, c)?)))?;
        self.candidates
            .register(WithinClusters::INFO, |p, c| Ok(Finder::join(WithinClusters::from_params(p, c)?)))?;
        self.partitions.register(FuzzyCMeans::INFO, |p, _| Ok(Box::new(FuzzyCMeans::from_params(p)?)))?;
        self.partitions.register(KMeans::INFO, |p, _| Ok(Box::new(KMeans::from_params(p)?)))?;
        self.partitions.register(NoClustering::INFO, |_, _| Ok(Box::new(NoClustering)))?;
        self.measures.register(Jaccard::INFO, |_, _| Ok(Box::new(Jaccard)))?;
        self.measures.register(Dice::INFO, |_, _| Ok(Box::new(Dice)))?;
        self.measures.register(Cosine::INFO, |_, _| Ok(Box::new(Cosine)))?;
        self.measures.register(Containment::INFO, |_, _| Ok(Box::new(Containment)))?;
        self.measures.register(LengthRatio::INFO, |_, _| Ok(Box::new(LengthRatio)))?;
        self.measures.register(WeightedCosine::INFO, |_, _| Ok(Box::new(WeightedCosine)))?;
        self.measures.register(Euclidean::INFO, |_, _| Ok(Box::new(Euclidean)))?;
        self.measures.register(ExtendedJaccard::INFO, |_, _| Ok(Box::new(ExtendedJaccard)))?;
        self.measures.register(WeightedDice::INFO, |_, _| Ok(Box::new(WeightedDice)))?;
        self.measures.register(WeightedJaccard::INFO, |_, _| Ok(Box::new(WeightedJaccard)))?;
        self.measures.register(Longer::INFO, |_, _| Ok(Box::new(Longer)))?;
        self.decide.register(Threshold::INFO, |p, c| Ok(Box::new(Threshold::from_params(p, c.registry)?)))?;
        self.decide
            .register(OverlapAndLength::INFO, |p, _| Ok(Box::new(OverlapAndLength::from_params(p)?)))?;
        self.decide.register(Classifier::INFO, |p, c| Ok(Box::new(Classifier::from_params(p, c)?)))?;
        self.cluster.register(Star::INFO, |_, _| Ok(Box::new(Star)))?;
        self.cluster.register(Components::INFO, |_, _| Ok(Box::new(Components)))?;
        for (name, build) in crate::cluster::BUILT_IN {
            self.register_keep_rule(name, build)?;
        }
        for method in method::built_in()? {
            self.register_method(method)?;
        }
        Ok(())
    }

    /// Adds a keep rule `name` or `name:argument`.
    pub fn register_keep_rule(
        &mut self,
        name: &str,
        build: impl Fn(&str) -> Result<Box<dyn KeepRule>> + Send + Sync + 'static,
    ) -> Result<()> {
        if self.keep.insert(name.to_owned(), Box::new(build)).is_some() {
            return Err(Error::config(format!("keep rule `{name}` is registered already")));
        }
        Ok(())
    }

    pub fn keep_rule(&self, name: &str, argument: &str) -> Result<Box<dyn KeepRule>> {
        let build = self.keep.get(name).ok_or_else(|| unknown("keep rule", name, self.keep.keys()))?;
        build(argument)
    }

    /// Adds a method: a name for a recipe.
    pub fn register_method(&mut self, method: Method) -> Result<()> {
        let name = method.name.clone();
        if self.methods.insert(name.clone(), method).is_some() {
            return Err(Error::config(format!("method `{name}` is registered already")));
        }
        Ok(())
    }

    pub fn method(&self, name: &str) -> Result<&Method> {
        self.methods.get(name).ok_or_else(|| unknown("method", name, self.methods.keys()))
    }

    pub fn methods(&self) -> impl Iterator<Item = &Method> {
        self.methods.values()
    }

    /// Every part, by stage.
    pub fn all_parts(&self) -> Vec<(&'static str, Vec<PartInfo>)> {
        vec![
            ("features", self.features.infos().copied().collect()),
            ("sign", self.sign.infos().copied().collect()),
            ("candidates", self.candidates.infos().copied().collect()),
            ("partition", self.partitions.infos().copied().collect()),
            ("measure", self.measures.infos().copied().collect()),
            ("decide", self.decide.infos().copied().collect()),
            ("cluster", self.cluster.infos().copied().collect()),
            ("keep", vec![crate::cluster::Keep::INFO]),
        ]
    }
}

/// The error for a name nobody registered: it lists the known ones.
pub fn unknown(what: &str, name: &str, known: impl IntoIterator<Item = impl AsRef<str>>) -> Error {
    let known: Vec<String> = known.into_iter().map(|name| name.as_ref().to_owned()).collect();
    Error::config(format!("unknown {what} `{name}`; known: {}", known.join(", ")))
}

/// The value of a recipe key given on a command line: TOML where it is TOML, else text.
pub fn value_from_text(text: &str) -> Value {
    let parsed = format!("v = {text}").parse::<toml::Table>().ok();
    parsed.and_then(|mut table| table.remove("v")).unwrap_or_else(|| Value::String(text.to_owned()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_taken_once() {
        let mut registry = Registry::with_built_ins();
        let again = registry.sign.register(MinHash::INFO, |_, _| Ok(Box::new(Digest)));
        assert!(again.unwrap_err().to_string().contains("registered already"));
    }

    #[test]
    fn unknown_names_list_the_known() {
        let registry = Registry::with_built_ins();
        let error = registry.method("simhush").err().unwrap().to_string();
        assert!(error.contains("simhush") && error.contains("minhash"), "{error}");
    }

    #[test]
    fn command_line_values_have_their_natural_type() {
        assert_eq!(value_from_text("5"), Value::Integer(5));
        assert_eq!(value_from_text("0.8"), Value::Float(0.8));
        assert_eq!(value_from_text("true"), Value::Boolean(true));
        assert_eq!(value_from_text("char"), Value::String("char".into()));
        assert_eq!(value_from_text("max:score,first"), Value::String("max:score,first".into()));
    }
}
