//! Uploaded corpora and labels, by name. A name is never a path.

use std::path::{Path, PathBuf};

use lookalike::{Error, Result};
use lookalike_plumbing::clock::seconds_of;
use schemars::JsonSchema;
use serde::Serialize;

use super::allowed_paths::within;

/// An uploaded file.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct Upload {
    pub name: String,
    pub bytes: u64,
    /// When it was complete, in seconds since 1970.
    pub time: u64,
}

/// The path for a file with this name.
pub fn place(folder: &Path, name: &str) -> Result<PathBuf> {
    if !is_name(name) {
        return Err(Error::config(format!(
            "`{name}` is no name for an upload: letters, digits, dots, dashes and underscores, at most 100"
        )));
    }
    Ok(folder.join(name))
}

/// The path of an existing file with this name.
pub fn find(folder: &Path, name: &str) -> Result<PathBuf> {
    let missing = |_| Error::config(format!("there is no upload `{name}`"));
    within(&place(folder, name)?, &[folder.to_owned()]).map_err(missing)
}

/// The size and time of a file with this name.
pub fn about(folder: &Path, name: &str) -> Result<Upload> {
    let path = find(folder, name)?;
    let metadata = std::fs::metadata(&path).map_err(Error::io(&path))?;
    let time = metadata.modified().map_or(0, seconds_of);
    Ok(Upload { name: name.to_owned(), bytes: metadata.len(), time })
}

/// All files, the newest first.
pub fn list(folder: &Path) -> Result<Vec<Upload>> {
    let mut uploads = Vec::new();
    for entry in std::fs::read_dir(folder).map_err(Error::io(folder))? {
        let name = entry.map_err(Error::io(folder))?.file_name();
        // Unfinished uploads have names of another form.
        let Some(name) = name.to_str().filter(|name| is_name(name)) else { continue };
        // A file that was replaced or deleted meanwhile is skipped.
        uploads.extend(about(folder, name));
    }
    uploads.sort_by(|a, b| b.time.cmp(&a.time).then_with(|| a.name.cmp(&b.name)));
    Ok(uploads)
}

fn is_name(name: &str) -> bool {
    let plain = |character: char| character.is_ascii_alphanumeric() || "._-".contains(character);
    !name.is_empty() && name.len() <= 100 && !name.starts_with('.') && name.chars().all(plain)
}

#[cfg(test)]
mod tests {
    use std::fs::File;
    use std::time::{Duration, UNIX_EPOCH};

    use super::*;

    #[test]
    fn the_newest_comes_first_and_only_names_lead_anywhere() {
        let folder = tempfile::tempdir().unwrap();
        let uploads = folder.path().join("uploads");
        std::fs::create_dir(&uploads).unwrap();
        std::fs::write(folder.path().join("secret"), "s").unwrap();
        for (name, second) in [("old.jsonl", 1), ("b.csv", 2), ("a.parquet", 2), (".tmp1", 3)] {
            let file = File::create(uploads.join(name)).unwrap();
            file.set_modified(UNIX_EPOCH + Duration::from_secs(second)).unwrap();
        }
        let names: Vec<(String, u64)> =
            list(&uploads).unwrap().into_iter().map(|upload| (upload.name, upload.time)).collect();
        let expected = [("a.parquet", 2), ("b.csv", 2), ("old.jsonl", 1)];
        assert_eq!(names, expected.map(|(name, time)| (name.to_owned(), time)));
        assert!(find(&uploads, "b.csv").is_ok());
        std::os::unix::fs::symlink(folder.path().join("secret"), uploads.join("link")).unwrap();
        for name in ["", "../secret", "..", ".tmp1", "/etc/hostname", "a/b", "a b", "missing", "link"] {
            let told = find(&uploads, name).unwrap_err().to_string();
            assert!(told.contains("upload") && !told.contains(folder.path().to_str().unwrap()), "{told}");
        }
        assert!(list(&uploads).unwrap().iter().all(|upload| upload.name != "link"));
    }
}
