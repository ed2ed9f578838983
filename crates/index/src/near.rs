//! The contents that may be partners of a document, by their keys and by what is stored of them.

use lookalike_core::Result;
use lookalike_core::candidates::KeyRange;
use lookalike_engine::pipeline::Sought;

use super::generation::Generation;
use crate::storage::document::ContentNumber;
use crate::storage::keys::Among;
use crate::storage::state::State;

/// How many contents ahead memory is asked for what is stored of them.
const AHEAD: usize = 12;

/// The contents in a document's ranges that may be its partners, removed ones included, each once for a branch, with the
/// bit of that branch.
pub fn near_in_ranges(
    generation: &Generation,
    state: &State,
    among: Among,
    sought: &Sought,
    stored: &[u8],
) -> Result<Vec<(ContentNumber, u32)>> {
    let mut near = Vec::new();
    let mut met: Vec<ContentNumber> = Vec::new();
    for ranges in sought.ranges.chunk_by(|a, b| a.0 == b.0) {
        let branch = ranges[0].0;
        let ranges: Vec<KeyRange> = ranges.iter().map(|&(_, range)| range).collect();
        met.clear();
        state.keys.find_ranges(among, &ranges, |contents| met.append(contents))?;
        // Documents of one subject share several rare words.
        met.sort_unstable();
        met.dedup();
        keep_near(generation, state, branch, stored, &mut met);
        near.extend(met.iter().map(|&content| (content, 1 << branch)));
    }
    Ok(near)
}

/// Keeps the contents that may be partners of a document by what is stored of them.
pub fn keep_near(
    generation: &Generation,
    state: &State,
    branch: u8,
    stored: &[u8],
    contents: &mut Vec<ContentNumber>,
) {
    if !generation.lookup.tells_apart(branch) {
        return;
    }
    let mut kept = 0;
    for place in 0..contents.len() {
        // What is stored of them lies far apart: waiting for one at a time would take most of the time.
        if let Some(&later) = contents.get(place + AHEAD) {
            state.prefetch_stored(later);
        }
        if generation.lookup.is_near(branch, stored, state.stored(contents[place])) {
            contents[kept] = contents[place];
            kept += 1;
        }
    }
    contents.truncate(kept);
}
