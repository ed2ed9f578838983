//! One row of the table of formats.

use std::io::Read;

use crate::file::File;
use crate::kind::{Category, Kind};
use crate::out::Out;
use crate::reason::Reason;

/// A format: how its files are recognised, and how they are read.
pub struct Format {
    pub kind: Kind,
    pub category: Category,
    /// What is read of it, in a few words.
    pub summary: &'static str,
    /// The signs by which its files are recognised. One sign may recognise a whole family of formats (zip
    /// files, compound files, markup, mail, JSON); then one format of the family has it and the others have
    /// none.
    pub signs: &'static [Sign],
    pub read: fn(&File<'_>, &mut Out<'_>) -> Result<(), Reason>,
    /// Reads a file of this kind and name as a stream, if it may be larger than memory.
    pub read_stream: Option<ReadStream>,
}

pub type ReadStream = fn(Kind, &mut dyn Read, &str, &mut Out<'_>) -> Result<(), Reason>;

/// A sign by which a format, or one of a family of formats, is recognised.
pub struct Sign {
    pub stage: Stage,
    /// Which kind a file of this content and name is, if the sign is found.
    pub recognise: fn(&[u8], &str) -> Option<Kind>,
}

/// When a sign is looked for. The first sign found decides, so the more certain stages come first;
/// within a stage, signs are looked for in the order of the table.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Stage {
    /// The first bytes of a format that can be read as a stream.
    StreamStart,
    /// A header of 512 bytes of a format that can be read as a stream.
    StreamHeader,
    /// The first bytes.
    Start,
    /// The first bytes, followed by a plausible header.
    Header,
    /// The directory of a container, or the mark of a container without one.
    Directory,
    /// A sign that may be preceded by a few other bytes.
    NearStart,
    /// A document type or an element.
    Markup,
    /// The fields of a message.
    MailHeader,
    /// A sign that may come long after bytes that are no text.
    BehindBytes,
    /// The content is not text.
    NoText,
    /// A sign that may come long after other text.
    BehindText,
    /// The way the text is written.
    Syntax,
    /// The file's name, if the content could be plain text or something more specific.
    Name,
    /// Any text.
    Rest,
}
