//! Images of a PDF, converted to files that an image decoder can read.

use std::io::Cursor;

use hayro_syntax::Filter;
use hayro_syntax::object::{Array, Dict, Object, Stream};
use image::{DynamicImage, GrayImage, ImageFormat, RgbImage};

use super::stream;
use crate::out::Out;
use crate::picture::Picture;

/// Larger images are not unpacked.
const MOST_BYTES: u64 = 64 << 20;

/// Decodes the image: a JPEG as it is, rows of gray or coloured pixels by way of a bitmap; others
/// (fax, JPEG 2000, palettes) are ignored.
pub fn picture(stream: &Stream<'_>, out: &Out<'_>) -> Option<Picture> {
    let filters = stream.filters();
    match filters.as_slice() {
        [Filter::DctDecode] => out.picture(&stream.raw_data()),
        filters if filters.contains(&Filter::DctDecode) => None,
        _ => out.picture(&bitmap(stream)?),
    }
}

fn bitmap(stream: &Stream<'_>) -> Option<Vec<u8>> {
    let dictionary = stream.dict();
    let number = |long: &str| dictionary.get::<u32>(long);
    let (width, height) = (number("Width")?, number("Height")?);
    if number("BitsPerComponent")? != 8 || dictionary.contains_key("Decode") {
        return None;
    }
    let components = components(dictionary)?;
    let size = usize::try_from(u64::from(width).checked_mul(u64::from(height))?).ok()?;
    let mut pixels = stream::unpacked(stream, MOST_BYTES)?.into_owned();
    pixels.truncate(size.checked_mul(components)?);
    let image = match components {
        1 => DynamicImage::ImageLuma8(GrayImage::from_raw(width, height, pixels)?),
        _ => DynamicImage::ImageRgb8(RgbImage::from_raw(width, height, pixels)?),
    };
    let mut file = Cursor::new(Vec::new());
    image.write_to(&mut file, ImageFormat::Png).ok()?;
    Some(file.into_inner())
}

/// Bytes of a pixel: 1 for gray, 3 for red, green and blue.
fn components(dictionary: &Dict<'_>) -> Option<usize> {
    match dictionary.get::<Object<'_>>("ColorSpace")? {
        Object::Name(name) => by_name(name.as_str()),
        Object::Array(array) => by_array(&array),
        _ => None,
    }
}

fn by_array(array: &Array<'_>) -> Option<usize> {
    let mut items = array.iter::<Object<'_>>();
    match items.next()? {
        Object::Name(name) if name.as_str() == "ICCBased" => match items.next()? {
            Object::Stream(profile) => {
                profile.dict().get::<usize>("N").filter(|count| matches!(count, 1 | 3))
            }
            _ => None,
        },
        Object::Name(name) => by_name(name.as_str()),
        _ => None,
    }
}

fn by_name(name: &str) -> Option<usize> {
    match name {
        "DeviceGray" | "CalGray" => Some(1),
        "DeviceRGB" | "CalRGB" => Some(3),
        _ => None,
    }
}
