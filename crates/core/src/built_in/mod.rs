//! Every built-in part and method, entered in a registry as a user would enter theirs.
//!
//! This is the only place that names them all: a new part is one more line here.

mod methods;

use crate::candidates::{
    AnyValue, Bands, Ensemble, Finder, Hamming, SetJoin, SizeWindow, WholeSignature, WithinClusters,
};
use crate::cluster::keep::{ByField, First, Longest, Newest, ShortestUrl, Sources, no_argument};
use crate::cluster::{Components, Star};
use crate::decide::classifier::Classifier;
use crate::decide::{
    Bits, Containment, Cosine, Dice, Euclidean, ExtendedJaccard, Jaccard, LengthRatio, Longer,
    OverlapAndLength, Threshold, WeightedCosine, WeightedDice, WeightedJaccard, WeightedStreams,
};
use crate::error::{Error, Result};
use crate::features::{Chunks, Items, Sentences, Shingles, Spots, Terms, Whole, Words};
use crate::partition::{Frozen, FuzzyCMeans, KMeans, NoClustering};
use crate::registry::Registry;
use crate::sign::{Digest, IMatch, MinHash, Simhash, TextProfile};

impl Registry {
    /// A registry with every built-in part, keep rule and method.
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
        self.features.register(Items::INFO, |p, c| Ok(Box::new(Items::from_params(p, c)?)))?;
        self.sign.register(MinHash::INFO, |p, _| Ok(Box::new(MinHash::from_params(p)?)))?;
        self.sign.register(Digest::INFO, |_, _| Ok(Box::new(Digest)))?;
        self.sign.register(IMatch::INFO, |p, c| Ok(Box::new(IMatch::from_params(p, c)?)))?;
        self.sign.register(TextProfile::INFO, |p, _| Ok(Box::new(TextProfile::from_params(p)?)))?;
        self.sign.register(Simhash::INFO, |p, _| Ok(Box::new(Simhash::from_params(p)?)))?;
        self.candidates.register(AnyValue::INFO, |_, c| Ok(Finder::keys(AnyValue::new(c))))?;
        self.candidates.register(Bands::INFO, |p, c| Ok(Finder::keys(Bands::from_params(p, c)?)))?;
        self.candidates.register(WholeSignature::INFO, |_, _| Ok(Finder::keys(WholeSignature)))?;
        // A recipe builds an ensemble itself, out of whole methods. This part is only built when an
        // ensemble is named inside another one.
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
        self.partitions.register(Frozen::INFO, |p, c| Ok(Box::new(Frozen::from_params(p, c)?)))?;
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
        self.measures.register(Bits::INFO, |_, _| Ok(Box::new(Bits)))?;
        self.measures.register(Longer::INFO, |_, _| Ok(Box::new(Longer)))?;
        self.decide.register(Threshold::INFO, |p, c| Ok(Box::new(Threshold::from_params(p, c.registry)?)))?;
        self.decide
            .register(OverlapAndLength::INFO, |p, _| Ok(Box::new(OverlapAndLength::from_params(p)?)))?;
        self.decide.register(Classifier::INFO, |p, c| Ok(Box::new(Classifier::from_params(p, c)?)))?;
        self.decide
            .register(WeightedStreams::INFO, |p, c| Ok(Box::new(WeightedStreams::from_params(p, c)?)))?;
        self.cluster.register(Star::INFO, |_, _| Ok(Box::new(Star)))?;
        self.cluster.register(Components::INFO, |_, _| Ok(Box::new(Components)))?;
        self.register_keep_rule("longest", |argument| no_argument("longest", argument, Longest))?;
        self.register_keep_rule("first", |argument| no_argument("first", argument, First))?;
        self.register_keep_rule("newest", |argument| no_argument("newest", argument, Newest))?;
        self.register_keep_rule("shortest-url", |argument| {
            no_argument("shortest-url", argument, ShortestUrl)
        })?;
        self.register_keep_rule("max", |argument| ByField::build(argument, false))?;
        self.register_keep_rule("min", |argument| ByField::build(argument, true))?;
        self.register_keep_rule("source", Sources::build)?;
        for method in methods::built_in()? {
            self.register_method(method)?;
        }
        Ok(())
    }
}
