//! Looking things up, each as its asker may see it.

use crate::answer::Answer;
use crate::ask::now_sight;
use crate::ask::sight;
use crate::find;
use crate::generation::Desk;
use crate::index::Reader;
use crate::tell;
use std::path::Path;
use std::sync::Arc;

use crate::storage::document::{ContentNumber, DocumentNumber};
use crate::storage::lasting::LastingNumber;
use crate::storage::population::Sight;
use crate::storage::state::State;
use lookalike_core::document::Id;
use lookalike_core::{Error, Result};
use lookalike_plumbing::files::AtomicFile;
use serde_json::value::RawValue;

use super::add::told;
use super::answer::{ClusterView, History, Seen, Stats, Stored};
use super::ask::{Ask, View};
use super::clusters::{Clusters, look};
use super::face::Face;
use super::generation::Generation;
use super::name::{Name, known_as, labels_of};
use super::recrawl;

impl Reader<'_> {
    /// What is known of a document that is not inserted.
    pub fn check(&self, document: &[u8], ask: &Ask) -> Result<Answer> {
        let generation = self.index.generation();
        generation.lookup.check_answers()?;
        let mut desk = Desk::new(&generation);
        let next = generation.store.state().population.documents.next_number();
        let asked = desk.prepare(document, next.raw())?;
        let sight = sight(&generation.store.state(), ask);
        let found = find::find(&mut desk, &generation, &asked, &sight, ContentNumber::FIRST)?.found;
        if ask.refresh {
            self.index.count_hits(&generation, &found, &sight, ask);
        }
        tell::checked(self.index, &mut desk, &generation, document, &asked, &found, &sight, ask)
    }

    pub fn get<'a>(&self, name: impl Into<Name<'a>>, view: &View) -> Result<Option<Stored>> {
        let (generation, name) = (self.index.generation(), name.into());
        let sight = now_sight(&generation.store.state(), view);
        let found = look(&generation, &sight, |clusters| {
            let state = clusters.state;
            let Some(number) = known_as(state, name, &sight)? else { return Ok(None) };
            let master = clusters.master_document(number).map(|master| clusters.name(master));
            let document = state.population.documents[number];
            let labels = labels_of(state, number).to_vec();
            let set = state.sets.get(document.set).map(str::to_owned);
            let hits = self.index.hits_of(state.lasting.of(number), document.hits);
            Ok(Some((number, document, master, labels, set, hits)))
        })?;
        let Some((number, document, master, labels, set, hits)) = found else { return Ok(None) };
        let (master, master_labels) = master.unzip();
        let mut line = Vec::new();
        match generation.read_line(number, &mut line) {
            Err(Error::Gone) => return Ok(None),
            read => read?,
        }
        let broken = || Error::Internal("a stored document is no JSON".to_owned());
        let json = String::from_utf8(line).map_err(|_| broken())?;
        Ok(Some(Stored {
            id: name.id.clone(),
            document: RawValue::from_string(json).map_err(|_| broken())?,
            master,
            master_labels: master_labels.unwrap_or_default(),
            labels,
            set,
            added: u64::from(document.added),
            seen: u64::from(document.seen),
            expires: (document.expires != 0).then_some(u64::from(document.expires)),
            hits,
        }))
    }

    pub fn history<'a>(&self, name: impl Into<Name<'a>>, view: &View) -> Result<Option<History>> {
        let (generation, name) = (self.index.generation(), name.into());
        let sight = now_sight(&generation.store.state(), view);
        look(&generation, &sight, |clusters| {
            let state = clusters.state;
            let Some(number) = known_as(state, name, &sight)? else { return Ok(None) };
            let to_master = clusters.likeness(number);
            let document = &state.population.documents[number];
            Ok(Some(History {
                id: name.id.clone(),
                labels: labels_of(state, number).to_vec(),
                versions: state.versions(number).iter().map(told).collect(),
                unchanged: u64::from(document.unchanged),
                recrawl: recrawl::advice(document.interval, document.seen, to_master),
            }))
        })
    }

    /// The cluster of a document; a document that is like no other is alone in its own.
    pub fn cluster<'a>(&self, name: impl Into<Name<'a>>, view: &View) -> Result<Option<ClusterView>> {
        let (generation, name) = (self.index.generation(), name.into());
        let sight = now_sight(&generation.store.state(), view);
        look(&generation, &sight, |clusters| {
            let state = clusters.state;
            let Some(number) = known_as(state, name, &sight)? else { return Ok(None) };
            let Some(content) = state.population.documents[number].content else {
                let (cluster, labels) = clusters.name(number);
                let (master, members) = (cluster.clone(), Vec::new());
                return Ok(Some(ClusterView { cluster, master, labels, size: 1, weakest: 1.0, members }));
            };
            let master = clusters.master(content);
            Ok(clusters.view(master))
        })
    }

    /// Clusters of two documents or more, in an order that stays; those after the cluster of `after`. They are in the order in
    /// which their masters came: that of contents would tell of hidden documents that brought them.
    pub fn clusters(&self, view: &View, after: Option<Name<'_>>, limit: usize) -> Result<Vec<ClusterView>> {
        let generation = self.index.generation();
        let sight = now_sight(&generation.store.state(), view);
        look(&generation, &sight, |clusters| {
            let state = clusters.state;
            let first = match after {
                None => DocumentNumber::FIRST,
                Some(name) => match known_as(state, name, &sight)? {
                    Some(number) => {
                        let master = clusters.master_document(number);
                        master.map_or(DocumentNumber::FIRST, DocumentNumber::next)
                    }
                    None => return Ok(Vec::new()),
                },
            };
            let mut found = Vec::new();
            for (number, document) in state.population.documents.iter_from(first) {
                if found.len() >= limit {
                    break;
                }
                let Some(content) = document.content else { continue };
                if !sight.sees(document) || clusters.best(content) != Some(number) {
                    continue;
                }
                // Most contents are alone, and a view of one costs more than to see that.
                if clusters.is_master(content)
                    && (clusters.copies(content) > 1 || clusters.has_members(content))
                {
                    found.extend(clusters.view(content));
                }
            }
            Ok(found)
        })
    }

    /// What these documents are to a view; `None` for what it does not see.
    pub fn resolve(&self, numbers: &[u32], view: &View) -> Result<Vec<Option<Seen>>> {
        let generation = self.index.generation();
        let sight = now_sight(&generation.store.state(), view);
        look(&generation, &sight, |clusters| {
            let state = clusters.state;
            let resolve = |&number: &u32| {
                let document = seen(state, &sight, number)?;
                let master = match state.population.documents[document].content {
                    None => document,
                    Some(_) => clusters.master_document(document)?,
                };
                Some(Seen { number, master: state.lasting.of(master).raw() })
            };
            Ok(numbers.iter().map(resolve).collect())
        })
    }

    /// The line of a document by number, if the view sees it.
    pub fn line(&self, number: u32, view: &View) -> Result<Option<Vec<u8>>> {
        let generation = self.index.generation();
        let document = {
            let state = generation.store.state();
            seen(&state, &now_sight(&state, view), number)
        };
        let Some(document) = document else { return Ok(None) };
        let mut line = Vec::new();
        match generation.read_line(document, &mut line) {
            Err(Error::Gone) => Ok(None),
            read => read.map(|()| Some(line)),
        }
    }

    /// The number of a document that the view sees.
    pub fn number_of<'a>(&self, name: impl Into<Name<'a>>, view: &View) -> Result<Option<u32>> {
        let generation = self.index.generation();
        let state = generation.store.state();
        let known = known_as(&state, name.into(), &now_sight(&state, view))?;
        Ok(known.map(|document| state.lasting.of(document).raw()))
    }

    /// What is shown of documents, and what they are called, by number; `None` for what the view does not see.
    pub fn faces(&self, numbers: &[u32], view: &View) -> Result<Vec<Option<(Id, Face)>>> {
        let generation = self.index.generation();
        let documents: Vec<Option<(DocumentNumber, Id)>> = {
            let state = generation.store.state();
            let sight = now_sight(&state, view);
            let known = |&number: &u32| {
                let document = seen(&state, &sight, number)?;
                Some((document, Id::from_json(state.population.ids.get(document))))
            };
            numbers.iter().map(known).collect()
        };
        let face = |known: Option<(DocumentNumber, Id)>| {
            let Some((document, id)) = known else { return Ok(None) };
            Ok(faces(&generation, &[document])?.pop().map(|face| (id, face)))
        };
        documents.into_iter().map(face).collect()
    }

    /// Visits every living document with this number or a later one, and gives the number to go on from.
    pub fn documents_from(&self, from: u32, visit: &mut dyn FnMut(u32, &[u8]) -> Result<()>) -> Result<u32> {
        let generation = self.index.generation();
        let (lasting, end) = {
            let state = generation.store.state();
            (Arc::clone(&state.lasting), state.population.documents.next_number())
        };
        let mut line = Vec::new();
        let first = LastingNumber::from_raw(from).map_or(end, |from| lasting.first_from(from));
        for document in first.up_to(end) {
            if !generation.store.state().population.documents[document].alive {
                continue;
            }
            match generation.read_line(document, &mut line) {
                Ok(()) => visit(lasting.of(document).raw(), &line)?,
                Err(Error::Gone) => {}
                Err(error) => return Err(error),
            }
        }
        Ok(lasting.of(end).raw())
    }

    /// Writes all documents as a corpus.
    pub fn export(&self, path: &Path) -> Result<()> {
        self.export_some(path, &|_| true)
    }

    pub(crate) fn export_some(&self, path: &Path, is_wanted: &dyn Fn(u32) -> bool) -> Result<()> {
        let mut file = AtomicFile::create(path)?;
        self.documents_from(0, &mut |number, line| {
            if !is_wanted(number) {
                return Ok(());
            }
            // Line ends within a JSON object mean nothing, but would end the line.
            let whole: Vec<u8> = line.iter().map(|&byte| if byte == b'\n' { b' ' } else { byte }).collect();
            file.write(&whole)?;
            file.write(b"\n")
        })?;
        file.finish()
    }

    pub fn stats(&self, view: &View) -> Result<Stats> {
        let generation = self.index.generation();
        let (log_operations, index_bytes) = generation.store.sizes()?;
        let stats = Stats {
            scheme: generation.pipeline.scheme.id.clone(),
            method: generation.pipeline.method.clone(),
            threshold: generation.pipeline.decider.threshold(),
            generation: generation.number,
            resigning: self.index.resigning(),
            ..Stats::default()
        };
        let sight = now_sight(&generation.store.state(), view);
        look(&generation, &sight, |clusters| {
            let (state, mut stats) = (clusters.state, stats.clone());
            if state.is_all_seen(&sight) {
                count_all(state, &mut stats);
            } else {
                count_seen(clusters, &mut stats);
            }
            if *view == View::All {
                // Sizes tell of everything.
                stats.decisions = state.decisions.len() as u64;
                (stats.text_bytes, stats.dead_bytes) = (state.living_bytes, state.dead_bytes);
                (stats.index_bytes, stats.log_operations) = (index_bytes, log_operations);
            }
            Ok(stats)
        })
    }
}

/// Takes what is counted as documents come and go: this is asked often.
fn count_all(state: &State, stats: &mut Stats) {
    let population = &state.population;
    stats.documents = u64::from(population.living);
    stats.contents = u64::from(population.living_contents);
    stats.pairs = state.clusters.pairs;
    let masters = u64::from(population.living_contents) - state.clusters.member_count;
    stats.duplicates = u64::from(population.comparable) - masters;
    let alone = |&&content: &&ContentNumber| {
        state.clusters.master(content) == content && state.clusters.members(content).next().is_none()
    };
    let copied = population.copied.iter().filter(alone).count();
    stats.clusters = (state.clusters.masters_from(ContentNumber::FIRST).count() + copied) as u64;
}

/// Counts what somebody sees who does not see everything.
fn count_seen(clusters: &mut Clusters<'_>, stats: &mut Stats) {
    let (state, sight) = (clusters.state, clusters.sight);
    stats.documents =
        state.population.documents.iter().filter(|document| sight.sees(document)).count() as u64;
    for content in state.population.contents.numbers() {
        let copies = clusters.copies(content);
        if copies == 0 {
            continue;
        }
        stats.contents += 1;
        let links = clusters.links(content).iter();
        stats.pairs += links.filter(|link| link.other > content).count() as u64;
        let is_master = clusters.is_master(content);
        stats.duplicates += copies - u64::from(is_master);
        stats.clusters += u64::from(is_master && (copies > 1 || clusters.has_members(content)));
    }
}

/// The document with this lasting number, if it is seen.
pub fn seen(state: &State, sight: &Sight, number: u32) -> Option<DocumentNumber> {
    let document = state.lasting.number(LastingNumber::from_raw(number)?)?;
    state.population.documents.get(document).filter(|known| sight.sees(known)).map(|_| document)
}

pub fn id_of(generation: &Generation, document: DocumentNumber) -> Id {
    Id::from_json(generation.store.state().population.ids.get(document))
}

/// What is shown of documents of a generation. One that has gone meanwhile shows nothing.
pub fn faces(generation: &Generation, numbers: &[DocumentNumber]) -> Result<Vec<Face>> {
    let mut line = Vec::new();
    let face = |&number: &DocumentNumber| match generation.read_line(number, &mut line) {
        Ok(()) => {
            Ok(Face { labels: labels_of(&generation.store.state(), number).to_vec(), ..Face::of(&line) })
        }
        Err(Error::Gone) => Ok(Face::default()),
        Err(error) => Err(error),
    };
    numbers.iter().map(face).collect()
}
