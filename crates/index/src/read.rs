//! Queries: each answers with what is visible to its caller.

use crate::answer::Answer;
use crate::build_answer;
use crate::find;
use crate::generation::{SignedDocument, SigningContext};
use crate::index::IndexReader;
use crate::query::visibility_for;
use crate::query::visibility_now;
use std::path::Path;
use std::sync::Arc;

use crate::storage::document::DocumentNumber;
use crate::storage::lasting::LastingNumber;
use lookalike_core::document::Id;
use lookalike_core::{Error, Result};
use lookalike_plumbing::files::AtomicFile;
use serde_json::value::RawValue;

use super::answer::{Resolved, StoredDocument, VisibleCluster};
use super::clusters::with_clusters;
use super::differences::differences;
use super::generation::Generation;
use super::name::{DocumentName, find_named, labels_of};
use super::preview::Preview;
use super::query::{QueryOptions, View};

impl IndexReader<'_> {
    /// Checks whether a document is a duplicate, without inserting it. It needs no id.
    pub fn check(&self, document: &[u8], options: &QueryOptions) -> Result<Answer> {
        self.check_signed(options, |context, position| context.sign(document, position))
    }

    /// The same for a document of which there is only a text.
    pub fn check_text(&self, text: &str, options: &QueryOptions) -> Result<Answer> {
        self.check_signed(options, |context, position| context.sign_text(text, position))
    }

    fn check_signed(
        &self,
        options: &QueryOptions,
        sign: impl FnOnce(&mut SigningContext<'_>, u32) -> Result<SignedDocument>,
    ) -> Result<Answer> {
        let generation = self.index.generation();
        generation.lookup.check_answers()?;
        let mut context = SigningContext::new(&generation);
        let query = sign(&mut context, generation.next_position())?;
        let visibility = visibility_for(&generation.store.state(), options);
        let found = find::find_all(&mut context, &generation, &query, &visibility, options.limit)?;
        if options.refresh {
            self.index.count_hits(&generation, &found, &visibility, options);
        }
        build_answer::for_check(self.index, &mut context, &generation, &query, &found, &visibility, options)
    }

    /// A stored document; `None` if it is not visible.
    pub fn get<'a>(&self, name: impl Into<DocumentName<'a>>, view: &View) -> Result<Option<StoredDocument>> {
        let (generation, name) = (self.index.generation(), name.into());
        let visibility = visibility_now(&generation.store.state(), view);
        let found = with_clusters(&generation, &visibility, |clusters| {
            let state = clusters.state;
            let Some(number) = find_named(state, name, &visibility)? else { return Ok(None) };
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
        Ok(Some(StoredDocument {
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

    /// The cluster of a document; a document that resembles no other is alone in its cluster. `None` if it is not
    /// visible.
    pub fn cluster<'a>(
        &self,
        name: impl Into<DocumentName<'a>>,
        view: &View,
    ) -> Result<Option<VisibleCluster>> {
        let (generation, name) = (self.index.generation(), name.into());
        let visibility = visibility_now(&generation.store.state(), view);
        let found = with_clusters(&generation, &visibility, |clusters| {
            let state = clusters.state;
            let Some(number) = find_named(state, name, &visibility)? else { return Ok(None) };
            let Some(content) = state.population.documents[number].content else {
                let (cluster, labels) = clusters.name(number);
                let (master, members) = (cluster.clone(), Vec::new());
                let cluster = VisibleCluster { cluster, master, labels, size: 1, weakest: 1.0, members };
                return Ok(Some((cluster, vec![number])));
            };
            let master = clusters.master(content);
            let Some((best, members)) = clusters.documents(master) else { return Ok(None) };
            let numbers = std::iter::once(best).chain(members.into_iter().map(|(_, number)| number));
            let numbers: Vec<DocumentNumber> = numbers.collect();
            Ok(clusters.view(master).map(|cluster| (cluster, numbers)))
        })?;
        let Some((mut cluster, numbers)) = found else { return Ok(None) };
        let differences = differences(&generation, &numbers)?;
        for (member, differs) in cluster.members.iter_mut().zip(differences.into_iter().skip(1)) {
            member.difference = differs.map(|differs| differs.difference);
            member.streams = differs.and_then(|differs| differs.streams.told());
        }
        Ok(Some(cluster))
    }

    /// Clusters of two or more documents, in a stable order, starting after the cluster of `after`. They are
    /// ordered by when their masters were added: the order of contents would reveal when hidden documents were
    /// added.
    pub fn clusters(
        &self,
        view: &View,
        after: Option<DocumentName<'_>>,
        limit: usize,
    ) -> Result<Vec<VisibleCluster>> {
        let generation = self.index.generation();
        let visibility = visibility_now(&generation.store.state(), view);
        with_clusters(&generation, &visibility, |clusters| {
            let state = clusters.state;
            let first = match after {
                None => DocumentNumber::FIRST,
                Some(name) => match find_named(state, name, &visibility)? {
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
                if !visibility.includes(document) || clusters.best(content) != Some(number) {
                    continue;
                }
                // Most contents are alone, and finding that out is cheaper than building a cluster.
                if clusters.is_master(content)
                    && (clusters.copies(content) > 1 || clusters.has_members(content))
                {
                    found.extend(clusters.view(content));
                }
            }
            Ok(found)
        })
    }

    /// For each lasting number the document and its master as visible in the view; `None` for documents that are
    /// not visible.
    pub fn resolve(&self, numbers: &[u32], view: &View) -> Result<Vec<Option<Resolved>>> {
        let generation = self.index.generation();
        let visibility = visibility_now(&generation.store.state(), view);
        with_clusters(&generation, &visibility, |clusters| {
            let masters = clusters.masters(numbers).into_iter().zip(numbers);
            Ok(masters.map(|(master, &number)| master.map(|master| Resolved { number, master })).collect())
        })
    }

    /// The JSON line of the document with this lasting number; `None` if it is not visible.
    pub fn line(&self, number: u32, view: &View) -> Result<Option<Vec<u8>>> {
        let generation = self.index.generation();
        let document = {
            let state = generation.store.state();
            state.visible_document(&visibility_now(&state, view), number)
        };
        let Some(document) = document else { return Ok(None) };
        let mut line = Vec::new();
        match generation.read_line(document, &mut line) {
            Err(Error::Gone) => Ok(None),
            read => read.map(|()| Some(line)),
        }
    }

    /// The lasting number of a document; `None` if it is not visible.
    pub fn number_of<'a>(&self, name: impl Into<DocumentName<'a>>, view: &View) -> Result<Option<u32>> {
        let generation = self.index.generation();
        let state = generation.store.state();
        let known = find_named(&state, name.into(), &visibility_now(&state, view))?;
        Ok(known.map(|document| state.lasting.of(document).raw()))
    }

    /// Ids and previews of documents, by lasting number; `None` for documents that are not visible.
    pub fn previews(&self, numbers: &[u32], view: &View) -> Result<Vec<Option<(Id, Preview)>>> {
        let generation = self.index.generation();
        let documents: Vec<Option<(DocumentNumber, Id)>> = {
            let state = generation.store.state();
            let visibility = visibility_now(&state, view);
            let known = |&number: &u32| {
                let document = state.visible_document(&visibility, number)?;
                Some((document, Id::from_json(state.population.ids.get(document))))
            };
            numbers.iter().map(known).collect()
        };
        let preview = |known: Option<(DocumentNumber, Id)>| {
            let Some((document, id)) = known else { return Ok(None) };
            Ok(previews(&generation, &[document])?.pop().map(|preview| (id, preview)))
        };
        documents.into_iter().map(preview).collect()
    }

    /// Visits every living document from this lasting number on, whatever its labels, and returns the number to
    /// continue from.
    pub fn documents_from(&self, from: u32, visit: &mut dyn FnMut(u32, &[u8]) -> Result<()>) -> Result<u32> {
        let generation = self.index.generation();
        let (lasting, end) = {
            let state = generation.store.state();
            (Arc::clone(&state.lasting), state.population.documents.next_number())
        };
        let mut line = Vec::new();
        let first = LastingNumber::from_raw(from).map_or(end, |from| lasting.first_from(from));
        for document in first.up_to(end) {
            if !generation.store.state().population.documents[document].is_alive() {
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

    /// Writes all documents as a corpus: one JSON line each.
    pub fn export(&self, path: &Path) -> Result<()> {
        self.export_some(path, &|_| true)
    }

    pub(crate) fn export_some(&self, path: &Path, is_wanted: &dyn Fn(u32) -> bool) -> Result<()> {
        let mut file = AtomicFile::create(path)?;
        self.documents_from(0, &mut |number, line| {
            if !is_wanted(number) {
                return Ok(());
            }
            // Line breaks between the values of a JSON object mean nothing, but would break the line.
            let whole: Vec<u8> = line.iter().map(|&byte| if byte == b'\n' { b' ' } else { byte }).collect();
            file.write(&whole)?;
            file.write(b"\n")
        })?;
        file.finish()
    }
}

pub fn id_of(generation: &Generation, document: DocumentNumber) -> Id {
    Id::from_json(generation.store.state().population.ids.get(document))
}

/// The previews of documents of a generation. A document removed meanwhile has an empty one.
pub fn previews(generation: &Generation, numbers: &[DocumentNumber]) -> Result<Vec<Preview>> {
    let mut line = Vec::new();
    let preview = |&number: &DocumentNumber| match generation.read_line(number, &mut line) {
        Ok(()) => Ok(Preview {
            labels: labels_of(&generation.store.state(), number).to_vec(),
            ..Preview::of(&line)
        }),
        Err(Error::Gone) => Ok(Preview::default()),
        Err(error) => Err(error),
    };
    numbers.iter().map(preview).collect()
}
