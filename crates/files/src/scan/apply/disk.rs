//! The few ways in which files are changed. None of them overwrites or loses anything.
//!
//! Every change to the disk goes through this file, and each is preceded by a [`checkpoint`], at
//! which tests stop the work as if the process had been killed.

use std::fs::{File, OpenOptions, Permissions};
use std::io::{self, Read};
use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt, PermissionsExt, fchown};
use std::path::Path;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use rustix::fs::{CWD, OFlags, RenameFlags};

use super::check::{Seen, Unfit};

/// Why a change failed.
#[derive(Debug)]
pub(super) struct Failure {
    pub reason: String,
    /// Whether the disk is unchanged.
    pub clean: bool,
}

impl From<io::Error> for Failure {
    fn from(error: io::Error) -> Self {
        let reason = match error.kind() {
            io::ErrorKind::AlreadyExists => "something of that name is already there".to_owned(),
            _ => error.to_string(),
        };
        Failure { reason, clean: true }
    }
}

impl From<String> for Failure {
    fn from(reason: String) -> Self {
        Failure { reason, clean: true }
    }
}

impl From<Unfit> for Failure {
    fn from(unfit: Unfit) -> Self {
        String::from(unfit).into()
    }
}

/// Moves a file to a free name, to another file system if necessary. `temporary` is the name of its
/// copy until that is complete; `seen` is what must arrive.
pub(super) fn relocate(from: &Path, to: &Path, temporary: &str, seen: &Seen) -> Result<(), Failure> {
    match rename_new(from, to) {
        Err(error) if error.kind() == io::ErrorKind::CrossesDevices => {}
        outcome => return Ok(outcome?),
    }
    let partial = to.with_file_name(temporary);
    copy(from, &partial, seen)?;
    if let Err(error) = rename_new(&partial, to) {
        return Err(give_up(&partial, error.into()));
    }
    let remove = || -> Result<(), Failure> {
        sync_folder(to)?;
        if !Seen::at(from)?.alike(seen) {
            return Err("was changed while it was copied".to_owned().into());
        }
        Ok(remove_file(from)?)
    };
    match remove() {
        // The copy is removed only as long as the original exists.
        Err(failure) if Seen::at(from).is_ok() => Err(give_up(to, failure)),
        Err(_) | Ok(()) => Ok(()),
    }
}

/// Renames a file to a free name on the same file system.
pub(super) fn rename_new(from: &Path, to: &Path) -> io::Result<()> {
    checkpoint();
    match rustix::fs::renameat_with(CWD, from, CWD, to, RenameFlags::NOREPLACE) {
        // Network file systems may not support this flag, but a link also fails if the name is taken.
        Err(rustix::io::Errno::INVAL | rustix::io::Errno::NOSYS | rustix::io::Errno::NOTSUP) => {
            link_and_remove(from, to)
        }
        outcome => Ok(outcome?),
    }
}

/// The same in two steps; in between the file has both names.
pub(super) fn link_and_remove(from: &Path, to: &Path) -> io::Result<()> {
    hard_link(from, to)?;
    match remove_file(from) {
        Err(error) if std::fs::symlink_metadata(from).is_ok() => remove_file(to).and(Err(error)),
        Err(_) | Ok(()) => Ok(()),
    }
}

/// Copies a file, synced and compared, with the times and permissions of `seen`.
pub(super) fn copy(from: &Path, to: &Path, seen: &Seen) -> Result<(), Failure> {
    let mut source = open(from)?;
    checkpoint();
    let mut target = OpenOptions::new().write(true).create_new(true).mode(0o600).open(to)?;
    let mut fill = || -> Result<(), Failure> {
        checkpoint();
        io::copy(&mut source, &mut target)?;
        let made = Seen::of(&target.metadata()?);
        if (made.owner, made.group) != (seen.owner, seen.group) {
            fchown(&target, Some(seen.owner), Some(seen.group))
                .map_err(|error| format!("its owner cannot be kept: {error}"))?;
        }
        target.set_permissions(Permissions::from_mode(seen.mode))?;
        target.set_modified(moment(seen.modified))?;
        target.sync_all()?;
        match same_content(from, to)? {
            true => Ok(()),
            false => Err("the copy is not the same".to_owned().into()),
        }
    };
    fill().map_err(|failure| give_up(to, failure))
}

/// Whether two files hold the same bytes, all of them compared.
pub(super) fn same_content(one: &Path, other: &Path) -> io::Result<bool> {
    let (mut one, mut other) = (open(one)?, open(other)?);
    if one.metadata()?.len() != other.metadata()?.len() {
        return Ok(false);
    }
    let (mut left, mut right) = (Vec::new(), Vec::new());
    loop {
        left.clear();
        right.clear();
        (&mut one).take(1 << 18).read_to_end(&mut left)?;
        (&mut other).take(1 << 18).read_to_end(&mut right)?;
        match (left == right, left.is_empty()) {
            (false, _) => return Ok(false),
            (true, true) => return Ok(true),
            (true, false) => {}
        }
    }
}

/// Replaces a file by another, atomically.
pub(super) fn replace(with: &Path, path: &Path) -> io::Result<()> {
    checkpoint();
    std::fs::rename(with, path)
}

pub(super) fn hard_link(original: &Path, name: &Path) -> io::Result<()> {
    checkpoint();
    std::fs::hard_link(original, name)
}

pub(super) fn remove_file(path: &Path) -> io::Result<()> {
    checkpoint();
    std::fs::remove_file(path)
}

/// Fails if the folder is not empty.
pub(super) fn remove_folder(path: &Path) -> io::Result<()> {
    checkpoint();
    std::fs::remove_dir(path)
}

pub(super) fn make_folder(path: &Path) -> io::Result<()> {
    checkpoint();
    std::fs::create_dir(path)
}

/// Creates a folder for this user only, with its parents.
pub(super) fn make_private_folders(path: &Path) -> io::Result<()> {
    checkpoint();
    std::fs::DirBuilder::new().recursive(true).mode(0o700).create(path)
}

/// Writes a small file with a free name.
pub(super) fn write_new(path: &Path, content: &str) -> Result<(), Failure> {
    checkpoint();
    let mut file = OpenOptions::new().write(true).create_new(true).mode(0o600).open(path)?;
    checkpoint();
    let written = io::Write::write_all(&mut file, content.as_bytes()).and_then(|()| file.sync_all());
    written.map_err(|error| give_up(path, error.into()))
}

/// Syncs the folder of a path, so that its names survive a power failure.
pub(super) fn sync_folder(path: &Path) -> io::Result<()> {
    path.parent().map_or(Ok(()), |folder| File::open(folder)?.sync_all())
}

/// Removes what a failed change of ours left behind.
pub(super) fn give_up(leftover: &Path, failure: Failure) -> Failure {
    match remove_file(leftover) {
        Ok(()) => failure,
        Err(error) => Failure {
            reason: format!("{}; {} could not be removed: {error}", failure.reason, leftover.display()),
            clean: false,
        },
    }
}

/// Opens a file for reading, but does not follow a symbolic link.
fn open(path: &Path) -> io::Result<File> {
    OpenOptions::new().read(true).custom_flags(OFlags::NOFOLLOW.bits() as i32).open(path)
}

fn moment(nanos: i64) -> SystemTime {
    let distance = Duration::from_nanos(nanos.unsigned_abs());
    if nanos < 0 { UNIX_EPOCH - distance } else { UNIX_EPOCH + distance }
}

#[cfg(not(test))]
#[inline]
pub(super) fn checkpoint() {}

#[cfg(test)]
pub(super) use super::tests::checkpoint;
