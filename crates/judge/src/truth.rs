//! The truth about a corpus: labels of people, or an exact measure.

use std::collections::BTreeMap;
use std::path::PathBuf;

use lookalike_core::document::Id;
use lookalike_core::registry::Registry;
use lookalike_core::{Error, Result};
use lookalike_learn::metrics::{Truth, Unlabelled};

use super::JudgedCorpus;
use super::labels::{Labels, read_clusters, read_pairs};
use lookalike_engine::Recipe;
use lookalike_engine::run::{Job, Progress, find};

/// Where the truth comes from.
#[derive(Clone, Debug)]
pub enum TruthSource {
    /// A file of labelled pairs. If `rest` is absent, other pairs are left out if any label says
    /// `different`, and count as different if the file lists near-duplicates only.
    Pairs {
        /// JSON lines or CSV.
        file: PathBuf,
        /// What its labels mean.
        labels: Labels,
        /// How pairs that it does not list are treated.
        rest: Option<Unlabelled>,
    },
    /// A file of documents and their clusters.
    Clusters {
        /// JSON lines or CSV.
        file: PathBuf,
    },
    /// A field of the corpus that names each document's cluster.
    ClusterField(String),
    /// All pairs from this similarity on, computed by the exact join; settings change its recipe.
    Exact {
        /// The measure by name.
        measure: String,
        /// The least similarity, as a recipe has it.
        threshold: String,
        /// Keys of the recipe, and their values.
        settings: Vec<(String, String)>,
    },
}

/// The truth, and its description.
pub struct Known {
    /// Which pairs are near-duplicates.
    pub truth: Truth,
    /// The source of the truth, for people.
    pub description: String,
}

impl TruthSource {
    /// The fields of the corpus that hold the truth.
    pub fn fields(&self) -> Vec<String> {
        match self {
            TruthSource::ClusterField(field) => vec![field.clone()],
            _ => Vec::new(),
        }
    }

    /// Reads the truth about the documents of a corpus.
    pub fn read(
        &self,
        corpus: &JudgedCorpus,
        job: &Job,
        registry: &Registry,
        progress: &dyn Progress,
    ) -> Result<Known> {
        if matches!(self, TruthSource::Pairs { .. } | TruthSource::Clusters { .. }) {
            corpus.check_ids()?;
        }
        let mut known = match self {
            TruthSource::Pairs { file, labels, rest } => pairs(corpus, file, labels, *rest)?,
            TruthSource::Clusters { file } => {
                let clusters = read_clusters(file)?;
                let label = |id: &Id| clusters.get(&*id.display()).cloned();
                let labels: Vec<Option<String>> = corpus.ids.iter().map(label).collect();
                let truth = by_label(&labels);
                check_any(&labels, &format!("{} names no document of the corpus", file.display()))?;
                Known { truth, description: format!("clusters in {}", file.display()) }
            }
            TruthSource::ClusterField(field) => {
                let labels = corpus.field(field);
                check_any(labels, &format!("no document has the field `{field}`"))?;
                Known { truth: by_label(labels), description: format!("clusters by the field {field}") }
            }
            TruthSource::Exact { measure, threshold, settings } => {
                exact(measure, threshold, settings, job, registry, progress)?
            }
        };
        leave_out(&mut known, corpus);
        Ok(known)
    }
}

fn check_any(labels: &[Option<String>], error: &str) -> Result<()> {
    if labels.iter().all(Option::is_none) { Err(Error::Input(error.to_owned())) } else { Ok(()) }
}

fn by_label(labels: &[Option<String>]) -> Truth {
    let mut numbers: BTreeMap<&str, u32> = BTreeMap::new();
    let clusters = labels.iter().map(|label| {
        let label = label.as_deref()?;
        let next = numbers.len() as u32;
        Some(*numbers.entry(label).or_insert(next))
    });
    Truth::Clusters(clusters.collect())
}

fn pairs(
    corpus: &JudgedCorpus,
    file: &std::path::Path,
    labels: &Labels,
    rest: Option<Unlabelled>,
) -> Result<Known> {
    let (listed, skipped) = read_pairs(file, labels)?;
    let (mut found, mut unknown) = (BTreeMap::new(), 0u64);
    for pair in &listed {
        let (Some(a), Some(b)) = (corpus.number(&pair.a), corpus.number(&pair.b)) else {
            unknown += 1;
            continue;
        };
        if a == b {
            return Err(Error::Input(format!("{}: `{}` is paired with itself", file.display(), pair.a)));
        }
        if let Some(before) = found.insert((a.min(b), a.max(b)), pair.duplicate)
            && before != pair.duplicate
        {
            return Err(Error::Input(format!(
                "{}: `{}` and `{}` are labelled both ways",
                file.display(),
                pair.a,
                pair.b
            )));
        }
    }
    if found.is_empty() {
        return Err(Error::Input(format!("{} names no two documents of the corpus", file.display())));
    }
    let rest = rest.unwrap_or(if found.values().all(|&duplicate| duplicate) {
        Unlabelled::Different
    } else {
        Unlabelled::LeftOut
    });
    let positives = found.values().filter(|&&duplicate| duplicate).count();
    let mut description = format!(
        "{} labelled pairs in {}, {positives} of them near-duplicates; {}",
        found.len(),
        file.display(),
        match rest {
            Unlabelled::LeftOut => "other pairs are left out",
            Unlabelled::Different => "other pairs count as different",
        }
    );
    if skipped > 0 {
        description += &format!("; {skipped} left out by their label");
    }
    if unknown > 0 {
        description += &format!("; {unknown} name documents that are not in the corpus");
    }
    let pairs = found.into_iter().map(|((a, b), duplicate)| (a, b, duplicate)).collect();
    Ok(Known { truth: Truth::Pairs { pairs, rest }, description })
}

fn exact(
    measure: &str,
    threshold: &str,
    settings: &[(String, String)],
    job: &Job,
    registry: &Registry,
    progress: &dyn Progress,
) -> Result<Known> {
    let mut recipe = Recipe::for_method("cosine", registry)?;
    recipe.set("decide.measure", measure)?;
    recipe.set("decide.threshold", threshold)?;
    settings.iter().try_for_each(|(key, value)| recipe.set(key, value))?;
    let pipeline = recipe.build(registry)?;
    let outcome = find(&pipeline, job, progress)?;
    let features = pipeline.features.spec().kind;
    let pairs: Vec<(u32, u32, bool)> =
        outcome.all_pairs()?.into_iter().map(|(a, b, _)| (a, b, true)).collect();
    let description = format!(
        "all {} pairs with {measure} of {features} of at least {threshold}, by exact join in {:.1} s",
        pairs.len(),
        outcome.seconds
    );
    Ok(Known { truth: Truth::Pairs { pairs, rest: Unlabelled::Different }, description })
}

/// Removes documents that the user excludes from the truth.
fn leave_out(known: &mut Known, corpus: &JudgedCorpus) {
    let left_out = corpus.left_out.iter().filter(|&&out| out).count();
    if left_out == 0 {
        return;
    }
    match &mut known.truth {
        Truth::Clusters(clusters) => {
            for (cluster, &out) in clusters.iter_mut().zip(&corpus.left_out) {
                if out {
                    *cluster = None;
                }
            }
        }
        Truth::Pairs { pairs, .. } => {
            pairs.retain(|&(a, b, _)| !corpus.left_out[a as usize] && !corpus.left_out[b as usize]);
        }
    }
    known.description += &format!("; {left_out} documents left out");
}
