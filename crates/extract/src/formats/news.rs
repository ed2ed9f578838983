//! News collections: NITF, TREC and TIPSTER, Reuters-21578.

use crate::dispatch::{File, Out};
use crate::reason::Reason;

pub fn read_nitf(_file: &File<'_>, _out: &mut Out<'_>) -> Result<(), Reason> {
    Err(Reason::Unsupported("not built yet".to_owned()))
}

pub fn read_trec(_file: &File<'_>, _out: &mut Out<'_>) -> Result<(), Reason> {
    Err(Reason::Unsupported("not built yet".to_owned()))
}

pub fn read_reuters(_file: &File<'_>, _out: &mut Out<'_>) -> Result<(), Reason> {
    Err(Reason::Unsupported("not built yet".to_owned()))
}
