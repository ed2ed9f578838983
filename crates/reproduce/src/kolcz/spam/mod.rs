//! K08 Tables 2 and 3 and Figure 6 (K04 Table 1 and Figure 3): spam as queries among spam and legitimate
//! mail.

mod findings;
mod measured;
mod report;

use std::time::Instant;

use lookalike_core::Result;
use lookalike_core::registry::Registry;

use self::measured::{CLUSTER, HONEYPOT, Measured, Printed};
use self::report::report;
use super::bags::{Choice, LEXICONS, PRINTED_LEXICONS, WORDS, count_words, legitimate, recipe, truth};
use super::foreign::across;
use super::mails::{Mails, job_over};
use crate::{Data, Experiment, Reproduced};
use lookalike_engine::run::{Job, Progress};
use lookalike_judge::{Contestant, Evaluation, FieldFilter, Judged, evaluate};

pub const EXPERIMENT: Experiment = Experiment {
    name: "k08-spam",
    paper: "K08 Tables 2 and 3, Figure 6; K04 Table 1, Figure 3",
    summary: "Recall and utility of I-Match on spam against the number of randomised lexicons",
    data: &["spam-gp.tar.zst", "spamassassin.tar.zst", "enron.tar.zst", "reuters-news.jsonl.zst"],
    quick: false,
    run,
};

/// The share of the spam that serves as queries (K08 §7.2).
const QUERIES: f64 = 0.1;
const SEED: u64 = 1;
const RESAMPLES: u32 = 200;

fn run(data: &Data, progress: &dyn Progress) -> Result<Reproduced> {
    let began = Instant::now();
    let registry = Registry::with_built_ins();
    let mut legitimate = Mails::default();
    legitimate.add(data, "enron.tar.zst", "", progress)?;
    for folder in ["easy-ham", "hard-ham"] {
        legitimate.add(data, "spamassassin.tar.zst", folder, progress)?;
    }
    let news = data.job(&["reuters-news.jsonl.zst"], progress)?;
    let setting = Setting {
        data,
        registry: &registry,
        legitimate_file: legitimate.write(data, "legitimate", "ham")?,
        legitimate: &legitimate,
        news_lexicon: count_words(data, &news, "news", progress)?,
        model: news,
        progress,
    };
    let measured = [
        setting.measure("GP", "spam-gp.tar.zst", "GP", &HONEYPOT)?,
        setting.measure("SpamAssassin", "spamassassin.tar.zst", "spam", &CLUSTER)?,
    ];
    let mut result = report(&EXPERIMENT, &measured, &legitimate)?;
    result.seconds = began.elapsed().as_secs_f64();
    Ok(result)
}

struct Setting<'a> {
    data: &'a Data,
    registry: &'a Registry,
    legitimate_file: String,
    legitimate: &'a Mails,
    news_lexicon: String,
    model: Job,
    progress: &'a dyn Progress,
}

impl Setting<'_> {
    fn measure(
        &self,
        name: &'static str,
        archive: &str,
        folder: &str,
        printed: &'static Printed,
    ) -> Result<Measured> {
        let Setting { data, registry, progress, .. } = *self;
        let mut spam = Mails::default();
        spam.add(data, archive, folder, progress)?;
        let inputs = vec![spam.write(data, name, "spam")?, self.legitimate_file.clone()];
        let job = job_over(inputs, data, &self.model);
        let choices = self.choices(&count_words(data, &job, &format!("{name}-native"), progress)?);
        let mut contestants = choices.first().map_or(Ok(Vec::new()), |first| first.series(registry))?;
        let mut evaluation = Evaluation::new(truth());
        evaluation.legitimate =
            Some(FieldFilter { field: "label".to_owned(), values: vec!["ham".to_owned()] });
        (evaluation.resamples, evaluation.seed) = (RESAMPLES, SEED);
        evaluation.queries = Some(QUERIES);
        let tenth = evaluate(&evaluation, &contestants, &job, registry, progress)?.results;
        for choice in &choices {
            contestants.extend(choice.printed(registry)?);
        }
        contestants.extend(others(registry)?);
        evaluation.queries = Some(1.0);
        let judged = evaluate(&evaluation, &contestants, &job, registry, progress)?;
        let (all, rest) = judged.results.split_at(LEXICONS);
        let (bags, others) = rest.split_at(choices.len() * PRINTED_LEXICONS.len());
        let bags = bags.chunks(PRINTED_LEXICONS.len()).map(<[Judged]>::to_vec);
        let choices: Vec<(Choice, Vec<Judged>)> = choices.into_iter().zip(bags).collect();
        let mut matched = Vec::new();
        for (choice, series) in &choices {
            if series.last().is_some_and(|judged| legitimate(judged) > 0) {
                let pairs = across(&choice.recipe(registry)?, &job, "label", registry, progress)?;
                matched.push((choice.label(), pairs));
            }
        }
        let in_both = spam.in_both(self.legitimate);
        Ok(Measured {
            name,
            printed,
            spam,
            in_both,
            truth: judged.truth,
            tenth,
            all: all.to_vec(),
            choices,
            others: others.to_vec(),
            matched,
        })
    }

    /// The paper's window of a lexicon of news first; then wider ones, and lexicons of other texts.
    fn choices(&self, native: &str) -> Vec<Choice> {
        let lexicons = [("english", "english"), ("news", self.news_lexicon.as_str()), ("native", native)];
        let mut choices = Vec::new();
        for (name, lexicon) in lexicons {
            for window in [("0.2", "0.3"), ("0.05", "0.2"), ("0.2", "0.8")] {
                choices.push(Choice { name: name.to_owned(), lexicon: lexicon.to_owned(), window });
            }
        }
        choices
    }
}

/// Other methods, with their own verification; and the truth itself, which no method can exceed.
fn others(registry: &Registry) -> Result<Vec<Contestant>> {
    let email: &[(&str, &str)] = &[("sign.preset", "email")];
    type Settings = &'static [(&'static str, &'static str)];
    let recipes: [(&str, &str, Settings); 13] = [
        (
            "I-Match, not verified, |S|/|U| at least 0.2",
            "imatch",
            &[("sign.preset", "email"), ("sign.ratio", "0.2"), ("decide.verify", "signature")],
        ),
        ("I-Match, verified: cosine 0.9", "imatch", email),
        (
            "I-Match, 20 lexicons, verified: cosine 0.8",
            "imatch",
            &[("sign.preset", "email"), ("sign.lexicons", "20"), ("decide.threshold", "0.8")],
        ),
        ("minhash: 5-grams, Jaccard 0.8", "minhash", &[]),
        (
            "minhash: 2-grams, Jaccard 0.7",
            "minhash",
            &[("features.shingle", "2"), ("decide.threshold", "0.7")],
        ),
        ("word-tuples: Jaccard 0.7", "word-tuples", &[]),
        ("simhash: distance 3", "simhash", &[]),
        ("textprofile, 10 copies, verified: cosine 0.9", "textprofile", &[]),
        ("textprofile, 10 copies, not verified", "textprofile", &[("decide.verify", "signature")]),
        ("spotsigs: Jaccard 0.5", "spotsigs", &[]),
        ("megashingle", "megashingle", &[]),
        (
            "ensemble of minhash, word-tuples and I-Match, verified: cosine 0.9",
            "ensemble",
            &[
                ("features.type", "words"),
                WORDS[0],
                WORDS[1],
                ("candidates.methods", "['minhash', 'word-tuples', 'imatch']"),
                ("decide.measure", "cosine"),
                ("decide.threshold", "0.9"),
            ],
        ),
        ("the truth itself: exact join, cosine 0.9", "cosine", &WORDS),
    ];
    let contestant = |(name, method, settings): (&str, &str, &[(&str, &str)])| {
        let recipe = recipe(method, settings, registry)?;
        Ok(Contestant { name: name.to_owned(), settings: Vec::new(), recipe })
    };
    recipes.into_iter().map(contestant).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_other_method_can_be_built() {
        let registry = Registry::with_built_ins();
        for contestant in others(&registry).unwrap() {
            contestant.check(&registry).unwrap_or_else(|error| panic!("{}: {error}", contestant.name));
        }
    }
}
