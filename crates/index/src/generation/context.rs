//! Reading and signing the documents of a generation, new and stored ones.

use std::sync::PoisonError;

use lookalike_core::decide::{Overlap, OverlapCounter};
use lookalike_core::document::{Document, Id};
use lookalike_core::features::FeatureSet;
use lookalike_core::sign::Fingerprint;
use lookalike_core::streams::Streams;
use lookalike_core::{Error, Result};
use lookalike_engine::pipeline::{Compared, JoinRecords, LookupEntry, Pipeline, Signatures, Sought};
use lookalike_io::record::{Record, TextBuffer};

use super::Generation;
use crate::extras::{Extras, weak_reason};
use crate::preview::Preview;
use crate::storage::document::DocumentNumber;

/// A document that has been parsed and signed.
pub struct SignedDocument {
    pub id: Option<Id>,
    pub labels: Vec<String>,
    pub set: String,
    /// `None` if there is nothing to compare.
    pub digest: Option<u128>,
    /// The keys under which it is kept, with their branches.
    pub kept: Vec<(u8, u64)>,
    /// Where its candidates are kept.
    pub sought: Sought,
    pub stored: Vec<u8>,
    /// What joins over features know of it.
    pub records: JoinRecords,
    pub scores: Vec<u64>,
    pub features: FeatureSet,
    pub text: String,
    pub streams: Streams,
    /// Why its text is weak, if that is why there is nothing to compare.
    pub weak: Option<String>,
}

/// A stored document as it is compared, in memory that is reused.
#[derive(Default)]
pub struct LoadedDocument {
    pub features: FeatureSet,
    pub text: String,
    pub streams: Streams,
    /// What joins over features know of it.
    pub records: JoinRecords,
}

impl LoadedDocument {
    pub fn as_compared(&self) -> Compared<'_> {
        Compared { features: &self.features, text: &self.text, streams: &self.streams }
    }

    /// Takes all but the features.
    fn fill(
        &mut self,
        generation: &Generation,
        document: &Document<'_>,
        compared: &mut Signatures,
        with_records: bool,
    ) {
        if with_records {
            compared.fill_records(&generation.pipeline, &generation.plan, document, &mut self.records);
        }
        generation.plan.fill_streams(document, &mut self.streams);
        self.text.clear();
        self.text.push_str(&document.text);
    }
}

impl SignedDocument {
    pub fn as_compared(&self) -> Compared<'_> {
        Compared { features: &self.features, text: &self.text, streams: &self.streams }
    }
}

/// Reads and signs documents, with buffers that are reused. Each thread has its own.
pub struct SigningContext<'a> {
    generation: &'a Generation,
    buffers: SigningBuffers,
}

/// The buffers of a [`SigningContext`].
#[derive(Default)]
pub struct SigningBuffers {
    signatures: Signatures,
    /// Of a document that is compared with the one that was signed.
    compared: Signatures,
    counter: OverlapCounter,
    loaded: LoadedDocument,
    text: TextBuffer,
    line: Vec<u8>,
}

/// Larger buffers are dropped, so that one giant document does not keep its memory for ever.
const MOST_KEPT: usize = 1 << 20;

impl<'a> SigningContext<'a> {
    pub fn new(generation: &'a Generation) -> Self {
        let left = generation.buffers.lock().unwrap_or_else(PoisonError::into_inner).pop();
        SigningContext { generation, buffers: left.unwrap_or_default() }
    }

    /// Parses and signs a document. `position` is the lasting number that it has or would get.
    pub fn sign(&mut self, line: &[u8], position: u32) -> Result<SignedDocument> {
        let SigningBuffers { signatures, text, .. } = &mut self.buffers;
        let line = simdutf8::compat::from_utf8(line)
            .map_err(|error| Error::input(format!("not valid UTF-8 at byte {}", error.valid_up_to() + 1)))?;
        let mut record = self.generation.fields.parse(line, text).map_err(Error::Input)?;
        record.document.position = u64::from(position);
        let mut signed = sign(self.generation, signatures, record);
        Extras { labels: signed.labels, set: signed.set } = Extras::read(line)?;
        signed.weak = if signed.digest.is_none() { weak_reason(line) } else { None };
        Ok(signed)
    }

    /// Signs a text as a document that has nothing else.
    pub fn sign_text(&mut self, text: &str, position: u32) -> Result<SignedDocument> {
        // A stage may read the text as a field, too.
        let is_text = |field: &String| field.split('.').next() == Some("text");
        if self.generation.fields.wanted.iter().any(is_text) {
            let line = serde_json::json!({ "text": text }).to_string();
            return self.sign(line.as_bytes(), position);
        }
        let document = Document { position: u64::from(position), ..Document::from_text(text) };
        Ok(sign(self.generation, &mut self.buffers.signatures, Record { id: None, document }))
    }

    /// Memory to load documents into, to be given back.
    pub fn take_loaded(&mut self) -> LoadedDocument {
        std::mem::take(&mut self.buffers.loaded)
    }

    pub fn give_back(&mut self, loaded: LoadedDocument) {
        self.buffers.loaded = loaded;
    }

    /// What documents are compared by.
    pub fn pipeline(&self) -> &'a Pipeline {
        &self.generation.pipeline
    }

    /// Computes a stored document's features again, into a reused set. [`Error::Gone`] if the document is gone.
    pub fn features_of(&mut self, document: DocumentNumber, set: &mut FeatureSet) -> Result<()> {
        let generation = self.generation;
        let (document, compared, _) = self.compute_features(document)?;
        compared.fill_set(&generation.pipeline, &generation.plan, &document, set);
        Ok(())
    }

    /// Computes what a stored document is compared by. [`Error::Gone`] if the document is gone.
    pub fn load(
        &mut self,
        document: DocumentNumber,
        loaded: &mut LoadedDocument,
        with_records: bool,
    ) -> Result<()> {
        let generation = self.generation;
        let (document, compared, _) = self.compute_features(document)?;
        compared.fill_set(&generation.pipeline, &generation.plan, &document, &mut loaded.features);
        loaded.fill(generation, &document, compared, with_records);
        Ok(())
    }

    /// Takes the features of the document with which others are compared by [`load_counted`](Self::load_counted).
    pub fn count_from(&mut self, features: &FeatureSet) {
        self.buffers.counter.fill(&features.hashes);
    }

    /// Computes what a stored document is compared by, save the set of its features: what it shares with that of
    /// [`count_from`](Self::count_from) is counted without sorting them. `None` if it has another class than this one.
    pub fn load_counted(
        &mut self,
        document: DocumentNumber,
        loaded: &mut LoadedDocument,
        with_records: bool,
        class: Option<u64>,
    ) -> Result<Option<Overlap>> {
        let generation = self.generation;
        let (document, compared, counter) = self.compute_features(document)?;
        let is_of_class = compared.features.class == class;
        let overlap = is_of_class.then(|| counter.count(&compared.features.hashes));
        loaded.fill(generation, &document, compared, with_records);
        Ok(overlap)
    }

    fn compute_features(
        &mut self,
        document: DocumentNumber,
    ) -> Result<(Document<'_>, &mut Signatures, &mut OverlapCounter)> {
        let generation = self.generation;
        let SigningBuffers { compared, counter, text, line, .. } = &mut self.buffers;
        generation.read_line(document, line)?;
        let document = parse(generation, line, text)?;
        compared.fill_features(&generation.pipeline, &document);
        Ok((document, compared, counter))
    }

    /// The fingerprint of a document that was just signed; `None` if it has nothing to compare.
    pub fn fingerprint_of_signed(
        &mut self,
        signed: &SignedDocument,
        line: &[u8],
    ) -> Result<Option<Fingerprint>> {
        let generation = self.generation;
        if generation.fingerprints.follow_from_signing() {
            return Ok(generation.fingerprints.of_signed(&signed.features, &signed.stored));
        }
        let SigningBuffers { compared, text, .. } = &mut self.buffers;
        let document = parse(generation, line, text)?;
        Ok(generation.fingerprints.of(&generation.pipeline, &generation.plan, &document, compared))
    }

    /// The fingerprint of a stored document, whose features may be known already. [`Error::Gone`] if it is gone.
    pub fn fingerprint_of(
        &mut self,
        number: DocumentNumber,
        features: Option<&FeatureSet>,
    ) -> Result<Option<Fingerprint>> {
        let generation = self.generation;
        if let Some(features) = features.filter(|_| generation.fingerprints.follow_from_signing()) {
            let state = generation.store.state();
            let content = state.population.documents.get(number).and_then(|document| document.content);
            return Ok(content
                .and_then(|content| generation.fingerprints.of_signed(features, state.stored(content))));
        }
        let SigningBuffers { compared, text, line, .. } = &mut self.buffers;
        generation.read_line(number, line)?;
        let document = parse(generation, line, text)?;
        Ok(generation.fingerprints.of(&generation.pipeline, &generation.plan, &document, compared))
    }

    /// The text of a stored document.
    pub fn text_of(&mut self, document: DocumentNumber) -> Result<String> {
        let SigningBuffers { text, line, .. } = &mut self.buffers;
        self.generation.read_line(document, line)?;
        Ok(parse(self.generation, line, text)?.text.into_owned())
    }

    /// The text and the streams of a stored document.
    pub fn text_and_streams_of(&mut self, document: DocumentNumber) -> Result<(String, Streams)> {
        let SigningBuffers { text, line, .. } = &mut self.buffers;
        self.generation.read_line(document, line)?;
        let document = parse(self.generation, line, text)?;
        let mut streams = Streams::default();
        self.generation.plan.fill_streams(&document, &mut streams);
        Ok((document.text.into_owned(), streams))
    }

    /// The title and the text of a stored document.
    pub fn title_and_text_of(&mut self, document: DocumentNumber) -> Result<(Option<String>, String)> {
        let text = self.text_of(document)?;
        Ok((Preview::of(&self.buffers.line).title, text))
    }
}

impl Drop for SigningContext<'_> {
    fn drop(&mut self) {
        let buffers = std::mem::take(&mut self.buffers);
        if buffers.bytes() <= MOST_KEPT {
            self.generation.buffers.lock().unwrap_or_else(PoisonError::into_inner).push(buffers);
        }
    }
}

impl SigningBuffers {
    /// Bytes of the buffers that grow with a document.
    fn bytes(&self) -> usize {
        let hashes = self.signatures.features.hashes.capacity() + self.compared.features.hashes.capacity();
        let loaded = self.loaded.text.capacity() + 8 * self.loaded.features.hashes.capacity();
        self.line.capacity() + self.text.bytes() + self.counter.bytes() + loaded + 8 * hashes
    }
}

/// Signs a document that was parsed.
fn sign(generation: &Generation, signatures: &mut Signatures, record: Record<'_>) -> SignedDocument {
    let Record { id, document } = record;
    generation.seen.see(&document);
    let mut scores = Vec::new();
    generation.pipeline.keep_scores(&generation.plan, &document, "", &mut scores);
    let digest = signatures.fill(&generation.pipeline, &generation.plan, &document).digest;
    let mut features = FeatureSet::default();
    signatures.fill_set(&generation.pipeline, &generation.plan, &document, &mut features);
    let mut records = JoinRecords::default();
    signatures.fill_records(&generation.pipeline, &generation.plan, &document, &mut records);
    let LookupEntry { kept, sought, stored } = generation.lookup.entry(signatures, &records);
    let mut streams = Streams::default();
    generation.plan.fill_streams(&document, &mut streams);
    let text = document.text.into_owned();
    SignedDocument {
        id,
        labels: Vec::new(),
        set: String::new(),
        digest,
        kept,
        sought,
        stored,
        records,
        scores,
        features,
        text,
        streams,
        weak: None,
    }
}

fn parse<'a>(generation: &Generation, line: &'a [u8], text: &'a mut TextBuffer) -> Result<Document<'a>> {
    let broken = || Error::Internal("a stored document cannot be read again".to_owned());
    let line = simdutf8::basic::from_utf8(line).map_err(|_| broken())?;
    generation.fields.parse(line, text).map(|record| record.document).map_err(|_| broken())
}
