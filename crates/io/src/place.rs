//! Where a file is: on this machine or in a store. Readers of every format read it through this, at offsets or in order.

use std::fs::File;
use std::io::{self, BufRead, BufReader, Read};
use std::ops::Range;
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use lookalike_core::{Error, Result};

use crate::remote::{Object, ObjectReader};

/// Where a file is.
#[derive(Clone, Debug)]
pub enum Place {
    /// A path on this machine.
    Disk(PathBuf),
    /// An object in a store.
    Object(Arc<Object>),
}

impl Place {
    /// The path of a file on this machine.
    pub fn path(&self) -> Option<&Path> {
        match self {
            Place::Disk(path) => Some(path),
            Place::Object(_) => None,
        }
    }

    /// What is equal for two names of one file: its canonical path or its address.
    pub fn identity(&self) -> PathBuf {
        match self {
            Place::Disk(path) => path.canonicalize().unwrap_or_else(|_| path.clone()),
            Place::Object(object) => object.name().into(),
        }
    }

    /// Opens it to read at offsets.
    pub fn open(&self) -> io::Result<OpenFile> {
        Ok(match self {
            Place::Disk(path) => OpenFile::Disk(File::open(path)?),
            Place::Object(object) => OpenFile::Object(object.clone()),
        })
    }

    /// Opens it to read in order.
    pub fn in_order(&self) -> io::Result<InOrder> {
        Ok(match self {
            Place::Disk(path) => InOrder::Disk(BufReader::with_capacity(256 << 10, File::open(path)?)),
            Place::Object(object) => InOrder::Object(ObjectReader::new(object.clone())),
        })
    }

    /// Begins to read a range that will be needed soon, if that takes time. It is held until it is released.
    pub fn expect(&self, range: Range<u64>) {
        if let Place::Object(object) = self {
            object.expect(range);
        }
    }

    /// Forgets an expected range, by its start.
    pub fn release(&self, start: u64) {
        if let Place::Object(object) = self {
            object.release(start);
        }
    }

    /// The result of reading it, unless the store has failed: a decoder takes that for damage, after which a run would go on
    /// without the rest.
    pub fn checked<T>(&self, result: Result<T>) -> Result<T> {
        match self {
            Place::Object(object) => object.failure().map_or(result, Err),
            Place::Disk(_) => result,
        }
    }
}

/// A file that is read at offsets.
pub enum OpenFile {
    /// On this machine.
    Disk(File),
    /// In a store.
    Object(Arc<Object>),
}

impl OpenFile {
    /// Fills a buffer from an offset.
    pub fn read_exact_at(&self, buffer: &mut [u8], offset: u64) -> io::Result<()> {
        match self {
            OpenFile::Disk(file) => file.read_exact_at(buffer, offset),
            OpenFile::Object(object) => object.read_exact_at(buffer, offset),
        }
    }
}

/// A file that is read in order.
pub enum InOrder {
    /// On this machine.
    Disk(BufReader<File>),
    /// In a store.
    Object(ObjectReader),
}

impl Read for InOrder {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        match self {
            InOrder::Disk(file) => file.read(out),
            InOrder::Object(object) => object.read(out),
        }
    }
}

impl BufRead for InOrder {
    fn fill_buf(&mut self) -> io::Result<&[u8]> {
        match self {
            InOrder::Disk(file) => file.fill_buf(),
            InOrder::Object(object) => object.fill_buf(),
        }
    }

    fn consume(&mut self, count: usize) {
        match self {
            InOrder::Disk(file) => file.consume(count),
            InOrder::Object(object) => object.consume(count),
        }
    }
}

/// For `map_err` at a place: the store's own words, if it is the store that failed.
pub(crate) fn failed<'a>(place: &'a Place, name: &'a str) -> impl FnOnce(io::Error) -> Error + 'a {
    move |source| match place.checked(Ok(())) {
        Err(error) => error,
        Ok(()) => Error::Io { path: name.into(), source },
    }
}
