//! winmail.dat.

use crate::dispatch::{File, Out};
use crate::reason::Reason;

pub fn read(_file: &File<'_>, _out: &mut Out<'_>) -> Result<(), Reason> {
    Err(Reason::Unsupported("not built yet".to_owned()))
}
