//! PDF.
//!
//! The `hayro` crates handle the file's structure, its encryption and its fonts. The code here
//! executes the pages' drawing instructions as far as text and images go ([`content`]), combines the
//! glyphs into words, lines and columns ([`layout`]), and collects the metadata ([`about`]). A drawn
//! page has no spaces and no reading order, so both are inferred from the positions of the glyphs.

mod about;
mod annotations;
mod columns;
mod content;
mod font;
mod glyph;
mod header;
mod layers;
mod layout;
mod lenient;
mod pdftotext;
mod pictures;
mod rows;
mod state;
mod stream;
#[cfg(test)]
mod tests;
mod words;

use hayro_syntax::object::Dict;
use hayro_syntax::{DecryptionError, LoadPdfError, Pdf};

use crate::body::Body;
use crate::document::Extracted;
use crate::file::File;
use crate::format::{Format, Sign, Stage};
use crate::formats::text;
use crate::kind::{Category, Kind};
use crate::out::Out;
use crate::reason::Reason;
use lookalike_core::reading::PdfReader;

/// If pages with images have fewer letters than this, the text is stamps and page numbers.
const WORDS_OF_A_PAGE: usize = 12;

pub use header::{is_behind_other_bytes, is_near_start};

/// Pages beyond this are not read; no book has as many.
const MOST_PAGES: usize = 20_000;

pub const FORMAT: Format = Format {
    kind: Kind::Pdf,
    category: Category::Pdf,
    summary: "PDF: text in reading order, links, images",
    signs: &[
        Sign { stage: Stage::Start, recognise: |bytes, _| bytes.starts_with(b"%PDF-").then_some(Kind::Pdf) },
        Sign { stage: Stage::NearStart, recognise: |bytes, _| is_near_start(bytes).then_some(Kind::Pdf) },
        Sign {
            stage: Stage::BehindBytes,
            recognise: |bytes, _| is_behind_other_bytes(bytes).then_some(Kind::Pdf),
        },
    ],
    read,
    read_stream: None,
};

pub fn read(file: &File<'_>, out: &mut Out<'_>) -> Result<(), Reason> {
    let pdf = match open(file.bytes) {
        Ok(pdf) => pdf,
        Err(reason) if out.options.pdf == PdfReader::Builtin || reason == Reason::Encrypted => {
            return Err(reason);
        }
        // A file that only the other reader can open has at least a text.
        Err(_) => return out.document(by_pdftotext(file, out)?),
    };
    let catalog: Dict<'_> = pdf.xref().get(pdf.xref().root_id()).unwrap_or_default();
    let mut document = Extracted { kind: file.kind, ..Extracted::default() };
    about::fill(&mut document, &pdf, &catalog);

    let mut reader = content::Reader::new(&catalog, out.budget.limits().output_bytes);
    let mut body = Body::default();
    let written = out.options.pdf == PdfReader::Builtin;
    let (mut pages, mut shown, mut unexplained) = (0, 0, 0);
    for page in pdf.pages().iter().take(MOST_PAGES) {
        let glyphs = reader.page(page);
        pages += 1;
        shown += glyphs.len();
        unexplained += glyphs.iter().filter(|glyph| glyph.is_guess).count();
        if written {
            layout::write(glyphs, &mut body);
        }
        annotations::links(page, &mut document.links);
        if reader.is_exhausted() {
            break;
        }
    }
    if written {
        (document.text, document.marks) = body.finish();
    } else {
        document.text = by_pdftotext(file, out)?.text;
    }
    if written && 2 * unexplained > shown {
        document.doubt(0.3, "its fonts do not tell which letters most of its signs are");
    }
    text::doubt_unreadable(&mut document);
    doubt_scan(&mut document, pages, reader.images.len());
    if reader.is_exhausted() {
        document.doubt(0.4, "it draws or unpacks more than any document needs, so its end is not read");
    }
    if out.options.images {
        document.images = reader.images.iter().filter_map(|image| pictures::picture(image, out)).collect();
    }
    if reader.is_exhausted() && document.text.is_empty() && document.images.is_empty() {
        return Err(Reason::Limit("it draws or unpacks more than any document needs".to_owned()));
    }
    out.document(document)
}

/// Notes it if the pages are pictures and the text is only stamped on them.
fn doubt_scan(document: &mut Extracted, pages: usize, images: usize) {
    let words = document.text.split_whitespace().count();
    if pages > 1 && images > 0 && images * 2 >= pages.min(64) && words < WORDS_OF_A_PAGE * pages && words > 0
    {
        document.doubt(0.3, format!("{words} words on {pages} pages that are images: a scan"));
    }
}

fn by_pdftotext(file: &File<'_>, out: &Out<'_>) -> Result<Extracted, Reason> {
    let mut body = Body::default();
    body.lines(&pdftotext::run(file.bytes, &out.options.limits)?);
    let (text, marks) = body.finish();
    Ok(Extracted { kind: file.kind, text, marks, ..Extracted::default() })
}

fn open(bytes: &[u8]) -> Result<Pdf, Reason> {
    let opened = Pdf::new(bytes.to_vec()).or_else(|error| {
        let plain = without_encryption(bytes).and_then(|bytes| Pdf::new(bytes).ok());
        let mended = || header::mended(bytes).and_then(|bytes| Pdf::new(bytes).ok());
        plain.or_else(mended).ok_or(error)
    });
    let pdf = opened.map_err(|error| match error {
        LoadPdfError::Decryption(
            DecryptionError::PasswordProtected | DecryptionError::UnsupportedAlgorithm,
        ) => Reason::Encrypted,
        LoadPdfError::Decryption(_) => Reason::damaged("what it says of its encryption is broken"),
        LoadPdfError::Invalid => Reason::damaged("no page can be found in it"),
    })?;
    if pdf.pages().is_empty() {
        return Err(Reason::damaged("it has no pages"));
    }
    Ok(pdf)
}

/// The file without the mention of its encryption, if that is only about attached files.
fn without_encryption(bytes: &[u8]) -> Option<Vec<u8>> {
    const MENTION: &[u8] = b"/Encrypt ";
    let is_untouched = |key: &[u8]| {
        let mut places = memchr::memmem::find_iter(bytes, key).peekable();
        let names = |place: usize| bytes[place + key.len()..].trim_ascii_start().starts_with(b"/Identity");
        places.peek().is_some() && places.all(names)
    };
    if !is_untouched(b"/StmF") || !is_untouched(b"/StrF") {
        return None;
    }
    let mut plain = bytes.to_vec();
    for place in memchr::memmem::find_iter(bytes, MENTION) {
        plain[place + 1] = b'-';
    }
    Some(plain)
}
