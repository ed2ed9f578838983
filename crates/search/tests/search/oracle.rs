//! Search against a naive scan, and a restricted view against an index without what it hides.

use std::collections::BTreeMap;

use crate::common::{Asked, Doc, Eyes, asked, docs, feed, scan};
use lookalike_search::{Matches, Query, Search, SearchResults, SearchSettings};
use proptest::prelude::*;

fn everything(text: String) -> Query {
    Query { limit: 1000, facets: vec!["source".to_owned()], ..Query::new(text) }
}

fn check_against_scan(found: &SearchResults, eyes: &Eyes, asked: &Asked) {
    let expected = scan(eyes, asked);
    assert_eq!(found.total, expected.len() as u64);
    let mut hits: BTreeMap<u32, (f32, Vec<u32>)> = BTreeMap::new();
    for pair in found.hits.windows(2) {
        assert!((-pair[0].score, pair[0].number) < (-pair[1].score, pair[1].number), "order");
    }
    for hit in &found.hits {
        assert_eq!(hit.matching, hit.matched.len() as u64);
        assert!(hit.matched.contains(&hit.best));
        hits.insert(hit.number, (hit.score, hit.matched.clone()));
    }
    assert_eq!(hits.len(), expected.len());
    let mut sources: BTreeMap<&str, u64> = BTreeMap::new();
    for (number, (score, matched)) in &expected {
        assert_eq!(&hits[number].1, matched, "members of {number}");
        assert!((f64::from(hits[number].0) - score).abs() < 1e-4, "{} and {score}", hits[number].0);
        if let Some(source) = eyes.docs[*number as usize].source {
            *sources.entry(source).or_default() += 1;
        }
    }
    let counted: BTreeMap<&str, u64> =
        found.facets["source"].iter().map(|(value, count)| (value.as_str(), *count)).collect();
    assert_eq!(counted, sources);
}

fn check_filters(search: &Search, eyes: &Eyes, query: &Query, found: &SearchResults) {
    for (value, count) in &found.facets["source"] {
        let filters = vec![("source".to_owned(), value.clone())];
        let filtered = search.query(&Query { filters, ..query.clone() }, eyes).unwrap();
        assert_eq!((filtered.total, filtered.hits.len() as u64), (*count, *count), "{value}");
        assert!(filtered.hits.iter().all(|hit| found.hits.contains(hit)));
    }
    for hit in &found.hits {
        let only = Query { cluster: Some(hit.number), ..query.clone() };
        let only = search.query(&only, eyes).unwrap();
        assert_eq!((only.total, &only.hits[..]), (1, std::slice::from_ref(hit)));
    }
    let apart = search.query(&Query { collapse: false, ..query.clone() }, eyes).unwrap();
    assert_eq!(apart.total, found.hits.iter().map(|hit| hit.matching).sum::<u64>());
    for (offset, limit) in [(0, 1), (1, 2), (3, 100)] {
        let page = search.query(&Query { offset, limit, ..query.clone() }, eyes).unwrap();
        let expected: Vec<_> = found.hits.iter().skip(offset).take(limit).cloned().collect();
        assert_eq!((page.total, page.hits), (found.total, expected));
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 48, ..ProptestConfig::default() })]

    #[test]
    fn everything_is_found_and_nothing_else(
        docs in docs(),
        questions in prop::collection::vec(asked(), 12),
        commits in prop::collection::vec(0u32..40, 0..4),
    ) {
        let dir = tempfile::tempdir().unwrap();
        let search = Search::open(dir.path(), SearchSettings::default()).unwrap();
        feed(&search, docs.iter().enumerate().map(|(at, doc)| (at as u32, doc)), &commits);
        let eyes = Eyes { docs: &docs, labels: None };
        for asked in &questions {
            let query = everything(asked.write());
            let found = search.query(&query, &eyes).unwrap();
            check_against_scan(&found, &eyes, asked);
            check_filters(&search, &eyes, &query, &found);
        }
    }

    #[test]
    fn what_is_hidden_is_as_if_it_did_not_exist(
        docs in docs(),
        questions in prop::collection::vec(asked(), 8),
        labels in prop::collection::vec(0u8..3, 0..3),
        commits in prop::collection::vec(0u32..40, 0..4),
        forgotten in any::<bool>(),
    ) {
        let eyes = Eyes { docs: &docs, labels: Some(labels) };
        let (all, only) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        let all = Search::open(all.path(), SearchSettings::default()).unwrap();
        let only = Search::open(only.path(), SearchSettings::default()).unwrap();
        feed(&all, docs.iter().enumerate().map(|(at, doc)| (at as u32, doc)), &commits);
        feed(&only, eyes.visible(), &[]);
        // What matches may be found before some of it is dropped.
        let earlier: Vec<Matches> =
            questions.iter().map(|asked| all.matches(&asked.write(), false).unwrap()).collect();
        if forgotten {
            let dead = docs.iter().filter(|doc| !doc.alive).count() as u64;
            prop_assert_eq!(all.sweep(&Eyes { docs: &docs, labels: None }).unwrap(), dead);
            all.commit().unwrap();
            prop_assert_eq!(all.len(), docs.len() as u64 - dead);
        }
        for (asked, earlier) in questions.iter().zip(&earlier) {
            let query = everything(asked.write());
            let found = all.query(&query, &eyes).unwrap();
            check_against_scan(&found, &eyes, asked);
            prop_assert_eq!(&found, &only.query(&query, &eyes).unwrap());
            prop_assert_eq!(found, all.results(&query, earlier, &eyes).unwrap());
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 48, ..ProptestConfig::default() })]

    #[test]
    fn results_of_an_earlier_state_are_told_from_those_of_now(
        docs in docs(),
        asked in asked(),
        changed in prop::collection::vec((0usize..40, 0u32..12, any::<bool>()), 0..4),
    ) {
        let folder = tempfile::tempdir().unwrap();
        let search = Search::open(folder.path(), SearchSettings::default()).unwrap();
        feed(&search, docs.iter().enumerate().map(|(at, doc)| (at as u32, doc)), &[]);
        let earlier = Eyes { docs: &docs, labels: None };
        let found = search.query(&everything(asked.write()), &earlier).unwrap();
        let mut later = docs.clone();
        for (at, cluster, alive) in changed {
            let at = at % later.len();
            later[at] = Doc { cluster, alive, ..later[at].clone() };
        }
        let later = Eyes { docs: &later, labels: None };
        let (before, now) = (scan(&earlier, &asked), scan(&later, &asked));
        let holds = before.iter().all(|(number, (_, matched))| {
            now.get(number).is_some_and(|(_, now)| matched.iter().all(|member| now.contains(member)))
        });
        prop_assert_eq!(found.are_now(true, &later), holds);
    }
}

/// Merging puts documents out of order and changes how the library adds up; nothing of it may show.
#[test]
fn merged_segments_answer_as_one_does() {
    let docs: Vec<Doc> = (0..400u32)
        .map(|at| Doc {
            text: format!("common {} w{} {}", at % 7, at % 31, "filler ".repeat(at as usize % 5)),
            title: (at % 3 == 0).then(|| "common title".to_owned()),
            source: Some(["x", "y", "z"][at as usize % 3]),
            labels: if at % 4 == 0 { vec![1] } else { Vec::new() },
            cluster: at / 2,
            rank: (at % 2) as u8,
            alive: at % 11 != 0,
        })
        .collect();
    let (many, one) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let many = Search::open(many.path(), SearchSettings::default()).unwrap();
    let one = Search::open(one.path(), SearchSettings::default()).unwrap();
    let numbered = || docs.iter().enumerate().map(|(at, doc)| (at as u32, doc));
    feed(&many, numbered(), &(0..400).step_by(3).collect::<Vec<_>>());
    feed(&one, numbered(), &[]);
    for labels in [None, Some(vec![]), Some(vec![1])] {
        let eyes = Eyes { docs: &docs, labels };
        for text in ["common", "common 3 OR w5", "\"common 3\" -w5", "title", "source:x common"] {
            let query = everything(text.to_owned());
            let found = one.query(&query, &eyes).unwrap();
            assert!(found.total > 0, "{text}");
            assert_eq!(found, many.query(&query, &eyes).unwrap(), "{text}");
        }
    }
}
