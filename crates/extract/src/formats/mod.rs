//! The formats, one file each.

pub mod archive;
pub mod compound;
pub mod mail;
pub mod markup;
pub mod package;
pub mod text;

mod codepage;
mod doc;
mod epub;
mod field;
mod html;
mod image;
mod mapi;
mod markdown;
mod msg;
mod names;
mod news;
mod office;
mod opendocument;
mod pdf;
mod rtf;
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
        Kind::Gzip => archive::read_gzip_stream(from, name, out),
        Kind::Zstd => archive::read_zstd_stream(from, name, out),
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
        Kind::Pdf => pdf::read(file, out),
        Kind::Docx => office::read_docx(file, out),
        Kind::Pptx => office::read_pptx(file, out),
        Kind::Doc => doc::read(file, out),
        Kind::Odt | Kind::Odp => opendocument::read(file, out),
        Kind::Rtf => rtf::read(file, out),
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
        Kind::Gzip => archive::read_gzip(file, out),
        Kind::Zstd => archive::read_zstd(file, out),
        Kind::Image => image::read(file, out),
        Kind::Unknown => Err(compound::reason_unread(file.bytes)
            .unwrap_or_else(|| Reason::Unsupported("its content is of no known format".to_owned()))),
    }
}
