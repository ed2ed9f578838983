//! What a run would cost, without running it.
//!
//! A few chunks spread over the inputs are read and signed for real; the rest is arithmetic.

use std::time::Instant;

use lookalike_core::Result;
use lookalike_core::candidates::Buckets;
use lookalike_io::format::Format;
use lookalike_io::inputs::Input;
use lookalike_io::read::{Chunk, ReadOptions, Reader};
use lookalike_io::record::TextBuffer;
use serde::Serialize;

use super::batches::BATCH_DOCUMENTS;
use super::forecast::SampledKeys;
use super::sign::layout;
use super::{Job, documents, inputs, known_files};
use crate::pipeline::{Branch, Pipeline, Signatures};

/// What a run would cost, by a sample of its inputs.
#[derive(Clone, Debug, Serialize)]
pub struct Plan {
    /// What signatures would be made by.
    pub scheme: String,
    /// Files to read.
    pub inputs: usize,
    /// Their length.
    pub input_bytes: u64,
    /// Estimated from the sample.
    pub documents: u64,
    /// How long it would take.
    pub seconds: f64,
    /// The memory that it would need.
    pub memory_bytes: u64,
    /// The memory that it may use.
    pub memory_limit: u64,
    /// Whether keys and signatures will not all fit into the limit and go to disk.
    pub spills: bool,
    /// The room that it would need at most: for its results, for what it remembers of documents while it runs, and for
    /// the texts of candidates.
    pub disk_bytes: u64,
    /// What of it is in use only while the run goes on, without the texts of candidates.
    pub scratch_bytes: u64,
    /// The texts of candidates at most: all texts of inputs that cannot be read where they are, none of others.
    pub candidate_bytes: u64,
    /// How much space is left on the disk of the output folder, if known.
    pub disk_free_bytes: Option<u64>,
    /// How candidates are found, for people.
    pub candidates: String,
    /// How many pairs would be compared, by the keys of the sample; those of joins are not foreseen.
    pub pairs: u64,
    /// Whether time and memory also grow with the number of pairs found, which cannot be predicted.
    pub grows_with_pairs: bool,
    /// Similarities, and the chance that such a pair is found, if it is known.
    pub expected_recall: Vec<(f64, Option<f64>)>,
}

/// How much of the input the sample reads.
const SAMPLE_CHUNKS: u64 = 8;
/// Pairing, verifying and writing take about as long again as signing.
const REST: f64 = 1.1;

/// What sorting keys and pairs takes for each document, where memory allows.
const SORTED: u64 = 48;

/// Refuses more documents than a run can take before it begins, as far as a sample tells.
pub fn check_documents(pipeline: &Pipeline, job: &Job, all: &[Input]) -> Result<()> {
    // Documents are longer than that, compressed ones included.
    const SHORTEST: u64 = 8;
    let bytes: u64 = all.iter().map(|input| input.bytes).sum();
    if documents::room(job.budget(), bytes / SHORTEST).is_ok() {
        return Ok(());
    }
    // A sample may be wrong by some.
    let documents = sample(pipeline, job, all)?.documents_in(bytes) / 10 * 7;
    documents::room(job.budget(), documents).map(|_| ())
}

/// What it takes to compare a pair of a crowd, whose documents are read again for it.
const PAIR_SECONDS: f64 = 10e-6;

/// What a pair takes while it is sorted and verified, where memory allows.
const PAIR: u64 = 70;

/// What keeping the documents of large clusters at hand takes, where memory allows: their texts, and 8 bytes for each word.
fn kept_at_hand(pairs: u64, documents: u64, plain_bytes: f64) -> u64 {
    const KEPT: f64 = 2.3;
    // With fewer pairs, nearly every document is read once.
    if pairs > 2 * documents { (KEPT * plain_bytes) as u64 } else { 0 }
}

/// What the program, its threads and their buffers use; less if the input is small.
fn used_anyway(threads: usize, plain_bytes: f64, documents: u64) -> u64 {
    const PROGRAM: f64 = 20e6;
    // A chunk, and a batch of documents with their features.
    let document = plain_bytes / documents.max(1) as f64;
    let thread = (6e6 + (BATCH_DOCUMENTS as f64 * 9.0 * document).min(16e6)).min(2.0 * plain_bytes);
    (PROGRAM + threads as f64 * thread) as u64
}

/// Reads a sample of the inputs and computes what all of them would cost.
pub fn plan(pipeline: &Pipeline, job: &Job) -> Result<Plan> {
    job.check()?;
    if job.inputs.iter().any(|input| input == "-") {
        return Err(lookalike_core::Error::config(
            "standard input cannot be planned: it can be read only once",
        ));
    }
    let mut all = inputs::find(&known_files(&job.against)?, None)?;
    all.extend(inputs::find(&job.inputs, Some(job.destination()))?);
    let sample = sample(pipeline, job, &all)?;
    let input_bytes: u64 = all.iter().map(|input| input.bytes).sum();
    let expansion = sample.expansion();
    let plain_bytes = input_bytes as f64 * expansion;
    let documents = sample.documents_in(input_bytes);
    let room = documents::room(job.budget(), documents)?;
    let signing = sample.seconds / sample.decoded.max(1) as f64 * plain_bytes;
    let layout = layout(pipeline);
    let id_bytes = sample.id_bytes as f64 / sample.documents.max(1) as f64;
    let catalog = (documents as f64 * (layout.bytes_per_document() as f64 + id_bytes)) as u64;
    let has_join = pipeline.branches.iter().any(|branch| branch.keyer().is_none());
    let cached = catalog.min(if has_join { room / 8 } else { room / 2 });
    let sorted = (documents * SORTED).min(room / 4);
    let times = documents as f64 / sample.documents.max(1) as f64;
    let limits = Buckets { full: job.full_bucket, ..Buckets::default() };
    let pairs = sample.keys.pairs(times, limits) as u64;
    // What a join remembers of each document, and about as much again while it works.
    let joined = 2 * (sample.joined as f64 / sample.documents.max(1) as f64 * documents as f64) as u64;
    let joined = joined.min(room / 8 * 5);
    let gathered = all.iter().filter(|input| !input.is_in_place());
    let candidate_bytes = gathered.map(|input| (input.bytes as f64 * expansion) as u64).sum::<u64>();
    let scratch_bytes = catalog + documents * SORTED;
    let threshold = pipeline.decider.threshold();
    let recalls = [0.0, 0.05, 0.1].map(|step| (threshold + step).min(1.0));
    let mut expected_recall: Vec<(f64, Option<f64>)> =
        recalls.iter().map(|&similarity| (similarity, pipeline.expected_recall(similarity))).collect();
    expected_recall.dedup();
    Ok(Plan {
        scheme: pipeline.scheme.id.clone(),
        inputs: all.len(),
        input_bytes,
        documents,
        seconds: (signing * (1.0 + REST) + pairs.saturating_sub(documents) as f64 * PAIR_SECONDS)
            / job.threads as f64,
        memory_bytes: cached
            + sorted
            + joined
            + (pairs * PAIR).min(room / 8)
            + kept_at_hand(pairs, documents, plain_bytes).min(room / 8)
            + documents::BYTES * documents
            + used_anyway(job.threads, plain_bytes, documents),
        memory_limit: job.memory,
        spills: cached < catalog,
        // What is kept has the format of its input.
        disk_bytes: scratch_bytes + candidate_bytes + input_bytes,
        scratch_bytes,
        candidate_bytes,
        disk_free_bytes: free_bytes(&job.output),
        pairs,
        grows_with_pairs: pipeline.branches.iter().any(|branch| branch.keyer().is_none()),
        candidates: pipeline.branches.iter().map(describe).collect::<Vec<_>>().join("; "),
        expected_recall,
    })
}

impl Plan {
    /// Whether the disk has room for the run; true if that is not known.
    pub fn fits_on_disk(&self) -> bool {
        self.disk_free_bytes.is_none_or(|free| self.disk_bytes <= free)
    }
}

/// The free space on the disk that holds, or will hold, a folder.
pub fn free_bytes(folder: &std::path::Path) -> Option<u64> {
    let folder = std::path::absolute(folder).ok()?;
    let there = folder.ancestors().find(|folder| folder.is_dir())?;
    let disk = rustix::fs::statvfs(there).ok()?;
    disk.f_bavail.checked_mul(disk.f_frsize)
}

/// How a branch finds candidates, in one line.
fn describe(branch: &Branch) -> String {
    let table = branch.finder.spec().to_table().to_string();
    table.trim_end().replace('\n', ", ")
}

#[derive(Default)]
struct Sample {
    documents: u64,
    /// Bytes as the file has them, and decompressed.
    encoded: u64,
    decoded: u64,
    id_bytes: u64,
    /// Bytes that joins remember.
    joined: u64,
    seconds: f64,
    keys: SampledKeys,
}

impl Sample {
    /// How much longer inputs are when decompressed.
    fn expansion(&self) -> f64 {
        self.decoded as f64 / self.encoded.max(1) as f64
    }

    /// How many documents inputs of this length have.
    fn documents_in(&self, bytes: u64) -> u64 {
        (self.documents as f64 * (bytes as f64 / self.encoded.max(1) as f64)) as u64
    }
}

fn sample(pipeline: &Pipeline, job: &Job, all: &[Input]) -> Result<Sample> {
    let mut sample = Sample::default();
    fill_sample(pipeline, job, all, &mut sample)?;
    Ok(sample)
}

fn fill_sample(pipeline: &Pipeline, job: &Job, all: &[Input], sample: &mut Sample) -> Result<()> {
    let (fields, plan) = job.fields(pipeline);
    let mut signatures = Signatures::default();
    let mut chunk = Chunk::default();
    let mut text = TextBuffer::default();
    let step = all.len().div_ceil(SAMPLE_CHUNKS as usize).max(1);
    for input in all.iter().step_by(step) {
        let options = ReadOptions {
            max_line: job.max_line,
            columns: [&[fields.id.clone(), fields.text.clone()][..], &fields.wanted].concat(),
            text: fields.text.clone(),
            cursors: 1,
        };
        let reader = Reader::open(std::slice::from_ref(input), options)?;
        let chunks = (SAMPLE_CHUNKS as usize / all.len()).max(1);
        let spacing = (input.bytes / lookalike_io::read::CHUNK_BYTES / chunks as u64).max(1);
        let began = Instant::now();
        let (mut taken, mut decoded, mut encoded) = (0, 0u64, 0u64);
        while taken < chunks && reader.next(&mut chunk, &|_, part| is_plain(input) && part % spacing != 0)? {
            taken += 1;
            decoded += chunk.bytes().len() as u64;
            encoded += chunk.raw_bytes;
            for line in chunk.lines().filter_map(|line| line.content.ok()) {
                let Ok(record) = fields.parse_in(&chunk.folders, line, &mut text) else { continue };
                sample.documents += 1;
                sample.id_bytes += record.id.map_or(0, |id| id.json().len() as u64);
                let signed = signatures.fill(pipeline, &plan, &record.document);
                if let Some(digest) = signed.digest {
                    sample.keys.add(digest, &signatures.keys);
                }
                sample.joined += signatures.joined_bytes(pipeline, &plan, &record.document);
            }
        }
        sample.seconds += began.elapsed().as_secs_f64();
        sample.decoded += decoded;
        sample.encoded += encoded.clamp(1, input.bytes.max(1));
    }
    Ok(())
}

fn is_plain(input: &Input) -> bool {
    input.format == Format::PLAIN
}
