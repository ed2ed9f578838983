//! The page of a batch run, `report.html`: what the run found, for a person.
//!
//! It has no script, and its policy forbids any.

mod found_by;
mod pairs;

use std::fmt::{self, Write};

pub use self::pairs::pair;
use crate::text::{bytes, count, counted, duration, escaped, name, percent, round_percent, shortened};
use crate::{Head, charts};

/// What the page shows.
#[derive(Clone, Debug, Default)]
pub struct Page {
    /// What was searched, such as a file name.
    pub title: String,
    /// The version of the program.
    pub version: String,
    /// The method, or the name of its recipe.
    pub method: String,
    /// What signatures are made by.
    pub scheme: String,
    /// The least similarity of near-duplicates.
    pub threshold: f64,
    /// The recipe with every default.
    pub recipe_toml: String,
    /// Documents that were read.
    pub documents: u64,
    /// Documents that stay.
    pub kept: u64,
    /// Documents that go.
    pub removed: u64,
    /// Lines that are no documents.
    pub rejected: u64,
    /// Documents with nothing to compare.
    pub empty: u64,
    /// How many of these could not be read well enough.
    pub weak: u64,
    /// Documents without a signature.
    pub unsigned: u64,
    /// Which method found what, in an ensemble.
    pub methods: Vec<MethodView>,
    /// Methods that compared within clusters only, and what that saved and cost, in a few words.
    pub narrowed: Vec<(String, String)>,
    /// Clusters of two documents or more.
    pub clusters: u64,
    /// Verified pairs.
    pub pairs: u64,
    /// Pairs that were compared.
    pub candidates: u64,
    /// Absent if it is not known.
    pub expected_recall: Option<f64>,
    /// What a sample says of the share of pairs that was found, in a sentence.
    pub measured_recall: Option<String>,
    /// How pairs were judged.
    pub verified: VerifiedBy,
    /// How long the run took.
    pub seconds: f64,
    /// The most memory it used.
    pub peak_memory_bytes: u64,
    /// How much it read.
    pub input_bytes: u64,
    /// Names and seconds, in the order they are to be shown.
    pub stages: Vec<(String, f64)>,
    /// Warnings for readers of the figures.
    pub warnings: Vec<String>,
    /// Size, and how many clusters have it.
    pub cluster_sizes: Vec<(u64, u64)>,
    /// From, to, and how many pairs have a similarity in between.
    pub similarities: Vec<(f64, f64, u64)>,
    /// The largest clusters.
    pub largest: Vec<ClusterView>,
    /// Some removed documents beside their keepers.
    pub samples: Vec<PairView>,
}

/// How the pairs of a run were judged.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum VerifiedBy {
    /// By all features of both documents.
    #[default]
    Features,
    /// By signatures, which only estimate the similarity of two documents.
    Signatures,
    /// Not at all: every pair that the signatures proposed was accepted.
    Nothing,
}

/// What one method of an ensemble contributed.
#[derive(Clone, Debug, Default)]
pub struct MethodView {
    /// Its name.
    pub method: String,
    /// Pairs that it proposed.
    pub proposed: u64,
    /// How many of them were verified.
    pub verified: u64,
    /// How many of these no other method proposed.
    pub alone: u64,
    /// Verified pairs that it would have missed without the other methods.
    pub missed: u64,
}

/// A cluster in the list of the largest.
#[derive(Clone, Debug, Default)]
pub struct ClusterView {
    /// Its number.
    pub cluster: u64,
    /// The id of the document that is kept.
    pub master: String,
    /// Documents in it.
    pub size: u64,
    /// The lowest similarity of a member to the master.
    pub weakest: f64,
    /// The beginning of the text that is kept.
    pub excerpt: String,
}

/// A removed document next to the one it repeats. A text that ends with [`crate::CUT`] counts as cut: what
/// the other text has beyond that point is then not shown as a difference.
#[derive(Clone, Debug, Default)]
pub struct PairView {
    /// The id of the document that is kept.
    pub keeper: String,
    /// The id of the one that is removed.
    pub removed: String,
    /// How alike they are.
    pub similarity: f64,
    /// The share of the removed document that the keeper has too.
    pub contained_in_keeper: Option<f64>,
    /// The share of the keeper that the removed document has too.
    pub contains_keeper: Option<f64>,
    /// How the removed document differs, such as `numbers, added`, if that is known.
    pub difference: Option<String>,
    /// The streams that contradict, such as `images`.
    pub contradict: Vec<String>,
    /// The text that is kept.
    pub keeper_text: String,
    /// The text that is removed.
    pub removed_text: String,
}

/// The whole page as HTML.
pub fn render(page: &Page) -> String {
    let mut out = String::new();
    // Writing to a string cannot fail.
    let _ = write_page(&mut out, page);
    out
}

fn write_page(out: &mut String, page: &Page) -> fmt::Result {
    Head { title: &page.title, allows: "", style: "" }.write(out)?;
    header(out, page)?;
    crate::warnings(out, &page.warnings)?;
    overview(out, page)?;
    found_by::table(out, &page.methods)?;
    largest_clusters(out, page)?;
    sample_pairs(out, page)?;
    how_it_ran(out, page)?;
    write!(out, "</main>\n<footer>Lookalike {}</footer>\n</body>\n</html>\n", escaped(&page.version))
}

fn header(out: &mut String, page: &Page) -> fmt::Result {
    write!(out, "<header>\n<p class=\"brand\">Near-duplicate report</p>\n<h1>{}</h1>\n", name(&page.title))?;
    let share = |part: u64| if page.documents == 0 { f64::NAN } else { part as f64 / page.documents as f64 };
    if page.documents == 0 {
        out.write_str("<p class=\"lead\">The input held no documents.</p>\n")?;
    } else if page.removed == 0 {
        out.write_str("<p class=\"lead\">No document repeats another one: all were kept.</p>\n")?;
    } else {
        let (removed, all) = (count(page.removed), counted(page.documents, "document"));
        let verb = if page.removed == 1 { "repeats" } else { "repeat" };
        let share = percent(share(page.removed));
        writeln!(
            out,
            r#"<p class="lead"><b>{removed}</b> of {all} ({share}) {verb} one that was kept.</p>"#
        )?;
    }
    charts::kept_and_removed(out, page.kept, page.removed)?;
    let figures = [
        ("", "Documents", page.documents, bytes(page.input_bytes)),
        ("kept", "Kept", page.kept, percent(share(page.kept))),
        ("removed", "Removed", page.removed, percent(share(page.removed))),
        ("", "Clusters", page.clusters, "of documents alike".to_owned()),
        ("", "Pairs verified", page.pairs, format!("from {}", counted(page.candidates, "candidate"))),
        ("", "Rejected", page.rejected, "lines that are no document".to_owned()),
        ("", "Empty", page.empty, "nothing to compare".to_owned()),
    ];
    // Most methods sign every document.
    let unsigned = ("", "Unsigned", page.unsigned, "only exact copies are found".to_owned());
    let weak = ("", "Weak", page.weak, "of the empty: too little could be read".to_owned());
    let figures = figures.into_iter().chain((page.weak > 0).then_some(weak));
    let figures = figures.chain((page.unsigned > 0).then_some(unsigned));
    let figures = figures.map(|(class, label, figure, note)| (class, label, count(figure), note));
    crate::figures(out, figures)?;
    let promise = match page.verified {
        VerifiedBy::Features => "Every pair was compared on the documents’ full feature sets",
        VerifiedBy::Signatures => {
            "Pairs were judged by their signatures alone, which errs near the threshold"
        }
        VerifiedBy::Nothing => "Whatever the signatures paired was taken, however alike the documents are",
    };
    let recall = match page.expected_recall {
        Some(recall) => {
            format!("; expected share of pairs at the threshold that were found: <b>{}</b>", percent(recall))
        }
        None => "; the measure does not allow to tell what share of the pairs was found".to_owned(),
    };
    writeln!(out, r#"<p class="promise">{promise}{recall}.</p>"#)?;
    if let Some(summary) = &page.measured_recall {
        writeln!(out, r#"<p class="promise">{}.</p>"#, escaped(summary))?;
    }
    for (method, summary) in &page.narrowed {
        writeln!(out, r#"<p class="promise">{}: {}.</p>"#, escaped(method), escaped(summary))?;
    }
    out.write_str("</header>\n")
}

fn overview(out: &mut String, page: &Page) -> fmt::Result {
    out.write_str(
        "<section aria-labelledby=\"overview\">\n<h2 id=\"overview\">Overview</h2>\n<div class=\"charts\">\n",
    )?;
    out.write_str("<figure>\n<figcaption>Clusters by size</figcaption>\n")?;
    if page.cluster_sizes.iter().any(|(_, clusters)| *clusters > 0) {
        charts::cluster_sizes(out, &page.cluster_sizes)?;
    } else {
        out.write_str("<p class=\"nothing\">There are no clusters.</p>")?;
    }
    out.write_str("</figure>\n<figure>\n<figcaption>Pairs by similarity</figcaption>\n")?;
    if page.similarities.iter().any(|(_, _, pairs)| *pairs > 0) {
        charts::similarities(out, "pair", &page.similarities, page.threshold)?;
    } else {
        let none = if page.clusters == 0 { "There are no pairs." } else { "There is no spread to show." };
        write!(out, "<p class=\"nothing\">{none}</p>")?;
    }
    out.write_str("</figure>\n")?;
    if !page.stages.is_empty() {
        out.write_str("<figure>\n<figcaption>Time by stage</figcaption>\n")?;
        charts::stages(out, &page.stages)?;
        out.write_str("</figure>\n")?;
    }
    out.write_str("</div>\n</section>\n")
}

fn largest_clusters(out: &mut String, page: &Page) -> fmt::Result {
    out.write_str("<section aria-labelledby=\"clusters\">\n<h2 id=\"clusters\">Largest clusters</h2>\n")?;
    if page.largest.is_empty() {
        let threshold = round_percent(page.threshold);
        let none = match page.clusters {
            0 => format!("No two documents are alike at the threshold of {threshold}\u{a0}%."),
            _ => "No cluster is listed.".to_owned(),
        };
        return writeln!(out, "<p class=\"nothing\">{none}</p>\n</section>");
    }
    writeln!(
        out,
        r#"<div class="scroll" role="region" aria-labelledby="clusters" tabindex="0">
<table class="listed">
<caption>{} of {}, the ones with most documents.
“Weakest” is the lowest similarity that holds a cluster together.</caption>
<thead><tr>
<th scope="col" class="number">Cluster</th><th scope="col" class="number">Size</th>
<th scope="col" class="number">Weakest</th><th scope="col">Kept document</th>
</tr></thead>
<tbody>"#,
        count(page.largest.len() as u64),
        counted(page.clusters, "cluster"),
    )?;
    for view in &page.largest {
        writeln!(
            out,
            r#"<tr><td class="number">{}</td><td class="number">{}</td><td class="number">{}</td>
<th scope="row">{}<p class="excerpt" lang="" dir="auto">{}</p></th></tr>"#,
            view.cluster,
            count(view.size),
            percent(view.weakest),
            name(&view.master),
            escaped(&shortened(view.excerpt.trim(), 300)),
        )?;
    }
    out.write_str("</tbody>\n</table>\n</div>\n</section>\n")
}

fn sample_pairs(out: &mut String, page: &Page) -> fmt::Result {
    out.write_str("<section aria-labelledby=\"pairs\">\n<h2 id=\"pairs\">Sample pairs</h2>\n")?;
    if page.samples.is_empty() {
        out.write_str("<p class=\"nothing\">There is no pair to show.</p>\n</section>\n")?;
        return Ok(());
    }
    writeln!(
        out,
        r#"<p>{} of {}, each next to the one it repeats. Marked:
<del>words only the kept document has</del> and
<ins>words only the removed one has</ins>, letter case aside.</p>"#,
        count(page.samples.len() as u64),
        counted(page.removed, "removed document"),
    )?;
    for pair in &page.samples {
        pairs::pair(out, pair)?;
    }
    out.write_str("</section>\n")
}

fn how_it_ran(out: &mut String, page: &Page) -> fmt::Result {
    let speed = if page.seconds > 0.0 {
        format!(
            " ({} and {} a second)",
            counted((page.documents as f64 / page.seconds) as u64, "document"),
            bytes((page.input_bytes as f64 / page.seconds) as u64)
        )
    } else {
        String::new()
    };
    let facts = [
        ("Method", name(&page.method).to_string()),
        ("Scheme", name(&page.scheme).to_string()),
        ("Threshold", format!("{}\u{a0}%", round_percent(page.threshold))),
        ("Time", duration(page.seconds) + &speed),
        ("Peak memory", bytes(page.peak_memory_bytes)),
    ];
    crate::how_it_ran(out, &facts, &page.recipe_toml)
}

#[cfg(test)]
mod tests;
