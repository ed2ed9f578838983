//! `lookalike dedup`

use std::path::{Path, PathBuf};

use anyhow::Context;
use clap::{Args, ValueHint};
use lookalike::{DecisionCounts, Job, Plan, RecallSample, Recipe, Registry, Report, Session};

use crate::args::{ReadingArgs, RecipeArgs};
#[cfg(feature = "full")]
use crate::decisions::read as read_decisions;
use crate::interrupt;
use crate::out::{bytes, count, print, print_json, seconds, table, tell};
use crate::progress::Bars;

pub const DEDUP_HELP: &str = "\
Examples:
  lookalike dedup corpus.jsonl -o deduped
  lookalike dedup crawl/*.jsonl.zst -o deduped --threshold 0.7 --keep newest,longest
  zcat dump.jsonl.gz | lookalike dedup - -o deduped --json | jq .removed
  lookalike dedup new.parquet -o deduped --against last-month/
  lookalike dedup corpus.jsonl -o again --decisions deduped
  lookalike dedup corpus.jsonl -o deduped --plan
  lookalike dedup corpus.jsonl -o deduped --measure-recall
  lookalike dedup s3://bucket/crawl/ -o s3://bucket/deduped

The output folder gets kept.* (the input's format, all columns), removed.jsonl, clusters.jsonl,
pairs.jsonl, rejected.jsonl, report.json and report.html.";

#[derive(Args)]
pub struct DedupArgs {
    /// Files, folders or patterns: JSONL, JSON arrays, CSV, TSV, Parquet, Arrow or WET, plain or packed by gzip, zstd,
    /// xz, bzip2 or lz4; `-` reads standard input. They may lie elsewhere: s3://, gs://, az://, https://.
    /// Documents of other formats (PDF, Word, HTML, mail, WARC, archives…) are read as `scan` reads them
    #[arg(required = true, value_name = "INPUT", value_hint = ValueHint::AnyPath)]
    pub inputs: Vec<String>,
    /// Folder for the results, or an address (s3://, gs://, az://): they are made in TMPDIR and uploaded
    #[arg(short, long, value_name = "DIR", value_hint = ValueHint::DirPath)]
    pub output: PathBuf,
    #[command(flatten)]
    pub recipe: RecipeArgs,
    /// A corpus, an index or an earlier run's folder, whose documents count as known: what it has is removed
    #[arg(long, value_name = "CORPUS", value_hint = ValueHint::AnyPath)]
    pub against: Vec<String>,
    /// What people decided, which holds whatever is found: a file of JSON lines, an index, the data folder of
    /// `serve`, or a result that was looked at with `view`
    #[arg(long, value_name = "PATH", value_hint = ValueHint::AnyPath)]
    pub decisions: Option<PathBuf>,
    /// Which member of a cluster is kept: longest, newest, first, shortest-url, max:FIELD, min:FIELD,
    /// source:a>b; several are asked in turn, ties are settled by the id [default: longest]
    #[arg(long, value_name = "RULES")]
    pub keep: Option<String>,
    /// Compare on full feature sets (exact), by signatures alone (estimate), or take whatever the
    /// signatures pair, as the papers do (signature) [default: exact]
    #[arg(long, value_name = "HOW")]
    pub verify: Option<String>,
    #[command(flatten)]
    pub reading: ReadingArgs,
    /// Field with a document's source, for warnings and `--keep source:`; absent: the file's name
    #[arg(long, value_name = "NAME", default_value = "source")]
    pub source_field: String,
    /// Add to removed.jsonl the passages that each document shares with its keeper, with byte offsets
    #[arg(long)]
    pub passages: bool,
    /// Measure which share of the near-duplicate pairs the run finds: a random sample of documents is compared
    /// exactly with all others, and the report tells the share with its interval
    #[arg(long)]
    pub measure_recall: bool,
    /// Documents to draw for --measure-recall: more take longer and make the interval shorter [default: 500, or 50 if
    /// the measure weighs features]
    #[arg(long, value_name = "N", requires = "measure_recall", value_parser = clap::value_parser!(u32).range(1..))]
    pub recall_sample: Option<u32>,
    /// Stop at the first bad line instead of counting it
    #[arg(long)]
    pub strict: bool,
    /// Go on with an interrupted run
    #[arg(long)]
    pub resume: bool,
    /// Replace the results of an earlier run in the folder
    #[arg(long, conflicts_with = "resume")]
    pub force: bool,
    /// Print expected time, memory, disk and recall, and do nothing else
    #[arg(long)]
    pub plan: bool,
    /// Print the report (or the plan) as JSON
    #[arg(long)]
    pub json: bool,
}

impl DedupArgs {
    pub fn recipe(&self, registry: &Registry) -> anyhow::Result<Recipe> {
        let mut recipe = self.recipe.recipe(registry)?;
        if let Some(keep) = &self.keep {
            recipe.set("keep.rule", keep)?;
        }
        if let Some(verify) = &self.verify {
            recipe.set("decide.verify", verify)?;
        }
        Ok(recipe)
    }

    pub fn job(&self, session: &Session) -> anyhow::Result<Job> {
        let mut job = self.reading.job(&self.inputs, &self.output)?;
        job.against.clone_from(&self.against);
        job.source_field.clone_from(&self.source_field);
        (job.strict, job.force, job.resume) = (self.strict, self.force, self.resume);
        job.passages = self.passages;
        let sample = RecallSample { documents: self.recall_sample, ..RecallSample::default() };
        job.measure_recall = self.measure_recall.then_some(sample);
        job.decisions = self
            .decisions
            .as_deref()
            .map(|path| read_decisions(session, path))
            .transpose()
            .context("--decisions")?;
        Ok(job)
    }
}

/// The small build knows decisions as files only.
#[cfg(not(feature = "full"))]
fn read_decisions(_: &Session, path: &Path) -> anyhow::Result<lookalike::decisions::Decisions> {
    Ok(lookalike::decisions::Decisions::read(path)?)
}

pub fn run(session: &Session, arguments: &DedupArgs) -> anyhow::Result<()> {
    let recipe = arguments.recipe(session.registry())?;
    let job = arguments.job(session)?;
    let bars = Bars::new(arguments.reading.quiet);
    let prepared = session.dedup(&recipe, job, &bars);
    bars.finish();
    let prepared = prepared?;
    if arguments.plan {
        let plan = prepared.plan()?;
        if let (Some(free), false) = (plan.disk_free_bytes, plan.fits_on_disk()) {
            tell(&format!(
                "warning: the run may need {} of disk and {} has {} free; make room, or choose another folder",
                bytes(plan.disk_bytes),
                arguments.output.display(),
                bytes(free)
            ));
        }
        return if arguments.json { print_json(&plan) } else { print(&plan_table(&plan)) };
    }
    interrupt::set_advice("what is done is kept: the same command with --resume goes on from there");
    let outcome = prepared.run(&bars);
    bars.finish();
    let report = outcome?;
    if arguments.json { print_json(&report) } else { print(&report_table(&report, &arguments.output)) }
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
    for (stream, &documents) in &report.contradictions {
        let note = format!("of the removed have other {stream} than their keepers");
        rows.push(row("contradicting", documents, note));
    }
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
        "{}{}\n{}{}, {} of memory. Results and report.html are in {}\n",
        table(&rows),
        found_by_table(report),
        recall(report),
        seconds(report.seconds),
        bytes(report.peak_memory_bytes),
        output.display()
    )
}

/// What is known of the share of pairs that was found, in lines.
fn recall(report: &Report) -> String {
    let expected = match (report.expected_recall, &report.measured_recall) {
        (Some(recall), _) => {
            format!("A pair right at the threshold is found with probability {recall:.3}.\n")
        }
        (None, Some(_)) => String::new(),
        (None, None) => "With this measure nothing can be said about pairs that were not found.\n".to_owned(),
    };
    let measured = report.measured_recall.as_ref().map(|measured| measured.summary() + ".\n");
    expected + &measured.unwrap_or_default()
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

/// Which method found what, for an ensemble.
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
    let mut needed = bytes(plan.disk_bytes);
    if plan.candidate_bytes > 0 {
        // A sample does not show how many candidates there are.
        let least = bytes(plan.disk_bytes - plan.candidate_bytes);
        needed = format!("{needed} ({least} and the texts of candidates)");
    }
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
    if !plan.grows_with_pairs {
        rows.push(vec!["pairs".to_owned(), format!("about {} to compare", count(plan.pairs))]);
    }
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
