//! Brings a snapshot back.

use std::ffi::OsString;
use std::io::Read;
use std::path::{Path, PathBuf};

use lookalike_core::registry::Registry;
use lookalike_core::{Error, Result};
use lookalike_plumbing::files::{folder_of, sync_folder, sync_tree, write_synced};
use sha2::{Digest, Sha256};

use super::repository::{Repository, Snapshot, SnapshotFile, hex};
use super::verify::Verified;
use crate::index::{HEAD, Index, TEXTS};

const PIECE: usize = 1 << 20;

impl Repository {
    /// Writes the files of a snapshot to a folder that is empty or does not exist. The folder appears when every file was
    /// found to be what it was. Then all of the index in it is read: it may have been damaged before it was kept.
    pub fn restore(
        &self,
        snapshot: &Snapshot,
        folder: &Path,
        registry: &Registry,
        mut read: impl FnMut(u64) -> Result<()>,
    ) -> Result<Verified> {
        let files = snapshot.checked_files()?;
        if std::fs::read_dir(folder).is_ok_and(|mut entries| entries.next().is_some()) {
            let what = "is not empty: a snapshot is restored to a folder of its own";
            return Err(Error::config(format!("{} {what}", folder.display())));
        }
        let partial = partial_name(folder)?;
        if partial.exists() {
            std::fs::remove_dir_all(&partial).map_err(Error::io(&partial))?;
        }
        let restored = || -> Result<()> {
            for (name, file) in files {
                self.restore_file(file, &partial.join(name), &mut read)?;
            }
            let Some(index) = index_folder(&partial) else {
                return Err(Error::Incompatible(format!("snapshot {} has no index", snapshot.name)));
            };
            // Without documents there are no files in it.
            let texts = index.join(TEXTS);
            std::fs::create_dir_all(&texts).map_err(Error::io(texts))?;
            sync_tree(&partial)?;
            std::fs::rename(&partial, folder).map_err(Error::io(folder))?;
            sync_folder(folder_of(folder))
        };
        restored().inspect_err(|_| drop(std::fs::remove_dir_all(&partial)))?;
        // In its place: a recipe may name files that came with it.
        let mut found = Index::verify(&index_folder(folder).unwrap_or_default(), registry)?;
        if found.damage.is_empty() && found.documents != snapshot.documents {
            let (has, should) = (found.documents, snapshot.documents);
            found.damage.push(format!("{} has {has} documents, and should have {should}", folder.display()));
        }
        Ok(found)
    }

    fn restore_file(
        &self,
        file: &SnapshotFile,
        path: &Path,
        read: &mut impl FnMut(u64) -> Result<()>,
    ) -> Result<()> {
        let kept = self.files.name(&file.sha256);
        let damaged = |what: &str| Error::damaged(&kept, format!("{what}: restore another snapshot"));
        std::fs::create_dir_all(folder_of(path)).map_err(Error::io(path))?;
        let (place, mut from) = self.files.open_file(&file.sha256)?;
        write_synced(path, |out| {
            let (mut hasher, mut length, mut buffer) = (Sha256::new(), 0, vec![0; PIECE]);
            loop {
                let piece = match place.checked(from.read(&mut buffer).map_err(Error::io(&kept)))? {
                    0 => break,
                    some => &buffer[..some],
                };
                length += piece.len() as u64;
                if length > file.bytes {
                    return Err(damaged("is longer than it was"));
                }
                hasher.update(piece);
                out.write(piece)?;
                read(piece.len() as u64)?;
            }
            if length < file.bytes {
                return Err(damaged("is cut off"));
            }
            if hex(&hasher.finalize()) == file.sha256 { Ok(()) } else { Err(damaged("is damaged")) }
        })
    }
}

/// The folder of the index in a folder that was restored: that of a service has it one below.
fn index_folder(folder: &Path) -> Option<PathBuf> {
    [folder.to_owned(), folder.join("index")].into_iter().find(|folder| folder.join(HEAD).exists())
}

/// Beside the folder, so that it only takes another name when complete.
fn partial_name(folder: &Path) -> Result<PathBuf> {
    let name = folder
        .file_name()
        .ok_or_else(|| Error::config(format!("{} is no name for a folder", folder.display())))?;
    let mut partial = OsString::from(".");
    partial.push(name);
    partial.push(".restoring");
    Ok(folder.with_file_name(partial))
}
