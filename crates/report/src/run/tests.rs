use std::time::{Duration, Instant};

use super::*;
use crate::testing::{between, check_well_formed, tags};

const HOSTILE: &str =
    "</title></pre><script src=\"https://evil.example\">alert('x')</script>\u{202e}\0 & <b onclick='y'>";

fn hostile_page() -> Page {
    let text = || HOSTILE.to_owned();
    Page {
        title: text(),
        version: text(),
        method: text(),
        scheme: text(),
        recipe_toml: text(),
        threshold: 0.8,
        documents: 10,
        kept: 8,
        removed: 2,
        clusters: 1,
        pairs: 3,
        expected_recall: Some(0.992),
        verified: VerifiedBy::Features,
        methods: vec![MethodView { method: text(), proposed: 5, verified: 3, alone: 1, missed: 0 }],
        narrowed: vec![(text(), text())],
        seconds: 1.5,
        stages: vec![(text(), 1.0)],
        warnings: vec![text()],
        cluster_sizes: vec![(3, 1)],
        similarities: vec![(0.8, 0.9, 2), (0.9, 1.0, 1)],
        largest: vec![ClusterView { master: text(), excerpt: text(), size: 3, ..ClusterView::default() }],
        samples: vec![PairView {
            keeper: text(),
            removed: text(),
            keeper_text: format!("{HOSTILE} one"),
            removed_text: format!("{HOSTILE} two"),
            ..PairView::default()
        }],
        ..Page::default()
    }
}

fn pair(keeper_text: &str, removed_text: &str) -> String {
    let mut out = String::new();
    let (keeper_text, removed_text) = (keeper_text.to_owned(), removed_text.to_owned());
    pairs::pair(&mut out, &PairView { keeper_text, removed_text, ..PairView::default() }).unwrap();
    out
}

#[test]
fn hostile_text_is_inert_everywhere() {
    let html = render(&hostile_page());
    let mut calm = hostile_page();
    for text in
        [&mut calm.title, &mut calm.version, &mut calm.method, &mut calm.scheme, &mut calm.recipe_toml]
    {
        *text = "calm".to_owned();
    }
    // As long as a name may be in the chart, so that the bars start at the same place.
    calm.stages[0].0 = "calm and collected".to_owned();
    calm.warnings[0] = "calm".to_owned();
    calm.largest[0].master = "calm".to_owned();
    calm.largest[0].excerpt = "calm".to_owned();
    calm.samples[0].keeper = "calm".to_owned();
    calm.samples[0].removed = "calm".to_owned();
    calm.samples[0].keeper_text = "calm one".to_owned();
    calm.samples[0].removed_text = "calm two".to_owned();
    let calm = render(&calm);

    // The label of a chart repeats the names of stages; all other tags are the same as without it.
    let comparable = |html| -> Vec<String> {
        let cut = |tag: &str| tag.split_once("aria-label=\"Time").map_or(tag, |(start, _)| start).to_owned();
        tags(html).into_iter().map(cut).collect()
    };
    assert_eq!(comparable(&html), comparable(&calm));
    check_well_formed(&html);
    assert!(!html.contains("<script"));
    assert!(!html.contains(['\u{202e}', '\0']));
    // Title, heading, version, method, scheme, recipe, warning, cluster, excerpt, two ids, two texts,
    // a member of the ensemble, one that narrowed and its clustering, and the stage in the chart's label; in the chart itself it is cut before that.
    assert_eq!(html.matches("&lt;script").count(), 17);
}

#[test]
fn nothing_is_loaded() {
    let mut page = hostile_page();
    // Its name is part of a label and would be found within a tag.
    page.stages.clear();
    let html = render(&page);
    let inert = html.replace("&quot;https://evil.example&quot;", "");
    for loads in ["http:", "https:", "src=", "href=", "url(", "@import", " on", "javascript:"] {
        assert!(tags(&inert).iter().all(|tag| !tag.contains(loads)), "{loads}");
    }
    // An id is shown unchanged; there is no other address.
    let besides = inert.replace("<wbr>", "").replace("https://evil.example", "");
    assert!(!besides.contains("http://") && !besides.contains("https://"));
    let style = between(&html, "<style>", "</style>")[0];
    assert!(!style.contains("url(") && !style.contains("@import"));
    assert!(html.contains(r#"content="default-src 'none'; style-src 'unsafe-inline'; img-src data:""#));
}

#[test]
fn exactly_the_changed_words_are_marked() {
    let html = pair("The quick brown fox jumps, always.", "the slow old brown fox jumps");
    assert_eq!(between(&html, "<del>", "</del>"), ["quick", ", always."]);
    assert_eq!(between(&html, "<ins>", "</ins>"), ["slow old"]);
    let html = pair("a <b> & \"c\"", "a <i> & \"c\"");
    assert_eq!(between(&html, "<del>", "</del>"), ["b"]);
    assert_eq!(between(&html, "<ins>", "</ins>"), ["i"]);
    assert!(html.contains("a &lt;<del>b</del>&gt; &amp; &quot;c&quot;"));
}

#[test]
fn same_words_say_so() {
    let html = pair("Same words\n\n\n\n   here", "same   words here");
    assert!(html.contains("same words in both"));
    assert!(html.contains("Same words\n\n   here"));
    assert!(html.contains("same words here"));
    assert!(!html.contains("<del>") && !html.contains("<ins>"));
}

#[test]
fn long_stretches_without_a_difference_are_left_out() {
    let words: String = (0..500).map(|i| format!("w{i} ")).collect();
    let html = pair(&format!("{words} old {words}"), &format!("{words} new {words}"));
    assert_eq!(html.matches("420 words alike in both").count(), 4);
    assert_eq!(between(&html, "<del>", "</del>"), ["old"]);
    assert!(html.len() < 6000);
}

#[test]
fn what_was_cut_off_the_other_text_is_no_difference() {
    let words: Vec<String> = (0..60).map(|i| format!("word{i}")).collect();
    let cut = format!("some new words {}…", &words[..50].join(" "));
    let html = pair(&words.join(" "), &cut);
    assert_eq!(between(&html, "<ins>", "</ins>"), ["some new words"]);
    assert!(!html.contains("<del>"));
    assert!(html.contains("11 more words"));
    // Without the cut, the same words do differ.
    assert!(pair(&words.join(" "), cut.trim_end_matches(crate::CUT)).contains("<del>word50 "));
}

#[test]
fn huge_texts_are_cut_and_quick() {
    let letters = |step: usize| -> String {
        (0..200_000).map(|i| format!("{} ", (b'a' + (i * step % 26) as u8) as char)).collect()
    };
    let (left, right) = (letters(1), letters(25));
    let start = Instant::now();
    for _ in 0..20 {
        let html = pair(&left, &right);
        assert!(html.contains("<del>") && html.contains("<ins>"));
        assert!(html.len() < 400_000);
    }
    assert!(start.elapsed() < Duration::from_secs(10));
}

#[test]
fn an_empty_page_reads_well() {
    let html = render(&Page::default());
    for text in ["held no documents", "There are no clusters", "There are no pairs", "no pair to show"] {
        assert!(html.contains(text), "{text}");
    }
    assert!(!html.contains("NaN") && !html.contains("inf"));
    let html = render(&Page { documents: 3, kept: 3, threshold: 0.8, ..Page::default() });
    assert!(html.contains("No document repeats another one"));
    assert!(html.contains("No two documents are alike at the threshold of 80\u{a0}%"));
}

#[test]
fn figures_that_make_no_sense_do_no_harm() {
    let nan = f64::NAN;
    let html = render(&Page {
        documents: 1,
        removed: u64::MAX / 2,
        kept: 5,
        threshold: nan,
        seconds: f64::INFINITY,
        expected_recall: Some(nan),
        stages: vec![("a".to_owned(), nan), ("b".to_owned(), 0.0)],
        cluster_sizes: vec![(0, 1), (u64::MAX, 3)],
        similarities: vec![(nan, nan, 4), (1.0, 1.0, 2)],
        largest: vec![ClusterView { weakest: nan, ..ClusterView::default() }],
        samples: vec![PairView { similarity: nan, contains_keeper: Some(2.0), ..PairView::default() }],
        ..Page::default()
    });
    assert!(!html.contains("NaN") && !html.contains("inf"));
}

#[test]
fn numbers_and_promise_are_on_the_page() {
    let html = render(&hostile_page()).replace('\u{a0}', " ");
    assert!(html.contains("<b>2</b> of 10 documents (20.0 %) repeat one that was kept."));
    assert!(html.contains("at the threshold that were found: <b>99.2 %</b>"));
    assert!(html.contains("threshold 80 %"));
}
