//! A zip file as office documents and books use it: members by name.

use std::io::Cursor;

use zip::ZipArchive;
use zip::result::ZipError;

use crate::budget::Budget;
use crate::reason::Reason;

pub struct Package<'a>(ZipArchive<Cursor<&'a [u8]>>);

impl<'a> Package<'a> {
    pub fn open(bytes: &'a [u8]) -> Result<Self, Reason> {
        ZipArchive::new(Cursor::new(bytes)).map(Package).map_err(reason)
    }

    /// In the order of the directory.
    pub fn names(&self) -> Vec<String> {
        self.0.file_names().filter_map(|name| Some(name.ok()?.into_owned())).collect()
    }

    /// A member's bytes; `None` if there is no such member. Some writers use backslashes or another
    /// case in names; those are found too.
    pub fn read(&mut self, name: &str, budget: &mut Budget) -> Result<Option<Vec<u8>>, Reason> {
        let found = self.0.index_for_name(name).or_else(|| {
            let mut names = self.0.file_names();
            names.position(|other| other.is_ok_and(|other| is_same_name(&other, name)))
        });
        let Some(index) = found else { return Ok(None) };
        let mut member = self.0.by_index(index).map_err(reason)?;
        let size = member.size();
        budget.read_to_end(&mut member, size).map(Some)
    }
}

fn is_same_name(written: &str, wanted: &str) -> bool {
    written.replace('\\', "/").trim_start_matches('/').eq_ignore_ascii_case(wanted)
}

fn reason(error: ZipError) -> Reason {
    match error {
        ZipError::UnsupportedArchive(what) if what == ZipError::PASSWORD_REQUIRED => Reason::Encrypted,
        other => Reason::damaged(other),
    }
}
