//! Records of what only some documents have: read into memory, and encoded as they always were.

use std::sync::Arc;

use lookalike_core::Result;

use super::{CROWDS, DECISIONS, HISTORY, LABELS, LASTING, MARKS, NUMBERING, PREFERENCES, SETS};
use crate::storage::bytes::{Decoder, Encode, damaged};
use crate::storage::lasting::LastingNumbers;
use crate::storage::operation::versions::{decode_versions, encode_versions};
use crate::storage::operation::{Decide, Marks, Prefer, Version};
use crate::storage::state::State;

/// Gives the records of a section to `out`, one after the other.
pub fn write(section: u8, state: &State, out: &mut dyn FnMut(&[u8]) -> Result<()>) -> Result<()> {
    let mut bytes = Vec::new();
    let mut record = |fill: &dyn Fn(&mut Vec<u8>)| {
        bytes.clear();
        fill(&mut bytes);
        out(&bytes)
    };
    match section {
        LABELS => state.labels.iter().try_for_each(|labels| {
            record(&|bytes| {
                bytes.u32(labels.len() as u32);
                labels.iter().for_each(|label| bytes.text(label));
            })
        }),
        SETS => state.sets.iter().try_for_each(|name| record(&|bytes| bytes.text(name))),
        HISTORY => state.history.iter().try_for_each(|(number, versions)| {
            record(&|bytes| {
                bytes.number(number);
                encode_versions(&versions, bytes);
            })
        }),
        MARKS => {
            let marked = |versions: &[Version]| versions.iter().any(|version| !version.marks.is_empty());
            let mut all = state.history.iter().filter(|(_, versions)| marked(versions));
            all.try_for_each(|(number, versions)| {
                record(&|bytes| {
                    bytes.number(number);
                    bytes.u32(versions.len() as u32);
                    versions.iter().for_each(|version| version.marks.encode(bytes));
                })
            })
        }
        DECISIONS => {
            state.decisions.iter().try_for_each(|decision| record(&|bytes| decision.decide.encode(bytes)))
        }
        PREFERENCES => {
            state.preferences.values().try_for_each(|prefer| record(&|bytes| prefer.encode(bytes)))
        }
        CROWDS => state.crowds.iter().try_for_each(|content| record(&|bytes| bytes.number(content))),
        NUMBERING if *state.lasting != LastingNumbers::default() => record(&|bytes| {
            bytes.u64(state.lasting.since);
            bytes.number(state.lasting.next);
        }),
        LASTING => state.lasting.kept.iter().try_for_each(|&number| record(&|bytes| bytes.number(number))),
        _ => Ok(()),
    }
}

/// Reads all records of a section. Documents must know already whether they are preferred.
pub fn read(section: u8, bytes: &[u8], state: &mut State) -> Result<()> {
    let mut from = Decoder::new(bytes);
    while !from.is_empty() {
        read_record(section, &mut from, state)?;
    }
    Ok(())
}

pub(super) fn read_record(section: u8, from: &mut Decoder<'_>, state: &mut State) -> Result<()> {
    match section {
        LABELS => {
            let labels = (0..from.count(4)?).map(|_| from.text()).collect::<Result<Vec<_>>>()?;
            state.labels.number(&labels);
        }
        SETS => {
            state.sets.number(from.text()?);
        }
        HISTORY => {
            let number = from.number()?;
            state.history.insert(number, decode_versions(from)?);
        }
        MARKS => {
            let number = from.number()?;
            let mut versions = state.history.get(number).ok_or_else(damaged)?;
            if from.count(1)? != versions.len() {
                return Err(damaged());
            }
            for version in &mut versions {
                version.marks = Marks::decode(from)?;
            }
            state.history.insert(number, versions);
        }
        DECISIONS => {
            state.note_decision(&Decide::decode(from)?);
        }
        PREFERENCES => {
            let prefer = Prefer::decode(from)?;
            state.preferences.insert(prefer.document, prefer);
        }
        NUMBERING => state.lasting = Arc::new(LastingNumbers::new(from.u64()?, from.number()?)),
        CROWDS => state.crowds.add(from.number()?),
        LASTING => Arc::make_mut(&mut state.lasting).keep([from.number()?]),
        _ => return Err(damaged()),
    }
    Ok(())
}
