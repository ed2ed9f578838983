//! Messages as RFC 822 and MIME have them, and mailboxes full of them.

use crate::dispatch::{File, Out};
use crate::reason::Reason;

pub fn read(_file: &File<'_>, _out: &mut Out<'_>) -> Result<(), Reason> {
    Err(Reason::Unsupported("not built yet".to_owned()))
}

pub fn read_mbox(_file: &File<'_>, _out: &mut Out<'_>) -> Result<(), Reason> {
    Err(Reason::Unsupported("not built yet".to_owned()))
}

/// Mail and mailboxes begin with header lines.
pub fn kind_of_mail(_bytes: &[u8]) -> Option<crate::Kind> {
    None
}
