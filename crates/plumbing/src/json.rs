//! JSON files with a checksum.
//!
//! Everything that an index or a service keeps in a small file goes through here: an empty or truncated file is an
//! error that says what to do, never a value that happens to parse.

use std::path::Path;

use lookalike_core::{Error, Result, hash};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;

use crate::files::{AtomicFile, Readers, folder_of, sync_folder};

#[derive(Serialize, Deserialize)]
struct Sealed<'a> {
    checksum: String,
    #[serde(borrow)]
    content: &'a RawValue,
}

/// Replaces a file by this content with its checksum, since a damaged number would otherwise go unnoticed.
/// All names in the folder are durable when this returns.
pub fn write_json(path: &Path, content: &impl Serialize) -> Result<()> {
    write_json_for(path, Readers::Usual, content)
}

/// The same for a file that not everybody may read.
pub fn write_json_for(path: &Path, readers: Readers, content: &impl Serialize) -> Result<()> {
    let internal = |error: serde_json::Error| Error::Internal(error.to_string());
    let content = serde_json::to_string_pretty(content).and_then(RawValue::from_string).map_err(internal)?;
    let sealed = Sealed { checksum: checksum(&content), content: &content };
    let mut bytes = serde_json::to_vec_pretty(&sealed).map_err(internal)?;
    bytes.push(b'\n');
    // Files that the content refers to must not become durable later than the content.
    sync_folder(folder_of(path))?;
    let mut file = AtomicFile::create_for(path, readers)?;
    file.write(&bytes)?;
    file.finish_synced()?;
    sync_folder(folder_of(path))
}

/// Reads what [`write_json`] wrote.
pub fn read_json<T: DeserializeOwned>(path: &Path) -> Result<T> {
    unseal(path, &read(path)?)
}

/// The same for a file that earlier versions wrote without a checksum: it must then be complete JSON.
pub fn read_json_or_plain<T: DeserializeOwned>(path: &Path) -> Result<T> {
    let bytes = read(path)?;
    // The wrapper has none of the fields of its content, so one cannot be mistaken for the other.
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
            // Other white space between the parts does not matter.
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
}
