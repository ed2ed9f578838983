//! Scans folders for people: documents of any format, in clusters of near-duplicates.
//!
//! Files become documents ([`documents`](crate::documents)), and the engine compares their texts
//! like those of a corpus. Pairs that agree in something else (the same bytes, images, links) are
//! added before clustering. Everything printed is made from one [`ScanReport`].

mod agree;
pub mod apply;
mod cache;
mod clusters;
pub(crate) mod csv;
mod free;
mod group;
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
use std::time::Instant;

use lookalike_core::Result;
use lookalike_core::text::Scratch;
use lookalike_extract::Category;
use lookalike_extract::worker::Program;

use self::group::Group;
use self::info::Info;
use crate::documents::{Gather, Gathered, Sources, Unread, find};
use lookalike_engine::Pipeline;
use lookalike_engine::extraction::Extraction;
use lookalike_engine::run::{Job, Progress, compute, least_memory};

/// Which files to scan, and how.
pub struct ScanJob {
    /// Where they are.
    pub sources: Sources,
    /// Compare documents only with those of their own type.
    pub by_type: bool,
    /// How child processes that read files are started.
    pub program: Program,
    /// Worker threads.
    pub threads: usize,
    /// The memory to use, in bytes.
    pub memory: u64,
    /// The folder of the cache; if absent, nothing is kept.
    pub cache: Option<std::path::PathBuf>,
}
/// A finished scan.
pub struct Scan {
    /// What was found.
    pub report: ScanReport,
    gathered: Option<Gathered>,
}
impl Scan {
    /// The extracted texts of some documents, by id, each of at most `bytes` bytes.
    pub fn texts(&self, ids: &HashSet<String>, most: usize) -> Result<HashMap<String, String>> {
        self.gathered.as_ref().map_or(Ok(HashMap::new()), |gathered| gathered.texts(ids, most))
    }
}

/// Scans. With `texts`, the texts can be requested afterwards.
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
    // The rest of the memory is for comparing.
    let memory = job.memory.saturating_sub(least_memory(job.threads)) / 4;
    let gather = Gather { extraction, program: &job.program, threads: job.threads, memory, cache: folder };
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
    for mut group in groups(gathered, job.by_type, extraction.marked)? {
        let weak = |info: &Info| Some(Unreadable { path: info.id.clone(), reason: info.weak.clone()? });
        report.weak.extend(group.infos.iter().filter_map(weak));
        info::unite_similar_images(&mut group.infos, extraction.image_distance, job.threads)?;
        let mut run_job = Job::new([""; 0], "");
        run_job.threads = job.threads;
        run_job.memory = job.memory - gathered.held_bytes;
        run_job.also = agree::pairs(&group.infos, pipeline.decider.threshold());
        let outcome = compute(pipeline, &run_job, &group, progress)?;
        report.warnings.extend(outcome.general_warnings()?);
        clusters::add(&outcome, &group.infos, pipeline.decider.threshold(), report)?;
    }
    report.weak.sort_by(|a, b| a.path.cmp(&b.path));
    clusters::finish(report)
}
/// The groups of documents that are compared with each other.
fn groups(gathered: &Gathered, by_type: bool, marked: bool) -> Result<Vec<Group<'_>>> {
    let mut groups: BTreeMap<Option<Category>, Group<'_>> = BTreeMap::new();
    let mut scratch = Scratch::default();
    gathered.for_each(|place, file, document| {
        let category = by_type.then(|| document.kind.category());
        let info = Info::new(file, &document, &mut scratch);
        let group = groups.entry(category).or_insert_with(|| Group::new(gathered, marked));
        group.push(place, &document, info);
        Ok(())
    })?;
    Ok(groups.into_values().collect())
}
