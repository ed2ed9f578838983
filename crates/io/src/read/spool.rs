//! Plain copies of inputs that cannot be read by offset: compressed files, columns, standard input.

use std::fs::{File, OpenOptions};
use std::io::{BufReader, Read};
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use lookalike_core::{Error, Result};
use lookalike_plumbing::files::AtomicFile;

use crate::decode::{Compression, Encoding, decoder};

/// How the names of plain copies begin.
pub const SPOOL: &str = "spool-";

/// A file that many threads write, each at its own offsets. Opened for each chunk that is written,
/// so that any number of inputs can have one.
#[derive(Clone)]
pub struct Spool {
    /// If absent, nothing is kept.
    path: Option<PathBuf>,
    end: Arc<AtomicU64>,
}

impl Spool {
    /// Keeps what an earlier, interrupted run wrote.
    pub fn open(path: &Path) -> Result<Self> {
        let end = file(path)?.metadata().map_err(Error::io(path))?.len();
        Ok(Spool { path: Some(path.to_owned()), end: Arc::new(AtomicU64::new(end)) })
    }

    /// For inputs that are never read again.
    pub fn nowhere() -> Self {
        Spool { path: None, end: Arc::default() }
    }

    pub fn write_at(&self, bytes: &[u8], offset: u64) -> Result<()> {
        match &self.path {
            Some(path) => file(path)?.write_all_at(bytes, offset).map_err(Error::io(path)),
            None => Ok(()),
        }
    }

    /// Appends and returns the offset.
    #[cfg_attr(not(feature = "parquet"), expect(dead_code, reason = "only row groups are appended"))]
    pub fn append(&self, bytes: &[u8]) -> Result<u64> {
        let offset = self.end.fetch_add(bytes.len() as u64, Ordering::Relaxed);
        self.write_at(bytes, offset)?;
        Ok(offset)
    }
}

fn file(path: &Path) -> Result<File> {
    let mut options = OpenOptions::new();
    options.create(true).truncate(false).write(true);
    options.open(path).map_err(Error::io(path))
}

/// Copies standard input, decompressed, into `folder` and returns the file's path. A complete copy
/// of an interrupted run is used again; an incomplete one is not.
pub fn spool_stdin(reader: impl Read + Send, folder: &Path) -> Result<PathBuf> {
    let complete = folder.join("stdin");
    if complete.exists() {
        return Ok(complete);
    }
    let mut reader = BufReader::with_capacity(1 << 20, reader);
    let first = std::io::BufRead::fill_buf(&mut reader).map_err(Error::io("<stdin>"))?;
    let compression = Compression::of_bytes(first);
    let mut source = decoder(reader, compression, Encoding::Utf8).map_err(Error::io("<stdin>"))?;
    let mut file = AtomicFile::create(&complete)?;
    let mut buffer = vec![0; 1 << 20];
    loop {
        let read = match source.read(&mut buffer) {
            Ok(0) => break,
            Ok(read) => read,
            Err(error) if error.kind() == std::io::ErrorKind::Interrupted => continue,
            Err(error) => return Err(Error::Io { path: "<stdin>".into(), source: error }),
        };
        file.write(&buffer[..read])?;
    }
    // A copy that is taken for complete must not have holes.
    file.finish_synced()?;
    Ok(complete)
}
