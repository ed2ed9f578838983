//! One recipe and what it made of the documents.

use std::ops::Range;
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};

use crate::storage::keys::at_place;
use crate::storage::state::Layout;
use crate::storage::store::{Limits, Parts, Store};
use crate::storage::texts::Texts;
use lookalike_core::candidates::{Finder, NO_KEY, Neighbours};
use lookalike_core::document::{Document, Id};
use lookalike_core::features::{FeatureSet, Features};
use lookalike_core::registry::Registry;
use lookalike_core::{Error, Result};
use lookalike_io::record::{Fields, TextBuffer};
use serde::Deserialize;

use super::face::Face;
use super::links::FoundOut;
use lookalike_engine::Recipe;
use lookalike_engine::pipeline::{Branch, FieldPlan, Pipeline};
use lookalike_engine::run::{BranchPlaces, NO_FEATURES, Signatures};

pub struct Generation {
    pub number: u64,
    pub recipe: String,
    pub pipeline: Pipeline,
    pub plan: FieldPlan,
    pub fields: Fields,
    /// For each branch, how its signatures are searched, if not by its own keys.
    neighbours: Vec<Option<Box<dyn Neighbours>>>,
    /// For each branch, the bytes of its signature among those that are stored, and the number of keys before.
    places: Vec<(Range<usize>, usize)>,
    pub store: Store,
    /// What was found out for those who do not see everything.
    pub found_out: FoundOut,
    /// What desks left for those that come after them.
    papers: Mutex<Vec<Papers>>,
}

/// What a generation is made of.
pub struct Source<'a> {
    pub texts: &'a Arc<Texts>,
    pub recipe: &'a Recipe,
    pub registry: &'a Registry,
    pub limits: Limits,
}

/// A document that was read and signed.
pub struct Prepared {
    pub id: Option<Id>,
    pub labels: Vec<String>,
    pub set: String,
    /// Absent without anything to compare.
    pub digest: Option<u128>,
    /// Keys with their branches.
    pub keys: Vec<(u8, u64)>,
    pub stored: Vec<u8>,
    pub scores: Vec<u64>,
    pub features: FeatureSet,
    /// Why its text was not believed, if there is nothing to compare because of that.
    pub weak: Option<String>,
}

/// A place to read and sign documents at, for one thread.
pub struct Desk<'a> {
    generation: &'a Generation,
    papers: Papers,
}

/// Buffers that are used again.
#[derive(Default)]
struct Papers {
    signatures: Signatures,
    features: Features,
    text: TextBuffer,
    line: Vec<u8>,
}

/// Buffers of more bytes are not kept: a giant document must not take memory for ever.
const MOST_KEPT: usize = 1 << 20;

impl Generation {
    /// The generation from which on documents kept the numbers by which they are known outside.
    pub fn numbering(&self) -> u64 {
        self.store.state().lasting.since(self.number)
    }

    pub fn create(number: u64, folder: &Path, from: &Source<'_>) -> Result<Self> {
        Generation::with(number, from, |parts| Store::create(folder, parts))
    }

    pub fn open(number: u64, folder: &Path, from: &Source<'_>, owns: bool) -> Result<Self> {
        Generation::with(number, from, |parts| Store::open(folder, parts, owns))
    }

    fn with(number: u64, from: &Source<'_>, store: impl FnOnce(Parts) -> Result<Store>) -> Result<Self> {
        let &Source { texts, recipe, registry, limits } = from;
        let pipeline = recipe.build(registry)?;
        let plan = pipeline.field_plan("source");
        let fields = Fields { id: "id".to_owned(), text: "text".to_owned(), wanted: plan.wanted.clone() };
        let neighbours = pipeline.branches.iter().map(neighbours_of).collect::<Result<Vec<_>>>()?;
        let all = BranchPlaces::new(&pipeline);
        let mut places = Vec::new();
        let mut keys = 0;
        for (number, (branch, near)) in pipeline.branches.iter().zip(&neighbours).enumerate() {
            let start = all.starts[number].1;
            places.push((start..start + branch.signer.width(), keys));
            keys += near.as_ref().map_or(branch.keys(), |near| near.keys());
        }
        let layout = Layout { rules: pipeline.keep.rules.len(), stored: all.signature };
        let store = store(Parts {
            texts: Arc::clone(texts),
            how: recipe.build(registry)?.clusterer,
            scheme: pipeline.scheme.id.clone(),
            layout,
            limits,
        })?;
        let recipe = recipe.to_toml();
        let papers = Mutex::default();
        let found_out = FoundOut::default();
        Ok(Generation {
            number,
            recipe,
            pipeline,
            plan,
            fields,
            neighbours,
            places,
            store,
            found_out,
            papers,
        })
    }

    /// Whether candidates of a branch must also be near by their signatures.
    pub fn is_near(&self, branch: u8, a: &[u8], b: &[u8]) -> bool {
        let branch = usize::from(branch);
        let Some(near) = &self.neighbours[branch] else { return true };
        let range = self.places[branch].0.clone();
        near.near(&a[range.clone()], &b[range])
    }

    /// Whether a branch finds all that are near, however many share a key.
    pub fn is_exact(&self, branch: u8) -> bool {
        self.neighbours[usize::from(branch)].is_some()
    }
}

/// Says whether a recipe can be used in an index.
pub fn check(recipe: &Recipe, registry: &Registry) -> Result<()> {
    recipe.build(registry)?.branches.iter().try_for_each(|branch| neighbours_of(branch).map(|_| ()))
}

/// How a join is asked for one document. Others cannot be used in an index.
fn neighbours_of(branch: &Branch) -> Result<Option<Box<dyn Neighbours>>> {
    let Finder::Join(join) = &branch.finder else { return Ok(None) };
    join.neighbours().map(Some).ok_or_else(|| {
        Error::config(format!(
            "candidates.type = \"{}\" compares all documents at once and cannot answer for one at a time: use a \
             method with keys (such as minhash) or simhash for an index",
            join.spec().kind
        ))
    })
}

impl<'a> Desk<'a> {
    pub fn new(generation: &'a Generation) -> Self {
        let left = generation.papers.lock().unwrap_or_else(PoisonError::into_inner).pop();
        Desk { generation, papers: left.unwrap_or_default() }
    }

    /// Reads and signs a document, which would get this number.
    pub fn prepare(&mut self, line: &[u8], position: u32) -> Result<Prepared> {
        let generation = self.generation;
        let papers = &mut self.papers;
        let line = simdutf8::compat::from_utf8(line)
            .map_err(|error| Error::input(format!("not valid UTF-8 at byte {}", error.valid_up_to() + 1)))?;
        let mut record = generation.fields.parse(line, &mut papers.text).map_err(Error::Input)?;
        record.document.position = u64::from(position);
        let extras = Extras::read(line)?;
        let document = &record.document;
        let mut scores = Vec::new();
        generation.pipeline.keep_scores(&generation.plan, document, "", &mut scores);
        let signed = papers.signatures.fill(&generation.pipeline, &generation.plan, document);
        let mut keys = Vec::new();
        let mut own = papers.signatures.keys.iter();
        let mut buffer = Vec::new();
        for (number, branch) in generation.pipeline.branches.iter().enumerate() {
            let (range, first) = &generation.places[number];
            buffer.clear();
            match &generation.neighbours[number] {
                None => buffer.extend(own.by_ref().take(branch.keys()).copied()),
                // The byte behind a signature tells whether there is one.
                Some(near) if papers.signatures.stored.get(range.end) == Some(&1) => {
                    buffer.resize(near.keys(), NO_KEY);
                    near.write_keys(&papers.signatures.stored[range.clone()], &mut buffer);
                }
                Some(_) => {}
            }
            let real = buffer.iter().enumerate().filter(|&(_, &key)| key != NO_KEY);
            keys.extend(real.map(|(place, &key)| (number as u8, at_place(first + place, key))));
        }
        let mut features = FeatureSet::default();
        features.fill(&papers.signatures.features);
        generation.plan.fill_views(
            generation.pipeline.decider.views(),
            document,
            &mut papers.features,
            &mut features,
        );
        let digest = Some(signed.digest).filter(|&digest| digest != NO_FEATURES);
        let weak = if digest.is_none() { weak_reason(line) } else { None };
        Ok(Prepared {
            id: record.id,
            labels: extras.labels,
            set: extras.set,
            digest,
            keys,
            stored: papers.signatures.stored.clone(),
            scores,
            weak,
            features,
        })
    }

    /// Computes a stored document's features again, in memory that is reused.
    pub fn features_of(&mut self, document: u32, set: &mut FeatureSet) -> Result<()> {
        let generation = self.generation;
        let Papers { features, text, line, .. } = &mut self.papers;
        read_line(&generation.store, document, line)?;
        let document = parse(generation, line, text)?;
        features.fill(&*generation.pipeline.features, &document);
        set.fill(features);
        generation.plan.fill_views(generation.pipeline.decider.views(), &document, features, set);
        Ok(())
    }

    /// The text of a stored document.
    pub fn text_of(&mut self, document: u32) -> Result<String> {
        let Papers { text, line, .. } = &mut self.papers;
        read_line(&self.generation.store, document, line)?;
        Ok(parse(self.generation, line, text)?.text.into_owned())
    }

    /// What a stored document is called, and its text.
    pub fn title_and_text_of(&mut self, document: u32) -> Result<(Option<String>, String)> {
        let text = self.text_of(document)?;
        Ok((Face::of(&self.papers.line).title, text))
    }

    /// The text of a document that was given.
    pub fn text_in(&mut self, line: &[u8]) -> Result<String> {
        Ok(parse(self.generation, line, &mut self.papers.text)?.text.into_owned())
    }
}

impl Drop for Desk<'_> {
    fn drop(&mut self) {
        let papers = std::mem::take(&mut self.papers);
        if papers.bytes() <= MOST_KEPT {
            self.generation.papers.lock().unwrap_or_else(PoisonError::into_inner).push(papers);
        }
    }
}

impl Papers {
    /// Of what grows with a document.
    fn bytes(&self) -> usize {
        let hashes = self.signatures.features.hashes.capacity() + self.features.hashes.capacity();
        self.line.capacity() + self.text.bytes() + 8 * hashes
    }
}

fn parse<'a>(generation: &Generation, line: &'a [u8], text: &'a mut TextBuffer) -> Result<Document<'a>> {
    let broken = || Error::Internal("a stored document cannot be read again".to_owned());
    let line = simdutf8::basic::from_utf8(line).map_err(|_| broken())?;
    generation.fields.parse(line, text).map(|record| record.document).map_err(|_| broken())
}

/// Reads a document's line. It may be moved meanwhile by whoever compacts the index.
pub fn read_line(store: &Store, document: u32, out: &mut Vec<u8>) -> Result<()> {
    let place = || store.state().population.documents.get(document as usize).map(|document| document.place);
    let unknown = || Error::Internal(format!("document {document} is unknown"));
    let first = place().ok_or_else(unknown)?;
    store.texts.read(first, out).or_else(|error| match place() {
        Some(moved) if moved != first => store.texts.read(moved, out),
        _ => Err(error),
    })
}

fn weak_reason(line: &str) -> Option<String> {
    #[derive(Deserialize)]
    struct Weak {
        weak: Option<String>,
    }
    serde_json::from_str::<Weak>(line).ok()?.weak
}

/// What an index reads of a document beside what the recipe asks for.
#[derive(Default)]
struct Extras {
    labels: Vec<String>,
    set: String,
}

#[derive(Deserialize)]
struct RawExtras {
    labels: Option<Vec<String>>,
    set: Option<String>,
}

impl Extras {
    fn read(line: &str) -> Result<Extras> {
        // Most documents have neither, and a second look at them costs more than this.
        let has = |name: &[u8]| memchr::memmem::find(line.as_bytes(), name).is_some();
        if !has(b"\"labels\"") && !has(b"\"set\"") && !has(b"\\u00") {
            return Ok(Extras::default());
        }
        let raw: RawExtras = serde_json::from_str(line).map_err(|error| {
            let message = error.to_string();
            let message = message.split(" at line ").next().unwrap_or_default();
            Error::input(format!("labels must be a list of texts and set a text: {message}"))
        })?;
        Ok(Extras { labels: raw.labels.unwrap_or_default(), set: raw.set.unwrap_or_default() })
    }
}
