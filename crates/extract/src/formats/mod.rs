//! The formats, one file or folder each, with its row in the table of formats; and code that several of
//! them share.

pub mod archive;
pub mod calendar;
pub mod doc;
pub mod encoded;
pub mod epub;
pub mod html;
pub mod image;
pub mod json;
pub mod mail;
pub mod markdown;
pub mod msg;
pub mod news;
pub mod office;
pub mod opendocument;
pub mod pdf;
pub mod postscript;
pub mod ppt;
pub mod rtf;
pub mod sheet;
pub mod subtitles;
pub mod text;
pub mod tnef;
pub mod unread;
pub mod warc;
pub mod wordperfect;
pub mod xml;

mod codepage;
mod compound;
mod field;
mod mapi;
mod markup;
mod names;
mod ocr;
mod package;
mod program;
mod xml_scanner;
