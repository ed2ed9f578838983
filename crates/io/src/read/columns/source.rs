//! A columnar file as the libraries read it, wherever it is.

use std::fs::File;
use std::io::{self, BufReader, Read, Seek, SeekFrom};

use bytes::Bytes;
use parquet::errors::Result;
use parquet::file::reader::{ChunkReader, Length};

use crate::place::Place;
use crate::remote::Pages;

/// An open file of columns.
pub enum ColumnSource {
    Disk(File),
    Object(Pages),
}

impl ColumnSource {
    /// `columns`: how many are read by turns.
    pub fn open(place: &Place, columns: usize) -> io::Result<Self> {
        Ok(match place {
            Place::Disk(path) => ColumnSource::Disk(File::open(path)?),
            Place::Object(object) => ColumnSource::Object(Pages::new(object.clone(), columns)),
        })
    }
}

impl Read for ColumnSource {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        match self {
            ColumnSource::Disk(file) => file.read(out),
            ColumnSource::Object(pages) => pages.read(out),
        }
    }
}

impl Seek for ColumnSource {
    fn seek(&mut self, to: SeekFrom) -> io::Result<u64> {
        match self {
            ColumnSource::Disk(file) => file.seek(to),
            ColumnSource::Object(pages) => pages.seek(to),
        }
    }
}

impl Length for ColumnSource {
    fn len(&self) -> u64 {
        match self {
            ColumnSource::Disk(file) => file.len(),
            ColumnSource::Object(pages) => pages.length(),
        }
    }
}

impl ChunkReader for ColumnSource {
    type T = BufReader<ColumnSource>;

    fn get_read(&self, start: u64) -> Result<Self::T> {
        let source = match self {
            ColumnSource::Disk(file) => {
                let mut file = file.try_clone()?;
                file.seek(SeekFrom::Start(start))?;
                ColumnSource::Disk(file)
            }
            ColumnSource::Object(pages) => ColumnSource::Object(pages.from(start)),
        };
        Ok(BufReader::new(source))
    }

    fn get_bytes(&self, start: u64, length: usize) -> Result<Bytes> {
        match self {
            ColumnSource::Disk(file) => file.get_bytes(start, length),
            ColumnSource::Object(pages) => Ok(pages.range(start, length)?),
        }
    }
}
