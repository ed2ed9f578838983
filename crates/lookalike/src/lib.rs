//! Lookalike finds, explains and removes near-duplicate documents.
//!
//! A [`Session`] does everything: it holds the parts that recipes may name. A [`Recipe`] says how documents are
//! compared; a [`Job`] says which, and where the results go; a [`Progress`] receives progress and warnings ([`Quiet`]
//! ignores them).
//!
//! # Near-duplicates in a corpus
//!
//! A corpus is a file or folder of JSON lines, JSON arrays, tables, Parquet or Arrow, plain or compressed.
//!
//! ```
//! # let folder = tempfile::tempdir().unwrap();
//! # let (corpus, output) = (folder.path().join("corpus.jsonl"), folder.path().join("deduped"));
//! use lookalike::{Job, Quiet, Session};
//!
//! let line = r#"{"text": "a text of more than five words, twice in this corpus"}"#;
//! std::fs::write(&corpus, format!("{line}\n{line}\n")).unwrap();
//!
//! let session = Session::default();
//! let job = Job::new([corpus.to_string_lossy()], &output);
//! let report = session.dedup(&session.standard()?, job, &Quiet)?.run(&Quiet)?;
//! assert_eq!((report.documents, report.kept), (2, 1));
//! assert!(output.join("kept.jsonl").exists() && output.join("report.html").exists());
//! # Ok::<(), lookalike::Error>(())
//! ```
//!
//! # Two texts
//!
//! All methods, or one, give their verdict on a pair, with reasons ([`compare`](mod@compare)).
//!
//! ```
//! let session = lookalike::Session::default();
//! let (a, b) = ("one two three four five six seven eight nine", "one two three four five six seven eight ten");
//! let comparison = session.compare_texts(None, a, b)?;
//! assert_eq!(comparison.passages[0].text, "one two three four five six seven eight");
//! # Ok::<(), lookalike::Error>(())
//! ```
//!
//! # Have we seen this?
//!
//! An index answers for one document at a time, with the results of a batch run ([`index`]).
//!
//! ```
//! # let folder = tempfile::tempdir().unwrap();
//! use lookalike::index::{DocumentVerdict, Policy, QueryOptions};
//!
//! let session = lookalike::Session::default();
//! let index = session.create_index(&folder.path().join("seen"), &session.standard()?)?;
//! let document = br#"{"id": "a", "text": "a text of more than five words that is remembered"}"#;
//! index.writer().add(document, Policy::Report, &QueryOptions::default())?;
//!
//! let asked = br#"{"text": "A text of more than five words, that is remembered!"}"#;
//! let answer = index.reader().check(asked, &QueryOptions::default())?;
//! assert_eq!(answer.verdict, DocumentVerdict::Duplicate);
//! # Ok::<(), lookalike::Error>(())
//! ```
//!
//! # Documents in files
//!
//! [`files::extract`] reads one file in this process. Folders with files from strangers are scanned by
//! [`Session::scan`], which reads them in child processes; [`files`] shows how to set that up.
//!
//! ```
//! use lookalike::files::{ExtractOutcome, Options, extract};
//!
//! let page = b"<html><body><h1>Minutes</h1><p>All agreed.</p></body></html>";
//! extract(page, "minutes.html", &Options::default(), &mut |found| {
//!     let ExtractOutcome::Document(document) = found else { panic!("no document") };
//!     assert_eq!(document.text, "Minutes\n\nAll agreed.");
//! });
//! ```
//!
//! # How good is a method here?
//!
//! Recipes are judged by labelled pairs, labelled clusters, or all pairs of an exact measure ([`judge`]); classifiers are
//! trained ([`Session::train`]) and recipes chosen ([`Session::tune`]) in the same way.
//!
//! ```
//! # let folder = tempfile::tempdir().unwrap();
//! # let corpus = folder.path().join("corpus.jsonl");
//! use lookalike::judge::{Contestant, Evaluation, TruthSource};
//! use lookalike::{Job, Quiet, Session};
//!
//! let same = "the same seven words are in both";
//! let texts = [(same, 1), (same, 1), ("nothing that any other document of these has", 2)];
//! let lines = texts.map(|(text, group)| format!("{{\"text\": \"{text}\", \"group\": {group}}}\n"));
//! std::fs::write(&corpus, lines.concat()).unwrap();
//!
//! let session = Session::default();
//! let recipe = session.method("minhash")?;
//! let ready = session.ready(&recipe, Job::new([corpus.to_string_lossy()], ""), &Quiet)?;
//! let contestants = Contestant::all(&[("minhash".to_owned(), recipe)], &[])?;
//! let evaluation = Evaluation::new(TruthSource::ClusterField("group".to_owned()));
//! let evaluated = session.evaluate(&evaluation, &contestants, &ready, &Quiet)?;
//! assert_eq!(evaluated.results[0].judgement.recall.map(|recall| recall.value), Some(1.0));
//! # Ok::<(), lookalike::Error>(())
//! ```
//!
//! # Parts of your own
//!
//! Each stage from documents to clusters is a small trait ([`parts`]). Registered parts can be named in recipes, and
//! used in runs, indexes, the service and the command line.
//!
//! ```
//! use lookalike::parts::{FeatureSet, Measure, Overlap, PartInfo, Spec};
//! use lookalike::{Registry, Session};
//!
//! /// Shared features over the features of the larger document.
//! struct LargerShare;
//!
//! impl Measure for LargerShare {
//!     fn spec(&self) -> Spec {
//!         Spec::new("larger-share")
//!     }
//!
//!     fn similarity(&self, _: &FeatureSet, _: &FeatureSet, overlap: &Overlap) -> f64 {
//!         f64::from(overlap.shared) / f64::from(overlap.a.max(overlap.b)).max(1.0)
//!     }
//! }
//!
//! let mut registry = Registry::with_built_ins();
//! let info = PartInfo { name: "larger-share", summary: "Shared over the larger", paper: "", params: &[] };
//! registry.measures.register(info, |_, _| Ok(Box::new(LargerShare)))?;
//!
//! let session = Session::new(registry);
//! let recipe = session.recipe("decide = { measure = 'larger-share', threshold = 0.9 }")?;
//! let comparison = session.compare_texts(Some(&recipe), "one two three four five", "One, two: three four five")?;
//! assert_eq!(comparison.methods[0].similarity, 1.0);
//! # Ok::<(), lookalike::Error>(())
//! ```
//!
//! # Features
//!
//! Most are on by default. Without any, the library has runs, comparisons and lexicons over text corpora.
//!
//! | feature | adds |
//! |---|---|
//! | `parquet` | corpora in Parquet and Arrow files |
//! | `files` | [`files`]: documents out of files of many formats, scanning folders of them |
//! | `index` | [`index`]: the persistent index |
//! | `judge` | [`judge`]: evaluating, training, tuning |
//! | `arrow` | [`arrow`]: documents and results as Arrow tables in memory; off by default |
//! | `reproduce` | [`reproduce`]: the experiments of the papers; needs `files` and `judge` |
//! | `schema` | JSON schemas of what is answered over HTTP; off by default |

#![deny(missing_docs)]

#[cfg(feature = "arrow")]
pub mod arrow;
pub mod compare;
pub mod decisions;
#[cfg(feature = "files")]
pub mod files;
#[cfg(feature = "index")]
pub mod index;
#[cfg(feature = "judge")]
pub mod judge;
pub mod lexicon;
pub mod parts;
#[cfg(feature = "reproduce")]
pub mod reproduce;
mod session;

pub use lookalike_core::document::Id;
pub use lookalike_core::duration::parse_time;
pub use lookalike_core::registry::Registry;
pub use lookalike_core::{Error, Result};
pub use lookalike_engine::corpus::Corpus;
pub use lookalike_engine::memory::parse_bytes;
pub use lookalike_engine::run::plan::Plan;
pub use lookalike_engine::run::report::{DecisionCounts, Report, WeakText};
pub use lookalike_engine::run::{Job, MeasuredRecall, Outcome, Progress, Quiet, RecallSample, compute};
pub use lookalike_engine::{Pipeline, Recipe};
#[cfg(all(feature = "files", feature = "index"))]
pub use session::CheckedFile;
#[cfg(feature = "arrow")]
pub use session::TableResult;
pub use session::{Dedup, ReadyJob, Session};

/// Runs a job to its end, from the beginning or from where it was interrupted: computes its outcome and writes the
/// files, including the page for people. [`Session::dedup`] also reads files of other formats.
pub fn run(pipeline: &Pipeline, job: &Job, progress: &dyn Progress) -> Result<Report> {
    lookalike_engine::run::run(pipeline, job, lookalike_report::run::render, progress)
}
