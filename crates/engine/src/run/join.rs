//! Candidates of methods that pair all documents at once.
//!
//! A join works on records in memory: a signature of some bytes, or what the join packs of a document's features. If
//! they do not all fit, they are kept on disk in parts, and every two parts are joined: each pair is in one of these
//! joins at least.
//!
//! Many documents with the same signature are treated as a large bucket (see `Buckets`): all are
//! paired with its pivots, and only the pivots take part in the join. So the work stays
//! proportional to the number of documents.

use std::ops::ControlFlow;

use lookalike_core::candidates::{Join, JoinSource, pairs_with_pivots};
use lookalike_core::features::Features;
use lookalike_core::threads::try_spread;
use lookalike_core::{Error, Result, hash};

use super::group::{Bucket, Keyed, for_each_bucket, sharing};
use super::parts::{Part, Parts};
use super::search::Search;
use crate::corpus::Bits;
use crate::corpus::block::{Column, NO_FEATURES};
use crate::corpus::{ChunkPlace, ChunkReader, ChunkWorker, CorpusNumber, for_each_chunk};

/// Receives pairs of documents. The join itself knows its records by their indices.
type EmitDocuments<'a> = dyn Fn(&[(CorpusNumber, CorpusNumber)]) -> Result<()> + Sync + 'a;

/// Pairs are handed on in batches of this many.
const BATCH: usize = 1 << 12;

/// Hands the pairs of documents that the join finds to `emit`.
pub fn run(
    search: &Search<'_>,
    branch: usize,
    join: &dyn Join,
    first_byte: usize,
    emit: &EmitDocuments<'_>,
) -> Result<()> {
    let mut taken = Collecting { search, branch, join, first_byte, passed_over: search.copies };
    let apart;
    if join.source() == JoinSource::Signature {
        apart = taken.pair_crowds(emit)?;
        taken.passed_over = &apart;
    }
    let parts = taken.collect(emit)?;
    if !parts.is_one() && join.neighbours().is_none() {
        return Err(Error::config(format!(
            "`{}` looks at all documents at once, and what it needs of these does not fit into `--memory`: allow \
             about {} MB more, or choose another method",
            join.spec().kind,
            parts.needs().saturating_sub(search.join_memory).div_ceil(1_000_000)
        )));
    }
    parts.for_each_two(|part| pairs_of(join, &part, search.threads, emit))
}

fn pairs_of(join: &dyn Join, part: &Part, threads: usize, emit: &EmitDocuments<'_>) -> Result<()> {
    join.pairs(&part.records, threads, &|pairs| {
        let number = |place: u32| part.documents.get(place as usize).copied();
        let numbered: Option<Vec<(CorpusNumber, CorpusNumber)>> =
            pairs.iter().map(|&(a, b)| Some((number(a)?, number(b)?))).collect();
        emit(
            &numbered
                .ok_or_else(|| Error::Internal("a join named a document it was not given".to_owned()))?,
        )
    })
}

/// Documents with the same signature, which is as good as known by its digest.
impl Keyed for Collecting<'_> {
    type Key = u128;

    fn documents(&self) -> u32 {
        self.search.catalog.len()
    }

    fn for_each(&self, mut visit: impl FnMut(CorpusNumber, u128) -> Result<()>) -> Result<()> {
        (0..self.search.catalog.blocks.len()).try_for_each(|block| {
            self.for_each_signature(block, |document, signature| {
                visit(document, hash::digest_bytes(signature))
            })
        })
    }
}

/// Collects the records of the documents that take part.
struct Collecting<'a> {
    search: &'a Search<'a>,
    branch: usize,
    join: &'a dyn Join,
    first_byte: usize,
    passed_over: &'a Bits,
}

impl Collecting<'_> {
    /// Pairs the documents of a large bucket with its pivots. All others of them, and the copies, do not take part.
    fn pair_crowds(&self, emit: &EmitDocuments<'_>) -> Result<Bits> {
        let Search { limits, work, memory, .. } = *self.search;
        let shared = sharing(self, work, memory / 2)?;
        let mut apart = self.search.copies.clone();
        let mut pairs = Vec::with_capacity(BATCH);
        for_each_bucket(&shared, limits.full, |bucket| {
            if matches!(bucket, Bucket::Small(_)) {
                return Ok(());
            }
            let pivots = self.search.pivots(|see| bucket.for_each(see))?;
            bucket.for_each(|document| {
                pairs_with_pivots(document, &pivots, |a, b| pairs.push((a, b)));
                if !pivots.contains(&document) {
                    apart.set(document);
                }
                if pairs.len() >= BATCH {
                    emit(&pairs)?;
                    pairs.clear();
                }
                Ok(())
            })
        })?;
        emit(&pairs)?;
        Ok(apart)
    }

    fn collect(&self, emit: &EmitDocuments<'_>) -> Result<Parts> {
        let Search { catalog, source, fields, threads, .. } = *self.search;
        let parts = Parts::new(self.search.work, self.search.join_memory, self.join.source());
        if self.join.source() == JoinSource::Signature {
            try_spread(
                threads,
                0..catalog.blocks.len(),
                || (),
                |(), block| {
                    emit(&[])?;
                    parts.add(block, self.signatures(block)?)
                },
            )?;
            return Ok(parts);
        }
        // All documents in another pass: every one is needed, and not all can be read one by one.
        let worker = || Packing { collecting: self, parts: &parts, emit, features: Features::default() };
        for_each_chunk(&*source.pass()?, fields, threads, &|_, _| false, worker)?;
        source.check_unchanged()?;
        Ok(parts)
    }

    fn signatures(&self, block: usize) -> Result<Part> {
        let mut part = Part::default();
        self.for_each_signature(block, |document, signature| {
            part.records.push(signature);
            part.documents.push(document);
            Ok(())
        })?;
        Ok(part)
    }

    /// The signatures of a block, of documents that take part and have one.
    fn for_each_signature(
        &self,
        block: usize,
        mut visit: impl FnMut(CorpusNumber, &[u8]) -> Result<()>,
    ) -> Result<()> {
        let catalog = self.search.catalog;
        let digests = catalog.column(block, Column::Digest)?;
        let signatures = catalog.column(block, Column::Signature)?;
        let length = self.search.pipeline.branches[self.branch].signer.width();
        let rows = signatures.chunks_exact(catalog.layout.signature.max(1));
        for ((document, digest), row) in
            catalog.documents_of(block).zip(digests.as_chunks::<16>().0).zip(rows)
        {
            if u128::from_le_bytes(*digest) == NO_FEATURES || self.passed_over.get(document) {
                continue;
            }
            let (signature, rest) = row[self.first_byte..].split_at(length);
            if rest.first() == Some(&1) {
                visit(document, signature)?;
            }
        }
        Ok(())
    }
}

/// Packs the features of documents, chunk by chunk.
struct Packing<'a> {
    collecting: &'a Collecting<'a>,
    parts: &'a Parts,
    emit: &'a EmitDocuments<'a>,
    features: Features,
}

impl ChunkWorker for Packing<'_> {
    type Output = ();

    fn take(&mut self, chunk: &ChunkPlace, documents: &mut dyn ChunkReader) -> Result<ControlFlow<()>> {
        let Collecting { search, branch, join, passed_over, .. } = *self.collecting;
        let Search { pipeline, catalog, plan, .. } = *search;
        (self.emit)(&[])?;
        let changed = || {
            let name = &catalog.names[chunk.input];
            Error::Incompatible(format!("{name} changed while it was being read"))
        };
        let block = catalog.block_of(chunk.input, chunk.part).ok_or_else(changed)?;
        let digests = catalog.column(block, Column::Digest)?;
        let mut known = catalog.documents_of(block).zip(digests.as_chunks::<16>().0);
        let mut part = Part::default();
        documents.for_each(&mut |entry| {
            let Ok(record) = entry.record else { return Ok(()) };
            let (document, digest) = known.next().ok_or_else(changed)?;
            if u128::from_le_bytes(*digest) == NO_FEATURES || passed_over.get(document) {
                return Ok(());
            }
            match &pipeline.branches[branch].features {
                Some(own) => self.features.fill(&**own, &plan.view(branch, &record.document)),
                None => self.features.fill(&*pipeline.features, &record.document),
            }
            if !self.features.is_empty() {
                let Part { records, documents } = &mut part;
                join.pack(&self.features, &mut records.bytes);
                records.ends.push(records.bytes.len());
                documents.push(document);
            }
            Ok(())
        })?;
        if known.next().is_some() {
            return Err(changed());
        }
        self.parts.add(block, part)?;
        Ok(ControlFlow::Continue(()))
    }

    fn finish(self) {}
}
