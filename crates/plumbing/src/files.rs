//! Files that exist complete or not at all.
//!
//! A file is written under another name and renamed when it is complete, so a killed process leaves the old file or
//! the new one. After a power failure it is only certain to exist if it was synced: [`write_synced`] does that for
//! the content, [`sync_folder`] for the names in a folder, [`make_durable`] for both.
//!
//! What is synced in the end is synced piece by piece on the way there. The last sync would otherwise have all of it to
//! write, and who syncs a few bytes of another file meanwhile, as a journal, would wait for that, too.
//!
//! A failed attempt leaves nothing behind, so that it does not fill a disk that is full.

use std::ffi::OsStr;
use std::fs::{File, OpenOptions};
use std::io::{BufWriter, Write};
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};

use lookalike_core::{Error, Result};

/// How much of a file is left to be synced later.
const PIECE: usize = 1 << 20;

/// Who may read a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Readers {
    /// Everybody whom the settings of the process allow.
    Usual,
    /// Only its owner.
    Owner,
}

/// A file that gets its name only when it is complete. If it is never completed, it is removed with
/// this value.
pub struct AtomicFile {
    file: BufWriter<File>,
    name: PartialName,
    /// Bytes since the last sync; `None` if the file is not synced on the way.
    unsynced: Option<usize>,
}

impl AtomicFile {
    /// Begins a file with the default permissions.
    pub fn create(path: &Path) -> Result<Self> {
        AtomicFile::create_for(path, Readers::Usual)
    }

    /// Begins a file.
    pub fn create_for(path: &Path, readers: Readers) -> Result<Self> {
        let name = PartialName::new(path)?;
        let mode = if readers == Readers::Owner { 0o600 } else { 0o666 };
        let file = OpenOptions::new().read(true).write(true).create_new(true).mode(mode).open(&name.partial);
        let file = file.map_err(Error::io(&name.partial))?;
        Ok(AtomicFile { file: BufWriter::with_capacity(1 << 20, file), name, unsynced: None })
    }

    /// Appends bytes.
    pub fn write(&mut self, bytes: &[u8]) -> Result<()> {
        self.file.write_all(bytes).map_err(Error::io(&self.name.partial))?;
        match &mut self.unsynced {
            Some(unsynced) if *unsynced + bytes.len() >= PIECE => {
                *unsynced = 0;
                self.sync()
            }
            Some(unsynced) => {
                *unsynced += bytes.len();
                Ok(())
            }
            None => Ok(()),
        }
    }

    fn sync(&mut self) -> Result<()> {
        let synced = self.file.flush().and_then(|()| self.file.get_ref().sync_data());
        synced.map_err(Error::io(&self.name.partial))
    }

    /// Gives the file its name.
    pub fn finish(mut self) -> Result<()> {
        self.file.flush().map_err(Error::io(&self.name.partial))?;
        self.name.give()
    }

    /// Syncs the file and gives it its name, which is durable once the folder is synced.
    pub fn finish_synced(mut self) -> Result<()> {
        self.sync()?;
        self.name.give()
    }
}

/// Writes a file and syncs it, piece by piece, but not its name, which is durable once the folder is synced.
pub fn write_synced(path: &Path, fill: impl FnOnce(&mut AtomicFile) -> Result<()>) -> Result<()> {
    let mut file = AtomicFile { unsynced: Some(0), ..AtomicFile::create(path)? };
    fill(&mut file)?;
    file.finish_synced()
}

/// Lets `make` write a file at a temporary path, then gives it its name.
pub fn make_atomic(path: &Path, make: impl FnOnce(&Path) -> Result<()>) -> Result<()> {
    let name = PartialName::new(path)?;
    make(&name.partial)?;
    name.give()
}

/// The same; the file and its name are durable when this returns.
pub fn make_durable(path: &Path, make: impl FnOnce(&Path) -> Result<()>) -> Result<()> {
    make_atomic(path, |partial| {
        make(partial)?;
        File::open(partial).and_then(|file| file.sync_all()).map_err(Error::io(partial))
    })?;
    sync_folder(folder_of(path))
}

/// Makes names that were added or removed in a folder durable.
pub fn sync_folder(folder: &Path) -> Result<()> {
    File::open(folder).and_then(|folder| folder.sync_all()).map_err(Error::io(folder))
}

/// Syncs all files in a folder and its subfolders, with their names.
pub fn sync_tree(folder: &Path) -> Result<()> {
    for entry in std::fs::read_dir(folder).map_err(Error::io(folder))? {
        let entry = entry.map_err(Error::io(folder))?;
        let (kind, path) = (entry.file_type().map_err(Error::io(folder))?, entry.path());
        if kind.is_dir() {
            sync_tree(&path)?;
        } else if kind.is_file() {
            File::open(&path).and_then(|file| file.sync_all()).map_err(Error::io(path))?;
        }
    }
    sync_folder(folder)
}

/// The folder that a file is in.
pub fn folder_of(path: &Path) -> &Path {
    path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."))
}

/// The final name of a file that was not completed, if this is the name of one.
pub fn name_of_partial(name: &str) -> Option<&str> {
    name.strip_prefix('.')?.strip_suffix(".partial")
}

/// The name of a file until it is complete, and its final name. The file is removed with this value if it never got
/// its final name.
struct PartialName {
    partial: PathBuf,
    path: PathBuf,
    is_given: bool,
}

impl PartialName {
    fn new(path: &Path) -> Result<PartialName> {
        let mut name = std::ffi::OsString::from(".");
        name.push(path.file_name().unwrap_or(OsStr::new("")));
        name.push(".partial");
        let partial = path.with_file_name(name);
        // A file left by an interrupted attempt may have other permissions.
        match std::fs::remove_file(&partial) {
            Err(error) if error.kind() != std::io::ErrorKind::NotFound => Err(Error::io(partial)(error)),
            _ => Ok(PartialName { partial, path: path.to_owned(), is_given: false }),
        }
    }

    fn give(mut self) -> Result<()> {
        std::fs::rename(&self.partial, &self.path).map_err(Error::io(&self.path))?;
        self.is_given = true;
        Ok(())
    }
}

impl Drop for PartialName {
    fn drop(&mut self) {
        if !self.is_given {
            let _ = std::fs::remove_file(&self.partial);
        }
    }
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::PermissionsExt;

    use super::*;

    fn names(folder: &Path) -> Vec<String> {
        let entries = std::fs::read_dir(folder).unwrap();
        let mut names: Vec<String> =
            entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
        names.sort();
        names
    }

    #[test]
    fn a_file_has_its_name_only_when_complete() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("out.jsonl");
        let mut file = AtomicFile::create(&path).unwrap();
        file.write(b"half").unwrap();
        assert_eq!(names(dir.path()), [".out.jsonl.partial"]);
        assert_eq!(name_of_partial(".out.jsonl.partial"), Some("out.jsonl"));
        file.finish().unwrap();
        assert_eq!(std::fs::read(&path).unwrap(), b"half");
        assert_eq!(names(dir.path()), ["out.jsonl"]);
        let mut file = AtomicFile::create(&path).unwrap();
        file.write(b"more").unwrap();
        file.finish_synced().unwrap();
        assert_eq!(std::fs::read(&path).unwrap(), b"more");
        assert_eq!(name_of_partial("out.jsonl"), None);
    }

    #[test]
    fn an_attempt_that_fails_leaves_the_old_file_and_nothing_else() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("run-1");
        write_synced(&path, |file| {
            // Of several pieces.
            (0..3).try_for_each(|_| file.write(&[7; PIECE - 1]))?;
            file.write(b"!")
        })
        .unwrap();
        let whole = std::fs::read(&path).unwrap();
        assert!(whole.len() == 3 * (PIECE - 1) + 1 && whole.ends_with(b"\x07!"));
        write_synced(&path, |file| file.write(b"old")).unwrap();
        let full = || Error::input("the disk is full");
        let failed = write_synced(&path, |file| {
            file.write(b"new")?;
            Err(full())
        });
        assert!(failed.is_err());
        let fail = |partial: &Path| {
            std::fs::write(partial, "new").unwrap();
            Err(full())
        };
        assert!(make_atomic(&path, fail).is_err() && make_durable(&path, fail).is_err());
        let mut file = AtomicFile::create(&path).unwrap();
        file.write(b"new").unwrap();
        drop(file);
        assert_eq!(std::fs::read(&path).unwrap(), b"old");
        assert_eq!(names(dir.path()), ["run-1"]);
        make_atomic(&path, |partial| std::fs::write(partial, "new").map_err(Error::io(partial))).unwrap();
        assert_eq!(std::fs::read(&path).unwrap(), b"new");
        make_durable(&path, |partial| std::fs::write(partial, "newer").map_err(Error::io(partial))).unwrap();
        assert_eq!(std::fs::read(&path).unwrap(), b"newer");
        sync_tree(dir.path()).unwrap();
    }

    #[test]
    fn a_file_that_cannot_get_its_name_is_not_left_behind() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("taken");
        std::fs::create_dir_all(path.join("by a folder")).unwrap();
        assert!(write_synced(&path, |file| file.write(b"new")).is_err());
        assert_eq!(names(dir.path()), ["taken"]);
    }

    #[test]
    fn only_the_owner_reads_a_secret_whatever_was_left_over() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("secret.json");
        std::fs::write(dir.path().join(".secret.json.partial"), "left over").unwrap();
        AtomicFile::create_for(&path, Readers::Owner).unwrap().finish_synced().unwrap();
        assert_eq!(std::fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o600);
        assert_eq!(std::fs::read(&path).unwrap(), b"");
    }
}
