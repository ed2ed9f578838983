//! A snapshot of the state in a file, which is read on opening instead of every operation since the beginning.
//!
//! The file is a sequence of frames with checksums, each holding records of one section. Documents and contents
//! come first, since the other sections refer to them by number.

use std::fs::File;
use std::io::{BufReader, Read, Seek, SeekFrom};
use std::path::Path;
use std::sync::Arc;

use lookalike_core::threads::try_both;
use lookalike_core::{Error, Result, hash};

use crate::storage::bytes::{Decoder, Encode, damaged};
use crate::storage::document::Document;
use crate::storage::lasting::LastingNumbers;
use crate::storage::operation::encoding::{decode_place, encode_place};
use crate::storage::operation::versions::{decode_versions, encode_versions};
use crate::storage::operation::{Decide, Marks, Prefer};
use crate::storage::state::{Layout, State};
use lookalike_core::numbers::Number;
use lookalike_plumbing::files::{AtomicFile, write_synced};

const MARK: &[u8; 8] = b"LKSTATE\x01";
const FRAME: usize = 1 << 20;

/// Section, length and checksum before each frame.
const HEADER: usize = 13;
/// Bytes of a document besides its scores and its id; the length of the id is included.
const DOCUMENT: usize = 57;

const CONTENTS: u8 = 1;
const DOCUMENTS: u8 = 2;
const LINKS: u8 = 3;
const MASTERS: u8 = 4;
const HISTORY: u8 = 5;
const DECISIONS: u8 = 6;
const LABELS: u8 = 7;
const SETS: u8 = 8;
const ORIGINS: u8 = 9;
const PREFERENCES: u8 = 10;
const NUMBERING: u8 = 11;
const LASTING: u8 = 12;
const CROWDS: u8 = 13;
const MARKS: u8 = 14;
const END: u8 = 255;

/// Writes the state, synced to disk; the file gets its name when complete.
pub fn write(path: &Path, state: &State) -> Result<()> {
    write_synced(path, |file| {
        file.write(MARK)?;
        let mut out = Frames { file, section: 0, frame: Vec::with_capacity(FRAME + 4096) };
        write_sections(&mut out, state)?;
        out.flush()
    })
}

fn write_sections(out: &mut Frames<'_>, state: &State) -> Result<()> {
    for labels in state.labels.iter() {
        out.record(LABELS, |bytes| {
            bytes.u32(labels.len() as u32);
            labels.iter().for_each(|label| bytes.text(label));
        })?;
    }
    for name in state.sets.iter() {
        out.record(SETS, |bytes| bytes.text(name))?;
    }
    let population = &state.population;
    for (number, content) in population.contents.iter_from(Number::FIRST) {
        out.record(CONTENTS, |bytes| {
            bytes.u128(content.digest);
            bytes.extend_from_slice(state.stored(number));
        })?;
    }
    for (number, document) in population.documents.iter_from(Number::FIRST) {
        out.record(DOCUMENTS, |bytes| {
            encode_document(document, bytes);
            population.scores(number).iter().for_each(|&score| bytes.u64(score));
            // The ids of dead documents are never needed.
            bytes.text(if document.alive { population.ids.get(number) } else { "" });
        })?;
    }
    for content in population.contents.numbers() {
        for link in state.clusters.links(content).iter().filter(|link| link.other > content) {
            out.record(LINKS, |bytes| {
                bytes.number(content);
                bytes.number(link.other);
                bytes.f64(link.similarity);
            })?;
        }
    }
    for content in population.contents.numbers() {
        let master = state.clusters.master(content);
        if master != content {
            out.record(MASTERS, |bytes| {
                bytes.number(content);
                bytes.number(master);
            })?;
        }
    }
    let mut changed: Vec<_> = state.history.iter().collect();
    changed.sort_unstable_by_key(|&(&number, _)| number);
    for &(&number, versions) in &changed {
        out.record(HISTORY, |bytes| {
            bytes.number(number);
            encode_versions(versions, bytes);
        })?;
    }
    for (&number, versions) in changed {
        if versions.iter().any(|version| !version.marks.is_empty()) {
            out.record(MARKS, |bytes| {
                bytes.number(number);
                bytes.u32(versions.len() as u32);
                versions.iter().for_each(|version| version.marks.encode(bytes));
            })?;
        }
    }
    for decision in state.decisions.iter() {
        out.record(DECISIONS, |bytes| decision.decide.encode(bytes))?;
    }
    for prefer in state.preferences.values() {
        out.record(PREFERENCES, |bytes| prefer.encode(bytes))?;
    }
    for content in state.crowds.iter() {
        out.record(CROWDS, |bytes| bytes.number(content))?;
    }
    if state.origin.is_some() {
        for &origin in state.origins.iter() {
            out.record(ORIGINS, |bytes| bytes.optional_number(origin))?;
        }
    }
    if *state.lasting != LastingNumbers::default() {
        out.record(NUMBERING, |bytes| {
            bytes.u64(state.lasting.since);
            bytes.number(state.lasting.next);
        })?;
        for &lasting in &state.lasting.kept {
            out.record(LASTING, |bytes| bytes.number(lasting))?;
        }
    }
    out.record(END, |_| {})
}

pub fn read(path: &Path, layout: Layout) -> Result<State> {
    let named = |error: Error| match error {
        Error::Incompatible(_) => Error::damaged(path, "is damaged or cut off: restore it from a copy"),
        other => other,
    };
    // Links only consist of numbers, so the two halves can be read in parallel.
    let is_link = |section: u8| matches!(section, LINKS | MASTERS);
    let rest = || read_sections(path, layout, |section| !is_link(section));
    let (mut state, links) = try_both(rest, || read_sections(path, layout, is_link)).map_err(named)?;
    state.clusters = links.clusters;
    state.origins.resize(state.population.documents.len(), None);
    state.origin = state.origins.iter().copied().flatten().max();
    Ok(state)
}

/// Reads only the wanted sections; the others are skipped.
fn read_sections(path: &Path, layout: Layout, wanted: impl Fn(u8) -> bool) -> Result<State> {
    let mut state = State::new(layout);
    let mut file = BufReader::with_capacity(1 << 20, File::open(path).map_err(Error::io(path))?);
    let mut mark = [0; 8];
    if file.read_exact(&mut mark).is_err() || &mark != MARK {
        return Err(damaged());
    }
    if wanted(DOCUMENTS) {
        make_room(&mut file, &mut state)?;
    }
    let mut complete = false;
    let mut frame = Vec::new();
    while let Some(header) = next_header(&mut file)? {
        if wanted(header.section) {
            read_frame(&mut file, &header, &mut frame)?;
            let mut records = Decoder::new(&frame);
            while !records.is_empty() {
                read_record(header.section, &mut records, &mut state)?;
            }
        } else {
            file.seek_relative(i64::from(header.length)).map_err(|_| damaged())?;
        }
        complete = header.section == END;
    }
    if complete { Ok(state) } else { Err(damaged()) }
}

/// Reserves memory first: tables that grow while they are filled are rebuilt several times.
fn make_room(file: &mut BufReader<File>, state: &mut State) -> Result<()> {
    let start = file.stream_position().map_err(|_| damaged())?;
    let end = file.get_ref().metadata().map_err(|_| damaged())?.len();
    let (mut contents, mut documents, mut at) = (0, 0, start);
    while let Some(header) = next_header(file)? {
        match header.section {
            CONTENTS => contents += u64::from(header.length),
            DOCUMENTS => documents += u64::from(header.length),
            _ => {}
        }
        at += HEADER as u64 + u64::from(header.length);
        // A file that is cut off is reported when it is read.
        if at > end {
            break;
        }
        file.seek_relative(i64::from(header.length)).map_err(|_| damaged())?;
    }
    file.seek(SeekFrom::Start(start)).map_err(|_| damaged())?;
    let Layout { rules, stored } = state.layout;
    let contents = contents.min(end) as usize / (16 + stored);
    let documents = documents.min(end) as usize / (DOCUMENT + 8 * rules);
    state.population.reserve(contents, documents);
    state.stored.reserve_exact(contents * stored);
    Ok(())
}

fn read_record(section: u8, from: &mut Decoder<'_>, state: &mut State) -> Result<()> {
    match section {
        LABELS => {
            let labels = (0..from.count(4)?).map(|_| from.text()).collect::<Result<Vec<_>>>()?;
            state.labels.number(&labels);
        }
        SETS => {
            state.sets.number(from.text()?);
        }
        CONTENTS => {
            state.population.restore_content(from.u128()?);
            state.stored.extend_from_slice(from.take(state.layout.stored)?);
        }
        DOCUMENTS => {
            let document = decode_document(from)?;
            let scores = from.take(8 * state.layout.rules)?;
            let id = from.text()?;
            let length = u64::from(document.place.length);
            if document.alive {
                state.living_bytes += length;
            } else {
                state.dead_bytes += length;
            }
            let number = state.population.documents.next_number();
            if document.alive && document.expires != 0 {
                state.expiry.insert((document.expires, number));
            }
            let scores = scores.as_chunks::<8>().0.iter().map(|score| u64::from_le_bytes(*score));
            state.population.restore(document, id, scores).ok_or_else(damaged)?;
        }
        LINKS => {
            let (a, b, similarity) = (from.number()?, from.number()?, from.f64()?);
            state.clusters.link_new(a, b, similarity);
        }
        MASTERS => {
            let (content, master) = (from.number()?, from.number()?);
            state.clusters.assign(content, Some(master));
        }
        HISTORY => {
            let number = from.number()?;
            state.history.insert(number, decode_versions(from)?);
        }
        MARKS => {
            let number = from.number()?;
            let versions = state.history.get_mut(&number).ok_or_else(damaged)?;
            if from.count(1)? != versions.len() {
                return Err(damaged());
            }
            for version in versions {
                version.marks = Marks::decode(from)?;
            }
        }
        DECISIONS => {
            state.note_decision(&Decide::decode(from)?);
        }
        PREFERENCES => {
            state.note_preference(&Prefer::decode(from)?);
        }
        ORIGINS => {
            let origin = from.optional_number()?;
            state.origins.push(origin);
        }
        NUMBERING => state.lasting = Arc::new(LastingNumbers::new(from.u64()?, from.number()?)),
        CROWDS => state.crowds.add(from.number()?),
        LASTING => Arc::make_mut(&mut state.lasting).keep([from.number()?]),
        _ => return Err(damaged()),
    }
    Ok(())
}

fn encode_document(document: &Document, out: &mut Vec<u8>) {
    encode_place(document.place, out);
    let Document { content, labels, set, added, seen, expires, lives, hits, unchanged, interval, .. } =
        *document;
    out.optional_number(content);
    out.u32s([labels, set, added, seen, expires, lives, hits, unchanged, interval]);
    out.u8(u8::from(document.alive));
}

fn decode_document(from: &mut Decoder<'_>) -> Result<Document> {
    let place = decode_place(from)?;
    let content = from.optional_number()?;
    let mut number = || from.u32();
    let (labels, set, added) = (number()?, number()?, number()?);
    let (seen, expires, lives, hits) = (number()?, number()?, number()?, number()?);
    let (unchanged, interval) = (number()?, number()?);
    let alive = from.u8()? != 0;
    let document = Document::new(place, added);
    Ok(Document { content, labels, set, seen, expires, lives, hits, unchanged, interval, alive, ..document })
}

struct Frames<'a> {
    file: &'a mut AtomicFile,
    section: u8,
    frame: Vec<u8>,
}

impl Frames<'_> {
    fn record(&mut self, section: u8, fill: impl FnOnce(&mut Vec<u8>)) -> Result<()> {
        if section != self.section || self.frame.len() >= FRAME {
            self.flush()?;
            self.section = section;
        }
        fill(&mut self.frame);
        Ok(())
    }

    fn flush(&mut self) -> Result<()> {
        if self.section != 0 {
            let mut header = Vec::with_capacity(HEADER);
            header.u8(self.section);
            header.u32(self.frame.len() as u32);
            header.u64(checksum(self.section, &self.frame));
            self.file.write(&header)?;
            self.file.write(&self.frame)?;
            self.frame.clear();
        }
        Ok(())
    }
}

/// The checksum covers the section, so that one section cannot be read as another.
fn checksum(section: u8, frame: &[u8]) -> u64 {
    hash::combine(hash::bytes(frame), u64::from(section))
}

struct Header {
    section: u8,
    length: u32,
    checksum: u64,
}

/// Reads the header of the next frame; `None` at the end.
fn next_header(file: &mut impl Read) -> Result<Option<Header>> {
    let mut header = [0; HEADER];
    match file.read(&mut header[..1]) {
        Ok(0) => return Ok(None),
        Ok(_) => {}
        Err(_) => return Err(damaged()),
    }
    file.read_exact(&mut header[1..]).map_err(|_| damaged())?;
    let mut fields = Decoder::new(&header);
    Ok(Some(Header { section: fields.u8()?, length: fields.u32()?, checksum: fields.u64()? }))
}

fn read_frame(file: &mut impl Read, header: &Header, frame: &mut Vec<u8>) -> Result<()> {
    frame.clear();
    file.take(u64::from(header.length)).read_to_end(frame).map_err(|_| damaged())?;
    if frame.len() != header.length as usize || checksum(header.section, frame) != header.checksum {
        return Err(damaged());
    }
    Ok(())
}
