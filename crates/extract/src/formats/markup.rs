//! Tells the formats that are written in tags.

use crate::Kind;

/// HTML, XML, NITF, TREC or Reuters, if it is any of them.
pub fn kind_of_markup(_bytes: &[u8]) -> Option<Kind> {
    None
}
