//! Candidates of methods that pair all documents at once.
//!
//! All records that a join needs stay in memory: a signature of some bytes, or what the join packs
//! of a document's features. The method's page says how much that is.
//!
//! Many documents with the same signature are treated as a large bucket (see `Buckets`): all are
//! paired with its pivots, and only the pivots take part in the join. So the work stays
//! proportional to the number of documents.

use lookalike_core::candidates::{Join, JoinSource, Records, pairs_in_bucket};
use lookalike_core::features::Features;
use lookalike_core::threads::try_spread;
use lookalike_core::{Error, Result};

use super::search::Search;
use crate::corpus::CorpusNumber;
use crate::corpus::block::{Column, NO_FEATURES};
use crate::corpus::reread::Reread;

/// Receives pairs of documents. The join itself knows its records by their indices.
type EmitDocuments<'a> = dyn Fn(&[(CorpusNumber, CorpusNumber)]) -> Result<()> + Sync + 'a;

/// Hands the pairs of documents that the join finds to `emit`.
pub fn run(
    search: &Search<'_>,
    branch: usize,
    join: &dyn Join,
    first_byte: usize,
    emit: &EmitDocuments<'_>,
) -> Result<()> {
    let collector = || Collector::new(search, branch, join, first_byte);
    let blocks = 0..search.catalog.blocks.len();
    let parts = try_spread(search.threads, blocks, collector, |collector, block| {
        emit(&[])?;
        collector.collect(block)
    })?;
    let (mut records, mut documents) = (Records::default(), Vec::new());
    records.bytes.reserve_exact(parts.iter().map(|(part, _)| part.bytes.len()).sum());
    for (part, numbers) in parts {
        let start = records.bytes.len();
        records.bytes.extend_from_slice(&part.bytes);
        records.ends.extend(part.ends.iter().map(|end| start + end));
        documents.extend(numbers);
    }
    if join.source() == JoinSource::Signature {
        pair_crowds(search, &mut records, &mut documents, emit)?;
    }
    join.pairs(&records, search.threads, &|pairs| {
        let number = |place: u32| documents.get(place as usize).copied();
        let numbered: Option<Vec<(CorpusNumber, CorpusNumber)>> =
            pairs.iter().map(|&(a, b)| Some((number(a)?, number(b)?))).collect();
        emit(
            &numbered
                .ok_or_else(|| Error::Internal("a join named a document it was not given".to_owned()))?,
        )
    })
}

/// Pairs the documents of a large bucket with its pivots and takes all others out of the join.
fn pair_crowds(
    search: &Search<'_>,
    records: &mut Records,
    documents: &mut Vec<CorpusNumber>,
    emit: &EmitDocuments<'_>,
) -> Result<()> {
    let limits = search.limits;
    let mut by_signature: Vec<u32> = (0..documents.len() as u32).collect();
    by_signature.sort_unstable_by_key(|&place| (records.get(place as usize), place));
    let mut stays = vec![true; documents.len()];
    let equal = |a: &u32, b: &u32| records.get(*a as usize) == records.get(*b as usize);
    let crowds = by_signature.chunk_by(equal).filter(|crowd| limits.needs_pivots(crowd.len()));
    for crowd in crowds {
        let numbers: Vec<CorpusNumber> = crowd.iter().map(|&place| documents[place as usize]).collect();
        let pivots = search.pivots(&numbers)?;
        let mut pairs = Vec::new();
        pairs_in_bucket(limits, &numbers, &pivots, |a, b| pairs.push((a, b)));
        emit(&pairs)?;
        for &place in crowd {
            stays[place as usize] = pivots.contains(&documents[place as usize]);
        }
    }
    if stays.iter().all(|&stays| stays) {
        return Ok(());
    }
    let mut thinned = Records::default();
    for place in (0..documents.len()).filter(|&place| stays[place]) {
        thinned.push(records.get(place));
    }
    *records = thinned;
    let mut stays = stays.into_iter();
    documents.retain(|_| stays.next().unwrap_or(true));
    Ok(())
}

/// Collects the records of one block after another.
struct Collector<'a> {
    search: &'a Search<'a>,
    branch: usize,
    join: &'a dyn Join,
    first_byte: usize,
    reread: Reread<'a>,
    features: Features,
}

impl<'a> Collector<'a> {
    fn new(search: &'a Search<'a>, branch: usize, join: &'a dyn Join, first_byte: usize) -> Self {
        let reread = Reread::new(search.catalog, search.source, search.fields);
        Collector { search, branch, join, first_byte, reread, features: Features::default() }
    }

    fn collect(&mut self, block: usize) -> Result<(Records, Vec<CorpusNumber>)> {
        let catalog = self.search.catalog;
        let branch = &self.search.pipeline.branches[self.branch];
        let (mut records, mut documents) = (Records::default(), Vec::new());
        let digests = catalog.column(block, Column::Digest)?;
        let signatures = match self.join.source() {
            JoinSource::Signature => Some(catalog.column(block, Column::Signature)?),
            JoinSource::Features => None,
        };
        let width = catalog.layout.signature;
        for (index, document) in catalog.documents_of(block).enumerate() {
            let digest = digests[16 * index..].first_chunk().map_or(0, |digest| u128::from_le_bytes(*digest));
            if digest == NO_FEATURES || self.search.copies.get(document) {
                continue;
            }
            if let Some(signatures) = &signatures {
                let start = index * width + self.first_byte;
                let (signature, rest) = signatures[start..].split_at(branch.signer.width());
                if rest.first() == Some(&1) {
                    records.push(signature);
                    documents.push(document);
                }
                continue;
            }
            let text = self.reread.read(document)?;
            match &branch.features {
                Some(own) => self.features.fill(&**own, &self.search.plan.view(self.branch, &text)),
                None => self.features.fill(&*self.search.pipeline.features, &text),
            }
            if !self.features.is_empty() {
                self.join.pack(&self.features, &mut records.bytes);
                records.ends.push(records.bytes.len());
                documents.push(document);
            }
        }
        Ok((records, documents))
    }
}
