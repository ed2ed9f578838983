//! What the figures on spam show: whether recall rises, and which method finds more.

use super::measured::Measured;
use crate::kolcz::bags::{increase, legitimate, recall};
use lookalike_report::text::counted;

/// The last of a series has ten further lexicons.
const TEN: usize = 10;
/// The project's own target for I-Match: relative increase of recall with ten further lexicons.
const LEAST_INCREASE: f64 = 0.15;

pub fn findings(measured: &[Measured]) -> Vec<String> {
    measured.iter().flat_map(|collection| [rises(collection), beaten(collection)]).collect()
}

fn rises(collection: &Measured) -> String {
    let series = &collection.all;
    let (first, last) = (recall(&series[0]), recall(&series[TEN]));
    let (risen, matched) = (last / first - 1.0 >= LEAST_INCREASE, legitimate(&series[TEN]));
    let their = collection.printed.recall;
    format!(
        "{}: from 0 to 10 further lexicons recall rises from {first:.3} to {last:.3}, by {} (paper: {:.2} to {:.2}, {}); {} of legitimate mail matched. The aim of at least 15 % with none matched is {}.{}",
        collection.name,
        increase(first, last),
        their[0],
        their[3],
        format_args!("{} %", collection.printed.increase[3]),
        counted(matched, "message"),
        if risen && matched == 0 { "met" } else { "not met" },
        if matched == 0 { String::new() } else { instead(collection) },
    )
}

/// What meets the target if the paper's own setting does not.
fn instead(collection: &Measured) -> String {
    let meeting = collection.choices.iter().filter_map(|(choice, series)| {
        let (first, last) = (recall(series.first()?), recall(series.last()?));
        let meets =
            series.iter().all(|judged| legitimate(judged) == 0) && last / first - 1.0 >= LEAST_INCREASE;
        meets.then(|| format!("{} ({first:.3} to {last:.3}, {})", choice.label(), increase(first, last)))
    });
    let meeting: Vec<String> = meeting.collect();
    let verified = collection.others.iter().find(|judged| judged.name.starts_with("I-Match, verified"));
    let verified = verified.map_or(String::new(), |judged| {
        let matched = counted(legitimate(judged), "legitimate message");
        format!(
            " Verified by the cosine of all words, the same ten lexicons find {:.3} and match {matched}.",
            recall(judged)
        )
    });
    let named = if meeting.is_empty() { "none".to_owned() } else { meeting.join("; ") };
    format!(" Other lexicons and windows that meet it: {named}.{verified}")
}

/// The truth itself, which is last, does not compete.
fn beaten(collection: &Measured) -> String {
    let imatch = collection.all.last().map_or(f64::NAN, recall);
    let others = collection.others.split_last().map_or(&[][..], |(_, others)| others);
    let better: Vec<String> = others
        .iter()
        .filter(|judged| {
            legitimate(judged) == 0 && recall(judged) > imatch && !judged.name.starts_with("I-Match")
        })
        .map(|judged| format!("{} ({:.3})", judged.name, recall(judged)))
        .collect();
    match better.is_empty() {
        true => format!(
            "{}: no other method finds more than I-Match without matching legitimate mail.",
            collection.name
        ),
        false => format!(
            "{}: more than I-Match's {imatch:.3} is found, with no legitimate message matched, by {}.",
            collection.name,
            better.join("; ")
        ),
    }
}
