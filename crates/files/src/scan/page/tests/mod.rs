//! The page as a browser and an attacker would see it.

mod sha256;

use std::cell::RefCell;

use super::*;
use crate::scan::{ScanCluster, ScanMember, sample};
use lookalike_report::testing::{between, check_well_formed, tags};

const HOSTILE: &str = "\"'></bdi></title><script src=\"https://evil.example\">alert('x')</script>\u{202e}\0\n & <b onclick='y'>";

fn nothing(_: &str) -> Option<String> {
    None
}

/// A cluster whose members have the given similarities.
fn cluster(number: u64, similarities: &[f64]) -> ScanCluster {
    let members = similarities.iter().enumerate().map(|(place, &similarity)| ScanMember {
        id: format!("{number}/{place}"),
        path: format!("{number}/{place}"),
        similarity,
        ..ScanMember::default()
    });
    ScanCluster {
        cluster: number,
        master: format!("{number}/0"),
        size: similarities.len() as u64,
        members: members.collect(),
        ..ScanCluster::default()
    }
}

#[test]
fn all_that_is_known_is_on_the_page() {
    let html = render(&sample::small(), &nothing).replace('\u{a0}', " ");
    check_well_formed(&html);
    for text in [
        "<b>3</b> of 9 documents repeat one that is better kept. Removing those that <code>--apply</code> may touch frees <b>1.20 MB</b>.",
        "Cluster 1 <span>3 documents · 1.20 MB to be freed · weakest 93.4 %</span>",
        ">reports/annual report.docx</bdi>",
        ">mail/archive.zip<span class=\"part\">#annual.pdf</span></bdi>",
        "Kept: the newest of the longest",
        "Annual report, 2023",
        "<bdi title=\"2024-02-28T00:00:00\">2024-02-28</bdi><p class=\"note\">of the document</p>",
        "<bdi title=\"2023-12-01T12:00:00Z\">2023-12-01</bdi><p class=\"note\">of the file</p>",
        "<p class=\"look\" dir=\"auto\">short texts, of 23 words at most</p>",
        "Cluster 2 <span>2 documents · 1.40 kB to be freed · weakest ≥ 99.9 %</span>",
        "<span class=\"same\">same file</span>",
        "<span class=\"stream\">text 93.4 %</span> <span class=\"stream\">images 75.0 %</span>",
        "98.0 % of it is in the kept one · 95.1 % of the kept one is in it",
        "<bdi>damaged</bdi> <span>3 files</span>",
        "the archive ends too early",
        "1 part could not be read",
        "2 documents have no words",
    ] {
        assert!(html.contains(text), "{text}");
    }
    assert!(!html.contains("class=\"limit\""));
}

#[test]
fn hostile_text_is_inert_everywhere() {
    let page = |text: &str| render(&sample::with(text), &|id| Some(format!("{text} {}", id.len())));
    let html = page(HOSTILE);
    check_well_formed(&html);
    // Two attributes repeat a text; all other tags are the same as for a harmless text with as many
    // lines.
    let calm: String = HOSTILE.chars().map(|c| if c.is_ascii_whitespace() { c } else { 'c' }).collect();
    let calm_page = page(&calm);
    let comparable = |html: &str| -> Vec<String> {
        let tags = tags(html).into_iter().filter(|tag| !tag.starts_with("bdi title="));
        tags.map(|tag| tag.split_once("aria-label=\"Dup").map_or(tag, |(start, _)| start).to_owned())
            .collect()
    };
    assert_eq!(comparable(&html), comparable(&calm_page));
    assert_eq!(html.matches("<script").count(), 1);
    assert!(!html.contains(['\u{202e}', '\0']));
    let paths = between(&html, "<bdi class=\"path\" lang=\"\">", "</bdi>");
    assert!(paths.iter().all(|path| path.contains("⟦U+202E⟧⟦U+0000⟧⟦U+000A⟧")), "{paths:?}");
}

#[test]
fn nothing_is_loaded_and_only_our_script_runs() {
    let html = render(&sample::small(), &|id| Some(format!("text of {id}")));
    let before_script = html.split("<script>").next().unwrap();
    for loads in ["http:", "https:", "src=", "url(", "@import", " on", "javascript:"] {
        assert!(tags(before_script).iter().all(|tag| !tag.contains(loads)), "{loads}");
    }
    assert!(!html.contains("http://") && !html.contains("https://"));
    assert!(between(&html, "href=\"", "\"").iter().all(|target| target.starts_with('#')));
    let style = between(&html, "<style>", "</style>")[0];
    assert!(!style.contains("url(") && !style.contains("@import"));
    let script = between(&html, "<script>", "</script>")[0];
    let digest = sha256::base64_digest(script);
    assert!(html.contains(&format!("; img-src data:; script-src 'sha256-{digest}'\">")), "sha256-{digest}");
}

#[test]
fn only_what_differs_is_shown_side_by_side_and_asked_for() {
    let asked = RefCell::new(Vec::new());
    let texts = |id: &str| {
        asked.borrow_mut().push(id.to_owned());
        Some(if id == "notes.txt" { "one two three" } else { "one 2 three" }.to_owned())
    };
    let html = render(&sample::small(), &texts);
    let expected =
        ["reports/annual report.docx", "mail/archive.zip#annual.pdf", "notes.txt", "notes-old.txt"];
    assert_eq!(asked.into_inner(), expected);
    assert_eq!(html.matches("<details><summary>Side by side").count(), 2);
    assert!(html.contains("<td lang=\"\" dir=\"auto\">one <del>two</del> three</td>"));
    assert!(html.contains("<td lang=\"\" dir=\"auto\">one <ins>2</ins> three</td>"));
    assert!(html.contains("The words are the same in both."));
    assert!(render(&sample::small(), &nothing).contains("The text could not be read again."));
}

#[test]
fn views_are_bounded_and_go_to_the_least_similar() {
    let asked = RefCell::new(Vec::new());
    let texts = |id: &str| {
        asked.borrow_mut().push(id.to_owned());
        Some(id.to_owned())
    };
    let clusters = (1..=150).map(|number| cluster(number, &[1.0, 0.95, 0.9, 0.85])).collect();
    let report = ScanReport { clusters, documents: 600, threshold: 0.8, ..ScanReport::default() };
    let html = render(&report, &texts);
    check_well_formed(&html);
    assert_eq!(html.matches("<details><summary>Side by side").count(), 200);
    assert!(html.contains("200 of 450 duplicates stand next to the one that is kept"));
    assert!(html.contains("250 are not shown so"));
    // Each master once, the least similar of all, the next of the first fifty.
    assert_eq!(asked.borrow().len(), 150 + 200);
    let of = |place: &str| asked.borrow().iter().filter(|id| id.ends_with(place)).count();
    assert_eq!([of("/0"), of("/1"), of("/2"), of("/3")], [150, 0, 50, 150]);
}

#[test]
fn a_large_report_stays_usable() {
    let clusters: Vec<_> = (1..=10_000).map(|number| cluster(number, &[1.0, 0.9])).collect();
    let report = ScanReport { clusters, documents: 20_000, threshold: 0.8, ..ScanReport::default() };
    let html = render(&report, &|id| Some(format!("{id} {}", "\u{202e}\"".repeat(100_000))));
    check_well_formed(&html);
    assert!(html.contains("2,000 of 10,000 clusters; the others are in the output of <code>--json</code>"));
    assert_eq!(html.matches("<article").count(), 2_000);
    assert!(html.len() < 20_000_000, "{}", html.len());

    let report = ScanReport { clusters: vec![cluster(1, &[0.9; 50_000])], ..ScanReport::default() };
    let html = render(&report, &nothing);
    assert!(html.contains("49,900 more documents in the output of"));
    assert_eq!(html.matches("<tr class=\"removed\">").count(), 99);
}

#[test]
fn long_texts_begin_where_they_differ() {
    let same: String = (0..20_000).map(|line| format!("Line {line} is the same in both.\n")).collect();
    let texts =
        |id: &str| Some(format!("{same}The {id} end.\nAnd {}", same.to_uppercase().replace('\n', "  ")));
    let html = render(&sample::small(), &texts);
    assert!(html.contains("characters are alike and not shown.</p>"));
    assert!(
        html.contains("The <del>notes</del>.txt end") || html.contains("The notes<ins>-old</ins>.txt end"),
        "no difference"
    );
    assert!(html.contains("words alike in both</summary>"));
    assert!(html.contains("… goes on"));
    assert!(html.len() < 150_000, "{}", html.len());
}

#[test]
fn what_is_alike_in_its_page_only_gets_no_share_of_its_text() {
    let mut report = sample::small();
    let member = &mut report.clusters[1].members[1];
    member.found_by = vec!["page".to_owned()];
    member.similarity = 1.0;
    member.streams = crate::scan::Streams { page: Some(1.0), ..Default::default() };
    let html = render(&report, &nothing).replace('\u{a0}', " ");
    assert!(html.contains("· weakest alike in page</span>"));
    assert!(
        html.contains("</th><td class=\"number\"></td><td><span class=\"stream\">page 100 %</span> </td>"),
        "{html}"
    );
}

#[test]
fn an_empty_report_reads_well() {
    let html = render(&ScanReport::default(), &nothing);
    check_well_formed(&html);
    assert!(html.contains("No document was found") && html.contains("No two documents are alike"));
    let report = ScanReport { documents: 3, files: 3, read: 3, ..ScanReport::default() };
    assert!(render(&report, &nothing).contains("None of 3 documents repeats another."));
}

#[test]
fn figures_that_make_no_sense_do_no_harm() {
    let mut report = sample::small();
    (report.threshold, report.seconds, report.documents) = (f64::NAN, f64::INFINITY, 1);
    for cluster in &mut report.clusters {
        cluster.weakest = f64::NAN;
        cluster.cluster = 7;
        for member in &mut cluster.members {
            (member.similarity, member.streams.images, member.bytes) = (f64::NAN, Some(-1.0), u64::MAX);
        }
    }
    let html = render(&report, &nothing);
    assert!(!html.contains("NaN") && !html.contains("inf"));
}

/// `cargo test -p lookalike-files a_page_to_look_at -- --ignored --nocapture`
#[test]
#[ignore = "writes a page for a person to look at"]
fn a_page_to_look_at() {
    let (report, texts) = sample::rich();
    let path = std::env::temp_dir().join("lookalike-scan-page.html");
    std::fs::write(&path, render(&report, &|id| texts.get(id).cloned())).unwrap();
    println!("{}", path.display());
}
