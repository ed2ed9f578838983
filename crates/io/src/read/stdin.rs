//! A copy of standard input, which can be read only once.

use std::io::{BufReader, Read};
use std::path::{Path, PathBuf};

use lookalike_core::{Error, Result};
use lookalike_plumbing::files::AtomicFile;

use crate::decode::{Compression, Encoding, decoder};

/// Copies standard input, decompressed, into `folder` and returns the file's path. A complete copy
/// of an interrupted run is used again; an incomplete one is not.
pub fn copy_stdin(reader: impl Read + Send, folder: &Path) -> Result<PathBuf> {
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
