//! Applies the decisions of people, whatever was found.
//!
//! The documents are looked up by id in one pass, which remembers only the ids that were named. Preferences rank
//! documents before copies and clusters are formed; decisions change the verified pairs before they are clustered. A
//! decision is about a content, as in an index: exact copies share it.

use std::collections::{BTreeMap, HashMap, HashSet};

use lookalike_core::Result;
use lookalike_io::record::Fields;

use super::external::{Sorted, Sorter};
use super::group::{ExactCopy, Representatives};
use super::report::DecisionCounts;
use super::verify::{Verified, Verifier};
use crate::corpus::catalog::Catalog;
use crate::corpus::reread::Reread;
use crate::corpus::{CorpusNumber, Source};
use crate::decisions::{DecidedPair, Decisions, Named, TextDigest};

/// The decisions, by the numbers of the documents.
#[derive(Default)]
pub struct Decided {
    pairs: Vec<(CorpusNumber, CorpusNumber, bool)>,
    pub preferred: HashSet<CorpusNumber>,
    counts: DecisionCounts,
}

/// The document that a decision names.
enum Resolved {
    Here(CorpusNumber),
    /// The document is in the corpus, but its text has changed.
    Changed,
    Unknown,
}

/// The versions of one document that decisions name, and the last document that has each.
#[derive(Default)]
struct NamedVersions {
    is_here: bool,
    versions: Vec<(Option<TextDigest>, Option<CorpusNumber>)>,
}

impl Decided {
    /// Finds the documents. If several have the same id and the text that was seen, the last one
    /// counts.
    pub fn find(
        said: &Decisions,
        catalog: &Catalog,
        source: &dyn Source,
        fields: &Fields,
        threads: usize,
    ) -> Result<Decided> {
        let named = said.pairs.iter().flat_map(|pair| [&pair.a, &pair.b]).chain(&said.keepers);
        let mut named_versions: HashMap<&str, NamedVersions> = HashMap::new();
        for Named { id, text } in named {
            let versions = &mut named_versions.entry(id.json()).or_default().versions;
            if versions.iter().all(|(known, _)| known != text) {
                versions.push((*text, None));
            }
        }
        let mut here: Vec<(CorpusNumber, &str)> = Vec::new();
        for block in 0..catalog.blocks.len() {
            catalog.for_each_id(block, |document, id| {
                here.extend(named_versions.get_key_value(id).map(|(&id, _)| (document, id)));
                Ok(())
            })?;
        }
        let read = here.iter().filter(|(_, id)| named_versions[id].has_texts());
        catalog.gather(source, threads, read.map(|&(document, _)| document))?;
        let mut reread = Reread::new(catalog, source, fields);
        for (document, id) in here {
            if let Some(versions) = named_versions.get_mut(id) {
                versions.visit(document, &mut reread)?;
            }
        }
        Ok(Decided::with(said, &named_versions))
    }

    fn with(said: &Decisions, named_versions: &HashMap<&str, NamedVersions>) -> Decided {
        let resolve = |named: &Named| {
            named_versions.get(named.id.json()).map_or(Resolved::Unknown, |one| one.resolve(named.text))
        };
        let mut decided = Decided::default();
        let counts = &mut decided.counts;
        for DecidedPair { a, b, duplicate } in &said.pairs {
            match (resolve(a), resolve(b)) {
                (Resolved::Here(a), Resolved::Here(b)) => decided.pairs.push((a, b, *duplicate)),
                (Resolved::Unknown, _) | (_, Resolved::Unknown) => counts.unknown += 1,
                _ => counts.stale += 1,
            }
        }
        for keeper in &said.keepers {
            match resolve(keeper) {
                Resolved::Here(document) => {
                    decided.preferred.insert(document);
                    counts.used += 1;
                }
                Resolved::Changed => counts.stale += 1,
                Resolved::Unknown => counts.unknown += 1,
            }
        }
        decided
    }

    /// Removes pairs that people called different, adds those they called duplicates, which go into `decided` with the
    /// rest, and counts the decisions applied.
    pub fn apply(
        self,
        verifier: &Verifier<'_>,
        verified: Sorted<Verified>,
        copies: &Sorted<ExactCopy>,
        mut decided: Sorter<Verified>,
    ) -> Result<(Sorted<Verified>, DecisionCounts)> {
        let Decided { pairs, mut counts, .. } = self;
        let copies = Representatives::find(copies, pairs.iter().flat_map(|&(a, b, _)| [a, b]))?;
        let catalog = verifier.catalog;
        let mut last_word: BTreeMap<(CorpusNumber, CorpusNumber), bool> = BTreeMap::new();
        for (a, b, duplicate) in pairs {
            let (a, b) = (copies.of(a), copies.of(b));
            let is_empty = catalog.digest(a)?.is_none() || catalog.digest(b)?.is_none();
            let both_known = catalog.is_reference(a) && catalog.is_reference(b);
            if a == b || is_empty || both_known {
                counts.undecidable += 1;
            } else {
                counts.used += 1;
                last_word.insert((a.min(b), a.max(b)), duplicate);
            }
        }
        if last_word.is_empty() {
            return Ok((verified, counts));
        }
        for pair in verified.iter()? {
            let pair = pair?;
            if !last_word.contains_key(&(pair.a, pair.b)) {
                decided.push(pair)?;
            }
        }
        let duplicates = last_word.into_iter().filter(|&(_, duplicate)| duplicate).map(|(pair, _)| pair);
        let measured = verifier.measure_fully(duplicates.collect())?;
        measured.into_iter().try_for_each(|pair| decided.push(Verified { decided: true, ..pair }))?;
        Ok((decided.sorted(), counts))
    }
}

impl NamedVersions {
    /// Most ids are named with a text. If none is, nothing has to be read.
    fn has_texts(&self) -> bool {
        self.versions.iter().any(|(seen, _)| seen.is_some())
    }

    fn visit(&mut self, document: CorpusNumber, reread: &mut Reread<'_>) -> Result<()> {
        self.is_here = true;
        let mut text = None;
        if self.has_texts() {
            text = Some(TextDigest::of(&reread.read(document)?.text));
        }
        for (seen, last) in &mut self.versions {
            if seen.is_none() || *seen == text {
                *last = Some(document);
            }
        }
        Ok(())
    }

    fn resolve(&self, text: Option<TextDigest>) -> Resolved {
        let version = self.versions.iter().find(|(known, _)| *known == text);
        match version.and_then(|&(_, last)| last) {
            Some(document) => Resolved::Here(document),
            None if self.is_here => Resolved::Changed,
            None => Resolved::Unknown,
        }
    }
}
