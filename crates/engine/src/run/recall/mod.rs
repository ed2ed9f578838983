//! The measured recall of a run: a random sample of documents is compared exactly with all others.
//!
//! Contents are drawn at random without regard to anything else, by a hash of their digests, so the sample depends
//! neither on threads nor on the order of the input. Each pair belongs to one of its documents (`partners`). All pairs
//! of the sampled documents that the recipe's own decision accepts are found: outlines rule out documents that cannot
//! be partners, the others are read again and compared on their full feature sets. Where there are very many, some are
//! drawn, and each stands for as many as were passed over.
//!
//! The sum of what the sampled documents' pairs stand for is an unbiased (Horvitz–Thompson) estimate of all pairs, up
//! to the share of documents that was drawn; so is that of the pairs that the run found. The recall is the ratio of the
//! two. Pairs of one document are found or missed together, so its interval comes from reweighting sampled documents,
//! not pairs (`lookalike_learn::interval::grouped`).

mod measured;
mod outlines;
mod partners;
mod sampled;
#[cfg(test)]
mod tests;

use std::collections::{BinaryHeap, HashMap, HashSet};

use lookalike_core::Result;
use lookalike_core::features::{FeatureSet, Features};
use lookalike_learn::Interval;
use lookalike_learn::interval::{Share, grouped};

use self::outlines::Outliner;
use self::partners::{MOST, PartnerSearch, Partners, number};
use self::sampled::{Sample, Sampled};
use super::clusters::Clusters;
use super::external::Sorted;
use super::verify::{Verified, Verifier};
use crate::corpus::Bits;
use crate::corpus::CorpusNumber;
use crate::corpus::block::{Column, NO_FEATURES};
use crate::corpus::reread::Reread;
use crate::progress::Progress;

pub use self::measured::MeasuredRecall;
pub use self::outlines::{OutlineSize, OutlineWriter, Outlines};

/// That and how recall is measured.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct RecallSample {
    /// How many documents are drawn; absent: 500, or 50 if the measure weighs features.
    pub documents: Option<u32>,
    /// Another seed draws other documents.
    pub seed: u64,
}

/// The usual size of the sample. Looking each of them up in all outlines takes less than a tenth of a run's time.
const USUAL: u32 = 500;

/// With weights the numbers of features rule out nothing, so that every outline is looked at.
const USUAL_WEIGHTED: u32 = 50;

/// How often documents are reweighted for an interval.
const RESAMPLES: u32 = 2000;

impl RecallSample {
    fn size(&self, documents: usize, weighs: bool) -> usize {
        let usual = if weighs { USUAL_WEIGHTED } else { USUAL };
        (self.documents.unwrap_or(usual) as usize).min(documents)
    }
}

/// The near-duplicate pairs of a sample, and which of them the run found.
pub struct SampledPairs {
    /// Documents that the sample was drawn from.
    documents: usize,
    /// For each sampled document, its possible partners and its pairs.
    of: Vec<(Partners, Vec<SampledPair>)>,
    seed: u64,
}

struct SampledPair {
    sampled: CorpusNumber,
    other: CorpusNumber,
    found: bool,
}

/// What the measurement works with.
pub struct Measuring<'a> {
    pub verifier: &'a Verifier<'a>,
    pub outlines: &'a Outlines,
    pub sample: RecallSample,
    pub copies: &'a Bits,
    pub memory: u64,
}

impl Measuring<'_> {
    /// The pairs of a sample, held against those that the run verified, which are sorted by (a, b).
    pub fn run(&self, verified: &Sorted<Verified>, progress: &dyn Progress) -> Result<SampledPairs> {
        let Verifier { pipeline, catalog, source, threads, .. } = *self.verifier;
        let (drawn, documents) = self.draw()?;
        let search = PartnerSearch {
            catalog,
            outlines: self.outlines,
            copies: self.copies,
            threads,
            seed: self.sample.seed,
        };
        catalog.gather(source, threads, drawn.iter().map(|&(document, _)| document))?;
        let mut drawn = drawn.into_iter().peekable();
        let mut of = Vec::new();
        let mut reader = SampleReader::new(self);
        while drawn.peek().is_some() {
            // A sample of very long documents goes in several rounds.
            let (mut round, mut bytes) = (Vec::new(), 0);
            while bytes < self.memory
                && let Some((document, digest)) = drawn.next()
            {
                let sampled = reader.read(document, digest)?;
                bytes += sampled.bytes() as u64;
                round.push(sampled);
            }
            let round = Sample::new(round, &*pipeline.decider, &self.outlines.size);
            progress.stage("measuring recall", catalog.blocks.len() as u64);
            let partners = search.run(&round, progress)?;
            of.extend(self.compare(&round.documents, partners, verified)?);
        }
        Ok(SampledPairs { documents, of, seed: self.sample.seed })
    }

    /// Whether documents are compared by the weights of their features.
    fn weighs(&self) -> bool {
        self.verifier.pipeline.decider.least_cosine().is_some()
    }

    /// Draws different contents of the corpus itself; also tells how many there are.
    fn draw(&self) -> Result<(Vec<(CorpusNumber, u128)>, usize)> {
        let catalog = self.verifier.catalog;
        let mut contents = 0;
        let each = |visit: &mut dyn FnMut(CorpusNumber, u128)| -> Result<()> {
            for block in (0..catalog.blocks.len()).filter(|&block| catalog.is_own(block)) {
                let digests = catalog.column(block, Column::Digest)?;
                for (document, digest) in catalog.documents_of(block).zip(digests.as_chunks::<16>().0) {
                    let digest = u128::from_le_bytes(*digest);
                    let counts = digest != NO_FEATURES && !self.copies.get(document);
                    if counts && !catalog.is_reference(document) {
                        visit(document, digest);
                    }
                }
            }
            Ok(())
        };
        each(&mut |_, _| contents += 1)?;
        let size = self.sample.size(contents, self.weighs());
        let mut drawn = BinaryHeap::with_capacity(size + 1);
        each(&mut |document, digest| {
            drawn.push((number(digest, self.sample.seed), digest, document));
            if drawn.len() > size {
                drawn.pop();
            }
        })?;
        let mut drawn: Vec<(CorpusNumber, u128)> =
            drawn.into_iter().map(|(_, digest, document)| (document, digest)).collect();
        drawn.sort_unstable();
        Ok((drawn, contents))
    }

    /// Compares sampled documents with their possible partners.
    fn compare(
        &self,
        round: &[Sampled],
        partners: Vec<Partners>,
        verified: &Sorted<Verified>,
    ) -> Result<Vec<(Partners, Vec<SampledPair>)>> {
        let ordered = |a: CorpusNumber, b: CorpusNumber| (a.min(b), a.max(b));
        let pairs = round.iter().zip(&partners).flat_map(|(sampled, partners)| {
            partners.drawn.iter().map(|&(_, other)| ordered(sampled.document, other))
        });
        let accepted = self.verifier.accepted(pairs.collect())?;
        let is_among = |pairs: &[Verified], pair| {
            pairs.binary_search_by_key(&pair, |verified| (verified.a, verified.b)).is_ok()
        };
        let mut found = HashSet::new();
        for pair in &accepted {
            found.extend(verified.get(&(pair.a, pair.b))?.map(|pair| (pair.a, pair.b)));
        }
        let compared = round.iter().zip(partners).map(|(sampled, partners)| {
            let sampled = sampled.document;
            let others = partners.drawn.iter().map(|&(_, other)| other);
            let others = others.filter(|&other| is_among(&accepted, ordered(sampled, other)));
            let found = |other| found.contains(&ordered(sampled, other));
            let pairs = others.map(|other| SampledPair { sampled, other, found: found(other) }).collect();
            (partners, pairs)
        });
        Ok(compared.collect())
    }
}

impl SampledPairs {
    /// The estimate.
    pub fn measure(&self, clusters: &Clusters) -> Result<MeasuredRecall> {
        let of_pairs = self.of.iter().flat_map(|(_, pairs)| pairs);
        let named: HashSet<CorpusNumber> = of_pairs.flat_map(|pair| [pair.sampled, pair.other]).collect();
        let mut cluster_of = HashMap::new();
        clusters.for_each_member(|number, master, member| {
            let documents = [master, member.document].into_iter().filter(|document| named.contains(document));
            cluster_of.extend(documents.map(|document| (document, number)));
            Ok(())
        })?;
        let together = |pair: &SampledPair| {
            let cluster = cluster_of.get(&pair.sampled);
            cluster.is_some() && cluster == cluster_of.get(&pair.other)
        };
        let found = self.share(|pair| pair.found);
        let all = || self.of.iter().flat_map(|(_, pairs)| pairs);
        let whole: f64 =
            self.of.iter().map(|(partners, pairs)| stands_for(partners) * pairs.len() as f64).sum();
        Ok(MeasuredRecall {
            recall: found.map(|share| share.value),
            low: found.map(|share| share.low),
            high: found.map(|share| share.high),
            in_one_cluster: self.share(together),
            sampled: self.of.len() as u64,
            documents: self.documents as u64,
            pairs: all().count() as u64,
            found: all().filter(|pair| pair.found).count() as u64,
            estimated_pairs: whole * self.documents as f64 / self.of.len().max(1) as f64,
        })
    }

    /// The share of pairs of which something is true.
    fn share(&self, is_true: impl Fn(&SampledPair) -> bool) -> Option<Interval> {
        let shares = self.of.iter().map(|(partners, pairs)| {
            let weight = stands_for(partners);
            let part = weight * pairs.iter().filter(|pair| is_true(pair)).count() as f64;
            Share { part, whole: weight * pairs.len() as f64 }
        });
        let share = grouped(&shares.collect::<Vec<_>>(), RESAMPLES, self.seed)?;
        let counted = self.of.len() == self.documents
            && self.of.iter().all(|(partners, _)| partners.count <= MOST as u64);
        // Where nothing was left to chance, the share is known.
        Some(if counted { Interval { low: share.value, high: share.value, ..share } } else { share })
    }
}

/// How many possible partners each one that was drawn stands for.
fn stands_for(partners: &Partners) -> f64 {
    partners.count as f64 / partners.drawn.len().max(1) as f64
}

/// Reads sampled documents again.
struct SampleReader<'a> {
    measuring: &'a Measuring<'a>,
    reread: Reread<'a>,
    features: Features,
    set: FeatureSet,
    outliner: Outliner,
}

impl<'a> SampleReader<'a> {
    fn new(measuring: &'a Measuring<'a>) -> Self {
        let Verifier { catalog, source, fields, .. } = *measuring.verifier;
        let reread = Reread::new(catalog, source, fields);
        let (features, set) = (Features::default(), FeatureSet::default());
        SampleReader { measuring, reread, features, set, outliner: Outliner::default() }
    }

    fn read(&mut self, document: CorpusNumber, digest: u128) -> Result<Sampled> {
        let Measuring { verifier, outlines, .. } = self.measuring;
        self.features.fill(&*verifier.pipeline.features, &self.reread.read(document)?);
        self.set.fill(&self.features);
        let weighs = self.measuring.weighs();
        let least = self.outliner.least_features(&self.features.hashes, &outlines.size);
        Ok(Sampled::new(document, digest, least, &self.set, weighs))
    }
}
