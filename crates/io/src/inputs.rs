//! The files that a run reads, and their formats.

mod objects;

use std::collections::HashSet;
use std::fs::File;
use std::io::BufReader;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use lookalike_core::{Error, Result};

use crate::folders::FolderFields;
use crate::format::{Format, Names, TABLES, begins_corpus, ending_of};
use crate::place::Place;
use crate::remote::{Object, Stores, is_address};

/// One file to read.
#[derive(Clone, Debug)]
pub struct Input {
    /// Its name in messages and outputs.
    pub name: String,
    /// Where it is.
    pub place: Place,
    /// What it is.
    pub format: Format,
    /// Its length.
    pub bytes: u64,
    /// Nanoseconds since 1970, or what a store calls the state of an object; shows whether a file has changed.
    pub modified: u128,
    /// Fields of all its documents, which the folders around it name.
    pub folders: FolderFields,
}

impl Input {
    /// Opens a file and recognises its format.
    pub fn open(path: &Path, name: &str) -> Result<Input> {
        Input::open_as(path, name, Names::of(path))
    }

    /// Whether any of its documents can be read again by its offset. Those of compressed files, tables, columns and
    /// objects in stores cannot: all before them must be read, too.
    pub fn is_in_place(&self) -> bool {
        self.format == Format::PLAIN && self.place.path().is_some()
    }

    /// The copy of standard input, whose name says nothing about its format.
    pub fn open_stdin(path: &Path) -> Result<Input> {
        Input::open_as(path, "<stdin>", Names::None)
    }

    fn open_as(path: &Path, name: &str, names: Names) -> Result<Input> {
        let metadata = std::fs::metadata(path).map_err(Error::io(name))?;
        if metadata.is_dir() {
            return Err(Error::config(format!("{name} is a folder, a file is needed")));
        }
        if !metadata.is_file() {
            return Err(Error::config(format!(
                "{name} is a pipe or a device, which cannot be read again; write it into `-`, standard input"
            )));
        }
        let file = File::open(path).map_err(Error::io(name))?;
        let format =
            Format::of(BufReader::new(file), names).map_err(|what| Error::Input(format!("{name} {what}")))?;
        Ok(Input {
            name: name.to_owned(),
            place: Place::Disk(path.to_owned()),
            format,
            bytes: metadata.len(),
            modified: modified_nanos(&metadata),
            folders: FolderFields::of(Path::new(name)),
        })
    }

    /// An object in a store, whose format is recognised as that of a file is.
    fn open_object(object: Arc<Object>) -> Result<Input> {
        let (name, place) = (object.name().to_owned(), Place::Object(object.clone()));
        let reader = place.in_order().map_err(Error::io(&name))?;
        let format = Format::of(reader, Names::of(Path::new(object.file_name())));
        let format = place.checked(format.map_err(|what| Error::Input(format!("{name} {what}"))))?;
        let folders = FolderFields::of(Path::new(&name));
        Ok(Input { format, bytes: object.bytes(), modified: object.stamp(), folders, name, place })
    }

    /// Fails if the file has changed since the run began.
    pub fn check_unchanged(&self) -> Result<()> {
        let path = match &self.place {
            Place::Disk(path) => path,
            Place::Object(object) => return object.check_unchanged(),
        };
        let metadata = std::fs::metadata(path).map_err(Error::io(&self.name))?;
        if metadata.len() == self.bytes && modified_nanos(&metadata) == self.modified {
            return Ok(());
        }
        Err(Error::Incompatible(format!(
            "{} changed while it was being read; run again when it is complete",
            self.name
        )))
    }
}

/// Fails if any of these files has changed since the run began. Stores take their time to answer, so several are asked at
/// once.
pub fn check_unchanged(inputs: &[Input]) -> Result<()> {
    let (here, there): (Vec<&Input>, Vec<&Input>) =
        inputs.iter().partition(|input| input.place.path().is_some());
    here.into_iter().try_for_each(Input::check_unchanged)?;
    objects::check_unchanged(there)
}

fn modified_nanos(metadata: &std::fs::Metadata) -> u128 {
    let modified = metadata.modified().ok();
    modified
        .and_then(|time| time.duration_since(std::time::UNIX_EPOCH).ok())
        .map_or(0, |elapsed| elapsed.as_nanos())
}

const RUN_FILES: [&str; 6] =
    ["removed.jsonl", "clusters.jsonl", "pairs.jsonl", "rejected.jsonl", "report.json", "report.html"];
/// The endings of corpora; those of [`TABLES`] are, too, unless they are documents among others.
const ENDINGS: [&str; 10] =
    ["jsonl", "ndjson", "jsonlines", "json", "parquet", "arrow", "arrows", "ipc", "feather", "wet"];
/// What the library `datasets` writes beside the data, about it.
const ABOUT_DATA: [&str; 3] = ["dataset_info.json", "dataset_infos.json", "dataset_dict.json"];

/// Turns files, folders (searched for corpus files), glob patterns and addresses of all these in object
/// stores into a list of files, each once, in the order given and by name within a folder or pattern. `-` is not
/// handled here. `output`, if it is inside a folder, is left out.
pub fn find(arguments: &[String], output: Option<&Path>) -> Result<Vec<Input>> {
    let (folder, address) = (output.and_then(|output| output.canonicalize().ok()), output);
    let mut inputs: Vec<Input> = Vec::new();
    let mut seen = HashSet::new();
    let mut stores = Stores::new();
    for argument in arguments {
        if is_address(argument) {
            let found = objects::open(argument, address, &mut stores)?;
            inputs.extend(found.into_iter().filter(|input| seen.insert(input.place.identity())));
            continue;
        }
        let path = Path::new(argument);
        let found = if path.is_dir() {
            let found = walk(path, folder.as_deref())?.corpora;
            if found.is_empty() {
                return Err(no_corpora(argument));
            }
            found
        } else if path.exists() || !argument.contains(['*', '?', '[']) {
            vec![path.to_owned()]
        } else {
            expand(argument)?
        };
        for path in found {
            // A file with two names is read once.
            let whole = path.canonicalize().unwrap_or_else(|_| path.clone());
            if seen.insert(whole) {
                inputs.push(Input::open(&path, &path.to_string_lossy())?);
            }
        }
    }
    Ok(inputs)
}

fn no_corpora(argument: &str) -> Error {
    Error::config(format!(
        "{argument} holds no corpus files (.{}, .{}, plain, .gz, .zst, .xz, .bz2 or .lz4)",
        ENDINGS.join(", ."),
        TABLES.join(", .")
    ))
}

/// What [`find`] leaves out of the folders among the arguments: files that are no corpora, and linked
/// folders. Hidden files and the evidence of an earlier run are not listed.
pub fn passed_over(arguments: &[String], output: Option<&Path>) -> Result<Vec<PathBuf>> {
    let (folder, address) = (output.and_then(|output| output.canonicalize().ok()), output);
    let mut all = Vec::new();
    let mut stores = Stores::new();
    for argument in arguments {
        let path = Path::new(argument);
        if path.is_dir() {
            all.append(&mut walk(path, folder.as_deref())?.others);
        } else if is_address(argument) {
            all.extend(objects::passed_over(argument, address, &mut stores)?.into_iter().map(PathBuf::from));
        }
    }
    Ok(all)
}

/// The files that match a pattern; there must be at least one.
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

/// The content of a folder and its subfolders, by name.
#[derive(Default)]
struct FolderContents {
    corpora: Vec<PathBuf>,
    others: Vec<PathBuf>,
}

fn walk(folder: &Path, output: Option<&Path>) -> Result<FolderContents> {
    let mut walked = FolderContents::default();
    walk_into(folder, output, &mut walked)?;
    Ok(walked)
}

fn walk_into(folder: &Path, output: Option<&Path>, walked: &mut FolderContents) -> Result<()> {
    let entries = std::fs::read_dir(folder).map_err(Error::io(folder))?;
    let mut paths: Vec<PathBuf> = entries
        .map(|entry| entry.map(|entry| entry.path()))
        .collect::<std::io::Result<_>>()
        .map_err(Error::io(folder))?;
    paths.sort();
    // Of the folder of an earlier run, only the kept documents are taken; its evidence is no
    // corpus.
    let is_run = paths.iter().any(|path| path.ends_with("report.json"));
    paths.retain(|path| !(is_run && RUN_FILES.iter().any(|name| path.ends_with(name))));
    let is_saved = paths.iter().any(|path| path.ends_with(ABOUT_DATA[0]));
    paths.retain(|path| !is_about_data(path, is_saved));
    for path in paths {
        let hidden = path.file_name().is_some_and(|name| name.to_string_lossy().starts_with('.'));
        let is_link = path.symlink_metadata().is_ok_and(|metadata| metadata.is_symlink());
        if hidden {
            continue;
        }
        // A linked folder is left out: it may lead back here.
        if path.is_dir() {
            let is_output = output.is_some_and(|output| path.canonicalize().is_ok_and(|path| path == output));
            match (is_link, is_output) {
                (false, false) => walk_into(&path, output, walked)?,
                (true, false) => walked.others.push(path),
                (_, true) => {}
            }
        } else if is_corpus_name(&path) {
            walked.corpora.push(path);
        } else {
            walked.others.push(path);
        }
    }
    Ok(())
}

/// Whether a file is about the data beside it. `is_saved`: the folder is one that a dataset was saved to, which also has
/// its state, and what was computed from it.
fn is_about_data(path: &Path, is_saved: bool) -> bool {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    let is_state = name == "state.json" || (name.starts_with("cache-") && name.ends_with(".arrow"));
    ABOUT_DATA.contains(&&*name) || (is_saved && is_state)
}

/// Whether a folder is one of corpora: it has such files, at any depth. Tables alone make it one if there is
/// nothing else, or if one of them has the text field: among letters and slides, a table is a document.
pub fn holds_corpus(folder: &Path, has_text: impl Fn(&Input) -> bool) -> Result<bool> {
    let FolderContents { corpora, others } = walk(folder, None)?;
    if others.is_empty() || corpora.iter().any(|path| !is_table_name(path)) {
        return Ok(!corpora.is_empty());
    }
    let mut tables = corpora.iter().filter_map(|path| Input::open(path, &path.to_string_lossy()).ok());
    Ok(tables.any(|table| has_text(&table)))
}

/// Whether a file is a corpus, by its name, or by its decompressed beginning.
pub fn is_corpus(path: &Path) -> Result<bool> {
    if is_corpus_name(path) {
        return Ok(true);
    }
    // A notebook is JSON, but one document.
    if ending_of(path).as_deref() == Some("ipynb") {
        return Ok(false);
    }
    let file = File::open(path).map_err(Error::io(path))?;
    Ok(begins_corpus(BufReader::new(file)))
}

/// Whether a file's name says that it is a corpus.
pub fn is_corpus_name(path: &Path) -> bool {
    is_table_name(path) || ending_of(path).is_some_and(|ending| ENDINGS.contains(&ending.as_str()))
}

/// Whether a file's name says that it is a table of text.
pub fn is_table_name(path: &Path) -> bool {
    Names::of(path) == Names::Table
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
    fn what_is_passed_over_is_known() {
        let dir = tempfile::tempdir().unwrap();
        for name in
            ["a.jsonl", "a.pdf", ".hidden", "sub/b.txt", "run/kept.csv", "run/report.json", "run/report.html"]
        {
            let path = dir.path().join(name);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(path, "{}").unwrap();
        }
        std::os::unix::fs::symlink(dir.path(), dir.path().join("loop")).unwrap();
        let root = dir.path().to_str().unwrap().to_owned();
        let passed = passed_over(std::slice::from_ref(&root), None).unwrap();
        let passed: Vec<&str> = passed.iter().map(|path| &path.to_str().unwrap()[root.len() + 1..]).collect();
        assert_eq!(passed, ["a.pdf", "loop", "sub/b.txt"]);
        assert_eq!(find(&[root], None).unwrap().len(), 2);
    }

    #[test]
    fn what_a_library_notes_about_data_is_no_corpus() {
        let dir = tempfile::tempdir().unwrap();
        for name in [
            "dataset_dict.json",
            "train/dataset_info.json",
            "train/state.json",
            "train/cache-1f2e.arrow",
            "train/data-00000-of-00001.arrow",
            "own/state.json",
            "own/cache-1.arrow",
        ] {
            let path = dir.path().join(name);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(path, "{}").unwrap();
        }
        let root = dir.path().to_str().unwrap().to_owned();
        let found = find(std::slice::from_ref(&root), None).unwrap();
        let found: Vec<&str> = found.iter().map(|input| &input.name[root.len() + 1..]).collect();
        assert_eq!(found, ["own/cache-1.arrow", "own/state.json", "train/data-00000-of-00001.arrow"]);
        assert_eq!(passed_over(&[root], None).unwrap(), [] as [PathBuf; 0]);
    }

    #[test]
    fn tables_among_documents_are_documents_unless_they_have_the_text() {
        let dir = tempfile::tempdir().unwrap();
        std::fs::write(dir.path().join("prices.csv"), "item,price\nnail,1\n").unwrap();
        assert!(holds_corpus(dir.path(), |_| false).unwrap(), "nothing but tables");
        std::fs::write(dir.path().join("letter.txt"), "Dear").unwrap();
        assert!(!holds_corpus(dir.path(), |_| false).unwrap());
        assert!(holds_corpus(dir.path(), |_| true).unwrap());
        std::fs::write(dir.path().join("a.jsonl.xz"), "").unwrap();
        assert!(holds_corpus(dir.path(), |_| false).unwrap());
    }

    #[test]
    fn a_pipe_is_refused() {
        let path = "/dev/null";
        assert!(Input::open(Path::new(path), path).unwrap_err().to_string().contains("pipe or a device"));
    }
}
