//! The format of a corpus file: its layout, compression and encoding.
//!
//! The content decides, not the name, with one exception: a text table looks like any other text, so a
//! file is one if its name says so (`.csv`, `.tsv`), and standard input is one if it looks like one.

use std::io::{BufRead, Read};
use std::path::Path;

use lookalike_core::warc;

use crate::decode::{Compression, Encoding, decoder};

/// The format of a corpus file.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Format {
    /// How documents are laid out.
    pub layout: Layout,
    /// How it is compressed.
    pub compression: Compression,
    /// The character encoding.
    pub encoding: Encoding,
}

/// How documents are laid out in a file.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Layout {
    /// One JSON object per line.
    Jsonl,
    /// One large array of JSON objects.
    JsonArray,
    /// JSON objects one after the other, each over several lines.
    JsonObjects,
    /// Rows of fields below a header.
    Table {
        /// The separator of the fields.
        delimiter: u8,
    },
    /// Texts of a web archive, as Common Crawl hands them out.
    Wet,
    /// Parquet.
    Parquet,
    /// Arrow IPC with a footer, also known as Feather, version 2.
    ArrowFile,
    /// Arrow IPC without a footer.
    ArrowStream,
}

/// How much of the decoded beginning is examined.
const PEEK: u64 = 64 << 10;

impl Format {
    /// One JSON object per line, uncompressed UTF-8: can be split anywhere and read by many threads
    /// at once.
    pub const PLAIN: Format =
        Format { layout: Layout::Jsonl, compression: Compression::None, encoding: Encoding::Utf8 };

    /// Recognises the format by the first bytes, decompressed. An error says in a few words what
    /// else the file is.
    pub fn of(reader: impl BufRead + Send, names: Names) -> Result<Format, String> {
        let (compression, start) = peek(reader);
        let encoding = match start[..] {
            [0xff, 0xfe, 0xff, 0xff, ..] => Encoding::Utf8,
            [0xff, 0xfe, ..] => Encoding::Utf16Le,
            [0xfe, 0xff, ..] => Encoding::Utf16Be,
            _ => Encoding::Utf8,
        };
        let layout = match encoding {
            Encoding::Utf8 => layout_of(&start, names)?,
            _ => {
                // The last character may be cut, which does not matter here.
                let mut text = Vec::new();
                let _ = decoder(&start[..], Compression::None, encoding)
                    .and_then(|mut decoder| decoder.read_to_end(&mut text));
                layout_of(&text, names)?
            }
        };
        if compression != Compression::None && matches!(layout, Layout::Parquet | Layout::ArrowFile) {
            let what = if layout == Layout::Parquet { "Parquet" } else { "Arrow" };
            return Err(format!(
                "is a compressed {what} file, which cannot be read in any order; unpack it first"
            ));
        }
        Ok(Format { layout, compression, encoding })
    }

    /// The ending of a file in this format.
    pub fn extension(self) -> String {
        let layout = match self.layout {
            Layout::Jsonl => "jsonl",
            Layout::JsonArray | Layout::JsonObjects => "json",
            Layout::Table { delimiter: b'\t' } => "tsv",
            Layout::Table { .. } => "csv",
            Layout::Wet => "wet",
            Layout::Parquet => "parquet",
            Layout::ArrowFile => "arrow",
            Layout::ArrowStream => "arrows",
        };
        match self.compression.extension() {
            "" => layout.to_owned(),
            packed => format!("{layout}.{packed}"),
        }
    }
}

impl Layout {
    /// The layout in which kept documents are written: texts of a web archive become lines of JSON, which is what programs
    /// that use the texts read.
    pub fn kept(self) -> Layout {
        if self == Layout::Wet { Layout::Jsonl } else { self }
    }
}

/// What a file's name says about its format.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Names {
    /// The name does not say that it is a table.
    Other,
    /// A table of text.
    Table,
    /// There is no name.
    None,
}

impl Names {
    /// What a file's name says about its format.
    pub fn of(path: &Path) -> Names {
        let table = ending_of(path).is_some_and(|ending| TABLES.contains(&ending.as_str()));
        if table { Names::Table } else { Names::Other }
    }
}

/// The endings of tables of text.
pub const TABLES: [&str; 2] = ["csv", "tsv"];

/// The ending of a file's name, in small letters and without that of its compression.
pub fn ending_of(path: &Path) -> Option<String> {
    let name = path.file_name()?.to_string_lossy().to_lowercase();
    let packed = Compression::PACKED.iter().map(|compression| format!(".{}", compression.extension()));
    let plain = packed.into_iter().find_map(|ending| name.strip_suffix(&ending).map(str::to_owned));
    plain.unwrap_or(name).rsplit_once('.').map(|(_, ending)| ending.to_owned())
}

/// The compression and the first bytes, decompressed. Decompression errors are reported when the file is
/// read.
fn peek(mut reader: impl BufRead + Send) -> (Compression, Vec<u8>) {
    let first = reader.fill_buf().unwrap_or_default();
    let compression = Compression::of_bytes(first);
    let mut start = Vec::new();
    if let Ok(decoder) = decoder(reader, compression, Encoding::Utf8) {
        let _ = decoder.take(PEEK).read_to_end(&mut start);
    }
    (compression, start)
}

/// Whether a file whose name says nothing can be a corpus: columns, JSON objects, or empty.
pub fn begins_corpus(reader: impl BufRead + Send) -> bool {
    let (_, start) = peek(reader);
    match layout_of(&start, Names::Other) {
        Ok(Layout::Jsonl) => {
            let text = start.strip_prefix(b"\xef\xbb\xbf").unwrap_or(&start).trim_ascii_start();
            text.is_empty() || (text.starts_with(b"{") && !text.starts_with(b"{\\rtf"))
        }
        Ok(_) => true,
        Err(_) => false,
    }
}

fn layout_of(start: &[u8], names: Names) -> Result<Layout, String> {
    match start {
        [b'P', b'A', b'R', b'1', ..] => return Ok(Layout::Parquet),
        [b'A', b'R', b'R', b'O', b'W', b'1', 0, 0, ..] => return Ok(Layout::ArrowFile),
        // The mark of a message, and the length of the schema.
        [0xff, 0xff, 0xff, 0xff, a, b, c, d, ..]
            if (1..1 << 28).contains(&u32::from_le_bytes([*a, *b, *c, *d])) =>
        {
            return Ok(Layout::ArrowStream);
        }
        _ => {}
    }
    if warc::is_warc(start) {
        return match warc::first_type(start).as_deref() {
            None | Some("conversion") => Ok(Layout::Wet),
            Some(_) => {
                Err("is a web archive of pages as they were fetched, not of their texts (WET); to read the \
                            pages, give a file whose name ends in .warc or .warc.gz"
                    .to_owned())
            }
        };
    }
    if let Some((_, what)) = NO_CORPORA.iter().find(|(magic, _)| start.starts_with(magic)) {
        return Err(format!("is {what}"));
    }
    let text = start.strip_prefix(b"\xef\xbb\xbf").unwrap_or(start).trim_ascii_start();
    if let Some(inner) = text.strip_prefix(b"[")
        && matches!(inner.trim_ascii_start().first(), None | Some(b'{' | b']'))
    {
        return Ok(Layout::JsonArray);
    }
    let first_line = text.split(|&byte| byte == b'\n').next().unwrap_or_default();
    if first_line.trim_ascii_end() == b"{" {
        return Ok(Layout::JsonObjects);
    }
    if text.starts_with(b"{") {
        return Ok(Layout::Jsonl);
    }
    let is_table = match names {
        Names::Other => false,
        Names::Table => true,
        Names::None => looks_like_table(text),
    };
    Ok(if is_table { Layout::Table { delimiter: delimiter_of(first_line) } } else { Layout::Jsonl })
}

/// The beginnings of files that are no lines of text, whatever their names.
const NO_CORPORA: [(&[u8], &str); 12] = [
    (b"FEA1", "a Feather file of version 1, which nobody writes any more; write it as version 2 (Arrow)"),
    (b"%PDF-", "a PDF document, no corpus; its name says otherwise"),
    (b"PK\x03\x04", "a zip archive, no corpus; unpack it first"),
    (b"7z\xbc\xaf\x27\x1c", "a 7z archive, no corpus; unpack it first"),
    (b"Rar!\x1a\x07", "a RAR archive, no corpus; unpack it first"),
    (b"LZIP\x01", "compressed by lzip, which is not read; unpack it into standard input"),
    (
        b"\x02\x21\x4c\x18",
        "compressed in the old format of lz4, which is not read; unpack it into standard input",
    ),
    (b"Obj\x01", "an Avro file, which is not read; convert it to Parquet or JSONL"),
    (b"ORC", "an ORC file, which is not read; convert it to Parquet or JSONL"),
    (b"SQLite format 3\0", "an SQLite database, which is not read; export its rows as CSV"),
    (b"\x89HDF\r\n\x1a\n", "an HDF5 file, which is not read; convert it to Parquet"),
    (b"\x7fELF", "a program, no corpus"),
];

/// Whether a text without a name is a table: it has a header with a delimiter, and no line of JSON
/// below it.
fn looks_like_table(text: &[u8]) -> bool {
    let mut lines = text.split(|&byte| byte == b'\n');
    let header = lines.next().unwrap_or_default();
    let has_delimiter = header.iter().any(|byte| DELIMITERS.contains(byte));
    has_delimiter && !lines.any(|line| matches!(line.trim_ascii_start().first(), Some(b'{' | b'[')))
}

const DELIMITERS: [u8; 4] = *b",\t;|";

/// The delimiter of a header: the most frequent of the usual ones.
fn delimiter_of(header: &[u8]) -> u8 {
    let mut quoted = false;
    let mut counts = [0; DELIMITERS.len()];
    for byte in header {
        quoted ^= *byte == b'"';
        if let Some(place) = DELIMITERS.iter().position(|delimiter| !quoted && delimiter == byte) {
            counts[place] += 1;
        }
    }
    let best = (0..DELIMITERS.len()).max_by_key(|&place| (counts[place], std::cmp::Reverse(place)));
    DELIMITERS[best.unwrap_or_default()]
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(bytes: &[u8], name: &str) -> Result<Format, String> {
        Format::of(bytes, if name.is_empty() { Names::None } else { Names::of(Path::new(name)) })
    }

    #[test]
    fn the_content_tells_the_format() {
        for (bytes, name, layout) in [
            (&b"PAR1...."[..], "a.jsonl", Layout::Parquet),
            (b"ARROW1\0\0....", "a.csv", Layout::ArrowFile),
            (b"\xff\xff\xff\xff\x10\0\0\0....", "a", Layout::ArrowStream),
            (b"", "a.jsonl", Layout::Jsonl),
            (b"{\"a\":1}\n", "a.csv", Layout::Jsonl),
            (b"\xef\xbb\xbf [\n {\"a\":1}]", "a.jsonl", Layout::JsonArray),
            (b"[]", "a.json", Layout::JsonArray),
            (b"[2024-01-01] a line of a log", "a.json", Layout::Jsonl),
            (b"{\r\n \"a\": 1\n}", "a.json", Layout::JsonObjects),
            (b"id,text\n1,a\n", "a.csv", Layout::Table { delimiter: b',' }),
            (b"id;\"te,x,t\"\n1;a\n", "a.csv.gz", Layout::Table { delimiter: b';' }),
            (b"id\ttext\n1\ta\n", "", Layout::Table { delimiter: b'\t' }),
            (b"id,text\n1,a\n", "a.txt", Layout::Jsonl),
            (b"broken, line\n{\"text\":\"a\"}\n", "", Layout::Jsonl),
            (b"text\none\n", "a.TSV.xz", Layout::Table { delimiter: b',' }),
            (b"WARC/1.1\r\nWARC-Type: conversion\r\n\r\n", "a.jsonl", Layout::Wet),
            (b"WARC/1.0\r\nWARC-Type: warcinfo\r\n\r\n", "a.wet", Layout::Wet),
        ] {
            assert_eq!(of(bytes, name).unwrap().layout, layout, "{name} {}", bytes.escape_ascii());
        }
        assert!(of(b"FEA1....", "a.feather").unwrap_err().contains("version 2"));
        let pages = b"WARC/1.0\r\nWARC-Type: warcinfo\r\n\r\n\r\n\r\nWARC/1.0\r\nWARC-Type: request\r\n\r\n";
        assert!(of(pages, "a.wet").unwrap_err().contains("pages as they were fetched"));
        assert!(!begins_corpus(&pages[..]), "a document, for its own reader");
        assert!(of(b"%PDF-1.4", "a.jsonl").unwrap_err().contains("PDF"));
    }

    #[test]
    fn two_bytes_tell_utf_16() {
        let text: Vec<u8> = "\u{feff}id,text\r\n".encode_utf16().flat_map(u16::to_le_bytes).collect();
        let format = of(&text, "a.csv").unwrap();
        assert_eq!((format.encoding, format.layout), (Encoding::Utf16Le, Layout::Table { delimiter: b',' }));
    }
}
