//! The whole pipeline on documents that it was not trained on: classifier against single thresholds.
//!
//! Groups of documents, near-duplicates and equal texts, are dealt to two halves. What is chosen or trained on one half runs on
//! the other, as any user would run it, and the other way around; so every group is judged once, by what has not seen it.

use std::collections::BTreeSet;
use std::path::PathBuf;

use lookalike_core::hash::{combine, mix};
use lookalike_core::registry::Registry;
use lookalike_core::{Error, Result, hash};
use lookalike_learn::forecast::{JudgedPair, JudgedPairs};
use lookalike_learn::metrics::{FoundPairs, MetricOptions, Truth, judge};

use super::SEED;
use super::{four, row};
use crate::{Data, Section};
use lookalike_engine::Recipe;
use lookalike_engine::run::{Findings, Job, Progress, find, prepare};
use lookalike_judge::learn::{Interval, ModelFile, Training, groups, train_with_threshold};
use lookalike_judge::{
    Contestant, Evaluation, FULL_BUCKET, Judged, JudgedCorpus, Sweep, TruthSource, evaluate,
};

const RESAMPLES: u32 = 1000;

/// Methods without a classifier; of each the best of these thresholds is chosen.
const PLAIN: [(&str, &str); 2] = [
    ("minhash, Jaccard of 3-word shingles", "method = 'minhash'\n[features]\nshingle = 3"),
    ("cosine of words, all pairs", "method = 'cosine'"),
];
const THRESHOLDS: &str = "decide.threshold=0.3..0.95:0.05";

/// Where a classifier gets its candidates from.
const CANDIDATES: [(&str, &str); 2] = [
    ("minhash and word-tuples", "method = 'classifier'"),
    (
        "fuzzy c-means",
        "method = 'cosine'\n[features]\ntype = 'terms'\nstop_words = 'english'\nweight = 'idf'\nlexicon = 'english'\n\
         [candidates]\ntype = 'clusters'\nclustering = 'fuzzy-c-means'\nfloor = 0.3",
    ),
];

pub fn unseen(
    data: &Data,
    registry: &Registry,
    progress: &dyn Progress,
) -> Result<(Vec<Section>, Vec<String>)> {
    let halves = Halves::read(data, registry, progress)?;
    let truth = TruthSource::ClusterField("cluster".to_owned());
    let mut plain = PLAIN.map(|(name, _)| Runs::new(name.to_owned()));
    let mut single = CANDIDATES.map(|(name, _)| Runs::new(format!("{name}, best single threshold")));
    let mut trained = CANDIDATES.map(|(name, _)| Runs::new(format!("{name}, classifier")));
    for (learning, testing) in [(0, 1), (1, 0)] {
        for ((_, toml), runs) in PLAIN.iter().zip(&mut plain) {
            let recipe = Recipe::from_toml(toml, registry)?;
            let recipe = best_threshold(&recipe, &truth, &halves.jobs[learning], registry, progress)?;
            runs.add(&halves, testing, &recipe, registry, progress)?;
        }
        for ((_, toml), runs) in CANDIDATES.iter().zip(single.iter_mut().zip(&mut trained)) {
            // Trained on the candidates that it will decide on.
            let training = Training {
                recipe: Recipe::from_toml(toml, registry)?,
                seed: SEED,
                ..Training::new(truth.clone(), registry)?
            };
            let learned = train_with_threshold(&training, &halves.jobs[learning], registry, progress)?;
            for (runs, model) in [(runs.0, learned.threshold), (runs.1, learned.model)] {
                let recipe = with_model(&training.recipe, &model, data)?;
                runs.add(&halves, testing, &recipe, registry, progress)?;
            }
        }
    }
    let mut table =
        vec![row(["pipeline", "thresholds", "precision", "recall", "F1", "ARI", "comparisons", "seconds"])];
    for runs in
        plain.iter().chain(single.iter().zip(&trained).flat_map(|(single, trained)| [single, trained]))
    {
        table.push(runs.line(&halves)?);
    }
    let mut against = vec![row(["classifier over", "against", "difference of F1", ""])];
    let mut findings = Vec::new();
    for ((name, _), (single, trained)) in CANDIDATES.iter().zip(single.iter().zip(&trained)) {
        let mut said = Vec::new();
        for other in std::iter::once(single).chain(&plain) {
            let Some(gain) = halves.gain(trained, other) else { continue };
            let verdict = if gain.low > 0.0 {
                "above"
            } else if gain.high < 0.0 {
                "below"
            } else {
                "equal"
            };
            let gain = format!("{:+.4} ({:+.4} to {:+.4})", gain.value, gain.low, gain.high);
            said.push(format!("{gain} against {}", other.name));
            against.push(vec![(*name).to_owned(), other.name.clone(), gain, verdict.to_owned()]);
        }
        findings.push(format!(
            "On unseen groups the classifier over {name} has an F1 of {}; the difference: {}.",
            four(trained.f1(&halves)?),
            said.join("; ")
        ));
    }
    let about = format!(
        "{} documents in {} groups: near-duplicates and documents with the same text. The groups are dealt to two halves; what \
         is chosen and trained on one half runs on the other, and the other way around. All pairs of a half count, so the \
         negatives are those of a real run; within clusters, pairs of a tf-idf cosine below 0.3 are passed over. Of methods \
         without a classifier the threshold with the best F1 on the training half is taken. Classifier and best single \
         threshold (component and value) learn from the same pairs: the candidates of the recipe in which they decide, in \
         their own proportions, with the cut chosen by folds inside the training half. Thresholds are those of the two \
         runs, of a classifier the confidence at its cut.",
        halves.labels.len(),
        halves.groups.iter().collect::<BTreeSet<_>>().len(),
    );
    let sections = vec![
        Section {
            heading: "The pipeline: terms of service, each half judged by what was trained on the other".to_owned(),
            text: about,
            table,
            figures: Vec::new(),
        },
        Section {
            heading: "Classifier minus threshold".to_owned(),
            text: "Both chosen on the training half and run on the other. The interval comes from reweighting whole groups; above \
                   or below means that it lies on one side of 0."
                .to_owned(),
            table: against,
            figures: Vec::new(),
        },
    ];
    Ok((sections, findings))
}

/// The recipe with the threshold that has the best F1 on these documents.
fn best_threshold(
    recipe: &Recipe,
    truth: &TruthSource,
    job: &Job,
    registry: &Registry,
    progress: &dyn Progress,
) -> Result<Recipe> {
    let tried = Contestant::all(&[(String::new(), recipe.clone())], &[Sweep::parse(THRESHOLDS)?])?;
    let evaluation = Evaluation { resamples: 0, seed: SEED, ..Evaluation::new(truth.clone()) };
    let learned = evaluate(&evaluation, &tried, job, registry, progress)?;
    let f1 = |judged: &Judged| judged.judgement.f1.map_or(0.0, |figure| figure.value);
    let best = tried.iter().zip(&learned.results).max_by(|x, y| f1(x.1).total_cmp(&f1(y.1)));
    Ok(best.map_or_else(|| recipe.clone(), |(contestant, _)| contestant.recipe.clone()))
}

fn with_model(recipe: &Recipe, model: &ModelFile, data: &Data) -> Result<Recipe> {
    let file = data.scratch().join("ota.model");
    model.write(&file)?;
    let mut recipe = recipe.clone();
    recipe.set("decide.type", "classifier")?;
    recipe.set("decide.model", &file.to_string_lossy())?;
    Ok(recipe)
}

/// The documents in two halves that share no group.
struct Halves {
    jobs: [Job; 2],
    /// The number that each document of a half has among all.
    numbers: [Vec<u32>; 2],
    /// The group of each document, by its first member.
    groups: Vec<u32>,
    /// The true cluster of each document.
    labels: Vec<u32>,
}

impl Halves {
    fn read(data: &Data, registry: &Registry, progress: &dyn Progress) -> Result<Halves> {
        let job = data.job(&["ota-versions.jsonl.zst"], progress)?;
        let corpus = JudgedCorpus::read(&job, &["cluster".to_owned()], None)?;
        let truth =
            TruthSource::ClusterField("cluster".to_owned()).read(&corpus, &job, registry, progress)?;
        let groups = groups(&truth.truth, &corpus.texts);
        let Truth::Clusters(labels) = truth.truth else {
            return Err(Error::Internal("a field gives clusters".to_owned()));
        };
        let no_cluster = || Error::Input("a document has no cluster".to_owned());
        let labels = labels.into_iter().collect::<Option<Vec<u32>>>().ok_or_else(no_cluster)?;
        let mut numbers = [Vec::new(), Vec::new()];
        let mut half_of = Vec::with_capacity(groups.len());
        for (document, &group) in (0..).zip(&groups) {
            let cluster = corpus.field("cluster")[group as usize].as_deref().unwrap_or_default();
            let half = (mix(combine(mix(SEED), hash::bytes(cluster.as_bytes()))) & 1) as usize;
            numbers[half].push(document);
            half_of.push(half);
        }
        let files: [PathBuf; 2] =
            ["ota-one", "ota-other"].map(|name| data.scratch().join(format!("{name}.jsonl")));
        job.corpus()?.part(&files, |document| half_of.get(document.index()).copied())?;
        let jobs = files.map(|path| Job {
            inputs: vec![path.to_string_lossy().into_owned()],
            full_bucket: FULL_BUCKET,
            ..job.clone()
        });
        Ok(Halves { jobs, numbers, groups, labels })
    }

    fn is_true(&self, a: u32, b: u32) -> bool {
        self.labels[a as usize] == self.labels[b as usize]
    }

    /// By how much the F1 of one exceeds that of the other, over groups.
    fn gain(&self, ours: &Runs, theirs: &Runs) -> Option<Interval> {
        let found: BTreeSet<(u32, u32)> = ours.pairs.union(&theirs.pairs).copied().collect();
        let mut judged = JudgedPairs { pairs: Vec::new(), missed: vec![0.0; self.groups.len()] };
        for &(a, b) in &found {
            let groups = [a, b].map(|document| self.groups[document as usize]);
            judged.pairs.push(JudgedPair { groups, is_true: self.is_true(a, b), weight: 1.0 });
        }
        for a in 0..self.labels.len() as u32 {
            let missed = (0..a).filter(|&b| self.is_true(a, b) && !found.contains(&(b, a))).count();
            judged.missed[self.groups[a as usize] as usize] += missed as f64;
        }
        let [ours, theirs] = [ours, theirs]
            .map(|runs| found.iter().map(|pair| runs.pairs.contains(pair)).collect::<Vec<bool>>());
        judged.gain(&ours, &theirs, RESAMPLES, SEED)
    }
}

/// What a pipeline found on both halves, each time chosen or trained on the other.
struct Runs {
    name: String,
    pairs: BTreeSet<(u32, u32)>,
    /// The master of each document's cluster.
    clusters: Vec<(u32, u32)>,
    thresholds: Vec<f64>,
    candidates: u64,
    seconds: f64,
}

impl Runs {
    fn new(name: String) -> Self {
        Runs {
            name,
            pairs: BTreeSet::new(),
            clusters: Vec::new(),
            thresholds: Vec::new(),
            candidates: 0,
            seconds: 0.0,
        }
    }

    fn add(
        &mut self,
        halves: &Halves,
        half: usize,
        recipe: &Recipe,
        registry: &Registry,
        progress: &dyn Progress,
    ) -> Result<()> {
        let job = &halves.jobs[half];
        let prepared = prepare(recipe, registry, job, progress)?;
        let pipeline = recipe.build_with(registry, &prepared.assets)?;
        let found: Findings = find(&pipeline, job, progress)?;
        let numbers = &halves.numbers[half];
        let number = |document: u32| numbers[document as usize];
        self.pairs.extend(found.all_pairs()?.into_iter().map(|(a, b, _)| (number(a), number(b))));
        self.clusters
            .extend(numbers.iter().zip(&found.masters).map(|(&member, &master)| (member, number(master))));
        self.thresholds.push(found.threshold);
        self.candidates += found.candidates;
        self.seconds += found.seconds;
        Ok(())
    }

    fn judged(&self, halves: &Halves) -> Result<lookalike_learn::metrics::Judgement> {
        let mut clusters = self.clusters.clone();
        clusters.sort_unstable();
        let found = FoundPairs {
            pairs: self.pairs.iter().copied().collect(),
            similarities: Vec::new(),
            clusters: clusters.into_iter().map(|(_, master)| master).collect(),
        };
        let truth = Truth::Clusters(halves.labels.iter().copied().map(Some).collect());
        let options = MetricOptions { resamples: RESAMPLES, seed: SEED, ..MetricOptions::default() };
        judge(halves.labels.len() as u32, &found, &truth, &options)
    }

    fn f1(&self, halves: &Halves) -> Result<f64> {
        Ok(self.judged(halves)?.f1.map_or(0.0, |figure| figure.value))
    }

    fn line(&self, halves: &Halves) -> Result<Vec<String>> {
        let value = |figure: Option<Interval>| {
            figure.map_or("–".to_owned(), |f| format!("{:.4} ({:.3}–{:.3})", f.value, f.low, f.high))
        };
        let judgement = self.judged(halves)?;
        let thresholds: Vec<String> =
            self.thresholds.iter().map(|threshold| format!("{threshold:.3}")).collect();
        Ok(vec![
            self.name.clone(),
            thresholds.join(", "),
            value(judgement.precision),
            value(judgement.recall),
            value(judgement.f1),
            judgement.ari.map_or("–".to_owned(), four),
            self.candidates.to_string(),
            format!("{:.1}", self.seconds),
        ])
    }
}
