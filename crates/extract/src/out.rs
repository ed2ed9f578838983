//! Where a reader of a format hands over its results, and how it reads members of a container.

use serde::{Deserialize, Serialize};

use crate::budget::Budget;
use crate::document::Extracted;
use crate::file::{File, hash_of};
use crate::kind::Kind;
use crate::picture::{self, Picture};
use crate::reason::Reason;
use lookalike_core::reading::Options;

/// The result for a file or a part of it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum ExtractOutcome {
    /// A document.
    Document(Box<Extracted>),
    /// No document.
    Unreadable {
        /// Where in the file; absent for the file itself.
        part: Option<String>,
        /// Why.
        reason: Reason,
    },
}

/// How files within files are read. Passed in from above, because the reader of one format must not
/// know the table that lists them all.
#[derive(Clone, Copy)]
pub struct Readers {
    /// Recognises the kind of a file by content and name.
    pub detect: fn(&[u8], &str) -> Kind,
    /// Reads a file as its kind.
    pub read: fn(&File<'_>, &mut Out<'_>) -> Result<(), Reason>,
}

/// Receives the results of a reader.
pub struct Out<'a> {
    pub options: &'a Options,
    pub budget: &'a mut Budget,
    readers: Readers,
    /// The place within the file: empty for the file itself.
    part: String,
    depth: u32,
    /// Bytes and hash of the file or part.
    bytes: u64,
    file_hash: String,
    sink: &'a mut dyn FnMut(ExtractOutcome),
}

impl<'a> Out<'a> {
    /// For a whole file, before reading.
    pub fn new(
        readers: Readers,
        options: &'a Options,
        budget: &'a mut Budget,
        sink: &'a mut dyn FnMut(ExtractOutcome),
    ) -> Self {
        Out {
            options,
            budget,
            readers,
            part: String::new(),
            depth: 0,
            bytes: 0,
            file_hash: String::new(),
            sink,
        }
    }
}

impl Out<'_> {
    /// Reads the whole file. Gives at least one result.
    pub fn file(&mut self, file: &File<'_>) {
        self.follow(file, String::new(), 0);
    }

    /// Reads the whole file, of this length, as a stream. Gives at least one result.
    pub fn stream(&mut self, bytes: u64, read: impl FnOnce(&mut Out<'_>) -> Result<(), Reason>) {
        // Members and decompressed content have sizes and hashes of their own.
        self.within(String::new(), 0, (bytes, String::new()), read);
    }

    fn follow(&mut self, file: &File<'_>, part: String, depth: u32) {
        let (bytes, read) = (file.bytes, self.readers.read);
        self.within(part, depth, (bytes.len() as u64, hash_of(bytes)), |out| {
            if bytes.is_empty() { Err(Reason::Empty) } else { read(file, out) }
        });
    }

    /// Runs a reader at a place within the file, and reports why it gave nothing, or nothing more.
    fn within(
        &mut self,
        part: String,
        depth: u32,
        (bytes, file_hash): (u64, String),
        read: impl FnOnce(&mut Out<'_>) -> Result<(), Reason>,
    ) {
        let mark = self.budget.mark();
        let mut any = false;
        let sink = &mut *self.sink;
        let mut counting = |outcome| {
            any = true;
            sink(outcome);
        };
        let mut inner = Out {
            options: self.options,
            budget: &mut *self.budget,
            readers: self.readers,
            part: part.clone(),
            depth,
            bytes,
            file_hash,
            sink: &mut counting,
        };
        let outcome = read(&mut inner);
        inner.budget.release(mark);
        let part = Some(part).filter(|part| !part.is_empty());
        match outcome {
            Err(reason) => (self.sink)(ExtractOutcome::Unreadable { part, reason }),
            Ok(()) if !any => (self.sink)(ExtractOutcome::Unreadable { part, reason: Reason::Empty }),
            Ok(()) => {}
        }
    }

    /// Hands over the document of the file, or one of several in it if it has a `part`. Its size
    /// and hash are filled in here.
    pub fn document(&mut self, mut document: Extracted) -> Result<(), Reason> {
        self.budget.document()?;
        let mark = self.budget.mark();
        self.budget.spend(document.text.len() as u64)?;
        self.budget.release(mark);
        document.part = self.inner(document.part.as_deref());
        if !self.options.anchors {
            document.anchors.clear();
        }
        if document.file_hash.is_empty() {
            document.bytes = self.bytes;
            document.file_hash.clone_from(&self.file_hash);
        }
        if document.text.is_empty() && document.images.is_empty() {
            (self.sink)(ExtractOutcome::Unreadable { part: document.part, reason: Reason::Empty });
        } else {
            (self.sink)(ExtractOutcome::Document(Box::new(document)));
        }
        Ok(())
    }

    /// Hands over the readable part of a document that violates its format's rules; `how` describes the
    /// violation, if there is one. What comes after it is lost, so such a text is weak; without any
    /// text there is no document.
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

    /// Reads a file within this one: a member of an archive, an attachment. An error in it is
    /// reported for the member and does not stop the rest, unless the whole file's budget is spent.
    pub fn member(&mut self, name: &str, bytes: &[u8]) -> Result<(), Reason> {
        self.budget.spend(0)?;
        let part = self.inner(Some(name)).unwrap_or_default();
        if self.depth >= self.budget.limits().depth {
            let reason = Reason::Limit(format!("nested deeper than {} containers", self.depth));
            (self.sink)(ExtractOutcome::Unreadable { part: Some(part), reason });
            return Ok(());
        }
        self.follow(&File { bytes, name, kind: self.kind_of(bytes, name) }, part, self.depth + 1);
        Ok(())
    }

    /// The same; `describe` completes the documents before they are handed over.
    pub fn member_described(
        &mut self,
        name: &str,
        bytes: &[u8],
        describe: &dyn Fn(&mut Extracted),
    ) -> Result<(), Reason> {
        let sink = &mut *self.sink;
        let mut describing = |mut outcome: ExtractOutcome| {
            if let ExtractOutcome::Document(document) = &mut outcome {
                describe(document);
            }
            sink(outcome);
        };
        let mut inner = Out {
            options: self.options,
            budget: &mut *self.budget,
            readers: self.readers,
            part: self.part.clone(),
            depth: self.depth,
            bytes: self.bytes,
            file_hash: self.file_hash.clone(),
            sink: &mut describing,
        };
        inner.member(name, bytes)
    }

    /// Continues with the content of a wrapper (gzip, zstd), under the same name.
    pub fn unwrapped(&mut self, name: &str, bytes: &[u8]) -> Result<(), Reason> {
        if self.depth >= self.budget.limits().depth {
            return Err(Reason::Limit(format!("nested deeper than {} containers", self.depth)));
        }
        let file = File { bytes, name, kind: self.kind_of(bytes, name) };
        self.follow(&file, self.part.clone(), self.depth + 1);
        Ok(())
    }

    /// Reports a member that cannot be read.
    pub fn unreadable_member(&mut self, name: &str, reason: Reason) {
        let part = self.inner(Some(name));
        (self.sink)(ExtractOutcome::Unreadable { part, reason });
    }

    /// The kind of a file within this one.
    pub fn kind_of(&self, bytes: &[u8], name: &str) -> Kind {
        (self.readers.detect)(bytes, name)
    }

    /// Reads an image of the document and computes its perceptual hash, if images are wanted.
    pub fn picture(&self, bytes: &[u8]) -> Option<Picture> {
        if self.options.images { picture::read_picture(bytes) } else { None }
    }

    /// The place of something within this file, relative to the outermost file.
    fn inner(&self, part: Option<&str>) -> Option<String> {
        match (self.part.is_empty(), part) {
            (true, part) => part.map(str::to_owned),
            (false, None) => Some(self.part.clone()),
            (false, Some(part)) => Some(format!("{}/{part}", self.part)),
        }
    }
}
