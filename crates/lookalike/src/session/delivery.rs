//! Results that go to an object store: a run writes them to a folder on this machine, from which they are uploaded when they
//! are complete.

use std::fs::DirBuilder;
use std::os::unix::fs::{DirBuilderExt, MetadataExt};
use std::path::{Path, PathBuf};

use lookalike_core::{Error, Result, hash};
use lookalike_engine::run::{Job, Progress, REPORT, is_interrupted, is_output_name};
use lookalike_io::remote::{Destination, is_address};

/// The folder of a run whose results are uploaded.
pub(super) struct Delivery {
    destination: Destination,
    address: String,
    folder: PathBuf,
    /// The files of an earlier run at the destination.
    earlier: Vec<String>,
    /// Whether the report was fetched only to see whether the run is complete already.
    fetched: bool,
}

impl Delivery {
    /// If the output of a job is an address, the job gets a folder on this machine instead. It is the same one every time, so
    /// that an interrupted run can go on.
    pub fn prepare(job: &mut Job) -> Result<Option<Delivery>> {
        let Some(address) = job.output.to_str().filter(|output| is_address(output)) else { return Ok(None) };
        let address = address.trim_end_matches('/').to_owned();
        let destination = Destination::open(&address)?;
        let name = format!("lookalike-{:016x}", hash::bytes(address.as_bytes()));
        let folder = std::env::temp_dir().join(name);
        own_folder(&folder)?;
        job.output.clone_from(&folder);
        job.uploaded_to = Some(address.clone());
        Ok(Some(Delivery { destination, address, folder, earlier: Vec::new(), fetched: false }))
    }

    /// Claims the destination as a folder on disk is claimed: one without results, or any with `--force`.
    pub fn claim(&mut self, job: &Job) -> Result<()> {
        let names = self.destination.names()?;
        self.earlier = names.into_iter().filter(|name| is_output_name(name)).collect();
        if job.force {
            return results(&self.folder)?.iter().try_for_each(|(name, _)| remove(&self.folder.join(name)));
        }
        let has_report = self.earlier.iter().any(|name| name == REPORT);
        match (self.is_begun(), self.earlier.first()) {
            (true, _) if job.resume => Ok(()),
            (true, _) => Err(Error::config(format!(
                "{} holds an interrupted run, whose work is in {}; go on with --resume or start over with --force",
                self.address,
                self.folder.display()
            ))),
            (false, None) => Ok(()),
            (false, Some(_)) if job.resume && has_report => {
                let report = self.destination.read(REPORT)?.unwrap_or_default();
                let path = self.folder.join(REPORT);
                self.fetched = true;
                std::fs::write(&path, report).map_err(Error::io(&path))
            }
            (false, Some(name)) => Err(Error::config(format!(
                "{} holds an earlier run ({}); choose another folder or replace it with --force",
                self.address,
                self.destination.name(name)
            ))),
        }
    }

    /// Whether the folder holds a run that was interrupted, before or after it was complete.
    fn is_begun(&self) -> bool {
        is_interrupted(&self.folder) || self.folder.join(REPORT).exists()
    }

    /// After a run that failed: an error that names the destination, and no folder if there is nothing to go on with.
    pub fn failed(self, error: Error) -> Error {
        if self.fetched || !self.is_begun() {
            let _ = std::fs::remove_dir_all(&self.folder);
        }
        let told = |text: String| text.replace(&*self.folder.to_string_lossy(), &self.address);
        match error {
            Error::Config(text) => Error::Config(told(text)),
            Error::Incompatible(text) => Error::Incompatible(told(text)),
            other => other,
        }
    }

    /// Uploads the results and removes them here. The report is removed first and comes last: where it is, the rest is
    /// complete, and of this run.
    pub fn finish(self, progress: &dyn Progress) -> Result<()> {
        if !self.fetched {
            let results = results(&self.folder)?;
            progress.stage("uploading", results.iter().map(|(_, bytes)| bytes).sum());
            if self.earlier.iter().any(|name| name == REPORT) {
                self.destination.remove(REPORT)?;
            }
            let upload = |name: &str| {
                let sent = |bytes| progress.advance(bytes, 0);
                self.destination.upload(name, &self.folder.join(name), sent)
            };
            results.iter().filter(|(name, _)| name != REPORT).try_for_each(|(name, _)| upload(name))?;
            for stale in self.earlier.iter().filter(|name| results.iter().all(|(new, _)| new != *name)) {
                self.destination.remove(stale)?;
            }
            upload(REPORT)?;
        }
        std::fs::remove_dir_all(&self.folder).map_err(Error::io(&self.folder))
    }
}

impl Drop for Delivery {
    fn drop(&mut self) {
        // Only an empty one goes: that of a plan.
        let _ = std::fs::remove_dir(&self.folder);
    }
}

/// A folder with a name that others can guess is used only if it is ours and nobody else can write to it.
fn own_folder(folder: &Path) -> Result<()> {
    match DirBuilder::new().mode(0o700).create(folder) {
        Err(error) if error.kind() == std::io::ErrorKind::AlreadyExists => {}
        made => return made.map_err(Error::io(folder)),
    }
    let found = folder.symlink_metadata().map_err(Error::io(folder))?;
    let probe = super::inputs::temporary_folder()?;
    let own = probe.path().metadata().map_err(Error::io(probe.path()))?.uid();
    if found.is_dir() && found.uid() == own && found.mode() & 0o022 == 0 {
        return Ok(());
    }
    Err(Error::config(format!(
        "{} is needed as a work folder and belongs to somebody else; remove it, or set TMPDIR to another folder",
        folder.display()
    )))
}

/// Names and lengths of the files that a run left, without what it hides while it works.
fn results(folder: &Path) -> Result<Vec<(String, u64)>> {
    let mut found = Vec::new();
    for entry in std::fs::read_dir(folder).map_err(Error::io(folder))? {
        let entry = entry.map_err(Error::io(folder))?;
        let metadata = entry.metadata().map_err(Error::io(entry.path()))?;
        let name = entry.file_name().to_string_lossy().into_owned();
        if metadata.is_file() && !name.starts_with('.') {
            found.push((name, metadata.len()));
        }
    }
    found.sort();
    Ok(found)
}

fn remove(path: &Path) -> Result<()> {
    std::fs::remove_file(path).map_err(Error::io(path))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_work_folder_must_be_our_own() {
        let dir = tempfile::tempdir().unwrap();
        let (own, link, open) = (dir.path().join("own"), dir.path().join("link"), dir.path().join("open"));
        own_folder(&own).unwrap();
        own_folder(&own).unwrap();
        assert_eq!(own.metadata().unwrap().mode() & 0o777, 0o700);
        std::os::unix::fs::symlink(&own, &link).unwrap();
        assert!(own_folder(&link).unwrap_err().to_string().contains("TMPDIR"));
        std::fs::create_dir(&open).unwrap();
        std::fs::set_permissions(&open, std::os::unix::fs::PermissionsExt::from_mode(0o777)).unwrap();
        assert!(own_folder(&open).unwrap_err().to_string().contains("belongs to somebody else"));
    }
}
