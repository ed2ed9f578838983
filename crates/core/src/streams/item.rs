//! The items of a stream as numbers.

use crate::hash;

/// Of a longer stream only the items with the lowest numbers are kept: a sample, from which the resemblance of two
/// long streams is estimated, so that no document costs more than this.
pub const MOST_ITEMS: usize = 4096;

/// How many elements of a page's structure are kept.
pub const STRUCTURE_ITEMS: usize = 64;

/// The number of an item. Sixteen hexadecimal digits are a perceptual hash and stand for themselves, so that images
/// that look nearly the same can be recognised. White space around an item does not count; without more there is no
/// item.
pub fn item(text: &str) -> Option<u64> {
    let text = text.trim();
    if text.is_empty() {
        return None;
    }
    let is_hash = text.len() == 16 && text.bytes().all(|byte| byte.is_ascii_hexdigit());
    let number = if is_hash { u64::from_str_radix(text, 16).ok() } else { None };
    Some(number.unwrap_or_else(|| hash::bytes(text.as_bytes())))
}

/// Smaller images are icons, lines and tracking pixels, and say nothing of a document.
const LEAST_SIDE: u32 = 32;

/// The item of an image: its perceptual hash or, if it is not known, its address. `sides` are width and height in
/// pixels, 0 if they are not known.
pub fn image_item(look: Option<&str>, address: Option<&str>, sides: (u32, u32)) -> Option<u64> {
    let is_small = sides.0 > 0 && sides.0.min(sides.1) < LEAST_SIDE;
    if is_small { None } else { look.and_then(item).or_else(|| address.and_then(item)) }
}

/// An item that is a number as it is written: whole ones stand for themselves, as perceptual hashes and samples of a
/// page's structure do.
pub fn number_item(written: &str) -> u64 {
    written.parse().unwrap_or_else(|_| hash::bytes(written.as_bytes()))
}

/// The item that a field with this value is; none without a value.
pub fn field_item(name: &str, value: &str) -> Option<u64> {
    let value = value.trim();
    (!value.is_empty()).then(|| hash::combine(hash::bytes(name.as_bytes()), hash::bytes(value.as_bytes())))
}

/// Appends the items in a text: parted by white space or, in a table's cell that holds a list in brackets, by commas.
pub fn text_items(text: &str, out: &mut Vec<u64>) {
    let text = text.trim();
    match text.strip_prefix('[').and_then(|rest| rest.strip_suffix(']')) {
        Some(list) => {
            let bare = |one: &str| item(one.trim().trim_matches(['"', '\'']));
            out.extend(list.split(',').filter_map(bare));
        }
        None => out.extend(text.split_whitespace().filter_map(item)),
    }
}

/// Sorts items and keeps each once, the lowest if there are too many.
pub fn keep_distinct(items: &mut Vec<u64>) {
    items.sort_unstable();
    items.dedup();
    items.truncate(MOST_ITEMS);
}
