//! `lookalike scan`

mod act;
mod args;

use std::collections::HashSet;
use std::io::Write;
use std::path::Path;

use anyhow::Context;
use lookalike::files::{Scan, csv, page, table};
use lookalike::{Progress, Session};
use lookalike_files::scan::MOST_CLUSTERS;

pub use self::args::{SCAN_HELP, ScanArgs};
use crate::exit::{DONE, FOUND};
use crate::interrupt;
use crate::out::{Stdout, print, print_json, tell};
use crate::progress::Bars;

pub fn run(session: &Session, arguments: &ScanArgs) -> anyhow::Result<u8> {
    if let Some(log) = &arguments.undo {
        return act::take_back(log, arguments.json);
    }
    let recipe = arguments.recipe(session.registry())?;
    let job = arguments.job(session)?;
    let bars = Bars::new(arguments.quiet);
    interrupt::set_advice(match &job.cache {
        Some(_) => "what was read is kept: the same command goes on from there",
        None => "without a cache nothing is kept: the same command begins anew",
    });
    let outcome = session.scan(&recipe, &job, arguments.html.is_some(), &bars);
    bars.finish();
    let scan = outcome?;
    if let Some(path) = &arguments.html {
        write_page(&scan, path)?;
    }
    let shows_table = arguments.apply.is_none() && !arguments.json && !arguments.csv && !arguments.quiet;
    if !shows_table {
        scan.report.warnings.iter().for_each(|warning| bars.warn(warning));
    }
    if let Some(action) = arguments.apply {
        return act::carry_out(&scan.report, action.action(), arguments);
    }
    show(&scan, arguments)?;
    let found = !scan.report.clusters.is_empty();
    Ok(if arguments.check && found { FOUND } else { DONE })
}

fn show(scan: &Scan, arguments: &ScanArgs) -> anyhow::Result<()> {
    if arguments.json {
        return print_json(&scan.report);
    }
    if arguments.csv {
        let mut out = Vec::new();
        csv(&scan.report, &mut out)?;
        Stdout.write_all(&out)?;
        return Ok(());
    }
    if arguments.quiet && (arguments.check || arguments.html.is_some()) {
        return Ok(());
    }
    let terminal = Stdout.is_terminal();
    let width = if terminal { console_width() } else { usize::MAX };
    let most = if arguments.all || !terminal { usize::MAX } else { MOST_CLUSTERS };
    print(&table(&scan.report, width, terminal && std::env::var_os("NO_COLOR").is_none(), most))
}

/// The length to which texts are read: more than a page shows.
const PAGE_BYTES: usize = 64 << 10;

fn write_page(scan: &Scan, path: &Path) -> anyhow::Result<()> {
    let clusters = scan.report.clusters.iter().take(page::MOST_CLUSTERS);
    let members = clusters.flat_map(|cluster| &cluster.members);
    let wanted: HashSet<String> = members.map(|member| member.id.clone()).collect();
    let texts = scan.texts(&wanted, PAGE_BYTES)?;
    let html = page::render(&scan.report, &|id| texts.get(id).cloned());
    std::fs::write(path, html).with_context(|| path.display().to_string())?;
    tell(&format!("The page is in {}", path.display()));
    Ok(())
}

/// The width of the terminal, or one that fits everywhere.
fn console_width() -> usize {
    console::Term::stdout().size_checked().map_or(100, |(_, columns)| usize::from(columns))
}
