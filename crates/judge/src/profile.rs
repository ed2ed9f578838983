//! The weights of one document's features, by their place.

use lookalike_core::features::Features;
use lookalike_core::registry::Registry;
use lookalike_core::{Error, Result};

use super::Contestant;
use lookalike_engine::run::{Job, Quiet, prepare};

/// The weights that one recipe gives to a document.
#[derive(Clone, Debug)]
pub struct WeightProfile {
    /// The recipe, or several that give the same weights.
    pub name: String,
    /// Weights in the order of the features; 1 if a recipe does not use weights.
    pub weights: Vec<f64>,
}

/// The profiles of a document under every contestant; contestants with equal profiles are named
/// together.
pub fn profiles(
    contestants: &[Contestant],
    id: &str,
    job: &Job,
    registry: &Registry,
) -> Result<Vec<WeightProfile>> {
    let mut profiles: Vec<WeightProfile> = Vec::new();
    for contestant in contestants {
        let prepared = prepare(&contestant.recipe, registry, job, &Quiet)?;
        let pipeline = contestant.recipe.build_with(registry, &prepared.assets)?;
        let mut found = None;
        job.corpus()?.for_each(&pipeline.features.fields(), |_, other, document| {
            if other.display() == id {
                let mut features = Features::default();
                features.fill(&*pipeline.features, document);
                let weights = features.weights.iter().map(|&weight| f64::from(weight)).collect();
                found = Some(if features.weights.is_empty() {
                    vec![1.0; features.hashes.len()]
                } else {
                    weights
                });
            }
            Ok(())
        })?;
        let weights = found.ok_or_else(|| Error::config(format!("there is no document `{id}`")))?;
        match profiles.iter_mut().find(|profile| profile.weights == weights) {
            Some(same) => same.name = format!("{}; {}", same.name, contestant.label()),
            None => profiles.push(WeightProfile { name: contestant.label(), weights }),
        }
    }
    Ok(profiles)
}
