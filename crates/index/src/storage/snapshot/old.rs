//! Snapshots of the formats before arrays were used where they lie: read into memory, and never written.
//!
//! The file is a sequence of frames with checksums, each holding records of one section. Documents and contents
//! come first, since the other sections refer to them by number.

use std::fs::File;
use std::io::{BufReader, Read, Seek, SeekFrom};
use std::path::Path;

use lookalike_core::threads::try_both;
use lookalike_core::{Error, Result, hash};

use super::{PREFERENCES, records};
use crate::storage::bytes::{Decoder, damaged};
use crate::storage::document::Document;
use crate::storage::operation::Prefer;
use crate::storage::operation::encoding::decode_place;
use crate::storage::state::{Layout, State};

pub const MARK: &[u8; 8] = b"LKSTATE\x01";

/// Section, length and checksum before each frame.
const HEADER: usize = 13;
/// Bytes of a document besides its scores and its id; the length of the id is included.
const DOCUMENT: usize = 57;

const CONTENTS: u8 = 1;
const DOCUMENTS: u8 = 2;
const LINKS: u8 = 3;
const MASTERS: u8 = 4;
const ORIGINS: u8 = 9;
const END: u8 = 255;

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
        CONTENTS => {
            state.population.restore_content(from.u128()?);
            state.stored.extend_from_slice(from.take(state.layout.stored)?);
        }
        DOCUMENTS => {
            let document = decode_document(from)?;
            let scores = from.take(8 * state.layout.rules)?;
            let id = from.text()?;
            let length = u64::from(document.place.length);
            if document.is_alive() {
                state.living_bytes += length;
            } else {
                state.dead_bytes += length;
            }
            let number = state.population.documents.next_number();
            if document.is_alive() && document.expires != 0 {
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
        PREFERENCES => {
            state.note_preference(&Prefer::decode(from)?);
        }
        ORIGINS => {
            let origin = from.optional_number()?;
            state.origin = state.origin.max(origin);
            state.origins.push(origin);
        }
        _ => return records::read_record(section, from, state),
    }
    Ok(())
}

fn decode_document(from: &mut Decoder<'_>) -> Result<Document> {
    let place = decode_place(from)?;
    let content = from.optional_number()?;
    let mut number = || from.u32();
    let (labels, set, added) = (number()?, number()?, number()?);
    let (seen, expires, lives, hits) = (number()?, number()?, number()?, number()?);
    let (unchanged, interval) = (number()?, number()?);
    let mut document = Document::new(place, added);
    document.set_alive(from.u8()? != 0);
    Ok(Document { content, labels, set, seen, expires, lives, hits, unchanged, interval, ..document })
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
