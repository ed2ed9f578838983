//! Corpora with as many near-duplicates as different pairs (L17 §V), and the methods that are compared.

use std::collections::BTreeSet;
use std::path::PathBuf;

use lookalike_core::registry::Registry;
use lookalike_core::{Error, Result};
use serde_json::json;

use super::corpus::write_corpus;
use super::plant::Edit;
use super::types::Original;
use crate::Data;
use lookalike_engine::Recipe;
use lookalike_engine::run::{Job, Progress};
use lookalike_judge::{Contestant, Evaluated, Evaluation, Labels, TruthSource, evaluate};

/// Thresholds of L17 Table 4.
pub const THRESHOLDS: [&str; 5] = ["0.5", "0.6", "0.7", "0.8", "0.9"];

pub const POSITION: &str = "LSBS by position";
pub const CONTENT: &str = "LSBS by content (ours)";
pub const SPOTS: &str = "SpotSigs";
pub const SIMHASH: &str = "Simhash, distance 3";
pub const IMATCH: &str = "I-Match";

/// All methods; the last two have no threshold.
pub const METHODS: [&str; 5] = [POSITION, CONTENT, SPOTS, SIMHASH, IMATCH];

/// A method as in L17: its results are not verified by another measure.
pub fn contestant(method: &str, threshold: &str, registry: &Registry) -> Result<Contestant> {
    let (name, settings) = match method {
        POSITION => ("lsbs", vec![("decide.threshold", threshold)]),
        CONTENT => (
            "lsbs",
            vec![("features.align", "content"), ("candidates.type", "join"), ("decide.threshold", threshold)],
        ),
        SPOTS => ("spotsigs", vec![("decide.threshold", threshold)]),
        SIMHASH => ("simhash", vec![("decide.verify", "signature")]),
        IMATCH => ("imatch", vec![("decide.verify", "signature")]),
        other => return Err(Error::Internal(format!("no method {other}"))),
    };
    let mut recipe = Recipe::for_method(name, registry)?;
    settings.iter().try_for_each(|(key, value)| recipe.set(key, value))?;
    Ok(Contestant { name: method.to_owned(), settings: Vec::new(), recipe })
}

/// A corpus and its labelled pairs.
pub struct Case {
    pub job: Job,
    labels: PathBuf,
    understood: Labels,
    pub positives: usize,
    pub negatives: usize,
}

impl Case {
    /// Texts with an id each, and those pairs of them that are near-duplicates. At most `most` are
    /// judged, beside as many pairs of other documents that are neighbours in length.
    pub fn balanced(
        data: &Data,
        name: &str,
        texts: &[(String, String)],
        positives: &[(usize, usize)],
        most: usize,
        model: &Job,
    ) -> Result<Case> {
        let known: BTreeSet<(usize, usize)> = positives.iter().map(|&(a, b)| (a.min(b), a.max(b))).collect();
        let judged = &positives[..positives.len().min(most)];
        let lengths: Vec<usize> = texts.iter().map(|(_, text)| text.len()).collect();
        let different = different(&lengths, judged, &known);
        let line = |&(a, b): &(usize, usize), label: bool| {
            format!("{}\n", json!({ "a": texts[a].0, "b": texts[b].0, "label": label }))
        };
        let lines: String = judged
            .iter()
            .map(|pair| line(pair, true))
            .chain(different.iter().map(|pair| line(pair, false)))
            .collect();
        let labels = data.scratch().join(format!("{name}.labels.jsonl"));
        std::fs::write(&labels, lines).map_err(Error::io(&labels))?;
        let texts = texts.iter().map(|(id, text)| (id.clone(), text.as_str()));
        let job = write_corpus(data, name, texts, model)?;
        Ok(Case {
            job,
            labels,
            understood: Labels::default(),
            positives: judged.len(),
            negatives: different.len(),
        })
    }

    /// A corpus with a file of labelled pairs, with this many of each kind.
    pub fn labelled(
        job: Job,
        labels: PathBuf,
        understood: Labels,
        (positives, negatives): (usize, usize),
    ) -> Case {
        Case { job, labels, understood, positives, negatives }
    }

    /// Every original with an edited version, the edits in turn.
    pub fn planted(
        data: &Data,
        name: &str,
        originals: &[&Original],
        edits: &[Edit],
        model: &Job,
    ) -> Result<Case> {
        let mut texts = Vec::new();
        for (number, original) in originals.iter().enumerate() {
            let other = &originals[(number + 1) % originals.len()].text;
            let edit = edits[number % edits.len()];
            texts.push((format!("original-{number}"), original.text.clone()));
            texts.push((format!("edited-{number}"), edit.apply(&original.text, other, number as u64)));
        }
        let positives: Vec<(usize, usize)> =
            (0..originals.len()).map(|number| (2 * number, 2 * number + 1)).collect();
        Case::balanced(data, name, &texts, &positives, usize::MAX, model)
    }

    pub fn evaluate(
        &self,
        contestants: &[Contestant],
        registry: &Registry,
        progress: &dyn Progress,
    ) -> Result<Evaluated> {
        let truth = TruthSource::Pairs {
            file: self.labels.clone(),
            labels: self.understood.clone(),
            rest: Some(lookalike_learn::metrics::Unlabelled::LeftOut),
        };
        let evaluation = Evaluation { resamples: 200, ..Evaluation::new(truth) };
        evaluate(&evaluation, contestants, &self.job, registry, progress)
    }
}

/// Pairs of first members that are neighbours in length and are not known near-duplicates.
fn different(
    lengths: &[usize],
    judged: &[(usize, usize)],
    known: &BTreeSet<(usize, usize)>,
) -> Vec<(usize, usize)> {
    let mut first: Vec<usize> = judged.iter().map(|&(a, _)| a).collect();
    first.sort_unstable();
    first.dedup();
    first.sort_by_key(|&document| (lengths[document], document));
    let pairs = first.windows(2).map(|two| (two[0].min(two[1]), two[0].max(two[1])));
    pairs.filter(|pair| !known.contains(pair)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn different_pairs_are_near_in_length_and_not_known() {
        let judged = [(0, 1), (2, 3), (4, 5)];
        let known: BTreeSet<(usize, usize)> = judged.into_iter().chain([(0, 4)]).collect();
        let lengths = [10, 10, 500, 500, 12, 12];
        assert_eq!(different(&lengths, &judged, &known), [(2, 4)]);
        let known: BTreeSet<(usize, usize)> = judged.into_iter().collect();
        assert_eq!(different(&lengths, &judged, &known), [(0, 4), (2, 4)]);
    }

    #[test]
    fn every_method_is_a_recipe() {
        let registry = Registry::with_built_ins();
        for method in METHODS {
            for threshold in THRESHOLDS {
                contestant(method, threshold, &registry).unwrap().recipe.build(&registry).unwrap();
            }
        }
        assert!(contestant("other", "0.5", &registry).is_err());
    }
}
