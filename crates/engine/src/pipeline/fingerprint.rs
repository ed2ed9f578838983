//! The fingerprint of a document: the simhash by which its versions over time are told apart (S09 §2.6.1).
//!
//! A recipe that signs by simhash gives its own signature. For any other it is the plain simhash of 64 bits, in which
//! each distinct run of five words, the features of the default recipe, has one vote.

use std::ops::Range;

use lookalike_core::document::Document;
use lookalike_core::features::{FeatureExtractor, FeatureSet, Features, Shingles, Unit};
use lookalike_core::part::Spec;
use lookalike_core::scheme::Scheme;
use lookalike_core::sign::{Fingerprint, Signer, Simhash};
use lookalike_core::{Result, hash};

use super::{BranchPlaces, FieldPlan, Pipeline, Signatures};

/// Words of a shingle of the plain fingerprint.
const SHINGLE: usize = 5;
const PLAIN_BITS: u32 = 64;

/// Makes the fingerprints of a pipeline's documents.
pub struct Fingerprints {
    scheme: u32,
    by: By,
}

enum By {
    /// The signature of a branch, and where it is among the bytes that are kept of a document, if it is.
    Branch { number: usize, kept: Option<Range<usize>> },
    /// Whether documents are compared by the same features.
    Plain { shingles: Shingles, simhash: Simhash, compared: bool },
}

impl Fingerprints {
    /// Those of a pipeline.
    pub fn new(pipeline: &Pipeline) -> Result<Fingerprints> {
        let is_simhash = |number: &usize| pipeline.branches[*number].signer.spec().kind == Simhash::INFO.name;
        if let Some(number) = (0..pipeline.branches.len()).find(is_simhash) {
            let branch = &pipeline.branches[number];
            let start = BranchPlaces::new(pipeline).starts[number].1;
            let end = start + branch.signer.width() + 1;
            let features = branch.features.as_ref().unwrap_or(&pipeline.features).spec();
            let kept = branch.joins_signatures().then_some(start..end);
            let scheme = scheme_of(features, branch.signer.spec());
            return Ok(Fingerprints { scheme, by: By::Branch { number, kept } });
        }
        let (shingles, simhash) = (Shingles::new(Unit::Word, SHINGLE)?, Simhash::new(PLAIN_BITS, 0)?);
        let compared = pipeline.features.spec() == shingles.spec();
        let scheme = scheme_of(shingles.spec(), simhash.spec());
        Ok(Fingerprints { scheme, by: By::Plain { shingles, simhash, compared } })
    }

    /// The fingerprint of a document, computed from its text and fields; `None` if it has no features.
    pub fn of(
        &self,
        pipeline: &Pipeline,
        plan: &FieldPlan,
        document: &Document<'_>,
        signatures: &mut Signatures,
    ) -> Option<Fingerprint> {
        match &self.by {
            By::Branch { number, .. } => {
                let features = signatures.features_of_branch(pipeline, plan, *number, document);
                self.signed(&*pipeline.branches[*number].signer, features)
            }
            By::Plain { shingles, simhash, .. } => {
                let set = FeatureSet::from_features(signatures.features_by(shingles, document));
                self.plain(simhash, &set)
            }
        }
    }

    /// Whether [`of_signed`](Fingerprints::of_signed) knows the fingerprints.
    pub fn follow_from_signing(&self) -> bool {
        matches!(self.by, By::Branch { kept: Some(_), .. } | By::Plain { compared: true, .. })
    }

    /// The same by what signing a document leaves, without its text: the features that it is compared by, and the bytes
    /// that are kept of it.
    pub fn of_signed(&self, features: &FeatureSet, stored: &[u8]) -> Option<Fingerprint> {
        match &self.by {
            By::Branch { kept: Some(place), .. } => {
                // The byte behind a signature tells whether there is one.
                let (signature, behind) = stored.get(place.clone())?.split_at_checked(place.len() - 1)?;
                if behind == [1] { Fingerprint::of_signature(self.scheme, signature) } else { None }
            }
            By::Plain { compared: true, simhash, .. } => self.plain(simhash, features),
            By::Branch { kept: None, .. } | By::Plain { compared: false, .. } => None,
        }
    }

    /// Each distinct feature has one vote.
    fn plain(&self, simhash: &Simhash, set: &FeatureSet) -> Option<Fingerprint> {
        self.signed(simhash, &Features { hashes: set.hashes.clone(), ..Features::default() })
    }

    fn signed(&self, signer: &dyn Signer, features: &Features) -> Option<Fingerprint> {
        if features.is_empty() {
            return None;
        }
        let mut signature = vec![0; signer.width()];
        signer.sign(features, &mut signature);
        Fingerprint::of_signature(self.scheme, &signature)
    }
}

/// Names what makes fingerprints, in few bytes, since every version has one.
fn scheme_of(features: Spec, sign: Spec) -> u32 {
    let scheme = Scheme::new(features, sign, Spec::new("versions"));
    hash::bytes(scheme.id.as_bytes()) as u32
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Recipe;
    use lookalike_core::registry::Registry;

    const TEXT: &str =
        "The harvest was late this year, and the harvest was small, and the harvest was late this year.";

    fn built(toml: &str) -> (Pipeline, Fingerprints) {
        let registry = Registry::with_built_ins();
        let pipeline = Recipe::from_toml(toml, &registry).unwrap().build(&registry).unwrap();
        let fingerprints = Fingerprints::new(&pipeline).unwrap();
        (pipeline, fingerprints)
    }

    /// By the text, and by what signing leaves where that tells.
    fn both(toml: &str, text: &str) -> (Option<Fingerprint>, Option<Option<Fingerprint>>) {
        let (pipeline, fingerprints) = built(toml);
        let plan = pipeline.field_plan("source");
        let fields = vec![None; plan.wanted.len()];
        let document = Document { fields, ..Document::from_text(text) };
        let mut signatures = Signatures::default();
        let computed = fingerprints.of(&pipeline, &plan, &document, &mut signatures);
        signatures.fill(&pipeline, &plan, &document);
        let mut set = FeatureSet::default();
        signatures.fill_set(&pipeline, &plan, &document, &mut set);
        let told = fingerprints.of_signed(&set, &signatures.stored);
        (computed, fingerprints.follow_from_signing().then_some(told))
    }

    #[test]
    fn what_signing_leaves_tells_the_fingerprint_of_the_text() {
        for (toml, follows) in [
            ("", true),
            ("method = 'simhash'", true),
            ("method = 'simhash'\n[sign]\nbits = 128", true),
            ("method = 'ensemble'", true),
            ("method = 'word-tuples'", false),
            ("[features]\nshingle = 4", false),
            ("method = 'simhash'\n[candidates]\ntype = 'whole'", false),
        ] {
            for text in ["", "short", TEXT] {
                let (computed, told) = both(toml, text);
                assert_eq!(told.is_some(), follows, "{toml}");
                assert!(told.is_none_or(|told| told == computed), "{toml}: {text}");
                assert_eq!(computed.is_some(), !text.is_empty(), "{toml}: {text}");
            }
        }
    }

    /// They are stored with every version, so they stay what they are.
    #[test]
    fn the_fingerprints_are_these() {
        let told =
            |toml: &str| both(toml, TEXT).0.map(|print| format!("{:08x} {print}", print.scheme)).unwrap();
        let own = "method = 'simhash'\n[features]\ntype = 'words'\n[decide]\nmeasure = 'cosine'\n";
        let wide = format!("{own}[sign]\nbits = 128");
        let expected = [
            "b170da88 a5cbc1e8b95301f9",
            "6236c87b 906028c1881f4744",
            "f5e15134 7847a9cf13752c51906028c1881f4744",
        ];
        assert_eq!(["", own, &wide].map(told), expected);
        assert_eq!(told("method = 'word-tuples'"), told(""), "plain for all that have none of their own");
    }
}
