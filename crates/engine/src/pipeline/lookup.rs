//! How one document finds its candidates among the known documents.

use std::ops::Range;

use lookalike_core::candidates::{
    DETAIL_BITS, Finder, JoinSource, KeyRange, NO_KEY, Neighbours, Records, WithinClusters,
};
use lookalike_core::document::Document;
use lookalike_core::features::Features;
use lookalike_core::{Error, Result, hash};

use super::{Branch, BranchPlaces, JoinRecords, Pipeline, Signatures};

/// For each branch of a pipeline, the keys under which a document is stored and looked up, and what else two
/// documents with an equal key must have in common.
pub struct Lookup {
    branches: Vec<BranchLookup>,
    /// Bytes that are kept of a document: its signatures, and its outlines for joins over features.
    pub stored: usize,
    /// A bit for each branch whose candidates are only known to be candidates by their records.
    unconfirmed: u32,
    /// Why one document alone cannot be looked for, if a branch can only pair all at once.
    refusal: Option<String>,
}

struct BranchLookup {
    /// How to search, for a branch without keys of its own.
    neighbours: Option<Box<dyn Neighbours>>,
    /// Whether the neighbours know documents by what was packed of their features.
    by_features: bool,
    /// Its signature among the stored bytes.
    signature: Range<usize>,
    /// What its neighbours are told apart by, among the stored bytes.
    outline: Range<usize>,
    /// Its first key among those that a document has of all branches, in the batch run and here.
    own_keys: Range<usize>,
    first_key: usize,
}

/// What the documents of a crowd have in common: so many documents that each is compared with a few pivots only.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CrowdsBy {
    /// One key.
    Key,
    /// The whole signature. Of such a crowd only the pivots are compared with documents of other signatures.
    Signature,
    /// There are no crowds: all near documents are compared.
    Nothing,
}

/// What is kept of a document to find it, and what it looks for.
#[derive(Clone, Debug, Default)]
pub struct LookupEntry {
    /// The keys under which it is kept, each with the number of its branch.
    pub kept: Vec<(u8, u64)>,
    /// Where its candidates are kept.
    pub sought: Sought,
    /// Its signatures and outlines.
    pub stored: Vec<u8>,
}

/// Where the candidates of a document are kept.
#[derive(Clone, Debug, Default)]
pub struct Sought {
    /// Under these keys, each with the number of its branch.
    pub keys: Vec<(u8, u64)>,
    /// Under keys in these ranges, rising within a branch.
    pub ranges: Vec<(u8, KeyRange)>,
}

impl Lookup {
    /// For a branch that can only pair all documents at once there are no keys, and
    /// [`Lookup::check_answers`] says so.
    pub fn new(pipeline: &Pipeline) -> Lookup {
        let places = BranchPlaces::new(pipeline);
        let mut branches = Vec::new();
        let (mut keys, mut stored, mut unconfirmed, mut refusal) = (0, places.signature, 0, None);
        for (number, (branch, &(own, start))) in pipeline.branches.iter().zip(&places.starts).enumerate() {
            let neighbours = neighbours_of(pipeline, branch).unwrap_or_else(|reason| {
                refusal.get_or_insert(reason);
                None
            });
            let first_key = keys;
            keys += neighbours.as_ref().map_or(branch.keys(), |near| near.kinds());
            let signature = start..start + branch.signer.width();
            let by_features = neighbours.is_some() && !branch.joins_signatures();
            let outline = match &neighbours {
                Some(near) if by_features => stored..stored + near.outline_width(),
                _ => signature.clone(),
            };
            if by_features {
                stored = outline.end;
                unconfirmed |= 1 << number;
            }
            let own_keys = own..own + branch.keys();
            branches.push(BranchLookup { neighbours, by_features, signature, outline, own_keys, first_key });
        }
        Lookup { branches, stored, unconfirmed, refusal }
    }

    /// Refuses if single documents cannot be looked up.
    pub fn check_answers(&self) -> Result<()> {
        self.refusal.as_ref().map_or(Ok(()), |reason| Err(Error::config(reason)))
    }

    /// What is kept and sought of the document that was just signed. The same key at another place of a signature is
    /// another key.
    pub fn entry(&self, signatures: &Signatures, records: &JoinRecords) -> LookupEntry {
        let mut entry = LookupEntry { stored: signatures.stored.clone(), ..LookupEntry::default() };
        let (mut keys, mut ranges) = (Vec::new(), Vec::new());
        for (number, branch) in self.branches.iter().enumerate() {
            let number = number as u8;
            keys.clear();
            let Some(near) = &branch.neighbours else {
                keys.extend_from_slice(&signatures.keys[branch.own_keys.clone()]);
                let first = entry.kept.len();
                entry.kept.extend(branch.told_apart(&keys, usize::MAX).map(|key| (number, key)));
                entry.sought.keys.extend_from_slice(&entry.kept[first..]);
                continue;
            };
            // The byte behind a signature tells whether there is one.
            let has_signature = || signatures.stored.get(branch.signature.end) == Some(&1);
            let record: &[u8] = if branch.by_features {
                records.of_branches.get(usize::from(number)).map_or(&[], Vec::as_slice)
            } else if has_signature() {
                &signatures.stored[branch.signature.clone()]
            } else {
                &[]
            };
            if branch.by_features {
                entry.stored.resize(branch.outline.start, 0);
                if !record.is_empty() {
                    near.write_outline(record, &mut entry.stored);
                }
                entry.stored.resize(branch.outline.end, 0);
            }
            if record.is_empty() {
                continue;
            }
            near.write_keys(record, &mut keys);
            entry.kept.extend(branch.told_apart(&keys, near.kinds()).map(|key| (number, key)));
            keys.clear();
            near.write_sought_keys(record, &mut keys);
            entry.sought.keys.extend(branch.told_apart(&keys, near.kinds()).map(|key| (number, key)));
            ranges.clear();
            near.write_sought_ranges(record, &mut ranges);
            let own =
                |KeyRange { first, last }| KeyRange { first: branch.own(first), last: branch.own(last) };
            entry.sought.ranges.extend(ranges.iter().map(|&range| (number, own(range))));
        }
        entry.sought.ranges.sort_unstable();
        entry
    }

    /// Whether what is stored of documents can tell those with an equal key of a branch apart.
    pub fn tells_apart(&self, branch: u8) -> bool {
        self.branches[usize::from(branch)].neighbours.is_some()
    }

    /// Whether two documents with an equal key of a branch may be its candidates, by what is stored of them.
    pub fn is_near(&self, branch: u8, a: &[u8], b: &[u8]) -> bool {
        self.may_pair(branch, self.outline(branch, a), self.outline(branch, b))
    }

    /// What a branch tells documents with an equal key apart by, among what is stored of one; may be nothing.
    pub fn outline<'a>(&self, branch: u8, stored: &'a [u8]) -> &'a [u8] {
        let BranchLookup { neighbours, outline, .. } = &self.branches[usize::from(branch)];
        if neighbours.is_some() { &stored[outline.clone()] } else { &[] }
    }

    /// Whether two documents with an equal key of a branch may be its candidates, by their outlines.
    pub fn may_pair(&self, branch: u8, a: &[u8], b: &[u8]) -> bool {
        let branch = &self.branches[usize::from(branch)];
        branch.neighbours.as_ref().is_none_or(|near| near.may_pair(a, b))
    }

    /// Which documents a branch only compares with pivots if there are too many of them.
    pub fn crowds(&self, branch: u8) -> CrowdsBy {
        match &self.branches[usize::from(branch)] {
            BranchLookup { neighbours: None, .. } => CrowdsBy::Key,
            BranchLookup { by_features: false, .. } => CrowdsBy::Signature,
            BranchLookup { by_features: true, .. } => CrowdsBy::Nothing,
        }
    }

    /// The signature of a branch among the bytes that are kept of a document.
    pub fn signature<'a>(&self, branch: u8, stored: &'a [u8]) -> &'a [u8] {
        &stored[self.branches[usize::from(branch)].signature.clone()]
    }

    /// Whether a branch whose signatures are joined could sign the document.
    pub fn has_signature(&self, branch: u8, stored: &[u8]) -> bool {
        // The byte behind a signature tells.
        stored.get(self.branches[usize::from(branch)].signature.end) == Some(&1)
    }

    /// Whether some of these branches must see records to know that two documents are candidates.
    pub fn needs_records(&self, found_by: u32) -> bool {
        found_by & self.unconfirmed != 0
    }

    /// Those of the branches that hold two documents for candidates when they see their records.
    pub fn confirmed(&self, found_by: u32, a: &JoinRecords, b: &JoinRecords) -> u32 {
        let mut confirmed = found_by & !self.unconfirmed;
        for (number, branch) in self.branches.iter().enumerate() {
            let bit = 1 << number;
            let records = a.of_branches.get(number).zip(b.of_branches.get(number));
            if found_by & self.unconfirmed & bit != 0
                && let (Some(near), Some((a, b))) = (&branch.neighbours, records)
                && near.pairs(a, b)
            {
                confirmed |= bit;
            }
        }
        confirmed
    }
}

impl BranchLookup {
    /// The real ones of a branch's keys, as none of another branch or of another kind can be. The kind is the place,
    /// counted round.
    fn told_apart(&self, keys: &[u64], kinds: usize) -> impl Iterator<Item = u64> {
        let real = keys.iter().enumerate().filter(|&(_, &key)| key != NO_KEY);
        let has_details = self.neighbours.as_ref().is_some_and(|near| near.seeks_ranges());
        real.map(move |(place, &key)| match has_details {
            true => self.own(key),
            false => hash::combine(key, (self.first_key + place % kinds) as u64),
        })
    }

    /// A key with details as none of another branch can be. The details stay as they are.
    fn own(&self, key: u64) -> u64 {
        let (what, details) = (key >> DETAIL_BITS, key & ((1 << DETAIL_BITS) - 1));
        hash::combine(what, self.first_key as u64) >> DETAIL_BITS << DETAIL_BITS | details
    }
}

/// How a join is asked for one document. Others cannot be used for one document at a time.
fn neighbours_of(pipeline: &Pipeline, branch: &Branch) -> Result<Option<Box<dyn Neighbours>>, String> {
    let Finder::Join(join) = &branch.finder else { return Ok(None) };
    let near = join.neighbours().ok_or_else(|| {
        format!(
            "candidates.type = \"{}\" compares all documents at once and cannot answer for one at a time: {}",
            join.spec().kind,
            if join.spec().kind == WithinClusters::INFO.name {
                "for an index name the clusters that a run has left with its results, candidates.clustering = { type = \
                 \"frozen\", partition = \"clusters.partition\" }"
            } else {
                "use another type of candidates for an index"
            }
        )
    })?;
    if join.source() == JoinSource::Features {
        // The join says of a first document whether it can work with such features at all.
        let extractor = branch.features.as_ref().unwrap_or(&pipeline.features);
        let fields = vec![None; extractor.fields().len()];
        let mut features = Features::default();
        features.fill(&**extractor, &Document { fields, ..Document::from_text(PROBE) });
        let mut records = Records::default();
        join.pack(&features, &mut records.bytes);
        records.ends.push(records.bytes.len());
        join.pairs(&records, 1, &|_| Ok(())).map_err(|error| error.to_string())?;
    }
    Ok(Some(near))
}

/// A text that has features of every kind.
const PROBE: &str = "This is a text of some words. It is only there to be looked at by a join, and the second \
                     sentence is as long as the first.";
