//! Addresses in a build that does not talk to stores.

#![allow(missing_docs, reason = "what these do is told where they do it")]

use std::fs::File;
use std::io::{self, BufRead, Read, Seek, SeekFrom};
use std::ops::Range;
use std::path::Path;
use std::sync::Arc;

use lookalike_core::{Error, Result};

use super::address::Address;

/// A build without the feature has no objects.
#[derive(Clone, Debug)]
pub enum Object {}

impl Object {
    pub fn name(&self) -> &str {
        match *self {}
    }

    pub fn file_name(&self) -> &str {
        match *self {}
    }

    pub fn bytes(&self) -> u64 {
        match *self {}
    }

    pub fn stamp(&self) -> u128 {
        match *self {}
    }

    pub fn check_unchanged(&self) -> Result<()> {
        match *self {}
    }

    pub fn failure(&self) -> Option<Error> {
        match *self {}
    }

    pub fn read_exact_at(&self, _: &mut [u8], _: u64) -> io::Result<()> {
        match *self {}
    }

    pub fn expect(&self, _: Range<u64>) {
        match *self {}
    }

    pub fn release(&self, _: u64) {
        match *self {}
    }
}

/// Nor readers of them.
pub struct ObjectReader(Object);

impl ObjectReader {
    pub fn new(object: Arc<Object>) -> Self {
        match *object {}
    }
}

impl Read for ObjectReader {
    fn read(&mut self, _: &mut [u8]) -> io::Result<usize> {
        match self.0 {}
    }
}

impl BufRead for ObjectReader {
    fn fill_buf(&mut self) -> io::Result<&[u8]> {
        match self.0 {}
    }

    fn consume(&mut self, _: usize) {
        match self.0 {}
    }
}

/// Nor blocks.
#[derive(Clone, Debug)]
pub struct Pages(Object);

impl Pages {
    pub fn new(object: Arc<Object>, _: usize) -> Self {
        match *object {}
    }

    pub fn length(&self) -> u64 {
        match self.0 {}
    }

    pub fn from(&self, _: u64) -> Self {
        match self.0 {}
    }

    #[cfg(feature = "parquet")]
    pub fn range(&self, _: u64, _: usize) -> io::Result<bytes::Bytes> {
        match self.0 {}
    }
}

impl Read for Pages {
    fn read(&mut self, _: &mut [u8]) -> io::Result<usize> {
        match self.0 {}
    }
}

impl Seek for Pages {
    fn seek(&mut self, _: SeekFrom) -> io::Result<u64> {
        match self.0 {}
    }
}

/// Nothing can be listed.
#[derive(Default)]
pub struct Stores;

/// So there is no list.
pub struct Listing {
    pub folder: Option<String>,
    pub keys: Vec<String>,
    never: Object,
}

impl Stores {
    pub fn new() -> Self {
        Stores
    }

    pub fn list(&mut self, argument: &str) -> Result<Listing> {
        Address::parse(argument)?;
        Err(refused(argument))
    }
}

impl Listing {
    pub fn name(&self, _: &str) -> String {
        match self.never {}
    }

    pub fn open(&self, _: &str) -> Result<Arc<Object>> {
        match self.never {}
    }
}

/// Nothing can be uploaded.
pub enum Destination {}

impl Destination {
    pub fn open(argument: &str) -> Result<Destination> {
        Address::parse(argument)?;
        Err(refused(argument))
    }

    pub fn name(&self, _: &str) -> String {
        match *self {}
    }

    pub fn names(&self) -> Result<Vec<String>> {
        match *self {}
    }

    pub fn read(&self, _: &str) -> Result<Option<Vec<u8>>> {
        match *self {}
    }

    pub fn remove(&self, _: &str) -> Result<()> {
        match *self {}
    }

    pub fn object(&self, _: &str) -> Result<Arc<Object>> {
        match *self {}
    }

    pub fn upload(&self, _: &str, _: &Path, _: impl FnMut(u64) -> Result<()>) -> Result<()> {
        match *self {}
    }

    pub fn upload_open(
        &self,
        _: &str,
        _: &Path,
        _: &File,
        _: u64,
        _: impl FnMut(u64) -> Result<()>,
    ) -> Result<()> {
        match *self {}
    }
}

/// The error that names the missing feature.
fn refused(argument: &str) -> Error {
    Error::config(format!(
        "{argument} is not on this machine, and this build reads no object stores: it lacks the feature `objects`"
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_missing_feature_is_named() {
        let told = Stores::new().list("s3://bucket/a").err().unwrap().to_string();
        assert!(told.starts_with("s3://bucket/a is not on this machine"), "{told}");
        assert!(told.contains("feature `objects`"), "{told}");
        let told = Stores::new().list("ftp://host/a").err().unwrap().to_string();
        assert!(told.contains("unknown scheme"), "{told}");
    }
}
