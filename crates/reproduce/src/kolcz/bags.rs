//! What the experiments with data share: truth, lexicons, and a series of 0 to 10 random copies.

use lookalike_core::registry::Registry;
use lookalike_core::{Error, Result};

use crate::{Data, Figure};
use lookalike_engine::Recipe;
use lookalike_engine::lexicon::{CountJob, build};
use lookalike_engine::run::{Job, Progress};
use lookalike_judge::{Contestant, Judged, Sweep, TruthSource};
use lookalike_report::plots::{LinePoint, Lines, Series};

/// The numbers of randomised lexicons in a series.
pub const LEXICONS: usize = 11;
/// Those that the tables of K08 have.
pub const PRINTED_LEXICONS: [usize; 4] = [0, 2, 5, 10];

/// Words of K08 §6.3: at least four characters, at most one digit.
pub const WORDS: [(&str, &str); 2] = [("features.min_length", "4"), ("features.max_digits", "1")];

/// K08 §6.4: all pairs whose unique words have a cosine of at least 0.9.
pub fn truth() -> TruthSource {
    TruthSource::Exact {
        measure: "cosine".to_owned(),
        threshold: "0.9".to_owned(),
        settings: WORDS.map(|(key, value)| (key.to_owned(), value.to_owned())).to_vec(),
    }
}

/// Where the words of a lexicon were counted, and which of them count.
#[derive(Clone, Debug)]
pub struct Choice {
    pub name: String,
    /// `english`, or a file.
    pub lexicon: String,
    /// The window of nidf.
    pub window: (&'static str, &'static str),
}

impl Choice {
    pub fn label(&self) -> String {
        format!("{}, {}–{}", self.name, self.window.0, self.window.1)
    }

    /// I-Match as in the papers, with 0 to 10 randomised lexicons.
    pub fn series(&self, registry: &Registry) -> Result<Vec<Contestant>> {
        self.sweep("0..10", registry)
    }

    /// The same with as many lexicons as K08 prints figures for.
    pub fn printed(&self, registry: &Registry) -> Result<Vec<Contestant>> {
        self.sweep("0,2,5,10", registry)
    }

    fn sweep(&self, lexicons: &str, registry: &Registry) -> Result<Vec<Contestant>> {
        let recipe = self.recipe(registry)?;
        Contestant::all(&[(self.label(), recipe)], &[Sweep::parse(&format!("sign.lexicons={lexicons}"))?])
    }

    /// I-Match with its usual ten copies; every pair that shares a signature counts.
    pub fn recipe(&self, registry: &Registry) -> Result<Recipe> {
        let (low, high) = self.window;
        let settings = [
            ("sign.lexicon", self.lexicon.as_str()),
            ("sign.low", low),
            ("sign.high", high),
            ("decide.verify", "signature"),
        ];
        recipe("imatch", &settings, registry)
    }
}

/// A method with settings.
pub fn recipe(method: &str, settings: &[(&str, &str)], registry: &Registry) -> Result<Recipe> {
    let mut recipe = Recipe::for_method(method, registry)?;
    settings.iter().try_for_each(|(key, value)| recipe.set(key, value))?;
    Ok(recipe)
}

/// Counts the words of a job's documents. The file is in the scratch folder.
pub fn count_words(data: &Data, job: &Job, name: &str, progress: &dyn Progress) -> Result<String> {
    let file = data.scratch().join(format!("{name}.lexicon"));
    let counting = CountJob {
        text_field: job.text_field.clone(),
        threads: job.threads,
        memory: job.memory,
        ..CountJob::new(job.inputs.iter().cloned(), &file)
    };
    build(&counting, None, progress)?;
    Ok(file.to_string_lossy().into_owned())
}

pub fn recall(judged: &Judged) -> f64 {
    judged.judgement.queries.recall.map_or(f64::NAN, |recall| recall.value)
}

pub fn precision(judged: &Judged) -> f64 {
    judged.judgement.queries.precision.map_or(f64::NAN, |precision| precision.value)
}

pub fn pure(judged: &Judged) -> f64 {
    judged.judgement.pure_clusters.map_or(f64::NAN, |pure| pure.value)
}

pub fn legitimate(judged: &Judged) -> u64 {
    judged.judgement.legitimate_matched.unwrap_or(0)
}

pub fn utility(judged: &Judged) -> f64 {
    judged.judgement.utility.unwrap_or(f64::NAN)
}

/// The description of the truth, without the time it took, which would differ from run to run.
pub fn without_time(truth: &str) -> &str {
    truth.split_once(" in ").map_or(truth, |(truth, _)| truth)
}

/// By how much the last of a series exceeds the first, as `74 %`.
pub fn increase(first: f64, last: f64) -> String {
    signed_percent(last / first - 1.0)
}

fn signed_percent(share: f64) -> String {
    if share.is_finite() { format!("{:.0} %", share * 100.0) } else { "–".to_owned() }
}

/// Three digits, or a dash for an undefined value.
pub fn cell(figure: f64) -> String {
    if figure.is_finite() { format!("{figure:.3}") } else { "–".to_owned() }
}

/// A series with 0 to 10 lexicons as a line.
pub fn line(name: &str, series: &[Judged], figure: fn(&Judged) -> f64) -> Series {
    let point = |(lexicons, judged): (usize, &Judged)| LinePoint {
        x: lexicons as f64,
        y: figure(judged),
        interval: None,
    };
    Series { name: name.to_owned(), points: series.iter().enumerate().map(point).collect() }
}

/// A line through points of a paper.
pub fn printed(name: &str, points: &[(f64, f64)]) -> Series {
    let points = points.iter().map(|&(x, y)| LinePoint { x, y, interval: None });
    Series { name: name.to_owned(), points: points.collect() }
}

pub fn figure(caption: &str, lines: &Lines<'_>) -> Result<Figure> {
    let mut svg = String::new();
    lines.draw(&mut svg).map_err(|error| Error::Internal(format!("plot {}: {error}", lines.title)))?;
    Ok(Figure { caption: caption.to_owned(), svg })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_series_has_no_copy_first_and_ten_last() {
        let registry = Registry::with_built_ins();
        let choice = Choice { name: "english".into(), lexicon: "english".into(), window: ("0.2", "0.3") };
        let series = choice.series(&registry).unwrap();
        assert_eq!(series.len(), LEXICONS);
        let lexicons = |place: usize| series[place].settings[0].1.as_str();
        assert_eq!((lexicons(0), lexicons(10)), ("0", "10"));
        let few = choice.printed(&registry).unwrap();
        let few: Vec<usize> =
            few.iter().map(|contestant| contestant.settings[0].1.parse().unwrap()).collect();
        assert_eq!(few, PRINTED_LEXICONS);
        let built = series[10].recipe.build(&registry).unwrap().resolved();
        assert_eq!(built["decide"]["verify"].as_str(), Some("signature"));
        assert_eq!(built["sign"]["high"].as_float(), Some(0.3));
    }

    #[test]
    fn times_are_left_out_and_what_is_not_defined_is_a_dash() {
        assert_eq!(without_time("all 3 pairs, by exact join in 1.7 s"), "all 3 pairs, by exact join");
        assert_eq!(increase(0.5, 0.75), "50 %");
        assert_eq!((increase(0.0, 0.0).as_str(), cell(f64::NAN).as_str()), ("–", "–"));
    }
}
