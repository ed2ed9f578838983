//! A document as a bag of weighted words or word n-grams: what simhash votes with (S09 chapters 3 to 5).
//!
//! The text goes through these steps, each of which a recipe may set:
//! 1. `markup` is taken off, `dates` are cut out, and what is left is cut into words;
//! 2. `stop_words`, short words (`min_length`), words with `digits` and lines of underscores, which
//!    would be the rarest and most frequent words of their document, are dropped;
//! 3. `shingle` neighbours of what remains make a feature, the same as that of the part `shingles`;
//! 4. an occurrence weighs 1, its idf or 1 / df (`weight`), times `tag_boost` and
//!    `furniture_weight`, of an n-gram the mean of its words,
//!    times a factor by its place among all occurrences (`position`);
//! 5. the occurrences of a feature add up, or with `weight = "log"` their mean counts 1 + ln tf times;
//! 6. features are selected by weight (see [`select`]), and those of fields added (see [`metadata`]).
//!
//! If no step after step 4 is needed, occurrences are handed out as they come: a signer that sums
//! weights, as simhash does, gets the same sums without the cost of finding repeats. Features without
//! weight are left out, so a document that has no others has no features and matches nothing.

pub(super) mod buffers;
mod dates;
mod expression;
mod filter;
mod idf;
mod metadata;
mod select;
mod settings;
mod stop_words;
mod tally;

use super::extractor::{FeatureExtractor, Features};
use super::shingles::shingle;
use crate::document::Document;
use crate::error::Result;
use crate::lexicon::Lexicon;
use crate::part::{Params, PartInfo, Spec};
use crate::registry::BuildContext;
use crate::text::{Stemmer, for_each_piece, for_each_word};
use buffers::Buffers;
use expression::Expression;
use filter::{Filter, is_rule};
use idf::IdfTable;
use metadata::Metadata;
use settings::{Settings, Weight};
use stop_words::StopWords;
use tally::{Repeats, finite};

/// Weighted words or word n-grams.
pub struct Terms {
    settings: Settings,
    filter: Filter,
    stop_words: Option<StopWords>,
    /// The weights of words and the name of the lexicon they come from.
    idf: Option<(IdfTable, String)>,
    metadata: Metadata,
    stemmer: Option<Stemmer>,
}

impl Terms {
    /// The description of this part in the registry.
    pub const INFO: PartInfo = PartInfo {
        name: "terms",
        summary: "Weighted words or word n-grams: tf or tf·idf, by place and markup, with fields as features",
        paper: "S09 ch. 3–5, §7.1",
        params: settings::PARAMS,
    };

    /// Reads its parameters from a section of a recipe.
    pub fn from_params(params: &mut Params, context: &BuildContext<'_>) -> Result<Self> {
        let settings = Settings::from_params(params)?;
        let lexicon = match settings.weight {
            Weight::One => None,
            Weight::Idf | Weight::Log | Weight::Inverse => Some(context.word_lexicon(&settings.lexicon)?),
        };
        Terms::new(settings, lexicon.as_deref())
    }

    fn new(settings: Settings, lexicon: Option<&Lexicon>) -> Result<Self> {
        let filter = Filter { min_length: settings.min_length, drop_digits: settings.drop_digits };
        let stop_words = settings.drop_stop_words.then(StopWords::english);
        let weigh = |lexicon: &Lexicon, df: u32| match settings.weight {
            Weight::Inverse => 1.0 / f64::from(df.max(1)),
            _ => lexicon.idf(df),
        };
        let idf =
            lexicon.map(|lexicon| (IdfTable::new(lexicon, |df| weigh(lexicon, df) as f32), lexicon.id()));
        let mut metadata = Metadata::new(&settings.metadata, &settings.numeric, &settings.class)?;
        (metadata.weight, metadata.flips) = (settings.metadata_weight, settings.metadata_flips);
        let stemmer = Stemmer::from_name(&settings.stem)?;
        Ok(Terms { settings, filter, stop_words, idf, metadata, stemmer })
    }

    /// Whether words in some elements weigh more than others.
    fn boosts(&self) -> bool {
        self.settings.html && (self.settings.tag_boost != 1.0 || self.settings.furniture_weight != 1.0)
    }

    /// Whether the occurrences of a feature must be merged.
    fn merges(&self) -> bool {
        self.settings.weight == Weight::Log
            || !self.settings.selection.keeps_all()
            || self.metadata.has_features()
    }

    /// Fills `units` with the words that may count and, if tags boost, `weights` with their factors.
    fn collect_words(&self, text: &str, out: &mut Features) {
        let Features { units, weights, scratch, page, terms: Buffers { stems: stemmed, .. }, stems, .. } =
            out;
        let Settings { html, drop_dates, .. } = self.settings;
        units.clear();
        stemmed.clear();
        if !html && !drop_dates && self.filter.keeps_all() && self.stemmer.is_none() {
            for_each_word(text, scratch, |word| {
                if !is_rule(&word) {
                    units.push(word.hash);
                }
            });
            return;
        }
        let boosts = self.boosts();
        let mut add = |text: &str, factor: f32| {
            for_each_word(text, scratch, |word| {
                if self.filter.keeps(&word) {
                    units.push(word.hash);
                    if let Some(stemmer) = &self.stemmer {
                        stemmed.push((word.hash, stemmer.hash(&word, stems)));
                    }
                    if boosts {
                        weights.push(factor);
                    }
                }
            });
        };
        let mut add_undated = |text: &str, factor: f32| {
            if drop_dates {
                dates::without_dates(text, |piece| add(piece, factor));
            } else {
                add(text, factor);
            }
        };
        if html {
            let Settings { tag_boost, furniture_weight, .. } = self.settings;
            for_each_piece(text, page, |piece, place| {
                let boost = if place.emphasised { tag_boost } else { 1.0 };
                let furniture = if place.furniture { furniture_weight } else { 1.0 };
                add_undated(piece, (boost * furniture) as f32);
            });
        } else {
            add_undated(text, 1.0);
        }
    }

    /// Multiplies the weights by the words' idf.
    fn weigh_words(&self, units: &[u64], weights: &mut Vec<f32>) {
        let Some((table, _)) = &self.idf else { return };
        if weights.is_empty() {
            weights.extend(units.iter().map(|&word| table.idf(word)));
        } else {
            for (weight, &word) in weights.iter_mut().zip(units) {
                *weight *= table.idf(word);
            }
        }
    }
}

impl FeatureExtractor for Terms {
    fn spec(&self) -> Spec {
        self.settings.spec(Self::INFO.name, self.idf.as_ref().map(|(_, id)| id.as_str()))
    }

    fn fields(&self) -> Vec<String> {
        self.metadata.fields().to_vec()
    }

    fn extract(&self, document: &Document<'_>, out: &mut Features) {
        self.collect_words(&document.text, out);
        out.class = self.metadata.class(document);
        let Features { hashes, weights, units, terms, .. } = out;
        if let Some(stop_words) = &self.stop_words {
            stop_words.remove_from(units, weights);
        }
        self.weigh_words(units, weights);
        // Stop words and idf are looked up by the word as written, everything else uses its stem.
        if self.stemmer.is_some() {
            terms.stems.sort_unstable();
            terms.stems.dedup();
            for unit in units.iter_mut() {
                if let Ok(place) = terms.stems.binary_search_by_key(unit, |&(word, _)| word) {
                    *unit = terms.stems[place].1;
                }
            }
        }
        shingle(units, self.settings.shingle, hashes);
        average(weights, self.settings.shingle);
        if let Some(formula) = &self.settings.position.1 {
            scale_by_place(formula, hashes.len(), weights);
        }
        if !self.merges() {
            if !weights.is_empty() {
                select::drop_weightless(hashes, weights);
            }
            return;
        }
        let repeats = if self.settings.weight == Weight::Log { Repeats::Log } else { Repeats::Sum };
        terms.tally.merge(hashes, weights, repeats);
        select::drop_weightless(hashes, weights);
        self.settings.selection.apply(hashes, weights, &mut terms.heaviest);
        let heaviest = select::largest(weights);
        self.metadata.append(document, heaviest, out);
    }
}

/// Turns the weights of words into the weights of windows of `size` words: their means. As for hashes,
/// fewer words than that make one window.
fn average(weights: &mut Vec<f32>, size: usize) {
    let size = size.min(weights.len());
    if size <= 1 {
        return;
    }
    let windows = weights.len() + 1 - size;
    for i in 0..windows {
        // Later windows no longer need this place.
        weights[i] = weights[i..i + size].iter().sum::<f32>() / size as f32;
    }
    weights.truncate(windows);
}

/// Multiplies the weights of `count` occurrences, 1 if there are none, by a formula of their places.
fn scale_by_place(formula: &Expression, count: usize, weights: &mut Vec<f32>) {
    if weights.is_empty() {
        weights.resize(count, 1.0);
    }
    for (place, weight) in weights.iter_mut().enumerate() {
        *weight = finite(f64::from(*weight) * formula.value((place + 1) as f64, count as f64));
    }
}

#[cfg(test)]
mod tests;
