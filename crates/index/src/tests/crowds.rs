//! Crowds: of too many documents with one key each is compared with a few pivots only. Who they are depends on all of the
//! crowd, so it changes with what comes and goes; still the index is that of its living documents.

use std::collections::BTreeSet;

use super::super::{Index, Policy, View};
use super::same_as_batch::RECIPES;
use super::*;
use crate::survey::Attributes;
use lookalike_engine::run::compute;

/// So few documents make a crowd here.
const FULL: usize = 5;

fn opened(index: Index) -> Index {
    with_crowds_beyond(FULL, index)
}

fn by_small_batch(index: &Index, living: &[Made], toml: &str) -> Known {
    let said = index.reader().all_decisions().unwrap();
    by_batch_of(living, toml, |job| {
        job.full_bucket = FULL;
        job.decisions = Some(said);
    })
}

/// Documents of three families, of which some have the same words in another order. What is said more often outweighs a
/// word that is added, so that many have one and the same simhash.
fn made(number: u64, by_signature: bool) -> Made {
    let random = mix(number ^ 0x51de);
    let mut text = match random >> 4 & 7 {
        0 => text(random % 3, 0, 0),
        1..=4 => text(random % 3, random >> 12 & 3, random >> 20 & 7),
        _ => text(random % 3, random >> 12 & 3, random >> 20),
    };
    if by_signature && random >> 49 & 3 != 0 {
        text = format!("{} ", super::text(random % 3, 0, 0)).repeat(4)
            + &format!("zz zz y{}", random >> 20 & 63);
    } else if random >> 50 & 1 == 0 {
        let mut words: Vec<&str> = text.split(' ').collect();
        words.rotate_left((random >> 52) as usize % 40);
        text = words.join(" ");
    }
    Made { id: format!("d{number:03}"), text, labels: Vec::new(), streams: String::new() }
}

/// What the one knows and the other does not, for whoever has to find the reason.
fn difference(one: &Known, other: &Known) -> String {
    let mut told = String::new();
    for (a, b, sign) in [(one, other, '+'), (other, one, '-')] {
        for (pair, similarity) in a.pairs.iter().filter(|(pair, found)| b.pairs.get(*pair) != Some(found)) {
            let _ = writeln!(told, "{sign} {pair:?} {similarity}");
        }
        for (id, master) in a.masters.iter().filter(|(id, master)| b.masters.get(*id) != Some(master)) {
            let _ = writeln!(told, "{sign} {id} has {master}");
        }
    }
    told
}

/// Adds, changes, removes, prefers, decides, compacts and reopens in turn; now and then all must be as in a batch run.
fn check_history(name: &str, toml: &str, seed: u64) {
    let folder = TempDir::new().unwrap();
    let mut index = opened(create(folder.path(), toml));
    let mut living: Vec<Made> = Vec::new();
    let made = |number: u64| made(number, name.starts_with("simhash"));
    let (mut crowded, mut differing) = (0, 0);
    for step in 0..240u64 {
        let random = mix(seed << 32 | step);
        let some = (random >> 8) as usize % living.len().max(1);
        match random % 32 {
            // First the crowds grow, then they melt away, then they grow again.
            0..=15 if !(100..170).contains(&step) => {
                let made = made(seed << 20 | step);
                index.writer().add(&made.line(), Policy::Report, &at(1000)).unwrap();
                living.push(made);
            }
            0..=21 if !living.is_empty() => {
                let gone = living.remove(some);
                assert!(index.writer().remove(&id(&gone.id), &View::All).unwrap());
            }
            22 | 23 if !living.is_empty() => {
                let changed = Made { text: made(random).text, ..living.remove(some) };
                index.writer().add(&changed.line(), Policy::Report, &at(1000)).unwrap();
                // What is changed comes last, as if it were new.
                living.push(changed);
            }
            24 if !living.is_empty() => {
                let preferred = random >> 40 & 1 == 0;
                index.writer().prefer(&id(&living[some].id), preferred, "me", &View::All).unwrap();
            }
            25 | 26 if living.len() > 1 => {
                let other = &living[(some + 1 + (random >> 40) as usize % (living.len() - 1)) % living.len()];
                let duplicate = [Some(true), Some(false), None][(random >> 30) as usize % 3];
                // Exact copies are refused.
                let _ =
                    index.writer().decide(&id(&living[some].id), &id(&other.id), duplicate, "me", &View::All);
            }
            27 => index.writer().checkpoint().unwrap(),
            28 => index.writer().compact().unwrap(),
            29 => {
                drop(index);
                index = opened(Index::open(folder.path(), registry()).unwrap());
            }
            _ => {
                // Several at once.
                let several: Vec<Made> =
                    (0..4).map(|more| made((seed << 20) + 1000 + step * 8 + more)).collect();
                let lines: Vec<Vec<u8>> = several.iter().map(Made::line).collect();
                let lines: Vec<&[u8]> = lines.iter().map(Vec::as_slice).collect();
                let answers = index.writer().add_many(&lines, Policy::Report, &at(1000)).unwrap();
                assert!(answers.iter().all(Result::is_ok));
                living.extend(several);
            }
        }
        if step % 20 == 19 {
            let expected = by_small_batch(&index, &living, toml);
            let known = by_index(&index, &living, &View::All);
            assert_eq!(difference(&known, &expected), "", "{name}, step {step}");
            let stats = index.reader().stats(&View::All).unwrap();
            let duplicates = expected.masters.iter().filter(|(id, master)| id != master);
            let masters: BTreeSet<&String> = duplicates.clone().map(|(_, master)| master).collect();
            assert_eq!(stats.clusters, masters.len() as u64, "{name}, step {step}");
            assert_eq!(stats.duplicates, duplicates.count() as u64, "{name}, step {step}");
            // Who is allowed to see all is told the same as who happens to.
            let view = View::Labels(vec!["red".to_owned()]);
            assert_eq!(difference(&by_index(&index, &living, &view), &known), "", "{name}, step {step}");
            let other = index.reader().stats(&view).unwrap();
            assert_eq!((other.pairs, other.clusters), (stats.pairs, stats.clusters), "{name}, step {step}");
            crowded += usize::from(!index.generation().store.state().crowds.is_empty());
            let in_full = by_batch_with(&living, toml, Some(index.reader().all_decisions().unwrap()));
            differing += usize::from(in_full.pairs != expected.pairs);
        }
    }
    assert!(crowded >= 10 && differing >= 5, "{name}: {crowded} and {differing} times are too few");
}

/// The recipes in which these documents are crowds: by a key, by a signature, by votes of several methods.
const CROWDED: [&str; 9] = [
    "minhash",
    "components",
    "first",
    "estimate",
    "simhash",
    "simhash far",
    "word-tuples",
    "textprofile",
    "two of three",
];

#[test]
fn with_crowds_the_index_is_that_of_its_living_documents() {
    let crowded: Vec<_> = RECIPES.into_iter().filter(|(name, _)| CROWDED.contains(name)).collect();
    assert_eq!(crowded.len(), CROWDED.len());
    for (name, toml) in crowded {
        check_history(name, toml, 1);
    }
}

/// Of exact copies every further one is a pair with the first, whatever it is compared with, here as in a batch run.
#[test]
fn pairs_removals_and_clusters_are_counted_as_in_the_report_of_a_batch_run() {
    let (mut copied, mut crowded) = (0, 0);
    for (name, toml) in RECIPES {
        let documents: Vec<Made> = (0..140).map(|number| made(number, name.starts_with("simhash"))).collect();
        let folder = TempDir::new().unwrap();
        let index = opened(create(&folder.path().join("index"), toml));
        let lines: Vec<Vec<u8>> = documents.iter().map(Made::line).collect();
        for line in &lines {
            index.writer().add(line, Policy::Report, &at(1000)).unwrap();
        }
        let path = folder.path().join("corpus.jsonl");
        std::fs::write(&path, lines.join(&b'\n')).unwrap();
        let pipeline = recipe(toml).build(&registry()).unwrap();
        let mut job = Job::new([path.to_string_lossy()], "unused");
        job.full_bucket = FULL;
        let source = job.open(&pipeline).unwrap();
        let mut outcome = compute(&pipeline, &job, &source, &Quiet).unwrap();
        let report = outcome.finish_report("count", &Quiet).unwrap();
        let stats = index.reader().stats(&View::All).unwrap();
        let expected = (report.documents, report.pairs, report.clusters, report.removed);
        assert_eq!((stats.documents, stats.pairs, stats.clusters, stats.duplicates), expected, "{name}");
        let survey = index.surveyor().survey(&View::All, &Attributes::default()).unwrap();
        assert_eq!((survey.pairs, survey.clusters, survey.duplicates), (expected.1, expected.2, expected.3));
        // Who does not see everything is counted for in another way.
        index
            .writer()
            .add(
                br#"{"id":"hidden","text":"of no interest to anybody","labels":["red"]}"#,
                Policy::Report,
                &at(1000),
            )
            .unwrap();
        let seen = index.reader().stats(&View::Labels(Vec::new())).unwrap();
        assert_eq!(
            (seen.documents, seen.pairs, seen.clusters, seen.duplicates),
            expected,
            "{name}, not all seen"
        );
        copied += report.exact_copies;
        crowded += usize::from(!index.generation().store.state().crowds.is_empty());
    }
    assert!(copied > 100 && crowded >= CROWDED.len(), "{copied} copies, {crowded} times crowds");
}

/// However large a crowd is, a document that joins it is compared with few, and only its pivots are looked at.
#[test]
fn pivots_are_remembered_until_a_member_goes() {
    let folder = TempDir::new().unwrap();
    let index = opened(create(folder.path(), RECIPES[0].1));
    let add = |number: u64| {
        let made = Made {
            id: format!("d{number:03}"),
            text: text(1, 1, number),
            labels: Vec::new(),
            streams: String::new(),
        };
        index.writer().add(&made.line(), Policy::Report, &at(1000)).unwrap();
    };
    (0..40).for_each(add);
    let generation = index.generation();
    let known = || generation.store.state().known_crowds.len();
    let before = known();
    assert!(before > 3, "of {before} crowds the pivots are known");
    (40..60).for_each(add);
    assert!(known() >= before, "what comes is added");
    index.writer().remove(&id("d007"), &View::All).unwrap();
    assert_eq!(known(), 0);
}
