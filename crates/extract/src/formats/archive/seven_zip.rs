//! 7z. Its directory is at the end and members share compressed blocks, so a block is read from its
//! start, one member after the other; if one of them is damaged, those behind it in the block are
//! lost.

use std::io::{self, Cursor, Read};

use sevenz_rust2::{Archive, BlockDecoder, Error, Password};

use super::{clean_name, is_system_file};
use crate::file::File;
use crate::format::{Format, Sign, Stage};
use crate::formats::names::Names;
use crate::kind::{Category, Kind};
use crate::out::Out;
use crate::reason::Reason;

/// A directory may name any number of empty members in a few bytes.
const MOST_MEMBERS: usize = 1_000_000;

pub const FORMAT: Format = Format {
    kind: Kind::SevenZip,
    category: Category::Other,
    summary: "7z archives: every document inside",
    signs: &[Sign {
        stage: Stage::Start,
        recognise: |bytes, _| bytes.starts_with(b"7z\xbc\xaf\x27\x1c").then_some(Kind::SevenZip),
    }],
    read: read_seven_zip,
    read_stream: None,
};

fn read_seven_zip(file: &File<'_>, out: &mut Out<'_>) -> Result<(), Reason> {
    let password = Password::empty();
    let mut source = Cursor::new(file.bytes);
    let archive = Archive::read(&mut source, &password).map_err(reason)?;
    if archive.files.len() > MOST_MEMBERS {
        return Err(Reason::Limit(format!("more than {MOST_MEMBERS} members")));
    }
    let mut names = Names::default();
    for block in 0..archive.blocks.len() {
        let decoder = BlockDecoder::new(1, block, &archive, &password, &mut source);
        // The library's error cannot carry ours, so that is kept aside.
        let mut stop = None;
        let mut last = None;
        let mut is_broken = false;
        let read = decoder.for_each_entries(&mut |member, bytes| {
            let name = clean_name(&member.name);
            let outcome = if member.is_directory || member.is_anti_item || is_system_file(&name) {
                // Otherwise the library would decompress it uncounted to get to the next one.
                Ok(io::copy(&mut out.budget.metered(bytes), &mut io::sink()).is_ok())
            } else {
                let name = names.unique(&name);
                last = Some(name.clone());
                read_member(bytes, member.size, &name, out)
            };
            // A decoder that failed is not called again, since it could loop for ever.
            is_broken = matches!(outcome, Ok(false));
            stop = outcome.err().or_else(|| out.budget.check().err());
            Ok(!is_broken && stop.is_none())
        });
        if let Some(reason) = stop {
            return Err(reason);
        }
        let fault = match read {
            Err(error) => Some(reason(error)),
            Ok(_) if is_broken => Some(Reason::damaged("what stands behind a fault in the archive is lost")),
            Ok(_) => None,
        };
        if let Some(fault) = fault {
            let place = last.map_or_else(|| format!("#{}", block + 1), |name| format!("after {name}"));
            out.unreadable_member(&place, fault);
        }
    }
    // Empty members are in no block.
    for member in archive.files.iter().filter(|member| !member.has_stream && !member.is_directory) {
        out.member(&names.unique(&clean_name(&member.name)), &[])?;
    }
    Ok(())
}

/// Reads one member to its end even if it is too large to be held, since the next one follows it; returns
/// whether the end was reached.
fn read_member(bytes: &mut dyn Read, size: u64, name: &str, out: &mut Out<'_>) -> Result<bool, Reason> {
    let before = out.budget.mark();
    let mut metered = out.budget.metered(bytes);
    if size > out.budget.left() {
        let most = out.budget.limits().output_bytes >> 20;
        let passed = io::copy(&mut metered, &mut io::sink());
        out.unreadable_member(name, Reason::Limit(format!("more than {most} MB")));
        return Ok(passed.is_ok());
    }
    let mut held = Vec::with_capacity(size.min(1 << 20) as usize);
    let read = metered.read_to_end(&mut held);
    out.budget.hold(held.len() as u64)?;
    match &read {
        Err(error) if held.is_empty() => out.unreadable_member(name, failure(out, error)),
        // The content before the damage is read, as in other archives.
        _ => out.member(name, &held)?,
    }
    out.budget.release(before);
    Ok(read.is_ok())
}

fn failure(out: &Out<'_>, error: &io::Error) -> Reason {
    out.budget.check().err().unwrap_or_else(|| Reason::damaged(error))
}

fn reason(error: Error) -> Reason {
    match error {
        Error::PasswordRequired | Error::MaybeBadPassword(_) => Reason::Encrypted,
        // Encryption is not compiled in, so its method is one that the library does not know.
        Error::UnsupportedCompressionMethod(method) if method.contains("AES") => Reason::Encrypted,
        Error::UnsupportedCompressionMethod(method) => {
            Reason::Unsupported(format!("a 7z archive packed by {method}"))
        }
        Error::ExternalUnsupported | Error::Unsupported(_) | Error::UnsupportedVersion { .. } => {
            Reason::Unsupported(format!("a 7z archive: {error}"))
        }
        Error::MaxMemLimited { max_kb, .. } => {
            Reason::Limit(format!("its dictionary needs more than {} MB", max_kb >> 10))
        }
        other => Reason::damaged(other),
    }
}
