//! PostScript: a program that draws pages. Its text is only known when it is executed, so it is
//! read by Ghostscript if the recipe asks for that, and otherwise refused: the sources of two
//! programs from the same printer driver are alike whatever they draw.

use crate::body::Body;
use crate::document::Extracted;
use crate::file::File;
use crate::format::{Format, Sign, Stage};
use crate::kind::{Category, Kind};
use crate::out::Out;
use crate::reason::Reason;
use lookalike_core::reading::PostScriptReader;

use super::{program, text};

/// The longest sequence of printer commands before a program.
const HEAD: usize = 8 << 10;
/// The beginning of an encapsulated program with a preview picture.
const WITH_PREVIEW: &[u8] = b"\xc5\xd0\xd3\xc6";

/// The arguments for Ghostscript: extract the characters of all pages in reading order. It may open no
/// other file, and the program's own output is not mixed with its pages.
const ARGUMENTS: [&str; 9] = [
    "-q",
    "-dSAFER",
    "-dBATCH",
    "-dNOPAUSE",
    "-sstdout=%stderr",
    "-sDEVICE=txtwrite",
    "-sOutputFile=-",
    "-dTextFormat=3",
    "-",
];

pub const FORMAT: Format = Format {
    kind: Kind::PostScript,
    category: Category::Pdf,
    summary: "PostScript, by Ghostscript if the recipe asks for it",
    signs: &[Sign {
        stage: Stage::NearStart,
        recognise: |bytes, _| is_postscript(bytes).then_some(Kind::PostScript),
    }],
    read,
    read_stream: None,
};

pub fn is_postscript(bytes: &[u8]) -> bool {
    program_of(bytes).is_some()
}

pub fn read(file: &File<'_>, out: &mut Out<'_>) -> Result<(), Reason> {
    let source = program_of(file.bytes).unwrap_or(file.bytes);
    if is_font(source) {
        return Err(Reason::Unsupported("a PostScript font".to_owned()));
    }
    if out.options.postscript == PostScriptReader::None {
        return Err(Reason::Unsupported(
            "PostScript; extract.postscript = \"ghostscript\" reads it where Ghostscript is installed"
                .to_owned(),
        ));
    }
    let said = program::run("gs", &ARGUMENTS, source, &out.options.limits)?;
    let mut body = Body::default();
    body.lines(&String::from_utf8_lossy(&said.output));
    let (written, marks) = body.finish();
    if written.is_empty() && !said.status.success() {
        return Err(Reason::damaged("Ghostscript cannot run it"));
    }
    let mut document = Extracted { kind: file.kind, text: written, marks, ..Extracted::default() };
    if !said.status.success() {
        document.doubt(0.4, "Ghostscript stopped with an error before the end");
    }
    document.title = comment(source, "%%Title:");
    document.author = comment(source, "%%For:");
    text::doubt_unreadable(&mut document);
    out.document(document)
}

/// The program, without printer commands before it and without a preview.
fn program_of(bytes: &[u8]) -> Option<&[u8]> {
    if let Some(header) = bytes.strip_prefix(WITH_PREVIEW) {
        let number = |at: usize| Some(u32::from_le_bytes(header.get(at..)?.first_chunk().copied()?) as usize);
        let rest = bytes.get(number(0)?..)?;
        return Some(&rest[..rest.len().min(number(4)?)]);
    }
    let start = bytes.trim_ascii_start();
    let start = start.strip_prefix(b"\x04").unwrap_or(start);
    if is_start(start) {
        return Some(start);
    }
    // It may be preceded by a printer job language.
    if bytes.starts_with(b"\x1b%-12345X") || bytes.starts_with(b"@PJL") {
        let head = &bytes[..bytes.len().min(HEAD)];
        let at = memchr::memmem::find(head, b"\n%!").map(|at| at + 1)?;
        return is_start(&bytes[at..]).then_some(&bytes[at..]);
    }
    None
}

/// `%!PS`, or `%!` alone on its line if what follows looks like a program.
fn is_start(bytes: &[u8]) -> bool {
    let Some(rest) = bytes.strip_prefix(b"%!") else { return false };
    let head = &rest[..rest.len().min(HEAD)];
    let has = |word: &[u8]| memchr::memmem::find(head, word).is_some();
    rest.starts_with(b"PS")
        || rest.starts_with(b"FontType")
        || rest.first().is_none_or(u8::is_ascii_whitespace)
            && (has(b" def") || has(b"%%") || has(b"showpage"))
}

fn is_font(source: &[u8]) -> bool {
    source.starts_with(b"%!PS-AdobeFont") || source.starts_with(b"%!FontType")
}

/// What a comment of the header says.
fn comment(source: &[u8], name: &str) -> Option<String> {
    let head = &source[..source.len().min(HEAD)];
    let at = memchr::memmem::find(head, name.as_bytes())? + name.len();
    let line = head[at..].split(|byte| matches!(byte, b'\r' | b'\n')).next()?;
    let said = text::decode(line, None);
    let said = said.trim();
    let said = said.strip_prefix('(').and_then(|said| said.strip_suffix(')')).unwrap_or(said).trim();
    (!said.is_empty() && said.len() < 500).then(|| said.to_owned())
}

#[cfg(test)]
mod tests;
