//! Fills a new index with documents whose near-duplicates are already known: those of a finished batch run.
//!
//! Documents are signed, but not searched for and not compared: they are linked as the run linked them. Of several
//! documents with one name only the last counts, and links connect contents, so the store is filled when all documents
//! are signed. Until then texts and keys are on disk already, and the little that is left of a document is in memory.

use std::collections::HashMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use lookalike_core::threads::{self, try_both, try_on_threads};
use lookalike_core::{Error, Result, hash};
use lookalike_engine::pipeline::Compare;

use super::crowd;
use super::generation::{Generation, SignedDocument, SigningContext};
use super::index::Index;
use super::query::{QueryOptions, seconds};
use super::recrawl;
use crate::storage::document::ContentNumber;
use crate::storage::keys::RunBuilder;
use crate::storage::names::{LabelSets, Names};
use crate::storage::operation::Put;
use crate::storage::population::Population;
use crate::storage::store::{ContentPair, Load};
use crate::storage::texts::{End, Place};
use lookalike_core::numbers::{Number, Numbered};

/// Two waiting documents and their similarity.
type WaitingPair = (Number<Waiting>, Number<Waiting>, f64);

/// Fills a new index. Call [`add`](BulkLoader::add) and [`link`](BulkLoader::link), then
/// [`finish`](BulkLoader::finish).
pub struct BulkLoader<'a> {
    index: &'a Index,
    generation: Arc<Generation>,
    /// Where the texts begin, and where those written so far end.
    first_segment: u32,
    end: End,
    documents: Numbered<Waiting, Waiting>,
    /// Ids as JSON, scores and stored signatures of the documents, each end to end.
    ids: String,
    scores: Vec<u64>,
    stored: Vec<u8>,
    labels: LabelSets,
    sets: Names,
    /// Each branch with keys of its own, because branches differ in what is a crowd.
    keys: Vec<RunBuilder>,
    /// By hash of an id: the last document with that id, and whether there are others.
    by_id: HashMap<u64, (Number<Waiting>, bool)>,
    by_name: HashMap<u64, Number<Waiting>>,
    /// Linked pairs.
    pairs: Vec<WaitingPair>,
    doubtful: Vec<(Number<Waiting>, Number<Waiting>)>,
    now: u32,
}

/// A document that waits.
struct Waiting {
    /// Identifies its content.
    digest: Option<u128>,
    place: Place,
    /// Where its id ends among all ids.
    id_end: usize,
    labels: u32,
    set: u32,
}

impl Index {
    /// Starts to fill an index that has no documents yet.
    pub fn bulk_load(&self) -> Result<BulkLoader<'_>> {
        let generation = self.generation();
        let end = generation.store.write()?.end();
        let branches = generation.pipeline.branches.len();
        Ok(BulkLoader {
            index: self,
            generation,
            first_segment: end.segment,
            end,
            documents: Numbered::default(),
            ids: String::new(),
            scores: Vec::new(),
            stored: Vec::new(),
            labels: LabelSets::default(),
            sets: Names::default(),
            keys: (0..branches).map(|_| RunBuilder::new(&self.folder)).collect::<Result<_>>()?,
            by_id: HashMap::new(),
            by_name: HashMap::new(),
            pairs: Vec::new(),
            doubtful: Vec::new(),
            now: seconds(QueryOptions::default().now),
        })
    }
}

impl BulkLoader<'_> {
    /// Signs documents, each a JSON line. Lines that are no documents are left out: the batch run has already
    /// reported them.
    pub fn add(&mut self, lines: &[&[u8]]) -> Result<()> {
        let mut signed = self.sign(lines)?;
        signed.sort_unstable_by_key(|&(place, _)| place);
        let lines: Vec<&[u8]> = signed.iter().map(|&(place, _)| lines[place]).collect();
        let places = self.generation.store.texts.write(&mut self.end, &lines)?;
        for ((_, signed), place) in signed.into_iter().zip(places) {
            self.defer(signed, place)?;
        }
        Ok(())
    }

    fn sign(&self, lines: &[&[u8]]) -> Result<Vec<(usize, SignedDocument)>> {
        let first = self.documents.len();
        let threads = threads::available();
        let next = AtomicUsize::new(0);
        let parts = try_on_threads(threads, |_| {
            let mut context = SigningContext::new(&self.generation);
            let mut part = Vec::new();
            loop {
                let place = next.fetch_add(1, Ordering::Relaxed);
                let Some(line) = lines.get(place) else { return Ok(part) };
                match context.sign(line, (first + place) as u32) {
                    Ok(signed) if signed.id.is_some() => part.push((place, signed)),
                    Ok(_) | Err(Error::Input(_)) => {}
                    Err(error) => return Err(error),
                }
            }
        })?;
        Ok(parts.into_iter().flatten().collect())
    }

    fn defer(&mut self, signed: SignedDocument, place: Place) -> Result<()> {
        let Some(id) = &signed.id else { return Ok(()) };
        if self.documents.is_full() {
            return Err(Error::input("an index has no room for so many documents"));
        }
        self.ids.push_str(id.json());
        self.scores.extend_from_slice(&signed.scores);
        self.stored.extend_from_slice(&signed.stored);
        let number = self.documents.push(Waiting {
            digest: signed.digest,
            place,
            id_end: self.ids.len(),
            labels: self.labels.number(&signed.labels),
            set: self.sets.number(&signed.set),
        });
        let same = self.by_id.entry(hash::bytes(id.json().as_bytes()));
        same.and_modify(|last| *last = (number, true)).or_insert((number, false));
        self.by_name.insert(name_of(id.json(), &signed.labels), number);
        if signed.digest.is_some() {
            for &(branch, key) in &signed.kept {
                if let Some(keys) = self.keys.get_mut(usize::from(branch)) {
                    keys.push(key, number.raw())?;
                }
            }
        }
        Ok(())
    }

    /// Whether a document with this id, given as JSON, has been added.
    pub fn has(&self, id: &str) -> bool {
        self.by_id.contains_key(&hash::bytes(id.as_bytes()))
    }

    /// Links two documents, named by their ids as JSON. Unknown ids are ignored. If `may_be_others`, or if an id
    /// occurs more than once, the ids may mean other documents than those of the pair: then the two are compared
    /// first, and linked only if they are near-duplicates.
    pub fn link(&mut self, a: &str, b: &str, similarity: f64, may_be_others: bool) {
        let known = |id: &str| self.by_id.get(&hash::bytes(id.as_bytes())).copied();
        let (Some((a, repeats)), Some((b, repeats_too))) = (known(a), known(b)) else { return };
        if may_be_others || repeats || repeats_too {
            self.doubtful.push((a, b));
        } else {
            self.pairs.push((a, b, similarity));
        }
    }

    /// The doubtful pairs that are near-duplicates when compared.
    fn compared(&self) -> Result<Vec<WaitingPair>> {
        let mut context = SigningContext::new(&self.generation);
        let mut line = Vec::new();
        let mut signed = |number: Number<Waiting>| {
            self.generation.store.texts.read(self.documents[number].place, &mut line)?;
            context.sign(&line, number.raw())
        };
        let mut alike = Vec::new();
        for &(a, b) in &self.doubtful {
            let (in_a, in_b) = (signed(a)?, signed(b)?);
            let pipeline = &self.generation.pipeline;
            let judged = pipeline.compare(Compare::Decide, in_a.as_compared(), in_b.as_compared());
            alike.extend(judged.map(|judged| (a, b, judged.verdict.similarity)));
        }
        Ok(alike)
    }

    /// The links between contents. Exact copies share a content and need none.
    fn links(&self, compared: &[WaitingPair], population: &Population) -> Vec<ContentPair> {
        let content = |number| self.documents[number].digest.and_then(|digest| population.content_of(digest));
        let mut links = Vec::with_capacity(self.pairs.len() + compared.len());
        for &(a, b, similarity) in self.pairs.iter().chain(compared) {
            if let (Some(a), Some(b)) = (content(a), content(b))
                && a != b
            {
                links.push((a.min(b), a.max(b), similarity));
            }
        }
        links.sort_unstable_by(|x, y| (x.0, x.1).cmp(&(y.0, y.1)).then(y.2.total_cmp(&x.2)));
        links.dedup_by_key(|link| (link.0, link.1));
        links
    }

    /// Inserts everything, durable when this returns. Of several documents with the same id and labels only the
    /// last is inserted.
    pub fn finish(self) -> Result<()> {
        let compared = self.compared()?;
        let (index, first_segment, end) = (self.index, self.first_segment, self.end);
        index.write(|generation, writer| {
            let mut load = writer.load();
            let synced = || generation.store.texts.sync(first_segment);
            try_both(|| self.fill(&mut load, &compared), synced)?;
            load.finish(end)
        })
    }

    fn fill(self, load: &mut Load<'_>, compared: &[WaitingPair]) -> Result<()> {
        let mut created: Numbered<Waiting, Option<ContentNumber>> = Numbered::default();
        for number in self.documents.numbers() {
            let put = self.put(number);
            let is_last = self.by_name.get(&name_of(&put.id, &put.labels)) == Some(&number);
            created.push(if is_last { load.put(put) } else { None });
        }
        load.link(&self.links(compared, load.population()));
        // A content has the keys of the document that it came with.
        let content_of = |number: u32| created[Number::from_index(number as usize)];
        for (branch, keys) in (0..).zip(self.keys) {
            load.keys(keys, content_of, |state, bucket| {
                crowd::members(&self.generation, state, branch, bucket)
            })?;
        }
        Ok(())
    }

    /// A document as the store takes it. Keys and links come when all documents are there.
    fn put(&self, number: Number<Waiting>) -> Put {
        let (waiting, at) = (&self.documents[number], number.index());
        let id_start = number.before().map_or(0, |before| self.documents[before].id_end);
        let layout = self.generation.layout();
        Put {
            id: self.ids[id_start..waiting.id_end].to_owned(),
            place: waiting.place,
            digest: waiting.digest,
            scores: self.scores[at * layout.rules..][..layout.rules].to_vec(),
            keys: Vec::new(),
            stored: self.stored[at * layout.stored..][..layout.stored].to_vec(),
            labels: self.labels.get(waiting.labels).to_vec(),
            set: self.sets.get(waiting.set).unwrap_or_default().to_owned(),
            added: self.now,
            expires: 0,
            lives: 0,
            hits: 0,
            interval: recrawl::FIRST,
            links: Vec::new(),
            continues: None,
            origin: None,
            crowd: None,
        }
    }
}

/// A hash of what identifies a document: its id and its labels.
fn name_of(id: &str, labels: &[String]) -> u64 {
    let mut labels: Vec<&String> = labels.iter().collect();
    labels.sort_unstable();
    labels.dedup();
    let name = hash::bytes(id.as_bytes());
    labels.into_iter().fold(name, |name, label| hash::combine(name, hash::bytes(label.as_bytes())))
}

#[cfg(test)]
mod tests;
