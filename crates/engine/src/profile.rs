//! The features that a method finds in one document, in the order of the text, and their weights (S09 Figures 3-4
//! and 5-1 to 5-4).

use std::collections::{HashMap, HashSet};

use lookalike_core::Result;
use lookalike_core::document::Document;
use lookalike_core::features::{FeatureExtractor, Features};
use lookalike_core::registry::Registry;
use lookalike_core::text::for_each_word_span;
use serde::Serialize;

use crate::lexicon::AssetFiles;
use crate::recipe::Recipe;

/// How many features are listed.
const MOST: usize = 2000;
/// The most words of a feature that is shown by its words.
const MOST_WORDS: usize = 16;

/// The features that a method finds in a document.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Profile {
    /// What the features are, in the words of a recipe.
    pub variant: String,
    /// Distinct ones, in the order of their first occurrence.
    pub features: Vec<WeighedFeature>,
    /// How many there are in all.
    pub distinct: usize,
}

/// A feature of a document with its weight.
#[derive(Debug, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct WeighedFeature {
    /// The words it stands for, if it stands for words.
    pub text: String,
    /// The weight of all its occurrences together.
    pub weight: f64,
    /// Where it occurs first, counted in features.
    pub place: usize,
}

/// The features that a recipe finds in a text, with their weights.
pub fn profile(recipe: &Recipe, text: &str, registry: &Registry, assets: &AssetFiles) -> Result<Profile> {
    let pipeline = recipe.build_with(registry, assets)?;
    let own = pipeline.branches.first().and_then(|branch| branch.features.as_deref());
    let extractor = own.unwrap_or(&*pipeline.features);
    let mut features = Features::default();
    features.fill(extractor, &Document::from_text(text));
    let mut places: HashMap<u64, usize> = HashMap::new();
    let mut found: Vec<(u64, WeighedFeature)> = Vec::new();
    for (place, &hash) in features.hashes.iter().enumerate() {
        let weight = features.weights.get(place).map_or(1.0, |&weight| f64::from(weight));
        let at = *places.entry(hash).or_insert(found.len());
        match found.get_mut(at) {
            Some((_, known)) => known.weight += weight,
            None => found.push((hash, WeighedFeature { text: String::new(), weight, place })),
        }
    }
    let distinct = found.len();
    found.truncate(MOST);
    let wanted: HashSet<u64> = found.iter().map(|one| one.0).collect();
    let names = names(extractor, text, &wanted);
    let features = found.into_iter().map(|(hash, mut weighed)| {
        weighed.text = names.get(&hash).cloned().unwrap_or_default();
        weighed
    });
    let spec = extractor.spec();
    let variant = format!("{} {}", spec.kind, spec.params.to_string().trim().replace('\n', ", "));
    Ok(Profile { variant: variant.trim().to_owned(), features: features.collect(), distinct })
}

/// The words behind features: each run of this many words that makes one feature by itself.
fn names(extractor: &dyn FeatureExtractor, text: &str, wanted: &HashSet<u64>) -> HashMap<u64, String> {
    let mut spans = Vec::new();
    for_each_word_span(text, |span, _| spans.push(span));
    let mut names = HashMap::new();
    let mut features = Features::default();
    for length in 1..=MOST_WORDS.min(spans.len()) {
        for run in spans.windows(length).take(4 * MOST) {
            let Some(words) = text.get(run[0].start..run[length - 1].end) else { continue };
            features.fill(extractor, &Document::from_text(words));
            if let [hash] = features.hashes[..]
                && wanted.contains(&hash)
            {
                names.entry(hash).or_insert_with(|| words.to_owned());
            }
        }
        if !names.is_empty() {
            break;
        }
    }
    names
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn features_are_told_with_words_and_weights() {
        let registry = Registry::with_built_ins();
        let text = "one two three one two three four";
        let shingles = Recipe::from_toml("method = 'minhash'\n[features]\nshingle = 3", &registry).unwrap();
        let profile = profile(&shingles, text, &registry, &AssetFiles::default()).unwrap();
        let told: Vec<(&str, f64)> =
            profile.features.iter().map(|one| (one.text.as_str(), one.weight)).collect();
        assert_eq!(told[..2], [("one two three", 2.0), ("two three one", 1.0)]);
        assert_eq!(profile.distinct, 4);
        let weighted = Recipe::for_method("simhash", &registry).unwrap();
        let profile = super::profile(&weighted, text, &registry, &AssetFiles::default()).unwrap();
        assert!(!profile.features.is_empty());
        assert!(profile.features.iter().all(|one| !one.text.is_empty() && one.weight > 0.0), "{profile:?}");
        assert!(
            super::profile(&weighted, "", &registry, &AssetFiles::default()).unwrap().features.is_empty()
        );
    }
}
