//! The current state of a file on disk, and whether it is still as the scan saw it.
//!
//! Paths are resolved up to the folder and no further: a symbolic link to a folder leads to the
//! folder, a symbolic link in place of a file is not a file. Inodes decide which files are the
//! same, because two paths can name one file and the last name of a document must never be removed.

use std::ffi::OsString;
use std::fs::Metadata;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use rustix::fs::Access;
use serde::{Deserialize, Serialize};

use crate::scan::ScanMember;
use lookalike_io::names::path_of;

/// Nanoseconds from 1970 to the last change, as a report gives them; 0 for earlier times.
pub fn modified_nanos(metadata: &Metadata) -> u64 {
    u64::try_from(signed_nanos(metadata)).unwrap_or(0)
}

/// Times beyond the years 1677 to 2262 are cut to these.
fn signed_nanos(metadata: &Metadata) -> i64 {
    metadata.mtime().saturating_mul(1_000_000_000).saturating_add(metadata.mtime_nsec())
}

/// Why a file cannot be acted on. Completes a sentence that begins with its name.
#[derive(Debug)]
pub(super) enum Unfit {
    /// What it is or was.
    Is(&'static str),
    /// Why its state is not known.
    Unknown(String),
}

impl Unfit {
    /// The words for a file that another one depends on.
    pub fn of_another(&self) -> String {
        match self {
            Unfit::Is(what) => (*what).to_owned(),
            Unfit::Unknown(reason) => format!("cannot be checked: {reason}"),
        }
    }
}

impl From<Unfit> for String {
    fn from(unfit: Unfit) -> String {
        match unfit {
            Unfit::Is(what) => what.to_owned(),
            Unfit::Unknown(reason) => reason,
        }
    }
}

fn missing(error: std::io::Error) -> Unfit {
    Unfit::Unknown(match error.kind() {
        std::io::ErrorKind::NotFound => "no file of that name is there".to_owned(),
        _ => error.to_string(),
    })
}

/// A regular file as it was seen.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub(super) struct Seen {
    pub bytes: u64,
    /// Nanoseconds since 1970.
    pub modified: i64,
    pub device: u64,
    pub inode: u64,
    pub mode: u32,
    pub owner: u32,
    pub group: u32,
    /// How many names the file has; changes when links are added or removed.
    #[serde(skip)]
    pub links: u64,
}

impl Seen {
    pub fn of(metadata: &Metadata) -> Self {
        Seen {
            bytes: metadata.len(),
            modified: signed_nanos(metadata),
            device: metadata.dev(),
            inode: metadata.ino(),
            mode: metadata.mode() & 0o7777,
            owner: metadata.uid(),
            group: metadata.gid(),
            links: metadata.nlink(),
        }
    }

    /// The regular file of that name; refuses symbolic links.
    pub fn at(path: &Path) -> Result<Self, Unfit> {
        let metadata = std::fs::symlink_metadata(path).map_err(missing)?;
        match metadata.file_type() {
            kind if kind.is_symlink() => Err(Unfit::Is("is a symbolic link")),
            kind if kind.is_file() => Ok(Seen::of(&metadata)),
            _ => Err(Unfit::Is("is not a regular file")),
        }
    }

    pub fn same_file(&self, other: &Seen) -> bool {
        (self.device, self.inode) == (other.device, other.inode)
    }

    pub fn unchanged(&self, now: &Seen) -> bool {
        self.same_file(now) && (self.bytes, self.modified) == (now.bytes, now.modified)
    }

    /// Whether `other` can be a copy of this one. Some file systems store times to two seconds
    /// only.
    pub fn alike(&self, other: &Seen) -> bool {
        self.bytes == other.bytes && self.modified.abs_diff(other.modified) < 2_000_000_000
    }
}

/// A name in a folder, whichever path leads to it.
pub(super) type Entry = (u64, u64, OsString);

/// A file of the report, found on disk.
#[derive(Clone, Debug)]
pub(super) struct Found {
    /// The path without symbolic links.
    pub at: PathBuf,
    pub seen: Seen,
    pub entry: Entry,
    /// The device of the folder: some file systems give files devices of their own.
    pub device: u64,
}

impl Found {
    pub fn find(path: &str) -> Result<Self, Unfit> {
        let at = real_path(path)?;
        let seen = Seen::at(&at)?;
        let entry = entry_of(&at)?;
        Ok(Found { at, seen, device: entry.0, entry })
    }

    /// Finds a document's file and checks that it is unchanged since the scan.
    pub fn as_scanned(member: &ScanMember) -> Result<Self, Unfit> {
        let found = Found::find(&member.path)?;
        let modified = u64::try_from(found.seen.modified).unwrap_or(0);
        // The size of a part says nothing about its file.
        let resized = member.part.is_none() && found.seen.bytes != member.bytes;
        match resized || modified != member.modified_nanos {
            true => Err(Unfit::Is("was changed since the scan")),
            false => Ok(found),
        }
    }

    /// Whether both are one file with one name, so that removing one removes both. Several paths
    /// may also lead to one of the names of a file with several.
    pub fn is_same_name(&self, other: &Found) -> bool {
        self.entry == other.entry || (self.seen.same_file(&other.seen) && self.seen.links < 2)
    }

    /// Fails if the file has changed or been replaced.
    pub fn check_again(&self) -> Result<Seen, Unfit> {
        let now = Seen::at(&self.at)?;
        let same_folder = entry_of(&self.at)? == self.entry;
        match same_folder && self.seen.unchanged(&now) {
            true => Ok(now),
            false => Err(Unfit::Is("was changed since the plan was made")),
        }
    }
}

/// The path that a report names, with its folder's symbolic links resolved.
pub(super) fn real_path(path: &str) -> Result<PathBuf, Unfit> {
    let absolute = std::path::absolute(path_of(path)).map_err(|error| Unfit::Unknown(error.to_string()))?;
    let (Some(folder), Some(name)) = (absolute.parent(), absolute.file_name()) else {
        return Err(Unfit::Is("is not the path of a file"));
    };
    let folder = folder.canonicalize().map_err(missing)?;
    Ok(folder.join(name))
}

pub(super) fn entry_of(path: &Path) -> Result<Entry, Unfit> {
    let (Some(folder), Some(name)) = (path.parent(), path.file_name()) else {
        return Err(Unfit::Is("is not the path of a file"));
    };
    let folder = std::fs::metadata(folder).map_err(|error| Unfit::Unknown(error.to_string()))?;
    Ok((folder.dev(), folder.ino(), name.to_owned()))
}

/// Whether names can be created and removed in a folder.
pub(super) fn writable(folder: &Path) -> Result<(), String> {
    rustix::fs::access(folder, Access::WRITE_OK | Access::EXEC_OK)
        .map_err(|error| format!("its folder {} cannot be changed: {}", folder.display(), describe(error)))
}

/// The nearest existing folder on the way to a path.
pub(super) fn nearest_folder(path: &Path) -> Result<&Path, String> {
    for folder in path.ancestors() {
        match std::fs::metadata(folder) {
            Ok(metadata) if metadata.is_dir() => return Ok(folder),
            Ok(_) => return Err(format!("{} is not a folder", folder.display())),
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => {
                // A link that leads nowhere is in the way as well.
                if std::fs::symlink_metadata(folder).is_ok() {
                    return Err(format!("{} is a link that leads nowhere", folder.display()));
                }
            }
            Err(error) => return Err(format!("{}: {error}", folder.display())),
        }
    }
    Err("no folder leads there".to_owned())
}

fn describe(error: rustix::io::Errno) -> String {
    std::io::Error::from(error).to_string()
}
