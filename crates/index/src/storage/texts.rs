//! The lines of documents, end to end in append-only segments.
//!
//! A line is written once and stays where it is until `compact` copies the living ones. Each has a checksum, so
//! that damage is reported and damaged text is never compared.

use std::collections::BTreeMap;
use std::fs::{File, OpenOptions};
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};
use std::sync::{Arc, PoisonError, RwLock};

use lookalike_core::{Error, Result, hash};

use crate::storage::limits::IndexLimits;
use lookalike_plumbing::files::sync_folder;

/// The checksum before each line.
pub const HEADER: u64 = 8;

/// Where a line is.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Place {
    pub segment: u32,
    /// Where its checksum starts; the line follows.
    pub offset: u32,
    pub length: u32,
}

impl Place {
    /// Where the line ends.
    pub fn end(self) -> u64 {
        u64::from(self.offset) + HEADER + u64::from(self.length)
    }
}

pub struct Texts {
    folder: Arc<Path>,
    /// A segment is closed when it has this many bytes.
    segment_bytes: u64,
    segments: RwLock<BTreeMap<u32, Arc<File>>>,
}

/// The end of the last segment: where the next line goes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct End {
    pub segment: u32,
    pub offset: u64,
}

impl Texts {
    pub fn create(folder: &Path, limits: IndexLimits) -> Result<Texts> {
        std::fs::create_dir_all(folder).map_err(Error::io(folder))?;
        Texts::open(folder, limits)
    }

    pub fn open(folder: &Path, limits: IndexLimits) -> Result<Texts> {
        let mut segments = BTreeMap::new();
        for entry in std::fs::read_dir(folder).map_err(Error::io(folder))? {
            let name = entry.map_err(Error::io(folder))?.file_name();
            let number = name.to_str().and_then(|name| name.parse().ok());
            if let Some(number) = number.filter(|&number| name == name_of(number).as_str()) {
                segments.insert(number, Arc::new(open_segment(folder, number)?));
            }
        }
        let segments = RwLock::new(segments);
        Ok(Texts { folder: folder.into(), segment_bytes: limits.segment_bytes, segments })
    }

    /// Where the last segment ends, by the size of its file.
    pub fn end(&self) -> Result<End> {
        let segments = self.segments.read().unwrap_or_else(PoisonError::into_inner);
        let Some((&segment, file)) = segments.last_key_value() else { return Ok(End::default()) };
        Ok(End { segment, offset: size_of(file, &self.path(segment))? })
    }

    /// Writes lines at `end`, and moves it. Nothing is synced.
    pub fn write(&self, end: &mut End, lines: &[&[u8]]) -> Result<Vec<Place>> {
        let mut next = *end;
        let mut places = Vec::with_capacity(lines.len());
        let mut buffer = Vec::new();
        let mut from = next;
        for line in lines {
            let length = u32::try_from(line.len())
                .map_err(|_| Error::input("a document of 4 GiB or more cannot be stored"))?;
            if next.offset > 0 && next.offset + HEADER + u64::from(length) > self.segment_bytes {
                self.flush(from, &mut buffer)?;
                next = End { segment: next.segment + 1, offset: 0 };
                from = next;
            }
            places.push(Place { segment: next.segment, offset: next.offset as u32, length });
            buffer.extend_from_slice(&hash::bytes(line).to_le_bytes());
            buffer.extend_from_slice(line);
            next.offset += HEADER + u64::from(length);
        }
        self.flush(from, &mut buffer)?;
        *end = next;
        Ok(places)
    }

    fn flush(&self, from: End, buffer: &mut Vec<u8>) -> Result<()> {
        if !buffer.is_empty() {
            let path = self.path(from.segment);
            self.segment_or_new(from.segment)?.write_all_at(buffer, from.offset).map_err(Error::io(path))?;
            buffer.clear();
        }
        Ok(())
    }

    /// Cuts off what was written past the end and never became part of the index.
    pub fn truncate(&self, end: End) -> Result<()> {
        let mut segments = self.segments.write().unwrap_or_else(PoisonError::into_inner);
        for &segment in segments.keys().filter(|&&segment| segment > end.segment) {
            let path = self.path(segment);
            std::fs::remove_file(&path).map_err(Error::io(path))?;
        }
        segments.retain(|&segment, _| segment <= end.segment);
        if let Some(file) = segments.get(&end.segment) {
            let path = self.path(end.segment);
            // Never extended: missing bytes must not come back as zeros.
            if size_of(file, &path)? > end.offset {
                file.set_len(end.offset).map_err(Error::io(path))?;
            }
        }
        Ok(())
    }

    /// Syncs the segments from this one on.
    pub fn sync(&self, from: u32) -> Result<()> {
        let segments = self.segments.read().unwrap_or_else(PoisonError::into_inner);
        let files: Vec<_> =
            segments.range(from..).map(|(&number, file)| (number, Arc::clone(file))).collect();
        drop(segments);
        files.iter().try_for_each(|(number, file)| file.sync_data().map_err(Error::io(self.path(*number))))
    }

    pub fn read(&self, place: Place, out: &mut Vec<u8>) -> Result<()> {
        self.pin(place)?.read(out)
    }

    /// A line that can be read later, even if it is copied elsewhere and its segment removed meanwhile.
    pub fn pin(&self, place: Place) -> Result<Pinned> {
        Ok(Pinned { file: self.segment(place.segment)?, folder: Arc::clone(&self.folder), place })
    }

    /// Bytes of each segment.
    pub fn sizes(&self) -> Result<Vec<(u32, u64)>> {
        let segments = self.segments.read().unwrap_or_else(PoisonError::into_inner);
        segments.iter().map(|(&number, file)| Ok((number, size_of(file, &self.path(number))?))).collect()
    }

    /// The segments up to an end, with the bytes that belong to them, in order.
    pub fn pin_segments(&self, end: End) -> Result<Vec<(PathBuf, Arc<File>, u64)>> {
        let segments = self.segments.read().unwrap_or_else(PoisonError::into_inner);
        let before = segments.range(..=end.segment);
        let pin = |(&number, file): (&u32, &Arc<File>)| {
            let path = self.path(number);
            let length = if number == end.segment { end.offset } else { size_of(file, &path)? };
            Ok((path, Arc::clone(file), length))
        };
        before.map(pin).collect()
    }

    pub fn remove_segment(&self, segment: u32) -> Result<()> {
        self.segments.write().unwrap_or_else(PoisonError::into_inner).remove(&segment);
        let path = self.path(segment);
        std::fs::remove_file(&path).map_err(Error::io(path))
    }

    fn segment(&self, number: u32) -> Result<Arc<File>> {
        let segments = self.segments.read().unwrap_or_else(PoisonError::into_inner);
        let missing = || Error::damaged(self.path(number), "is missing: restore it from a copy");
        segments.get(&number).cloned().ok_or_else(missing)
    }

    fn segment_or_new(&self, number: u32) -> Result<Arc<File>> {
        let mut segments = self.segments.write().unwrap_or_else(PoisonError::into_inner);
        if let Some(file) = segments.get(&number) {
            return Ok(Arc::clone(file));
        }
        let file = Arc::new(open_segment(&self.folder, number)?);
        sync_folder(&self.folder)?;
        segments.insert(number, Arc::clone(&file));
        Ok(file)
    }

    pub(crate) fn path(&self, segment: u32) -> PathBuf {
        self.folder.join(name_of(segment))
    }
}

/// A line in a segment file that stays open.
pub struct Pinned {
    file: Arc<File>,
    folder: Arc<Path>,
    place: Place,
}

impl Pinned {
    pub fn read(&self, out: &mut Vec<u8>) -> Result<()> {
        let Pinned { file, folder, place } = self;
        let path = || folder.join(name_of(place.segment));
        out.resize(place.length as usize + HEADER as usize, 0);
        file.read_exact_at(out, u64::from(place.offset)).map_err(|source| {
            if source.kind() == std::io::ErrorKind::UnexpectedEof {
                Error::damaged(path(), "was cut off: restore it from a copy")
            } else {
                Error::Io { path: path(), source }
            }
        })?;
        let checksum = out.first_chunk().map_or(0, |eight| u64::from_le_bytes(*eight));
        out.drain(..HEADER as usize);
        if hash::bytes(out) == checksum {
            return Ok(());
        }
        Err(Error::damaged(path(), format!("is damaged at byte {}: restore it from a copy", place.offset)))
    }
}

fn name_of(segment: u32) -> String {
    format!("{segment:06}")
}

fn open_segment(folder: &Path, number: u32) -> Result<File> {
    let path = folder.join(name_of(number));
    let mut options = OpenOptions::new();
    options.create(true).truncate(false).read(true).write(true).open(&path).map_err(Error::io(path))
}

fn size_of(file: &File, path: &Path) -> Result<u64> {
    Ok(file.metadata().map_err(Error::io(path))?.len())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_come_back_and_damage_is_told() {
        let dir = tempfile::tempdir().unwrap();
        let texts = Texts::open(dir.path(), IndexLimits::default()).unwrap();
        let mut end = End::default();
        let places = texts.write(&mut end, &[b"one", b"", b"three"]).unwrap();
        let mut line = Vec::new();
        for (place, expected) in places.iter().zip([&b"one"[..], b"", b"three"]) {
            texts.read(*place, &mut line).unwrap();
            assert_eq!(line, expected);
        }
        assert_eq!(texts.end().unwrap(), end);
        let path = dir.path().join("000000");
        let mut bytes = std::fs::read(&path).unwrap();
        bytes[9] ^= 1;
        std::fs::write(&path, &bytes).unwrap();
        let told = texts.read(places[0], &mut line).unwrap_err().to_string();
        assert!(told.contains("damaged at byte 0"), "{told}");
        texts.read(places[2], &mut line).unwrap();
        std::fs::write(&path, &bytes[..bytes.len() - 1]).unwrap();
        assert!(texts.read(places[2], &mut line).unwrap_err().to_string().contains("cut off"));
    }

    #[test]
    fn what_is_behind_the_end_is_cut_off() {
        let dir = tempfile::tempdir().unwrap();
        let texts = Texts::open(dir.path(), IndexLimits::default()).unwrap();
        let mut end = End::default();
        let first = texts.write(&mut end, &[b"kept"]).unwrap()[0];
        let kept = end;
        texts.write(&mut end, &[b"lost"]).unwrap();
        texts.write(&mut End { segment: 3, offset: 0 }, &[b"lost, too"]).unwrap();
        texts.truncate(kept).unwrap();
        let texts = Texts::open(dir.path(), IndexLimits::default()).unwrap();
        assert_eq!(texts.end().unwrap(), kept);
        let mut line = Vec::new();
        texts.read(first, &mut line).unwrap();
        assert_eq!(line, b"kept");
    }
}
