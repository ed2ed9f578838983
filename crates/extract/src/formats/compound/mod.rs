//! Microsoft's compound files, which hold Word, Excel and Outlook files.
//!
//! We use our own reader because files that are truncated or have a bad table should be read as far
//! as possible: a chain of sectors ends where it leads nowhere, and a stream is as long as its
//! sectors.

mod properties;

use std::collections::HashSet;

use memchr::memmem;

use crate::budget::Budget;
use crate::kind::Kind;
use crate::reason::Reason;

pub use properties::{moment, summary};

pub const MAGIC: &[u8] = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1";
/// Where the root storage stands among the entries.
pub const ROOT: usize = 0;

const ENTRY_BYTES: usize = 128;
const NO_ENTRY: u32 = u32::MAX;
/// Sector numbers from here on mean something else: free, end of chain, part of a table.
const FIRST_SPECIAL: u32 = 0xffff_fffa;

/// Which kind a compound file with a stream of this name is; of several streams the first listed here
/// counts.
const KIND_OF_STREAM: [(&str, Kind); 8] = [
    ("EncryptedPackage", Kind::Unknown),
    // A message with restricted rights: its readable part is the same in all such messages.
    ("\u{9}DRMContent", Kind::Unknown),
    ("__properties_version1.0", Kind::Msg),
    ("WordDocument", Kind::Doc),
    ("Workbook", Kind::Xls),
    ("Book", Kind::Xls),
    ("PowerPoint Document", Kind::Ppt),
    ("PP97_DUALSTORAGE", Kind::Ppt),
];

/// The programs to which the streams of formats without a reader belong.
const UNREAD: [(&str, &str); 6] = [
    ("PP40", "PowerPoint before 1997"),
    ("VisioDocument", "Visio before 2013"),
    ("Quill", "Publisher"),
    ("MatOST", "Works"),
    ("FileHeader", "Hangul word processor"),
    ("Contents", "an old office program's own format"),
];

pub struct Compound<'a> {
    bytes: &'a [u8],
    sector: usize,
    mini_sector: usize,
    /// Streams shorter than this are kept in mini sectors.
    mini_below: u64,
    table: Vec<u32>,
    mini_table: Vec<u32>,
    /// The stream that mini sectors are cut from.
    mini: Vec<u8>,
    entries: Vec<Entry>,
}

struct Entry {
    name: String,
    is_stream: bool,
    start: u32,
    size: u64,
    left: u32,
    right: u32,
    child: u32,
}

/// The kind of a compound file; `None` for a file that is not one. A file that is too broken to be opened
/// is recognised by the names in it.
pub fn kind_of(bytes: &[u8]) -> Option<Kind> {
    if !bytes.starts_with(MAGIC) {
        return None;
    }
    let compound = Compound::open(bytes).ok();
    let told = KIND_OF_STREAM.iter().find(|(name, _)| holds(compound.as_ref(), bytes, name));
    Some(told.map_or(Kind::Unknown, |&(_, kind)| kind))
}

/// Why a compound file of an unknown kind is not read; `None` for a file that is not a compound one.
pub fn reason_unread(bytes: &[u8]) -> Option<Reason> {
    if !bytes.starts_with(MAGIC) {
        return None;
    }
    let compound = Compound::open(bytes);
    let holds = |name| holds(compound.as_ref().ok(), bytes, name);
    if holds("EncryptedPackage") || holds("\u{9}DRMContent") {
        return Some(Reason::Encrypted);
    }
    let what = UNREAD.iter().find(|(name, _)| holds(name)).map(|&(_, what)| what);
    Some(match (what, &compound) {
        (None, Err(reason)) => reason.clone(),
        _ => Reason::Unsupported(what.unwrap_or("a compound file of an unknown program").to_owned()),
    })
}

/// Whether the file has a stream of this name in its root, or anywhere if its directory is lost.
fn holds(compound: Option<&Compound<'_>>, bytes: &[u8], name: &str) -> bool {
    match compound {
        Some(compound) => compound.find(ROOT, name).is_some(),
        None => {
            let wide: Vec<u8> = name.encode_utf16().flat_map(u16::to_le_bytes).collect();
            memmem::find(bytes, &wide).is_some()
        }
    }
}

impl<'a> Compound<'a> {
    pub fn open(bytes: &'a [u8]) -> Result<Self, Reason> {
        if !bytes.starts_with(MAGIC) || bytes.len() < 512 {
            return Err(Reason::damaged("a compound file without its header"));
        }
        // Sectors of 512 bytes, or of 4096 from version 4 on.
        let sector = if short(bytes, 30) == Some(12) { 4096 } else { 512 };
        let mini_sector = 64;
        let word = |at| long(bytes, at).unwrap_or(NO_ENTRY);
        let mut compound = Compound {
            bytes,
            sector,
            mini_sector,
            mini_below: u64::from(word(56)).min(1 << 16),
            table: Vec::new(),
            mini_table: Vec::new(),
            mini: Vec::new(),
            entries: Vec::new(),
        };
        compound.table = compound.read_table(word(68));
        let directory = compound.chain(word(48), u64::MAX);
        compound.entries = directory.chunks_exact(ENTRY_BYTES).map(entry).collect();
        compound.mini_table = longs(&compound.chain(word(60), u64::MAX));
        let Some(root) = compound.entries.first() else {
            return Err(Reason::damaged("a compound file without its directory"));
        };
        compound.mini = compound.chain(root.start, root.size);
        Ok(compound)
    }

    /// The content of a storage, in the order of its tree; of a broken tree, the part that can be
    /// reached.
    pub fn children(&self, storage: usize) -> Vec<usize> {
        let mut found = Vec::new();
        let mut seen = HashSet::new();
        let mut stack = vec![(self.entries.get(storage).map_or(NO_ENTRY, |entry| entry.child), false)];
        while let Some((at, left_is_done)) = stack.pop() {
            let Some(entry) = self.entries.get(at as usize) else { continue };
            if left_is_done {
                found.push(at as usize);
                stack.push((entry.right, false));
            } else if seen.insert(at) {
                stack.push((at, true));
                stack.push((entry.left, false));
            }
        }
        found
    }

    /// The entry of this name in a storage; letter case does not count.
    pub fn find(&self, storage: usize, name: &str) -> Option<usize> {
        let is_it = |&at: &usize| self.name(at).eq_ignore_ascii_case(name);
        self.children(storage).into_iter().find(is_it)
    }

    pub fn name(&self, entry: usize) -> &str {
        self.entries.get(entry).map_or("", |entry| &entry.name)
    }

    /// The bytes of a stream, as many as there are; empty for a storage.
    pub fn stream(&self, entry: usize, budget: &mut Budget) -> Result<Vec<u8>, Reason> {
        let Some(entry) = self.entries.get(entry).filter(|entry| entry.is_stream) else {
            return Ok(Vec::new());
        };
        let bytes = if entry.size < self.mini_below {
            self.mini_chain(entry.start, entry.size)
        } else {
            self.chain(entry.start, entry.size)
        };
        budget.spend(bytes.len() as u64)?;
        Ok(bytes)
    }

    /// The stream of this name in the root, if there is one.
    pub fn root_stream(&self, name: &str, budget: &mut Budget) -> Result<Option<Vec<u8>>, Reason> {
        self.find(ROOT, name).map(|entry| self.stream(entry, budget)).transpose()
    }

    fn sector_bytes(&self, number: u32) -> &'a [u8] {
        let start = (number as usize).saturating_add(1).saturating_mul(self.sector);
        let end = start.saturating_add(self.sector).min(self.bytes.len());
        self.bytes.get(start..end).unwrap_or_default()
    }

    /// The table of successors of all sectors: the header lists 109 of its sectors, and further
    /// sectors list the others.
    fn read_table(&self, first_list: u32) -> Vec<u32> {
        let sectors = self.bytes.len() / self.sector;
        let mut parts = longs(self.bytes.get(76..512).unwrap_or_default());
        let mut list = first_list;
        for _ in 0..sectors {
            let mut listed = longs(self.sector_bytes(list));
            let Some(next) = listed.pop().filter(|_| list < FIRST_SPECIAL) else { break };
            parts.append(&mut listed);
            list = next;
        }
        parts.retain(|&part| part < FIRST_SPECIAL);
        parts.truncate(sectors);
        parts.iter().flat_map(|&part| self.part_of_table(part)).collect()
    }

    /// One sector of the table. If the file no longer has it, it is filled up, so that the others
    /// keep their places.
    fn part_of_table(&self, part: u32) -> Vec<u32> {
        let mut entries = longs(self.sector_bytes(part));
        entries.resize(self.sector / 4, NO_ENTRY);
        entries
    }

    fn chain(&self, start: u32, size: u64) -> Vec<u8> {
        let mut bytes = Vec::new();
        let sectors = self.bytes.len() / self.sector + 1;
        for number in follow(&self.table, start).take(sectors) {
            let sector = self.sector_bytes(number);
            bytes.extend_from_slice(sector);
            if sector.is_empty() || bytes.len() as u64 >= size {
                break;
            }
        }
        bytes.truncate(usize::try_from(size).unwrap_or(usize::MAX));
        bytes
    }

    fn mini_chain(&self, start: u32, size: u64) -> Vec<u8> {
        let mut bytes = Vec::new();
        let sectors = self.mini.len() / self.mini_sector + 1;
        for number in follow(&self.mini_table, start).take(sectors) {
            let start = (number as usize).saturating_mul(self.mini_sector).min(self.mini.len());
            let end = start.saturating_add(self.mini_sector).min(self.mini.len());
            bytes.extend_from_slice(&self.mini[start..end]);
            if start == end || bytes.len() as u64 >= size {
                break;
            }
        }
        bytes.truncate(usize::try_from(size).unwrap_or(usize::MAX));
        bytes
    }
}

/// The sectors of a chain, which may be circular.
fn follow(table: &[u32], start: u32) -> impl Iterator<Item = u32> {
    let next = move |&number: &u32| table.get(number as usize).copied();
    std::iter::successors(Some(start), next).take_while(|&number| number < FIRST_SPECIAL)
}

fn entry(bytes: &[u8]) -> Entry {
    let units: Vec<u16> =
        bytes[..64].as_chunks::<2>().0.iter().map(|unit| u16::from_le_bytes(*unit)).collect();
    let length = units.iter().position(|&unit| unit == 0).unwrap_or(units.len());
    let word = |at| long(bytes, at).unwrap_or(NO_ENTRY);
    // In files with small sectors the upper half of the size is not set.
    let size = u64::from(word(120));
    Entry {
        name: String::from_utf16_lossy(&units[..length]),
        is_stream: bytes[66] == 2,
        start: word(116),
        size,
        left: word(68),
        right: word(72),
        child: word(76),
    }
}

/// The little-endian number at a place, if the bytes reach that far.
pub fn short(bytes: &[u8], at: usize) -> Option<u16> {
    Some(u16::from_le_bytes(bytes.get(at..)?.first_chunk().copied()?))
}

pub fn long(bytes: &[u8], at: usize) -> Option<u32> {
    Some(u32::from_le_bytes(bytes.get(at..)?.first_chunk().copied()?))
}

fn longs(bytes: &[u8]) -> Vec<u32> {
    bytes.as_chunks::<4>().0.iter().map(|word| u32::from_le_bytes(*word)).collect()
}

#[cfg(test)]
pub mod tests;
