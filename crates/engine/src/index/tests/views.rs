//! Nobody learns of a document they may not see: every answer is that of an index without it.

use std::collections::BTreeSet;

use lookalike_core::hash::mix;

use super::super::survey::Attributes;
use super::super::{Index, Policy, View};
use super::*;

const TOML: &str = "[features]\nshingle = 2\n[decide]\nthreshold = 0.5\n";

fn sees(view: &View, made: &Made) -> bool {
    match view {
        View::All => true,
        View::Labels(own) => {
            made.labels.is_empty() || made.labels.iter().any(|label| own.iter().any(|other| other == label))
        }
    }
}

/// The survey, without its time, and its table.
fn surveyed(index: &Index, view: &View) -> String {
    let mut survey = index.survey(view, &Attributes::default()).unwrap();
    survey.as_of = 0;
    let name = |number: u32| id_of(index, number);
    let rows = survey.rows().iter().map(|row| {
        let members: BTreeSet<String> = survey.documents_of(row).iter().map(|&number| name(number)).collect();
        (name(row.master), format!("{} {} {} {members:?}", row.size, row.weakest, row.median))
    });
    let rows: BTreeMap<String, String> = rows.collect();
    format!("{}\n{rows:?}\n", serde_json::to_string(&survey).unwrap())
}

/// What stands beside a document's master, with titles.
fn near_duplicates(index: &Index, made: &Made, view: &View) -> String {
    let Some(number) = index.number_of(&id(&made.id), view) else { return String::new() };
    let master = index.resolve(&[number], view)[0].unwrap().master;
    let near = index.near_duplicates(master, view, usize::MAX).unwrap();
    assert!(near.iter().all(|one| one.title.is_some()), "whatever is like another has a text");
    assert!(index.near_duplicates(master, view, 0).unwrap().iter().all(|one| one.title.is_none()));
    serde_json::to_string(&near).unwrap()
}

fn all_of(index: &Index, documents: &[Made], view: &View) -> String {
    let mut told = String::new();
    let ask = Ask { view: view.clone(), passages: true, ..at(1000) };
    for made in documents {
        let _ =
            writeln!(told, "{}", serde_json::to_string(&index.check(&made.line(), &ask).unwrap()).unwrap());
        let _ = writeln!(told, "{}", near_duplicates(index, made, view));
        let _ =
            writeln!(told, "{}", serde_json::to_string(&index.get(&id(&made.id), view).unwrap()).unwrap());
        let _ = writeln!(
            told,
            "{}",
            serde_json::to_string(&index.history(&id(&made.id), view).unwrap()).unwrap()
        );
        let _ = writeln!(
            told,
            "{}",
            serde_json::to_string(&index.cluster(&id(&made.id), view).unwrap()).unwrap()
        );
    }
    let mut clusters = index.clusters(view, None, usize::MAX).unwrap();
    clusters.sort_by(|a, b| a.cluster.cmp(&b.cluster));
    let _ = writeln!(told, "{}", serde_json::to_string(&clusters).unwrap());
    let stats = index.stats(view).unwrap();
    let _ = writeln!(told, "{} {} {}", stats.documents, stats.clusters, stats.duplicates);
    let _ = writeln!(told, "{} {}", stats.contents, stats.pairs);
    told + &surveyed(index, view)
}

#[test]
fn every_answer_equals_that_of_an_index_of_what_is_seen() {
    for (seed, toml) in [(1, TOML.to_owned()), (2, format!("{TOML}[cluster]\ntype = 'components'"))] {
        let folder = TempDir::new().unwrap();
        let index = create(folder.path(), &toml);
        let documents = corpus(160, seed);
        let mut living: Vec<Made> = Vec::new();
        for (step, made) in (0u64..).zip(&documents) {
            index.add(&made.line(), Policy::Report, &at(900)).unwrap();
            living.push(made.clone());
            if mix(step).is_multiple_of(5) {
                let gone = living.remove(mix(step ^ 77) as usize % living.len());
                index.remove(&id(&gone.id), &View::All).unwrap();
            }
        }
        let label = |names: &[&str]| View::Labels(names.iter().map(|name| (*name).to_owned()).collect());
        for view in [label(&[]), label(&["red"]), label(&["blue"]), label(&["green", "blue"])] {
            let seen: Vec<Made> = living.iter().filter(|made| sees(&view, made)).cloned().collect();
            assert!(seen.len() > 20 && seen.len() < living.len());
            let folder = TempDir::new().unwrap();
            let reference = create(folder.path(), &toml);
            for made in &seen {
                reference.add(&made.line(), Policy::Report, &at(900)).unwrap();
            }
            assert_eq!(all_of(&index, &documents, &view), all_of(&reference, &documents, &view), "{view:?}");
        }
    }
}

#[test]
fn a_hidden_document_is_no_obstacle_and_is_not_touched() {
    let folder = TempDir::new().unwrap();
    let index = create(folder.path(), TOML);
    let made = |name: &str, labels: &[&'static str]| Made {
        id: name.to_owned(),
        text: text(5, 0, 0),
        labels: labels.to_vec(),
    };
    index.add(&made("a", &["secret"]).line(), Policy::Report, &at(10)).unwrap();
    let public = View::Labels(Vec::new());
    let ask = Ask { view: public.clone(), ..at(20) };
    for policy in [Policy::Reject, Policy::Replace, Policy::KeepBest] {
        let answer = index.add(&made("a", &[]).line(), policy, &ask).unwrap();
        let told = serde_json::to_string(&answer).unwrap();
        assert!(told.contains("\"inserted\"") && !told.contains("replaced"), "{policy:?}: {told}");
        assert!(index.remove(&id("a"), &public).unwrap());
        assert!(!index.remove(&id("a"), &public).unwrap());
    }
    assert!(!index.decide(&id("a"), &id("a"), Some(true), "me", &public).unwrap());
    assert_eq!(index.stats(&View::All).unwrap().documents, 1, "the secret one is still there");
}
