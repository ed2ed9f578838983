//! The files of a corpus that documents are compared against.

use lookalike_core::{Error, Result};

use super::stored::parts_of;
use super::work;

/// The output folder of an earlier run stands for the documents it kept.
pub fn known_files(arguments: &[String]) -> Result<Vec<String>> {
    let mut files = Vec::new();
    for argument in arguments {
        let folder = std::path::Path::new(argument);
        if !folder.join(work::REPORT).exists() {
            files.push(argument.clone());
            continue;
        }
        let entries = std::fs::read_dir(folder).map_err(Error::io(folder))?;
        let mut kept = Vec::new();
        for entry in entries.filter_map(|entry| entry.ok()) {
            if work::is_kept_name(&entry.file_name().to_string_lossy()) {
                let parts = parts_of(&entry.path())?;
                kept.extend(parts.iter().map(|path| path.to_string_lossy().into_owned()));
            }
        }
        kept.sort();
        files.append(&mut kept);
    }
    Ok(files)
}
