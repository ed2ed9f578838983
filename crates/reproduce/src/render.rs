//! An experiment as text for a terminal, as Markdown for the record, and as a page.

use std::fmt::Write;

use super::{Reproduced, Section};
use lookalike_report::plots::STYLE;
use lookalike_report::text::escaped;
use lookalike_report::{Head, rows};

/// For a terminal.
pub fn text(result: &Reproduced) -> String {
    let mut out = format!("{} ({})\n", result.title, result.paper);
    list(&mut out, "Data", &result.data);
    for section in &result.sections {
        let _ = write!(out, "\n{}\n", section.heading);
        if !section.text.is_empty() {
            let _ = writeln!(out, "{}", section.text);
        }
        if !section.table.is_empty() {
            let _ = write!(out, "\n{}", aligned(&section.table));
        }
    }
    list(&mut out, "Differs from the paper", &result.differs);
    list(&mut out, "Findings", &result.findings);
    out
}

fn list(out: &mut String, heading: &str, lines: &[String]) {
    if !lines.is_empty() {
        let _ = writeln!(out, "\n{heading}");
        for line in lines {
            let _ = writeln!(out, "- {line}");
        }
    }
}

fn aligned(rows: &[Vec<String>]) -> String {
    let columns = rows.iter().map(Vec::len).max().unwrap_or(0);
    let width = |column: usize| {
        rows.iter().filter_map(|row| row.get(column)).map(|cell| cell.chars().count()).max().unwrap_or(0)
    };
    let widths: Vec<usize> = (0..columns).map(width).collect();
    let mut text = String::new();
    for row in rows {
        let padded = row.iter().zip(&widths);
        let line: Vec<String> = padded
            .map(|(cell, &width)| format!("{cell}{}", " ".repeat(width - cell.chars().count())))
            .collect();
        text += line.join("  ").trim_end();
        text.push('\n');
    }
    text
}

/// For docs/reproduction.md: a section of its own.
pub fn markdown(result: &Reproduced) -> String {
    let mut out = format!("## `{}`: {}\n\n{}.\n", result.name, result.title, result.paper);
    for line in &result.data {
        let _ = write!(out, "\nData: {line}\n");
    }
    let _ = write!(out, "\n```text\nlookalike reproduce {} --data DATA\n```\n", result.name);
    for section in &result.sections {
        markdown_section(&mut out, section);
    }
    for (heading, lines) in [("Differs from the paper", &result.differs), ("Findings", &result.findings)] {
        if !lines.is_empty() {
            let _ = write!(out, "\n**{heading}**\n\n");
            lines.iter().for_each(|line| {
                let _ = writeln!(out, "- {line}");
            });
        }
    }
    out
}

fn markdown_section(out: &mut String, section: &Section) {
    let _ = write!(out, "\n### {}\n", section.heading);
    if !section.text.is_empty() {
        let _ = write!(out, "\n{}\n", section.text);
    }
    let Some((head, rows)) = section.table.split_first() else { return };
    let line = |cells: &[String]| {
        format!("| {} |\n", cells.iter().map(|cell| cell.replace('|', "\\|")).collect::<Vec<_>>().join(" | "))
    };
    let _ = write!(out, "\n{}|{}\n", line(head), "---|".repeat(head.len()));
    rows.iter().for_each(|row| out.push_str(&line(row)));
}

/// A page that needs no network.
pub fn html(result: &Reproduced, command: &str) -> String {
    let mut out = String::new();
    // Writing to a string cannot fail.
    let _ = write_html(&mut out, result, command);
    out
}

fn write_html(out: &mut String, result: &Reproduced, command: &str) -> std::fmt::Result {
    Head { title: &result.title, allows: "", style: STYLE }.write(out)?;
    writeln!(out, "<h1>{}</h1>\n<p>{}</p>", escaped(&result.title), escaped(&result.paper))?;
    let items = |out: &mut String, heading: &str, lines: &[String]| -> std::fmt::Result {
        if lines.is_empty() {
            return Ok(());
        }
        writeln!(out, "<section><h2>{heading}</h2><ul>")?;
        lines.iter().try_for_each(|line| writeln!(out, "<li>{}</li>", escaped(line)))?;
        writeln!(out, "</ul></section>")
    };
    items(out, "Findings", &result.findings)?;
    items(out, "Data", &result.data)?;
    for section in &result.sections {
        writeln!(out, "<section><h2>{}</h2>", escaped(&section.heading))?;
        if !section.text.is_empty() {
            writeln!(out, "<p>{}</p>", escaped(&section.text))?;
        }
        rows(out, &section.table)?;
        for figure in &section.figures {
            writeln!(
                out,
                "<figure>{}<figcaption>{}</figcaption></figure>",
                figure.svg,
                escaped(&figure.caption)
            )?;
        }
        out.write_str("</section>\n")?;
    }
    items(out, "Differs from the paper", &result.differs)?;
    writeln!(
        out,
        "<section><h2>How it was made</h2><pre dir=\"ltr\" tabindex=\"0\">{}</pre></section>",
        escaped(command)
    )?;
    out.write_str("</main>\n</body>\n</html>\n")
}
