//! What a document has beside its text: images, links, metadata, structure.
//!
//! ```
//! use lookalike_core::document::Value;
//! use lookalike_core::streams::{StreamKind, Streams};
//! let streams = |links: &str| {
//!     let mut streams = Streams::default();
//!     streams.add(StreamKind::Links, "links", &Value::Text(links.into()));
//!     streams.finish();
//!     streams
//! };
//! let agreement = streams("/a /b /c").agreement(&streams("/d /e /f"), 6);
//! assert_eq!(agreement.resemblance(StreamKind::Links), Some(0.0));
//! assert!(agreement.contradicts(StreamKind::Links));
//! assert_eq!(agreement.resemblance(StreamKind::Images), None);
//! ```
//!
//! A stream is a set of items, each a number of 64 bits ([`item`]). Two documents resemble each other in a stream as
//! far as they share its items. A stream in which both have several items and nearly none in common *contradicts* a
//! text that is alike: the same words stand below other pictures.

mod agreement;
mod item;

pub use agreement::{StreamAgreement, resemblance};
pub use item::{
    MOST_ITEMS, STRUCTURE_ITEMS, field_item, image_item, item, keep_distinct, number_item, text_items,
};

use serde::{Deserialize, Serialize};

use crate::document::Value;
use crate::error::Result;
use crate::hash;
use crate::part::unknown;

/// Bits in which two images that look the same may differ, unless a recipe says otherwise.
pub const IMAGE_DISTANCE: u32 = 6;

/// A part of a document beside its text.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum StreamKind {
    /// Images, by what they look like or by their address.
    Images,
    /// Where its links lead.
    Links,
    /// What it says of itself: title, author, date.
    Metadata,
    /// How it is built: the elements of a page.
    Structure,
}

impl StreamKind {
    /// All kinds, in the order in which they are listed.
    pub const ALL: [StreamKind; 4] =
        [StreamKind::Images, StreamKind::Links, StreamKind::Metadata, StreamKind::Structure];

    /// As results and recipes name it, and the field that holds it unless a recipe names another.
    pub fn name(self) -> &'static str {
        match self {
            StreamKind::Images => "images",
            StreamKind::Links => "links",
            StreamKind::Metadata => "metadata",
            StreamKind::Structure => "structure",
        }
    }

    /// By the name that results and recipes use.
    pub fn from_name(name: &str) -> Option<StreamKind> {
        StreamKind::ALL.into_iter().find(|kind| kind.name() == name)
    }

    /// The same; an unknown name is an error that says where it stands and lists the known.
    pub fn parse(name: &str, place: &str) -> Result<StreamKind> {
        StreamKind::from_name(name).ok_or_else(|| unknown(place, name, StreamKind::ALL.map(StreamKind::name)))
    }
}

/// The fields of a record that hold each stream; what they hold is one set.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StreamFields([Vec<String>; StreamKind::ALL.len()]);

impl Default for StreamFields {
    fn default() -> Self {
        StreamFields(StreamKind::ALL.map(|kind| vec![kind.name().to_owned()]))
    }
}

impl StreamFields {
    /// The fields of a stream.
    pub fn of(&self, kind: StreamKind) -> &[String] {
        &self.0[kind as usize]
    }

    /// Names other fields for a stream.
    pub fn set(&mut self, kind: StreamKind, fields: Vec<String>) {
        self.0[kind as usize] = fields;
    }
}

/// The streams of one document, in memory that is reused; a document without streams needs none.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Streams {
    items: [Vec<u64>; StreamKind::ALL.len()],
}

impl Streams {
    /// The items of a stream, rising, each once.
    pub fn items(&self, kind: StreamKind) -> &[u64] {
        &self.items[kind as usize]
    }

    /// Whether there is no stream at all.
    pub fn is_empty(&self) -> bool {
        self.items.iter().all(Vec::is_empty)
    }

    /// Forgets all items.
    pub fn clear(&mut self) {
        self.items.iter_mut().for_each(Vec::clear);
    }

    /// Adds what a field of the document says of a stream. [`finish`](Streams::finish) must follow.
    pub fn add(&mut self, kind: StreamKind, field: &str, value: &Value<'_>) {
        append(kind, field, value, &mut self.items[kind as usize]);
    }

    /// Brings the items into their order.
    pub fn finish(&mut self) {
        self.items.iter_mut().for_each(keep_distinct);
    }

    /// How the streams of two documents agree. Images count as the same if their hashes differ in at most `distance`
    /// bits.
    pub fn agreement(&self, other: &Streams, distance: u32) -> StreamAgreement {
        StreamAgreement::between(self, other, distance)
    }

    /// A digest of these streams; 0 if there are none. Documents with the same digest do not contradict each other.
    pub fn digest(&self, kinds: &[StreamKind]) -> u128 {
        let given = kinds.iter().filter(|&&kind| !self.items(kind).is_empty());
        given.fold(0, |digest, &kind| {
            let items = hash::digest(self.items(kind));
            let parts = [digest, items].map(|part| [part as u64, (part >> 64) as u64]);
            hash::digest(&[parts[0][0], parts[0][1], parts[1][0], parts[1][1], kind as u64])
        })
    }
}

/// Appends what a field says of a stream, in any order and with repeats.
pub fn append(kind: StreamKind, field: &str, value: &Value<'_>, out: &mut Vec<u64>) {
    match value {
        Value::Many(many) => out.extend_from_slice(&many.items),
        // A title is one item, however many words it has.
        Value::Text(text) if kind == StreamKind::Metadata => out.extend(field_item(field, text)),
        Value::Text(text) => text_items(text, out),
        Value::Number(number) => out.push(hash::combine(hash::bytes(field.as_bytes()), number.to_bits())),
        Value::Bool(_) => {}
    }
}

#[cfg(test)]
mod tests;
