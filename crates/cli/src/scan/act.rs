//! `lookalike scan --apply` and `--undo`

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use lookalike::scan::ScanReport;
use lookalike::scan::apply::{
    Action, PassedOver, Plan, Summary, Wish, apply, plan, printable, undo, undo_log_name,
};
use serde_json::json;

use super::ScanArgs;
use crate::out::{bytes, count, print, print_json, table, tell};

/// Reasons that are shown before the rest is only counted.
const MOST_REASONS: usize = 20;

/// Makes the plan and, unless it is a dry run, carries it out. Exits with 2 if something failed.
pub fn carry_out(report: &ScanReport, arguments: &ScanArgs) -> anyhow::Result<ExitCode> {
    let Some(action) = arguments.apply.map(|name| name.action()) else { return Ok(ExitCode::SUCCESS) };
    let wish = Wish {
        action,
        to: arguments.to.clone(),
        roots: arguments.paths.clone(),
        containers: report.containers.iter().cloned().collect(),
    };
    let plan = plan(report, &wish)?;
    if arguments.dry_run || action == Action::List {
        if arguments.json {
            print_json(&plan)?;
        } else if action == Action::List {
            list(&plan)?;
        } else {
            print(&plan_table(&plan))?;
        }
        tell_passed_over("left alone", &plan.passed_over);
        return Ok(ExitCode::SUCCESS);
    }
    let log = arguments.undo_log.clone().unwrap_or_else(|| undo_log_name(Path::new(".")));
    let summary = apply(&plan, &log)?;
    if arguments.json {
        print_json(&json!({ "plan": plan, "summary": summary }))?;
    } else {
        print(&told(action, &summary))?;
    }
    tell_passed_over("left alone", &plan.passed_over);
    tell_passed_over("failed", &summary.failed);
    Ok(if summary.failed.is_empty() { ExitCode::SUCCESS } else { ExitCode::from(2) })
}

/// Takes back what a log tells of.
pub fn take_back(log: &Path, as_json: bool) -> anyhow::Result<ExitCode> {
    let undone = undo(log)?;
    if as_json {
        print_json(&undone)?;
    } else {
        let idle = match undone.nothing_to_do {
            0 => String::new(),
            steps => format!("; for {} there was nothing to do", count(steps)),
        };
        print(&format!("{} files are what and where they were{idle}.\n", count(undone.taken_back)))?;
    }
    tell_passed_over("not taken back", &undone.failed);
    Ok(if undone.failed.is_empty() { ExitCode::SUCCESS } else { ExitCode::from(2) })
}

fn list(plan: &Plan) -> anyhow::Result<()> {
    let lines: String = plan.steps.iter().map(|step| format!("{}\n", printable(&step.path))).collect();
    print(&lines)
}

fn plan_table(plan: &Plan) -> String {
    let mut rows = vec![["FILE", "similarity", "size", "kept", "goes to"].map(str::to_owned).to_vec()];
    for step in &plan.steps {
        let to = step.to.as_ref().map_or(String::new(), |to: &PathBuf| printable(&to.to_string_lossy()));
        let similarity = format!("{:.3}", step.similarity);
        rows.push(vec![printable(&step.path), similarity, bytes(step.bytes), printable(&step.master), to]);
    }
    let (files, size) = (count(plan.steps.len() as u64), bytes(plan.bytes()));
    format!(
        "{}\n{} would act on {files} files, {size}. Nothing was changed.\n",
        table(&rows),
        plan.action.name()
    )
}

fn told(action: Action, summary: &Summary) -> String {
    let done = match action {
        Action::List => "listed",
        Action::Move => "moved",
        Action::Link => "replaced by links",
        Action::Trash => "put into the wastebasket",
    };
    let undo = match &summary.log {
        Some(log) => format!(" Taken back by: lookalike scan --undo {}", log.display()),
        None => String::new(),
    };
    format!("{} files {done}, {}.{undo}\n", count(summary.done), bytes(summary.bytes))
}

fn tell_passed_over(what: &str, files: &[PassedOver]) {
    for file in files.iter().take(MOST_REASONS) {
        tell(&format!("{what}: {}: {}", printable(&file.path), file.reason));
    }
    if files.len() > MOST_REASONS {
        tell(&format!("{what}: {} more (--json lists all)", files.len() - MOST_REASONS));
    }
}
