//! Chunks of the text's bytes, for location-sensitive bitwise similarity (LSBS).
//!
//! `filter` makes two streams of bytes out of a text; `cut` cuts each into chunks. With `align =
//! "position"`, as in the paper, a feature is a chunk at its place, so two documents share as many
//! features as they have equal chunks at equal places, and the measure `longer` is the paper's votes
//! over the chunks of the longer document. One byte inserted at the front, and nothing agrees any
//! more. With `align = "content"` chunks are cut where their bytes say so, and a feature is a
//! chunk's content and the number of its occurrence: an insertion changes its own chunk only.
//!
//! Features come in the order of the text stream, then of the non-text stream. Where a field gives
//! the document's type, it becomes the class that documents must share to be compared; documents
//! without a type are compared with each other.

pub(crate) mod code;
mod cut;
mod filter;

use super::extractor::{FeatureExtractor, Features};
use super::occurrences::number_occurrences;
use crate::document::{Document, Value};
use crate::error::{Error, Result};
use crate::hash;
use crate::part::{Param, Params, PartInfo, Spec};
use crate::text::TEXT_RULES;
use code::Stream;
use cut::{ByContent, ByPlace};
use filter::filter;

/// Chunks of the bytes, by their places or by their content.
pub struct Chunks {
    align: Align,
    streams: ChunkStreams,
    fold: bool,
    type_field: String,
}

/// What is compared with what.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Align {
    /// A chunk with the other document's chunk at the same place.
    Position {
        /// Bits in a chunk.
        bits: u64,
    },
    /// A chunk with equal chunks anywhere.
    Content {
        /// Bytes in a chunk, on average.
        average: u64,
    },
}

/// Which parts of a document are cut into chunks.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ChunkStreams {
    /// Letters and digits.
    Text,
    /// Symbols and links.
    NonText,
    /// Both, each by itself.
    Both,
}

impl Chunks {
    /// The description of this part in the registry.
    pub const INFO: PartInfo = PartInfo {
        name: "chunks",
        summary: "Chunks of the bytes of text and of symbols, at their place or cut by content (LSBS)",
        paper: "L17 §III",
        params: &[
            Param {
                name: "align",
                default: "\"position\"",
                help: "position: chunk i against chunk i; content: cut by content, wherever it stands",
            },
            Param {
                name: "chunk", default: "8", help: "bits in a chunk at its place: 8, 10, 16, 24, … 64"
            },
            Param { name: "average", default: "16", help: "mean bytes of a chunk cut by content, 4 to 4096" },
            Param {
                name: "stream",
                default: "\"both\"",
                help: "text: letters and digits; nontext: symbols and links; both",
            },
            Param { name: "case", default: "\"keep\"", help: "keep: case counts; fold: it does not" },
            Param {
                name: "type_field",
                default: "\"\"",
                help: "field that must be equal for documents to be compared, such as their type; none if empty",
            },
        ],
    };

    /// Chunks of these streams; `fold` ignores case, `type_field` names the field that must agree.
    pub fn new(align: Align, streams: ChunkStreams, fold: bool, type_field: &str) -> Result<Self> {
        match align {
            Align::Position { bits } if bits != 10 && (bits % 8 != 0 || !(8..=64).contains(&bits)) => {
                Err(Error::config(format!(
                    "features.chunk is {bits}, it must be 10 or a multiple of 8 from 8 to 64"
                )))
            }
            Align::Content { average } if !(4..=4096).contains(&average) => {
                Err(Error::config(format!("features.average is {average}, it must be from 4 to 4096")))
            }
            _ => Ok(Chunks { align, streams, fold, type_field: type_field.to_owned() }),
        }
    }

    /// Reads its parameters from a section of a recipe.
    pub fn from_params(params: &mut Params) -> Result<Self> {
        let align = params.choice("align", "position", &["position", "content"])?;
        let (bits, average) = (params.optional_integer("chunk")?, params.optional_integer("average")?);
        let align = match (align.as_str(), bits, average) {
            ("position", bits, None) => Align::Position { bits: bits.unwrap_or(8) },
            ("content", None, average) => Align::Content { average: average.unwrap_or(16) },
            ("position", ..) => {
                return Err(Error::config("features.average goes with features.align = \"content\" only"));
            }
            _ => return Err(Error::config("features.chunk goes with features.align = \"position\" only")),
        };
        let streams = match params.choice("stream", "both", &["text", "nontext", "both"])?.as_str() {
            "text" => ChunkStreams::Text,
            "nontext" => ChunkStreams::NonText,
            _ => ChunkStreams::Both,
        };
        let fold = params.choice("case", "keep", &["keep", "fold"])? == "fold";
        Chunks::new(align, streams, fold, &params.text("type_field", "")?)
    }

    fn class(&self, document: &Document<'_>) -> Option<u64> {
        if self.type_field.is_empty() {
            return None;
        }
        match document.fields.first()?.as_ref()? {
            Value::Text(text) => Some(hash::bytes(text.as_bytes())),
            Value::Number(number) => Some(hash::combine(1, number.to_bits())),
            Value::Bool(yes) => Some(hash::combine(2, u64::from(*yes))),
            // A document has one type.
            Value::Many(_) => None,
        }
    }
}

impl FeatureExtractor for Chunks {
    fn spec(&self) -> Spec {
        let spec = Spec::new(Self::INFO.name)
            .with("case", if self.fold { "fold" } else { "keep" })
            .with("type_field", self.type_field.as_str())
            .with("rules", TEXT_RULES);
        let spec = match self.align {
            Align::Position { bits } => spec.with("align", "position").with("chunk", bits as i64),
            Align::Content { average } => spec.with("align", "content").with("average", average as i64),
        };
        match self.streams {
            ChunkStreams::Text => spec.with("stream", "text"),
            ChunkStreams::NonText => spec.with("stream", "nontext"),
            ChunkStreams::Both => spec.with("stream", "both"),
        }
    }

    fn fields(&self) -> Vec<String> {
        if self.type_field.is_empty() { Vec::new() } else { vec![self.type_field.clone()] }
    }

    fn extract(&self, document: &Document<'_>, out: &mut Features) {
        out.class = self.class(document);
        let Features { hashes, units, .. } = out;
        // The streams grow at the same time, so the second waits in a buffer of its own.
        units.clear();
        let (text, symbols) = (self.streams != ChunkStreams::NonText, self.streams != ChunkStreams::Text);
        match self.align {
            Align::Position { bits } => {
                let mut words = ByPlace::new(Stream::Text, text, bits as usize, hashes);
                let mut other = ByPlace::new(Stream::NonText, symbols, bits as usize, units);
                filter(&document.text, self.fold, &mut words, &mut other);
                words.finish();
                other.finish();
                hashes.append(units);
            }
            Align::Content { average } => {
                let mut words = ByContent::new(Stream::Text, text, average as usize, hashes);
                let mut other = ByContent::new(Stream::NonText, symbols, average as usize, units);
                filter(&document.text, self.fold, &mut words, &mut other);
                words.finish();
                other.finish();
                hashes.append(units);
                number_occurrences(hashes, units);
                hashes.iter_mut().for_each(|hash| *hash = code::by_content(*hash));
            }
        }
    }
}

#[cfg(test)]
mod tests;
