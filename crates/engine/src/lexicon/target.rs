//! A lexicon is written in a temporary folder next to its destination.

use std::fs::File;
use std::io::{BufWriter, Read, Write};
use std::path::{Path, PathBuf};

use lookalike_core::lexicon::write::Writer;
use lookalike_core::lexicon::{About, Lexicon};
use lookalike_core::{Error, Result};
use lookalike_plumbing::files::{folder_of, make_durable};
use tempfile::TempDir;

/// The folder is removed when the lexicon is in place, or when writing fails.
pub struct Target {
    path: PathBuf,
    folder: TempDir,
}

impl Target {
    /// Only a lexicon may be replaced.
    pub fn claim(path: &Path) -> Result<Self> {
        if path.exists() && !is_lexicon(path) {
            return Err(Error::config(format!(
                "{} exists and is no lexicon; choose another name",
                path.display()
            )));
        }
        let folder = tempfile::Builder::new().prefix(".lookalike-lexicon-").tempdir_in(folder_of(path));
        Ok(Target { path: path.to_owned(), folder: folder.map_err(Error::io(path))? })
    }

    /// For data that does not fit into memory.
    pub fn folder(&self) -> &Path {
        self.folder.path()
    }

    /// Lets `write` write the lexicon, moves it to its destination and opens it.
    pub fn write(
        self,
        about: About,
        expected: u64,
        has_texts: bool,
        fill: impl FnOnce(&mut Writer<BufWriter<File>, File>) -> Result<()>,
    ) -> Result<Lexicon> {
        let aside = self.folder().join("texts");
        let texts = match has_texts {
            true => Some(
                File::options()
                    .read(true)
                    .write(true)
                    .create_new(true)
                    .open(&aside)
                    .map_err(Error::io(&aside))?,
            ),
            false => None,
        };
        make_durable(&self.path, |partial| {
            let out = File::create(partial).map_err(Error::io(partial))?;
            let out = BufWriter::with_capacity(256 << 10, out);
            let mut writer = Writer::new(about, expected, out, texts, partial);
            fill(&mut writer)?;
            writer.finish()?.flush().map_err(Error::io(partial))
        })?;
        super::open(&self.path)
    }
}

fn is_lexicon(path: &Path) -> bool {
    let mut first = [0; 5];
    File::open(path).and_then(|mut file| file.read_exact(&mut first)).is_ok() && first == *b"LKLEX"
}
