//! The desktop's wastebasket, by the freedesktop.org trash specification 1.0.
//!
//! A trashed file stays on its file system: in the user's own wastebasket, or in one at the top of
//! the file system if that is another. The crates for this do not say where they put a file until
//! they have done so, so a log could not record it before; the part needed here is small.

use std::ffi::OsStr;
use std::fmt::Write;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use super::check::nearest_folder;
use super::disk;
use lookalike_io::names::name_of;

/// File names have at most 255 bytes; the ending, `.trashinfo` and the unique part must fit.
const LONGEST_STEM: usize = 150;

/// Where this user's wastebaskets are.
#[derive(Clone, Debug)]
pub(super) struct Wastebaskets {
    pub home: Option<PathBuf>,
    pub user: u32,
}

/// The names that a file gets in a wastebasket.
pub(super) struct Slot {
    pub file: PathBuf,
    pub info: PathBuf,
}

impl Wastebaskets {
    pub fn of_this_user() -> Self {
        let absolute =
            |name: &str| std::env::var_os(name).map(PathBuf::from).filter(|path| path.is_absolute());
        let data = absolute("XDG_DATA_HOME").or_else(|| Some(absolute("HOME")?.join(".local/share")));
        Wastebaskets { home: data.map(|data| data.join("Trash")), user: rustix::process::getuid().as_raw() }
    }

    /// The wastebasket for a file whose folder is on `device`. It may not exist yet.
    pub fn for_file(&self, at: &Path, device: u64) -> Result<PathBuf, String> {
        if let Some(home) = &self.home
            && device_of(nearest_folder(home)?) == Some(device)
        {
            return Ok(home.clone());
        }
        let folder = at.parent().ok_or("is not the path of a file")?;
        let top = folder.ancestors().take_while(|folder| device_of(folder) == Some(device)).last();
        let top = top.ok_or("the top of its file system is not known")?;
        self.at_the_top(top)
    }

    /// An administrator's `.Trash` is used if it exists and is safe, otherwise `.Trash-UID`.
    pub fn at_the_top(&self, top: &Path) -> Result<PathBuf, String> {
        let shared = top.join(".Trash");
        let safe = std::fs::symlink_metadata(&shared)
            .is_ok_and(|found| found.is_dir() && found.mode() & 0o1000 != 0);
        let own = match safe {
            true => shared.join(self.user.to_string()),
            false => top.join(format!(".Trash-{}", self.user)),
        };
        match std::fs::symlink_metadata(&own) {
            Ok(found) if found.is_dir() && found.uid() == self.user => Ok(own),
            Ok(_) => Err(format!("{} is not a wastebasket of this user", own.display())),
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(own),
            Err(error) => Err(format!("{}: {error}", own.display())),
        }
    }
}

/// Creates the wastebasket's folders if they do not exist.
pub(super) fn prepare(basket: &Path) -> Result<(), String> {
    ["files", "info"].iter().try_for_each(|folder| {
        let path = basket.join(folder);
        if path.is_dir() {
            return Ok(());
        }
        disk::make_private_folders(&path).map_err(|error| format!("{}: {error}", path.display()))
    })
}

/// Free names in the wastebasket. Many files of one name get `unique` ones, so that the thousandth
/// does not try all numbers before it.
pub(super) fn free_slot(basket: &Path, name: &OsStr, unique: &str) -> Result<Slot, String> {
    // A name in the wastebasket need not be the file's own; undo and desktops use the recorded
    // path.
    let name = name_of(Path::new(name));
    let (stem, ending) = match name.rsplit_once('.') {
        Some((stem, ending)) if !stem.is_empty() && ending.len() < 20 => (stem, format!(".{ending}")),
        _ => (name.as_str(), String::new()),
    };
    let stem = stem.get(..stem.floor_char_boundary(LONGEST_STEM)).unwrap_or_default();
    let numbered = (2..20).map(|number| format!("{stem}.{number}{ending}"));
    let names = std::iter::once(format!("{stem}{ending}")).chain(numbered);
    let slots = names.chain([format!("{stem}{unique}{ending}")]).map(|name| Slot {
        file: basket.join("files").join(&name),
        info: basket.join("info").join(format!("{name}.trashinfo")),
    });
    let free = |path: &Path| std::fs::symlink_metadata(path).is_err();
    let mut slots = slots.filter(|slot| free(&slot.file) && free(&slot.info));
    slots.next().ok_or_else(|| "no name is free in the wastebasket".to_owned())
}

/// The information from which desktops restore the file. Below the top of another file system, paths
/// are relative to that, so that they are valid wherever it is mounted.
pub(super) fn about(at: &Path, basket: &Path, deleted: &jiff::Zoned) -> String {
    let top = match basket.parent() {
        _ if basket.ends_with("Trash") => None,
        Some(shared) if shared.ends_with(".Trash") => shared.parent(),
        top => top,
    };
    let path = top.and_then(|top| at.strip_prefix(top).ok()).unwrap_or(at);
    let mut text = "[Trash Info]\nPath=".to_owned();
    for &byte in path.as_os_str().as_bytes() {
        match byte {
            b'/' | b'-' | b'_' | b'.' | b'~' => text.push(char::from(byte)),
            byte if byte.is_ascii_alphanumeric() => text.push(char::from(byte)),
            byte => write!(text, "%{byte:02X}").unwrap_or_default(),
        }
    }
    let date = deleted.strftime("%Y-%m-%dT%H:%M:%S");
    write!(text, "\nDeletionDate={date}\n").unwrap_or_default();
    text
}

fn device_of(folder: &Path) -> Option<u64> {
    std::fs::metadata(folder).ok().map(|metadata| metadata.dev())
}
