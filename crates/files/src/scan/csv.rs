//! `scan --csv`: a row for each document of a cluster, for spreadsheets.
//!
//! Fields are quoted by RFC 4180. A spreadsheet treats a field that begins with `=` as a formula
//! and executes it; so names and titles that look like one get an apostrophe in front, which marks
//! text.

use std::collections::HashSet;
use std::io::{self, Write};

use super::ScanReport;
use super::shown::{Alike, alike, contradictions, streams};
use lookalike_report::csv::{figure, foreign, quoted};

const COLUMNS: [&str; 23] = [
    "cluster",
    "size",
    "role",
    "path",
    "part",
    "type",
    "bytes",
    "modified",
    "similarity",
    "text",
    "images",
    "links",
    "page",
    "found_by",
    "same",
    "dated",
    "dated_by",
    "title",
    "kept_because",
    "warnings",
    "weak",
    "difference",
    "contradict",
];

/// Writes a row for each document of each cluster.
pub fn csv(report: &ScanReport, out: &mut impl Write) -> io::Result<()> {
    write!(out, "{}\r\n", COLUMNS.join(","))?;
    for cluster in &report.clusters {
        for member in &cluster.members {
            let is_master = cluster.is_master(member);
            let stream = |name: &str| {
                figure(streams(member).find(|(other, _)| *other == name).map(|(_, value)| value))
            };
            let similarity = match alike(member) {
                Alike::Share(share) if !is_master => share,
                _ => member.similarity,
            };
            let row: [String; COLUMNS.len()] = [
                cluster.cluster.to_string(),
                cluster.size.to_string(),
                if is_master { "keep" } else { "duplicate" }.to_owned(),
                foreign(&member.path),
                foreign(member.part.as_deref().unwrap_or_default()),
                foreign(&member.kind),
                member.bytes.to_string(),
                foreign(&member.modified),
                figure(Some(similarity)),
                if is_master { figure(member.streams.text) } else { stream("text") },
                stream("images"),
                stream("links"),
                stream("page"),
                foreign(&member.found_by.join("+")),
                foreign(member.same.as_deref().unwrap_or_default()),
                foreign(&member.dated),
                foreign(&member.dated_by),
                foreign(member.title.as_deref().unwrap_or_default()),
                foreign(if is_master { &cluster.kept_because } else { "" }),
                foreign(&if is_master { cluster.warnings.join("; ") } else { String::new() }),
                foreign(member.weak.as_deref().unwrap_or_default()),
                member.difference.map(|told| told.to_string()).unwrap_or_default(),
                contradictions(member).join(", "),
            ];
            write!(out, "{}\r\n", row.map(quoted).join(","))?;
        }
    }
    // Weak documents without a cluster come last, so that none is forgotten.
    let members = report.clusters.iter().flat_map(|cluster| &cluster.members);
    let clustered: HashSet<&str> = members.map(|member| member.id.as_str()).collect();
    for weak in report.weak.iter().filter(|weak| !clustered.contains(weak.path.as_str())) {
        let mut row = [const { String::new() }; COLUMNS.len()];
        row[2] = "weak".to_owned();
        row[3] = foreign(&weak.path);
        row[20] = foreign(&weak.reason);
        write!(out, "{}\r\n", row.map(quoted).join(","))?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scan::sample;

    fn written(report: &ScanReport) -> String {
        let mut out = Vec::new();
        csv(report, &mut out).unwrap();
        String::from_utf8(out).unwrap()
    }

    /// Strictly RFC 4180: anything else fails.
    fn parse(text: &str) -> Vec<Vec<String>> {
        let mut rows = Vec::new();
        let mut row = Vec::new();
        let mut rest = text;
        while !rest.is_empty() {
            let mut field = String::new();
            if let Some(mut quoted) = rest.strip_prefix('"') {
                loop {
                    let (part, after) = quoted.split_once('"').expect("a closing quote");
                    field += part;
                    let Some(more) = after.strip_prefix('"') else {
                        rest = after;
                        break;
                    };
                    field.push('"');
                    quoted = more;
                }
            } else {
                let end = rest.find([',', '\r', '\n', '"']).expect("an end of the row");
                field += &rest[..end];
                rest = &rest[end..];
            }
            row.push(field);
            if let Some(after) = rest.strip_prefix(',') {
                rest = after;
            } else {
                rest = rest.strip_prefix("\r\n").expect("the end of a row");
                rows.push(std::mem::take(&mut row));
            }
        }
        assert!(row.is_empty());
        rows
    }

    #[test]
    fn rows_are_as_expected() {
        let text = written(&sample::small());
        let lines: Vec<&str> = text.split("\r\n").collect();
        assert_eq!(
            lines,
            [
                "cluster,size,role,path,part,type,bytes,modified,similarity,text,images,links,page,found_by,same,dated,dated_by,title,kept_because,warnings,weak,difference,contradict",
                "1,3,keep,reports/annual report.docx,,docx,1200000,2024-03-01T12:00:00Z,1,1,1,1,,,,2024-02-28T00:00:00,document,\"Annual report, 2023\",the newest of the longest,,,,",
                "1,3,duplicate,old/annual report (copy).docx,,docx,1200000,2024-02-01T12:00:00Z,1,1,1,1,,exact+file,file,2024-02-01T12:00:00Z,file,\"Annual report, 2023\",,,,,",
                "1,3,duplicate,mail/archive.zip,annual.pdf,pdf,800000,2023-12-01T12:00:00Z,0.934,0.934,0.75,,,minhash,,2023-12-01T12:00:00Z,file,,,,,,",
                "2,2,keep,notes.txt,,text,1500,2024-01-05T08:00:00Z,1,1,,,,,,2024-01-05T08:00:00Z,file,,the newest,\"short texts, of 23 words at most\",,,",
                "2,2,duplicate,notes-old.txt,,text,1400,2024-01-04T08:00:00Z,0.9996,0.9996,,,,minhash,,2024-01-04T08:00:00Z,file,,,,,,",
                "",
            ]
        );
    }

    #[test]
    fn any_value_comes_back() {
        let mut report = sample::small();
        let values = ["a,b", "say \"x\"", "\"", "two\r\nlines", " edges ", "\u{202e}\0", "東京", ""];
        for value in values {
            for member in &mut report.clusters[0].members {
                member.path = value.to_owned();
                member.title = Some(value.to_owned());
                member.similarity = f64::NAN;
            }
            let rows = parse(&written(&report));
            assert_eq!(rows.len(), 6);
            assert!(rows.iter().all(|row| row.len() == COLUMNS.len()));
            assert!(rows[1..4].iter().all(|row| row[3] == value && row[17] == value && row[8].is_empty()));
        }
    }

    #[test]
    fn formulas_are_made_text() {
        let mut report = sample::small();
        let formulas = ["=1+1", "+1", "-1", "@SUM(A1)", "\t=1", " =1", "\r=1", "＝1"];
        for formula in formulas {
            let member = &mut report.clusters[0].members[1];
            member.path = formula.to_owned();
            member.part = Some(formula.to_owned());
            member.title = Some(formula.to_owned());
            let rows = parse(&written(&report));
            for column in [3, 4, 17] {
                assert_eq!(rows[2][column], format!("'{formula}"));
            }
        }
        assert_eq!(foreign("a=b"), "a=b");
    }
}
