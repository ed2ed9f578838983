//! Word and PowerPoint since 2007.

use crate::dispatch::{File, Out};
use crate::reason::Reason;

pub fn read_docx(_file: &File<'_>, _out: &mut Out<'_>) -> Result<(), Reason> {
    Err(Reason::Unsupported("not built yet".to_owned()))
}

pub fn read_pptx(_file: &File<'_>, _out: &mut Out<'_>) -> Result<(), Reason> {
    Err(Reason::Unsupported("not built yet".to_owned()))
}
