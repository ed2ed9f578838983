//! Fills a new index with documents whose near-duplicates are already known: those of a finished batch run.
//!
//! Documents are signed, but not searched for and not compared: they are linked as the run linked them. Links
//! connect contents, and which documents share a content is only known when all are signed. Until then the
//! documents wait in a temporary file.

use std::collections::HashMap;
use std::fs::File;
use std::io::{BufReader, BufWriter, Read, Seek, Write};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use lookalike_core::threads::{self, try_on_threads};
use lookalike_core::{Error, Result, hash};
use lookalike_engine::pipeline::Compare;

use super::find;
use super::generation::{Generation, SignedDocument, SigningContext};
use super::index::Index;
use super::query::{QueryOptions, seconds};
use super::recrawl;
use crate::storage::bytes::Decoder;
use crate::storage::operation::{Operation, Put};
use crate::storage::texts::{End, Place};
use lookalike_core::numbers::{Number, Numbered};

/// Upkeep is checked for after this many documents.
const BATCH: u32 = 1000;

/// Two waiting documents and their similarity.
type WaitingPair = (Number<Waiting>, Number<Waiting>, f64);

/// Fills a new index. Call [`add`](BulkLoader::add) and [`link`](BulkLoader::link), then
/// [`finish`](BulkLoader::finish).
pub struct BulkLoader<'a> {
    index: &'a Index,
    generation: Arc<Generation>,
    /// Where the texts written so far end.
    end: End,
    waiting: BufWriter<File>,
    documents: Numbered<Waiting, Waiting>,
    /// By hash of an id: the last document with that id, and whether there are others.
    by_id: HashMap<u64, (Number<Waiting>, bool)>,
    by_name: HashMap<u64, Number<Waiting>>,
    /// Linked pairs.
    pairs: Vec<WaitingPair>,
    doubtful: Vec<(Number<Waiting>, Number<Waiting>)>,
    now: u32,
}

/// A document that waits: what identifies its content, and where its text is.
struct Waiting {
    digest: Option<u128>,
    place: Place,
}

impl Index {
    /// Starts to fill an index that has no documents yet.
    pub fn bulk_load(&self) -> Result<BulkLoader<'_>> {
        let generation = self.generation();
        let end = generation.store.write()?.end();
        let waiting = tempfile::tempfile_in(&self.folder).map_err(Error::io(&self.folder))?;
        Ok(BulkLoader {
            index: self,
            generation,
            end,
            waiting: BufWriter::with_capacity(1 << 20, waiting),
            documents: Numbered::default(),
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
        let number = self.documents.push(Waiting { digest: signed.digest, place });
        let same = self.by_id.entry(hash::bytes(id.json().as_bytes()));
        same.and_modify(|last| *last = (number, true)).or_insert((number, false));
        self.by_name.insert(name_of(id.json(), &signed.labels), number);
        let branches: Vec<u8> = signed.kept.iter().map(|&(branch, _)| branch).collect();
        let put = Operation::Put(Put {
            id: id.json().to_owned(),
            place,
            digest: signed.digest,
            scores: signed.scores,
            keys: signed.kept.iter().map(|&(_, key)| key).collect(),
            stored: signed.stored,
            labels: signed.labels,
            set: signed.set,
            added: self.now,
            expires: 0,
            lives: 0,
            hits: 0,
            interval: recrawl::FIRST,
            links: Vec::new(),
            continues: None,
            origin: None,
            crowd: None,
        });
        let mut bytes = Vec::new();
        put.encode(&mut bytes);
        for part in [&bytes, &branches] {
            let length = (part.len() as u32).to_le_bytes();
            let written = self.waiting.write_all(&length).and_then(|()| self.waiting.write_all(part));
            written.map_err(Error::io(&self.index.folder))?;
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
        let mut features = |number: Number<Waiting>| {
            self.generation.store.texts.read(self.documents[number].place, &mut line)?;
            Ok::<_, Error>(context.sign(&line, number.raw())?.features)
        };
        let mut alike = Vec::new();
        for &(a, b) in &self.doubtful {
            let (a_set, b_set) = (features(a)?, features(b)?);
            let verdict = self.generation.pipeline.compare(Compare::Decide, &a_set, &b_set);
            alike.extend(verdict.map(|verdict| (a, b, verdict.similarity)));
        }
        Ok(alike)
    }

    /// The links between contents, in both directions. Exact copies share a content and need none.
    fn links(&self) -> Result<Vec<(u128, u128, f64)>> {
        let compared = self.compared()?;
        let mut links = Vec::with_capacity(2 * (self.pairs.len() + compared.len()));
        for &(a, b, similarity) in self.pairs.iter().chain(&compared) {
            if let (Some(a), Some(b)) = (self.documents[a].digest, self.documents[b].digest)
                && a != b
            {
                links.extend([(a, b, similarity), (b, a, similarity)]);
            }
        }
        links.sort_unstable_by(|x, y| (x.0, x.1).cmp(&(y.0, y.1)).then(y.2.total_cmp(&x.2)));
        links.dedup_by_key(|link| (link.0, link.1));
        Ok(links)
    }

    /// Inserts everything, durable when this returns. Of several documents with the same id and labels only the
    /// last is inserted.
    pub fn finish(self) -> Result<()> {
        let links = self.links()?;
        let waiting = self.waiting.into_inner().map_err(std::io::IntoInnerError::into_error);
        let mut waiting = waiting.map_err(Error::io(&self.index.folder))?;
        waiting.rewind().map_err(Error::io(&self.index.folder))?;
        let mut waiting = BufReader::with_capacity(1 << 20, waiting);
        let mut read = || -> Result<Vec<u8>> {
            let mut length = [0; 4];
            waiting.read_exact(&mut length).map_err(Error::io(&self.index.folder))?;
            let mut part = vec![0; u32::from_le_bytes(length) as usize];
            waiting.read_exact(&mut part).map_err(Error::io(&self.index.folder))?;
            Ok(part)
        };
        let store = &self.generation.store;
        let mut writer = store.write()?;
        for number in self.documents.numbers() {
            let (bytes, branches) = (read()?, read()?);
            let Operation::Put(mut put) = Operation::decode(&mut Decoder::new(&bytes))? else { continue };
            if self.by_name.get(&name_of(&put.id, &put.labels)) != Some(&number) {
                continue;
            }
            let content = |digest: u128| store.state().population.content_of(digest);
            if let Some(digest) = put.digest
                && content(digest).is_none()
            {
                let first = links.partition_point(|link| link.0 < digest);
                let own = links[first..].iter().take_while(|link| link.0 == digest);
                put.links = own.filter_map(|&(_, other, alike)| Some((content(other)?, alike))).collect();
                let keys: Vec<(u8, u64)> = branches.into_iter().zip(put.keys.iter().copied()).collect();
                put.crowd = find::crowd(&self.generation, &keys)?;
            }
            let _ = writer.commit(Some(self.end), &[Operation::Put(put)])?;
            if number.raw() % BATCH == BATCH - 1 {
                writer.maintain()?;
            }
        }
        writer.maintain()?;
        drop(writer);
        store.sync_all()
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
