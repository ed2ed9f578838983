//! The passages that removed documents share with their keepers, on request: the features that the
//! method compared, if these are passages, otherwise runs of words.

use std::collections::HashMap;

use lookalike_core::Result;
use lookalike_core::features::FeatureExtractor;
use lookalike_core::passages::{LEAST_WORDS, Passage, shared_passages};
use lookalike_core::text::word_spans;
use lookalike_io::record::Fields;

use crate::corpus::catalog::Catalog;
use crate::corpus::reread::Reread;
use crate::corpus::{CorpusNumber, Source};
use lookalike_core::threads::try_spread;

/// For each pair of a removed document and its keeper, the shared passages as JSON: byte offsets in
/// both texts, in the order of the removed one.
pub fn as_json(
    features: &dyn FeatureExtractor,
    catalog: &Catalog,
    source: &dyn Source,
    fields: &Fields,
    threads: usize,
    pairs: &[(CorpusNumber, CorpusNumber)],
) -> Result<Vec<String>> {
    catalog.gather(source, threads, pairs.iter().flat_map(|&(removed, keeper)| [removed, keeper]))?;
    let reader = || Reread::new(catalog, source, fields);
    let readers = || (reader(), reader());
    try_spread(threads, pairs, readers, |(removed, keeper), &(document, master)| {
        let (a, b) = (removed.read(document)?, keeper.read(master)?);
        let passages: Vec<String> = shared(features, &a.text, &b.text)
            .into_iter()
            .map(|passage| {
                format!(
                    "{{\"removed\":[{},{}],\"keeper\":[{},{}],\"words\":{}}}",
                    passage.a.start, passage.a.end, passage.b.start, passage.b.end, passage.words
                )
            })
            .collect();
        Ok(format!("[{}]", passages.join(",")))
    })
}

fn shared(features: &dyn FeatureExtractor, a: &str, b: &str) -> Vec<Passage> {
    let (Some(in_a), Some(in_b)) = (features.passages(a), features.passages(b)) else {
        return shared_passages(a, b, LEAST_WORDS);
    };
    // The first occurrence of each, if there are several.
    let places: HashMap<u64, _> = in_b.into_iter().rev().map(|(range, hash)| (hash, range)).collect();
    let found = in_a.into_iter().filter_map(|(range, hash)| {
        let words = word_spans(a.get(range.clone())?).len();
        Some(Passage { a: range, b: places.get(&hash)?.clone(), words })
    });
    found.collect()
}
