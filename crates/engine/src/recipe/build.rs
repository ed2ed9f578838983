//! Builds the parts that a recipe names into a pipeline.

use lookalike_core::candidates::{Ensemble, EnsembleMember};
use lookalike_core::cluster::KeepRules;
use lookalike_core::decide::Decider;
use lookalike_core::difference::DifferenceKind;
use lookalike_core::features::{FeatureExtractor, Items, WithFallback};
use lookalike_core::lexicon::Assets;
use lookalike_core::registry::{BuildContext, Registry, unknown};
use lookalike_core::scheme::Scheme;
use lookalike_core::streams::StreamKind;
use lookalike_core::{Error, Result};
use toml::Value;

use super::Recipe;
use crate::ensemble;
use crate::lexicon::AssetFiles;
use crate::pipeline::{Branch, Pipeline, Verify};

/// The sections that a member of an ensemble has itself.
const MEMBER_SECTIONS: [&str; 4] = ["features", "sign", "candidates", "decide"];

/// Keys of `decide` that are about verified pairs, and so not for members.
const RULES: [&str; 3] = ["verify", "unless", "streams"];

impl Recipe {
    /// Builds every stage, or says which key is wrong. Lexicons are built in or come from files.
    pub fn build(&self, registry: &Registry) -> Result<Pipeline> {
        self.build_with(registry, &AssetFiles::default())
    }

    /// Builds every stage with lexicons of the caller's own.
    pub fn build_with(&self, registry: &Registry, lexicons: &dyn Assets) -> Result<Pipeline> {
        let mut context = BuildContext::new(registry, lexicons);
        context.image_distance = self.extraction()?.image_distance;
        context.streams = self.stream_fields()?;
        let (decider, verify, distance) = self.decider(&context)?;
        let (unless, streams) = (self.unless()?, self.contradicting()?);
        let measure = measure_of(&*decider);
        set_decision(&mut context, &*decider, &measure, distance);
        let features = self.features(self.fallback()?, &context)?;
        let spelled_out = features.spec().to_table().to_string();
        context.features = &spelled_out;
        let (branches, votes) = if self.is_ensemble() {
            if distance.is_some() {
                return Err(Error::config(
                    "decide.distance belongs to a member of the ensemble: [candidates.simhash.decide]",
                ));
            }
            if !self.section_table("sign").is_empty() {
                return Err(Error::config(
                    "an ensemble signs nothing itself: write [candidates.METHOD.sign]",
                ));
            }
            let ensemble = Ensemble::read(self.section("candidates"), &self.section_table("candidates"))?;
            let branches = ensemble.members.iter().map(|member| self.member(member, registry, lexicons));
            (branches.collect::<Result<Vec<_>>>()?, ensemble.votes)
        } else {
            (vec![self.branch(&self.method, None, &mut context)?], 1)
        };
        if verify == Verify::Estimate {
            let comparable =
                matches!(&branches[..], [branch] if branch.signs() && branch.signer.estimates_jaccard());
            if !comparable || decider.least_jaccard(0.5) != Some(0.5) {
                return Err(Error::config(
                    "decide.verify = estimate needs signatures that estimate the Jaccard measure (minhash) and \
                     decide.measure = jaccard: use exact or signature",
                ));
            }
            let rule = [("unless", "texts", unless.is_empty()), ("streams", "documents", streams.is_empty())];
            if let Some((key, needs, _)) = rule.into_iter().find(|(.., is_absent)| !is_absent) {
                return Err(Error::config(format!(
                    "decide.{key} needs the {needs}, and decide.verify = estimate does not read them: use exact or \
                     signature"
                )));
            }
        }
        let clusterer = registry.cluster.build(self.section("cluster"), "star", &context)?;
        let mut keep = self.section("keep");
        let rules = KeepRules::parse(&keep.text("rule", "longest")?, registry)?;
        keep.finish(["rule"].into_iter())?;
        let scheme = match &branches[..] {
            [branch] if !self.is_ensemble() => {
                Scheme::new(features.spec(), branch.signer.spec(), branch.finder.spec())
            }
            _ => ensemble::scheme(features.spec(), &branches, votes),
        };
        Ok(Pipeline {
            method: self.method.clone(),
            features,
            branches,
            votes,
            decider,
            verify,
            unless,
            streams,
            stream_fields: context.streams,
            image_distance: context.image_distance,
            clusterer,
            keep: rules,
            scheme,
            given: self.given(),
        })
    }

    /// The decider, how pairs are verified, and the Hamming distance if one is given.
    fn decider(&self, context: &BuildContext<'_>) -> Result<(Box<dyn Decider>, Verify, Option<u32>)> {
        let mut decide = self.section("decide");
        let verify = decide.text("verify", "exact")?;
        let verify =
            Verify::from_name(&verify).ok_or_else(|| unknown("decide.verify", &verify, Verify::NAMES))?;
        let distance = decide.optional_integer("distance")?;
        // Read by `unless` and `contradicting`.
        decide.texts("unless")?;
        decide.texts("streams")?;
        let decider = context.registry.decide.build(decide, "threshold", context)?;
        Ok((decider, verify, distance.map(|distance| u32::try_from(distance).unwrap_or(u32::MAX))))
    }

    /// The ways to differ that keep pairs apart.
    fn unless(&self) -> Result<Vec<DifferenceKind>> {
        let given = self.section("decide").texts("unless")?;
        let names = given.iter().flat_map(|names| names.split(',')).map(str::trim);
        let known = || DifferenceKind::ALL.into_iter().filter(|&kind| kind != DifferenceKind::None);
        let kind = |name: &str| {
            let kind = known().find(|kind| kind.name() == name);
            kind.ok_or_else(|| unknown("decide.unless", name, known().map(DifferenceKind::name)))
        };
        names.filter(|name| !name.is_empty()).map(kind).collect()
    }

    /// The streams that keep pairs apart if they contradict.
    fn contradicting(&self) -> Result<Vec<StreamKind>> {
        let given = self.section("decide").texts("streams")?;
        let names = given.iter().flat_map(|names| names.split(',')).map(str::trim);
        names.filter(|name| !name.is_empty()).map(|name| StreamKind::parse(name, "decide.streams")).collect()
    }

    /// The stream that documents without words are compared by.
    fn fallback(&self) -> Result<Option<StreamKind>> {
        let name = self.section("features").text(WithFallback::KEY, "")?;
        let given = Some(name).filter(|name| !name.is_empty());
        given.map(|name| StreamKind::parse(&name, "features.without_text")).transpose()
    }

    /// What makes features.
    fn features(
        &self,
        fallback: Option<StreamKind>,
        context: &BuildContext<'_>,
    ) -> Result<Box<dyn FeatureExtractor>> {
        let mut section = self.section("features");
        // Read by `fallback`.
        section.text(WithFallback::KEY, "")?;
        let features = context.registry.features.build(section, "shingles", context)?;
        Ok(match fallback {
            None => features,
            Some(kind) => {
                Box::new(WithFallback::new(features, Items::new(kind, context.streams.of(kind).to_vec())))
            }
        })
    }

    /// A branch, built from the sections `sign` and `candidates`.
    fn branch(
        &self,
        name: &str,
        features: Option<Box<dyn FeatureExtractor>>,
        context: &mut BuildContext<'_>,
    ) -> Result<Branch> {
        let registry = context.registry;
        let signer = registry.sign.build(self.section("sign"), "minhash", context)?;
        context.signature_values = signer.values();
        context.reserved_bits = signer.reserved_bits();
        let finder = *registry.candidates.build(self.section("candidates"), "bands", context)?;
        let finds_by_distance = finder.spec().params.contains_key("distance");
        if self.section_table("decide").contains_key("distance") && !finds_by_distance {
            return Err(Error::config(format!(
                "decide.distance is for signatures that are searched by Hamming distance; candidates.type is `{}`",
                finder.spec().kind
            )));
        }
        Ok(Branch { name: name.to_owned(), features, signer, finder })
    }

    /// A member of an ensemble: a method with its own recipe.
    fn member(&self, member: &EnsembleMember, registry: &Registry, lexicons: &dyn Assets) -> Result<Branch> {
        let recipe = self.member_recipe(member, registry)?;
        let mut context = BuildContext::new(registry, lexicons);
        context.image_distance = self.extraction()?.image_distance;
        context.streams = self.stream_fields()?;
        let (decider, _, distance) = recipe.decider(&context)?;
        let measure = measure_of(&*decider);
        set_decision(&mut context, &*decider, &measure, distance);
        // Documents without words are found by what they are compared by.
        let features = recipe.features(recipe.fallback()?.or(self.fallback()?), &context)?;
        let spelled_out = features.spec().to_table().to_string();
        context.features = &spelled_out;
        recipe.branch(&member.method, Some(features), &mut context)
    }

    /// The recipe of a member. Keys of `decide` that it leaves out are the ensemble's.
    pub(super) fn member_recipe(&self, member: &EnsembleMember, registry: &Registry) -> Result<Recipe> {
        let mut recipe = Recipe::for_method(&member.method, registry)?;
        for (section, values) in &member.changes {
            let Value::Table(values) = values else {
                return Err(Error::config(format!(
                    "candidates.{}.{section} must be a section",
                    member.method
                )));
            };
            if !MEMBER_SECTIONS.contains(&section.as_str())
                || RULES.iter().any(|key| values.contains_key(*key))
            {
                return Err(Error::config(format!(
                    "candidates.{}.{section}: a member has only {}, and verifies nothing itself",
                    member.method,
                    MEMBER_SECTIONS.join(", ")
                )));
            }
            recipe.insert_all(section, values.clone())?;
        }
        if let Some(lexicon) = &member.lexicon
            && !recipe.lexicons().is_empty()
        {
            recipe.set_lexicon(lexicon)?;
        }
        let theirs = recipe.section_table("decide");
        if !theirs.contains_key("measure") && !theirs.contains_key("type") {
            let mut ours = self.section_table("decide");
            ours.retain(|key, _| !theirs.contains_key(key) && !RULES.contains(&key));
            recipe.insert_all("decide", ours)?;
        }
        Ok(recipe)
    }
}

fn measure_of(decider: &dyn Decider) -> String {
    let spec = decider.spec();
    spec.params.get("measure").and_then(Value::as_str).unwrap_or_default().to_owned()
}

/// Tells the parts that are built next which pairs are wanted.
fn set_decision<'a>(
    context: &mut BuildContext<'a>,
    decider: &dyn Decider,
    measure: &'a str,
    distance: Option<u32>,
) {
    context.measure = measure;
    context.similarity = decider.least_by_features();
    // Without a bound, the threshold itself is the best guess; the report then states no recall.
    context.threshold = decider.least_jaccard(decider.threshold()).unwrap_or(context.similarity);
    context.distance = distance.unwrap_or(context.distance);
}
