//! Judging methods, training classifiers, choosing recipes.

use lookalike_core::Result;
use lookalike_engine::run::Progress;
use lookalike_judge::learn::{LabelRequest, ModelFile, Training, Tuned, Tuning, train, tune};
use lookalike_judge::{Contestant, Evaluated, Evaluation, LabelledPair, WeightProfile, evaluate, profiles};

use super::{ReadyJob, Session};

impl Session {
    /// Runs every contestant as `dedup` would, and judges its results by the truth.
    pub fn evaluate(
        &self,
        evaluation: &Evaluation,
        contestants: &[Contestant],
        ready: &ReadyJob,
        progress: &dyn Progress,
    ) -> Result<Evaluated> {
        evaluate(evaluation, contestants, ready.job(), self.registry(), progress)
    }

    /// How each contestant weighs the features of one document, for the page of an evaluation.
    pub fn profiles(
        &self,
        contestants: &[Contestant],
        id: &str,
        ready: &ReadyJob,
    ) -> Result<Vec<WeightProfile>> {
        profiles(contestants, id, ready.job(), self.registry())
    }

    /// Trains a classifier on pairs whose truth is known, and states its expected quality.
    pub fn train(&self, training: &Training, ready: &ReadyJob, progress: &dyn Progress) -> Result<ModelFile> {
        train(training, ready.job(), self.registry(), progress)
    }

    /// Chooses the recipe that meets a target best, on a sample.
    pub fn tune(&self, tuning: &Tuning, ready: &ReadyJob, progress: &dyn Progress) -> Result<Tuned> {
        tune(tuning, ready.job(), self.registry(), progress)
    }

    /// The pairs that are most worth a person's label, given those that have one.
    pub fn request_labels(
        &self,
        ready: &ReadyJob,
        labelled: &[LabelledPair],
        seed: u64,
        progress: &dyn Progress,
    ) -> Result<LabelRequest> {
        LabelRequest::new(ready.job(), labelled, seed, self.registry(), progress)
    }
}
