//! Which files a person means by a path: a file, or all documents in a folder.

use std::collections::HashSet;
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::time::UNIX_EPOCH;

use ignore::WalkBuilder;
use lookalike_core::{Error, Result};
use lookalike_extract::Reason;

/// Where to look, and what to leave out.
#[derive(Clone, Debug, Default)]
pub struct Sources {
    pub paths: Vec<PathBuf>,
    /// Also files and folders whose names begin with a dot.
    pub hidden: bool,
    /// Also what `.gitignore`, `.ignore` and their like exclude.
    pub no_ignore: bool,
    /// Also what symbolic links lead to.
    pub follow: bool,
    /// Files that are ours and no documents: reports, caches.
    pub exclude: Vec<PathBuf>,
}

/// A file to read.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Found {
    /// The path as a person gave it, with bytes that are no UTF-8 spelled out.
    pub id: String,
    pub path: PathBuf,
    pub bytes: u64,
    /// Nanoseconds since 1970.
    pub modified: u64,
    /// The file behind the name: two hard links are one.
    pub inode: Inode,
}

/// What a name of a file stands for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Inode {
    pub device: u64,
    pub number: u64,
    /// Names that the file has, wherever they are.
    pub names: u64,
}

/// What could not be read, and why.
pub type Unread = Vec<(String, Reason)>;

/// All files, by name, each once, and what could not be looked into.
pub fn find(sources: &Sources) -> Result<(Vec<Found>, Unread)> {
    let exclude: HashSet<PathBuf> =
        sources.exclude.iter().filter_map(|path| path.canonicalize().ok()).collect();
    // Below one folder, no two paths lead to one file unless links are followed.
    let paths_meet = sources.follow || sources.paths.len() > 1;
    let (mut found, mut unreadable) = (Vec::new(), Vec::new());
    let mut seen = HashSet::new();
    for path in &sources.paths {
        // What a person names is read, whatever its name; a folder is searched by the usual rules.
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
                    // One file by two paths is one file; two names for one content are two.
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

/// Nanoseconds since 1970; 0 for times before.
pub fn modified(metadata: &std::fs::Metadata) -> u64 {
    let since = metadata.modified().ok().and_then(|time| time.duration_since(UNIX_EPOCH).ok());
    since.map_or(0, |elapsed| elapsed.as_nanos() as u64)
}

/// A path as text: bytes that are no UTF-8 appear as `\xNN`, and so does a backslash where it would be taken
/// for the beginning of such a byte. [`path_of`] leads back.
pub fn name_of(path: &Path) -> String {
    let mut name = String::new();
    for chunk in path.as_os_str().as_bytes().utf8_chunks() {
        let mut rest = chunk.valid();
        while let Some(at) = rest.find('\\') {
            name.push_str(&rest[..at]);
            name.push_str(if spelled_byte(&rest[at..]).is_some() { "\\x5c" } else { "\\" });
            rest = &rest[at + 1..];
        }
        name.push_str(rest);
        chunk.invalid().iter().for_each(|byte| name += &format!("\\x{byte:02x}"));
    }
    name
}

/// The path that [`name_of`] spelled.
pub fn path_of(name: &str) -> PathBuf {
    let mut bytes = Vec::with_capacity(name.len());
    let mut rest = name;
    while let Some(at) = rest.find('\\') {
        bytes.extend_from_slice(&rest.as_bytes()[..at]);
        match spelled_byte(&rest[at..]) {
            Some(byte) => {
                bytes.push(byte);
                rest = &rest[at + 4..];
            }
            None => {
                bytes.push(b'\\');
                rest = &rest[at + 1..];
            }
        }
    }
    bytes.extend_from_slice(rest.as_bytes());
    PathBuf::from(std::ffi::OsString::from_vec(bytes))
}

/// The byte that `\xNN` at the beginning of a text stands for.
fn spelled_byte(text: &str) -> Option<u8> {
    let digits = text.strip_prefix("\\x")?.get(..2)?;
    let is_spelled = digits.bytes().all(|digit| matches!(digit, b'0'..=b'9' | b'a'..=b'f'));
    u8::from_str_radix(digits, 16).ok().filter(|_| is_spelled)
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

/// The error without the path, which stands before it anyway.
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
    fn odd_names_stay_apart() {
        use std::ffi::OsStr;
        let name = |bytes: &[u8]| name_of(Path::new(OsStr::from_bytes(bytes)));
        assert_eq!(name(b"a\xff.txt"), "a\\xff.txt");
        assert_ne!(name(b"a\xfe.txt"), name(b"a\xff.txt"));
        for bytes in [
            &b"a\xff.txt"[..],
            b"a\\xff.txt",
            b"a\\\xff\\x5c\\",
            b"\\x",
            b"\\xFF",
            b"\xe2\x82.x\\x0",
            "tür\\xäö".as_bytes(),
        ] {
            let path = Path::new(OsStr::from_bytes(bytes));
            assert_eq!(path_of(&name_of(path)), path, "{}", name_of(path));
        }
        assert_ne!(name(b"a\xff.txt"), name(b"a\\xff.txt"));
        assert!(find(&Sources { paths: vec!["no/such/place".into()], ..Sources::default() }).is_err());
    }
}
