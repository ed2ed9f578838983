//! `scan --html`: one page for a person who decides what to delete.
//!
//! It opens from disk, without a network. Its only script filters and sorts the list; the policy
//! names it by its digest, so that nothing else runs, and without it the list just stays as it is.
//! However many clusters there are, the page stays small enough to open: what is left out is counted.

mod clusters;
mod rows;
mod unreadable;
mod view;

pub use clusters::MOST_CLUSTERS;

use std::collections::BTreeMap;
use std::fmt::{self, Write};

use super::ScanReport;
use super::shown::is_by_text;
use lookalike_report as page;
use lookalike_report::Head;
use lookalike_report::charts::{self, Bar};
use lookalike_report::text::{bytes, count, counted, duration, name, percent, round_percent};

const SCRIPT: &str = include_str!("script.js");
/// The digest of the script between its tags.
const SCRIPT_DIGEST: &str = "sha256-KF0NAnFHd/TmzQE4IqqHXtNqA84aXDfhTPqMAZnj1tk=";

/// How many types have a bar of their own; the others share the last.
const MOST_TYPES: usize = 8;

/// The page. `texts` gives a document's text by its id and is called only for documents that are
/// shown.
pub fn render(report: &ScanReport, texts: &dyn Fn(&str) -> Option<String>) -> String {
    let mut out = String::new();
    // Writing to a string cannot fail.
    let _ = write_page(&mut out, report, texts);
    out
}

fn write_page(out: &mut String, report: &ScanReport, texts: &dyn Fn(&str) -> Option<String>) -> fmt::Result {
    let allows = format!("; script-src '{SCRIPT_DIGEST}'");
    Head { title: "Near-duplicate documents", allows: &allows, style: include_str!("scan.css") }
        .write(out)?;
    header(out, report)?;
    page::warnings(out, &report.warnings)?;
    overview(out, report)?;
    clusters::section(out, report, texts)?;
    unreadable::sections(out, report)?;
    how_it_ran(out, report)?;
    let version = env!("CARGO_PKG_VERSION");
    write!(
        out,
        "</main>\n<footer>Lookalike {version}</footer>\n<script>{SCRIPT}</script>\n</body>\n</html>\n"
    )
}

fn header(out: &mut String, report: &ScanReport) -> fmt::Result {
    out.write_str("<header>\n<p class=\"brand\">Lookalike scan</p>\n<h1>Near-duplicate documents</h1>\n")?;
    let duplicates = report.duplicates().count() as u64;
    let all = counted(report.documents, "document");
    match duplicates {
        _ if report.documents == 0 => out.write_str("<p class=\"lead\">No document was found.</p>\n")?,
        0 => writeln!(out, "<p class=\"lead\">None of {all} repeats another.</p>")?,
        _ => writeln!(
            out,
            "<p class=\"lead\"><b>{}</b> of {all} {} one that is better kept. \
Removing those that <code>--apply</code> may touch frees <b>{}</b>.</p>",
            count(duplicates),
            if duplicates == 1 { "repeats" } else { "repeat" },
            bytes(report.duplicate_bytes),
        )?,
    }
    charts::kept_and_removed(out, report.documents.saturating_sub(duplicates), duplicates)?;
    let share =
        |part: u64, whole: u64| percent(if whole == 0 { f64::NAN } else { part as f64 / whole as f64 });
    let unreadable = report.unreadable.len() as u64;
    let known = match report.from_cache {
        0 => share(report.read, report.files),
        known => format!("{}, {} known from before", share(report.read, report.files), count(known)),
    };
    page::figures(
        out,
        [
            ("", "Files", count(report.files), "looked at".to_owned()),
            ("", "Read", count(report.read), known),
            ("", "Not read", count(unreadable), share(unreadable, report.files)),
            ("", "Documents", count(report.documents), "files and parts of files".to_owned()),
            ("", "Clusters", count(report.clusters.len() as u64), "of documents alike".to_owned()),
            ("removed", "Duplicates", count(duplicates), share(duplicates, report.documents)),
            ("removed", "To be freed", bytes(report.duplicate_bytes), "by removing them".to_owned()),
        ],
    )?;
    out.write_str("<nav aria-label=\"Sections\"><a href=\"#clusters\">Clusters</a>")?;
    if !report.unreadable.is_empty() {
        out.write_str(" <a href=\"#unreadable\">Not read</a>")?;
    }
    if !report.partly.is_empty() {
        out.write_str(" <a href=\"#partly\">Partly read</a>")?;
    }
    out.write_str(" <a href=\"#run\">How it was found</a></nav>\n</header>\n")
}

fn overview(out: &mut String, report: &ScanReport) -> fmt::Result {
    if report.clusters.is_empty() {
        return Ok(());
    }
    out.write_str(
        r#"<section aria-labelledby="overview">
<h2 id="overview">Overview</h2>
<div class="charts">
<figure>
<figcaption>Clusters by size</figcaption>
"#,
    )?;
    let sizes: Vec<(u64, u64)> = report.clusters.iter().map(|cluster| (cluster.size, 1)).collect();
    charts::cluster_sizes(out, &sizes)?;
    out.write_str("</figure>\n<figure>\n<figcaption>Duplicates by similarity</figcaption>\n")?;
    // Documents that only look alike or share an address do not belong on a scale of texts.
    let by_text = report.duplicates().filter(|(_, member)| is_by_text(member));
    let similarities = by_text.map(|(_, member)| member.similarity);
    let bins = charts::bins(report.threshold, similarities);
    if bins.is_empty() {
        out.write_str("<p class=\"nothing\">There is no spread to show.</p>")?;
    } else {
        charts::similarities(out, "duplicate", &bins, report.threshold)?;
    }
    out.write_str("</figure>\n<figure>\n<figcaption>Duplicates by type</figcaption>\n")?;
    types(out, report)?;
    out.write_str("</figure>\n</div>\n</section>\n")
}

fn types(out: &mut String, report: &ScanReport) -> fmt::Result {
    let mut counts: BTreeMap<&str, u64> = BTreeMap::new();
    for (_, member) in report.duplicates() {
        *counts.entry(&member.kind).or_default() += 1;
    }
    let all: u64 = counts.values().sum();
    let mut counts: Vec<(&str, u64)> = counts.into_iter().collect();
    counts.sort_by_key(|(_, number)| std::cmp::Reverse(*number));
    if counts.len() > MOST_TYPES {
        let others = counts.drain(MOST_TYPES - 1..).map(|(_, number)| number).sum();
        counts.push(("others", others));
    }
    let bars = counts.iter().map(|&(kind, number)| Bar {
        name: kind,
        length: number as f64,
        label: format!("{} · {}", count(number), percent(number as f64 / all as f64)),
    });
    charts::bars(out, "Duplicates by type", &bars.collect::<Vec<_>>())
}

fn how_it_ran(out: &mut String, report: &ScanReport) -> fmt::Result {
    let facts = [
        ("Method", name(&report.method).to_string()),
        ("Scheme", name(&report.scheme).to_string()),
        ("Threshold", format!("{}\u{a0}%", round_percent(report.threshold))),
        ("Time", duration(report.seconds)),
    ];
    page::how_it_ran(out, &facts, &report.recipe.to_string())
}

#[cfg(test)]
mod tests;
