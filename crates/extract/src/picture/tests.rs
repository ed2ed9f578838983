//! Copies look alike, other images do not, and bombs are refused.

use std::io::Cursor;

use image::codecs::jpeg::JpegEncoder;
use image::imageops::{FilterType, resize};
use image::{ImageFormat, Rgb, RgbImage};
use proptest::prelude::*;

use super::*;

/// A scene of spots of all sizes and colours, like a photograph from a distance.
fn scene(seed: u64) -> RgbImage {
    let mut state = seed.wrapping_mul(2).wrapping_add(1);
    let mut next = |below: u64| {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) % below
    };
    let mut image = RgbImage::from_pixel(400, 300, Rgb([next(256) as u8, next(256) as u8, next(256) as u8]));
    for _ in 0..60 {
        let (left, top, radius) = (next(400) as i64, next(300) as i64, 5 + next(70) as i64);
        let colour = Rgb([next(256) as u8, next(256) as u8, next(256) as u8]);
        for y in (top - radius).max(0)..(top + radius).min(300) {
            for x in (left - radius).max(0)..(left + radius).min(400) {
                if (x - left).pow(2) + (y - top).pow(2) < radius.pow(2) {
                    image.put_pixel(x as u32, y as u32, colour);
                }
            }
        }
    }
    image
}

fn jpeg(image: &RgbImage, quality: u8) -> Vec<u8> {
    let mut bytes = Vec::new();
    JpegEncoder::new_with_quality(&mut bytes, quality).encode_image(image).unwrap();
    bytes
}

fn png(image: &RgbImage) -> Vec<u8> {
    let mut bytes = Cursor::new(Vec::new());
    image.write_to(&mut bytes, ImageFormat::Png).unwrap();
    bytes.into_inner()
}

fn hash(bytes: &[u8]) -> u64 {
    u64::from_str_radix(&read_picture(bytes).unwrap().perceptual_hash.unwrap(), 16).unwrap()
}

fn distance(left: u64, right: u64) -> u32 {
    (left ^ right).count_ones()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    #[test]
    fn copies_look_alike(seed in any::<u64>(), quality in 50_u8..=90, brighter in -12_i16..=12) {
        let original = scene(seed);
        let first = hash(&png(&original));
        prop_assert!(distance(first, hash(&jpeg(&original, quality))) <= 8);
        let half = resize(&original, 200, 150, FilterType::Triangle);
        prop_assert!(distance(first, hash(&jpeg(&half, quality))) <= 10);
        let mut bright = original.clone();
        bright.iter_mut().for_each(|level| *level = (i16::from(*level) + brighter).clamp(0, 255) as u8);
        prop_assert!(distance(first, hash(&png(&bright))) <= 10);
    }

    #[test]
    fn other_images_look_different(seed in 0_u64..1_000_000, other in 1_000_000_u64..2_000_000) {
        let apart = distance(hash(&png(&scene(seed))), hash(&png(&scene(other))));
        // Of 63 bits about half differ; 13 or fewer would be once in a million.
        prop_assert!(apart > 13, "{apart}");
    }

    #[test]
    fn no_bytes_panic(mut bytes in Just(jpeg(&scene(1), 60)), at in any::<prop::sample::Index>(), byte in any::<u8>()) {
        let at = at.index(bytes.len());
        bytes[at] = byte;
        read_picture(&bytes);
        read_picture(&bytes[..at]);
    }
}

#[test]
fn other_images_are_mostly_far_apart() {
    let hashes: Vec<u64> = (0..40).map(|seed| hash(&png(&scene(seed)))).collect();
    let mut apart: Vec<u32> = (0..40)
        .flat_map(|a| (0..a).map(move |b| (a, b)))
        .map(|(a, b)| distance(hashes[a], hashes[b]))
        .collect();
    apart.sort_unstable();
    assert!(apart[apart.len() / 100] > 16, "1 in 100 within {}", apart[apart.len() / 100]);
}

#[test]
fn all_four_formats_look_the_same() {
    let original = scene(3);
    let first = hash(&png(&original));
    for format in [ImageFormat::Gif, ImageFormat::WebP, ImageFormat::Jpeg] {
        let mut bytes = Cursor::new(Vec::new());
        original.write_to(&mut bytes, format).unwrap();
        assert!(distance(first, hash(bytes.get_ref())) <= 6, "{format:?}");
    }
    assert_eq!(read_picture(b"BM not one of them"), None);
    assert_eq!(read_picture(b""), None);
}

#[test]
fn a_claim_of_many_pixels_is_refused() {
    // The size is in the header; the file has no data of that size.
    let mut bytes = png(&scene(1));
    bytes[16..20].copy_from_slice(&60_000_u32.to_be_bytes());
    bytes[20..24].copy_from_slice(&60_000_u32.to_be_bytes());
    let sum = crc(&bytes[12..29]);
    bytes[29..33].copy_from_slice(&sum.to_be_bytes());
    assert_eq!(read_picture(&bytes), None);
}

fn crc(bytes: &[u8]) -> u32 {
    !bytes.iter().fold(!0_u32, |sum, byte| {
        (0..8).fold(
            sum ^ u32::from(*byte),
            |sum, _| if sum & 1 == 1 { (sum >> 1) ^ 0xedb8_8320 } else { sum >> 1 },
        )
    })
}

#[test]
fn a_picture_that_a_camera_turned_looks_as_it_is_shown() {
    let original = scene(5);
    let shown = image::imageops::rotate90(&original);
    let mut turned = jpeg(&original, 90);
    // The segment of a camera that says: turn by 90 degrees.
    let exif =
        [&b"\xff\xe1\x00\x22Exif\0\0MM\0\x2a\0\0\0\x08\0\x01\x01\x12\0\x03\0\0\0\x01\0\x06\0\0\0\0\0\0"[..]]
            .concat();
    turned.splice(2..2, exif);
    let picture = read_picture(&turned).unwrap();
    assert_eq!((picture.width, picture.height), (300, 400));
    assert!(distance(hash(&turned), hash(&png(&shown))) <= 4);
    assert!(distance(hash(&turned), hash(&png(&original))) > 16);
}

#[test]
fn progressive_is_told() {
    assert!(!is_progressive_jpeg(&jpeg(&scene(1), 50)));
    assert!(is_progressive_jpeg(b"\xff\xd8\xff\xe0\x00\x04ab\xff\xff\xc2\x00\x11"));
    assert!(!is_progressive_jpeg(b"\xff\xd8\xff\xe0\xff\xff"));
}
