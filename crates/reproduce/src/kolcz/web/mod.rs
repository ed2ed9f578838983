//! K08 Figures 3, 4 and 5 and its comparison with megashingling (K04 Figure 2): near-duplicate pages.

mod measured;
mod report;

use std::collections::BTreeMap;
use std::time::Instant;

use lookalike_core::registry::Registry;
use lookalike_core::{Error, Result};
use serde_json::json;

use self::measured::{Measured, Spurious};
use self::report::report;
use super::bags::{Choice, LEXICONS, count_words, recipe, truth};
use super::foreign::across;
use super::mails::job_over;
use crate::{Data, Experiment, Reproduced};
use lookalike_engine::run::{Job, Progress};
use lookalike_judge::{Contestant, Evaluation, Judged, evaluate};

pub const EXPERIMENT: Experiment = Experiment {
    name: "k08-web",
    paper: "K08 Figures 3, 4 and 5 and its comparison with megashingling; K04 Figure 2",
    summary: "Recall, precision and pure clusters of I-Match on pages, with lexicons of their own and of others",
    data: &["reuters-news.jsonl.zst", "20news.jsonl.zst", "docs-versions.tar.zst"],
    quick: true,
    run,
};

const RESAMPLES: u32 = 200;
const SEED: u64 = 1;

fn run(data: &Data, progress: &dyn Progress) -> Result<Reproduced> {
    let began = Instant::now();
    let registry = Registry::with_built_ins();
    let news = data.job(&["reuters-news.jsonl.zst"], progress)?;
    let groups = data.job(&["20news.jsonl.zst"], progress)?;
    let help = help_pages(data, progress)?;
    let count = |job: &Job, name: &str| count_words(data, job, name, progress);
    let lexicons: BTreeMap<&str, String> = [
        ("english", "english".to_owned()),
        ("news", count(&news, "news")?),
        ("newsgroups", count(&groups, "newsgroups")?),
        ("help", count(&help, "help")?),
    ]
    .into();
    let measure = |name, what, job: &Job, named: [(&str, &str); 3]| {
        let choices = named.map(|(label, lexicon)| Choice {
            name: label.to_owned(),
            lexicon: lexicons.get(lexicon).cloned().unwrap_or_default(),
            window: ("0.2", "0.8"),
        });
        measured(name, what, job, choices.into(), &registry, progress)
    };
    let measured = [
        measure(
            "help",
            "English help pages of LibreOffice in up to three versions, copies included",
            &help,
            [("english", "english"), ("newsgroups", "newsgroups"), ("native", "help")],
        )?,
        measure(
            "reuters-news",
            "articles of a news site; `english` was counted from articles of the same agency",
            &news,
            [("english", "english"), ("newsgroups", "newsgroups"), ("native", "news")],
        )?,
        measure(
            "20news",
            "messages of newsgroups",
            &groups,
            [("english", "english"), ("news", "news"), ("native", "newsgroups")],
        )?,
    ];
    let spurious = spurious(&measured[0], &help, &registry, progress)?;
    let mut result = report(&EXPERIMENT, &measured, &spurious)?;
    result.seconds = began.elapsed().as_secs_f64();
    Ok(result)
}

fn measured(
    name: &'static str,
    what: &'static str,
    job: &Job,
    choices: Vec<Choice>,
    registry: &Registry,
    progress: &dyn Progress,
) -> Result<Measured> {
    let mut contestants = Vec::new();
    for choice in &choices {
        contestants.extend(choice.series(registry)?);
    }
    for (name, verify) in
        [("megashingling, not verified", "signature"), ("megashingling, Jaccard 0.8", "exact")]
    {
        let recipe = recipe("megashingle", &[("decide.verify", verify)], registry)?;
        contestants.push(Contestant { name: name.to_owned(), settings: Vec::new(), recipe });
    }
    let mut evaluation = Evaluation::new(truth());
    (evaluation.resamples, evaluation.seed) = (RESAMPLES, SEED);
    let all = evaluate(&evaluation, &contestants, job, registry, progress)?;
    let (bags, megashingles) = all.results.split_at(choices.len() * LEXICONS);
    Ok(Measured {
        name,
        what,
        documents: all.documents,
        truth: all.truth,
        choices: choices.into_iter().zip(bags.chunks(LEXICONS).map(<[Judged]>::to_vec)).collect(),
        megashingles: megashingles.to_vec(),
    })
}

/// The English help pages as a corpus whose field `page` is the same in every version of a page.
fn help_pages(data: &Data, progress: &dyn Progress) -> Result<Job> {
    let job = data.job(&["docs-versions.tar.zst"], progress)?;
    let mut lines = String::new();
    job.corpus()?.for_each(&[], |_, id, document| {
        let name = id.display();
        let path = name.split_once('#').map_or(&*name, |(_, path)| path);
        if let Some(page) = page_of(path) {
            lines += &format!("{}\n", json!({ "id": path, "page": page, "text": document.text }));
        }
        Ok(())
    })?;
    let corpus = data.scratch().join("help-pages.jsonl");
    std::fs::write(&corpus, lines).map_err(Error::io(&corpus))?;
    Ok(job_over(vec![corpus.to_string_lossy().into_owned()], data, &job))
}

/// The path of an English page within its version: `lohelp/en-us/7.4/shared/02/a.html` is `shared/02/a.html`.
fn page_of(path: &str) -> Option<&str> {
    let (_, of_version) = path.split_once("/en-us/")?;
    of_version.split_once('/').map(|(_, page)| page)
}

fn spurious(help: &Measured, job: &Job, registry: &Registry, progress: &dyn Progress) -> Result<Spurious> {
    let (Some((choice, series)), true) = (help.choices.first(), help.documents > 0) else {
        return Err(Error::Internal("no lexicon was tried on the help pages".to_owned()));
    };
    let counts = series.last().map(|judged| judged.judgement.counts).unwrap_or_default();
    let pairs = across(&choice.recipe(registry)?, job, "page", registry, progress)?;
    Ok(Spurious { pairs, found: counts.true_positives + counts.false_positives })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_of_a_page_have_one_name() {
        let page =
            |version: &str| page_of(&format!("lohelp/en-us/{version}/shared/02/a.html")).map(str::to_owned);
        assert_eq!(page("7.0"), page("25.2"));
        assert_eq!(page("7.0").as_deref(), Some("shared/02/a.html"));
        assert_eq!(page_of("lohelp/ja/7.0/shared/02/a.html"), None);
    }
}
