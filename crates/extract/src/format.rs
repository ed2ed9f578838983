//! What one row of the table of formats says.

use std::io::Read;

use crate::file::File;
use crate::kind::{Category, Kind};
use crate::out::Out;
use crate::reason::Reason;

/// A format: how its files are known, and how they are read.
pub struct Format {
    pub kind: Kind,
    pub category: Category,
    /// What is read of it, in a few words.
    pub summary: &'static str,
    /// By which its files are known. One sign may tell a whole family of formats apart (zip files, compound
    /// files, markup, mail, JSON); then one of the family has it and the others have none.
    pub signs: &'static [Sign],
    pub read: fn(&File<'_>, &mut Out<'_>) -> Result<(), Reason>,
    /// Reads a file of this kind and name as it comes, where it may be larger than memory.
    pub read_stream: Option<ReadStream>,
}

pub type ReadStream = fn(Kind, &mut dyn Read, &str, &mut Out<'_>) -> Result<(), Reason>;

/// By which a format, or one of a family of formats, is known.
pub struct Sign {
    pub stage: Stage,
    /// What a file of this content and name is, if the sign is there.
    pub tell: fn(&[u8], &str) -> Option<Kind>,
}

/// When a sign is looked for. The first sign found decides, so the surer stages come first; within a
/// stage, signs are looked for in the order of the table.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Stage {
    /// The first bytes, of a format that can be read as a stream.
    StreamStart,
    /// A header of 512 bytes, of a format that can be read as a stream.
    StreamHeader,
    /// The first bytes.
    Start,
    /// The first bytes, and that the header behind them makes sense.
    Header,
    /// The directory of a container, or the mark of one without.
    Directory,
    /// What may stand behind a few other bytes.
    NearStart,
    /// A document type or an element.
    Markup,
    /// The fields of a message.
    MailHeader,
    /// What may stand far behind bytes that are no text.
    BehindBytes,
    /// That it is no text.
    NoText,
    /// What may stand far behind other text.
    BehindText,
    /// How the text is written.
    Syntax,
    /// The file's name, where the content could be text or more.
    Name,
    /// Any text.
    Rest,
}
