//! What one method says of two documents: the stages of a batch run, applied to two documents.

use std::sync::atomic::{AtomicBool, Ordering};

use lookalike_core::Result;
use lookalike_core::candidates::{Finder, JoinSource, NO_KEY, Records};
use lookalike_core::difference::Difference;
use lookalike_core::document::Document;
use lookalike_core::features::{FeatureSet, Features, Whole};
use lookalike_core::lexicon::Assets;
use lookalike_core::registry::Registry;
use lookalike_core::streams::Streams;
use serde::Serialize;

use super::NamedDocument;
use crate::pipeline::{Branch, Compare, Compared, FieldPlan, Pipeline};
use crate::recipe::Recipe;
use crate::run::named;

/// What a method says of two documents.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum PairVerdict {
    /// All features are the same or, where the method finds none, all words.
    Duplicate,
    /// The threshold is reached.
    NearDuplicate,
    /// The threshold is not reached.
    Different,
    /// The threshold is reached, but this method's signatures would not have found the pair.
    Missed,
    /// The threshold is reached, but the recipe keeps documents apart that differ in this way.
    KeptApart,
    /// One of the two has nothing to compare.
    Empty,
    /// Too little of one of the two could be read to say anything.
    Weak,
}

/// What one method says, and why.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct MethodVerdict {
    /// The method by name.
    pub method: String,
    /// What it says.
    pub verdict: PairVerdict,
    /// By its measure, from 0 to 1.
    #[cfg_attr(feature = "schema", schemars(range(min = 0, max = 1)))]
    pub similarity: f64,
    /// The similarity from which on it says near-duplicate.
    pub threshold: f64,
    /// Its measure by name.
    pub measure: String,
    /// What weighed most, if the decider gives reasons.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub because: Vec<String>,
    /// The signatures by which a search would have found the pair.
    pub signatures: Vec<SignaturePair>,
}

/// The signatures of one branch.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct SignaturePair {
    /// The method that signs; one of several in an ensemble.
    pub method: String,
    /// Whether the pair is a candidate of this method.
    pub candidate: bool,
    /// How the two signatures compare, for people.
    pub says: String,
    /// The first document's signature in hexadecimal; absent when the method has none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub a: Option<String>,
    /// The second document's.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub b: Option<String>,
}

pub fn by_recipe(
    recipe: &Recipe,
    registry: &Registry,
    lexicons: &dyn Assets,
    a: &NamedDocument,
    b: &NamedDocument,
    difference: Difference,
) -> Result<MethodVerdict> {
    let pipeline = recipe.build_with(registry, lexicons)?;
    let plan = pipeline.field_plan("source");
    let (a, b) = (&a.by_plan(&plan), &b.by_plan(&plan));
    let mut features = (Features::default(), Features::default());
    features.0.fill(&*pipeline.features, a);
    features.1.fill(&*pipeline.features, b);
    let signatures = pipeline
        .branches
        .iter()
        .enumerate()
        .map(|(number, branch)| branch_signatures(branch, number, &plan, a, b, &features))
        .collect::<Result<Vec<_>>>()?;
    let (mut set_a, mut set_b) = (FeatureSet::default(), FeatureSet::default());
    let mut scratch = Features::default();
    pipeline.fill_set(&plan, a, &mut scratch, &mut set_a);
    pipeline.fill_set(&plan, b, &mut scratch, &mut set_b);
    let (mut streams_a, mut streams_b) = (Streams::default(), Streams::default());
    plan.fill_streams(a, &mut streams_a);
    plan.fill_streams(b, &mut streams_b);
    let measured = pipeline.decider.measure(&set_a, &set_b);
    let votes = signatures.iter().enumerate().map(|(branch, pair)| u32::from(pair.candidate) << branch).sum();
    let candidate = pipeline.has_votes(votes);
    let in_a = Compared { features: &set_a, text: &a.text, streams: &streams_a };
    let in_b = Compared { features: &set_b, text: &b.text, streams: &streams_b };
    let alike = pipeline.compare(Compare::Decide, in_a, in_b).is_some();
    let is_apart = pipeline.keeps_apart(difference, pipeline.stream_agreement(&streams_a, &streams_b));
    let mut fields =
        |document: &Document<'_>| plan.fields_digest(pipeline.decider.views(), document, &mut scratch);
    let same_fields = fields(a) == fields(b);
    let verdict = if features.0.is_empty() || features.1.is_empty() {
        if same_words(a, b) && !is_apart { PairVerdict::Duplicate } else { PairVerdict::Empty }
    } else if features.0.digest() == features.1.digest() && same_fields && !is_apart {
        PairVerdict::Duplicate
    } else {
        match (candidate, alike) {
            (true, true) => PairVerdict::NearDuplicate,
            (false, true) if measured.duplicate => PairVerdict::Missed,
            (_, false) if measured.duplicate && is_apart => PairVerdict::KeptApart,
            _ => PairVerdict::Different,
        }
    };
    Ok(MethodVerdict {
        method: pipeline.method.clone(),
        verdict,
        similarity: if verdict == PairVerdict::Duplicate { 1.0 } else { measured.similarity },
        threshold: pipeline.decider.threshold(),
        measure: measure_name(&pipeline),
        because: named(measured.because, &pipeline.decider.reasons()),
        signatures,
    })
}

/// Whether both have words, and the same ones: then they are exact copies, whatever the method
/// says.
fn same_words(a: &Document<'_>, b: &Document<'_>) -> bool {
    let words = |document: &Document<'_>| {
        let mut features = Features::default();
        features.fill(&Whole::new(true), document);
        features.hashes
    };
    let words_of_a = words(a);
    !words_of_a.is_empty() && words_of_a == words(b)
}

fn measure_name(pipeline: &Pipeline) -> String {
    let spec = pipeline.decider.spec();
    spec.params.get("measure").and_then(|name| name.as_str()).unwrap_or(&spec.kind).to_owned()
}

fn branch_signatures(
    branch: &Branch,
    number: usize,
    plan: &FieldPlan,
    a: &Document<'_>,
    b: &Document<'_>,
    shared: &(Features, Features),
) -> Result<SignaturePair> {
    let mut own = (Features::default(), Features::default());
    let (features_a, features_b) = match &branch.features {
        Some(extractor) => {
            own.0.fill(&**extractor, &plan.view(number, a));
            own.1.fill(&**extractor, &plan.view(number, b));
            (&own.0, &own.1)
        }
        None => (&shared.0, &shared.1),
    };
    let mut pair = SignaturePair {
        method: branch.name.clone(),
        candidate: false,
        says: String::new(),
        a: None,
        b: None,
    };
    if features_a.is_empty() || features_b.is_empty() {
        pair.says = "nothing to sign".to_owned();
        return Ok(pair);
    }
    let sign = |features: &Features| {
        let mut signature = vec![0; branch.signer.width()];
        branch.signer.sign(features, &mut signature);
        signature
    };
    let (signature_a, signature_b) = (sign(features_a), sign(features_b));
    if branch.signs() {
        pair.says = branch.signer.explain(&signature_a, &signature_b);
        (pair.a, pair.b) = (Some(hexadecimal(&signature_a)), Some(hexadecimal(&signature_b)));
    }
    pair.candidate = match &branch.finder {
        Finder::Keys(keyer) => {
            let keys = |signature: &[u8]| {
                let mut keys = vec![NO_KEY; keyer.keys()];
                keyer.write_keys(signature, &mut keys);
                keys
            };
            let agreeing = keys(&signature_a)
                .into_iter()
                .zip(keys(&signature_b))
                .filter(|&(x, y)| x == y && x != NO_KEY)
                .count();
            // Where every value is a key, the signer has said so already.
            if keyer.keys() != branch.signer.values() {
                pair.says = format!("{}; {agreeing} of {} keys agree", pair.says, keyer.keys());
            }
            agreeing > 0
        }
        Finder::Join(join) => {
            let mut records = Records::default();
            match join.source() {
                JoinSource::Signature => {
                    records.push(&signature_a);
                    records.push(&signature_b);
                }
                JoinSource::Features => {
                    for features in [features_a, features_b] {
                        join.pack(features, &mut records.bytes);
                        records.ends.push(records.bytes.len());
                    }
                    pair.says = "compared as a whole, without a signature".to_owned();
                }
            }
            let found = AtomicBool::new(false);
            join.pairs(&records, 1, &|pairs| {
                found.fetch_or(!pairs.is_empty(), Ordering::Relaxed);
                Ok(())
            })?;
            found.into_inner()
        }
    };
    Ok(pair)
}

fn hexadecimal(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}
