//! The labelled collections: documents of which people, or the way the documents came about, say which are
//! versions of each other. Collections whose truth is a measure are left out, since a threshold on that
//! measure cannot be beaten; and those whose near-duplicates are exact copies (crossposts, mails filed twice),
//! which a run pairs without a decision.

use std::collections::BTreeMap;
use std::path::PathBuf;

use lookalike_core::registry::Registry;
use lookalike_core::{Error, Result};
use lookalike_plumbing::files::AtomicFile;
use serde_json::json;

use crate::Data;
use lookalike_engine::Recipe;
use lookalike_engine::run::{Job, Progress};
use lookalike_judge::{FieldFilter, JudgedCorpus, Labels, TruthSource, read_clusters, read_pairs};

/// Documents, and what is true of them.
pub struct Collection {
    pub name: &'static str,
    /// What the documents are, and whence the truth.
    pub about: &'static str,
    pub file: &'static str,
    truth: Provenance,
    leave_out: Option<&'static str>,
    /// Fields that are compared besides the text.
    pub fields: &'static [&'static str],
    /// The recipe whose candidates are decided on, if it is not the method `classifier`.
    recipe: Option<&'static str>,
}

/// What most collections have in common.
const PLAIN: Collection = Collection {
    name: "",
    about: "",
    file: "",
    truth: Provenance::Field("cluster"),
    leave_out: None,
    fields: &[],
    recipe: None,
};

/// For rewritten texts, which share few runs of words: every pair with a few words in common is a candidate.
const ALL_PAIRS: &str = "method = 'cosine'\n[features]\ntype = 'terms'\nstop_words = 'english'\nweight = 'idf'\n\
                         lexicon = 'english'\n[candidates]\ntype = 'clusters'\nclustering = 'none'\nfloor = 0.05";

/// How a collection tells which documents are near-duplicates.
enum Provenance {
    /// A field of the documents names their cluster.
    Field(&'static str),
    /// The part of a path that versions share names their cluster.
    Path(fn(&str) -> Option<String>),
    /// A file lists the members of each cluster; other documents are alone.
    Groups(&'static str),
    /// A file lists all pairs of near-duplicates.
    Pairs(&'static str),
    /// A file lists labelled pairs, of which these labels mean near-duplicates.
    Labels(&'static str, &'static [&'static str]),
    /// Pairs of a file are near-duplicates if both have the same value of a field.
    SameField(&'static str, &'static str),
}

/// Every file that the collections need.
pub const FILES: [&str; 15] = [
    "asysd-citations.jsonl.zst",
    "clough-stevenson.jsonl.zst",
    "clough-stevenson.labels.jsonl.zst",
    "docs-versions.tar.zst",
    "licences.jsonl.zst",
    "licences.pairs.jsonl.zst",
    "lingspam4.jsonl.zst",
    "minhash-articles.jsonl.zst",
    "minhash-articles.truth.jsonl.zst",
    "news-pages.groups.jsonl.zst",
    "news-pages.tar.zst",
    "ota-versions.jsonl.zst",
    "reuters-news.jsonl.zst",
    "reuters-news.pairs.jsonl.zst",
    "web-twice.tar.zst",
];

pub const COLLECTIONS: [Collection; 10] = [
    Collection {
        name: "asysd-citations",
        about: "bibliographic records; truth is the human decision, 104 records left out where titles and decision disagree; \
                author, year, journal and doi compared beside title and abstract",
        file: "asysd-citations.jsonl.zst",
        truth: Provenance::Field("cluster"),
        leave_out: Some("ambiguous"),
        fields: &["author", "year", "journal", "doi"],
        ..PLAIN
    },
    Collection {
        name: "clough-stevenson",
        about: "short answers, copied, lightly or heavily revised, or not; all three kinds of reuse are near-duplicates",
        file: "clough-stevenson.jsonl.zst",
        truth: Provenance::Labels("clough-stevenson.labels.jsonl.zst", &["cut", "light", "heavy"]),
        recipe: Some(ALL_PAIRS),
        ..PLAIN
    },
    Collection {
        name: "licences",
        about: "pairs of licence texts and notices with Jaccard >= 0.8; near-duplicates name the same licence expression, the \
                others (22 %) are hard negatives",
        file: "licences.jsonl.zst",
        truth: Provenance::SameField("licences.pairs.jsonl.zst", "license"),
        ..PLAIN
    },
    Collection {
        name: "ota-versions",
        about: "dated versions of terms of service; near-duplicates are versions of one document",
        file: "ota-versions.jsonl.zst",
        truth: Provenance::Field("cluster"),
        ..PLAIN
    },
    Collection {
        name: "lingspam4",
        about: "mails, each also without stop words, lemmatised, and both; near-duplicates are variants of one mail",
        file: "lingspam4.jsonl.zst",
        truth: Provenance::Field("cluster"),
        ..PLAIN
    },
    Collection {
        name: "docs-versions",
        about: "help pages in three languages and three versions; near-duplicates are versions of one page",
        file: "docs-versions.tar.zst",
        truth: Provenance::Path(page_of_any_version),
        ..PLAIN
    },
    Collection {
        name: "news-pages",
        about: "pages of news sites with shared templates; near-duplicates are captures of one address",
        file: "news-pages.tar.zst",
        truth: Provenance::Groups("news-pages.groups.jsonl.zst"),
        ..PLAIN
    },
    Collection {
        name: "web-twice",
        about: "web pages scraped twice; near-duplicates are visits of one page",
        file: "web-twice.tar.zst",
        truth: Provenance::Path(page_of_any_visit),
        ..PLAIN
    },
    Collection {
        name: "reuters-news",
        about: "pairs of news with Jaccard >= 0.5; near-duplicates have one story number, the others are reports of other days or \
                on other companies",
        file: "reuters-news.jsonl.zst",
        truth: Provenance::SameField("reuters-news.pairs.jsonl.zst", "story"),
        ..PLAIN
    },
    Collection {
        name: "minhash-articles",
        about: "news sentences with 20 planted copies",
        file: "minhash-articles.jsonl.zst",
        truth: Provenance::Pairs("minhash-articles.truth.jsonl.zst"),
        ..PLAIN
    },
];

impl Collection {
    /// The recipe in which the model decides.
    pub fn recipe(&self, registry: &Registry) -> Result<Recipe> {
        match self.recipe {
            Some(recipe) => Recipe::from_toml(recipe, registry),
            None => Recipe::for_method("classifier", registry),
        }
    }

    pub fn leave_out(&self) -> Result<Option<FieldFilter>> {
        self.leave_out.map(FieldFilter::parse).transpose()
    }

    /// The documents and the source of the truth about them; what it needs is written to the scratch folder.
    pub fn open(&self, data: &Data, progress: &dyn Progress) -> Result<(Job, TruthSource)> {
        let job = data.job(&[self.file], progress)?;
        let pairs = |file: PathBuf, labels: Labels| TruthSource::Pairs { file, labels, rest: None };
        let truth = match &self.truth {
            Provenance::Field(field) => TruthSource::ClusterField((*field).to_owned()),
            Provenance::Path(cluster_of) => self.clusters(data, &job, cluster_of)?,
            Provenance::Groups(file) => {
                let groups = read_clusters(&members(data, file, self.name)?)?;
                // A document that no group names is a cluster of its own.
                self.clusters(data, &job, |path| {
                    Some(groups.get(path).cloned().unwrap_or_else(|| path.to_owned()))
                })?
            }
            Provenance::Pairs(file) => pairs(data.path(file), Labels::default()),
            Provenance::Labels(file, positive) => {
                let positive = positive.iter().map(|&label| label.to_owned()).collect();
                pairs(data.path(file), Labels { positive, ..Labels::default() })
            }
            Provenance::SameField(file, field) => {
                pairs(same_field(data, &job, file, field)?, Labels::default())
            }
        };
        Ok((job, truth))
    }

    /// Clusters by the path of a document in its archive.
    fn clusters(
        &self,
        data: &Data,
        job: &Job,
        cluster_of: impl Fn(&str) -> Option<String>,
    ) -> Result<TruthSource> {
        let path = data.scratch().join(format!("{}.clusters.jsonl", self.name));
        let mut file = AtomicFile::create(&path)?;
        for id in &JudgedCorpus::read(job, &[], None)?.ids {
            let id = &*id.display();
            let member = id.split_once('#').map_or(id, |(_, member)| member);
            let Some(cluster) = cluster_of(member) else { continue };
            file.write(format!("{}\n", json!({ "id": id, "cluster": cluster })).as_bytes())?;
        }
        file.finish()?;
        Ok(TruthSource::Clusters { file: path })
    }
}

/// `lohelp/en-us/7.4/shared/01.html` without its version.
fn page_of_any_version(path: &str) -> Option<String> {
    let mut parts: Vec<&str> = path.split('/').collect();
    (parts.len() > 3).then(|| parts.remove(2))?;
    Some(parts.join("/"))
}

/// `page-compare/about-2.html` without the number of the visit.
fn page_of_any_visit(path: &str) -> Option<String> {
    ["-1.html", "-2.html"].iter().find_map(|ending| path.strip_suffix(ending)).map(str::to_owned)
}

/// Lines with `ids` as lines with `members`, which clusters are read from.
fn members(data: &Data, name: &str, collection: &str) -> Result<PathBuf> {
    let source = data.path(name);
    let bytes = std::fs::read(&source).map_err(Error::io(&source))?;
    let text = zstd::decode_all(&bytes[..]).map_err(Error::io(&source))?;
    let path = data.scratch().join(format!("{collection}.groups.jsonl"));
    let mut file = AtomicFile::create(&path)?;
    for line in String::from_utf8_lossy(&text).lines() {
        let row: BTreeMap<String, serde_json::Value> = serde_json::from_str(line)
            .map_err(|error| Error::Input(format!("{}: {error}", source.display())))?;
        file.write(format!("{}\n", json!({ "members": row.get("ids") })).as_bytes())?;
    }
    file.finish()?;
    Ok(path)
}

/// The pairs of a file, labelled by whether a field of both documents is the same.
fn same_field(data: &Data, job: &Job, name: &str, field: &str) -> Result<PathBuf> {
    let path = data.scratch().join(format!("{name}.labels.jsonl"));
    let corpus = JudgedCorpus::read(job, &[field.to_owned()], None)?;
    let value = |id: &str| corpus.number(id).and_then(|number| corpus.field(field)[number as usize].clone());
    let labels = Labels { field: "j".to_owned(), least: Some(0.0), ..Labels::default() };
    let mut file = AtomicFile::create(&path)?;
    for pair in read_pairs(&data.path(name), &labels)?.0 {
        let (Some(a), Some(b)) = (value(&pair.a), value(&pair.b)) else {
            return Err(Error::Input(format!("{} or {} has no {field}", pair.a, pair.b)));
        };
        file.write(format!("{}\n", json!({ "a": pair.a, "b": pair.b, "label": a == b })).as_bytes())?;
    }
    file.finish()?;
    Ok(path)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_and_visits_share_their_page() {
        let version = |path| page_of_any_version(path);
        assert_eq!(version("lohelp/ja/7.0/a/b.html"), version("lohelp/ja/25.2/a/b.html"));
        assert_ne!(version("lohelp/ja/7.0/a/b.html"), version("lohelp/en-us/7.0/a/b.html"));
        assert_eq!(version("lohelp/ja"), None);
        assert_eq!(page_of_any_visit("p/about-1.html"), page_of_any_visit("p/about-2.html"));
        assert_eq!(page_of_any_visit("p/about.html"), None);
    }

    #[test]
    fn every_collection_names_its_files() {
        for collection in &COLLECTIONS {
            assert!(FILES.contains(&collection.file), "{}", collection.file);
        }
    }
}
