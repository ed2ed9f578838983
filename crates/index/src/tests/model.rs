//! A long history of callers who see different documents: every answer equals that of an index which holds only what
//! the caller may see.
//!
//! For each view there is a second index, the reference, into which only documents go that the view sees, and of what people
//! say only what is said of these. Whatever a caller does is done in the index and in the caller's reference, and the two
//! answers must be the same to the last byte; the other references follow with what they may see of it. The same ids are
//! used under all labels.

use std::collections::HashSet;

use lookalike_core::hash::mix;

use super::super::survey::Attributes;
use super::super::{
    Answer, DocumentAction, DocumentName, Index, Policy, RemovalReportFormat, View, VisibleCluster,
};
use super::*;

const TOML: &str = "[features]\nshingle = 2\n[decide]\nthreshold = 0.5\n";
const LABELS: [&[&str]; 5] = [&[], &["red"], &["blue"], &["red", "blue"], &["green"]];

fn views() -> Vec<View> {
    let names = |names: &[&str]| names.iter().map(|name| (*name).to_owned()).collect::<Vec<String>>();
    let of = |labels: &[&str]| View::Labels(names(labels));
    let scoped = View::Scoped(Some(names(&["red", "blue"])), names(&["blue"]));
    vec![View::All, of(&[]), of(&["red"]), of(&["blue"]), of(&["green", "blue"]), scoped]
}

fn sees(view: &View, labels: &[impl AsRef<str>]) -> bool {
    match view {
        View::All | View::Scoped(None, _) => true,
        View::Labels(own) | View::Scoped(Some(own), _) => {
            labels.is_empty() || labels.iter().any(|label| own.iter().any(|other| other == label.as_ref()))
        }
    }
}

fn made(number: u64, random: u64) -> Made {
    let text = match random % 12 {
        0 => String::new(),
        1..=3 => text(random >> 8 & 15, 0, 0),
        _ => text(random >> 8 & 15, random >> 16 & 3, random >> 20 & 7),
    };
    let labels = LABELS[(random >> 40) as usize % LABELS.len()].to_vec();
    Made { streams: String::new(), id: format!("d{number:03}"), text, labels }
}

fn operations() -> u64 {
    // The history is the same up to any length.
    std::env::var("LOOKALIKE_TEST_OPERATIONS").ok().and_then(|count| count.parse().ok()).unwrap_or(4_000)
}

/// Anything as JSON, to compare what callers would read; errors, too.
fn json<T: serde::Serialize>(answer: lookalike_core::Result<T>) -> String {
    match answer {
        // Some things happen by the clock.
        Ok(answer) => {
            let mut value = serde_json::to_value(answer).unwrap();
            forget_times(&mut value);
            value.to_string()
        }
        Err(error) => error.to_string(),
    }
}

fn forget_times(value: &mut serde_json::Value) {
    match value {
        serde_json::Value::Array(values) => values.iter_mut().for_each(forget_times),
        serde_json::Value::Object(values) => {
            if values.contains_key("by") {
                values.remove("time");
            }
            values.remove("as_of");
            values.values_mut().for_each(forget_times);
        }
        _ => {}
    }
}

/// Everything that somebody reads of the whole index.
pub fn whole(index: &Index, view: &View) -> Vec<String> {
    let survey = index.surveyor().survey(view, &Attributes::default()).unwrap();
    let places: Vec<u32> = (0..survey.rows().len() as u32).collect();
    let mut told =
        vec![json(Ok(&survey)), json(index.reader().decisions(view)), json(index.reader().preferences(view))];
    told.extend(
        survey.rows().iter().map(|row| format!("{} {} {}", row.size, row.weakest, survey.decided(row))),
    );
    for keep in [None, Some("shortest-url,longest")] {
        let mut out = Vec::new();
        let mut evidence =
            index.surveyor().removal_report(RemovalReportFormat::Jsonl, view, &mut out).unwrap();
        index.surveyor().plan_removals(&survey, &places, keep, &mut |plan| evidence.add(&plan)).unwrap();
        evidence.finish().unwrap();
        told.push(String::from_utf8(out).unwrap());
    }
    // A page at a time, in the order in which they are told.
    let mut after: Option<(Id, Vec<String>)> = None;
    loop {
        let name = after.as_ref().map(|(id, labels)| DocumentName { id, labels: Some(labels) });
        let page: Vec<VisibleCluster> = index.reader().clusters(view, name, 3).unwrap();
        let Some(last) = page.last() else { break };
        after = Some((last.master.clone(), last.labels.clone()));
        told.push(json(Ok(&page)));
    }
    let stats = index.reader().stats(view).unwrap();
    let figures = [stats.documents, stats.contents, stats.clusters, stats.duplicates, stats.pairs];
    told.push(format!("{figures:?}"));
    told
}

#[test]
fn no_answer_tells_of_a_hidden_document() {
    let folder = TempDir::new().unwrap();
    let index = create(&folder.path().join("index"), TOML);
    let views = views();
    let references: Vec<Index> = (0..views.len())
        .map(|place| create(&folder.path().join(format!("reference-{place}")), TOML))
        .collect();
    // Documents that continue another: which one depends on who inserted them.
    let mut continued: HashSet<(String, Vec<&str>)> = HashSet::new();
    for step in 0..operations() {
        let random = mix(step ^ 0x5eed);
        let caller = (random >> 3) as usize % views.len();
        let (view, reference) = (&views[caller], &references[caller]);
        let options = QueryOptions { view: view.clone(), ..at(1000 + step / 10) };
        let document = made(random >> 12 & 31, mix(random));
        let name = id(&document.id);
        let labels: Vec<String> = document.labels.iter().map(|&label| label.to_owned()).collect();
        let exact = (&name, Some(labels.as_slice()));
        let told = format!("step {step}, {view:?}, {} {labels:?}", document.id);
        let same = |a: String, b: String| assert_eq!(a, b, "{told}");
        let others = || references.iter().enumerate().filter(|&(place, _)| place != caller);
        match random & 15 {
            // A caller may only write what it can label itself.
            0..=5 if view.may_change(&labels) => {
                let policies = [
                    Policy::Report,
                    Policy::Report,
                    Policy::Reject,
                    Policy::Replace,
                    Policy::KeepBest,
                    Policy::Version,
                ];
                let policy = policies[(random >> 20) as usize % policies.len()];
                let answer = index.writer().add(&document.line(), policy, &options).unwrap();
                let expected = reference.writer().add(&document.line(), policy, &options).unwrap();
                same(json(Ok(&answer)), json(Ok(&expected)));
                if answer.action == DocumentAction::Inserted && answer.version.is_some() {
                    continued.insert((document.id.clone(), document.labels.clone()));
                }
                follow(&views, &references, caller, &document, &answer, &options);
            }
            6 => {
                // By id alone, which may be hidden, ambiguous or another's.
                same(json(index.writer().remove(&name, view)), json(reference.writer().remove(&name, view)));
                let is_gone = |other: &Index, labels: &[String], view: &View| {
                    other.reader().number_of((&name, Some(labels)), view).unwrap().is_none()
                };
                for labels in
                    LABELS.map(|labels| labels.iter().map(|&label| label.to_owned()).collect::<Vec<_>>())
                {
                    if is_gone(&index, &labels, &View::All) {
                        continued.remove(&(
                            document.id.clone(),
                            labels.iter().map(|label| known(label)).collect(),
                        ));
                        for (_, other) in others() {
                            other.writer().remove((&name, Some(labels.as_slice())), &View::All).unwrap();
                        }
                    }
                }
            }
            7 | 8 => {
                let second = made(random >> 44 & 31, mix(random ^ 1));
                let (other_id, other_labels): (Id, Vec<String>) =
                    (id(&second.id), second.labels.iter().map(|&label| label.to_owned()).collect());
                let other_exact = (&other_id, Some(other_labels.as_slice()));
                let word = [Some(false), Some(true), Some(false), None][(random >> 50) as usize & 3];
                let by = format!("caller {caller}");
                let decided = index.writer().decide(exact, other_exact, word, &by, view);
                let is_decided = matches!(decided, Ok(true));
                same(json(decided), json(reference.writer().decide(exact, other_exact, word, &by, view)));
                for (place, other) in others().filter(|_| is_decided) {
                    if sees(&views[place], &labels) && sees(&views[place], &other_labels) {
                        assert!(other.writer().decide(exact, other_exact, word, &by, &View::All).unwrap());
                    }
                }
            }
            9 => {
                let preferred = random >> 50 & 1 == 0;
                let visible = index.writer().prefer(exact, preferred, "somebody", view).unwrap();
                assert_eq!(
                    visible,
                    reference.writer().prefer(exact, preferred, "somebody", view).unwrap(),
                    "{told}"
                );
                for (place, other) in others().filter(|_| visible) {
                    if sees(&views[place], &labels) {
                        assert!(other.writer().prefer(exact, preferred, "somebody", &View::All).unwrap());
                    }
                }
            }
            _ => {
                // With passages an answer has texts and titles in it, too.
                let options = QueryOptions { passages: random >> 30 & 3 == 0, ..options };
                same(
                    json(index.reader().check(&document.line(), &options)),
                    json(reference.reader().check(&document.line(), &options)),
                );
            }
        }
        // Documents of the one move up to the places of the dead, those of the others stay.
        if step % 1000 == 999 {
            index.writer().compact().unwrap();
        }
        for name in [DocumentName::from(&name), DocumentName::from(exact)] {
            same(json(index.reader().cluster(name, view)), json(reference.reader().cluster(name, view)));
            same(json(index.reader().get(name, view)), json(reference.reader().get(name, view)));
            same(
                json(index.reader().cluster_map(name, view, 50)),
                json(reference.reader().cluster_map(name, view, 50)),
            );
        }
        if !continued.contains(&(document.id.clone(), document.labels.clone())) {
            same(json(index.reader().history(exact, view)), json(reference.reader().history(exact, view)));
        }
        if step % 16 == 0 {
            let expected = whole(reference, view);
            assert_eq!(whole(&index, view), expected, "{told}");
            // Who sees everything that there is is told the same as who is allowed to.
            assert_eq!(whole(reference, &View::All), expected, "{told}");
        }
    }
}

fn known(label: &str) -> &'static str {
    LABELS.iter().copied().flatten().find(|known| **known == label).unwrap()
}

/// Lets the other references know what they may see of an insert.
fn follow(
    views: &[View],
    references: &[Index],
    caller: usize,
    document: &Made,
    answer: &Answer,
    options: &QueryOptions,
) {
    let came = matches!(
        answer.action,
        DocumentAction::Inserted | DocumentAction::Updated | DocumentAction::Unchanged
    );
    for (place, other) in references.iter().enumerate().filter(|&(place, _)| place != caller) {
        if came && sees(&views[place], &document.labels) {
            other.writer().add(&document.line(), Policy::Report, &at(options.now)).unwrap();
        }
        for (gone, labels) in answer.replaced.iter().zip(&answer.replaced_labels) {
            // Those who do not see it never had it.
            other.writer().remove((gone, Some(labels.as_slice())), &View::All).unwrap();
        }
    }
}
