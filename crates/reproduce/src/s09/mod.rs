//! S09 chapter 6: how precise simhash is on news, plain and with each adjustment of the thesis.

mod articles;
mod markup;
mod measure;
mod report;
mod scale;
mod shapes;
mod tables;
mod variants;

use lookalike_core::Result;
use lookalike_core::registry::Registry;

use self::articles::Articles;
use self::measure::{Rows, cuts, fingerprint_search};
use self::variants::{DISTANCES, Variant, variants};
use super::{Data, Experiment, Reproduced};
use lookalike_engine::run::{Job, Progress};
use lookalike_judge::TruthSource;

pub use scale::EXPERIMENT as SCALE;

pub const EXPERIMENT: Experiment = Experiment {
    name: "s09-simhash",
    paper: "S09 Tables 6.1 and 6.2, Figures 6-1 and 6-2, §6.2",
    summary: "Precision and neighbours of simhash by distance, plain and with every adjustment",
    data: &["reuters-news.jsonl.zst", "docs-versions.tar.zst"],
    quick: false,
    run,
};

fn run(data: &Data, progress: &dyn Progress) -> Result<Reproduced> {
    let began = std::time::Instant::now();
    let registry = Registry::with_built_ins();
    let job = data.job(&["reuters-news.jsonl.zst"], progress)?;
    let job = Articles::prepare(&job, &data.scratch().join("articles.jsonl"))?;
    let articles = Articles::read(&job, &registry, progress)?;
    let cosine = TruthSource::Exact {
        measure: "cosine".to_owned(),
        threshold: "0.9".to_owned(),
        settings: Vec::new(),
    };
    let corpus = lookalike_judge::JudgedCorpus::read(&job, &[], None)?;
    let known = cosine.read(&corpus, &job, &registry, progress)?;
    let truths = measure::Truths {
        person: articles.truth(),
        resemblance: articles.truth_by_resemblance(),
        cosine: known.truth,
    };
    let cuts = cuts(&job, &registry, progress)?;
    let mut rows = Rows::new(&articles, &truths);
    for variant in variants(cuts) {
        let field = if variant.reads_markup() { "marked" } else { "text" };
        let job = Job { text_field: field.to_owned(), ..job.clone() };
        rows.measure(variant, &job, &registry, progress)?;
    }
    let pages = markup::measure(data, &registry, progress)?;
    let search = fingerprint_search(job.threads)?;
    let result = report::report(&articles, cuts, &rows.rows, &pages, search, job.threads);
    Ok(Reproduced { seconds: began.elapsed().as_secs_f64(), ..result })
}
