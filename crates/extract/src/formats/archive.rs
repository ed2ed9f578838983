//! Zip, 7z, tar, and compressed single files: containers of documents.
//!
//! Members are read one at a time, each under its own name; an error in one is reported for that
//! member. Nothing is written to disk, so names need not be safe, only readable.

pub mod packed;
pub mod seven_zip;
pub mod tar;

use std::io::{Cursor, Read};

use zip::ZipArchive;
use zip::read::read_zipfile_from_stream;
use zip::result::ZipError;

use super::names::Names;
use super::package;
use crate::file::File;
use crate::format::{Format, Sign, Stage};
use crate::kind::{Category, Kind};
use crate::out::Out;
use crate::reason::Reason;

pub const ZIP: Format = Format {
    kind: Kind::Zip,
    category: Category::Other,
    summary: "Zip archives: every document inside",
    // One sign for all formats based on zip.
    signs: &[Sign { stage: Stage::Directory, recognise: |bytes, _| package::kind_of(bytes) }],
    read: read_zip,
    read_stream: None,
};

pub fn read_zip(file: &File<'_>, out: &mut Out<'_>) -> Result<(), Reason> {
    let mut archive = match ZipArchive::new(Cursor::new(file.bytes)) {
        Ok(archive) => archive,
        Err(error) => return read_zip_without_directory(file.bytes, out, reason(error)),
    };
    let mut names = Names::default();
    for index in 0..archive.len() {
        let name = archive.name_for_index(index).and_then(Result::ok).map(|name| clean_name(&name));
        let name = name.filter(|name| !name.is_empty()).unwrap_or_else(|| format!("#{}", index + 1));
        if is_system_file(&name) {
            continue;
        }
        match archive.by_index(index) {
            Ok(member) if member.is_dir() || member.is_symlink() => {}
            Ok(mut member) => {
                let size = member.size();
                read_member(&mut member, size, &names.unique(&name), out)?;
            }
            Err(error) => out.unreadable_member(&names.unique(&name), reason(error)),
        }
    }
    Ok(())
}

/// An archive that lost its end still has its members one after another.
fn read_zip_without_directory(bytes: &[u8], out: &mut Out<'_>, why: Reason) -> Result<(), Reason> {
    let mut rest = bytes;
    let mut names = Names::default();
    let mut any = false;
    while let Ok(Some(mut member)) = read_zipfile_from_stream(&mut rest) {
        let name = member.name().map(|name| clean_name(&name)).unwrap_or_default();
        if !member.is_dir() && !name.is_empty() && !is_system_file(&name) {
            any = true;
            let size = member.size();
            read_member(&mut member, size, &names.unique(&name), out)?;
        }
    }
    if any { Ok(()) } else { Err(why) }
}

fn read_member(member: &mut dyn Read, size: u64, name: &str, out: &mut Out<'_>) -> Result<(), Reason> {
    let before = out.budget.mark();
    let outcome = out.budget.read_what_is_there(member, size);
    match outcome {
        Ok((bytes, Some(error))) if bytes.is_empty() => out.unreadable_member(name, error),
        Ok((bytes, _)) => out.member(name, &bytes)?,
        Err(reason) => {
            out.budget.release(before);
            out.budget.check()?;
            out.unreadable_member(name, reason);
        }
    }
    out.budget.release(before);
    Ok(())
}

/// A name for reading: slashes between folders, none at the beginning, no control characters.
fn clean_name(name: &str) -> String {
    let shown = name.chars().filter(|character| !character.is_control()).take(1000);
    let slashed: String = shown.map(|character| if character == '\\' { '/' } else { character }).collect();
    slashed.trim_start_matches("./").trim_start_matches('/').to_owned()
}

/// Files that operating systems add to archives by themselves.
fn is_system_file(name: &str) -> bool {
    let last = name.rsplit('/').next().unwrap_or_default();
    last.is_empty()
        || last.starts_with("._")
        || matches!(last, ".DS_Store" | "Thumbs.db" | "desktop.ini")
        || name.split('/').any(|folder| folder == "__MACOSX")
}

fn reason(error: ZipError) -> Reason {
    match error {
        ZipError::UnsupportedArchive(what) if what == ZipError::PASSWORD_REQUIRED => Reason::Encrypted,
        ZipError::UnsupportedArchive(what) => Reason::Unsupported(what.to_owned()),
        other => Reason::damaged(other),
    }
}

#[cfg(test)]
mod tests;
