//! The formats, one file each.

pub mod archive;
pub mod calendar;
pub mod compound;
pub mod encoded;
pub mod image;
pub mod json;
pub mod mail;
pub mod markup;
pub mod package;
pub mod pdf;
pub mod postscript;
pub mod rtf;
pub mod subtitles;
pub mod text;
pub mod unread;
pub mod wordperfect;

mod codepage;
mod doc;
mod epub;
mod field;
mod html;
mod mapi;
mod markdown;
mod msg;
mod names;
mod news;
mod ocr;
mod office;
mod opendocument;
mod ppt;
mod program;
mod sheet;
mod tnef;
mod warc;
mod xml;

use std::io::Read;

use crate::dispatch::{File, Out};
use crate::kind::Kind;
use crate::reason::Reason;

/// The same for the kinds that can be read as they come.
pub fn read_stream(kind: Kind, from: &mut dyn Read, name: &str, out: &mut Out<'_>) -> Result<(), Reason> {
    match kind {
        Kind::Warc => warc::read_stream(from, out),
        Kind::Tar => archive::read_tar_stream(from, out),
        Kind::Gzip | Kind::Zstd | Kind::Xz | Kind::Bzip2 | Kind::Lz4 => {
            archive::read_packed_stream(kind, from, name, out)
        }
        other => Err(Reason::Unsupported(format!("{} as a stream", other.name()))),
    }
}

/// Hands the file to the reader of its kind.
pub fn read(file: &File<'_>, out: &mut Out<'_>) -> Result<(), Reason> {
    match file.kind {
        Kind::Text => text::read(file, out),
        Kind::Markdown => markdown::read(file, out),
        Kind::Html => html::read(file, out),
        Kind::Xml => xml::read(file, out),
        Kind::Json => json::read(file, out),
        Kind::Notebook => json::read_notebook(file, out),
        Kind::Calendar => calendar::read(file, out),
        Kind::Subtitles => subtitles::read(file, out),
        Kind::Pdf => pdf::read(file, out),
        Kind::PostScript => postscript::read(file, out),
        Kind::Docx => office::read_docx(file, out),
        Kind::Pptx => office::read_pptx(file, out),
        Kind::Doc => doc::read(file, out),
        Kind::Odt | Kind::Odp => opendocument::read(file, out),
        Kind::Rtf => rtf::read(file, out),
        Kind::WordPerfect => wordperfect::read(file, out),
        Kind::Ppt => ppt::read(file, out),
        Kind::Xlsx | Kind::Xls | Kind::Ods => sheet::read(file, out),
        Kind::Epub => epub::read(file, out),
        Kind::Mail => mail::read(file, out),
        Kind::Mbox => mail::read_mbox(file, out),
        Kind::Msg => msg::read(file, out),
        Kind::Tnef => tnef::read(file, out),
        Kind::Nitf => news::read_nitf(file, out),
        Kind::Trec => news::read_trec(file, out),
        Kind::Reuters => news::read_reuters(file, out),
        Kind::Warc => warc::read(file, out),
        Kind::Zip => archive::read_zip(file, out),
        Kind::Tar => archive::read_tar(file, out),
        Kind::SevenZip => archive::read_seven_zip(file, out),
        Kind::Gzip | Kind::Zstd | Kind::Xz | Kind::Bzip2 | Kind::Lz4 => archive::read_packed_file(file, out),
        Kind::Encoded => encoded::read(file, out),
        Kind::Image => image::read(file, out),
        Kind::Unknown => {
            let what = unread::name_of(file.bytes).unwrap_or("its content is of no known format");
            let unsupported = || Reason::Unsupported(what.to_owned());
            Err(compound::reason_unread(file.bytes).unwrap_or_else(unsupported))
        }
    }
}
