//! Compares two documents: every measure, what each method says, what they share and where they
//! differ.

mod verdict;

pub use verdict::{MethodVerdict, PairVerdict, SignaturePair};

use std::ops::Range;

use lookalike_core::Result;
use lookalike_core::decide::{Measure, Overlap};
use lookalike_core::difference::Difference;
use lookalike_core::document::{Document, Value};
use lookalike_core::features::{FeatureSet, Features};
use lookalike_core::passages::{LEAST_WORDS, differing_words, shared_passages};
use lookalike_core::registry::Registry;
use lookalike_core::streams::{StreamAgreement, Streams};
use lookalike_core::text::word_spans;
use serde::Serialize;

use crate::lexicon::AssetFiles;
use crate::pipeline::FieldPlan;
use crate::recipe::Recipe;

/// A document to compare.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct NamedDocument {
    /// Its text.
    pub text: String,
    /// Its other fields, as far as recipes read them ([`fields_of`]).
    pub fields: Vec<(String, Value<'static>)>,
    /// Why its text is weak, if it is.
    pub weak: Option<String>,
}

impl NamedDocument {
    /// A text without fields.
    pub fn from_text(text: &str) -> Self {
        NamedDocument { text: text.to_owned(), ..NamedDocument::default() }
    }

    /// A document that was read with the values of these fields.
    pub fn new(document: Document<'_>, names: &[String]) -> Self {
        let values = names.iter().zip(document.fields);
        let fields = values.filter_map(|(name, value)| Some((name.clone(), value?.into_owned())));
        NamedDocument { text: document.text.into_owned(), fields: fields.collect(), weak: None }
    }

    /// The document as a pipeline reads it.
    fn by_plan(&self, plan: &FieldPlan) -> Document<'_> {
        let value =
            |wanted: &String| self.fields.iter().find(|(name, _)| name == wanted).map(|(_, value)| value);
        let fields = plan.wanted.iter().map(|wanted| value(wanted).cloned()).collect();
        Document { fields, ..Document::from_text(&self.text) }
    }
}

/// The fields of documents that a comparison reads.
pub fn fields_of(registry: &Registry, assets: &AssetFiles, recipe: Option<&Recipe>) -> Result<Vec<String>> {
    let standard = Recipe::standard(registry)?;
    let pipeline = recipe.unwrap_or(&standard).build_with(registry, assets)?;
    Ok(pipeline.field_plan("source").wanted)
}

/// The result of comparing two documents.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Comparison {
    /// The first document.
    pub a: ComparedDocument,
    /// The second.
    pub b: ComparedDocument,
    /// Whether their texts are the same to the last byte.
    pub identical: bool,
    /// How the second differs from the first.
    pub difference: Difference,
    /// How their images, links and other streams agree; left out if they have none in common.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub streams: Option<StreamAgreement>,
    /// Every measure on every kind of features.
    pub measures: Vec<Measured>,
    /// What each method says.
    pub methods: Vec<MethodVerdict>,
    /// Runs of words that both have, in the order of the first document.
    pub passages: Vec<SharedPassage>,
    /// Words that only the first has, with how often.
    pub only_in_a: Vec<(String, usize)>,
    /// The same for the second.
    pub only_in_b: Vec<(String, usize)>,
}

/// One of the two documents.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "schema", schemars(rename = "Side"))]
pub struct ComparedDocument {
    /// What the caller calls it.
    pub name: String,
    /// Why its text is weak, if it is: then no method calls it a duplicate.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub weak: Option<String>,
    /// The length of its text.
    pub bytes: usize,
    /// Words of its text.
    pub words: usize,
    /// The part of this document's words that stands in shared passages.
    #[cfg_attr(feature = "schema", schemars(range(min = 0, max = 1)))]
    pub in_passages: f64,
    /// The part of this document's word 5-grams that the other has.
    #[cfg_attr(feature = "schema", schemars(range(min = 0, max = 1)))]
    pub contained_in_other: f64,
}

/// One measure on one kind of features.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Measured {
    /// The kind of features.
    pub features: String,
    /// The measure by name.
    pub measure: String,
    /// From 0 to 1.
    #[cfg_attr(feature = "schema", schemars(range(min = 0, max = 1)))]
    pub similarity: f64,
}

/// A run of words that is in both.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct SharedPassage {
    /// In the first document: start and end, in bytes.
    pub a: [usize; 2],
    /// In the second: start and end, in bytes.
    pub b: [usize; 2],
    /// How many words it has.
    pub words: usize,
    /// The words as they stand in the first document.
    pub text: String,
}

/// The kinds of features on which every measure is computed: a name, and the recipe's section.
const KINDS: [(&str, &str); 3] = [
    ("words", "features = { type = 'words' }"),
    ("word 5-grams", "features = { type = 'shingles', shingle = 5 }"),
    ("tf-idf", "features = { type = 'terms', weight = 'idf', lexicon = 'english' }"),
];

/// Compares two texts by all methods of the registry, or by one recipe.
pub fn compare(
    registry: &Registry,
    assets: &AssetFiles,
    recipe: Option<&Recipe>,
    (name_a, a): (&str, &NamedDocument),
    (name_b, b): (&str, &NamedDocument),
) -> Result<Comparison> {
    let difference = Difference::between(&a.text, &b.text);
    let streams = stream_agreement(registry, assets, recipe, a, b)?;
    let mut measures = Vec::new();
    let mut contained = (0.0, 0.0);
    for (kind, section) in KINDS {
        let pipeline = Recipe::from_toml(section, registry)?.build_with(registry, assets)?;
        let mut features = Features::default();
        let mut set = |document: &NamedDocument| {
            features.fill(&*pipeline.features, &Document::from_text(&document.text));
            FeatureSet::from_features(&features)
        };
        let (set_a, set_b) = (set(a), set(b));
        let overlap = Overlap::count(&set_a, &set_b);
        if kind == "word 5-grams" {
            contained = (overlap.a_in_b(), overlap.b_in_a());
        }
        for info in registry.measures.infos() {
            let measure = registry.measures.build_named(info.name, registry)?;
            let similarity = similarity_of(&*measure, &set_a, &set_b, &overlap);
            measures.push(Measured { features: kind.to_owned(), measure: info.name.to_owned(), similarity });
        }
    }
    let methods = match recipe {
        Some(recipe) => vec![verdict::by_recipe(recipe, registry, assets, a, b, difference)?],
        None => registry
            .methods()
            // Without a model given by the user, a classifier cannot decide.
            .filter(|method| method.name != "classifier")
            .map(|method| {
                let recipe = Recipe::for_method(&method.name, registry)?;
                verdict::by_recipe(&recipe, registry, assets, a, b, difference)
            })
            .collect::<Result<Vec<_>>>()?,
    };
    let passages = shared_passages(&a.text, &b.text, LEAST_WORDS);
    let side = |name: &str,
                document: &NamedDocument,
                mut ranges: Vec<Range<usize>>,
                contained_in_other: f64| {
        ranges.sort_unstable_by_key(|range| range.start);
        let words = word_spans(&document.text);
        let in_passages = share_within(&words, &ranges);
        let (bytes, words) = (document.text.len(), words.len());
        ComparedDocument { name: name.to_owned(), weak: None, bytes, words, in_passages, contained_in_other }
    };
    let (in_a, in_b) = passages.iter().map(|passage| (passage.a.clone(), passage.b.clone())).unzip();
    let (only_in_a, only_in_b) = differing_words(&a.text, &b.text);
    Ok(Comparison {
        a: side(name_a, a, in_a, contained.0),
        b: side(name_b, b, in_b, contained.1),
        identical: a.text == b.text,
        difference,
        streams: streams.told(),
        measures,
        methods,
        passages: passages
            .into_iter()
            .map(|passage| SharedPassage {
                a: [passage.a.start, passage.a.end],
                b: [passage.b.start, passage.b.end],
                words: passage.words,
                text: a.text.get(passage.a).unwrap_or_default().to_owned(),
            })
            .collect(),
        only_in_a,
        only_in_b,
    })
}

/// How the streams of two documents agree, by a recipe's fields or the usual ones.
fn stream_agreement(
    registry: &Registry,
    assets: &AssetFiles,
    recipe: Option<&Recipe>,
    a: &NamedDocument,
    b: &NamedDocument,
) -> Result<StreamAgreement> {
    let standard = Recipe::standard(registry)?;
    let pipeline = recipe.unwrap_or(&standard).build_with(registry, assets)?;
    let plan = pipeline.field_plan("source");
    let (mut of_a, mut of_b) = (Streams::default(), Streams::default());
    plan.fill_streams(&a.by_plan(&plan), &mut of_a);
    plan.fill_streams(&b.by_plan(&plan), &mut of_b);
    Ok(pipeline.stream_agreement(&of_a, &of_b))
}

impl Comparison {
    /// Notes why the texts are weak. For a weak text figures are shown, but no verdict is given.
    pub fn weaken(&mut self, a: Option<String>, b: Option<String>) {
        if a.is_some() || b.is_some() {
            self.methods.iter_mut().for_each(|method| method.verdict = PairVerdict::Weak);
        }
        (self.a.weak, self.b.weak) = (a, b);
    }
}

/// The share of words that lie in any of the ranges, which begin in rising order and may overlap.
fn share_within(words: &[(Range<usize>, u64)], ranges: &[Range<usize>]) -> f64 {
    let (mut next, mut reach, mut within) = (0, 0, 0);
    for (word, _) in words {
        while let Some(range) = ranges.get(next).filter(|range| range.start <= word.start) {
            reach = reach.max(range.end);
            next += 1;
        }
        within += usize::from(word.end <= reach);
    }
    if words.is_empty() { 0.0 } else { within as f64 / words.len() as f64 }
}

/// An empty document resembles no other.
fn similarity_of(measure: &dyn Measure, a: &FeatureSet, b: &FeatureSet, overlap: &Overlap) -> f64 {
    if a.is_empty() || b.is_empty() { 0.0 } else { measure.similarity(a, b, overlap) }
}
