//! The output of a scan for people: a short block for each cluster, what was not read, a summary.

mod width;

use self::width::{columns, shortened, visible};
use super::shown::{Alike, Group, alike, by_reason, contradictions, day, streams};
use super::{ScanCluster, ScanMember, ScanReport, Unreadable};
use lookalike_report::text::{bytes, count, counted, duration, share};

/// How many clusters a terminal shows by default.
pub const MOST_CLUSTERS: usize = 100;

/// How many members of a cluster a terminal shows by default.
const MOST_MEMBERS: usize = 20;
const MOST_REASONS: usize = 10;
const EXAMPLES: usize = 3;
/// How many letters of a file type are shown, and the least room for a path.
const MOST_TYPE: usize = 8;
const LEAST_PATH: usize = 24;

/// The table for a terminal of `width` columns (`usize::MAX` for a file or a pipe), of at most
/// `most_clusters` clusters; with `usize::MAX` of all clusters with all their members.
pub fn table(report: &ScanReport, width: usize, colour: bool, most_clusters: usize) -> String {
    let shown = &report.clusters[..report.clusters.len().min(most_clusters)];
    let kinds = shown.iter().flat_map(|cluster| &cluster.members).map(|member| columns(&kind(member)));
    let style = Style {
        width,
        colour,
        type_width: kinds.max().unwrap_or(0),
        most_members: if most_clusters == usize::MAX { usize::MAX } else { MOST_MEMBERS },
    };
    let mut out = String::new();
    for cluster in shown {
        style.cluster(&mut out, cluster);
        out.push('\n');
    }
    let more = report.clusters.len() - shown.len();
    if more > 0 {
        let more = counted(more as u64, "more cluster");
        out += &format!("{}\n\n", style.paint(Paint::Bold, &format!("… and {more} not shown here")));
    }
    style.unreadable(&mut out, "file", "could not be read", &report.unreadable);
    style.unreadable(
        &mut out,
        "part",
        "could not be read, of files that gave other documents",
        &report.partly,
    );
    style.unreadable(
        &mut out,
        "document",
        "of which too little could be read to compare the text",
        &report.weak,
    );
    style.warnings(&mut out, &report.warnings);
    out += &summary(report, width);
    out.replace('\u{a0}', " ")
}

fn summary(report: &ScanReport, width: usize) -> String {
    let cached = match report.from_cache {
        0 => String::new(),
        known => format!(" ({} known from before)", count(known)),
    };
    let files = format!(
        "{}: {} read{cached}, {} unreadable; {}{}.",
        counted(report.files, "file"),
        count(report.read),
        count(report.unreadable.len() as u64),
        counted(report.documents, "document"),
        match report.weak.len() as u64 {
            0 => String::new(),
            weak => format!(", {} with a weak text", count(weak)),
        },
    );
    let found = match report.duplicates().count() as u64 {
        0 => "No duplicates".to_owned(),
        duplicates => format!(
            "{} in {}, {} to be freed",
            counted(duplicates, "duplicate"),
            counted(report.clusters.len() as u64, "cluster"),
            bytes(report.duplicate_bytes)
        ),
    };
    let found = format!("{found}; {}.", duration(report.seconds));
    let fits = columns(&files) + 1 + columns(&found) <= width;
    format!("{files}{}{found}\n", if fits { ' ' } else { '\n' })
}

#[derive(Clone, Copy)]
enum Paint {
    Bold,
    Green,
    Yellow,
    Faint,
}

struct Style {
    width: usize,
    colour: bool,
    type_width: usize,
    most_members: usize,
}

impl Style {
    fn cluster(&self, out: &mut String, cluster: &ScanCluster) {
        let freed = match cluster.duplicate_bytes() {
            0 => String::new(),
            freed => format!(", {} to be freed", bytes(freed)),
        };
        let weakest = cluster.weakest_member().map_or(String::new(), |weakest| match alike(weakest) {
            Alike::Stream(name) => format!(", weakest alike in {}", visible(&name)),
            told => format!(", weakest {}", told.label()),
        });
        let head = format!("{}  {}{freed}{weakest}", cluster.cluster, counted(cluster.size, "document"));
        *out += &format!("{}\n", self.paint(Paint::Bold, &head));
        for warning in &cluster.warnings {
            let room = self.width.saturating_sub(9).max(LEAST_PATH);
            let warning = shortened(&visible(warning), room);
            *out += &format!("  {}  {warning}\n", self.paint(Paint::Yellow, "look"));
        }
        for member in cluster.members.iter().take(self.most_members) {
            self.member(out, member, cluster.is_master(member));
            if cluster.is_master(member) && !cluster.kept_because.is_empty() {
                self.note(out, &format!("kept: {}", visible(&cluster.kept_because)));
            }
            let agreed = agreed(member);
            if !cluster.is_master(member) && !agreed.is_empty() {
                self.note(out, &agreed);
            }
        }
        let more = cluster.members.len().saturating_sub(self.most_members);
        if more > 0 {
            self.note(out, &format!("… and {}", counted(more as u64, "more document")));
        }
    }

    fn member(&self, out: &mut String, member: &ScanMember, is_master: bool) {
        let (paint, mark) = if is_master { (Paint::Green, "keep") } else { (Paint::Yellow, "dup ") };
        let alike = if is_master { String::new() } else { visible(&alike(member).label()) };
        let kind = kind(member);
        let padding = " ".repeat(self.type_width.saturating_sub(columns(&kind)));
        let mut facts = format!("  {alike:<10}  {kind}{padding}  {:>8}", bytes(member.bytes));
        // Whose date it is: the document's or the file's.
        let whose = if member.dated_by == "document" { "doc" } else { "file" };
        let date = format!("  {:<10} {whose:<4}", visible(day(&member.dated)));
        let used = |facts: &str| 2 + mark.len() + columns(facts) + 2;
        // The path is more important than the date.
        if self.width.saturating_sub(used(&facts) + columns(&date)) >= LEAST_PATH {
            facts += &date;
        }
        let room = self.width.saturating_sub(used(&facts)).max(LEAST_PATH);
        let name = match &member.part {
            Some(part) => format!("{}#{part}", member.path),
            None => member.path.clone(),
        };
        *out += &format!("  {}{facts}  {}\n", self.paint(paint, mark), shortened(&visible(&name), room));
    }

    fn note(&self, out: &mut String, note: &str) {
        let note = shortened(note, self.width.saturating_sub(8).max(LEAST_PATH));
        *out += &format!("        {}\n", self.paint(Paint::Faint, &note));
    }

    fn warnings(&self, out: &mut String, warnings: &[String]) {
        if warnings.is_empty() {
            return;
        }
        let head = counted(warnings.len() as u64, "warning");
        *out += &format!("{}\n", self.paint(Paint::Bold, &head));
        for warning in warnings {
            *out += &format!("  {}\n", self.paint(Paint::Yellow, &visible(warning)));
        }
        out.push('\n');
    }

    fn unreadable(&self, out: &mut String, noun: &str, what: &str, files: &[Unreadable]) {
        if files.is_empty() {
            return;
        }
        let head = format!("{} {what}", counted(files.len() as u64, noun));
        *out += &format!("{}\n", self.paint(Paint::Bold, &head));
        let groups = by_reason(files);
        for Group { reason, files } in groups.iter().take(MOST_REASONS) {
            let reason = shortened(&visible(reason), self.width.saturating_sub(9).max(LEAST_PATH));
            *out += &format!("{:>7}  {reason}\n", count(files.len() as u64));
            for (path, detail) in files.iter().take(EXAMPLES) {
                let line = if detail.is_empty() {
                    visible(path)
                } else {
                    format!("{} ({})", visible(path), visible(detail))
                };
                let line = shortened(&line, self.width.saturating_sub(11).max(LEAST_PATH));
                *out += &format!("           {}\n", self.paint(Paint::Faint, &line));
            }
            if files.len() > EXAMPLES {
                *out += &format!("           … and {} more\n", count((files.len() - EXAMPLES) as u64));
            }
        }
        if groups.len() > MOST_REASONS {
            let more = counted((groups.len() - MOST_REASONS) as u64, "more reason");
            *out += &format!("         … and {more}\n");
        }
        out.push('\n');
    }

    fn paint(&self, paint: Paint, text: &str) -> String {
        let code = match paint {
            Paint::Bold => "1",
            Paint::Green => "32",
            Paint::Yellow => "33",
            Paint::Faint => "2",
        };
        if self.colour { format!("\u{1b}[{code}m{text}\u{1b}[0m") } else { text.to_owned() }
    }
}

/// How much of each stream agrees with the master, if that is not the text alone. For the same file
/// everything agrees.
fn agreed(member: &ScanMember) -> String {
    let only_text = streams(member).all(|(name, _)| name == "text");
    match alike(member) {
        Alike::File => return String::new(),
        Alike::Stream(_) => {}
        _ if only_text => return String::new(),
        _ => {}
    }
    let mut agreed: Vec<String> =
        streams(member).map(|(name, value)| format!("{name} {}", share(value, 2))).collect();
    let contradictions = contradictions(member);
    if !contradictions.is_empty() {
        agreed.push(format!("contradicting {}", contradictions.join(" and ")));
    }
    agreed.join(", ")
}

fn kind(member: &ScanMember) -> String {
    shortened(&visible(&member.kind), MOST_TYPE)
}

#[cfg(test)]
mod tests;
