//! The recipes that are tried, and the best threshold of each.

use lookalike_core::Result;
use lookalike_core::registry::Registry;
use lookalike_learn::metrics::Point;
use serde::Serialize;

use lookalike_engine::Recipe;

/// The target that the user sets.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
#[serde(rename_all = "kebab-case", tag = "asks", content = "least")]
pub enum Target {
    /// As many near-duplicates as possible at this precision.
    Precision(f64),
    /// As few mistakes as possible at this recall.
    Recall(f64),
    /// The best balance of both.
    F1,
}

/// Recipes with the lowest threshold that is worth trying; higher thresholds are evaluated on the
/// same pairs.
const TRIED: [(&str, &str); 12] = [
    ("minhash 5", "method = 'minhash'\n[decide]\nthreshold = 0.3"),
    ("minhash 3", "method = 'minhash'\n[features]\nshingle = 3\n[decide]\nthreshold = 0.3"),
    ("minhash 2", "method = 'minhash'\n[features]\nshingle = 2\n[decide]\nthreshold = 0.4"),
    (
        "minhash letters",
        "method = 'minhash'\n[features]\nunit = 'char'\nshingle = 5\n[decide]\nthreshold = 0.5",
    ),
    (
        "minhash containment",
        "method = 'minhash'\n[features]\nshingle = 3\n[candidates]\nbands = 32\nrows = 3\n[sign]\nhashes = 96\n\
         [decide]\nmeasure = 'containment'\nthreshold = 0.6",
    ),
    ("supershingle", "method = 'supershingle'\n[decide]\nthreshold = 0.5"),
    ("word-tuples", "method = 'word-tuples'\n[decide]\nthreshold = 0.5"),
    ("cosine", "method = 'cosine'\n[decide]\nthreshold = 0.7"),
    ("imatch", "method = 'imatch'\n[decide]\nthreshold = 0.6"),
    ("simhash", "method = 'simhash'\n[decide]\nthreshold = 0.6\ndistance = 6"),
    ("spotsigs", "method = 'spotsigs'\n[decide]\nthreshold = 0.3"),
    ("sentences", "method = 'sentences'\n[decide]\nthreshold = 0.4"),
];

/// The recipes by name, each at its lowest threshold.
pub fn tried(registry: &Registry, methods: &[String]) -> Result<Vec<(String, Recipe)>> {
    for method in methods {
        registry.method(method)?;
    }
    let wanted =
        |recipe: &Recipe| methods.is_empty() || methods.iter().any(|method| method == recipe.method());
    let mut all = Vec::new();
    for (name, toml) in TRIED {
        let recipe = Recipe::from_toml(toml, registry)?;
        if wanted(&recipe) {
            all.push((name.to_owned(), recipe));
        }
    }
    Ok(all)
}

/// For how many points of a curve an interval is computed at most.
const MOST_ASKED: usize = 12;

/// The point of a curve that meets the target best, and whether its interval does, too; a point whose
/// interval does is preferred. `None` if no point meets the target.
pub fn best_point(
    curve: &[Point],
    target: Target,
    is_sure: impl Fn(&Point) -> Result<bool>,
) -> Result<Option<(&Point, bool)>> {
    let meets = |point: &&Point| match target {
        Target::Precision(least) => point.precision >= least,
        Target::Recall(least) => point.recall >= least,
        Target::F1 => true,
    };
    let worth = |point: &Point| worth(target, point.precision, point.recall);
    let mut meeting: Vec<&Point> = curve.iter().filter(meets).collect();
    meeting.sort_by(|x, y| worth(y).total_cmp(&worth(x)).then(y.threshold.total_cmp(&x.threshold)));
    let step = meeting.len().div_ceil(MOST_ASKED).max(1);
    for point in meeting.iter().step_by(step) {
        if is_sure(point)? {
            return Ok(Some((point, true)));
        }
    }
    Ok(meeting.first().map(|point| (*point, false)))
}

/// The point that comes nearest to a target that none meets; of equals the one that is better in the
/// other figure.
pub fn nearest_point(curve: &[Point], target: Target) -> Option<&Point> {
    let order = |x: &&Point, y: &&Point| {
        let figures = |point: &Point| {
            (aimed_at(target, point.precision, point.recall), worth(target, point.precision, point.recall))
        };
        let ((x, other_x), (y, other_y)) = (figures(x), figures(y));
        x.total_cmp(&y).then(other_x.total_cmp(&other_y))
    };
    curve.iter().max_by(order)
}

/// The figure that the target is about.
pub fn aimed_at(target: Target, precision: f64, recall: f64) -> f64 {
    match target {
        Target::Precision(_) => precision,
        Target::Recall(_) => recall,
        Target::F1 => worth(target, precision, recall),
    }
}

/// The figure to maximise once the target is met.
pub fn worth(target: Target, precision: f64, recall: f64) -> f64 {
    match target {
        Target::Precision(_) => recall,
        Target::Recall(_) => precision,
        Target::F1 => 2.0 * precision * recall / (precision + recall).max(f64::MIN_POSITIVE),
    }
}

/// A threshold with few digits that accepts what this one accepts, and nothing below `under`.
pub fn rounded(threshold: f64, under: f64) -> f64 {
    (1..=6)
        .map(|digits| {
            let scale = 10f64.powi(digits);
            (threshold * scale).floor() / scale
        })
        .find(|&short| short > under && short <= threshold)
        .unwrap_or(threshold)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn point(threshold: f64, precision: f64, recall: f64) -> Point {
        Point { threshold, precision, recall, f1: worth(Target::F1, precision, recall) }
    }

    #[test]
    fn the_target_is_met_and_the_other_figure_is_best() {
        let curve =
            [point(0.9, 1.0, 0.4), point(0.8, 0.99, 0.7), point(0.7, 0.95, 0.9), point(0.6, 0.5, 1.0)];
        let at = |target| best_point(&curve, target, |_| Ok(true)).unwrap().map(|(point, _)| point.threshold);
        assert_eq!(at(Target::Precision(0.99)), Some(0.8));
        assert_eq!(at(Target::Recall(0.85)), Some(0.7));
        assert_eq!(at(Target::F1), Some(0.7));
        assert_eq!(at(Target::Precision(1.1)), None);
        // If only some points are certain, the best of them; if none is, the best of all, which is reported.
        let sure = |least: f64| {
            best_point(&curve, Target::Precision(0.95), move |point| Ok(point.threshold >= least))
        };
        let found = |least| sure(least).unwrap().map(|(point, is_sure)| (point.threshold, is_sure));
        assert_eq!((found(0.75), found(2.0)), (Some((0.8, true)), Some((0.7, false))));
    }

    #[test]
    fn the_nearest_point_has_the_best_of_the_figure_that_was_asked_for() {
        let curve = [point(0.9, 0.8, 0.4), point(0.8, 0.8, 0.6), point(0.7, 0.7, 0.7), point(0.6, 0.5, 0.9)];
        let at = |target| nearest_point(&curve, target).map(|point| point.threshold);
        assert_eq!(at(Target::Precision(0.99)), Some(0.8));
        assert_eq!(at(Target::Recall(0.95)), Some(0.6));
        assert_eq!(nearest_point(&[], Target::F1), None);
    }

    #[test]
    fn thresholds_are_rounded_but_never_change_what_they_accept() {
        assert_eq!(rounded(0.8123, 0.79), 0.8);
        assert_eq!(rounded(0.8123, 0.805), 0.81);
        assert_eq!(rounded(0.8, 0.7999), 0.8);
        assert_eq!(rounded(0.5, 0.5), 0.5);
    }

    #[test]
    fn every_recipe_that_is_tried_builds() {
        let registry = Registry::with_built_ins();
        for (name, recipe) in tried(&registry, &[]).unwrap() {
            recipe.build(&registry).unwrap_or_else(|error| panic!("{name}: {error}"));
        }
        assert!(tried(&registry, &["none".to_owned()]).is_err());
    }
}
