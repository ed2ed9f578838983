//! S09's Table 6.1 on as many documents as the thesis had, and on documents that change over time: does the order of
//! its adjustments come nearer to the thesis's than on one agency's news?

mod corpus;
mod measure;
mod order;
mod report;

use std::time::Instant;

use lookalike_core::Result;
use lookalike_core::registry::Registry;

use self::corpus::Corpus;
use self::measure::{Row, measure};
use super::measure::PAPER_DOCUMENTS;
use crate::{Data, Experiment, Reproduced};
use lookalike_engine::run::Progress;

pub const EXPERIMENT: Experiment = Experiment {
    name: "s09-scale",
    paper: "S09 Table 6.1",
    summary: "Precision of simhash by distance at the size of the thesis's corpus, and on evolving documents",
    data: &[
        "reuters-news.jsonl.zst",
        "reuters21578.jsonl.zst",
        "20news.jsonl.zst",
        "ota-versions.jsonl.zst",
        "docs-versions.tar.zst",
    ],
    quick: false,
    run,
};

/// A corpus, and what every variant finds in it.
struct Measured {
    name: &'static str,
    what: String,
    rows: Vec<Row>,
}

fn run(data: &Data, progress: &dyn Progress) -> Result<Reproduced> {
    let began = Instant::now();
    let registry = Registry::with_built_ins();
    let news = Corpus::news(data, progress)?;
    let size = news.documents();
    let all = Corpus::all(data, progress)?;
    let parts = all.documents();
    let made = all.grown_to(PAPER_DOCUMENTS);
    let terms = Corpus::terms(data, progress)?;
    let help = Corpus::help(data, progress)?;
    let corpora = [
        ("news", format!("{size} articles of reuters-news as they are"), news),
        (
            "grown",
            format!(
                "{PAPER_DOCUMENTS} documents made of {parts} articles and messages (reuters-news, reuters21578, 20news): each as it is, and revisions and compositions of it"
            ),
            made,
        ),
        ("terms", format!("{} dated versions of terms of service (ota-versions)", terms.documents()), terms),
        ("help", format!("{} English help pages of three versions (docs-versions)", help.documents()), help),
    ];
    let mut measured = Vec::new();
    for (name, what, corpus) in corpora {
        let rows = measure(&corpus, data.threads(), &registry, progress)?;
        measured.push(Measured { name, what, rows });
    }
    let result = report::report(&EXPERIMENT, &measured);
    Ok(Reproduced { seconds: began.elapsed().as_secs_f64(), ..result })
}
