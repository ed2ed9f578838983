//! How the members of a cluster differ from its master.

use lookalike_core::difference::Difference;
use lookalike_core::{Error, Result};

use super::generation::{Generation, SigningContext};
use crate::storage::document::DocumentNumber;

/// The texts of more members are not read for one answer.
const MOST: usize = 1000;

/// How each document differs from the first; `None` for that itself, for those after many others, and for a document
/// removed meanwhile.
pub fn differences(generation: &Generation, numbers: &[DocumentNumber]) -> Result<Vec<Option<Difference>>> {
    let mut context = SigningContext::new(generation);
    let mut text = |number: DocumentNumber| match context.text_of(number) {
        Ok(text) => Ok(Some(text)),
        Err(Error::Gone) => Ok(None),
        Err(error) => Err(error),
    };
    let mut found = vec![None; numbers.len()];
    let [first, others @ ..] = numbers else { return Ok(found) };
    let Some(first) = text(*first)? else { return Ok(found) };
    for (place, &other) in found[1..].iter_mut().zip(others).take(MOST) {
        *place = text(other)?.map(|other| Difference::between(&first, &other));
    }
    Ok(found)
}
