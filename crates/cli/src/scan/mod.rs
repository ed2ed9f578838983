//! `lookalike scan`

mod args;

use std::process::ExitCode;

use lookalike::Registry;
use lookalike::scan::scan;

pub use self::args::{SCAN_HELP, ScanArgs};
use crate::out::print_json;
use crate::progress::Bars;

pub fn run(arguments: &ScanArgs) -> anyhow::Result<ExitCode> {
    let registry = Registry::with_built_ins();
    let recipe = arguments.recipe(&registry)?;
    let extraction = recipe.extraction()?;
    let pipeline = recipe.build(&registry)?.reading_files(&extraction);
    let job = arguments.job()?;
    let bars = Bars::new(arguments.quiet);
    let outcome = scan(&pipeline, &extraction, &job, arguments.html.is_some(), &bars);
    bars.finish();
    let scan = outcome?;
    print_json(&scan.report)?;
    let found = !scan.report.clusters.is_empty();
    Ok(if arguments.check && found { ExitCode::from(1) } else { ExitCode::SUCCESS })
}
