//! The files that a path stands for: one file, or all documents in a folder.

use std::collections::HashSet;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::time::UNIX_EPOCH;

use ignore::WalkBuilder;
use lookalike_core::{Error, Result};
use lookalike_extract::Reason;
use lookalike_io::names::name_of;

/// Where to look, and what to leave out.
#[derive(Clone, Debug, Default)]
pub struct Sources {
    /// Files and folders.
    pub paths: Vec<PathBuf>,
    /// Also files and folders whose names begin with a dot.
    pub hidden: bool,
    /// Also what `.gitignore`, `.ignore` and their like exclude.
    pub no_ignore: bool,
    /// Follow symbolic links.
    pub follow: bool,
    /// Files of our own that are no documents: reports, caches.
    pub exclude: Vec<PathBuf>,
}

/// A file to read.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Found {
    /// The path as it was given, with bytes that are no UTF-8 spelled out.
    pub id: String,
    /// Where it is.
    pub path: PathBuf,
    /// Its length.
    pub bytes: u64,
    /// Nanoseconds since 1970.
    pub modified: u64,
    /// The file behind the name: two hard links have the same.
    pub inode: Inode,
}

/// Identifies the file behind a name.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Inode {
    /// The file system.
    pub device: u64,
    /// The file within it.
    pub number: u64,
    /// How many names the file has, wherever they are.
    pub names: u64,
}

/// What could not be read, and why.
pub type Unread = Vec<(String, Reason)>;

/// All files, by name, each once, and what could not be opened.
pub fn find(sources: &Sources) -> Result<(Vec<Found>, Unread)> {
    let exclude: HashSet<PathBuf> =
        sources.exclude.iter().filter_map(|path| path.canonicalize().ok()).collect();
    // Within one folder, no two paths lead to the same file unless links are followed.
    let paths_meet = sources.follow || sources.paths.len() > 1;
    let (mut found, mut unreadable) = (Vec::new(), Vec::new());
    let mut seen = HashSet::new();
    for path in &sources.paths {
        // A file that is named is read, whatever its name; a folder is searched by the usual rules.
        std::fs::metadata(path).map_err(Error::io(path))?;
        let mut walk = WalkBuilder::new(path);
        walk.hidden(!sources.hidden)
            .follow_links(sources.follow)
            .ignore(!sources.no_ignore)
            .git_ignore(!sources.no_ignore)
            .git_global(!sources.no_ignore)
            .git_exclude(!sources.no_ignore)
            .parents(!sources.no_ignore);
        for entry in walk.build() {
            let entry = match entry {
                Ok(entry) => entry,
                Err(error) => {
                    unreadable.push(describe(&error, path));
                    continue;
                }
            };
            let is_argument = entry.depth() == 0;
            let file_type = entry.file_type();
            let is_file = file_type.is_some_and(|kind| kind.is_file())
                || (is_argument && std::fs::metadata(entry.path()).is_ok_and(|metadata| metadata.is_file()));
            if !is_file {
                continue;
            }
            match std::fs::metadata(entry.path()) {
                Err(error) => unreadable.push((name_of(entry.path()), Reason::Io(error.to_string()))),
                Ok(metadata) => {
                    // Two paths to one file are one file; two names with equal content are two.
                    let whole = || entry.path().canonicalize().unwrap_or_else(|_| entry.path().to_owned());
                    let is_ours = !exclude.is_empty() && exclude.contains(&whole());
                    if !is_ours && (!paths_meet || seen.insert(whole())) {
                        found.push(Found {
                            id: name_of(entry.path()),
                            path: entry.path().to_owned(),
                            bytes: metadata.size(),
                            modified: modified(&metadata),
                            inode: Inode {
                                device: metadata.dev(),
                                number: metadata.ino(),
                                names: metadata.nlink(),
                            },
                        });
                    }
                }
            }
        }
    }
    found.sort_by(|a, b| a.id.cmp(&b.id));
    unreadable.sort_by(|a, b| a.0.cmp(&b.0));
    Ok((found, unreadable))
}

/// Nanoseconds since 1970; 0 for earlier times.
pub fn modified(metadata: &std::fs::Metadata) -> u64 {
    let since = metadata.modified().ok().and_then(|time| time.duration_since(UNIX_EPOCH).ok());
    since.map_or(0, |elapsed| elapsed.as_nanos() as u64)
}

fn describe(error: &ignore::Error, root: &Path) -> (String, Reason) {
    match error {
        ignore::Error::WithPath { path, err } => (name_of(path), Reason::Io(plain(err))),
        ignore::Error::WithDepth { err, .. } => describe(err, root),
        ignore::Error::Loop { child, .. } => {
            (name_of(child), Reason::Io("a link that leads back to a folder it lies in".to_owned()))
        }
        other => (name_of(root), Reason::Io(other.to_string())),
    }
}

/// The error without the path, which precedes it anyway.
fn plain(error: &ignore::Error) -> String {
    match error {
        ignore::Error::Io(error) => error.to_string(),
        other => other.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    fn names(sources: &Sources, root: &Path) -> Vec<String> {
        let (found, unreadable) = find(sources).unwrap();
        assert_eq!(unreadable, []);
        let root = format!("{}/", root.display());
        found.into_iter().map(|file| file.id.replace(&root, "")).collect()
    }

    #[test]
    fn the_usual_rules_decide_what_is_looked_at() {
        let dir = tempfile::tempdir().unwrap();
        let root = dir.path();
        for name in ["b.txt", "a/deep/c.txt", ".hidden.txt", "skip.log", ".git/HEAD", ".gitignore"] {
            let path = root.join(name);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, "*.log\n").unwrap();
        }
        std::os::unix::fs::symlink(root, root.join("a/loop")).unwrap();
        std::os::unix::fs::symlink(root.join("b.txt"), root.join("link.txt")).unwrap();
        let sources = Sources { paths: vec![root.to_owned()], ..Sources::default() };
        assert_eq!(names(&sources, root), ["a/deep/c.txt", "b.txt"]);
        let hidden = Sources { hidden: true, ..sources.clone() };
        assert_eq!(names(&hidden, root), [".git/HEAD", ".gitignore", ".hidden.txt", "a/deep/c.txt", "b.txt"]);
        let all = Sources { no_ignore: true, ..sources.clone() };
        assert_eq!(names(&all, root), ["a/deep/c.txt", "b.txt", "skip.log"]);
        let named =
            Sources { paths: vec![root.join(".hidden.txt"), root.join("link.txt")], ..sources.clone() };
        assert_eq!(names(&named, root), [".hidden.txt", "link.txt"]);
        let (found, loops) = find(&Sources { follow: true, ..sources.clone() }).unwrap();
        assert_eq!(found.len(), 2, "a file and the link to it are one");
        assert!(loops[0].1.to_string().contains("leads back"), "{loops:?}");
        let twice = Sources { paths: vec![root.to_owned(), root.join("b.txt")], ..sources };
        assert_eq!(names(&twice, root).len(), 2);
    }

    #[test]
    fn a_place_that_is_not_there_is_an_error() {
        assert!(find(&Sources { paths: vec!["no/such/place".into()], ..Sources::default() }).is_err());
    }
}
