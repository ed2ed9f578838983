//! What every document takes in memory, whatever else goes to disk.

use lookalike_core::{Error, Result};

/// A rank and the document of a rank while clusters are made, and some bits; less in the other stages.
pub const BYTES: u64 = 9;

/// The least memory has room for this much beside what threads need.
const LEAST: u64 = 2_000_000;
/// Documents have numbers of 32 bits.
const MOST: u64 = u32::MAX as u64;

/// What a budget leaves for all else. A run that could not do its work with that is refused.
pub fn room(budget: u64, documents: u64) -> Result<u64> {
    if documents >= MOST {
        return Err(Error::config(format!(
            "some {documents} documents are too many for one run; split the corpus"
        )));
    }
    let budget = budget.max(LEAST);
    let taken = BYTES * documents;
    if taken > budget / 4 * 3 {
        let missing = (taken / 3 * 4 - budget).div_ceil(1_000_000);
        return Err(Error::config(format!(
            "{documents} documents need {missing} MB more memory than `--memory` allows"
        )));
    }
    Ok(budget - taken)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn too_many_documents_are_refused_and_the_rest_has_room() {
        assert_eq!(room(900_000_000, 50_000_000).unwrap(), 450_000_000);
        let refused = room(100_000_000, 50_000_000).unwrap_err().to_string();
        assert!(refused.contains("need 500 MB more"), "{refused}");
        assert!(room(600_000_000, 50_000_000).is_ok(), "with that much more");
        assert!(room(0, 100_000).is_ok() && room(0, 200_000).is_err(), "a small corpus in the least memory");
        assert!(room(u64::MAX, 5_000_000_000).unwrap_err().to_string().contains("split the corpus"));
    }
}
