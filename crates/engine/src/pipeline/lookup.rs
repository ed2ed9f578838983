//! How one document finds its candidates among the known documents.

use std::ops::Range;

use lookalike_core::candidates::{Finder, NO_KEY, Neighbours};
use lookalike_core::{Error, Result, hash};

use super::{Branch, BranchPlaces, Pipeline, Signatures};

/// For each branch of a pipeline, the keys under which a document is stored and looked up, and what else two
/// documents with an equal key must have in common.
pub struct Lookup {
    branches: Vec<BranchLookup>,
    /// How many bytes of a document's signatures are stored.
    pub stored: usize,
    /// Why a single document cannot be looked up, if a branch can only pair all documents at once.
    refusal: Option<String>,
}

struct BranchLookup {
    /// How signatures are searched, for a branch without keys of its own.
    neighbours: Option<Box<dyn Neighbours>>,
    /// Its signature among the stored bytes.
    signature: Range<usize>,
    /// The index of its first key among the keys of all branches, in the batch run and here.
    own_keys: Range<usize>,
    first_key: usize,
}

impl Lookup {
    /// For a branch that can only pair all documents at once there are no keys, and
    /// [`Lookup::check_answers`] says so.
    pub fn new(pipeline: &Pipeline) -> Lookup {
        let places = BranchPlaces::new(pipeline);
        let mut branches = Vec::new();
        let (mut keys, mut refusal) = (0, None);
        for (branch, &(own, start)) in pipeline.branches.iter().zip(&places.starts) {
            let neighbours = neighbours_of(branch).unwrap_or_else(|reason| {
                refusal.get_or_insert(reason);
                None
            });
            let first_key = keys;
            keys += neighbours.as_ref().map_or(branch.keys(), |near| near.keys());
            branches.push(BranchLookup {
                neighbours,
                signature: start..start + branch.signer.width(),
                own_keys: own..own + branch.keys(),
                first_key,
            });
        }
        Lookup { branches, stored: places.signature, refusal }
    }

    /// Refuses if single documents cannot be looked up.
    pub fn check_answers(&self) -> Result<()> {
        self.refusal.as_ref().map_or(Ok(()), |reason| Err(Error::config(reason)))
    }

    /// The keys of the document that was just signed, each with the number of its branch. The same value at
    /// another place of a signature is another key.
    pub fn keys(&self, signatures: &Signatures) -> Vec<(u8, u64)> {
        let mut keys = Vec::new();
        let mut buffer = Vec::new();
        for (number, branch) in self.branches.iter().enumerate() {
            buffer.clear();
            match &branch.neighbours {
                None => buffer.extend_from_slice(&signatures.keys[branch.own_keys.clone()]),
                // The byte after a signature says whether there is one.
                Some(near) if signatures.stored.get(branch.signature.end) == Some(&1) => {
                    buffer.resize(near.keys(), NO_KEY);
                    near.write_keys(&signatures.stored[branch.signature.clone()], &mut buffer);
                }
                Some(_) => {}
            }
            let real = buffer.iter().enumerate().filter(|&(_, &key)| key != NO_KEY);
            keys.extend(
                real.map(|(place, &key)| {
                    (number as u8, hash::combine(key, (branch.first_key + place) as u64))
                }),
            );
        }
        keys
    }

    /// Whether two documents with an equal key of a branch are its candidates, by their stored signatures.
    pub fn is_near(&self, branch: u8, a: &[u8], b: &[u8]) -> bool {
        let branch = &self.branches[usize::from(branch)];
        let range = || branch.signature.clone();
        branch.neighbours.as_ref().is_none_or(|near| near.near(&a[range()], &b[range()]))
    }

    /// Whether a branch finds all near documents, however many share a key.
    pub fn is_exact(&self, branch: u8) -> bool {
        self.branches[usize::from(branch)].neighbours.is_some()
    }
}

/// The search for single documents of a join. Other joins cannot be used for one document at a
/// time.
fn neighbours_of(branch: &Branch) -> Result<Option<Box<dyn Neighbours>>, String> {
    let Finder::Join(join) = &branch.finder else { return Ok(None) };
    join.neighbours().map(Some).ok_or_else(|| {
        format!(
            "candidates.type = \"{}\" compares all documents at once and cannot answer for one at a time: use a \
             method with keys (such as minhash) or simhash for an index",
            join.spec().kind
        )
    })
}
