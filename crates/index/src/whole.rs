//! Files that are written as a whole, and JSON that can tell whether it is what was written.
//!
//! A file has its name only when it is complete and on disk, so a crash leaves the old one or the new one.

use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};

use lookalike_core::{Error, Result, hash};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;

/// A file that has not got its name yet.
pub struct Partial {
    path: PathBuf,
    file: BufWriter<File>,
}

impl Partial {
    fn create(path: PathBuf) -> Result<Partial> {
        let file = File::create(&path).map_err(Error::io(&path))?;
        Ok(Partial { path, file: BufWriter::with_capacity(1 << 20, file) })
    }

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
    let partial = path.with_extension("partial");
    let written = Partial::create(partial.clone()).and_then(|mut file| {
        fill(&mut file)?;
        file.finish()
    });
    let named = written.and_then(|()| std::fs::rename(&partial, path).map_err(Error::io(path)));
    if named.is_err() {
        let _ = std::fs::remove_file(&partial);
    }
    named
}

/// Makes names that were given or taken in a folder last.
pub fn sync_folder(folder: &Path) -> Result<()> {
    File::open(folder).and_then(|folder| folder.sync_all()).map_err(Error::io(folder))
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
    let internal = |error: serde_json::Error| Error::Internal(error.to_string());
    let content = serde_json::to_string_pretty(content).and_then(RawValue::from_string).map_err(internal)?;
    let sealed = Sealed { checksum: checksum(&content), content: &content };
    let mut bytes = serde_json::to_vec_pretty(&sealed).map_err(internal)?;
    bytes.push(b'\n');
    // What the content names must not come later than the content.
    let folder = path.parent().unwrap_or(Path::new("."));
    sync_folder(folder)?;
    write_whole(path, |file| file.write(&bytes))?;
    sync_folder(folder)
}

pub fn read_json<T: DeserializeOwned>(path: &Path) -> Result<T> {
    let damaged = |how: &dyn std::fmt::Display| {
        Error::Incompatible(format!("{} is damaged: {how}; restore it from a copy", path.display()))
    };
    let bytes = std::fs::read(path).map_err(Error::io(path))?;
    let sealed: Sealed<'_> = serde_json::from_slice(&bytes).map_err(|error| damaged(&error))?;
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
    fn an_attempt_that_fails_leaves_the_old_file_and_nothing_else() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("run-1");
        write_whole(&path, |file| file.write(b"old")).unwrap();
        let failed = write_whole(&path, |file| {
            file.write(b"new")?;
            Err(Error::input("the disk is full"))
        });
        assert!(failed.is_err());
        assert_eq!(std::fs::read(&path).unwrap(), b"old");
        assert_eq!(std::fs::read_dir(dir.path()).unwrap().count(), 1);
    }
}
