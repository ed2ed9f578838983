//! The specification of an offline run: its documents, training data, truth, method, clustering and classifier.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use lookalike::{Error, Result};
use lookalike_core::registry::{Registry, unknown};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::assets::NamedAssets;
use lookalike::Recipe;
use lookalike::judge::{Labels, TruthSource};
use lookalike::judge::{Training, VOTE, choices};

const MOST_QUESTIONS: usize = 200;

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum JobKind {
    /// Near-duplicates of the testing documents are removed; what is kept and why is the result.
    Dedup,
    /// A classifier is trained on the training documents.
    Train,
    /// The recipe is judged on the testing documents against the truth.
    Evaluate,
    /// Pairs of the testing documents are sought that are most worth a person's label. Decisions are labels.
    Ask,
    /// The pairs that an earlier job found become decisions of the index.
    Apply,
    /// The decisions that came from an earlier job are withdrawn.
    Undo,
}

impl JobKind {
    /// Whether it works on the result of an earlier job.
    pub fn follows_another(self) -> bool {
        matches!(self, JobKind::Apply | JobKind::Undo)
    }
}

/// The specification of a job. Unknown fields are refused, so that no setting is silently ignored.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct NewJob {
    pub kind: JobKind,
    /// The job whose result is applied or undone.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub of: Option<u64>,
    /// The documents that are compared, or judged.
    #[serde(default, skip_serializing_if = "JobSource::is_empty")]
    pub testing: JobSource,
    /// The documents that a classifier learns from.
    #[serde(default, skip_serializing_if = "JobSource::is_empty")]
    pub training: JobSource,
    /// What is true of the documents, for training and judging.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub truth: Option<Truth>,
    /// A method by name; `recipe` says more.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub method: Option<String>,
    /// TOML, as in a recipe file.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub recipe: Option<String>,
    /// Recipe keys, such as `decide.threshold`.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub set: BTreeMap<String, String>,
    /// Compare only within clusters that this finds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(extend("enum" = ["fuzzy-c-means", "k-means", "none", null]))]
    pub clustering: Option<String>,
    /// How many pairs to ask for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 1, max = MOST_QUESTIONS))]
    pub questions: Option<usize>,
    /// Let a classifier decide that is trained first: a learner by name, or `best`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub classifier: Option<String>,
}

/// Where documents come from.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct JobSource {
    /// The documents of the index.
    #[serde(default)]
    pub index: bool,
    /// Corpora in folders that the service may read.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub paths: Vec<PathBuf>,
    /// Corpora that were uploaded, by name.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub uploads: Vec<String>,
}

#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Truth {
    /// The field that names each document's cluster.
    ClusterField(String),
    /// A file of labelled pairs.
    Pairs(LabelFile),
    /// A file of documents and their clusters.
    Clusters(LabelFile),
    /// What people decided of the index's documents; always true.
    Decisions(#[schemars(extend("const" = true))] bool),
    /// Every pair of this measure and threshold, such as `["jaccard", "0.8"]`.
    Exact(String, String),
}

/// A file of labels, as `train` and `evaluate` read it: JSON lines or CSV.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(untagged, deny_unknown_fields, expecting = "a file of labels is a path, or {\"upload\": NAME}")]
pub enum LabelFile {
    /// In a folder that the service may read.
    Path(PathBuf),
    Upload {
        upload: String,
    },
}

impl JobSource {
    pub fn is_empty(&self) -> bool {
        *self == JobSource::default()
    }
}

impl NewJob {
    /// Checks the specification before the job is queued.
    pub fn check(&self, registry: &Registry, assets: &NamedAssets) -> Result<()> {
        let missing = |what: &str| Error::config(format!("this kind of job needs {what}"));
        if self.questions.is_some_and(|questions| !(1..=MOST_QUESTIONS).contains(&questions)) {
            return Err(Error::config(format!("`questions` must be from 1 to {MOST_QUESTIONS}")));
        }
        if self.of.is_some() != self.kind.follows_another() {
            return Err(Error::config("`of` is for jobs that apply or undo another, which need it"));
        }
        if self.kind.follows_another() {
            return Ok(());
        }
        if self.kind != JobKind::Train && self.testing.is_empty() {
            return Err(missing("`testing`: the documents to work on"));
        }
        let trains = self.trains();
        if trains && self.training.is_empty() {
            return Err(missing("`training`: the documents to learn from"));
        }
        if (trains || self.kind == JobKind::Evaluate) && self.truth.is_none() {
            return Err(missing("`truth`"));
        }
        if let Some(name) = self.classifier.as_deref() {
            let known: Vec<&str> = choices().into_iter().map(|(known, _)| known).collect();
            if !known.contains(&name) {
                return Err(unknown("classifier", name, known));
            }
        }
        // The files it names must exist for every kind of job: no others are ever opened.
        let recipe = self.recipe(registry, assets, None)?;
        if self.kind != JobKind::Train && self.classifier.is_none() {
            recipe.build_with(registry, &recipe.assets_before_counting(registry)?)?;
        }
        Ok(())
    }

    /// Whether a classifier is trained first.
    pub fn trains(&self) -> bool {
        let uses_classifier = matches!(self.kind, JobKind::Dedup | JobKind::Evaluate);
        self.kind == JobKind::Train || (self.classifier.is_some() && uses_classifier)
    }

    /// The recipe, with the model if one was trained. Lexicons and models are named, as the service knows them.
    pub fn recipe(&self, registry: &Registry, assets: &NamedAssets, model: Option<&Path>) -> Result<Recipe> {
        let mut recipe = match (&self.recipe, &self.method) {
            (Some(_), Some(_)) => return Err(Error::config("give a `method` or a `recipe`, not both")),
            (Some(text), None) => Recipe::from_toml(text, registry)?,
            (None, Some(method)) => Recipe::for_method(method, registry)?,
            (None, None) => Recipe::standard(registry)?,
        };
        if let Some(clustering) = &self.clustering {
            for (key, value) in [
                ("features.type", "terms"),
                ("features.stop_words", "english"),
                ("features.weight", "idf"),
                ("features.lexicon", "english"),
                ("candidates.type", "clusters"),
                ("candidates.clustering", clustering),
                ("candidates.floor", "0.2"),
                ("decide.measure", "weighted-cosine"),
            ] {
                recipe.set(key, value)?;
            }
        }
        if model.is_some() {
            recipe.set("decide.type", "classifier")?;
        }
        recipe.set_all(&self.set)?;
        let mut recipe = assets.recipe(&recipe.to_toml(), registry)?;
        if let Some(model) = model {
            recipe.set("decide.model", &model.to_string_lossy())?;
        }
        Ok(recipe)
    }

    /// The recipe whose candidates a model was trained on, with the model to decide.
    pub fn trained_recipe(&self, registry: &Registry, assets: &NamedAssets, model: &Path) -> Result<Recipe> {
        let mut recipe = match self.recipe.is_some() || self.method.is_some() {
            true => self.recipe(registry, assets, None)?,
            false => Recipe::for_method("classifier", registry)?,
        };
        recipe.set("decide.type", "classifier")?;
        recipe.set("decide.model", &model.to_string_lossy())?;
        Ok(recipe)
    }

    /// Where the truth comes from. `file_of` finds a file of labels; `decisions` is the file with those of the
    /// index.
    pub fn truth(
        &self,
        file_of: impl Fn(&LabelFile) -> Result<PathBuf>,
        decisions: &Path,
    ) -> Result<TruthSource> {
        match &self.truth {
            None => Err(Error::config("this kind of job needs `truth`")),
            Some(Truth::ClusterField(field)) => Ok(TruthSource::ClusterField(field.clone())),
            Some(Truth::Pairs(file)) => {
                Ok(TruthSource::Pairs { file: file_of(file)?, labels: Labels::default(), rest: None })
            }
            Some(Truth::Clusters(file)) => Ok(TruthSource::Clusters { file: file_of(file)? }),
            Some(Truth::Decisions(_)) => {
                let (file, labels) = (decisions.to_owned(), Labels::default());
                Ok(TruthSource::Pairs { file, labels, rest: None })
            }
            Some(Truth::Exact(measure, threshold)) => Ok(TruthSource::Exact {
                measure: measure.clone(),
                threshold: threshold.clone(),
                settings: Vec::new(),
            }),
        }
    }

    pub fn training(
        &self,
        registry: &Registry,
        assets: &NamedAssets,
        truth: TruthSource,
    ) -> Result<Training> {
        let learner = self.classifier.clone().unwrap_or_else(|| VOTE.to_owned());
        let mut training = Training { learner, ..Training::new(truth, registry)? };
        // A model is trained on the candidates that it will decide on.
        if self.kind != JobKind::Train || self.recipe.is_some() || self.method.is_some() {
            training.recipe = self.recipe(registry, assets, None)?;
        }
        Ok(training)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn spec(json: &str) -> Result<NewJob> {
        let spec: NewJob = serde_json::from_str(json).map_err(|error| Error::config(error.to_string()))?;
        let folder = tempfile::tempdir().unwrap();
        spec.check(&Registry::with_built_ins(), &NamedAssets::new(folder.path())).map(|()| spec)
    }

    #[test]
    fn wishes_are_checked_before_they_wait() {
        let testing = "\"testing\":{\"index\":true}";
        assert!(spec(&format!("{{\"kind\":\"dedup\",{testing},\"method\":\"simhash\"}}")).is_ok());
        for (json, expected) in [
            ("{\"kind\":\"dedup\"}".to_owned(), "`testing`"),
            (format!("{{\"kind\":\"dedup\",{testing},\"method\":\"none\"}}"), "none"),
            (format!("{{\"kind\":\"dedup\",{testing},\"clustering\":\"none-such\"}}"), "none-such"),
            (format!("{{\"kind\":\"dedup\",{testing},\"hurry\":1}}"), "hurry"),
            (format!("{{\"kind\":\"dedup\",{testing},\"classifier\":\"best\"}}"), "`training`"),
            (format!("{{\"kind\":\"evaluate\",{testing}}}"), "`truth`"),
            ("{\"kind\":\"apply\"}".to_owned(), "`of`"),
            (format!("{{\"kind\":\"dedup\",\"of\":1,{testing}}}"), "`of`"),
            ("{\"kind\":\"train\",\"training\":{\"index\":true},\"truth\":{\"cluster_field\":\"c\"},\"classifier\":\"oracle\"}".to_owned(), "known: best"),
        ] {
            let told = spec(&json).err().unwrap().to_string();
            assert!(told.contains(expected), "{json}: {told}");
        }
    }
}
