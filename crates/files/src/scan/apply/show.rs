//! Plans and results for people.

use std::fmt::{Display, Formatter, Result, Write};

use super::plan::SkippedFile;
use super::{Action, ActionPlan, Summary, Undone};
use lookalike_io::names::name_of;
use lookalike_report::text::printable;

impl Display for ActionPlan {
    fn fmt(&self, out: &mut Formatter<'_>) -> Result {
        let to_do = match self.action {
            Action::List => "duplicates",
            Action::Move => "to move",
            Action::Link => "to replace by hard links",
            Action::Trash => "for the wastebasket",
        };
        writeln!(out, "{} {to_do}, {} bytes", files(self.steps.len()), self.bytes())?;
        if !self.steps.is_empty() {
            writeln!(out, "{:>8} {:>10} {:>14}  file", "cluster", "similarity", "bytes")?;
        }
        for step in &self.steps {
            let path = printable(&step.path);
            write!(out, "{:>8} {:>10.4} {:>14}  {path}", step.cluster, step.similarity, step.bytes)?;
            match &step.to {
                Some(to) => writeln!(out, " -> {}", printable(&name_of(to)))?,
                None => out.write_char('\n')?,
            }
            writeln!(out, "{:>36}{}", "kept: ", printable(&step.master))?;
        }
        left(out, &self.passed_over, "passed over")
    }
}

impl Display for Summary {
    fn fmt(&self, out: &mut Formatter<'_>) -> Result {
        writeln!(out, "{} done, {} bytes", files(self.done), self.bytes)?;
        left(out, &self.failed, "failed")?;
        match &self.log {
            Some(log) => writeln!(out, "undo log: {}", printable(&name_of(log))),
            None => Ok(()),
        }
    }
}

impl Display for Undone {
    fn fmt(&self, out: &mut Formatter<'_>) -> Result {
        let nothing = self.nothing_to_do;
        writeln!(out, "{} taken back, {nothing} had nothing to take back", files(self.taken_back))?;
        left(out, &self.failed, "not taken back")
    }
}

fn left(out: &mut Formatter<'_>, files_left: &[SkippedFile], what: &str) -> Result {
    if !files_left.is_empty() {
        writeln!(out, "{} {what}", files(files_left.len()))?;
    }
    for SkippedFile { path, reason } in files_left {
        writeln!(out, "  {}: {}", printable(path), printable(reason))?;
    }
    Ok(())
}

fn files(count: impl TryInto<u64>) -> String {
    match count.try_into().unwrap_or(u64::MAX) {
        1 => "1 file".to_owned(),
        count => format!("{count} files"),
    }
}
