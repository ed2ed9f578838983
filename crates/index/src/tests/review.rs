//! Pairs that wait for people, and what several people decide of the same pair.

use std::collections::{BTreeMap, BTreeSet};

use super::super::survey::Attributes;
use super::super::{DocumentName, Index, Policy, ReviewOrder, ReviewPair, View, Waiting};
use super::*;

const TOML: &str = "[features]\nshingle = 2\n[decide]\nthreshold = 0.5\n";

fn filled(folder: &Path, toml: &str, documents: &[Made]) -> Index {
    let index = create(folder, toml);
    for made in documents {
        index.writer().add(&made.line(), Policy::Report, &at(1000)).unwrap();
    }
    index
}

fn queue(index: &Index, view: &View, order: ReviewOrder) -> Vec<ReviewPair> {
    let survey = index.surveyor().survey(view, &Attributes::default()).unwrap();
    let places: Vec<u32> = (0..survey.rows().len() as u32).collect();
    index.surveyor().review_pairs(&survey, &places, order)
}

/// By the ids of the two.
fn named(index: &Index, pair: &ReviewPair) -> (String, String) {
    (id_of(index, pair.a), id_of(index, pair.b))
}

/// Every different text of a cluster with the master's, as the index tells of single clusters.
fn by_clusters(index: &Index, documents: &[Made], view: &View) -> BTreeMap<(String, String), Option<f64>> {
    let texts: BTreeMap<String, &str> =
        documents.iter().map(|made| (format!("\"{}\"", made.id), made.text.as_str())).collect();
    let mut expected = BTreeMap::new();
    for cluster in index.reader().clusters(view, None, usize::MAX).unwrap() {
        let master = texts[cluster.master.json()];
        for member in &cluster.members {
            let text = texts[member.id.json()];
            if text != master {
                let similarity = member.similarity;
                expected.insert((cluster.master.json().to_owned(), text.to_owned()), similarity);
            }
        }
    }
    expected
}

#[test]
fn the_queue_has_each_different_text_of_each_cluster_once() {
    let documents = corpus(300, 5);
    // So high that some are linked by others only.
    let chained = format!("{}[cluster]\ntype = 'components'", TOML.replace("0.5", "0.75"));
    let red = View::Labels(vec!["red".to_owned()]);
    for (toml, threshold, view) in
        [(TOML, 0.5, View::All), (chained.as_str(), 0.75, View::All), (TOML, 0.5, red)]
    {
        let folder = TempDir::new().unwrap();
        let index = filled(folder.path(), toml, &documents);
        let text =
            |id: &str| documents.iter().find(|made| format!("\"{}\"", made.id) == id).unwrap().text.clone();
        let pairs = queue(&index, &view, ReviewOrder::Uncertain);
        let told: BTreeMap<(String, String), Option<f64>> = pairs
            .iter()
            .map(|pair| {
                let (a, b) = named(&index, pair);
                ((a, text(&b)), pair.similarity.map(f64::from))
            })
            .collect();
        assert_eq!(told.len(), pairs.len(), "none twice");
        let expected = by_clusters(&index, &documents, &view);
        assert!(expected.len() > 40, "{}", expected.len());
        assert_eq!(told.keys().collect::<Vec<_>>(), expected.keys().collect::<Vec<_>>());
        for (pair, similarity) in &expected {
            let close = match (similarity, told[pair]) {
                (Some(one), Some(other)) => (one - other).abs() < 1e-6,
                (one, other) => one.is_none() && other.is_none(),
            };
            assert!(close, "{pair:?}: {similarity:?} {:?}", told[pair]);
        }
        // The closest to the threshold first; pairs that a chain links were never compared and come before all others.
        let doubts: Vec<f64> = pairs
            .iter()
            .map(|pair| pair.similarity.map_or(-1.0, |value| (f64::from(value) - threshold).abs()))
            .collect();
        assert!(doubts.is_sorted(), "{doubts:?}");
        assert_eq!(pairs.iter().any(|pair| pair.similarity.is_none()), toml != TOML);
        let by_size = queue(&index, &view, ReviewOrder::Size);
        assert!(by_size.iter().map(|pair| u32::MAX - pair.size).is_sorted());
        let mut clusters: Vec<u32> = by_size.iter().map(|pair| pair.a).collect();
        clusters.dedup();
        assert_eq!(
            clusters.len(),
            clusters.iter().collect::<BTreeSet<_>>().len(),
            "a cluster stays together"
        );
    }
}

#[test]
fn who_decided_of_a_pair_is_not_asked_again_and_others_may_be() {
    let documents = corpus(120, 9);
    let folder = TempDir::new().unwrap();
    let index = filled(folder.path(), TOML, &documents);
    let pairs = queue(&index, &View::All, ReviewOrder::Uncertain);
    let (a, b) = named(&index, &pairs[0]);
    let (a, b) = (Id::from_json(a), Id::from_json(b));
    let waits = |index: &Index, waiting| index.reader().waiting(&pairs, waiting, &View::All)[0];
    assert!(index.reader().waiting(&pairs, Waiting::ForAnyone, &View::All).iter().all(|waits| *waits));
    index.writer().decide(&a, &b, Some(true), "ada", &View::All).unwrap();
    let now = |index: &Index| {
        [Waiting::ForAnyone, Waiting::For("ada"), Waiting::For("ben")].map(|waiting| waits(index, waiting))
    };
    assert_eq!(now(&index), [false, false, true]);
    index.writer().decide(&a, &b, Some(false), "ben", &View::All).unwrap();
    assert_eq!(now(&index), [false, false, false]);
    let judged = |index: &Index| -> Vec<(String, bool)> {
        let judged = index.reader().judgements(&View::All).into_iter();
        judged.map(|judgement| (judgement.by, judgement.duplicate)).collect()
    };
    assert_eq!(judged(&index), [("ada".to_owned(), true), ("ben".to_owned(), false)]);
    assert!(index.reader().judgements(&View::Labels(Vec::new())).len() <= 2);
    // It is on disk, in the journal and in the snapshot, and goes on into another generation.
    index.writer().checkpoint().unwrap();
    index.close().unwrap();
    let index = Index::open(folder.path(), registry()).unwrap();
    assert_eq!(judged(&index).len(), 2);
    index.writer().resign(&recipe(TOML)).unwrap();
    assert_eq!(judged(&index), [("ada".to_owned(), true), ("ben".to_owned(), false)]);
    let held = index.reader().decision(&a, &b, &View::All).unwrap().unwrap();
    assert_eq!((held.by.as_str(), held.duplicate), ("ben", false));
    index.writer().decide(&a, &b, None, "ben", &View::All).unwrap();
    assert_eq!(now(&index), [false, false, true]);
}

/// Where one of two people takes a decision back, everything is as if that person had never decided.
#[test]
fn a_decision_taken_back_leaves_no_trace_beside_those_of_others() {
    let documents = corpus(150, 11);
    let folders = [TempDir::new().unwrap(), TempDir::new().unwrap()];
    let [one, other] = folders.each_ref().map(|folder| filled(folder.path(), TOML, &documents));
    let pairs = queue(&one, &View::All, ReviewOrder::Uncertain);
    for (place, pair) in pairs.iter().take(40).enumerate() {
        let (a, b) = named(&one, pair);
        let (a, b) = (Id::from_json(a), Id::from_json(b));
        let decide = |index: &Index, duplicate, by| {
            assert!(index.writer().decide(&a, &b, duplicate, by, &View::All).unwrap());
        };
        let first = place % 3 != 0;
        for index in [&one, &other] {
            decide(index, Some(first), "ada");
        }
        decide(&one, Some(!first), "ben");
        decide(&one, None, "ben");
        if place % 5 == 0 {
            // Nobody's is left then, whoever takes it back.
            decide(&one, None, "cy");
            decide(&other, None, "ada");
        }
    }
    assert_eq!(by_index(&one, &documents, &View::All), by_index(&other, &documents, &View::All));
    let of = |index: &Index| index.reader().decisions(&View::All).unwrap().len();
    assert_eq!((of(&one), of(&other)), (32, 32));
}

#[test]
fn many_decisions_at_once_are_those_made_one_by_one() {
    let documents = corpus(150, 13);
    let folders = [TempDir::new().unwrap(), TempDir::new().unwrap()];
    let [one, other] = folders.each_ref().map(|folder| filled(folder.path(), TOML, &documents));
    let pairs: Vec<(Id, Id)> = queue(&one, &View::All, ReviewOrder::Size)
        .iter()
        .map(|pair| {
            let (a, b) = named(&one, pair);
            (Id::from_json(a), Id::from_json(b))
        })
        .take(30)
        .collect();
    let nobody = Id::from_json("\"nobody\"");
    let mut names: Vec<(DocumentName<'_>, DocumentName<'_>)> =
        pairs.iter().map(|(a, b)| (a.into(), b.into())).collect();
    names.push(((&nobody).into(), names[0].1));
    names.push((names[0].1, names[0].1));
    for duplicate in [Some(false), Some(true), None] {
        let told = one.writer().decide_all(&names, duplicate, "me", &View::All).unwrap();
        assert!(told[..30].iter().all(|told| matches!(told, Ok(true))));
        assert!(matches!(told[30..], [Ok(false), Err(_)]), "{:?}", &told[30..]);
        for (a, b) in &pairs {
            other.writer().decide(a, b, duplicate, "me", &View::All).unwrap();
        }
        assert_eq!(by_index(&one, &documents, &View::All), by_index(&other, &documents, &View::All));
    }
}

#[test]
fn copies_are_counted_and_named_pairs_are_found() {
    let folder = TempDir::new().unwrap();
    let made = |id: &str, changes| Made {
        id: id.to_owned(),
        text: text(1, changes, 3),
        labels: if id == "hidden" { vec!["red"] } else { Vec::new() },
        streams: String::new(),
    };
    let documents = [made("a", 0), made("b", 2), made("b-copy", 2), made("hidden", 2)];
    let index = filled(folder.path(), TOML, &documents);
    let public = View::Labels(Vec::new());
    for (view, copies) in [(View::All, 3), (public, 2)] {
        let [pair] = queue(&index, &view, ReviewOrder::Uncertain)[..] else {
            panic!("one pair of two texts")
        };
        let mut counted = index.reader().copies(&[pair.a, pair.b], &view);
        counted.sort_unstable();
        assert_eq!(counted, [1, copies]);
        let (a, b) = named(&index, &pair);
        let (a, b, hidden) = (Id::from_json(a), Id::from_json(b), id("hidden"));
        let names = [((&a).into(), (&b).into()), ((&a).into(), (&hidden).into())];
        let found = index.reader().named_pairs(&names, &view).unwrap();
        assert_eq!(found[0], Some(ReviewPair { size: 0, ..pair }));
        assert_eq!(found[1].is_some(), view == View::All);
    }
}
