//! Nobody learns of a document they may not see: every answer is that of an index without it.

use std::collections::BTreeSet;

use lookalike_core::hash::mix;

use super::super::survey::Attributes;
use super::super::{Index, Policy, View};
use super::*;
use crate::storage::document::ContentNumber;

const TOML: &str = "[features]\nshingle = 2\n[decide]\nthreshold = 0.5\n";

fn sees(view: &View, made: &Made) -> bool {
    match view {
        View::All | View::Scoped(None, _) => true,
        View::Labels(own) | View::Scoped(Some(own), _) => {
            made.labels.is_empty() || made.labels.iter().any(|label| own.iter().any(|other| other == label))
        }
    }
}

/// The survey, without its time, and its table.
fn surveyed(index: &Index, view: &View) -> String {
    let mut survey = index.surveyor().survey(view, &Attributes::default()).unwrap();
    survey.as_of = 0;
    let name = |number: u32| id_of(index, number);
    let rows = survey.rows().iter().map(|row| {
        let members: BTreeSet<String> = survey.documents_of(row).iter().map(|&number| name(number)).collect();
        (name(row.master), format!("{} {} {} {members:?}", row.size, row.weakest, row.median))
    });
    let rows: Vec<(String, String)> = rows.collect();
    format!("{}\n{rows:?}\n", serde_json::to_string(&survey).unwrap())
}

/// What stands beside a document's master, with titles.
fn near_duplicates(index: &Index, made: &Made, view: &View) -> String {
    let Some(number) = index.reader().number_of(&id(&made.id), view).unwrap() else { return String::new() };
    let master = index.reader().resolve(&[number], view).unwrap()[0].unwrap().master;
    let near = index.reader().near_duplicates(master, view, usize::MAX).unwrap();
    assert!(near.iter().all(|one| one.title.is_some()), "whatever is like another has a text");
    assert!(index.reader().near_duplicates(master, view, 0).unwrap().iter().all(|one| one.title.is_none()));
    serde_json::to_string(&near).unwrap()
}

fn all_of(index: &Index, documents: &[Made], view: &View) -> String {
    let mut told = String::new();
    let options = QueryOptions { view: view.clone(), passages: true, ..at(1000) };
    for made in documents {
        let _ = writeln!(
            told,
            "{}",
            serde_json::to_string(&index.reader().check(&made.line(), &options).unwrap()).unwrap()
        );
        let _ = writeln!(told, "{}", near_duplicates(index, made, view));
        let _ = writeln!(
            told,
            "{}",
            serde_json::to_string(&index.reader().get(&id(&made.id), view).unwrap()).unwrap()
        );
        let _ = writeln!(
            told,
            "{}",
            serde_json::to_string(&index.reader().history(&id(&made.id), view).unwrap()).unwrap()
        );
        let _ = writeln!(
            told,
            "{}",
            serde_json::to_string(&index.reader().cluster(&id(&made.id), view).unwrap()).unwrap()
        );
    }
    let clusters = index.reader().clusters(view, None, usize::MAX).unwrap();
    let _ = writeln!(told, "{}", serde_json::to_string(&clusters).unwrap());
    let stats = index.reader().stats(view).unwrap();
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
            index.writer().add(&made.line(), Policy::Report, &at(900)).unwrap();
            living.push(made.clone());
            if mix(step).is_multiple_of(5) {
                let gone = living.remove(mix(step ^ 77) as usize % living.len());
                index.writer().remove(&id(&gone.id), &View::All).unwrap();
            }
        }
        let label = |names: &[&str]| View::Labels(names.iter().map(|name| (*name).to_owned()).collect());
        for view in [label(&[]), label(&["red"]), label(&["blue"]), label(&["green", "blue"])] {
            let seen: Vec<Made> = living.iter().filter(|made| sees(&view, made)).cloned().collect();
            assert!(seen.len() > 20 && seen.len() < living.len());
            let folder = TempDir::new().unwrap();
            let reference = create(folder.path(), &toml);
            for made in &seen {
                reference.writer().add(&made.line(), Policy::Report, &at(900)).unwrap();
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
        streams: String::new(),
        id: name.to_owned(),
        text: text(5, 0, 0),
        labels: labels.to_vec(),
    };
    index.writer().add(&made("a", &["secret"]).line(), Policy::Report, &at(10)).unwrap();
    let public = View::Labels(Vec::new());
    let options = QueryOptions { view: public.clone(), ..at(20) };
    for policy in [Policy::Reject, Policy::Replace, Policy::KeepBest] {
        let answer = index.writer().add(&made("a", &[]).line(), policy, &options).unwrap();
        let told = serde_json::to_string(&answer).unwrap();
        assert!(told.contains("\"inserted\"") && !told.contains("replaced"), "{policy:?}: {told}");
        assert!(index.writer().remove(&id("a"), &public).unwrap());
        assert!(!index.writer().remove(&id("a"), &public).unwrap());
    }
    assert!(!index.writer().decide(&id("a"), &id("a"), Some(true), "me", &public).unwrap());
    assert_eq!(index.reader().stats(&View::All).unwrap().documents, 1, "the secret one is still there");
}

/// Crowds of hidden near-duplicates among and around what is seen, of which some went again. A quarter of the usual number
/// makes a crowd here, since every question about a cluster of hundreds takes its time.
#[test]
fn hidden_crowds_change_nothing_that_is_seen() {
    let hidden = |number: u64| Made {
        streams: String::new(),
        id: format!("h{number:04}"),
        text: text(1, 1 + number % 2, 1000 + number),
        labels: vec!["hidden"],
    };
    let visible = |number: u64| Made {
        streams: String::new(),
        id: format!("v{number:03}"),
        text: text(1, number % 4, 1 + number / 2),
        labels: if number.is_multiple_of(3) { vec!["red"] } else { Vec::new() },
    };
    // With components, every insert into a crowd looks at all of it.
    let components = format!("{TOML}[cluster]\ntype = 'components'");
    for (count, hidden_count, toml) in
        [(16, 300, TOML.to_owned()), (16, 100, components), (76, 100, TOML.to_owned())]
    {
        let (folder, other) = (TempDir::new().unwrap(), TempDir::new().unwrap());
        let [index, reference] =
            [folder.path(), other.path()].map(|path| with_crowds_beyond(64, create(path, &toml)));
        let crowd: Vec<Made> = (0..hidden_count).map(hidden).collect();
        let seen: Vec<Made> = (0..count).map(visible).collect();
        let view = View::Labels(vec!["red".to_owned()]);
        let options = QueryOptions { view: view.clone(), ..at(900) };
        for (place, part) in crowd.chunks(crowd.len() / 4).enumerate() {
            let lines: Vec<Vec<u8>> = part.iter().map(Made::line).collect();
            let lines: Vec<&[u8]> = lines.iter().map(Vec::as_slice).collect();
            index.writer().add_many(&lines, Policy::Report, &at(900)).unwrap();
            for made in seen.iter().skip(place * seen.len() / 4).take(seen.len() / 4) {
                let answers = [&index, &reference]
                    .map(|index| index.writer().add(&made.line(), Policy::Report, &options).unwrap());
                let [answer, expected] = answers.map(|answer| serde_json::to_string(&answer).unwrap());
                assert_eq!(answer, expected, "{}", made.id);
            }
        }
        {
            let generation = index.generation();
            let state = generation.store.state();
            assert!(
                state
                    .population
                    .contents
                    .iter_from(ContentNumber::FIRST)
                    .any(|(content, _)| state.crowds.has(content))
            );
        }
        let some: Vec<Made> = seen.iter().step_by(count as usize / 16).cloned().collect();
        // What was seen together with a crowd is told as if there had been none, also when the crowd has gone.
        for rest in [0, crowd.len() * 5 / 6, crowd.len()] {
            let names: Vec<_> = crowd.iter().take(rest).map(|made| id(&made.id)).collect();
            index.writer().remove_many(&names, &View::All).unwrap();
            assert!(
                all_of(&index, &some, &view) == all_of(&reference, &some, &view),
                "{count}, without {rest}"
            );
            assert_eq!(super::model::whole(&index, &view), super::model::whole(&reference, &view));
            if rest == 0 {
                index.writer().compact().unwrap();
            }
        }
        if count < 64 {
            assert!(all_of(&reference, &some, &view) == all_of(&reference, &some, &View::All));
        }
    }
}

/// The same id under other labels is another document.
#[test]
fn an_id_belongs_to_its_labels() {
    let folder = TempDir::new().unwrap();
    let index = create(folder.path(), TOML);
    let made = |family: u64, labels: &[&'static str]| Made {
        streams: String::new(),
        id: "x".to_owned(),
        text: text(family, 0, 0),
        labels: labels.to_vec(),
    };
    let view = |names: &[&str]| View::Labels(names.iter().map(|name| (*name).to_owned()).collect());
    let (red, blue) = (view(&["red"]), view(&["blue"]));
    let options = |view: &View| QueryOptions { view: view.clone(), ..at(10) };
    index.writer().add(&made(1, &["red"]).line(), Policy::Report, &options(&red)).unwrap();
    let answer = index.writer().add(&made(2, &["blue"]).line(), Policy::Replace, &options(&blue)).unwrap();
    assert_eq!(serde_json::to_value(answer.action).unwrap(), "inserted");
    let text_of = |view: &View, labels: Option<&[String]>| {
        let stored = index.reader().get((&id("x"), labels), view).unwrap().unwrap();
        serde_json::from_str::<serde_json::Value>(stored.document.get()).unwrap()["text"]
            .as_str()
            .unwrap()
            .to_owned()
    };
    assert_eq!((text_of(&red, None), text_of(&blue, None)), (text(1, 0, 0), text(2, 0, 0)));
    // Who sees both must say which, and is told of no third.
    index.writer().add(&made(3, &["green"]).line(), Policy::Report, &at(10)).unwrap();
    let both = view(&["red", "blue"]);
    let told = index.reader().get(&id("x"), &both).unwrap_err().to_string();
    assert!(told.contains(r#"[["blue"], ["red"]]"#) && !told.contains("green"), "{told}");
    assert!(index.writer().remove(&id("x"), &both).is_err());
    let labels = ["red".to_owned()];
    assert_eq!(text_of(&both, Some(&labels)), text(1, 0, 0));
    // One that others see, too, is not theirs alone to remove.
    index.writer().add(&made(4, &["red", "blue"]).line(), Policy::Report, &at(10)).unwrap();
    let shared = ["blue".to_owned(), "red".to_owned()];
    assert!(index.writer().remove((&id("x"), Some(&shared[..])), &red).is_err());
    assert!(index.writer().remove((&id("x"), Some(&shared[..])), &both).unwrap());
    assert!(index.writer().remove(&id("x"), &blue).unwrap());
    assert_eq!(index.reader().stats(&View::All).unwrap().documents, 2);
    assert_eq!(text_of(&red, None), text(1, 0, 0));
}

/// Nothing goes in favour of what its readers may not see.
#[test]
fn a_policy_takes_nothing_from_readers() {
    let folder = TempDir::new().unwrap();
    let index = create(folder.path(), TOML);
    let made = |name: &str, labels: &[&'static str]| Made {
        streams: String::new(),
        id: name.to_owned(),
        text: text(1, 0, 0),
        labels: labels.to_vec(),
    };
    let add = |made: Made, policy| {
        serde_json::to_string(&index.writer().add(&made.line(), policy, &at(10)).unwrap()).unwrap()
    };
    add(made("public", &[]), Policy::Report);
    assert!(!add(made("secret", &["red"]), Policy::Replace).contains("replaced"));
    assert!(add(made("secret-2", &["red"]), Policy::Reject).contains("rejected"));
    index.writer().remove(&id("public"), &View::All).unwrap();
    assert!(add(made("public", &[]), Policy::Reject).contains("inserted"));
    assert!(add(made("open", &[]), Policy::Replace).contains("replaced\":[\"public\",\"secret\"]"));
}
