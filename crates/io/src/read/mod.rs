//! Chunks of JSON lines, which many threads take at once.
//!
//! A plain file is cut at fixed offsets, so its chunks are independent. A compressed file, a table, an array, a web
//! archive, an Arrow file or a Parquet row group is read through a cursor, which one thread at a time advances while the others
//! process their chunks or advance another cursor. Chunks are numbered by their position in the input, never by when
//! they were read, so results do not depend on threads.

mod ahead;
mod chunk;
mod columns;
mod consumed;
mod lines;
mod members;
mod records;
mod stdin;
mod stream;
mod table;
mod texts;
mod values;
mod window;

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError, TryLockError};

use lookalike_core::{Error, Result};

use self::ahead::Ahead;
pub use self::chunk::{Chunk, Line};
use self::columns::ColumnCursor;
#[cfg(not(feature = "parquet"))]
pub(crate) use self::columns::refused;
#[cfg(feature = "parquet")]
pub(crate) use self::columns::{Batches, Next, batches, inner_compression};
#[cfg(feature = "parquet")]
pub use self::columns::{ColumnFile, RowWriter, check_names, guarded, wanted};
use self::lines::PlainFile;
use self::records::RecordCursor;
pub(crate) use self::records::Records;
pub use self::records::has_column;
pub use self::stdin::copy_stdin;
use self::stream::StreamCursor;
use crate::folders::FolderFields;
use crate::format::{Format, Layout};
use crate::inputs::Input;
use crate::place::Place;

/// Large enough that overheads vanish, small enough that two per thread fit any budget.
pub const CHUNK_BYTES: u64 = 4 << 20;

/// How inputs are read.
#[derive(Clone, Debug)]
pub struct ReadOptions {
    /// A line longer than this is rejected, so that no line can exhaust the memory.
    pub max_line: u64,
    /// The columns to read from columnar inputs: id, text and the fields that stages read; none means all.
    pub columns: Vec<String>,
    /// The field with the text, which in a table is always text even if it looks like a number.
    pub text: String,
    /// How many cursors may be open at once.
    pub cursors: usize,
}

enum Cursor {
    Plain { file: Box<PlainFile>, next: AtomicU64 },
    Stream(Mutex<StreamCursor>),
    // Much larger than the others in a build without columns.
    Records(Box<Mutex<RecordCursor>>),
    Columns(Mutex<ColumnCursor>),
}

struct Slot {
    input: usize,
    folders: FolderFields,
    place: Place,
    cursor: Cursor,
    finished: AtomicBool,
}

/// Hands out the chunks of all inputs.
pub struct Reader {
    slots: Vec<Slot>,
    /// All slots before this one are finished. There may be a hundred thousand, so they are not all looked at each time.
    first_open: AtomicUsize,
    ahead: Ahead,
    options: ReadOptions,
}

impl Reader {
    /// Opens all inputs.
    pub fn open(inputs: &[Input], options: ReadOptions) -> Result<Reader> {
        Reader::open_some(inputs, options, |_| true)
    }

    /// Opens some of the inputs, by their numbers. Their chunks are the same in every reader with the same options.
    pub fn open_some(
        inputs: &[Input],
        options: ReadOptions,
        is_wanted: impl Fn(usize) -> bool,
    ) -> Result<Reader> {
        let mut slots = Vec::new();
        for (index, input) in inputs.iter().enumerate().filter(|&(index, _)| is_wanted(index)) {
            let slot = |cursor| Slot {
                input: index,
                folders: input.folders.clone(),
                place: input.place.clone(),
                cursor,
                finished: AtomicBool::new(false),
            };
            if input.format == Format::PLAIN {
                let file = Box::new(PlainFile::new(input));
                slots.push(slot(Cursor::Plain { file, next: AtomicU64::new(0) }));
                continue;
            }
            match input.format.layout {
                Layout::Jsonl => slots.push(slot(Cursor::Stream(Mutex::new(StreamCursor::new(input))))),
                Layout::JsonArray | Layout::JsonObjects | Layout::Table { .. } | Layout::Wet => {
                    slots.push(slot(Cursor::Records(Box::new(Mutex::new(RecordCursor::new(
                        input, &options,
                    ))))));
                }
                Layout::Parquet | Layout::ArrowFile | Layout::ArrowStream => {
                    let cursors = input.place.checked(ColumnCursor::all(input, &options))?;
                    slots.extend(cursors.into_iter().map(|cursor| slot(Cursor::Columns(Mutex::new(cursor)))));
                }
            }
        }
        let ahead = Ahead::new(&slots, options.cursors);
        Ok(Reader { slots, first_open: AtomicUsize::new(0), ahead, options })
    }

    /// Fills `chunk` with the next chunk that nobody has taken and that is not `done` already.
    /// `false` when there is none left.
    pub fn next(&self, chunk: &mut Chunk, done: &dyn Fn(usize, u64) -> bool) -> Result<bool> {
        chunk.max_line = self.options.max_line;
        'next: loop {
            let mut busy = None;
            let from = self.first_open();
            let open = self.slots.iter().enumerate().skip(from);
            let open = open.filter(|(_, slot)| !slot.finished.load(Ordering::Acquire));
            for (number, slot) in open.take(self.options.cursors.max(1)) {
                chunk.input = slot.input;
                let step = match &slot.cursor {
                    Cursor::Plain { file, next } => self.next_plain(file, next, number, chunk, done),
                    Cursor::Stream(cursor) => {
                        advance(cursor, |cursor| cursor.next(chunk, self.options.max_line))
                    }
                    Cursor::Records(cursor) => advance(cursor, |cursor| cursor.next(chunk)),
                    Cursor::Columns(cursor) => {
                        advance(cursor, |cursor| cursor.next(chunk, self.options.max_line))
                    }
                };
                match slot.place.checked(step)? {
                    Step::Chunk if done(chunk.input, chunk.part) => continue 'next,
                    Step::Chunk => {
                        chunk.folders.clone_from(&slot.folders);
                        return Ok(true);
                    }
                    Step::Finished => slot.finished.store(true, Ordering::Release),
                    Step::Busy => busy = busy.or(Some(slot)),
                }
            }
            match busy {
                // Wait until the thread that holds the cursor has taken its chunk, then try again.
                Some(slot) => slot.cursor.wait(),
                None if self.first_open() == self.slots.len() => return Ok(false),
                None => {}
            }
        }
    }

    /// The first slot that is not finished.
    fn first_open(&self) -> usize {
        let from = self.first_open.load(Ordering::Relaxed);
        let finished =
            self.slots[from..].iter().take_while(|slot| slot.finished.load(Ordering::Acquire)).count();
        self.first_open.fetch_max(from + finished, Ordering::Relaxed);
        from + finished
    }

    /// How many records of web archives were passed over so far since they are no texts, by their type.
    pub fn other_records(&self) -> BTreeMap<String, u64> {
        let mut counts = BTreeMap::new();
        for slot in &self.slots {
            let Cursor::Records(cursor) = &slot.cursor else { continue };
            let cursor = cursor.lock().unwrap_or_else(PoisonError::into_inner);
            for (kind, count) in cursor.passed_over().filter(|&(_, count)| count > 0) {
                *counts.entry(kind.to_owned()).or_default() += count;
            }
        }
        counts
    }

    fn next_plain(
        &self,
        file: &PlainFile,
        next: &AtomicU64,
        slot: usize,
        chunk: &mut Chunk,
        done: &dyn Fn(usize, u64) -> bool,
    ) -> Result<Step> {
        loop {
            let part = next.fetch_add(1, Ordering::Relaxed);
            if part >= file.chunks() {
                return Ok(Step::Finished);
            }
            if !done(self.slots[slot].input, part) {
                // What is needed now goes out before what will be.
                file.expect(part);
                self.ahead.begin(&self.slots, slot, part, done);
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

fn advance<L>(cursor: &Mutex<L>, next: impl FnOnce(&mut L) -> Result<bool>) -> Result<Step> {
    match cursor.try_lock() {
        Ok(mut cursor) => Ok(if next(&mut cursor)? { Step::Chunk } else { Step::Finished }),
        Err(TryLockError::WouldBlock) => Ok(Step::Busy),
        Err(TryLockError::Poisoned(_)) => Err(Error::Internal("a reading thread panicked".to_owned())),
    }
}

impl Cursor {
    fn wait(&self) {
        match self {
            Cursor::Plain { .. } => {}
            Cursor::Stream(cursor) => drop(cursor.lock().unwrap_or_else(PoisonError::into_inner)),
            Cursor::Records(cursor) => drop(cursor.lock().unwrap_or_else(PoisonError::into_inner)),
            Cursor::Columns(cursor) => drop(cursor.lock().unwrap_or_else(PoisonError::into_inner)),
        }
    }
}

/// A text that is equal for inputs whose documents can be kept in one file.
pub fn columns_of(input: &Input, max_line: u64) -> Result<String> {
    let columns = match input.format.layout {
        Layout::Jsonl | Layout::JsonArray | Layout::JsonObjects | Layout::Wet => Ok(String::new()),
        Layout::Table { .. } => records::header_of(input, max_line),
        Layout::Parquet | Layout::ArrowFile | Layout::ArrowStream => columns::columns_of(input),
    };
    input.place.checked(columns)
}

/// The message for a stream that ends in an error.
fn broken(error: &std::io::Error, packed: bool) -> String {
    let what = if packed { "the compressed stream" } else { "the file" };
    format!("{what} is damaged or cut here ({error}); what follows is lost")
}

/// Why a line is rejected that is longer than the limit.
pub fn too_long(bytes: u64, max_line: u64) -> String {
    format!("the line has {bytes} bytes, more than the limit of {max_line} (--max-line)")
}

#[cfg(test)]
mod tests;
