//! The table of all formats: the only place that lists them. A format's own file says how it is
//! recognised and read; here it gets a row.
//!
//! A new format is a name in [`Kind`], a file in `formats` that exports its [`Format`], and a line below. If
//! it is based on zip, compound files or markup, the list of that family (`package/kind.rs`,
//! `compound/mod.rs`, `markup.rs`) distinguishes it from its relatives.

use std::sync::LazyLock;

use crate::format::{Format, ReadStream, Sign, Stage};
use crate::formats::*;
use crate::kind::{Category, Kind};

/// One row for each kind, in the order of the kinds.
static TABLE: [Format; Kind::ALL.len()] = [
    text::FORMAT,
    markdown::FORMAT,
    html::FORMAT,
    xml::FORMAT,
    json::JSON,
    json::NOTEBOOK,
    calendar::FORMAT,
    subtitles::FORMAT,
    pdf::FORMAT,
    postscript::FORMAT,
    office::DOCX,
    doc::FORMAT,
    opendocument::ODT,
    rtf::FORMAT,
    wordperfect::FORMAT,
    office::PPTX,
    ppt::FORMAT,
    opendocument::ODP,
    sheet::XLSX,
    sheet::XLS,
    opendocument::ODS,
    epub::FORMAT,
    mail::MAIL,
    mail::MBOX,
    msg::FORMAT,
    tnef::FORMAT,
    news::NITF,
    news::TREC,
    news::REUTERS,
    warc::FORMAT,
    archive::ZIP,
    archive::seven_zip::FORMAT,
    archive::tar::FORMAT,
    archive::packed::GZIP,
    archive::packed::ZSTD,
    archive::packed::XZ,
    archive::packed::BZIP2,
    archive::packed::LZ4,
    encoded::FORMAT,
    image::FORMAT,
    unread::FORMAT,
];

/// The signs of all formats in the order in which they are looked for.
static SIGNS: LazyLock<Vec<&Sign>> = LazyLock::new(|| {
    let mut signs: Vec<&Sign> = TABLE.iter().flat_map(|format| format.signs).collect();
    signs.sort_by_key(|sign| sign.stage);
    signs
});

// A row at the wrong index would be the reader of another kind.
const _: () = {
    let mut place = 0;
    while place < TABLE.len() {
        assert!(TABLE[place].kind as usize == place);
        place += 1;
    }
};

pub fn row(kind: Kind) -> &'static Format {
    &TABLE[kind as usize]
}

/// Recognises the kinds that can be read as a stream by a file's first 512 bytes.
pub fn stream_of(head: &[u8]) -> Option<(Kind, ReadStream)> {
    let mut signs = SIGNS.iter().take_while(|sign| sign.stage <= Stage::StreamHeader);
    let kind = signs.find_map(|sign| (sign.recognise)(head, ""))?;
    Some((kind, row(kind).read_stream?))
}

impl Kind {
    /// Recognises the kind by the content. `name` is the file's name, which is used only if the
    /// content is not sufficient: Markdown and a piece of HTML look like text.
    pub fn detect(bytes: &[u8], name: &str) -> Kind {
        SIGNS.iter().find_map(|sign| (sign.recognise)(bytes, name)).unwrap_or_default()
    }

    /// What is read of it, in a few words.
    pub fn summary(self) -> &'static str {
        row(self).summary
    }

    /// The type of document that people consider it to be.
    pub fn category(self) -> Category {
        row(self).category
    }
}
