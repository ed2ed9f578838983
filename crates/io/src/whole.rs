//! Files that are written as a whole, and JSON that can tell whether it is what was written.
//!
//! A file has its name only when it is complete and on disk, so a crash leaves the old one or the new one. Whatever an
//! index or a service keeps in a small file goes through here: an empty or cut one is an error that says what to do,
//! never a value that happens to parse.

use std::fs::{File, OpenOptions};
use std::io::{BufWriter, Write};
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};

use lookalike_core::{Error, Result, hash};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;

/// Who may read a file: whom the process lets, or its owner alone.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Readers {
    /// Whom the process lets.
    Usual,
    /// Its owner alone.
    Owner,
}

/// A file that has not got its name yet.
pub struct Partial {
    path: PathBuf,
    file: BufWriter<File>,
}

impl Partial {
    fn create(path: PathBuf, readers: Readers) -> Result<Partial> {
        // What an interrupted attempt left has perhaps other readers.
        match std::fs::remove_file(&path) {
            Err(error) if error.kind() != std::io::ErrorKind::NotFound => return Err(Error::io(path)(error)),
            _ => {}
        }
        let mode = if readers == Readers::Owner { 0o600 } else { 0o666 };
        let file = OpenOptions::new().write(true).create_new(true).mode(mode).open(&path);
        let file = file.map_err(Error::io(&path))?;
        Ok(Partial { path, file: BufWriter::with_capacity(1 << 20, file) })
    }

    /// Appends bytes.
    pub fn write(&mut self, bytes: &[u8]) -> Result<()> {
        self.file.write_all(bytes).map_err(Error::io(&self.path))
    }

    fn finish(mut self) -> Result<()> {
        let done = self.file.flush().and_then(|()| self.file.get_ref().sync_data());
        done.map_err(Error::io(&self.path))
    }
}

/// Writes a file and forces it to disk, but not its name: that lasts when the folder was synced. An attempt
/// that fails leaves nothing behind, so that it does not fill a disk that is full.
pub fn write_whole(path: &Path, fill: impl FnOnce(&mut Partial) -> Result<()>) -> Result<()> {
    write_for(path, Readers::Usual, fill)
}

fn write_for(path: &Path, readers: Readers, fill: impl FnOnce(&mut Partial) -> Result<()>) -> Result<()> {
    let partial = partial_name(path);
    let written = Partial::create(partial.clone(), readers).and_then(|mut file| {
        fill(&mut file)?;
        file.finish()
    });
    named(written, &partial, path)
}

/// Has a file made by somebody who wants a path, under another name, and gives it its own when it is on disk. Both last
/// when this returns.
pub fn make_whole(path: &Path, make: impl FnOnce(&Path) -> Result<()>) -> Result<()> {
    let partial = partial_name(path);
    let sync = || File::open(&partial).and_then(|file| file.sync_all()).map_err(Error::io(&partial));
    let made = make(&partial).and_then(|()| sync());
    named(made, &partial, path)?;
    sync_folder(folder_of(path))
}

fn named(written: Result<()>, partial: &Path, path: &Path) -> Result<()> {
    let named = written.and_then(|()| std::fs::rename(partial, path).map_err(Error::io(path)));
    if named.is_err() {
        let _ = std::fs::remove_file(partial);
    }
    named
}

fn partial_name(path: &Path) -> PathBuf {
    path.with_extension("partial")
}

fn folder_of(path: &Path) -> &Path {
    path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."))
}

/// Makes names that were given or taken in a folder last.
pub fn sync_folder(folder: &Path) -> Result<()> {
    File::open(folder).and_then(|folder| folder.sync_all()).map_err(Error::io(folder))
}

/// Forces all files of a folder and of those within it to disk, with their names.
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

#[derive(Serialize, Deserialize)]
struct Sealed<'a> {
    checksum: String,
    #[serde(borrow)]
    content: &'a RawValue,
}

/// Replaces a file by this content with its checksum: a damaged number would else be believed. All names that
/// the folder has by now last when this returns.
pub fn write_json(path: &Path, content: &impl Serialize) -> Result<()> {
    write_json_for(path, Readers::Usual, content)
}

/// The same for chosen readers.
pub fn write_json_for(path: &Path, readers: Readers, content: &impl Serialize) -> Result<()> {
    let internal = |error: serde_json::Error| Error::Internal(error.to_string());
    let content = serde_json::to_string_pretty(content).and_then(RawValue::from_string).map_err(internal)?;
    let sealed = Sealed { checksum: checksum(&content), content: &content };
    let mut bytes = serde_json::to_vec_pretty(&sealed).map_err(internal)?;
    bytes.push(b'\n');
    // What the content names must not come later than the content.
    sync_folder(folder_of(path))?;
    write_for(path, readers, |file| file.write(&bytes))?;
    sync_folder(folder_of(path))
}

/// Reads what [`write_json`] wrote; damage is an error.
pub fn read_json<T: DeserializeOwned>(path: &Path) -> Result<T> {
    unseal(path, &read(path)?)
}

/// The same for a file that earlier versions wrote without a checksum: such a one must be whole JSON.
pub fn read_json_or_plain<T: DeserializeOwned>(path: &Path) -> Result<T> {
    let bytes = read(path)?;
    // What is sealed has none of the fields of what is in it, so neither passes for the other.
    unseal(path, &bytes).or_else(|error| serde_json::from_slice(&bytes).map_err(|_| error))
}

fn read(path: &Path) -> Result<Vec<u8>> {
    let bytes = std::fs::read(path).map_err(Error::io(path))?;
    if bytes.iter().all(|byte| byte.is_ascii_whitespace() || *byte == 0) {
        return Err(Error::damaged(
            path,
            "is empty, and was not when it was written: restore it from a copy",
        ));
    }
    Ok(bytes)
}

fn unseal<T: DeserializeOwned>(path: &Path, bytes: &[u8]) -> Result<T> {
    let damaged = |how: &dyn std::fmt::Display| {
        Error::damaged(path, format!("is damaged or cut off: {how}; restore it from a copy"))
    };
    let sealed: Sealed<'_> = serde_json::from_slice(bytes).map_err(|error| damaged(&error))?;
    if sealed.checksum != checksum(sealed.content) {
        return Err(damaged(&"its checksum is wrong"));
    }
    serde_json::from_str(sealed.content.get()).map_err(|error| damaged(&error))
}

fn checksum(content: &RawValue) -> String {
    format!("{:016x}", hash::bytes(content.get().as_bytes()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_flipped_bit_and_every_cut_is_told() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("some.json");
        let content = vec![("a".to_owned(), 1), ("b".to_owned(), 22)];
        write_json(&path, &content).unwrap();
        let whole = std::fs::read(&path).unwrap();
        assert_eq!(read_json::<Vec<(String, u32)>>(&path).unwrap(), content);
        for place in 0..whole.len() {
            let mut bytes = whole.clone();
            bytes[place] ^= 1 << (place % 8);
            std::fs::write(&path, &bytes).unwrap();
            // Another kind of space between the parts says the same.
            if let Ok(read) = read_json::<Vec<(String, u32)>>(&path) {
                assert!(whole[place].is_ascii_whitespace() && read == content, "{place}");
            }
            std::fs::write(&path, &whole[..place]).unwrap();
            assert!(read_json::<Vec<(String, u32)>>(&path).is_err() || place == whole.len() - 1, "{place}");
        }
    }

    #[test]
    fn what_has_no_checksum_yet_is_read_when_it_is_whole() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("some.json");
        let plain = br#"[["a",1],["b",22]]"#;
        for cut in 0..=plain.len() {
            std::fs::write(&path, &plain[..cut]).unwrap();
            let read = read_json_or_plain::<Vec<(String, u32)>>(&path);
            assert_eq!(read.is_ok(), cut == plain.len(), "{cut}");
            assert!(read_json::<Vec<(String, u32)>>(&path).is_err(), "{cut}");
        }
        write_json_for(&path, Readers::Owner, &vec![("c".to_owned(), 3)]).unwrap();
        let whole = std::fs::read(&path).unwrap();
        for cut in 0..whole.len() - 1 {
            std::fs::write(&path, &whole[..cut]).unwrap();
            let told = read_json_or_plain::<Vec<(String, u32)>>(&path).unwrap_err();
            assert!(
                matches!(told, Error::Damaged { .. }) && told.to_string().contains("from a copy"),
                "{told}"
            );
        }
    }

    #[test]
    fn only_the_owner_reads_a_secret_whatever_was_left_over() {
        use std::os::unix::fs::PermissionsExt;
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("secret.json");
        std::fs::write(dir.path().join("secret.partial"), "left over").unwrap();
        write_json_for(&path, Readers::Owner, &1).unwrap();
        assert_eq!(std::fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o600);
    }

    #[test]
    fn an_attempt_that_fails_leaves_the_old_file_and_nothing_else() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("run-1");
        write_whole(&path, |file| file.write(b"old")).unwrap();
        let failed = write_whole(&path, |file| {
            file.write(b"new")?;
            Err(Error::input("the disk is full"))
        });
        assert!(failed.is_err());
        let failed = make_whole(&path, |partial| {
            std::fs::write(partial, "new").unwrap();
            Err(Error::input("the disk is full"))
        });
        assert!(failed.is_err());
        assert_eq!(std::fs::read(&path).unwrap(), b"old");
        assert_eq!(std::fs::read_dir(dir.path()).unwrap().count(), 1);
        make_whole(&path, |partial| std::fs::write(partial, "new").map_err(Error::io(partial))).unwrap();
        assert_eq!(std::fs::read(&path).unwrap(), b"new");
        sync_tree(dir.path()).unwrap();
    }
}
