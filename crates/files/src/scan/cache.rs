//! What is kept between scans: the documents of each file, and the last results.

use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use lookalike_core::{Error, Result, hash};
use lookalike_extract::{RULES, Reason};
use lookalike_plumbing::files::AtomicFile;

use super::{ScanJob, ScanReport};
use crate::documents::Found;
use lookalike_engine::Pipeline;
use lookalike_engine::extraction::Extraction;

/// A folder that no scan has used for this long is removed.
const UNUSED: Duration = Duration::from_secs(90 * 24 * 3600);
/// How many results are kept for one set of files: one for each recent combination of settings.
const RESULTS: usize = 4;

/// The version of stored results; raised when their content changes.
const RESULT: &str = "2";

/// The cache of one set of paths, read with one set of settings.
pub struct Cache {
    /// Where it is.
    pub folder: PathBuf,
}

/// Where caches are by default: the user's cache folder.
pub fn default_cache() -> Option<PathBuf> {
    let set = |name: &str| std::env::var_os(name).filter(|value| !value.is_empty()).map(PathBuf::from);
    let root = set("XDG_CACHE_HOME").or_else(|| set("HOME").map(|home| home.join(".cache")))?;
    Some(root.join("lookalike"))
}

impl Cache {
    /// Another version may read files differently, so it has a cache of its own.
    pub fn of(root: &Path, job: &ScanJob, extraction: &Extraction) -> Result<Cache> {
        let mut name = format!("{}\n{RULES}\n{extraction:?}\n", env!("CARGO_PKG_VERSION"));
        for path in &job.sources.paths {
            let whole = path.canonicalize().map_err(Error::io(path))?;
            // Ids are written as the path was given, so the path is part of the key.
            name += &format!("{path:?}\n{whole:?}\n");
        }
        let scans = root.join("scan");
        let folder = scans.join(format!("{:016x}", hash::bytes(name.as_bytes())));
        remove_unused(&scans, &folder);
        Ok(Cache { folder })
    }

    /// The result of an earlier scan of exactly these files.
    pub fn result(&self, key: &str) -> Option<ScanReport> {
        let bytes = std::fs::read(self.folder.join(file_name(key))).ok()?;
        serde_json::from_slice(&bytes).ok()
    }

    /// Stores a report for the next scan without changes.
    pub fn keep_result(&self, key: &str, report: &ScanReport) -> Result<()> {
        std::fs::create_dir_all(&self.folder).map_err(Error::io(&self.folder))?;
        let json = serde_json::to_vec(report).map_err(|error| Error::Internal(error.to_string()))?;
        let mut file = AtomicFile::create(&self.folder.join(file_name(key)))?;
        file.write(&json)?;
        file.finish()?;
        self.forget_old_results();
        Ok(())
    }

    fn forget_old_results(&self) {
        let Ok(entries) = std::fs::read_dir(&self.folder) else { return };
        let mut results: Vec<(SystemTime, PathBuf)> = entries
            .filter_map(|entry| entry.ok())
            .filter(|entry| entry.file_name().to_string_lossy().starts_with("result-"))
            .filter_map(|entry| Some((entry.metadata().ok()?.modified().ok()?, entry.path())))
            .collect();
        results.sort();
        let old = results.len().saturating_sub(RESULTS);
        results.into_iter().take(old).for_each(|(_, path)| drop(std::fs::remove_file(path)));
    }
}

fn file_name(key: &str) -> String {
    format!("result-{key}.json")
}

/// Everything that determines a scan's result.
pub fn result_key(
    found: &[Found],
    places: &[(String, Reason)],
    pipeline: &Pipeline,
    extraction: &Extraction,
    job: &ScanJob,
) -> String {
    let mut digester = hash::Digester::default();
    let mut push = |text: &str| digester.push(hash::bytes(text.as_bytes()));
    push(env!("CARGO_PKG_VERSION"));
    push(RESULT);
    push(&format!("{RULES} {extraction:?} {} {}", pipeline.resolved(), job.by_type));
    places.iter().for_each(|(path, reason)| push(&format!("{path} {reason}")));
    for file in found {
        push(&file.id);
        push(&format!("{} {} {:?}", file.bytes, file.modified, file.inode));
    }
    format!("{:032x}", digester.finish())
}

/// Only folders that look like ours are removed: sixteen digits as name, with an index inside.
fn remove_unused(scans: &Path, but: &Path) {
    let Ok(entries) = std::fs::read_dir(scans) else { return };
    for path in entries.filter_map(|entry| entry.ok()).map(|entry| entry.path()) {
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        let is_ours = name.len() == 16 && name.bytes().all(|byte| byte.is_ascii_hexdigit());
        let used = std::fs::metadata(path.join("lock")).and_then(|metadata| metadata.modified());
        let is_old = used.is_ok_and(|used| used.elapsed().is_ok_and(|elapsed| elapsed > UNUSED));
        if is_ours && is_old && path != but {
            let _ = std::fs::remove_dir_all(path);
        }
    }
}
