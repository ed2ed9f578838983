//! The result of a run: a value from which files, pages and figures are made.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::path::PathBuf;
use std::time::Instant;

use lookalike_core::document::Id;
use lookalike_core::{Error, Result};
use lookalike_io::record::Fields;

use super::clusters::{Clusters, CopyPair, Member, RunCluster, Summary};
use super::lines::DECISION;
use super::report::{Report, WeakText};
use super::work::Work;
use super::{Job, PassedOver};
use crate::corpus::block::Column;
use crate::corpus::catalog::{Catalog, Decides};
use crate::corpus::{CorpusNumber, Source};
use crate::pipeline::Pipeline;

/// The documents of a run with what was computed of them, the verified pairs, and the clusters with their keepers and
/// the evidence for every member.
pub struct Outcome<'a> {
    pub(super) pipeline: &'a Pipeline,
    pub(super) job: &'a Job,
    pub(super) source: &'a dyn Source,
    pub(super) fields: Fields,
    pub(super) catalog: Catalog,
    pub(super) clusters: Clusters,
    /// What is known before anything is written.
    pub(super) report: Report,
    pub(super) clock: Clock,
    /// Where and in how much memory results are sorted.
    pub(super) work: PathBuf,
    pub(super) memory: u64,
    /// The folder of a run without an output folder; it exists while documents may be read again.
    pub(super) _temporary: Option<Work>,
}

impl Outcome<'_> {
    /// Calls `visit` with every cluster, by rising master; a cluster's number is its place, from 1.
    pub fn for_each_cluster(&self, mut visit: impl FnMut(&RunCluster) -> Result<()>) -> Result<()> {
        let mut reader = self.clusters.read()?;
        let mut members = Vec::new();
        while let Some(Summary { master, .. }) = reader.next(|_, _, &member| {
            members.push(member);
            Ok(())
        })? {
            visit(&RunCluster { master, members: std::mem::take(&mut members) })?;
        }
        Ok(())
    }

    /// A document's id, by its number.
    pub fn id(&self, document: CorpusNumber) -> Result<Id> {
        self.catalog.id(document)
    }

    /// All documents, including those of the corpus compared against.
    pub fn documents(&self) -> u32 {
        self.catalog.len()
    }

    /// A document's text, read again.
    pub fn text(&self, document: CorpusNumber) -> Result<String> {
        Ok(self.texts(&[document])?.pop().unwrap_or_default())
    }

    /// The texts of several documents.
    pub(super) fn texts(&self, documents: &[CorpusNumber]) -> Result<Vec<String>> {
        let missing = documents.iter().filter(|&&document| !self.catalog.is_at_hand(document));
        let missing: HashSet<CorpusNumber> = missing.copied().collect();
        // A copy with the same text as its representative is not read again for it.
        let mut same = HashMap::new();
        if !missing.is_empty() {
            for pair in self.clusters.copies.iter()? {
                let CopyPair { representative, copy, .. } = pair?;
                if missing.contains(&copy) && self.catalog.are_same(copy, representative)? {
                    same.insert(copy, representative);
                }
            }
        }
        let documents = documents.iter().map(|document| *same.get(document).unwrap_or(document));
        self.catalog.gather(self.source, self.job.threads, documents.clone())?;
        let mut reader = self.source.reader(&self.fields);
        let mut text = |document| {
            let read = reader.read(&self.catalog.span(document)?)?;
            Ok(read.map(|document| document.text.into_owned()).unwrap_or_default())
        };
        documents.map(&mut text).collect()
    }

    /// The method that found the pair of a member and its master; for an ensemble, all that did.
    pub fn method_of(&self, member: &Member) -> String {
        member.found(false).method(self.pipeline).into_owned()
    }

    /// The rule that ranks the master before the next best document of its cluster.
    pub fn kept_by(&self, cluster: &RunCluster) -> Result<String> {
        let members = cluster.members.iter().map(|member| member.document);
        Ok(match self.catalog.what_decides(cluster.master, members)? {
            Decides::Against => "against".to_owned(),
            Decides::Person => DECISION.to_owned(),
            Decides::Rule(rule) => {
                let rules = self.pipeline.keep.text.split(',').map(str::trim);
                rules.into_iter().nth(rule).unwrap_or_default().to_owned()
            }
            Decides::Id => "id".to_owned(),
        })
    }

    /// For the lines of an input, from the first on, whether each is a document that stays.
    pub fn kept_lines(&self, input: usize) -> Result<Vec<bool>> {
        let is_removed = &self.clusters.removed;
        let mut lines = Vec::new();
        for block in (0..self.catalog.blocks.len())
            .filter(|&block| self.catalog.blocks[block].header.input as usize == input)
        {
            for (document, line) in
                self.catalog.documents_of(block).zip(self.catalog.numbers(block, Column::Line)?)
            {
                let line = self.catalog.line_number(block, line) as usize - 1;
                if lines.len() <= line {
                    lines.resize(line + 1, false);
                }
                lines[line] = !is_removed.get(document);
            }
        }
        Ok(lines)
    }

    /// Blocks of the corpus itself, not of the one compared against.
    pub(super) fn own_blocks(&self) -> impl Iterator<Item = usize> {
        (0..self.catalog.blocks.len()).filter(|&block| self.catalog.is_own(block))
    }

    /// It is an error if a run over some input gives no document: what should be kept would be
    /// lost.
    pub(super) fn check_something_was_read(&self, passed_over: &PassedOver) -> Result<()> {
        let (unreadable, passed) = (self.job.unreadable.len(), passed_over.files);
        if self.catalog.len() > self.catalog.references || (unreadable == 0 && passed == 0) {
            return Ok(());
        }
        let first = self.job.unreadable.first().map(|(path, reason)| format!("{path}: {reason}"));
        let first = first.or_else(|| passed_over.first.first().map(|path| format!("{path}: no corpus")));
        Err(Error::Input(format!(
            "no document could be read of {} files; the first: {}",
            unreadable as u64 + passed,
            first.unwrap_or_default()
        )))
    }

    /// Fills in the counts of the report.
    pub(super) fn count(&mut self) -> Result<()> {
        let (catalog, clusters) = (&self.catalog, &self.clusters);
        let own = || self.own_blocks().map(|block| &catalog.blocks[block].header);
        let (empty, unsigned) = (
            own().map(|header| u64::from(header.empty)).sum(),
            own().map(|header| u64::from(header.unsigned)).sum(),
        );
        let rejected: u64 = catalog.blocks.iter().map(|block| u64::from(block.header.rejected)).sum();
        let (mut differences, mut contradictions) = (BTreeMap::new(), BTreeMap::new());
        let (mut removed, mut exact, mut last) = (0, 0, 0);
        clusters.for_each_member(|number, _, member| {
            (removed, last) = (removed + 1, number);
            exact += u64::from(member.exact);
            for kind in member.difference.iter().flat_map(|difference| difference.kinds()) {
                *differences.entry(kind.name()).or_default() += 1;
            }
            for kind in member.streams.contradicting() {
                *contradictions.entry(kind.name()).or_default() += 1;
            }
            Ok(())
        })?;
        let named = |counts: BTreeMap<&str, u64>| {
            counts.into_iter().map(|(name, count)| (name.to_owned(), count)).collect()
        };
        let mut pairs = 0;
        for pair in clusters.verified.iter()? {
            pair?;
            pairs += 1;
        }
        for copy in shown_copies(catalog, clusters)? {
            copy?;
            pairs += 1;
        }
        let report = &mut self.report;
        (report.differences, report.contradictions) = (named(differences), named(contradictions));
        report.against = u64::from(catalog.references);
        report.documents = u64::from(catalog.len()) - report.against;
        report.rejected = rejected + self.job.unreadable.len() as u64;
        report.weak = self.job.weak.iter().map(|(id, reason)| WeakText::new(id, reason)).collect();
        (report.empty, report.unsigned) = (empty, unsigned);
        (report.removed, report.exact_copies, report.clusters, report.pairs) = (removed, exact, last, pairs);
        report.kept = report.documents - report.removed;
        Ok(())
    }
}

/// Exact copies with their representatives, without those within the corpus compared against.
pub fn shown_copies<'a>(
    catalog: &'a Catalog,
    clusters: &'a Clusters,
) -> Result<impl Iterator<Item = Result<CopyPair>> + 'a> {
    let is_shown =
        |pair: &CopyPair| !catalog.is_reference(pair.copy) || !catalog.is_reference(pair.representative);
    Ok(clusters.copies.iter()?.filter(move |pair| pair.as_ref().map_or(true, is_shown)))
}

/// Seconds by stage.
pub struct Clock {
    began: Instant,
    last: Instant,
    pub laps: Vec<(&'static str, f64)>,
}

impl Default for Clock {
    fn default() -> Self {
        let now = Instant::now();
        Clock { began: now, last: now, laps: Vec::new() }
    }
}

impl Clock {
    pub fn lap(&mut self, stage: &'static str) {
        self.laps.push((stage, self.last.elapsed().as_secs_f64()));
        self.last = Instant::now();
    }

    pub fn stages(&self) -> BTreeMap<String, f64> {
        self.laps.iter().map(|&(stage, seconds)| (stage.to_owned(), seconds)).collect()
    }

    /// Seconds since it was started.
    pub fn seconds(&self) -> f64 {
        self.began.elapsed().as_secs_f64()
    }
}
