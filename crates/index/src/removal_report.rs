//! Writes planned removals to a file: JSON lines, CSV for spreadsheets, or an HTML page to print or mail.

use crate::index::Surveyor;
use std::fmt::Write as _;
use std::io::Write;

use lookalike_core::streams::StreamKind;
use lookalike_core::{Error, Result};

use super::query::View;
use super::removals::{ClusterPlan, Removal, RemovalReason};
use crate::index::Index;
use lookalike_report as page;
use lookalike_report::Head;
use lookalike_report::csv::{figure, foreign, quoted};
use lookalike_report::run::{PairView, pair};
use lookalike_report::text::{count, counted, escaped, percent};

/// How many removals a page shows with both texts, and how many it lists.
const SHOWN: usize = 100;
const LISTED: usize = 10_000;
const COLUMNS: [&str; 10] = [
    "id",
    "keeper",
    "cluster",
    "similarity",
    "contained_in_keeper",
    "contains_keeper",
    "method",
    "reason",
    "difference",
    "contradict",
];

const HEADINGS: [&str; 9] = [
    "Removed",
    "Kept",
    "Alike",
    "In the kept one",
    "Of the kept one",
    "Method",
    "Reason",
    "Differs in",
    "Contradicting",
];

/// The format of a report on removals.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "schema", schemars(rename_all = "lowercase", inline))]
pub enum RemovalReportFormat {
    /// One JSON object a line, as `removed.jsonl` of a batch run.
    Jsonl,
    /// Comma-separated values with a header line.
    Csv,
    /// A page with the totals, a table, and the first pairs side by side.
    Html,
}

impl RemovalReportFormat {
    /// The names of the formats.
    pub const NAMES: [&str; 3] = ["jsonl", "csv", "html"];

    /// The format with this name; `None` if there is none.
    pub fn from_name(name: &str) -> Option<RemovalReportFormat> {
        let all = [RemovalReportFormat::Jsonl, RemovalReportFormat::Csv, RemovalReportFormat::Html];
        RemovalReportFormat::NAMES.iter().zip(all).find(|(known, _)| **known == name).map(|(_, found)| found)
    }

    /// The media type for HTTP.
    pub fn media_type(self) -> &'static str {
        match self {
            RemovalReportFormat::Jsonl => "application/x-ndjson",
            RemovalReportFormat::Csv => "text/csv; charset=utf-8",
            RemovalReportFormat::Html => "text/html; charset=utf-8",
        }
    }
}

/// Writes a report on removals, cluster by cluster.
pub struct RemovalReportWriter<'a, W: Write> {
    index: &'a Index,
    /// What the readers of the report may see.
    view: View,
    how: RemovalReportFormat,
    out: W,
    clusters: u64,
    removed: u64,
    /// The rows and pairs of a page. They are held back because its totals come before them.
    rows: Vec<Vec<String>>,
    pairs: String,
    shown: usize,
}

impl<'a> Surveyor<'a> {
    /// Starts a report. Give it each planned cluster with [`RemovalReportWriter::add`], then call
    /// [`RemovalReportWriter::finish`].
    pub fn removal_report<W: Write>(
        &self,
        how: RemovalReportFormat,
        view: &View,
        out: W,
    ) -> Result<RemovalReportWriter<'a, W>> {
        let mut writer = RemovalReportWriter {
            index: self.index,
            view: view.clone(),
            how,
            out,
            clusters: 0,
            removed: 0,
            rows: vec![HEADINGS.map(str::to_owned).to_vec()],
            pairs: String::new(),
            shown: 0,
        };
        if how == RemovalReportFormat::Csv {
            writer.put(format!("{}\r\n", COLUMNS.join(",")).as_bytes())?;
        }
        Ok(writer)
    }
}

impl<W: Write> RemovalReportWriter<'_, W> {
    /// Adds the removals of one cluster.
    pub fn add(&mut self, plan: &ClusterPlan) -> Result<()> {
        self.clusters += u64::from(!plan.removals.is_empty());
        self.removed += plan.removals.len() as u64;
        for removal in &plan.removals {
            match self.how {
                RemovalReportFormat::Jsonl => {
                    let mut line =
                        serde_json::to_vec(removal).map_err(|error| Error::Internal(error.to_string()))?;
                    line.push(b'\n');
                    self.put(&line)?;
                }
                RemovalReportFormat::Csv => {
                    let row: Vec<String> =
                        cells(removal).into_iter().map(|cell| quoted(foreign(&cell))).collect();
                    self.put(format!("{}\r\n", row.join(",")).as_bytes())?;
                }
                RemovalReportFormat::Html => self.show(plan, removal)?,
            }
        }
        Ok(())
    }

    fn show(&mut self, plan: &ClusterPlan, removal: &Removal) -> Result<()> {
        if self.rows.len() <= LISTED {
            self.rows.push(shown(removal).to_vec());
        }
        if self.shown >= SHOWN {
            return Ok(());
        }
        self.shown += 1;
        let text = |number: u32| -> Result<String> {
            let line = self.index.reader().line(number, &self.view)?.unwrap_or_default();
            let text = serde_json::from_slice::<serde_json::Value>(&line).ok();
            Ok(text.and_then(|line| line["text"].as_str().map(str::to_owned)).unwrap_or_default())
        };
        let view = PairView {
            keeper: removal.keeper.display().into_owned(),
            removed: removal.id.display().into_owned(),
            similarity: removal.similarity,
            contained_in_keeper: removal.contained_in_keeper,
            contains_keeper: removal.contains_keeper,
            difference: Some(removal.difference.to_string()),
            contradict: contradicting(removal).map(str::to_owned).collect(),
            keeper_text: text(plan.keeper)?,
            removed_text: text(removal.number)?,
        };
        // Writing to a string cannot fail.
        let _ = pair(&mut self.pairs, &view);
        Ok(())
    }

    /// Writes what is still held back, and flushes the file.
    pub fn finish(mut self) -> Result<()> {
        if self.how == RemovalReportFormat::Html {
            let page = self.page();
            self.put(page.as_bytes())?;
        }
        self.out.flush().map_err(Error::io("the removals"))
    }

    fn page(&self) -> String {
        let mut out = String::new();
        let title = format!("{} to remove", counted(self.removed, "document"));
        let _ = Head { title: &title, allows: "", style: "" }.write(&mut out);
        let _ = writeln!(out, "<header><h1>{}</h1></header>", escaped(&title));
        let figures = [
            ("removed", "Removed", count(self.removed), "documents".to_owned()),
            ("kept", "Clusters", count(self.clusters), "each keeps one".to_owned()),
        ];
        let _ = page::figures(&mut out, figures);
        let _ = writeln!(out, "<section>\n<h2>Every removal and its evidence</h2>");
        let _ = page::rows(&mut out, &self.rows);
        if self.removed > LISTED as u64 {
            let _ =
                writeln!(out, "<p>{} more are in the JSON lines.</p>", count(self.removed - LISTED as u64));
        }
        let _ = writeln!(out, "</section>\n<section>\n<h2>Side by side</h2>\n{}</section>", self.pairs);
        let _ = page::how_it_ran(
            &mut out,
            &[("Scheme", escaped(&self.index.scheme()).to_string())],
            &self.index.recipe(),
        );
        out.push_str("</main>\n</body>\n</html>\n");
        out
    }

    fn put(&mut self, bytes: &[u8]) -> Result<()> {
        self.out.write_all(bytes).map_err(Error::io("the removals"))
    }
}

/// A row of the page.
fn shown(removal: &Removal) -> [String; HEADINGS.len()] {
    let part = |part: Option<f64>| part.map_or("–".to_owned(), percent);
    // The name of the cluster is left out: mostly it is that of the kept document.
    let [removed, kept, _, _, _, _, method, reason, difference, contradict] = cells(removal);
    let alike = percent(removal.similarity);
    let (contained, contains) = (part(removal.contained_in_keeper), part(removal.contains_keeper));
    [removed, kept, alike, contained, contains, method, reason, difference, contradict]
}

/// A row for a spreadsheet.
fn cells(removal: &Removal) -> [String; COLUMNS.len()] {
    let reason = match removal.reason {
        RemovalReason::Exact => "all features are the same",
        RemovalReason::NearDuplicate => "near-duplicate",
        RemovalReason::Decision => "a person's decision",
    };
    [
        removal.id.display().into_owned(),
        removal.keeper.display().into_owned(),
        removal.cluster.display().into_owned(),
        figure(Some(removal.similarity)),
        figure(removal.contained_in_keeper),
        figure(removal.contains_keeper),
        removal.method.clone(),
        reason.to_owned(),
        removal.difference.to_string(),
        contradicting(removal).collect::<Vec<_>>().join(", "),
    ]
}

/// The streams that contradict, by name.
fn contradicting(removal: &Removal) -> impl Iterator<Item = &'static str> {
    removal.streams.into_iter().flat_map(|streams| streams.contradicting()).map(StreamKind::name)
}
