//! What a person should check before trusting a result.

use std::cmp::Reverse;
use std::collections::hash_map::Entry;
use std::collections::{HashMap, VecDeque};

use lookalike_core::text::{Scratch, for_each_word};
use lookalike_core::{Result, hash};

use super::Stream;
use super::clusters::{Member, Summary};
use super::doubts::{self, Doubt, Doubtful, NAMED, Traits};
use super::external::{Record, Sorter};
use super::outcome::Outcome;
use crate::corpus::CorpusNumber;
use crate::corpus::block::Column;
use crate::pipeline::Verify;
use lookalike_report::text::share;

/// A warning names a source with at least this many documents of which more than half are removed.
pub const SOURCE: u64 = 100;
/// Only this many clusters, the largest, are read again to see how long their texts are.
pub const READ_CLUSTERS: usize = 1000;
/// How many documents of each of these clusters are read.
pub const READ_TEXTS: usize = 9;
/// The beginning of a text shows whether it is short.
const READ_BYTES: usize = 4096;

/// The warning about a field that a recipe names and no document has.
pub(super) fn absent_field(name: &str) -> String {
    format!("no document has a text or a number in the field `{name}`, which the recipe names")
}

impl Outcome<'_> {
    /// All warnings.
    pub(super) fn warnings(&self) -> Result<Vec<String>> {
        let mut warnings = doubtful_clusters(self, self.report.threshold)?;
        warnings.extend(losing_sources(self)?);
        warnings.extend(self.general_warnings()?);
        Ok(warnings)
    }

    /// Warnings that are not about single clusters or removals: for callers that number the clusters anew, know more
    /// about them, and remove nothing.
    pub fn general_warnings(&self) -> Result<Vec<String>> {
        // So far the report has those about the recipe.
        let mut warnings = self.report.warnings.clone();
        warnings.extend(repeated_ids(self)?);
        let of_clusters = self.report.narrowing.iter().flat_map(|narrowed| &narrowed.narrowing.warnings);
        warnings.extend(of_clusters.cloned());
        Ok(warnings)
    }
}

/// What is remembered of a cluster that may be doubtful.
struct Suspect {
    summary: Summary,
    /// The members least like the master, the last first.
    weakest: Vec<CorpusNumber>,
    is_loose: bool,
}

/// The largest clusters, and what has to be counted of the others.
#[derive(Default)]
struct Suspects {
    /// Those of them that are read again, by falling size.
    largest: Vec<Suspect>,
    /// Of the others, the largest that are loose.
    loose: Vec<Suspect>,
    /// How many of the others are giant, and loose.
    giant_count: u64,
    loose_count: u64,
}

impl Suspects {
    fn find(outcome: &Outcome<'_>, threshold: f64) -> Result<Suspects> {
        let giant = doubts::giant_from(u64::from(outcome.catalog.len() - outcome.catalog.references));
        let mut all = Suspects::default();
        let mut reader = outcome.clusters.read()?;
        loop {
            let mut weakest = VecDeque::new();
            let mut is_loose = false;
            let next = reader.next(|_, _, member| {
                is_loose |= member.similarity < threshold && is_by_text(member);
                weakest.push_front(member.document);
                weakest.truncate(READ_TEXTS - 1);
                Ok(())
            })?;
            let Some(summary) = next else { break };
            // Most clusters are small, and of these few are needed.
            if summary.size < doubts::CROWD && !is_loose && summary.size < giant {
                continue;
            }
            all.largest.push(Suspect { summary, weakest: weakest.into(), is_loose });
            if all.largest.len() > 2 * READ_CLUSTERS {
                all.thin(giant);
            }
        }
        all.thin(giant);
        Ok(all)
    }

    /// Keeps the largest and counts the others.
    fn thin(&mut self, giant: u64) {
        let order = |suspect: &Suspect| (Reverse(suspect.summary.size), suspect.summary.number);
        self.largest.sort_unstable_by_key(order);
        for suspect in self.largest.drain(READ_CLUSTERS.min(self.largest.len())..) {
            self.giant_count += u64::from(suspect.summary.size >= giant);
            self.loose_count += u64::from(suspect.is_loose);
            if suspect.is_loose {
                self.loose.push(suspect);
            }
        }
        self.loose.sort_unstable_by_key(order);
        self.loose.truncate(NAMED);
    }
}

fn doubtful_clusters(outcome: &Outcome<'_>, threshold: f64) -> Result<Vec<String>> {
    let documents = u64::from(outcome.catalog.len() - outcome.catalog.references);
    let suspects = Suspects::find(outcome, threshold)?;
    let mut traits = Vec::with_capacity(suspects.largest.len());
    for suspect in &suspects.largest {
        let mut one = Traits { size: suspect.summary.size, ..Traits::default() };
        if one.size >= doubts::CROWD {
            one.words = words(outcome, suspect)?;
        }
        traits.push(one);
    }
    count_sources(outcome, &suspects.largest, &mut traits)?;
    let why = match outcome.pipeline.verify {
        Verify::Signature => "paired by signatures alone",
        _ => "linked only by a chain",
    };
    let all: Vec<&Suspect> = suspects.largest.iter().chain(&suspects.loose).collect();
    let mut found = Vec::new();
    for (place, suspect) in all.iter().enumerate() {
        let Summary { number, size, .. } = suspect.summary;
        let of_traits = traits.get(place).map_or(Vec::new(), |traits| traits.doubts(documents));
        let loose = suspect.is_loose.then_some(Doubt::Loose { why });
        found.extend(of_traits.into_iter().chain(loose).map(|doubt| Doubtful { place, number, size, doubt }));
    }
    let named_loose = suspects.loose.len() as u64;
    let more = [
        (Doubt::Giant { documents }, suspects.giant_count),
        (Doubt::Loose { why }, suspects.loose_count - named_loose),
    ];
    doubts::sentences_and_more(found, &more, |place| {
        let Summary { master, weakest, .. } = all[place].summary;
        Ok(format!(
            "; its weakest pair is {} and {} with similarity {}",
            outcome.id(master)?.display(),
            outcome.id(weakest.document)?.display(),
            share(weakest.similarity, 3)
        ))
    })
}

/// Whether the threshold applies to a member: not if it agrees with its master in images, links or the page, or a
/// person decided. Below it are members of chains only, unless every pair that the signatures propose was accepted.
fn is_by_text(member: &Member) -> bool {
    !member.decided && Stream::ALL.iter().all(|stream| member.found_by & stream.bit() == 0)
}

/// The lengths in words of the master and of the members least like it; stops as soon as most of them are long.
fn words(outcome: &Outcome<'_>, suspect: &Suspect) -> Result<Vec<u64>> {
    let documents = [&[suspect.summary.master], &suspect.weakest[..]].concat();
    let most = documents.len();
    let mut scratch = Scratch::default();
    let (mut words, mut many) = (Vec::with_capacity(most), 0);
    for text in outcome.texts(&documents)? {
        words.push(count_words(&text, &mut scratch));
        many += usize::from(words.last() >= Some(&doubts::FEW_WORDS));
        if 2 * many >= most {
            break;
        }
    }
    Ok(words)
}

/// How many words a text has; stops counting when it is clear that the text is not short.
pub fn count_words(text: &str, scratch: &mut Scratch) -> u64 {
    let mut words = 0;
    for_each_word(&text[..text.floor_char_boundary(READ_BYTES)], scratch, |_| words += 1);
    words
}

/// Counts the sources of clusters of short texts.
fn count_sources(outcome: &Outcome<'_>, suspects: &[Suspect], traits: &mut [Traits]) -> Result<()> {
    let few = suspects.iter().zip(traits).filter(|(_, traits)| traits.has_few_words());
    let mut few: HashMap<u64, &mut Traits> =
        few.map(|(suspect, traits)| (suspect.summary.number, traits)).collect();
    if few.is_empty() {
        return Ok(());
    }
    let mut names = SourceNames::default();
    let mut reader = outcome.clusters.read()?;
    loop {
        let mut sources = Sorter::new(&outcome.work, outcome.memory / 2);
        let next = reader.next(|number, _, member| match few.contains_key(&number) {
            true => sources.push(names.hash(outcome, member.document)?),
            false => Ok(()),
        })?;
        let Some(Summary { number, master, .. }) = next else { return Ok(()) };
        if let Some(traits) = few.get_mut(&number) {
            sources.push(names.hash(outcome, master)?)?;
            for source in sources.sorted().iter()? {
                source?;
                traits.sources += 1;
            }
        }
    }
}

/// The names of the sources of some blocks.
#[derive(Default)]
struct SourceNames {
    blocks: HashMap<usize, Vec<String>>,
}

/// The names of as many blocks are remembered.
const MOST_BLOCKS: usize = 256;

impl SourceNames {
    /// A number for the source of a document.
    fn hash(&mut self, outcome: &Outcome<'_>, document: CorpusNumber) -> Result<u128> {
        let (block, place) = outcome.catalog.source(document)?;
        if self.blocks.len() >= MOST_BLOCKS && !self.blocks.contains_key(&block) {
            self.blocks.clear();
        }
        let names = match self.blocks.entry(block) {
            Entry::Occupied(entry) => entry.into_mut(),
            Entry::Vacant(entry) => entry.insert(outcome.catalog.tail(block)?.sources),
        };
        let name = names.get(place as usize).map_or("", String::as_str);
        Ok(source_hash(name, outcome.catalog.blocks[block].header.input))
    }
}

/// A number for a source. The source of a document that names none is its file.
fn source_hash(name: &str, input: u32) -> u128 {
    match name {
        "" => u128::from(input),
        name => 1 << 64 | u128::from(hash::bytes(name.as_bytes())),
    }
}

fn losing_sources(outcome: &Outcome<'_>) -> Result<Vec<String>> {
    let sources = SourceCounts::count(outcome)?;
    let mut losing: Vec<(String, u64, u64)> = sources
        .losing
        .into_values()
        .map(|(name, (all, lost))| (name.unwrap_or_default(), all, lost))
        .collect();
    if sources.count < 2 {
        return Ok(Vec::new());
    }
    // By the share that goes, then by name.
    losing.sort_by(|a, b| (b.2 * a.1).cmp(&(a.2 * b.1)).then_with(|| a.0.cmp(&b.0)));
    let more = losing.len().saturating_sub(NAMED);
    let mut warnings: Vec<String> = losing
        .into_iter()
        .take(NAMED)
        .map(|(name, all, lost)| {
            format!(
                "source {name} loses {lost} of its {all} documents ({:.0} %)",
                100.0 * lost as f64 / all as f64
            )
        })
        .collect();
    if more > 0 {
        warnings.push(format!("{more} more sources lose more than half of their documents"));
    }
    Ok(warnings)
}

/// How many documents each source has and loses. There may be a source for every document, so only those that lose
/// more than half of many are remembered by name.
struct SourceCounts {
    count: u64,
    losing: HashMap<u128, (Option<String>, (u64, u64))>,
}

impl SourceCounts {
    fn count(outcome: &Outcome<'_>) -> Result<SourceCounts> {
        let mut sorter = Sorter::new(&outcome.work, outcome.memory / 2);
        for block in outcome.own_blocks() {
            for (place, (name, counts)) in in_block(outcome, block)?.into_iter().enumerate() {
                let input = outcome.catalog.blocks[block].header.input;
                let of = (block as u32, place as u32);
                sorter.push(InBlock { source: source_hash(&name, input), of, counts })?;
            }
        }
        let mut sources = SourceCounts { count: 0, losing: HashMap::new() };
        let mut current: Option<(u128, (u64, u64))> = None;
        for next in sorter.sorted().iter()? {
            let InBlock { source, counts: (all, lost), .. } = next?;
            match &mut current {
                Some((same, counts)) if *same == source => {
                    *counts = (counts.0 + u64::from(all), counts.1 + u64::from(lost));
                }
                _ => {
                    sources.end(current);
                    current = Some((source, (all.into(), lost.into())));
                }
            }
        }
        sources.end(current);
        if sources.count > 1 && !sources.losing.is_empty() {
            sources.name(outcome)?;
        }
        Ok(sources)
    }

    fn end(&mut self, source: Option<(u128, (u64, u64))>) {
        let Some((source, counts)) = source else { return };
        self.count += 1;
        if counts.0 >= SOURCE && counts.1 * 2 > counts.0 {
            self.losing.insert(source, (None, counts));
        }
    }

    fn name(&mut self, outcome: &Outcome<'_>) -> Result<()> {
        for block in outcome.own_blocks() {
            let input = outcome.catalog.blocks[block].header.input;
            for name in outcome.catalog.tail(block)?.sources {
                if let Some((known @ None, _)) = self.losing.get_mut(&source_hash(&name, input)) {
                    let file = &outcome.catalog.names[input as usize];
                    *known = Some(if name.is_empty() { file.clone() } else { name });
                }
            }
        }
        Ok(())
    }
}

/// The documents of one source in one block, all and those that go.
#[derive(Clone, Copy)]
struct InBlock {
    source: u128,
    of: (u32, u32),
    counts: (u32, u32),
}

impl Record for InBlock {
    type Key = (u128, (u32, u32));
    const BYTES: usize = 32;

    fn key(&self) -> Self::Key {
        (self.source, self.of)
    }

    fn put(&self, out: &mut Vec<u8>) {
        out.extend_from_slice(&self.source.to_le_bytes());
        for number in [self.of.0, self.of.1, self.counts.0, self.counts.1] {
            out.extend_from_slice(&number.to_le_bytes());
        }
    }

    fn get(bytes: &[u8]) -> Option<Self> {
        let (source, numbers) = bytes.split_first_chunk()?;
        let numbers: &[[u8; 4]; 4] = numbers.as_chunks::<4>().0.try_into().ok()?;
        let [block, place, all, lost] = numbers.map(u32::from_le_bytes);
        let source = u128::from_le_bytes(*source);
        Some(InBlock { source, of: (block, place), counts: (all, lost) })
    }
}

/// The sources of a block, with how many documents each has, and how many of these go.
fn in_block(outcome: &Outcome<'_>, block: usize) -> Result<Vec<(String, (u32, u32))>> {
    let catalog = &outcome.catalog;
    let mut sources: Vec<_> = catalog.tail(block)?.sources.into_iter().map(|name| (name, (0, 0))).collect();
    for (document, source) in catalog.documents_of(block).zip(catalog.numbers(block, Column::Source)?) {
        if let Some((_, (all, lost))) = sources.get_mut(source as usize) {
            *all += 1;
            *lost += u32::from(outcome.clusters.removed.get(document));
        }
    }
    Ok(sources)
}

/// Ids are evidence: if two documents share one, a person cannot know which is meant.
fn repeated_ids(outcome: &Outcome<'_>) -> Result<Option<String>> {
    let mut hashes = Sorter::new(&outcome.work, outcome.memory / 2);
    let mut repeats = 0u64;
    for block in outcome.own_blocks() {
        outcome.catalog.for_each_given_id(block, |id| {
            repeats += 1;
            hashes.push(hash::bytes(id))
        })?;
    }
    for different in hashes.sorted().iter()? {
        different?;
        repeats -= 1;
    }
    Ok((repeats > 0).then(|| {
        format!("{repeats} documents have the id of another one; results name them by id, so they cannot be told apart")
    }))
}
