//! What was read from each file, kept so that an unchanged file is not read again.
//!
//! Two files that are only ever appended to: `documents` holds the documents of the files, `index`
//! says where those of each file are and which size and time the file had. A killed process leaves
//! at worst an incomplete end, which is ignored. When most of `documents` is out of date, both are
//! rewritten. When nothing more can be written, documents go to a temporary file instead: a full
//! disk costs the next scan some time, but not this one its result.

use std::collections::HashMap;
use std::fs::{self, File, OpenOptions};
use std::io::{BufRead, BufReader, Write};
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, OnceLock, PoisonError};

use lookalike_core::{Error, Result, hash};
use lookalike_extract::{ExtractOutcome, Reason};
use lookalike_plumbing::files::AtomicFile;
use lookalike_plumbing::lock::LockFile;
use serde::{Deserialize, Serialize};

use super::find::Found;

/// The stored data of one file.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Entry {
    pub id: String,
    pub bytes: u64,
    pub modified: u64,
    /// Where its documents are.
    pub extents: Vec<Extent>,
    pub documents: u64,
    /// What could not be read: the part, or `None` for the file itself, and the reason.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub unreadable: Vec<(Option<String>, Reason)>,
}

/// Consecutive whole documents, a JSON line each.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Extent {
    offset: u64,
    length: u64,
    checksum: u64,
    /// Whether it is in the temporary file.
    #[serde(skip)]
    spare: bool,
}

/// Where a document's line is among the extents of an entry.
#[derive(Clone, Copy, Debug)]
pub struct LinePlace {
    extent: u32,
    start: u32,
    length: u32,
}

/// Stores the documents of one file as they come: a mailbox may hold more than fits in memory.
pub struct Recording<'a> {
    store: &'a Store,
    entry: Entry,
    buffer: Vec<u8>,
}

/// An extent is written when it has this many bytes.
const EXTENT_BYTES: usize = 4 << 20;

impl Entry {
    /// How many bytes its documents have in the store.
    pub fn length(&self) -> u64 {
        self.extents.iter().map(|extent| extent.length).sum()
    }

    pub fn is_of(&self, file: &Found) -> bool {
        self.bytes == file.bytes && self.modified == file.modified
    }
}

pub struct Store {
    folder: PathBuf,
    data: File,
    end: Mutex<(u64, File)>,
    spare: OnceLock<OverflowFile>,
    pub entries: HashMap<String, Entry>,
    /// Held while the store is in use, so that two scans cannot share one.
    _lock: LockFile,
}

/// The file for documents when the store cannot be written any more.
struct OverflowFile {
    file: File,
    end: Mutex<u64>,
    /// The error of the store.
    reason: String,
}

impl Store {
    /// Opens or begins a store; `None` if another process is using it.
    pub fn open(folder: &Path) -> Result<Option<Store>> {
        fs::create_dir_all(folder).map_err(Error::io(folder))?;
        let Some(lock) = LockFile::try_take(&folder.join("lock"))? else { return Ok(None) };
        let open = |name: &str| {
            let path = folder.join(name);
            OpenOptions::new().read(true).append(true).create(true).open(&path).map_err(Error::io(path))
        };
        let (data, index) = (open("documents")?, open("index")?);
        let length = data.metadata().map_err(Error::io(folder))?.len();
        let entries = load(&index, &data, length).map_err(Error::io(folder))?;
        let mut store = Store {
            folder: folder.to_owned(),
            data,
            end: Mutex::new((length, index)),
            spare: OnceLock::new(),
            entries,
            _lock: lock,
        };
        // The store can still be used as it is; the disk may be full because of it.
        let _ = store.compact_if_stale();
        Ok(Some(store))
    }

    /// Why nothing more is stored, if that is so.
    pub fn failure(&self) -> Option<&str> {
        self.spare.get().map(|spare| spare.reason.as_str())
    }

    /// Stops storing documents.
    fn give_up(&self, error: &std::io::Error) -> Result<&OverflowFile> {
        if let Some(spare) = self.spare.get() {
            return Ok(spare);
        }
        let file = tempfile::tempfile().map_err(Error::io(std::env::temp_dir()))?;
        let reason = format!("{}: {error}", self.folder.display());
        Ok(self.spare.get_or_init(|| OverflowFile { file, end: Mutex::new(0), reason }))
    }

    /// Begins to store the documents of a file.
    pub fn record(&self, file: &Found) -> Recording<'_> {
        let entry = Entry {
            id: file.id.clone(),
            bytes: file.bytes,
            modified: file.modified,
            extents: Vec::new(),
            documents: 0,
            unreadable: Vec::new(),
        };
        Recording { store: self, entry, buffer: Vec::new() }
    }

    fn append(&self, bytes: &[u8]) -> Result<Extent> {
        let extent = |offset, spare| Extent {
            offset,
            length: bytes.len() as u64,
            checksum: hash::bytes(bytes),
            spare,
        };
        let mut end = self.end.lock().unwrap_or_else(PoisonError::into_inner);
        if self.spare.get().is_none() {
            match (&self.data).write_all(bytes) {
                Ok(()) => {
                    end.0 += bytes.len() as u64;
                    return Ok(extent(end.0 - bytes.len() as u64, false));
                }
                Err(error) => {
                    // What was written of it would only fill the disk.
                    let _ = self.data.set_len(end.0);
                    self.give_up(&error)?;
                }
            }
        }
        let Some(spare) = self.spare.get() else {
            return Err(Error::Internal("a store without a place to write to".to_owned()));
        };
        let mut end = spare.end.lock().unwrap_or_else(PoisonError::into_inner);
        spare.file.write_all_at(bytes, *end).map_err(Error::io(std::env::temp_dir()))?;
        *end += bytes.len() as u64;
        Ok(extent(*end - bytes.len() as u64, true))
    }

    fn append_entry(&self, entry: &Entry) -> Result<()> {
        let line = line_of(entry)?;
        let mut end = self.end.lock().unwrap_or_else(PoisonError::into_inner);
        if self.spare.get().is_none()
            && let Err(error) = end.1.write_all(&line)
        {
            self.give_up(&error)?;
        }
        Ok(())
    }

    /// Calls `visit` with each document of an entry, as a JSON line.
    pub fn for_each_line(
        &self,
        entry: &Entry,
        buffer: &mut Vec<u8>,
        mut visit: impl FnMut(LinePlace, &[u8]) -> Result<()>,
    ) -> Result<()> {
        for (extent, number) in entry.extents.iter().zip(0..) {
            self.read(extent, buffer)?;
            let mut start = 0;
            for line in buffer.split(|&byte| byte == b'\n') {
                if !line.is_empty() {
                    let place = LinePlace { extent: number, start: start as u32, length: line.len() as u32 };
                    visit(place, line)?;
                }
                start += line.len() + 1;
            }
        }
        Ok(())
    }

    /// Reads the line of one document again.
    pub fn read_line(&self, entry: &Entry, place: LinePlace, buffer: &mut Vec<u8>) -> Result<()> {
        let unknown = || Error::Internal(format!("{}: a place that is not in the store", entry.id));
        let extent = entry.extents.get(place.extent as usize).ok_or_else(unknown)?;
        let line = Extent {
            offset: extent.offset + u64::from(place.start),
            length: u64::from(place.length),
            ..extent.clone()
        };
        self.read(&line, buffer)
    }

    fn read(&self, extent: &Extent, buffer: &mut Vec<u8>) -> Result<()> {
        buffer.resize(extent.length as usize, 0);
        let spare = self.spare.get().filter(|_| extent.spare);
        spare
            .map_or(&self.data, |spare| &spare.file)
            .read_exact_at(buffer, extent.offset)
            .map_err(Error::io(&self.folder))
    }

    /// Rewrites both files if less than half of the data is in use.
    fn compact_if_stale(&mut self) -> Result<()> {
        let used: u64 = self.entries.values().map(Entry::length).sum();
        let held = self.end.get_mut().unwrap_or_else(PoisonError::into_inner).0;
        if held < 2 * used + (16 << 20) {
            return Ok(());
        }
        let path = |name: &str| self.folder.join(name);
        let create = |name: &str| AtomicFile::create(&path(name));
        let (mut data, mut index, mut end) = (create("documents")?, create("index")?, 0);
        let mut entries: Vec<Entry> = self.entries.values().cloned().collect();
        entries.sort_by_key(|entry| entry.extents.first().map_or(0, |extent| extent.offset));
        let mut buffer = Vec::new();
        let mut moved = HashMap::new();
        for mut entry in entries {
            for extent in &mut entry.extents {
                self.read(extent, &mut buffer)?;
                data.write(&buffer)?;
                extent.offset = end;
                end += extent.length;
            }
            index.write(&line_of(&entry)?)?;
            moved.insert(entry.id.clone(), entry);
        }
        // If the process is killed in between, the checksums no longer match and the files are read
        // again.
        data.finish()?;
        index.finish()?;
        let open = |name: &str| {
            OpenOptions::new().read(true).append(true).open(path(name)).map_err(Error::io(path(name)))
        };
        let (data, index) = (open("documents")?, open("index")?);
        (self.data, self.end, self.entries) = (data, Mutex::new((end, index)), moved);
        Ok(())
    }
}

impl Recording<'_> {
    /// Returns the number of bytes of the document.
    pub fn push(&mut self, outcome: &ExtractOutcome) -> Result<u64> {
        match outcome {
            ExtractOutcome::Unreadable { part, reason } => {
                self.entry.unreadable.push((part.clone(), reason.clone()));
                Ok(0)
            }
            ExtractOutcome::Document(document) => {
                let before = self.buffer.len();
                serde_json::to_writer(&mut self.buffer, document)
                    .map_err(|error| Error::Internal(format!("{}: {error}", self.entry.id)))?;
                self.buffer.push(b'\n');
                self.entry.documents += 1;
                let bytes = (self.buffer.len() - before) as u64;
                if self.buffer.len() >= EXTENT_BYTES {
                    self.flush()?;
                }
                Ok(bytes)
            }
        }
    }

    /// Completes the entry of the file.
    pub fn finish(mut self) -> Result<Entry> {
        self.flush()?;
        self.store.append_entry(&self.entry)?;
        Ok(self.entry)
    }

    fn flush(&mut self) -> Result<()> {
        if !self.buffer.is_empty() {
            self.entry.extents.push(self.store.append(&self.buffer)?);
            self.buffer.clear();
        }
        Ok(())
    }
}

fn line_of(entry: &Entry) -> Result<Vec<u8>> {
    let mut line = serde_json::to_vec(entry).map_err(|error| Error::Internal(error.to_string()))?;
    line.push(b'\n');
    Ok(line)
}

/// The last entry of each file whose documents are unchanged.
fn load(index: &File, data: &File, length: u64) -> std::io::Result<HashMap<String, Entry>> {
    let mut entries = HashMap::new();
    let (mut line, mut reader) = (Vec::new(), BufReader::new(index));
    let mut is_cut = false;
    while reader.read_until(b'\n', &mut line)? > 0 {
        if let Ok(entry) = serde_json::from_slice::<Entry>(&line) {
            entries.insert(entry.id.clone(), entry);
        }
        is_cut = !line.ends_with(b"\n");
        line.clear();
    }
    if is_cut {
        // A line that was cut by a kill is ended, so that the next one stands alone.
        let mut index = index;
        index.write_all(b"\n")?;
    }
    let mut buffer = Vec::new();
    let mut is_whole = |extent: &Extent| {
        if extent.offset.checked_add(extent.length).is_none_or(|end| end > length) {
            return false;
        }
        buffer.resize(extent.length as usize, 0);
        data.read_exact_at(&mut buffer, extent.offset).is_ok() && hash::bytes(&buffer) == extent.checksum
    };
    entries.retain(|_, entry: &mut Entry| entry.extents.iter().all(&mut is_whole));
    Ok(entries)
}

#[cfg(test)]
mod tests;
