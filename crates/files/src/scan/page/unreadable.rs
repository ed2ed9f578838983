//! Files that were not read, grouped by the reason.

use std::fmt::{self, Write};

use super::clusters::path;
use crate::scan::shown::by_reason;
use crate::scan::{ScanReport, Unreadable};
use lookalike_report::text::{count, counted, escaped, shortened};

const MOST_REASONS: usize = 50;
const MOST_FILES: usize = 200;
/// Larger groups are folded.
const MOST_OPEN: usize = 10;

pub fn sections(out: &mut String, report: &ScanReport) -> fmt::Result {
    let unread = "gave no document. Nothing is known of what is in them: look before deleting any.";
    section(out, "unreadable", "Not read", "file", unread, &report.unreadable)?;
    let partly = "could not be read, of files that gave other documents.";
    section(out, "partly", "Partly read", "part", partly, &report.partly)?;
    let weak = "were read so badly that their texts are not compared and nothing is done with them, unless \
                they are byte for byte the same: look before deleting any.";
    section(out, "weak", "Weak texts", "document", weak, &report.weak)
}

fn section(
    out: &mut String,
    id: &str,
    heading: &str,
    noun: &str,
    lead: &str,
    files: &[Unreadable],
) -> fmt::Result {
    if files.is_empty() {
        return Ok(());
    }
    let number = counted(files.len() as u64, noun);
    write!(
        out,
        "<section aria-labelledby=\"{id}\">\n<h2 id=\"{id}\">{heading}</h2>\n<p>{number} {lead}</p>\n"
    )?;
    let groups = by_reason(files);
    for group in groups.iter().take(MOST_REASONS) {
        let open = if group.files.len() <= MOST_OPEN { " open" } else { "" };
        writeln!(
            out,
            "<details class=\"reason\"{open}><summary><bdi>{}</bdi> <span>{}</span></summary>\n<ul>",
            escaped(&shortened(group.reason, 200)),
            counted(group.files.len() as u64, noun),
        )?;
        for (file, detail) in group.files.iter().take(MOST_FILES) {
            write!(out, "<li>{}", path(file, None))?;
            if !detail.is_empty() {
                write!(out, " <bdi class=\"note\">{}</bdi>", escaped(&shortened(detail, 300)))?;
            }
            out.write_str("</li>\n")?;
        }
        out.write_str("</ul>\n")?;
        let more = group.files.len().saturating_sub(MOST_FILES);
        if more > 0 {
            writeln!(
                out,
                "<p class=\"nothing\">{} more are listed by <code>--json</code>.</p>",
                count(more as u64)
            )?;
        }
        out.write_str("</details>\n")?;
    }
    if groups.len() > MOST_REASONS {
        let more = counted((groups.len() - MOST_REASONS) as u64, "more reason");
        writeln!(out, "<p class=\"nothing\">{more}: see <code>--json</code>.</p>")?;
    }
    out.write_str("</section>\n")
}
