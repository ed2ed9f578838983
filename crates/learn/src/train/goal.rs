//! What a boundary between near-duplicates and other pairs is chosen for.

use crate::Confusion;

/// Which of two boundaries is better.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Goal {
    /// The one with the higher F1.
    F1,
    /// The one that finds more, of those that are at least so precise.
    Precision(f64),
}

impl Goal {
    /// The worth of what was found on held-out pairs, larger being better. `pair` is the weight of a usual
    /// pair.
    ///
    /// A least precision is asked of what was found and one wrong pair more: of all boundaries that seem
    /// precise enough on these pairs the furthest is taken, so on others it is less precise than it seems.
    pub(super) fn worth(self, found: &Confusion, pair: f64) -> f64 {
        match self {
            Goal::F1 => found.f1(),
            Goal::Precision(least) => {
                let wrong = found.false_positives + pair;
                let precision = found.true_positives / (found.true_positives + wrong);
                if precision >= least { 1.0 + found.recall() } else { precision }
            }
        }
    }

    /// Whether this is the worth of something that is not precise enough.
    pub(super) fn is_missed(self, worth: f64) -> bool {
        matches!(self, Goal::Precision(_)) && worth < 1.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn worth(goal: Goal, right: f64, wrong: f64) -> f64 {
        let found = Confusion {
            true_positives: right,
            false_positives: wrong,
            false_negatives: 100.0 - right,
            true_negatives: 1000.0 - wrong,
        };
        goal.worth(&found, 1.0)
    }

    #[test]
    fn what_is_precise_enough_is_worth_what_it_finds() {
        let goal = Goal::Precision(0.9);
        assert!(worth(goal, 60.0, 5.0) > worth(goal, 50.0, 0.0), "both are precise enough");
        assert!(worth(goal, 50.0, 0.0) > worth(goal, 99.0, 20.0), "the second is not");
        assert!(worth(goal, 80.0, 20.0) > worth(goal, 90.0, 90.0), "neither is");
        assert!(worth(goal, 90.0, 9.0) > 1.0 && worth(goal, 90.0, 10.0) < 1.0, "one wrong pair more counts");
        assert!(worth(Goal::F1, 99.0, 20.0) > worth(Goal::F1, 50.0, 0.0));
    }
}
