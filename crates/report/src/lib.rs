//! Pages for people: the page of a run, and what all pages share: style, charts, marked differences, and
//! escaping of foreign text.
//!
//! A page is made to be mailed around and opened years later, so it needs no network: its policy
//! forbids it, which also prevents anything in documents from being loaded or run. Everything that
//! comes from documents, names or settings goes through [`text::escaped`].

#![deny(missing_docs)]

pub mod charts;
pub mod csv;
pub mod diff;
pub mod plots;
pub mod run;
pub mod side;
pub mod text;

use std::fmt::{self, Write};

use self::text::{breakable, escaped, has_long_word, shortened};

/// Marks the end of a text that was cut.
pub const CUT: char = '…';

/// How a page begins.
pub struct Head<'a> {
    /// The title of the window, shortened.
    pub title: &'a str,
    /// What the policy allows besides styles in the page, such as a script by its digest.
    pub allows: &'a str,
    /// Styles of this page alone.
    pub style: &'a str,
}

impl Head<'_> {
    /// Writes everything before the content of `<main>`.
    pub fn write(&self, out: &mut String) -> fmt::Result {
        write!(
            out,
            r#"<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'; img-src data:{}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>{} – Lookalike report</title>
<style>
{}{}</style>
</head>
<body>
<main>
"#,
            self.allows,
            escaped(&shortened(self.title, 160)),
            include_str!("style.css"),
            self.style,
        )
    }
}

/// A section of warnings; nothing where there are none.
pub fn warnings(out: &mut String, warnings: &[String]) -> fmt::Result {
    if warnings.is_empty() {
        return Ok(());
    }
    out.write_str(
        r#"<section class="warnings" aria-labelledby="warnings">
<h2 id="warnings">Warnings</h2>
<ul>
"#,
    )?;
    for warning in warnings {
        writeln!(out, r#"<li dir="auto">{}</li>"#, escaped(warning))?;
    }
    out.write_str("</ul>\n</section>\n")
}

/// Big numbers in a row: class, label, figure and a note.
pub fn figures(
    out: &mut String,
    figures: impl IntoIterator<Item = (&'static str, &'static str, String, String)>,
) -> fmt::Result {
    out.write_str("<dl class=\"figures\">\n")?;
    for (class, label, figure, note) in figures {
        writeln!(
            out,
            r#"<div class="{class}"><dt>{label}</dt><dd>{figure}</dd><dd class="note">{note}</dd></div>"#
        )?;
    }
    out.write_str("</dl>\n")
}

/// A table of texts; the first row holds the headings. Figures are on one line and right-aligned; a
/// long name may be broken anywhere, but only if it would not fit otherwise.
pub fn rows(out: &mut String, rows: &[Vec<String>]) -> fmt::Result {
    let Some((head, rows)) = rows.split_first() else { return Ok(()) };
    let class = |column: usize| {
        let mut cells = rows.iter().filter_map(|row| row.get(column)).map(String::as_str);
        let is_figure =
            |cell: &str| cell == "–" || cell.starts_with(|sign: char| "0123456789-−≤≥<>".contains(sign));
        match (column, cells.clone().all(is_figure), cells.any(has_long_word)) {
            // The first column names the row, even if it is a number.
            (1.., true, false) => " class=\"number\"",
            (_, _, true) => " class=\"long\"",
            _ => "",
        }
    };
    let classes: Vec<&str> = (0..head.len()).map(class).collect();
    let class = |column: usize| classes.get(column).copied().unwrap_or_default();
    out.write_str("<div class=\"scroll\" tabindex=\"0\"><table>\n<thead><tr>")?;
    for (column, cell) in head.iter().enumerate() {
        write!(out, "<th scope=\"col\"{}>{}</th>", class(column), escaped(cell))?;
    }
    out.write_str("</tr></thead>\n<tbody>\n")?;
    for row in rows {
        out.write_str("<tr>")?;
        for (column, cell) in row.iter().enumerate() {
            write!(out, "<td{} dir=\"auto\">", class(column))?;
            match cell.split_once(" (").filter(|_| class(column).contains("number")) {
                // An interval is written below its figure, so that more columns fit.
                Some((figure, interval)) => write!(
                    out,
                    "{} <span class=\"interval\">({}</span></td>",
                    escaped(figure),
                    escaped(interval)
                )?,
                None => write!(out, "{}</td>", breakable(cell))?,
            }
        }
        out.write_str("</tr>\n")?;
    }
    out.write_str("</tbody>\n</table></div>\n")
}

/// The last section: how the run was made, and the recipe to repeat it. The facts are HTML.
pub fn how_it_ran(out: &mut String, facts: &[(&str, String)], recipe_toml: &str) -> fmt::Result {
    out.write_str(
        "<section aria-labelledby=\"run\">\n<h2 id=\"run\">How it was found</h2>\n<dl class=\"facts\">\n",
    )?;
    for (label, fact) in facts {
        writeln!(out, "<div><dt>{label}</dt><dd>{fact}</dd></div>")?;
    }
    writeln!(
        out,
        r#"</dl>
<details>
<summary>Recipe, with every default spelled out</summary>
<pre dir="ltr" tabindex="0">{}</pre>
</details>
</section>"#,
        escaped(recipe_toml.trim_end())
    )
}

/// For tests of pages.
pub mod testing;
