//! The output folder and the work folder in it, from which a killed run resumes.

use std::fs::File;
use std::path::{Path, PathBuf};

use lookalike_core::{Error, Result, hash};
use lookalike_io::decode::Compression;
use lookalike_io::inputs::Input;
use lookalike_io::remote::is_address;
use lookalike_plumbing::files::{name_of_partial, sync_folder, write_synced};
use lookalike_plumbing::lock::LockFile;
use serde_json::{Value, json};
use tempfile::TempDir;

use super::Job;
use super::external::RUN;
use crate::partition_file::PARTITION_FILE;
use crate::pipeline::Pipeline;

const WORK: &str = ".lookalike-work";
/// Written last: a folder that has it holds a complete run.
pub const REPORT: &str = "report.json";

/// Every pair that was verified, and every exact copy with its representative.
pub const PAIRS: &str = "pairs.jsonl";

/// The files that a run leaves in its folder, besides the kept documents.
pub const OUTPUTS: [&str; 6] =
    ["removed.jsonl", "clusters.jsonl", PAIRS, "rejected.jsonl", "report.html", REPORT];

pub struct Work {
    pub folder: PathBuf,
    /// Held while the run lasts, so that two runs cannot share a folder.
    _lock: Option<LockFile>,
    /// A temporary folder, removed after the run.
    _temporary: Option<TempDir>,
}

impl Work {
    /// Claims the output folder: a new one, that of an interrupted run with `--resume`, any with
    /// `--force`.
    pub fn claim(job: &Job) -> Result<Work> {
        let output = &job.output;
        if output.is_file() {
            return Err(Error::config(format!("{} is a file, the results need a folder", output.display())));
        }
        std::fs::create_dir_all(output).map_err(Error::io(output))?;
        let folder = output.join(WORK);
        let interrupted = folder.exists();
        let earlier = earlier_outputs(output)?;
        if !job.force {
            if interrupted && !job.resume {
                return Err(Error::config(format!(
                    "{} holds an interrupted run; go on with --resume or start over with --force",
                    output.display()
                )));
            }
            if !interrupted && let Some(file) = earlier.first() {
                return Err(Error::config(format!(
                    "{} holds an earlier run ({}); choose another folder or replace it with --force",
                    output.display(),
                    file.display()
                )));
            }
        }
        std::fs::create_dir_all(&folder).map_err(Error::io(&folder))?;
        let Some(lock) = LockFile::try_take(&folder.join("lock"))? else {
            return Err(Error::config(format!("another run is writing to {}", output.display())));
        };
        if job.force && !job.resume {
            clear(&folder)?;
            for file in earlier {
                std::fs::remove_file(&file).map_err(Error::io(&file))?;
            }
        }
        drop_useless(&folder)?;
        Ok(Work { folder, _lock: Some(lock), _temporary: None })
    }

    /// A folder for a run that is never resumed.
    pub fn temporary() -> Result<Work> {
        let folder = TempDir::with_prefix("lookalike-").map_err(Error::io(std::env::temp_dir()))?;
        Ok(Work { folder: folder.path().to_owned(), _lock: None, _temporary: Some(folder) })
    }

    /// Records the identity of this run, or checks that the interrupted run had the same.
    pub fn check_manifest(&self, identity: &Value) -> Result<()> {
        let path = self.folder.join("manifest.json");
        let wanted = identity.to_string();
        match std::fs::read_to_string(&path) {
            Ok(found) if found == wanted => Ok(()),
            Ok(found) => Err(Error::Incompatible(format!(
                "the interrupted run was different ({}); start over with --force",
                difference(&found, identity)
            ))),
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => {
                write_synced(&path, |file| file.write(wanted.as_bytes()))
            }
            Err(source) => Err(Error::Io { path, source }),
        }
    }

    /// Removes the work folder when everything else is in place.
    pub fn finish(self) -> Result<()> {
        std::fs::remove_dir_all(&self.folder).map_err(Error::io(&self.folder))
    }
}

/// Half-sorted records are of no use, nor are the plain copies of inputs that earlier versions made. What is left are logs,
/// which have checksums, and files that were complete and on disk before they had their names.
fn drop_useless(folder: &Path) -> Result<()> {
    for entry in std::fs::read_dir(folder).map_err(Error::io(folder))?.filter_map(|entry| entry.ok()) {
        let name = entry.file_name();
        if [RUN, "spool-"].iter().any(|start| name.to_string_lossy().starts_with(start)) {
            std::fs::remove_file(entry.path()).map_err(Error::io(&entry.path()))?;
        }
    }
    Ok(())
}

/// Forces all results in a folder to disk.
pub fn sync_outputs(output: &Path) -> Result<()> {
    for path in earlier_outputs(output)? {
        File::open(&path).and_then(|file| file.sync_all()).map_err(Error::io(&path))?;
    }
    sync_folder(output)
}

/// Refuses inputs that the results would replace.
pub fn check_apart<'a>(output: &Path, inputs: impl Iterator<Item = &'a Input>) -> Result<()> {
    let folder = match output.to_str() {
        Some(address) if is_address(address) => PathBuf::from(address.trim_end_matches('/')),
        _ => match output.canonicalize() {
            Ok(folder) => folder,
            Err(_) => return Ok(()),
        },
    };
    for input in inputs {
        let path = input.place.identity();
        let name = path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
        if path.parent() == Some(&folder) && (OUTPUTS.contains(&name.as_str()) || is_kept_name(&name)) {
            return Err(Error::config(format!(
                "{} is an input, and the results in {} would replace it; choose another output folder",
                input.name,
                output.display()
            )));
        }
    }
    Ok(())
}

/// Everything that decides the result.
pub fn identity(pipeline: &Pipeline, job: &Job, inputs: &[Input], references: usize) -> Value {
    let files: Vec<Value> =
        inputs.iter().map(|input| json!([input.name, input.bytes, input.modified.to_string()])).collect();
    let mut identity = json!({
        "version": 5,
        "scheme": pipeline.scheme.id,
        "recipe": pipeline.resolved().to_string(),
        "fields": [job.id_field, job.text_field, job.source_field],
        "max_line": job.max_line,
        "full_bucket": job.full_bucket,
        "passages": job.passages,
        "against": references,
        "inputs": files,
    });
    if let Some(sample) = &job.measure_recall {
        identity["measure_recall"] = json!([sample.documents, sample.seed]);
    }
    if let Some(decisions) = &job.decisions {
        let digest = hash::digest_bytes(decisions.to_string().as_bytes());
        identity["decisions"] = format!("{digest:032x}").into();
    }
    identity
}

/// A short name for the identity, kept in the report of a complete run.
pub fn fingerprint(identity: &Value) -> String {
    format!("{:016x}", hash::bytes(identity.to_string().as_bytes()))
}

/// Whether a folder holds a run that was interrupted.
pub fn is_interrupted(output: &Path) -> bool {
    output.join(WORK).exists()
}

/// Whether the folder holds the complete result of this very run.
pub fn is_complete(output: &Path, fingerprint: &str) -> bool {
    let report = std::fs::read_to_string(output.join(REPORT)).ok();
    let report: Option<Value> = report.and_then(|text| serde_json::from_str(&text).ok());
    report.is_some_and(|report| report["run"] == fingerprint) && !output.join(WORK).exists()
}

fn difference(found: &str, wanted: &Value) -> String {
    let found: Value = serde_json::from_str(found).unwrap_or_default();
    let keys =
        ["inputs", "against", "recipe", "scheme", "fields", "max_line", "passages", "decisions", "version"];
    let differing = keys.iter().find(|&&key| found[key] != wanted[key]);
    match differing {
        Some(&"inputs") => "other input files, or they have changed".to_owned(),
        Some(key) => format!("other {key}"),
        None => "other settings".to_owned(),
    }
}

/// Files of an earlier run, recognised by name.
fn earlier_outputs(output: &Path) -> Result<Vec<PathBuf>> {
    let entries = std::fs::read_dir(output).map_err(Error::io(output))?;
    let mut found: Vec<PathBuf> = entries
        .filter_map(|entry| entry.ok())
        .filter(|entry| is_output_name(&entry.file_name().to_string_lossy()))
        .map(|entry| entry.path())
        .collect();
    found.sort();
    Ok(found)
}

/// Whether a run leaves files of this name, complete or not.
pub fn is_output_name(name: &str) -> bool {
    let whole = name_of_partial(name).unwrap_or(name);
    OUTPUTS.contains(&whole) || is_kept_name(whole) || whole.ends_with(PARTITION_FILE)
}

/// Whether a file of this name holds kept documents.
pub fn is_kept_name(name: &str) -> bool {
    let Some(rest) = name.strip_prefix("kept") else { return false };
    let rest = rest.trim_start_matches(|c: char| c == '-' || c.is_ascii_digit());
    let Some(rest) = rest.strip_prefix('.') else { return false };
    let packed = rest.split_once('.').map_or("", |(_, packed)| packed);
    let is_packed = Compression::PACKED.iter().any(|known| known.extension() == packed);
    let layout = rest.split('.').next().unwrap_or_default();
    let is_plain_only = matches!(layout, "parquet" | "arrow");
    match layout {
        "jsonl" | "json" | "csv" | "tsv" | "arrows" | "parquet" | "arrow" => {
            layout == rest || (is_packed && !is_plain_only)
        }
        _ => false,
    }
}

fn clear(folder: &Path) -> Result<()> {
    for entry in std::fs::read_dir(folder).map_err(Error::io(folder))? {
        let path = entry.map_err(Error::io(folder))?.path();
        if path.file_name().is_some_and(|name| name != "lock") {
            std::fs::remove_file(&path).map_err(Error::io(&path))?;
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_our_own_files_are_replaced() {
        for (name, ours) in [
            ("kept.jsonl", true),
            ("kept.jsonl.zst", true),
            ("kept-2.parquet", true),
            ("kept.csv.xz", true),
            ("kept.arrow", true),
            ("kept.arrow.gz", false),
            ("kept.jsonl.rar", false),
            ("kept.txt", false),
            ("keptsakes.jsonl", false),
        ] {
            assert_eq!(is_kept_name(name), ours, "{name}");
        }
        let dir = tempfile::tempdir().unwrap();
        for name in ["kept.jsonl", "notes.txt", ".pairs.jsonl.partial", "report.json"] {
            std::fs::write(dir.path().join(name), "").unwrap();
        }
        let job = Job { force: true, ..Job::new(["x"], dir.path()) };
        Work::claim(&job).unwrap().finish().unwrap();
        let left: Vec<_> = std::fs::read_dir(dir.path()).unwrap().map(|e| e.unwrap().file_name()).collect();
        assert_eq!(left, ["notes.txt"]);
    }

    #[test]
    fn a_folder_in_use_or_with_results_is_refused() {
        let dir = tempfile::tempdir().unwrap();
        let job = Job::new(["x"], dir.path());
        let work = Work::claim(&job).unwrap();
        let resume = Job { resume: true, ..job.clone() };
        assert!(Work::claim(&job).err().unwrap().to_string().contains("--resume"));
        assert!(Work::claim(&resume).err().unwrap().to_string().contains("another run"));
        work.check_manifest(&json!({"inputs": 1})).unwrap();
        drop(work);
        let work = Work::claim(&resume).unwrap();
        assert!(work.check_manifest(&json!({"inputs": 2})).unwrap_err().to_string().contains("other input"));
        work.check_manifest(&json!({"inputs": 1})).unwrap();
        work.finish().unwrap();
        std::fs::write(dir.path().join("pairs.jsonl"), "").unwrap();
        assert!(Work::claim(&job).err().unwrap().to_string().contains("--force"));
    }
}
