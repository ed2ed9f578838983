//! Compares every candidate pair on the documents' full feature sets.
//!
//! Documents are read again and their features computed again, which is cheaper than keeping them:
//! memory stays at one batch for each thread. Finished batches are logged, so that a killed run
//! does not repeat them; the pairs alone determine the batches, so they are the same the next time.

use std::collections::HashSet;
use std::path::Path;
use std::sync::{Mutex, PoisonError};

use lookalike_core::decide::{Because, Overlap, Verdict};
use lookalike_core::difference::Difference;
use lookalike_core::streams::{StreamAgreement, Streams};
use lookalike_core::{Error, Result};
use lookalike_io::record::Fields;

use super::Progress;
use super::batches::{BATCH_DOCUMENTS, Batch, Batches, Pair};
use super::candidates::Candidates;
use super::external::{Record, Sorted, Sorter};
use super::loaded::{Kept, Loader};
use crate::corpus::catalog::Catalog;
use crate::corpus::reread::Reread;
use crate::corpus::{CorpusNumber, Source};
use crate::pipeline::{Compare, Differs, FieldPlan, Pipeline, Verify};
use lookalike_core::threads::{try_on_threads, try_spread};
use lookalike_plumbing::log::{Framing, Log};

/// A verified pair, a < b.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Verified {
    pub a: CorpusNumber,
    pub b: CorpusNumber,
    pub similarity: f64,
    /// Absent for an estimate.
    pub overlap: Option<Overlap>,
    /// A bit for each branch that proposed the pair; 0 if it was only measured.
    pub found_by: u32,
    /// What weighed most in the decision.
    pub because: Because,
    /// How `b` differs from `a`; absent if the texts were not compared.
    pub difference: Option<Difference>,
    /// How their streams agree; nothing if the documents were not compared.
    pub streams: StreamAgreement,
    /// A person said that the two are duplicates.
    pub decided: bool,
}

impl Record for Verified {
    type Key = (CorpusNumber, CorpusNumber);
    const BYTES: usize = LONG_RECORD + 1;

    fn key(&self) -> Self::Key {
        (self.a, self.b)
    }

    fn put(&self, out: &mut Vec<u8>) {
        put(self, out);
        out.extend_from_slice(&self.streams.to_bytes());
        out.push(self.decided.into());
    }

    fn get(bytes: &[u8]) -> Option<Self> {
        let (&decided, record) = bytes.split_last()?;
        Some(Verified { decided: decided != 0, ..get(record)? })
    }
}

impl Pair {
    fn with(&self, verdict: Verdict, difference: Option<Difference>, streams: StreamAgreement) -> Verified {
        let &Pair { a, b, found_by } = self;
        let Verdict { similarity, overlap, because, .. } = verdict;
        Verified { a, b, similarity, overlap, found_by, because, difference, streams, decided: false }
    }
}

pub struct Verifier<'a> {
    pub pipeline: &'a Pipeline,
    pub catalog: &'a Catalog,
    pub source: &'a dyn Source,
    pub fields: &'a Fields,
    pub plan: &'a FieldPlan,
    pub threads: usize,
    /// Whether it is asked how documents differ, and not only which are near-duplicates.
    pub tells_differences: bool,
}

impl Verifier<'_> {
    /// The candidates that are near-duplicates, by (a, b); what does not fit into `memory` goes to disk.
    pub fn run(
        &self,
        candidates: &Candidates,
        work: &Path,
        memory: u64,
        progress: &dyn Progress,
    ) -> Result<Sorted<Verified>> {
        progress.stage("verifying", candidates.count);
        let share = memory / (self.threads as u64 + 1);
        let mut earlier = Sorter::new(work, share);
        let mut done = HashSet::new();
        let log = Log::open(&work.join("verified"), Framing::Plain, |_, frame| {
            let (number, pairs) = decode(frame)?;
            done.insert(number);
            pairs.into_iter().try_for_each(|pair| earlier.push(pair))
        })?;
        let batches = Batches::new(candidates.pairs.iter()?, candidates.has_hubs, self.catalog);
        let source = Mutex::new(batches);
        let kept = Kept::new(memory);
        let mut found = try_on_threads(self.threads, |stop| {
            let mut scratch = Scratch::new(self, Some(&kept));
            let mut found = Sorter::new(work, share);
            loop {
                if stop.is_set() {
                    return Ok(found);
                }
                let batch = source.lock().unwrap_or_else(PoisonError::into_inner).next()?;
                let Some(Batch { number, pairs, window }) = batch else { return Ok(found) };
                scratch.window = window;
                if !done.contains(&number) {
                    let verified = scratch.verify(&pairs, Compare::Decide)?;
                    log.append(&encode(number, &verified))?;
                    verified.into_iter().try_for_each(|pair| found.push(pair))?;
                }
                progress.advance(pairs.len() as u64, 0)?;
            }
        })?;
        found.push(earlier);
        Ok(Sorter::finish(found))
    }

    /// How alike these pairs are, whether or not they reach the threshold; by (a, b).
    pub fn measure(&self, pairs: Vec<(CorpusNumber, CorpusNumber)>) -> Result<Vec<Verified>> {
        match self.pipeline.verify {
            Verify::Estimate => {
                self.in_batches(pairs, |scratch, batch| scratch.estimate(batch, Compare::Measure))
            }
            Verify::Exact | Verify::Signature => self.measure_fully(pairs),
        }
    }

    /// The same on the full feature sets, even if the run uses estimates.
    pub fn measure_fully(&self, pairs: Vec<(CorpusNumber, CorpusNumber)>) -> Result<Vec<Verified>> {
        self.gather(&pairs)?;
        self.in_batches(pairs, |scratch, batch| scratch.compare(batch, Compare::Measure))
    }

    /// Those of the pairs that the decision accepts on their full feature sets, however the run verifies; by (a, b).
    pub fn accepted(&self, pairs: Vec<(CorpusNumber, CorpusNumber)>) -> Result<Vec<Verified>> {
        self.gather(&pairs)?;
        self.in_batches(pairs, |scratch, batch| scratch.compare(batch, Compare::Accept))
    }

    /// How the second document of each pair differs from the first, and how their streams agree.
    pub fn differences(&self, pairs: &[(CorpusNumber, CorpusNumber)]) -> Result<Vec<Differs>> {
        self.gather(pairs)?;
        let reader = || (Reread::new(self.catalog, self.source, self.fields), Streams::default());
        try_spread(
            self.threads,
            pairs,
            || (reader(), reader()),
            |((first, of_first), (second, of_second)), &(a, b)| {
                let (first, second) = (first.read(a)?, second.read(b)?);
                self.plan.fill_streams(&first, of_first);
                self.plan.fill_streams(&second, of_second);
                Ok(self.pipeline.differs((&first.text, of_first), (&second.text, of_second)))
            },
        )
    }

    fn gather(&self, pairs: &[(CorpusNumber, CorpusNumber)]) -> Result<()> {
        self.catalog.gather(self.source, self.threads, pairs.iter().flat_map(|&(a, b)| [a, b]))
    }

    fn in_batches(
        &self,
        pairs: Vec<(CorpusNumber, CorpusNumber)>,
        compare: fn(&mut Scratch<'_>, &[Pair]) -> Result<Vec<Verified>>,
    ) -> Result<Vec<Verified>> {
        let mut pairs: Vec<Pair> = pairs.into_iter().map(|(a, b)| Pair { a, b, found_by: 0 }).collect();
        pairs.sort_unstable_by_key(|pair| (pair.a, pair.b));
        let batches = pairs.chunks(BATCH_DOCUMENTS / 2);
        let results = try_spread(self.threads, batches, || Scratch::new(self, None), compare)?;
        let mut found: Vec<Verified> = results.into_iter().flatten().collect();
        found.sort_unstable_by_key(|pair| (pair.a, pair.b));
        Ok(found)
    }
}

/// One thread with the documents of the current batch.
struct Scratch<'a> {
    verifier: &'a Verifier<'a>,
    documents: Loader<'a>,
    /// That the batch is in, if its pairs come by tiles.
    window: Option<u32>,
}

impl<'a> Scratch<'a> {
    fn new(verifier: &'a Verifier<'a>, kept: Option<&'a Kept>) -> Self {
        let &Verifier { pipeline, catalog, source, fields, plan, tells_differences, .. } = verifier;
        let needs_texts = tells_differences || pipeline.decides_by_differences();
        let reread = Reread::new(catalog, source, fields);
        let documents = Loader::new((pipeline, plan), reread, needs_texts, kept);
        Scratch { verifier, documents, window: None }
    }

    fn verify(&mut self, pairs: &[Pair], asked: Compare) -> Result<Vec<Verified>> {
        match self.verifier.pipeline.verify {
            Verify::Estimate => self.estimate(pairs, asked),
            Verify::Exact | Verify::Signature => self.compare(pairs, asked),
        }
    }

    fn estimate(&self, pairs: &[Pair], asked: Compare) -> Result<Vec<Verified>> {
        let Verifier { pipeline, catalog, .. } = self.verifier;
        let estimate = |pair: &Pair| {
            let verdict = pipeline.estimate(asked, &catalog.signature(pair.a)?, &catalog.signature(pair.b)?);
            Ok(verdict.map(|verdict| pair.with(verdict, None, StreamAgreement::NONE)))
        };
        pairs.iter().filter_map(|pair| estimate(pair).transpose()).collect()
    }

    fn compare(&mut self, pairs: &[Pair], asked: Compare) -> Result<Vec<Verified>> {
        let pipeline = self.verifier.pipeline;
        self.documents.load(pairs.iter().flat_map(|pair| [pair.a, pair.b]), self.window)?;
        let compare = |pair: &Pair| {
            let (a, b) = (self.documents.get(pair.a), self.documents.get(pair.b));
            if !self.verifier.tells_differences {
                return Some(pair.with(pipeline.verdict(asked, a, b)?, None, StreamAgreement::NONE));
            }
            let judged = pipeline.compare(asked, a, b)?;
            Some(pair.with(judged.verdict, Some(judged.difference), judged.streams))
        };
        Ok(pairs.iter().filter_map(compare).collect())
    }
}

const RECORD: usize = 37;
/// A record with how the streams agree.
const LONG_RECORD: usize = RECORD + StreamAgreement::BYTES;
/// The bit in the number of a batch that says that its records are long.
const HAS_STREAMS: u64 = 1 << 63;

fn encode(number: u64, pairs: &[Verified]) -> Vec<u8> {
    let has_streams = pairs.iter().any(|pair| pair.streams.told().is_some());
    let mut frame = Vec::with_capacity(8 + pairs.len() * if has_streams { LONG_RECORD } else { RECORD });
    frame.extend_from_slice(&(number | if has_streams { HAS_STREAMS } else { 0 }).to_le_bytes());
    for pair in pairs {
        put(pair, &mut frame);
        if has_streams {
            frame.extend_from_slice(&pair.streams.to_bytes());
        }
    }
    frame
}

fn decode(frame: &[u8]) -> Result<(u64, Vec<Verified>)> {
    let broken = || Error::Incompatible("the work folder was written by another version".to_owned());
    let (number, records) = frame.split_first_chunk::<8>().ok_or_else(broken)?;
    let number = u64::from_le_bytes(*number);
    let size = if number & HAS_STREAMS != 0 { LONG_RECORD } else { RECORD };
    if records.len() % size != 0 {
        return Err(broken());
    }
    let pairs = records.chunks_exact(size).map(get).collect::<Option<_>>().ok_or_else(broken)?;
    Ok((number & !HAS_STREAMS, pairs))
}

/// Appends a pair, without streams and what people decided.
fn put(pair: &Verified, out: &mut Vec<u8>) {
    let overlap = pair.overlap.unwrap_or_default();
    for part in [pair.a.raw(), pair.b.raw(), overlap.shared, overlap.a, overlap.b, pair.found_by] {
        out.extend_from_slice(&part.to_le_bytes());
    }
    out.extend_from_slice(&pair.similarity.to_le_bytes());
    out.extend(pair.because.map(|reason| reason as u8));
    out.extend_from_slice(&pair.difference.map_or(0, Difference::bits).to_le_bytes());
}

/// A pair, with streams if there are bytes of them.
fn get(record: &[u8]) -> Option<Verified> {
    let (record, streams) = record.split_at_checked(RECORD)?;
    let streams = StreamAgreement::from_bytes(streams).unwrap_or(StreamAgreement::NONE);
    let (numbers, rest) = record.split_at_checked(24)?;
    let (similarity, rest) = rest.split_first_chunk()?;
    let (because, difference) = rest.split_first_chunk::<3>()?;
    let number = |place: usize| u32::from_le_bytes(numbers.as_chunks::<4>().0[place]);
    let [a, b, shared, in_a, in_b, found_by] = [0, 1, 2, 3, 4, 5].map(number);
    Some(Verified {
        a: CorpusNumber::from_index(a as usize),
        b: CorpusNumber::from_index(b as usize),
        similarity: f64::from_le_bytes(*similarity),
        overlap: (in_a > 0).then_some(Overlap { shared, a: in_a, b: in_b }),
        found_by,
        because: because.map(|byte| byte as i8),
        difference: difference
            .first_chunk()
            .and_then(|bits| Difference::from_bits(u16::from_le_bytes(*bits))),
        streams,
        decided: false,
    })
}

#[cfg(test)]
mod tests {
    use lookalike_core::decide::NO_REASON;
    use lookalike_core::streams::StreamKind;

    use super::*;

    #[test]
    fn logged_pairs_come_back_as_they_were() {
        let pairs = [
            Verified {
                a: CorpusNumber::from_index(1),
                b: CorpusNumber::from_index(2),
                similarity: 0.875,
                overlap: Some(Overlap { shared: 7, a: 8, b: 7 }),
                found_by: 3,
                because: [4, -127, 0],
                difference: Some(Difference::between("one two 3", "one 4")),
                streams: StreamAgreement::NONE,
                decided: false,
            },
            Verified {
                a: CorpusNumber::from_index(3),
                b: CorpusNumber::from_index(900),
                similarity: 0.8,
                overlap: None,
                found_by: 1,
                because: NO_REASON,
                difference: None,
                streams: StreamAgreement::NONE,
                decided: false,
            },
        ];
        assert_eq!(decode(&encode(42, &pairs)).unwrap(), (42, pairs.to_vec()));
        assert_eq!(encode(42, &pairs).len(), 8 + 2 * RECORD, "as before there were streams");
        let mut pairs = pairs;
        pairs[1].streams.note(StreamKind::Links, (5, 4), 0.05);
        assert_eq!(decode(&encode(42, &pairs)).unwrap(), (42, pairs.to_vec()));
        for pair in pairs.map(|pair| Verified { decided: true, ..pair }) {
            let mut bytes = Vec::new();
            Record::put(&pair, &mut bytes);
            assert_eq!((bytes.len(), <Verified as Record>::get(&bytes)), (Verified::BYTES, Some(pair)));
        }
        let frame = encode(42, &pairs);
        assert!(decode(&frame[..frame.len() - 1]).is_err());
    }
}
