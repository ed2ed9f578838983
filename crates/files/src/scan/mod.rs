//! A person's view of folders: documents of any format, in clusters of near-duplicates.
//!
//! Files become documents ([`documents`](crate::documents)), the engine compares their texts as it
//! compares those of a corpus, and what texts cannot tell (the same bytes, images, links) joins
//! before clustering. Everything printed is made from one [`ScanReport`].

mod agree;
pub mod apply;
mod cache;
mod clusters;
pub(crate) mod csv;
mod free;
mod info;
pub mod page;
mod result;
#[cfg(test)]
mod sample;
mod shown;
mod table;
mod why;

pub use cache::{Cache, default_cache};
pub use csv::csv;
pub use result::{ScanCluster, ScanMember, ScanReport, Streams, Unreadable};
pub use table::{MOST_CLUSTERS, table};

use std::collections::{BTreeMap, HashMap, HashSet};
use std::path::Path;
use std::time::Instant;

use lookalike_core::text::Scratch;
use lookalike_core::{Error, Result};
use lookalike_extract::Category;
use lookalike_extract::worker::Program;
use lookalike_plumbing::files::AtomicFile;

use self::info::Info;
use crate::documents::{Gather, Gathered, Sources, Unread, find, line};
use lookalike_engine::Pipeline;
use lookalike_engine::extraction::Extraction;
use lookalike_engine::run::{Job, Progress, compute};

/// Which files to scan, and how.
pub struct ScanJob {
    /// Where they are.
    pub sources: Sources,
    /// Compare documents only with those of their own type.
    pub by_type: bool,
    /// How children that read files are started.
    pub program: Program,
    /// Worker threads.
    pub threads: usize,
    /// The memory to use, in bytes.
    pub memory: u64,
    /// Where what was read is kept for the next time; absent: nowhere.
    pub cache: Option<std::path::PathBuf>,
}
/// A finished scan.
pub struct Scan {
    /// What was found.
    pub report: ScanReport,
    gathered: Option<Gathered>,
}
impl Scan {
    /// The extracted texts of some documents, by id, of each at most so many bytes.
    pub fn texts(&self, ids: &HashSet<String>, most: usize) -> Result<HashMap<String, String>> {
        self.gathered.as_ref().map_or(Ok(HashMap::new()), |gathered| gathered.texts(ids, most))
    }
}

/// Scans. With `texts`, the texts can be asked for afterwards.
pub fn scan(
    pipeline: &Pipeline,
    extraction: &Extraction,
    job: &ScanJob,
    texts: bool,
    progress: &dyn Progress,
) -> Result<Scan> {
    let began = Instant::now();
    let (found, places) = find::find(&job.sources)?;
    let cache = job.cache.as_ref().map(|root| Cache::of(root, job, extraction)).transpose()?;
    let key = cache::result_key(&found, &places, pipeline, extraction, job);
    if !texts && let Some(mut report) = cache.as_ref().and_then(|cache| cache.result(&key)) {
        report.from_cache = found.len() as u64;
        report.seconds = began.elapsed().as_secs_f64();
        return Ok(Scan { report, gathered: None });
    }
    let folder = cache.as_ref().map(|cache| cache.folder.clone());
    let gather = Gather { extraction, program: &job.program, threads: job.threads, cache: folder };
    let gathered = gather.run(found, places, progress)?;
    let mut report = report_of(pipeline, &gathered);
    compare(pipeline, extraction, job, &gathered, &mut report, progress)?;
    report.seconds = began.elapsed().as_secs_f64();
    if let (Some(cache), false) = (&cache, gathered.cache_lost)
        && let Err(error) = cache.keep_result(&key, &report)
    {
        progress
            .warn(&format!("the cache cannot be written, so the next time all is compared again: {error}"));
    }
    Ok(Scan { report, gathered: Some(gathered) })
}
fn report_of(pipeline: &Pipeline, gathered: &Gathered) -> ScanReport {
    let named = |entries: Unread| {
        let named = entries.into_iter().map(|(path, reason)| Unreadable { path, reason: reason.to_string() });
        named.collect()
    };
    ScanReport {
        files: gathered.files(),
        read: gathered.read(),
        documents: gathered.documents(),
        unreadable: named(gathered.unreadable()),
        partly: named(gathered.partly()),
        containers: gathered.containers(),
        method: pipeline.method.clone(),
        threshold: pipeline.decider.threshold(),
        scheme: pipeline.scheme.id.clone(),
        recipe: pipeline.resolved(),
        from_cache: gathered.from_cache,
        ..ScanReport::default()
    }
}
/// Compares all documents, or those of each type among themselves, and adds the clusters.
fn compare(
    pipeline: &Pipeline,
    extraction: &Extraction,
    job: &ScanJob,
    gathered: &Gathered,
    report: &mut ScanReport,
    progress: &dyn Progress,
) -> Result<()> {
    let folder = tempfile::tempdir().map_err(Error::io(std::env::temp_dir()))?;
    let groups = write_groups(gathered, job.by_type, extraction.marked, folder.path())?;
    for (group, mut infos) in groups {
        let weak = infos
            .iter()
            .filter_map(|info| Some(Unreadable { path: info.id.clone(), reason: info.weak.clone()? }));
        report.weak.extend(weak);
        info::unite_looks(&mut infos, extraction.image_distance, job.threads)?;
        let input = folder.path().join(group).to_string_lossy().into_owned();
        let mut run_job = Job::new([input], "");
        run_job.threads = job.threads;
        run_job.memory = job.memory;
        // A document's text is bounded already; its JSON may be several times as long.
        run_job.max_line = u64::from(u32::MAX / 2);
        run_job.also = agree::pairs(&infos, pipeline.decider.threshold());
        let outcome = compute(pipeline, &run_job, progress)?;
        report.warnings.extend(outcome.general_warnings()?);
        clusters::add(&outcome, &infos, pipeline.decider.threshold(), report)?;
    }
    report.weak.sort_by(|a, b| a.path.cmp(&b.path));
    clusters::finish(report)
}
/// Writes a corpus for each group of documents that are compared with each other, and gives what is
/// known of the documents in it, line by line.
fn write_groups(
    gathered: &Gathered,
    by_type: bool,
    marked: bool,
    folder: &Path,
) -> Result<Vec<(String, Vec<Info>)>> {
    let mut groups: BTreeMap<Option<Category>, (AtomicFile, Vec<Info>)> = BTreeMap::new();
    let (mut scratch, mut bytes) = (Scratch::default(), Vec::new());
    let name = |category: Option<Category>| match category {
        None => "all.jsonl".to_owned(),
        Some(category) => format!("{category:?}.jsonl").to_lowercase(),
    };
    gathered.for_each(|file, mut document| {
        let category = by_type.then(|| document.kind.category());
        let info = Info::new(file, &document, &mut scratch);
        if !info.has_text() {
            document.text.clear();
            document.marks.clear();
        }
        let (out, infos) = match groups.entry(category) {
            std::collections::btree_map::Entry::Occupied(entry) => entry.into_mut(),
            std::collections::btree_map::Entry::Vacant(entry) => {
                entry.insert((AtomicFile::create(&folder.join(name(category)))?, Vec::new()))
            }
        };
        bytes.clear();
        line::write(file, &document, marked, &mut bytes)?;
        out.write(&bytes)?;
        infos.push(info);
        Ok(())
    })?;
    let finish = |(category, (out, infos)): (Option<Category>, (AtomicFile, Vec<Info>))| {
        out.finish()?;
        Ok((name(category), infos))
    };
    groups.into_iter().map(finish).collect()
}
