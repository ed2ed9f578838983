//! An index of documents whose near-duplicates are known: those of a finished batch run.
//!
//! Nothing is searched and nothing is compared: documents are signed, and linked as the run linked them. Links are between
//! contents, and which documents share one is known when all are signed. So what is to be put in waits in a file until
//! then.

use std::collections::HashMap;
use std::fs::File;
use std::io::{BufReader, BufWriter, Read, Seek, Write};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use lookalike_core::threads::try_on_threads;
use lookalike_core::{Error, Result, hash};
use lookalike_engine::pipeline::Compare;

use super::ask::{Ask, seconds};
use super::find;
use super::generation::{Desk, Generation, Prepared};
use super::index::Index;
use super::recrawl;
use crate::storage::bytes::Decoder;
use crate::storage::operation::{Operation, Put};
use crate::storage::texts::{End, Place};
use lookalike_core::numbers::{Number, Numbered};

/// Documents after which upkeep is asked for.
const BATCH: u32 = 1000;

/// Two documents that wait, and how alike they are.
type WaitingPair = (Number<Waiting>, Number<Waiting>, f64);

/// A new index that is being filled.
pub struct Filling<'a> {
    index: &'a Index,
    generation: Arc<Generation>,
    /// Where the texts end that are written already.
    end: End,
    waiting: BufWriter<File>,
    documents: Numbered<Waiting, Waiting>,
    /// The last document that has an id, and whether others have it, too; the last that has an id and labels; by hashes of
    /// these.
    by_id: HashMap<u64, (Number<Waiting>, bool)>,
    by_name: HashMap<u64, Number<Waiting>>,
    /// Pairs of documents and how alike they are; those that may be about others of the same ids apart.
    pairs: Vec<WaitingPair>,
    doubtful: Vec<(Number<Waiting>, Number<Waiting>)>,
    now: u32,
}

/// Of a document that waits, what its content is known by and where its text is.
struct Waiting {
    digest: Option<u128>,
    place: Place,
}

impl Index {
    /// Begins to fill an index that has no documents yet.
    pub fn fill(&self) -> Result<Filling<'_>> {
        let generation = self.generation();
        let end = generation.store.write()?.end();
        let waiting = tempfile::tempfile_in(&self.folder).map_err(Error::io(&self.folder))?;
        Ok(Filling {
            index: self,
            generation,
            end,
            waiting: BufWriter::with_capacity(1 << 20, waiting),
            documents: Numbered::default(),
            by_id: HashMap::new(),
            by_name: HashMap::new(),
            pairs: Vec::new(),
            doubtful: Vec::new(),
            now: seconds(Ask::default().now),
        })
    }
}

impl Filling<'_> {
    /// Signs documents. What is none is left out: whoever found the near-duplicates has told of it.
    pub fn add(&mut self, lines: &[&[u8]]) -> Result<()> {
        let mut signed = self.sign(lines)?;
        signed.sort_unstable_by_key(|&(place, _)| place);
        let lines: Vec<&[u8]> = signed.iter().map(|&(place, _)| lines[place]).collect();
        let places = self.generation.store.texts.write(&mut self.end, &lines)?;
        for ((_, asked), place) in signed.into_iter().zip(places) {
            self.hold(asked, place)?;
        }
        Ok(())
    }

    fn sign(&self, lines: &[&[u8]]) -> Result<Vec<(usize, Prepared)>> {
        let first = self.documents.len();
        let threads = std::thread::available_parallelism().map_or(1, |threads| threads.get());
        let next = AtomicUsize::new(0);
        let parts = try_on_threads(threads, || {
            let mut desk = Desk::new(&self.generation);
            let mut part = Vec::new();
            loop {
                let place = next.fetch_add(1, Ordering::Relaxed);
                let Some(line) = lines.get(place) else { return Ok(part) };
                match desk.prepare(line, (first + place) as u32) {
                    Ok(asked) if asked.id.is_some() => part.push((place, asked)),
                    Ok(_) | Err(Error::Input(_)) => {}
                    Err(error) => return Err(error),
                }
            }
        })?;
        Ok(parts.into_iter().flatten().collect())
    }

    fn hold(&mut self, asked: Prepared, place: Place) -> Result<()> {
        let Some(id) = &asked.id else { return Ok(()) };
        let number = self.documents.push(Waiting { digest: asked.digest, place });
        let same = self.by_id.entry(hash::bytes(id.json().as_bytes()));
        same.and_modify(|last| *last = (number, true)).or_insert((number, false));
        self.by_name.insert(name_of(id.json(), &asked.labels), number);
        let branches: Vec<u8> = asked.keys.iter().map(|&(branch, _)| branch).collect();
        let put = Operation::Put(Put {
            id: id.json().to_owned(),
            place,
            digest: asked.digest,
            scores: asked.scores,
            keys: asked.keys.iter().map(|&(_, key)| key).collect(),
            stored: asked.stored,
            labels: asked.labels,
            set: asked.set,
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

    /// Whether a document has this id, given as JSON.
    pub fn has(&self, id: &str) -> bool {
        self.by_id.contains_key(&hash::bytes(id.as_bytes()))
    }

    /// Notes that two documents were found to be near-duplicates, by their ids as JSON. Of unknown ones nothing is noted.
    /// If the ids may be those of other documents, the two are compared, and linked if they are alike.
    pub fn link(&mut self, a: &str, b: &str, similarity: f64, may_be_others: bool) {
        let known = |id: &str| self.by_id.get(&hash::bytes(id.as_bytes())).copied();
        let (Some((a, repeats)), Some((b, repeats_too))) = (known(a), known(b)) else { return };
        if may_be_others || repeats || repeats_too {
            self.doubtful.push((a, b));
        } else {
            self.pairs.push((a, b, similarity));
        }
    }

    /// The doubtful pairs that are near-duplicates indeed.
    fn compared(&self) -> Result<Vec<WaitingPair>> {
        let mut desk = Desk::new(&self.generation);
        let mut line = Vec::new();
        let mut features = |number: Number<Waiting>| {
            self.generation.store.texts.read(self.documents[number].place, &mut line)?;
            Ok::<_, Error>(desk.prepare(&line, number.raw())?.features)
        };
        let mut alike = Vec::new();
        for &(a, b) in &self.doubtful {
            let (a_set, b_set) = (features(a)?, features(b)?);
            let verdict = self.generation.pipeline.compare(Compare::Decide, &a_set, &b_set);
            alike.extend(verdict.map(|verdict| (a, b, verdict.similarity)));
        }
        Ok(alike)
    }

    /// Links between contents, both ways. Copies of each other need none.
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

    /// Puts everything in, durable when this returns. Of documents with one id and the same labels, the last is put in.
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

/// What tells a document from all others: its id and its labels.
fn name_of(id: &str, labels: &[String]) -> u64 {
    let mut labels: Vec<&String> = labels.iter().collect();
    labels.sort_unstable();
    labels.dedup();
    let name = hash::bytes(id.as_bytes());
    labels.into_iter().fold(name, |name, label| hash::combine(name, hash::bytes(label.as_bytes())))
}
