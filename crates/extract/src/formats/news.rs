//! News collections: NITF, TREC and TIPSTER, Reuters-21578.
//!
//! The headline is the title and not part of the text, like the subject of a mail; if an item has
//! only a headline, that is its text.

mod nitf;
mod reuters;
mod tags;
mod trec;

#[cfg(test)]
mod tests;

use crate::date;
use crate::document::Extracted;

pub use nitf::FORMAT as NITF;
pub use reuters::FORMAT as REUTERS;
pub use trec::FORMAT as TREC;

/// Metadata is short.
const LONGEST_FIELD: usize = 1000;
const MOST_FIELDS: usize = 64;

/// Appends to a field, limited to a length suitable for metadata.
fn add_field(document: &mut Extracted, name: &str, value: &str) {
    let value = tags::collapsed(value);
    if value.is_empty() || document.fields.len() >= MOST_FIELDS {
        return;
    }
    let field = document.fields.entry(name.to_ascii_lowercase()).or_default();
    if field.len() + value.len() <= LONGEST_FIELD {
        if !field.is_empty() {
            *field += ", ";
        }
        *field += &value;
    } else if field.is_empty() {
        field.extend(value.chars().take(LONGEST_FIELD));
    }
}

/// Adds to the values of a field that may have several, within the same limits.
fn add_value(document: &mut Extracted, name: &str, value: &str) {
    let value: String = tags::collapsed(value).chars().take(LONGEST_FIELD).collect();
    let name = name.trim().to_ascii_lowercase();
    if value.is_empty() || name.is_empty() || document.lists.len() >= MOST_FIELDS {
        return;
    }
    let values = document.lists.entry(name).or_default();
    if values.len() < MOST_FIELDS && !values.contains(&value) {
        values.push(value);
    }
}

/// Makes the headline the text if there is no other, and otherwise its first heading.
fn headed(document: &mut Extracted) {
    if document.text.is_empty() {
        document.text = document.title.clone().unwrap_or_default();
    } else {
        document.head_with_title();
    }
}

/// A date as newspapers print it, without what follows it (the weekday, the edition).
fn printed_date(text: &str) -> Option<String> {
    let text = tags::collapsed(text);
    date::normalise(&text).or_else(|| {
        let comma = text.match_indices(',').nth(1)?.0;
        date::normalise(&text[..comma])
    })
}
