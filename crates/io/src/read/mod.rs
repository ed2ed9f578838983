//! Chunks of JSON lines, taken by many threads at once.
//!
//! A plain file is cut at fixed offsets, so its chunks are independent; a compressed file or a
//! Parquet row group is a lane that one thread at a time advances, while the others work on what
//! they took or on another lane. Chunks are numbered by where they stand in the input, never by
//! when they were read, so results do not depend on threads.

mod lines;
mod parquet;
mod spool;
mod stream;

use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError, TryLockError};

use lookalike_core::{Error, Result};

use self::lines::PlainFile;
use self::parquet::ParquetLane;
pub use self::parquet::{batches, schema_of};
use self::spool::Spool;
pub use self::spool::spool_stdin;
use self::stream::CompressedLane;
use crate::inputs::{Compression, Format, Input};

/// Large enough that overheads vanish, small enough that two per thread fit any budget.
pub const CHUNK_BYTES: u64 = 4 << 20;

#[derive(Clone, Debug)]
pub struct ReadOptions {
    /// A line longer than this is rejected, so that no line can exhaust the memory.
    pub max_line: u64,
    /// Where compressed and columnar inputs leave a plain copy.
    pub spool_folder: PathBuf,
    /// The columns of a Parquet file that are read: id, text and what stages ask for; none: all of them.
    pub columns: Vec<String>,
    /// How many lanes may be open at once.
    pub lanes: usize,
}

/// Whole lines that follow each other in one input.
#[derive(Default, Debug)]
pub struct Chunk {
    pub input: usize,
    /// Rises with the position in the input.
    pub part: u64,
    /// Where the lines begin in the input's [`Reader::store`].
    pub base: u64,
    /// A buffer that is reused; the lines are part of it.
    buffer: Vec<u8>,
    lines: Range<usize>,
    /// After the last whole line, something could not be read: why, and how many bytes of an
    /// overlong line were passed over.
    pub broken: Option<String>,
}

impl Chunk {
    /// The lines, each with its end; the last may have none.
    pub fn bytes(&self) -> &[u8] {
        &self.buffer[self.lines.clone()]
    }

    fn clear(&mut self) {
        self.buffer.clear();
        self.lines = 0..0;
        self.broken = None;
    }

    /// For readers that fill the buffer from its beginning.
    fn take_all(&mut self) {
        self.lines = 0..self.buffer.len();
    }
}

enum Lane {
    Plain { file: PlainFile, next: AtomicU64 },
    Compressed(Mutex<CompressedLane>),
    Parquet(Mutex<ParquetLane>),
}

struct Slot {
    input: usize,
    lane: Lane,
    finished: AtomicBool,
}

/// Hands out the chunks of all inputs.
pub struct Reader {
    slots: Vec<Slot>,
    stores: Vec<PathBuf>,
    options: ReadOptions,
}

impl Reader {
    pub fn open(inputs: &[Input], options: ReadOptions) -> Result<Reader> {
        Reader::open_with(inputs, options, Spool::open)
    }

    /// For reading all documents once: no plain copies are left, so [`Reader::store`] leads nowhere
    /// for inputs that need one.
    pub fn open_once(inputs: &[Input], options: ReadOptions) -> Result<Reader> {
        Reader::open_with(inputs, options, |_| Ok(Spool::nowhere()))
    }

    fn open_with(
        inputs: &[Input],
        options: ReadOptions,
        open_spool: impl Fn(&Path) -> Result<Spool>,
    ) -> Result<Reader> {
        let mut slots = Vec::new();
        let mut stores = Vec::new();
        for (index, input) in inputs.iter().enumerate() {
            let spool_path = options.spool_folder.join(format!("spool-{index}.jsonl"));
            let slot = |lane| Slot { input: index, lane, finished: AtomicBool::new(false) };
            match input.format {
                Format::Jsonl(Compression::None) => {
                    let file = PlainFile::new(input);
                    slots.push(slot(Lane::Plain { file, next: AtomicU64::new(0) }));
                    stores.push(input.path.clone());
                }
                Format::Jsonl(compression) => {
                    let lane = CompressedLane::new(input, compression, open_spool(&spool_path)?);
                    slots.push(slot(Lane::Compressed(Mutex::new(lane))));
                    stores.push(spool_path);
                }
                Format::Parquet => {
                    let spool = open_spool(&spool_path)?;
                    for lane in ParquetLane::for_row_groups(input, &options.columns, &spool)? {
                        slots.push(slot(Lane::Parquet(Mutex::new(lane))));
                    }
                    stores.push(spool_path);
                }
            }
        }
        Ok(Reader { slots, stores, options })
    }

    /// The plain file in which an input's documents can be read again by offset.
    pub fn store(&self, input: usize) -> &Path {
        &self.stores[input]
    }

    /// Fills `chunk` with the next chunk that nobody has taken and that is not `done` already.
    /// `false` when there is none left.
    pub fn next(&self, chunk: &mut Chunk, done: &dyn Fn(usize, u64) -> bool) -> Result<bool> {
        'next: loop {
            let mut busy = None;
            let open = self.slots.iter().filter(|slot| !slot.finished.load(Ordering::Acquire));
            for slot in open.take(self.options.lanes.max(1)) {
                chunk.input = slot.input;
                let step = match &slot.lane {
                    Lane::Plain { file, next } => self.next_plain(file, next, slot.input, chunk, done)?,
                    Lane::Compressed(lane) => advance(lane, |lane| lane.next(chunk, self.options.max_line))?,
                    Lane::Parquet(lane) => advance(lane, |lane| lane.next(chunk, self.options.max_line))?,
                };
                match step {
                    Step::Chunk if done(chunk.input, chunk.part) => continue 'next,
                    Step::Chunk => return Ok(true),
                    Step::Finished => slot.finished.store(true, Ordering::Release),
                    Step::Busy => busy = busy.or(Some(slot)),
                }
            }
            match busy {
                // Wait until the thread that holds the lane has taken its chunk, then try again.
                Some(slot) => slot.lane.wait(),
                None if self.slots.iter().all(|slot| slot.finished.load(Ordering::Acquire)) => {
                    return Ok(false);
                }
                None => {}
            }
        }
    }

    fn next_plain(
        &self,
        file: &PlainFile,
        next: &AtomicU64,
        input: usize,
        chunk: &mut Chunk,
        done: &dyn Fn(usize, u64) -> bool,
    ) -> Result<Step> {
        loop {
            let part = next.fetch_add(1, Ordering::Relaxed);
            if part >= file.chunks() {
                return Ok(Step::Finished);
            }
            if !done(input, part) {
                file.read_chunk(part, self.options.max_line, chunk)?;
                return Ok(Step::Chunk);
            }
        }
    }
}

enum Step {
    Chunk,
    Finished,
    Busy,
}

fn advance<L>(lane: &Mutex<L>, next: impl FnOnce(&mut L) -> Result<bool>) -> Result<Step> {
    match lane.try_lock() {
        Ok(mut lane) => Ok(if next(&mut lane)? { Step::Chunk } else { Step::Finished }),
        Err(TryLockError::WouldBlock) => Ok(Step::Busy),
        Err(TryLockError::Poisoned(_)) => Err(Error::Internal("a reading thread panicked".to_owned())),
    }
}

impl Lane {
    fn wait(&self) {
        match self {
            Lane::Plain { .. } => {}
            Lane::Compressed(lane) => drop(lane.lock().unwrap_or_else(PoisonError::into_inner)),
            Lane::Parquet(lane) => drop(lane.lock().unwrap_or_else(PoisonError::into_inner)),
        }
    }
}

fn too_long(bytes: u64, max_line: u64) -> String {
    format!("the line has {bytes} bytes, more than the limit of {max_line} (--max-line)")
}

#[cfg(test)]
mod tests;
