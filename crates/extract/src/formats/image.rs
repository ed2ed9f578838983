//! Single images: compared by their perceptual hash, and by their text if the recipe asks for that.

use crate::document::Extracted;
use crate::file::File;
use crate::format::{Format, Sign, Stage};
use crate::kind::{Category, Kind};
use crate::out::Out;
use crate::picture::{self, Picture};
use crate::reason::Reason;
use lookalike_core::reading::Ocr;

use super::ocr;

pub const FORMAT: Format = Format {
    kind: Kind::Image,
    category: Category::Image,
    summary: "JPEG, PNG, GIF, WebP, TIFF, BMP, PNM: what they look like; AVIF and HEIC by their bytes",
    signs: &[Sign { stage: Stage::Header, recognise: |bytes, _| format_of(bytes).map(|_| Kind::Image) }],
    read,
    read_stream: None,
};

/// Image formats by their first bytes.
pub fn format_of(bytes: &[u8]) -> Option<&'static str> {
    let is = |start: &[u8]| bytes.starts_with(start);
    match bytes {
        _ if is(b"\xff\xd8\xff") => Some("jpeg"),
        _ if is(b"\x89PNG\r\n\x1a\n") => Some("png"),
        _ if is(b"GIF87a") || is(b"GIF89a") => Some("gif"),
        _ if is(b"RIFF") && bytes.get(8..12) == Some(b"WEBP") => Some("webp"),
        _ if is(b"II*\0") || is(b"MM\0*") => Some("tiff"),
        _ if is(b"BM") && is_bitmap(bytes) => Some("bmp"),
        _ if is(b"P") && is_anymap(bytes) => Some("pnm"),
        _ => picture::boxed(bytes).map(|(format, _)| format),
    }
}

pub fn read(file: &File<'_>, out: &mut Out<'_>) -> Result<(), Reason> {
    if !out.options.images && out.options.ocr == Ocr::None {
        return Err(Reason::Unsupported("an image, and images are not looked at".to_owned()));
    }
    let format = format_of(file.bytes).unwrap_or_default();
    let mut document = Extracted { kind: file.kind, ..Extracted::default() };
    let picture = match picture::boxed(file.bytes) {
        Some((format, size)) => {
            let why =
                format!("{} is not decoded, so it is compared by its bytes alone", format.to_uppercase());
            document.doubt(1.0, why);
            size.map(|(width, height)| Picture { width, height, ..Picture::default() })
        }
        None => picture::read_picture(file.bytes),
    };
    let picture =
        picture.ok_or_else(|| Reason::damaged("an image that cannot be decoded, or is too large to be"))?;
    let (width, height) = (picture.width.to_string(), picture.height.to_string());
    for (name, value) in [("width", width), ("height", height), ("format", format.to_owned())] {
        document.fields.insert(name.to_owned(), value);
    }
    if out.options.ocr == Ocr::Tesseract
        && let Some(gray) = picture::gray(file.bytes)
    {
        let recognised = ocr::read(&gray, out.options)?;
        recognised.judge(&mut document);
        document.text = recognised.text;
    }
    if out.options.images {
        document.images.push(picture);
    }
    out.document(document)
}

/// A bitmap has a header of a known length where its file header ends.
fn is_bitmap(bytes: &[u8]) -> bool {
    let number = |at: usize| Some(u32::from_le_bytes(bytes.get(at..)?.first_chunk().copied()?));
    number(6) == Some(0) && matches!(number(14), Some(12 | 40 | 52 | 56 | 64 | 108 | 124))
}

/// `P1` to `P6`, then width and height, possibly separated by comments; or `P7` with named numbers.
fn is_anymap(bytes: &[u8]) -> bool {
    if bytes.starts_with(b"P7\nWIDTH ") {
        return true;
    }
    let [b'P', b'1'..=b'6', rest @ ..] = bytes else { return false };
    let head = String::from_utf8_lossy(&rest[..rest.len().min(512)]).into_owned();
    let lines = head.lines().map(|line| line.split('#').next().unwrap_or_default());
    let words: Vec<&str> = lines.flat_map(str::split_whitespace).take(2).collect();
    head.starts_with(|first: char| first.is_ascii_whitespace())
        && words.len() == 2
        && words.iter().all(|word| word.parse::<u32>().is_ok_and(|size| size > 0))
}

#[cfg(test)]
mod tests;
