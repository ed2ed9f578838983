//! From a file's bytes to its documents: finds the format, calls its reader, follows containers.

use std::io::{self, Read};

use lookalike_core::hash;
use serde::{Deserialize, Serialize};

use crate::budget::Budget;
use crate::document::Extracted;
use crate::formats;
use crate::kind::Kind;
use crate::options::Options;
use crate::picture::{self, Picture};
use crate::reason::Reason;

/// Enough of a file to tell what may be read as a stream.
const HEAD: u64 = 512;

/// A file, or a part of one, as a reader gets it.
pub struct File<'a> {
    pub bytes: &'a [u8],
    /// The name it has, which may be wrong; empty if none.
    pub name: &'a str,
    pub kind: Kind,
}

/// What came out of a file or of a part of it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Outcome {
    Document(Box<Extracted>),
    Unreadable { part: Option<String>, reason: Reason },
}

/// Where a reader hands over what it found.
pub struct Out<'a> {
    pub options: &'a Options,
    pub budget: &'a mut Budget,
    /// The place within the file: empty for the file itself.
    part: String,
    depth: u32,
    /// Bytes and hash of the file or part.
    bytes: u64,
    file_hash: String,
    sink: &'a mut dyn FnMut(Outcome),
}

/// Reads a file. Calls `sink` at least once: with each document, or with the reason why there is none.
pub fn extract(bytes: &[u8], name: &str, options: &Options, sink: &mut dyn FnMut(Outcome)) {
    let file = File { bytes, name, kind: Kind::detect(bytes, name) };
    extract_as(&file, options, sink);
}

/// Reads a file whose kind is known already.
pub fn extract_as(file: &File<'_>, options: &Options, sink: &mut dyn FnMut(Outcome)) {
    let mut budget = Budget::new(&options.limits, file.bytes.len() as u64);
    extract_part(file, String::new(), 0, options, &mut budget, sink);
}

/// Reads a file of so many bytes as it comes. Crawls and archives, packed or not, are read member by
/// member and may be larger than memory; anything else is read whole first.
pub fn extract_stream(
    mut from: impl Read,
    length: u64,
    name: &str,
    options: &Options,
    sink: &mut dyn FnMut(Outcome),
) {
    let mut head = Vec::with_capacity(HEAD as usize);
    let mut outcome = from.by_ref().take(HEAD).read_to_end(&mut head).map(|_| ());
    if let Some(kind) = Kind::of_stream(&head) {
        let mut budget = Budget::new(&options.limits, length);
        let mut any = false;
        let mut counting = |outcome| {
            any = true;
            sink(outcome);
        };
        // Members and what is unwrapped have sizes and hashes of their own.
        let mut out = Out {
            options,
            budget: &mut budget,
            part: String::new(),
            depth: 0,
            bytes: length,
            file_hash: String::new(),
            sink: &mut counting,
        };
        let outcome = formats::read_stream(kind, &mut io::Cursor::new(head).chain(from), name, &mut out);
        conclude(outcome, any, None, sink);
        return;
    }
    let mut bytes = head;
    if outcome.is_ok() {
        bytes.reserve_exact(usize::try_from(length).unwrap_or(0).saturating_sub(bytes.len()));
        outcome = from.take(options.limits.file_bytes).read_to_end(&mut bytes).map(|_| ());
    }
    match outcome {
        Ok(()) => extract(&bytes, name, options, sink),
        Err(error) => sink(Outcome::Unreadable { part: None, reason: Reason::Io(error.to_string()) }),
    }
}

fn extract_part(
    file: &File<'_>,
    part: String,
    depth: u32,
    options: &Options,
    budget: &mut Budget,
    sink: &mut dyn FnMut(Outcome),
) {
    let bytes = file.bytes;
    let mark = budget.mark();
    let mut any = false;
    let mut counting = |outcome| {
        any = true;
        sink(outcome);
    };
    let mut out = Out {
        options,
        budget,
        part: part.clone(),
        depth,
        bytes: bytes.len() as u64,
        file_hash: hash_of(bytes),
        sink: &mut counting,
    };
    let outcome = if bytes.is_empty() { Err(Reason::Empty) } else { formats::read(file, &mut out) };
    out.budget.release(mark);
    conclude(outcome, any, Some(part).filter(|part| !part.is_empty()), sink);
}

/// Says why there is nothing, or nothing more.
fn conclude(outcome: Result<(), Reason>, any: bool, part: Option<String>, sink: &mut dyn FnMut(Outcome)) {
    match outcome {
        Err(reason) => sink(Outcome::Unreadable { part, reason }),
        Ok(()) if !any => sink(Outcome::Unreadable { part, reason: Reason::Empty }),
        Ok(()) => {}
    }
}

#[cfg(test)]
impl<'a> Out<'a> {
    /// For tests that call a reader directly.
    pub fn new(
        options: &'a Options,
        budget: &'a mut Budget,
        bytes: &[u8],
        sink: &'a mut dyn FnMut(Outcome),
    ) -> Self {
        let (bytes, file_hash) = (bytes.len() as u64, hash_of(bytes));
        Out { options, budget, part: String::new(), depth: 0, bytes, file_hash, sink }
    }
}

impl Out<'_> {
    /// Hands over the document that the file is, or one of several in it if it has a `part`. Its
    /// size and hash are filled in here.
    pub fn document(&mut self, mut document: Extracted) -> Result<(), Reason> {
        self.budget.document()?;
        let mark = self.budget.mark();
        self.budget.spend(document.text.len() as u64)?;
        self.budget.release(mark);
        document.part = self.inner(document.part.as_deref());
        if document.file_hash.is_empty() {
            document.bytes = self.bytes;
            document.file_hash.clone_from(&self.file_hash);
        }
        if document.text.is_empty() && document.images.is_empty() {
            self.unreadable(None, Reason::Empty, document.part);
        } else {
            (self.sink)(Outcome::Document(Box::new(document)));
        }
        Ok(())
    }

    /// Hands over what could be read of a document that breaks its format's rules, as `how` says, if it
    /// does. What stands behind a fault is lost, so such a text is weak; none at all is no document.
    pub fn damaged_document(&mut self, mut document: Extracted, how: Option<String>) -> Result<(), Reason> {
        match how {
            Some(how) if document.text.is_empty() && document.images.is_empty() => Err(Reason::Damaged(how)),
            Some(how) => {
                document.doubt(0.4, format!("damaged, so that only a part of it is read: {how}"));
                self.document(document)
            }
            None => self.document(document),
        }
    }

    /// Reads a file within this one: a member of an archive, an attachment. What is wrong with it
    /// is reported as its own and does not stop the rest, unless the whole file's budget is spent.
    pub fn member(&mut self, name: &str, bytes: &[u8]) -> Result<(), Reason> {
        self.budget.spend(0)?;
        let part = self.inner(Some(name)).unwrap_or_default();
        if self.depth >= self.budget.limits().depth {
            let reason = Reason::Limit(format!("nested deeper than {} containers", self.depth));
            (self.sink)(Outcome::Unreadable { part: Some(part), reason });
            return Ok(());
        }
        extract_part(
            &File { bytes, name, kind: Kind::detect(bytes, name) },
            part,
            self.depth + 1,
            self.options,
            self.budget,
            self.sink,
        );
        Ok(())
    }

    /// The same; the documents that come out of it are described further before they are handed over.
    pub fn member_described(
        &mut self,
        name: &str,
        bytes: &[u8],
        describe: &dyn Fn(&mut Extracted),
    ) -> Result<(), Reason> {
        let sink = &mut *self.sink;
        let mut describing = |mut outcome: Outcome| {
            if let Outcome::Document(document) = &mut outcome {
                describe(document);
            }
            sink(outcome);
        };
        let mut inner = Out {
            options: self.options,
            budget: &mut *self.budget,
            part: self.part.clone(),
            depth: self.depth,
            bytes: self.bytes,
            file_hash: self.file_hash.clone(),
            sink: &mut describing,
        };
        inner.member(name, bytes)
    }

    /// Goes on with the bytes inside a wrapper (gzip, zstd), under the same name.
    pub fn unwrapped(&mut self, name: &str, bytes: &[u8]) -> Result<(), Reason> {
        if self.depth >= self.budget.limits().depth {
            return Err(Reason::Limit(format!("nested deeper than {} containers", self.depth)));
        }
        extract_part(
            &File { bytes, name, kind: Kind::detect(bytes, name) },
            self.part.clone(),
            self.depth + 1,
            self.options,
            self.budget,
            self.sink,
        );
        Ok(())
    }

    /// Reports a member that cannot be read.
    pub fn unreadable_member(&mut self, name: &str, reason: Reason) {
        let part = self.inner(Some(name));
        self.unreadable(None, reason, part);
    }

    /// Hashes the looks of an image in the document, if images are wanted.
    pub fn picture(&self, bytes: &[u8]) -> Option<Picture> {
        if self.options.images { picture::look_at(bytes) } else { None }
    }

    fn unreadable(&mut self, name: Option<&str>, reason: Reason, part: Option<String>) {
        let part = part.or_else(|| self.inner(name));
        (self.sink)(Outcome::Unreadable { part, reason });
    }

    /// The place of something within this file, seen from the outermost file.
    fn inner(&self, part: Option<&str>) -> Option<String> {
        match (self.part.is_empty(), part) {
            (true, part) => part.map(str::to_owned),
            (false, None) => Some(self.part.clone()),
            (false, Some(part)) => Some(format!("{}/{part}", self.part)),
        }
    }
}

/// 128 bits in hexadecimal: equal for equal bytes, and for no others but by malice.
pub fn hash_of(bytes: &[u8]) -> String {
    let mut digester = hash::Digester::default();
    let (words, rest) = bytes.as_chunks::<8>();
    words.iter().for_each(|word| digester.push(u64::from_le_bytes(*word)));
    digester.push(hash::bytes(rest));
    digester.push(bytes.len() as u64);
    format!("{:032x}", digester.finish())
}
