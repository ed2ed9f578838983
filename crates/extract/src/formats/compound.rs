//! Microsoft's compound files, which hold Word, Excel and Outlook files.

use crate::Kind;

/// What a compound file is.
pub fn kind_of_compound(_bytes: &[u8]) -> Kind {
    Kind::Unknown
}
