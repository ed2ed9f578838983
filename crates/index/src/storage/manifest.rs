//! Which files make up a store. The manifest is replaced as a whole, so a crash leaves the old or the new one.

use std::collections::BTreeSet;
use std::path::Path;

use lookalike_core::{Error, Result};
use serde::{Deserialize, Serialize};

use crate::storage::state::Layout;
use crate::storage::texts::End;
use lookalike_plumbing::files::name_of_partial;
use lookalike_plumbing::json::{read_json, write_json};

pub const NAME: &str = "manifest.json";
/// Format 2 also records crowds, and the labels of decided documents; format 3 the marks of versions; in
/// format 4 the arrays of a snapshot are used where they lie.
pub const FORMAT: u32 = 4;
const WITH_CROWDS: u32 = 2;
const OLDEST: u32 = 1;

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Manifest {
    pub format: u32,
    /// The scheme that made the keys and signatures.
    pub scheme: String,
    pub layout: Layout,
    /// Numbers new files, so that no name is used twice.
    pub next_file: u64,
    pub snapshot: Option<String>,
    pub journal: String,
    /// The oldest first.
    pub runs: Vec<String>,
    /// Contents below this number have their keys in runs.
    pub keyed: u32,
    /// How many frames were written before this journal: acknowledgements count from there.
    pub frames: u64,
    /// Where the texts ended when the snapshot was written.
    pub texts: (u32, u64),
}

impl Manifest {
    pub fn new(scheme: &str, layout: Layout) -> Manifest {
        Manifest {
            format: FORMAT,
            scheme: scheme.to_owned(),
            layout,
            next_file: 1,
            snapshot: None,
            journal: "journal-0".to_owned(),
            runs: Vec::new(),
            keyed: 0,
            frames: 0,
            texts: (0, 0),
        }
    }

    /// Whether the snapshot and the journal record crowds.
    pub fn knows_crowds(&self) -> bool {
        self.format >= WITH_CROWDS
    }

    /// Sets the format to that of this program, after a snapshot has been written.
    pub fn renew(&mut self) {
        self.format = FORMAT;
    }

    pub fn name(&mut self, kind: &str) -> String {
        self.next_file += 1;
        format!("{kind}-{}", self.next_file - 1)
    }

    pub fn end(&self) -> End {
        End { segment: self.texts.0, offset: self.texts.1 }
    }

    pub fn read(folder: &Path) -> Result<Manifest> {
        let path = folder.join(NAME);
        let manifest: Manifest = read_json(&path)?;
        if !(OLDEST..=FORMAT).contains(&manifest.format) {
            return Err(Error::Incompatible(format!(
                "{} has format {}, this program reads formats {OLDEST} to {FORMAT}",
                path.display(),
                manifest.format
            )));
        }
        Ok(manifest)
    }

    pub fn write(&self, folder: &Path) -> Result<()> {
        write_json(&folder.join(NAME), self)
    }

    /// Removes files that an interrupted change left behind.
    pub fn clean(&self, folder: &Path) -> Result<()> {
        let mut named: BTreeSet<&str> = self.runs.iter().map(String::as_str).collect();
        named.extend([NAME, self.journal.as_str()]);
        named.extend(self.snapshot.as_deref());
        for entry in std::fs::read_dir(folder).map_err(Error::io(folder))? {
            let entry = entry.map_err(Error::io(folder))?;
            let name = entry.file_name();
            let ours = |name: &str| ["journal-", "run-", "state-"].iter().any(|kind| name.starts_with(kind));
            let whole = |name: &str| ours(name_of_partial(name).unwrap_or(name));
            if name.to_str().is_some_and(|name| whole(name) && !named.contains(name)) {
                std::fs::remove_file(entry.path()).map_err(Error::io(entry.path()))?;
            }
        }
        Ok(())
    }
}
