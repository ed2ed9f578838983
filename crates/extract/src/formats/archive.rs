//! Zip, tar, gzip and zstd: containers of documents.

use crate::dispatch::{File, Out};
use crate::reason::Reason;

pub fn read_zip(_file: &File<'_>, _out: &mut Out<'_>) -> Result<(), Reason> {
    Err(Reason::Unsupported("not built yet".to_owned()))
}

pub fn read_tar(_file: &File<'_>, _out: &mut Out<'_>) -> Result<(), Reason> {
    Err(Reason::Unsupported("not built yet".to_owned()))
}

pub fn read_gzip(_file: &File<'_>, _out: &mut Out<'_>) -> Result<(), Reason> {
    Err(Reason::Unsupported("not built yet".to_owned()))
}

pub fn read_zstd(_file: &File<'_>, _out: &mut Out<'_>) -> Result<(), Reason> {
    Err(Reason::Unsupported("not built yet".to_owned()))
}
