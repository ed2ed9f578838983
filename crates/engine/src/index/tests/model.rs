//! A long history of callers who see different documents: every answer equals that of an index which holds only what
//! the caller may see.
//!
//! For each view there is a second index, the reference, into which only documents go that the view sees. Whatever a caller does
//! is done in the index under the caller's view and in the caller's reference without any view, and the two answers must be the
//! same to the last byte; the other references follow with what they may see of it.

use lookalike_core::hash::mix;

use super::super::{Action, Answer, Index, Policy, View};
use super::*;

const TOML: &str = "[features]\nshingle = 2\n[decide]\nthreshold = 0.5\n";
const LABELS: [&[&str]; 5] = [&[], &["red"], &["blue"], &["red", "blue"], &["green"]];

fn views() -> Vec<View> {
    let of = |names: &[&str]| View::Labels(names.iter().map(|name| (*name).to_owned()).collect());
    vec![View::All, of(&[]), of(&["red"]), of(&["blue"]), of(&["green", "blue"])]
}

fn sees(view: &View, labels: &[&str]) -> bool {
    match view {
        View::All => true,
        View::Labels(own) => {
            labels.is_empty() || labels.iter().any(|label| own.iter().any(|other| other == label))
        }
    }
}

/// An id always has the same labels, so that who sees one version of a document sees all.
fn made(number: u64, random: u64) -> Made {
    let text = match random % 12 {
        0 => String::new(),
        1..=3 => text(random >> 8 & 15, 0, 0),
        _ => text(random >> 8 & 15, random >> 16 & 3, random >> 20 & 7),
    };
    Made { id: format!("d{number:03}"), text, labels: LABELS[(number % 5) as usize].to_vec() }
}

fn operations() -> u64 {
    // 100,000 take a minute on a disk in memory; the history is the same up to any length.
    std::env::var("LOOKALIKE_TEST_OPERATIONS").ok().and_then(|count| count.parse().ok()).unwrap_or(10_000)
}

fn as_json(answer: &Answer) -> String {
    serde_json::to_string(answer).unwrap()
}

#[test]
fn no_answer_tells_of_a_hidden_document() {
    let folder = TempDir::new().unwrap();
    let index = create(&folder.path().join("index"), TOML);
    let views = views();
    let references: Vec<Index> = (0..views.len())
        .map(|place| create(&folder.path().join(format!("reference-{place}")), TOML))
        .collect();
    for step in 0..operations() {
        let random = mix(step ^ 0x5eed);
        let caller = (random >> 3) as usize % views.len();
        let (view, reference) = (&views[caller], &references[caller]);
        let now = 1000 + step / 10;
        let (ask, plain) = (Ask { view: view.clone(), ..at(now) }, at(now));
        let number = random >> 12 & 63;
        let document = made(number, mix(random));
        let told = format!("step {step}, {view:?}, {}", document.id);
        match random & 7 {
            // A caller may only write what it can see itself.
            0..=2 if sees(view, &document.labels) => {
                let policies = [
                    Policy::Report,
                    Policy::Report,
                    Policy::Reject,
                    Policy::Replace,
                    Policy::KeepBest,
                    Policy::Version,
                ];
                let policy = policies[(random >> 20) as usize % policies.len()];
                let answer = index.add(&document.line(), policy, &ask).unwrap();
                let expected = reference.add(&document.line(), policy, &plain).unwrap();
                assert_eq!(as_json(&answer), as_json(&expected), "{told}, {policy:?}");
                follow(&views, &references, caller, &document, &answer, &plain);
            }
            3 => {
                let removed = index.remove(&id(&document.id), view).unwrap();
                assert_eq!(removed, reference.remove(&id(&document.id), &View::All).unwrap(), "{told}");
                for (place, other) in references.iter().enumerate().filter(|&(place, _)| place != caller) {
                    if removed && sees(&views[place], &document.labels) {
                        other.remove(&id(&document.id), &View::All).unwrap();
                    }
                }
            }
            _ => {
                // With passages an answer has texts and titles in it, too.
                let passages = random >> 30 & 3 == 0;
                let (ask, plain) = (Ask { passages, ..ask }, Ask { passages, ..plain });
                let answer = index.check(&document.line(), &ask).unwrap();
                assert_eq!(
                    as_json(&answer),
                    as_json(&reference.check(&document.line(), &plain).unwrap()),
                    "{told}"
                );
            }
        }
        // Documents of the one move up to the places of the dead, those of the others stay.
        if step % 1000 == 999 {
            index.compact().unwrap();
        }
        let same = |a: String, b: String| assert_eq!(a, b, "{told}");
        let json = |value: &dyn erased::Json| value.json();
        let name = id(&document.id);
        same(
            json(&index.cluster(&name, view).unwrap()),
            json(&reference.cluster(&name, &View::All).unwrap()),
        );
        if step % 8 == 0 {
            let (stored, expected) =
                (index.get(&name, view).unwrap(), reference.get(&name, &View::All).unwrap());
            // What a document that nobody else saw went through is its own; only a policy's history may be shorter.
            same(json(&stored.map(|stored| stored.document)), json(&expected.map(|stored| stored.document)));
            let figures = |index: &Index, view: &View| {
                let stats = index.stats(view).unwrap();
                format!(
                    "{} {} {} {} {}",
                    stats.documents, stats.contents, stats.clusters, stats.duplicates, stats.pairs
                )
            };
            same(figures(&index, view), figures(reference, &View::All));
            let mut clusters = [index.clusters(view, None, 1000), reference.clusters(&View::All, None, 1000)]
                .map(Result::unwrap);
            clusters.iter_mut().for_each(|clusters| clusters.sort_by(|a, b| a.cluster.cmp(&b.cluster)));
            same(json(&clusters[0]), json(&clusters[1]));
        }
    }
}

/// Lets the other references know what they may see of an insert.
fn follow(views: &[View], references: &[Index], caller: usize, document: &Made, answer: &Answer, ask: &Ask) {
    let came = matches!(answer.action, Action::Inserted | Action::Updated | Action::Unchanged);
    for (place, other) in references.iter().enumerate().filter(|&(place, _)| place != caller) {
        if came && sees(&views[place], &document.labels) {
            other.add(&document.line(), Policy::Report, ask).unwrap();
        }
        for gone in &answer.replaced {
            // Those who do not see it never had it.
            other.remove(gone, &View::All).unwrap();
        }
    }
}

/// Anything as JSON, to compare what callers would read.
mod erased {
    pub trait Json {
        fn json(&self) -> String;
    }

    impl<T: serde::Serialize> Json for T {
        fn json(&self) -> String {
            serde_json::to_string(self).unwrap()
        }
    }
}
