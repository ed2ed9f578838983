//! `lookalike scan --apply` and `--undo`

use std::path::Path;

use lookalike::files::ScanReport;
use lookalike::files::apply::{Action, ActionPlan, ActionRequest, apply, plan, undo, undo_log_name};
use lookalike_report::text::printable;
use serde_json::json;

use super::ScanArgs;
use crate::exit::{DONE, FAILED};
use crate::interrupt;
use crate::out::{print, print_json, tell};

/// Makes the plan and, unless it is a dry run, carries it out. Exits with 2 if something failed.
pub fn carry_out(report: &ScanReport, action: Action, arguments: &ScanArgs) -> anyhow::Result<u8> {
    let request = ActionRequest {
        action,
        to: arguments.to.clone(),
        roots: arguments.paths.clone(),
        containers: report.containers.iter().cloned().collect(),
    };
    let plan = plan(report, &request)?;
    if arguments.dry_run || action == Action::List {
        match (arguments.json, action) {
            (true, _) => print_json(&plan)?,
            (false, Action::List) => list(&plan)?,
            (false, _) => print(&format!("{plan}Nothing was changed.\n"))?,
        }
        return Ok(DONE);
    }
    let log = arguments.undo_log.clone().unwrap_or_else(|| undo_log_name(Path::new(".")));
    interrupt::set_advice("what was done is in the undo log: lookalike scan --undo LOG takes it back");
    let summary = apply(&plan, &log)?;
    if arguments.json {
        print_json(&json!({ "plan": plan, "summary": summary }))?;
    } else {
        plan.passed_over
            .iter()
            .for_each(|file| tell(&format!("left alone: {}: {}", printable(&file.path), file.reason)));
        print(&summary.to_string())?;
    }
    Ok(if summary.failed.is_empty() { DONE } else { FAILED })
}

/// Undoes what is in a log.
pub fn take_back(log: &Path, as_json: bool) -> anyhow::Result<u8> {
    let undone = undo(log)?;
    if as_json {
        print_json(&undone)?;
    } else {
        print(&undone.to_string())?;
    }
    Ok(if undone.failed.is_empty() { DONE } else { FAILED })
}

/// Prints only the paths, for other programs.
fn list(plan: &ActionPlan) -> anyhow::Result<()> {
    plan.passed_over
        .iter()
        .for_each(|file| tell(&format!("left alone: {}: {}", printable(&file.path), file.reason)));
    print(&plan.steps.iter().map(|step| format!("{}\n", printable(&step.path))).collect::<String>())
}
