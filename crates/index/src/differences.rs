//! What the members of a cluster differ in from its master.

use lookalike_core::{Error, Result};
use lookalike_engine::pipeline::Differs;

use super::generation::{Generation, SigningContext};
use crate::storage::document::DocumentNumber;

/// The texts of more members are not read for one answer.
const MOST: usize = 1000;

/// What each document differs in from the first; `None` for that itself, for those after many others, and for a
/// document removed meanwhile.
pub fn differences(generation: &Generation, numbers: &[DocumentNumber]) -> Result<Vec<Option<Differs>>> {
    let mut context = SigningContext::new(generation);
    let mut read = |number: DocumentNumber| match context.text_and_streams_of(number) {
        Ok(read) => Ok(Some(read)),
        Err(Error::Gone) => Ok(None),
        Err(error) => Err(error),
    };
    let mut found = vec![None; numbers.len()];
    let [first, others @ ..] = numbers else { return Ok(found) };
    let Some((text, streams)) = read(*first)? else { return Ok(found) };
    for (place, &other) in found[1..].iter_mut().zip(others).take(MOST) {
        *place = read(other)?
            .map(|(other, of_other)| generation.pipeline.differs((&text, &streams), (&other, &of_other)));
    }
    Ok(found)
}
