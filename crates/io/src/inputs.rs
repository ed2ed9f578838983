//! Which files a run reads, and what they are.

use std::collections::HashSet;
use std::fs::File;
use std::io::Read;
use std::path::{Path, PathBuf};

use lookalike_core::{Error, Result};

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Format {
    Jsonl(Compression),
    Parquet,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Compression {
    None,
    Gzip,
    Zstd,
}

impl Format {
    /// The ending of a file in this format.
    pub fn extension(self) -> &'static str {
        match self {
            Format::Jsonl(Compression::None) => "jsonl",
            Format::Jsonl(Compression::Gzip) => "jsonl.gz",
            Format::Jsonl(Compression::Zstd) => "jsonl.zst",
            Format::Parquet => "parquet",
        }
    }

    /// Told by the first bytes, so that a wrong file name does no harm.
    pub fn of_bytes(first: &[u8]) -> Format {
        match first {
            [0x1f, 0x8b, ..] => Format::Jsonl(Compression::Gzip),
            [0x28, 0xb5, 0x2f, 0xfd, ..] => Format::Jsonl(Compression::Zstd),
            [b'P', b'A', b'R', b'1', ..] => Format::Parquet,
            _ => Format::Jsonl(Compression::None),
        }
    }
}

/// One file to read.
#[derive(Clone, Debug)]
pub struct Input {
    /// How messages and outputs name it.
    pub name: String,
    pub path: PathBuf,
    pub format: Format,
    pub bytes: u64,
    /// Nanoseconds since 1970; tells that a file changed.
    pub modified: u128,
}

impl Input {
    pub fn open(path: &Path, name: &str) -> Result<Input> {
        let mut file = File::open(path).map_err(Error::io(name))?;
        let metadata = file.metadata().map_err(Error::io(name))?;
        if metadata.is_dir() {
            return Err(Error::config(format!("{name} is a folder, a file is needed")));
        }
        let mut first = Vec::new();
        file.by_ref().take(4).read_to_end(&mut first).map_err(Error::io(name))?;
        Ok(Input {
            name: name.to_owned(),
            path: path.to_owned(),
            format: Format::of_bytes(&first),
            bytes: metadata.len(),
            modified: modified_nanos(&metadata),
        })
    }

    /// Fails if the file is no longer what it was when the run began.
    pub fn check_unchanged(&self) -> Result<()> {
        let metadata = std::fs::metadata(&self.path).map_err(Error::io(&self.name))?;
        if metadata.len() == self.bytes && modified_nanos(&metadata) == self.modified {
            return Ok(());
        }
        Err(Error::Incompatible(format!(
            "{} changed while it was being read; run again when it is complete",
            self.name
        )))
    }
}

fn modified_nanos(metadata: &std::fs::Metadata) -> u128 {
    let modified = metadata.modified().ok();
    modified
        .and_then(|time| time.duration_since(std::time::UNIX_EPOCH).ok())
        .map_or(0, |elapsed| elapsed.as_nanos())
}

const RUN_FILES: [&str; 5] =
    ["removed.jsonl", "clusters.jsonl", "pairs.jsonl", "rejected.jsonl", "report.json"];
const ENDINGS: [&str; 4] = ["jsonl", "ndjson", "json", "parquet"];

/// Files, folders (searched for corpus files) and glob patterns become a list of files, each once,
/// in the order given and by name within a folder or pattern. `-` is not handled here. `output`, if
/// it lies within a folder, is left out.
pub fn find(arguments: &[String], output: Option<&Path>) -> Result<Vec<Input>> {
    let output = output.and_then(|output| output.canonicalize().ok());
    let mut paths: Vec<PathBuf> = Vec::new();
    let mut seen = HashSet::new();
    for argument in arguments {
        let path = Path::new(argument);
        let found = if path.is_dir() {
            let mut found = Vec::new();
            walk(path, output.as_deref(), &mut found)?;
            if found.is_empty() {
                return Err(Error::config(format!(
                    "{argument} holds no corpus files (.{}, plain, .gz or .zst)",
                    ENDINGS.join(", .")
                )));
            }
            found
        } else if path.exists() || !argument.contains(['*', '?', '[']) {
            vec![path.to_owned()]
        } else {
            expand(argument)?
        };
        for path in found {
            // One file by two names is still one file.
            let whole = path.canonicalize().unwrap_or_else(|_| path.clone());
            if seen.insert(whole) {
                paths.push(path);
            }
        }
    }
    paths.iter().map(|path| Input::open(path, &path.to_string_lossy())).collect()
}

/// The files that match a pattern; there must be one.
pub fn expand(pattern: &str) -> Result<Vec<PathBuf>> {
    // As in a shell: a star does not match a leading dot.
    let options = glob::MatchOptions { require_literal_leading_dot: true, ..Default::default() };
    let matches = glob::glob_with(pattern, options)
        .map_err(|error| Error::config(format!("pattern {pattern}: {error}")))?;
    let found: Vec<PathBuf> = matches.filter_map(|path| path.ok()).filter(|path| path.is_file()).collect();
    if found.is_empty() {
        return Err(Error::config(format!("no file matches {pattern}")));
    }
    Ok(found)
}

fn walk(folder: &Path, output: Option<&Path>, found: &mut Vec<PathBuf>) -> Result<()> {
    let entries = std::fs::read_dir(folder).map_err(Error::io(folder))?;
    let mut paths: Vec<PathBuf> = entries
        .map(|entry| entry.map(|entry| entry.path()))
        .collect::<std::io::Result<_>>()
        .map_err(Error::io(folder))?;
    paths.sort();
    // Of an earlier run's folder, the documents it kept; its evidence is no corpus.
    let is_run = paths.iter().any(|path| path.ends_with("report.json"));
    paths.retain(|path| !(is_run && RUN_FILES.iter().any(|name| path.ends_with(name))));
    for path in paths {
        let hidden = path.file_name().is_some_and(|name| name.to_string_lossy().starts_with('.'));
        let is_link = path.symlink_metadata().is_ok_and(|metadata| metadata.is_symlink());
        if hidden {
            continue;
        }
        // A linked folder is left out: it may lead back here.
        if path.is_dir() {
            let is_output = output.is_some_and(|output| path.canonicalize().is_ok_and(|path| path == output));
            if !is_link && !is_output {
                walk(&path, output, found)?;
            }
        } else if is_corpus_name(&path) {
            found.push(path);
        }
    }
    Ok(())
}

/// Whether a folder has corpus files in it, however deep.
pub fn holds_corpus(folder: &Path) -> Result<bool> {
    let mut found = Vec::new();
    walk(folder, None, &mut found)?;
    Ok(!found.is_empty())
}

/// Whether the first bytes of a file can begin a corpus: Parquet, a JSON object, nothing at all, or
/// one of these compressed.
pub fn begins_corpus(start: &[u8]) -> bool {
    let is_json = |bytes: &[u8]| {
        let bytes = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes).trim_ascii_start();
        bytes.is_empty() || bytes.starts_with(b"{")
    };
    // Only the beginning is there: what can be unpacked of it is enough.
    let mut unpacked = Vec::new();
    match Format::of_bytes(start) {
        Format::Parquet => return true,
        Format::Jsonl(Compression::None) => return is_json(start) && !start.starts_with(b"{\\rtf"),
        Format::Jsonl(Compression::Gzip) => {
            let _ = flate2::read::MultiGzDecoder::new(start).take(256).read_to_end(&mut unpacked);
        }
        Format::Jsonl(Compression::Zstd) => {
            if let Ok(mut decoder) = zstd::Decoder::new(start) {
                // What needs more memory than this is refused when it is read.
                let _ = decoder.window_log_max(27);
                let _ = decoder.take(256).read_to_end(&mut unpacked);
            }
        }
    }
    is_json(&unpacked)
}

/// Whether a file's name says that it is a corpus.
pub fn is_corpus_name(path: &Path) -> bool {
    let name = path.file_name().map(|name| name.to_string_lossy().to_lowercase()).unwrap_or_default();
    let plain = name.strip_suffix(".gz").or_else(|| name.strip_suffix(".zst")).unwrap_or(&name);
    plain.rsplit_once('.').is_some_and(|(_, ending)| ENDINGS.contains(&ending))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn folders_globs_and_files_come_once_and_in_order() {
        let dir = tempfile::tempdir().unwrap();
        for name in ["b.jsonl", "a.jsonl.gz", "notes.txt", ".hidden.jsonl", "sub/c.parquet"] {
            let path = dir.path().join(name);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(path, "{}").unwrap();
        }
        let root = dir.path().to_str().unwrap().to_owned();
        let names = |arguments: &[String]| -> Vec<String> {
            let inputs = find(arguments, None).unwrap();
            inputs.iter().map(|input| input.name[root.len() + 1..].to_owned()).collect()
        };
        assert_eq!(names(std::slice::from_ref(&root)), ["a.jsonl.gz", "b.jsonl", "sub/c.parquet"]);
        let both = [format!("{root}/*.jsonl"), format!("{root}/b.jsonl")];
        assert_eq!(names(&both), ["b.jsonl"]);
        assert!(find(&[format!("{root}/none*.jsonl")], None).is_err());
        assert!(find(&[format!("{root}/missing.jsonl")], None).is_err());
    }

    #[test]
    fn the_content_tells_the_format() {
        assert_eq!(Format::of_bytes(b"PAR1...."), Format::Parquet);
        assert_eq!(Format::of_bytes(&[0x1f, 0x8b, 8]), Format::Jsonl(Compression::Gzip));
        assert_eq!(Format::of_bytes(b""), Format::Jsonl(Compression::None));
    }
}
