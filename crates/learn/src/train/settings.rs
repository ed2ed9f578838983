//! The settings of every learner.

use super::goal::Goal;
use lookalike_core::registry::{Param, Params, Spec};
use lookalike_core::{Error, Result};

pub const CLASS_WEIGHT: Param = Param {
    name: "class_weight",
    default: "\"none\"",
    help: "none: every example counts alike; balanced: both classes count alike in training, however many examples \
           they have",
};
pub const POSITIVE_WEIGHT: Param = Param {
    name: "positive_weight",
    default: "1",
    help: "how many times a near-duplicate counts as much as another pair; above 1 finds more, below 1 errs less",
};
pub const AIM: Param = Param {
    name: "aim",
    default: "\"f1\"",
    help: "f1: the boundary is moved to where held-out examples have the best F1; boundary: it stays where the \
           learner put it",
};
pub const PRECISION: Param = Param {
    name: "precision",
    default: "none",
    help: "least precision on held-out examples: the boundary is moved to where most is found with it, instead of to the \
           best F1",
};
pub const SEED: Param =
    Param { name: "seed", default: "1", help: "of whatever is drawn at random; equal seeds, equal models" };

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ClassWeight {
    None,
    Balanced,
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Aim {
    /// The boundary is moved to where held-out examples serve this best.
    Held(Goal),
    Boundary,
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Settings {
    pub class_weight: ClassWeight,
    pub positive_weight: f64,
    pub aim: Aim,
    pub seed: u64,
}

impl Default for Settings {
    fn default() -> Self {
        Settings { class_weight: ClassWeight::None, positive_weight: 1.0, aim: Aim::Held(Goal::F1), seed: 1 }
    }
}

impl Settings {
    pub fn from_params(params: &mut Params) -> Result<Self> {
        let settings = Settings::without_aim(params)?;
        let moves = params.choice(AIM.name, "f1", &["f1", "boundary"])? == "f1";
        match settings.aim {
            Aim::Held(Goal::Precision(_)) if !moves => Err(Error::config(
                "aim = \"boundary\" leaves the boundary where the learner put it, and precision moves it: give one of them",
            )),
            _ if !moves => Ok(Settings { aim: Aim::Boundary, ..settings }),
            _ => Ok(settings),
        }
    }

    /// For a learner that serves a goal anyway.
    pub fn without_aim(params: &mut Params) -> Result<Self> {
        let class_weight = params.choice(CLASS_WEIGHT.name, "none", &["none", "balanced"])?;
        let goal = params.optional_number(PRECISION.name, 0.0..=1.0)?.map_or(Goal::F1, Goal::Precision);
        Ok(Settings {
            class_weight: if class_weight == "none" { ClassWeight::None } else { ClassWeight::Balanced },
            positive_weight: params.number(POSITIVE_WEIGHT.name, 1.0, 1e-6..=1e6)?,
            aim: Aim::Held(goal),
            seed: params.integer(SEED.name, 1)?,
        })
    }

    /// Whether every example counts alike.
    pub fn counts_alike(&self) -> bool {
        self.class_weight == ClassWeight::None && self.positive_weight == 1.0
    }

    /// What verdicts on held-out examples are worth something for.
    pub fn goal(&self) -> Goal {
        match self.aim {
            Aim::Held(goal) => goal,
            Aim::Boundary => Goal::F1,
        }
    }

    pub fn write(&self, spec: Spec) -> Spec {
        let aim = if self.aim == Aim::Boundary { "boundary" } else { "f1" };
        self.write_without_aim(spec).with(AIM.name, aim)
    }

    pub fn write_without_aim(&self, spec: Spec) -> Spec {
        let class_weight = if self.class_weight == ClassWeight::None { "none" } else { "balanced" };
        let spec = spec
            .with(CLASS_WEIGHT.name, class_weight)
            .with(POSITIVE_WEIGHT.name, self.positive_weight)
            .with(SEED.name, self.seed as i64);
        match self.goal() {
            Goal::Precision(least) => spec.with(PRECISION.name, least),
            Goal::F1 => spec,
        }
    }

    /// The weights of a near-duplicate and of another pair in training.
    pub fn weights(&self, positives: f64, negatives: f64) -> (f64, f64) {
        let all = positives + negatives;
        let (positive, negative) = match self.class_weight {
            ClassWeight::None => (1.0, 1.0),
            ClassWeight::Balanced => (all / (2.0 * positives), all / (2.0 * negatives)),
        };
        (positive * self.positive_weight, negative)
    }
}
