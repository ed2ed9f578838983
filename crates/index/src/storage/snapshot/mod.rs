//! A snapshot of the state in a file, from which it is opened instead of from every operation since the beginning.
//!
//! What there is of every document and content are arrays, which stay in the file and are used there (`columns`). What is
//! rare are records, which are read into memory (`records`). Every byte is checked against a checksum on opening,
//! because a damaged number must not become a wrong answer later.

mod columns;
mod old;
mod records;
mod sections;

pub use columns::Columns;

use std::collections::BTreeMap;
use std::fs::File;
use std::io::Read;
use std::path::Path;

use lookalike_core::{Error, Result};

use crate::storage::state::{Layout, State};
use lookalike_core::numbers::Number;
use sections::{Sections, damaged, write_sections};

// Records, numbered as they were in earlier formats.
const HISTORY: u8 = 5;
const DECISIONS: u8 = 6;
const LABELS: u8 = 7;
const SETS: u8 = 8;
const PREFERENCES: u8 = 10;
const NUMBERING: u8 = 11;
const LASTING: u8 = 12;
const CROWDS: u8 = 13;
const MARKS: u8 = 14;

/// Decisions refer to labels, marks to versions, numbers to their numbering.
const RECORDS: [u8; 9] = [LABELS, SETS, HISTORY, MARKS, DECISIONS, PREFERENCES, CROWDS, NUMBERING, LASTING];

// Lists and counts.
const COUNTS: u64 = 32;
const PLACES: u64 = 33;
const COPIED: u64 = 34;
const MEMBERS: u64 = 35;
const EXPIRY: u64 = 36;

/// A state, and what is known of the places of its texts.
pub struct Opened {
    pub state: State,
    /// For each segment where the last line of a living document ends in it. Documents that are not in the snapshot, or
    /// otherwise, are not considered.
    pub ends: BTreeMap<u32, u64>,
}

/// Writes the state, synced to disk; the file gets its name when complete. `rest` is called after every block, and may
/// stop it.
pub fn write(path: &Path, state: &State, rest: &mut dyn FnMut() -> Result<()>) -> Result<()> {
    write_sections(path, rest, |out| {
        for section in RECORDS {
            out.section(u64::from(section), |out| {
                records::write(section, state, &mut |bytes: &[u8]| out.write(bytes))
            })?;
        }
        out.records(COUNTS, counts(state))?;
        out.records(PLACES, ends(state).into_iter().flat_map(|(segment, end)| [u64::from(segment), end]))?;
        out.records(COPIED, state.population.copied.iter().map(|content| content.raw()))?;
        let members = state.clusters.members.iter();
        out.records(MEMBERS, members.map(|(master, member)| [master.raw(), member.raw()]))?;
        out.records(EXPIRY, state.expiry.iter().map(|(time, number)| [*time, number.raw()]))?;
        columns::write(out, state)
    })
}

/// Opens a snapshot of this format or an earlier one, after all of it was verified.
pub fn read(path: &Path, layout: Layout) -> Result<Opened> {
    let mut mark = [0; 8];
    let read = File::open(path).map_err(Error::io(path))?.read_exact(&mut mark);
    if read.is_ok() && &mark == old::MARK {
        return Ok(Opened { state: old::read(path, layout)?, ends: BTreeMap::new() });
    }
    let sections = Sections::open(path)?;
    sections.verify()?;
    state_of(path, &sections, layout)
}

/// Opens the snapshot that is in use once more. It was verified when it was opened, or written by this process.
pub fn read_again(path: &Path, layout: Layout) -> Result<State> {
    Ok(state_of(path, &Sections::open(path)?, layout)?.state)
}

fn state_of(path: &Path, sections: &Sections, layout: Layout) -> Result<Opened> {
    let mut state = State::new(layout);
    let columns = Columns::map(sections)?;
    if !columns.fit(layout) {
        return Err(damaged(path));
    }
    columns.replace(&mut state);
    let ends = read_lists(sections, &mut state)?.ok_or_else(|| damaged(path))?;
    for section in RECORDS.into_iter().filter(|section| ![HISTORY, MARKS].contains(section)) {
        let bytes = sections.map::<u8>(u64::from(section))?;
        records::read(section, bytes.as_slice(), &mut state).map_err(|_| damaged(path))?;
    }
    Ok(Opened { state, ends })
}

/// Maps the arrays of a snapshot that was just written.
pub fn map(path: &Path) -> Result<Columns> {
    Columns::map(&Sections::open(path)?)
}

fn counts(state: &State) -> [u64; 7] {
    let population = &state.population;
    [
        u64::from(population.living),
        u64::from(population.living_contents),
        u64::from(population.comparable),
        state.clusters.pairs,
        state.living_bytes,
        state.dead_bytes,
        state.origin.map_or(u64::MAX, |origin| u64::from(origin.raw())),
    ]
}

/// Where the last line of a living document ends in each segment.
fn ends(state: &State) -> BTreeMap<u32, u64> {
    let mut ends = BTreeMap::<u32, u64>::new();
    for document in state.population.documents.iter().filter(|document| document.is_alive()) {
        let last = ends.entry(document.place.segment).or_default();
        *last = document.place.end().max(*last);
    }
    ends
}

/// Reads lists and counts; `None` if they cannot be right.
fn read_lists(sections: &Sections, state: &mut State) -> Result<Option<BTreeMap<u32, u64>>> {
    let (counts, places) = (sections.map::<u64>(COUNTS)?, sections.map::<u64>(PLACES)?);
    let (copied, members) = (sections.map(COPIED)?, sections.map(MEMBERS)?);
    let expiry = sections.map(EXPIRY)?;
    let mut read = || {
        let &[living, contents, comparable, pairs, living_bytes, dead_bytes, origin] = counts.as_slice()
        else {
            return None;
        };
        let population = &mut state.population;
        (population.living, population.living_contents) =
            (living.try_into().ok()?, contents.try_into().ok()?);
        population.comparable = comparable.try_into().ok()?;
        (state.living_bytes, state.dead_bytes) = (living_bytes, dead_bytes);
        state.origin = if origin == u64::MAX { None } else { Number::from_raw(u32::try_from(origin).ok()?) };
        population.copied =
            copied.as_slice().iter().map(|&content| Number::from_raw(content)).collect::<Option<_>>()?;
        let clusters = &mut state.clusters;
        let pair = |&[master, member]: &[u32; 2]| Number::from_raw(master).zip(Number::from_raw(member));
        clusters.members = members.as_slice().iter().map(pair).collect::<Option<_>>()?;
        (clusters.pairs, clusters.member_count) = (pairs, clusters.members.len() as u64);
        let due = |&[time, document]: &[u32; 2]| Some((time, Number::from_raw(document)?));
        state.expiry = expiry.as_slice().iter().map(due).collect::<Option<_>>()?;
        let place = |&[segment, end]: &[u64; 2]| Some((u32::try_from(segment).ok()?, end));
        places.as_slice().as_chunks::<2>().0.iter().map(place).collect()
    };
    Ok(read())
}
