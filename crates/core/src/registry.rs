//! Parts by name: how the words of a recipe become working stages.
//!
//! A registry is a value that knows the stages but no part. `built_in` enters the
//! built-in parts in the same way as a user enters theirs:
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

use crate::candidates::finder::Finder;
use crate::cluster::clusterer::Clusterer;
use crate::cluster::keep_rule::{Keep, KeepRule};
use crate::decide::decider::Decider;
use crate::decide::measure::Measure;
use crate::error::{Error, Result};
use crate::features::extractor::FeatureExtractor;
use crate::lexicon::{Assets, Lexicon, WORDS};
use crate::method::Method;
use crate::partition::partitioner::Partitioner;
use crate::sign::signer::Signer;
use crate::streams::{IMAGE_DISTANCE, StreamFields};

pub use crate::part::{Param, Params, PartInfo, Spec, unknown, value_from_text};

/// What a part may need to know of the rest of the recipe while it is built.
pub struct BuildContext<'a> {
    /// Builds the parts that this part is made of.
    pub registry: &'a Registry,
    /// Where lexicons, models and partitions come from.
    pub lexicons: &'a dyn Assets,
    /// The features of the documents, as a section of a recipe with everything spelled out; empty if not known.
    pub features: &'a str,
    /// The measure by which pairs are judged.
    pub measure: &'a str,
    /// The similarity from which pairs count.
    pub similarity: f64,
    /// The least Jaccard resemblance of such a pair.
    pub threshold: f64,
    /// The Hamming distance up to which signatures count as near.
    pub distance: u32,
    /// How many values the signature has.
    pub signature_values: usize,
    /// Leading bits of the signature that must agree.
    pub reserved_bits: u32,
    /// The fields that hold the streams of a document.
    pub streams: StreamFields,
    /// Bits in which two images that look the same may differ.
    pub image_distance: u32,
}

impl<'a> BuildContext<'a> {
    /// A context that knows nothing of other parts yet.
    pub fn new(registry: &'a Registry, lexicons: &'a dyn Assets) -> Self {
        BuildContext {
            registry,
            lexicons,
            features: "",
            measure: "jaccard",
            similarity: 1.0,
            threshold: 1.0,
            distance: 3,
            signature_values: 0,
            reserved_bits: 0,
            streams: StreamFields::default(),
            image_distance: IMAGE_DISTANCE,
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

/// Has no lexicons; for parts that need none.
pub struct NoAssets;

impl Assets for NoAssets {
    fn load(&self, name: &str) -> Result<Arc<Lexicon>> {
        Err(Error::config(format!("lexicon `{name}` is not available here")))
    }
}

/// All known parts and methods. A clone shares the parts.
#[derive(Clone)]
pub struct Registry {
    /// What turns documents into features.
    pub features: Parts<dyn FeatureExtractor>,
    /// What turns features into signatures.
    pub sign: Parts<dyn Signer>,
    /// What finds candidate pairs.
    pub candidates: Parts<Finder>,
    /// What makes the clusters for candidates of type `clusters`.
    pub partitions: Parts<dyn Partitioner>,
    /// How similarity is measured.
    pub measures: Parts<dyn Measure>,
    /// What decides on pairs.
    pub decide: Parts<dyn Decider>,
    /// What makes clusters of pairs.
    pub cluster: Parts<dyn Clusterer>,
    keep: BTreeMap<String, BuildKeepRule>,
    methods: BTreeMap<String, Method>,
}

type Build<T> = Arc<dyn Fn(&mut Params, &BuildContext<'_>) -> Result<Box<T>> + Send + Sync>;
type BuildKeepRule = Arc<dyn Fn(&str) -> Result<Box<dyn KeepRule>> + Send + Sync>;

/// The parts of one stage.
pub struct Parts<T: ?Sized> {
    stage: &'static str,
    entries: BTreeMap<&'static str, (PartInfo, Build<T>)>,
}

impl<T: ?Sized> Clone for Parts<T> {
    fn clone(&self) -> Self {
        Parts { stage: self.stage, entries: self.entries.clone() }
    }
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
        self.entries.insert(info.name, (info, Arc::new(build)));
        Ok(())
    }

    /// Builds the part that `params.type` names (or `default`) and refuses parameters that it did
    /// not read.
    pub fn build(&self, mut params: Params, default: &str, context: &BuildContext<'_>) -> Result<Box<T>> {
        let name = params.text("type", default)?;
        let (info, build) = self.entries.get(name.as_str()).ok_or_else(|| self.unknown(&name))?;
        let part = build(&mut params, context)?;
        params.finish(["type"].into_iter().chain(info.params.iter().map(|param| param.name)))?;
        Ok(part)
    }

    /// Builds a part that has no parameters.
    pub fn build_named(&self, name: &str, registry: &Registry) -> Result<Box<T>> {
        let context = BuildContext::new(registry, &NoAssets);
        self.build(Params::new(self.stage, toml::Table::new()), name, &context)
    }

    /// What is known of each part, by name.
    pub fn infos(&self) -> impl Iterator<Item = &PartInfo> {
        self.entries.values().map(|(info, _)| info)
    }

    fn unknown(&self, name: &str) -> Error {
        unknown(self.stage, name, self.entries.keys())
    }
}

impl Registry {
    /// A registry without parts.
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

    /// Adds a keep rule `name` or `name:argument`.
    pub fn register_keep_rule(
        &mut self,
        name: &str,
        build: impl Fn(&str) -> Result<Box<dyn KeepRule>> + Send + Sync + 'static,
    ) -> Result<()> {
        if self.keep.insert(name.to_owned(), Arc::new(build)).is_some() {
            return Err(Error::config(format!("keep rule `{name}` is registered already")));
        }
        Ok(())
    }

    /// Builds the keep rule `name:argument`.
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

    /// A method by name.
    pub fn method(&self, name: &str) -> Result<&Method> {
        self.methods.get(name).ok_or_else(|| unknown("method", name, self.methods.keys()))
    }

    /// All methods by name.
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
            ("keep", vec![Keep::INFO]),
        ]
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sign::{Digest, MinHash};

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
}
