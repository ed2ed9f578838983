//! Questions whose answers can be told by looking at them.

use std::sync::Arc;

use crate::common::{Doc, Eyes, feed};
use lookalike_core::hash;
use lookalike_core::lexicon::Lexicon;
use lookalike_search::{MOST_HITS, Query, Search, SearchResults, SearchSettings};
use proptest::prelude::*;
use tempfile::TempDir;

fn alone(text: &str, number: u32) -> Doc {
    let text = text.to_owned();
    Doc { text, title: None, source: None, labels: Vec::new(), cluster: number, rank: 0, alive: true }
}

fn indexed(docs: &[Doc], settings: SearchSettings) -> (TempDir, Search) {
    let dir = tempfile::tempdir().unwrap();
    let search = Search::open(dir.path(), settings).unwrap();
    feed(&search, docs.iter().enumerate().map(|(at, doc)| (at as u32, doc)), &[]);
    (dir, search)
}

fn of_texts(texts: &[&str]) -> (TempDir, Search, Vec<Doc>) {
    let docs: Vec<Doc> = texts.iter().zip(0..).map(|(text, number)| alone(text, number)).collect();
    let (dir, search) = indexed(&docs, SearchSettings::default());
    (dir, search, docs)
}

fn numbers(found: &SearchResults) -> Vec<u32> {
    let mut numbers: Vec<u32> = found.hits.iter().map(|hit| hit.number).collect();
    numbers.sort_unstable();
    numbers
}

fn ask(search: &Search, docs: &[Doc], text: &str) -> Vec<u32> {
    let found = search.query(&Query::new(text), &Eyes { docs, labels: None }).unwrap();
    assert_eq!(found.total, found.hits.len() as u64);
    numbers(&found)
}

#[test]
fn scripts_accents_and_forms_are_those_of_detection() {
    let (_dir, search, docs) = of_texts(&[
        "東京タワーへ行く",
        "京東商城",
        "École d'été, STRASSE",
        "ecole d'ete",
        "e-mail and co\u{ad}operation",
        "สวัสดีครับ",
    ]);
    for (text, expected) in [
        ("東京", vec![0]),
        ("京", vec![0, 1]),
        ("タワー", vec![0]),
        ("école", vec![2]),
        ("E\u{301}COLE", vec![2]),
        ("ecole", vec![3]),
        ("straße", vec![2]),
        ("e-mail", vec![4]),
        ("mail e", vec![4]),
        ("\"mail e\"", vec![]),
        ("cooperation", vec![4]),
        ("สวัสดี", vec![5]),
    ] {
        assert_eq!(ask(&search, &docs, text), expected, "{text}");
    }
}

#[test]
fn long_words_are_found_by_all_of_them() {
    let long = "x".repeat(5000);
    let (_dir, search, docs) = of_texts(&[&long, "x"]);
    assert_eq!(ask(&search, &docs, &long[..4000]), [0]);
    assert_eq!(ask(&search, &docs, "x"), [1]);
}

#[test]
fn nothing_asked_is_nothing_found_unless_a_place_is_named() {
    let mut docs: Vec<Doc> = (0..4).map(|number| alone("word", number)).collect();
    docs[1].source = Some("wire");
    docs[2].cluster = 1;
    let (_dir, search) = indexed(&docs, SearchSettings::default());
    let eyes = Eyes { docs: &docs, labels: None };
    for text in ["", "!!!", "\"\"", "OR"] {
        assert_eq!(search.query(&Query::new(text), &eyes).unwrap().total, 0, "{text}");
    }
    assert_eq!(ask(&search, &docs, "-other"), [0, 1, 3]);
    let filtered = Query { filters: vec![("source".to_owned(), "wire".to_owned())], ..Query::default() };
    assert_eq!(numbers(&search.query(&filtered, &eyes).unwrap()), [1]);
    let cluster = Query { cluster: Some(1), collapse: false, ..Query::default() };
    assert_eq!(numbers(&search.query(&cluster, &eyes).unwrap()), [1, 2]);
}

#[test]
fn a_hidden_master_hides_nobody() {
    let mut docs: Vec<Doc> = (0..3).map(|_| alone("the same words", 0)).collect();
    (docs[0].rank, docs[0].labels, docs[0].source) = (9, vec![1], Some("secret"));
    docs[1].source = Some("open");
    let (_dir, search) = indexed(&docs, SearchSettings::default());
    let query = Query { facets: vec!["source".to_owned()], ..Query::new("same") };
    let all = search.query(&query, &Eyes { docs: &docs, labels: None }).unwrap();
    assert_eq!((all.hits[0].number, all.hits[0].matching), (0, 3));
    assert_eq!(all.facets["source"], [("secret".to_owned(), 1)]);
    let guest = search.query(&query, &Eyes { docs: &docs, labels: Some(vec![]) }).unwrap();
    assert_eq!((guest.total, guest.hits[0].number, &guest.hits[0].matched[..]), (1, 1, &[1, 2][..]));
    assert_eq!(guest.facets["source"], [("open".to_owned(), 1)]);
}

#[test]
fn a_master_that_does_not_match_stands_for_one_that_does() {
    let mut docs = vec![alone("alpha beta", 0), alone("alpha gamma", 0)];
    docs[0].rank = 1;
    docs[0].source = Some("of the master");
    let (_dir, search) = indexed(&docs, SearchSettings::default());
    let query = Query { facets: vec!["source".to_owned()], ..Query::new("gamma") };
    let found = search.query(&query, &Eyes { docs: &docs, labels: None }).unwrap();
    let hit = &found.hits[0];
    assert_eq!((hit.number, hit.best, &hit.matched[..]), (0, 1, &[1][..]));
    assert_eq!(hit.snippet.text, "alpha gamma");
    assert_eq!(found.facets["source"], [("of the master".to_owned(), 1)]);
}

#[test]
fn rare_words_weigh_more_where_a_lexicon_says_so() {
    let docs = [alone("common common common rare", 0), alone("common rare rare rare", 1)];
    let count = |word: &str, count| (hash::bytes(word.as_bytes()), count);
    let lexicon = Lexicon::from_counts(1000, [count("common", 900), count("rare", 2)]);
    let with =
        indexed(&docs, SearchSettings { lexicon: Some(Arc::new(lexicon)), ..SearchSettings::default() });
    let without = indexed(&docs, SearchSettings::default());
    let eyes = Eyes { docs: &docs, labels: None };
    let scores = |search: &Search| {
        let found = search.query(&Query::new("common rare"), &eyes).unwrap();
        found.hits.iter().map(|hit| (hit.number, hit.score)).collect::<Vec<_>>()
    };
    assert_eq!(scores(&with.1)[0].0, 1);
    let even = scores(&without.1);
    assert_eq!((even[0].0, even[0].1), (0, even[1].1));
}

#[test]
fn questions_that_are_too_large_are_refused_in_words() {
    let (_dir, search, docs) = of_texts(&["word"]);
    let eyes = Eyes { docs: &docs, labels: None };
    let refused = |query: Query| search.query(&query, &eyes).unwrap_err().to_string();
    assert!(refused(Query::new("w ".repeat(500))).contains("words"));
    assert!(refused(Query::new("w".repeat(5000))).contains("bytes"));
    assert!(refused(Query { limit: MOST_HITS + 1, ..Query::new("word") }).contains("at most"));
    assert!(refused(Query { facets: vec!["labels".into()], ..Query::new("word") }).contains("source"));
    assert!(
        refused(Query { filters: vec![("x".into(), "y".into())], ..Query::new("word") }).contains("source")
    );
    let far = Query { offset: usize::MAX, ..Query::new("word") };
    assert_eq!(search.query(&far, &eyes).unwrap().total, 1);
}

#[test]
fn lines_that_are_no_documents_are_passed_over() {
    let dir = tempfile::tempdir().unwrap();
    let search = Search::open(dir.path(), SearchSettings::default()).unwrap();
    for (number, line) in ["", "[]", "{\"text\":", "\u{0}", "7"].iter().enumerate() {
        assert!(!search.add(number as u32, line.as_bytes()).unwrap());
    }
    assert!(search.add(5, br#"{"text":["not a text"],"title":7}"#).unwrap());
    search.commit().unwrap();
    assert_eq!((search.next().unwrap(), search.len()), (6, 1));
    let docs: Vec<Doc> = (0..6).map(|number| alone("", number)).collect();
    assert_eq!(ask(&search, &docs, "title:7"), [5]);
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 8, ..ProptestConfig::default() })]

    /// Weird questions and weird documents, in any combination: an answer, and a snippet that fits.
    #[test]
    fn no_text_and_no_question_breaks_it(
        texts in prop::collection::vec("\\PC{0,80}|[-\"a-c é東京½\u{301}\n<>&]{0,400}", 1..20),
        questions in prop::collection::vec("\\PC{0,40}|[-\":|() a-cé東京½ORNT“]{0,60}", 40),
    ) {
        let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
        let (_dir, search, docs) = of_texts(&texts);
        for question in &questions {
            let query = Query { snippet: 60, ..Query::new(question.as_str()) };
            let found = search.query(&query, &Eyes { docs: &docs, labels: None }).unwrap();
            for hit in &found.hits {
                let shown: String = hit.snippet.pieces().map(|(piece, _)| piece).collect();
                prop_assert_eq!(&shown, &hit.snippet.text);
                prop_assert!(hit.snippet.text.len() <= 60);
            }
        }
    }
}
