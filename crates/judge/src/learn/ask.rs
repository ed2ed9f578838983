//! Chooses the pairs that are most worth a person's label, and estimates quality from the labels so
//! far.
//!
//! Candidates come from a generous search. While there are few labels, a pair's confidence is the
//! mean of some of its similarities; later it comes from a classifier trained on the labels.

use lookalike_core::decide::classifier::Schema;
use lookalike_core::document::Id;
use lookalike_core::hash::{combine, mix};
use lookalike_core::registry::{BuildContext, Params, Registry};
use lookalike_core::union_find::UnionFind;
use lookalike_core::{Error, Result};
use lookalike_learn::Examples;
use lookalike_learn::metrics::{Truth, Unlabelled};
use lookalike_learn::sample::{Candidate, Estimate, SelectionSettings, Stratum, estimate, select};
use lookalike_learn::train::{cross_validate, learner};
use serde::Serialize;
use toml::Table;

use super::groups::groups;
use super::vectors::vectors;
use crate::{JudgedCorpus, LabelledPair};
use lookalike_engine::Recipe;
use lookalike_engine::lexicon::AssetFiles;
use lookalike_engine::run::{Job, Progress, find};

/// Candidate pairs with confidences, and which of them are labelled.
pub struct LabelRequest {
    pairs: Vec<(u32, u32)>,
    candidates: Vec<Candidate>,
    labels: Vec<Option<bool>>,
    corpus: JudgedCorpus,
    /// Whether confidences come from a classifier trained on the labels.
    pub is_trained: bool,
    seed: u64,
}

/// A pair to be labelled.
#[derive(Clone, Debug, Serialize)]
pub struct Question {
    /// The id of one document, for people.
    pub a: String,
    /// The id of the other.
    pub b: String,
    /// Both ids as the corpus has them.
    #[serde(skip)]
    pub ids: (Id, Id),
    /// The confidence that they are near-duplicates, from 0 to 1.
    pub confidence: f64,
    /// Why this pair was chosen.
    pub reason: String,
    /// The text of one document.
    pub text_a: String,
    /// The text of the other.
    pub text_b: String,
}

const GENEROUS: &str = "method = 'minhash'\n[features]\nshingle = 2\n[decide]\nthreshold = 0.2";
/// If there are more candidates than this, some are drawn.
const MOST_CANDIDATES: usize = 20_000;
/// How many labels of each kind are needed to train a classifier.
const LEAST_LABELS: usize = 8;
const STRATA: usize = 4;
/// Into how many parts the labels are split; each part gets its confidences from a model trained on
/// the others.
const FOLDS: usize = 4;
/// The components whose mean is the first guess.
const GUESS: [&str; 3] = ["jaccard of words", "containment of word 3-grams", "weighted-cosine of tf-idf"];

impl LabelRequest {
    /// Finds candidates and their confidences, by a classifier once there are enough labels.
    pub fn new(
        job: &Job,
        labelled: &[LabelledPair],
        seed: u64,
        registry: &Registry,
        progress: &dyn Progress,
    ) -> Result<LabelRequest> {
        let corpus = JudgedCorpus::read(job, &[], None)?;
        corpus.check_ids()?;
        let outcome = find(&Recipe::from_toml(GENEROUS, registry)?.build(registry)?, job, progress)?;
        let mut pairs: Vec<(u32, u32)> = outcome.pairs.iter().map(|&(a, b, _)| (a, b)).collect();
        if pairs.len() > MOST_CANDIDATES {
            pairs.sort_by_cached_key(|&(a, b)| mix(combine(mix(seed), u64::from(a) << 32 | u64::from(b))));
            pairs.truncate(MOST_CANDIDATES);
        }
        let mut known = Vec::new();
        for pair in labelled {
            if let (Some(a), Some(b)) = (corpus.number(&pair.a), corpus.number(&pair.b))
                && a != b
            {
                known.push(((a.min(b), a.max(b)), pair.duplicate));
            }
        }
        pairs.extend(known.iter().map(|&(pair, _)| pair));
        pairs.sort_unstable();
        pairs.dedup();
        let mut labels = vec![None; pairs.len()];
        for (pair, duplicate) in known {
            if let Ok(place) = pairs.binary_search(&pair) {
                labels[place] = Some(duplicate);
            }
        }
        let (confidences, is_trained) = confidences(&pairs, &labels, &corpus, job, registry, seed, progress)?;
        let mut linked = UnionFind::new(corpus.ids.len());
        pairs.iter().for_each(|&(a, b)| linked.union(a, b));
        let candidates = (0..pairs.len())
            .map(|place| Candidate {
                pair: pairs[place],
                confidence: confidences[place],
                group: linked.find(pairs[place].0),
                votes: None,
                labelled: labels[place].is_some(),
            })
            .collect();
        Ok(LabelRequest { pairs, candidates, labels, corpus, is_trained, seed })
    }

    /// The next pairs to ask about, with their texts.
    pub fn questions(&self, count: usize, job: &Job) -> Result<Vec<Question>> {
        let selection = SelectionSettings { decision: 0.5, strata: STRATA, count, seed: self.seed };
        let chosen = select(&self.candidates, &selection)?;
        let mut texts: std::collections::HashMap<u32, String> = std::collections::HashMap::new();
        for question in &chosen {
            let (a, b) = self.pairs[question.place];
            texts.extend([(a, String::new()), (b, String::new())]);
        }
        job.corpus()?.for_each(&[], |number, _, document| {
            if let Some(text) = texts.get_mut(&number.raw()) {
                *text = document.text.to_string();
            }
            Ok(())
        })?;
        let asked = chosen.into_iter().map(|question| {
            let (a, b) = self.pairs[question.place];
            let text = |document: u32| texts.get(&document).cloned().unwrap_or_default();
            Question {
                a: self.corpus.ids[a as usize].display().into_owned(),
                b: self.corpus.ids[b as usize].display().into_owned(),
                ids: (self.corpus.ids[a as usize].clone(), self.corpus.ids[b as usize].clone()),
                confidence: self.candidates[question.place].confidence,
                reason: question.text,
                text_a: text(a),
                text_b: text(b),
            }
        });
        Ok(asked.collect())
    }

    /// Candidates that have a label.
    pub fn labelled(&self) -> usize {
        self.labels.iter().flatten().count()
    }

    /// Precision and recall of deciding at a confidence of a half, estimated from the labels; `None`
    /// while a range of confidences has none.
    pub fn estimate(&self) -> Result<Option<Estimate>> {
        let mut strata: Vec<Stratum> = Vec::new();
        for place in 0..STRATA {
            // An even number, so that the decision is a border between ranges.
            let [low, high] = [place, place + 1].map(|border| border as f64 / STRATA as f64);
            let mut stratum = Stratum { low, high, population: 0, labelled: 0, positives: 0 };
            for (candidate, label) in self.candidates.iter().zip(&self.labels) {
                let confidence = candidate.confidence;
                if confidence < low || (confidence >= high && high < 1.0) {
                    continue;
                }
                stratum.population += 1;
                stratum.labelled += u64::from(label.is_some());
                stratum.positives += u64::from(*label == Some(true));
            }
            if stratum.population > 0 && stratum.labelled == 0 {
                return Ok(None);
            }
            strata.push(stratum);
        }
        estimate(&strata, 0.5, self.seed).map(Some)
    }
}

/// The confidence of each pair, and whether it comes from a trained classifier.
fn confidences(
    pairs: &[(u32, u32)],
    labels: &[Option<bool>],
    corpus: &JudgedCorpus,
    job: &Job,
    registry: &Registry,
    seed: u64,
    progress: &dyn Progress,
) -> Result<(Vec<f64>, bool)> {
    let assets = AssetFiles::default();
    let vector = Schema::standard(&[], &[])?.build(&BuildContext::new(registry, &assets))?;
    let values = vectors(&vector, job, pairs, progress)?;
    let rows = || values.chunks(vector.width());
    let known: Vec<(u32, u32, bool)> =
        pairs.iter().zip(labels).filter_map(|(&(a, b), label)| Some((a, b, (*label)?))).collect();
    let positives = known.iter().filter(|pair| pair.2).count();
    if positives >= LEAST_LABELS && known.len() - positives >= LEAST_LABELS {
        let groups = groups(&Truth::Pairs { pairs: known.clone(), rest: Unlabelled::LeftOut }, &corpus.texts);
        let mut examples = Examples::new(vector.width());
        let labelled = rows().zip(labels).filter(|(_, label)| label.is_some()).map(|(row, _)| row);
        for (row, &(a, b, label)) in labelled.zip(&known) {
            examples.push_between(row, label, [groups[a as usize], groups[b as usize]]);
        }
        let logistic = learner("logistic", Params::new("learner", Table::new()))?;
        // A model is too certain of the pairs it was trained on, so these get the confidence of a model that
        // has not seen their documents. With too few labels for that, the first guess is used.
        if let Ok(held_out) = cross_validate(&[&*logistic], &examples, FOLDS, seed) {
            let model = logistic.fit(&examples)?;
            let mut unseen = held_out.chosen.confidences.into_iter();
            let confidence = |(row, label): (&[f64], &Option<bool>)| {
                let unseen = label.and_then(|_| unseen.next());
                unseen.unwrap_or_else(|| model.confidence(model.score(row)))
            };
            return Ok((rows().zip(labels).map(confidence).collect(), true));
        }
    }
    let names = vector.names();
    let guess: Vec<usize> =
        GUESS.iter().filter_map(|wanted| names.iter().position(|name| name == wanted)).collect();
    if guess.is_empty() {
        return Err(Error::Internal("the vector lacks what the first guess is made of".to_owned()));
    }
    let mean = |row: &[f64]| guess.iter().map(|&place| row[place]).sum::<f64>() / guess.len() as f64;
    Ok((rows().map(mean).collect(), false))
}
