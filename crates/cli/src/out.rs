//! Writing to stdout and stderr, or to the host of a call: a closed pipe is an error like any other until `main` treats it
//! as success.

use std::io::{ErrorKind, IsTerminal, Write};

use crate::host;

/// Stdout, or what the caller gets instead.
pub struct Stdout;

impl Write for Stdout {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        if host::capture(bytes) { Ok(bytes.len()) } else { std::io::stdout().write(bytes) }
    }

    fn flush(&mut self) -> std::io::Result<()> {
        if host::is_called() { Ok(()) } else { std::io::stdout().flush() }
    }
}

impl Stdout {
    /// Whether a person sees it at once.
    pub fn is_terminal(&self) -> bool {
        !host::is_called() && std::io::stdout().is_terminal()
    }
}

pub fn print(text: &str) -> anyhow::Result<()> {
    Stdout.write_all(text.as_bytes())?;
    Stdout.flush()?;
    Ok(())
}

/// Writes a line to stderr. Errors are ignored: there is nobody to report them to.
pub fn tell(line: &str) {
    match (host::current(), line.strip_prefix("warning: ")) {
        (Some(host), Some(warning)) => host.warn(warning),
        (Some(host), None) => host.tell(line),
        (None, _) => {
            let _ = writeln!(std::io::stderr(), "{line}");
        }
    }
}

pub fn print_json(value: &impl serde::Serialize) -> anyhow::Result<()> {
    print(&(serde_json::to_string_pretty(value)? + "\n"))
}

pub fn is_closed_pipe(error: &anyhow::Error) -> bool {
    error.downcast_ref::<std::io::Error>().is_some_and(|error| error.kind() == ErrorKind::BrokenPipe)
}

/// The error and its causes in one line, none of them twice.
pub fn explain(error: &anyhow::Error) -> String {
    let mut text = error.to_string();
    for cause in error.chain().skip(1).map(|cause| cause.to_string()) {
        if !text.contains(&cause) {
            text += &format!(": {cause}");
        }
    }
    text
}

/// Rows of a table with aligned columns.
pub fn table(rows: &[Vec<String>]) -> String {
    let columns = rows.iter().map(Vec::len).max().unwrap_or(0);
    let width = |column: usize| {
        rows.iter().filter_map(|row| row.get(column)).map(|cell| cell.chars().count()).max().unwrap_or(0)
    };
    let widths: Vec<usize> = (0..columns).map(width).collect();
    let mut text = String::new();
    for row in rows {
        let cells = row.iter().zip(&widths);
        let line: Vec<String> = cells
            .map(|(cell, &width)| format!("{cell}{}", " ".repeat(width - cell.chars().count())))
            .collect();
        text += line.join("  ").trim_end();
        text.push('\n');
    }
    text
}

/// Truncated, not rounded: a similarity below 1 is never shown as 1.
pub fn similarity(value: f64) -> String {
    format!("{:.3}", (value * 1000.0 + 1e-9).floor() / 1000.0)
}

/// `1234567` → `1,234,567`.
pub fn count(number: u64) -> String {
    let digits = number.to_string();
    let mut text = String::new();
    for (place, digit) in digits.chars().enumerate() {
        if place > 0 && (digits.len() - place).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

/// `1500000` → `1.5 MB`.
pub fn bytes(number: u64) -> String {
    let mut value = number as f64;
    for unit in ["B", "kB", "MB", "GB"] {
        if value < 1000.0 {
            return if unit == "B" { format!("{value} B") } else { format!("{value:.1} {unit}") };
        }
        value /= 1000.0;
    }
    format!("{value:.1} TB")
}

/// `75.3` → `1 min 15 s`.
pub fn seconds(value: f64) -> String {
    let whole = value.round() as u64;
    match whole {
        _ if value < 10.0 => format!("{value:.1} s"),
        0..60 => format!("{whole} s"),
        60..3600 => format!("{} min {} s", whole / 60, whole % 60),
        _ => format!("{} h {} min", whole / 3600, whole % 3600 / 60),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_read_well() {
        assert_eq!(similarity(0.9996), "0.999");
        assert_eq!((similarity(1.0), similarity(0.857)), ("1.000".to_owned(), "0.857".to_owned()));
        assert_eq!(count(0), "0");
        assert_eq!(count(999), "999");
        assert_eq!(count(1234567), "1,234,567");
        assert_eq!(bytes(999), "999 B");
        assert_eq!(bytes(1_500_000), "1.5 MB");
        assert_eq!(seconds(0.26), "0.3 s");
        assert_eq!(seconds(75.3), "1 min 15 s");
        assert_eq!(seconds(7500.0), "2 h 5 min");
    }
}
