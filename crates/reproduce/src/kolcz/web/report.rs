//! What was measured on pages, beside K08's own figures.

use lookalike_core::Result;

use super::measured::{Measured, Spurious};
use crate::kolcz::bags::{cell, figure, increase, line, precision, pure, recall, without_time};
use crate::{Experiment, Reproduced, Section};
use lookalike_judge::Judged;
use lookalike_learn::Interval;
use lookalike_report::plots::Lines;
use lookalike_report::text::{count, counted};

const TEN: usize = 10;
/// K08 compares megashingling with I-Match with this many further lexicons.
const FIVE: usize = 5;
/// Megashingling in K08, which calls it about equal to I-Match with five lexicons.
const THEIR_MEGASHINGLES: (f64, f64) = (0.668, 0.758);
/// How many spurious matches are listed at each end.
const LISTED: usize = 4;
const ALIKE: f64 = 0.9;

pub fn report(experiment: &Experiment, measured: &[Measured], spurious: &Spurious) -> Result<Reproduced> {
    let mut sections = Vec::new();
    for collection in measured {
        sections.push(figures_3_and_4(collection)?);
    }
    sections.push(megashingles(measured));
    sections.push(figure_5(spurious));
    let data = measured.iter().map(|collection| {
        format!(
            "{}: {}, {}. Truth: {}",
            collection.name,
            counted(collection.documents, "document"),
            collection.what,
            without_time(&collection.truth)
        )
    });
    Ok(Reproduced {
        name: experiment.name.to_owned(),
        title: "I-Match on pages: lexicons of their own and of others".to_owned(),
        paper: experiment.paper.to_owned(),
        data: data.collect(),
        differs: differs(),
        sections,
        findings: findings(measured, spurious),
        seconds: 0.0,
    })
}

fn differs() -> Vec<String> {
    [
        "The paper's pages are WT10G, 1.7 million pages, which are not free; ours are cleaner, smaller and all English. Template pages, which lower the paper's precision, are found among the help pages only, so those are the nearest to it.",
        "The figures of the paper carry no numbers in print. What it prints is megashingling's recall of 0.668 at precision 0.758 and that I-Match with five lexicons is about there; the rest are trends, and those are what can be compared.",
        "The paper asks 115,342 pages drawn at random, of which 26,491 (K04: 29,568) have a near-duplicate. We ask every page that has one, so nothing is sampled.",
        "K04 has recall only (its Figure 2); precision and pure clusters are K08's. K04 fills a signature up to a number of words, K08 up to a share of the page's words, which is what we do.",
        "Our megashingling is MinHash of 5-word shingles with 84 values, 6 supershingles, every two of them a key; the paper ran the authors' program with its own settings.",
    ]
    .map(str::to_owned)
    .into()
}

type Figure = (&'static str, fn(&Judged) -> f64);
const FIGURES: [Figure; 3] = [("recall", recall), ("precision", precision), ("pure clusters", pure)];

fn figures_3_and_4(collection: &Measured) -> Result<Section> {
    let mut head = vec!["lexicons".to_owned()];
    for (name, _) in FIGURES {
        head.extend(collection.choices.iter().map(|(choice, _)| format!("{name}, {}", choice.name)));
    }
    let mut rows = vec![head];
    for lexicons in 0..=TEN {
        let mut row = vec![if lexicons == 0 { "1".to_owned() } else { format!("1 + {lexicons}") }];
        for (_, figure) in FIGURES {
            row.extend(collection.choices.iter().map(|(_, series)| cell(figure(&series[lexicons]))));
        }
        rows.push(row);
    }
    let mut figures = Vec::new();
    for (caption, (label, of)) in
        ["K08 Figure 3", "K08 §7.1, precision", "K08 Figure 4"].into_iter().zip(FIGURES)
    {
        let title = format!("{}: {label}", collection.name);
        let plot = Lines {
            title: &title,
            x_label: "randomised lexicons",
            y_label: label,
            series: collection
                .choices
                .iter()
                .map(|(choice, series)| line(&choice.name, series, of))
                .collect(),
            ..Lines::default()
        };
        figures.push(figure(&format!("{caption}, on {}.", collection.name), &plot)?);
    }
    Ok(Section {
        heading: format!("Figures 3 and 4: {}", collection.name),
        text: "nidf 0.2 to 0.8, whatever shares a signature. Recall and precision are averages over queries (equations 3 and 4); a cluster is pure if all its pairs are true.".to_owned(),
        table: rows,
        figures,
    })
}

fn megashingles(measured: &[Measured]) -> Section {
    let heads = ["collection", "method", "recall", "precision", "pure clusters"];
    let mut rows = vec![heads.map(str::to_owned).to_vec()];
    let (recall_printed, precision_printed) = THEIR_MEGASHINGLES;
    rows.push(vec![
        "WT10G (paper)".to_owned(),
        "megashingling".to_owned(),
        cell(recall_printed),
        cell(precision_printed),
        "–".to_owned(),
    ]);
    for collection in measured {
        let bags = collection.choices.iter().filter(|(choice, _)| choice.name != "native");
        let bags = bags.map(|(choice, series)| (format!("I-Match, {}, 1 + 5", choice.name), &series[FIVE]));
        let others = collection.megashingles.iter().map(|judged| (judged.name.clone(), judged));
        rows.extend(bags.chain(others).map(|(name, judged)| {
            let figures = FIGURES.map(|(_, figure)| cell(figure(judged)));
            [collection.name.to_owned(), name].into_iter().chain(figures).collect()
        }));
    }
    Section {
        heading: "Megashingling and I-Match with five lexicons".to_owned(),
        text: "In the paper both are about equal.".to_owned(),
        table: rows,
        figures: Vec::new(),
    }
}

fn figure_5(spurious: &Spurious) -> Section {
    let heads = ["one page", "another", "cosine of all words"];
    let mut rows = vec![heads.map(str::to_owned).to_vec()];
    let pairs = &spurious.pairs;
    let last = pairs.len().saturating_sub(LISTED).max(LISTED.min(pairs.len()));
    for pair in pairs.iter().take(LISTED).chain(&pairs[last..]) {
        rows.push(vec![pair.a.clone(), pair.b.clone(), format!("{:.3}", pair.similarity)]);
    }
    Section {
        heading: "Figure 5: spurious matches".to_owned(),
        text: format!(
            "Help pages on different subjects that ten further lexicons (`english`) call near-duplicates: {} of {} found pairs, {} of them with a cosine of at least 0.9, which the truth by words therefore calls right. Listed are the {LISTED} most and the {LISTED} least similar.",
            count(pairs.len() as u64),
            count(spurious.found),
            count(alike(spurious)),
        ),
        table: rows,
        figures: Vec::new(),
    }
}

fn alike(spurious: &Spurious) -> u64 {
    spurious.pairs.iter().filter(|pair| pair.similarity >= ALIKE).count() as u64
}

fn findings(measured: &[Measured], spurious: &Spurious) -> Vec<String> {
    let mut all: Vec<String> =
        measured.iter().flat_map(|collection| [trend(collection), origin(collection)]).collect();
    all.push(purity(measured));
    all.extend(measured.iter().filter_map(beside_megashingles));
    all.push(format!(
        "Template pages are matched as in the paper: {} of {} pairs found among the help pages are of different pages, and {} of these even have a cosine of 0.9.",
        count(spurious.pairs.len() as u64),
        count(spurious.found),
        count(alike(spurious))
    ));
    all
}

fn trend(collection: &Measured) -> String {
    let told = collection.choices.iter().map(|(choice, series)| {
        format!(
            "{}: recall {:.3} to {:.3} ({}), precision {:.3} to {:.3}, pure clusters {:.3} to {:.3}",
            choice.name,
            recall(&series[0]),
            recall(&series[TEN]),
            increase(recall(&series[0]), recall(&series[TEN])),
            precision(&series[0]),
            precision(&series[TEN]),
            pure(&series[0]),
            pure(&series[TEN]),
        )
    });
    format!("{}, from 0 to 10 further lexicons. {}.", collection.name, told.collect::<Vec<_>>().join("; "))
}

/// Whether a lexicon of other texts finds more, and one of the same texts makes fewer errors, as the
/// paper says; where the intervals overlap, these data do not tell.
fn origin(collection: &Measured) -> String {
    let best = |native: bool, figure: fn(&Judged) -> Option<Interval>| {
        let chosen = collection.choices.iter().filter(|(choice, _)| (choice.name == "native") == native);
        chosen
            .filter_map(|(_, series)| figure(&series[TEN]))
            .max_by(|a, b| a.value.total_cmp(&b.value))
            .unwrap_or(Interval { value: f64::NAN, low: f64::NAN, high: f64::NAN })
    };
    let recall = |native| best(native, |judged| judged.judgement.queries.recall);
    let precision = |native| best(native, |judged| judged.judgement.queries.precision);
    let told = |figure: &Interval| format!("{:.3}, 95 %: {:.3}–{:.3}", figure.value, figure.low, figure.high);
    let (foreign, native) = (recall(false), recall(true));
    let (foreign_precision, native_precision) = (precision(false), precision(true));
    format!(
        "{}: the better of two foreign lexicons finds {}, the native one {}: {}. Precision is {} at best with a foreign and {} with the native one: {}.",
        collection.name,
        told(&foreign),
        told(&native),
        against_paper(&foreign, &native),
        told(&foreign_precision),
        told(&native_precision),
        against_paper(&native_precision, &foreign_precision),
    )
}

/// What to say where the paper says that `more` is larger than `less`.
fn against_paper(more: &Interval, less: &Interval) -> &'static str {
    if more.low > less.high {
        "as in the paper"
    } else if less.low > more.high {
        "unlike in the paper"
    } else if more.value == less.value {
        "the same"
    } else if more.value > less.value {
        "the direction that the paper reports, but the intervals overlap"
    } else {
        "the opposite of what the paper reports, but the intervals overlap"
    }
}

/// K08 sees the share of pure clusters rise with the native lexicon.
fn purity(measured: &[Measured]) -> String {
    let native = measured.iter().filter_map(|collection| {
        let (_, series) = collection.choices.iter().find(|(choice, _)| choice.name == "native")?;
        Some((collection.name, pure(&series[TEN]) > pure(&series[0])))
    });
    let rising: Vec<&str> = native.filter(|(_, rises)| *rises).map(|(name, _)| name).collect();
    match rising.is_empty() {
        true => "The share of pure clusters falls slightly or stays with every lexicon; that it rises with the native one, as in the paper, is seen nowhere: with no further lexicon it is nearly 1 here already.".to_owned(),
        false => format!("The share of pure clusters rises with the native lexicon, as in the paper, on {}.", rising.join(", ")),
    }
}

fn beside_megashingles(collection: &Measured) -> Option<String> {
    let megashingles = collection.megashingles.first()?;
    let (choice, series) = collection.choices.first()?;
    Some(format!(
        "{}: megashingling finds {:.3} at precision {:.3}, I-Match with five lexicons ({}) {:.3} at {:.3}.",
        collection.name,
        recall(megashingles),
        precision(megashingles),
        choice.name,
        recall(&series[FIVE]),
        precision(&series[FIVE]),
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_is_beyond_chance_is_as_in_the_paper() {
        let interval = |low: f64, value: f64, high: f64| Interval { low, value, high };
        let say = |more: Interval, less: Interval| against_paper(&more, &less);
        assert_eq!(say(interval(0.7, 0.8, 0.9), interval(0.5, 0.6, 0.65)), "as in the paper");
        assert_eq!(say(interval(0.5, 0.6, 0.65), interval(0.7, 0.8, 0.9)), "unlike in the paper");
        assert!(say(interval(0.7, 0.8, 0.9), interval(0.6, 0.7, 0.75)).contains("direction that the paper"));
        assert!(say(interval(0.6, 0.7, 0.75), interval(0.7, 0.8, 0.9)).contains("opposite"));
        assert_eq!(say(interval(1.0, 1.0, 1.0), interval(1.0, 1.0, 1.0)), "the same");
    }
}
