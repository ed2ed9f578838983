//! Images, compared by what they look like.
//!
//! An image is represented by a perceptual hash of 64 bits ([`perceptual_hash::of`]): copies that were scaled,
//! encoded again or made a little brighter differ in a few bits, other images in about half of them. Compare by
//! the number of bits that differ; up to 10 is the same image. An image without structure (a blank page, a plain
//! colour, a smooth gradient) has no hash, so that blank images are never alike.
//!
//! All arithmetic on pixels uses integers and is the same on every machine. PNG, GIF and lossless WebP
//! decode to the same pixels everywhere; a JPEG decoder may round a pixel by one on another processor,
//! which can flip a bit that is close to the limit.

mod perceptual_hash;

use std::io::Cursor;

use image::metadata::Orientation;
use image::{DynamicImage, GrayImage, ImageDecoder, ImageFormat, ImageReader, Limits};
use lookalike_core::streams::image_item;
use serde::{Deserialize, Serialize};

/// The limit of one image: a bomb of a few bytes can claim any size.
const PIXELS: u64 = 64 << 20;
const BYTES: u64 = 256 << 20;
/// A progressive JPEG keeps all its coefficients until the end: six bytes more for each pixel.
const PROGRESSIVE_PIXELS: u64 = 32 << 20;

/// Where the dimensions of an image in HEIF boxes are.
const BOXES: usize = 64 << 10;

const KNOWN: [ImageFormat; 7] = [
    ImageFormat::Jpeg,
    ImageFormat::Png,
    ImageFormat::Gif,
    ImageFormat::WebP,
    ImageFormat::Tiff,
    ImageFormat::Bmp,
    ImageFormat::Pnm,
];

/// An image of a document. Two are the same if their bytes are, or if they look the same.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Picture {
    /// The perceptual hash in hexadecimal; absent for an image that is missing, cannot be decoded
    /// or has no structure.
    #[serde(default, rename = "look", skip_serializing_if = "Option::is_none")]
    pub perceptual_hash: Option<String>,
    /// The address of the image, if it is not in the file itself.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub source: Option<String>,
    /// In pixels; 0 if unknown.
    pub width: u32,
    /// In pixels; 0 if unknown.
    pub height: u32,
}

impl Picture {
    /// The item of the stream `images` that it is; `None` for an icon, and if neither its look nor its address is known.
    pub fn item(&self) -> Option<u64> {
        image_item(self.perceptual_hash.as_deref(), self.source.as_deref(), (self.width, self.height))
    }
}

/// Decodes an image (JPEG, PNG, GIF, WebP, TIFF, BMP, PNM) and computes its perceptual hash; `None` if the bytes are
/// no image, or one that is broken or too large. For an animation or several pages the first picture counts.
pub fn read_picture(bytes: &[u8]) -> Option<Picture> {
    let (image, turned) = decode(bytes)?;
    let (width, height) = (image.width(), image.height());
    let cells = turn(perceptual_hash::cells(&image)?, turned);
    let perceptual_hash = perceptual_hash::of(&cells).map(|hash| format!("{hash:016x}"));
    let sideways = matches!(
        turned,
        Orientation::Rotate90
            | Orientation::Rotate270
            | Orientation::Rotate90FlipH
            | Orientation::Rotate270FlipH
    );
    let (width, height) = if sideways { (height, width) } else { (width, height) };
    Some(Picture { perceptual_hash, source: None, width, height })
}

/// The image in levels of gray, upright and on white, for recognising text in it.
pub fn gray(bytes: &[u8]) -> Option<GrayImage> {
    let (mut image, turned) = decode(bytes)?;
    image.apply_orientation(turned);
    if !image.color().has_alpha() {
        return Some(image.into_luma8());
    }
    let image = image.into_rgba8();
    let levels =
        image.pixels().map(|pixel| u8::try_from(perceptual_hash::gray_on_white(pixel.0)).unwrap_or(u8::MAX));
    GrayImage::from_raw(image.width(), image.height(), levels.collect())
}

/// Images in HEIF boxes, which need a video decoder: their format, and their size in pixels if it is
/// given. For an image composed of tiles the largest size is the whole.
pub fn boxed(bytes: &[u8]) -> Option<(&'static str, Option<(u32, u32)>)> {
    let brand = bytes.get(4..)?.strip_prefix(b"ftyp")?.first_chunk::<4>()?;
    let format = match brand {
        b"avif" | b"avis" => "avif",
        b"heic" | b"heix" | b"heim" | b"heis" | b"hevc" | b"hevx" | b"mif1" | b"msf1" => "heic",
        _ => return None,
    };
    let head = &bytes[..bytes.len().min(BOXES)];
    let sizes = memchr::memmem::find_iter(head, b"ispe").filter_map(|at| {
        let number = |at: usize| Some(u32::from_be_bytes(head.get(at..)?.first_chunk().copied()?));
        let (width, height) = (number(at + 8)?, number(at + 12)?);
        (width > 0 && height > 0 && width < 1 << 20 && height < 1 << 20).then_some((width, height))
    });
    Some((format, sizes.max_by_key(|&(width, height)| u64::from(width) * u64::from(height))))
}

/// The pixels, and the orientation that the camera recorded.
fn decode(bytes: &[u8]) -> Option<(DynamicImage, Orientation)> {
    let format = image::guess_format(bytes).ok()?;
    if !KNOWN.contains(&format) {
        return None;
    }
    let mut reader = ImageReader::with_format(Cursor::new(bytes), format);
    let mut limits = Limits::no_limits();
    limits.max_alloc = Some(BYTES);
    reader.limits(limits);
    let mut decoder = reader.into_decoder().ok()?;
    let (width, height) = decoder.dimensions();
    let pixels = u64::from(width) * u64::from(height);
    let most = if is_progressive_jpeg(bytes) { PROGRESSIVE_PIXELS } else { PIXELS };
    if pixels == 0 || pixels > most || decoder.total_bytes() > BYTES {
        return None;
    }
    let turned = decoder.orientation().unwrap_or(Orientation::NoTransforms);
    Some((DynamicImage::from_decoder(decoder).ok()?, turned))
}

/// Turns the cells by the orientation that the camera recorded.
fn turn(cells: perceptual_hash::Cells, turned: Orientation) -> perceptual_hash::Cells {
    const LAST: usize = perceptual_hash::SIDE - 1;
    let from = |x: usize, y: usize| match turned {
        Orientation::NoTransforms => (x, y),
        Orientation::FlipHorizontal => (LAST - x, y),
        Orientation::Rotate180 => (LAST - x, LAST - y),
        Orientation::FlipVertical => (x, LAST - y),
        Orientation::Rotate90FlipH => (y, x),
        Orientation::Rotate90 => (y, LAST - x),
        Orientation::Rotate270FlipH => (LAST - y, LAST - x),
        Orientation::Rotate270 => (LAST - y, x),
    };
    std::array::from_fn(|y| {
        std::array::from_fn(|x| {
            let (x, y) = from(x, y);
            cells[y][x]
        })
    })
}

/// Whether the first frame header says that the JPEG is progressive.
fn is_progressive_jpeg(bytes: &[u8]) -> bool {
    let Some(mut rest) = bytes.strip_prefix(b"\xff\xd8") else { return false };
    // Segments: a marker, and a length that counts itself.
    while let [0xff, marker, high, low, ..] = *rest {
        match marker {
            0xc2 | 0xc6 | 0xca | 0xce => return true,
            0xc0..=0xcf if !matches!(marker, 0xc4 | 0xc8 | 0xcc) => return false,
            0xff => rest = &rest[1..],
            _ => {
                let length = usize::from(u16::from_be_bytes([high, low])).max(2);
                rest = rest.get(2 + length..).unwrap_or_default();
            }
        }
    }
    false
}

#[cfg(test)]
mod tests;
