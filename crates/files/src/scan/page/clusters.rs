//! The list of clusters: which document to keep, which ones repeat it, and how they differ.

use std::collections::HashSet;
use std::fmt::{self, Display, Write};

use super::view::view;
use crate::scan::shown::{Alike, alike, contradictions, day, is_hidden, streams};
use crate::scan::{ScanCluster, ScanMember, ScanReport};
use lookalike_core::difference::DifferenceKind;
use lookalike_report::CUT;
use lookalike_report::text::{
    breaks_after, bytes, count, counted, escaped, has_long_word, name, percent, shortened,
};

/// How many clusters a page lists.
pub const MOST_CLUSTERS: usize = 2_000;
/// How many comparisons of texts are shown for one cluster, and for all.
const MOST_MEMBERS: usize = 100;
const MOST_ROWS: usize = 20_000;
const MOST_VIEWS: usize = 200;
/// No more comparisons are added to a list of this many bytes: escaping can make a text many times
/// as long.
const MOST_BYTES: usize = 16_000_000;
const MOST_PATH: usize = 400;

pub fn section(out: &mut String, report: &ScanReport, texts: &dyn Fn(&str) -> Option<String>) -> fmt::Result {
    out.write_str("<section aria-labelledby=\"clusters\">\n<h2 id=\"clusters\">Clusters</h2>\n")?;
    if report.clusters.is_empty() {
        return out.write_str("<p class=\"nothing\">No two documents are alike.</p>\n</section>\n");
    }
    let listed = listed(report);
    let mut views = Views { wanted: wanted(listed), shown: 0, texts };
    let mut list = String::new();
    for cluster in listed {
        views.cluster(&mut list, cluster)?;
    }
    let more = report.clusters.len() - listed.len();
    if more > 0 {
        writeln!(
            out,
            "<p class=\"limit\">{} of {}; the others are in the output of <code>--json</code>.</p>",
            count(listed.len() as u64),
            counted(report.clusters.len() as u64, "cluster"),
        )?;
    }
    let differing = report.duplicates().filter(|(_, member)| member.same.is_none()).count();
    if differing > views.shown {
        writeln!(
            out,
            "<p class=\"limit\">{} of {} stand next to the one that is kept, the least similar of each \
cluster first; {} are not shown so.</p>",
            count(views.shown as u64),
            counted(differing as u64, "duplicate"),
            count((differing - views.shown) as u64),
        )?;
    }
    if views.shown > 0 {
        out.write_str(
            "<p>Marked are <del>words only the kept document has</del>, <ins>words only the duplicate \
has</ins> and <span class=\"moved\">what the other has elsewhere</span>, letter case aside.</p>\n",
        )?;
    }
    out.write_str(TOOLS)?;
    write!(out, "<div id=\"list\">\n{list}</div>\n</section>\n")
}

/// Shown by the script, since they do nothing without it.
const TOOLS: &str = r#"<form id="tools" role="search" hidden>
<label>Filter <input type="search" id="filter" autocomplete="off" spellcheck="false" placeholder="path, title or type"></label>
<label>Sort by <select id="sort">
<option value="number">order of the scan</option>
<option value="bytes">bytes to be freed</option>
<option value="size">number of documents</option>
<option value="weakest">least similar first</option>
<option value="strongest">most similar first</option>
</select></label>
<output id="matches" for="filter" aria-live="polite"></output>
</form>
"#;

/// As many clusters as a page can hold.
fn listed(report: &ScanReport) -> &[ScanCluster] {
    let mut rows = 0;
    let fits = |cluster: &&ScanCluster| {
        rows += cluster.members.len().min(MOST_MEMBERS);
        rows <= MOST_ROWS
    };
    let number = report.clusters.iter().take(MOST_CLUSTERS).take_while(fits).count();
    &report.clusters[..number]
}

/// Clusters, and the indices of the members to show next to their master: the least similar of each
/// cluster first, since errors are most likely there.
fn wanted(clusters: &[ScanCluster]) -> HashSet<(u64, usize)> {
    let mut differing = Vec::new();
    for (order, cluster) in clusters.iter().enumerate() {
        let members = cluster.members.iter().enumerate().take(MOST_MEMBERS);
        let members = members.filter(|(_, member)| !cluster.is_master(member) && member.same.is_none());
        let mut members: Vec<(usize, &ScanMember)> = members.collect();
        members.sort_by(|a, b| a.1.similarity.total_cmp(&b.1.similarity));
        differing.extend(
            members.iter().enumerate().map(|(rank, (place, _))| (rank, order, cluster.cluster, *place)),
        );
    }
    differing.sort_unstable();
    differing.into_iter().take(MOST_VIEWS).map(|(_, _, cluster, place)| (cluster, place)).collect()
}

struct Views<'a> {
    wanted: HashSet<(u64, usize)>,
    shown: usize,
    texts: &'a dyn Fn(&str) -> Option<String>,
}

impl Views<'_> {
    fn cluster(&mut self, out: &mut String, cluster: &ScanCluster) -> fmt::Result {
        let freed = cluster.duplicate_bytes();
        let weakest = if cluster.weakest.is_finite() { cluster.weakest } else { 0.0 };
        writeln!(
            out,
            r#"<article class="cluster" data-number="{0}" data-size="{1}" data-bytes="{freed}" data-weakest="{weakest}">
<h3 id="cluster-{0}">Cluster {0} <span>{2}{3}{4}</span></h3>
{5}<table aria-labelledby="cluster-{0}">
<thead><tr><th scope="col">Verdict</th><th scope="col">Document</th><th scope="col" class="number">Alike</th>
<th scope="col">In what</th><th scope="col">Type</th><th scope="col" class="number">Size</th><th scope="col">Date</th></tr></thead>
<tbody>"#,
            cluster.cluster,
            cluster.size,
            counted(cluster.size, "document"),
            if freed == 0 { String::new() } else { format!(" · {} to be freed", bytes(freed)) },
            weakest_label(cluster),
            warnings(cluster),
        )?;
        let mut kept_text = None;
        for (place, member) in cluster.members.iter().enumerate().take(MOST_MEMBERS) {
            row(out, cluster, member)?;
            if self.wanted.contains(&(cluster.cluster, place)) && out.len() < MOST_BYTES {
                let kept = kept_text.get_or_insert_with(|| (self.texts)(&cluster.master));
                beside(out, kept.as_deref(), (self.texts)(&member.id).as_deref())?;
                self.shown += 1;
            }
        }
        let more = cluster.members.len().saturating_sub(MOST_MEMBERS);
        if more > 0 {
            let more = counted(more as u64, "more document");
            writeln!(
                out,
                r#"<tr><td></td><td colspan="6" class="nothing">{more} in the output of <code>--json</code></td></tr>"#
            )?;
        }
        out.write_str("</tbody>\n</table>\n</article>\n")
    }
}

fn row(out: &mut String, cluster: &ScanCluster, member: &ScanMember) -> fmt::Result {
    let is_master = cluster.is_master(member);
    let (class, verdict) = if is_master { ("kept", "Keep") } else { ("removed", "Duplicate") };
    write!(
        out,
        r#"<tr class="{class}"><td><span class="verdict">{verdict}</span></td><th scope="row">{}"#,
        path(&member.path, member.part.as_deref())
    )?;
    if let Some(title) = member.title.as_deref().filter(|title| !title.trim().is_empty()) {
        write!(
            out,
            r#"<p class="note title" lang="" dir="auto">{}</p>"#,
            escaped(&shortened(title.trim(), 300))
        )?;
    }
    if is_master && !cluster.kept_because.is_empty() {
        write!(out, r#"<p class="note why">Kept: {}</p>"#, escaped(&shortened(&cluster.kept_because, 300)))?;
    }
    let shares = [
        (member.contained_in_master, "of it is in the kept one"),
        (member.contains_master, "of the kept one is in it"),
    ];
    let shares = shares.into_iter().filter_map(|(share, what)| Some(format!("{} {what}", percent(share?))));
    let mut shares: Vec<String> = shares.collect();
    let differs = member.difference.filter(|told| !told.has(DifferenceKind::None));
    shares.extend(differs.map(|told| format!("differs in: {told}")));
    if !is_master && !shares.is_empty() {
        write!(out, r#"<p class="note">{}</p>"#, shares.join(" · "))?;
    }
    let share = match alike(member) {
        _ if is_master => String::new(),
        Alike::Share(share) => percent(share),
        Alike::Stream(_) => String::new(),
        Alike::File | Alike::Text | Alike::Words => percent(1.0),
    };
    write!(out, r#"</th><td class="number">{share}</td><td>"#)?;
    if !is_master {
        in_what(out, member)?;
    }
    let kind = name(&member.kind);
    let size = bytes(member.bytes);
    let time = escaped(&shortened(&member.dated, 40)).to_string();
    let date = escaped(&shortened(day(&member.dated), 40)).to_string();
    let whose = if member.dated_by == "document" { "of the document" } else { "of the file" };
    write!(out, r#"</td><td class="kind">{kind}</td><td class="number">{size}</td>"#)?;
    writeln!(out, r#"<td class="date"><bdi title="{time}">{date}</bdi><p class="note">{whose}</p></td></tr>"#)
}

/// How similar the least similar duplicate is.
fn weakest_label(cluster: &ScanCluster) -> String {
    let told = cluster.weakest_member().map(|member| match alike(member) {
        Alike::Share(share) => percent(share),
        Alike::Stream(name) => format!("alike in {}", escaped(&shortened(&name, 60))),
        same => same.label(),
    });
    told.map_or(String::new(), |told| format!(" · weakest {told}"))
}

/// Warnings about the cluster.
fn warnings(cluster: &ScanCluster) -> String {
    let warning = |warning: &String| {
        format!("<p class=\"look\" dir=\"auto\">{}</p>\n", escaped(&shortened(warning, 300)))
    };
    cluster.warnings.iter().map(warning).collect()
}

fn in_what(out: &mut String, member: &ScanMember) -> fmt::Result {
    let told = alike(member);
    match told {
        Alike::File => return out.write_str("<span class=\"same\">same file</span>"),
        Alike::Text | Alike::Words => write!(out, "<span class=\"same\">{}</span> ", told.label())?,
        Alike::Share(_) | Alike::Stream(_) => {}
    }
    let is_same = matches!(told, Alike::Text | Alike::Words);
    let streams = streams(member).filter(|(stream, _)| *stream != "text" || !is_same);
    for (stream, similarity) in streams {
        write!(out, "<span class=\"stream\">{stream} {}</span> ", percent(similarity))?;
    }
    for stream in contradictions(member) {
        write!(out, "<span class=\"contradicts\">contradicting {stream}</span> ")?;
    }
    Ok(())
}

fn beside(out: &mut String, kept: Option<&str>, duplicate: Option<&str>) -> fmt::Result {
    out.write_str(
        "<tr class=\"view\"><td></td><td colspan=\"6\"><details><summary>Side by side with the kept one</summary>\n",
    )?;
    match (kept, duplicate) {
        (Some(kept), Some(duplicate)) => view(out, kept, duplicate)?,
        _ => out.write_str("<p class=\"nothing\">The text could not be read again.</p>\n")?,
    }
    out.write_str("</details></td></tr>\n")
}

/// A path without hidden characters. The middle of a long path is left out, as both ends say most.
pub fn path<'a>(path: &'a str, part: Option<&'a str>) -> impl Display + 'a {
    fmt::from_fn(move |out| {
        out.write_str("<bdi class=\"path\" lang=\"\">")?;
        write_path(out, path)?;
        if let Some(part) = part {
            out.write_str("<span class=\"part\">#")?;
            write_path(out, part)?;
            out.write_str("</span>")?;
        }
        out.write_str("</bdi>")
    })
}

fn write_path(out: &mut fmt::Formatter, path: &str) -> fmt::Result {
    let all = path.chars().count();
    let is_long = has_long_word(path);
    for (place, character) in path.chars().enumerate() {
        let is_left_out = all > MOST_PATH && (MOST_PATH / 3..all - 2 * MOST_PATH / 3).contains(&place);
        if is_left_out {
            if place == MOST_PATH / 3 {
                out.write_char(CUT)?;
            }
        } else if is_hidden(character) {
            write!(out, "⟦U+{:04X}⟧", character as u32)?;
        } else {
            write!(out, "{}", escaped(character.encode_utf8(&mut [0; 4])))?;
            if is_long && breaks_after(character) {
                out.write_str("<wbr>")?;
            }
        }
    }
    Ok(())
}
