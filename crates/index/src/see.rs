//! Looking things up, each as its asker may see it.

use std::collections::HashSet;
use std::path::Path;
use std::sync::Arc;

use crate::storage::population::{NONE, Sight};
use crate::storage::state::State;
use lookalike_core::document::Id;
use lookalike_core::hash::mix;
use lookalike_core::{Error, Result};
use lookalike_io::write::AtomicFile;
use serde_json::value::RawValue;

use super::add::told;
use super::answer::{ClusterView, History, Seen, Stats, Stored};
use super::ask::{Ask, View};
use super::clusters::Clusters;
use super::face::{Face, faces};
use super::generation::{Generation, read_line};
use super::links::look;
use super::name::{Name, known_as, labels_of};
use super::survey::{Attributes, Row};
use super::{Index, recrawl, sight_of, tell};

/// Makes the draw of a sample another than that of clusters.
const SAMPLE: u64 = 0x5a3e;

impl Index {
    pub fn get<'a>(&self, name: impl Into<Name<'a>>, view: &View) -> Result<Option<Stored>> {
        let (generation, name) = (self.generation(), name.into());
        let sight = now_sight(&generation.store.state(), view);
        let found = look(&generation, &sight, |clusters| {
            let state = clusters.state;
            let Some(number) = known_as(state, name, &sight)? else { return Ok(None) };
            let master = clusters.master_document(number).map(|master| clusters.name(master));
            let document = state.population.documents[number as usize];
            let labels = labels_of(state, number).to_vec();
            let set = state.sets.get(document.set).map(str::to_owned);
            let hits = self.hits_of(state.lasting.of(number), document.hits);
            Ok(Some((number, document, master, labels, set, hits)))
        })?;
        let Some((number, document, master, labels, set, hits)) = found else { return Ok(None) };
        let (master, master_labels) = master.unzip();
        let mut line = Vec::new();
        read_line(&generation.store, number, &mut line)?;
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
        let (generation, name) = (self.generation(), name.into());
        let sight = now_sight(&generation.store.state(), view);
        look(&generation, &sight, |clusters| {
            let state = clusters.state;
            let Some(number) = known_as(state, name, &sight)? else { return Ok(None) };
            let to_master = clusters.likeness(number);
            let document = &state.population.documents[number as usize];
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
        let (generation, name) = (self.generation(), name.into());
        let sight = now_sight(&generation.store.state(), view);
        look(&generation, &sight, |clusters| {
            let state = clusters.state;
            let Some(number) = known_as(state, name, &sight)? else { return Ok(None) };
            let content = state.population.documents[number as usize].content;
            if content == NONE {
                let (cluster, labels) = clusters.name(number);
                let (master, members) = (cluster.clone(), Vec::new());
                return Ok(Some(ClusterView { cluster, master, labels, size: 1, weakest: 1.0, members }));
            }
            let master = clusters.master(content);
            Ok(clusters.view(master))
        })
    }

    /// Clusters of two documents or more, in an order that stays; those after the cluster of `after`. They are in the order in
    /// which their masters came: that of contents would tell of hidden documents that brought them.
    pub fn clusters(&self, view: &View, after: Option<Name<'_>>, limit: usize) -> Result<Vec<ClusterView>> {
        let generation = self.generation();
        let sight = now_sight(&generation.store.state(), view);
        look(&generation, &sight, |clusters| {
            let state = clusters.state;
            let first = match after {
                None => 0,
                Some(name) => match known_as(state, name, &sight)? {
                    Some(number) => clusters.master_document(number).map_or(0, |master| master + 1),
                    None => return Ok(Vec::new()),
                },
            };
            let mut found = Vec::new();
            for number in first..state.population.documents.len() as u32 {
                if found.len() >= limit {
                    break;
                }
                let document = &state.population.documents[number as usize];
                let content = document.content;
                if content == NONE || !sight.sees(document) || clusters.best(content) != Some(number) {
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
        let generation = self.generation();
        let sight = now_sight(&generation.store.state(), view);
        look(&generation, &sight, |clusters| {
            let state = clusters.state;
            let resolve = |&number: &u32| {
                let document = seen(state, &sight, number)?;
                let master = match state.population.documents[document as usize].content {
                    NONE => document,
                    _ => clusters.master_document(document)?,
                };
                Some(Seen { number, master: state.lasting.of(master) })
            };
            Ok(numbers.iter().map(resolve).collect())
        })
    }

    /// The line of a document by number, if the view sees it.
    pub fn line(&self, number: u32, view: &View) -> Result<Option<Vec<u8>>> {
        let generation = self.generation();
        let document = {
            let state = generation.store.state();
            seen(&state, &now_sight(&state, view), number)
        };
        let mut line = Vec::new();
        if let Some(document) = document {
            read_line(&generation.store, document, &mut line)?;
        }
        Ok(document.map(|_| line))
    }

    /// The number of a document that the view sees.
    pub fn number_of<'a>(&self, name: impl Into<Name<'a>>, view: &View) -> Result<Option<u32>> {
        let generation = self.generation();
        let state = generation.store.state();
        let known = known_as(&state, name.into(), &now_sight(&state, view))?;
        Ok(known.map(|document| state.lasting.of(document)))
    }

    /// What is shown of documents, and what they are called, by number; `None` for what the view does not see.
    pub fn faces(&self, numbers: &[u32], view: &View) -> Result<Vec<Option<(Id, Face)>>> {
        let generation = self.generation();
        let documents: Vec<Option<(u32, Id)>> = {
            let state = generation.store.state();
            let sight = now_sight(&state, view);
            let known = |&number: &u32| {
                let document = seen(&state, &sight, number)?;
                Some((document, Id::from_json(state.population.ids.get(document))))
            };
            numbers.iter().map(known).collect()
        };
        let face = |known: Option<(u32, Id)>| {
            let Some((document, id)) = known else { return Ok(None) };
            Ok(faces(&generation, &[document])?.pop().map(|face| (id, face)))
        };
        documents.into_iter().map(face).collect()
    }

    /// Visits every living document with this number or a later one, and gives the number to go on from.
    pub fn documents_from(&self, from: u32, visit: &mut dyn FnMut(u32, &[u8]) -> Result<()>) -> Result<u32> {
        let generation = self.generation();
        let (lasting, end) = {
            let state = generation.store.state();
            (Arc::clone(&state.lasting), state.population.documents.len() as u32)
        };
        let mut line = Vec::new();
        for document in lasting.first_from(from)..end {
            let alive = || generation.store.state().population.documents[document as usize].alive;
            if !alive() {
                continue;
            }
            match read_line(&generation.store, document, &mut line) {
                Ok(()) => visit(lasting.of(document), &line)?,
                // It was removed and compacted away meanwhile.
                Err(_) if !alive() => {}
                Err(error) => return Err(error),
            }
        }
        Ok(lasting.of(end))
    }

    /// Writes all documents as a corpus.
    pub fn export(&self, path: &Path) -> Result<()> {
        self.export_some(path, &|_| true)
    }

    fn export_some(&self, path: &Path, is_wanted: &dyn Fn(u32) -> bool) -> Result<()> {
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

    /// Writes about so many documents as a corpus: half of them whole clusters, half drawn from all.
    pub fn export_sample(&self, path: &Path, most: u64) -> Result<()> {
        let survey = self.survey(&View::All, &Attributes::default())?;
        if survey.documents <= most {
            return self.export(path);
        }
        let mut rows: Vec<&Row> = survey.rows().iter().collect();
        rows.sort_by_key(|row| mix(u64::from(row.master)));
        let mut wanted: HashSet<u32> = HashSet::new();
        for row in rows {
            if wanted.len() as u64 >= most / 2 {
                break;
            }
            wanted.extend(survey.documents_of(row).iter().take(100));
        }
        let share = u64::MAX / survey.documents * (most / 2);
        self.export_some(path, &|number| wanted.contains(&number) || mix(u64::from(number) ^ SAMPLE) < share)
    }

    pub fn stats(&self, view: &View) -> Result<Stats> {
        let generation = self.generation();
        let (log_operations, index_bytes) = generation.store.sizes()?;
        let stats = Stats {
            scheme: generation.pipeline.scheme.id.clone(),
            method: generation.pipeline.method.clone(),
            threshold: generation.pipeline.decider.threshold(),
            generation: generation.number,
            resigning: self.resigning(),
            ..Stats::default()
        };
        let sight = now_sight(&generation.store.state(), view);
        look(&generation, &sight, |clusters| {
            let (state, mut stats) = (clusters.state, stats.clone());
            if tell::sees_all(state, &sight) {
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
    let alone = |&&content: &&u32| {
        state.clusters.master(content) == content && state.clusters.members(content).next().is_none()
    };
    let copied = population.copied.iter().filter(alone).count();
    stats.clusters = (state.clusters.masters_from(0).count() + copied) as u64;
}

/// Counts what somebody sees who does not see everything.
fn count_seen(clusters: &mut Clusters<'_>, stats: &mut Stats) {
    let (state, sight) = (clusters.state, clusters.sight);
    stats.documents =
        state.population.documents.iter().filter(|document| sight.sees(document)).count() as u64;
    for content in 0..state.population.contents.len() as u32 {
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
pub fn seen(state: &State, sight: &Sight, number: u32) -> Option<u32> {
    let document = state.lasting.number(number)?;
    state.population.documents.get(document as usize).filter(|known| sight.sees(known)).map(|_| document)
}

pub fn id_of(generation: &Generation, document: u32) -> Id {
    Id::from_json(generation.store.state().population.ids.get(document))
}

pub fn now_sight(state: &State, view: &View) -> Sight {
    sight_of(state, view, Ask::default().now)
}
