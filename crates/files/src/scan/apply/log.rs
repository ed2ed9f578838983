//! The log of changes, one JSON value per line: what is about to be done, then that it was done.
//!
//! An intention is on disk before its change, so no change is without one, however the process
//! ends. The disk itself shows whether the change took place; the later lines save checking and
//! mark what failed. A line without its end was never acted on.

use std::fs::{File, OpenOptions};
use std::io::Write;
use std::path::{Path, PathBuf};

use lookalike_core::{Error, Result};
use serde::{Deserialize, Serialize};

use super::Action;
use super::check::Seen;
use super::disk::{self, Failure, checkpoint};
use super::spelling;

const KIND: &str = "lookalike undo log";
const VERSION: u32 = 1;

/// A name for the log in a folder: `lookalike-undo-YYYYMMDD-HHMMSS.jsonl`, numbered if it is taken.
pub fn undo_log_name(folder: &Path) -> PathBuf {
    let stem = jiff::Zoned::now().strftime("lookalike-undo-%Y%m%d-%H%M%S").to_string();
    let numbered = (2..).map(|number| format!("{stem}-{number}.jsonl"));
    let mut names = std::iter::once(format!("{stem}.jsonl")).chain(numbered).map(|name| folder.join(name));
    let free = names.find(|path| std::fs::symlink_metadata(path).is_err());
    free.unwrap_or_else(|| folder.join(&stem))
}

#[derive(Debug, Serialize, Deserialize)]
struct Header {
    log: String,
    version: u32,
    action: Action,
    started: String,
}

#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct Line {
    pub step: u64,
    pub event: Event,
}

#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum Event {
    Intent(Intent),
    Done,
    /// The step failed, and the disk is unchanged.
    Failed(String),
    Undone,
}

/// A change, with everything needed to undo it. Temporary files are in the folder of the file that
/// they become.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum Intent {
    Folder {
        #[serde(with = "spelling")]
        path: PathBuf,
    },
    Move {
        #[serde(with = "spelling")]
        from: PathBuf,
        #[serde(with = "spelling")]
        to: PathBuf,
        temporary: String,
        seen: Seen,
    },
    Trash {
        #[serde(with = "spelling")]
        from: PathBuf,
        #[serde(with = "spelling")]
        to: PathBuf,
        temporary: String,
        seen: Seen,
        #[serde(with = "spelling")]
        info: PathBuf,
        about: String,
    },
    Link {
        #[serde(with = "spelling")]
        path: PathBuf,
        #[serde(with = "spelling")]
        master: PathBuf,
        temporary: String,
        seen: Seen,
        master_seen: Seen,
    },
}

/// Why a step was not carried out.
pub(super) enum AttemptError {
    /// Only this step failed.
    Step(String),
    /// The log cannot be written, so nothing more may be changed.
    Log(String),
}

pub(super) struct Log {
    file: File,
    steps: u64,
    /// Makes the names of temporary files different from those of any other run.
    run: String,
}

impl Log {
    pub fn create(path: &Path, action: Action) -> Result<Self> {
        let mut file = OpenOptions::new().write(true).create_new(true).open(path).map_err(Error::io(path))?;
        let started = jiff::Zoned::now().strftime("%Y-%m-%dT%H:%M:%S%:z").to_string();
        let header = Header { log: KIND.to_owned(), version: VERSION, action, started };
        append(&mut file, &header).and_then(|()| file.sync_all()).map_err(Error::io(path))?;
        let whole = std::path::absolute(path).map_err(Error::io(path))?;
        disk::sync_folder(&whole).map_err(Error::io(path))?;
        Ok(Log::writing_to(file))
    }

    pub fn writing_to(file: File) -> Self {
        let now = jiff::Timestamp::now().as_nanosecond();
        Log { file, steps: 0, run: format!("{now:x}-{:x}", std::process::id()) }
    }

    /// The name of the next step's temporary file.
    pub fn temporary(&self) -> String {
        format!(".lookalike-{}-{}", self.run, self.steps + 1)
    }

    /// Runs `work` after writing its intention to disk, and then writes its outcome.
    pub fn attempt(
        &mut self,
        intent: Intent,
        work: impl FnOnce() -> std::result::Result<(), Failure>,
    ) -> std::result::Result<(), AttemptError> {
        self.steps += 1;
        let step = self.steps;
        append(&mut self.file, &Line { step, event: Event::Intent(intent) })
            .and_then(|()| self.file.sync_data())
            .map_err(|error| AttemptError::Log(format!("the undo log cannot be written: {error}")))?;
        let outcome = work();
        let event = match &outcome {
            Ok(()) => Some(Event::Done),
            Err(failure) => failure.clean.then(|| Event::Failed(failure.reason.clone())),
        };
        if let Some(event) = event {
            // Undo does not need this line. If it cannot be written, the next intention cannot be,
            // either.
            append(&mut self.file, &Line { step, event }).ok();
        }
        outcome.map_err(|failure| AttemptError::Step(failure.reason))
    }
}

/// A log as read by undo.
pub(super) struct Record {
    pub lines: Vec<Line>,
    /// The numbers of lines that are not understood.
    pub strange: Vec<usize>,
    file: File,
}

impl Record {
    /// Reads a log, and cuts off an incomplete last line.
    pub fn open(path: &Path) -> Result<Self> {
        let text = std::fs::read_to_string(path).map_err(Error::io(path))?;
        let whole = text.rfind('\n').map_or(0, |end| end + 1);
        let mut lines = text.get(..whole).unwrap_or_default().lines().enumerate();
        let header = lines.next().and_then(|(_, line)| serde_json::from_str::<Header>(line).ok());
        match header {
            Some(header) if header.log == KIND && header.version == VERSION => {}
            // The process was killed before it had written anything else, so before any change.
            None if whole == 0 => {}
            _ => return Err(Error::Incompatible(format!("{}: not an undo log", path.display()))),
        }
        let file = OpenOptions::new().append(true).open(path).map_err(Error::io(path))?;
        // Nothing is cut off a file that is not known to be a log.
        if whole > 0 && whole < text.len() {
            file.set_len(whole as u64).map_err(Error::io(path))?;
        }
        let mut record = Record { lines: Vec::new(), strange: Vec::new(), file };
        for (number, line) in lines {
            match serde_json::from_str(line) {
                Ok(line) => record.lines.push(line),
                Err(_) => record.strange.push(number + 1),
            }
        }
        Ok(record)
    }

    /// Records that a step was undone. Undo does not need this line.
    pub fn undone(&mut self, step: u64) {
        append(&mut self.file, &Line { step, event: Event::Undone }).ok();
    }
}

fn append(file: &mut File, value: &impl Serialize) -> std::io::Result<()> {
    let mut line = serde_json::to_vec(value)?;
    line.push(b'\n');
    checkpoint();
    file.write_all(&line)
}
