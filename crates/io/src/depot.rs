//! A folder of whole files, on this machine or in a store: they are put there, listed, read and removed.

use std::collections::BTreeSet;
use std::fs::File;
use std::io::ErrorKind;
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};

use lookalike_core::{Error, Result};
use lookalike_plumbing::files::{name_of_partial, sync_folder, write_synced};

use crate::place::{InOrder, Place};
use crate::remote::{Destination, is_address};

/// How much of a file is copied at once.
const PIECE: u64 = 1 << 20;

/// A folder of files.
pub enum Depot {
    /// On this machine.
    Disk(PathBuf),
    /// In a store.
    Store(Destination),
}

impl Depot {
    /// The folder `name` in a folder or at an address. A folder is made when it is written to.
    pub fn open(parent: &str, name: &str) -> Result<Depot> {
        if is_address(parent) {
            return Destination::open(&format!("{}/{name}", parent.trim_end_matches('/'))).map(Depot::Store);
        }
        Ok(Depot::Disk(Path::new(parent).join(name)))
    }

    /// The name of a file, to be told.
    pub fn name(&self, file: &str) -> PathBuf {
        match self {
            Depot::Disk(folder) => folder.join(file),
            Depot::Store(there) => there.name(file).into(),
        }
    }

    /// The names of all files.
    pub fn names(&self) -> Result<BTreeSet<String>> {
        let folder = match self {
            Depot::Store(there) => return Ok(there.names()?.into_iter().collect()),
            Depot::Disk(folder) => folder,
        };
        let entries = match std::fs::read_dir(folder) {
            Err(error) if error.kind() == ErrorKind::NotFound => return Ok(BTreeSet::new()),
            entries => entries.map_err(Error::io(folder))?,
        };
        let mut names = BTreeSet::new();
        for entry in entries {
            let name = entry.map_err(Error::io(folder))?.file_name();
            names.extend(name.into_string().ok().filter(|name| name_of_partial(name).is_none()));
        }
        Ok(names)
    }

    /// The content of a small file; `None` if there is none.
    pub fn read(&self, file: &str) -> Result<Option<Vec<u8>>> {
        match self {
            Depot::Store(there) => there.read(file),
            Depot::Disk(folder) => match std::fs::read(folder.join(file)) {
                Err(error) if error.kind() == ErrorKind::NotFound => Ok(None),
                read => read.map(Some).map_err(Error::io(folder.join(file))),
            },
        }
    }

    /// Opens a file to read it in order.
    pub fn open_file(&self, file: &str) -> Result<(Place, InOrder)> {
        let place = match self {
            Depot::Disk(folder) => Place::Disk(folder.join(file)),
            Depot::Store(there) => Place::Object(there.object(file)?),
        };
        let opened = place.in_order().map_err(Error::io(self.name(file)))?;
        Ok((place, opened))
    }

    /// Puts the first bytes of an open file there. It has its name, and is durable, when all of it is there. `from` is the
    /// name to be told.
    pub fn put(
        &self,
        file: &str,
        from: &Path,
        local: &File,
        length: u64,
        mut sent: impl FnMut(u64) -> Result<()>,
    ) -> Result<()> {
        let folder = match self {
            Depot::Store(there) => return there.upload_open(file, from, local, length, sent),
            Depot::Disk(folder) => folder,
        };
        std::fs::create_dir_all(folder).map_err(Error::io(folder))?;
        write_synced(&folder.join(file), |out| {
            let mut buffer = vec![0; PIECE as usize];
            for at in (0..length).step_by(PIECE as usize) {
                let piece = &mut buffer[..(length - at).min(PIECE) as usize];
                local.read_exact_at(piece, at).map_err(Error::io(from))?;
                out.write(piece)?;
                sent(piece.len() as u64)?;
            }
            Ok(())
        })?;
        sync_folder(folder)
    }

    /// Removes a file; none is fine, too.
    pub fn remove(&self, file: &str) -> Result<()> {
        match self {
            Depot::Store(there) => there.remove(file),
            Depot::Disk(folder) => match std::fs::remove_file(folder.join(file)) {
                Err(error) if error.kind() != ErrorKind::NotFound => Err(Error::io(folder.join(file))(error)),
                _ => Ok(()),
            },
        }
    }
}

#[cfg(test)]
mod tests {
    use std::io::Read;

    use super::*;

    #[test]
    fn files_on_disk_are_put_listed_read_and_removed() {
        let dir = tempfile::tempdir().unwrap();
        let depot = Depot::open(dir.path().to_str().unwrap(), "new/files").unwrap();
        assert!(depot.names().unwrap().is_empty(), "nothing is there before the first file");
        assert_eq!(depot.read("a").unwrap(), None);
        let (path, content) = (dir.path().join("local"), vec![7; 3 * PIECE as usize + 5]);
        std::fs::write(&path, &content).unwrap();
        let local = File::open(&path).unwrap();
        std::fs::remove_file(&path).unwrap();
        let (mut told, length) = (0, content.len() as u64 - 2);
        depot
            .put("a", &path, &local, length, |bytes| {
                told += bytes;
                Ok(())
            })
            .unwrap();
        assert_eq!(told, length);
        assert!(depot.names().unwrap().contains("a"));
        let mut read = Vec::new();
        depot.open_file("a").unwrap().1.read_to_end(&mut read).unwrap();
        assert!(read == content[..content.len() - 2], "only the bytes that were asked for");
        let stopped = depot.put("c", &path, &local, length, |_| Err(Error::Cancelled));
        assert!(matches!(stopped, Err(Error::Cancelled)));
        assert_eq!(depot.read("c").unwrap(), None);
        depot.remove("a").unwrap();
        depot.remove("a").unwrap();
        assert_eq!(depot.read("a").unwrap(), None);
    }
}
