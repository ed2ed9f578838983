//! `lookalike lexicon build`

use std::fs::File;
use std::io::BufReader;
use std::path::{Path, PathBuf};
use std::time::Instant;

use anyhow::Context;
use clap::{Args, ValueHint};
use lookalike::Session;
use lookalike::lexicon::{Built, CountJob, import};
use lookalike_core::features::FeatureExtractor;
use lookalike_core::registry::{BuildContext, Params, value_from_text};
use lookalike_engine::lexicon::AssetFiles;
use lookalike_engine::memory::parse_bytes;
use serde_json::json;

use crate::host;
use crate::out::{bytes, count, print, print_json, seconds, table};
use crate::progress::Bars;

#[derive(Args)]
pub struct BuildArgs {
    /// Files, folders or patterns: JSONL, JSON, CSV, Parquet, Arrow or WET, plain or packed, or documents of any other
    /// format; `-` reads standard input
    #[arg(required_unless_present = "counts", value_name = "CORPUS", value_hint = ValueHint::AnyPath)]
    inputs: Vec<String>,
    /// The lexicon to write
    #[arg(short, long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    output: PathBuf,
    /// Take counts made elsewhere instead of a corpus: a first line `#docs<TAB>N`, then
    /// `term<TAB>documents`; `-` reads standard input
    #[arg(long, value_name = "TSV", value_hint = ValueHint::FilePath,
          conflicts_with_all = ["inputs", "set", "strict", "threads", "memory", "max_line", "text_field"])]
    counts: Option<String>,
    /// Name of the corpus, for people [default: its file's name]
    #[arg(long, value_name = "NAME")]
    source: Option<String>,
    /// Field with a document's text
    #[arg(long, value_name = "NAME", default_value = "text")]
    text_field: String,
    /// Leave out what occurs in fewer documents
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..))]
    min_df: u32,
    /// Count the features of an extractor instead of words, such as features.type=shingles; may be
    /// repeated
    #[arg(long, value_name = "features.KEY=VALUE")]
    set: Vec<String>,
    /// Worker threads [default: all cores]
    #[arg(long, value_name = "N")]
    threads: Option<usize>,
    /// Memory to use, such as 300MB or 4GiB; beyond it, counts go to disk
    /// [default: 70 % of the machine's or the container's]
    #[arg(long, value_name = "SIZE")]
    memory: Option<String>,
    /// Longest line that is read; a longer one is rejected
    #[arg(long, value_name = "SIZE", default_value = "64MiB")]
    max_line: String,
    /// Stop at the first bad line instead of counting it
    #[arg(long)]
    strict: bool,
    /// Print the result as JSON
    #[arg(long)]
    json: bool,
    /// Show no progress
    #[arg(short, long)]
    quiet: bool,
}

pub fn run(session: &Session, arguments: &BuildArgs) -> anyhow::Result<()> {
    let began = Instant::now();
    let built = match &arguments.counts {
        Some(counts) => import_counts(arguments, counts)?,
        None => count_corpus(session, arguments)?,
    };
    let elapsed = began.elapsed().as_secs_f64();
    let lexicon = &built.lexicon;
    let size = lexicon.as_bytes().len() as u64;
    if arguments.json {
        return print_json(&json!({
            "lexicon": arguments.output,
            "id": lexicon.id(),
            "documents": lexicon.documents(),
            "terms": lexicon.len(),
            "counted": lexicon.about().counted,
            "bytes": size,
            "rejected": built.rejected,
            "seconds": elapsed,
        }));
    }
    let mut rows = vec![
        vec!["documents".to_owned(), count(lexicon.documents())],
        vec!["terms".to_owned(), count(lexicon.len() as u64)],
        vec!["id".to_owned(), lexicon.id()],
    ];
    if built.rejected > 0 {
        rows.push(vec!["rejected".to_owned(), format!("{} bad lines or files", count(built.rejected))]);
    }
    let place = arguments.output.display();
    print(&format!("{}\n{}. The lexicon is in {place}, {}\n", table(&rows), seconds(elapsed), bytes(size)))
}

fn count_corpus(session: &Session, arguments: &BuildArgs) -> anyhow::Result<Built> {
    host::check_inputs(&arguments.inputs)?;
    let mut job = CountJob::new(arguments.inputs.iter().cloned(), &arguments.output);
    job.source.clone_from(&arguments.source);
    job.text_field.clone_from(&arguments.text_field);
    job.least_df = arguments.min_df;
    job.strict = arguments.strict;
    job.max_line = parse_bytes(&arguments.max_line).context("--max-line")?;
    if let Some(threads) = arguments.threads {
        job.threads = threads;
    }
    if let Some(memory) = &arguments.memory {
        job.memory = parse_bytes(memory).context("--memory")?;
    }
    let extractor = extractor(session, &arguments.set)?;
    let bars = Bars::new(arguments.quiet);
    let built = session.build_lexicon(job, extractor.as_deref(), &bars);
    bars.finish();
    Ok(built?)
}

/// The extractor whose features are counted; `None` if nothing is set, which means words.
fn extractor(session: &Session, assignments: &[String]) -> anyhow::Result<Option<Box<dyn FeatureExtractor>>> {
    if assignments.is_empty() {
        return Ok(None);
    }
    let mut values = toml::Table::new();
    for assignment in assignments {
        let parts = assignment.split_once('=').and_then(|(path, value)| {
            let key = path.trim().strip_prefix("features.")?;
            Some((key.to_owned(), value_from_text(value.trim())))
        });
        let (key, value) =
            parts.with_context(|| format!("--set {assignment}: write it as features.key=value"))?;
        values.insert(key, value);
    }
    let registry = session.registry();
    let assets = AssetFiles::default();
    let context = BuildContext::new(registry, &assets);
    Ok(Some(registry.features.build(Params::new("features", values), "shingles", &context)?))
}

fn import_counts(arguments: &BuildArgs, counts: &str) -> anyhow::Result<Built> {
    let name = Path::new(counts).file_name().unwrap_or_default().to_string_lossy().into_owned();
    let source = arguments.source.as_deref().unwrap_or(&name);
    let lexicon = if counts == "-" {
        import(host::standard_input()?.lock(), "<stdin>", source, arguments.min_df, &arguments.output)?
    } else {
        let file = File::open(counts).with_context(|| counts.to_owned())?;
        let reader = BufReader::with_capacity(1 << 20, file);
        import(reader, counts, source, arguments.min_df, &arguments.output)?
    };
    Ok(Built { lexicon, rejected: 0 })
}
