//! A zip file as office documents and books use it: members by name.
//!
//! A file that lost its end has also lost its directory. Its members are then found by their own
//! headers, so that the beginning of a truncated document can still be read.

mod kind;
mod salvage;

use std::io::{Cursor, Read};

use zip::ZipArchive;
use zip::result::ZipError;

use crate::budget::Budget;
use crate::document::Extracted;
use crate::out::Out;
use crate::picture::Picture;
use crate::reason::Reason;

pub use kind::kind_of;
use salvage::Member;

/// How many images of one document are decoded, and their pixels together: decoding may not take
/// longer than reading the document.
const IMAGES: usize = 64;
const PIXELS: u64 = 256_000_000;

pub struct Package<'a> {
    members: Members<'a>,
    /// Whether text was read from a truncated member.
    is_cut: bool,
}

enum Members<'a> {
    Directory(ZipArchive<Cursor<&'a [u8]>>),
    Found(Vec<Member<'a>>),
}

impl<'a> Package<'a> {
    pub fn open(bytes: &'a [u8]) -> Result<Self, Reason> {
        match ZipArchive::new(Cursor::new(bytes)) {
            Ok(archive) => Ok(Package { members: Members::Directory(archive), is_cut: false }),
            Err(error) => match salvage::members(bytes) {
                found if found.is_empty() => Err(reason(error)),
                found => Ok(Package { members: Members::Found(found), is_cut: false }),
            },
        }
    }

    /// Notes it if text was lost, or the directory, in which case members may be lost, too.
    pub fn doubt(&self, document: &mut Extracted) {
        if self.is_cut {
            document.doubt(0.4, "damaged, so that only a part of it is read");
        } else if matches!(self.members, Members::Found(_)) {
            document.doubt(0.7, "its directory is lost, so parts of it may be missing");
        }
    }

    /// In the order of the directory.
    pub fn names(&self) -> Vec<String> {
        match &self.members {
            Members::Directory(archive) => {
                archive.file_names().filter_map(|name| Some(name.ok()?.into_owned())).collect()
            }
            Members::Found(members) => members.iter().map(|member| member.name.clone()).collect(),
        }
    }

    /// A member's bytes; `None` if there is no such member. Some writers use backslashes or another
    /// case in names; those are found, too. For a damaged member, the bytes before the damage.
    pub fn read(&mut self, name: &str, budget: &mut Budget) -> Result<Option<Vec<u8>>, Reason> {
        self.read_up_to(name, u64::MAX, budget)
    }

    /// As [`Package::read`], but no more than `most` bytes.
    pub fn read_up_to(
        &mut self,
        name: &str,
        most: u64,
        budget: &mut Budget,
    ) -> Result<Option<Vec<u8>>, Reason> {
        let name = name.trim_start_matches('/');
        let read = match &mut self.members {
            Members::Directory(archive) => {
                let found = archive.index_for_name(name).or_else(|| {
                    archive.file_names().position(|other| other.is_ok_and(|other| is_same_name(&other, name)))
                });
                let Some(index) = found else { return Ok(None) };
                let member = archive.by_index(index).map_err(reason)?;
                let size = member.size();
                read_until_error(member.take(most), size, budget)?
            }
            Members::Found(members) => {
                let Some(member) = members.iter().find(|member| is_same_name(&member.name, name)) else {
                    return Ok(None);
                };
                read_until_error(member.reader()?.take(most), 0, budget)?
            }
        };
        let (bytes, is_cut) = read;
        let is_text = ["xml", "html", "htm"].iter().any(|ending| name.ends_with(ending));
        self.is_cut |= is_cut && is_text;
        Ok(Some(bytes))
    }

    /// The images in a folder.
    pub fn pictures(&mut self, folder: &str, out: &mut Out<'_>) -> Result<Vec<Picture>, Reason> {
        self.pictures_of(&|name| is_within(name, folder) && is_image_name(name), out)
    }

    /// The images with the wanted names.
    pub fn pictures_of(
        &mut self,
        wanted: &dyn Fn(&str) -> bool,
        out: &mut Out<'_>,
    ) -> Result<Vec<Picture>, Reason> {
        let mut pictures = Vec::new();
        if !out.options.images {
            return Ok(pictures);
        }
        let mut pixels = 0;
        for name in self.names() {
            if !wanted(&name) {
                continue;
            }
            let bytes = match self.read(&name, out.budget) {
                Ok(bytes) => bytes.unwrap_or_default(),
                Err(Reason::Limit(which)) => return Err(Reason::Limit(which)),
                Err(_) => continue,
            };
            if let Some(picture) = out.picture(&bytes) {
                pixels += u64::from(picture.width) * u64::from(picture.height);
                pictures.push(picture);
            }
            if pictures.len() >= IMAGES || pixels >= PIXELS {
                break;
            }
        }
        Ok(pictures)
    }
}

fn is_same_name(written: &str, wanted: &str) -> bool {
    written.len() <= wanted.len() + 2
        && written.replace('\\', "/").trim_start_matches('/').eq_ignore_ascii_case(wanted)
}

fn is_within(name: &str, folder: &str) -> bool {
    let name = name.trim_start_matches('/').replace('\\', "/");
    name.get(..folder.len()).is_some_and(|start| start.eq_ignore_ascii_case(folder))
}

fn is_image_name(name: &str) -> bool {
    let ending = name.rsplit('.').next().unwrap_or_default().to_ascii_lowercase();
    // A name without an ending may be anything; its content shows whether it is an image.
    !matches!(
        ending.as_str(),
        "emf" | "wmf" | "bin" | "xml" | "rels" | "svm" | "wdp" | "mp4" | "wav" | "html"
    )
}

/// Reads to the end or to the damage, and returns which it was. If there is nothing before the damage, that is an
/// error.
fn read_until_error(from: impl Read, size: u64, budget: &mut Budget) -> Result<(Vec<u8>, bool), Reason> {
    let mut until_error = UntilError { from, error: None };
    let bytes = budget.read_to_end(&mut until_error, size)?;
    match until_error.error {
        Some(error) if bytes.is_empty() => Err(Reason::damaged(error)),
        error => Ok((bytes, error.is_some())),
    }
}

/// Ends where the inner reader fails.
struct UntilError<R> {
    from: R,
    error: Option<std::io::Error>,
}

impl<R: Read> Read for UntilError<R> {
    fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
        if self.error.is_some() {
            return Ok(0);
        }
        match self.from.read(buffer) {
            Err(error) if error.kind() != std::io::ErrorKind::Interrupted => {
                self.error = Some(error);
                Ok(0)
            }
            other => other,
        }
    }
}

fn reason(error: ZipError) -> Reason {
    match error {
        ZipError::UnsupportedArchive(what) if what == ZipError::PASSWORD_REQUIRED => Reason::Encrypted,
        other => Reason::damaged(other),
    }
}

/// Zip files for tests.
#[cfg(test)]
pub mod build {
    use std::io::{Cursor, Write};

    use zip::ZipWriter;
    use zip::write::SimpleFileOptions;

    pub fn zip_of(members: &[(&str, &str)]) -> Vec<u8> {
        let bytes: Vec<(&str, &[u8])> = members.iter().map(|(name, text)| (*name, text.as_bytes())).collect();
        zip_of_bytes(&bytes)
    }

    pub fn zip_of_bytes(members: &[(&str, &[u8])]) -> Vec<u8> {
        let mut writer = ZipWriter::new(Cursor::new(Vec::new()));
        for (name, bytes) in members {
            writer.start_file(*name, SimpleFileOptions::default()).unwrap();
            writer.write_all(bytes).unwrap();
        }
        writer.finish().unwrap().into_inner()
    }
}

#[cfg(test)]
mod tests {
    use super::build::zip_of;
    use super::*;
    use lookalike_core::reading::Limits;

    fn read(bytes: &[u8], name: &str) -> Result<Option<String>, Reason> {
        let mut budget = Budget::new(&Limits::default(), bytes.len() as u64);
        let member = Package::open(bytes)?.read(name, &mut budget)?;
        Ok(member.map(|bytes| String::from_utf8(bytes).unwrap()))
    }

    #[test]
    fn names_in_another_case_or_with_backslashes() {
        let bytes = zip_of(&[("Word\\Document.xml", "a"), ("/b.xml", "b")]);
        assert_eq!(read(&bytes, "word/document.xml").unwrap().as_deref(), Some("a"));
        assert_eq!(read(&bytes, "b.xml").unwrap().as_deref(), Some("b"));
        assert_eq!(read(&bytes, "c.xml").unwrap(), None);
    }

    #[test]
    fn a_cut_file_gives_its_beginning() {
        let long: String = (0..20_000).map(|number| format!("{number} ")).collect();
        let bytes = zip_of(&[("a.xml", "first"), ("b.xml", &long), ("c.xml", "last")]);
        let cut = &bytes[..bytes.len() / 2];
        assert_eq!(read(cut, "a.xml").unwrap().as_deref(), Some("first"));
        let part = read(cut, "b.xml").unwrap().unwrap();
        assert!(part.len() > long.len() / 4 && long.starts_with(&part), "{}", part.len());
        assert_eq!(read(cut, "c.xml").unwrap(), None);
        assert!(matches!(read(b"PK\x03\x04", "a"), Err(Reason::Damaged(_))));
    }
}
