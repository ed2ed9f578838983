//! `lookalike dedup`

use std::path::Path;

use anyhow::Context;
use lookalike::index::Index;
use lookalike::lexicon::prepare;
use lookalike::{DecisionCounts, Plan, Registry, Report, plan, run as run_job};

use crate::args::DedupArgs;
use crate::files::Files;
use crate::interrupt;
use crate::out::{bytes, count, print, print_json, seconds, table, tell};
use crate::progress::Bars;

pub fn run(arguments: &DedupArgs) -> anyhow::Result<()> {
    let registry = Registry::with_built_ins();
    let recipe = arguments.recipe(&registry)?;
    let mut job = arguments.job()?;
    let bars = Bars::new(arguments.reading.quiet);
    let files = Files::new(&recipe, job.threads)?;
    let (strict, output) = (job.strict, job.output.clone());
    export_indexes(&mut job.against, &output.join(".lookalike-known"), job.resume)?;
    let text = job.text_field.clone();
    let known = files.replace(&mut job.against, &text, &output.join(".lookalike-known"), strict, &bars)?;
    job.named.clone_from(&job.inputs);
    let documents = output.join(".lookalike-documents");
    let read = files.replace(&mut job.inputs, &text, &documents, strict, &bars)?;
    job.unreadable = [&known.unreadable[..], &read.unreadable[..]].concat();
    job.weak = read.weak.clone();
    let prepared = prepare(&recipe, &registry, &job, &bars)?;
    let mut pipeline = recipe.build_with(&registry, &prepared.shelf)?;
    if read.is_from_files() {
        pipeline = pipeline.reading_files(&files.extraction);
    }
    if arguments.plan {
        let plan = plan(&pipeline, &job)?;
        if let (Some(free), false) = (plan.disk_free_bytes, plan.fits_on_disk()) {
            tell(&format!(
                "warning: the run may need {} of disk and {} has {} free; make room, or choose another folder",
                bytes(plan.disk_bytes),
                job.output.display(),
                bytes(free)
            ));
        }
        return if arguments.json { print_json(&plan) } else { print(&plan_table(&plan)) };
    }
    interrupt::then("what is done is kept: the same command with --resume goes on from there");
    let outcome = run_job(&pipeline, &job, &bars);
    bars.finish();
    let report = outcome?;
    prepared.keep(&job.output)?;
    known.finish();
    read.finish();
    let _ = std::fs::remove_dir_all(output.join(".lookalike-known"));
    if arguments.json { print_json(&report) } else { print(&report_table(&report, &arguments.output)) }
}

/// An index to compare against stands for its documents, which are written out as a corpus.
fn export_indexes(against: &mut [String], folder: &Path, resume: bool) -> anyhow::Result<()> {
    for (number, argument) in against.iter_mut().enumerate() {
        if !Index::is_in(Path::new(argument)) {
            continue;
        }
        let path = folder.join(format!("index-{number}.jsonl"));
        // A run goes on with the documents that it began with.
        if !(resume && path.exists()) {
            let index = Index::open(Path::new(argument), Registry::with_built_ins())?;
            std::fs::create_dir_all(folder).with_context(|| folder.display().to_string())?;
            index.export(&path)?;
        }
        *argument = path.to_string_lossy().into_owned();
    }
    Ok(())
}

pub fn report_table(report: &Report, output: &Path) -> String {
    let share = |part: u64| match report.documents {
        0 => String::new(),
        all => format!("{:.1} %", 100.0 * part as f64 / all as f64),
    };
    let row = |name: &str, number: u64, note: String| vec![name.to_owned(), count(number), note];
    let mut rows = vec![
        row("documents", report.documents, bytes(report.input_bytes)),
        row("kept", report.kept, share(report.kept)),
        row("removed", report.removed, share(report.removed)),
        row("clusters", report.clusters, String::new()),
        row("pairs", report.pairs, pairs_note(report)),
    ];
    if report.passed_over.files > 0 {
        rows.push(row("passed over", report.passed_over.files, "files that are no corpora".to_owned()));
    }
    if report.rejected > 0 {
        rows.push(row("rejected", report.rejected, "bad lines, see rejected.jsonl".to_owned()));
    }
    if report.empty > 0 {
        rows.push(row("empty", report.empty, "nothing to compare; kept".to_owned()));
    }
    if !report.weak.is_empty() {
        let note = "of the empty: too little could be read of the file; see report.json";
        rows.push(row("weak", report.weak.len() as u64, note.to_owned()));
    }
    if report.unsigned > 0 {
        rows.push(row(
            "unsigned",
            report.unsigned,
            "without a signature; only exact copies are found".to_owned(),
        ));
    }
    if let Some(counts) = &report.decisions {
        rows.push(row("decisions", counts.used, decisions_note(counts)));
    }
    if report.against > 0 {
        rows.push(row("against", report.against, "known documents".to_owned()));
    }
    for narrowed in &report.narrowing {
        rows.push(row("compared", narrowed.narrowing.comparisons, narrowed.narrowing.summary()));
    }
    format!(
        "{}{}\n{}\n{}, {} of memory. Results and report.html are in {}\n",
        table(&rows),
        found_by_table(report),
        match report.expected_recall {
            Some(recall) => format!("A pair right at the threshold is found with probability {recall:.3}."),
            None => "With this measure nothing can be said about pairs that were not found.".to_owned(),
        },
        seconds(report.seconds),
        bytes(report.peak_memory_bytes),
        output.display()
    )
}

fn decisions_note(counts: &DecisionCounts) -> String {
    let unused = [
        (counts.stale, "about a text that changed"),
        (counts.unknown, "about unknown documents"),
        (counts.undecidable, "with nothing to decide"),
    ];
    let unused = unused.into_iter().filter(|&(number, _)| number > 0);
    let unused: String = unused.map(|(number, what)| format!("; {} {what}", count(number))).collect();
    format!("of people hold{unused}")
}

fn pairs_note(report: &Report) -> String {
    let verify = report.recipe.get("decide").and_then(|decide| decide.get("verify")?.as_str());
    match verify {
        Some("signature") => "whatever the signatures pair, however alike; copies, too".to_owned(),
        _ => format!(
            "similarity {} or more; {} candidates compared, copies aside",
            report.threshold,
            count(report.candidates)
        ),
    }
}

/// Who found what, for an ensemble.
fn found_by_table(report: &Report) -> String {
    if report.found_by.is_empty() {
        return String::new();
    }
    let head = ["METHOD", "proposed", "verified", "alone", "missed"].map(str::to_owned).to_vec();
    let rows = report.found_by.iter().map(|found| {
        let numbers = [found.candidates, found.pairs, found.only, found.missed].map(count);
        [vec![found.method.clone()], numbers.to_vec()].concat()
    });
    format!("\n{}", table(&std::iter::once(head).chain(rows).collect::<Vec<_>>()))
}

fn disk_note(plan: &Plan) -> String {
    let needed = bytes(plan.disk_bytes);
    match plan.disk_free_bytes.map(bytes) {
        None => format!("up to {needed} in the output folder"),
        Some(free) if plan.fits_on_disk() => {
            format!("up to {needed} in the output folder; {free} are free there")
        }
        Some(free) => format!("up to {needed} in the output folder; ONLY {free} are free there"),
    }
}

fn plan_table(plan: &Plan) -> String {
    let mut rows = vec![
        vec![
            "input".to_owned(),
            format!("{} in {} files", bytes(plan.input_bytes), count(plan.inputs as u64)),
        ],
        vec!["documents".to_owned(), format!("about {}", count(plan.documents))],
        vec!["time".to_owned(), format!("about {}", seconds(plan.seconds))],
        vec![
            "memory".to_owned(),
            format!(
                "about {} of {}{}",
                bytes(plan.memory_bytes),
                bytes(plan.memory_limit),
                if plan.spills { "; the rest goes to disk" } else { "" }
            ),
        ],
        vec!["disk".to_owned(), disk_note(plan)],
        vec!["candidates".to_owned(), plan.candidates.clone()],
    ];
    if plan.grows_with_pairs {
        let note =
            "a join: time and memory grow with the pairs it finds; a crowd of like documents has very many";
        rows.push(vec!["note".to_owned(), note.to_owned()]);
    }
    for (similarity, recall) in &plan.expected_recall {
        rows.push(vec![
            format!("recall at {similarity:.2}"),
            recall.map_or("cannot be told".to_owned(), |recall| format!("{recall:.4}")),
        ]);
    }
    table(&rows)
}
